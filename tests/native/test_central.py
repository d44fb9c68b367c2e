"""Skewness, kurtosis, covariance, correlation and regression against exact integers, whatever slides, however the calls are cut.

What the tolerances are of: a covariance's is of the sum of |dx * dy|, the deviations being those from the exact means, and,
where a frame's means cancel exactly, of sqrt(Mxx * Myy), of which any order of additions rounds, and what a mean rounds
by that is a subnormal number. A skewness's and a kurtosis's is relative, and of the same fraction with |d| in the place of d.
"""

import doctest
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import sliding
from samples.stacks import check, check_panes, column, maker

from inwindow.native import _central
from inwindow.native._central import Fit, Pair, Shape

SHAPES = ["skewness", "kurtosis"]
PAIRS = ["covar_pop", "covar_samp", "corr"]
FITS = ["squares", "products", "slope", "intercept", "r2"]
SPECIAL = [math.nan, math.inf, -math.inf]
tame = st.one_of(
    st.floats(-1, 1, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-20),
    st.floats(-1, 1).map(lambda x: 1e9 + x),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1e9, 1e16, -1e16, 1e16 + 2, 1e-12]),
)
wild = st.one_of(
    tame,
    st.sampled_from([1e200, -1e308, 1.7976931348623157e308, 5e-324, 1e-200, 3e-160]),
    st.floats(allow_nan=False, allow_infinity=False),
)
tiny = st.sampled_from([0.0, 5e-324, 1e-320, 1e-310, -1e-310])
constant = st.sampled_from([0.1, 0.1, 0.1, 0.1, 0.3])
with_specials = tame | st.sampled_from(SPECIAL)
streams = st.sampled_from([tame, wild, tiny, constant, with_specials])
tame_streams = st.sampled_from([tame, constant, with_specials])
null_or_none = st.sampled_from([st.none(), st.nothing()])
modes = pytest.mark.parametrize("growing", [False, True])


def deviations(xs):
    """n * 2**1074 times the deviations from the mean: integers."""
    whole = [int(Fraction(x) * 2**1074) for x in xs]
    total = sum(whole)
    return [len(xs) * x - total for x in whole]


def power_sum(d, power):
    return sum(x**power for x in d)


def root(x):
    """The root of a Fraction, to 60 bits whatever its size."""
    shift = max(0, 130 - x.numerator.bit_length() + x.denominator.bit_length()) // 2
    scaled = (x.numerator << 2 * shift) // x.denominator
    return Fraction(math.isqrt(scaled), 1 << shift)


def is_shape(op, got, xs):
    if not xs:
        return got is None
    if not all(map(math.isfinite, xs)):
        return got is not None and math.isnan(got)
    d, n = deviations(xs), len(xs)
    m2 = power_sum(d, 2)
    if m2 == 0:
        return got is None
    if op == "kurtosis":
        right = Fraction(n * power_sum(d, 4), m2**2)
        return abs(Fraction(got) + 3 - right) <= right * Fraction(1e-12) + Fraction(1e-15)
    m3 = power_sum(d, 3)
    right = root(Fraction(n * m3**2, m2**3)) * (1 if m3 > 0 else -1)
    absolute = root(Fraction(n * power_sum(map(abs, d), 3) ** 2, m2**3))
    return abs(Fraction(got) - right) <= abs(right) * Fraction(1e-9) + absolute * Fraction(1e-12)


def is_pair(op, got, pairs):
    n, least = len(pairs), 1 if op == "covar_pop" else 2
    if n < least:
        return got is None
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in pairs):
        return got is not None and math.isnan(got)
    dx, dy = (deviations(x) for x in zip(*pairs, strict=True))
    xx, yy, xy = power_sum(dx, 2), power_sum(dy, 2), sum(x * y for x, y in zip(dx, dy, strict=True))
    if op == "corr":
        if xx == 0 or yy == 0:
            return got is None
        right = root(Fraction(xy * xy, xx * yy)) * (1 if xy > 0 else -1)
        return -1 <= got <= 1 and abs(Fraction(got) - right) <= Fraction(1e-12)
    unit = Fraction(1, (n * 2**1074) ** 2 * (n + 1 - least))
    if math.isinf(got):
        return abs(xy * unit) > Fraction(1.7e308)
    terms = sum(abs(x * y) for x, y in zip(dx, dy, strict=True)) * unit
    subnormal = Fraction(5e-324) * (1 + Fraction(power_sum(map(abs, dx + dy), 1), n * 2**1074))
    slack = Fraction(1e-12) * terms + Fraction(1e-14) * root(xx * yy * unit * unit) + 2 * n * subnormal
    return abs(Fraction(got) - xy * unit) <= slack if xx and yy else got == 0


