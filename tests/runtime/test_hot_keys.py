"""Hot keys: a partition cut by order into shards, each with its halo, gives what the whole partition gives."""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from samples.against_definition import equal
from samples.aggregates import Mean
from samples.ids import Ids, IdsAll, IdsAnyOrder, IdsExpire, IdsInWindow, IdsMerge, IdsNaive, IdsPunt
from samples.local_shards import begun, halo_of, run, with_halos
from samples.streams import CUTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.hot_keys import HASH, Cut, can_be_cut, cut, in_shards, prefix_steps
from inwindow.optimizer.plan import Halo, Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.strategy import No
from inwindow.runtime.ordering import permutation
from inwindow.runtime.reserved import HALO
from inwindow.runtime.row_operators import Select, WithColumns
from inwindow.runtime.shards import HaloCheck
from inwindow.udaf.errors import DataError
from inwindow.windows.shards import Reach, Sampled, Shards, shards_of

HOOKS = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive]
BUILT_INS = [
    iw.sum,
    iw.max,
    iw.min,
    iw.count,
    iw.first,
    iw.last,
    iw.median,
    iw.count_distinct,
    iw.stddev,
    iw.collect_list,
]
KINDS = ("rows", "trailing rows", "range", "trailing range")


def cut_of(data: Any, table: pa.Table, work: Pass) -> dict[Any, Shards]:
    """Shards of some keys, by a sample that is drawn."""
    its = work.order_by[0]
    keys = sorted(set(table.column("k").to_pylist()), key=str) if work.partition_by else [None]
    made = {}
    for key in keys:
        mask = [not work.partition_by or other == key for other in table.column("k").to_pylist()]
        values = table.filter(pa.array(mask, pa.bool_())).column(its.column).combine_chunks()
        chosen = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
        sample = Sampled(values.filter(pa.array(chosen, pa.bool_())), its)
        windows = [step.case.window for step in work.steps]
        slots = {(window.slide, window.origin) for window in windows if window.slide is not None}
        slot = next(iter(slots), None)
        shards = shards_of(sample, data.draw(st.integers(2, 5)), Reach.of(windows), work.key, slot)
        if shards is not None:
            made[key] = shards
    return made


def same_in_shards(data: Any, table: pa.Table, applied: dict[str, iw.Applied]) -> None:
    """``with_columns`` and ``select`` over shards are those over the whole partitions, row by row."""
    (work,) = plan_windows(table.schema, applied)
    assume(can_be_cut(work))
    made = cut_of(data, table, work)
    assume(made)
    note(str(made))
    order = permutation(table, work)
    whole = table if order is None else table.take(pa.array(order))
    halo = halo_of(list(made.values()))
    pieces, size = with_halos(table, work, made), data.draw(CUTS)
    if prefix_steps(work):
        firsts = np.cumsum([1, *(shards.count for shards in made.values())]).tolist()
        pieces, halo = begun(pieces, work, halo, firsts, data.draw(st.integers(1, 9)))
    expected = run(WithColumns(work, whole.schema, ("id",)), whole, size)
    found = run(WithColumns(in_shards(work, halo), pieces.schema, ("id", HALO)), pieces, size)
    found = found.filter(pa.array([mark == 0 for mark in found[HALO].to_pylist()], pa.bool_())).drop([HALO])
    assert_same(found, expected, table)
    if len({str(step.case.window.slide) for step in work.steps}) == 1:
        expected = run(Select(work, whole.schema, ("id",), None), whole, size)
        found = run(Select(in_shards(work, halo), pieces.schema, ("id",), None), pieces, size)
        assert_same(found, expected, table)


def assert_same(found: pa.Table, expected: pa.Table, table: pa.Table) -> None:
    rows, others = (sorted(t.to_pylist(), key=lambda row: row["id"]) for t in (found, expected))
    note(f"{rows}\n{others}")
    assert [row["id"] for row in rows] == [row["id"] for row in others]
    numbers = [] if pa.types.is_string(table["v"].type) else table["v"].drop_null().to_pylist()
    scale = sum(abs(v) for v in numbers if math.isfinite(v))
    for row, other in zip(rows, others, strict=True):
        for name in row:
            assert equal(row[name], other[name], scale, 8), (name, row, other)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=settings.default.max_examples // 2)
@given(st.data())
def test_hooks_in_shards(order: str, data: Any) -> None:
    table = data.draw(tables(order))
    window = data.draw(windows(order, KINDS, holes=data.draw(st.booleans())))
    one = data.draw(st.sampled_from(HOOKS))()("id").over(window)
    if data.draw(st.booleans()):
        one = one.filter("ok")
    same_in_shards(data, table, {"x": one})


@given(st.data())
def test_several_windows_in_shards(data: Any) -> None:
    order = data.draw(st.sampled_from(["int64", "double", "timestamp", "date"]))
    table = data.draw(tables(order, values=st.integers(-40, 40).map(float)))
    applied, ordering = {}, None
    for number in range(data.draw(st.integers(1, 3))):
        window = data.draw(windows(order, KINDS, slides=False))
        ordering = ordering or {"partition_by": window.partition_by, "order_by": window.order_by}
        one = data.draw(st.sampled_from(BUILT_INS))("v").over(iw.rows(1))
        applied[f"x{number}"] = replace(one, window=replace(window, **ordering))
    same_in_shards(data, table, applied)


