"""Instants are the same in any zone: the type of an array under another one, over the same bytes.

Arrow casts no struct to another type in which a field that is never NULL has no value, and a NULL struct (the first tuple of
an empty frame) has none: so nothing is cast.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


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


def has_instants(kind: pa.DataType) -> bool:
    """Whether there are times with a zone in it, at any depth.

    >>> has_instants(pa.list_(pa.timestamp("us", "UTC"))), has_instants(pa.timestamp("us"))
    (True, False)
    """
    if pa.types.is_timestamp(kind):
        return kind.tz is not None
    if pa.types.is_dictionary(kind):
        return has_instants(kind.value_type)
    return any(has_instants(kind.field(number).type) for number in range(kind.num_fields))


def under(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The bytes of an array under a type that differs from its own in time zones."""
    return array if array.type == kind else pa.array(_Bytes(array, kind))


def table_under(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The same of a table; its columns in the order of the schema."""
    if table.schema.equals(schema):
        return table
    if {one.name: in_utc(one.type) for one in table.schema} != {one.name: in_utc(one.type) for one in schema}:
        raise ValueError(f"a table has the columns {table.schema}, not {schema}")
    typed: Callable[[pa.Field], pa.ChunkedArray] = lambda one: pa.chunked_array(  # noqa: E731
        [under(chunk, one.type) for chunk in table.column(one.name).chunks], one.type
    )
    return pa.table([typed(one) for one in schema], schema=schema)


def _field(field: pa.Field) -> pa.Field:
    return field.with_type(in_utc(field.type))


@dataclass(frozen=True)
class _Bytes:
    """The bytes of an array under another type, by Arrow's protocol for arrays of others."""

    array: pa.Array
    kind: pa.DataType

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self.kind.__arrow_c_schema__(), self.array.__arrow_c_array__()[1]
