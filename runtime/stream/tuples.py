"""A bucket that gives rows for tuples: every tuple (with_columns), or yields, emissions and expirations (select).

A micro-batch is one sequence: partition beside partition, in each the held tuples and behind them the ripe ones.
"""

from collections.abc import Sequence as Columns
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.levels import Level
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.stream import counts
from inwindow.runtime.held import Held, concat
from inwindow.runtime.lanes import Piece
from inwindow.runtime.operator import telling
from inwindow.runtime.ordering import order_levels, sorted_by
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.rows import owners_of, spread
from inwindow.runtime.sealed import reading
from inwindow.runtime.stream.bucket import whole
from inwindow.runtime.stream.emitting import Expiring
from inwindow.runtime.stream.log import PLACE
from inwindow.runtime.stream.resumed import Resumed
from inwindow.runtime.stream.ripening import OWN, RipeningBucket
from inwindow.runtime.stream.road import Refolded, Turn
from inwindow.runtime.stream.roads import road_of
from inwindow.runtime.stream.stored import Classes, state_to_bytes, states_from_bytes, states_to_bytes
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import negated
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Landmark, Range
from inwindow.windows.watermark import Open

_GONE = f"{PREFIX}gone"  # whether a held tuple has gone out
_NOWHERE = Sequence(None, False)  # of an earlier tuple that is no longer held, nobody knows the number
_NO_KEYS: Any = np.zeros(0, dtype=np.int64)


