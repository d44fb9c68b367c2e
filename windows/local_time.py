"""The clock of a zone, as extents read it: it never goes back, so that each local time begins at one instant.

::

    New York, 1 November 2026     05:00Z        06:00Z        07:00Z
    on the wall                   01:00 EDT     01:00 EST     02:00 EST
    as it is read                 01:00 ... 01:59:59.999999   02:00 ...      it stands still while an hour comes again

    8 March 2026                  06:00Z        07:00Z
    on the wall, and as read      01:00 EST     03:00 EDT      02:00 and 02:30 begin at 07:00Z, when they are skipped

So "from 01:00 until 02:00" is a run of instants on every day: two hours long when clocks go back. When they go forward, nothing
is from 02:00 until 03:00. Hours need not be read so where they are on one grid of instants before and after each change:
see :func:`steps_over_changes`.
"""

from datetime import timezone, tzinfo
from functools import lru_cache

import numpy as np

from inwindow.windows.clock import Clock
from inwindow.windows.order_key import Keys

_DAY = 86_400
_PERIOD = 3_653  # days of which changes are found at a time
_MODERN = (
    -62_091,
    47_482,
)  # the days from 1800 to 2099: before, zones have no changes; afterwards, no two within a week
_SINCE, _LONG = 0, 25_567  # days from 1970 to 2039: the years whose changes an exact grid must fit
_FAR = np.iinfo(np.int64).min


class LocalTime:
    """The readings of a zone's clock, as numbers of ``ticks`` a second since 1970-01-01 00:00 by that clock."""

    def __init__(self, zone: tzinfo, ticks: int) -> None:
        self.zone, self.ticks = zone, ticks

    def reading(self, instants: Keys) -> Keys:
        """The latest time that the clock has shown, at each instant."""
        if not len(instants):
            return instants
        since, offsets, shown = self._table(int(instants.min()), int(instants.max()))
        at = np.maximum(np.searchsorted(since, instants, side="right") - 1, 0)
        reading: Keys = np.maximum(instants + offsets[at], shown[at])
        return reading

    def first(self, readings: Keys) -> Keys:
        """The first instant at which the clock has come to each time, or beyond it."""
        if not len(readings):
            return readings
        since, offsets, shown = self._table(int(readings.min()), int(readings.max()))
        at = np.maximum(np.searchsorted(shown, readings - 1, side="right") - 1, 0)
        first: Keys = np.maximum(since[at], readings - offsets[at])
        return first

    def _table(self, low: int, high: int) -> tuple[Keys, Keys, Keys]:
        """From when on each offset holds, and the latest time that has been shown before; for instants and for readings."""
        day = _DAY * self.ticks
        first, last = (low // day - 3) // _PERIOD, (high // day + 3) // _PERIOD
        changes = [change for period in range(first, last + 1) for change in _changes(self.zone, period)]
        before = _offset(self.zone, first * _PERIOD)
        since, offsets, shown = [first * _PERIOD * day], [before * self.ticks], [_FAR]
        for second, offset in changes:
            since.append(second * self.ticks)
            shown.append(max(shown[-1], since[-1] + offsets[-1] - 1))
            offsets.append(offset * self.ticks)
        return np.array(since), np.array(offsets), np.array(shown)


def steps_over_changes(zone: tzinfo, step: int) -> int | None:
    """The offset of a grid of so many microseconds, if the zone's clock is on one such grid before and after all its changes.

    Then the steps of that grid are equally long, and an hour that comes twice is two steps. Judged by the years from 1970 on.

    >>> from zoneinfo import ZoneInfo
    >>> [steps_over_changes(ZoneInfo("America/New_York"), hours * 3_600_000_000) for hours in (1, 2)]
    [0, None]
    >>> steps_over_changes(ZoneInfo("Asia/Kolkata"), 3_600_000_000)
    1800000000
    """
    offsets = {offset * 1_000_000 % step for offset in _offsets(zone)}
    return offsets.pop() if len(offsets) == 1 else None


@lru_cache(64)
def _offsets(zone: tzinfo) -> frozenset[int]:
    if isinstance(zone, timezone):
        return frozenset([_offset(zone, 0)])
    return frozenset(_offset(zone, day) for day in range(_SINCE, _LONG))


@lru_cache(4096)
def _changes(zone: tzinfo, period: int) -> tuple[tuple[int, int], ...]:
    """The seconds of a period of days at which the offset changes, and the offsets from then on."""
    first, end = period * _PERIOD, (period + 1) * _PERIOD
    if isinstance(zone, timezone) or end <= _MODERN[0]:
        return ()
    clock, found = Clock(zone, 1), []
    step = 1 if first <= _MODERN[1] else 7
    days = [*range(first, end, step), end]
    before = clock.offset(first * _DAY)
    for day, following in zip(days, days[1:], strict=False):
        offset = clock.offset(following * _DAY)
        if offset != before:
            found.append((clock.change(day * _DAY, following * _DAY), offset))
            before = offset
    return tuple(found)


def _offset(zone: tzinfo, day: int) -> int:
    return Clock(zone, 1).offset(day * _DAY)
