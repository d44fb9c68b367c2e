"""Hooks that answer as tuples come and go, on a stream: each key goes on from its own aggregate."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.held import concat
from inwindow.runtime.hooks import HookEmitter
from inwindow.runtime.lanes import Piece, with_empty_frames
from inwindow.runtime.stream.resumed import Resumed
from inwindow.runtime.stream.road import Turn
from inwindow.windows.sequence import Positions
from inwindow.windows.watermark import Open, first_seen, left


class Emitting(Resumed):
    """Hooks that answer as tuples come and go."""

    last_seen = -1  # the newest tuple that a hook saw, in the key's own numbers
    low = 0  # where the newest frame starts, or (active expiration) the first tuple that no hook has seen

    @property
    def emitter(self) -> HookEmitter:
        """The emitter of the lane."""
        emitter: HookEmitter = self.lane.emitter
        return emitter

    def state(self) -> Any:
        """The emitter's, and the newest tuple that a hook saw."""
        return self.emitter.state(), self.last_seen, self.low

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        emitter, self.last_seen, self.low = state
        self.emitter.restore(emitter)

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
        return with_empty_frames((owners, values), bare, self.emitter.empty)

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
            self.restore(self.fresh_state())
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
