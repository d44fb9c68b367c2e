"""The event times of a stream, from Spark's progress: the watermark, the newest time, and how far the one is behind the other.

::

    watermark 12:00:50 |-------- event lag 10 s --------| newest time 12:01:00
                         tuples of these times wait
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class EventTimes:
    """In seconds since 1970; None until there is one."""

    watermark: float | None = None
    newest: float | None = None  # of all micro-batches so far: one that is late as a whole does not take it back

    @classmethod
    def of(cls, progress: Iterable[Mapping[str, Any]]) -> "EventTimes":
        """After these micro-batches."""
        times = cls()
        for one in progress:
            times = times.after(one.get("eventTime") or {})
        return times

    def after(self, said: Mapping[str, str]) -> "EventTimes":
        """After one more micro-batch: what Spark says of its times."""
        watermark, newest = (_seconds(said.get(key)) for key in ("watermark", "max"))
        newest = max((time for time in (newest, self.newest) if time is not None), default=None)
        return EventTimes(self.watermark if watermark is None else watermark, newest)

    @property
    def lag(self) -> float | None:
        """The time of the tuples that wait, at most."""
        if self.watermark is None or self.newest is None:
            return None
        return max(self.newest - self.watermark, 0.0)


def seconds_since_1970(moment: str) -> float:
    """The number of a time as Spark writes it.

    >>> seconds_since_1970("2026-01-01T00:00:00.500Z")
    1767225600.5
    """
    return datetime.fromisoformat(moment).timestamp()


def _seconds(moment: str | None) -> float | None:
    """Before the first tuple Spark says 1970."""
    seconds = 0.0 if moment is None else seconds_since_1970(moment)
    return seconds if seconds > 0 else None
