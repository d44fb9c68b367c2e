"""The sentinel finds the classes that break their promises, accuses no other, and looks at the same results wherever they run."""

import contextlib
import math
import pickle
import random
from typing import Any

import pyarrow as pa
import pytest
from samples.aggregates import MyAvg, Spread
from samples.broken_aggregates import BROKEN, EXPIRE, MERGE, ForgetsTheMaximum
from samples.kept_aggregates import GuardedTotal, PlainTotal, Welford

import inwindow as iw

ROWS = 1_200
BY = {"partition_by": "k", "order_by": "ts"}
FRAMES = {
    "rows": iw.rows(20, **BY),
    "range": iw.range(60, **BY),
    "slide": iw.rows(40, slide=10, **BY),
    "range slide": iw.range(60, slide=10, **BY),
    "ahead": iw.rows_between(-5, 5, **BY),
}
EXTENTS = {
    "hop": iw.hop("ts", size=100, every=20),
    "cumulate": iw.cumulate("ts", size=100, every=20),
    "rows": iw.hop("ts", rows=60, every=20),
}


class Forgetful(iw.WindowAggregate):
    """Thirteen stays behind; and a merge drops it."""

    def initialize(self, value: float) -> None:
        self.total = value

    def iterate(self, value: float) -> None:
        self.total += value

    def expire(self, value: float) -> None:
        self.total -= value if value != 13 else 0

    def merge(self, later: Any) -> None:
        self.total += later.total - 13 * (later.total > 250)

    def terminate(self) -> float:
        return self.total


class Refusing(Forgetful):
    """The same, but it says that it cannot."""

    def expire(self, value: float) -> Any:
        self.total -= value
        if value == 13:
            self.total = math.inf
            return iw.PUNT
        return None

    def merge(self, later: Any) -> None:
        self.total += later.total

    def unmerge(self, earlier: Any) -> Any:
        self.total -= earlier.total
        if earlier.total > 200:
            self.total = math.inf
            return iw.PUNT
        return None


def table(seed: int = 0, odd: bool = False) -> pa.Table:
    """Keys, times with ties, small whole numbers; with ``odd`` also what is hard to undo."""
    draw = random.Random(seed)
    values = [float(draw.randrange(40)) for _ in range(ROWS)]
    if odd:
        for at in range(0, ROWS, 150):
            values[at] = draw.choice([math.nan, math.inf, -math.inf, 1e18])
    times = sorted(draw.randrange(800) for _ in range(ROWS))
    return pa.table({"k": [draw.choice("abc") for _ in times], "ts": times, "v": values})


def found(sentinel: iw.Sentinel) -> tuple[int, int, Any]:
    return sentinel.checked, sentinel.deviations, sentinel.largest


def by_reader(given: pa.Table, applied: iw.Applied, slide: bool = False) -> None:
    ordered = given.sort_by([("k", "ascending"), ("ts", "ascending")])
    reader = pa.RecordBatchReader.from_batches(ordered.schema, ordered.to_batches(max_chunksize=170))
    iw.with_columns(reader, x=applied).read_all()


@pytest.mark.parametrize("strategy", ["delta", "two-stacks"])
@pytest.mark.parametrize("name", FRAMES)
def test_a_broken_class_is_found(name: str, strategy: str) -> None:
    whole, read = iw.Sentinel(0.2), iw.Sentinel(0.2)
    applied = Forgetful()("v")
    given = iw.with_columns(table(), x=applied.over(FRAMES[name], strategy=strategy, sentinel=whole))["x"].to_pylist()
    by_reader(table(), applied.over(FRAMES[name], strategy=strategy, sentinel=read))
    assert found(whole) == found(read)
    assert whole.deviations > 0 and whole.largest is not None
    results = sum(one is not None for one in given)
    assert 0.1 * results < whole.checked < 0.3 * results
    assert given == iw.with_columns(table(), x=applied.over(FRAMES[name], strategy=strategy))["x"].to_pylist()
    right = iw.with_columns(table(), x=applied.over(FRAMES[name], strategy="recompute"))["x"].to_pylist()
    pairs = {(repr(a), repr(b)) for a, b in zip(given, right, strict=True) if a != b}
    assert (whole.largest.given, whole.largest.expected) in pairs


