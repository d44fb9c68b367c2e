"""Every strategy, frame kind, order type and batch cut gives what the definition gives."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, expected_groups, expected_rows, sorted_for
from samples.ids import (
    Doubling,
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsNaive,
    IdsPunt,
    IdsWithBase,
    Leaving,
    LeavingTwice,
    Live,
    Longest,
    LongestInWindow,
    Running,
    RunningOr,
)  # fmt: skip
from samples.streams import CUTS, EXTENT_ORDERS, INTS, ORDERS, near, tables, windows

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES

BLOCKING = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive, IdsWithBase, Longest, LongestInWindow]
FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "trailing groups", "landmark")


def listed(value: Any) -> Any:
    """Arrow gives lists where hooks give tuples."""
    return list(value) if isinstance(value, tuple) else value


def strategies_for(schema: pa.Schema, applied: iw.Applied) -> list[str]:
    """All strategies that are possible, the chosen one among them."""
    case = plan_windows(schema, {"x": applied})[0].steps[0].case
    return [strategy.name for strategy in RULES if strategy.applies(case)]


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
def test_blocking_aggregates(order: str, data: st.DataObject) -> None:
    aggregate = data.draw(st.sampled_from(BLOCKING))
    table = data.draw(tables(order))
    window = data.draw(windows(order, FRAMES))
    prototype = aggregate()
    applied = prototype("id").over(window)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, window)
    expected = expected_column(table, applied, prototype)
    for strategy in strategies_for(table.schema, applied):
        size = data.draw(CUTS)
        note(f"{strategy} in batches of {size}: {applied}")
        forced = prototype("id").over(window, strategy=strategy)
        forced = forced if applied.condition is None else forced.filter("ok")
        ours = iw.with_columns(cut(table, size), x=forced).read_all()
        assert ours.column("x").to_pylist() == [listed(e) for e in expected]
        assert repr(ours.drop_columns("x").to_pylist()) == repr(table.to_pylist())


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
def test_non_blocking_aggregates(order: str, data: st.DataObject) -> None:
    aggregate = data.draw(st.sampled_from([Running, RunningOr, Live]))
    table = data.draw(tables(order))
    window = data.draw(windows(order, ("trailing rows", "trailing range", "trailing groups")))
    prototype = aggregate()
    applied = prototype("id").over(window)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, window)
    ours = iw.with_columns(cut(table, data.draw(CUTS)), x=applied).read_all()
    assert ours.column("x").to_pylist() == [listed(e) for e in expected_column(table, applied, prototype)]


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
def test_select(order: str, data: st.DataObject) -> None:
    aggregate = data.draw(st.sampled_from([Running, Doubling, IdsExpire]))
    table = data.draw(tables(order))
    window = data.draw(windows(order, ("trailing rows", "trailing range", "trailing groups")))
    prototype = aggregate()
    applied = prototype("id").over(window)
    table = sorted_for(table, window)
    rows = pa.array(range(len(table)), pa.int64())
    ours = iw.select(cut(table.append_column("row", rows), data.draw(CUTS)), "row", x=applied).read_all()
    expected = sorted(expected_rows(table, applied, prototype), key=lambda pair: pair[0])
    assert list(zip(*ours.to_pydict().values(), strict=True)) == [tuple(pair) for pair in expected]


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
def test_active_expiration(order: str, data: st.DataObject) -> None:
    aggregate = data.draw(st.sampled_from([Leaving, LeavingTwice]))
    table = data.draw(tables(order))
    size = data.draw(ORDERS[order][2].filter(lambda size: not is_fractional(order, size)))
    window = iw.range(size, order_by="t", partition_by=data.draw(st.sampled_from([(), ("k",)])), active_expiration=True)
    prototype = aggregate()
    applied = prototype("id").over(window)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, window)
    rows = pa.array(range(len(table)), pa.int64())
    ours = iw.select(cut(table.append_column("row", rows), data.draw(CUTS)), "row", x=applied).read_all()
    expected = [(row, value) for row, _, value in expected_rows(table, applied, prototype)]
    assert list(zip(*ours.to_pydict().values(), strict=True)) == expected


def is_fractional(order: str, size: Any) -> bool:
    """Whether the time at which a tuple leaves could not be told in the column's type."""
    return (
        "month" in str(size)
        or "year" in str(size)
        or (order, size) in {("date", "36 hours"), ("timestamp in seconds", "1500 ms"), ("int32", 2.5)}
    )


