"""Unpack columns for computing: string views, run ends, list views, short decimals and unusual dictionaries.

Arrow has several representations of equal values, but can take, compare and join only the plain ones. So the user's columns are
unpacked first; plain columns are not touched.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.udaf.unpacked import unpacked_type


def unpacked(data: Any) -> Any:
    schema = unpacked_schema(data.schema)
    if schema.equals(data.schema):
        return data
    if isinstance(data, pa.RecordBatchReader):
        tables = (pa.Table.from_batches([batch]) for batch in data)
        return pa.RecordBatchReader.from_batches(
            schema, (b for table in tables for b in _table(table, schema).to_batches())
        )
    return _table(data, schema)


def unpacked_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.with_type(unpacked_type(field.type)) for field in schema], schema.metadata)


def empty_table(schema: pa.Schema) -> pa.Table:
    """A table without rows, of any types; Arrow's own function fails for unions and for lists of extension types."""
    return pa.Table.from_arrays([pa.chunked_array([], field.type) for field in schema], schema=schema)


def _table(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        pa.chunked_array([unpacked_array(chunk) for chunk in column.chunks], field.type)
        for column, field in zip(table.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def unpacked_array(values: pa.Array) -> pa.Array:
    """An array of the plain type.

    >>> unpacked_array(pc.run_end_encode(pa.array([7, 7, None]))).to_pylist()
    [7, 7, None]
    """
    is_, kind = pa.types, unpacked_type(values.type)
    if kind == values.type:
        return values
    if is_.is_run_end_encoded(values.type):
        return unpacked_array(pc.run_end_decode(values))
    if is_.is_dictionary(values.type):
        return unpacked_array(values.dictionary).take(values.indices)
    if is_.is_struct(kind):
        fields = [unpacked_array(values.field(at)) for at in range(kind.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=values.is_null())
    if is_.is_list(kind) or is_.is_large_list(kind):
        return _list(values, kind)
    if is_.is_map(kind):
        own, entries = values.buffers()[:2], unpacked_array(values.values)
        return pa.Array.from_buffers(kind, len(values), own, values.null_count, values.offset, children=[entries])
    return pc.cast(values, kind)


def _list(values: pa.Array, kind: pa.DataType) -> pa.Array:
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy()
    large = pa.types.is_large_list(kind)
    offsets = pa.array(np.append(0, np.cumsum(lengths)), pa.int64() if large else pa.int32())
    made = pa.LargeListArray if large else pa.ListArray
    return made.from_arrays(offsets, unpacked_array(values.flatten()), type=kind, mask=values.is_null())