@pytest.mark.parametrize("name", EXTENTS)
def test_a_broken_merge_is_found_in_extents(name: str) -> None:
    here, there = iw.Sentinel(0.5), iw.Sentinel(0.5)
    query = lambda df, sentinel: iw.group_by(df, "k").window(EXTENTS[name]).agg(x=Forgetful()("v").sentinel(sentinel))  # noqa: E731
    query(table(), here)
    assert here.deviations > 0
    batches = [table().slice(at, 400) for at in range(0, ROWS, 400)]
    iw.testing.replay(batches, lambda df: query(df, there), delay=0, until=10**6)
    assert there.checked > 20 and there.deviations > 0


@pytest.mark.parametrize("name", FRAMES)
def test_a_stream_looks_at_the_same_results(name: str) -> None:
    here, there = iw.Sentinel(0.2), iw.Sentinel(0.2)
    iw.with_columns(table(), x=MyAvg()("v").over(FRAMES[name], sentinel=here))
    for size in (170, 1_000):
        batches = [table().slice(at, size) for at in range(0, ROWS, size)]
        query = lambda df: iw.with_columns(df, x=MyAvg()("v").over(FRAMES[name], sentinel=there))  # noqa: E731
        iw.testing.replay(batches, query, delay=0, until=10**6)
        told = there.take()
        waiting = 5 * 3 if name == "ahead" else 0  # frames of the last tuples stay open
        assert here.checked - waiting <= told.checked <= here.checked
        assert told.deviations == 0


CASES = [(kind, odd) for kind in (MyAvg, Welford, PlainTotal, GuardedTotal, Refusing) for odd in (False, True)]


@pytest.mark.parametrize(("kind", "odd"), [*CASES, (Spread, False)])  # of NaNs, Python's min depends on the order
def test_no_other_class_is_accused(kind: type, odd: bool) -> None:
    given = table(odd=odd)
    sentinel = iw.Sentinel(0.3)
    for window in FRAMES.values():
        iw.with_columns(given, x=kind()("v").over(window, sentinel=sentinel))
    for extent in EXTENTS.values():
        iw.group_by(given, "k").window(extent).agg(x=kind()("v").sentinel(sentinel))
    assert sentinel.checked > 500
    assert (sentinel.deviations, sentinel.largest) == (0, None)


def test_it_counts_what_is_folded_afresh() -> None:
    odd, refusing = iw.Sentinel(0.01), iw.Sentinel(0.01)
    iw.with_columns(table(odd=True), x=PlainTotal()("v").over(FRAMES["rows"], sentinel=odd))
    iw.with_columns(table(), x=Refusing()("v").over(FRAMES["rows"], sentinel=refusing))
    left = table()["v"].to_pylist().count(13.0)
    assert odd.punts == 0 and 2 < odd.rebased < 60
    assert left - 3 * 20 <= refusing.punts <= left and refusing.rebased == 0
    before = refusing.punts
    iw.with_columns(table(), x=Refusing()("v").over(FRAMES["slide"], sentinel=refusing))
    assert refusing.punts > before  # of unmerge


def test_a_share_says_how_many() -> None:
    sentinel = iw.Sentinel(1)
    iw.with_columns(table(), x=MyAvg()("v").over(FRAMES["rows"], sentinel=sentinel))
    assert sentinel.checked == ROWS
    few = iw.Sentinel(0.01)
    iw.with_columns(table(), x=MyAvg()("v").over(FRAMES["rows"], sentinel=few))
    assert 2 < few.checked < 30


def test_rounding_is_no_deviation_but_a_tolerance_can_say_so() -> None:
    tenths = table().set_column(2, "v", pa.array([value / 10 for value in table()["v"].to_pylist()]))
    usual, strict = iw.Sentinel(1), iw.Sentinel(1, tolerance=0)
    for sentinel in (usual, strict):
        iw.with_columns(tenths, x=PlainTotal()("v").over(FRAMES["rows"], sentinel=sentinel))
    assert usual.deviations == 0 < strict.deviations
    assert strict.largest is not None and strict.largest.size < 1e-12


@pytest.mark.parametrize("order", [("2026-01-01", "2026-01-02", "2026-01-03"), (1.5, 2.5, None), (1, 2, 3)])
def test_any_order_value_will_do(order: Any) -> None:
    kept = iw.Sentinel(0.5)
    given = pa.table({"ts": list(order) * 50, "v": [1.0] * 150})
    iw.with_columns(given, x=MyAvg()("v").over(iw.rows(3, order_by="ts"), sentinel=kept))
    assert 0 < kept.checked < 150 and kept.deviations == 0


