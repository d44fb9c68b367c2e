"""Calendar days: the same local time in a zone, some days later. A day has 24 hours, except when clocks change.

::

    New York, March 2026     7th 12:00 EST   + 1 day = 8th 12:00 EDT     23 hours later
                             7th 02:30 EST   + 1 day = 8th 03:30 EDT     there is no 02:30 on the 8th

Offsets come from Python's zoneinfo, because Arrow's end with the year 2037. We ask for one offset per day, and search for the
change between two days with different offsets; everything else is arithmetic on whole arrays.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np

from inwindow.windows.order_key import Keys

_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -719_160, 2_932_890  # the first and the last day of Python's datetime, and one more


class Clock:
    """The clock of a zone, for instants that are int64 numbers of ``ticks`` a second since the epoch."""

    def __init__(self, zone: tzinfo, ticks: int) -> None:
        self.zone, self.ticks = zone, ticks

    def days_later(self, instants: Keys, days: int) -> Keys:
        """That many days later, by the rules of Java and Spark.

        A local time that the clocks skip is read with the offset from before the change. If a local time exists twice, it is
        the one with the tuple's own offset, else the earlier.
        """
        day = _DAY * self.ticks
        known = self._known(np.unique(instants // day), days)
        own = _at(known, instants)
        there = instants + own + days * day
        before, after = _at(known, there - day), _at(known, there + day)
        result = there - before
        for offset in (after, before, own):  # the last valid one wins
            result = np.where(_at(known, there - offset) == offset, there - offset, result)
        return result

    def _known(self, days: Keys, later: int) -> tuple[Keys, Keys]:
        """The offsets for tuples of these days, and from when on each holds, in ticks."""
        asked = np.unique(np.add.outer([0, 1, *range(later - 2, later + 4)], days))
        since: list[int] = []
        offsets: list[int] = []
        for one in asked.tolist():
            start, offset = one * _DAY, self.offset(one * _DAY)
            if offsets and offset != offsets[-1] and start - since[-1] <= _DAY:
                since.append(self.change(since[-1], start))
                offsets.append(offset)
            since.append(start)
            offsets.append(offset)
        return np.array(since) * self.ticks, np.array(offsets) * self.ticks

    def change(self, low: int, high: int) -> int:
        """The second at which the offset changes, of those in (low, high]."""
        before = self.offset(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.offset(middle) == before else (low, middle)
        return high

    def offset(self, second: int) -> int:
        """How many seconds the clock is ahead of UTC."""
        within = max(_FIRST * _DAY, min(second, _LAST * _DAY))
        offset: Any = (_EPOCH + timedelta(seconds=within)).astimezone(self.zone).utcoffset()
        return int(offset.total_seconds())


def _at(known: tuple[Keys, Keys], instants: Keys) -> Keys:
    since, offsets = known
    return offsets[np.maximum(np.searchsorted(since, instants, side="right") - 1, 0)]
