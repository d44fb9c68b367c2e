"""Streams written wrong: what has no result while tuples still come, and `replay`."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw
from inwindow.runtime.stream.replay import Replayed, replay

WINDOW = iw.range(5, partition_by="item", order_by="t")


def averages(df: Any, window: Any = WINDOW) -> Any:
    """A query."""
    return iw.with_columns(df, avg=MyAvg()("price").over(window))


def united(one: Any, other: Any) -> Any:
    """A query of two streams."""
    return averages(iw.union(one, other, order_by="t"))


COLUMNS = ", ".join(f"{field.name}: {field.type}" for field in TABLE.schema)


def over(window: Any) -> Callable[[], Replayed]:
    """A query over a window."""
    return lambda: replay([TABLE], lambda df: averages(df, window))


def counts(extent: Any) -> Callable[[], Replayed]:
    """A query of extents."""
    return lambda: replay([TABLE], lambda df: iw.group_by(df, "item").window(extent).agg(n=iw.count()))


class Session:
    """As far as ``iw.prometheus`` looks at a session before it listens."""

    streams = None


class Running:
    """As far as ``iw.metrics`` looks at a query."""

    recentProgress = ({"observedMetrics": {"inwindow_2": {"late_tuples": 1}}},)


def corrected(bound: Any, window: Any = WINDOW, table: Any = TABLE) -> Callable[[], Replayed]:
    """A query that takes tuples behind the watermark."""
    applied = MyAvg()("price").over(window)
    return lambda: replay([table], lambda df: iw.with_columns(df, avg=applied, allowed_lateness=bound))


def early_and_late(df: Any) -> Any:
    """Rows that are replaced before their window ends, and after it."""
    tumbles = iw.group_by(df, "item").window(iw.tumble("t", size=5), early=True)
    return tumbles.agg(n=iw.count(), allowed_lateness=2)


ROWS = [
    Bad(
        "a bound below zero",
        lambda: iw.group_by(TABLE, "item").window(iw.tumble("t", size=5)).agg(n=iw.count(), allowed_lateness=-1),
        iw.UsageError,
        "agg(allowed_lateness=-1): a tuple is late or it is not: give a bound of 0 or more, as in '5 minutes'",
    ),
    Bad(
        "a bound of months",
        lambda: iw.select(TABLE, "t", avg=MyAvg()("price").over(WINDOW), allowed_lateness="1 month"),
        iw.UsageError,
        "select(allowed_lateness='1 month'): months differ in length, so that the bound could go backwards: give days",
    ),
    Bad(
        "a bound in the order of arrival",
        corrected(5, iw.rows(5)),
        iw.UsageError,
        "with_columns(allowed_lateness=5): without order_by= tuples are taken as they arrive, and none is late: drop it",
    ),
    Bad(
        "a bound and early rows",
        lambda: replay([TABLE], early_and_late),
        iw.UsageError,
        "agg(allowed_lateness=2) with window(early=True): an early row is replaced before the window ends, a late tuple replaces "
        "rows after it: drop one of the two",
    ),
    Bad(
        "a column that a bound adds",
        corrected(5, table=TABLE.append_column("iw_row", TABLE["t"])),
        iw.UsageError,
        "with_columns(allowed_lateness=5): it adds the column 'iw_row', which is there already: rename that",
    ),
    Bad(
        "a bound in time over numbers",
        corrected("5 minutes"),
        iw.UsageError,
        "allowed_lateness is a time, 5 minutes, but the order column 't' is of type int64: give a number in the column's unit, or "
        "order by a timestamp or a date",
    ),
    Bad(
        "metrics of what is no query",
        lambda: iw.metrics(TABLE),
        iw.UsageError,
        "metrics('Table'): give the query that runs, query = result.writeStream...start()",
    ),
    Bad(
        "metrics of another result",
        lambda: iw.metrics(Running()),
        iw.UsageError,
        "metrics(name='inwindow'): the query has 'inwindow_2': give one of these as name=",
    ),
    Bad(
        "numbers of no session",
        lambda: iw.prometheus(TABLE, port=0),
        iw.UsageError,
        "prometheus('Table'): give the Spark session that runs the queries",
    ),
    Bad(
        "numbers for nobody",
        lambda: iw.prometheus(Session()),
        iw.UsageError,
        "prometheus(): say where Prometheus finds the numbers: path='/var/lib/node_exporter/inwindow.prom', or port=9108",
    ),
    Bad(
        "a file that the node exporter does not read",
        lambda: iw.prometheus(Session(), path="numbers.txt"),
        iw.UsageError,
        "prometheus(path='numbers.txt'): the node exporter reads files that end in .prom: name it such",
    ),
    Bad(
        "a folder that is not there",
        lambda: iw.prometheus(Session(), path="/no/such/folder/a.prom"),
        iw.UsageError,
        "prometheus(path='/no/such/folder/a.prom'): there is no such folder: make it first",
    ),
    Bad(
        "a port that is none",
        lambda: iw.prometheus(Session(), port=70000),
        iw.UsageError,
        "prometheus(port=70000): a port is a number from 0 (any that is free) to 65535",
    ),
    Bad(
        "a descending order",
        over(iw.range(5, order_by=iw.desc("t"))),
        iw.UsageError,
        "MyAvg(price) over (order by t desc range between 5 preceding and current row) on a stream is ordered "
        "downwards, but a stream comes upwards in time: order ascending, as in order_by='t'",
    ),
    Bad(
        "until the end of a stream",
        over(iw.range_between(None, None, order_by="t")),
        iw.UsageError,
        "MyAvg(price) over (order by t range between unbounded preceding and unbounded following) on a stream: "
        "UNBOUNDED FOLLOWING waits for the end of the stream, which never comes: end the frame at the current row "
        "or a distance after it, or use iw.group_by(...).window(...)",
    ),
    Bad(
        "two partitionings",
        lambda: replay(
            [TABLE],
            lambda df: iw.with_columns(df, a=iw.sum("n").over(WINDOW), b=iw.sum("n").over(iw.rows(5, order_by="t"))),
        ),
        iw.UsageError,
        "with_columns on a stream needs windows with the same partitioning and order, for each needs a state of "
        "its own; got sum(n) by item, t; sum(n) by t: start one query for each",
    ),
    Bad(
        "months",
        over(iw.range("1 month", order_by="ts")),
        iw.UsageError,
        "MyAvg(price) over (order by ts range between 1 month preceding and current row) on a stream reaches over "
        "months, which differ in length, so that frames could go backwards from batch to batch: give a size in "
        "days or less",
    ),
    Bad(
        "an order by text",
        over(iw.rows(5, order_by="item")),
        iw.UsageError,
        "with_columns on a stream: the order column 'item' is of type string; order by the event time, a timestamp"
        " with a watermark",
    ),
    Bad(
        "an order by a float",
        over(iw.rows(5, order_by="price")),
        iw.UsageError,
        "with_columns on a stream: the order column 'price' is of type double; order by the event time, a "
        "timestamp with a watermark",
    ),
    Bad(
        "a group that never ends",
        lambda: replay([TABLE], lambda df: iw.group_by(df, "item").agg(n=iw.count())),
        iw.UsageError,
        "group_by().agg(count()) on a stream: a group never ends, so it has no result: cut it into extents with "
        ".window(iw.tumble(...)), or give a running result with iw.with_columns over iw.unbounded(...)",
    ),
    Bad(
        "a count over all keys",
        counts(iw.tumble("t", rows=3, scope="stream")),
        iw.UsageError,
        "(tumble t size 3 rows of the stream): scope='stream' numbers the tuples of all keys in one order, which a"
        " stream that is spread over tasks does not have: count within the keys (scope='partition')",
    ),
    Bad(
        "early sessions",
        lambda: iw.group_by(TABLE).window(iw.session("t", gap=5), early=True),
        iw.UsageError,
        "window((session t gap 5), early=True): the bounds of a session are known only when it is whole, so an "
        "early row could not be replaced by a later one: drop early=",
    ),
    Bad(
        "results at points in time",
        lambda: replay([TABLE], lambda df: iw.with_columns(df, a=iw.sum("n").over(WINDOW), of=TABLE)),
        iw.UsageError,
        "with_columns(of=...) on a stream: results at points in time need both tables whole: use batch data",
    ),
    Bad(
        "late tuples of a table",
        lambda: iw.late(averages(TABLE)),
        iw.UsageError,
        "late(Table): late tuples are those of a stream: give the very result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it, or what iw.testing.replay gives (not "
        "its .table)",
    ),
    Bad(
        "outputs of a table",
        lambda: iw.outputs(averages(TABLE)),
        iw.UsageError,
        "outputs(Table): rows and late tuples are those of a stream: give the very result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it, or what iw.testing.replay gives (not "
        "its .table); on batch data no tuple is late, and the result is all, but for bad tuples with on_error='collect'",
    ),
    Bad(
        "a union of one",
        lambda: iw.union(TABLE, order_by="t"),
        iw.UsageError,
        "union() was given 1 stream: give two or more, as in union(bids, closings, order_by='ts')",
    ),
    Bad(
        "one table",
        lambda: replay(TABLE, averages),
        iw.UsageError,
        "replay() was given one table: give a list, with a pyarrow.Table for each micro-batch",
    ),
    Bad(
        "no table",
        lambda: replay([], averages),
        iw.UsageError,
        "replay() was given no micro-batch: give a list of pyarrow.Tables, empty ones if need be",
    ),
    Bad(
        "a dict",
        lambda: replay([{"t": [1]}], averages),
        iw.UsageError,
        "replay(): a micro-batch is a pyarrow.Table, not {'t': [1]}",
    ),
    Bad(
        "different columns",
        lambda: replay([TABLE.select(["t"]), TABLE.select(["t", "n"])], averages),
        iw.UsageError,
        "replay(): micro-batch 1 has the columns t: int64, n: int64, but the first one t: int64: give all the same"
        " columns, with the same types",
    ),
    Bad(
        "different columns in one of two streams",
        lambda: replay([(TABLE, TABLE), (TABLE, TABLE.select(["t", "n"]))], united),
        iw.UsageError,
        f"replay(): micro-batch 1 of stream 1 has the columns t: int64, n: int64, but the first one {COLUMNS}: give all the same "
        "columns, with the same types",
    ),
    Bad(
        "a stream that is missing",
        lambda: replay([(TABLE, TABLE), (TABLE,)], united),
        iw.UsageError,
        "replay(): of tables micro-batch 1 has 1, but the first one 2: give a tuple for each micro-batch, with a table for each "
        "stream, an empty one if need be, as in zip(bids, closings)",
    ),
    Bad(
        "a list for each stream",
        lambda: replay([[TABLE, TABLE, TABLE], [TABLE, TABLE, TABLE]], united),
        iw.UsageError,
        "replay(): a micro-batch has 3 tables, so the query is called with 3 streams, which it does not take: give a tuple for "
        "each micro-batch, with a table for each stream, as in zip(bids, closings)",
    ),
    Bad(
        "one stream for two",
        lambda: replay([TABLE], united),
        iw.UsageError,
        "replay(): a micro-batch is a table, so the query is called with 1 stream, which it does not take: give a tuple for each "
        "micro-batch, with a table for each stream, as in zip(bids, closings)",
    ),
    Bad(
        "too many delays",
        lambda: replay([(TABLE, TABLE)], united, delay=(1, 2, 3)),
        iw.UsageError,
        "replay(delay=(1, 2, 3)): 3 delays for 2 streams: give one for each, or one for all",
    ),
    Bad(
        "streams with other columns",
        lambda: replay([(TABLE, TABLE.select(["t", "n"]))], united),
        iw.UsageError,
        f"union(): one stream has the columns {', '.join(TABLE.column_names)}, another t, n: select and rename them to be the "
        "same, with NULLs where one has none",
    ),
    Bad(
        "a result for a query",
        lambda: replay([TABLE], averages(pa.table({"item": ["a"], "t": [1], "price": [1.0]}).slice(1))),
        iw.UsageError,
        "replay(batches, a pyarrow.Table): a query is a function of the stream, called once to plan it: write replay(batches, "
        "lambda df: iw.with_columns(df, ...))",
    ),
    Bad(
        "a query that gives nothing",
        lambda: replay([TABLE], lambda df: None),
        iw.UsageError,
        "replay(): the query gave None, but it must give the result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on the stream that it is called with",
    ),
    Bad(
        "a query of a query",
        lambda: replay([TABLE], lambda df: averages(averages(df))),
        iw.UsageError,
        "with_columns on the result of another call on a stream: a query is one call: give it all aggregates, with"
        " one partitioning and order, or replay the rows of the first one",
    ),
    Bad(
        "panes that are asked for",
        lambda: replay(
            [TABLE],
            lambda df: iw.with_columns(
                df, a=iw.sum("n").over(iw.rows(4, order_by="t", slide=2), strategy="pane-cascade")
            ),
        ),
        iw.UsageError,
        "sum(n): strategy='pane-cascade' on a stream: between micro-batches the frame's tuples are held, so panes "
        "would save nothing: drop strategy=, or write 'delta', 'two-stacks' or 'recompute'",
    ),
    Bad(
        "a delay that goes back",
        lambda: replay([TABLE], averages, delay=-1),
        iw.UsageError,
        "replay(delay=-1): a delay is not negative",
    ),
    Bad(
        "a delay of another type",
        lambda: replay([TABLE], averages, delay="1 minute"),
        iw.UsageError,
        "replay: delay is a time, 1 minute, but the order column 't' is of type int64: give a number in the "
        "column's unit, or order by a timestamp or a date",
    ),
    Bad(
        "a delay in words",
        lambda: replay([TABLE], averages, delay="soon"),
        iw.UsageError,
        "delay='soon' is not an interval: write a number and a unit, as in '5 minutes', '1 day 12 hours' or '3 "
        "months' (units: microseconds to weeks, months, years)",
    ),
    Bad(
        "too many watermarks",
        lambda: replay([TABLE], averages, watermarks=[1, 2, 3]),
        iw.UsageError,
        "replay(watermarks=...): 3 watermarks for 1 micro-batches: give one for each, and one more for the end if "
        "it moves on",
    ),
    Bad(
        "watermarks that go back",
        lambda: replay([TABLE], averages, watermarks=[3, 1]),
        iw.UsageError,
        "replay(watermarks=[3, 1]): a watermark never goes back",
    ),
    Bad(
        "watermarks without an order",
        lambda: replay([TABLE], lambda df: averages(df, iw.rows(2)), watermarks=[3]),
        iw.UsageError,
        "replay(watermarks=...): the windows have no order column, so tuples are taken in the order in which they come",
    ),
    Bad(
        "an end without an order",
        lambda: replay([TABLE], lambda df: averages(df, iw.rows(2)), until=9),
        iw.UsageError,
        "replay(until=9): the windows have no order column, so tuples are taken in the order in which they come, and none "
        "waits: drop until=",
    ),
    Bad(
        "no bucket",
        lambda: replay([TABLE], averages, buckets=0),
        iw.UsageError,
        "replay(buckets=0): tuples need a whole number of buckets, one at least",
    ),
]
