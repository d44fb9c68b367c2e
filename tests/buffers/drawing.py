"""Columns as nobody makes them on purpose: drawn from a seed, then damaged in one place or two, or none.

A plain column becomes slices of longer arrays, in chunks of which some are empty, with values under the NULLs, with bitmaps where
nothing is NULL, in the types that are unpacked first; its buffers begin anywhere. All that is valid, and is to give what the same
values give in a plain array. Damage is an offset, an index, a length, a count, a buffer that is too short or is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.testing.fuzz.draw import Draw

from .parts import Parts, made, parts_of

ROWS = 9
_TEXTS = ["", "a", "b", "bb", "é日本", "a text that is longer than a view holds", None]
_ENDS = [2**63 - 1, -(2**63), 0, -1, 7, None]
_DAYS = [datetime(2026, 3, 1) + timedelta(days=day) for day in range(4)]
_INT = pa.int64()


class Named(pa.ExtensionType):
    """Texts under a name of their own."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "inwindow.tests.named")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> "Named":
        return cls()


_POOLS: list[tuple[Callable[[], pa.DataType], list[Any]]] = [
    (pa.string, _TEXTS), (pa.large_string, _TEXTS), (pa.string_view, _TEXTS), (pa.binary, [b"", b"\xff\x00", b"a", None]),
    (lambda: pa.binary(3), [b"abc", b"abd", b"\0\0\0", None]), (pa.int8, [1, -128, 127, None]), (pa.int32, [1, 2, -5, None]),
    (pa.int64, [1, 2, 3, None]), (pa.int64, _ENDS), (pa.uint64, [0, 1, 2**64 - 1, None]), (pa.bool_, [True, False, None]),
    (pa.float32, [1.5, -0.0, float("nan"), None]), (pa.float64, [1.5, 2.5, float("inf"), float("nan"), None]),
    (lambda: pa.decimal128(38, 2), [Decimal("1.25"), Decimal("-9"), Decimal(10) ** 35, None]),
    (lambda: pa.decimal128(9, 2), [Decimal("1.25"), Decimal("-9"), None]),
    (lambda: pa.decimal256(60, 2), [Decimal(1), Decimal(2), None]), (lambda: pa.timestamp("us"), [*_DAYS, None]),
    (lambda: pa.timestamp("ns", "Europe/Berlin"), _ENDS), (lambda: pa.timestamp("s"), _ENDS),
    (pa.date32, [day.date() for day in _DAYS]), (lambda: pa.duration("ms"), _ENDS),
    (lambda: pa.time64("us"), [0, 1, 10**6, None]), (lambda: pa.list_(pa.int64()), [[1, 2], [], [3, None], None]),
    (lambda: pa.large_list(pa.string()), [["a", "bb"], [], None]),
    (lambda: pa.list_(pa.float64(), 2), [[1.0, 2.0], [3.0, None], None]),
    (lambda: pa.list_view(pa.int64()), [[1, 2], [], None]),
    (lambda: pa.struct([("a", pa.int64()), ("b", pa.string())]), [{"a": 1, "b": "x"}, {"a": None, "b": None}, None]),
    (lambda: pa.map_(pa.string(), pa.int64()), [[("a", 1)], [], [("b", 2), ("c", None)], None]),
    (lambda: pa.dictionary(pa.int8(), pa.string()), _TEXTS), (lambda: pa.dictionary(pa.int32(), pa.int64()), [5, 6, None]),
    (lambda: pa.list_(pa.dictionary(pa.int8(), pa.string())), [["a", "b"], [], [None], None]),
    (lambda: pa.run_end_encoded(pa.int32(), pa.int64()), [1, 1, 1, 2, None]),
    (lambda: pa.run_end_encoded(pa.int16(), pa.string()), _TEXTS), (pa.null, [None]), (Named, _TEXTS),
]  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """A column of ``ROWS`` rows, the same values in a plain array, and what was damaged."""

    odd: pa.ChunkedArray
    plain: pa.ChunkedArray
    damage: list[str]

    @property
    def is_valid(self) -> bool:
        """Whether Arrow's full validation finds nothing."""
        try:
            self.odd.validate(full=True)
        except (pa.ArrowException, UnicodeDecodeError):
            return False
        return True


def column(draw: Draw) -> Drawn:
    """A column; pyarrow's own error where it refuses to make it."""
    kind, pool = draw.one(_POOLS)
    cuts = sorted(draw.below(ROWS + 1) for _ in range(draw.one([0, 0, 1, 3])))
    chunks, plain, damage, edges = [], [], [], [0, *cuts, ROWS]
    hurt = draw.below(2 * len(edges))  # which chunk, if any
    for at, (first, last) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        chunk, values = _sliced(draw, kind(), pool, last - first)
        plain += values
        if draw.once_in(2) or at == hurt:
            parts = parts_of(chunk)
            _made_odd(draw, parts)
            if at == hurt:
                damage += [_damaged(draw, draw.one(_fragile(parts))) for _ in range(draw.between(1, 2))]
            chunk = made(parts)
        chunks.append(chunk)
    odd = pa.chunked_array(chunks, kind())
    return Drawn(odd, pa.chunked_array([_of(plain, kind())]), damage)


