"""The definition against things that nobody here wrote: DuckDB, SQLite and pandas.

``list(id)`` shows the very tuples of a frame; the aggregates check that hooks see them. For ROWS the ids
break ties, for RANGE ties are what is tested.
"""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inwindow.windows.interval import Interval
from inwindow.windows.reference import Row, extents, frames, in_order, results, yields
from inwindow.windows.spec import Cumulate, Groups, Hop, Order, Range, Rows, Session, Window

SECOND, DAY = 1_000_000, 86_400_000_000
CASES = settings(max_examples=settings.default.max_examples)


# --- What is drawn ------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A type of order column: how its values and its sizes are drawn, and how a size is written in SQL."""

    arrow: pa.DataType
    values: st.SearchStrategy[Any]
    sizes: st.SearchStrategy[Any]
    sql: Callable[[Any], str]


def interval_sql(size: Interval) -> str:
    return f"INTERVAL {size.months} MONTH" if size.months else f"INTERVAL {size.microseconds} MICROSECOND"


seconds = st.integers(1, 8).map(lambda n: Interval(0, n * SECOND))
days = st.integers(1, 8).map(lambda n: Interval(0, n * DAY))
months = st.integers(1, 14).map(lambda n: Interval(n, 0))
start = datetime(1969, 12, 31, 23, 59, 55)
moments = st.integers(0, 60).map(lambda n: start + timedelta(milliseconds=500 * n))
month_ends = st.tuples(st.integers(1999, 2000), st.integers(1, 12), st.integers(1, 5)).map(
    lambda ymd: datetime(*ymd) - timedelta(hours=30)
)
far = st.sampled_from([datetime(1, 1, 5), datetime(1582, 10, 15), datetime(9999, 12, 20)])
doubles = st.sampled_from([-0.0, 0.0, 0.1, 0.2, 0.3, -0.1, 1.5, 3.0, -3.25])
unmoved = st.sampled_from([float("nan"), float("inf"), float("-inf"), 1e300])  # by the sizes below


def aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


KINDS = {
    "int": Kind(pa.int64(), st.integers(-9, 9), st.integers(1, 6), str),
    "double": Kind(pa.float64(), doubles | unmoved, st.sampled_from([0.1, 0.2, 2.0, 3.25]), repr),
    "decimal": Kind(
        pa.decimal128(30, 2),
        st.integers(-900, 900).map(lambda n: Decimal(n) / 100) | st.just(Decimal("9" * 25 + ".99")),
        st.integers(1, 500).map(lambda n: Decimal(n) / 100),
        str,
    ),
    "date": Kind(pa.date32(), month_ends.map(datetime.date) | far.map(datetime.date), days | months, interval_sql),
    "date by number": Kind(pa.date32(), month_ends.map(datetime.date), st.integers(1, 40), str),
    "timestamp": Kind(pa.timestamp("us"), moments | far, seconds, interval_sql),
    "timestamp by months": Kind(pa.timestamp("us"), month_ends, months, interval_sql),
    "zoned timestamp": Kind(pa.timestamp("us", "UTC"), moments.map(aware), seconds, interval_sql),
    "zoned by days, months": Kind(pa.timestamp("us", "UTC"), month_ends.map(aware), days | months, interval_sql),
}
ordering = st.builds(Order, st.just("o"), st.booleans(), st.booleans())


class Tuple(NamedTuple):
    id: int
    o: Any
    v: int | None
    p: bool


def tuples(values: st.SearchStrategy[Any], max_size: int = 14) -> st.SearchStrategy[list[Tuple]]:
    columns = st.tuples(st.none() | values | values | values, st.none() | st.integers(-5, 5), st.booleans())
    return st.lists(columns, max_size=max_size).map(lambda rows: [Tuple(i, *row) for i, row in enumerate(rows)])


