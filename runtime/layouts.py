"""Texts and bytes have several layouts in Arrow (Polars uses large ones, pyarrow small ones). To compare two tables, use one."""

import pyarrow as pa

_LAYOUTS = {
    pa.large_string(): (pa.string(), pa.large_string(), pa.string_view()),
    pa.large_binary(): (pa.binary(), pa.large_binary(), pa.binary_view()),
}


def one_layout(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The common layout of two types that differ only in layout; None for all others."""
    for layout, layouts in _LAYOUTS.items():
        if one != other and one in layouts and other in layouts:
            return layout
    return None


def in_layouts_of(first: pa.Schema, table: pa.Table) -> pa.Table:
    """The table with its texts in the layouts of the columns with the same names in another table."""
    for at, field in enumerate(table.schema):
        where = first.get_field_index(field.name)
        if where >= 0 and one_layout(first.field(where).type, field.type) is not None:
            kind = first.field(where).type
            table = table.set_column(at, field.with_type(kind), table.column(at).cast(kind))
    return table
