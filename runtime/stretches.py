"""Hot keys of relations: a key with most of the rows is cut by time into stretches, which run in parallel.

::

    cuts of a hot key            |              |
    x  [1 --- 5)                 |              |         in stretch 1
    y        [3 ------------------- 9)          |         in 1 and 2: a row goes to every stretch that it reaches
    z                            |    [8 --- 10)          in 2

A pair belongs to the stretch in which the later of both begins, so no pair comes twice (a partitioning by Bouros and Mamoulis, VLDB
2017). Results of an aggregate or coalesce at a cut are joined afterwards (``runtime/stitching.py``). So results are right for any
cuts. A sample gives good cuts: an equal number of rows in each stretch, and few rows in two.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.optimizer.hot_keys import TASKS, LargeKey, large_keys, tasks_beside
from inwindow.optimizer.strategy import No
from inwindow.runtime.intervals import SINCE, UNTIL, Instants
from inwindow.windows.shards import Sampled
from inwindow.windows.spec import Order

_DOUBLED = 0.2  # this share of additional rows, in two stretches, is acceptable
_WORTH = 0.6  # where more are, a task has at most so much of what the key alone would be
_MOST = 64  # stretches per key: they make the plan longer

Bound: TypeAlias = pa.Scalar | None


@dataclass(frozen=True)
class HotInTime:
    """A key to be cut, and where."""

    hash: int
    shown: str
    share: float  # of the sampled rows
    cuts: tuple[pa.Scalar, ...]
    doubled: float  # the additional rows, as a share of the key's rows

    @property
    def count(self) -> int:
        """How many stretches."""
        return len(self.cuts) + 1


@dataclass(frozen=True)
class Stretches:
    """The keys to be cut, and the number of tasks for the others. Stretches are numbered across all keys, from 1."""

    keys: tuple[HotInTime, ...]
    others: int
    sampled: int

    @property
    def first_numbers(self) -> list[int]:
        """The number of each key's first stretch, and last the number after all stretches."""
        return np.cumsum([1, *(key.count for key in self.keys)]).tolist()

    @property
    def bounds(self) -> list[tuple[Bound, Bound]]:
        """The bounds of each stretch, by its number; 0 is a key that is not cut."""
        found: list[tuple[Bound, Bound]] = [(None, None)]
        for key in self.keys:
            found += zip((None, *key.cuts), (*key.cuts, None), strict=True)
        return found

    def describe(self) -> str:
        """The cuts in words, for explain.

        >>> cuts = (pa.scalar(5), pa.scalar(9))
        >>> Stretches((HotInTime(7, "host='a'", 0.9, cuts, 0.01),), 2, 1000).describe()
        "host='a': 90% of 1,000 sampled rows, cut by time into 3 stretches, 1.0% more rows"
        """
        return "; ".join(
            f"{key.shown or 'all rows'}: {key.share:.0%} of {self.sampled:,} sampled rows, cut by time into {key.count} stretches, "
            f"{key.doubled:.1%} more rows"
            for key in self.keys
        )


def stretches_of(sample: pa.Table, by: tuple[str, ...], cores: int) -> Stretches | No:
    """Find the keys to cut, from a sample with HASH (of the keys ``by``), these keys and both ends; ``cores`` tasks run at once."""
    if cores < 2:
        return No("one task runs at a time")
    if not len(sample):
        return No("the sample is empty")
    hot, largest = large_keys(sample, by, cores)
    if not hot:
        return No(f"the largest key has {largest:.1%} of {len(sample):,} sampled rows, which {cores} cores can bear")
    found: list[HotInTime] = []
    reasons = []
    for one in hot:
        key = _cut(one, cores)
        if isinstance(key, No):
            reasons.append(f"{one.shown or 'all rows'}: {key.reason}")
        else:
            found.append(key)
    if not found:
        return No("; ".join(reasons))
    return Stretches(tuple(found), tasks_beside([key.share for key in found], by, cores), len(sample))


def _cut(one: LargeKey, cores: int) -> HotInTime | No:
    """As many stretches as make even tasks; fewer where rows in two of them would be much of the work."""
    since, until = (one.rows[name].combine_chunks() for name in (SINCE, UNTIL))
    sampled = Sampled(since, Order(SINCE))
    doubled = 0.0
    for tasks in (TASKS * cores, 2 * cores, cores):
        borders = sampled.borders(min(max(2, round(one.share * tasks)), _MOST))
        if not borders:
            return No("too few different beginnings to cut between")
        edges = sampled.plain.take(pa.array(borders))
        key = HotInTime(one.hash, one.shown, one.share, tuple(edges), _doubled(since, until, edges))
        doubled = key.doubled
        if doubled <= _DOUBLED or (tasks == cores and (1 + doubled) / min(cores, key.count) <= _WORTH):
            return key
    return No(f"{doubled:.0%} more rows would be sent: they hold for too long for {cores} cores")


def _doubled(since: pa.Array, until: pa.Array, edges: pa.Array) -> float:
    """How many rows more there are, when each is in every stretch that it reaches."""
    instants = Instants.of(since.type, [since, until, edges])
    at = instants.keys(edges, 0)
    first = np.searchsorted(at, instants.keys(since, NEVER_BEGAN), side="right")
    last = np.searchsorted(at, instants.keys(until, FOR_EVER), side="right")
    return float((last - first).sum()) / len(since)