class Underived(Mean, derive=False):
    """Without one."""


CARRIED = [iw.sum, iw.avg, iw.count, iw.min, iw.max, iw.stddev, iw.skewness, iw.product]


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=settings.default.max_examples // 2)
@given(st.data())
def test_frames_from_the_partitions_start_begin_with_partials(order: str, data: Any) -> None:
    """With bounded frames beside them, NULLs, filters, arguments of other types, frames that look ahead, Python classes."""
    kind, values = data.draw(st.sampled_from([
        (pa.float64(), None), (pa.int64(), st.one_of(st.integers(-9, 9), st.none())),
        (pa.decimal128(9, 2), st.one_of(st.integers(-9, 9).map(Decimal), st.none())), (pa.string(), st.sampled_from("abé")),
    ]))  # fmt: skip
    table = data.draw(tables(order, kind=kind, **({} if values is None else {"values": values})))
    bounded = data.draw(windows(order, KINDS, slides=data.draw(st.booleans())))
    applied = {}
    for number in range(data.draw(st.integers(1, 3))):
        of = data.draw(st.sampled_from([iw.count, iw.min, iw.max] if pa.types.is_string(kind) else CARRIED))
        applied_to = data.draw(st.sampled_from([of("v"), IdsAnyOrder()("id"), Mean()("id")]))
        frame = replace(bounded.frame, lower=None, upper=data.draw(st.sampled_from([0, bounded.frame.upper])))
        one = applied_to.over(replace(bounded, frame=frame))
        applied[f"x{number}"] = one.filter("ok") if data.draw(st.booleans()) else one
    if data.draw(st.booleans()):
        applied["bounded"] = iw.collect_list("id").over(bounded)
    same_in_shards(data, table, applied)


# The halo is counted


def test_a_halo_that_is_too_small_is_an_error() -> None:
    """As when the data have changed since they were sampled."""
    halo = Halo("r", "m", (0, 0, 3), (0, 2, 0))
    check = HaloCheck(halo)
    check(pa.record_batch({"r": [0, 0, 1, 1, 1, 1], "m": [0, 0, 0, 0, 1, 1]}))
    check(pa.record_batch({"r": [2, 2], "m": [-1, -1]}))
    check(pa.record_batch({"r": [2, 2], "m": [0, 0]}))
    with pytest.raises(DataError, match="3 tuples before a shard were there .* now there are 2: .* hot_keys='off'"):
        check.finish()
    check = HaloCheck(halo)
    check(pa.record_batch({"r": [1, 1], "m": [0, 1]}))
    with pytest.raises(DataError, match="2 tuples behind a shard"):
        check(pa.record_batch({"r": [2], "m": [-1]}))
    check = HaloCheck(halo)
    check(pa.record_batch({"r": [1, 1], "m": [1, 1]}))  # no tuple of its own: nothing can be wrong
    check.finish()


# What the optimizer chooses: no data but a sample


def sampled(shares: dict[str, float], rows: int = 10_000, order: Any = None) -> pa.Table:
    rng = np.random.default_rng(1)
    keys = [key for key, share in shares.items() for _ in range(round(share * rows))]
    times = rng.permutation(len(keys)) if order is None else order
    return pa.table({HASH: pa.array([hash(key) for key in keys]), "k": keys, "t": times, "v": rng.random(len(keys))})


def work_of(sample: pa.Table, *applied: iw.Applied) -> Pass:
    (work,) = plan_windows(sample.schema, {f"x{i}": one for i, one in enumerate(applied)})
    return work


def by_k(**options: Any) -> dict[str, Any]:
    return {"partition_by": "k", "order_by": "t", **options}


def test_a_key_that_is_more_than_a_core_can_bear_is_cut() -> None:
    sample = sampled({"a": 0.9, "b": 0.06, "c": 0.04})
    found = cut(work_of(sample, iw.sum("v").over(iw.rows(20, **by_k()))), sample, 2)
    assert isinstance(found, Cut)
    (key,) = found.keys
    assert (key.shown, key.share, key.shards.count, found.others) == ("k='a'", 0.9, 7, 1)
    borders = [cut.as_py() for cut in key.shards.cuts]
    assert all(abs(later - earlier - 10_000 / 7) < 100 for earlier, later in zip([0, *borders], borders, strict=False))
    before = [cut - low.as_py() for cut, low in zip(borders, key.shards.lows, strict=True)]
    assert all(19 <= size <= 40 for size in before), before  # 19 tuples of the key itself
    assert found.halo("r", "m") == Halo("r", "m", (0, 0, *[19] * 6), (0,) * 8)
    assert found.describe().startswith(
        "k='a': 90% of 10,000 sampled tuples, cut by t into 7 shards, 1.3% more in halos"
    )


