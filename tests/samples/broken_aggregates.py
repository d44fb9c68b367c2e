"""Aggregates that break a promise, one each: ``iw.testing.check`` must catch every one. BROKEN says by which law.

They are written as one would write them by mistake. Those that fail by their numbers are in `broken_numbers.py`.
"""

import random
import threading
from collections import Counter
from typing import Any

from samples.broken_numbers import (
    Drifts,
    DriftsByDecay,
    LosesCents,
    PoisonedByNaN,
    PoisonedByOverflow,
    PoisonedList,
    RunningMeanBackwards,
    Saturates,
    Total,
    WrapsLate,
    WrapsOnMerge,
)

import inwindow as iw


class WrongInverseOfTheFirst(iw.WindowAggregate):
    """The first tuple is kept apart by initialize, which expire does not know."""

    def initialize(self, value: float):
        self.total, self.first = 0.0, value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return max(self.first, self.total)


class ForgetsToCountDown(Total):
    def expire(self, value):
        self.total -= value


class MergeDropsACount(Total):
    def merge(self, later):
        self.total += later.total


class MergeCountsOne(Total):
    def merge(self, later):
        self.total += later.total
        self.count += 1


class SharedList(iw.Aggregate):
    """A list that the class gets later: one in its body is refused before."""

    values: list[float]

    def iterate(self, value: float):
        self.values.append(value)

    def terminate(self) -> float:
        return max(self.values)


SharedList.values = []


def _count_one_more(counting: Any) -> None:
    counting.seen += 1


class SharedCount(iw.Aggregate):
    """A number of the class, set where nobody looks for it: in a function that is given the class."""

    seen = 0

    def iterate(self, value: float):
        _count_one_more(type(self))

    def terminate(self) -> int:
        return self.seen


class TerminateDrains(iw.Aggregate):
    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        total = 0.0
        while self.values:
            total += self.values.pop()
        return total


