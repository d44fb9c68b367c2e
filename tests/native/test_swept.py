"""Values that leave in another order than they came: against sums of what holds, taken afresh."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inwindow.native._hooks import Delta
from inwindow.native._swept_sums import SweptDoubles
from inwindow.native._totals import Count, DecimalAvg, DecimalSum, IntAvg, IntSum

WIDE = st.floats() | st.sampled_from([1e300, -1e300, 1.0, 0.1, 5e-324])
NARROW = st.sampled_from([0.1, 1.5, -2.25, 1e9])
INTEGERS = st.integers(-(2**31), 2**31)
CENTS = INTEGERS.map(lambda value: Decimal(value).scaleb(-2))


@st.composite
def sweeps(draw, values):
    """(values, left, start, end): both bounds never move backwards; what has left has entered, maybe since the frame before."""
    given = draw(st.lists(st.none() | values, min_size=1, max_size=12))
    left = draw(st.permutations(range(len(given))))
    end = sorted(draw(st.lists(st.integers(0, len(given)), min_size=1, max_size=8)))
    start, low = [], 0
    for edge in end:
        most = next((k for k, position in enumerate(left) if position >= edge), len(left))
        low = draw(st.integers(low, most))
        start.append(low)
    return given, np.array(left), np.array(start), np.array(end)


def held(values, left, start, end):
    frames = [sorted(set(range(high)) - set(left[:low].tolist())) for low, high in zip(start, end, strict=True)]
    return [[values[position] for position in frame if values[position] is not None] for frame in frames]


def exact(values: list[float]) -> float | None:
    """The sum, rounded once."""
    special = [value for value in values if not math.isfinite(value)]
    if not values or special:
        return sum(special) if values else None
    total = sum(map(Fraction, values), Fraction(0))
    try:
        return float(total)
    except OverflowError:
        return math.copysign(math.inf, total)


FIRST_COMES_A_POINT_LATER = ([1.0, 1e300], np.array([1, 0]), np.array([1]), np.array([2]))


@given(sweeps(WIDE) | sweeps(NARROW))
@example(([0.0, -0.0, None], np.array([1, 0, 2]), np.array([0, 1]), np.array([1, 3])))
@example(FIRST_COMES_A_POINT_LATER)
@example(([1.0, 2.0], *FIRST_COMES_A_POINT_LATER[1:]))
def test_sums_of_doubles(sweep):
    values, left, start, end = sweep
    frames = held(*sweep)
    column = pa.array(values, pa.float64())
    sums = SweptDoubles("sum").sweep(column, left, start, end).to_pylist()
    averages = SweptDoubles("avg").sweep(column, left, start, end).to_pylist()
    assert str(sums) == str([exact(frame) for frame in frames])
    for total, average, frame in zip(sums, averages, frames, strict=True):
        assert str(average) == str(total / len(frame) if frame else None)


def totals(kind: pa.DataType) -> dict[Any, Any]:
    return {Count: len, lambda: DecimalSum(kind): lambda frame: sum(frame) if frame else None}


@given(sweeps(CENTS))
def test_totals_of_decimals(sweep):
    values, *order = sweep
    column = pa.array(values, pa.decimal128(20, 2))
    for make, right in totals(pa.decimal128(30, 2)).items():
        assert make().sweep(column, *order).to_pylist() == [right(frame) for frame in held(*sweep)]
    averages = DecimalAvg(2, pa.decimal128(30, 2)).sweep(column, *order).to_pylist()
    for average, frame in zip(averages, held(*sweep), strict=True):
        assert (average is None) == (not frame)
        assert not frame or abs(average * len(frame) - sum(frame)) <= Decimal(len(frame)) / 200


@given(sweeps(INTEGERS))
def test_totals_of_integers(sweep):
    values, *order = sweep
    column, frames = pa.array(values, pa.int64()), held(*sweep)
    assert Count().sweep(column, *order).to_pylist() == [len(frame) for frame in frames]
    assert Count().sweep(None, *order).to_pylist() == (order[2] - order[1]).tolist()
    assert IntSum("sum").sweep(column, *order).to_pylist() == [sum(frame) if frame else None for frame in frames]
    assert IntSum("avg").sweep(column, *order).to_pylist() == [
        sum(frame) / len(frame) if frame else None for frame in frames
    ]
    assert len(IntAvg().sweep(column, *order)) == len(frames)


def test_a_sum_that_does_not_fit_is_refused():
    values, order = pa.array([2**62, 2**62]), (np.array([1, 0]), np.array([0]), np.array([2]))
    with pytest.raises(OverflowError):
        IntSum("sum").sweep(values, *order)
    assert IntSum("sum", ansi=False).sweep(values, *order).to_pylist() == [-(2**63)]


class Bag:
    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def expire(self, value):
        self.values.remove(value)

    def terminate(self):
        return sorted(self.values)


@given(sweeps(INTEGERS))
@example(FIRST_COMES_A_POINT_LATER)
def test_hooks(sweep):
    values, left, start, end = sweep
    seen = np.array([value is not None for value in values], np.uint8)
    driver = Delta(Bag())
    driver.leave_by(left, np.argsort(left))
    assert driver.roll([values], 0, seen, start, end) == [sorted(frame) or None for frame in held(*sweep)]
