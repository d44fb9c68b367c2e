"""Days of the calendar: the same time by the clock of a zone, days later. 24 hours each, but where clocks change.

::

    New York, March 2026     7th 12:00 EST   + 1 day = 8th 12:00 EDT     23 hours later
                             7th 02:30 EST   + 1 day = 8th 03:30 EDT     there is no 02:30 on the 8th

Offsets come from Python's zoneinfo: Arrow's end with the year 2037. They are asked for once a day, and between two days
that differ the change is looked for; all else is arithmetic on whole arrays.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np

from inwindow.windows.order_key import Keys

_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -719_160, 2_932_890  # days that Python's datetime has, and the day beside them


class Clock:
    """The clock of a zone, for instants that are int64 numbers of ``ticks`` a second since the epoch."""

    def __init__(self, zone: tzinfo, ticks: int) -> None:
        self.zone, self.ticks = zone, ticks

    def days_later(self, instants: Keys, days: int) -> Keys:
        """So many days later, as Java and Spark count.

        A time that clocks skip is taken by the clock of before; of two instants with one time it is the one at the
        tuple's own offset, else the earlier.
        """
        day = _DAY * self.ticks
        known = self._known(np.unique(instants // day), days)
        own = _at(known, instants)
        there = instants + own + days * day
        before, after = _at(known, there - day), _at(known, there + day)
        result = there - before
        for offset in (after, before, own):  # the last one that is valid is taken
            result = np.where(_at(known, there - offset) == offset, there - offset, result)
        return result

    def _known(self, days: Keys, later: int) -> tuple[Keys, Keys]:
        """From when on which offset holds, in ticks, for all that is asked about tuples of these days."""
        asked = np.unique(np.add.outer([0, 1, *range(later - 2, later + 4)], days))
        since: list[int] = []
        offsets: list[int] = []
        for one in asked.tolist():
            start, offset = one * _DAY, self._offset(one * _DAY)
            if offsets and offset != offsets[-1] and start - since[-1] <= _DAY:
                since.append(self._change(since[-1], start))
                offsets.append(offset)
            since.append(start)
            offsets.append(offset)
        return np.array(since) * self.ticks, np.array(offsets) * self.ticks

    def _change(self, low: int, high: int) -> int:
        """The second at which the offset changes, of those in (low, high]."""
        before = self._offset(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offset(middle) == before else (low, middle)
        return high

    def _offset(self, second: int) -> int:
        within = max(_FIRST * _DAY, min(second, _LAST * _DAY))
        offset: Any = (_EPOCH + timedelta(seconds=within)).astimezone(self.zone).utcoffset()
        return int(offset.total_seconds())


def _at(known: tuple[Keys, Keys], instants: Keys) -> Keys:
    since, offsets = known
    return offsets[np.maximum(np.searchsorted(since, instants, side="right") - 1, 0)]
