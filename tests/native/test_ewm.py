"""Exponentially weighted averages against pandas' and Polars', frame by frame, however the calls are cut."""

import doctest
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import sliding
from samples.stacks import check, check_panes, column, maker

import inwindow as iw
from inwindow.native import _ewm
from inwindow.native._ewm import Ewm

VALUES = st.none() | st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-9])
MODES = [(gap, adjust) for gap in ("place", "number", "time") for adjust in (True, False)]
modes = pytest.mark.parametrize(("gap", "adjust"), MODES)
SPECIAL = [None, 1.0, math.nan, math.inf, -math.inf]


def by_pandas(frame, gap, adjust, alpha):
    """Of pandas or, for the recursion by time, of Polars."""
    series = pd.Series([x for x, _ in frame], dtype=float)
    times = [t for _, t in frame]
    if gap != "time":
        return series.ewm(alpha=alpha, adjust=adjust, ignore_na=gap == "number").mean()
    if adjust:
        return series.ewm(halflife=pd.Timedelta(4, "s"), times=pd.to_datetime(times, unit="s")).mean()
    made = pl.Series([x for x, _ in frame], dtype=pl.Float64).ewm_mean_by(
        pl.Series(times, dtype=pl.Int64), half_life="4i"
    )
    return made.fill_null(strategy="forward").to_pandas()


def right_for(gap, adjust, alpha):
    def right(got, frame):
        if all(x is None for x, _ in frame):
            return got is None
        wanted = by_pandas(frame, gap, adjust, alpha).iloc[-1]
        size = max(abs(x) for x, _ in frame if x is not None)
        return got is not None and math.isclose(got, wanted, rel_tol=1e-12, abs_tol=1e-12 * size)

    return right


def with_times(stream, steps):
    """Its values, each with a time; times never go back."""
    values, *rest = stream
    return [(x, t) for x, t in zip(values, np.cumsum(steps[: len(values)]).tolist(), strict=True)], *rest


def columns(gap, whole):
    def cut(rows):
        x = column([x for x, _ in rows], pa.float64())
        return (x, column([t for _, t in rows], pa.int64() if whole else pa.float64())) if gap == "time" else x

    return cut


def ewm(gap, adjust, alpha, whole):
    def kernel(*, evicts=True):
        more = {"rate": 0.25, "whole": whole} if gap == "time" else {}
        return Ewm(alpha, gap, adjust=adjust, evicts=evicts, **more)

    return kernel


@modes
@given(data=st.data(), alpha=st.sampled_from([0.1, 0.5, 0.97, 1.0]), growing=st.booleans(), whole=st.booleans())
def test_frames(gap, adjust, data, alpha, growing, whole):
    stream = data.draw(sliding(VALUES, growing))
    stream = with_times(
        stream, data.draw(st.lists(st.integers(0, 9), min_size=len(stream[0]), max_size=len(stream[0])))
    )
    make = maker(ewm(gap, adjust, alpha, whole), growing=growing)
    check(make, stream, columns(gap, whole), right_for(gap, adjust, alpha))


@modes
@given(data=st.data(), pane=st.integers(1, 5))
def test_panes(gap, adjust, data, pane):
    stream = data.draw(sliding(VALUES))
    stream = with_times(
        stream, data.draw(st.lists(st.integers(0, 9), min_size=len(stream[0]), max_size=len(stream[0])))
    )
    make = ewm(gap, adjust, 0.5, True)
    check_panes(make(), lambda: make().of_panes(), stream, pane, columns(gap, True), right_for(gap, adjust, 0.5))


@given(st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=8), st.integers(1, 3))
def test_what_is_not_finite(values, size):
    """A NaN gives NaN and an infinity itself, until it leaves."""
    end = np.arange(1, len(values) + 1)
    start = np.maximum(end - size, 0)
    for lo, up, got in zip(
        start, end, Ewm(0.5).roll(pa.array(values, pa.float64()), 0, start, end).to_pylist(), strict=True
    ):
        odd = [x for x in values[lo:up] if x is not None and not math.isfinite(x)]
        some = any(x is not None for x in values[lo:up])
        assert str(got) == str(sum(odd) if odd else 1.0 if some else None)


@pytest.mark.parametrize("adjust", [True, False])
def test_two_million_tuples_do_not_drift(adjust):
    x = np.random.default_rng(3).normal(size=2_000_000).cumsum()
    end = np.arange(1, len(x) + 1)
    for alpha in (0.3, 1e-5):
        got = Ewm(alpha, adjust=adjust).roll(pa.array(x), 0, np.zeros(len(x), np.int64), end).to_numpy()
        np.testing.assert_allclose(got, pd.Series(x).ewm(alpha=alpha, adjust=adjust).mean(), rtol=1e-9, atol=1e-9)


HOUR = 3_600_000_000_000


@pytest.mark.parametrize(
    ("kind", "unit", "half_life"),
    [
        (pa.timestamp("ns"), 1, "1 hour"), (pa.timestamp("us", "UTC"), 1_000, "60 minutes"), (pa.timestamp("s"), 10**9, "1 hour"),
        (pa.int64(), HOUR, 1), (pa.float64(), HOUR, 1.0), (pa.date32(), 24 * HOUR, "1 hour"),
    ],
    ids=str,
)  # fmt: skip
def test_times_of_every_type(kind, unit, half_life):
    steps = np.array([0, 24, 24, 72, 240]) * HOUR
    table = pa.table(
        {
            "x": [1.0, 2.0, None, 5.0, 4.0],
            "t": pa.array(steps // unit).cast(pa.int32() if kind == pa.date32() else pa.int64()).cast(kind),
        }
    )
    faded = iw.ewm_avg("x", half_life=half_life, times="t").over(iw.unbounded(order_by="t"))
    ours = iw.with_columns(table, e=faded)["e"].to_pylist()
    theirs = pd.Series([1.0, 2.0, None, 5.0, 4.0]).ewm(halflife="1h", times=pd.to_datetime(steps)).mean()
    assert ours == pytest.approx(theirs.tolist(), rel=1e-12)


def test_forms_of_alpha_are_those_of_pandas():
    x = [1.0, 5.0, None, 2.0, 8.0]
    for form in ({"alpha": 0.3}, {"span": 3}, {"com": 2.5}, {"halflife": 1.5}):
        ours = iw.ewm_avg("x", **{"half_life" if name == "halflife" else name: value for name, value in form.items()})
        made = iw.with_columns(pa.table({"x": x}), e=ours)["e"].to_pylist()
        assert made == pytest.approx(pd.Series(x).ewm(**form).mean().tolist(), rel=1e-14)


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_ewm)
    assert attempted > 0
    assert failed == 0
