"""A lane: one aggregate over one window, in step with the tuples as they arrive.

Lanes of a pass share the held sequence; each has its own place in it::

    held      [base .......................... end)
    lane a           decided ^cursor            frames that end at the current tuple: close behind the arrivals
    lane b    decided ^cursor                   frames with FOLLOWING wait

A lane gives out pieces ``(at, values)``: results, each for the tuple at a position.
"""

from abc import ABC, abstractmethod
from collections import deque
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.hooks import HookEmitter
from inwindow.windows.bounds import Framing, RowsFraming
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.slots import RowSlots, Slots

Piece = tuple[Positions, pa.Array]


class Lane(ABC):
    """Results in the order of their tuples; all before ``cursor`` are decided."""

    def __init__(self) -> None:
        self.cursor = 0
        self.pieces: deque[Piece] = deque()

    @abstractmethod
    def advance(self, sequence: Sequence) -> None:
        """Evaluate what has become ready; called once per batch, and once more when the sequence has ended."""

    @property
    @abstractmethod
    def keep_from(self) -> int:
        """The oldest position whose values are still needed."""

    @property
    @abstractmethod
    def keys_from(self) -> int:
        """The oldest position whose order key is still needed, to find where frames to come start."""

    def give(self, at: Positions, values: pa.Array) -> None:
        """Put results out."""
        if len(at):
            self.pieces.append((at, values))

    def take(self, before: int) -> list[Piece]:
        """The results for the tuples before a position."""
        taken = []
        while self.pieces and self.pieces[0][0][0] < before:
            at, values = self.pieces.popleft()
            count = int(np.searchsorted(at, before))
            taken.append((at[:count], values.slice(0, count)))
            if count < len(at):
                self.pieces.appendleft((at[count:], values.slice(count)))
        return taken

    def state(self) -> Any:
        """What has been decided and not yet taken, to be pickled."""
        return self.cursor, list(self.pieces)

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.cursor, pieces = state
        self.pieces = deque(pieces)


class FrameLane(Lane):
    """A class with ``terminate``: a result per yield tuple, a function of its frame's contents."""

    def __init__(self, framing: Framing, slots: Slots, evaluator: Evaluator, slides: bool) -> None:
        super().__init__()
        self.framing, self.slots, self.evaluator, self.slides = framing, slots, evaluator, slides
        self.next_start = self.next_end = 0  # every frame to come starts and ends at or after these

    def advance(self, sequence: Sequence) -> None:
        """Bounds of the yields that are ready, and their results; then look ahead."""
        if not sequence.end:
            return
        self.evaluator.arrive(sequence)
        ready = min(self.framing.ready(sequence, self.cursor), self.slots.ready(sequence))
        if ready > self.cursor:
            at = self.slots.yields(sequence, self.cursor, ready)
            if len(at):
                start, end = self.framing.bounds(sequence, at)
                self.give(at, self.evaluator.roll(start, end))
            self.cursor = ready
            self._look_ahead(sequence)
        if self.slides and not self.evaluator.evicts and not self.evaluator.moves:
            self._look_ahead(sequence)
            self.evaluator.absorb(self.next_start, self.next_end)

    def _look_ahead(self, sequence: Sequence) -> None:
        if isinstance(self.framing, RowsFraming) and isinstance(self.slots, RowSlots):
            at = self.slots.next_yield(sequence, self.cursor)  # may not have arrived: arithmetic is enough
        elif self.cursor > sequence.base:
            at = self.cursor - 1
        else:
            return
        start, end = self.framing.bounds(sequence, np.array([at]))
        self.next_start, self.next_end = int(start[0]), int(end[0])

    @property
    def keep_from(self) -> int:
        """What the evaluator has folded and must undo, or has not folded yet."""
        return min(self.evaluator.keep_from(self.next_start), self.cursor)

    @property
    def keys_from(self) -> int:
        """Where no frame to come starts before; a start that does not move is known, whatever has been let go."""
        return min(self.keep_from, self.next_start) if self.evaluator.moves else self.keep_from

    def state(self) -> Any:
        """With the evaluator's state and the framing's memory."""
        memory = {name: getattr(self.framing, name) for name in self.framing.memory}
        return super().state(), self.next_start, self.next_end, self.evaluator.state(), memory

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        mine, self.next_start, self.next_end, evaluator, framing = state
        super().restore(mine)
        self.evaluator.restore(evaluator)
        vars(self.framing).update(framing)


