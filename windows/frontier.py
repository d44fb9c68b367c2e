"""Which tuples are decided, and which tuples later frames may still need. Only here does a stream differ from batch data.

::

    arrival      p p p | q q q | r r ...        sorted, partition by partition: only the last is open, and none at the end
    watermark    p p p ... | q q ... | r r ...  one partition after the other, all of them open

By arrival a tuple is decided once a later one of its partition, or another partition, has come. A watermark w promises that no
tuple with a time before w is still to come. For a tuple at t::

    RANGE .. CURRENT ROW       decided when w > t          all its peers have arrived
    RANGE .. d FOLLOWING       decided when w > t + d      all tuples of its frame have arrived
    ROWS .. n FOLLOWING        decided when n more tuples of its partition have arrived, and w has passed them
    GROUPS .. n FOLLOWING      decided when tuples of n more times have arrived
    RANGE slots of s           decided when w or a later tuple lies in a later slot: then it is the last of its slot
    active expiration of T     has left when w > t + T

An extent [start, finish) is complete when w >= finish; a session when w > finish, because a tuple at its finish joins it.

The answers are positions, one for each open partition.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from inwindow.windows.bounds import Framing, RowsFraming, ScopeFraming
from inwindow.windows.extent_bounds import Extents, Numbered
from inwindow.windows.holes import whole_framing
from inwindow.windows.interval import is_positive, negated
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import OpenSequence, Positions, Sequence
from inwindow.windows.slots import RowSlots, Slots
from inwindow.windows.spec import Groups, Range, Rows, Scope, Window

Mask = npt.NDArray[np.bool_]
Answer = TypeVar("Answer", int, Positions, covariant=True)  # one answer for the only open partition, or one for each
_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class View:
    """The subject of a question to a frontier: a window, with its frames and slots in a sequence."""

    window: Window
    framing: Framing
    slots: Slots


@dataclass(frozen=True)
class Due:
    """The tuples that are decided now: the positions [first, last), or those of them in ``mask``."""

    first: int
    last: int
    mask: Mask | None = None

    @property
    def at(self) -> Positions:
        """Where they are."""
        return np.arange(self.first, self.last) if self.mask is None else self.first + np.flatnonzero(self.mask)

    def yields(self, slots: Slots, sequence: Sequence) -> Positions:
        """Those of them that yield."""
        at = slots.yields(sequence, self.first, self.last)
        return at if self.mask is None else at[self.mask[at - self.first]]


class Frontier(Protocol[Answer]):
    """How far the input, or time, has come."""

    def decided(self, view: View, cursor: int) -> Answer:
        """The position before which frames and yields are known; those before ``cursor`` were known already."""

    def arrived(self, view: View) -> Answer:
        """The same for frames that are known as soon as their tuple has arrived."""

    def left(self, view: View) -> Answer:
        """The position before which all tuples have left, under active expiration."""


class Arrival:
    """Batch data: decisions follow from the arrived tuples, and from the end of the input."""

    def __init__(self, sequence: Sequence) -> None:
        self.sequence = sequence

    def decided(self, view: View, cursor: int) -> int:
        """As far as the frames are complete, and the slots."""
        return min(self.arrived(view), view.framing.ready(self.sequence, cursor))

    def arrived(self, view: View) -> int:
        return view.slots.ready(self.sequence)

    def left(self, view: View) -> int:
        """The tuples outside of the newest tuple's frame; all have left when the input has ended."""
        sequence = self.sequence
        if sequence.ended:
            return sequence.end
        return int(view.framing.bounds(sequence, np.array([sequence.end - 1]))[0][0])

    def needed(self, view: View, cursor: int) -> tuple[int, int] | None:
        """The earliest start and end of the frames of tuples from ``cursor`` on, arrived or not; None: unchanged."""
        sequence, framing, slots = self.sequence, view.framing, view.slots
        if isinstance(framing, RowsFraming) and isinstance(slots, RowSlots):
            at = slots.next_yield(sequence, cursor)  # it may not have arrived; this needs only arithmetic
        elif cursor > sequence.base:
            at = cursor - 1
        else:
            return None
        start, end = framing.bounds(sequence, np.array([at]))
        return int(start[0]), int(end[0])


