"""Watermarks written wrong, on Arrow data and replayed streams."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from bad.input import TABLE, Bad

import inwindow as iw
from inwindow.runtime.stream.replay import Replayed, replay

WINDOW = iw.range(5, order_by="t")


def marked(*args: Any, clock: Any = None, window: Any = WINDOW, **bounds: Any) -> Callable[[], Replayed]:
    """A query over a stream with a watermark."""
    return lambda: replay(
        [TABLE],
        lambda df: iw.with_columns(iw.with_watermark(df, *args, **bounds), n=iw.count().over(window)),
        clock=clock,
    )


def of_two(one: Any, other: Any) -> Any:
    """A union whose streams have different bounds."""
    return iw.with_columns(
        iw.union(iw.with_watermark(one, "t", 0, ahead=9), other, order_by="t"), n=iw.count().over(WINDOW)
    )


def twice(df: Any) -> Any:
    """A second watermark."""
    return iw.with_watermark(iw.with_watermark(df, "t", 0), "t", 0)


ROWS = [
    Bad("no column", marked(5, 0), iw.UsageError, "with_watermark(5): give the name of the time column, as in 'ts'"),
    Bad(
        "a negative delay",
        marked("t", -1),
        iw.UsageError,
        "with_watermark('t', -1): a delay is how late tuples may come, as in '10 seconds', or 0",
    ),
    Bad(
        "nothing ahead",
        lambda: iw.with_watermark(TABLE, "t", 0, ahead=0),
        iw.UsageError,
        "with_watermark(ahead=0): give a time longer than 0, as in ahead='1 day', or drop ahead=",
    ),
    Bad(
        "idle for a month",
        lambda: iw.with_watermark(TABLE, "t", 0, idle="1 month"),
        iw.UsageError,
        "with_watermark(idle=1 month): months differ in length: give days, as in '30 days'",
    ),
    Bad(
        "a second watermark",
        lambda: replay([TABLE], twice),
        iw.UsageError,
        "with_watermark('t'): give each stream that replay() calls the query with one watermark, before any union or other "
        "operator",
    ),
    Bad(
        "a watermark on another column",
        marked("n", 0),
        iw.UsageError,
        "replay(): the windows are ordered by 't', which has no watermark: that of the stream is on 'n': move it, as in "
        "iw.with_watermark(df, 't', ...)",
    ),
    Bad(
        "no clock",
        marked("t", 0, idle=3),
        iw.UsageError,
        "replay(): iw.with_watermark(ahead=, idle=) goes by the clock, and a replay has none: give clock= the time of each "
        "micro-batch, in a list, or one time for all",
    ),
    Bad(
        "a clock and no order",
        marked("t", 0, clock=3, window=iw.rows(2)),
        iw.UsageError,
        "replay(clock=...): the windows have no order column, so nothing goes by a clock: drop clock=",
    ),
    Bad(
        "too many times",
        marked("t", 0, clock=[3, 4]),
        iw.UsageError,
        "replay(clock=...): 2 times for 1 micro-batches: give one for each, or one for all",
    ),
    Bad(
        "a union of different bounds",
        lambda: replay([(pa.table({"t": [1]}),) * 2], of_two, clock=3),
        iw.UsageError,
        "union(order_by='t'): the streams have different bounds ahead= (or some have none): a window over the union has one: give "
        "each the same, as in iw.with_watermark(df, 't', '10 seconds', ahead='1 day')",
    ),
]
