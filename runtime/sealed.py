"""The sealed bytes of a state: what kind of state it is, the version that wrote it, and a checksum over everything.

::

    inwindow FF | s 7 | checksum, 16 bytes | content

All this is checked before anything is read. The checksum finds accidental changes by a disk, a copy or an editor. It is not secret:
anybody can make bytes that pass. Even then the bytes are only data, except for pickles (`state_bytes.py`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from inwindow.udaf.errors import InWindowError, StateError

VERSION = 7
_READ = (6, 7)  # 6: as 7, but all keys in the head; states of each version are kept in tests/stream/kept
_MAGIC = b"inwindow\xff"
_SIZE = 16
_AT = len(_MAGIC) + 2
_NAMES = {b"s": "a bucket of a stream", b"c": "a chunk of a stream's bucket", b"o": "an operator"}
STREAM, CHUNK, OPERATOR = _NAMES


def sealed(kind: bytes, *content: bytes) -> bytes:
    head = _MAGIC + kind + bytes([VERSION])
    return b"".join([head, _checksum(head, *content), *content])


def checksum_of(state: bytes) -> bytes:
    return state[_AT : _AT + _SIZE]


def opened(kind: bytes, state: Any) -> bytes:
    """The content of a sealed state of this kind; a StateError for anything else."""
    if not isinstance(state, (bytes, bytearray, memoryview)):
        raise StateError(f"a state of inwindow is bytes, not {type(state).__name__}")
    state = bytes(state)
    if state[: len(_MAGIC)] != _MAGIC:
        if state[:8] == _MAGIC[:8] and state[12:13] == b"{":
            raise StateError(_of_version("an earlier version"))
        raise StateError(f"this is not the state of {_NAMES[kind]} of inwindow: it begins with {state[:8]!r}")
    of, version = state[_AT - 2 : _AT - 1], state[_AT - 1 : _AT]
    if version not in [bytes([one]) for one in _READ]:
        raise StateError(_of_version(f"version {version[0]}") if version else _DAMAGED)
    content = state[_AT + _SIZE :]
    if checksum_of(state) != _checksum(state[:_AT], content):
        raise StateError(_DAMAGED)
    if of != kind:
        raise StateError(f"this is the state of {_NAMES.get(of, 'something else')}, not of {_NAMES[kind]}")
    return content


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors in the block into a StateError: the checksum is right, but the content is not a state."""
    try:
        yield
    except InWindowError:
        raise
    except Exception as error:
        raise StateError(f"{_DAMAGED} ({type(error).__name__}: {error})") from None


@contextmanager
def going_on(is_restored: bool) -> Iterator[None]:
    """What is raised within, after a state was read, may come from bytes that somebody forged: they are data like any other."""
    try:
        yield
    except (InWindowError, MemoryError, OSError):
        raise
    except Exception as error:
        if not is_restored:
            raise
        raise StateError(
            f"this state cannot be gone on from ({type(error).__name__}: {error}): its checksum fits, so either somebody made or "
            "changed its bytes, or this is a defect of inwindow: begin anew from a new checkpoint, and report it"
        ) from error


_DAMAGED = (
    "the bytes of this state are not those that were written: they have been changed, or cut off; go on from a copy "
    "(an earlier checkpoint, another replica), or begin anew"
)


def _of_version(said: str) -> str:
    return (
        f"the state in this checkpoint is of {said}, but this inwindow reads versions {_READ[0]} to {VERSION}: go on with the "
        "inwindow that wrote it, or start from a new checkpoint"
    )


def _checksum(*pieces: bytes) -> bytes:
    made = blake2b(digest_size=_SIZE)
    for piece in pieces:
        made.update(piece)
    return made.digest()