@dataclass(frozen=True)
class Watermark:
    """A stream: one partition after the other in a sequence, all of them open, with the tuples [starts[i], ends[i]) so far."""

    sequence: OpenSequence
    starts: Positions
    ends: Positions
    clock: OrderKey | None  # of the sequence's times; None in arrival order
    watermark: int | None
    gone: Positions  # tuples before this position have had their results

    def decided(self, view: View, cursor: int = 0) -> Positions:
        """The position before which, by the watermark, frames are complete and slots have ended."""
        window, ready = view.window, self.ends
        frame, keys = window.frame, self.sequence.times
        if isinstance(frame, Rows):
            if frame.upper is not None and frame.upper > 0:
                ready = np.maximum(self.ends - frame.upper, self.starts)
        elif isinstance(frame, Groups):
            assert frame.upper is not None
            groups = self.sequence.groups
            ready = self.starts + self.count(groups + max(frame.upper, 0) <= self.over(groups[self.ends - 1]))
        elif isinstance(frame, Range) and frame.upper is not None and is_positive(frame.upper):
            assert self.clock is not None
            reach = self.clock.moved(keys, frame.upper, lower=False, what="the frame's bound")
            ready = self.starts + self.count(self._passed(reach))
        elif isinstance(frame, Scope) and frame.upper is not None:
            framing = whole_framing(view.framing)
            assert isinstance(framing, ScopeFraming)
            ready = self.starts + self.count(framing.farthest(self.sequence) < self.watermark)
        return np.minimum(ready, self.arrived(view))

    def arrived(self, view: View) -> Positions:
        """All tuples but the newest, unless its slot has ended."""
        window, clock = view.window, self.clock
        if not window.slides_by_values:
            return self.ends
        assert clock is not None and self.watermark is not None
        newest = np.append(self.sequence.times[self.ends - 1], self.watermark)
        slots = clock.slots(newest, window.slide, window.origin)  # type: ignore[arg-type]
        return self.ends - np.asarray(slots[:-1] >= slots[-1], dtype=np.int64)

    def left(self, view: View) -> Positions:
        """The tuples whose time, moved by the frame, the watermark has passed."""
        frame = view.window.frame
        assert isinstance(frame, Range) and frame.lower is not None and self.clock is not None
        times = self.clock.moved(self.sequence.times, negated(frame.lower), lower=True, what="the frame")
        return self.starts + self.count(self._passed(times))

    def needed(self, view: View, ready: Positions) -> Positions:
        """The first tuple that may be in a frame of the tuples from ``ready`` on, or of later tuples."""
        window, frame = view.window, view.window.frame
        if window.is_unbounded_below:
            return self.starts
        if isinstance(frame, Rows):
            assert frame.lower is not None
            return np.clip(ready + min(frame.lower, 0), self.starts, self.ends)
        if isinstance(frame, Groups):
            assert frame.lower is not None
            groups = self.sequence.groups
            waiting = ready < self.ends  # where none waits, a tuple to come is of a group to come
            current = np.where(waiting, groups[np.minimum(ready, self.ends - 1)], groups[self.ends - 1] + 1)
            return np.minimum(self.starts + self.count(groups < self.over(current + min(frame.lower, 0))), ready)
        if isinstance(frame, Scope):
            # The functions never decrease, so later frames start no earlier than the frame of the newest known tuple.
            start, _ = view.framing.bounds(self.sequence, np.clip(ready, self.starts, self.ends - 1))
            return np.minimum(start, ready)
        clock, times = self.clock, self.sequence.times
        assert isinstance(frame, Range) and frame.lower is not None
        assert clock is not None and self.watermark is not None
        waiting = ready < self.ends
        earliest = np.full(len(ready), self.watermark, dtype=np.int64)
        earliest[waiting] = np.minimum(times[ready[waiting]], self.watermark)
        lower = clock.moved(earliest, frame.lower, lower=True, what="the frame's bound")
        return np.minimum(self.starts + self.count(times < self.over(lower)), ready)

    @cached_property
    def shift(self) -> Positions:
        """From the numbers in each partition to positions."""
        return self.starts - self.sequence.own[self.starts]

    def due(self, ready: Positions) -> Due:
        """The tuples before ``ready`` that have had no result."""
        at = np.arange(self.sequence.end)
        return Due(0, self.sequence.end, (at >= self.over(self.gone)) & (at < self.over(ready)))

    def count(self, mask: Mask) -> Positions:
        """How many tuples of each partition the mask holds."""
        return np.add.reduceat(mask, self.starts, dtype=np.int64) if len(self.starts) else self.starts

    def over(self, per_partition: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value per partition as one per tuple."""
        return np.repeat(per_partition, self.ends - self.starts)

    def _passed(self, times: Keys) -> Mask:
        """Which times the watermark has passed; it never passes a time that was moved beyond 64 bits."""
        passed: Mask = (times < self.watermark) & (times != _LAST)
        return passed


@dataclass(frozen=True)
class Closing:
    """A stream's extents: those that finish in (since, until] are due now, those that finish later are open.

    ``since`` and ``until`` are one key for all partitions, or one for each; ``since`` is None if no extent has been closed yet.
    """

    since: Any
    until: Any
    lingers: bool = False  # a tuple at the finish still joins: for sessions
    fresh: Mask | None = None  # the new tuples: extents that contain one are emitted early, and again later

    def over(self, order: Positions) -> "Closing":
        """For tuples in another order."""
        return self if self.fresh is None else replace(self, fresh=self.fresh[order])

    def is_open(self, extents: Extents, sequence: Sequence) -> Mask:
        """Which extents may still get tuples."""
        return self._finish_after(self.until, extents, sequence)

    def gives(self, extents: Extents, sequence: Sequence) -> Mask:
        """Which extents have a row now."""
        if self.fresh is None:
            given = ~self.is_open(extents, sequence)
        else:
            before = np.append(0, np.cumsum(self.fresh))
            given = before[extents.end] > before[extents.start]
        return given if self.since is None else given & self._finish_after(self.since, extents, sequence)

    def _finish_after(self, bound: Any, extents: Extents, sequence: Sequence) -> Mask:
        assert extents.finishes is not None
        if np.ndim(bound):  # one for each partition
            bound = bound[np.searchsorted(sequence.partition_starts, extents.start, side="right") - 1]
        after: Mask = extents.finishes >= bound if self.lingers else extents.finishes > bound
        return after


def due_and_open(framing: Numbered, keys: Keys, until: Any) -> tuple[Mask, Mask]:
    """Which tuples lie in an extent that finishes by ``until``, and which in one that finishes later.

    ``until`` is one key for all tuples, or one for each.
    """
    lowest, highest = framing.numbers(keys)
    within = lowest <= highest
    return within & (framing.interval(lowest)[1] <= until), within & (framing.interval(highest)[1] > until)
