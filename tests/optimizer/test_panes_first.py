"""Panes before the shuffle, without a JVM: reduced on several tasks, shuffled in Python, merged; and what is no candidate."""

import io
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from samples.against_definition import close, expected_groups, largest
from samples.ids import IdsMerge
from samples.plain_builtins import TABLE
from samples.streams import EXTENT_ORDERS, ORDERS, near, tables

import inwindow as iw
from inwindow.optimizer.panes_first import panes_first
from inwindow.optimizer.planning import plan_groups
from inwindow.runtime.ordering import permutation
from inwindow.runtime.panes_first import PaneGroups, PaneReducer, PanesFirst, grouped


class Seen(iw.Aggregate, returns="array<bigint>", commutative=True):
    """Shows which tuples it has seen, in no order."""

    def iterate(self, id):
        self.ids = {*getattr(self, "ids", ()), id}

    def merge(self, later):
        self.ids = self.ids | later.ids

    def terminate(self):
        return sorted(self.ids)


class SeenUndone(Seen, returns="array<bigint>", nulls="pass", empty=(), commutative=True):
    """With the inverse of merge."""

    def unmerge(self, earlier):
        assert earlier.ids <= self.ids
        self.ids = self.ids - earlier.ids


def sent(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Through a pipe and back: what arrives has other buffers than what was sent."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def by_panes(
    table: pa.Table, keys: tuple[str, ...], extent: Any, aggregates: dict[str, iw.Applied], tasks: int = 2, cut: int = 7
) -> list[dict[str, Any]]:
    """What tasks make of their share of the tuples, shuffled and sorted, as extents."""
    work = plan_groups(table.schema, keys, extent, aggregates)
    verdict = panes_first(work)
    assert verdict, verdict
    plan = PanesFirst.of(work, table.schema)
    rows = np.arange(len(table))
    made = []
    for task in range(tasks):
        its = table.take(pa.array(rows[rows % tasks == task]))
        with patch("inwindow.runtime.panes_first._STEP", 2 if cut < 20 else 1 << 16):
            made += PaneReducer(plan, rows=cut).run(iter(its.to_batches(max_chunksize=max(cut // 2, 1))))
    random.Random(len(table)).shuffle(made)
    bundles = plan.bundles
    arrived = sent([bundles.packed(batch) for batch in made], bundles.sent)
    partials = pa.Table.from_batches(map(bundles.opened, arrived.to_batches()), plan.schema)
    order = permutation(partials, plan.merging)
    partials = partials if order is None else partials.take(pa.array(order))
    operator = PaneGroups(plan, plan.schema)
    given = [operator.process(batch) for batch in partials.combine_chunks().to_batches(max_chunksize=cut)]
    whole = pa.Table.from_batches([*given, operator.finish()])
    raw = iw.group_by(table.slice(0, 0), *keys).window(extent).agg(**aggregates)
    assert whole.schema == raw.schema
    return whole.to_pylist()


def located(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[Any, dict[str, Any]]:
    """Rows by their key and window, which are there once each."""
    found = {(*(row[key] for key in keys), row["window"]["start"], row["window"]["end"]): row for row in rows}
    assert len(found) == len(rows)
    return found


TASKS, CUTS = st.sampled_from([1, 2, 7]), st.sampled_from([1, 3, 10, 1000])


@st.composite
def extents(draw: st.DrawFn, order: str) -> Any:
    """Overlapping, side by side, with gaps between them, growing."""
    steps = ORDERS[order][3]
    kind = draw(st.sampled_from(["tumble", "hop", "hop", "cumulate"]))
    if kind == "hop":
        size, every = draw(steps), draw(steps)
        return iw.hop("t", size=size, every=every if isinstance(every, str) == isinstance(size, str) else size)
    if kind == "tumble":
        return iw.tumble("t", size=draw(steps))
    every, times = draw(steps), draw(st.integers(1, 3))
    return iw.cumulate(
        "t", size=every * times if not isinstance(every, str) else " ".join([every] * times), every=every
    )


@pytest.mark.parametrize("order", EXTENT_ORDERS)
@given(data=st.data())
def test_the_tuples_of_each_extent(order: str, data: st.DataObject) -> None:
    table = data.draw(tables(order))
    table = table.filter(pa.array([near(t) for t in table.column("t").to_pylist()], pa.bool_()))
    extent, keys = data.draw(extents(order)), data.draw(st.sampled_from([(), ("k",)]))
    prototype = data.draw(st.sampled_from([Seen, SeenUndone]))()
    applied = prototype("id")
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    ours = by_panes(table, keys, extent, {"x": applied, "n": iw.count()}, data.draw(TASKS), data.draw(CUTS))
    found = {at: row["x"] for at, row in located(ours, keys).items()}
    expected = {
        tuple(at): None if x is None else sorted(x)
        for *at, x in expected_groups(table, keys, extent, applied, prototype)
    }
    assert found == expected


@pytest.mark.parametrize(
    "extent",
    [
        iw.tumble("t", "1 day", fill="previous"), iw.hop("t", "6 hours", "2 hours", fill=0.0, quiet="12 hours"),
        iw.tumble("t", "1 day", timezone="America/New_York"), iw.hop("t", "2 months", "1 month"),
        iw.cumulate("t", "1 month", "1 day", timezone="America/New_York"), iw.hop("t", "10 days", "1 month"),
    ],
    ids=repr,
)  # fmt: skip
def test_calendars_and_gaps(extent: Any) -> None:
    start, random_hours = datetime(2026, 3, 1, tzinfo=UTC), random.Random(7)
    times = [start + timedelta(hours=random_hours.randint(0, 24 * 70)) for _ in range(60)]
    table = pa.table(
        {"k": [f"k{n % 3}" for n in range(60)], "t": pa.array(times, pa.timestamp("us", "UTC")), "v": np.arange(60.0)}
    )
    applied = {"n": iw.count(), "top": iw.max("v"), "total": iw.sum("v")}
    expected = iw.group_by(table, "k").window(extent).agg(**applied).to_pylist()
    ours = located(by_panes(table, ("k",), extent, applied, 3, 10), ("k",))
    assert ours == located(expected, ("k",))


def candidates() -> list[str]:
    """The built-ins that can."""
    found = []
    for name, row in TABLE.items():
        schema = pa.schema({"t": pa.int64(), "v": row.kind, "w": row.kind})
        work = plan_groups(schema, (), iw.tumble("t", size=2), {"x": row.ours(*row.columns)})
        if panes_first(work):
            found.append(name)
    return found


def test_which_built_ins_can() -> None:
    assert set(TABLE) - set(candidates()) == {
        "max_by", "min_by", "median", "percentile", "percentiles", "percentile_approx", "mode of texts", "first", "last",
        "first ignoring nulls", "last ignoring nulls", "nth_value", "nth_value ignoring nulls", "collect_list", "collect_set",
        "string_agg", "string_agg_distinct", "decayed_avg", "any_value",
        "ewm_avg", "ewm_avg ignoring nulls", "ewm_avg as a recursion", "rank", "rank by average", "rank by max", "rank of integers",
        "dense_rank", "dense_rank of booleans", "percent_rank", "cume_dist",
    }  # fmt: skip


@pytest.mark.parametrize("name", candidates())
@settings(max_examples=settings.default.max_examples // 3)
@given(data=st.data())
def test_built_ins_as_without_panes(name: str, data: st.DataObject) -> None:
    row = TABLE[name]
    order = data.draw(st.sampled_from(["int32", "decimal", "double", "date", "timestamp with zone"]))
    table = data.draw(tables(order, values=row.values, kind=row.kind, second=len(row.columns) > 1))
    table = table.filter(pa.array([near(t) for t in table.column("t").to_pylist()], pa.bool_()))
    extent, keys = data.draw(extents(order)), data.draw(st.sampled_from([(), ("k",), ("k", "ok"), ("t",)]))
    aggregates = {"x": row.ours(*row.columns), "y": row.ours(*row.columns).filter("ok"), "n": iw.count()}
    ours = located(by_panes(table, keys, extent, aggregates, data.draw(TASKS), data.draw(CUTS)), keys)
    theirs = located(iw.group_by(table, *keys).window(extent).agg(**aggregates).to_pylist(), keys)
    note(f"{ours} should be {theirs}")
    assert ours.keys() == theirs.keys()
    scale = largest(table, row.columns)
    for at, one in ours.items():
        assert one["n"] == theirs[at]["n"]
        assert close(name, one["x"], theirs[at]["x"], scale)
        assert close(name, one["y"], theirs[at]["y"], scale)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 70_000, -3, 2**40, -(2**63), 2**63 - 1])), min_size=1),
    st.booleans(),
)
def test_grouped(rows: list[tuple[int, int]], no_groups: bool) -> None:
    groups, panes = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    order, start = grouped(None if no_groups else groups, panes)
    order = np.arange(len(rows)) if order is None else order
    pairs = [(0 if no_groups else int(groups[at]), int(panes[at])) for at in order]
    assert sorted(order.tolist()) == list(range(len(rows)))
    runs = [pairs[at] for at in start]
    assert len(set(runs)) == len(runs) == len(set(pairs))
    assert start.tolist() == [at for at in range(len(pairs)) if at == 0 or pairs[at] != pairs[at - 1]]


def test_a_buffer_is_bounded_by_its_bytes_too() -> None:
    table = pa.table({"t": [1] * 64, "v": ["x" * 1000] * 64})
    work = plan_groups(table.schema, (), iw.tumble("t", size=2), {"x": iw.max("v")})
    plan = PanesFirst.of(work, table.schema)
    reducer = PaneReducer(plan, size=10_000)
    assert sum(batch.num_rows for batch in reducer.run(iter(table.to_batches(max_chunksize=8)))) == 4


def test_tuples_pass_where_reducing_does_not_pay() -> None:
    """Buffers of 8: the first has a pane per tuple, so 56 tuples pass though they are all of one; then they are reduced again."""
    table = pa.table({"k": [*range(8), *[0] * 72], "t": [1] * 80, "v": [1.0] * 80})
    work = plan_groups(table.schema, ("k",), iw.tumble("t", size=2), {"x": iw.sum("v"), "y": Seen()("k")})
    reducer = PaneReducer(PanesFirst.of(work, table.schema), rows=8)
    made = [batch.num_rows for batch in reducer.run(iter(table.to_batches(max_chunksize=4)))]
    assert made == [8, *[4] * 14, 1, 1]
    rows = by_panes(table, ("k",), iw.tumble("t", size=2), {"x": iw.sum("v"), "n": iw.count()}, tasks=1, cut=8)
    assert {row["k"]: (row["x"], row["n"]) for row in rows} == {0: (73.0, 73), **dict.fromkeys(range(1, 8), (1.0, 1))}


def test_an_error_in_a_hook_names_the_tuple() -> None:
    class Wary(Seen, returns="array<bigint>", commutative=True):
        def iterate(self, id):
            if id == 3:
                raise ValueError("no threes")
            super().iterate(id)

    table = pa.table({"k": ["a", "b", "a"], "t": [5, 6, 7], "id": [1, 2, 3]})
    with pytest.raises(iw.HookError) as raised:
        by_panes(table, ("k",), iw.tumble("t", size=10), {"x": Wary()("id")}, tasks=1)
    assert str(raised.value).splitlines()[:2] == [
        "Wary.iterate(3) raised ValueError: no threes",
        "  in Wary(id), at k='a', t=7",
    ]


def test_a_value_at_the_end_of_its_type_is_an_error_here_too() -> None:
    table = pa.table({"t": [1, 2**63 - 1]})
    with pytest.raises(iw.DataError, match="so close to the end of its type"):
        by_panes(table, (), iw.tumble("t", size=10), {"n": iw.count()})


def test_an_integer_sum_that_overflows_between_panes() -> None:
    table = pa.table({"t": [1, 2], "v": [2**62, 2**62]})
    with pytest.raises(iw.ArithmeticOverflowError):
        by_panes(table, (), iw.hop("t", size=4, every=1), {"x": iw.sum("v")})


NOT = {
    "IdsMerge(id) is not commutative=True": (iw.tumble("t", size=2), IdsMerge()("id")),
    "last(id) depends on the order of tuples": (iw.tumble("t", size=2), iw.last("id")),
    "median(id) has no merge": (iw.tumble("t", size=2), iw.median("id")),
    "collect_set(id) gives values in the order of their tuples": (iw.tumble("t", size=2), iw.collect_set("id")),
    "where a session ends is known from neighbouring tuples alone": (iw.session("t", gap=2), iw.count()),
    "a tuple's number in its partition is known only behind the sort": (iw.tumble("t", rows=2), iw.count()),
    "a whole group has no panes": (None, iw.count()),
}


@pytest.mark.parametrize("reason", NOT)
def test_why_not(reason: str) -> None:
    extent, applied = NOT[reason]
    work = plan_groups(pa.schema({"t": pa.int64(), "id": pa.int64()}), (), extent, {"n": iw.count(), "x": applied})
    assert not panes_first(work)
    assert panes_first(work).reason == reason


@pytest.mark.parametrize(
    "extent, panes",
    [
        (iw.tumble("ts", size="1 hour"), "pane of 1 hour"),
        (iw.hop("ts", size="1 hour", every="1 minute"), "pane of 1 minute"),
        (iw.hop("ts", size="25 minutes", every="10 minutes"), "pane, two in 10 minutes"),
        (iw.hop("ts", size="1 minute", every="1 hour"), "pane of 1 minute"),
        (iw.cumulate("ts", size="1 day", every="1 hour"), "pane of 1 hour"),
    ],
)
def test_why(extent: Any, panes: str) -> None:
    work = plan_groups(pa.schema({"ts": pa.timestamp("us")}), (), extent, {"n": iw.count()})
    assert panes_first(work).reason == f"one partial per key and {panes}; no sort of raw tuples"
