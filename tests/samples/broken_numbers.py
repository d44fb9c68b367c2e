"""Aggregates whose numbers break a law: they drift, overflow, are poisoned by NaN, or lose cents."""

from decimal import Decimal

import inwindow as iw


class Total(iw.WindowAggregate):
    """What most of them begin with; this one keeps its promises, on finite values."""

    def initialize(self, value: float):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def merge(self, later):
        self.total += later.total
        self.count += later.count

    def terminate(self) -> float:
        return self.total / self.count


class Drifts(Total):
    """Rounds what is left at each expiration."""

    def expire(self, value):
        self.total = round(self.total - value, 1)
        self.count -= 1


class DriftsByDecay(Total):
    """Takes out what came in, not what is left of it."""

    def iterate(self, value):
        self.total = self.total * 0.9 + value
        self.count += 1


class RunningMeanBackwards(Total):
    """The mean goes on by its count after the tuple, and back by the same count."""

    def iterate(self, value):
        self.count += 1
        self.total += (value - self.total) / self.count

    def expire(self, value):
        self.total -= (value - self.total) / self.count
        self.count -= 1

    def merge(self, later):
        self.total = (self.total * self.count + later.total * later.count) / (self.count + later.count)
        self.count += later.count

    def terminate(self) -> float:
        return self.total


class PoisonedByNaN(iw.WindowAggregate, rebase=False):
    """A NaN or an infinity that entered the total never leaves it; and nobody may look after it."""

    def initialize(self, value: float):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return self.total


class PoisonedByOverflow(PoisonedByNaN):
    """Refuses NaN and infinities, but two large numbers make an infinity, too."""

    def expire(self, value):
        if value - value != 0.0:
            return iw.PUNT
        self.total -= value
        return None


class PoisonedList(iw.WindowAggregate):
    """A NaN stays in a list of floats, into which nobody looks."""

    def initialize(self, value: float):
        self.sums = [value, value * value]

    def iterate(self, value):
        self.sums = [self.sums[0] + value, self.sums[1] + value * value]

    def expire(self, value):
        self.sums = [self.sums[0] - value, self.sums[1] - value * value]

    def terminate(self) -> float:
        return self.sums[1] - self.sums[0]


class Saturates(iw.WindowAggregate):
    """Clamped to 32 bits; what was cut off cannot be taken back."""

    def initialize(self, value: int):
        self.total = value

    def iterate(self, value):
        self.total = min(self.total + value, 2**31 - 1)

    def expire(self, value):
        self.total -= value

    def terminate(self) -> int:
        return self.total


class WrapsOnMerge(iw.Aggregate):
    """Wraps around at 16 bits, but only where runs are merged."""

    def initialize(self, value: int):
        self.total = value * 1000

    def iterate(self, value):
        self.total += value * 1000

    def merge(self, later):
        self.total = (self.total + later.total + 2**15) % 2**16 - 2**15

    def terminate(self) -> int:
        return self.total


class WrapsLate(iw.Aggregate):
    """Wraps around at 64 bits where runs are merged."""

    def initialize(self, value: int):
        self.total = value

    def iterate(self, value):
        self.total += value

    def merge(self, later):
        self.total = (self.total + later.total + 2**63) % 2**64 - 2**63

    def terminate(self) -> str:
        return str(self.total)


class LosesCents(iw.WindowAggregate):
    """Takes out the whole part."""

    def initialize(self, value: Decimal):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= int(value)

    def terminate(self) -> float:
        return float(self.total)
