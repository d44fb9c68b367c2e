"""The operators that emit rows for tuples: for every tuple (with_columns), or for yields and emissions (select)."""

from collections.abc import Sequence as Columns
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.buffer import concat
from inwindow.runtime.build import lane_of
from inwindow.runtime.lanes import FrameLane, Piece
from inwindow.runtime.operator import Operator
from inwindow.windows.frontier import Arrival
from inwindow.windows.interval import negated
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import Positions


class RowOperator(Operator):
    """Columns that pass through, and a result column per step; ``cursor`` is the first tuple whose row is not emitted yet."""

    kept = (*Operator.kept, "cursor")
    every_row: ClassVar[bool]  # whether every tuple has a row

    def __init__(self, work: Pass, schema: pa.Schema, passed: Columns[str]) -> None:
        super().__init__(work)
        self.passed = tuple(passed)
        self.through = [self.buffer.plain(name) for name in self.passed]
        self.lanes = [
            lane_of(step, self.buffer, work.key, every_row=self.every_row, halo=work.halo) for step in work.steps
        ]
        if any(getattr(lane.evaluator, "begins_anew", False) for lane in self.lanes if isinstance(lane, FrameLane)):
            self.patience = 1  # each call folds the tuples of a frame once more
        self.arrival = Arrival(self.sequence)
        self.cursor = 0
        fields = [schema.field(name) for name in self.passed]
        fields += [pa.field(step.name, step.implementation.result) for step in work.steps]
        self.schema = pa.schema(fields)

    def advance(self) -> None:
        for step, lane in zip(self.work.steps, self.lanes, strict=True):
            self.run(step, lane.advance, self.arrival)

    def keep_from(self) -> int:
        return min([self.cursor, *(lane.keep_from for lane in self.lanes)])

    def keys_from(self) -> int:
        return min(lane.keys_from for lane in self.lanes)

    def decided(self) -> int:
        """All lanes have decided the tuples before this position."""
        return min([self.buffer.end, *(lane.cursor for lane in self.lanes)])

    def parts(self) -> list[Any]:
        return list(self.lanes)

    def passed_at(self, at: Positions | slice) -> list[pa.Array]:
        """The columns that pass through, at positions relative to the held tuples."""
        arrays = [column.array for column in self.through]
        if isinstance(at, slice):
            length = at.stop - at.start
            return [array.slice(at.start, length) if array is not None else None for array in arrays]
        return [None if array is None else array.take(pa.array(at)) for array in arrays]


class WithColumns(RowOperator):
    """A row per tuple, in order; NULL where a tuple does not yield."""

    every_row = True

    def collect(self) -> pa.RecordBatch:
        ready = self.decided()
        if ready <= self.cursor:
            return pa.RecordBatch.from_arrays([pa.nulls(0, f.type) for f in self.schema], schema=self.schema)
        base = self.buffer.base
        columns = self.passed_at(slice(self.cursor - base, ready - base))
        for step, lane in zip(self.work.steps, self.lanes, strict=True):
            columns.append(_filled(lane.take(ready), self.cursor, ready, step.implementation.result))
        self.cursor = ready
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


class Select(RowOperator):
    """A row per yield tuple, emission or expiration: where some step gives a result."""

    every_row = False

    def __init__(self, work: Pass, schema: pa.Schema, passed: Columns[str], emitted_at: str | None) -> None:
        super().__init__(work, schema, passed)
        self.emitted_at = emitted_at
        if emitted_at is not None:
            assert work.key is not None
            self.schema = self.schema.append(pa.field(emitted_at, work.key.type))

    def collect(self) -> pa.RecordBatch:
        ready = self.decided()
        taken = [lane.take(ready) for lane in self.lanes]
        at = owners_of(taken)
        columns = (
            self.passed_at(at - self.buffer.base) if len(at) else [pa.nulls(0, f.type) for f in self._passed_fields()]
        )
        for step, pieces in zip(self.work.steps, taken, strict=True):
            columns.append(spread(pieces, at, step.implementation.result))
        if self.emitted_at is not None:
            columns.append(self._expiration_times(at))
        self.cursor = max(self.cursor, ready)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _passed_fields(self) -> list[pa.Field]:
        return [self.schema.field(index) for index in range(len(self.passed))]

    def _expiration_times(self, at: Positions) -> pa.Array:
        key = self.work.key
        assert key is not None
        owners, which = np.unique(at, return_inverse=True)  # a tuple may have emitted several times
        keys = self.sequence.keys_at(owners)[which] if len(at) else np.zeros(0, dtype=np.int64)
        times = expiration_times(self.work.steps[0], key, keys)
        plain = self.sequence.plain_at(at)
        if plain is None or plain.all():
            return times
        # A tuple without a time leaves with its peers, and its time is NULL.
        return pa.array(times.to_pylist(), times.type, mask=~plain)


def expiration_times(step: Step, key: OrderKey, keys: Keys) -> pa.Array:
    """When tuples with these times leave, under active expiration."""
    assert step.case.window is not None
    size = negated(step.case.window.frame.lower)  # type: ignore[union-attr, arg-type]
    return key.times_of(key.moved(keys, size, lower=True, what="the frame"))


def owners_of(taken: list[list[Piece]]) -> Positions:
    """The positions that give a row; repeated if one emits several times."""
    lanes = [np.concatenate([at for at, _ in pieces]) for pieces in taken if pieces]
    if not lanes:
        return np.zeros(0, dtype=np.int64)
    if len(lanes) == 1:
        return lanes[0]
    every = np.unique(np.concatenate(lanes))
    most = np.ones(len(every), dtype=np.int64)
    for at in lanes:
        own, count = np.unique(at, return_counts=True)
        index = np.searchsorted(every, own)
        most[index] = np.maximum(most[index], count)
    return np.repeat(every, most)


def _filled(pieces: list[Piece], first: int, last: int, kind: pa.DataType) -> pa.Array:
    """The results of the tuples [first, last), at most one for each; NULL for a tuple without a result."""
    if sum(len(at) for at, _ in pieces) == last - first:  # positions ascend: every tuple has its result
        return concat([values for _, values in pieces], kind)
    return spread(pieces, np.arange(first, last), kind)


def spread(pieces: list[Piece], rows: Positions, kind: pa.DataType) -> pa.Array:
    """The results at their rows; NULL in rows without one."""
    if not pieces:
        return pa.nulls(len(rows), kind)
    values = concat([piece[1] for piece in pieces], kind)
    at = np.concatenate([piece[0] for piece in pieces])
    if len(at) == len(rows) and (at == rows).all():  # each row has one result, in order: always so with one lane
        return values
    nth = np.arange(len(rows)) - np.searchsorted(rows, rows)  # a row's number among the rows of its position
    first, last = np.searchsorted(at, rows), np.searchsorted(at, rows, side="right")
    single = last - first == 1
    index = np.where(single, first, first + nth)
    return values.take(pa.array(index, mask=index >= last))
