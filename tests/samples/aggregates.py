"""Aggregates that a user would write, one of each kind: for tests of places and windows, not of what a class may say."""

from typing import NamedTuple

import inwindow as iw


class MyAvg(iw.WindowAggregate):
    """By expire: example 12 of the ESL paper."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Mean(iw.Aggregate):
    """Expire and merge are derived."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Total(iw.WindowAggregate):
    """By expire, with nothing that counts."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return self.total


class MergedTotal(iw.Aggregate, empty=-1.0):
    """By merge; an empty frame has a value of its own."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def merge(self, later):
        self.total += later.total

    def terminate(self) -> float:
        return self.total


class Spread(iw.Aggregate):
    """By merge alone: nothing can be taken out."""

    def initialize(self, value):
        self.low = self.high = value

    def iterate(self, value):
        self.low, self.high = min(self.low, value), max(self.high, value)

    def merge(self, later):
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> float:
        return self.high - self.low


class Candle(NamedTuple):
    """A result with several fields."""

    low: float
    high: float
    count: int


class Candles(iw.Aggregate):
    """Its result is a record: a struct."""

    def initialize(self, price: float) -> None:
        self.low, self.high, self.count = price, price, 1

    def iterate(self, price: float) -> None:
        self.low, self.high, self.count = min(self.low, price), max(self.high, price), self.count + 1

    def merge(self, later: "Candles") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)
        self.count += later.count

    def terminate(self) -> Candle:
        return Candle(self.low, self.high, self.count)
