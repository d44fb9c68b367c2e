"""The multiples of a distance that lie in intervals: where ``split`` cuts, and when ``rstream`` takes a snapshot."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.runtime.intervals import Intervals, Keys, Rows
from inwindow.temporal.relation import Relation
from inwindow.udaf.errors import DataError, UsageError
from inwindow.windows.interval import is_positive, size_of
from inwindow.windows.order_key import OrderKey


@dataclass(frozen=True)
class Grid:
    """Multiples of ``every``, counted from the epoch (or 0) or another ``origin``; ``between`` two of which time is looked at."""

    every: Any
    origin: Any = None
    between: tuple[Any, Any] = (None, None)

    def over(self, its: Relation, where: str) -> tuple[Intervals, int, int]:
        """The intervals between both bounds, the step, and the origin, in units of the ends."""
        key = OrderKey("since", its.instants.kind)
        size = size_of(self.every, f"{where}: every")
        if not is_positive(size):
            raise UsageError(f"{where}(every={self.every!r}): write a size > 0")
        step, origin = key.exact_distance(size, what=f"{where}: every"), int(key.origin(self.origin))
        if its.instants.ranked is not None or key.is_wide:
            raise UsageError(
                f"{where}: multiples of {self.every} are counted in 64 bits, and the validity, a {key.type}, or its values need "
                "more: cast it to a decimal of at most 18 digits, or filter such values out"
            )
        low, high = (None if end is None else int(key.value(end, what=f"{where}: between")) for end in self.between)
        intervals = its.intervals
        since = intervals.since if low is None else np.maximum(intervals.since, low)
        until = intervals.until if high is None else np.minimum(intervals.until, high)
        kept = since < until
        inside = Intervals(intervals.row[kept], intervals.group[kept], since[kept], until[kept])
        _check_finite(inside, where)
        return inside, int(step), origin


def check_between(between: Any, where: str) -> tuple[Any, Any]:
    """Two instants, or None for no bound."""
    if between is None:
        return None, None
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise UsageError(f"{where}(between={between!r}): write two instants, between=(first, last); None is no bound")
    return between[0], between[1]


def _check_finite(intervals: Intervals, where: str) -> None:
    for ends, stands_for, said, bound in (
        (intervals.since, NEVER_BEGAN, "has always held", "between=(first, None)"),
        (intervals.until, FOR_EVER, "holds for ever", "between=(None, last)"),
    ):
        if (ends == stands_for).any():
            row = int(intervals.row[np.argmax(ends == stands_for)])
            raise DataError(
                f"{where}: row {row} {said}, so it has no end of multiples: write {bound}, or filter it out"
            )


def multiples(intervals: Intervals, step: int, origin: int, *, after: bool) -> tuple[Rows, Keys]:
    """(position, multiple) of all multiples m with since <= m < until; ``after``: since < m < until."""
    low = intervals.since + (1 if after else 0)
    first = origin - (origin - low) // step * step  # the first multiple at or after it
    count = np.maximum(-((first - intervals.until) // step), 0)
    at = np.repeat(np.arange(len(intervals)), count)
    number = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
    return at, first[at] + number * step
