"""Windows that become validity, and windows over rows that hold: frames that no validity can say, points of other types."""

from typing import Any

import pyarrow as pa
from bad.input import Bad
from bad.temporal import ROOMS, STREAM, streamed

import inwindow as iw
from inwindow import temporal

POINTS = pa.table({"room": ["A"], "t": [3]})


def at_points(*windows: Any, points: Any = POINTS, of: Any = ROOMS) -> Any:
    """Count what holds at points."""
    return iw.with_columns(points, of=of, **{f"n{i}": iw.count().over(window) for i, window in enumerate(windows)})


def backwards(t: int) -> int:
    """A scope's bound that goes back."""
    return -t


def fails(t: int) -> int:
    """A scope's bound that raises."""
    raise ValueError("no")


ROWS = [
    Bad(
        "window over a table with since",
        lambda: temporal.window(ROOMS, iw.range(5, order_by="n")),
        iw.UsageError,
        "temporal.window: there is a column 'since' already: rename or drop it",
    ),
    Bad(
        "window without order",
        lambda: temporal.window(STREAM, iw.rows(5)),
        iw.UsageError,
        "temporal.window: (rows between 4 preceding and current row) has no order columns; when a tuple holds is "
        "told by one time: write order_by='ts'",
    ),
    Bad(
        "window downwards",
        lambda: temporal.window(STREAM, iw.rows(5, order_by=iw.desc("ts"))),
        iw.UsageError,
        "temporal.window: (order by ts desc rows between 4 preceding and current row): time runs forwards: order "
        "ascending",
    ),
    Bad(
        "window by a double",
        lambda: temporal.window(STREAM, iw.rows(5, order_by="price")),
        iw.UsageError,
        "temporal.window: 'price' is of type double; instants are integers of 64 bits, decimals of at most 18 "
        "digits, dates or timestamps: cast it",
    ),
    Bad(
        "window with active expiration",
        lambda: temporal.window(STREAM, iw.range(5, order_by="ts", active_expiration=True)),
        iw.UsageError,
        "temporal.window: (order by ts range between 5 preceding and current row active expiration): tuples leave "
        "at their until: drop active_expiration=",
    ),
    Bad(
        "window with a hole",
        lambda: temporal.window(STREAM, iw.range(5, order_by="ts", exclude="ties")),
        iw.UsageError,
        "temporal.window: (order by ts range between 5 preceding and current row exclude ties): when a tuple holds is told by "
        "times, and exclude= is about the tuple whose result it is: drop exclude=",
    ),
    Bad(
        "window of months",
        lambda: temporal.window(STREAM, iw.range("1 month", order_by="at")),
        iw.UsageError,
        "temporal.window: 1 month: months differ in length, so that which instants see a tuple would depend on the"
        " day: give days",
    ),
    Bad(
        "a frame with keys beside it",
        lambda: temporal.window(STREAM, iw.rows(5, order_by="ts"), by="price"),
        iw.UsageError,
        "temporal.window(by='price'): a frame has keys of its own: write iw.rows(..., partition_by='price')",
    ),
    Bad(
        "a hop over the stream",
        lambda: temporal.window(STREAM, iw.hop("ts", rows=4, every=2, scope="stream")),
        iw.UsageError,
        "temporal.window: scope='stream' counts over all keys: drop it, and by= too, for the same",
    ),
    Bad(
        "a session of days",
        lambda: temporal.window(
            pa.table({"ts": pa.array([0], pa.timestamp("us", "Europe/Rome"))}), iw.session("ts", gap="1 day")
        ),
        iw.UsageError,
        "temporal.window: the gap of (session ts gap 1 day) has days of the calendar, which differ in length: "
        "write hours",
    ),
    Bad(
        "gaps as a window",
        lambda: temporal.window(STREAM, iw.tumble("ts", size=3, fill=0)),
        iw.UsageError,
        "temporal.window: (tumble ts size 3 fill 0): fill= gives rows to extents without tuples, and here rows are "
        "tuples: drop it",
    ),
    Bad(
        "months as a window",
        lambda: temporal.window(STREAM, iw.tumble("ts", size="1 month")),
        iw.UsageError,
        "temporal.window: (tumble ts size 1 month): extents by the calendar are for iw.group_by(...).window(...): "
        "here give sizes in days or less, and no timezone=",
    ),
    Bad(
        "a session of own ends as a window",
        lambda: temporal.window(STREAM, iw.session("ts", until="until")),
        iw.UsageError,
        "temporal.window: (session ts until until): its tuples say themselves how long they last: name these "
        "columns with temporal.with_validity(data, since=..., until=...)",
    ),
    Bad(
        "a scope that goes backwards",
        lambda: temporal.window(STREAM, iw.scope(lower=backwards, order_by="ts")),
        iw.DataError,
        "scope(lower=...) goes backwards: both functions of a scope must never decrease along the order",
    ),
    Bad(
        "a scope that raises",
        lambda: temporal.window(STREAM, iw.scope(lower=fails, order_by="ts")),
        iw.HookError,
        "scope(lower=...): lower(1) raised ValueError: no; temporal.window asks for instants around each tuple's "
        "time, at which the window may see it",
    ),
    Bad(
        "a scope without a value",
        lambda: temporal.window(STREAM, iw.scope(lower=lambda t: None, order_by="ts")),
        iw.UsageError,
        "scope(lower=...) gave NULL or NaN, which lies nowhere in the order",
    ),
    Bad(
        "a least count at points",
        lambda: iw.with_columns(POINTS, n=iw.count().over(temporal.valid(order_by="t"), min_count=2), of=ROOMS),
        iw.UsageError,
        "with_columns(of=...): count() has min_count=, which rows that hold for a while do not have: add n=iw.count().over(...), "
        "and look at n",
    ),
    Bad(
        "a validity without of=",
        lambda: iw.with_columns(POINTS, n=iw.count().over(temporal.valid(order_by="t"))),
        iw.UsageError,
        "count(): temporal.valid(...) is when rows of another table hold: give that table, as in "
        "iw.with_columns(points, ..., of=intervals)",
    ),
    Bad(
        "a validity without a name",
        lambda: temporal.valid(3, order_by="t"),
        iw.UsageError,
        "temporal.valid(since=3): write the name of a column",
    ),
    Bad(
        "a validity without time",
        lambda: temporal.valid(order_by=[]),
        iw.UsageError,
        "temporal.valid(order_by=[]): write the one column that says when a row is",
    ),
    Bad(
        "a validity beside a window",
        lambda: at_points(temporal.valid(order_by="t"), iw.range(5, order_by="t")),
        iw.UsageError,
        "with_columns(of=...): n1 is over (order by t range between 5 preceding and current row), and another "
        "aggregate over (order by t valid from since until until): write one call for each",
    ),
    Bad(
        "a validity beside nothing",
        lambda: iw.with_columns(POINTS, of=ROOMS, a=iw.count().over(temporal.valid(order_by="t")), b=iw.count()),
        iw.UsageError,
        "with_columns(of=...): b is over no window, and another aggregate over (order by t valid from since until "
        "until): write one call for each",
    ),
    Bad(
        "a key of the points of another type",
        lambda: at_points(
            temporal.valid(order_by="t", partition_by="room"), points=POINTS.set_column(0, "room", pa.array([1]))
        ),
        iw.UsageError,
        "with_columns(of=...): 'room' is of type int64, but of type string in of=: cast one of them, so that keys "
        "can be compared",
    ),
    Bad(
        "points of another time",
        lambda: at_points(temporal.valid(order_by="room")),
        iw.UsageError,
        "with_columns(of=...): 'since' is of type int64, but 'room' of type string: ends are compared, so cast "
        "them to one type",
    ),
    Bad(
        "a window with FOLLOWING rows on a stream",
        lambda: iw.testing.replay([STREAM], lambda df: temporal.window(df, iw.rows_between(-1, 1, order_by="ts"))),
        iw.UsageError,
        "temporal.window: (order by ts rows between 1 preceding and 1 following) on a stream: a tuple would be seen before its own "
        "time, when others have gone out already: end the frame at the current row",
    ),
    Bad(
        "groups that slide by groups on a stream",
        lambda: iw.testing.replay([STREAM], lambda df: temporal.window(df, iw.groups(4, slide=2, order_by="ts"))),
        iw.UsageError,
        "temporal.window: (order by ts groups between 3 preceding and current row slide 2) on a stream: it moves with every n-th "
        "group of peers since the first of the partition: use iw.with_columns or iw.select over it, or a slide of time",
    ),
    Bad(
        "groups that slide by rows",
        lambda: temporal.window(STREAM, iw.groups(4, slide=2, slide_by="rows", order_by="ts")),
        iw.UsageError,
        "temporal.window: (order by ts groups between 3 preceding and current row slide 2 rows) counts groups of peers and slides "
        "by tuples: slide by groups, or by time",
    ),
    Bad(
        "a frame that slides by groups on a stream",
        lambda: iw.testing.replay(
            [STREAM], lambda df: iw.with_columns(df, n=iw.count().over(iw.groups(4, slide=2, order_by="at")))
        ),
        iw.UsageError,
        "count() over (order by at groups between 3 preceding and current row slide 2) on a stream slides by groups of peers, but "
        "a stream keeps no count of all groups that have been: slide by time, as in slide='1 minute', or by tuples "
        "(slide_by='rows')",
    ),
    Bad(
        "a window that slides by rows on a stream",
        lambda: iw.testing.replay([STREAM], lambda df: temporal.window(df, iw.rows(4, slide=2, order_by="ts"))),
        iw.UsageError,
        "temporal.window: (order by ts rows between 3 preceding and current row slide 2) on a stream: it moves with every n-th "
        "tuple since the first of the partition: use iw.with_columns or iw.select over it, or a slide of time",
    ),
    Bad(
        "a relation that begins before its tuples on a stream",
        lambda: iw.testing.replay(
            [STREAM],
            lambda df: temporal.distinct(temporal.window(df, iw.range_between(-2, 2, order_by="ts"))),
        ),
        iw.UsageError,
        "temporal.distinct on a stream: 'since' has no watermark: rows may begin before their tuples' own time, so nothing says "
        "when all are there",
    ),
    Bad(
        "a tuple that is seen before it comes",
        lambda: streamed(
            lambda a: temporal.aggregate(
                temporal.window(temporal.istream(temporal.distinct(a)), iw.range_between(-1, 2, order_by="at")),
                n=iw.count(),
            )
        ),
        iw.UsageError,
        "temporal.window: (order by at range between 1 preceding and 2 following) on a stream: a tuple would be "
        "seen before its own time, when others have gone out already: end the frame at the current row",
    ),
]
