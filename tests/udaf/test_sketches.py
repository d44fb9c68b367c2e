"""Sketches over frames, panes and states: against the library's own, frame by frame, and against the truth."""

import importlib
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inwindow as iw
from inwindow.native.sketches import Hll, Kll, Theta
from inwindow.native.sketching import Sketching, SketchOfPanes


@pytest.fixture(scope="module")
def datasketches() -> Any:
    """The library, imported late: without it the other tests are still collected."""
    return importlib.import_module("datasketches")


few = settings(max_examples=25, deadline=None)
WORDS = st.none() | st.sampled_from(["a", "b", "é", ""]) | st.text(max_size=3)
FAMILIES = {"hll": (Hll(8), pa.string(), WORDS), "theta": (Theta(5), pa.int64(), st.none() | st.integers(-99, 99))}


def alone(family, values):
    """The bytes of a sketch of the values, made at once."""
    return family.written(family.update(family.fresh(), values.drop_null()))


@pytest.mark.parametrize("name", FAMILIES)
@few
@given(data=st.data(), size=st.integers(1, 9), cut=st.integers(1, 30), growing=st.booleans())
def test_frames(name, data, size, cut, growing):
    """Those of frames that slide or grow, cut into calls, pickled between two."""
    family, kind, elements = FAMILIES[name]
    values = pa.array(data.draw(st.lists(elements, min_size=1, max_size=30)), kind)
    end = np.arange(1, len(values) + 1)
    start = np.zeros(len(values), np.int64) if growing else np.maximum(end - size, 0)
    made, state = [], None
    for first in range(0, len(values), cut):
        kernel = Sketching(family, family.written, pa.binary())
        if state is not None:
            kernel.restore(state)
        part = slice(first, first + cut)
        made += kernel.roll(values, 0, start[part], end[part]).to_pylist()
        state = kernel.state()
    estimates = [family.read(one).get_estimate() for one in made]
    for lo, up, estimate in zip(start, end, estimates, strict=True):
        right = family.read(alone(family, values[lo:up])).get_estimate()
        assert estimate == pytest.approx(right, rel=0.2 if name == "hll" and growing else 1e-12)


@pytest.mark.parametrize("name", FAMILIES)
@few
@given(data=st.data(), size=st.integers(1, 5), pane=st.integers(1, 4), cut=st.integers(1, 9))
def test_panes(name, data, size, pane, cut):
    family, kind, elements = FAMILIES[name]
    values = pa.array(data.draw(st.lists(elements, min_size=1, max_size=40)), kind)
    edges = np.arange(0, len(values) + pane, pane).clip(max=len(values))
    (partials,) = Sketching(family, family.written, pa.binary()).roll_partials(values, 0, edges[:-1], edges[1:])
    end = np.arange(1, len(partials) + 1)
    start = np.maximum(end - size, 0)
    made, state = [], None
    for first in range(0, len(partials), cut):
        kernel = SketchOfPanes(family, lambda sketch: sketch.get_estimate(), pa.float64())
        if state is not None:
            kernel.restore(state)
        base, part = int(start[max(first - 1, 0)]), slice(first, first + cut)
        made += kernel.roll((partials[base:],), base, start[part], end[part]).to_pylist()
        state = kernel.state()
    for lo, up, estimate in zip(start, end, made, strict=True):
        right = family.read(alone(family, values[int(edges[lo]) : int(edges[up])])).get_estimate()
        assert estimate == pytest.approx(right, rel=1e-12 if name == "theta" else 0.02)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=40), st.integers(1, 9)
)
@few
def test_percentiles_are_exact_as_long_as_all_values_are_kept(values, size):
    table = pa.table({"v": pa.array(values, pa.float64()), "t": range(len(values))})
    windows = [iw.rows(size, order_by="t"), iw.unbounded(order_by="t")]
    for p in (0.0, 0.3, 0.5, 1.0):
        calls = {f"{name}{i}": call("v", p).over(w) for name, call in (("a", iw.kll_percentile), ("b", iw.percentile_approx))
                 for i, w in enumerate(windows)}  # fmt: skip
        made = iw.with_columns(table, **calls)
        for i in range(len(windows)):
            assert made[f"a{i}"].to_pylist() == made[f"b{i}"].to_pylist()