class TupleBucket(RipeningBucket):
    """Passed-through columns, and a result column per step."""

    def __init__(
        self,
        work: Pass,
        schema: pa.Schema,
        passed: Columns[str],
        *,
        every_row: bool,
        emitted_at: str | None = None,
        **at: Any,
    ) -> None:
        super().__init__(work, schema, "select" if not every_row else "with_columns", (_GONE,), **at)
        self.passed, self.every_row, self.emitted_at = tuple(passed), every_row, emitted_at
        self.rows = rows_of(every_row=every_row, emitted_at=emitted_at)
        self.landmarks = _landmarks(work)
        self.steps = [_without_landmark(step, name) for step, name in zip(work.steps, self.landmarks, strict=True)]
        self.roads = [road_of(step, self.key, every_row=every_row) for step in self.steps]
        self.resumed = [road for road in self.roads if isinstance(road, Resumed)]
        self.trusts = any(road.step.implementation.aggregate is not None for road in self.resumed)
        self.counts = counts(work)
        fields = [schema.field(name) for name in self.passed]
        fields += [pa.field(step.name, step.implementation.result) for step in work.steps]
        if emitted_at is not None:
            assert self.key is not None
            fields.append(pa.field(emitted_at, self.key.type))
        self.schema = pa.schema(fields)

    def take(self, table: pa.Table) -> pa.RecordBatch:
        """Put what is ripe behind what is held, and run."""
        ripe = self.ripe(table)
        if not len(ripe) and not len(self.held):
            return whole(empty_table(self.schema))
        fresh = ripe.append_column(OWN, pa.array(np.full(len(ripe), -1)))
        fresh = self.log.placed(fresh.append_column(_GONE, pa.array(np.zeros(len(ripe), dtype=bool))))
        turn, which = self._turn(pa.concat_tables([self.held, fresh]))
        return self._run(turn, which)

    def _turn(self, table: pa.Table) -> tuple[Turn, Positions]:
        """The tuples in order; and of each partition its number among the remembered keys."""
        number = self.memory.numbers_of(table)
        levels: list[Level] = [(pa.array(number), True, True)]
        for order in self.work.order_by:
            levels += order_levels(table.column(order.column), order)
        rows = sorted_by(levels)
        batch = whole(table if rows is None else table.take(pa.array(rows)))
        number = number if rows is None else number[rows]
        begins = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
        ends = np.append(begins[1:], len(number))
        which = number[begins]
        own = batch.column(OWN).to_numpy()
        at_start = np.where(own[begins] >= 0, own[begins], self.memory.next_of(which))
        own = np.arange(len(number)) + np.repeat(at_start - begins, ends - begins)
        keys = self.times(pa.Table.from_batches([batch]))[0] if self.key is not None else _NO_KEYS
        tuples = Open(self._sequence(batch, number), begins, ends, keys, self.key, self.done)
        gone = begins + tuples.count(batch.column(_GONE).to_numpy(zero_copy_only=False))
        for name, step in zip(self.landmarks, self.work.steps, strict=True):
            if name is not None:
                batch = batch.append_column(name, self._within(step, batch, keys))
        return Turn(tuples, batch, own, gone, gone), which

    def _sequence(self, batch: pa.RecordBatch, number: Positions) -> Sequence:
        sequence = Sequence(self.work.key, self.work.peers)
        orders = [batch.column(order.column) for order in self.work.order_by]
        sequence.append([pa.array(number)], orders, batch.num_rows)
        sequence.ended = True
        return sequence

    def _within(self, step: Step, batch: pa.RecordBatch, keys: Any) -> pa.Array:
        """Which tuples lie between a landmark's bounds, and pass the step's own filter."""
        assert self.key is not None and step.case.window is not None
        frame = step.case.window.frame
        assert isinstance(frame, Landmark)
        seen = np.ones(len(keys), dtype=bool)
        if frame.since is not None:
            seen &= keys >= self.key.value(frame.since, what="landmark: since", up=True)
        if frame.until is not None:
            seen &= keys <= self.key.value(frame.until, what="landmark: until", up=False)
        passes = pa.array(seen)
        return passes if step.condition is None else pc.and_(passes, batch.column(step.condition))

    # Running

    def _run(self, turn: Turn, which: Positions) -> pa.RecordBatch:
        tuples = turn.tuples
        ready = np.minimum.reduce([np.maximum(road.ready(tuples), turn.gone) for road in self.roads])
        turn = replace(turn, ready=ready)
        held = self._places(turn)
        taken: list[list[Piece]] = []
        keep = ready.copy()
        for step, road in zip(self.steps, self.roads, strict=True):
            if isinstance(road, Refolded):
                taken.append(telling(step, self.work, lambda: held, _NOWHERE, road.run, turn))
                keep = np.minimum(keep, road.keep_from(turn))
            else:
                taken.append([])
        if self.resumed:
            keep = np.minimum(keep, self._resume(turn, which, taken, held))
        elif self.counts:
            self._remember_counts(turn, which)
        self._hold(turn, keep)
        return self._rows(turn, taken)

    def _places(self, turn: Turn) -> Held:
        """Where the tuples are, for messages."""
        held = Held()
        for name in self.work.places:
            held.plain(name)
        held.append(turn.batch)
        return held

    def _resume(self, turn: Turn, which: Positions, taken: list[list[Piece]], held: Held) -> Positions:
        """Run the resumed roads key by key, and remember their states; the first tuple that each key still needs."""
        tuples, own = turn.tuples, turn.own
        has_new = turn.batch.column(OWN).to_numpy()[tuples.ends - 1] < 0
        touched = np.flatnonzero((turn.ready > turn.gone) | has_new)
        need = self.memory.need_of(which) + tuples.starts - own[tuples.starts]
        none = (None,) * len(self.resumed)
        with reading():
            found = states_from_bytes(self.memory.states_of(which[touched]), self._classes if self.trusts else None)
        before = [none if its is None else its for its in found]
        needs = tuples.ends[touched].copy()
        after: list[list[Any]] = []
        for number, road in enumerate(self.resumed):
            states = [its[number] for its in before]
            pieces, its_needs = telling(
                road.step, self.work, lambda: held, _NOWHERE, road.run_keys, turn, touched, states
            )
            taken[self.roads.index(road)] = pieces
            needs = np.minimum(needs, its_needs)
            after.append(states)
        need[touched] = needs
        forgets = all(isinstance(road, Expiring) and road.forgets for road in self.resumed)
        keep = ~(needs >= tuples.ends[touched]) | (not forgets)
        kept = list(compress(zip(*after, strict=True), keep.tolist()))
        starts, last_own = tuples.starts[touched], own[tuples.ends[touched] - 1]
        keys = self.memory.keys_of(turn.batch, starts)
        numbers = need[touched] - starts + own[starts]
        stored = states_to_bytes(kept, self._state_to_bytes)
        self.memory.update(which[touched], keys, last_own + 1, numbers, stored, keep)
        return need

    def _classes(self) -> Classes:
        """Those that the states of a key may name."""
        return {name: one for road in self.resumed for name, one in road.classes().items()}

    def _state_to_bytes(self, states: tuple[Any, ...]) -> bytes:
        try:
            return state_to_bytes(states, self._classes)
        except Exception as error:
            road = next(one for one, its in zip(self.resumed, states, strict=True) if not self._can_be_stored(its))
            raise UsageError(
                f"{road.step.label} goes on from micro-batch to micro-batch, but its state cannot be stored "
                f"({type(error).__name__}: {error}): what is in self must be picklable; make connections, locks and open files "
                "where they are used"
            ) from None

    def _can_be_stored(self, state: Any) -> bool:
        try:
            state_to_bytes(state, self._classes)
        except Exception:
            return False
        return True

    def _remember_counts(self, turn: Turn, which: Positions) -> None:
        fresh = np.flatnonzero(turn.batch.column(OWN).to_numpy()[turn.tuples.ends - 1] < 0)
        last = turn.own[turn.tuples.ends[fresh] - 1] + 1
        keys = self.memory.keys_of(turn.batch, turn.tuples.starts[fresh])
        self.memory.update(which[fresh], keys, last, last, [None] * len(fresh), np.ones(len(fresh), dtype=bool))

    def _hold(self, turn: Turn, keep: Positions) -> None:
        tuples = turn.tuples
        at = np.arange(tuples.sequence.end)
        kept = np.flatnonzero(at >= tuples.over(np.minimum(keep, turn.ready)))
        gone = at < tuples.over(turn.ready)
        table = pa.Table.from_batches([turn.batch])
        place = table.column(PLACE)
        table = table.select(self.columns.names).append_column(OWN, pa.array(turn.own))
        table = table.append_column(_GONE, pa.array(gone)).append_column(PLACE, place)
        self.held = table.take(pa.array(kept))

    # Rows

    def _rows(self, turn: Turn, taken: list[list[Piece]]) -> pa.RecordBatch:
        taken = [_in_order(pieces) for pieces in taken]
        if self.every_row:
            position = np.arange(turn.tuples.sequence.end)
            at = position[(position >= turn.tuples.over(turn.gone)) & (position < turn.tuples.over(turn.ready))]
        else:
            at = owners_of(taken)
        rows = pa.array(at)
        columns = [turn.batch.column(name).take(rows) for name in self.passed]
        columns += [spread(its, at, step.implementation.result) for its, step in zip(taken, self.steps, strict=True)]
        if self.emitted_at is not None:
            columns.append(self._expiration_times(turn, at))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _expiration_times(self, turn: Turn, at: Positions) -> pa.Array:
        window = self.steps[0].case.window
        assert self.key is not None and window is not None
        size = negated(window.frame.lower)  # type: ignore[union-attr, arg-type]
        return self.key.times_of(self.key.moved(turn.tuples.keys[at], size, lower=True, what="the frame"))


def rows_of(*, every_row: bool, emitted_at: str | None) -> str:
    """What a bucket gives a row for."""
    said = "one for each tuple" if every_row else "one for each result"
    return said if emitted_at is None else f"{said}, with its time as {emitted_at}"


def _landmarks(work: Pass) -> list[str | None]:
    """For each step over a landmark the name of the column that says which tuples lie within."""
    frames = [step.case.window.frame if step.case.window is not None else None for step in work.steps]
    return [f"{PREFIX}within_{i}" if isinstance(frame, Landmark) else None for i, frame in enumerate(frames)]


def _without_landmark(step: Step, name: str | None) -> Step:
    """A landmark sees what a growing frame sees, but for the tuples outside of it."""
    if name is None:
        return step
    assert step.case.window is not None
    window = replace(step.case.window, frame=Range(None, 0))
    return replace(step, condition=name, case=replace(step.case, window=window))


def _in_order(pieces: list[Piece]) -> list[Piece]:
    """One piece, its positions ascending."""
    if len(pieces) <= 1:
        return pieces
    at = np.concatenate([at for at, _ in pieces])
    return [(at, concat([values for _, values in pieces], pieces[0][1].type))]
