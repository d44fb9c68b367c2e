"""Landmarks, scopes, active expiration and the options of all windows.

What a function of a scope gives is known when it runs, and not before.
"""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw


def over(window: Any) -> Any:
    """Use a window on the table."""
    return iw.with_columns(TABLE, a=MyAvg()("price").over(window))


def minus_one(t):
    """A good function of a scope over numbers."""
    return t - 1


def one_over_zero(t):
    """One that raises."""
    return t / 0


def two_values(t, u):
    """One of too many parameters."""
    return t


FAR = pa.table({"t": pa.array([0, 2**62], pa.timestamp("us"))})


ROWS = [
    Bad(
        "a time that Python does not have",
        lambda: iw.with_columns(FAR, n=iw.count().over(iw.scope(lower=lambda t: t, order_by="t"))),
        iw.DataError,
        "'t': 4611686018427387904 as a timestamp[us] is none of Python's dates, which end with the year 9999: filter such "
        "tuples out, or make the value NULL",
    ),
    # Landmarks
    Bad(
        "no landmark",
        lambda: iw.landmark(order_by="t"),
        iw.UsageError,
        "landmark() fixes neither bound: give since=, until= or both (or use iw.unbounded())",
    ),
    Bad(
        "without order",
        lambda: iw.landmark(since=5),
        iw.UsageError,
        "(since 5) needs an order column: add order_by='...'",
    ),
    Bad(
        "two order columns",
        lambda: iw.landmark(since=5, order_by=["t", "n"]),
        iw.UsageError,
        "(order by t, n since 5) has 2 order columns, but its bounds are distances in the order value, "
        "which needs exactly one: use one order column, or a ROWS frame",
    ),
    Bad(
        "a string over numbers",
        lambda: over(iw.landmark(since="noon", order_by="t")),
        iw.UsageError,
        "landmark: since = 'noon' is no value of the order column 't' of type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "a number over timestamps",
        lambda: over(iw.landmark(since=5, order_by="ts")),
        iw.UsageError,
        "landmark: since = 5 is no value of the order column 'ts' of type timestamp[us]: write a "
        "datetime, or ISO text such as '2026-01-31 12:00'",
    ),
    Bad(
        "a time over timestamps",
        lambda: over(iw.landmark(since="5 minutes", order_by="ts")),
        iw.UsageError,
        "landmark: since = '5 minutes' is no value of the order column 'ts' of type timestamp[us]: write "
        "a datetime, or ISO text such as '2026-01-31 12:00'",
    ),
    Bad(
        "a zone over timestamps without",
        lambda: over(iw.landmark(since=datetime(2026, 3, 1, tzinfo=UTC), order_by="ts")),
        iw.UsageError,
        "landmark: since = datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc) has a time "
        "zone, but the order column 'ts' has none: give a datetime without one",
    ),
    Bad(
        "NaN",
        lambda: over(iw.landmark(until=float("nan"), order_by="price")),
        iw.UsageError,
        "landmark: until=nan is not an order value: NULL and NaN lie nowhere in the order",
    ),
    Bad(
        "a lag",
        lambda: iw.landmark(since=5, order_by="t", lag=1),
        iw.UsageError,
        "lag= is for iw.rows, iw.range and iw.groups (or over()); this frame says itself where it ends",
    ),
    # Scopes
    Bad(
        "no scope",
        lambda: iw.scope(order_by="t"),
        iw.UsageError,
        "scope() has no function: give lower=, upper= or both (or use iw.unbounded())",
    ),
    Bad(
        "without order",
        lambda: iw.scope(lower=minus_one),
        iw.UsageError,
        "(scope from lower(t) to current row) needs an order column: add order_by='...'",
    ),
    Bad(
        "two order columns",
        lambda: iw.scope(lower=minus_one, order_by=["t", "n"]),
        iw.UsageError,
        "(order by t, n scope from lower(t) to current row) has 2 order columns, but its bounds are "
        "distances in the order value, which needs exactly one: use one order column, or a ROWS frame",
    ),
    Bad(
        "a number instead of a function",
        lambda: iw.scope(lower=3, order_by="t"),
        iw.UsageError,
        "scope: lower=3 is not a function of the order value: write lower=lambda t: ...",
    ),
    Bad(
        "a function of two values",
        lambda: iw.scope(lower=two_values, order_by="t"),
        iw.UsageError,
        "scope: lower=<function two_values> is not a function of the order value: write lower=lambda t: ...",
    ),
    Bad(
        "lower goes backwards",
        lambda: over(iw.scope(lower=lambda t: -t, order_by="t")),
        iw.DataError,
        "scope(lower=...) goes backwards: lower(1) = -1 but then lower(2) = -2; both functions of a scope"
        " must never decrease along the order",
    ),
    Bad(
        "upper goes backwards",
        lambda: over(iw.scope(upper=lambda t: -t, order_by="t")),
        iw.DataError,
        "scope(upper=...) goes backwards: upper(1) = -1 but then upper(2) = -2; both functions of a scope"
        " must never decrease along the order",
    ),
    Bad(
        "... along a descending order",
        lambda: over(iw.scope(lower=lambda t: -t, order_by=iw.desc("t"))),
        iw.DataError,
        "scope(lower=...) goes backwards: lower(9) = -9 but then lower(5) = -5; both functions of a scope"
        " must never decrease along the order",
    ),
    Bad(
        "a function that gives nothing",
        lambda: over(iw.scope(lower=lambda t: None, order_by="t")),
        iw.UsageError,
        "scope(lower=...): lower(1) = None is no order value: NULL and NaN lie nowhere in the order",
    ),
    Bad(
        "a function that gives nonsense",
        lambda: over(iw.scope(lower=lambda t: "yesterday", order_by="t")),
        iw.UsageError,
        "scope(lower=...): lower(1) = 'yesterday' is no value of the order column 't' of type int64: "
        "write a whole number (of 64 bits)",
    ),
    Bad(
        "a number over timestamps",
        lambda: over(iw.scope(lower=lambda t: 5, order_by="ts")),
        iw.UsageError,
        "scope(lower=...): lower(datetime.datetime(2026, 3, 1, 12, 0)) = 5 is no value of the order "
        "column 'ts' of type timestamp[us]: write a datetime, or ISO text such as '2026-01-31 12:00'",
    ),
    Bad(
        "NaN",
        lambda: over(iw.scope(lower=lambda t: float("nan"), order_by="price")),
        iw.UsageError,
        "scope(lower=...): lower(1.0) = nan is no order value: NULL and NaN lie nowhere in the order",
    ),
    Bad(
        "more than 64 bits",
        lambda: over(iw.scope(lower=lambda t: 2**80, order_by="t")),
        iw.UsageError,
        "scope(lower=...): lower(1) = 1208925819614629174706176 is no value of the order column 't' of "
        "type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "a function that raises",
        lambda: over(iw.scope(lower=one_over_zero, order_by="t")),
        iw.HookError,
        "scope(lower=...): lower(1) raised ZeroDivisionError: division by zero\n"
        '  File "scopes.py", in one_over_zero\n'
        "    return t / 0",
    ),
    Bad(
        "a string as the order",
        lambda: over(iw.scope(lower=minus_one, order_by="item")),
        iw.UsageError,
        "(order by item scope from lower(t) to current row) needs distances in the order column 'item', "
        "but string has none: order by a number, a date or a timestamp, or count tuples (ROWS, rows=); "
        "texts that are times become timestamps with pandas.to_datetime, on Spark with F.to_timestamp",
    ),
    # Active expiration
    Bad(
        "over ROWS",
        lambda: iw.rows(3, active_expiration=True),
        iw.UsageError,
        "active expiration needs a RANGE frame that ends at the current tuple, so that each tuple leaves "
        "at a known time; got (rows between 2 preceding and current row active expiration): use "
        "iw.range(size, order_by=..., active_expiration=True)",
    ),
    Bad(
        "over a frame that lags",
        lambda: iw.range(3, order_by="t", lag=1, active_expiration=True),
        iw.UsageError,
        "active expiration needs a RANGE frame that ends at the current tuple, so that each tuple leaves "
        "at a known time; got (order by t range between 4 preceding and 1 preceding active expiration): "
        "use iw.range(size, order_by=..., active_expiration=True)",
    ),
    Bad(
        "without order",
        lambda: iw.range(0, active_expiration=True),
        iw.UsageError,
        "(range between current row and current row active expiration) needs an order column: add order_by='...'",
    ),
    Bad(
        "with a slide",
        lambda: iw.range(3, order_by="t", slide=1, active_expiration=True),
        iw.UsageError,
        "active_expiration=True takes the place of slide= (arrivals emit nothing): give one of them",
    ),
    Bad(
        "backwards in time",
        lambda: iw.range(3, order_by=iw.desc("t"), active_expiration=True),
        iw.UsageError,
        "active expiration follows time forward: order_by must be ascending",
    ),
    Bad(
        "something else than a bool",
        lambda: iw.range(3, order_by="t", active_expiration="yes"),
        iw.UsageError,
        "active_expiration='yes': write True or False",
    ),
    # Options
    Bad(
        "misspelt",
        lambda: iw.rows(3, orderBy="t"),
        iw.UsageError,
        "there is no window option 'orderBy'; did you mean 'order_by'?",
    ),
    Bad(
        "not known at all",
        lambda: iw.rows(3, foo=1),
        iw.UsageError,
        "there is no window option 'foo'; there are partition_by, order_by, slide, every, slide_by, origin, final, "
        "active_expiration, strategy, min_count, exclude, lag",
    ),
    Bad(
        "a lag where there is none",
        lambda: iw.unbounded(lag=1),
        iw.UsageError,
        "lag= is for iw.rows, iw.range and iw.groups (or over()); this frame says itself where it ends",
    ),
    Bad(
        "a lag over a landmark",
        lambda: iw.max("n").over(iw.landmark(since=5, order_by="t"), lag=1),
        iw.UsageError,
        "lag= is for ROWS, RANGE and GROUPS frames; a landmark or a scope says its bounds itself",
    ),
    Bad(
        "a partition that is no column",
        lambda: iw.rows(3, partition_by=3),
        iw.UsageError,
        "partition_by=3 is not a column: give a name, or a list of them",
    ),
    Bad(
        "a set of partition columns",
        lambda: iw.rows(3, partition_by={"item"}),
        iw.UsageError,
        "partition_by={'item'} is not a column: give a name, or a list of them",
    ),
    Bad(
        "an order to partition by",
        lambda: iw.rows(3, partition_by=iw.desc("item")),
        iw.UsageError,
        "partition_by=Order(column='item', ascending=False, nulls_first=False) is not a column: give a "
        "name, or a list of them",
    ),
    Bad(
        "an order that is no column",
        lambda: iw.rows(3, order_by=3),
        iw.UsageError,
        "order_by=3 is not a column: give a name, iw.asc('name'), iw.desc('name'), or a list of them",
    ),
    Bad(
        "an expression to order by",
        lambda: iw.rows(3, order_by=pc.field("t")),
        iw.UsageError,
        "order_by=<pyarrow.compute.Expression t> is not a column: give a name, iw.asc('name'), "
        "iw.desc('name'), or a list of them",
    ),
    Bad(
        "asc of nothing",
        lambda: iw.asc(None),
        iw.UsageError,
        "order_by=None is not a column: give a name, iw.asc('name'), iw.desc('name'), or a list of them",
    ),
    Bad(
        "nulls_first that is no bool",
        lambda: iw.desc("t", nulls_first="no"),
        iw.UsageError,
        "desc('t'): nulls_first='no': write True or False",
    ),
]
