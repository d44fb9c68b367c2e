"""Putting aggregates to work: ``with_columns``, ``select``, ``explain``, on whatever kind of data is given.

The result is of the same kind: a table gives a table, a reader gives a reader. Groups have a file of their own (`grouped.py`).
"""

from typing import Any, TypeVar

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.runtime import local
from inwindow.runtime.asked import named_aggregates, selected
from inwindow.runtime.grouped import Grouped
from inwindow.runtime.place import events_of, place_of
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError

Data = TypeVar("Data")  # a pyspark DataFrame (classic or Connect), pyarrow.Table or pyarrow.RecordBatchReader


def with_columns(data: Data, *applied: Applied, of: Any = None, hot_keys: Any = "auto", **named: Applied) -> Data:
    """The data with a column per aggregate; never changes the number of rows.

    Over a window with a slide, tuples that do not yield get NULL.

    With ``of=`` the aggregates are over *its* tuples, and the data only say where results are wanted: a row at time t
    gets what was known before t, and nothing at t or later (point in time). Keys and order columns have the same names in both.

    On a Spark DataFrame, ``hot_keys=`` says whether partitions that hold most of the tuples are cut into ranges, which run in
    parallel: where a sample is cheap (``"auto"``), after a sample in any case (``"sample"``), or not (``"off"``).

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
    named, hot_keys = or_column(named, "hot_keys", hot_keys, "auto")
    place = place_of(data, "with_columns", hot_keys)
    aggregates = named_aggregates(applied, named, "with_columns")
    if not aggregates:
        raise UsageError("with_columns() was given no aggregate: write with_columns(df, name=iw.avg('x').over(window))")
    place.check(place.replaced(aggregates), "with_columns")  # what a result replaces is there once
    if of is not None:
        events = events_of(place, of, "with_columns")
        at_points: Data = place.at_points(events, aggregates)
        return at_points
    for name, one in aggregates.items():
        _check_kept_rows(name, one)
    result: Data = place.with_columns(aggregates)
    return result


def select(data: Data, *items: Any, hot_keys: Any = "auto", **named: Any) -> Data:
    """Only the yield tuples (with a slide), emissions (hooks that return or yield) or expirations, and their columns.

    Items are column names, :func:`emitted_at` and aggregates, by position (with ``alias``) or by name; ``"*"`` is all columns.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3, 4, 5], "price": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> iw.select(table, "ts", total=iw.sum("price").over(iw.rows(4, slide=2))).to_pydict()
    {'ts': [2, 4], 'total': [3.0, 10.0]}
    """
    named, hot_keys = or_column(named, "hot_keys", hot_keys, "auto")
    return selected(place_of(data, "select", hot_keys), items, named)


def explain(data: Any, *applied: Applied, of: Any = None, hot_keys: Any = "auto", **named: Applied) -> Explanation:
    """What each expression would do on the data: the strategy, why, why not the others, time and memory per tuple.

    With ``hot_keys=`` as for :func:`with_columns`, which takes a sample of a DataFrame where that would.

    Of groups, ``explain(iw.group_by(...).window(...), n=...)`` says what their ``agg(n=...)`` would do; with ``of=``, what
    :func:`with_columns` would do with it.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 2.0]})
    >>> print(iw.explain(table, s=iw.sum("price").over(iw.rows(40000, slide=10000))))
    pass 1 of 1: no partitioning, arrival order; one aggregate
    <BLANKLINE>
      s = sum(price) (rows between 39999 preceding and current row slide 10000)
        strategy  pane-cascade
        why       `sum` has merge
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    5 partials
        runs      native kernel
        result    double
    <BLANKLINE>
    local: a table is sorted once per pass and fed in slices; a reader must come sorted
    """
    named, of = or_column(named, "of", of, None)
    named, hot_keys = or_column(named, "hot_keys", hot_keys, "auto")
    expressions = named_aggregates(applied, named, "explain")
    if not expressions:
        given = "no data" if isinstance(data, Applied) else "no aggregate"
        raise UsageError(f"explain() was given {given}: write explain(df, name=iw.avg('x').over(window))")
    if isinstance(data, Grouped):
        if of is not None:
            raise UsageError(
                "explain(of=...): groups are not evaluated at the rows of another table: drop of=, or group_by"
            )
        return data.place.explain_groups(data.keys, data.extent, expressions, data.order_by)
    place = local.Local(data) if isinstance(data, pa.Schema) else place_of(data, "explain", hot_keys)
    if of is not None:
        events = events_of(place, of, "explain")
        return place.explain_at_points(events, expressions)
    return place.explain(expressions)


def late(result: Any) -> Any:
    """The tuples that came behind the watermark, too late for a result on a stream: ESL's out-of-order stream.

    ``result`` is what :func:`with_columns`, :func:`select` or ``agg`` gave for a streaming DataFrame, or what was replayed. On
    Spark they are a streaming DataFrame of their own, with all columns of the stream. Written by a query of its own, which has
    micro-batches of its own, they are what is late there; in one query with the result, as in ``result.unionByName(late,
    allowMissingColumns=True)``, they are the tuples that have no row. A tuple without a time (NULL) is late, too.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 9]}), pa.table({"t": [12]}), pa.table({"t": [2, 14]})]
    >>> window = iw.range(5, order_by="t")
    >>> result = iw.testing.replay(batches, lambda df: iw.with_columns(df, n=iw.count().over(window)), delay=3)
    >>> iw.late(result).to_pydict()
    {'t': [2]}
    """
    from inwindow.runtime.stream.replay import Replayed

    if isinstance(result, Replayed):
        return pa.concat_tables(result.late)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.streams import late_tuples

        tuples = late_tuples(result)
        if tuples is not None:
            return tuples
    raise UsageError(
        f"late({type(result).__name__}): late tuples are those of a stream: give the very result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it"
    )


def or_column(named: dict[str, Any], option: str, given: Any, default: Any) -> tuple[dict[str, Any], Any]:
    """``of=`` is the other table, ``hot_keys=`` a word; but an aggregate is a result column that happens to be called so."""
    return ({**named, option: given}, default) if isinstance(given, Applied) else (named, given)


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
