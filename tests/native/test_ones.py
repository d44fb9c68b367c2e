"""OnesInWindow against the true counts, within eps, and against the same histogram that never forgets a bucket."""

import doctest
import math
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, again, bounds_of, calls_of, filled, frames_of, steps_of

from inwindow.native import _ones
from inwindow.native._ones import OnesInWindow

VALUES = st.sampled_from([None, 0, 0, 1, 1, 1, -1, 2**63 - 1, -(2**63)])
EPS = st.sampled_from([1.0, 0.7, 0.5, 0.4, 1 / 3, 0.25, 0.2, 1 / 6, 1 / 7, 0.1]) | st.floats(0.05, 1)
STEPS = steps_of(9, 80)


def buckets_at_most(eps, ones):
    k = math.ceil(1 / Fraction(eps))
    half = math.ceil(k / 2)
    return k + 1 + (half + 1) * max(math.log2(ones / half), 0) if ones else 0


class Unforgetting:
    """The histogram as one list of (size, newest), the newest bucket first, in which nothing ever expires."""

    def __init__(self, eps):
        self.k = math.ceil(1 / Fraction(eps))
        self.buckets, self.hi, self.begin = [], 0, 0

    def most(self, size):
        return self.k + 1 if size == 1 else math.ceil(self.k / 2) + 1

    def add(self, position):
        self.buckets.insert(0, (1, position))
        size = 1
        while len(same := [i for i, bucket in enumerate(self.buckets) if bucket[0] == size]) > self.most(size):
            newer, older = same[-2:]
            self.buckets[newer : older + 1] = [(2 * size, self.buckets[newer][1])]
            size *= 2

    def count(self, values, start, end):
        if start >= self.hi:
            self.buckets, self.hi, self.begin = [], start, start
        for position in range(self.hi, end):
            if values[position]:
                self.add(position)
        self.hi = max(self.hi, end)
        kept = [bucket for bucket in self.buckets if bucket[1] >= start]
        if not kept:
            return 0
        older = self.buckets[len(kept) :]
        before = older[0][1] if older else self.begin - 1  # all ones of the oldest kept bucket are behind it
        return sum(size for size, _ in kept) - (kept[-1][0] // 2 if before < start - 1 else 0)


def assert_within(eps, values, frames, counts):
    ones = np.concatenate([[0], np.cumsum([bool(value) for value in values], dtype=np.int64)])
    for (start, end), count in zip(frames, counts, strict=True):
        true = int(ones[end] - ones[start])
        assert abs(count - true) <= Fraction(eps) * true


def rolled_in_calls(eps, array, frames, cuts):
    """The results of calls that are given nothing but what is new, each on the restored state of the one before."""
    kernel, results = OnesInWindow(eps), []
    for part, base, end in calls_of(frames, cuts, held=False):
        results += kernel.roll(array.slice(base, end - base), base, *bounds_of(frames[part])).to_pylist()
        kernel = again(lambda: OnesInWindow(eps), kernel)
    return results


def check(eps, values, frames, cuts):
    values = filled(values, frames)
    array = pa.array([None, *values], pa.int64()).slice(1)
    result = OnesInWindow(eps).roll(array, 0, *bounds_of(frames))
    result.validate(full=True)
    assert result.type == pa.int64()
    assert result.null_count == 0
    counts = result.to_pylist()
    assert_within(eps, values, frames, counts)
    model = Unforgetting(eps)
    assert counts == [model.count(values, *frame) for frame in frames]
    assert rolled_in_calls(eps, array, frames, cuts) == counts


@given(EPS, st.lists(VALUES, min_size=1), STEPS, CUTS)
def test_any_frames(eps, values, steps, cuts):
    check(eps, values, frames_of(steps), cuts)


@given(EPS, st.lists(VALUES, min_size=1, max_size=300), st.integers(1, 120), st.integers(0, 9), st.integers(1, 4))
def test_rows_preceding_also_with_a_lag(eps, values, window, lag, slide):
    newest = range(0, len(values), slide)
    check(eps, values, [(max(x - lag - window + 1, 0), max(x - lag + 1, 0)) for x in newest], [len(newest) // 2])


@given(EPS, st.lists(VALUES, min_size=1, max_size=300), st.lists(st.integers(0, 3), min_size=300, max_size=300))
def test_range_frames(eps, values, gaps):
    """RANGE 20 PRECEDING on times with peers and gaps: whole groups come and go."""
    times = np.cumsum(gaps[: len(values)])
    lower, upper = np.searchsorted(times, times - 20), np.searchsorted(times, times, "right")
    check(eps, values, list(zip(lower.tolist(), upper.tolist(), strict=True)), [])


@pytest.mark.parametrize("eps", [1.0, 0.5, 1 / 3, 0.1, 1 / 6, 0.03, 0.01])
@pytest.mark.parametrize("window", [10, 1000, 7000])
@pytest.mark.parametrize("density", [1.0, 0.5, 0.01])
def test_error_and_buckets_of_long_streams(eps, window, density):
    random = np.random.default_rng(window)
    values = (random.random(20_000) < density).astype(np.int64)
    end = np.arange(1, 20_001)
    start = np.maximum(end - window, 0)
    ones = np.concatenate([[0], np.cumsum(values)])
    true = ones[end] - ones[start]
    kernel = OnesInWindow(eps)
    counts = np.concatenate(
        [
            kernel.roll(pa.array(values[begin : begin + 50]), begin, start[begin : begin + 50], end[begin : begin + 50])
            for begin in range(0, 20_000, 50)
            if len(kernel) <= buckets_at_most(eps, true[begin - 1])
        ]
    )
    assert len(counts) == 20_000  # no call was left out: the number of buckets was right before each
    assert (np.abs(counts - true) <= eps * true).all()
    assert sys.getsizeof(kernel) < 4000 + 32 * buckets_at_most(eps, window)


def test_growing_and_tumbling_frames_are_exact():
    values = pa.array([1] * 5000)
    end = np.arange(1, 5001)
    assert OnesInWindow(1).roll(values, 0, np.zeros_like(end), end).to_pylist() == end.tolist()
    start = (end - 1) // 700 * 700
    assert OnesInWindow(1).roll(values, 0, start, end).to_pylist() == (end - start).tolist()


@given(st.lists(VALUES, min_size=1, max_size=200), st.integers(1, 50), st.integers(1, 7))
def test_a_result_does_not_depend_on_the_frames_in_between(values, window, slide):
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - window - 7, 0)
    array = pa.array(values, pa.int64())
    every = OnesInWindow(0.5).roll(array, 0, start, end).to_pylist()
    some = OnesInWindow(0.5).roll(array, 0, start[slide - 1 :: slide].copy(), end[slide - 1 :: slide].copy())
    assert some.to_pylist() == every[slide - 1 :: slide]


def test_absorbed_frames():
    kernel = OnesInWindow(0.5)
    kernel.absorb(pa.array([1] * 30), 0, 0, 30)
    kernel.absorb(pa.array([1] * 30), 30, 0, 60)
    assert kernel.roll(pa.array([], pa.int64()), 60, np.array([0]), np.array([60])).to_pylist() == [60]
    assert kernel.roll(pa.array([], pa.int64()), 60, np.array([60, 70]), np.array([60, 65])).to_pylist() == [0, 0]
    assert len(kernel) == 0


@pytest.mark.parametrize("eps", [0, -0.1, 1.1, math.nan, math.inf])
def test_an_error_that_cannot_be(eps):
    with pytest.raises(ValueError, match="a relative error is in"):
        OnesInWindow(eps)


def test_the_smallest_error():
    kernel = OnesInWindow(5e-324)
    kernel.absorb(pa.array([1] * 3000), 0, 0, 3000)
    assert kernel.roll(pa.array([1]), 3000, np.array([1]), np.array([3001])).to_pylist() == [3000]


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_ones)
    assert attempted > 0
    assert failed == 0
