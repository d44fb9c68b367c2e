"""A lane: one aggregate over one window, which advances as tuples arrive or as a watermark moves.

The lanes of a pass share the held sequence; each has its own position in it::

    held      [base .......................... end)
    lane a           decided ^cursor            frames that end at the current tuple: close behind the arrivals
    lane b    decided ^cursor                   frames with FOLLOWING wait

A lane emits pieces ``(at, values)``: results, each for the tuple at a position. A frontier (`windows/frontier.py`) says what is
decided. On batch data a lane keeps its state, partition after partition. On a stream it lives for one micro-batch: if the tuples of
the frame are held, it needs nothing else; otherwise it resumes the state of each key.
"""

from abc import ABC, abstractmethod
from collections import deque
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.hooks import HookEmitter
from inwindow.windows.bounds import Framing
from inwindow.windows.frontier import Answer, Arrival, Due, Frontier, View, Watermark
from inwindow.windows.sequence import OpenSequence, Positions, Sequence
from inwindow.windows.stateful import Stateful

Piece = tuple[Positions, pa.Array]
Resumed = tuple[list[Piece], Positions]  # results, and the first tuple that each key still needs


class Lane(Stateful, ABC):
    """Gives results in the order of their tuples; all before ``cursor`` are decided."""

    kept: ClassVar[tuple[str, ...]] = ("cursor", "pieces")

    def __init__(self, view: View, slides: bool) -> None:
        self.view, self.slides = view, slides
        self.cursor = 0
        self.pieces: deque[Piece] = deque()

    @abstractmethod
    def decided(self, frontier: Frontier[Answer]) -> Answer:
        """The position before which results can be given, for each open partition."""

    @abstractmethod
    def results(self, sequence: Sequence, due: Due) -> list[Piece]:
        """The results of the decided tuples, which are all held; no other state is used."""

    def arrive(self, sequence: Sequence) -> None:  # noqa: B027 - a choice, not a duty
        """New tuples are held."""

    @abstractmethod
    def advance(self, arrival: Arrival) -> None:
        """Evaluate the results that have become ready; called once per batch, and once more when the sequence has ended."""

    @property
    def framing(self) -> Framing:
        return self.view.framing

    @property
    @abstractmethod
    def keep_from(self) -> int:
        """The oldest position whose values are still needed."""

    @property
    @abstractmethod
    def keys_from(self) -> int:
        """The oldest position whose order key is still needed, to find the starts of later frames."""

    def give(self, at: Positions, values: pa.Array) -> None:
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


class FrameLane(Lane):
    """For a class with ``terminate``: a result per yield tuple, which is a function of its frame's contents."""

    kept: ClassVar[tuple[str, ...]] = ("cursor", "pieces", "next_start", "next_end", "evaluator", "framing")

    def __init__(self, view: View, evaluator: Evaluator, slides: bool) -> None:
        super().__init__(view, slides)
        self.evaluator = evaluator
        self.next_start = self.next_end = 0  # every later frame starts and ends at or after these

    def arrive(self, sequence: Sequence) -> None:
        self.evaluator.arrive(sequence)

    def decided(self, frontier: Frontier[Answer]) -> Answer:
        return frontier.decided(self.view, self.cursor)

    def results(self, sequence: Sequence, due: Due) -> list[Piece]:
        at = due.yields(self.view.slots, sequence)
        if not len(at):
            return []
        start, end = self.framing.bounds(sequence, at)
        return [(at, self.evaluator.roll(start, end))]

    def advance(self, arrival: Arrival) -> None:
        """Bounds of the yields that are ready, and their results; then look ahead."""
        sequence = arrival.sequence
        if not sequence.end:
            return
        self.arrive(sequence)
        ready = self.decided(arrival)
        if ready > self.cursor:
            self.pieces.extend(self.results(sequence, Due(self.cursor, ready)))
            self.cursor = ready
            self._look_ahead(arrival)
        if self.slides and not self.evaluator.evicts and not self.evaluator.moves:
            self._look_ahead(arrival)
            self.evaluator.absorb(self.next_start, self.next_end)

    def resume(self, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]) -> Resumed:
        """Continue growing frames, each key from its own state; afterwards ``states`` has the new states."""
        sequence = frontier.sequence
        _, end = self.framing.bounds(sequence, np.arange(sequence.end))
        out = frontier.due(ready).yields(self.view.slots, sequence)
        shift, gone, ready = frontier.shift[keys], frontier.gone[keys], ready[keys]
        # The yields of these partitions, one partition after the other; other partitions have none.
        first = np.append(np.searchsorted(out, gone), len(out))
        folded = np.array([0 if state is None else state[1] for state in states], dtype=np.int64) + shift
        grown = np.where(ready > gone, end[np.maximum(ready - 1, 0)], folded)
        inner = [None if state is None else state[2] for state in states]
        until, first, folded, grown, shift = (
            np.ascontiguousarray(bound, dtype=np.int64) for bound in (end[out], first, folded, grown, shift)
        )
        values = self.evaluator.resume(first, until, folded, grown, shift, inner)
        grown = np.maximum(grown, folded)
        states[:] = [(0, hi, its) for hi, its in zip((grown - shift).tolist(), inner, strict=True)]
        return ([(out, values)] if len(out) else []), np.minimum(grown, frontier.ends[keys])

    def _look_ahead(self, arrival: Arrival) -> None:
        self.next_start, self.next_end = arrival.needed(self.view, self.cursor) or (self.next_start, self.next_end)

    @property
    def keep_from(self) -> int:
        """The tuples that the evaluator must still undo, or has not folded yet."""
        return min(self.evaluator.keep_from(self.next_start), self.cursor)

    @property
    def keys_from(self) -> int:
        """The earliest start of a later frame; if starts do not move, no key is needed to find them."""
        return min(self.keep_from, self.next_start) if self.evaluator.moves else self.keep_from