@st.composite
def bounds(draw: st.DrawFn, sizes: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """Two bounds that SQL allows together, each None, 0, or (sign, size)."""
    ranks = draw(st.tuples(st.integers(0, 3), st.integers(1, 4)).filter(lambda pair: pair[0] <= pair[1]))
    kinds = [None, -1, 0, 1, None]
    lower, upper = ((kinds[rank], draw(sizes)) if rank in (1, 3) else kinds[rank] for rank in ranks)
    return lower, upper


def bound_sql(bound: Any, side: str, sql: Callable[[Any], str]) -> str:
    if bound is None:
        return f"UNBOUNDED {side}"
    if bound == 0:
        return "CURRENT ROW"
    return f"{sql(bound[1])} {'PRECEDING' if bound[0] < 0 else 'FOLLOWING'}"


def frame_sql(unit: str, lower: Any, upper: Any, sql: Callable[[Any], str]) -> str:
    return f"{unit} BETWEEN {bound_sql(lower, 'PRECEDING', sql)} AND {bound_sql(upper, 'FOLLOWING', sql)}"


def offset(bound: Any) -> Any:
    if bound is None or bound == 0:
        return bound
    return -bound[1] if bound[0] < 0 else bound[1]


def order_sql(order: Order) -> str:
    return f"o {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


# --- What is compared ---------------------------------------------------------------------------------------


class Sum:
    def initialize(self, v: int) -> None:
        self.total = v

    def iterate(self, v: int) -> None:
        self.total += v

    def terminate(self) -> int:
        return self.total


class Count:
    def __init__(self) -> None:
        self.count = 0

    def iterate(self, v: int) -> None:
        self.count += 1

    def terminate(self) -> int:
        return self.count


class Least:
    def initialize(self, v: int) -> None:
        self.least = v

    def iterate(self, v: int) -> None:
        self.least = min(self.least, v)

    def terminate(self) -> int:
        return self.least


class Greatest(Least):
    def iterate(self, v: int) -> None:
        self.least = max(self.least, v)


Seen = dict[int, tuple[Any, ...]]  # id -> ids of the frame, sum, count, min, max


def defined(window: Window, drawn: list[Tuple], orders: tuple[Order, ...]) -> Seen:
    with_id = len(orders) > 1
    rows = [Row((t.o, t.id) if with_id else (t.o,), (t.v, t.id), t.p) for t in drawn]
    rows = in_order(rows, orders)
    ids = [row.args[1] for row in rows]
    held = [sorted(ids[j] for j in frame) for frame in frames(window, rows)]
    only_v = [Row(row.order, row.args[:1], row.passes) for row in rows]
    aggregates = [(Sum(), None), (Count(), 0), (Least(), None), (Greatest(), None)]
    columns = [results(aggregate, window, only_v, empty=empty) for aggregate, empty in aggregates]
    return dict(zip(ids, zip(held, *columns, strict=True), strict=True))


# No FILTER for min and max: SQLite 3.40.1 passes over it where the frame's start moves.
AGGREGATES = (
    "sum(v) FILTER (WHERE p) OVER w, count(v) FILTER (WHERE p) OVER w, "
    "min(CASE WHEN p THEN v END) OVER w, max(CASE WHEN p THEN v END) OVER w"
)


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def table(drawn: list[Tuple], o: pa.DataType) -> pa.Table:
    schema = pa.schema([("id", pa.int64()), ("o", o), ("v", pa.int64()), ("p", pa.bool_())])
    return pa.Table.from_pylist([t._asdict() for t in drawn], schema=schema)


def duckdb_sees(duck: duckdb.DuckDBPyConnection, t: pa.Table, order: str, frame: str) -> Seen:
    query = f"SELECT id, list(id) OVER w, {AGGREGATES} FROM t WINDOW w AS (ORDER BY {order} {frame})"
    return {id: (sorted(ids or []), *values) for id, ids, *values in duck.execute(query).fetchall()}


@pytest.mark.parametrize("kind", KINDS)
@CASES
@given(st.data())
def test_range_frames_are_duckdbs(duck: duckdb.DuckDBPyConnection, kind: str, data: st.DataObject) -> None:
    arrow, values, sizes, sql = KINDS[kind]
    # DuckDB splits peers where an offset does not move them, also at `0 PRECEDING`:
    # https://github.com/duckdb/duckdb/issues/23664
    still = [float("inf"), float("-inf"), 1e300]
    drawn = data.draw(
        tuples(values).filter(
            lambda ts: all(sum(t.o == o for t in ts) < 2 for o in still) and sum(t.o != t.o for t in ts) < 2
        )
    )
    order = data.draw(ordering)
    lower, upper = data.draw(bounds(sizes))
    window = Window(Range(offset(lower), offset(upper)), order_by=(order,))
    frame = frame_sql("RANGE", lower, upper, sql)
    assert defined(window, drawn, (order,)) == duckdb_sees(duck, table(drawn, arrow), order_sql(order), frame)


@pytest.mark.parametrize("kind", ["int", "double", "zoned timestamp"])
@CASES
@given(st.data())
def test_rows_frames_are_duckdbs(duck: duckdb.DuckDBPyConnection, kind: str, data: st.DataObject) -> None:
    arrow, values, _, _ = KINDS[kind]
    drawn, order = data.draw(tuples(values)), data.draw(ordering)
    lower, upper = data.draw(bounds(st.integers(0, 5)))
    orders = (order, Order("id"))
    window = Window(Rows(offset(lower), offset(upper)), order_by=orders)
    frame = frame_sql("ROWS", lower, upper, str)
    assert defined(window, drawn, orders) == duckdb_sees(duck, table(drawn, arrow), f"{order_sql(order)}, id", frame)


@pytest.mark.parametrize("kind", KINDS)
@CASES
@given(st.data())
def test_groups_frames_are_duckdbs(duck: duckdb.DuckDBPyConnection, kind: str, data: st.DataObject) -> None:
    arrow, values, _, _ = KINDS[kind]
    drawn, order = data.draw(tuples(values)), data.draw(ordering)
    lower, upper = data.draw(bounds(st.integers(0, 5)))
    window = Window(Groups(offset(lower), offset(upper)), order_by=(order,))
    frame = frame_sql("GROUPS", lower, upper, str)
    assert defined(window, drawn, (order,)) == duckdb_sees(duck, table(drawn, arrow), order_sql(order), frame)


@pytest.mark.parametrize("unit", ["ROWS", "RANGE", "GROUPS"])
@pytest.mark.parametrize("kind", ["int", "double"])
@CASES
@given(st.data())
def test_frames_are_sqlites(kind: str, unit: str, data: st.DataObject) -> None:
    _, values, sizes, sql = KINDS[kind]
    drawn = data.draw(tuples(values.filter(lambda o: o == o)))  # SQLite has no NaN
    order = data.draw(ordering)
    lower, upper = data.draw(bounds(st.just(0) | sizes if unit == "RANGE" else st.integers(0, 5)))
    frame = frame_sql(unit, lower, upper, sql)
    orders = (order, Order("id")) if unit == "ROWS" else (order,)
    window = Window(
        {"ROWS": Rows, "RANGE": Range, "GROUPS": Groups}[unit](offset(lower), offset(upper)), order_by=orders
    )
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id, o, v, p)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", drawn)
    order_by = order_sql(order) + (", id" if unit == "ROWS" else "")
    query = f"SELECT id, group_concat(id) OVER w, {AGGREGATES} FROM t WINDOW w AS (ORDER BY {order_by} {frame})"
    expected = {
        id: (sorted(map(int, ids.split(","))) if ids else [], *values) for id, ids, *values in connection.execute(query)
    }
    assert defined(window, drawn, orders) == expected


