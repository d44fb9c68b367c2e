"""What a watermark says of a frame: which tuples are decided, and which can still be seen.

A watermark w promises that no tuple with a time before w is still to come. For a tuple at t::

    RANGE .. CURRENT ROW       decided when w > t          all its peers have come
    RANGE .. d FOLLOWING       decided when w > t + d      so have all that its frame holds
    ROWS .. n FOLLOWING        decided when n more tuples of its partition have come (in order: when w has passed them)
    RANGE slots of s           decided when w or a later tuple lies in a later slot: only then is it known to be the last
    active expiration of T     has left when w > t + T

All of it is per partition: each of them is still open, so answers are positions, one per partition.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inwindow.windows.bounds import Framing, ScopeFraming
from inwindow.windows.interval import is_positive, negated
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Range, Rows, Scope, Window

_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Open:
    """Partitions side by side in one sequence, all of them open: the tuples [starts[i], ends[i]) have come so far."""

    sequence: Sequence
    starts: Positions
    ends: Positions
    keys: Keys  # the tuples' times; empty in arrival order
    key: OrderKey | None
    watermark: int | None  # None in arrival order

    def count(self, mask: npt.NDArray[np.bool_]) -> Positions:
        """How many tuples of each partition the mask holds."""
        return np.add.reduceat(mask, self.starts, dtype=np.int64) if len(self.starts) else self.starts

    def over(self, per_partition: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value per partition as one per tuple."""
        return np.repeat(per_partition, self.ends - self.starts)

    def before(self, times: Keys, watermark: int) -> npt.NDArray[np.bool_]:
        """Which times the watermark has passed; one that was moved beyond 64 bits it never will."""
        return (times < watermark) & (times != _LAST)


def decided(window: Window, framing: Framing, tuples: Open) -> Positions:
    """For each partition the position before which all frames, and all yields, are known."""
    frame, ready = window.frame, tuples.ends
    if isinstance(frame, Rows):
        if frame.upper is not None and frame.upper > 0:
            ready = np.maximum(tuples.ends - frame.upper, tuples.starts)
    elif isinstance(frame, Range) and frame.upper is not None and is_positive(frame.upper):
        assert tuples.key is not None and tuples.watermark is not None
        reach = tuples.key.moved(tuples.keys, frame.upper, lower=False, what="the frame's bound")
        ready = tuples.starts + tuples.count(tuples.before(reach, tuples.watermark))
    elif isinstance(frame, Scope) and frame.upper is not None:
        assert isinstance(framing, ScopeFraming) and tuples.watermark is not None
        ready = tuples.starts + tuples.count(framing.farthest(tuples.sequence) < tuples.watermark)
    if window.slides_by_values:
        ready = np.minimum(ready, _slots_ended(window, tuples))
    return ready


def _slots_ended(window: Window, tuples: Open) -> Positions:
    """All tuples but the newest, unless its slot has ended."""
    assert tuples.key is not None and tuples.watermark is not None
    newest = tuples.keys[tuples.ends - 1]
    slots = tuples.key.slots(np.append(newest, tuples.watermark), window.slide, window.origin)  # type: ignore[arg-type]
    return tuples.ends - np.asarray(slots[:-1] >= slots[-1], dtype=np.int64)


def left(window: Window, tuples: Open) -> Positions:
    """Under active expiration: for each partition the position before which all tuples have left."""
    frame = window.frame
    assert isinstance(frame, Range) and frame.lower is not None
    assert tuples.key is not None and tuples.watermark is not None
    times = tuples.key.moved(tuples.keys, negated(frame.lower), lower=True, what="the frame")
    return tuples.starts + tuples.count(tuples.before(times, tuples.watermark))


def first_seen(window: Window, framing: Framing, tuples: Open, ready: Positions) -> Positions:
    """For each partition the first tuple that a frame of the tuples from ``ready`` on, or of those to come, may hold."""
    frame = window.frame
    if window.is_unbounded_below:
        return tuples.starts
    if isinstance(frame, Rows):
        assert frame.lower is not None
        return np.clip(ready + min(frame.lower, 0), tuples.starts, tuples.ends)
    if isinstance(frame, Scope):
        # The functions never decrease: a frame to come starts no earlier than that of the newest tuple known.
        return _scope_start(framing, tuples, ready)
    assert isinstance(frame, Range) and frame.lower is not None
    assert tuples.key is not None and tuples.watermark is not None
    waiting = ready < tuples.ends
    earliest = np.full(len(ready), tuples.watermark, dtype=np.int64)
    earliest[waiting] = np.minimum(tuples.keys[ready[waiting]], tuples.watermark)
    lower = tuples.key.moved(earliest, frame.lower, lower=True, what="the frame's bound")
    return np.minimum(tuples.starts + tuples.count(tuples.keys < tuples.over(lower)), ready)


def _scope_start(framing: Framing, tuples: Open, ready: Positions) -> Positions:
    at = np.clip(ready, tuples.starts, tuples.ends - 1)
    start, _ = framing.bounds(tuples.sequence, at)
    return np.minimum(start, ready)
