"""Floats with NaN, or of two magnitudes, among them: what has left a frame leaves nothing behind, and hides no other field."""

import math

import pyarrow as pa
import pytest
from samples.derived_or_afresh import derived_or_afresh

import inwindow as iw

NAN = math.nan


class HighOfTwo(iw.Aggregate):
    def initialize(self, a, b):
        self.high = None
        self.iterate(a, b)

    def iterate(self, a, b):
        if self.high is None or a > self.high:
            self.high = a
        if self.high is None or b > self.high:
            self.high = b

    def terminate(self) -> float:
        return self.high


def test_an_extreme_of_two_columns_with_nan() -> None:
    table = pa.table({"a": [9.0, 1.0, NAN, NAN], "b": [0.0, NAN, 5.0, -3.0]})
    window = iw.rows(3)
    given, afresh = derived_or_afresh(lambda: HighOfTwo()("a", "b"), window, table)
    assert str(given) == str(afresh)


class Pair(iw.WindowAggregate):
    def initialize(self, a, b):
        self.a, self.b = a, b

    def iterate(self, a, b):
        self.a += a
        self.b += b

    def expire(self, a, b):
        self.a -= a
        self.b -= b

    def terminate(self) -> list[float]:
        return [self.a, self.b]


@pytest.mark.parametrize(
    ("a", "b", "rows"),
    [
        ([1e300, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, NAN, 1.0, NAN, 1.0, NAN, 1.0], 3),
        ([1e16] + [1.0] * 60, [1.0] * 5 + [NAN] + [1.0] * 55, 5),
    ],
)
def test_a_nan_in_one_field_hides_nothing_of_another(a: list[float], b: list[float], rows: int) -> None:
    table, window = pa.table({"a": a, "b": b}), iw.rows(rows)
    given, afresh = derived_or_afresh(lambda: Pair()("a", "b"), window, table)
    assert str(given) == str(afresh)


class Unmerged(iw.WindowAggregate):
    """All hooks, over one plain float."""

    def initialize(self, v: float) -> None:
        self.total = v

    def iterate(self, v: float) -> None:
        self.total += v

    def expire(self, v: float) -> None:
        self.total -= v

    def merge(self, later: "Unmerged") -> None:
        self.total += later.total

    def unmerge(self, earliest: "Unmerged") -> None:
        self.total -= earliest.total

    def terminate(self) -> float:
        return self.total


class Outside(iw.WindowAggregate):
    """A field that its own code does not set, so that nobody watches it."""

    def iterate(self, v: float) -> None:
        setattr(self, "total", getattr(self, "total", 0.0) + v)  # noqa: B010

    def expire(self, v: float) -> None:
        setattr(self, "total", getattr(self, "total", 0.0) - v)  # noqa: B010

    def terminate(self) -> float:
        return self.total


def test_what_a_check_says_of_floats() -> None:
    for seed in range(4):
        iw.testing.check(Unmerged(), seed=seed)
    with pytest.raises(iw.testing.BrokenPromise):
        iw.testing.check(Outside(), seed=0)