def test_several_hot_keys_on_many_cores() -> None:
    sample = sampled({"a": 0.5, "b": 0.3, "c": 0.1, "d": 0.1})
    found = cut(work_of(sample, iw.max("v").over(iw.range(5, **by_k()))), sample, 8)
    assert isinstance(found, Cut)
    assert [(key.shown, key.shards.count) for key in found.keys] == [("k='a'", 16), ("k='b'", 10)]
    assert found.others == 7


def test_a_frame_that_reaches_far_gives_fewer_ranges_or_none() -> None:
    sample = sampled({"a": 1.0})
    few = cut(work_of(sample, iw.max("v").over(iw.range(1800, **by_k()))), sample, 4)
    assert isinstance(few, Cut) and few.keys[0].shards.count == 4
    none = cut(work_of(sample, iw.max("v").over(iw.range_between(-9000, 9000, **by_k()))), sample, 2)
    assert isinstance(none, No) and "k='a': halos would be" in none.reason


def test_nothing_to_cut() -> None:
    window = iw.rows(20, **by_k())
    even = sampled({"a": 0.5, "b": 0.5})
    assert cut(work_of(even, iw.max("v").over(window)), even, 2) == No(
        "the largest partition has 50.0% of 10,000 sampled tuples, which 2 cores can bear"
    )
    hot = sampled({"a": 1.0}, order=[7] * 10_000)
    work = work_of(hot, iw.max("v").over(window))
    assert cut(work, hot, 2) == No("k='a': too few different values of t to cut between")
    assert cut(work, hot, 1) == No("one task runs at a time")
    assert cut(work, hot.slice(0, 0), 2) == No("the sample is empty")


class Emits(iw.Aggregate):
    def iterate(self, v: float) -> float:
        return v


class Deletes(iw.WindowAggregate):
    inwindow: iw.InWindow

    def iterate(self, v: float) -> None:
        self.forget(v)

    def forget(self, v: float) -> None:
        self.inwindow.delete(lambda row: row.v < v, keep_newest=True)

    def terminate(self) -> int:
        return len(self.inwindow)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (
            iw.median("v").over(iw.unbounded(**by_k())),
            "median(v) reaches back to the partition's start, and has no merge",
        ),
        (
            iw.last("v").over(iw.unbounded(**by_k())),
            "last(v) reaches back to the partition's start, and depends on the order",
        ),
        (iw.count_distinct("v").over(iw.unbounded(**by_k())), "and its partials are as large as the shards"),
        (
            Ids()("v").over(iw.unbounded(**by_k())),
            "Ids(v) reaches back to the partition's start, and is not commutative",
        ),
        (Underived()("v").over(iw.unbounded(**by_k())), "and has no merge"),
        (IdsMerge()("v").over(iw.unbounded(**by_k())), "and is not commutative=True"),
        (
            iw.sum("v").over(iw.rows_between(None, -1, **by_k())),
            "from the partition's start that does not end with its tuple",
        ),
        (iw.sum("v").over(iw.unbounded(strategy="recompute", **by_k())), "has the strategy 'recompute'"),
        (iw.sum("v").over(iw.rows_between(-3, None, **by_k())), "sum(v) has a frame without bounds"),
        (iw.sum("v").over(iw.landmark(since=3, **by_k())), "sum(v) has a landmark"),
        (iw.sum("v").over(iw.scope(lower=lambda t: t - 3, **by_k())), "sum(v) has a scope"),
        (
            iw.sum("v").over(iw.rows(9, slide=3, **by_k())),
            "sum(v) slides by tuples, counted from the partition's first",
        ),
        (iw.sum("v").over(iw.range(9, slide=3, partition_by="k", order_by=iw.desc("t"))), "slides by value against"),
        (iw.sum("v").over(iw.rows(9, partition_by="k")), "without an order"),
        (Emits()("v").over(iw.rows(9, **by_k())), "Emits(v) has no terminate"),
        (Deletes()("v").over(iw.rows(9, **by_k())), "Deletes(v) deletes from inwindow"),
        (iw.priority_sample("v", 3).over(iw.rows(9, **by_k())), "depends on the tuples' numbers"),
        (iw.ones_in_window("t").over(iw.rows(9, **by_k())), "approximates"),
    ],
)
def test_what_cannot_be_cut_says_why(one: iw.Applied, reason: str) -> None:
    verdict = can_be_cut(work_of(sampled({"a": 1.0}, 10), one))
    assert isinstance(verdict, No) and reason in verdict.reason


def test_one_that_cannot_be_cut_stands_in_the_way_of_all() -> None:
    frames = [iw.rows(9, **by_k()), iw.unbounded(**by_k())]
    assert not can_be_cut(work_of(sampled({"a": 1.0}, 10), *[iw.median("v").over(frame) for frame in frames]))
    assert can_be_cut(work_of(sampled({"a": 1.0}, 10), *[iw.sum("v").over(frame) for frame in frames]))
    slides = [iw.range(9, slide=3, **by_k()), iw.range(9, slide=4, **by_k())]
    verdict = can_be_cut(work_of(sampled({"a": 1.0}, 10), *[iw.sum("v").over(frame) for frame in slides]))
    assert verdict == No("the windows slide differently, so there are no common borders")
