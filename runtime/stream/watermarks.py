"""The watermark of streams: for each the newest time that counts, minus its delay; of all the slowest.

::

    time      ------- newest ---- clock - idle ---- clock ---- clock + ahead ------------>
    tuples     o  o  o                                              x  counts for no watermark, and is late
    watermark of a stream = max(newest, clock - idle) - delay

``ahead`` and ``idle`` are optional. The clock is that of the micro-batch, so a micro-batch that runs again has the same watermark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval, Size, is_negative, is_positive, size_of
from inwindow.windows.order_key import PLAIN, Keys, OrderKey

BOUND = "inwindow.ahead"  # in the metadata of a time column of Spark's: microseconds


@dataclass(frozen=True)
class Watermark:
    """What moves the watermark of one stream."""

    delay: Size
    column: str | None = None  # the time; None: whatever the windows are ordered by
    ahead: Size | None = None  # a tuple further ahead of the clock does not move it
    idle: Size | None = None  # a stream that is silent for longer does not hold it back

    @classmethod
    def of(cls, column: Any, delay: Any, ahead: Any, idle: Any) -> "Watermark":
        """What a user wrote, checked."""
        if not isinstance(column, str):
            raise UsageError(f"with_watermark({shown(column)}): give the name of the time column, as in 'ts'")
        sizes = [
            None if size is None else size_of(size, f"with_watermark: {name}")
            for name, size in (("delay", delay), ("ahead", ahead), ("idle", idle))
        ]
        if sizes[0] is None or is_negative(sizes[0]):
            raise UsageError(
                f"with_watermark({column!r}, {shown(delay)}): a delay is how late tuples may come, as in '10 seconds', or 0"
            )
        for name, size, example in (("ahead", sizes[1], "'1 day'"), ("idle", sizes[2], "'10 minutes'")):
            if size is not None and not is_positive(size):
                raise UsageError(
                    f"with_watermark({name}={size}): give a time longer than 0, as in {name}={example}, or drop {name}="
                )
            if isinstance(size, Interval) and size.months:
                raise UsageError(f"with_watermark({name}={size}): months differ in length: give days, as in '30 days'")
        return cls(sizes[0], column, sizes[1], sizes[2])

    @property
    def needs_clock(self) -> bool:
        """Whether it depends on the time of the micro-batch."""
        return self.ahead is not None or self.idle is not None


class Slowest:
    """The watermark of several streams: None before each of them has one."""

    def __init__(self, key: OrderKey, marks: Sequence[Watermark]) -> None:
        self.key = key
        self.delays = [self._distance(mark.delay, "delay") for mark in marks]
        self.aheads = [None if mark.ahead is None else self._distance(mark.ahead, "ahead") for mark in marks]
        self.idles = [None if mark.idle is None else self._distance(mark.idle, "idle") for mark in marks]
        self.reached: dict[int, int] = {}

    def _distance(self, size: Size, name: str) -> int:
        return 0 if size == 0 else int(self.key.distance(size, up=True, what=f"replay: {name}"))

    def is_ahead(self, number: int, times: pa.ChunkedArray, clock: int | None) -> npt.NDArray[np.bool_] | None:
        """Which tuples of a stream are too far ahead of the clock; None if nothing is too far."""
        ahead = self.aheads[number]
        if ahead is None:
            return None
        assert clock is not None
        keys, is_time = self._read(times)
        return np.asarray(is_time & (keys > clock + ahead))

    def after(self, times: Mapping[int, pa.ChunkedArray], clock: int | None) -> int | None:
        """The watermark after tuples with these times, by stream."""
        for number, its in times.items():
            keys, counts = self._read(its)
            far = self.is_ahead(number, its, clock)
            keys = keys[counts if far is None else counts & ~far]
            newest = [int(keys.max())] if len(keys) else []
            idle = self.idles[number]
            if idle is not None:
                assert clock is not None
                newest.append(clock - idle)
            if newest:
                reached = max(newest) - self.delays[number]
                self.reached[number] = max(reached, self.reached.get(number, reached))
        return min(self.reached.values()) if len(self.reached) == len(self.delays) else None

    def _read(self, times: pa.ChunkedArray) -> tuple[Keys, npt.NDArray[np.bool_]]:
        times = times if times.type == self.key.type else times.cast(self.key.type)
        keys, side = self.key.read(times.combine_chunks())
        return keys, side == PLAIN
