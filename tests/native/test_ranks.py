"""Quantile against sorting every frame, with its invariants checked after every call."""

import doctest
import math
import pickle
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _ranks
from inwindow.native._ranks import Quantile

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.0]) | st.floats()
PS = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1)
STEPS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40)
CUTS = st.lists(st.integers(0, 10_000), max_size=5)


def frames_of(steps):
    """Bounds that never decrease, from how far each frame's ends move; gaps and empty frames too."""
    lower = upper = 0
    for down, up in steps:
        lower += down
        upper = max(upper + up, lower)
        yield lower, upper


def quantile_of(p, values):
    """Spark's percentile: linear between the two closest ranks; NaN is the largest, NULL is skipped."""
    counted = [value for value in values if value is not None]
    if not counted:
        return None
    counted.sort(key=lambda value: (value != value, value))
    rank = p * (len(counted) - 1)
    lower, upper = math.floor(rank), math.ceil(rank)
    if same(counted[lower], counted[upper]):
        return counted[lower]
    return (upper - rank) * counted[lower] + (rank - lower) * counted[upper]


def same(one, other):
    """Equal, also two NaN: -0.0 and 0.0 are."""
    return one == other or one != one and other != other


def check(p, array, frames, cuts):
    """Compare the results of one call after the other; each has only the values that are new to it.

    The kernel of each is restored from the state of the one before. Every third call absorbs its frames.
    """
    kernel, hi = Quantile(p), 0
    cuts = sorted(cut % (len(frames) + 1) for cut in cuts)
    for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(frames)], strict=True)):
        part = frames[begin:end]
        base = max(hi, part[0][0]) if part else hi
        hi = part[-1][1] if part else hi
        values = array.slice(base, hi - base)
        if number % 3 == 2:
            for frame in part:
                kernel.absorb(values, base, *frame)
        else:
            result = kernel.roll(values, base, *np.array(part, np.int64).reshape(-1, 2).T.copy())
            result.validate(full=True)
            expected = [quantile_of(p, array.slice(lo, up - lo).to_pylist()) for lo, up in part]
            assert all(map(same, result.to_pylist(), expected))
        kernel._check()
        state = pickle.loads(pickle.dumps(kernel.state()))
        kernel = Quantile(p)
        kernel.restore(state)
        kernel._check()


@given(PS, st.lists(FLOATS, min_size=1), STEPS, CUTS)
def test_small_frames(p, values, steps, cuts):
    frames = list(frames_of(steps))
    length = frames[-1][1] if frames else 0
    check(p, pa.array((values * length)[:length], pa.float64()), frames, cuts)


SHAPES = {
    "random": lambda random, n: random.random(n),
    "walk": lambda random, n: random.normal(size=n).cumsum(),
    "ascending": lambda random, n: np.arange(n, dtype=float),
    "descending": lambda random, n: -np.arange(n, dtype=float),
    "sawtooth": lambda random, n: np.arange(n) % random.integers(1, n + 1) * 1.0,
    "triangle": lambda random, n: abs(np.arange(n) % random.integers(1, n + 1) - n / 3),
    "two levels": lambda random, n: np.arange(n) // random.integers(1, n + 1) % 2 + random.random(n) / 2,
    "ten values": lambda random, n: random.integers(0, 10, n).astype(float),
    "one value": lambda random, n: np.ones(n),
    "outward": lambda random, n: np.arange(n) * (-1.0) ** np.arange(n),
    "inward": lambda random, n: 1 / (1 + np.arange(n)) * (-1.0) ** np.arange(n),
    "holes": lambda random, n: np.where(random.random(n) < 0.3, np.nan, random.normal(size=n)),
}
SHAPE = st.sampled_from(sorted(SHAPES))
SEEDS = st.integers(0, 2**32 - 1)


def walks_of(random, n, most):
    """Bounds over n positions: the frames grow, shrink, stand still, jump and run dry."""
    lower = upper = 0
    while upper < n:
        down, up = random.integers(0, most, 2) * random.integers(0, 2, 2)
        for _ in range(random.integers(1, 60)):
            lower = min(lower + down, n)
            upper = min(max(upper + up, lower), n)
            yield lower, upper
        up = random.integers(0, 3 * most)
        upper = min(upper + up, n)
        yield lower, upper


@given(PS, SHAPE, SEEDS, st.integers(1, 2000), st.sampled_from([2, 3, 30]), CUTS, st.booleans())
def test_frames_of_many_piles(p, shape, seed, n, most, cuts, nulls):
    random = np.random.default_rng(seed)
    values = SHAPES[shape](random, n)
    array = pa.array(values, mask=random.random(n) < 0.1 if nulls else None)
    check(p, array, list(walks_of(random, n, most)), cuts)


@given(PS, SHAPE, SEEDS, st.sampled_from([1, 2, 10, 100, 1000, 1500]))
def test_one_tuple_at_a_time(p, shape, seed, size):
    values = SHAPES[shape](np.random.default_rng(seed), 1500)
    kernel = Quantile(p)
    for upper in range(1, 1501):
        lower = np.array([max(upper - size, 0)])
        result = kernel.roll(pa.array(values), 0, lower, np.array([upper]))[0].as_py()
        if upper % 97 == 0:
            kernel._check()
            assert same(result, quantile_of(p, values[lower[0] : upper].tolist()))


@pytest.mark.parametrize("p", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_memory_is_that_of_a_frame(shape, p):
    """However many tuples have passed: stale entries and empty piles do not gather anywhere."""
    sizes = []
    for n in 1000, 50_000:
        values = pa.array(SHAPES[shape](np.random.default_rng(0), n))
        kernel = Quantile(p)
        end = np.arange(1, n + 1)
        kernel.roll(values, 0, np.maximum(end - 1000, 0), end)
        sizes.append(sys.getsizeof(kernel))
    assert sizes[1] < 2 * sizes[0] + 20_000


def test_shrinking_to_nothing_and_growing_again():
    values = np.random.default_rng(0).random(5000)
    grow = np.arange(1, 5001)
    start = np.concatenate([np.zeros(5000, np.int64), grow])
    end = np.concatenate([grow, np.full(5000, 5000)])
    result = Quantile(0.5).roll(pa.array(values), 0, start, end)
    assert result[-1].as_py() is None
    expected = [np.median(values[lo:up]) for lo, up in zip(start[:-1:50], end[:-1:50], strict=True)]
    assert result.to_numpy(zero_copy_only=False)[:-1:50].tolist() == expected


def test_infinities_of_both_signs_have_no_middle():
    values = pa.array([-math.inf, math.inf, math.inf])
    result = Quantile(0.5).roll(values, 0, np.array([0, 0, 1]), np.array([2, 3, 3])).to_pylist()
    assert math.isnan(result[0])
    assert result[1:] == [math.inf, math.inf]


def test_no_bitmap_without_a_null():
    result = Quantile(0.5).roll(pa.array([3.0, None, 1.0]), 0, np.array([0, 0]), np.array([1, 3]))
    assert result.buffers()[0] is None
    assert result.null_count == 0


def test_a_state_is_the_frame():
    kernel = Quantile(0.5)
    kernel.absorb(pa.array([1.0, None, 2.0]), 10, 11, 13)
    lo, hi, keys = kernel.state()
    assert (lo, hi) == (11, 13)
    assert keys.tolist() == [-(2**63), int(np.float64(2.0).view(np.int64))]


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_a_p_that_is_no_probability(p):
    with pytest.raises(ValueError, match="a quantile is between 0 and 1; the median is 0.5"):
        Quantile(p)


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_ranks)
    assert attempted > 0
    assert failed == 0
