"""Extents whose bounds are dates and times of a clock: months, and local days and hours (``timezone=``).

::

    tumble(size="1 day", timezone="America/New_York")       [1 Nov 00:00 EDT, 2 Nov 00:00 EST)     25 hours
    hop(size="2 months", every="1 month")                   [1 Jan, 1 Mar) [1 Feb, 1 Apr) ...
    cumulate(size="1 month", every="1 day")                 [1 Feb, 2 Feb) ... [1 Feb, 1 Mar)      28 of them, or 29

A tuple has a *reading*, the time by the clock (`local_time.py`); without a zone it is its own value. Extents are numbered by their
readings, and their bounds are the first instants of the readings where they start and end.
"""

import math
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.udaf.errors import UsageError
from inwindow.udaf.zones import zone_of
from inwindow.windows.clock import Clock
from inwindow.windows.extent_bounds import Extents, Numbered
from inwindow.windows.grid import floor_multiple, grid
from inwindow.windows.interval import MICROSECONDS, Interval, exact
from inwindow.windows.literals import TICKS
from inwindow.windows.local_time import LocalTime, steps_over_changes
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Cumulate, Hop, extent_name

_DAY = MICROSECONDS["day"]


class CalendarHops(Numbered):
    """Extent k starts at the k-th step from the origin, and ends a size later, by the clock."""

    def __init__(self, extent: Hop, key: OrderKey, clock: LocalTime | None) -> None:
        super().__init__()
        self.clock = clock
        self.origin = _origin(extent, key, clock)
        self.size = Steps(extent.size, self.origin, key, f"{extent_name(extent)}: size")
        self.steps = Steps(extent.every, self.origin, key, f"{extent_name(extent)}: every")
        self.has_holes = extent.size != extent.every
        self.reach = self.size.longest + self.steps.longest + 3 * self.steps.day
        self.per_tuple = math.ceil(self.size.longest / self.steps.shortest) + 1

    def numbers(self, keys: Keys) -> tuple[Any, Any]:
        readings = keys if self.clock is None else self.clock.reading(keys)
        highest = self.steps.floor(readings)
        if self.size == self.steps:
            return highest, highest
        lowest = self.steps.floor(add_months(readings, -self.size.months, self.size.day) - self.size.rest) + 1
        while (
            passed := self._end(lowest) <= readings
        ).any():  # the ends of months are not equally far from their starts
            lowest = lowest + passed
        while (missed := self._end(lowest - 1) > readings).any():
            lowest = lowest - missed
        return lowest, highest

    def interval(self, numbers: Any) -> tuple[Keys, Keys]:
        begins, finishes = self.steps.at(numbers), self._end(numbers)
        return (begins, finishes) if self.clock is None else (self.clock.first(begins), self.clock.first(finishes))

    def _end(self, numbers: Keys) -> Keys:
        """Months are added before days, and to the origin: none gets lost in a short month."""
        steps, size = self.steps, self.size
        return (
            add_months(steps.origin + numbers * steps.rest, numbers * steps.months + size.months, size.day) + size.rest
        )

    def panes(self, keys: Keys) -> Any:
        lowest, highest = self.numbers(keys)
        return lowest + highest


class CalendarCumulations(Numbered):
    """Extent k ends with the k-th step; it starts where the multiple of the size does that holds this step."""

    def __init__(self, extent: Cumulate, key: OrderKey, clock: LocalTime | None) -> None:
        super().__init__()
        self.clock = clock
        self.origin = _origin(extent, key, clock)
        self.whole = Steps(extent.size, self.origin, key, "cumulate: size")
        self.steps = Steps(extent.every, self.origin, key, "cumulate: every")
        self.reach = self.whole.longest + 3 * self.whole.day
        self.per_tuple = math.ceil(self.whole.longest / self.steps.shortest)

    def numbers(self, keys: Keys) -> tuple[Any, Any]:
        readings = keys if self.clock is None else self.clock.reading(keys)
        after = self.whole.at(self.whole.floor(readings) + 1)
        return self.steps.floor(readings), self.steps.floor(after) - 1

    def interval(self, numbers: Any) -> tuple[Keys, Keys]:
        begins, finishes = self.whole.at(self.whole.floor(self.steps.at(numbers))), self.steps.at(numbers + 1)
        return (begins, finishes) if self.clock is None else (self.clock.first(begins), self.clock.first(finishes))

    def introduce(self, sequence: Sequence, at: Positions) -> Extents | None:
        """A step that clocks skip adds nothing to the extent before it, and is no extent of its own."""
        found = super().introduce(sequence, at)
        if found is None or self.clock is None or not len(found.start):
            return found
        assert found.begins is not None and found.finishes is not None
        same = [column[1:] == column[:-1] for column in (found.start, found.begins, found.finishes)]
        return found.where(np.append(True, ~np.logical_and.reduce(same)))

    def panes(self, keys: Keys) -> Any:
        return self.numbers(keys)[0]


