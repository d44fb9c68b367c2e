"""FloatExtreme and IntExtreme against min() and max() of every frame, cut into calls anywhere."""

import doctest
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, bounds_of, filled, frames_of, rolled_in_calls, same, with_slices_of

from inwindow.native import _extremes
from inwindow.native._extremes import FloatExtreme, IntExtreme

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.0]) | st.floats()
INTS = st.none() | st.integers(-2, 2) | st.sampled_from([-(2**63), 2**63 - 1])


def extreme_of(op, values):
    """Spark's: NaN is larger than everything, NULL is skipped."""
    counted = [value for value in values if value is not None]
    return (max if op == "max" else min)(counted, key=lambda value: (value != value, value), default=None)


def check(kind, values, op, frames, cuts, evicts=True):
    type_ = pa.float64() if kind is FloatExtreme else pa.int64()
    array = pa.array(filled(values, frames), type_)
    whole = kind(op, evicts=evicts).roll(array, 0, *bounds_of(frames))
    whole.validate(full=True)
    expected = [extreme_of(op, array.to_pylist()[start:end]) for start, end in frames]
    assert all(map(same, whole.to_pylist(), expected))

    for part, result in rolled_in_calls(lambda: kind(op, evicts=evicts), frames, cuts, False, with_slices_of(array)):
        assert len(result) == len(expected[part])
        assert all(map(same, result.to_pylist(), expected[part]))


@given(st.lists(FLOATS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_floats(values, op, steps, cuts):
    check(FloatExtreme, values, op, frames_of(steps), cuts)


@given(st.lists(INTS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_ints(values, op, steps, cuts):
    check(IntExtreme, values, op, frames_of(steps), cuts)


@given(st.lists(FLOATS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_frames_that_no_tuple_leaves(values, op, steps, cuts):
    check(FloatExtreme, values, op, frames_of(steps, evicts=False), cuts, evicts=False)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 5000])
def test_a_deque_that_outgrows_its_block(size):
    newest = np.arange(20_000, dtype=np.int64)
    oldest = np.maximum(newest + 1 - size, 0)
    bounds = oldest, newest + 1
    assert IntExtreme("min").roll(pa.array(newest), 0, *bounds).to_numpy().tolist() == oldest.tolist()
    assert IntExtreme("max").roll(pa.array(newest), 0, *bounds).to_numpy().tolist() == newest.tolist()
    assert IntExtreme("max").roll(pa.array(-newest), 0, *bounds).to_numpy().tolist() == (-oldest).tolist()


@pytest.mark.parametrize("window", [1, 2, 30, 700, 5000])
@pytest.mark.parametrize("trend", [-1.0, 0.0, 1.0])
def test_long_frames_in_calls_of_any_length_by_pandas(window, trend):
    draw = np.random.default_rng(window)
    values = pd.Series(draw.normal(size=6000) + trend * np.arange(6000) / 100).mask(draw.random(6000) < 0.3)
    expected = values.rolling(window, min_periods=1).min().to_numpy()
    cuts = [0, *np.sort(draw.choice(6000, 20, replace=False)).tolist(), 6000]
    end = np.arange(1, 6001)
    start = np.maximum(end - window, 0)
    kernel = FloatExtreme("min")
    for first, last in zip(cuts, cuts[1:], strict=False):
        array = pa.array(values[first:last], pa.float64(), from_pandas=True)
        result = kernel.roll(array, first, start[first:last], end[first:last])
        np.testing.assert_array_equal(result.to_numpy(zero_copy_only=False), expected[first:last])


def test_only_the_extreme_is_kept_where_no_tuple_leaves():
    ascending = pa.array(np.arange(10_000.0))
    ends = np.arange(1, 10_001)
    kernel = FloatExtreme("min", evicts=False)
    kernel.roll(ascending, 0, np.zeros_like(ends), ends)
    lo, hi, entries = kernel.state()
    assert (lo, hi, len(entries)) == (0, 10_000, 1)


def test_one_of_equal_values_is_kept():
    kernel = FloatExtreme("max")
    kernel.absorb(pa.array([1.0] * 100), 0, 0, 100)
    assert len(kernel.state()[2]) == 1


def test_no_bitmap_without_a_null():
    result = IntExtreme("min").roll(pa.array([3, None, 1]), 0, np.array([0, 0]), np.array([1, 3]))
    assert result.buffers()[0] is None
    assert result.null_count == 0


def test_a_nan_of_either_sign_is_the_largest():
    nans = pa.array(np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64))
    values = pa.concat_arrays([pa.array([math.inf]), nans, pa.array([-math.inf])])
    start, end = np.array([0, 1, 1, 3]), np.array([1, 2, 3, 4])
    for op in "min", "max":
        result = FloatExtreme(op).roll(values, 0, start, end).to_pylist()
        np.testing.assert_equal(result, [math.inf, math.nan, math.nan, -math.inf])


def test_a_lower_end_that_moves_although_it_may_not():
    kernel = FloatExtreme("min", evicts=False)
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        kernel.roll(pa.array([1.0, 2.0]), 0, np.array([0, 1]), np.array([2, 2]))


def test_an_unknown_op():
    with pytest.raises(ValueError, match="op='sum': an extreme is 'min' or 'max'"):
        FloatExtreme("sum")


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_extremes)
    assert attempted > 0
    assert failed == 0
