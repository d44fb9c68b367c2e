"""The operator itself: it can be stopped anywhere and go on elsewhere, holds what frames need, and refuses other states."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import expected_column, sorted_for
from samples.aggregates import MergedTotal
from samples.ids import Ids, IdsAll, IdsExpire, IdsInWindow, IdsMerge, Live, Longest, Running
from samples.streams import CUTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.row_operators import WithColumns

BLOCKING = [Ids, IdsMerge, IdsExpire, IdsAll, IdsInWindow, Longest]
TRAILING = ("trailing rows", "trailing range", "trailing groups")
BUILT_INS = [iw.count, iw.sum, iw.avg, iw.min, iw.max, iw.median, iw.first, iw.last, iw.collect_list, iw.count_distinct]


def run_with_stops(make: Any, table: pa.Table, size: int, stop_every: int) -> list[Any]:
    """Feed the table batch by batch; every so often a new operator goes on from the bytes of the old one."""
    operator, out = make(), []
    for number, start in enumerate(range(0, len(table), size)):
        for batch in table.slice(start, size).combine_chunks().to_batches():
            out += operator.process(batch).to_pylist()
        if number % stop_every == 0:
            state = operator.state()
            operator = make()
            operator.restore(state)
    return out + operator.finish().to_pylist()


@pytest.mark.parametrize("order", ["int64", "double", "timestamp", "wide decimal"])
@given(data=st.data())
def test_stops_do_not_show(order: str, data: st.DataObject) -> None:
    table = data.draw(tables(order))
    emits = data.draw(st.booleans())
    holes = not emits and data.draw(st.booleans())
    window = data.draw(windows(order, TRAILING if emits else ("rows", "range", "groups", "landmark"), holes=holes))
    prototype = data.draw(st.sampled_from([Running, Live] if emits else BLOCKING))()
    applied = prototype("id").over(window)
    table = sorted_for(table, window)
    (work,) = plan_windows(table.schema, {"x": applied})
    rows = run_with_stops(
        lambda: WithColumns(work, table.schema, ()), table, data.draw(CUTS), data.draw(st.sampled_from([1, 3]))
    )
    expected = expected_column(table, applied, prototype)
    assert [row["x"] for row in rows] == [list(e) if isinstance(e, tuple) else e for e in expected]


@pytest.mark.parametrize("built_in", BUILT_INS, ids=lambda f: f.__name__)
@given(data=st.data())
def test_stops_do_not_show_in_kernels(built_in: Any, data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(["int64", "timestamp"]))
    table = data.draw(tables(order, values=st.one_of(st.integers(-5, 5).map(float), st.none())))
    window = data.draw(windows(order, ("rows", "range", "groups", "landmark"), holes=data.draw(st.booleans())))
    (work,) = plan_windows(table.schema, {"x": built_in("v").over(window)})
    table = sorted_for(table, window)
    whole = run_with_stops(lambda: WithColumns(work, table.schema, ()), table, 1000, 1000)
    cut = run_with_stops(lambda: WithColumns(work, table.schema, ()), table, data.draw(CUTS), 1)
    assert cut == whole


@given(data=st.data())
def test_stops_do_not_show_in_extents(data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(["int32", "timestamp in seconds"]))
    table = data.draw(tables(order))
    steps = ORDERS[order][3]
    extent = data.draw(
        st.sampled_from(
            [
                iw.hop("t", size=data.draw(steps), every=data.draw(steps)),
                iw.session("t", gap=data.draw(steps)),
                iw.tumble("t", rows=3),
                None,
            ]
        )
    )
    aggregate = data.draw(st.sampled_from([Ids, IdsMerge, IdsAll]))()
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    work = plan_groups(table.schema, ("k",), extent, {"x": aggregate("id"), "n": iw.count(), "hi": iw.max("v")})
    whole = run_with_stops(lambda: GroupOperator(work, table.schema), table, 1000, 1000)
    cut = run_with_stops(lambda: GroupOperator(work, table.schema), table, data.draw(CUTS), 1)
    assert repr(cut) == repr(whole)


def test_a_state_of_another_plan_is_refused() -> None:
    schema = pa.schema([("v", pa.float64())])
    one, other = (
        WithColumns(plan_windows(schema, {"x": iw.max("v").over(iw.rows(size))})[0], schema, ()) for size in (3, 4)
    )
    with pytest.raises(
        iw.DataError, match="the window of x: .rows between 2 preceding .* in the state, .rows between 3"
    ):
        other.restore(one.state())


def test_a_state_knows_whether_a_sentinel_watched() -> None:
    schema = pa.schema([("v", pa.float64())])
    over = MergedTotal()("v").over(iw.rows(3))
    one, other = (
        WithColumns(plan_windows(schema, {"x": applied})[0], schema, ()) for applied in (over, over.sentinel(0.5))
    )
    with pytest.raises(iw.StateError, match="the sentinel of x: none in the state, one in the query"):
        other.restore(one.state())


def held_after(applied: iw.Applied, table: pa.Table, batch: int) -> tuple[WithColumns, int]:
    """The operator after the table went through, and the most tuples it ever held between two batches."""
    operator = WithColumns(plan_windows(table.schema, {"x": applied})[0], table.schema, ())
    most = 0
    for piece in table.to_batches(max_chunksize=batch):
        operator.process(piece)
        most = max(most, operator.buffer.end - operator.buffer.base)
    return operator, most


@pytest.mark.parametrize("aggregate", [MergedTotal(), iw.sum, iw.max], ids=["class", "sum", "max"])
def test_a_cascade_holds_partials_not_tuples(aggregate: Any) -> None:
    # ESL, section 6.2: window 40,000, slide 10,000: 4 + 1 values instead of 40,000.
    table = pa.table({"v": [float(i % 97) for i in range(100_000)]})
    operator, most = held_after(aggregate("v").over(iw.rows(40_000, slide=10_000)), table, 1000)
    assert most == 0
    (lane,) = operator.lanes
    assert len(lane.evaluator.pane_starts) <= 4  # and the open one


@pytest.mark.parametrize("applied", [IdsExpire()("id"), iw.sum("id"), iw.median("id"), iw.collect_list("id")], ids=str)
def test_a_reader_of_any_length_needs_only_the_window(applied: iw.Applied) -> None:
    table = pa.table({"id": range(20_000)})
    _, most = held_after(applied.over(iw.rows(50)), table, 100)
    assert most < 200


@pytest.mark.parametrize("applied", [MergedTotal()("v"), iw.sum("v"), iw.first("v"), iw.count("v")], ids=str)
def test_unbounded_and_tumbling_windows_hold_nothing(applied: iw.Applied) -> None:
    table = pa.table({"v": [float(i) for i in range(10_000)]})
    for window in (iw.unbounded(), iw.unbounded(slide=3000), iw.rows(2000, slide=3000)):
        _, most = held_after(applied.over(window), table, 100)
        assert most <= 1
