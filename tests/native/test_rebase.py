"""Re-basing: a plain ``self.total -= value`` gives what a fold afresh gives, whatever has been in the frame."""

import math
import pickle
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native._hooks import Delta, Recompute, stored_names
from inwindow.native._two_stacks import MergePanes

MARK = 2.0**-20


class Total:
    """As everybody writes it; ``calls`` counts what the framework does."""

    calls = 0

    def initialize(self, value):
        self.total, self.count = value, 1
        Total.calls += 1

    def iterate(self, value):
        self.total += value
        self.count += 1
        Total.calls += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def merge(self, later):
        self.total += later.total
        self.count += later.count
        Total.calls += 1

    def unmerge(self, earlier):
        self.total -= earlier.total
        self.count -= earlier.count

    def terminate(self):
        return self.total


class Pair(Total):
    """Two fields; one of them is only fed at times, and an infinity in a third means nothing yet."""

    lowest = math.inf

    def initialize(self, value):
        self.total, self.up, self.count, self.lowest = value, value if value > 0 else 0.0, 1, math.inf

    def iterate(self, value):
        self.total += value
        if value > 0:
            self.up += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        if value > 0:
            self.up -= value
        self.count -= 1

    def terminate(self):
        return self.total, self.up, self.count


class InATuple(Total):
    """A state that is replaced, as that of a Spark Aggregator is."""

    def initialize(self, value):
        self.both = (value, 1)

    def iterate(self, value):
        self.both = (self.both[0] + value, self.both[1] + 1)

    def expire(self, value):
        self.both = (self.both[0] - value, self.both[1] - 1)

    def terminate(self):
        return self.both


def rows(count: int, size: int, slide: int = 1) -> tuple[Any, Any]:
    """The bounds of ROWS."""
    end = np.arange(slide, count + 1, slide)
    return np.maximum(end - size, 0), end


def rolled(
    kind: type, values: list[float], bounds: tuple[Any, Any], cut: int | None = None, **options: Any
) -> list[Any]:
    """Every frame's result; with ``cut`` by drivers that go on from a pickled state, each with the tuples it needs."""
    start, end = bounds
    results: list[Any] = []
    state, low, step = None, 0, cut or max(len(start), 1)
    for at in range(0, len(start), step):
        driver = Delta(kind(), rebase=True, **options)
        if state is not None:
            driver.restore(pickle.loads(state))
        some = slice(at, at + step)
        high = int(end[some][-1])
        results += driver.roll([values[low:high]], low, None, start[some], end[some])
        state, low = pickle.dumps(driver.state()), int(start[some][-1])
    return results


ODD = st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308])
PLAIN = st.integers(-80, 80).map(lambda n: n / 8)
steps = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


@st.composite
def moving(draw: Any) -> tuple[int, Any, Any]:
    """Frames whose bounds move by a few tuples each."""
    start = end = 0
    bounds = []
    for forward, growth in draw(steps):
        start = min(start + forward, end)
        end += growth
        bounds.append((start, end))
    starts, ends = zip(*bounds, strict=True) if bounds else ((), ())
    return end, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def alike(given: Any, expected: Any) -> bool:
    """NaN is NaN, an infinity itself; sums of eighths are exact."""
    if isinstance(expected, tuple):
        return all(map(alike, given, expected))
    return given == expected or (given != given and expected != expected)


@pytest.mark.parametrize("kind", [Total, Pair, InATuple])
@given(moving(), st.data(), st.sampled_from([1, 5, None]))
def test_what_is_not_finite_leaves_no_trace(kind: type, frames: Any, data: st.DataObject, cut: int | None) -> None:
    count, start, end = frames
    odd = st.sampled_from([math.nan, math.inf, -math.inf])
    values = data.draw(st.lists(st.one_of(PLAIN, PLAIN, odd), min_size=count, max_size=count))
    expected = Recompute(kind(), empty=()).roll([values], 0, None, start, end)
    given = rolled(kind, values, (start, end), cut, empty=())
    assert all(map(alike, given, expected)), (given, expected)


@given(moving(), st.data())
def test_an_overflow_leaves_no_trace(frames: Any, data: st.DataObject) -> None:
    count, start, end = frames
    values = data.draw(st.lists(st.one_of(PLAIN, ODD), min_size=count, max_size=count))
    given = rolled(Total, values, (start, end), empty=None)
    for result, first, last in zip(given, start, end, strict=True):
        frame = values[first:last]
        if frame and all(abs(value) < 100 for value in frame):
            assert result == sum(frame)


def error(given: float, frame: list[float]) -> float:
    """Against the exact sum, relative to the absolute values in the frame."""
    size = sum(abs(Fraction(value)) for value in frame)
    return float(abs(Fraction(given) - sum(map(Fraction, frame))) / size) if size else abs(given)


@given(moving(), st.data(), st.sampled_from([1, 4, None]))
def test_cancellation_leaves_nine_digits(frames: Any, data: st.DataObject, cut: int | None) -> None:
    count, start, end = frames
    value = st.builds(lambda m, e: m * 10.0**e, st.integers(-9, 9), st.sampled_from([-1, 0, 0, 0, 5, 16, 30, 100]))
    values = data.draw(st.lists(value, min_size=count, max_size=count))
    for result, first, last in zip(rolled(Total, values, (start, end), cut, empty=0.0), start, end, strict=True):
        assert error(result, values[first:last]) <= 100 * 2.0**-53 / MARK


