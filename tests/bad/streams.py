"""Streams: windows that have no meaning while tuples still come, states of other queries, replays written wrong."""

from typing import Any

from bad.input import TABLE, Bad, MyAvg

import inwindow as iw
from inwindow.runtime.stream.replay import Stream


class Refuses(iw.WindowAggregate):
    """Raises at a price."""

    def iterate(self, price):
        if price == 6.0:
            raise ValueError("six")

    def expire(self, price): ...

    def terminate(self) -> float:
        return 0.0


def replay(query: Any, *batches: Any, **options: Any) -> Any:
    """A query on micro-batches, or on the one of all data."""
    return iw.testing.replay(batches or (TABLE,), query, **options)


def over(window: Any, *batches: Any, aggregate: Any = MyAvg, **options: Any) -> Any:
    """An average over a window of a stream."""
    return replay(lambda df: iw.with_columns(df, a=aggregate()("price").over(window)), *batches, **options)


def another_state() -> None:
    """The state of one query, given to another."""
    one, other = (
        Stream(TABLE.select(["t", "price"]).schema)
        .with_columns({"a": iw.avg("price").over(iw.range(n, order_by="t"))})
        .bucket()
        for n in (5, 6)
    )
    other.restore(one.state())


BY_T = iw.range(5, order_by="t")
BY_ITEM = iw.range(5, partition_by="item", order_by="t")