@CASES
@given(st.lists(moments, min_size=1, max_size=30), st.integers(1, 8))
def test_a_range_of_seconds_is_pandas_rolling(times: list[datetime], size: int) -> None:
    times.sort()
    series = pd.Series(range(len(times)), index=pd.DatetimeIndex(times)) + 1.0
    rolling = series.rolling(f"{size}s", closed="both")
    window = Window(Range(Interval(0, -size * SECOND), 0), order_by=(Order("o"),))
    rows = [Row((t,), (i + 1.0,)) for i, t in enumerate(times)]
    for aggregate, expected in ((Sum(), rolling.sum()), (Count(), rolling.count()), (Least(), rolling.min())):
        found = results(aggregate, window, rows)
        # pandas ends the frame at the row itself: the last of the peers sees what all of them see here.
        by_time = dict(zip(times, expected.tolist(), strict=True))
        assert found == [by_time[t] for t in times]


# --- Slides and extents: DuckDB's time_bucket, joins and gaps-and-islands -----------------------------------


@st.composite
def sizes_and_origin(draw: st.DrawFn) -> tuple[Interval, datetime]:
    origin = draw(st.datetimes(datetime(1960, 1, 1), datetime(2020, 1, 1)))
    if draw(st.booleans()):
        return Interval(0, draw(st.integers(1, 9)) * SECOND), origin
    return Interval(draw(st.integers(1, 7))), datetime(origin.year, origin.month, 1)  # all that DuckDB sees of it


