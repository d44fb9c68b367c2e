"""DecimalSum, DecimalAvg and IntAvg against fractions, cut into calls anywhere."""

import doctest
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import again, bounds_of, filled, sliding

from inwindow.native import _totals
from inwindow.native._totals import DecimalAvg, DecimalSum, IntAvg

EXACT = Context(prec=80)
LARGEST = 10**38 - 1
UNSCALED = (
    st.none()
    | st.sampled_from([0, 1, -1, LARGEST, -LARGEST, 2**63, 2**64 - 1, 2**64, -(2**64), 5 * 10**37, -5 * 10**37])
    | st.integers(-LARGEST, LARGEST)
    | st.integers(-100, 100)
)
INTS = st.none() | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1)
OVERFLOW = object()


def decimals(unscaled, scale, precision=38):
    """An Arrow array, with tuples before and behind that are not of it."""
    shifted = [None if x is None else Decimal(x).scaleb(-scale, EXACT) for x in [-7, *unscaled, 7, None]]
    return pa.array(shifted, pa.decimal128(precision, scale)).slice(1, len(unscaled))


def half_up(quotient):
    """To the nearest integer, from the half on away from zero."""
    size = abs(quotient)
    whole = size.numerator // size.denominator
    whole += 2 * (size - whole) >= 1
    return whole if quotient >= 0 else -whole


def expected(values, frames, conclude, result):
    """The unscaled results: None without a value, OVERFLOW beyond the precision."""
    for start, end in frames:
        seen = [value for value in values[start:end] if value is not None]
        if not seen:
            yield None
        else:
            outcome = conclude(seen)
            yield outcome if result is None or abs(outcome) < 10**result.precision else OVERFLOW


def unscaled_of(array):
    """The integers that a result array holds."""
    array.validate(full=True)
    if pa.types.is_int64(array.type):
        return array.to_pylist()
    return [None if x is None else int(x.scaleb(array.type.scale, EXACT)) for x in array.to_pylist()]


def rolled(make, values, start, end, cuts, absorb):
    """The results in calls; each sees only what it may read, in a kernel restored from the one before."""
    kernel, lo, out = make(), 0, []
    for number, (begin, stop) in enumerate(zip(cuts, cuts[1:], strict=False)):
        if begin == stop:
            continue
        base, upto = lo, max(end[stop - 1], lo)
        part = values.slice(base, upto - base)
        if absorb and number % 2:
            kernel.absorb(part, base, start[begin], end[begin])
        out += unscaled_of(kernel.roll(part, base, np.array(start[begin:stop]), np.array(end[begin:stop])))
        lo = start[stop - 1]
        kernel = again(make, kernel)
    return out


def check(make, array, case, conclude, result):
    values, start, end, cuts = case
    reference = list(expected(values, zip(start, end, strict=True), conclude, result))
    nulls = [None if outcome is OVERFLOW else outcome for outcome in reference]
    for absorb in False, True:
        assert rolled(lambda: make(False), array, start, end, cuts, absorb) == nulls
    bounds = np.array(start), np.array(end)
    if OVERFLOW in reference:
        with pytest.raises(OverflowError) as raised:
            make(True).roll(array, 0, *bounds)
        assert raised.value.args[1] == reference.index(OVERFLOW)
    else:
        assert unscaled_of(make(True).roll(array, 0, *bounds)) == nulls


PRECISIONS = st.sampled_from([38, 38, 38, 19, 3])


@given(sliding(UNSCALED), PRECISIONS, st.sampled_from([0, 2, 38]))
def test_sums(case, precision, scale):
    result = pa.decimal128(precision, min(scale, precision))
    array = decimals(case[0], result.scale)
    check(lambda ansi: DecimalSum(result, ansi), array, case, sum, result)


@given(sliding(UNSCALED), PRECISIONS, st.sampled_from([0, 2, 15]), st.sampled_from([0, 1, 4, 19]))
def test_averages(case, precision, scale, more):
    precision = max(precision, scale + more)
    result = pa.decimal128(precision, scale + more)
    factor = 10**more
    check(
        lambda ansi: DecimalAvg(scale, result, ansi), decimals(case[0], scale), case,
        lambda seen: half_up(Fraction(sum(seen) * factor, len(seen))), result,
    )  # fmt: skip


@given(sliding(INTS))
def test_averages_of_integers_as_integers(case):
    array = pa.array([5, *case[0]], pa.int64()).slice(1)
    check(lambda _: IntAvg(), array, case, lambda seen: half_up(Fraction(sum(seen), len(seen))), None)


@given(sliding(INTS))
def test_sums_of_integers_as_decimals(case):
    array, result = pa.array(case[0], pa.int64()), pa.decimal128(20, 0)
    check(lambda ansi: DecimalSum(result, ansi), array, case, sum, result)


@given(sliding(st.none() | st.integers(-(10**17), 10**17)))
def test_against_decimals_of_python(case):
    values, start, end, _ = case
    array, result = decimals(values, 2, 18), pa.decimal128(22, 6)
    average = DecimalAvg(2, result).roll(array, 0, np.array(start), np.array(end)).to_pylist()
    for lo, up, ours in zip(start, end, average, strict=True):
        seen = [x for x in array.slice(lo, max(up - lo, 0)).to_pylist() if x is not None]
        if seen:
            quotient = EXACT.divide(sum(seen, Decimal(0)), Decimal(len(seen)))
            assert ours == quotient.quantize(Decimal("0.000001"), ROUND_HALF_UP, EXACT)
        else:
            assert ours is None


