"""Ranks of the newest value: the definition over small frames, a sorted list over large ones, states, pandas and Polars."""

import bisect
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.plain_builtins import Rank
from samples.sliding import CUTS, STEPS, filled, frames_of, rolled_in_calls, with_slices_of

from inwindow.native._rolling_ranks import NAMES, RollingRank

VALUES = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([float("nan"), float("inf"), -0.0, None]))


def defined(result: str, values: list[Any], seen: list[int], frame: tuple[int, int], descending: bool) -> Any:
    """What the plain class gives."""
    low, high = frame
    plain = Rank(result, -1 if descending else 1)
    plain.values = [v for v, is_seen in zip(values[low:high], seen[low:high], strict=True) if is_seen]
    return plain.terminate() if plain.values else None


@pytest.mark.parametrize("result", NAMES)
@given(
    elements=st.lists(VALUES, min_size=1), steps=STEPS, cuts=CUTS, descending=st.booleans(), evicts=st.booleans(),
    filters=st.one_of(st.none(), st.lists(st.integers(0, 1), min_size=1)),
)  # fmt: skip
def test_the_definition(
    result: str, elements: list[Any], steps: Any, cuts: Any, descending: bool, evicts: bool, filters: Any
) -> None:
    """In calls cut anywhere, with all that is held, each from the state of the one before."""
    frames = frames_of(steps, evicts)
    values = filled(elements, frames)
    seen = None if filters is None else np.array(filled(filters, frames), np.uint8)
    within = with_slices_of(pa.array(values, pa.float64()))

    def call(method: Any, base: int, end: int, *bounds: Any) -> Any:
        mask = None if seen is None else np.append(seen[base:end], 0).astype(np.uint8)[: end - base]
        return within(lambda *arguments: method(*arguments, mask), base, end, *bounds)

    def make() -> RollingRank:
        return RollingRank(result, True, evicts, descending)

    marks = [1] * len(values) if seen is None else seen.tolist()
    for part, given_by in rolled_in_calls(make, frames, cuts, evicts, call):
        expected = [defined(result, values, marks, frame, descending) for frame in frames[part]]
        assert given_by.to_pylist() == expected


SHAPES = {
    "random": lambda rng, n: rng.integers(-(2**62), 2**62, n),
    "few": lambda rng, n: rng.integers(0, 3, n),
    "rising": lambda rng, n: np.arange(n) // 3,
    "falling": lambda rng, n: -np.arange(n) // 3,
    "walk": lambda rng, n: np.cumsum(rng.integers(-5, 6, n)),
    "the ends": lambda rng, n: rng.choice([-(2**63), -(2**63) + 1, 0, 2**63 - 1], n),
    "saw": lambda rng, n: np.arange(n) % 700,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("result", NAMES)
@pytest.mark.parametrize("size", [70, 3000, 10**6])
def test_many_blocks(shape: str, result: str, size: int) -> None:
    n, rng = 8000, np.random.default_rng(4)
    values = SHAPES[shape](rng, n).astype(np.int64)
    end = np.arange(1, n + 1)
    start = np.maximum(end - size, 0)
    kernel = RollingRank(result, False, size < n)
    column, given_by = pa.array(values), []
    for first in range(0, n, 1000):
        some = slice(first, first + 1000)
        given_by += kernel.roll(column, 0, start[some], end[some]).to_pylist()
        kernel._check()
    held: list[int] = []
    for at, value in enumerate(values.tolist()):
        if at >= size:
            held.pop(bisect.bisect_left(held, int(values[at - size])))
        bisect.insort(held, value)
        if at % 37:
            continue
        less, most = bisect.bisect_left(held, value), bisect.bisect_right(held, value)
        wanted = {
            "min": less + 1, "max": most, "average": (less + 1 + most) / 2, "dense": len(set(held[:less])) + 1,
            "percent": less / max(len(held) - 1, 1), "share": most / len(held),
        }  # fmt: skip
        assert given_by[at] == wanted[result]


ODD = {
    "floats": (pa.float64(), [1.0, -0.0, 0.0, 2.5, -math.inf, math.inf, 3.0]),
    "NULLs": (pa.float64(), [1.0, None, 0.0, 2.5, None, 2.5, 7.0]),
    "NaNs": (pa.float64(), [1.0, math.nan, 0.0, None, math.inf, 2.5]),
    "integers": (pa.int64(), [1, None, 0, -5, 7, 7]),
    "large integers": (pa.int64(), [2**53, 2**53 + 1, 2**63 - 1, -(2**63), None, 2**53 - 1]),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("result", NAMES)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("filtered", [False, True])
def test_many_small_frames_of_odd_values(odd: str, result: str, descending: bool, filtered: bool) -> None:
    """They are compared one by one where that is exact; the frames behind them go on from there."""
    rng, (kind, some) = np.random.default_rng(9), ODD[odd]
    values = [some[at] for at in rng.integers(0, len(some), 700)]
    seen = (rng.random(700) < 0.6).astype(np.uint8) if filtered else np.ones(700, np.uint8)
    end = np.sort(rng.integers(0, 700, 700))
    start = np.minimum(np.maximum.accumulate(end - rng.integers(0, 9, 700)).clip(0), end)
    kernel, given_by, held = RollingRank(result, pa.types.is_floating(kind), True, descending), [], 0
    for part in (slice(0, 300), slice(300, 310), slice(310, 700)):
        low = min(int(start[part][0]), held)
        column = pa.array(values[low:], kind)
        given_by += kernel.roll(column, low, start[part], end[part], seen[low:] if filtered else None).to_pylist()
        kernel._check()
        held = int(start[part][-1])
    frames = zip(start.tolist(), end.tolist(), strict=True)
    assert given_by == [defined(result, values, seen.tolist(), frame, descending) for frame in frames]


def test_memory_follows_the_frame() -> None:
    """Blocks that have become empty are given back."""
    kernel = RollingRank("min", False)
    values = pa.array(np.arange(200_000))
    end = np.arange(1, 200_001)
    kernel.roll(values, 0, np.maximum(end - 5000, 0), end)
    assert kernel.__sizeof__() < 40 * 5000 * 2


@pytest.mark.parametrize("method", ["average", "min", "max"])
@pytest.mark.parametrize("ascending", [True, False])
@given(values=st.lists(st.integers(-4, 4).map(float), max_size=60), size=st.integers(1, 12))
def test_pandas_and_polars(method: str, ascending: bool, values: list[float], size: int) -> None:
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - size, 0)
    ours = (
        RollingRank(method, True, True, not ascending).roll(pa.array(values, pa.float64()), 0, start, end).to_pylist()
    )
    by_pandas = pd.Series(values, dtype=float).rolling(size, min_periods=1).rank(method=method, ascending=ascending)
    assert ours == by_pandas.tolist()
    if ascending and hasattr(pl.Series, "rolling_rank"):
        by_polars = pl.Series(values, dtype=pl.Float64).rolling_rank(size, method=method, min_samples=1)
        assert ours == by_polars.to_list()
