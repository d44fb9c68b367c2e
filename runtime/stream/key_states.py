"""Aggregates with a state for every key: they go on in positions of their own key's tuples, which never change.

::

    this batch's sequence       0  1  2 | 3  4  5  6 | ...        partitions side by side, held tuples first
    numbers in the partition    4  5  6 | 9 10 11 12              what a state speaks of

Hooks go on with all keys in one call of their driver, and kernels of numbers in one call. Kernels that are given a mask beside
their values, or Python objects, and hooks that take something back, have a call for each key.
"""

from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.plan import Step
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.build import lane_of
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.lanes import EmitLane, ExpirationLane, FrameLane, Piece
from inwindow.runtime.sealed import reading
from inwindow.runtime.stream.key_memory import Memory
from inwindow.runtime.stream.storage import (
    Classes,
    classes_of,
    state_from_bytes,
    state_to_bytes,
    states_from_bytes,
    states_to_bytes,
)
from inwindow.udaf.errors import UsageError
from inwindow.windows.frontier import Watermark
from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions, Sequence


@dataclass(frozen=True)
class Turn:
    """A micro-batch on a bucket: the tuples in order, side by side."""

    frontier: Watermark
    batch: pa.RecordBatch
    which: Positions  # of each partition its number among the remembered keys
    has_new: npt.NDArray[np.bool_]  # whether tuples have come for it

    def keys(self, memory: Memory, partitions: Positions) -> pa.Table:
        """The keys of some partitions, to be remembered."""
        return memory.keys_of(self.batch, self.frontier.starts[partitions])

    def counts(self, partitions: Positions) -> Positions:
        return self.frontier.sequence.own[self.frontier.ends[partitions] - 1] + 1


class KeyedLane:
    """A lane for one micro-batch, over columns of its own."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        self.step, self.buffer = step, Buffer()
        self.lane: Any = lane_of(step, self.buffer, key, every_row=every_row)

    def run(
        self, batch: pa.RecordBatch, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]
    ) -> tuple[list[Piece], Positions]:
        """Go on with these partitions; their results, and the first tuple that each still needs.

        ``states`` holds what each goes on from, None where it begins, and after the call what it will go on from.
        """
        if isinstance(self.lane, EmitLane) or self.lane.evaluator.resumes_at_once:
            self.buffer.append(batch)
            resumed: tuple[list[Piece], Positions] = self.lane.resume(frontier, ready, keys, states)
            return resumed
        return self._one_by_one(batch, frontier, ready, keys, states)

    def _one_by_one(
        self, batch: pa.RecordBatch, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]
    ) -> tuple[list[Piece], Positions]:
        """Frames [0, end) of the key's own numbers; then fold what no frame to come can leave out."""
        lane: FrameLane = self.lane
        evaluator = lane.evaluator
        columns = [source.read(batch) for source in self.buffer.columns]
        _, end = lane.view.framing.bounds(frontier.sequence, np.arange(frontier.sequence.end))
        out = frontier.due(ready).yields(lane.view.slots, frontier.sequence)
        lows, highs = np.searchsorted(out, frontier.gone[keys]), np.searchsorted(out, ready[keys])
        fresh = state_to_bytes(evaluator.state(), self.classes)
        pieces, needs = [], frontier.ends[keys]
        for index, key in enumerate(keys.tolist()):
            self._hold(columns, frontier, key)
            evaluator.restore(state_from_bytes(fresh, self.classes) if states[index] is None else states[index])
            evaluator.arrive(_ONE_KEY)
            at, shift, last = out[lows[index] : highs[index]], int(frontier.shift[key]), int(ready[key])
            try:
                if len(at):
                    pieces.append((at, evaluator.roll(np.zeros(len(at), dtype=np.int64), end[at] - shift)))
                if last > frontier.gone[key] and not evaluator.evicts and not evaluator.moves:
                    evaluator.absorb(0, int(end[last - 1]) - shift)
            except (HookRaised, Unfit) as raised:
                raised.position += shift
                raise
            needs[index] = min(evaluator.keep_from(0) + shift, int(needs[index]))
            states[index] = evaluator.state()
        return pieces, needs

    def _hold(self, columns: list[Any], frontier: Watermark, key: int) -> None:
        """The tuples of one key alone, in its own numbers."""
        first, last = int(frontier.starts[key]), int(frontier.ends[key])
        for column, values in zip(self.buffer.columns.values(), columns, strict=True):
            name = "array" if isinstance(values, pa.Array) else "values" if isinstance(values, list) else "mask"
            setattr(column, name, values[first:last] if name != "array" else values.slice(first, last - first))
        self.buffer.base = first - int(frontier.shift[key])
        self.buffer.end = self.buffer.base + last - first

    @property
    def forgets(self) -> bool:
        """Under active expiration a class with terminate starts afresh when its window is empty: nothing is left to remember."""
        return isinstance(self.lane, ExpirationLane) and self.step.is_blocking

    def classes(self) -> Classes:
        """Those that a state may name."""
        return {} if self.step.implementation.aggregate is None else classes_of(self.step.prototype)


