"""Rewrite a query over column names only: its expressions become columns of the data that can cross to Python."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from inwindow.runtime.query import Query
from inwindow.runtime.reserved import STREAM_ROW
from inwindow.runtime.spark.columns import Columns
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import BuiltIn
from inwindow.windows.own_ends import own_columns
from inwindow.windows.spec import Extent, Hop


def over_names(columns: Columns, query: Query) -> Query:
    """The query with the plan's names."""
    passed = {title: columns.name(source, query.where) for title, source in query.passed.items()}
    if query.verb.rows != "groups":
        return query.over(named_only(columns, query.aggregates), passed=passed)
    extent = query.extent
    if isinstance(extent, Hop) and extent.scope == "stream" and not columns.df.isStreaming:
        extent = _numbered_stream(columns, extent)
    keys = tuple(columns.place(key, "group_by") for key in query.keys)
    orders = columns.orders(query.order_by, "group_by")
    if extent is not None:
        for name in (extent.on, *own_columns(extent)):
            columns.name(name, "window")
    columns.check_position_columns((*keys, *(order.column for order in orders)), "group_by")
    named = named_only(columns, query.aggregates)
    return query.over(named, keys=keys, order_by=orders, extent=extent)


def _numbered_stream(columns: Columns, extent: Hop) -> Extent:
    """For counts over the whole stream: replace the attribute by the row number in the order of ``on``."""
    F, Window = columns.session.F, columns.session.Window
    on = columns.column(columns.name(extent.on, "window"))
    number = F.row_number().over(Window.orderBy(on.asc_nulls_first())) - 1
    columns.add(STREAM_ROW, number.cast("bigint"))
    return replace(extent, on=STREAM_ROW, rows=False)


def named_only(columns: Columns, applied: Mapping[str, Applied]) -> dict[str, Applied]:
    """The aggregates over names only, after checking that Python can compare and compute with the columns."""
    named = columns.applied(applied)
    for one in named.values():
        compared = _compared(one)
        for at, column in enumerate(one.columns):
            columns.check_value(column, one.label)
            if at in compared:
                columns.check_compared(column, one.label)
        if one.window is not None:
            position_columns = (*one.window.partition_by, *(order.column for order in one.window.order_by))
            columns.check_position_columns(position_columns, f"the window of {one.label}")
    return named


# The arguments that built-ins compare with each other; hooks may compare as they like.
_COMPARED = {"min": 0, "max": 0, "min_by": 1, "max_by": 1, "mode": 0, "collect_set": 0, "frequent_items": 0}


def _compared(one: Applied) -> Collection[int]:
    name = one.traits.name if isinstance(one.aggregate, BuiltIn) else None
    if name == "count_distinct":
        return range(len(one.columns))
    return [_COMPARED[name]] if name in _COMPARED else []