def _sliced(draw: Draw, kind: pa.DataType, pool: list[Any], rows: int) -> tuple[pa.Array, list[Any]]:
    """Values drawn, as a slice of more of them; and those of the slice."""
    before, behind = draw.one([0, 0, 1, 5, 9]), draw.one([0, 0, 2])
    values = [draw.one(pool) for _ in range(before + rows + behind)]
    if draw.once_in(3) and any(value is not None for value in values):
        values = [next(one for one in values if one is not None) if value is None else value for value in values]
    return _of(values, kind).slice(before, rows), values[before : before + rows]


def _of(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_run_end_encoded(kind):
        return pc.run_end_encode(pa.array(values, kind.value_type), kind.run_end_type)
    if isinstance(kind, Named):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, pa.string()))
    if pa.types.is_temporal(kind) and any(isinstance(value, int) for value in values):
        return pa.array(values, _INT).view(kind)
    return pa.array(values, kind)


# --- Valid, and odd ------------------------------------------------------------------------------------------------


def _made_odd(draw: Draw, parts: Parts) -> None:
    """Buffers that begin anywhere, bitmaps for nothing, and values under the NULLs."""
    for one in _fragile(parts):
        if draw.once_in(3):
            one.shifts = [draw.one([0, 1, 4, 8]) for _ in one.shifts]
        if draw.once_in(3):
            one.null_count = -1  # to be counted
        if draw.once_in(3) and one.buffers and one.buffers[0] is None and _may_have_bitmap(one.type):
            one.buffers[0] = b"\xff" * ((one.length + one.offset + 7) // 8)
        if draw.once_in(3) and len(one.buffers) == 2 and not pa.types.is_nested(one.type) and one.dictionary is None:
            _fill_nulls(draw, one)
        if not one.length and not one.offset and not _is_view(one.type) and draw.once_in(2):
            one.buffers = [None for _ in one.buffers]


def _fragile(parts: Parts) -> list[Parts]:
    """All parts but the entries of maps: pyarrow aborts the process where they have NULLs."""
    return [one for one in parts.all() if not (pa.types.is_map(parts.type) and pa.types.is_struct(one.type))]


def _may_have_bitmap(kind: pa.DataType) -> bool:
    is_ = pa.types
    return not (is_.is_null(kind) or is_.is_union(kind) or is_.is_run_end_encoded(kind))


def _is_view(kind: pa.DataType) -> bool:
    return kind in (pa.string_view(), pa.binary_view())  # pyarrow crashes where it has no buffers


def _fill_nulls(draw: Draw, parts: Parts) -> None:
    bitmap, data = parts.buffers
    width = 0 if pa.types.is_boolean(parts.type) or pa.types.is_null(parts.type) else parts.type.bit_width // 8
    if bitmap is None or data is None or not width:
        return
    valid, content = np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little"), bytearray(data)
    for row in range(len(content) // width):
        if row < len(valid) and not valid[row]:
            content[row * width : (row + 1) * width] = bytes(draw.below(256) for _ in range(width))
    parts.buffers[1] = bytes(content)


# --- Damaged -------------------------------------------------------------------------------------------------------


def _damaged(draw: Draw, parts: Parts) -> str:
    """Change one thing; what it was, in words."""
    changes = [_word, _word, _word, _cut, _absent, _length, _offset, _count]
    change = draw.one(changes)
    return f"{parts.type}: {change(draw, parts)}"


def _word(draw: Draw, parts: Parts) -> str:
    """A number among offsets, indices, sizes, run ends: or bytes of values."""
    some = [at for at, content in enumerate(parts.buffers) if content and at]
    if not some:
        return "nothing"
    at = draw.one(some)
    content = bytearray(parts.buffers[at] or b"")
    width = draw.one([one for one in (1, 2, 4, 8) if one <= len(content)])
    place = width * draw.below(len(content) // width)
    ends = [
        -1,
        -2,
        0,
        1,
        2,
        3,
        100,
        2 ** (8 * width - 1) - 1,
        -(2 ** (8 * width - 1)),
        2 ** (4 * width),
        draw.below(100),
    ]
    value = draw.one(ends)
    content[place : place + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
    parts.buffers[at] = bytes(content)
    return f"{value} in bytes {place} to {place + width} of buffer {at}"


def _cut(draw: Draw, parts: Parts) -> str:
    some = [at for at, content in enumerate(parts.buffers) if content]
    if not some:
        return "nothing"
    at = draw.one(some)
    kept = draw.below(len(parts.buffers[at] or b""))
    parts.buffers[at] = (parts.buffers[at] or b"")[:kept]
    return f"buffer {at} has {kept} bytes"


def _absent(draw: Draw, parts: Parts) -> str:
    at = draw.below(max(len(parts.buffers), 1))
    if parts.buffers and not _is_view(parts.type):
        parts.buffers[at] = None
    return f"buffer {at} is absent"


def _length(draw: Draw, parts: Parts) -> str:
    parts.length = draw.one([2**40, 2**31, 2**62, parts.length + 1, parts.length + 8, -1, 0])
    return f"length {parts.length}"


def _offset(draw: Draw, parts: Parts) -> str:
    # None below zero: pyarrow 26 itself crashes on them, when it makes or validates the array.
    parts.offset = draw.one([2**40, 2**62, parts.offset + 1, parts.offset + 8, 0])
    return f"offset {parts.offset}"


def _count(draw: Draw, parts: Parts) -> str:
    parts.null_count = draw.one([0, 1, parts.length, parts.length + 5])
    return f"null count {parts.null_count}"
