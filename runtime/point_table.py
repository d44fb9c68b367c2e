"""Results at points in time, on Arrow tables: events and points are sorted together, and fed like any table."""

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from inwindow.native.dictionaries import plain, plain_type
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.points import plan_points
from inwindow.runtime.dictionaries import as_read, readable
from inwindow.runtime.expressions import compute_arguments
from inwindow.runtime.feed import ROW, Feed
from inwindow.runtime.layouts import one_layout
from inwindow.runtime.moving import ByArrival
from inwindow.runtime.ordering import Arranged, permutation
from inwindow.runtime.point_operator import EveryPoint
from inwindow.runtime.progress import Run
from inwindow.runtime.reserved import EVENT
from inwindow.udaf.applied import Applied

_UNITS = ["s", "ms", "us", "ns"]


def results_at(points: pa.Table, events: pa.Table, applied: Mapping[str, Applied], run: Run) -> dict[str, pa.Array]:
    """A column per aggregate over the events, at the points."""
    named, computed = compute_arguments(applied)
    points, events = (_cast(table, _in_one_type(table.schema, (points, events), applied)) for table in (points, events))
    whole = computed.onto(events)
    results: dict[str, pa.ChunkedArray] = {}
    passes = plan_points(readable(points.schema), readable(whole.schema), named)
    run.passes = len(passes)
    for work in passes:
        both = _together(points, whole, work)
        # The sort is stable and points come before the events, so only the positions are needed.
        feed = Feed(EveryPoint(work, (ROW,)), both, run, Arranged(permutation(both, work), None))
        names = [step.name for step in work.steps]
        arrivals = ByArrival(pa.schema([feed.operator.schema.field(name) for name in names]), len(points))
        for batch in feed.batches():
            arrivals.put(batch.select(names), batch.column(ROW).to_numpy())
        given = arrivals.table()
        results |= dict(zip(names, given.columns, strict=True))
    return results


def _cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table, with columns cast whose types differ in the other schema."""
    for at, field in enumerate(schema):
        if field.type != table.schema.field(at).type:
            table = table.set_column(at, field, plain(table.column(at)).cast(field.type))
    return table


def _in_one_type(schema: pa.Schema, both: Iterable[pa.Table | pa.Schema], applied: Mapping[str, Applied]) -> pa.Schema:
    """The schema, with types in which its keys and order columns can be compared with those of the other table."""
    windows = [one.window for one in applied.values() if one.window is not None]
    one, other = (it if isinstance(it, pa.Schema) else it.schema for it in both)
    orders = {order.column for window in windows for order in window.order_by}
    for name in orders | {key for window in windows for key in window.partition_by}:
        if not isinstance(name, str) or one.names.count(name) != 1 or other.names.count(name) != 1:
            continue  # planning reports what is wrong
        kind = _common(*(plain_type(it.field(name).type) for it in (one, other)))
        if kind is not None:
            at = schema.get_field_index(name)
            schema = schema.set(at, schema.field(at).with_type(kind))
    return schema


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The finer unit of two timestamps (files have seconds, Python microseconds), or the common layout of two texts."""
    if pa.types.is_timestamp(one) and pa.types.is_timestamp(other) and one.tz == other.tz:
        return max(one, other, key=lambda kind: _UNITS.index(kind.unit))
    return one_layout(one, other)


def _together(points: pa.Table, events: pa.Table, work: Pass) -> pa.Table:
    """The numbered points, then the events, with the columns that the pass reads; NULL in columns that a side lacks.

    The sort is stable, so no point comes after an event of the same time.
    """
    needed = dict.fromkeys(work.position_columns)
    for step in work.steps:
        needed |= dict.fromkeys([*step.arguments, *([] if step.condition is None else [step.condition])])
    named = as_read(points.select(list(dict.fromkeys(work.position_columns))), work.position_columns)
    named = named.append_column(EVENT, pa.array(np.zeros(len(points), dtype=np.int8)))
    tuples = as_read(events.select(list(needed)), needed).append_column(
        EVENT, pa.array(np.ones(len(events), dtype=np.int8))
    )
    named = named.append_column(ROW, pa.array(np.arange(len(points))))
    return pa.concat_tables(
        [named.replace_schema_metadata(), tuples.replace_schema_metadata()], promote_options="default"
    )


def plan_at(points: pa.Schema, events: pa.Schema, applied: Mapping[str, Applied]) -> tuple[list[Pass], str]:
    """The passes over events at the points, and where they run."""
    named, computed = compute_arguments(applied)
    place = "local, at points in time: both tables are sorted together once per pass; results at the rows of the first alone"
    points, events = (_in_one_type(schema, (points, events), applied) for schema in (points, events))
    return plan_points(readable(points), computed.schema(events), named), place