class EmitLane(Lane):
    """For a class without ``terminate``: its hooks see every tuple come and go, and emit any number of results."""

    kept: ClassVar[tuple[str, ...]] = ("cursor", "pieces", "start", "last_seen", "emitter")

    def __init__(self, view: View, emitter: HookEmitter, slides: bool) -> None:
        super().__init__(view, slides)
        self.emitter = emitter
        self.start = 0
        self.last_seen = -1  # the newest tuple that a hook saw

    def decided(self, frontier: Frontier[Answer]) -> Answer:
        """Each tuple is decided at once, when it is known whether it yields."""
        return frontier.arrived(self.view)

    def results(self, sequence: Sequence, due: Due) -> list[Piece]:
        """Run the hooks over the new tuples; with a slide, keep only the results of yield tuples."""
        at = np.arange(due.first, due.last)
        start, _ = self.framing.bounds(sequence, at)
        given = self.emitter.roll(due.first, start, sequence.partitions(at)[0])
        yields = due.yields(self.view.slots, sequence)
        given = self._yielded(given, yields)
        if self.emitter.empty is not None:
            seen = self.emitter.last_seen(due.first, len(at), self.last_seen)
            self.last_seen = int(seen[-1])
            bare = yields[seen[yields - due.first] < start[yields - due.first]]
            given = with_empty_frames(given, bare, self.emitter.empty)
        self.start = int(start[-1])
        return [given]

    def _yielded(self, given: Piece, yields: Positions) -> Piece:
        if not self.slides:
            return given
        kept = np.isin(given[0], yields)
        return given[0][kept], given[1].filter(pa.array(kept))

    def advance(self, arrival: Arrival) -> None:
        ready = self.decided(arrival)
        if ready > self.cursor:
            for piece in self.results(arrival.sequence, Due(self.cursor, ready)):
                self.give(*piece)
            self.cursor = ready

    def resume(self, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]) -> Resumed:
        """Continue with these keys, each from its own state; afterwards ``states`` has the new states.

        A state is the emitter's state, the newest tuple that a hook saw, and the first tuple that it has not seen or still needs.
        """
        start, shift = self._starts(frontier.sequence), frontier.shift[keys]
        gone, last = frontier.gone[keys], ready[keys]
        emitters, seen, lows = _parts(states)
        spans = gone - shift, last - shift, np.full(len(keys), -1)
        given = self.emitter.resume(*spans, shift, start, emitters)
        if self.slides or self.emitter.empty is not None:
            yields = frontier.due(ready).yields(self.view.slots, frontier.sequence)
            given = self._yielded(given, yields)
            if self.emitter.empty is not None:
                before = np.full(len(frontier.starts), -1)
                before[keys] = seen + shift
                newest = self.emitter.seen_within(frontier.starts, frontier.gone, before)
                given = with_empty_frames(given, yields[newest[yields] < start[yields]], self.emitter.empty)
                seen = np.where(last > gone, newest[np.maximum(last - 1, 0)] - shift, seen)
        lows = np.where(last > gone, start[np.maximum(last - 1, 0)] - shift, lows)
        states[:] = zip(emitters, seen.tolist(), lows.tolist(), strict=True)
        lets_go = self.view.window.is_unbounded_below and not self.emitter.expires
        return ([given] if len(given[0]) else []), last if lets_go else lows + shift

    def _starts(self, sequence: OpenSequence) -> Positions:
        """Where frames begin. Without a lower bound this is the partition's first tuple, which need not be held."""
        at = np.arange(sequence.end)
        if self.view.window.is_unbounded_below:
            return at - sequence.own
        return self.framing.bounds(sequence, at)[0]

    @property
    def keep_from(self) -> int:
        """The start of the newest frame: each of its tuples will expire."""
        return self.start if self.emitter.expires else self.cursor

    @property
    def keys_from(self) -> int:
        return min(self.start, self.cursor)