class TerminateSorts(iw.WindowAggregate):
    """A median that sorts in place, and an expire that trusts in the order of arrival."""

    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def expire(self, value):
        self.values.pop(0)

    def terminate(self) -> float:
        self.values.sort()
        return self.values[len(self.values) // 2]


class TerminateDivides(iw.Aggregate):
    def initialize(self, value: float):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        self.total /= self.count
        return self.total


class LastIsNotCommutative(iw.Aggregate, commutative=True):
    def iterate(self, value: float):
        self.last = value

    def merge(self, later):
        self.last = later.last

    def terminate(self) -> float:
        return self.last


class ListIsNotCommutative(iw.Aggregate, commutative=True):
    def initialize(self, value: str):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def merge(self, later):
        self.values = self.values + later.values

    def terminate(self) -> list[str]:
        return list(self.values)


class MaxLosesTies(iw.WindowAggregate):
    """A queue of maxima that keeps one of two equal values; the expiring one takes the other with it."""

    def initialize(self, value: int):
        self.queue = [value]

    def iterate(self, value):
        while self.queue and self.queue[-1] <= value:
            self.queue.pop()
        self.queue.append(value)

    def expire(self, value):
        if self.queue[0] == value and len(self.queue) > 1:
            self.queue.pop(0)

    def terminate(self) -> int:
        return self.queue[0]


class ModeOfTies(iw.WindowAggregate):
    """Of ties the one that a Counter holds first, which is not the first of the window."""

    def initialize(self, value: str):
        self.counts = Counter([value])

    def iterate(self, value):
        self.counts[value] += 1

    def expire(self, value):
        self.counts[value] -= 1

    def terminate(self) -> str:
        return self.counts.most_common(1)[0][0]


class EmptyAfterAFilter(iw.Aggregate):
    """The mean of the positive values: where there are none it divides by nothing."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def iterate(self, value: float):
        if value > 0:
            self.total += value
            self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class ForgetsTheMaximum(iw.WindowAggregate):
    """The next tuple is compared with None."""

    def initialize(self, value: int):
        self.high = value

    def iterate(self, value):
        self.high = max(self.high, value)

    def expire(self, value):
        if value == self.high:
            self.high = None

    def terminate(self) -> int:
        return 0 if self.high is None else self.high


class RaisesAtTimes(Total):
    """Forgets to count down on every tuple, and takes not every value: the latter is to be mended first."""

    def iterate(self, value):
        if value == 99.875:
            raise ValueError(value)
        super().iterate(value)

    def expire(self, value):
        self.total -= value


class OrderOfASet(iw.Aggregate):
    def initialize(self, value: str):
        self.values = {value}

    def iterate(self, value):
        self.values.add(value)

    def merge(self, later):
        self.values = self.values | later.values

    def terminate(self) -> list[str]:
        return list(self.values)


class HashOfAText(iw.Aggregate):
    """A sketch by hash(): another one in each process."""

    def initialize(self, value: str):
        self.least = hash(value) % 1000

    def iterate(self, value):
        self.least = min(self.least, hash(value) % 1000)

    def merge(self, later):
        self.least = min(self.least, later.least)

    def terminate(self) -> int:
        return self.least


class ExpiresTheNewest(iw.WindowAggregate):
    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def expire(self, value):
        self.values.pop()

    def terminate(self) -> float:
        return self.values[0]


class MergeDrainsLater(iw.Aggregate):
    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def merge(self, later):
        while later.values:
            self.values.append(later.values.pop(0))

    def terminate(self) -> list[float]:
        return list(self.values)


class MergeKeepsLatersList(iw.Aggregate):
    """Holds on to a list of `later`, and goes on to append to it."""

    def initialize(self, value: str):
        self.values, self.runs = [value], []

    def iterate(self, value):
        self.values.append(value)

    def merge(self, later):
        self.runs = [*self.runs, self.values, *later.runs]
        self.values = later.values

    def terminate(self) -> str:
        return "".join(value for run in [*self.runs, self.values] for value in run)


class UnmergeIsShort(Total):
    def unmerge(self, earlier):
        self.total -= earlier.total
        self.count -= 1


class StateDoesNotPickle(iw.Aggregate):
    def iterate(self, value: float):
        if not hasattr(self, "lock"):
            self.lock, self.total = threading.Lock(), 0.0
        with self.lock:
            self.total += value

    def terminate(self) -> float:
        return self.total


class Chance(iw.Aggregate):
    """A sample of one, drawn from the module's random numbers."""

    def initialize(self, value: float):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        return random.choice(self.values) + random.random()


class ResultsAreNotTuples(iw.Aggregate, algebraic=True):
    """An average of averages."""

    def initialize(self, value: float):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Sum(iw.Aggregate):
    def initialize(self, value: float):
        self.total = value

    def iterate(self, value):
        self.total += value

    def terminate(self) -> float:
        return self.total


class BaseIsAnother(Total, base=Sum):
    """Averages, on a base that sums."""


class DeletesWhatItNeeds(iw.WindowAggregate):
    """Prunes the buffer of ties; what is pruned never expires, but was counted."""

    inwindow: iw.InWindow

    def iterate(self, value: float):
        self.count = getattr(self, "count", 0) + 1
        self.inwindow.delete(lambda record: record.value == value, keep_newest=True)

    def expire(self, value):
        self.count -= 1

    def terminate(self) -> int:
        return self.count


class MeanOfMedians:
    """A Spark Aggregator whose merge is not that of its reduce."""

    def zero(self):
        return (0.0, 0)

    def reduce(self, buffer, value: float):
        return (buffer[0] + (value or 0.0), buffer[1] + 1)

    def merge(self, a, b):
        return ((a[0] + b[0]) / 2, a[1] + b[1])

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None

    def outputType(self):
        return "double"


class ExpiresTheOldestAlone(iw.WindowAggregate, expire_any_order=True):
    """Its expire undoes the oldest tuple, whichever leaves."""

    def initialize(self, value: int):
        self.values = [value]

    def iterate(self, value):
        self.values = [*self.values, value]

    def expire(self, value):
        self.values = self.values[1:]

    def terminate(self) -> int:
        return max(self.values)


EXPIRE, MERGE, TERMINATE = "expire undoes iterate", "merge equals running on", "terminate changes nothing"
SHARE, AGAIN = "copies share nothing", "the same tuples give the same result"
BROKEN = {
    WrongInverseOfTheFirst: EXPIRE,
    ForgetsToCountDown: EXPIRE,
    ExpiresTheOldestAlone: "expire in any order",
    MergeDropsACount: MERGE,
    MergeCountsOne: MERGE,
    SharedList: SHARE,
    SharedCount: SHARE,
    TerminateDrains: TERMINATE,
    TerminateSorts: TERMINATE,
    TerminateDivides: TERMINATE,
    LastIsNotCommutative: "commutative is true",
    ListIsNotCommutative: "commutative is true",
    Drifts: EXPIRE,
    DriftsByDecay: EXPIRE,
    RunningMeanBackwards: EXPIRE,
    PoisonedByNaN: EXPIRE,
    PoisonedByOverflow: EXPIRE,
    PoisonedList: EXPIRE,
    MaxLosesTies: EXPIRE,
    ModeOfTies: EXPIRE,
    EmptyAfterAFilter: "hooks take every value",
    Saturates: EXPIRE,
    WrapsOnMerge: MERGE,
    WrapsLate: MERGE,
    LosesCents: EXPIRE,
    ForgetsTheMaximum: EXPIRE,
    RaisesAtTimes: "hooks take every value",
    OrderOfASet: AGAIN,
    HashOfAText: AGAIN,
    ExpiresTheNewest: EXPIRE,
    MergeDrainsLater: "merge leaves later alone",
    MergeKeepsLatersList: "merge leaves later alone",
    UnmergeIsShort: "unmerge undoes merge",
    StateDoesNotPickle: "the state survives pickling",
    Chance: AGAIN,
    ResultsAreNotTuples: "results are tuples",
    BaseIsAnother: "the base version agrees",
    DeletesWhatItNeeds: "every strategy gives the definition's result",
    MeanOfMedians: MERGE,
}
