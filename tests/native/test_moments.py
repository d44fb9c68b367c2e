"""Variance and deviation against exact arithmetic: fractions, whatever slides, however the calls are cut."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import again, sliding

from inwindow.native._moments import FloatMoments

OPS = ["var_pop", "var_samp", "stddev_pop", "stddev_samp"]
SPECIAL = [math.nan, math.inf, -math.inf]
NASTY = [0.0, -0.0, 1.0, 0.1, 1e9, 1e9 + 1, 1e-200, 1e200, -1e308, 1.7976931348623157e308, 5e-324]
doubles = st.one_of(
    st.none(),
    st.floats(-10, 10),
    st.floats(-1, 1).map(lambda x: 1e9 + x),
    st.sampled_from(NASTY + SPECIAL),
    st.floats(allow_nan=False, allow_infinity=False),
)
tame = st.one_of(
    st.none(),
    st.floats(-10, 10),
    st.floats(-1, 1).map(lambda x: 1e6 + x),
    st.sampled_from([0.0, 1.0, 1e9, -1e100, *SPECIAL]),
)


def results(kernel, stream, column):
    """The results of all calls; a kernel is pickled between two, and gets no more than it was promised."""
    kind, op = kernel
    kernel = kind(op)
    values, start, end, cuts = stream
    lo = hi = 0
    for first, last in zip(cuts, cuts[1:], strict=False):
        if first == last:
            continue
        base = lo if start[last - 1] > lo else hi  # where the start never moves, the past is gone
        base = base if start[first] < hi else start[first]
        rows = np.array(start[first:last]), np.array(end[first:last])
        yield from kernel.roll(column(values, base, end[last - 1]), base, *rows).to_pylist()
        lo, hi = start[last - 1], end[last - 1]
        kernel = again(lambda: kind(op), kernel)


def array(values, base, end):
    """A slice at an odd offset into a longer array, so that a kernel that forgets the offset is found out."""
    return pa.array([None, *values[base:end], None], pa.float64())[1 : 1 + end - base]


def panes(columns, base, end):
    return tuple(column[base:end] for column in columns)


def agrees(got, frame, op, slack=0.0):
    frame = [x for x in frame if x is not None]
    ddof = op.endswith("samp")
    if len(frame) <= ddof:
        return got is None
    if not all(map(math.isfinite, frame)):
        return math.isnan(got)
    exact = [Fraction(x) for x in frame]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / (len(exact) - ddof)
    if math.isinf(got):
        return variance * Fraction(1 + 1e-9) >= 2**1024
    power = 2 if op.startswith("stddev") else 1
    smallest = Fraction(5e-324)
    lower = max(Fraction(got) - smallest, Fraction(0)) ** power
    upper = (Fraction(got) + smallest) ** power
    slack = Fraction(slack) + variance * Fraction(1e-9 * power)
    return got >= 0 and lower - slack <= variance <= upper + slack


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("growing", [False, True])
@given(data=st.data())
def test_moments_are_exact_to_1e_9(op, growing, data):
    stream = data.draw(sliding(doubles, growing))
    values, start, end, _ = stream
    for i, x in enumerate(results((FloatMoments, op), stream, array)):
        assert agrees(x, values[start[i] : end[i]], op), (i, x, values[start[i] : end[i]])


@pytest.mark.parametrize("op", OPS)
@given(data=st.data())
def test_moments_cascade_over_panes(op, data):
    values, start, end, cuts = data.draw(sliding(tame))
    pane = data.draw(st.integers(1, 5))
    edges = np.arange(0, len(values) + pane, pane)
    columns = FloatMoments(op).roll_partials(
        pa.array(values, pa.float64()), 0, edges[:-1], np.minimum(edges[1:], len(values))
    )
    start, end = [x // pane for x in start], [x // pane for x in end]
    for i, x in enumerate(results((lambda op: FloatMoments(op).of_panes(), op), (columns, start, end, cuts), panes)):
        frame = values[start[i] * pane : end[i] * pane]
        vanished_squares = 1e-300
        assert agrees(x, frame, op, vanished_squares), (i, x, frame)


def test_a_value_that_is_not_finite_matters_exactly_while_it_is_in_the_frame():
    values = [1.0, math.nan, 2.0, 4.0, math.inf, 4.0, 5.0, 5.0]
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - 2, 0)
    got = FloatMoments("var_pop").roll(pa.array(values), 0, start, end).to_pylist()
    assert str(got) == "[0.0, nan, nan, 1.0, nan, nan, 0.25, 0.0]"
    columns = FloatMoments("var_pop").roll_partials(pa.array(values), 0, end - 1, end)
    got = FloatMoments("var_pop").of_panes().roll(columns, 0, start, end).to_pylist()
    assert str(got) == "[0.0, nan, nan, 1.0, nan, nan, 0.25, 0.0]"


def test_a_sample_of_one_value_has_no_variance():
    values = pa.array([None, 7.0, 9.0, math.nan])
    start, end = np.array([0, 0, 1, 3]), np.array([1, 2, 3, 4])
    assert FloatMoments("var_samp").roll(values, 0, start, end).to_pylist() == [None, None, 2.0, None]
    assert FloatMoments("stddev_samp").roll(values, 0, start, end).to_pylist() == [None, None, 2**0.5, None]
    pop = FloatMoments("var_pop").roll(values, 0, start, end).to_pylist()
    assert pop[:3] == [None, 0.0, 1.0]
    assert math.isnan(pop[3])


def noise(rng, size):
    return rng.normal(size=size)


def steps(size, every):
    return np.arange(size) // every


STREAMS = {
    "noise": noise,
    "mean 1e6 deviations away": lambda rng, size: 1e6 + noise(rng, size),
    "mean 1e12 deviations away": lambda rng, size: 1e12 + noise(rng, size),
    "constant steps": lambda rng, size: 0.1 * steps(size, 5000),
    "jumps of 1e9": lambda rng, size: 1e9 * (steps(size, 5000) % 3) + noise(rng, size),
    "trend": lambda rng, size: 0.1 * np.arange(size),
    "random walk": lambda rng, size: np.cumsum(noise(rng, size)),
    "outliers of 1e12": lambda rng, size: noise(rng, size) + 1e12 * (rng.random(size) < 0.0005),
    "tiny after huge": lambda rng, size: noise(rng, size) * 10.0 ** (-12 * (steps(size, 5000) % 12)),
    "heavy tails": lambda rng, size: rng.standard_cauchy(size) ** 3,
    "sparse": lambda rng, size: np.where(rng.random(size) < 0.001, 0.1, 0.3),
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("window", [2, 10, 1000])
def test_a_million_slides_do_not_drift(stream, window):
    size = 1_100_000
    values = STREAMS[stream](np.random.default_rng(7), size)
    end = np.arange(1, size + 1)
    start = np.maximum(end - window, 0)
    got = FloatMoments("var_pop").roll(pa.array(values), 0, start, end).to_numpy()
    probes = np.random.default_rng(8).integers(0, size, 2000).tolist()
    for i in [*probes, *range(size - 100, size)]:
        frame = values[start[i] : end[i]].astype(np.longdouble)
        exact = np.var(frame - frame[0])
        assert abs(got[i] - exact) <= 1e-9 * exact, i


@pytest.mark.parametrize("stream", STREAMS)
def test_a_frame_that_only_grows_needs_none_of_its_values_again(stream):
    size = 200_000
    values = STREAMS[stream](np.random.default_rng(7), size)
    values[0] += 1e9
    kernel = FloatMoments("var_pop")
    for base in range(0, size, 1000):
        end = np.arange(base + 1, base + 1001)
        got = kernel.roll(pa.array(values[base : base + 1000]), base, np.zeros(1000, int), end)
        if base % 20_000 == 0:
            exact = np.var(values[: base + 1000].astype(np.longdouble) - values[1])
            assert abs(got[-1].as_py() - exact) <= 1e-9 * exact, base


def test_a_growing_sum_of_squares_starts_afresh_with_the_frame():
    values = pa.array([1e200, -1e200, 0.1, 0.1, None, 3.0, 5.0])
    got = FloatMoments("stddev_pop").roll(values, 0, np.array([0, 2, 4, 5]), np.array([2, 4, 5, 7]))
    assert got.to_pylist() == [1e200, 0.0, None, 1.0]


def test_absorb_is_roll_without_a_result():
    values = pa.array([1.0, 3.0, None, 5.0])
    kernel = FloatMoments("var_pop")
    kernel.absorb(values, 0, 0, 3)
    assert kernel.roll(values[1:], 1, np.array([1]), np.array([4])).to_pylist() == [1.0]


@pytest.mark.parametrize("kernel", [FloatMoments])
def test_an_unknown_operation_is_refused(kernel):
    with pytest.raises(ValueError, match="op must be one of var_pop, .*, not 'variance'"):
        kernel("variance")


def test_no_rows_and_no_values():
    none = np.array([], dtype=np.int64)
    assert FloatMoments("var_pop").roll(pa.array([], pa.float64()), 0, none, none).to_pylist() == []
    empty = np.zeros(2, dtype=np.int64)
    columns = FloatMoments("var_pop").roll_partials(pa.array([], pa.float64()), 0, empty, empty)
    assert FloatMoments("var_pop").of_panes().roll(columns, 0, empty, empty + 1).to_pylist() == [None, None]
