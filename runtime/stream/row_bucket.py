"""A bucket that emits rows for tuples: for every tuple (with_columns), or for yields, emissions and expirations (select).

A micro-batch is one sequence: one partition after the other, and in each the held tuples before the ripe ones.
"""

from collections.abc import Sequence as Columns
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.levels import Level
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.stream import counts, resumes
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.build import lane_of
from inwindow.runtime.guard import Guard, hiding
from inwindow.runtime.lanes import FrameLane, Piece
from inwindow.runtime.operator import reporting
from inwindow.runtime.ordering import order_levels, sorted_by
from inwindow.runtime.reserved import PREFIX, hidden_of
from inwindow.runtime.row_operators import expiration_times, owners_of, spread
from inwindow.runtime.stream.bucket import whole
from inwindow.runtime.stream.key_states import KeyedLane, States, Turn, restated
from inwindow.runtime.stream.log import ADDRESS
from inwindow.runtime.stream.waiting import OWN, WaitingBucket
from inwindow.windows.frontier import Due, Watermark
from inwindow.windows.order_key import Keys
from inwindow.windows.sequence import OpenSequence, Positions, Sequence
from inwindow.windows.spec import Landmark, Range

_GONE = f"{PREFIX}gone"  # whether the row of a held tuple has been emitted
_NOWHERE = Sequence(None, False)  # for errors: the number of an earlier tuple that is no longer held is unknown


