"""approx_top_k: its bounds hold over every frame, pane and batch cut, and while all values are tracked it is exact."""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.against_definition import cut

import inwindow as iw
from inwindow.native.sketching import SketchingNulls, SketchOfPanes
from inwindow.native.top_sketches import FrequentItems

TRACKED = 6  # 8 counters, of which 6 are in use: the smallest sketch there is
few = settings(max_examples=40, deadline=None)
SKEWED = st.one_of(st.sampled_from([1, 1, 1, 2, 2, None]), st.integers(0, 40))
COLUMNS = st.lists(SKEWED, min_size=1, max_size=120)


def holds(top: list[dict[str, Any]], frame: list[Any], k: int) -> None:
    """What docs/builtins.md promises of the sketch."""
    true, shown = Counter(frame), {row["item"]: row["count"] for row in top}
    values = {item: count for item, count in true.items() if item is not None}
    error = 2.7 / TRACKED * sum(values.values()) if len(values) > TRACKED else 0
    assert len(top) == len(shown) <= k
    assert [row["count"] for row in top] == sorted(shown.values(), reverse=True)
    assert all(true[item] <= count <= true[item] + (error if item is not None else 0) for item, count in shown.items())
    least = min(shown.values()) if len(shown) == k else 0
    missing = {item: count for item, count in true.items() if item not in shown}
    assert all(count <= max(least, 0 if item is None else 2 * error) for item, count in missing.items())


@pytest.mark.parametrize("kind", [pa.string(), pa.int32(), pa.float64(), pa.decimal128(30, 2)], ids=str)
@few
@given(values=COLUMNS, size=st.integers(1, 40), slide=st.integers(1, 9), calls=st.integers(1, 50), k=st.integers(1, 6))
def test_bounds(kind: pa.DataType, values: list[Any], size: int, slide: int, calls: int, k: int) -> None:
    table = pa.table({"t": range(len(values)), "v": pa.array(values, pa.int64()).cast(kind)})
    known, applied = table["v"].to_pylist(), iw.approx_top_k("v", k, TRACKED)
    frames = {"slides": iw.rows(size, order_by="t"), "grows": iw.unbounded(order_by="t")}
    for name, window in frames.items():
        made = iw.with_columns(cut(table, calls), x=applied.over(window)).read_all()["x"].to_pylist()
        for at, top in enumerate(made):
            holds(top, known[max(at - size + 1, 0) if name == "slides" else 0 : at + 1], k)
    hops = iw.group_by(cut(table, calls)).window(iw.hop("t", size=slide * 3, every=slide)).agg(x=applied).read_all()
    for row in hops.to_pylist():
        holds(row["x"], known[max(row["window"]["start"], 0) : row["window"]["end"]], k)


@few
@given(values=COLUMNS, pane=st.integers(1, 9), size=st.integers(1, 5), calls=st.integers(1, 9))
def test_panes_and_states(values: list[Any], pane: int, size: int, calls: int) -> None:
    """Sketches of panes, merged, and what is kept between two calls; the library's own bounds hold the truth."""
    family = FrequentItems(3, "whole")
    edges = np.arange(0, len(values) + pane, pane).clip(max=len(values))
    reduced = SketchingNulls(family, None, pa.null())  # type: ignore[arg-type] - gives no results
    (partials,) = reduced.roll_partials(pa.array(values, pa.int64()), 0, edges[:-1], edges[1:])
    tallies: list[Any] = []
    end = np.arange(1, len(partials) + 1)
    start, state = np.maximum(end - size, 0), None
    for first in range(0, len(partials), calls):
        kernel = SketchOfPanes(family, tallies.append, pa.null())
        if state is not None:
            kernel.restore(state)
        base, part = int(start[max(first - 1, 0)]), slice(first, first + calls)
        kernel.roll((partials[base:],), base, start[part], end[part])
        state = kernel.state()
    for lo, up, tally in zip(start, end, tallies, strict=True):
        true = Counter(values[int(edges[lo]) : int(edges[up])])
        assert tally.nulls == true.pop(None, 0)
        assert tally.sketch.total_weight == sum(true.values())
        for item in range(41):
            assert tally.sketch.get_lower_bound(item) <= true[item] <= tally.sketch.get_upper_bound(item)


@given(st.lists(st.sampled_from([0.0, -0.0, math.nan, -math.nan, math.inf, 1.5, None]), max_size=20))
@few
def test_equal_doubles_are_one_value(values: list[Any]) -> None:
    family = FrequentItems(4, "double")
    tally = family.read(family.written(family.update(family.fresh(), pa.array(values, pa.float64()))))
    texts = Counter(None if v is None else str(abs(v)) for v in values)
    shown = [(None if row["item"] is None else str(row["item"]), row["count"]) for row in family.top(tally, 9)]
    order = ["0.0", "1.5", "inf", "nan", None]
    assert shown == sorted(texts.items(), key=lambda row: (-row[1], order.index(row[0])))


def test_many_values() -> None:
    """Far more values than counters, in panes of a hop: what is frequent is found, and near the truth."""
    draw = np.random.default_rng(5)
    n = 60_000
    users = np.where(draw.random(n) < 0.5, draw.zipf(1.5, n) % 50, draw.integers(1000, 10**9, n))
    table = pa.table({"t": np.arange(n), "u": users})
    hops = iw.group_by(table).window(iw.hop("t", size=20_000, every=5_000))
    for row in hops.agg(top=iw.approx_top_k("u", 5, 1000), n=iw.count()).to_pylist():
        frame = users[max(row["window"]["start"], 0) : row["window"]["end"]]
        true = Counter(frame.tolist())
        for one, (_, most) in zip(row["top"], true.most_common(5), strict=True):
            assert true[one["item"]] <= one["count"] <= true[one["item"]] + 0.0027 * row["n"]
            assert one["count"] >= most


def test_values_come_back_as_they_were() -> None:
    table = pa.table({
        "short": pa.array([Decimal("-1.25"), Decimal(3), Decimal("-1.25")], pa.decimal128(5, 2)),
        "wide": pa.array([Decimal("1e-10"), Decimal(10**25), Decimal("1e-10")], pa.decimal128(38, 10)),
        "large": pa.array([2**64 - 1, 3, 2**64 - 1], pa.uint64()),
        "zero": pa.array(["a\0b", "", "a\0b"]),
    })  # fmt: skip
    made = iw.group_by(table).agg(**{name: iw.approx_top_k(name) for name in table.column_names}).to_pylist()[0]
    for name, top in made.items():
        one, other, _ = table[name].to_pylist()
        assert top == [{"item": one, "count": 2}, {"item": other, "count": 1}]
