"""Sums and averages against exact arithmetic: fractions, whatever slides, however the calls are cut."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import again, sliding

from inwindow.native._sums import FloatSum
from inwindow.native._totals import IntSum

NASTY = [0.0, -0.0, 1.0, -1.0, 0.1, 1e16, -1e16, 1e300, -1e300, 1e308, -1e308, 1.7976931348623157e308, 5e-324]
SPECIAL = [math.nan, math.inf, -math.inf]
doubles = st.one_of(
    st.none(),
    st.floats(-1e3, 1e3),
    st.sampled_from(NASTY + SPECIAL),
    st.floats(allow_nan=False, allow_infinity=False),
)
longs = st.one_of(st.none(), st.integers(-100, 100), st.integers(-(2**63), 2**63 - 1))


def calls(kernel, stream, column, method="roll", reborn=None):
    """The results of each call; each gets no more of the sequence than it was promised."""
    values, start, end, cuts = stream
    lo = hi = 0
    for first, last in zip(cuts, cuts[1:], strict=False):
        if first == last:
            continue
        base = lo if start[last - 1] > lo else hi  # where the start never moves, the past is gone
        base = base if start[first] < hi else start[first]
        rows = np.array(start[first:last]), np.array(end[first:last])
        yield getattr(kernel, method)(column(values, base, end[last - 1]), base, *rows)
        lo, hi = start[last - 1], end[last - 1]
        if reborn is not None:
            kernel = again(reborn, kernel)


def array(type):
    """Slices at odd offsets into a longer array, so that a kernel that forgets the offset is found out."""
    return lambda values, base, end: pa.array([None, *values[base:end], None], type)[1 : 1 + end - base]


def exact_sum(frame):
    """(the exact sum or a special value, the sum of absolute values)"""
    odd = sum(x for x in frame if not math.isfinite(x))
    finite = [Fraction(x) for x in frame if math.isfinite(x)]
    return odd if odd != 0 else sum(finite, Fraction(0)), sum(map(abs, finite), Fraction(0))


def agrees(got, frame, op, tolerance=Fraction(1, 10**12)):
    frame = [x for x in frame if x is not None]
    if not frame:
        return got is None
    exact, weight = exact_sum(frame)
    if isinstance(exact, float):
        return got == exact or (math.isnan(got) and math.isnan(exact))
    if math.isinf(got):
        return abs(exact) + weight * tolerance >= Fraction(2) ** 1024 and (got > 0) == (exact > 0)
    size = len(frame) if op == "avg" else 1
    return abs(Fraction(got) * size - exact) <= weight * tolerance + size * Fraction(5e-324)


@pytest.mark.parametrize("op", ["sum", "avg"])
@pytest.mark.parametrize("growing", [False, True])
@given(data=st.data())
def test_float_sums_are_exact_to_1e_12_of_what_they_sum(op, growing, data):
    stream = data.draw(sliding(doubles, growing))
    results = calls(FloatSum(op), stream, array(pa.float64()), reborn=lambda: FloatSum(op))
    got = [x for result in results for x in result.to_pylist()]
    values, start, end, _ = stream
    for i, x in enumerate(got):
        assert agrees(x, values[start[i] : end[i]], op), (i, x, values[start[i] : end[i]])


@pytest.mark.parametrize("op", ["sum", "avg"])
@given(data=st.data())
def test_float_sums_cascade_over_panes(op, data):
    values, start, end, cuts = data.draw(sliding(doubles))
    pane = data.draw(st.integers(1, 5))
    edges = np.arange(0, len(values) + pane, pane)
    lower, upper = edges[:-1], np.minimum(edges[1:], len(values))
    panes = FloatSum(op).roll_partials(pa.array(values, pa.float64()), 0, lower, upper)
    special = panes[0][:, 2].view(np.float64)
    start, end = [x // pane for x in start], [x // pane for x in end]
    stream = panes, start, end, cuts

    def column(panes, base, end):
        return tuple(column[base:end] for column in panes)

    results = calls(FloatSum(op).of_panes(), stream, column, reborn=lambda: FloatSum(op).of_panes())
    got = [x for result in results for x in result.to_pylist()]
    overflowing = [not math.isfinite(x) for x in special]
    for i, x in enumerate(got):
        if not any(overflowing[start[i] : end[i]]):
            assert agrees(x, values[start[i] * pane : end[i] * pane], op), (i, x)
        else:
            assert not math.isfinite(x)


def test_a_special_value_matters_exactly_while_it_is_in_the_frame():
    values = [1.0, math.nan, 2.0, math.inf, 4.0, -math.inf, 8.0, 16.0, 32.0]
    end = np.arange(1, len(values) + 1)
    got = FloatSum("sum").roll(pa.array(values), 0, np.maximum(end - 3, 0), end).to_pylist()
    assert str(got) == "[1.0, nan, nan, nan, inf, nan, -inf, -inf, 56.0]"


def test_a_sum_that_overflows_comes_back():
    values = [1e308, 1e308, 1e308, -1e308, 1.0, 0.5, 0.25]
    end = np.arange(1, len(values) + 1)
    got = FloatSum("sum").roll(pa.array(values), 0, np.maximum(end - 3, 0), end).to_pylist()
    assert got == [1e308, math.inf, math.inf, 1e308, 1.0, -1e308, 1.75]
    growing = FloatSum("avg").roll(pa.array(values), 0, np.zeros(7, int), end).to_pylist()
    assert growing[1:3] == [math.inf, math.inf]
    assert growing[6] == math.inf, "2e308, whatever is added to it"


def noise(rng, size):
    return rng.normal(size=size)


STREAMS = {
    "noise": noise,
    "1e16 beside 1": lambda rng, size: np.where(rng.random(size) < 0.01, 1e16, 1.0) * rng.choice([-1, 1], size),
    "alternating": lambda rng, size: np.where(np.arange(size) % 2, 0.1, -0.1),
    "alternating with a ramp": lambda rng, size: np.where(np.arange(size) % 2, 1.0, -1.0) * np.arange(size) / 7,
    "tiny after huge": lambda rng, size: noise(rng, size) * 10.0 ** (-20 * (np.arange(size) // 5000 % 15)),
    "heavy tails": lambda rng, size: rng.standard_cauchy(size) ** 5,
    "sparse": lambda rng, size: np.where(rng.random(size) < 0.001, 0.1, 0.0),
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("window", [2, 10, 1000])
def test_a_million_slides_do_not_drift(stream, window):
    size = 1_100_000
    values = STREAMS[stream](np.random.default_rng(7), size)
    end = np.arange(1, size + 1)
    start = np.maximum(end - window, 0)
    got = FloatSum("sum").roll(pa.array(values), 0, start, end).to_numpy()
    probes = np.random.default_rng(8).integers(0, size, 2000).tolist()
    for i in [*probes, *range(size - 100, size)]:
        frame = values[start[i] : end[i]]
        assert abs(got[i] - math.fsum(frame)) <= 1e-12 * math.fsum(abs(frame)), i


def test_a_sum_starts_afresh_where_frames_do_not_overlap():
    values = [1e300, 0.1, 1e-300, None, 0.3]
    got = FloatSum("sum").roll(pa.array(values), 0, np.array([0, 1, 2, 4]), np.array([1, 2, 3, 5]))
    assert got.to_pylist() == [1e300, 0.1, 1e-300, 0.3]


def test_absorb_is_roll_without_a_result():
    values = pa.array([1.0, 2.0, None, 4.0])
    kernel, longs_kernel = FloatSum("sum"), IntSum("sum")
    kernel.absorb(values, 0, 0, 3)
    longs_kernel.absorb(values.cast(pa.int64()), 0, 0, 3)
    rest = values[3:], 3, np.array([0]), np.array([4])
    assert kernel.roll(*rest).to_pylist() == [7.0]
    assert longs_kernel.roll(rest[0].cast(pa.int64()), *rest[1:]).to_pylist() == [7]


@pytest.mark.parametrize("op", ["sum", "avg"])
@pytest.mark.parametrize("growing", [False, True])
@given(data=st.data())
def test_integer_sums_are_exact(op, growing, data):
    stream = data.draw(sliding(longs, growing))

    def kernel():
        return IntSum(op, ansi=False)

    results = calls(kernel(), stream, array(pa.int64()), reborn=kernel)
    got = [x for result in results for x in result.to_pylist()]
    values, start, end, _ = stream
    assert got == [integer_result(values[a:b], op) for a, b in zip(start, end, strict=True)]


def integer_result(frame, op):
    frame = [x for x in frame if x is not None]
    if not frame:
        return None
    if op == "avg":
        return float(Fraction(sum(frame), len(frame)))
    return (sum(frame) + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize("op", ["sum", "avg"])
@given(data=st.data())
def test_integer_sums_cascade_over_panes(op, data):
    values, start, end, cuts = data.draw(sliding(longs))
    pane = data.draw(st.integers(1, 5))
    edges = np.arange(0, len(values) + pane, pane)
    panes = IntSum(op).roll_partials(pa.array(values, pa.int64()), 0, edges[:-1], np.minimum(edges[1:], len(values)))
    stream = panes, [x // pane for x in start], [x // pane for x in end], cuts

    def column(panes, base, end):
        return tuple(column[base:end] for column in panes)

    def kernel():
        return IntSum(op, ansi=False).of_panes()

    got = [x for result in calls(kernel(), stream, column, reborn=kernel) for x in result.to_pylist()]
    frames = zip(stream[1], stream[2], strict=True)
    assert got == [integer_result(values[a * pane : b * pane], op) for a, b in frames]


def test_an_integer_overflow_names_its_frame_and_only_where_the_result_overflows():
    values = pa.array([None, 2**63 - 1, 1, -5])
    end = np.arange(1, 5)
    with pytest.raises(OverflowError) as error:
        IntSum("sum").roll(values, 0, np.zeros(4, int), end)
    assert error.value.args[1] == 2
    assert IntSum("avg").roll(values, 0, np.zeros(4, int), end)[2].as_py() == 2.0**62
    assert IntSum("sum").roll(values, 0, np.array([0]), np.array([4])).to_pylist() == [2**63 - 5]
    panes = IntSum("sum").roll_partials(values, 0, end - 1, end)
    with pytest.raises(OverflowError) as error:
        IntSum("sum").of_panes().roll(panes, 0, np.zeros(4, int), end)
    assert error.value.args[1] == 2


@pytest.mark.parametrize("kernel", [FloatSum, IntSum])
def test_an_unknown_operation_is_refused(kernel):
    with pytest.raises(ValueError, match="op must be 'sum' or 'avg', not 'mean'"):
        kernel("mean")


def test_no_rows_and_no_values():
    none = np.array([], dtype=np.int64)
    assert FloatSum("sum").roll(pa.array([], pa.float64()), 0, none, none).to_pylist() == []
    assert IntSum("avg").roll(pa.array([], pa.int64()), 0, none, none).type == pa.float64()
    empty = np.zeros(2, dtype=np.int64)
    assert FloatSum("avg").roll(pa.array([], pa.float64()), 0, empty, empty).to_pylist() == [None, None]
