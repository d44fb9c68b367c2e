"""Point in time: ``with_columns(spine, ..., of=events)`` gives what the definition gives, and never sees the future."""

import pickle
from datetime import datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from samples.against_definition import close, largest, partitions, rows_of
from samples.ids import (
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsNaive,
    IdsPunt,
    IdsWithBase,
    Longest,
    LongestInWindow,
)
from samples.plain_builtins import TABLE as BUILT_INS
from samples.streams import CUTS, ORDERS, tables

import inwindow as iw
from inwindow.optimizer.points import plan_points
from inwindow.optimizer.rules import RULES
from inwindow.runtime.ordering import permutation
from inwindow.runtime.point_operator import EveryPoint, PointOperator
from inwindow.runtime.point_table import _together
from inwindow.runtime.reserved import EVENT
from inwindow.windows import reference
from inwindow.windows.reference_points import results_at
from inwindow.windows.spec import Order, Window

BLOCKING = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive, IdsWithBase, Longest, LongestInWindow]


FRAMES = (
    "rows", "rows to here", "groups", "groups to here", "range", "range to here", "unbounded", "landmark", "scope",
)  # fmt: skip


@st.composite
def windows(draw: st.DrawFn, order: str) -> Window:
    """Every window that makes sense at points in time."""
    _, moments, sizes, _ = ORDERS[order]
    sizes = sizes.filter(lambda size: "month" not in str(size) and "year" not in str(size))
    options: dict[str, Any] = {
        "partition_by": draw(st.sampled_from([(), ("k",)])),
        "order_by": Order("t", True, draw(st.booleans())),
    }
    kind = draw(st.sampled_from(FRAMES))
    if kind == "rows":
        return iw.rows(draw(st.integers(1, 5)), lag=draw(st.integers(0, 3)), **options)
    if kind == "rows to here":
        return iw.rows_between(None, -draw(st.integers(0, 3)), **options)
    if kind == "groups":
        return iw.groups(draw(st.integers(1, 4)), lag=draw(st.integers(0, 3)), **options)
    if kind == "groups to here":
        return iw.groups_between(None, -draw(st.integers(0, 3)), **options)
    if kind == "range":
        return iw.range(draw(sizes), lag=draw(st.one_of(st.none(), sizes)), **options)
    if kind == "range to here":
        lagged = iw.range(draw(sizes), **options).frame.lower
        return iw.range_between(None, draw(st.sampled_from([0, lagged])), **options)
    plain = moments.filter(lambda x: x == x and x not in (float("inf"), float("-inf")))
    if kind == "landmark":
        since, until = draw(st.one_of(st.none(), plain)), draw(st.one_of(st.none(), plain))
        if (since, until) != (None, None):
            return iw.landmark(since=since, until=until, **options)
    if kind == "scope":
        turn = draw(plain)

        def lower(t: Any) -> Any:
            return min(t, turn)

        def upper(t: Any) -> Any:
            return max(t, turn)

        functions = draw(st.sampled_from([{"lower": lower}, {"upper": upper}, {"lower": lower, "upper": upper}]))
        return iw.scope(**functions, **options)
    return iw.unbounded(**options)


@st.composite
def spines(draw: st.DrawFn, order: str) -> pa.Table:
    """Labels over the same keys and times as the events, one key that these lack, NULLs, and ties."""
    type_, moments, _, _ = ORDERS[order]
    rows = draw(
        st.lists(st.tuples(st.sampled_from(["a", "b", None, "c"]), st.one_of(moments, moments, st.none())), max_size=16)
    )
    k, t = ([row[i] for row in rows] for i in range(2))
    return pa.table(
        {"k": pa.array(k, pa.string()), "t": pa.array(t, type_), "label": pa.array(range(len(rows)), pa.int64())}
    )