_ONE_KEY = Sequence(None, False)
_ONE_KEY.partition_starts = np.zeros(1, dtype=np.int64)


class States:
    """The states of a micro-batch's keys, of several lanes side by side: from a memory, and back to it."""

    def __init__(self, lanes: list[KeyedLane], memory: Memory, turn: Turn, ready: Positions) -> None:
        self.lanes, self.memory, self.turn, self.ready = lanes, memory, turn, ready
        frontier = turn.frontier
        self.keys = np.flatnonzero((ready > frontier.gone) | turn.has_new)
        self.needs = frontier.ends[self.keys].copy()
        trusts = any(lane.step.implementation.aggregate is not None for lane in lanes)
        none = (None,) * len(lanes)
        with reading():
            found = states_from_bytes(memory.states_of(turn.which[self.keys]), self._classes if trusts else None)
        self.before = [none if its is None else its for its in found]
        self.after: list[list[Any]] = []

    def run(self, lane: KeyedLane) -> list[Piece]:
        """Go on with the next lane; its results."""
        states = [its[len(self.after)] for its in self.before]
        pieces, needs = lane.run(self.turn.batch, self.turn.frontier, self.ready, self.keys, states)
        self.needs = np.minimum(self.needs, needs)
        self.after.append(states)
        return pieces

    def remember(self) -> Positions:
        """Keep the states that all lanes have come to; per partition the first tuple that is still needed."""
        frontier, keys = self.turn.frontier, self.keys
        keep = np.ones(len(keys), dtype=bool)
        if all(lane.forgets for lane in self.lanes):
            keep = self.needs < frontier.ends[keys]
        kept = list(compress(zip(*self.after, strict=True), keep.tolist()))
        which, shift = self.turn.which, frontier.shift
        need = self.memory.need_of(which) + shift
        need[keys] = self.needs
        counts = self.turn.counts(keys)
        stored = states_to_bytes(kept, self._to_bytes)
        self.memory.update(which[keys], self.turn.keys(self.memory, keys), counts, (need - shift)[keys], stored, keep)
        return need

    def _classes(self) -> Classes:
        return {name: one for lane in self.lanes for name, one in lane.classes().items()}

    def _to_bytes(self, states: tuple[Any, ...]) -> bytes:
        try:
            return state_to_bytes(states, self._classes)
        except Exception as error:
            lane = next(one for one, its in zip(self.lanes, states, strict=True) if not self._can_be_stored(its))
            raise UsageError(
                f"{lane.step.label} goes on from micro-batch to micro-batch, but its state cannot be stored "
                f"({type(error).__name__}: {error}): what is in self must be picklable; make connections, locks and open files "
                "where they are used"
            ) from None

    def _can_be_stored(self, state: Any) -> bool:
        try:
            state_to_bytes(state, self._classes)
        except Exception:
            return False
        return True
