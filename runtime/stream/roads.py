"""The two ways in which an aggregate goes on from one micro-batch to the next (see ``optimizer/stream.py``).

A *refolded* one is evaluated for all keys in one call, over tuples that are held; a *resumed* one key by key, in positions of
its own key's tuples, which never change::

    this batch's sequence       0  1  2 | 3  4  5  6 | ...        partitions side by side, held tuples first
    numbers in the partition    4  5  6 | 9 10 11 12              what a resumed state speaks of
"""

import pickle
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._hooks import Delta, HookRaised
from inwindow.optimizer.plan import Step
from inwindow.optimizer.stream import resumes
from inwindow.runtime.build import evaluator_of, lane_of
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.held import Held, concat
from inwindow.runtime.hooks import Arguments, HookEmitter, HookEvaluator, Unfit
from inwindow.runtime.lanes import EmitLane, ExpirationLane, FrameLane, Piece
from inwindow.windows.bounds import Framing, framing_of
from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions
from inwindow.windows.watermark import Open, decided, first_seen, left

Mask = npt.NDArray[np.bool_]


@dataclass
class Turn:
    """A micro-batch on a bucket: the tuples side by side, and which of them have already gone out."""

    tuples: Open
    batch: pa.RecordBatch
    own: Positions  # each tuple's number in its partition
    gone: Positions  # per partition: tuples before this position have gone out
    ready: Positions  # per partition: tuples before this one go out now


class Road:
    """One aggregate over one window, from micro-batch to micro-batch."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        assert step.case.window is not None
        self.step, self.window = step, step.case.window
        self.key, self.every_row = key, every_row

    def framing(self) -> Framing:
        """For one micro-batch: positions begin anew in each."""
        return framing_of(self.window.frame, self.key)

    def ready(self, tuples: Open) -> Positions:
        """Per partition, the position before which all is decided."""
        return decided(self.window, self.framing(), tuples)

    def yields(self, turn: Turn) -> Positions:
        """The yield tuples among those that go out."""
        tuples = turn.tuples
        at = np.arange(tuples.sequence.end)
        out = (at >= tuples.over(turn.gone)) & (at < tuples.over(turn.ready))
        return at[out & self._yielding(turn)]

    def _yielding(self, turn: Turn) -> Mask | Any:
        window, tuples = self.window, turn.tuples
        if window.slide is None:
            return True
        if window.slides_by_rows:
            return turn.own % int(window.slide) == int(window.slide) - 1  # type: ignore[arg-type]
        assert tuples.key is not None
        slot = tuples.key.slots(tuples.keys, window.slide, window.origin)
        last = np.ones(len(slot), dtype=bool)
        last[:-1] = np.asarray(slot[1:] != slot[:-1], dtype=bool)
        last[tuples.ends - 1] = True
        return last


def road_of(step: Step, key: OrderKey | None, *, every_row: bool) -> Road:
    """The way of a step; ``every_row`` where also a tuple that emits nothing has a row."""
    kind: type[Road] = Refolded
    if resumes(step):
        window = step.case.window
        kind = Restarted if step.strategy == "tumble" else Emitting
        if window is not None and window.active_expiration:
            kind = Expiring
        elif step.is_blocking:
            kind = Growing
    return kind(step, key, every_row=every_row)


class Refolded(Road):
    """A function of its frame, whose tuples are held: one call for all keys, from fresh state."""

    def run(self, turn: Turn) -> list[Piece]:
        """The results of the tuples that go out, ``(at, values)``, in positions of this micro-batch."""
        at = self.yields(turn)
        if not len(at):
            return []
        held = Held()
        evaluator = evaluator_of(self.step, held, None)
        held.append(turn.batch)
        evaluator.arrive(_Numbered(turn.own))  # type: ignore[arg-type]
        start, end = self.framing().bounds(turn.tuples.sequence, at)
        return [(at, evaluator.roll(start, end))]

    def keep_from(self, turn: Turn) -> Positions:
        """Per partition, the first tuple that a frame to come may hold."""
        return first_seen(self.window, self.framing(), turn.tuples, turn.ready)


class Resumed(Road):
    """An aggregate with a state for every key, that takes the key's tuples in the order of their numbers."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        super().__init__(step, key, every_row=every_row)
        self.held = Held()
        self.make()
        self.fresh = pickle.dumps(self.state(), pickle.HIGHEST_PROTOCOL)
        self.columns: list[Any] = []

    @abstractmethod
    def make(self) -> None:
        """What runs, over ``self.held``."""

    @abstractmethod
    def state(self) -> Any:
        """The state of the key at hand."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Take the state of another key."""

    def open(self, turn: Turn) -> None:
        """Read the micro-batch's columns, to be cut by key."""
        self.columns = [source.read(turn.batch) for source in self.held.columns]
        self.start, self.end = self.bounds(turn)
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
        self.restore(pickle.loads(self.fresh) if state is None else state)

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

    def make(self) -> None:
        """The evaluator of a growing frame."""
        lane = lane_of(self.step, self.held, self.key, every_row=self.every_row)
        assert isinstance(lane, FrameLane)
        self.evaluator: Evaluator = lane.evaluator

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

    def open(self, turn: Turn) -> None:
        """With the yields."""
        super().open(turn)
        self.out = self.yields(turn)

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