def is_fit(op, got, pairs):
    """What rounds: sxy by units of sqrt(sxx * syy), so a slope by those of sqrt(syy / sxx); an intercept by the terms it is of."""
    if not pairs:
        return got is None
    if not all(math.isfinite(y) and math.isfinite(x) for y, x in pairs):
        return got is not None and math.isnan(got)
    dy, dx = (deviations(column) for column in zip(*pairs, strict=True))
    sxx, syy, sxy = power_sum(dx, 2), power_sum(dy, 2), sum(x * y for x, y in zip(dx, dy, strict=True))
    unit = Fraction(1, (len(pairs) * 2**1074) ** 2)
    if op in ("squares", "products"):
        right = (syy if op == "squares" else sxy) * unit
        slack = Fraction(1e-12) * (root(sxx * syy) * unit if op == "products" else right) + Fraction(5e-324)
    elif sxx == 0:
        return got is None
    elif op == "r2":
        right = Fraction(sxy * sxy, sxx * syy) if syy else Fraction(1)
        return 0 <= got <= 1 and abs(Fraction(got) - right) <= Fraction(1e-12)
    else:
        right, slack = Fraction(sxy, sxx), Fraction(1e-12) * root(Fraction(syy, sxx)) + Fraction(5e-324)
        if op == "intercept":
            means = [sum(map(Fraction, column)) / len(pairs) for column in zip(*pairs, strict=True)]
            most = max(abs(right * means[1]), abs(means[0]))
            right, slack = means[0] - right * means[1], slack * abs(means[1]) + Fraction(1e-12) * most
            if most > Fraction(1.7e308):
                return True
    if not math.isfinite(got):
        return abs(right) + slack > Fraction(1.7e308)
    return abs(Fraction(got) - right) <= slack


def pairs_of(rows):
    return [row for row in rows if None not in row]


def two_columns(rows):
    return tuple(column([row[side] for row in rows], pa.float64()) for side in (0, 1))


def shape_right(op):
    return lambda got, frame: is_shape(op, got, [x for x in frame if x is not None])


def pair_right(op):
    return lambda got, frame: is_pair(op, got, pairs_of(frame))


def fit_right(op):
    return lambda got, frame: is_fit(op, got, pairs_of(frame))


def floats(values):
    return column(values, pa.float64())


@pytest.mark.parametrize("op", SHAPES)
@modes
@given(data=st.data())
def test_shapes(op, growing, data):
    elements = data.draw(null_or_none) | data.draw(tame_streams if growing else streams)
    check(maker(Shape, op, growing=growing), data.draw(sliding(elements, growing)), floats, shape_right(op))


@pytest.mark.parametrize("op", PAIRS)
@modes
@given(data=st.data())
def test_pairs(op, growing, data):
    kinds, null = tame_streams if growing else streams, data.draw(null_or_none)
    elements = st.tuples(null | data.draw(kinds), null | data.draw(kinds))
    check(maker(Pair, op, growing=growing), data.draw(sliding(elements, growing)), two_columns, pair_right(op))


@pytest.mark.parametrize("op", FITS)
@modes
@given(data=st.data())
def test_fits(op, growing, data):
    kinds, null = tame_streams if growing else streams, data.draw(null_or_none)
    elements = st.tuples(null | data.draw(kinds), null | data.draw(kinds))
    check(maker(Fit, op, growing=growing), data.draw(sliding(elements, growing)), two_columns, fit_right(op))


@pytest.mark.parametrize("op", SHAPES)
@given(data=st.data(), pane=st.integers(1, 5))
def test_shapes_of_panes(op, data, pane):
    stream = data.draw(sliding(st.none() | data.draw(tame_streams)))
    check_panes(Shape(op), lambda: Shape(op).of_panes(), stream, pane, floats, shape_right(op))


@pytest.mark.parametrize("op", PAIRS)
@given(data=st.data(), pane=st.integers(1, 5))
def test_pairs_of_panes(op, data, pane):
    elements = st.tuples(st.none() | data.draw(tame_streams), st.none() | data.draw(tame_streams))
    stream = data.draw(sliding(elements))
    check_panes(Pair(op), lambda: Pair(op).of_panes(), stream, pane, two_columns, pair_right(op))


@pytest.mark.parametrize("op", FITS)
@given(data=st.data(), pane=st.integers(1, 5))
def test_fits_of_panes(op, data, pane):
    elements = st.tuples(st.none() | data.draw(tame_streams), st.none() | data.draw(tame_streams))
    stream = data.draw(sliding(elements))
    check_panes(Fit(op), lambda: Fit(op).of_panes(), stream, pane, two_columns, fit_right(op))


