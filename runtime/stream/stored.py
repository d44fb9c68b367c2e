"""The head of a bucket's state as bytes: a header that says whose state it is, then tables.

::

    sealed | length | header, as JSON | table | table | ...        the header has the name and the length of each table

The header also says which columns are the keys and the time, so that a state can be read without its query (`inspection.py`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.runtime import sealed
from inwindow.runtime.stream.storage import from_bytes, to_bytes

_LENGTH = 4  # bytes that say how long the header is
DIRECTORY = {"held": "log", "memory": "memory log"}  # of each log, by the name of its tail: the table of its chunks


def directory_of(log: str) -> str:
    """The name of the table of a log's chunks; a bucket within another has its name before it.

    >>> directory_of("held"), directory_of("settled/memory")
    ('log', 'settled/memory log')
    """
    within, slash, name = log.rpartition("/")
    return f"{within}{slash}{DIRECTORY[name]}"


@dataclass(frozen=True)
class Stored:
    """A head that was read: its header, and the bytes of its tables."""

    header: Mapping[str, Any]
    parts: Mapping[str, memoryview]

    def tables(self) -> dict[str, pa.Table]:
        """All tables by their names; call it within :func:`~inwindow.runtime.sealed.reading`."""
        return {name: from_bytes(part) for name, part in self.parts.items()}


def head_of(fixed: str, header: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> bytes:
    """The sealed bytes of a header and of tables; ``fixed`` is the part of the header that never changes, a JSON object."""
    parts = {name: to_bytes(table) for name, table in tables.items()}
    rest = json.dumps({**header, "parts": {name: len(content) for name, content in parts.items()}})
    said = f"{fixed[:-1]}, {rest[1:]}".encode()
    return sealed.sealed(sealed.STREAM, len(said).to_bytes(_LENGTH, "little"), said, *parts.values())


def stored(head: bytes) -> Stored:
    """The inverse of :func:`head_of`; a StateError for bytes that are no head."""
    content = sealed.opened(sealed.STREAM, head)
    with sealed.reading():
        at = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        header: dict[str, Any] = json.loads(content[_LENGTH:at])
        parts = {}
        for name, length in header["parts"].items():
            parts[name] = memoryview(content)[at : at + length]
            at += length
        return Stored(header, parts)
