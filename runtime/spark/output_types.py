"""The types of results that go from Python to Spark: instants in UTC, times of the day in nanoseconds.

Spark would cast instants that are not in UTC, and accepts times of the day only in nanoseconds. So we give the result the type
that Spark expects; instants keep their bytes.
"""

import pyarrow as pa

from inwindow.native.instants import in_utc, retyped


def spark_batch(batch: pa.RecordBatch, full: frozenset[int] = frozenset()) -> pa.RecordBatch:
    """The batch for Spark; ``full`` are the positions of lists in which no value is NULL, as their type on Spark says.

    Where a struct of results has another type, Spark casts all of it, and Arrow cannot cast a NULL struct of fields that are
    never NULL.
    """
    columns = [_sent(column, at in full) for at, column in enumerate(batch.columns)]
    return pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])


def _sent(column: pa.Array, full: bool) -> pa.Array:
    kind = _with_nanoseconds(column.type)
    if kind != column.type:
        column = column.cast(kind)
    if full and not pa.types.is_null(kind.value_type):
        kind = pa.list_(kind.value_field.with_nullable(False))
    return retyped(column, in_utc(kind))


def _with_nanoseconds(kind: pa.DataType) -> pa.DataType:
    """The type with times of the day in nanoseconds, and without the number of digits of a TIME."""
    if pa.types.is_time(kind):
        return pa.time64("ns")
    if pa.types.is_map(kind):
        return pa.map_(_with_nanoseconds(kind.key_type), _field(kind.item_field))
    if pa.types.is_list(kind):
        return pa.list_(_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_field(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([_field(one) for one in kind])
    return kind


def _field(its: pa.Field) -> pa.Field:
    plain = its.remove_metadata() if pa.types.is_time(its.type) else its
    return plain.with_type(_with_nanoseconds(its.type))
