"""Some values as one run of bytes: each plain if it can be, else pickled where that is trusted.

To unpickle bytes runs what they say. So only states of the user's own classes are pickled, where an attribute is not plain
(`plain.py`); such bytes must come from a place where nobody else writes.
"""

import pickle
from collections.abc import Callable
from typing import Any

from inwindow.runtime.plain import from_plain, to_plain

_WORD = 8


def to_bytes(values: list[Any], *, trusted: bool) -> bytes:
    """The values, one behind the other, each behind its length."""
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