@CASES
@given(tuples(moments | month_ends), sizes_and_origin(), ordering)
def test_slots_and_tumbles_are_duckdbs_time_buckets(
    duck: duckdb.DuckDBPyConnection, drawn: list[Tuple], cut: tuple[Interval, datetime], order: Order
) -> None:
    size, origin = cut
    orders = (order, Order("id"))
    rows = in_order([Row((t.o, t.id)) for t in drawn], orders)
    t = table(drawn, pa.timestamp("us"))  # noqa: F841
    bucket = f"time_bucket({interval_sql(size)}, o, TIMESTAMP '{origin}')"
    by_slot = duck.execute(
        f"SELECT id FROM (SELECT *, {bucket} AS b FROM t) WINDOW w AS (ORDER BY {order_sql(order)}, id) "
        "QUALIFY lead(id) OVER w IS NULL OR b IS DISTINCT FROM lead(b) OVER w"
    ).fetchall()
    window = Window(Range(None, 0), order_by=(order,), slide=size, origin=origin)
    assert sorted(rows[i].order[1] for i in yields(window, rows)) == sorted(id for (id,) in by_slot)

    expected = duck.execute(
        f"SELECT {bucket} AS b, b + {interval_sql(size)}, list(id ORDER BY id) FROM t "
        "WHERE o IS NOT NULL GROUP BY b ORDER BY b"
    ).fetchall()
    found = extents(Hop("o", size, size, origin), rows)
    assert [(s, e, sorted(rows[i].order[1] for i in held)) for s, e, held in found] == expected


@CASES
@given(tuples(st.integers(-40, 40)), st.integers(1, 25), st.integers(1, 25), st.integers(-30, 30))
def test_hops_are_a_join_with_all_extents(
    duck: duckdb.DuckDBPyConnection, drawn: list[Tuple], size: int, every: int, origin: int
) -> None:
    rows = [Row((t.o,)) for t in drawn]
    t = table(drawn, pa.int64())  # noqa: F841
    expected = duck.execute(
        f"SELECT s, s + {size}, list(id ORDER BY id) FROM t JOIN "
        f"(SELECT {origin} + k * {every} AS s FROM range(-200, 200) g(k)) ON s <= o AND o < s + {size} "
        "GROUP BY s ORDER BY s"
    ).fetchall()
    assert extents(Hop("o", size, every, origin), rows) == expected


@CASES
@given(tuples(st.integers(-40, 40)), st.integers(1, 25), st.integers(1, 25), st.integers(-30, 30))
def test_cumulations_are_a_join_with_all_extents(
    duck: duckdb.DuckDBPyConnection, drawn: list[Tuple], size: int, every: int, origin: int
) -> None:
    rows = [Row((t.o,)) for t in drawn]
    t = table(drawn, pa.int64())  # noqa: F841
    expected = duck.execute(
        f"SELECT s, s + m * {every}, list(id ORDER BY id) FROM t "
        f"JOIN (SELECT {origin} + k * {size} AS s FROM range(-200, 200) g(k)) ON s <= o "
        f"JOIN range(1, 26) h(m) ON o < s + m * {every} AND m * {every} <= {size} "
        "GROUP BY s, m ORDER BY s, m"
    ).fetchall()
    assert extents(Cumulate("o", size, every, origin), rows) == expected


@CASES
@given(tuples(moments), st.integers(1, 8))
def test_sessions_are_gaps_and_islands(duck: duckdb.DuckDBPyConnection, drawn: list[Tuple], gap: int) -> None:
    rows = [Row((t.o,)) for t in drawn]
    t = table(drawn, pa.timestamp("us"))  # noqa: F841
    expected = duck.execute(
        f"SELECT min(o), max(o) + INTERVAL {gap} SECOND, list(id ORDER BY id) FROM ("
        "  SELECT id, o, count(nullif(gap, false)) OVER (ORDER BY o, id) AS island FROM ("
        f"   SELECT id, o, o - lag(o) OVER (ORDER BY o, id) > INTERVAL {gap} SECOND AS gap FROM t "
        "    WHERE o IS NOT NULL)) GROUP BY island ORDER BY 1"
    ).fetchall()
    assert extents(Session("o", Interval(0, gap * SECOND)), rows) == expected
    assert all(a[1] < b[0] for a, b in pairwise(expected))
