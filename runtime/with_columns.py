"""``with_columns``: add a column per aggregate, with a result for every row."""

from collections.abc import Sequence
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.stream import plan_stream
from inwindow.runtime.call_arguments import named_aggregates, or_column
from inwindow.runtime.failed import run_guarded
from inwindow.runtime.lateness import lateness_of
from inwindow.runtime.operations import carried_out
from inwindow.runtime.places import HotKeys, check_hot_keys, events_of, place_of
from inwindow.runtime.query import Part, Query, Verb
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.stream.row_bucket import RowBucket
from inwindow.runtime.valid import ValidAtPoints, check_hooks_end, valid_window
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError
from inwindow.udaf.failures import OnErrorMode, failures_of

Data = TypeVar("Data")  # a pyspark DataFrame (classic or Connect), pyarrow.Table or pyarrow.RecordBatchReader


class EveryRow(Part):
    """A row per tuple; NULL where a tuple does not yield."""

    def operator(self, schema: pa.Schema) -> WithColumns:
        return WithColumns(self.work, schema, self.passed)

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> RowBucket:
        return RowBucket(self.work, schema, self.passed, every_row=True, zone=zone)


class AddingColumns(Verb):
    """Aggregates over any number of partitionings and orders."""

    rows = "every tuple"

    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        return plan_windows(schema, query.aggregates, **planning)

    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        return plan_stream(schema, query.aggregates, query.where, **planning)

    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> EveryRow:
        return EveryRow(work, tuple(passed))


WITH_COLUMNS = AddingColumns()


@says_what_it_takes
def with_columns(
    data: Data,
    *applied: Applied,
    of: Any = None,
    hot_keys: HotKeys | Applied = "auto",
    on_error: OnErrorMode | Applied = "fail",
    allowed_lateness: Any = None,
    **named: Applied,
) -> Data:
    """The data with a column per aggregate; the number of rows never changes.

    Over a window with a slide, tuples that do not yield get NULL.

    With ``of=`` the aggregates run over *its* tuples, and the data only say where results are wanted: a row at time t sees the
    tuples before t, and none at t or later (point in time). Keys and order columns have the same names in both.

    On a Spark DataFrame, ``hot_keys=`` says whether partitions with most of the tuples are cut into shards, which run in
    parallel: if a sample is cheap (``"auto"``), after a sample in any case (``"sample"``), or never (``"off"``).

    ``on_error=`` says what happens if a hook of a class of yours raises: the call ends with an error (``"fail"``), the tuple is
    left out of that aggregate (``"skip"``), or that and :func:`inwindow.failed` has it (``"collect"``).

    On a stream, ``allowed_lateness="5 minutes"`` takes tuples that are up to so far behind the watermark: rows that they change
    come again, with ``iw_row``, ``iw_revision`` and ``iw_withdrawn`` to merge by. On batch data it has no effect.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a"], "price": [1.0, 5.0, 3.0]})
    >>> window = iw.rows(2, partition_by="item")
    >>> iw.with_columns(table, avg2=iw.avg("price").over(window), hi=iw.max("price").over(window)).to_pydict()
    {'item': ['a', 'b', 'a'], 'price': [1.0, 5.0, 3.0], 'avg2': [1.0, 5.0, 2.0], 'hi': [1.0, 5.0, 3.0]}
    >>> labels = pa.table({"user": ["ann", "ann", "bob"], "ts": [5, 9, 9]})
    >>> clicks = pa.table({"user": ["ann", "ann", "ann"], "ts": [1, 4, 5], "price": [1.0, 3.0, 8.0]})
    >>> window = iw.range(5, partition_by="user", order_by="ts")
    >>> iw.with_columns(labels, spent=iw.sum("price").over(window), of=clicks)["spent"].to_pylist()
    [4.0, 11.0, None]
    """
    named, of = or_column(named, "of", of, None)
    named, search = or_column(named, "hot_keys", hot_keys, "auto")
    named, on_error = or_column(named, "on_error", on_error, "fail")
    named, lateness = or_column(named, "allowed_lateness", allowed_lateness, None)
    check_hot_keys(search, "with_columns")
    failures, bound = failures_of(on_error, "with_columns"), lateness_of(lateness, "with_columns")
    place = place_of(data, "with_columns")
    aggregates = named_aggregates(applied, named, "with_columns")
    if not aggregates:
        raise UsageError("with_columns() was given no aggregate: write with_columns(df, name=iw.avg('x').over(window))")
    place.check(place.replaced(aggregates), "with_columns")  # a column that a result replaces must be unique
    valid = None if of is None else valid_window(aggregates)
    if valid is not None:
        check_hooks_end(failures, "with_columns")
        held: Data = carried_out(ValidAtPoints(valid, tuple(aggregates.items())), data, of)
        return held
    if of is not None:
        of = events_of(place, of, "with_columns")
    else:
        for name, one in aggregates.items():
            _check_kept_rows(name, one)
    query = Query(WITH_COLUMNS, "with_columns", aggregates, of=of, hot_keys=search, lateness=bound)
    result: Data = run_guarded(place, query, failures)
    return result


def _check_kept_rows(name: str, one: Applied) -> None:
    if one.window is not None and one.window.active_expiration:
        raise UsageError(
            f"{name}={one.label}: active expiration emits when tuples leave, not when they arrive: use iw.select"
        )
    if one.traits.emits_many:
        raise UsageError(
            f"{name}={one.label}: {one.traits.name} yields any number of values per tuple, but with_columns keeps the "
            "number of rows: use iw.select, or return a list"
        )
