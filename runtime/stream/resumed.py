"""Aggregates with a state for every key, that go on in positions of their own key's tuples, which never change.

::

    this batch's sequence       0  1  2 | 3  4  5  6 | ...        partitions side by side, held tuples first
    numbers in the partition    4  5  6 | 9 10 11 12              what a resumed state speaks of
"""

from abc import abstractmethod
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Delta, HookRaised
from inwindow.optimizer.plan import Step
from inwindow.runtime.build import lane_of
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.held import Held
from inwindow.runtime.hooks import Arguments, HookEvaluator, Unfit
from inwindow.runtime.lanes import Piece
from inwindow.runtime.stream.road import Road, Turn
from inwindow.runtime.stream.stored import Classes, classes_of, state_from_bytes, state_to_bytes
from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions


class Resumed(Road):
    """An aggregate with a state for every key, that takes the key's tuples in the order of their numbers."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        super().__init__(step, key, every_row=every_row)
        self.held = Held()
        self.lane: Any = lane_of(step, self.held, key, every_row=every_row)
        self.fresh = state_to_bytes(self.state(), self.classes)
        self.columns: list[Any] = []

    @abstractmethod
    def state(self) -> Any:
        """The state of the key at hand."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Take the state of another key."""

    def classes(self) -> Classes:
        """Those that a state may name."""
        return {} if self.step.implementation.aggregate is None else classes_of(self.step.prototype)

    def fresh_state(self) -> Any:
        """That of a key which has had no tuple."""
        return state_from_bytes(self.fresh, self.classes)

    def open(self, turn: Turn) -> None:
        """Read the micro-batch's columns, to be cut by key."""
        self.columns = [source.read(turn.batch) for source in self.held.columns]
        self.start, self.end = self.bounds(turn)
        self.out = self.yields(turn)
        self.turn = turn

    def bounds(self, turn: Turn) -> tuple[Positions, Positions]:
        """Bounds of all tuples of the micro-batch."""
        at = np.arange(turn.tuples.sequence.end)
        start, end = self.framing().bounds(turn.tuples.sequence, at)
        # A frame without a lower bound begins at the partition's first tuple, which need not be held.
        return (at - turn.own if self.window.is_unbounded_below else start), end

    def at_key(self, first: int, last: int, state: Any) -> None:
        """Go on with the key whose tuples lie in [first, last)."""
        for column, values in zip(self.held.columns.values(), self.columns, strict=True):
            name = "array" if isinstance(values, pa.Array) else "values" if isinstance(values, list) else "mask"
            setattr(column, name, values[first:last] if name != "array" else values.slice(first, last - first))
        self.held.base = int(self.turn.own[first])
        self.held.end = self.held.base + last - first
        self.shift = first - self.held.base
        self.restore(self.fresh_state() if state is None else state)

    def read(self, arguments: Arguments) -> tuple[list[list[Any]], Any]:
        """The arguments of the whole micro-batch, and which tuples the hooks see."""
        its = dict(zip(map(id, self.held.columns.values()), self.columns, strict=True))
        seen = None if arguments.mask is None else its[id(arguments.mask)]
        return [its[id(column)] for column in arguments.columns], None if seen is None or seen.all() else seen

    def run_keys(self, turn: Turn, keys: Positions, states: list[Any]) -> tuple[list[Piece], Positions]:
        """Go on with these partitions; their results, and the first tuple that each still needs.

        ``states`` holds what each goes on from, None where it begins, and after the call what it will go on from.
        """
        self.open(turn)
        pieces, needs = [], np.zeros(len(keys), dtype=np.int64)
        for index, key in enumerate(keys.tolist()):
            first, last = int(turn.tuples.starts[key]), int(turn.tuples.ends[key])
            self.at_key(first, last, states[index])
            try:
                piece, needs[index] = self.advance(first, int(turn.gone[key]), int(turn.ready[key]), last)
            except (HookRaised, Unfit) as raised:
                raised.position += self.shift
                raise
            if piece is not None and len(piece[0]):
                pieces.append(piece)
            states[index] = self.state()
        return pieces, needs

    @abstractmethod
    def advance(self, first: int, gone: int, ready: int, last: int) -> tuple[Piece | None, int]:
        """The results of [gone, ready) of the key at hand, whose tuples are [first, last); and the first tuple it needs."""


class Growing(Resumed):
    """A frame whose lower bound never moves: what has been folded need not be held."""

    @property
    def evaluator(self) -> Evaluator:
        """The evaluator of a growing frame."""
        evaluator: Evaluator = self.lane.evaluator
        return evaluator

    def state(self) -> Any:
        """The evaluator's."""
        return self.evaluator.state()

    def restore(self, state: Any) -> None:
        """The evaluator's."""
        self.evaluator.restore(state)

    def run_keys(self, turn: Turn, keys: Positions, states: list[Any]) -> tuple[list[Piece], Positions]:
        """All keys in one call, where hooks run that take nothing back."""
        evaluator = self.evaluator
        if not isinstance(evaluator, HookEvaluator) or evaluator.evicts or not isinstance(evaluator.driver, Delta):
            return super().run_keys(turn, keys, states)
        self.open(turn)
        shift = (turn.tuples.starts - turn.own[turn.tuples.starts])[keys]
        gone, ready = turn.gone[keys], turn.ready[keys]
        # The yields of these partitions, one partition behind the other; those of others have none.
        first = np.append(np.searchsorted(self.out, gone), len(self.out))
        folded = np.array([0 if state is None else state[1] for state in states], dtype=np.int64) + shift
        grown = np.where(ready > gone, self.end[np.maximum(ready - 1, 0)], folded)
        drivers = [None if state is None else state[2] for state in states]
        ends = self.end[self.out]
        values = evaluator.answers.rolled(
            lambda: evaluator.driver.resume(
                *self.read(evaluator.arguments), *map(_contiguous, (first, ends, grown, shift)), drivers
            ),
            ends,
        )
        grown = np.maximum(grown, folded)
        states[:] = [(0, hi, driver) for hi, driver in zip((grown - shift).tolist(), drivers, strict=True)]
        return ([(self.out, values)] if len(self.out) else []), np.minimum(grown, turn.tuples.ends[keys])

    def advance(self, first: int, gone: int, ready: int, last: int) -> tuple[Piece | None, int]:
        """Frames [0, end) of the key's own numbers; then fold what no frame to come can leave out."""
        low, high = np.searchsorted(self.out, (gone, ready))
        at = self.out[low:high]
        self.evaluator.arrive(_OF_ONE_KEY)
        piece = None
        if len(at):
            piece = at, self.evaluator.roll(np.zeros(len(at), dtype=np.int64), self.end[at] - self.shift)
        if ready > gone:
            grown = int(self.end[ready - 1]) - self.shift
            if not self.evaluator.evicts and not self.evaluator.moves:
                self.evaluator.absorb(0, grown)
        return piece, min(self.evaluator.keep_from(0) + self.shift, last)


def _contiguous(bounds: Positions) -> Positions:
    return np.ascontiguousarray(bounds, dtype=np.int64)


class _OfOneKey:
    """The same for one key, in its own numbers."""

    def partitions(self, at: Positions) -> tuple[Positions, Positions]:
        """All begin at 0."""
        return np.zeros(len(at), dtype=np.int64), at


_OF_ONE_KEY: Any = _OfOneKey()
