"""Aggregates with a state for every key. A state uses the numbers of its own key's tuples, because these never change.

::

    this batch's sequence       0  1  2 | 3  4  5  6 | ...        one partition after the other, held tuples first
    numbers in the partition    4  5  6 | 9 10 11 12              used in states

Hooks continue with all keys in one call of their driver, and so do kernels of numbers. There is a call for each key if a kernel
needs a mask or Python objects, or if hooks must undo tuples.
"""

from collections.abc import Sequence as Columns
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.native._plain import are_plain
from inwindow.optimizer.plan import Step
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.build import lane_of
from inwindow.runtime.guarded import Guarded
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
from inwindow.udaf.errors import StateError, UsageError
from inwindow.windows.frontier import Watermark
from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions, Sequence


@dataclass(frozen=True)
class Turn:
    """A micro-batch of a bucket: its tuples in order, one partition after the other."""

    frontier: Watermark
    batch: pa.RecordBatch
    which: Positions  # for each partition, its number among the remembered keys
    has_new: npt.NDArray[np.bool_]  # for each partition, whether it has new tuples

    def keys(self, memory: Memory, partitions: Positions) -> pa.Table:
        """The keys of some partitions, to be remembered."""
        return memory.keys_of(self.batch, self.frontier.starts[partitions])

    def counts(self, partitions: Positions) -> Positions:
        return self.frontier.sequence.own[self.frontier.ends[partitions] - 1] + 1


class KeyedLane:
    """A lane for one micro-batch, over columns of its own."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        self.step, self.key, self.every_row = step, key, every_row
        self.hidden: list[int] = []  # rows of the batch on which hooks have raised
        self.begin()

    def begin(self) -> None:
        """A lane that holds nothing."""
        self.buffer = Buffer()
        self.lane: Any = lane_of(self.step, self.buffer, self.key, every_row=self.every_row)

    def run(
        self, batch: pa.RecordBatch, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]
    ) -> tuple[list[Piece], Positions]:
        """Continue with these partitions; return their results, and the first tuple that each still needs.

        ``states`` has the state of each partition before the call (None for a new one), and after the call its new state.
        """
        if isinstance(self.lane, EmitLane) or self.lane.evaluator.resumes_at_once:
            self.buffer.append(batch)
            self.lane.arrive(frontier.sequence)
            resumed: tuple[list[Piece], Positions] = self.lane.resume(frontier, ready, keys, states)
            return resumed
        return self._one_by_one(batch, frontier, ready, keys, states)

    def run_carefully(
        self, batch: pa.RecordBatch, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]
    ) -> tuple[list[Piece], Positions]:
        """The same, once a hook has raised."""
        self.begin()
        if not isinstance(self.lane, EmitLane):
            return self._one_by_one(batch, frontier, ready, keys, states)
        emitter: Any = self.lane.emitter
        emitter.is_careful = True
        resumed = self.run(batch, frontier, ready, keys, states)
        self.hidden += emitter.guard.take_hidden()
        return resumed

    def _one_by_one(
        self, batch: pa.RecordBatch, frontier: Watermark, ready: Positions, keys: Positions, states: list[Any]
    ) -> tuple[list[Piece], Positions]:
        """Evaluate the frames [0, end) in the key's own numbers; then fold the tuples that all later frames contain."""
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
            if isinstance(evaluator, Guarded):
                self.hidden += [at + shift for at in evaluator.guard.take_hidden()]
            needs[index] = min(evaluator.keep_from(0) + shift, int(needs[index]))
            states[index] = evaluator.state()
        return pieces, needs

    def _hold(self, columns: list[Any], frontier: Watermark, key: int) -> None:
        """Hold the tuples of a single key, with its own numbers."""
        first, last = int(frontier.starts[key]), int(frontier.ends[key])
        for column, values in zip(self.buffer.columns.values(), columns, strict=True):
            name = "array" if isinstance(values, pa.Array) else "values" if isinstance(values, list) else "mask"
            setattr(column, name, values[first:last] if name != "array" else values.slice(first, last - first))
        self.buffer.base = first - int(frontier.shift[key])
        self.buffer.end = self.buffer.base + last - first

    @property
    def forgets(self) -> bool:
        """Whether the state can be forgotten: under active expiration a class with terminate starts again after an empty window."""
        return isinstance(self.lane, ExpirationLane) and self.step.is_blocking

    def classes(self) -> Classes:
        """The classes that a state may name."""
        return _classes_of(self.step)


def restated(contents: list[bytes | None], numbers: list[int], steps: Columns[Step]) -> list[bytes | None]:
    """Of the stored states of each key, those of some aggregates, in the order in which a changed query has them."""
    if not numbers:
        return [None] * len(contents)
    found = {name: one for step in steps for name, one in _classes_of(step).items()}
    trusts = any(step.implementation.aggregate is not None for step in steps)
    if not trusts and any(content is not None and not are_plain(content) for content in contents):
        raise StateError(
            "states in this checkpoint are pickled, as they hold what is no plain data, but the query has no class of yours any "
            "more, and reading a pickle can run any code: leave the aggregate of that class in the query, or begin anew from a new "
            "checkpoint"
        )
    states = states_from_bytes(contents, (lambda: found) if trusts else None)
    kept = [None if its is None else tuple(its[number] for number in numbers) for its in states]
    made = iter(
        states_to_bytes([its for its in kept if its is not None], lambda its: state_to_bytes(its, lambda: found))
    )
    return [None if its is None else next(made) for its in kept]


def _classes_of(step: Step) -> Classes:
    """The classes that a state may name."""
    return {} if step.implementation.aggregate is None else classes_of(step.prototype)


_ONE_KEY = Sequence(None, False)
_ONE_KEY.partition_starts = np.zeros(1, dtype=np.int64)


class States:
    """The states of a micro-batch's keys for several lanes: read from a memory, and written back."""

    def __init__(self, lanes: list[KeyedLane], memory: Memory, turn: Turn, ready: Positions) -> None:
        self.lanes, self.memory, self.turn, self.ready = lanes, memory, turn, ready
        frontier = turn.frontier
        self.keys = np.flatnonzero((ready > frontier.gone) | turn.has_new)
        self.needs = frontier.ends[self.keys].copy()
        self.before = self._read()
        self.after: list[list[Any]] = []

    def _read(self) -> list[tuple[Any, ...]]:
        """For each key, the state of each lane."""
        trusts = any(lane.step.implementation.aggregate is not None for lane in self.lanes)
        none = (None,) * len(self.lanes)
        with reading():
            stored = self.memory.states_of(self.turn.which[self.keys])
            found = states_from_bytes(stored, self._classes if trusts else None)
        return [none if its is None else its for its in found]

    def run(self, lane: KeyedLane) -> list[Piece]:
        """Continue with the next lane; return its results."""
        number = len(self.after)
        states = [its[number] for its in self.before]
        given = self.turn.batch, self.turn.frontier, self.ready, self.keys
        try:
            pieces, needs = lane.run(*given, states)
        except (HookRaised, Unfit):
            if lane.step.failures is None:
                raise
            states = [its[number] for its in self._read()]  # as they are stored: some have gone on
            pieces, needs = lane.run_carefully(*given, states)
        self.needs = np.minimum(self.needs, needs)
        self.after.append(states)
        return pieces

    def remember(self) -> Positions:
        """Keep the new states of all lanes; return for each partition the first tuple that is still needed."""
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
