"""Aggregates that keep their promises, in all the ways in which one writes them: ``iw.testing.check`` must accuse none.

KEPT says what each is checked with: some have no answer to a NaN, and say so.
"""

import heapq
import math
from collections import Counter, deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from hypothesis import strategies as st
from samples.esl_aggregates import MyAvg
from samples.ids import (
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsPunt,
    IdsWithBase,
    Live,
    Longest,
    LongestInWindow,
    Running,
)

import inwindow as iw


class Total(iw.WindowAggregate, commutative=True):
    """A plain sum: right on finite values, up to rounding."""

    def initialize(self, value: float):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def merge(self, later):
        self.total += later.total

    def unmerge(self, earlier):
        self.total -= earlier.total

    def terminate(self) -> float:
        return self.total


class GuardedTotal(Total, commutative=True):
    """The same, on all doubles: what cannot be undone is refused."""

    def expire(self, value):
        if not math.isfinite(self.total):
            return iw.PUNT
        self.total -= value
        return None

    def unmerge(self, earlier):
        if not math.isfinite(self.total):
            return iw.PUNT
        self.total -= earlier.total
        return None


class PlainTotal(iw.WindowAggregate):
    """A NaN that has left is none of its business: the frame is folded afresh."""

    def initialize(self, value: float):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return self.total


class Lowest(iw.WindowAggregate):
    """An infinity that means "none yet"."""

    def initialize(self, value: float):
        self.low, self.total = math.inf, 0.0
        self.iterate(value)

    def iterate(self, value):
        self.total += value
        if value == 100.0:
            self.low = value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return self.total


class Welford(iw.WindowAggregate):
    """Standard deviation by running means, there and back, with the cancellation that this has."""

    def initialize(self, value: float):
        self.count, self.mean, self.m2 = 1, value, 0.0

    def iterate(self, value):
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.m2 += delta * (value - self.mean)

    def expire(self, value):
        self.count -= 1
        delta = value - self.mean
        self.mean -= delta / self.count
        self.m2 -= delta * (value - self.mean)

    def merge(self, later):
        count, delta = self.count + later.count, later.mean - self.mean
        self.m2 += later.m2 + delta * delta * self.count * later.count / count
        self.mean += delta * later.count / count
        self.count = count

    def terminate(self) -> float:
        return math.sqrt(max(self.m2 / self.count, 0.0))


class Powers(iw.WindowAggregate):
    """Variance and kurtosis by sums of powers."""

    def __init__(self):
        self.sums = [0.0] * 5

    def iterate(self, value: float):
        self.sums = [total + value**power for power, total in enumerate(self.sums)]

    def expire(self, value):
        self.sums = [total - value**power for power, total in enumerate(self.sums)]

    def merge(self, later):
        self.sums = [a + b for a, b in zip(self.sums, later.sums, strict=True)]

    def terminate(self) -> list[float]:
        n, s1, s2, s3, s4 = self.sums
        mean = s1 / n
        return [s2 / n - mean**2, s4 / n - 4 * mean * s3 / n + 6 * mean**2 * s2 / n - 3 * mean**4]


class GeometricMean(iw.WindowAggregate):
    """By logarithms, which are never exact."""

    def initialize(self, value: float):
        self.logs, self.count = math.log(value), 1

    def iterate(self, value):
        self.logs += math.log(value)
        self.count += 1

    def expire(self, value):
        self.logs -= math.log(value)
        self.count -= 1

    def merge(self, later):
        self.logs += later.logs
        self.count += later.count

    def terminate(self) -> float:
        return math.exp(self.logs / self.count)


class Product(iw.WindowAggregate):
    """Divides out what leaves; zeros are counted apart."""

    def __init__(self):
        self.product, self.zeros = 1.0, 0

    def iterate(self, value: float):
        if value:
            self.product *= value
        else:
            self.zeros += 1

    def expire(self, value):
        if value:
            self.product /= value
        else:
            self.zeros -= 1

    def terminate(self) -> float:
        return 0.0 if self.zeros else self.product


class Max(iw.WindowAggregate):
    """A monotone queue, with its ties."""

    def initialize(self, value: int):
        self.queue = deque([value])

    def iterate(self, value):
        while self.queue and self.queue[-1] < value:
            self.queue.pop()
        self.queue.append(value)

    def expire(self, value):
        if self.queue[0] == value:
            self.queue.popleft()

    def terminate(self) -> int:
        return self.queue[0]