def streams(count: int, size: int) -> dict[str, list[float]]:
    """Values that come and go in all ways."""
    draw = random.Random(7)
    return {
        "uniform": [draw.random() for _ in range(count)],
        "votes": [draw.choice((1.0, -1.0)) for _ in range(count)],
        "tenths": [draw.choice((0.1, -0.1)) for _ in range(count)],
        "bursts": [1e16 * draw.choice((1, -1)) if draw.random() < 2 / size else draw.random() for _ in range(count)],
        "dense": [10 ** (32 * draw.random()) * draw.choice((1, -1)) for _ in range(count)],
        "levels": [2.0 ** (500 - 21 * (i % 50)) if i % 100 < 50 else 1.0 for i in range(count)],
        "NaN": [math.nan if draw.random() < 0.1 else draw.random() for _ in range(count)],
        "NaN at times": [math.nan if draw.random() < 1 / size else draw.random() for _ in range(count)],
        "infinity at times": [math.inf if draw.random() < 0.5 / size else draw.random() for _ in range(count)],
        "integers": [1 << 60 if draw.random() < 2 / size else 1 for _ in range(count)],
    }


@pytest.mark.parametrize("name", streams(1, 2))
@pytest.mark.parametrize("slide", [1, 7])
def test_folding_afresh_is_rare(name: str, slide: int) -> None:
    """At most twice as many tuples go in again as go in; results are those of the frame, and the same cut anywhere."""
    count, size = 20_000, 200
    values, bounds = streams(count, size)[name], rows(count, size, slide)
    Total.calls = 0
    whole = rolled(Total, values, bounds)
    assert Total.calls <= 3.5 * count
    assert repr(whole) == repr(rolled(Total, values, bounds, 613))
    for i in range(0, len(whole), 41):
        frame = values[bounds[0][i] : bounds[1][i]]
        assert alike(whole[i], sum(frame)) or error(whole[i], frame) < 1e-9


def test_drift_is_bounded_by_a_fold_now_and_then() -> None:
    draw = random.Random(3)
    values = [0.1 * draw.randrange(100) for _ in range(400_000)]
    driver = Delta(Total(), result="double", rebase=True)
    driver.roll([values], 0, None, *rows(len(values), 50))
    assert 6 <= driver.rebased <= 10


def test_a_state_without_floats_is_never_folded_afresh() -> None:
    values = [1 << 60, 1, 1, 5] * 5_000
    driver = Delta(Total(), result="int64", rebase=True)
    driver.roll([values], 0, None, *rows(len(values), 3))
    assert driver.rebased == 0


class Logs(Total):
    """Poison that no argument shows: NaN of a zero, an infinity of a one."""

    def initialize(self, value):
        self.total, self.count = 0.0, 0
        self.iterate(value)

    def iterate(self, value):
        Total.calls += 1
        self.total += {0: math.nan, 1: -math.inf}.get(value, value)
        self.count += 1

    def expire(self, value):
        self.total -= {0: math.nan, 1: -math.inf}.get(value, value)
        self.count -= 1


@given(moving(), st.data(), st.sampled_from([1, 5, None]))
def test_poison_that_no_argument_shows(frames: Any, data: st.DataObject, cut: int | None) -> None:
    count, start, end = frames
    values = data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    expected = Recompute(Logs(), empty=()).roll([values], 0, None, start, end)
    given = rolled(Logs, values, (start, end), cut, empty=())
    assert all(map(alike, given, expected)), (given, expected)


def test_an_infinity_by_intent_costs_nothing() -> None:
    values, bounds = [float(i % 7) for i in range(5_000)], rows(5_000, 300)
    driver = Delta(Pair(), rebase=True)
    driver.roll([values], 0, None, *bounds)
    assert driver.rebased <= 1  # it is looked at once


def test_names_are_those_that_the_code_sets() -> None:
    class Slotted:
        __slots__ = ("kept",)

        def __init__(self):
            self.kept = 1.0

        def iterate(self, value):
            def inner():
                self.inner = value

            inner()

    assert set(stored_names(Pair())) == {"total", "up", "count", "lowest", "calls"}
    assert set(stored_names(Slotted())) >= {"kept", "inner"}


def test_punts_are_counted_and_refold() -> None:
    class Refuses(Total):
        def expire(self, value):
            self.total = "half undone"
            return None if value is None else "punt"

    driver = Delta(Refuses(), punt="punt", rebase=True)
    values = [1.0, 2.0, 4.0, 8.0, 16.0]
    assert driver.roll([values], 0, None, *rows(5, 2)) == [1.0, 3.0, 6.0, 12.0, 24.0]
    assert (driver.punts, driver.rebased) == (3, 0)


@given(moving(), st.data())
def test_panes_are_unmerged_as_if_they_had_never_been(frames: Any, data: st.DataObject) -> None:
    count, start, end = frames
    odd = st.sampled_from([math.nan, math.inf, -math.inf, 1e16])
    values = data.draw(st.lists(st.one_of(PLAIN, PLAIN, odd), min_size=count, max_size=count))
    panes = []
    for value in values:
        pane = Total()
        pane.initialize(value)
        panes.append(pane)
    results, state, half = [], None, len(start) // 2
    for some in (slice(0, half), slice(half, None)):
        driver = MergePanes(Total(), empty=None, rebase=True)
        if state is not None:
            driver.restore(pickle.loads(state))
        results += driver.roll(panes, 0, start[some], end[some])
        state = pickle.dumps(driver.state())
    for result, first, last in zip(results, start, end, strict=True):
        frame = values[first:last]
        if frame:
            assert alike(result, sum(frame)) or error(result, frame) < 1e-9
        else:
            assert result is None
