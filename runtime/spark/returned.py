"""What goes back from Python to Spark: columns known by their positions, instants in UTC, times of the day in nanoseconds.

Spark takes a result in UTC, and casts what is not; and no times of the day but in nanoseconds. Arrow casts no struct to another
type in which a field that is never NULL has no value, and a NULL struct (the first tuple of an empty frame) has none: so the result
has the type that Spark expects, over the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


def returned(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch for Spark."""
    columns = [_as(column, in_utc(column.type)) for column in map(_in_nanoseconds, batch.columns)]
    return pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])


def _in_nanoseconds(column: pa.Array) -> pa.Array:
    kind = _with_nanoseconds(column.type)
    return column if kind == column.type else column.cast(kind)


def _with_nanoseconds(kind: pa.DataType) -> pa.DataType:
    """The type with times of the day as Spark has them."""
    return _with(kind, lambda leaf: pa.time64("ns") if pa.types.is_time(leaf) else leaf)


def in_utc(kind: pa.DataType) -> pa.DataType:
    """The type with its instants in UTC: of the same bytes, for an instant is one in any zone.

    >>> in_utc(pa.list_(pa.timestamp("us", "Europe/Rome")))
    ListType(list<item: timestamp[us, tz=UTC]>)
    >>> in_utc(pa.timestamp("us"))
    TimestampType(timestamp[us])
    """
    return _with(kind, lambda leaf: pa.timestamp(leaf.unit, "UTC") if getattr(leaf, "tz", None) is not None else leaf)


def _with(kind: pa.DataType, made: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """The type with others in place of those that have none within."""

    def field(its: pa.Field) -> pa.Field:
        plain = its.remove_metadata() if pa.types.is_time(its.type) else its  # that says how many digits a TIME had
        return plain.with_type(_with(its.type, made))

    if pa.types.is_map(kind):
        return pa.map_(_with(kind.key_type, made), field(kind.item_field))
    if pa.types.is_list(kind):
        return pa.list_(field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(field(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([field(one) for one in kind])
    return made(kind)


def _as(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return array if array.type.equals(kind, check_metadata=True) else pa.array(_Bytes(array, kind))


@dataclass(frozen=True)
class _Bytes:
    """The bytes of an array under another type, by Arrow's protocol for arrays of others."""

    array: pa.Array
    kind: pa.DataType

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self.kind.__arrow_c_schema__(), self.array.__arrow_c_array__()[1]