class RowBucket(WaitingBucket):
    """Rows with the columns that pass through, and a result column per step."""

    can_evolve = True

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
        self.hiding = hiding(work)
        flags = (_GONE, *self.hiding)
        super().__init__(work, schema, "select" if not every_row else "with_columns", flags, **at)
        self.passed, self.every_row, self.emitted_at = tuple(passed), every_row, emitted_at
        self.rows = "one for each tuple" if every_row else "one for each result"
        self.rows += "" if emitted_at is None else f", with its time as {emitted_at}"
        self.landmarks = _landmarks(work)
        self.steps = [_without_landmark(step, name) for step, name in zip(work.steps, self.landmarks, strict=True)]
        self.counts = counts(work)
        fields = [schema.field(name) for name in self.passed]
        fields += [pa.field(step.name, step.implementation.result) for step in work.steps]
        if emitted_at is not None:
            assert self.key is not None
            fields.append(pa.field(emitted_at, self.key.type))
        self.schema = pa.schema(fields)

    def begin(self, label: int | None = None) -> None:
        super().begin(label)
        self.step_tuples = [0] * len(self.work.steps)

    def held_by(self) -> list[int]:
        return self.step_tuples

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        released, times = self.released(table, times)
        if not len(released) and not len(self.held):
            return self.no_rows
        fresh = released.append_column(OWN, pa.array(np.full(len(released), -1)))
        for flag in self.log.flags:
            fresh = fresh.append_column(flag, pa.array(np.zeros(len(released), dtype=bool)))
        fresh = self.log.addressed(fresh)
        if self.key is not None:
            times = np.append(self.times(self.held)[0], times)
        return self._run(self._turn(pa.concat_tables([self.held, fresh]), times))

    def _turn(self, table: pa.Table, times: Keys) -> Turn:
        """The tuples in order, one partition after the other."""
        number = self.memory.numbers_of(table)
        levels: list[Level] = [(pa.array(number), True, True)]
        if len(times):
            levels.append((pa.array(times), True, True))
        for order in self.work.order_by[1:]:
            levels += order_levels(table.column(order.column), order)
        rows = sorted_by(levels)
        if rows is not None:
            table, number = table.take(pa.array(rows)), number[rows]
            times = times[rows] if len(times) else times
        batch = whole(table)
        begins = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
        ends = np.append(begins[1:], len(number))
        which = number[begins]
        own = batch.column(OWN).to_numpy()
        at_start = np.where(own[begins] >= 0, own[begins], self.memory.next_of(which))
        own = np.arange(len(number)) + np.repeat(at_start - begins, ends - begins)
        orders = [batch.column(order.column) for order in self.work.order_by]
        sequence = OpenSequence(self.work.key, self.work.peers, own, begins, orders, times, self.work.groups)
        gone = np.add.reduceat(batch.column(_GONE).to_numpy(zero_copy_only=False), begins, dtype=np.int64)
        frontier = Watermark(sequence, begins, ends, self.key, self.done, begins + gone)
        for name, step in zip(self.landmarks, self.work.steps, strict=True):
            if name is not None:
                batch = batch.append_column(name, self._within(step, batch, times))
        return Turn(frontier, batch, which, batch.column(OWN).to_numpy()[ends - 1] < 0)

    def _within(self, step: Step, batch: pa.RecordBatch, keys: Keys) -> pa.Array:
        """Which tuples lie between a landmark's bounds and pass the step's filter."""
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

    def take_states(self, numbers: list[int]) -> None:
        """Keep some of the states of each key."""
        lanes = [step for step in self.steps if resumes(step)]
        self.memory.restate(lambda contents: restated(contents, numbers, lanes), counts=self.counts)

    # Running

    def _run(self, turn: Turn) -> pa.RecordBatch:
        frontier, buffer = turn.frontier, Buffer()
        for name in self.work.position_columns:  # for messages
            buffer.plain(name)
        lanes: list[Any] = [
            KeyedLane(step, self.key, every_row=self.every_row)
            if resumes(step)
            else lane_of(step, buffer, self.key, every_row=self.every_row)
            for step in self.steps
        ]
        buffer.append(turn.batch)
        keyed = [lane for lane in lanes if isinstance(lane, KeyedLane)]
        plain = [lane.lane if isinstance(lane, KeyedLane) else lane for lane in lanes]
        ready = np.minimum.reduce([np.maximum(lane.decided(frontier), frontier.gone) for lane in plain])
        states = States(keyed, self.memory, turn, ready) if keyed else None
        due, taken = frontier.due(ready), []
        needs: list[Positions | None] = []  # from where each step needs tuples; None: as the states remember
        for step, lane in zip(self.steps, lanes, strict=True):
            run = partial(reporting, step, self.work, lambda: buffer, _NOWHERE)
            if isinstance(lane, KeyedLane):
                assert states is not None
                taken.append(run(states.run, lane))
                needs.append(None)
            else:
                lane.arrive(frontier.sequence)
                taken.append(run(lane.results, frontier.sequence, due))
                needs.append(np.minimum(ready, frontier.needed(lane.view, ready)))
        remembered = ready
        if states is not None:
            remembered = np.minimum(ready, states.remember())
        elif self.counts:
            new = np.flatnonzero(turn.has_new)
            counts, keys = turn.counts(new), turn.keys(self.memory, new)
            self.memory.update(turn.which[new], keys, counts, counts, [None] * len(new), np.ones(len(new), dtype=bool))
        found = [remembered if need is None else need for need in needs]
        self.step_tuples = [int((frontier.ends - need).sum()) for need in found]
        self._hold(turn, np.minimum.reduce(found), ready, self._hidden(turn, lanes))
        return self._rows(turn, due, taken)

    def _hidden(self, turn: Turn, lanes: list[Any]) -> dict[str, Any]:
        """For each step whose hooks may raise, which tuples are hidden from them."""
        hidden = {flag: turn.batch.column(flag).to_numpy(zero_copy_only=False).copy() for flag in self.hiding}
        for step, lane in zip(self.steps, lanes, strict=True):
            if step.failures is not None:
                its = lane.hidden if isinstance(lane, KeyedLane) else guard_in(lane).take_hidden()
                hidden[hidden_of(step.name)][np.array(its, dtype=np.int64)] = True
        return hidden

    def _hold(self, turn: Turn, keep: Positions, ready: Positions, hidden: dict[str, Any]) -> None:
        frontier = turn.frontier
        at = np.arange(frontier.sequence.end)
        kept = np.flatnonzero(at >= frontier.over(keep))
        table = pa.Table.from_batches([turn.batch.select([*self.columns.names, ADDRESS])]).take(pa.array(kept))
        gone = (at < frontier.over(ready))[kept]
        table = table.append_column(OWN, pa.array(frontier.sequence.own[kept])).append_column(_GONE, pa.array(gone))
        for flag, its in hidden.items():
            table = table.append_column(flag, pa.array(its[kept]))
        self.held = table.select([*self.log.schema.names, ADDRESS])

    # Rows

    def _rows(self, turn: Turn, due: Due, taken: list[list[Piece]]) -> pa.RecordBatch:
        taken = [_in_order(pieces) for pieces in taken]
        at = due.at if self.every_row else owners_of(taken)
        rows = pa.array(at)
        columns = [turn.batch.column(name).take(rows) for name in self.passed]
        columns += [spread(its, at, step.implementation.result) for its, step in zip(taken, self.steps, strict=True)]
        if self.emitted_at is not None:
            assert self.key is not None
            columns.append(expiration_times(self.steps[0], self.key, turn.frontier.sequence.times[at]))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def guard_in(lane: Any) -> Guard:
    """What hides tuples from the hooks of a lane."""
    its: Any = lane.evaluator if isinstance(lane, FrameLane) else lane.emitter
    guard: Guard = its.guard
    return guard


def _landmarks(work: Pass) -> list[str | None]:
    """For each step over a landmark, the name of the column that says which tuples lie within it."""
    frames = [step.case.window.frame if step.case.window is not None else None for step in work.steps]
    return [f"{PREFIX}within_{i}" if isinstance(frame, Landmark) else None for i, frame in enumerate(frames)]


def _without_landmark(step: Step, name: str | None) -> Step:
    """The window of a landmark as a growing frame: the tuples outside of the landmark are filtered out."""
    if name is None:
        return step
    assert step.case.window is not None
    window = replace(step.case.window, frame=Range(None, 0))
    return replace(step, condition=name, case=replace(step.case, window=window))


def _in_order(pieces: list[Piece]) -> list[Piece]:
    """All pieces as one, with ascending positions."""
    if len(pieces) <= 1:
        return pieces
    at = np.concatenate([at for at, _ in pieces])
    return [(at, concat([values for _, values in pieces], pieces[0][1].type))]