CASCADES = {
    "sum": (lambda: DecimalSum(pa.decimal128(38, 2), False), lambda: DecimalSum(pa.decimal128(38, 2), False).of_panes()),
    "avg": (lambda: DecimalAvg(2, pa.decimal128(38, 6), False), lambda: DecimalAvg(2, pa.decimal128(38, 6), False).of_panes()),
    "ints": (IntAvg, lambda: IntAvg().of_panes()),
}  # fmt: skip


@given(
    st.sampled_from(sorted(CASCADES)), st.lists(UNSCALED, max_size=60), st.integers(1, 7), st.integers(1, 5), st.data()
)
def test_panes(kind, values, size, width, data):
    whole, of_partials = CASCADES[kind]
    if kind == "ints":
        values = [None if value is None else value % 2**64 - 2**63 for value in values]
    array = pa.array(values, pa.int64()) if kind == "ints" else decimals(values, 2)
    edges = np.arange(0, len(values) + 1, size)
    panes = len(edges) - 1
    partials = whole().roll_partials(array, 0, edges[:-1], edges[1:])
    frame_end = np.arange(1, panes + 1)
    frame_start = np.maximum(frame_end - width, 0)
    reference = unscaled_of(whole().roll(array, 0, frame_start * size, frame_end * size))
    cut = data.draw(st.integers(0, panes))
    kernel, out = of_partials(), []
    out += unscaled_of(kernel.roll(partials, 0, frame_start[:cut], frame_end[:cut]))
    kernel = again(of_partials, kernel)
    base = int(frame_start[cut - 1]) if cut else 0
    out += unscaled_of(
        kernel.roll(tuple(column[base:] for column in partials), base, frame_start[cut:], frame_end[cut:])
    )
    assert out == reference


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=30), st.lists(UNSCALED, min_size=1))
def test_frames_that_jump(steps, values):
    start = end = 0
    frames = []
    for down, up in steps:
        start, end = start + 3 * down, max(end, start + down) + up
        frames.append((start, end))
    values = filled(values, frames)
    array = decimals(values, 0)
    ours = unscaled_of(DecimalSum(pa.decimal128(38, 0), False).roll(array, 0, *bounds_of(frames)))
    reference = expected(values, frames, sum, pa.decimal128(38, 0))
    assert ours == [None if outcome is OVERFLOW else outcome for outcome in reference]


@given(sliding(UNSCALED, growing=True))
def test_growing_frames_whose_tuples_are_let_go(case):
    values, start, end, cuts = case
    array, result, hi, out = decimals(values, 0), pa.decimal128(38, 0), 0, []
    kernel = DecimalSum(result, ansi=False)
    for begin, stop in zip(cuts, cuts[1:], strict=False):
        kernel = again(lambda: DecimalSum(result, ansi=False), kernel)
        if begin < stop:
            part = array.slice(hi, max(end[stop - 1] - hi, 0))
            kernel.absorb(part, hi, start[begin], end[begin])
            out += unscaled_of(kernel.roll(part, hi, np.array(start[begin:stop]), np.array(end[begin:stop])))
            hi = max(end[stop - 1], hi)
    reference = expected(values, zip(start, end, strict=True), sum, result)
    assert out == [None if outcome is OVERFLOW else outcome for outcome in reference]


def test_totals_far_beyond_128_bits_come_back():
    rows = 300_000
    array = decimals([LARGEST] * rows + [-LARGEST] * rows + [1], 0)
    kernel = DecimalSum(pa.decimal128(38, 0), ansi=False)
    start, end = np.zeros(3, np.int64), np.array([rows, 2 * rows, 2 * rows + 1])
    assert kernel.roll(array, 0, start, end).to_pylist() == [None, 0, 1]
    average = DecimalAvg(0, pa.decimal128(38, 0)).roll(array, 0, start, end)
    assert average.to_pylist() == [LARGEST, 0, 0]


def test_panes_of_totals_beyond_128_bits():
    array = decimals([LARGEST] * 1000 + [-LARGEST] * 999, 0)
    edges = np.array([0, 1000, 1999])
    partials = DecimalSum(pa.decimal128(38, 0)).roll_partials(array, 0, edges[:-1], edges[1:])
    kernel = DecimalSum(pa.decimal128(38, 0)).of_panes()
    assert kernel.roll(partials, 0, np.array([0]), np.array([2])).to_pylist() == [LARGEST]


@pytest.mark.parametrize("make", [lambda: DecimalSum(pa.decimal128(9, 2)), lambda: DecimalAvg(2, pa.decimal128(9, 2))])
def test_no_values_and_no_frames(make):
    nothing = np.zeros(0, np.int64)
    empty = pa.Array.from_buffers(pa.decimal128(9, 2), 0, [None, None])
    assert make().roll(empty, 0, nothing, nothing).type == pa.decimal128(9, 2)
    assert make().roll(empty, 5, np.array([5, 5]), np.array([5, 5])).to_pylist() == [None, None]
    assert all(len(column) == 0 for column in make().roll_partials(empty, 0, nothing, nothing))


def test_values_of_another_type():
    with pytest.raises(TypeError, match="values are decimal128 or int64, not double"):
        IntAvg().roll(pa.array([1.0]), 0, np.array([0]), np.array([1]))


def test_a_scale_smaller_than_the_input_has():
    with pytest.raises(ValueError, match="an average of scale 3 has 0 to 19 digits more, not the scale 2"):
        DecimalAvg(3, pa.decimal128(9, 2))


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_totals)
    assert attempted > 0
    assert failed == 0