class Spread(iw.Aggregate, commutative=True):
    def initialize(self, value: int):
        self.low = self.high = value

    def iterate(self, value):
        self.low, self.high = min(self.low, value), max(self.high, value)

    def merge(self, later):
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> int:
        return self.high - self.low


class LastPrice(iw.Aggregate):
    """Order counts, and merge knows it."""

    def iterate(self, value: float):
        self.last = value

    def merge(self, later):
        self.last = later.last

    def terminate(self) -> float:
        return self.last


class Words(iw.Aggregate, commutative=True):
    """A set, sorted before it shows."""

    def initialize(self, word: str):
        self.words = {word}

    def iterate(self, word):
        self.words.add(word)

    def merge(self, later):
        self.words |= later.words

    def terminate(self) -> list[str]:
        return sorted(self.words)


class Modes(iw.WindowAggregate, commutative=True):
    """Counts; of ties the smallest."""

    def __init__(self):
        self.counts = Counter()

    def iterate(self, word: str):
        self.counts[word] += 1

    def expire(self, word):
        self.counts[word] -= 1

    def merge(self, later):
        self.counts.update(later.counts)

    def terminate(self) -> str:
        return min(self.counts, key=lambda word: (-self.counts[word], word))


class Median(iw.Aggregate):
    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        ordered = sorted(self.values, key=lambda value: (math.isnan(value), value))
        return ordered[len(ordered) // 2]


class TopK(iw.Aggregate, commutative=True):
    """Configured by __init__, merged by a heap."""

    def __init__(self, k=3):
        self.k, self.heap = k, []

    def iterate(self, value: int):
        heapq.heappush(self.heap, value)
        self.heap = heapq.nlargest(self.k, self.heap)
        heapq.heapify(self.heap)

    def merge(self, later):
        self.heap = heapq.nlargest(self.k, self.heap + later.heap)
        heapq.heapify(self.heap)

    def terminate(self) -> list[int]:
        return sorted(self.heap, reverse=True)


class Ewma(iw.Aggregate):
    """No terminate: a result per tuple, of all there was."""

    def initialize(self, value: float) -> float:
        self.mean = value
        return self.mean

    def iterate(self, value) -> float:
        self.mean += 0.25 * (value - self.mean)
        return self.mean


class Twice(iw.Aggregate, returns="double"):
    """Yields."""

    def iterate(self, value: float):
        yield value
        yield -value


class Money(iw.WindowAggregate):
    def initialize(self, amount: Decimal):
        self.total = amount

    def iterate(self, amount):
        self.total += amount

    def expire(self, amount):
        self.total -= amount

    def terminate(self) -> Decimal:
        return self.total


class LongestPause(iw.WindowAggregate):
    """Over datetimes, in order of arrival."""

    def initialize(self, at: datetime):
        self.times = [at]

    def iterate(self, at):
        self.times.append(at)

    def expire(self, at):
        self.times.pop(0)

    def merge(self, later):
        self.times = self.times + later.times

    def terminate(self) -> timedelta:
        return max((b - a for a, b in zip(self.times, self.times[1:], strict=False)), default=timedelta(0))


class WeightedMean(iw.WindowAggregate):
    """Two arguments; the weights may add up to nothing."""

    def __init__(self):
        self.total = self.weight = 0.0

    def iterate(self, value: float, weight: float):
        self.total += value * weight
        self.weight += weight

    def expire(self, value, weight):
        self.total -= value * weight
        self.weight -= weight

    def merge(self, later):
        self.total += later.total
        self.weight += later.weight

    def terminate(self) -> float | None:
        return self.total / self.weight if self.weight else None


@dataclass
class Candle:
    open: float
    high: float
    low: float
    close: float


class Candles(iw.Aggregate):
    def initialize(self, price: float):
        self.candle = Candle(price, price, price, price)

    def iterate(self, price):
        candle = self.candle
        self.candle = Candle(candle.open, max(candle.high, price), min(candle.low, price), price)

    def merge(self, later):
        a, b = self.candle, later.candle
        self.candle = Candle(a.open, max(a.high, b.high), min(a.low, b.low), b.close)

    def terminate(self) -> Candle:
        return self.candle


class Share(NamedTuple):
    share: float
    count: int


class NullShare(iw.WindowAggregate, nulls="pass"):
    """Sees NULLs."""

    def __init__(self):
        self.nulls = self.count = 0

    def iterate(self, value: float):
        self.nulls += value is None
        self.count += 1

    def expire(self, value):
        self.nulls -= value is None
        self.count -= 1

    def terminate(self) -> Share:
        return Share(self.nulls / self.count, self.count)


class CountAll(iw.WindowAggregate, empty=0, commutative=True):
    """No arguments at all."""

    def initialize(self):
        self.count = 1

    def iterate(self):
        self.count += 1

    def expire(self):
        self.count -= 1

    def merge(self, later):
        self.count += later.count

    def terminate(self) -> int:
        return self.count


class Remembers(iw.Aggregate):
    """A cache of its result: terminate changes an attribute, and nothing that shows."""

    def initialize(self, value: float):
        self.values, self.result = [value], None

    def iterate(self, value):
        self.values.append(value)
        self.result = None

    def merge(self, later):
        self.values = self.values + later.values
        self.result = None

    def terminate(self) -> float:
        if self.result is None:
            self.result = sum(self.values)
        return self.result


class Reservoir(iw.Aggregate):
    """A sample by a generator of its own, from a fixed seed: the same tuples, the same sample."""

    def initialize(self, value: str):
        self.seed, self.count, self.kept = 1, 1, value

    def iterate(self, value):
        self.count += 1
        self.seed = self.seed * 1103515245 % 2**31
        if self.seed % self.count == 0:
            self.kept = value

    def terminate(self) -> str:
        return self.kept


class Constant(iw.Aggregate):
    """With constants in the class, which all copies may share."""

    weights = [3.0, 2.0, 1.0]

    def iterate(self, value: float):
        self.last = [value, *getattr(self, "last", [])][:3]

    def terminate(self) -> float:
        return sum(weight * value for weight, value in zip(self.weights, self.last, strict=False))


class SparkMean:
    """As for Spark 4.4."""

    def zero(self):
        return (0.0, 0)

    def reduce(self, buffer, value: float):
        return buffer if value is None else (buffer[0] + value, buffer[1] + 1)

    def merge(self, a, b):
        return (a[0] + b[0], a[1] + b[1])

    def expire(self, buffer, value):
        if value is None:
            return buffer
        return (buffer[0] - value, buffer[1] - 1)

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None

    def outputType(self):
        return "double"


class Bag(iw.WindowAggregate, expire_any_order=True):
    """It undoes any tuple, not just the oldest."""

    def initialize(self, value: int):
        self.counts = {value: 1}

    def iterate(self, value):
        self.counts[value] = self.counts.get(value, 0) + 1

    def expire(self, value):
        self.counts[value] -= 1
        if not self.counts[value]:
            del self.counts[value]

    def terminate(self) -> str:
        return str(sorted(self.counts.items()))


FINITE = {"finite": True}
KEPT = {
    "Total": (Total, FINITE),
    "GuardedTotal": (GuardedTotal, {}),
    "PlainTotal": (PlainTotal, {}),
    "Lowest": (Lowest, {}),
    "MyAvg of the paper": (MyAvg, FINITE),
    "Welford": (Welford, FINITE),
    "Welford on any floats": (Welford, {"values": st.floats(-1e6, 1e6)}),
    "Total on any floats": (Total, {"values": st.floats(-1e12, 1e12)}),
    "Powers": (Powers, FINITE),
    "GeometricMean": (GeometricMean, {"values": st.floats(0.01, 1e6)}),
    "Product": (Product, FINITE),
    "Max": (Max, {}),
    "Bag": (Bag, {}),
    "Spread": (Spread, {}),
    "LastPrice": (LastPrice, {}),
    "Words": (Words, {}),
    "Modes": (Modes, {}),
    "Median": (Median, {}),
    "TopK": (TopK(k=2), {}),
    "Ewma": (Ewma, {}),
    "Twice": (Twice, {}),
    "Money": (Money, {}),
    "LongestPause": (LongestPause, {}),
    "WeightedMean": (WeightedMean, FINITE),
    "Candles": (Candles, FINITE),
    "NullShare": (NullShare, {}),
    "CountAll": (CountAll, {}),
    "Remembers": (Remembers, {}),
    "Reservoir": (Reservoir, {}),
    "Constant": (Constant, {}),
    "SparkMean": (SparkMean(), {}),
    "Ids": (Ids, {"values": int}),
    "IdsAll": (IdsAll, {"values": int}),
    "IdsPunt": (IdsPunt, {"values": int}),
    "IdsExpire": (IdsExpire, {"values": int}),
    "IdsInWindow": (IdsInWindow, {"values": int}),
    "IdsWithBase": (IdsWithBase, {"values": int}),
    "Live": (Live, {"values": int}),
    "Longest": (Longest, {"values": int}),
    "LongestInWindow": (LongestInWindow, {"values": int}),
    "Running": (Running, {"values": int}),
}
