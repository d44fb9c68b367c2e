"""Bundles: the rows of a key as one binary value, so that an engine which moves single rows moves fewer rows and columns.

::

    k  ts  sum   n              k   bundle
    a  1   2.5   4              a   2 | ts 1 2 | sum 2.5 1.0 | n 4 3
    a  2   1.0   3        ->    b   1 | ts 1   | sum 7.0     | n 1
    b  1   7.0   1

Values of fixed width are stored as their bytes, texts and lists as their lengths and then their contents. For a nullable column a
byte per value comes first. Both sides know the types, so they are not stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._bundles import Parting, joined
from inwindow.runtime.reserved import PREFIX
from inwindow.windows.neighbours import changes

BUNDLE = f"{PREFIX}bundle"
_BYTES = 1 << 14  # the approximate size of a bundle: an engine may limit a batch by rows, whatever their size
Numbers = npt.NDArray[np.int64]
Part = tuple[npt.NDArray[np.uint8], Numbers]  # bytes, and the offsets of each bundle in them


@dataclass(frozen=True)
class Bundles:
    """How rows of a schema travel."""

    schema: pa.Schema
    keys: tuple[str, ...]  # columns with one value per bundle, which stay columns

    @property
    def sent(self) -> pa.Schema:
        return pa.schema([*(self.schema.field(name) for name in self.keys), pa.field(BUNDLE, pa.binary())])

    def opened_schema(self, sent: pa.Schema) -> pa.Schema:
        """The schema of the rows, with the keys in the types of ``sent``."""
        return pa.schema([sent.field(field.name) if field.name in self.keys else field for field in self.schema])

    def packed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Put adjacent rows with equal keys into a bundle, or into several if there are many."""
        keys = [rows.column(name) for name in self.keys]
        begins = np.flatnonzero(changes(keys, None)) if keys else np.zeros(1, dtype=np.int64)
        size = sum(rows.column(field.name).nbytes for field in self._inside)
        edges = np.append(_cut(begins, len(rows), max(_BYTES * len(rows) // max(size, 1), 1)), len(rows))
        first = pa.array(edges[:-1])
        counts = np.diff(edges).astype(np.int32).view(np.uint8)
        parts: list[Part] = [(counts, np.arange(len(edges)) * 4)]
        for field in self._inside:
            parts += _parts(rows.column(field.name), field.nullable, edges)
        return pa.RecordBatch.from_arrays([*(key.take(first) for key in keys), joined(parts)], schema=self.sent)

    def opened(self, sent: pa.RecordBatch) -> pa.RecordBatch:
        parting = Parting(sent.column(BUNDLE))
        counts = np.frombuffer(parting.take(np.full(sent.num_rows, 4)), np.int32).astype(np.int64)
        of = pa.array(np.repeat(np.arange(sent.num_rows), counts))
        columns = {name: sent.column(name).take(of) for name in self.keys}
        columns |= {field.name: _values(parting, field.type, field.nullable, counts) for field in self._inside}
        schema = self.opened_schema(sent.schema)
        return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)

    @property
    def _inside(self) -> list[pa.Field]:
        return [field for field in self.schema if field.name not in self.keys]


def _cut(begins: Numbers, rows: int, most: int) -> Numbers:
    """The starts, with more starts in between if two are further apart than that many rows."""
    counts = np.diff(np.append(begins, rows))
    pieces = -(-counts // most)
    number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)  # its number within the key
    return np.asarray(np.repeat(begins, pieces) + number * most)


# --- Into bytes ----------------------------------------------------------------------------------------------------


def _parts(values: pa.Array, nullable: bool, edges: Numbers) -> Iterator[Part]:
    """The bytes of values; the values between two edges belong to one bundle."""
    kind, is_ = values.type, pa.types
    if nullable:
        yield values.is_valid().to_numpy(zero_copy_only=False).view(np.uint8), edges
    if is_.is_null(kind):
        return
    if is_.is_map(kind):
        values, kind = values.cast(_entries(kind)), _entries(kind)
    if is_.is_boolean(kind):
        values, kind = values.cast(pa.uint8()), pa.uint8()
    if is_.is_struct(kind):
        for index, field in enumerate(kind):
            yield from _parts(values.field(index), field.nullable, edges)
    elif is_.is_list(kind) or is_.is_large_list(kind):
        offsets = _offsets(values)
        yield _lengths(offsets), edges * 4
        yield from _parts(values.values, kind.value_field.nullable, offsets[edges])
    elif _wide_offsets(kind) is not None:
        offsets = _offsets(values)
        yield _lengths(offsets), edges * 4
        yield _bytes(values.buffers()[2]), offsets[edges]
    else:
        width = kind.bit_width // 8
        yield _bytes(values.buffers()[1]), (edges + values.offset) * width


def _offsets(values: pa.Array) -> Numbers:
    width = np.int64 if _wide_offsets(values.type) else np.int32
    buffer = values.buffers()[1]
    if buffer is None or not buffer.size:
        return np.zeros(len(values) + 1, dtype=np.int64)
    return np.frombuffer(buffer, width, len(values) + 1, values.offset * width().itemsize).astype(np.int64)


def _wide_offsets(kind: pa.DataType) -> bool | None:
    """Whether the offsets of a type have 64 bits; None if it has no offsets."""
    is_ = pa.types
    if is_.is_large_string(kind) or is_.is_large_binary(kind) or is_.is_large_list(kind):
        return True
    return False if is_.is_string(kind) or is_.is_binary(kind) or is_.is_list(kind) else None


def _lengths(offsets: Numbers) -> npt.NDArray[np.uint8]:
    return np.diff(offsets).astype(np.int32).view(np.uint8)


def _bytes(buffer: pa.Buffer | None) -> npt.NDArray[np.uint8]:
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _entries(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("entries", pa.struct([kind.key_field, kind.item_field]), nullable=False))


# --- And back ------------------------------------------------------------------------------------------------------


def _values(parting: Parting, kind: pa.DataType, nullable: bool, counts: Numbers) -> pa.Array:
    """Read the next values of each bundle; ``counts`` says how many."""
    is_, rows = pa.types, int(counts.sum())
    valid = np.frombuffer(parting.take(counts), np.bool_) if nullable else None
    nulls = 0 if valid is None else rows - int(np.count_nonzero(valid))
    bitmap = pa.array(valid).buffers()[1] if nulls else None
    if is_.is_null(kind):
        return pa.nulls(rows)
    if is_.is_struct(kind):
        fields = [_values(parting, field.type, field.nullable, counts) for field in kind]
        return pa.Array.from_buffers(kind, rows, [bitmap], nulls, children=fields)
    if is_.is_boolean(kind):
        flags = np.frombuffer(parting.take(counts), np.bool_)
        return pa.Array.from_buffers(kind, rows, [bitmap, pa.array(flags).buffers()[1]], nulls)
    wide = False if is_.is_map(kind) else _wide_offsets(kind)
    if wide is None:
        return pa.Array.from_buffers(kind, rows, [bitmap, parting.take(counts * (kind.bit_width // 8))], nulls)
    lengths = np.frombuffer(parting.take(counts * 4), np.int32)
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    offsets = pa.py_buffer(ends if wide else ends.astype(np.int32))
    edges = np.concatenate([[0], np.cumsum(counts)])
    inner = np.diff(ends[edges])
    if is_.is_nested(kind):
        field = _entries(kind).value_field if is_.is_map(kind) else kind.value_field
        child = _values(parting, field.type, field.nullable, inner)
        return pa.Array.from_buffers(kind, rows, [bitmap, offsets], nulls, children=[child])
    return pa.Array.from_buffers(kind, rows, [bitmap, offsets, parting.take(inner)], nulls)
