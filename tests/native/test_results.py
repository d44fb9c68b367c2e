"""From a list of results to a column: what fits, what does not, and that pyarrow agrees."""

import doctest
import enum
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _results
from inwindow.native._results import Misfit, column

DOUBLES = st.lists(st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-(2**53), 2**53)))
INTEGERS = st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)))


@given(DOUBLES)
def test_doubles(values):
    result = column(values, "double")
    result.validate(full=True)
    assert result.equals(pa.array([None if v is None else float(v) for v in values], pa.float64()))


@given(INTEGERS)
def test_integers(values):
    result = column(values, "int64")
    result.validate(full=True)
    assert result.equals(pa.array(values, pa.int64()))


def test_nan_and_signed_zero_stay():
    nan, zero = column([float("nan"), -0.0], "double").to_numpy()
    assert np.isnan(nan)
    assert np.signbit(zero)


def test_without_a_null_there_is_no_bitmap():
    assert column([1.0, 2.0], "double").buffers()[0] is None


def test_subclasses_fit():
    number = enum.IntEnum("number", {"ONE": 1})
    assert column([np.float64(1.5), number.ONE], "double").to_pylist() == [1.5, 1.0]
    assert column([number.ONE], "int64").to_pylist() == [1]


def test_numpy_numbers_fit():
    assert column([np.float32(1.5), np.int64(2), np.uint8(3)], "double").to_pylist() == [1.5, 2.0, 3.0]
    assert column([np.int64(-(2**63)), np.int8(-1), np.uint64(7)], "int64").to_pylist() == [-(2**63), -1, 7]


@pytest.mark.parametrize("mode", ["object", "state"])
def test_lists_are_handed_through(mode):
    values = [1, "a", None]
    assert column(values, mode) is values


@pytest.mark.parametrize(
    ("mode", "value"),
    [
        ("double", True),
        ("double", "1.5"),
        ("double", Decimal("NaN")),
        ("double", 10**400),
        ("int64", False),
        ("int64", 1.0),
        ("int64", 2**63),
        ("int64", -(2**63) - 1),
        ("double", np.bool_(True)),
        ("int64", np.bool_(True)),
        ("int64", np.float64(1.0)),
        ("int64", np.uint64(2**63)),
    ],
)
def test_misfits(mode, value):
    with pytest.raises(Misfit) as caught:
        column([1, None, value, object()], mode)
    assert caught.value.index == 2
    assert caught.value.value is value
    assert str(caught.value) == f"frame 2: {value!r} does not fit the result type"


def test_docstrings():
    assert doctest.testmod(_results) == (0, 2)