class TumbleEmitLane(EmitLane):
    """For a class without ``terminate`` in a tumble: it restarts for each yield tuple's frame, and its last emissions count."""

    def results(self, sequence: Sequence, due: Due) -> list[Piece]:
        at = due.yields(self.view.slots, sequence)
        starts, _ = self.framing.bounds(sequence, at)
        pieces = []
        for yield_tuple, start in zip(at.tolist(), starts.tolist(), strict=True):
            count = yield_tuple + 1 - start
            restart = np.full(count, yield_tuple)  # each frame has another number, so the aggregate restarts
            owners, values = self.emitter.roll(start, np.full(count, start), restart)
            last = owners == yield_tuple
            owners, values = owners[last], values.filter(pa.array(last))
            if self.emitter.empty is not None and self.emitter.last_seen(start, count, -1)[-1] < start:
                owners, values = np.array([yield_tuple]), pa.array([self.emitter.empty], values.type)
            pieces.append((owners, values))
        newest, _ = self.framing.bounds(sequence, np.array([due.last - 1]))
        self.start = int(newest[0])
        return pieces

    @property
    def keep_from(self) -> int:
        return self.start


class ExpirationLane(EmitLane):
    """Active expiration: arrivals emit nothing; the result of ``expire`` belongs to the tuple that leaves."""

    def decided(self, frontier: Frontier[Answer]) -> Answer:
        """A tuple is decided once it has left: when a later time has come, or the input has ended."""
        return frontier.left(self.view)

    def advance(self, arrival: Arrival) -> None:
        """Show the arrived tuples to the hooks, and then those that leave, which are then decided."""
        sequence, arrived = arrival.sequence, self.start
        if sequence.end > arrived:
            at = np.arange(arrived, sequence.end)
            start, _ = self.framing.bounds(sequence, at)
            self.give(*self.emitter.roll(arrived, start, sequence.partitions(at)[0]))
            self.start = sequence.end
        if sequence.ended:
            self.give(*self.emitter.drain())
        if sequence.end:
            self.cursor = self.decided(arrival)

    def resume(self, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]) -> Resumed:
        """Show the new tuples to the hooks; then let the tuples leave whose time has come."""
        shift, last = frontier.shift[keys], ready[keys]
        emitters, seen, lows = _parts(states)
        ends = frontier.ends[keys] - shift
        given = self.emitter.resume(lows, ends, last - shift, shift, self._starts(frontier.sequence), emitters)
        if self.slides:
            given = self._yielded(given, frontier.due(ready).yields(self.view.slots, frontier.sequence))
        states[:] = zip(emitters, seen.tolist(), ends.tolist(), strict=True)
        return ([given] if len(given[0]) else []), last

    @property
    def keep_from(self) -> int:
        return self.cursor


def _parts(states: list[Any]) -> tuple[list[Any], Positions, Positions]:
    """The states of an emitting lane's keys, split into their parts; None is the state of a new key."""
    if not states:
        return [], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    emitters, seen, lows = zip(*[(None, -1, 0) if state is None else state for state in states], strict=True)
    return list(emitters), np.array(seen, dtype=np.int64), np.array(lows, dtype=np.int64)


def with_empty_frames(given: Piece, bare: Positions, empty: Any) -> Piece:
    """The results, with the class's ``empty`` value inserted for these yield tuples, in order."""
    owners, values = given
    at = np.concatenate([owners, bare])
    order = np.argsort(at, kind="stable")
    filled = pa.concat_arrays([values, pa.array([empty] * len(bare), values.type)])
    return at[order], filled.take(pa.array(order))
