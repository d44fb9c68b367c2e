"""Put columns into an order, slice by slice, and put the results of each slice back into the order of arrival.

A slice is sorted just before it is used: so it stays in the cache, and there is no sorted copy of the whole table.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._moving import Back, has_one_width, taken
from inwindow.native.dictionaries import plain

Rows = npt.NDArray[np.int64]
_MOST = np.iinfo(np.int32).max  # bytes of texts that 32-bit offsets can address


def in_one_piece(column: pa.ChunkedArray) -> pa.Array:
    """The column in one piece; texts of more than 2 GB get the large layout."""
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = plain(column)  # chunks may have different dictionaries, which Arrow cannot always unify
    if column.nbytes > _MOST and (pa.types.is_string(column.type) or pa.types.is_binary(column.type)):
        column = column.cast(pa.large_string() if pa.types.is_string(column.type) else pa.large_binary())
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


def moved(values: pa.Array, rows: Rows) -> pa.Array:
    return taken(values, rows) if has_one_width(values.type) else values.take(pa.array(rows))


def slices(table: pa.Table, order: Rows | None, size: int) -> Iterator[pa.RecordBatch]:
    """The table in an order (None: as it is), cut into batches; one empty batch if it is empty."""
    columns = [in_one_piece(column) for column in table.columns]
    for start in range(0, max(len(table), 1), size):
        if order is None:
            pieces = [column.slice(start, size) for column in columns]
        else:
            pieces = [moved(column, order[start : start + size]) for column in columns]
        yield pa.record_batch(
            [_as(piece, field.type) for piece, field in zip(pieces, table.schema, strict=True)], schema=table.schema
        )


def inverse(order: Rows) -> Rows:
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return back


class ByArrival:
    """Collects columns of results in the order of arrival; rows may come in any order, each once."""

    def __init__(self, schema: pa.Schema, rows: int) -> None:
        self.schema = schema
        kinds = [Back if has_one_width(field.type) else Pieces for field in schema]
        self.columns: list[Back | Pieces] = [kind(field.type, rows) for kind, field in zip(kinds, schema, strict=True)]

    def put(self, batch: pa.RecordBatch, rows: Rows) -> None:
        for column, values in zip(self.columns, batch.columns, strict=True):
            column.put(values, rows)

    def table(self) -> pa.Table:
        return pa.Table.from_arrays([column.column() for column in self.columns], schema=self.schema)


class Pieces:
    """A column whose values have any length: kept as they come, and sorted at the end."""

    def __init__(self, kind: pa.DataType, rows: int) -> None:
        self.kind = kind
        self.values: list[pa.Array] = []
        self.rows: list[Rows] = []

    def put(self, values: pa.Array, rows: Rows) -> None:
        self.values.append(values)
        self.rows.append(rows)

    def column(self) -> pa.Array:
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *self.rows])
        return in_one_piece(pa.chunked_array(self.values, self.kind)).take(pa.array(inverse(rows)))


def _as(values: pa.Array, kind: pa.DataType) -> pa.Array:
    return values if values.type == kind else values.cast(kind)
