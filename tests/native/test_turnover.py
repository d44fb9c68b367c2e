"""What comes and goes among distinct values: the totals over it, against sets, cut into calls anywhere."""

import doctest
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, filled, frames_of, rolled_in_calls, with_slices_of

from inwindow.native import _turnover
from inwindow.native._swept_sums import SweptDoubles
from inwindow.native._totals import DecimalSum, IntSum, IntTrySum
from inwindow.native.distinct_totals import OfDistinct

WIDE = pa.decimal128(30, 2)
FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, 0.0, -0.0, 1.0, 0.1, 1e300]) | st.floats()
INTS = st.none() | st.integers(-3, 3)
DECIMALS = st.none() | st.integers(-2, 2).map(lambda value: Decimal(value * 10**20).scaleb(-2))


def total(values):
    """The exact sum of the distinct values, rounded once."""
    special = {"NaN" if v != v else v for v in values if isinstance(v, float) and not math.isfinite(v)}
    if not values or special:
        return (math.nan if "NaN" in special or len(special) > 1 else special.pop()) if values else None
    exact = sum(set(map(Fraction, values)), Fraction(0))
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


@pytest.mark.parametrize(
    ("kind", "made", "values"),
    [
        (pa.float64(), lambda: SweptDoubles("sum"), FLOATS),
        (pa.int64(), lambda: IntSum("sum"), INTS),
        (WIDE, lambda: DecimalSum(pa.decimal128(38, 2)), DECIMALS),
    ],
    ids=["double", "integer", "decimal"],
)
@given(data=st.data(), steps=STEPS, cuts=CUTS, evicts=st.booleans())
def test_sums_of_what_is_there(kind, made, values, data, steps, cuts, evicts):
    frames = frames_of(steps, evicts)
    array = pa.array(filled(data.draw(st.lists(values, min_size=1)), frames), kind)
    make = lambda: OfDistinct(made, kind, evicts=evicts)  # noqa: E731
    for part, result in rolled_in_calls(make, frames, cuts, evicts, with_slices_of(array)):
        for (lo, up), got in zip(frames[part], result.to_pylist(), strict=True):
            right = total(array[lo:up].drop_null().to_pylist())
            assert got == right or (got != got and right != right), (got, right)


@given(
    st.lists(st.none() | st.sampled_from([2**62, -(2**62), 2**63 - 1, 1]), min_size=1, max_size=12), st.integers(1, 4)
)
def test_a_sum_that_does_not_fit_is_null(values, size):
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - size, 0)
    sums = [[v for v in values[lo:up] if v is not None] for lo, up in zip(start, end, strict=True)]
    right = [sum(some) if some and -(2**63) <= sum(some) < 2**63 else None for some in sums]
    assert IntTrySum().roll(pa.array(values, pa.int64()), 0, start, end).to_pylist() == right


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_turnover)
    assert attempted > 0
    assert failed == 0
