"""Check that the columns of a plan exist and can be compared; an error names the closest column."""

import difflib
import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import UnknownColumnError, UsageError
from inwindow.udaf.unpacked import has_union
from inwindow.windows.neighbours import is_comparable, is_sortable
from inwindow.windows.spec import Order

_LISTED = 20  # columns that a message lists


def check_position_columns(schema: pa.Schema, keys: Iterable[Any], order_by: Iterable[Order], where: str) -> None:
    """Check that the position columns exist, and that their values can be compared."""
    orders = [order.column for order in order_by]
    for column in (*keys, *orders):
        if not isinstance(column, str):
            raise UsageError(f"{where}: {column} is a {type(column).__name__}; on local data use a column name")
    check_columns(schema, (*keys, *orders), where)
    for columns, verb, possible in ((keys, "partition", is_comparable), (orders, "order", is_sortable)):
        for column in columns:
            kind = schema.field(column).type
            if not possible(kind):
                raise UsageError(f"{where}: cannot {verb} by {column!r} of type {kind}: {_castable(kind)}")


def check_values(schema: pa.Schema, columns: Iterable[str], label: str) -> None:
    """Check that the values of each argument have one type."""
    for column in columns:
        kind = schema.field(column).type
        if has_union(kind):
            raise UsageError(
                f"{label}: the argument {column!r} holds values of several types, {kind}, among which Arrow marks no NULL: "
                f"{_castable(kind)}"
            )


def _castable(kind: pa.DataType) -> str:
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "pandas.period":
            return "make timestamps of it, with .dt.to_timestamp()"
        return f"cast it to what it stores, {kind.storage_type}"
    if has_union(kind):
        return "give the values of one type as a column, such as table['c'].combine_chunks().field(0)"
    return "cast it, or give another column"


def check_columns(schema: pa.Schema, columns: Iterable[str], where: str) -> None:
    """Check that each column exists exactly once; an error names the closest column."""
    for column in columns:
        if schema.get_field_index(column) < 0:
            present = schema.names.count(column)
            if present > 1:
                raise UnknownColumnError(f"{where}: the column {column!r} is there {present} times; rename them apart")
            raise UnknownColumnError(f"{where}: there is no column {column!r}; {instead(column, schema.names)}")


def instead(name: str, names: list[str]) -> str:
    """A hint for an unknown name: the closest of the known names."""
    plain = name.removeprefix("-").removesuffix(" desc").removesuffix(" DESC")
    if plain != name and plain in names:
        return f"for a descending order write iw.desc({plain!r})"
    if any(sign in name for sign in "=<>*+/(") and any(word in names for word in re.findall(r"\w+", name)):
        return "a string names a column: write an expression as pyarrow.compute.field('a') * 2, on Spark F.col('a') * 2"
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    if not names:
        return "there are none at all"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"there are {', '.join(map(repr, names[:_LISTED]))}{more}"