class Emitting(Resumed):
    """Hooks that answer as tuples come and go."""

    last_seen = -1  # the newest tuple that a hook saw, in the key's own numbers
    low = 0  # where the newest frame starts, or (active expiration) the first tuple that no hook has seen

    def make(self) -> None:
        """The emitter of the lane."""
        lane = lane_of(self.step, self.held, self.key, every_row=self.every_row)
        assert isinstance(lane, EmitLane)
        self.emitter: HookEmitter = lane.emitter

    def state(self) -> Any:
        """The emitter's, and the newest tuple that a hook saw."""
        return self.emitter.state(), self.last_seen, self.low

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        emitter, self.last_seen, self.low = state
        self.emitter.restore(emitter)

    def open(self, turn: Turn) -> None:
        """With the yields."""
        super().open(turn)
        self.out = self.yields(turn)

    def advance(self, first: int, gone: int, ready: int, last: int) -> tuple[Piece | None, int]:
        """Run the hooks over [gone, ready); with a slide, keep what the yield tuples gave."""
        if ready <= gone:
            return None, self._kept(ready)
        at = np.arange(gone, ready)
        start = self.start[gone:ready] - self.shift
        owners, values = self.emitter.roll(gone - self.shift, start, np.zeros(len(at), dtype=np.int64))
        owners = owners + self.shift
        if self.window.slide is not None:
            given = np.isin(owners, self.out)
            owners, values = owners[given], values.filter(pa.array(given))
        if self.emitter.empty is not None:
            owners, values = self._with_empty(owners, values, gone, ready)
        self.low = int(start[-1])
        return (owners, values), self._kept(ready)

    def run_keys(self, turn: Turn, keys: Positions, states: list[Any]) -> tuple[list[Piece], Positions]:
        """All keys in one call of the driver, unless a tuple that no hook saw has a result, too."""
        if self.emitter.empty is not None:
            return super().run_keys(turn, keys, states)
        self.open(turn)
        shift = (turn.tuples.starts - turn.own[turn.tuples.starts])[keys]
        lows = np.array([0 if state is None else state[2] for state in states], dtype=np.int64)
        emitters = [None if state is None else state[0] for state in states]
        low, last, until = self.spans(turn, keys, lows, shift)
        owners, values = self.emitter.resume(
            self.read(self.emitter.arguments), low, last, until, shift, self.start, emitters
        )
        if self.window.slide is not None:
            given = np.isin(owners, self.out)
            owners, values = owners[given], values.filter(pa.array(given))
        lows = self.lows(turn, keys, lows, shift)
        states[:] = [(emitter, -1, low) for emitter, low in zip(emitters, lows.tolist(), strict=True)]
        return ([(owners, values)] if len(owners) else []), self.needs(turn, keys, lows, shift)

    def spans(
        self, turn: Turn, keys: Positions, lows: Positions, shift: Positions
    ) -> tuple[Positions, Positions, Positions]:
        """In each key's own numbers: the tuples that come, from, to; and before which tuples leave (-1: with those that come)."""
        return turn.gone[keys] - shift, turn.ready[keys] - shift, np.full(len(keys), -1)

    def lows(self, turn: Turn, keys: Positions, lows: Positions, shift: Positions) -> Positions:
        """The start of each key's newest frame, in its own numbers."""
        ready = turn.ready[keys]
        ran = ready > turn.gone[keys]
        return np.where(ran, self.start[np.maximum(ready - 1, 0)] - shift, lows)

    def needs(self, turn: Turn, keys: Positions, lows: Positions, shift: Positions) -> Positions:
        """The first tuple that each key still needs."""
        return turn.ready[keys] if self.window.is_unbounded_below and not self.emitter.expires else lows + shift

    def _with_empty(self, owners: Positions, values: pa.Array, gone: int, ready: int) -> Piece:
        seen = self.emitter.last_seen(gone - self.shift, ready - gone, self.last_seen)
        self.last_seen = int(seen[-1])
        low, high = np.searchsorted(self.out, (gone, ready))
        mine = self.out[low:high]
        bare = mine[seen[mine - gone] < self.start[mine] - self.shift]
        at = np.concatenate([owners, bare])
        order = np.argsort(at, kind="stable")
        filled = pa.concat_arrays([values, pa.array([self.emitter.empty] * len(bare), values.type)])
        return at[order], filled.take(pa.array(order))

    def _kept(self, ready: int) -> int:
        return ready if self.window.is_unbounded_below and not self.emitter.expires else self.low + self.shift