def expected_at(spine: pa.Table, events: pa.Table, applied: iw.Applied, prototype: Any) -> list[Any]:
    """The definition, key by key."""
    window, traits = applied.window, applied.traits
    tuples, column = partitions(events, window.partition_by), [None] * len(spine)
    for key, indices in partitions(spine, window.partition_by).items():
        its = events.take(pa.array(tuples.get(key, []), pa.int64()))
        rows = reference.in_order(rows_of(its, window.order_by, applied.columns, applied.condition), window.order_by)
        times = [row.order[0] for row in rows_of(spine.take(indices), window.order_by, ())]
        for index, result in zip(
            indices, results_at(prototype, window, rows, times, traits.nulls, traits.empty), strict=True
        ):
            column[index] = result
    return column


def given_at(spine: pa.Table, events: pa.Table, applied: iw.Applied, size: int, *, pickled: bool) -> list[Any]:
    """The operator over batches of some size, moved to another operator between any two, if asked for."""
    (work,) = plan_points(spine.schema, events.schema, {"x": applied})
    both = _together(spine, events, work)
    order = permutation(both, work)
    both = both if order is None else both.take(pa.array(order))
    row = "__inwindow_row"
    operator, out = PointOperator(work, both.schema, (row,)), []
    for start in range(0, len(both), size):
        for batch in both.slice(start, size).combine_chunks().to_batches():
            out.append(operator.process(batch))
            if pickled:
                state = pickle.loads(pickle.dumps(operator.state()))
                operator = PointOperator(work, both.schema, (row,))
                operator.restore(state)
    out.append(operator.finish())
    column = [None] * len(spine)
    for batch in out:
        for at, value in zip(batch.column(row).to_pylist(), batch.column("x").to_pylist(), strict=True):
            column[at] = value
    return column


def strategies_for(spine: pa.Table, events: pa.Table, applied: iw.Applied) -> list[str]:
    """All strategies that are possible."""
    case = plan_points(spine.schema, events.schema, {"x": applied})[0].steps[0].case
    return [strategy.name for strategy in RULES if strategy.applies(case)]


def listed(value: Any) -> Any:
    """Arrow gives lists where hooks give tuples."""
    return list(value) if isinstance(value, tuple) else value