def test_errors_are_as_small_as_promised(datasketches):
    draw = np.random.default_rng(5)
    n = 200_000
    table = pa.table({"t": np.arange(n), "v": draw.normal(size=n), "u": draw.integers(0, 50_000, n)})
    hops = iw.hop("t", size=50_000, every=10_000)
    made = iw.group_by(table).window(hops).agg(
        p=iw.kll_percentile("v", 0.9), q=iw.percentile("v", 0.9), n=iw.hll_count_distinct("u"), m=iw.count_distinct("u"),
        t=iw.theta_sketch_agg("u"), c=iw.count(),
    )  # fmt: skip
    for row in made.to_pylist():
        lo, up = max(row["window"]["start"], 0), row["window"]["end"]
        rank = (table["v"].to_numpy()[lo:up] <= row["p"]).mean()
        assert abs(rank - 0.9) < 0.027  # twice what is promised to 99 of 100
        assert abs(row["n"] / row["m"] - 1) < 0.065
        assert abs(datasketches.compact_theta_sketch.deserialize(row["t"]).get_estimate() / row["m"] - 1) < 0.065


def test_sketches_are_merged_over_frames_and_panes(datasketches):
    days = pa.table({"day": [0, 0, 1, 1, 2, 2], "u": [1, 2, 2, 3, 9, 2], "v": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    daily = iw.group_by(days).window(iw.tumble("day", size=1)).agg(
        h=iw.hll_sketch_agg("u"), t=iw.theta_sketch_agg("u"), k=iw.kll_sketch_agg_double("v"), b=iw.kll_sketch_agg_bigint("u")
    )  # fmt: skip
    daily = daily.append_column("at", [[0, 1, 2]])
    calls = {
        "h": iw.hll_union_agg("h"), "t": iw.theta_union_agg("t"), "i": iw.theta_intersection_agg("t"),
        "k": iw.kll_merge_agg_double("k"), "b": iw.kll_merge_agg_bigint("b"),
    }  # fmt: skip
    over = iw.with_columns(daily.select(["at", "h", "t", "k", "b"]).rename_columns(["at", "h", "t", "k", "b"]), **{
        f"x{name}": call.over(iw.rows(2, order_by="at")) for name, call in calls.items()
    })  # fmt: skip
    hops = iw.group_by(daily).window(iw.hop("at", size=2, every=1)).agg(**calls)
    two_days = [{1, 2}, {1, 2, 3}, {2, 3, 9}]
    for rows, prefix in ((over.to_pylist(), "x"), (hops.to_pylist()[:3], "")):
        for row, users in zip(rows, two_days, strict=True):
            assert round(datasketches.hll_sketch.deserialize(row[prefix + "h"]).get_estimate()) == len(users)
            assert datasketches.compact_theta_sketch.deserialize(row[prefix + "t"]).get_estimate() == len(users)
        both = [datasketches.compact_theta_sketch.deserialize(row[prefix + "i"]).get_estimate() for row in rows]
        assert both == [2, 1, 1]
        medians = [
            datasketches.kll_doubles_sketch.deserialize(row[prefix + "k"]).get_quantile(0.5, True) for row in rows
        ]
        assert medians == [1.0, 2.0, 4.0]


def test_nothing_is_counted():
    table = pa.table(
        {
            "v": pa.array([None, None], pa.float64()),
            "s": pa.array([None, "a"]),
            "b": pa.array([None, None], pa.binary()),
        }
    )
    window = iw.rows(1)
    made = iw.with_columns(
        table, p=iw.kll_percentile("v", 0.5).over(window), n=iw.hll_count_distinct("s").over(window),
        u=iw.theta_union_agg("b").over(window), i=iw.theta_intersection_agg("b").over(window),
    )  # fmt: skip
    assert (made["p"].to_pylist(), made["n"].to_pylist()) == ([None, None], [0, 1])
    assert made["u"].to_pylist() == made["i"].to_pylist() == [bytes.fromhex("01030300001e0000")] * 2


def test_nan_has_no_rank():
    table = pa.table({"v": [math.nan, 1.0, 2.0]})
    assert iw.group_by(table).agg(m=iw.kll_percentile("v", 1.0))["m"].to_pylist() == [2.0]
    assert Kll("double", 200).fresh().is_empty()
