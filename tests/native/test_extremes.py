"""FloatExtreme and IntExtreme against min() and max() of every frame, cut into calls anywhere."""

import doctest
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _extremes
from inwindow.native._extremes import FloatExtreme, IntExtreme

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.0]) | st.floats()
INTS = st.none() | st.integers(-2, 2) | st.sampled_from([-(2**63), 2**63 - 1])
ABSORBED = object()
STEPS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40)


def frames_of(steps):
    """Bounds that never decrease, from how far each frame's ends move; gaps and empty frames too."""
    lower = upper = 0
    for down, up in steps:
        lower += down
        upper = max(upper + up, lower)
        yield lower, upper


def growing_frames_of(steps):
    """Bounds that grow, or start afresh where the last ended."""
    lower = upper = 0
    for restart, up in steps:
        if restart == 0:
            lower = upper
        upper += up
        yield lower, upper


def extreme_of(op, values):
    """Spark's: NaN is larger than everything, NULL is skipped."""
    counted = [value for value in values if value is not None]
    return (max if op == "max" else min)(counted, key=lambda value: (value != value, value), default=None)


def same(one, other):
    """Equal, also two NaN: -0.0 and 0.0 are."""
    return one == other or one != one and other != other


def rolled_in_calls(make, values, frames, cuts):
    """The results of one call after the other; each has only the values that are new to it.

    The kernel of each is restored from the state of the one before. Every third call absorbs its frames:
    ABSORBED stands for their results.
    """
    kernel, results, hi = make(), [], 0
    for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(frames)], strict=True)):
        part = frames[begin:end]
        base = max(hi, part[0][0]) if part else hi
        hi = part[-1][1] if part else hi
        seen = values.slice(base, hi - base)
        if number % 3 == 2:
            for frame in part:
                kernel.absorb(seen, base, *frame)
            results += [ABSORBED] * len(part)
        else:
            bounds = np.array(part, np.int64).reshape(-1, 2).T.copy()
            results += kernel.roll(seen, base, *bounds).to_pylist()
        state = pickle.loads(pickle.dumps(kernel.state()))
        kernel = make()
        kernel.restore(state)
    return results


def check(kind, values, op, frames, cuts, evicts=True):
    type_ = pa.float64() if kind is FloatExtreme else pa.int64()
    length = frames[-1][1] if frames else 0
    array = pa.array((values * length)[:length], type_)
    whole = kind(op, evicts=evicts).roll(array, 0, *np.array(frames, np.int64).reshape(-1, 2).T.copy())
    whole.validate(full=True)
    expected = [extreme_of(op, array.to_pylist()[start:end]) for start, end in frames]
    assert all(map(same, whole.to_pylist(), expected))
    cuts = sorted(cut % (len(frames) + 1) for cut in cuts)
    in_calls = rolled_in_calls(lambda: kind(op, evicts=evicts), array, frames, cuts)
    assert len(in_calls) == len(expected)
    assert all(one is ABSORBED or same(one, other) for one, other in zip(in_calls, expected, strict=True))


CUTS = st.lists(st.integers(0, 40), max_size=5)


@given(st.lists(FLOATS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_floats(values, op, steps, cuts):
    check(FloatExtreme, values, op, list(frames_of(steps)), cuts)


@given(st.lists(INTS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_ints(values, op, steps, cuts):
    check(IntExtreme, values, op, list(frames_of(steps)), cuts)


@given(st.lists(FLOATS, min_size=1), st.sampled_from(["min", "max"]), STEPS, CUTS)
def test_frames_that_no_tuple_leaves(values, op, steps, cuts):
    check(FloatExtreme, values, op, list(growing_frames_of(steps)), cuts, evicts=False)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 5000])
def test_a_deque_that_outgrows_its_block(size):
    newest = np.arange(20_000, dtype=np.int64)
    oldest = np.maximum(newest + 1 - size, 0)
    bounds = oldest, newest + 1
    assert IntExtreme("min").roll(pa.array(newest), 0, *bounds).to_numpy().tolist() == oldest.tolist()
    assert IntExtreme("max").roll(pa.array(newest), 0, *bounds).to_numpy().tolist() == newest.tolist()
    assert IntExtreme("max").roll(pa.array(-newest), 0, *bounds).to_numpy().tolist() == (-oldest).tolist()


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