@pytest.mark.parametrize("order", EXTENT_ORDERS)
@given(data=st.data())
def test_extents(order: str, data: st.DataObject) -> None:
    aggregate = data.draw(st.sampled_from([Ids, IdsMerge, IdsAll, Longest, LongestInWindow]))
    far = {"int64", "date", "timestamp", "double"}  # extents of values at the very ends are not in question
    table = data.draw(tables(order))
    if order in far:
        table = table.filter(pa.array([near(t) for t in table.column("t").to_pylist()], pa.bool_()))
    steps = ORDERS[order][3]
    kind = data.draw(st.sampled_from(["tumble", "hop", "hop", "cumulate", "session", "rows"]))
    if kind == "hop":
        size, every = data.draw(steps), data.draw(steps)
        every = every if isinstance(every, str) == isinstance(size, str) else size
        extent: Any = iw.hop("t", size=size, every=every)
    elif kind == "tumble":
        extent = iw.tumble("t", size=data.draw(steps))
    elif kind == "cumulate":
        every = data.draw(steps)
        times = data.draw(st.integers(1, 3))
        size = every * times if not isinstance(every, str) else " ".join([every] * times)
        extent = iw.cumulate("t", size=size, every=every)
    elif kind == "session":
        extent = iw.session("t", gap=data.draw(steps))
    else:
        extent = iw.hop("t", rows=data.draw(st.integers(1, 6)), every=data.draw(st.integers(1, 4)))
    prototype = aggregate()
    applied = prototype("id")
    keys = data.draw(st.sampled_from([(), ("k",)]))
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, iw.unbounded(partition_by=keys, order_by="t"))
    ours = iw.group_by(cut(table, data.draw(CUTS)), *keys).window(extent).agg(x=applied).read_all()
    found = [
        (*(row[key] for key in keys), row["window"]["start"], row["window"]["end"], row["x"])
        for row in ours.to_pylist()
    ]
    expected = expected_groups(table, keys, extent, applied, prototype)
    assert found == [tuple(map(listed, row)) for row in expected]


@given(data=st.data())
def test_several_aggregates_share_a_pass(data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(list(ORDERS)))
    table = data.draw(tables(order, values=INTS, kind=pa.int64()))
    first = data.draw(windows(order, FRAMES))
    alike = windows(order, FRAMES).filter(lambda other: other.order_by[0].ascending == first.order_by[0].ascending)
    over = {"a": IdsExpire()("id").over(first)}
    for name, aggregate in (("b", IdsMerge()), ("c", IdsAll())):
        window = data.draw(alike)
        over[name] = aggregate("id").over(window, partition_by=first.partition_by, order_by=first.order_by)
    table = sorted_for(table, first)
    ours = iw.with_columns(cut(table, data.draw(CUTS)), **over).read_all()
    for name, applied in over.items():
        expected = expected_column(table, applied, applied.aggregate)
        assert ours.column(name).to_pylist() == [listed(e) for e in expected]


@given(data=st.data())
def test_tables_come_back_in_the_order_they_came_in(data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(list(ORDERS)))
    table = data.draw(tables(order))
    window = data.draw(windows(order, FRAMES))
    applied = IdsExpire()("id").over(window)
    ours = iw.with_columns(table, x=applied)
    assert repr(ours.drop_columns("x").to_pylist()) == repr(table.to_pylist())
    by_id = dict(zip(ours.column("id").to_pylist(), ours.column("x").to_pylist(), strict=True))
    ordered = sorted_for(table, window)
    expected = expected_column(ordered, applied, applied.aggregate)
    for identity, result in zip(ordered.column("id").to_pylist(), expected, strict=True):
        assert by_id[identity] == listed(result)