def test_an_engine_sorts_points_before_the_events_of_their_time() -> None:
    table = pa.table({"k": ["a", "a", "a"], "t": [1, 2, 2]})
    counted = iw.count().over(iw.rows(9, partition_by="k", order_by="t"))
    (work,) = plan_points(table.schema, table.schema, {"x": counted})
    both = _together(table, table, work)
    order = permutation(both.take(pa.array([5, 4, 3, 2, 1, 0])), EveryPoint(work, ()).ordered)
    assert order is not None
    assert [(5 - at) // 3 for at in order.tolist()] == [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
def test_classes(order: str, data: st.DataObject) -> None:
    prototype = data.draw(st.sampled_from(BLOCKING))()
    events, spine, window = data.draw(tables(order)), data.draw(spines(order)), data.draw(windows(order))
    applied = prototype("id").over(window)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    expected = [listed(value) for value in expected_at(spine, events, applied, prototype)]
    for strategy in strategies_for(spine, events, applied):
        size = data.draw(CUTS)
        forced = prototype("id").over(window, strategy=strategy)
        forced = forced if applied.condition is None else forced.filter("ok")
        note(f"{strategy} in batches of {size}: {applied}")
        assert given_at(spine, events, forced, size, pickled=data.draw(st.booleans())) == expected
    ours = iw.with_columns(spine, x=applied, of=events)
    assert ours["x"].to_pylist() == expected
    assert repr(ours.drop_columns("x").to_pylist()) == repr(spine.to_pylist())


@pytest.mark.parametrize("name", BUILT_INS)
@settings(max_examples=settings.default.max_examples // 3)
@given(data=st.data())
def test_built_ins(name: str, data: st.DataObject) -> None:
    row, order = BUILT_INS[name], data.draw(st.sampled_from(list(ORDERS)))
    events = data.draw(tables(order, values=row.values, kind=row.kind, second=len(row.columns) > 1))
    spine, window, prototype = data.draw(spines(order)), data.draw(windows(order)), row.plain()
    applied, plain = row.ours(*row.columns).over(window), prototype(*row.columns).over(window)
    if data.draw(st.booleans()):
        applied, plain = applied.filter("ok"), plain.filter("ok")
    expected = expected_at(spine, events, plain, prototype)
    scale = largest(events, row.columns)
    for strategy in strategies_for(spine, events, applied):
        forced = applied.over(window, strategy=strategy)
        ours = given_at(spine, events, forced, data.draw(CUTS), pickled=data.draw(st.booleans()))
        note(f"{strategy}: {ours} should be {expected}")
        assert all(close(name, a, b, scale) for a, b in zip(ours, expected, strict=True))


@pytest.mark.parametrize("window", [
    iw.range(50, order_by="t"), iw.range(40, lag=10, order_by="t"), iw.range_between(None, -30, order_by="t"),
    iw.rows(20, lag=5, order_by="t"), iw.rows_between(None, -7, order_by="t"), iw.landmark(since=100, until=200, order_by="t"),
    iw.scope(lower=lambda t: t // 50 * 50, upper=lambda t: t - 10, order_by="t"),
], ids=lambda window: window.describe())  # fmt: skip
@pytest.mark.parametrize("name", ["max", "min_by", "sum", "median", "last", "count_distinct", "collect_list"])
def test_a_long_partition_in_small_batches(name: str, window: Window) -> None:
    """Values and keys are let go one by one: those that a later frame needs must not be."""
    t = np.arange(300)
    events = pa.table({"t": t, "v": np.where(t % 7 == 3, 50.0 - t, -1.0 * t), "w": (t * 37 % 101) * 1.0})
    events, spine = events.filter(pa.array(t % 10 != 0)), pa.table({"t": t[::10]})
    row = BUILT_INS[name]
    prototype = row.plain()
    expected = expected_at(spine, events, prototype(*row.columns).over(window), prototype)
    for strategy in strategies_for(spine, events, row.ours(*row.columns).over(window)):
        applied = row.ours(*row.columns).over(window, strategy=strategy)
        for size in (1, 13):
            ours = given_at(spine, events, applied, size, pickled=False)
            assert all(close(name, a, b, 300) for a, b in zip(ours, expected, strict=True)), strategy


# A table's worth of labels, beside a join

USERS, EVENTS, LABELS = 40, 20_000, 10_000


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    """Events of forty users (and of none) in a year, at whole hours: many at the same time."""
    random = np.random.default_rng(5)
    hours = np.sort(random.integers(0, 365 * 24, EVENTS))
    return pa.table(
        {
            "price": pa.array(random.integers(0, 400, EVENTS) / 4, mask=random.random(EVENTS) < 0.1),
            "user": pa.array(random.integers(0, USERS, EVENTS), mask=random.random(EVENTS) < 0.02),
            "ts": pa.array([datetime(2026, 1, 1) + timedelta(hours=int(hour)) for hour in hours], pa.timestamp("us")),
            "id": range(EVENTS),
        }
    )


@pytest.fixture(scope="module")
def labels(visits: pa.Table) -> pa.Table:
    """Labels: half at the very time of an event of the user; some users have no event."""
    random = np.random.default_rng(6)
    at = random.integers(0, EVENTS, LABELS)
    off = np.where(random.random(LABELS) < 0.5, 0, random.integers(-200, 200, LABELS))
    times = pc.add(visits["ts"].take(at), pa.array(off * 3_600_000_000, pa.duration("us")))
    users = pc.if_else(pa.array(random.random(LABELS) < 0.02), pa.scalar(USERS + 1), visits["user"].take(at))
    return pa.table({"label": range(LABELS), "ts": times, "user": users, "y": random.integers(0, 2, LABELS)})


BY_USER = {"partition_by": "user", "order_by": "ts"}


def test_ten_thousand_labels_equal_a_join(labels: pa.Table, visits: pa.Table) -> None:
    week, lagged = iw.range("7 days", **BY_USER), iw.range("7 days", lag="1 day", **BY_USER)
    ours = iw.with_columns(
        labels,
        n=iw.count().over(week),
        total=iw.sum("price").over(week),
        high=iw.max("price").over(week),
        middle=iw.median("price").over(week),
        early=iw.sum("price").over(lagged),
        ever=iw.sum("price").over(iw.unbounded(**BY_USER)),
        newest=iw.max("ts").over(iw.unbounded(**BY_USER)),
        last5=iw.collect_list("id").over(iw.rows(5, **BY_USER)),
        before5=iw.collect_list("id").over(iw.rows(5, lag=2, **BY_USER)),
        of=visits,
    )
    theirs = duckdb.sql(
        """
        SELECT label, count(id) FILTER (recent) AS n, sum(price) FILTER (recent) AS total, max(price) FILTER (recent) AS high,
            median(price) FILTER (recent) AS middle, sum(price) FILTER (e.ts <= l.ts - INTERVAL 1 DAY AND e.ts >= l.ts - INTERVAL
            8 DAY) AS early, sum(price) AS ever, max(e.ts) AS newest, list(id ORDER BY id) FILTER (id IS NOT NULL) AS ids
        FROM labels l LEFT JOIN (SELECT * FROM visits) e ON e.user IS NOT DISTINCT FROM l.user AND e.ts < l.ts,
            LATERAL (SELECT e.ts >= l.ts - INTERVAL 7 DAY AS recent)
        GROUP BY label ORDER BY label
        """
    ).arrow()
    theirs = theirs.read_all() if isinstance(theirs, pa.RecordBatchReader) else theirs
    assert ours.drop_columns(ours.column_names[4:]) == labels  # its rows, columns, order
    for name in ("n", "total", "high", "middle", "early", "ever", "newest"):  # quarters: sums of them are exact
        assert ours[name].to_pylist() == theirs[name].to_pylist(), name
    ids = [ids or [] for ids in theirs["ids"].to_pylist()]
    assert ours["last5"].to_pylist() == [its[-5:] for its in ids]
    assert ours["before5"].to_pylist() == [its[:-2][-5:] for its in ids]
    assert 0 < sum(n == 0 for n in ours["n"].to_pylist()) < LABELS / 2


def test_the_newest_event_is_that_of_an_asof_join(labels: pa.Table, visits: pa.Table) -> None:
    known = visits.filter(pc.is_valid(visits["user"])).drop_columns("price")
    ours = iw.with_columns(labels, newest=iw.last("ts").over(iw.rows(1, **BY_USER)), of=known)
    theirs = duckdb.sql(
        "SELECT e.ts FROM labels l ASOF LEFT JOIN known e ON l.user = e.user AND l.ts > e.ts ORDER BY label"
    ).fetchall()
    assert ours["newest"].to_pylist() == [ts for (ts,) in theirs]


def test_no_label_sees_what_comes_at_its_time_or_later(labels: pa.Table, visits: pa.Table) -> None:
    window = iw.unbounded(**BY_USER)
    seen = iw.with_columns(labels, newest=iw.max("ts").over(window), ids=iw.collect_list("id").over(window), of=visits)
    assert not pc.any(pc.greater_equal(seen["newest"], seen["ts"])).as_py()
    # Whatever the events from then on are: another world after noon on the 1st of July, and no label before it differs.
    noon = pa.scalar(datetime(2026, 7, 1, 12), pa.timestamp("us"))
    later = pc.greater_equal(visits["ts"], noon)
    other = visits.set_column(0, "price", pc.if_else(later, pa.scalar(1e9), visits["price"]))
    extra = other.filter(later)
    early = labels.filter(pc.less_equal(labels["ts"], noon))
    aggregates = {
        name: one.over(window)
        for window in (iw.range("40 days", **BY_USER), iw.rows(20, **BY_USER), iw.unbounded(**BY_USER))
        for name, one in {f"s{id(window)}": iw.sum("price"), f"m{id(window)}": iw.max("price")}.items()
    }
    assert iw.with_columns(early, **aggregates, of=visits) == iw.with_columns(
        early, **aggregates, of=pa.concat_tables([other, extra])
    )
    assert early.num_rows > LABELS / 4


def test_ties() -> None:
    events = pa.table({"t": [1, 2, 2, 3], "v": ["a", "b", "c", "d"]})
    spine = pa.table({"t": [3, 2, 2, 1, 4, None]})
    windows = {
        "rows": iw.rows(2, order_by="t"),
        "range": iw.range(1, order_by="t"),
        "nothing": iw.range(0, order_by="t"),
        "all": iw.unbounded(order_by="t"),
        "lag": iw.range(1, lag=1, order_by="t"),
        "skip": iw.rows(1, lag=1, order_by="t"),
    }
    ours = iw.with_columns(spine, **{n: iw.string_agg("v", "").over(w) for n, w in windows.items()}, of=events)
    assert ours.to_pydict() == {
        "t": [3, 2, 2, 1, 4, None],
        "rows": ["bc", "a", "a", None, "cd", None],
        "range": ["bc", "a", "a", None, "d", None],  # 4 - 1 = 3 is in
        "nothing": [None] * 6,
        "all": ["abc", "a", "a", None, "abcd", None],
        "lag": ["abc", "a", "a", None, "bcd", None],  # up to t - 1, inclusive
        "skip": ["b", None, None, None, "c", None],
    }


# What it costs


def test_what_no_point_can_see_is_let_go() -> None:
    schema = pa.schema({"t": pa.int64(), "v": pa.float64(), EVENT: pa.int8(), "row": pa.int64()})
    spine, events = pa.schema([schema.field("t")]), pa.schema([schema.field("t"), schema.field("v")])
    applied = {
        "a": iw.avg("v").over(iw.rows(100, order_by="t")),
        "b": iw.max("v").over(iw.range(100, order_by="t")),
        "c": iw.sum("v").over(iw.unbounded(order_by="t")),
        "d": iw.sum("v").over(iw.landmark(since=50, order_by="t")),
    }
    (work,) = plan_points(spine, events, applied)
    operator, most = PointOperator(work, schema, ("row",)), 0
    out = []
    for start in range(0, 50_000, 500):  # points are rare, or none for long
        is_event = np.ones(500, dtype=np.int8)
        is_event[0] = start % 10_000 != 0
        t = np.arange(start, start + 500)
        batch = pa.record_batch([t, t * 1.0, is_event, t], schema=schema)
        out += operator.process(batch).to_pylist()
        most = max(most, operator.buffer.end - operator.buffer.base, len(operator.sequence.keys))
    assert most < 2_000
    assert [row["row"] for row in out] == [0, 10_000, 20_000, 30_000, 40_000]
    assert out[1]["c"] == sum(range(1, 10_000)) and out[1]["d"] == sum(range(50, 10_000))
    assert out[1]["b"] == 9_999 and out[1]["a"] == sum(range(9_900, 10_000)) / 100


# As a user writes it


def test_columns_are_told_apart_by_their_table() -> None:
    events = pa.table({"k": ["a", "a"], "t": [1, 2], "y": [10, 20], "ok": [True, False]})
    spine = pa.table({"y": [7, 8], "t": [2, 3], "k": ["a", "a"]})
    window = iw.unbounded(partition_by="k", order_by="t")
    ours = iw.with_columns(
        spine, y=iw.sum(pc.field("y") * 2).over(window), n=iw.count().filter("ok").over(window), of=events
    )
    assert ours.to_pydict() == {"y": [20, 60], "t": [2, 3], "k": ["a", "a"], "n": [1, 1]}
    by_time = iw.with_columns(spine, first=iw.min("t").over(window), keys=iw.collect_list("k").over(window), of=events)
    assert by_time["first"].to_pylist() == [1, 1] and by_time["keys"].to_pylist() == [["a"], ["a", "a"]]


@pytest.mark.parametrize("units", [("us", "s"), ("s", "us"), ("ms", "ns")])
def test_times_in_two_units_are_compared_in_the_finer_one(units: tuple[str, str]) -> None:
    """A CSV file has seconds, Python's datetimes are microseconds."""
    ours, theirs = (pa.timestamp(unit) for unit in units)
    labels = pa.table({"ts": pa.array([datetime(2026, 1, 1, 0, 0, s) for s in (5, 6, 9)], ours)})
    clicks = pa.table({"ts": pa.array([datetime(2026, 1, 1, 0, 0, s) for s in (1, 5, 6)], theirs), "n": [1, 10, 100]})
    window = iw.range("4 seconds", order_by="ts")
    applied = {"n": iw.sum("n").over(window), "last": iw.max("ts").over(window)}
    given = iw.with_columns(labels, **applied, of=clicks)
    assert given["ts"] == labels["ts"] and given["n"].to_pylist() == [1, 10, 110]
    finer = max(ours, theirs, key=lambda kind: ["s", "ms", "us", "ns"].index(kind.unit))
    assert given.schema.field("last").type == finer
    assert "timestamp[" + finer.unit in str(iw.explain(labels, **applied, of=clicks))


def test_several_partitionings_and_places() -> None:
    events = pa.table({"k": ["a", "b", "a"], "t": [1, 2, 3], "s": pa.array([3.0, 1.0, 2.0]), "v": [1, 2, 4]})
    spine = pa.table({"k": ["b", "a"], "t": [4, 3], "s": [2.5, None]})
    ours = iw.with_columns(
        spine,
        own=iw.sum("v").over(iw.unbounded(partition_by="k", order_by="t")),
        all=iw.sum("v").over(iw.unbounded(order_by="t")),
        other=iw.sum("v").over(iw.unbounded(order_by="s")),
        of=events,
    )
    assert ours.select(["own", "all", "other"]).to_pydict() == {"own": [2, 1], "all": [7, 3], "other": [6, None]}


def test_nothing_on_either_side() -> None:
    events, spine = pa.table({"t": [1], "v": [1.0]}), pa.table({"t": [2, 3]})
    applied = {"n": iw.count().over(iw.rows(2, order_by="t")), "s": iw.sum("v").over(iw.range(5, order_by="t"))}
    assert iw.with_columns(spine, **applied, of=events.slice(1)).to_pydict() == {
        "t": [2, 3],
        "n": [0, 0],
        "s": [None] * 2,
    }
    assert iw.with_columns(spine.slice(2), **applied, of=events).to_pydict() == {"t": [], "n": [], "s": []}
    assert iw.with_columns(spine.slice(2), **applied, of=events.slice(1)).num_rows == 0


def test_an_aggregate_may_be_called_of() -> None:
    table = pa.table({"v": [1.0, 2.0]})
    assert iw.with_columns(table, of=iw.sum("v").over(iw.rows(2))).to_pydict() == {"v": [1.0, 2.0], "of": [1.0, 3.0]}


def test_explain_says_where_the_results_are() -> None:
    events, spine = pa.table({"t": [1], "v": [1.0]}), pa.table({"t": [2, 3]})
    text = str(iw.explain(spine, s=iw.sum("v").over(iw.unbounded(order_by="t")), of=events))
    assert "strategy  unbounded" in text and text.endswith("results at the rows of the first alone")
    assert str(iw.explain(spine.schema, s=iw.sum("v").over(iw.unbounded(order_by="t")), of=events)) == text
