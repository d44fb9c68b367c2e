"""Kernels that count or rank values, where tuples leave in any order once they have been in a frame: against each frame afresh."""

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from inwindow.native._distinct import FloatDistinct, IntDistinct, ObjectDistinct
from inwindow.native._modes import FloatMode, IntMode, ObjectMode
from inwindow.native._ranks import DiscreteFloatQuantile, DiscreteIntQuantile, Quantile
from inwindow.native._totals import DecimalSum, IntSum
from inwindow.native.distinct_totals import OfDistinct

PS = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
INTS = st.none() | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])
FLOATS = st.sampled_from([None, math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.5])
Order = tuple[Any, Any, Any]


def order_of(draw: np.random.Generator, count: int, most: int) -> Order:
    """(left, start, end): at most ``most`` come and go between two frames; those leave that have been in a frame before."""
    inside: list[int] = []
    left: list[int] = []
    start, end, came = [], [], 0
    while came < count:
        for _ in range(draw.integers(0, most, endpoint=True) if draw.random() < 0.98 else len(inside)):
            if inside:
                left.append(inside.pop(draw.integers(len(inside))))
        more = min(int(draw.integers(0, most + 1, endpoint=True)), count - came)
        inside.extend(range(came, came + more))
        came += more
        start.append(len(left))
        end.append(came)
    return np.array(left + inside), np.array(start), np.array(end)


def held(values: list[Any], left: Any, start: Any, end: Any) -> list[list[Any]]:
    """The values of each frame that are not NULL."""
    frames = []
    for low, high in zip(start.tolist(), end.tolist(), strict=True):
        gone = set(left[:low].tolist())
        frames.append([values[at] for at in range(high) if at not in gone and values[at] is not None])
    return frames


def rank_of(value: Any) -> Any:
    """Spark's order: NaN is the largest, and all of them are the same."""
    return (True, 0) if value != value else (False, value)


def mode_of(frame: list[Any]) -> Any:
    counts = Counter(map(rank_of, frame))
    return min(counts, key=lambda rank: (-counts[rank], rank), default=None)


def one_of(frame: list[Any], p: float) -> Any:
    """The value of the rank ceil(p * n) - 1."""
    return rank_of(sorted(frame, key=rank_of)[max(math.ceil(p * len(frame)) - 1, 0)]) if frame else None


def ranked(results: pa.Array) -> list[Any]:
    return [None if value is None else rank_of(value) for value in results.to_pylist()]


@given(st.lists(INTS, min_size=1, max_size=60), PS, st.integers(0, 2**32), st.integers(1, 3))
def test_integers(values: list[Any], p: float, seed: int, most: int) -> None:
    order = order_of(np.random.default_rng(seed), len(values), most)
    frames, column = held(values, *order), pa.array(values, pa.int64())
    assert IntDistinct().sweep(column, *order).to_pylist() == [len(set(frame)) for frame in frames]
    assert ranked(IntMode().sweep(column, *order)) == [mode_of(frame) for frame in frames]
    assert ranked(DiscreteIntQuantile(p).sweep(column, *order)) == [one_of(frame, p) for frame in frames]
    small = pa.array([value if value is None else value % 7 for value in values], pa.int64())
    sums = [sum({value % 7 for value in frame}) if frame else None for frame in frames]
    assert OfDistinct(lambda: IntSum("sum"), pa.int64(), evicts=True).sweep(small, *order).to_pylist() == sums
    wide = pa.decimal128(38, 0)
    found = OfDistinct(lambda: DecimalSum(wide), wide, evicts=True).sweep(small.cast(wide), *order)
    assert found.to_pylist() == sums


@given(st.lists(FLOATS, min_size=1, max_size=60), PS, st.integers(0, 2**32), st.integers(1, 3))
def test_floats(values: list[Any], p: float, seed: int, most: int) -> None:
    order = order_of(np.random.default_rng(seed), len(values), most)
    frames, column = held(values, *order), pa.array(values, pa.float64())
    assert FloatDistinct().sweep(column, *order).to_pylist() == [len(set(map(rank_of, frame))) for frame in frames]
    assert ranked(FloatMode().sweep(column, *order)) == [mode_of(frame) for frame in frames]
    assert ranked(DiscreteFloatQuantile(p).sweep(column, *order)) == [one_of(frame, p) for frame in frames]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=60), st.integers(0, 2**32), st.booleans())
def test_objects(values: list[Any], seed: int, masked: bool) -> None:
    draw = np.random.default_rng(seed)
    order = order_of(draw, len(values), 2)
    seen = draw.integers(0, 2, len(values)).astype(np.uint8) if masked else None
    counted = [value if seen is None or seen[at] else None for at, value in enumerate(values)]
    frames = held(counted, *order)
    assert ObjectDistinct().sweep([values], seen, *order).to_pylist() == [len(set(frame)) for frame in frames]
    modes = [None if (mode := mode_of(frame)) is None else mode[1] for frame in frames]
    assert ObjectMode().sweep([values], seen, *order) == modes


@settings(max_examples=max(settings.default.max_examples // 4, 10))
@given(PS, st.integers(0, 2**32), st.sampled_from([3, 40, 10**9]), st.sampled_from([2, 20, 200]))
def test_many_piles(p: float, seed: int, values: int, most: int) -> None:
    """Frames of hundreds of tuples, with ties and without; as Polars has it."""
    draw = np.random.default_rng(seed)
    given = draw.integers(0, values, 1500).astype(float) + (np.arange(1500) * values / 500 if seed % 2 else 0)
    order = order_of(draw, len(given), most)
    column = pa.array(given, mask=draw.random(len(given)) < 0.1)
    kernel = Quantile(p)
    found = kernel.sweep(column, *order).to_pylist()
    kernel._check()
    for one, frame in zip(found, held(column.to_pylist(), *order), strict=True):
        expected = pl.Series(frame, dtype=pl.Float64).quantile(p, "linear")
        assert (one is None) == (expected is None)
        assert one is None or math.isclose(one, expected, rel_tol=1e-12)