class Steps:
    """Steps from an origin: so many months, or so many units of the key."""

    def __init__(self, size: Any, origin: int, key: OrderKey, what: str) -> None:
        assert isinstance(size, Interval)
        if not (pa.types.is_date(key.type) or pa.types.is_timestamp(key.type)):
            raise UsageError(
                f"{what}={size}: months are for dates and timestamps, but the column {key.column!r} is of type {key.type}"
            )
        self.months, self.origin = size.months, origin
        self.day = 1 if pa.types.is_date(key.type) else TICKS[key.type.unit] * 86_400
        rest = Interval(0, size.microseconds)
        self.rest = 0 if rest.is_zero else int(key.exact_distance(rest, what=what))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Steps) and (self.months, self.rest) == (other.months, other.rest)

    __hash__ = None  # type: ignore[assignment]

    @property
    def longest(self) -> int:
        """A step's length at most."""
        return self.months * 31 * self.day + self.rest

    @property
    def shortest(self) -> int:
        """A step's length at least."""
        return self.months * 28 * self.day + self.rest

    def at(self, numbers: Keys) -> Keys:
        """Where steps start."""
        if not self.months:
            result: Keys = grid(numbers, self.rest, self.origin)
            return result
        return add_months(np.full_like(numbers, self.origin), numbers * self.months, self.day)

    def floor(self, readings: Keys) -> Keys:
        """The number of the step that holds each reading."""
        if not self.months:
            return floor_multiple(readings, self.rest, self.origin)
        number: Keys = (_month(readings, self.day) - _month(np.array([self.origin]), self.day)) // self.months
        return number - (self.at(number) > readings)  # the origin may be late in its month


def add_months(keys: Keys, months: Any, day: int) -> Keys:
    """The same day and time, months later, or the last day of the month; ``day`` is a day in units of the keys.

    >>> add_months(np.array([30, 31]), np.array([1, 1]), 1) - 31      # 31 January and 1 February 1970, in days
    array([27, 28])
    """
    if not np.any(months):
        return keys
    days = keys // day
    dates = days.astype("datetime64[D]")
    its = dates.astype("datetime64[M]")
    of_month = (dates - its.astype("datetime64[D]")).astype(np.int64)
    there = its + np.asarray(months).astype("timedelta64[M]")
    begin, after = (month.astype("datetime64[D]").astype(np.int64) for month in (there, there + np.timedelta64(1, "M")))
    result: Keys = (begin + np.minimum(of_month, after - begin - 1)) * day + (keys - days * day)
    return result


def _month(keys: Keys, day: int) -> Keys:
    months: Keys = (keys // day).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months


# Zones


def zoned_clock(extent: Hop | Cumulate, key: OrderKey) -> LocalTime | None:
    """The clock by which the extent is read; None without a zone."""
    if extent.timezone is None:
        return None
    its = f"{extent_name(extent)}(timezone={extent.timezone!r})"
    if not pa.types.is_timestamp(key.type):
        raise UsageError(
            f"{its} is for timestamps, but the column {key.column!r} is of type {key.type}: drop timezone="
        )
    if key.type.tz is None:
        raise UsageError(
            f"{its}: the times of the column {key.column!r} have no zone, so they are local already: drop timezone=, or cast the "
            "column to a timestamp with a zone"
        )
    return LocalTime(zone_of(extent.timezone), TICKS[key.type.unit])


def even_grid(extent: Hop | Cumulate) -> int | None:
    """The offset, in microseconds, of the grid of instants that is that of the zone's clock before and after all its changes.

    None if there is no such grid: for days, and for hours of which a change is not a whole multiple.
    """
    step = extent.size if isinstance(extent, Cumulate) else extent.every
    assert extent.timezone is not None and isinstance(step, Interval) and isinstance(extent.size, Interval)
    if max(exact(step), exact(extent.size)) >= _DAY:
        return None
    return steps_over_changes(zone_of(extent.timezone), step.microseconds)


def _origin(extent: Hop | Cumulate, key: OrderKey, clock: LocalTime | None) -> int:
    if clock is None:
        return int(key.origin(extent.origin))
    return local_origin(extent, key, clock)


def local_origin(extent: Hop | Cumulate, key: OrderKey, clock: LocalTime) -> int:
    """The reading of the origin: the first of January 1970, midnight, by the clock, unless given."""
    if extent.origin is None:
        return 0
    assert extent.timezone is not None
    at = OrderKey(key.column, key.type, zone=extent.timezone).origin(extent.origin)
    return int(at) + Clock(clock.zone, 1).offset(int(at) // clock.ticks) * clock.ticks
