"""Bits, products and decayed averages against exact definitions, whatever slides, however the calls are cut."""

import doctest
import functools
import math
import operator
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import sliding
from samples.stacks import check, check_panes, column, maker

from inwindow.native import _monoids
from inwindow.native._monoids import BitAggregate, Decayed, Product

BITS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
longs = st.none() | st.integers(0, 7) | st.integers(-(2**63), 2**63 - 1)
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0]
factors = st.one_of(
    st.none(),
    st.floats(0.5, 2),
    st.sampled_from([1e200, -1e200, 1e-200, 1e-300, 1e300, 5e-324, 1.7976931348623157e308, -1.0]),
    st.floats(allow_nan=False, allow_infinity=False).filter(bool),
)
doubles = st.none() | st.floats(-10, 10) | st.sampled_from([1e200, -1e200, *SPECIAL])
modes = pytest.mark.parametrize("growing", [False, True])


def longs_of(values):
    return column(values, pa.int64())


def doubles_of(values):
    return column(values, pa.float64())


def or_null(right):
    """Where there is no value, NULL; else ``right(result, values)``."""

    def check(x, frame):
        values = [y for y in frame if y is not None]
        return right(x, values) if values else x is None

    return check


def same(x, y):
    return x == y and math.copysign(1, x) == math.copysign(1, y) or (x != x and y != y)


def is_product(x, frame):
    """As IEEE 754 has it where there is 0, NaN or an infinity; else within an ulp of the exact product."""
    ones = [math.copysign(1.0, y) if y and math.isfinite(y) else y for y in frame]
    if any(y == 0 or not math.isfinite(y) for y in frame):
        return same(x, math.prod(ones))
    exact = math.prod(map(Fraction, frame))
    if math.isinf(x):
        return (x > 0) == (exact > 0) and abs(exact) > Fraction(1.7976931348623157e308)
    return math.copysign(1, x) == math.copysign(1, exact) and abs(Fraction(x) - exact) <= Fraction(math.ulp(x))


def is_decayed(decay):
    def right(x, frame):
        if not all(map(math.isfinite, frame)):
            return same(x, sum(y for y in frame if not math.isfinite(y)))
        weights = [Fraction(decay) ** age for age in range(len(frame))][::-1]
        terms = [w * Fraction(y) for w, y in zip(weights, frame, strict=True)]
        scale = sum(map(abs, terms)) / sum(weights)
        return abs(Fraction(x) - sum(terms) / sum(weights)) <= scale * Fraction(1e-13) + Fraction(1e-300)

    return right


@pytest.mark.parametrize("op", BITS)
@modes
@given(data=st.data())
def test_bits(op, growing, data):
    def right(x, frame):
        return x == functools.reduce(BITS[op], frame)

    check(maker(BitAggregate, op, growing=growing), data.draw(sliding(longs, growing)), longs_of, or_null(right))


@pytest.mark.parametrize("op", BITS)
@given(stream=sliding(longs), pane=st.integers(1, 5))
def test_bits_of_panes(op, stream, pane):
    def right(x, frame):
        return x == functools.reduce(BITS[op], frame)

    check_panes(BitAggregate(op), lambda: BitAggregate(op).of_panes(), stream, pane, longs_of, or_null(right))


@modes
@given(data=st.data())
def test_products(growing, data):
    elements = data.draw(st.sampled_from([factors, factors | st.sampled_from(SPECIAL)]))
    check(maker(Product, growing=growing), data.draw(sliding(elements, growing)), doubles_of, or_null(is_product))


@given(stream=sliding(factors | st.sampled_from(SPECIAL)), pane=st.integers(1, 5))
def test_products_of_panes(stream, pane):
    check_panes(Product(), lambda: Product().of_panes(), stream, pane, doubles_of, or_null(is_product))


@modes
@given(data=st.data(), decay=st.sampled_from([1.0, 0.5, 0.9, 0.999, 1e-5, 1e-200]))
def test_decayed_averages(growing, data, decay):
    stream = data.draw(sliding(doubles, growing))
    check(maker(Decayed, decay, growing=growing), stream, doubles_of, or_null(is_decayed(decay)))


@given(stream=sliding(doubles), pane=st.integers(1, 5), decay=st.sampled_from([1.0, 0.5, 0.9]))
def test_decayed_averages_of_panes(stream, pane, decay):
    check_panes(Decayed(decay), lambda: Decayed(decay).of_panes(), stream, pane, doubles_of, or_null(is_decayed(decay)))


def test_decayed_averages_are_those_of_pandas():
    values = np.random.default_rng(1).normal(size=3000) + 5
    end = np.arange(1, 3001)
    for decay in 0.5, 0.97, 0.9999:
        ours = Decayed(decay, evicts=False).roll(pa.array(values), 0, np.zeros_like(end), end).to_numpy()
        theirs = pd.Series(values).ewm(alpha=1 - decay, adjust=True).mean().to_numpy()
        np.testing.assert_allclose(ours, theirs, rtol=1e-11)


@pytest.mark.parametrize("window", [2, 10, 999])
def test_two_million_factors_do_not_drift(window):
    rng = np.random.default_rng(2)
    values = rng.choice([-1.0, 1.0], 2_000_000) * np.exp(rng.normal(size=2_000_000) * 20)
    values[rng.random(2_000_000) < 1e-5] = math.nan
    values[rng.random(2_000_000) < 1e-5] = 0.0
    end = np.arange(1, 2_000_001)
    start = np.maximum(end - window, 0)
    got = Product().roll(pa.array(values), 0, start, end)[-50:].to_pylist()
    for x, first, last in zip(got, start[-50:], end[-50:], strict=True):
        assert is_product(x, values[first:last].tolist())


def test_a_million_decayed_values_whose_weights_vanish():
    values = np.random.default_rng(3).normal(size=100_000)
    end = np.arange(1, 100_001)
    got = Decayed(0.9).roll(pa.array(values), 0, np.maximum(end - 50_000, 0), end)[-1].as_py()
    weights = 0.9 ** np.arange(500.0)[::-1]
    assert got == pytest.approx(np.average(values[-500:], weights=weights), rel=1e-12)


def test_no_rows_and_no_values():
    none, empty = np.array([], np.int64), np.zeros(2, np.int64)
    for kernel, panes, type_ in [
        (BitAggregate("and"), BitAggregate("and").of_panes(), pa.int64()),
        (Product(), Product().of_panes(), pa.float64()),
        (Decayed(0.5), Decayed(0.5).of_panes(), pa.float64()),
    ]:
        values = pa.array([], type_)
        assert kernel.roll(values, 0, none, none).to_pylist() == []
        assert kernel.roll(values, 0, empty, empty).to_pylist() == [None, None]
        assert kernel.roll_partials(values, 0, none, none)[0].shape[0] == 0
        partials = kernel.roll_partials(values, 0, empty, empty)
        assert panes.roll(partials, 0, empty, empty + 1).to_pylist() == [None, None]
        assert panes.roll((partials[0][:0],), 2, none, none).to_pylist() == []


def test_refusals():
    with pytest.raises(ValueError, match="op must be one of and, or, xor, not 'nand'"):
        BitAggregate("nand")
    for decay in 0.0, 1.5, math.nan:
        with pytest.raises(ValueError, match="is not in"):
            Decayed(decay)
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        Product(evicts=False).roll(pa.array([1.0, 2.0]), 0, np.array([0, 1]), np.array([2, 2]))


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_monoids)
    assert attempted > 0
    assert failed == 0