def test_filters_nulls_and_empty_frames() -> None:
    values = [None if value == 7 else value for value in table()["v"].to_pylist()]
    given = table().set_column(2, "v", pa.array(values)).append_column("ok", pa.array([i % 5 > 0 for i in range(ROWS)]))
    right, wrong = iw.Sentinel(1), iw.Sentinel(1)
    for kind, sentinel in ((MyAvg, right), (Forgetful, wrong)):
        iw.with_columns(given, x=kind()("v").filter("ok").over(iw.rows_between(-3, -2, **BY), sentinel=sentinel))
    assert (right.deviations, wrong.deviations > 0) == (0, True)


def test_explain_says_what_it_does() -> None:
    text = str(iw.explain(table(), x=MyAvg()("v").over(FRAMES["rows"], sentinel=0.001)))
    assert "sentinel  Sentinel(0.001, tolerance=1e-06): such a share of the results costs a fold of its frame" in text
    text = str(iw.explain(table(), x=MyAvg()("v").over(iw.unbounded(**BY), sentinel=0.001)))
    assert "sentinel  none needed" in text


def test_it_travels_without_what_it_has_found() -> None:
    sentinel = iw.Sentinel(1, tolerance=0.5)
    iw.with_columns(table(), x=MyAvg()("v").over(FRAMES["rows"], sentinel=sentinel))
    there = pickle.loads(pickle.dumps(sentinel))
    assert repr(there) == repr(sentinel) == "Sentinel(1, tolerance=0.5)"
    assert (there.checked, sentinel.checked) == (0, ROWS)


def test_points_in_time() -> None:
    points = pa.table({"k": ["a", "b", "c"] * 200, "ts": [i * 3 for i in range(600)]})
    wrong = iw.Sentinel(0.5)
    iw.with_columns(points, x=Forgetful()("v").over(FRAMES["range"], sentinel=wrong), of=table())
    assert 100 < wrong.checked < 400 and wrong.deviations > 0


UNDOING = [
    kind
    for kind, law in BROKEN.items()
    if law in (EXPIRE, MERGE, "unmerge undoes merge")
    and kind is not ForgetsTheMaximum  # its `iterate` raises, which tells it
]


@pytest.mark.parametrize("kind", UNDOING, ids=lambda kind: kind.__name__)
def test_what_a_check_finds_a_sentinel_finds_on_such_data(kind: type) -> None:
    with pytest.raises(iw.testing.BrokenPromise) as caught:
        iw.testing.check(kind, seed=1)
    few = [row if isinstance(row, tuple) else (row,) for row in caught.value.tuples]
    rows = [*few, *few[-1:] * 3, *few, *few, *[tuple(type(value)() for value in few[0])] * 5]
    names = [f"c{number}" for number in range(len(rows[0]))]
    given = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    aggregate = iw.udaf(kind()) if hasattr(kind, "zero") else kind()
    sentinel = iw.Sentinel(1)
    for size in range(2, len(rows)):
        for slide in range(2, size):
            with contextlib.suppress(iw.ResultTypeError):  # that tells it as well
                iw.with_columns(given, x=aggregate(*names).over(iw.rows(size, slide=slide), sentinel=sentinel))
        for strategy in ("delta", "two-stacks"):
            with contextlib.suppress(iw.StrategyError, iw.ResultTypeError):
                iw.with_columns(given, x=aggregate(*names).over(iw.rows(size), strategy=strategy, sentinel=sentinel))
    assert sentinel.deviations > 0


def test_a_number_warns_of_the_first_deviation() -> None:
    """Nobody could ask it what it has found."""
    table = pa.table({"v": [0.0, 1.0, 0.0, 2.0, 3.0, 4.0]})

    class Hasty(iw.WindowAggregate):
        def initialize(self, value):
            self.total = value

        def iterate(self, value):
            self.total += value

        def expire(self, value):
            self.total -= 1.0

        def terminate(self) -> float:
            return self.total

    with pytest.warns(
        UserWarning, match=r"Hasty\(v\) gave .*; give sentinel=iw.Sentinel\(1\) to count deviations"
    ) as told:
        iw.with_columns(table, x=Hasty()("v").over(iw.rows(2), sentinel=1))
    assert len(told) == 1
