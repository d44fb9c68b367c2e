"""The operator for results at points in time: events and points (rows of another table) come in one sorted sequence.

::

    in    user  ts  __inwindow_event   price          sorted by user, ts, and points first among equal times
          u     1   1                  10.0    -> held, as in every operator: a tuple
          u     3   0                          -> a point: its frame is known at once, because it has nothing at 3 or later
          u     3   1                  12.0    -> held
    out   a row per point

Only events are held and have positions. So points are never counted, and hooks and kernels never see them.
"""

from collections.abc import Sequence as Columns
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.points import in_one_sequence
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.build import evaluator_of
from inwindow.runtime.operator import Operator
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import EVENT
from inwindow.windows.neighbours import changes
from inwindow.windows.order_key import OrderKey
from inwindow.windows.points import Points, ahead_of, bounds_at, point_framing_of, points_of
from inwindow.windows.sequence import Sequence
from inwindow.windows.stateful import Stateful


class PointLane(Stateful):
    """One aggregate over one window, at points. Between points it looks ahead, to forget events that no later point can see."""

    kept = ("next_start", "next_end", "evaluator", "framing")

    def __init__(self, step: Step, buffer: Buffer, key: OrderKey) -> None:
        assert step.case.window is not None
        self.framing = point_framing_of(step.case.window.frame, key)
        self.evaluator = evaluator_of(step, buffer, None)
        self.next_start = self.next_end = 0  # every later frame starts and ends at or after these

    def results(self, sequence: Sequence, points: Points) -> pa.Array:
        """The results at the next points; all events before them have arrived."""
        return self.evaluator.roll(*bounds_at(self.framing, sequence, points))

    def look_ahead(self, sequence: Sequence) -> None:
        """Find what later points may see; a growing frame is folded, not held."""
        self.next_start, self.next_end = ahead_of(self.framing, sequence)
        if not self.evaluator.evicts and not self.evaluator.moves:
            self.evaluator.absorb(self.next_start, self.next_end)

    @property
    def keep_from(self) -> int:
        """The tuples that the evaluator must still undo, or has not folded yet."""
        return self.evaluator.keep_from(self.next_start)

    def keys_from(self, end: int) -> int:
        """The oldest position whose order key is needed to find edges."""
        first = self.framing.keys_from(self.next_start, self.next_end)
        return end if first is None else first


class _Partitions(Stateful):
    """Finds rows in the same partition as the newest event before them; partitions are numbered as they come."""

    kept = ("last", "begun", "newest", "of_event")

    def __init__(self) -> None:
        self.last: list[pa.Array] | None = None  # the newest row's keys
        self.begun = False
        self.newest = 0  # the newest row's partition
        self.of_event = -1  # the partition of the newest event

    def joined(self, columns: list[pa.Array], is_event: Any) -> Any:
        if columns:
            new = changes(columns, self.last)
            self.last = [column.slice(len(column) - 1) for column in columns]
        else:
            new = np.zeros(len(is_event), dtype=bool)
            new[0] = not self.begun
        self.begun = True
        number = self.newest + np.cumsum(new)
        event = np.maximum.accumulate(np.where(is_event, np.arange(len(is_event)), -1))
        before = np.where(event < 0, self.of_event, number[event])
        self.newest, self.of_event = int(number[-1]), int(before[-1])
        return before == number


class EveryPoint(Part):
    """A row per point."""

    @property
    def ordered(self) -> Pass:
        """Points first among equal times."""
        return in_one_sequence(self.work, EVENT)

    def operator(self, schema: pa.Schema) -> "PointOperator":
        return PointOperator(self.work, schema, self.passed)


class PointOperator(Operator):
    """Emits a row per point, in order: columns that pass through, and a result per step."""

    def __init__(self, work: Pass, schema: pa.Schema, passed: Columns[str]) -> None:
        super().__init__(work)
        assert work.key is not None
        self.key = work.key
        self.passed = tuple(passed)
        self.lanes = [PointLane(step, self.buffer, work.key) for step in work.steps]
        self.partitions = _Partitions()
        self.arrived: list[tuple[Points, list[pa.Array]]] = []  # points to evaluate, and their passed-through columns
        self.given: list[pa.RecordBatch] = []
        fields = [schema.field(name) for name in self.passed]
        fields += [pa.field(step.name, step.implementation.result) for step in work.steps]
        self.schema = pa.schema(fields)

    def reads(self, *, begins_known: bool = False) -> set[str]:
        return super().reads(begins_known=begins_known) | {EVENT, *self.passed, *self.work.position_columns}

    def _append(self, batch: pa.RecordBatch) -> None:
        is_event = batch.column(EVENT).to_numpy(zero_copy_only=False) == 1
        joined = self.partitions.joined([batch.column(name) for name in self.work.partition_by], is_event)
        before = self.buffer.end + np.cumsum(is_event, dtype=np.int64)
        self._append_events(batch, is_event)
        if not is_event.all():
            at = np.flatnonzero(~is_event)
            taken = pa.array(at)
            times = batch.column(self.work.order_by[0].column).take(taken)
            passed = [batch.column(name).take(taken) for name in self.passed]
            self.arrived.append((points_of(self.key, times, before[at], joined[at]), passed))

    def _append_events(self, batch: pa.RecordBatch, is_event: Any) -> None:
        if self.buffer.end and not is_event.any():
            return  # a kernel needs columns, even empty ones
        names = sorted(super().reads())
        events = pa.RecordBatch.from_arrays([batch.column(name) for name in names], names)
        super()._append(events if is_event.all() else events.filter(pa.array(is_event)))

    def advance(self) -> None:
        """Evaluate the points that have arrived; all events before them have arrived, too."""
        for step, lane in zip(self.work.steps, self.lanes, strict=True):
            self.run(step, lane.evaluator.arrive, self.sequence)
        for points, passed in self.arrived:
            columns = [
                self.run(step, lane.results, self.sequence, points)
                for step, lane in zip(self.work.steps, self.lanes, strict=True)
            ]
            self.given.append(pa.RecordBatch.from_arrays([*passed, *columns], schema=self.schema))
        self.arrived = []
        for step, lane in zip(self.work.steps, self.lanes, strict=True):
            self.run(step, lane.look_ahead, self.sequence)

    def collect(self) -> pa.RecordBatch:
        given, self.given = self.given, []
        if len(given) == 1:
            return given[0]
        columns = [concat([batch.column(i) for batch in given], field.type) for i, field in enumerate(self.schema)]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def keep_from(self) -> int:
        return min([self.buffer.end, *(lane.keep_from for lane in self.lanes)])

    def keys_from(self) -> int:
        return min(lane.keys_from(self.buffer.end) for lane in self.lanes)

    def parts(self) -> list[Any]:
        return [*self.lanes, self.partitions]
