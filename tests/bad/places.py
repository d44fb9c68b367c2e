"""Functions with a frame of their own (lag, row_number, rank), written as if they were aggregates of frames."""

from datetime import UTC, datetime
from typing import Any

from bad.input import TABLE, Bad

import inwindow as iw
from inwindow.runtime.stream.replay import replay

BY = {"partition_by": "item", "order_by": "t"}
SO_FAR = iw.unbounded(**BY)


def over(applied: Any, window: Any = SO_FAR) -> Any:
    """Run it."""
    return iw.with_columns(TABLE, a=applied.over(window))


def streamed(applied: Any) -> Any:
    """Run it on a stream."""
    return replay([TABLE], lambda df: iw.with_columns(df, a=applied.over(iw.unbounded(**BY))))


ROWS = [
    Bad(
        "a rank over a frame",
        lambda: over(iw.rank(), iw.rows(3, **BY)),
        iw.UsageError,
        "rank() has a frame of its own, and takes of a window only partitions and order, so (partition by item order by t rows "
        "between 2 preceding and current row) cannot be meant: write .over(iw.unbounded(partition_by='item', order_by='ts')), or "
        "a Spark window without a frame; for the rank of a value among those of a frame, name the column: "
        "iw.rank('price').over(iw.rows(100))",
    ),
    Bad(
        "numbers over a frame",
        lambda: over(iw.row_number(), iw.range(3, **BY)),
        iw.UsageError,
        "row_number() has a frame of its own, and takes of a window only partitions and order, so (partition by item order by t "
        "range between 3 preceding and current row) cannot be meant: write .over(iw.unbounded(partition_by='item', "
        "order_by='ts')), or a Spark window without a frame; how many tuples a frame holds is iw.count()",
    ),
    Bad(
        "lag over a frame",
        lambda: over(iw.lag("price"), iw.rows(3, **BY)),
        iw.UsageError,
        "lag(price, 1) has a frame of its own, and takes of a window only partitions and order, so (partition by item order by t "
        "rows between 2 preceding and current row) cannot be meant: write .over(iw.unbounded(partition_by='item', "
        "order_by='ts')), or a Spark window without a frame; a value at another place of a frame is iw.first, iw.last or "
        "iw.nth_value",
    ),
    Bad(
        "a rank without an order",
        lambda: over(iw.dense_rank(), iw.unbounded(partition_by="item")),
        iw.UsageError,
        "dense_rank() compares order values, but (partition by item rows between unbounded preceding and current row) has no "
        "order: add order_by='...'",
    ),
    Bad(
        "no window",
        lambda: iw.with_columns(TABLE, a=iw.row_number()),
        iw.UsageError,
        "a=row_number() has no window: say by which partitions and order: .over(iw.unbounded(partition_by='item', order_by='ts'))",
    ),
    Bad(
        "in agg()",
        lambda: iw.group_by(TABLE, "item").agg(a=iw.rank()),
        iw.UsageError,
        "rank() in agg(): it gives a value per tuple, not per group: write iw.with_columns",
    ),
    Bad(
        "at rows of another table",
        lambda: iw.with_columns(TABLE, a=iw.lag("price").over(iw.unbounded(**BY)), of=TABLE),
        iw.UsageError,
        "lag(price, 1) with of=: the rows of the other table are no tuples, so they have no place among them: write "
        "iw.last('x').over(iw.rows(1, order_by='ts')) for the newest value before a row, iw.count() for how many",
    ),
    Bad(
        "a filter",
        lambda: iw.row_number().filter("ok"),
        iw.UsageError,
        "row_number(): filter() is for aggregates, and this numbers or reads tuples, all of them: filter the data before",
    ),
    Bad(
        "lag with a hole",
        lambda: iw.lag("price").over(iw.unbounded(order_by="n", exclude="ties")),
        iw.UsageError,
        "lag(price, 1): exclude='ties' is for aggregates of frames: drop it",
    ),
    Bad(
        "min_count",
        lambda: iw.lag("price").min_count(3),
        iw.UsageError,
        "lag(price, 1): min_count=3 is for aggregates of frames: drop it; with too few tuples lag and lead give default=",
    ),
    Bad(
        "... of the window",
        lambda: over(iw.rank(), iw.unbounded(min_count=3, **BY)),
        iw.UsageError,
        "rank(): min_count=3 is for aggregates of frames: drop it; with too few tuples lag and lead give default=",
    ),
    Bad(
        "an offset in time",
        lambda: iw.lag("price", "5 minutes"),
        iw.UsageError,
        "lag(price, '5 minutes'): the offset is a number of tuples, an int such as 1",
    ),
    Bad(
        "NULLs ignored by a word",
        lambda: iw.lead("price", 1, None, "yes"),
        iw.UsageError,
        "lead(price, 'yes'): ignorenulls is True or False",
    ),
    Bad(
        "a default of another type",
        lambda: over(iw.lag("price", 1, "none")),
        iw.UsageError,
        "lag(price, 1, 'none'): the default 'none' is no value of the column's type, double: give one that is",
    ),
    Bad(
        "a number for a text",
        lambda: over(iw.lag("tags", 1, 0)),
        iw.UsageError,
        "lag(tags, 1, 0): the default 0 is no value of the column's type, list<item: string>: give one that is",
    ),
    Bad(
        "a default with a zone",
        lambda: over(iw.lead("ts", 1, datetime(2026, 1, 1, tzinfo=UTC))),
        iw.UsageError,
        "lead(ts, 1, datetime.datetime(2026, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)): the default has a time zone, but the "
        "column is of type timestamp[us]: give a datetime that fits",
    ),
    Bad(
        "a method of no column",
        lambda: iw.rank(method="max"),
        iw.UsageError,
        "rank(method='max') needs a column, rank('price', method='max'), over a frame; without one iw.rank() is the first place of "
        "peers, and iw.dense_rank() counts them once",
    ),
    Bad(
        "a share, as in pandas",
        lambda: iw.rank("price", method="max", pct=True),
        iw.UsageError,
        "rank('price', method='max', pct=True): there is no 'pct' here; shares are iw.percent_rank('x') and iw.cume_dist('x'); it "
        "takes rank(column=None, *, method='min', ascending=True)",
    ),
    Bad(
        "a method that is not known",
        lambda: iw.rank("price", method="first"),
        iw.UsageError,
        "rank(method='first'): equal values share a place: 'min', 'max', 'average' or 'dense'",
    ),
    Bad(
        "downwards without a column",
        lambda: iw.percent_rank(ascending=False),
        iw.UsageError,
        "percent_rank(ascending=False) needs a column; without one the window says how it is ordered: order_by=iw.desc('price')",
    ),
    Bad(
        "a rank of texts",
        lambda: iw.with_columns(TABLE, a=iw.rank("item").over(iw.rows(3, **BY))),
        iw.UsageError,
        "rank(item): rank is for numbers, dates, times, durations, booleans and decimals of up to 18 digits, not string: cast "
        "the column",
    ),
    Bad("no parts", lambda: iw.ntile(0), iw.UsageError, "ntile(0): n is the number of parts: give a positive int"),
    Bad(
        "a share on a stream",
        lambda: streamed(iw.percent_rank()),
        iw.UsageError,
        "percent_rank() over (partition by item order by t groups between current row and unbounded following) on a stream: "
        "percent_rank waits for the end of the partition, which a stream does not have: write "
        "iw.percent_rank('price').over(iw.range('1 hour', order_by='ts')), the rank among the values of a frame",
    ),
    Bad(
        "parts on a stream",
        lambda: streamed(iw.ntile(4)),
        iw.UsageError,
        "ntile(4) over (partition by item order by t rows between current row and unbounded following) on a stream: ntile waits "
        "for the end of the partition, which a stream does not have: write iw.rank or iw.row_number",
    ),
    Bad(
        "the next value on a stream",
        lambda: streamed(iw.lead("price", ignorenulls=True)),
        iw.UsageError,
        "lead(price, 1, None, True) over (partition by item order by t rows between 1 following and unbounded following) on a "
        "stream: lead waits for the end of the partition, which a stream does not have: write iw.lag, or lead without ignorenulls",
    ),
]