class Restarted(Emitting):
    """Hooks that start afresh for every yield tuple's frame: a tumble of a class without terminate."""

    def run_keys(self, turn: Turn, keys: Positions, states: list[Any]) -> tuple[list[Piece], Positions]:
        """Key by key."""
        return Resumed.run_keys(self, turn, keys, states)

    def advance(self, first: int, gone: int, ready: int, last: int) -> tuple[Piece | None, int]:
        """Fold each frame on its own; its last emissions count."""
        low, high = np.searchsorted(self.out, (gone, ready))
        pieces: list[Piece] = []
        for yield_tuple in self.out[low:high].tolist():
            start, own = int(self.start[yield_tuple]) - self.shift, yield_tuple - self.shift
            count = own + 1 - start
            self.restore(pickle.loads(self.fresh))
            owners, values = self.emitter.roll(start, np.full(count, start), np.full(count, own))
            last_ones = owners == own
            owners, values = owners[last_ones], values.filter(pa.array(last_ones))
            if self.emitter.empty is not None and self.emitter.last_seen(start, count, -1)[-1] < start:
                owners, values = np.array([own]), pa.array([self.emitter.empty], values.type)
            pieces.append((owners + self.shift, values))
        seen = self.kept_from[np.searchsorted(self.turn.tuples.starts, first)]
        if not pieces:
            return None, int(seen)
        at = np.concatenate([at for at, _ in pieces])
        return (at, concat([values for _, values in pieces], pieces[0][1].type)), int(seen)

    def open(self, turn: Turn) -> None:
        """With what frames to come may hold."""
        super().open(turn)
        self.kept_from = first_seen(self.window, self.framing(), turn.tuples, turn.ready)


class Expiring(Emitting):
    """Active expiration: what ``expire`` gives goes out when the watermark has passed the tuple's time to leave."""

    def ready(self, tuples: Open) -> Positions:
        """Tuples go out when they have left."""
        return left(self.window, tuples)

    def make(self) -> None:
        """The emitter of the lane."""
        lane = lane_of(self.step, self.held, self.key, every_row=self.every_row)
        assert isinstance(lane, ExpirationLane)
        self.emitter = lane.emitter

    def spans(
        self, turn: Turn, keys: Positions, lows: Positions, shift: Positions
    ) -> tuple[Positions, Positions, Positions]:
        """The tuples that have come since ``low``; then those leave whose time has come."""
        return lows, turn.tuples.ends[keys] - shift, turn.ready[keys] - shift

    def lows(self, turn: Turn, keys: Positions, lows: Positions, shift: Positions) -> Positions:
        """The hooks have seen all tuples."""
        return turn.tuples.ends[keys] - shift

    def needs(self, turn: Turn, keys: Positions, lows: Positions, shift: Positions) -> Positions:
        """The tuples that have not left."""
        return turn.ready[keys]

    @property
    def forgets(self) -> bool:
        """A class with terminate starts afresh when its window is empty: nothing is left to remember."""
        return self.step.is_blocking


def _contiguous(bounds: Positions) -> Positions:
    return np.ascontiguousarray(bounds, dtype=np.int64)


class _Numbered:
    """For kernels that want tuples' numbers in their partitions: known, though the partition's beginning is not held."""

    def __init__(self, own: Positions) -> None:
        self.own = own

    def partitions(self, at: Positions) -> tuple[Positions, Positions]:
        """Where the partitions would begin."""
        return at - self.own[at], at


class _OfOneKey:
    """The same for one key, in its own numbers."""

    def partitions(self, at: Positions) -> tuple[Positions, Positions]:
        """All begin at 0."""
        return np.zeros(len(at), dtype=np.int64), at


_OF_ONE_KEY: Any = _OfOneKey()
