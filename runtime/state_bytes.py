"""Several values as one sequence of bytes: plain if possible, else pickled if pickles are trusted.

Unpickling can run any code. So only states of the user's own classes are pickled, and only if an attribute is not plain
(`plain.py`). Nobody else may be able to write to the place from which such bytes are read.
"""

import pickle
from collections.abc import Callable
from typing import Any

from inwindow.runtime.plain import from_plain, to_plain

_WORD = 8


def to_bytes(values: list[Any], *, trusted: bool) -> bytes:
    """The values one after the other, each after its length."""
    made = []
    for value, content in zip(values, to_plain(values), strict=True):
        if content is None:
            if not trusted:
                raise RuntimeError("internal error: the state of a kernel holds what is no plain value")
            content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        made += [len(content).to_bytes(_WORD, "little"), content]
    return b"".join(made)


def from_bytes(content: bytes, check: Callable[[Any], None], *, trusted: bool) -> list[Any]:
    """The values; ``check`` is called with the first, which is plain, before any other is read."""
    values: list[Any] = []
    at = 0
    while at < len(content):
        length = int.from_bytes(content[at : at + _WORD], "little")
        at += _WORD
        piece = content[at : at + length]
        at += length
        if at > len(content):
            raise ValueError("a value of the state is cut off")
        values.append(_value(piece, trusted=trusted and bool(values)))
        if len(values) == 1:
            check(values[0])
    return values


def _value(content: bytes, *, trusted: bool) -> Any:
    if content[:1] == b"\x80" and trusted:
        return pickle.loads(content)
    return from_plain([content])[0]