class EmitLane(Lane):
    """A class without ``terminate``: its hooks see every tuple come and go, and give results as they like."""

    def __init__(self, framing: Framing, slots: Slots, emitter: HookEmitter, slides: bool) -> None:
        super().__init__()
        self.framing, self.slots, self.emitter, self.slides = framing, slots, emitter, slides
        self.start = 0
        self.last_seen = -1  # the newest tuple that a hook saw

    def advance(self, sequence: Sequence) -> None:
        """Run the hooks over the new tuples; with a slide, keep what the yield tuples gave."""
        ready = self.slots.ready(sequence)
        if ready <= self.cursor:
            return
        at = np.arange(self.cursor, ready)
        start, _ = self.framing.bounds(sequence, at)
        owners, values = self.emitter.roll(self.cursor, start, sequence.partitions(at)[0])
        yields = self.slots.yields(sequence, self.cursor, ready)
        if self.slides:
            given = np.isin(owners, yields)
            owners, values = owners[given], values.filter(pa.array(given))
        if self.emitter.empty is not None:
            owners, values = self._with_empty_frames(owners, values, yields, start)
        self.give(owners, values)
        self.cursor, self.start = ready, int(start[-1])

    def _with_empty_frames(
        self, owners: Positions, values: pa.Array, yields: Positions, start: Positions
    ) -> tuple[Positions, pa.Array]:
        """The emissions, and the class's ``empty`` value for yield tuples in whose frame no hook saw a tuple."""
        last_seen = self.emitter.last_seen(self.cursor, len(start), self.last_seen)
        self.last_seen = int(last_seen[-1])
        index = yields - self.cursor
        return with_empty_frames((owners, values), yields[last_seen[index] < start[index]], self.emitter.empty)

    @property
    def keep_from(self) -> int:
        """The tuples of the newest frame: each will expire."""
        return self.start if self.emitter.expires else self.cursor

    @property
    def keys_from(self) -> int:
        """The newest frame's start."""
        return min(self.start, self.cursor)

    def state(self) -> Any:
        """With the emitter's state."""
        return super().state(), self.start, self.last_seen, self.emitter.state()

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        mine, self.start, self.last_seen, emitter = state
        super().restore(mine)
        self.emitter.restore(emitter)


class TumbleEmitLane(EmitLane):
    """A class without ``terminate`` in a tumble: restarted for each yield tuple's frame; its last emissions count."""

    def advance(self, sequence: Sequence) -> None:
        """Fold each frame on its own."""
        ready = self.slots.ready(sequence)
        if ready <= self.cursor:
            return
        at = self.slots.yields(sequence, self.cursor, ready)
        starts, _ = self.framing.bounds(sequence, at)
        for yield_tuple, start in zip(at.tolist(), starts.tolist(), strict=True):
            count = yield_tuple + 1 - start
            restart = np.full(count, yield_tuple)  # no other frame has this number: the aggregate starts afresh
            owners, values = self.emitter.roll(start, np.full(count, start), restart)
            last = owners == yield_tuple
            owners, values = owners[last], values.filter(pa.array(last))
            if self.emitter.empty is not None and self.emitter.last_seen(start, count, -1)[-1] < start:
                owners, values = np.array([yield_tuple]), pa.array([self.emitter.empty], values.type)
            self.give(owners, values)
        bounds, _ = self.framing.bounds(sequence, np.array([ready - 1]))
        self.cursor, self.start = ready, int(bounds[0])

    @property
    def keep_from(self) -> int:
        """The tuples that the next yield may see."""
        return self.start


class ExpirationLane(EmitLane):
    """Active expiration: arrivals emit nothing; what ``expire`` gives belongs to the tuple that leaves."""

    def advance(self, sequence: Sequence) -> None:
        """A tuple is decided once it has left: when a later time has arrived, or time has run out."""
        arrived = self.start
        if sequence.end > arrived:
            at = np.arange(arrived, sequence.end)
            start, _ = self.framing.bounds(sequence, at)
            owners, values = self.emitter.roll(arrived, start, sequence.partitions(at)[0])
            self.give(owners, values)
            self.cursor, self.start = int(start[-1]), sequence.end
        if sequence.ended:
            self.give(*self.emitter.drain())
            self.cursor = sequence.end

    @property
    def keep_from(self) -> int:
        """The tuples that have not left."""
        return self.cursor


def with_empty_frames(given: Piece, bare: Positions, empty: Any) -> Piece:
    """What was given, and a class's ``empty`` value for these yield tuples, in order."""
    owners, values = given
    at = np.concatenate([owners, bare])
    order = np.argsort(at, kind="stable")
    filled = pa.concat_arrays([values, pa.array([empty] * len(bare), values.type)])
    return at[order], filled.take(pa.array(order))
