"""FloatDistinct, IntDistinct and ObjectDistinct against the set of every frame, cut into calls anywhere."""

import doctest
import math
import pickle
import sys
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, filled, frames_of, rolled_in_calls, with_slices_of

from inwindow.native import _distinct
from inwindow.native._distinct import FloatDistinct, IntDistinct, ObjectDistinct

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0]) | st.floats()
INTS = st.none() | st.integers(-2, 2) | st.sampled_from([-(2**63), 2**63 - 1])
SCALARS = [None, "a", b"a", 1.5, 0.0, -0.0, Decimal("1.0"), Decimal("1.00"), date(2000, 1, 1), (1, "a")]
OBJECTS = st.sampled_from(SCALARS) | st.just("nan").map(float)
ROWS = st.lists(st.tuples(OBJECTS, OBJECTS, st.booleans()), min_size=1)


def identity(value):
    """The same for two values that are the same: any two NaN are."""
    return "NaN" if isinstance(value, float) and value != value else value


def check_column(kind, values, steps, cuts, evicts):
    frames = frames_of(steps, evicts)
    array = pa.array(filled(values, frames), pa.float64() if kind is FloatDistinct else pa.int64())

    expected = [len(set(map(identity, array[lo:up].drop_null().to_pylist()))) for lo, up in frames]
    for part, result in rolled_in_calls(lambda: kind(evicts=evicts), frames, cuts, evicts, with_slices_of(array)):
        assert result.type == pa.int64()
        assert result.to_pylist() == expected[part]


@given(st.lists(FLOATS, min_size=1), STEPS, CUTS, st.booleans())
def test_floats(values, steps, cuts, evicts):
    check_column(FloatDistinct, values, steps, cuts, evicts)


@given(st.lists(INTS, min_size=1), STEPS, CUTS, st.booleans())
def test_ints(values, steps, cuts, evicts):
    check_column(IntDistinct, values, steps, cuts, evicts)


@given(ROWS, STEPS, CUTS, st.booleans(), st.integers(1, 2), st.booleans())
def test_objects(rows, steps, cuts, evicts, width, masked):
    frames = frames_of(steps, evicts)
    rows = filled(rows, frames)
    seen = np.array([row[2] for row in rows], np.uint8) if masked else None

    def call(method, base, end, *bounds):
        columns = [[row[i] for row in rows[base:end]] for i in range(width)]
        return method(columns, base, None if seen is None else seen[base:end], *bounds)

    for part, result in rolled_in_calls(lambda: ObjectDistinct(evicts=evicts), frames, cuts, evicts, call):
        assert result.type == pa.int64()
        for (lo, up), count in zip(frames[part], result.to_pylist(), strict=True):
            counted = [row[:width] for row in rows[lo:up] if row[2] or not masked]
            assert count == len({tuple(map(identity, row)) for row in counted if None not in row})


@pytest.mark.parametrize("shift", [0, 20, 40])
@pytest.mark.parametrize("values", [10, 1000, 1 << 23])
@pytest.mark.parametrize("size", [1, 10, 100, 1000])
def test_tables_that_grow_and_shrink(size, values, shift):
    column = np.random.default_rng(0).integers(0, values, 3000) << shift
    column[1000:2000] = 7
    end = np.arange(1, 3001)
    start = np.maximum(end - size, 0)
    kernel = IntDistinct()
    for begin in range(0, 3000, 250):
        bounds = start[begin : begin + 250], end[begin : begin + 250]
        result = kernel.roll(pa.array(column), 0, *bounds).to_pylist()
        kernel._check()
        expected = [len(set(column[lo:up].tolist())) for lo, up in zip(*bounds, strict=True)]
        assert result == expected


SMALL_FRAMES = {"evicted": [(99_990, 100_000)], "afresh": [(100_000, 100_010), (100_010, 100_020)]}


@pytest.mark.parametrize("frames", SMALL_FRAMES.values(), ids=SMALL_FRAMES)
def test_a_table_gives_room_back(frames):
    column = pa.array(np.arange(100_020))
    kernel = IntDistinct()
    kernel.absorb(column, 0, 0, 100_000)
    for frame in frames:
        kernel.absorb(column, 0, *frame)
    kernel._check()
    assert len(kernel.state()[2]) == 10
    assert sys.getsizeof(kernel) < 10_000


def test_zeros_and_nans_of_both_signs():
    nans = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    values = pa.array(np.concatenate([[0.0, -0.0], nans]))
    start, end = np.array([0, 0, 1, 3]), np.array([2, 4, 4, 4])
    assert FloatDistinct().roll(values, 0, start, end).to_pylist() == [1, 2, 2, 1]


def test_tuples_with_a_nan_survive_a_pickled_state():
    kernel = ObjectDistinct()
    kernel.absorb([[1, 2], [math.nan, "x"]], 0, None, 0, 2)
    other = ObjectDistinct()
    other.restore(pickle.loads(pickle.dumps(kernel.state())))
    columns = [[1, 2, 1], [float("nan"), "x", float("nan")]]
    assert other.roll(columns, 0, None, np.array([0, 1, 2]), np.array([3, 3, 3])).to_pylist() == [2, 2, 1]


COLUMNS = {
    FloatDistinct: (pa.array([1.0, 2.0]), 0),
    IntDistinct: (pa.array([1, 2]), 0),
    ObjectDistinct: ([["a", "b"]], 0, None),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_lower_end_that_moves_although_it_may_not(kind):
    with pytest.raises(RuntimeError, match="evicts=False, but the lower end moved from 0 to 1"):
        kind(evicts=False).roll(*COLUMNS[kind], np.array([0, 1]), np.array([2, 2]))


def test_an_unhashable_value():
    with pytest.raises(TypeError, match="unhashable type: .bytearray."):
        ObjectDistinct().roll([[bytearray()]], 0, None, np.array([0]), np.array([1]))


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_distinct)
    assert attempted > 0
    assert failed == 0