def adversary(rng, size):
    """Stretches of: noise far from 0, 1e16 beside 1, alternating signs, tiny after huge, a constant, a NaN now and then."""
    kinds = [
        1e9 + rng.normal(size=size) * 1e-3,
        rng.choice([1e16, 1.0, 3.0], size),
        rng.normal(size=size) * 1e12 * np.resize([1.0, -1.0], size),
        rng.normal(size=size) * 1e-12,
        np.full(size, 0.1),
        rng.standard_cauchy(size) ** 3,
    ]
    values = np.choose(np.arange(size) // 5003 % len(kinds), kinds)
    values[rng.random(size) < 1e-4] = math.nan
    return values


@pytest.mark.parametrize("window", [10, 300])
def test_two_million_slides_do_not_drift(window):
    size = 2_000_000
    rng = np.random.default_rng(5)
    x, y = adversary(rng, size), np.roll(adversary(rng, size), 2500)
    end = np.arange(1, size + 1)
    start = np.maximum(end - window, 0)
    probes = [*rng.integers(0, size, 40).tolist(), *range(size - 10, size)]
    for op in SHAPES:
        got = Shape(op).roll(pa.array(x), 0, start, end)
        for i in probes:
            assert is_shape(op, got[i].as_py(), x[start[i] : end[i]].tolist()), i
    for op in PAIRS:
        got = Pair(op).roll((pa.array(x), pa.array(y)), 0, start, end)
        for i in probes:
            frame = slice(start[i], end[i])
            assert is_pair(op, got[i].as_py(), list(zip(x[frame].tolist(), y[frame].tolist(), strict=True))), i
    got = Fit("slope").roll((pa.array(x), pa.array(y)), 0, start, end)
    for i in probes:
        frame = slice(start[i], end[i])
        assert is_fit("slope", got[i].as_py(), list(zip(x[frame].tolist(), y[frame].tolist(), strict=True))), i


def bits_of(results):
    return results.is_valid().to_numpy(zero_copy_only=False), results.fill_null(0.0).to_numpy().view(np.int64)


def hiccups(rng, size, window):
    """Frames that move by one tuple each, most of the time."""
    steps = np.where(rng.random((size, 1)) < 0.9, 1, rng.integers(0, 4, (size, 2)))
    bounds = [(0, 1)]
    for start_step, end_step in steps.tolist():
        start, end = bounds[-1]
        end += end_step
        start = end - window if not 0 < end - start < 2 * window else min(start + start_step, end)
        if end > size:
            break
        bounds.append((max(start, bounds[-1][0]), end))
    return tuple(np.array(bounds).T.copy())


def rows(rng, size, window):
    end = np.arange(1, size + 1)
    return np.maximum(end - window, 0), end


@pytest.mark.parametrize("window", [2, 10, 300])
@pytest.mark.parametrize("op", [*SHAPES, *PAIRS, "slope"])
@pytest.mark.parametrize("frames", [rows, hiccups])
def test_gliding_gives_the_same_bits_as_stepping(op, window, frames):
    """A NULL behind all frames makes the kernel look for NULLs; calls of a few rows make it stop and start again."""
    size = 35_000
    rng = np.random.default_rng(7)
    columns = adversary(rng, size), np.roll(adversary(rng, size), 2500)
    start, end = frames(rng, size, window)

    def cut(base, end, last=()):
        x, y = (pa.concat_arrays([pa.array(x[base:end]), pa.array(last, pa.float64())]) for x in columns)
        return x if op in SHAPES else (x, y)

    kind = Shape if op in SHAPES else Pair if op in PAIRS else Fit
    gliding = bits_of(kind(op).roll(cut(0, size), 0, start, end))
    stepping = bits_of(kind(op).roll(cut(0, size, [None]), 0, start, end))
    np.testing.assert_array_equal(gliding, stepping)
    edges = np.cumsum(rng.integers(1, 100, size=2000))
    edges = [0, *edges[edges < len(end)], len(end)]
    kernel, parts = kind(op), []
    for first, last in zip(edges, edges[1:], strict=False):
        base = start[max(first - 1, 0)]
        parts.append(kernel.roll(cut(base, end[last - 1]), base, start[first:last], end[first:last]))
    np.testing.assert_array_equal(gliding, bits_of(pa.concat_arrays(parts)))


@pytest.mark.parametrize("op", ["skewness", "kurtosis", "corr"])
def test_where_the_values_changed_last_is_known_after_gliding(op):
    """The last frame that is not constant is [29, 30, 30, 30, 30, 30]: four of the 30 were glided over, one stepped to."""
    values = np.array([*range(30), 30, 30, 30, 30, 30, 30], float)
    end = np.arange(6, 37)
    kernel = Shape(op) if op in SHAPES else Pair(op)
    results = []
    for first, last in [(0, 25), (25, 29), (29, 30), (30, 31)]:
        base = max(first - 1, 0)
        x = pa.array(values[base : end[last - 1]])
        bounds = end[first:last] - 6, end[first:last]
        results += kernel.roll(x if op in SHAPES else (x, x), base, *bounds).to_pylist()
    right = {"skewness": -4 / math.sqrt(5), "kurtosis": 1.2, "corr": 1.0}[op]
    assert results[-2:] == [pytest.approx(right), None]


@pytest.mark.parametrize("window", [4, 50, 700])
def test_they_are_those_of_pandas(window):
    rng = np.random.default_rng(6)
    x = rng.normal(size=2000)
    y = x + rng.normal(size=2000)
    end = np.arange(window, 2001)
    bounds = end - window, end
    rolling, other = pd.Series(x).rolling(window), pd.Series(y)
    columns = pa.array(x), pa.array(y)
    covariance, correlation = (Pair(op).roll(columns, 0, *bounds).to_numpy() for op in PAIRS[1:])
    np.testing.assert_allclose(covariance, rolling.cov(other)[window - 1 :], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(correlation, rolling.corr(other)[window - 1 :], rtol=1e-9, atol=1e-12)
    n = window
    skewness, kurtosis = (Shape(op).roll(columns[0], 0, *bounds).to_numpy() for op in SHAPES)
    unbiased = skewness * math.sqrt(n * (n - 1)) / (n - 2)
    np.testing.assert_allclose(unbiased, rolling.skew()[window - 1 :], rtol=1e-7, atol=1e-9)
    unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * kurtosis + 6)
    np.testing.assert_allclose(unbiased, rolling.kurt()[window - 1 :], rtol=1e-7, atol=1e-7)


def test_a_mean_a_trillion_deviations_away():
    """The unit of last place of 1e12 is 1.2e-4: what these values are is exact, and so is what they give."""
    steps = np.resize(np.arange(7.0), 5000)
    end = np.arange(10, 5001)
    for op in SHAPES:
        near, far = (Shape(op).roll(pa.array(x), 0, end - 10, end).to_numpy() for x in (steps, steps + 1e12))
        np.testing.assert_allclose(near, far, rtol=1e-12, atol=1e-13)


def test_one_tuple_that_is_not_finite():
    values, frame = pa.array([math.nan]), (np.array([0]), np.array([1]))
    for op in SHAPES:
        assert math.isnan(Shape(op).roll(values, 0, *frame)[0].as_py())
    assert math.isnan(Pair("covar_pop").roll((values, values), 0, *frame)[0].as_py())
    assert Pair("covar_samp").roll((values, values), 0, *frame).to_pylist() == [None]
    assert Pair("corr").roll((values, values), 0, *frame).to_pylist() == [None]


def test_no_rows_and_no_values():
    none, empty, values = np.array([], np.int64), np.zeros(2, np.int64), pa.array([], pa.float64())
    for kernel, panes, columns in [
        (Shape("kurtosis"), Shape("kurtosis").of_panes(), values),
        (Pair("corr"), Pair("corr").of_panes(), (values, values)),
    ]:
        assert kernel.roll(columns, 0, none, none).to_pylist() == []
        assert kernel.roll(columns, 0, empty, empty).to_pylist() == [None, None]
        partials = kernel.roll_partials(columns, 0, empty, empty)
        assert panes.roll(partials, 0, empty, empty + 1).to_pylist() == [None, None]
        assert panes.roll((partials[0][:0],), 2, none, none).to_pylist() == []


def test_refusals():
    with pytest.raises(ValueError, match="op must be one of skewness, kurtosis, not 'mode'"):
        Shape("mode")
    with pytest.raises(ValueError, match="op must be one of covar_pop, covar_samp, corr, not 'cov'"):
        Pair("cov").of_panes()
    with pytest.raises(ValueError, match="op must be one of squares, .*, not 'regr_slope'"):
        Fit("regr_slope")
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        Shape("skewness", evicts=False).roll(pa.array([1.0, 2.0]), 0, np.array([0, 1]), np.array([2, 2]))


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_central)
    assert attempted > 0
    assert failed == 0