ROWS = [
    Bad(
        "UNBOUNDED FOLLOWING",
        lambda: over(iw.rows_between(0, None, order_by="t")),
        iw.UsageError,
        "MyAvg(price) over (order by t rows between current row and unbounded following) on a stream: "
        "UNBOUNDED FOLLOWING waits for the end of the stream, which never comes: end the frame at the "
        "current row or a distance after it, or use iw.group_by(...).window(...)",
    ),
    Bad(
        "a descending order",
        lambda: over(iw.range(5, order_by=iw.desc("t"))),
        iw.UsageError,
        "MyAvg(price) over (order by t desc range between 5 preceding and current row) on a stream is "
        "ordered downwards, but a stream comes upwards in time: order ascending",
    ),
    Bad(
        "a range without an order",
        lambda: over(iw.range_between(None, 0)),
        iw.UsageError,
        "MyAvg(price) over (range between unbounded preceding and current row) on a stream has no order "
        "column: a frame by time needs order_by= the event time; in arrival order only rows can be counted "
        "(iw.rows)",
    ),
    Bad(
        "months",
        lambda: over(iw.range("1 month", order_by="ts")),
        iw.UsageError,
        "MyAvg(price) over (order by ts range between 1 month preceding and current row) on a stream reaches "
        "over months, which differ in length, so that frames could go backwards from batch to batch: give a "
        "size in days or less",
    ),
    Bad(
        "two partitionings",
        lambda: replay(lambda df: iw.with_columns(df, a=iw.avg("price").over(BY_ITEM), b=iw.avg("price").over(BY_T))),
        iw.UsageError,
        "with_columns on a stream needs windows with the same partitioning and order, for each needs a state "
        "of its own; got avg(price) by item, t; avg(price) by t: start one query for each",
    ),
    Bad(
        "a group that never ends",
        lambda: replay(lambda df: iw.group_by(df, "item").agg(a=iw.avg("price"))),
        iw.UsageError,
        "group_by().agg(avg(price)) on a stream: a group never ends, so it has no result: cut it into "
        "extents with .window(iw.tumble(...)), or give a running result with iw.with_columns over "
        "iw.unbounded(...)",
    ),
    Bad(
        "hops over the stream",
        lambda: replay(
            lambda df: iw.group_by(df).window(iw.hop("t", rows=5, every=2, scope="stream")).agg(a=iw.avg("price"))
        ),
        iw.UsageError,
        "(hop t size 5 rows every 2 of the stream): scope='stream' numbers the tuples of all keys in one "
        "order, which a stream that is spread over tasks does not have: count within the keys "
        "(scope='partition')",
    ),
    Bad(
        "points in time",
        lambda: replay(lambda df: iw.with_columns(df, a=iw.avg("price").over(BY_T), of=TABLE)),
        iw.UsageError,
        "with_columns(of=...) on a stream: results at points in time need both tables whole: use batch data",
    ),
    Bad(
        "an order by doubles",
        lambda: over(iw.range(5, order_by="price")),
        iw.UsageError,
        "with_columns on a stream: the order column 'price' is of type double; order by the event time, a "
        "timestamp with a watermark",
    ),
    Bad(
        "an order by text",
        lambda: over(iw.rows(5, order_by="item")),
        iw.UsageError,
        "with_columns on a stream needs distances in the order column 'item', but string has none: order by "
        "a number, a date or a timestamp, or count tuples (ROWS, rows=)",
    ),
    Bad(
        "an unknown order column",
        lambda: over(iw.range(5, order_by="time"), TABLE.select(["t", "price"])),
        iw.UnknownColumnError,
        "the window of MyAvg(price): there is no column 'time'; there are 't', 'price'",
    ),
    Bad(
        "active expiration in with_columns",
        lambda: over(iw.range(5, order_by="t", active_expiration=True)),
        iw.UsageError,
        "a=MyAvg(price): active expiration emits when tuples leave, not when they arrive: use iw.select",
    ),
    Bad(
        "early sessions",
        lambda: iw.group_by(TABLE).window(iw.session("t", gap=5), early=True),
        iw.UsageError,
        "window((session t gap 5), early=True): the bounds of a session are known only when it is whole, so "
        "an early row could not be replaced by a later one: drop early=",
    ),
    Bad(
        "a hook that raises",
        lambda: over(BY_ITEM, aggregate=Refuses),
        iw.HookError,
        "Refuses.iterate(6.0) raised ValueError: six\n  in Refuses(price), at item='a', t=5\n  File "
        '"streams.py", in iterate\n    raise ValueError("six")',
    ),
    Bad(
        "a hook of a growing frame that raises",
        lambda: over(iw.unbounded(partition_by="item", order_by="t"), aggregate=Refuses),
        iw.HookError,
        "Refuses.iterate(6.0) raised ValueError: six\n  in Refuses(price), at item='a', t=5\n  File "
        '"streams.py", in iterate\n    raise ValueError("six")',
    ),
    Bad(
        "the state of another query",
        another_state,
        iw.StateError,
        "the state in this checkpoint belongs to other aggregates or windows, and would be misread:\n  the "
        "checkpoint has  Order(column='t', ascending=True, nulls_first=True); None; a=avg(price) filter None "
        "delta double  (order by t range between 5 preceding and current row) origin None final drop of t "
        "int64, price double, in 1 buckets\n  the query has       Order(column='t', ascending=True, "
        "nulls_first=True); None; a=avg(price) filter None delta double  (order by t range between 6 "
        "preceding and current row) origin None final drop of t int64, price double, in 1 buckets\ngo on with "
        "the query that wrote it, or give the changed one a new checkpointLocation",
    ),
    Bad(
        "the state of something else",
        lambda: Stream(TABLE.schema).with_columns({"a": iw.avg("price").over(BY_T)}).bucket().restore(b"else"),
        iw.DataError,
        "this is not the state of a stream of inwindow: it begins with b'else'",
    ),
    Bad(
        "no micro-batch",
        lambda: iw.testing.replay([], lambda df: df),
        iw.UsageError,
        "replay() was given no micro-batch: give a list of pyarrow.Tables, empty ones if need be",
    ),
    Bad(
        "a micro-batch that is no table",
        lambda: replay(lambda df: df, [1]),
        iw.UsageError,
        "replay(): a micro-batch is a pyarrow.Table, not [1]",
    ),
    Bad(
        "micro-batches of two kinds",
        lambda: replay(lambda df: df, TABLE.select(["t"]), TABLE.select(["n"])),
        iw.UsageError,
        "replay(): micro-batch 1 has the schema n: int64, but the first one t: int64",
    ),
    Bad(
        "a query that gives nothing",
        lambda: replay(lambda df: None),
        iw.UsageError,
        "replay(): the query gave None, but it must give the result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on the stream that it is called with",
    ),
    Bad(
        "a negative delay",
        lambda: over(BY_T, delay=-1),
        iw.UsageError,
        "replay(delay=-1): a delay is not negative",
    ),
    Bad(
        "too few watermarks",
        lambda: over(BY_T, TABLE, TABLE, TABLE, watermarks=[1]),
        iw.UsageError,
        "replay(watermarks=...): 1 watermarks for 3 micro-batches: give one for each, and one more for the "
        "end if it moves on",
    ),
    Bad(
        "a watermark that goes back",
        lambda: over(BY_T, TABLE, TABLE, watermarks=[5, 1]),
        iw.UsageError,
        "replay(watermarks=[5, 1]): a watermark never goes back",
    ),
    Bad(
        "watermarks without an order",
        lambda: over(iw.rows(5), watermarks=[5]),
        iw.UsageError,
        "replay(watermarks=...): the windows have no order column, so tuples are taken in the order in which they come",
    ),
    Bad(
        "late tuples of a table",
        lambda: iw.late(TABLE),
        iw.UsageError,
        "late(Table): late tuples are those of a stream: give the very result of iw.with_columns, iw.select "
        "or iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it",
    ),
    Bad(
        "a union of one",
        lambda: iw.union(TABLE, order_by="t"),
        iw.UsageError,
        "union() was given 1 stream: give two or more, as in union(bids, closings, order_by='ts')",
    ),
    Bad(
        "a union by an unknown column",
        lambda: iw.union(TABLE.select(["t"]), TABLE.select(["t"]), order_by="x"),
        iw.UsageError,
        "union(order_by='x'): there is no such column; there are 't'",
    ),
    Bad(
        "a union of other columns",
        lambda: iw.union(TABLE.select(["t", "ts"]), TABLE.select(["t", "n"]), order_by="t"),
        iw.UsageError,
        "union(): one stream has the columns t, ts, another t, n: select and rename them to be the same, "
        "with NULLs where one has none",
    ),
    Bad(
        "a union of a table and a list",
        lambda: iw.union(TABLE, [1], order_by="t"),
        iw.UsageError,
        "union(Table, list): give pyarrow.Tables, or Spark DataFrames, all of one kind",
    ),
]
