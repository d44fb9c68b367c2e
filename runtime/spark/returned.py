"""What goes back from Python to Spark: columns known by their positions, instants in UTC.

Spark takes a result in UTC, and casts what is not. Arrow casts no struct to another type in which a field that is never NULL has no
value, and a NULL struct (the first tuple of an empty frame) has none: so the result has the type that Spark expects, over the
same bytes.
"""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa


def returned(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch for Spark."""
    columns = [_as(column, in_utc(column.type)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])


def in_utc(kind: pa.DataType) -> pa.DataType:
    """The type with its instants in UTC: of the same bytes, for an instant is one in any zone.

    >>> in_utc(pa.list_(pa.timestamp("us", "Europe/Rome")))
    ListType(list<item: timestamp[us, tz=UTC]>)
    >>> in_utc(pa.timestamp("us"))
    TimestampType(timestamp[us])
    """
    if pa.types.is_timestamp(kind):
        return kind if kind.tz is None else pa.timestamp(kind.unit, "UTC")
    if pa.types.is_map(kind):
        return pa.map_(in_utc(kind.key_type), _field(kind.item_field))
    if pa.types.is_list(kind):
        return pa.list_(_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_field(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([_field(field) for field in kind])
    return kind


def _field(field: pa.Field) -> pa.Field:
    return field.with_type(in_utc(field.type))


def _as(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return array if array.type == kind else pa.array(_Bytes(array, kind))


@dataclass(frozen=True)
class _Bytes:
    """The bytes of an array under another type, by Arrow's protocol for arrays of others."""

    array: pa.Array
    kind: pa.DataType

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self.kind.__arrow_c_schema__(), self.array.__arrow_c_array__()[1]
