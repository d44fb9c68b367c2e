"""The quantiles against sorting every frame, with their invariants checked after every call."""

import doctest
import math
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, filled, frames_of, rolled_in_calls, same, with_slices_of

from inwindow.native import _ranks
from inwindow.native._ranks import DiscreteFloatQuantile, DiscreteIntQuantile, Quantile

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.0]) | st.floats()
INTS = st.sampled_from([None, -(2**63), 1 - 2**63, 2**63 - 2, 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1)
TYPES = {Quantile: pa.float64(), DiscreteFloatQuantile: pa.float64(), DiscreteIntQuantile: pa.int64()}
KINDS = st.sampled_from(list(TYPES))
PS = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1)


def quantile_of(kind, p, values):
    """Spark's percentile: linear between the two closest ranks; NaN is the largest, NULL is skipped.

    The discrete ones: the value of the rank ceil(p * n) - 1.
    """
    counted = [value for value in values if value is not None]
    if not counted:
        return None
    counted.sort(key=lambda value: (value != value, value))
    if kind is not Quantile:
        return counted[max(math.ceil(p * len(counted)) - 1, 0)]
    rank = p * (len(counted) - 1)
    lower, upper = math.floor(rank), math.ceil(rank)
    if same(counted[lower], counted[upper]):
        return counted[lower]
    apart, rest = counted[upper] - counted[lower], rank - lower
    if math.isfinite(apart):
        return counted[lower] + apart * rest
    return (1 - rest) * counted[lower] + rest * counted[upper]


def check(kind, p, array, frames, cuts):
    for part, result in rolled_in_calls(lambda: kind(p), frames, cuts, False, with_slices_of(array)):
        assert result.type == array.type
        expected = [quantile_of(kind, p, array.slice(lo, up - lo).to_pylist()) for lo, up in frames[part]]
        assert len(result) == len(expected)
        assert all(map(same, result.to_pylist(), expected))


def check_small(kind, p, values, steps, cuts):
    frames = frames_of(steps)
    check(kind, p, pa.array(filled(values, frames), TYPES[kind]), frames, cuts)


@given(st.sampled_from([Quantile, DiscreteFloatQuantile]), PS, st.lists(FLOATS, min_size=1), STEPS, CUTS)
def test_small_frames_of_floats(kind, p, values, steps, cuts):
    check_small(kind, p, values, steps, cuts)


@given(PS, st.lists(INTS, min_size=1), STEPS, CUTS)
def test_small_frames_of_ints(p, values, steps, cuts):
    check_small(DiscreteIntQuantile, p, values, steps, cuts)


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


def column_of(kind, shape, random, n, nulls=False):
    """Integers to the ends of their range: the least of them and the largest are in every column."""
    values = SHAPES[shape](random, n)
    if kind is DiscreteIntQuantile:
        values = np.nan_to_num(values) - np.nanmin(values)
        steps = (values / (values.max() or 1) * 2**20).astype(np.uint64) << np.uint64(43)
        values = (np.minimum(steps, np.uint64(2**63 - 1)) * np.uint64(2)).view(np.int64) ^ -(2**63)
    return pa.array(values, mask=random.random(n) < 0.1 if nulls else None)


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


@given(KINDS, PS, SHAPE, SEEDS, st.integers(1, 2000), st.sampled_from([2, 3, 30]), CUTS, st.booleans())
def test_frames_of_many_piles(kind, p, shape, seed, n, most, cuts, nulls):
    random = np.random.default_rng(seed)
    array = column_of(kind, shape, random, n, nulls)
    check(kind, p, array, list(walks_of(random, n, most)), cuts)


@given(PS, SHAPE, SEEDS, st.sampled_from([1, 2, 10, 100, 1000, 1500]))
def test_one_tuple_at_a_time(p, shape, seed, size):
    values = SHAPES[shape](np.random.default_rng(seed), 1500)
    kernel = Quantile(p)
    for upper in range(1, 1501):
        lower = np.array([max(upper - size, 0)])
        result = kernel.roll(pa.array(values), 0, lower, np.array([upper]))[0].as_py()
        if upper % 97 == 0:
            kernel._check()
            assert same(result, quantile_of(Quantile, p, values[lower[0] : upper].tolist()))


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


@pytest.mark.parametrize("p", [0.0, 0.01, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("shape", ["random", "walk", "ten values", "sawtooth", "one value"])
def test_as_polars_has_it(shape, p):
    values = SHAPES[shape](np.random.default_rng(1), 3000)
    end = np.arange(1, 3001)
    start = np.maximum(end - 250, 0)
    theirs = pl.Series(values).rolling_quantile(p, interpolation="linear", window_size=250, min_samples=1)
    assert Quantile(p).roll(pa.array(values), 0, start, end).to_numpy() == pytest.approx(theirs.to_numpy())


def test_the_least_integer_is_no_null():
    values = pa.array([-(2**63), None, 2**63 - 1, -(2**63), None])
    kernel = DiscreteIntQuantile(0.5)
    start, end = np.array([0, 0, 0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 4, 5, 5])
    least, most = -(2**63), 2**63 - 1
    assert kernel.roll(values, 0, start, end).to_pylist() == [least, least, least, least, least, least, None]
    assert DiscreteIntQuantile(1).roll(values, 0, start, end).to_pylist() == [
        least,
        least,
        most,
        most,
        most,
        least,
        None,
    ]


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
    lo, hi, values = kernel.state()
    assert (lo, hi) == (11, 13)
    assert values.to_pylist() == [None, 2.0]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_a_p_that_is_no_probability(p, kind):
    with pytest.raises(ValueError, match="a quantile is between 0 and 1; the median is 0.5"):
        kind(p)


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_ranks)
    assert attempted > 0
    assert failed == 0
