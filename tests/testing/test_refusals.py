"""``check(..., on_error="skip")``: hooks that raise because of their tuple keep the promise, others are found."""

import math
import re

import pytest
from hypothesis import strategies as st
from samples.picky import PickyExpire

import inwindow as iw

NAME = "a hook raises because of its tuple"


class LogMean(iw.WindowAggregate):
    """Raises after it has changed its state."""

    def initialize(self, value: float):
        self.logs, self.count = 0.0, 0
        self.iterate(value)

    def iterate(self, value):
        self.count += 1
        self.logs += math.log(value)

    def expire(self, value):
        self.logs -= math.log(value)
        self.count -= 1

    def terminate(self) -> float:
        return self.logs / self.count


class Rising(iw.Aggregate):
    """Raises because of the tuple before."""

    def initialize(self, value: int):
        self.last = value

    def iterate(self, value):
        if value < self.last:
            raise ValueError(f"{value} after {self.last}")
        self.last = value

    def terminate(self) -> int:
        return self.last


class OnlyFirst(iw.Aggregate):
    """Refuses as its first tuple what it takes later."""

    def initialize(self, value: int):
        if value == 4711:
            raise ValueError(value)
        self.last = value

    def iterate(self, value):
        self.last = value

    def terminate(self) -> int:
        return self.last


SEEN = {"bad": 0}


class Counting(iw.Aggregate):
    """Counts bad tuples where all copies see it."""

    def iterate(self, value: int):
        self.last = value
        if value < 0:
            SEEN["bad"] += 1
            raise ValueError(value)

    def terminate(self) -> int:
        return self.last + SEEN["bad"]


class LateCounting(Counting):
    """It does not show in the results of the runs alone, but of one run and another."""

    def terminate(self) -> int:
        return SEEN["bad"]


@pytest.mark.parametrize("kind", [LogMean, PickyExpire])
def test_the_promise_is_kept(kind: type) -> None:
    values = st.integers(-5, 20).map(float) if kind is LogMean else st.integers(0, 19)
    with pytest.raises(iw.testing.BrokenPromise, match="hooks take every value.*|check\\(..., on_error='skip'\\)"):
        iw.testing.check(kind(), values=values, seed=0, examples=20)
    report = iw.testing.check(kind(), values=values, on_error="skip", seed=0, examples=20)
    assert report.laws[0] == NAME and "every strategy gives the definition's result" in report.laws


@pytest.mark.parametrize(
    ("kind", "raised"),
    [(Rising, "ValueError: -?[0-9]+ after "), (OnlyFirst, "raised nothing"), (Counting, ""), (LateCounting, "")],
)
def test_a_broken_promise_is_found(kind: type, raised: str) -> None:
    with pytest.raises(iw.testing.BrokenPromise) as caught:
        iw.testing.check(kind(), on_error="skip", seed=0)
    broken = caught.value
    assert broken.law == NAME and len(broken.tuples) <= 3
    assert re.search(raised, broken.given)
    pasted: dict = {kind.__name__: kind}
    exec(broken.test, pasted)
    test = next(value for name, value in pasted.items() if name.startswith("test_"))
    with pytest.raises((ValueError, AssertionError)):
        test()
