"""The operator that emits a row per (partition, extent): keys, window, aggregates."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.rules import choose
from inwindow.runtime.build import evaluator_of
from inwindow.runtime.dictionaries import as_given, canonical_keys, given_fields, together
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.filling import BatchFilling, Filling
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.operator import Operator
from inwindow.runtime.reports import extent_location
from inwindow.runtime.reserved import BEGINS
from inwindow.runtime.saved_panes import check_whole, columns_of_panes
from inwindow.windows.extent_bounds import CELLS, Extents, Numbered
from inwindow.windows.extent_framings import extents_of
from inwindow.windows.neighbours import changes
from inwindow.windows.own_ends import OwnEnds, own_columns
from inwindow.windows.panes import ExtentPanes
from inwindow.windows.sequence import Positions
from inwindow.windows.spec import Hop
from inwindow.windows.stateful import Stateful

_MANY = 1 << 10  # extents that contain one tuple
_OF_AN_EXTENT = ("terminate", "merge", "unmerge")  # hooks that are called per extent, not per tuple


class GroupOperator(Operator):
    """Extents become bounds, bounds become results; the keys are those of the extent's partition."""

    def __init__(self, work: Pass, schema: pa.Schema) -> None:
        super().__init__(work)
        self.framing: Any = extents_of(work.extent, work.key)
        self.begins_later = 0  # 1 while the open partition has no tuple that counts, else 0
        if self.framing.per_tuple > _MANY:
            self.patience = CELLS  # making the rows of a tuple costs more than waiting saves
        self.evaluators = self.made_evaluators()
        self.panes_in = (
            columns_of_panes(work.steps) if isinstance(self.framing, Numbered) and work.key is not None else []
        )
        self.keys = PartitionKeys(len(work.partition_by))
        self.given = [as_given(schema, name) for name in work.partition_by]
        self.columns = schema
        self.done: tuple[Extents, list[pa.Array]] | None = None
        fields = given_fields(schema, work.partition_by)
        if work.extent is not None:
            bound = work.key.bound_type if work.key is not None else pa.int64()
            fields.append(pa.field("window", pa.struct([("start", bound), ("end", bound)])))
        fields += [pa.field(step.name, step.implementation.result) for step in work.steps]
        self.schema = pa.schema(fields)
        self.gaps = BatchFilling(self.filling()) if isinstance(work.extent, Hop) and work.extent.fill else None

    def filling(self) -> Filling:
        """How gaps are filled."""
        return Filling(self.work, self.framing, self.schema, of_nothing(self.work, self.columns))

    def made_evaluators(self) -> list[Evaluator]:
        return [
            evaluator_of(step, self.buffer, ExtentPanes(self.framing) if step.strategy == "pane-cascade" else None)
            for step in self.work.steps
        ]

    def reads(self, *, begins_known: bool = False) -> set[str]:
        """The columns that the operator reads, the original keys, and the attribute of the extents."""
        return super().reads(begins_known=begins_known) | {*self.given, *own_columns(self.work.extent)}

    def pieces(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Slices whose tuples start at most some millions of extents."""
        framing = self.framing
        if not isinstance(framing, Numbered) or framing.per_tuple * batch.num_rows <= CELLS:
            yield batch
            return
        begins = self.partition_in(batch)
        if not isinstance(begins, np.ndarray):
            begins = changes(begins, None) if begins else np.zeros(batch.num_rows, dtype=bool)
        key = self.work.key
        keys = np.arange(batch.num_rows) if key is None else key.read(batch.column(key.column))[0]
        full = np.cumsum(framing.fresh(keys, begins)) // CELLS
        edges = [0, *(np.flatnonzero(np.diff(full)) + 1).tolist(), batch.num_rows]
        for start, end in pairwise(edges):
            yield batch.slice(start, end - start)

    def _append(self, batch: pa.RecordBatch) -> None:
        if isinstance(self.framing, OwnEnds):
            batch = self._lasting(batch, self.framing)
        for column in self.panes_in:
            check_whole(self.work, self.framing, batch, column)
        end = self.sequence.end
        super()._append(batch)
        fresh = self.sequence.partition_starts[self.sequence.partition_starts >= end]
        keys = [batch.column(name) for name in self.given]
        self.keys.append(fresh, [canonical_keys(column.take(pa.array(fresh - end))) for column in keys])

    def _lasting(self, batch: pa.RecordBatch, framing: OwnEnds) -> pa.RecordBatch:
        """The tuples that are in a session; if a partition's first tuple is in none, the partition begins with the next one."""
        lasts = framing.lasting(batch)
        if BEGINS not in batch.schema.names or (lasts.all() and not self.begins_later):
            return batch if lasts.all() else batch.filter(pa.array(lasts))
        number = np.cumsum(batch.column(BEGINS).to_numpy()) + self.begins_later
        kept = number[lasts]
        self.begins_later = int(number[-1] > (kept[-1] if len(kept) else 0))
        begins = np.diff(kept, prepend=0) > 0
        at = batch.schema.get_field_index(BEGINS)
        return batch.filter(pa.array(lasts)).set_column(at, batch.schema.field(at), pa.array(begins.astype(np.uint8)))

    def advance(self) -> None:
        for step, evaluator in zip(self.work.steps, self.evaluators, strict=True):
            self.run(step, evaluator.arrive, self.sequence)
        extents = self.complete()
        if len(extents.start):
            results = [
                self.run(step, self._rolled, evaluator, extents)
                for step, evaluator in zip(self.work.steps, self.evaluators, strict=True)
            ]
            self.done = extents, results
        for step, evaluator in zip(self.work.steps, self.evaluators, strict=True):
            if not evaluator.evicts and not evaluator.moves:
                self.run(step, evaluator.absorb, self.framing.next_start, self.sequence.end)

    def _finish(self) -> pa.RecordBatch:
        """The input has ended. As in SQL, an aggregate without keys gives a row even without tuples."""
        if self.work.partition_by or self.work.extent is not None or self.waiting or self.sequence.end:
            return super()._finish()
        nothing = np.zeros(1, dtype=np.int64)
        self.buffer.append(pa.RecordBatch.from_pylist([], schema=self.columns))
        steps = zip(self.work.steps, self.evaluators, strict=True)
        columns = [self.run(step, evaluator.roll, nothing, nothing) for step, evaluator in steps]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def complete(self) -> Extents:
        """The extents that are emitted now."""
        return self.framing.advance(self.sequence)

    def _rolled(self, evaluator: Evaluator, extents: Extents) -> pa.Array:
        """The results of extents; errors name the extent."""
        try:
            return evaluator.roll(extents.start, extents.end)
        except (HookRaised, Unfit) as raised:
            if raised.hook in _OF_AN_EXTENT and raised.frame >= 0 and extents.begins is not None:
                one = slice(raised.frame, raised.frame + 1)
                keys = [column[0] for column in self.keys.at(extents.start[one])]
                begin, finish = (self._bound(edges[one])[0] for edges in (extents.begins, extents.finishes))  # type: ignore[index]
                raised.place = extent_location(self.work.partition_by, keys, begin, finish)
            raise

    def collect(self) -> pa.RecordBatch:
        if self.done is None:
            nothing = pa.RecordBatch.from_arrays([pa.nulls(0, f.type) for f in self.schema], schema=self.schema)
            return nothing if self.gaps is None else self._with_gaps(self.gaps, nothing, None)
        (extents, results), self.done = self.done, None
        columns = self.keys.at(extents.start)
        if self.work.extent is not None:
            bounds = [self._bound(keys) for keys in (extents.begins, extents.finishes)]
            columns.append(pa.StructArray.from_arrays(bounds, fields=list(self.schema.field("window").type)))
        rows = pa.RecordBatch.from_arrays([*columns, *results], schema=self.schema)
        return rows if self.gaps is None else self._with_gaps(self.gaps, rows, extents)

    def _with_gaps(self, gaps: BatchFilling, rows: pa.RecordBatch, extents: Extents | None) -> pa.RecordBatch:
        ended = self.sequence.ended
        if extents is None:
            none = np.zeros(0, dtype=np.int64)
            return gaps.rows(rows, none, none, none, ended) if ended else rows
        assert extents.begins is not None and extents.finishes is not None
        partition = self.keys.partition(extents.start)
        return gaps.rows(rows, partition, extents.begins, extents.finishes, ended)

    def _bound(self, keys: Any) -> pa.Array:
        if isinstance(self.framing, OwnEnds):
            return self.framing.bounds_of(keys)
        return pa.array(keys) if self.work.key is None else self.work.key.bounds_of(keys)

    def keep_from(self) -> int:
        """The oldest position that an evaluator needs; keys of partitions without open extents are forgotten."""
        next_start = self.framing.next_start
        self.keys.forget(next_start)
        return min(evaluator.keep_from(next_start) for evaluator in self.evaluators)

    def parts(self) -> list[Any]:
        """Evaluators, the framing's open extents, the keys."""
        return [*self.evaluators, self.framing, self.keys, *([] if self.gaps is None else [self.gaps])]


def of_nothing(work: Pass, schema: pa.Schema) -> list[pa.Array]:
    """Each aggregate's result over no tuples, as an array of one."""
    steps = tuple(
        replace(step, choice=choose(case), case=case)
        for step in work.steps
        for case in [replace(step.case, extent=None)]
    )
    whole = replace(work, partition_by=(), order_by=(), extent=None, key=None, steps=steps)
    results: list[pa.Array] = GroupOperator(whole, schema).finish().columns
    return results


class PartitionKeys(Stateful):
    """The values of the partition columns, one row per partition: the output may come long after the tuples are gone."""

    kept = ("starts", "columns")

    def __init__(self, count: int) -> None:
        self.starts: Positions = np.zeros(0, dtype=np.int64)
        self.columns: list[pa.Array | None] = [None] * count

    def append(self, starts: Positions, columns: list[pa.Array]) -> None:
        """Add partitions that have begun."""
        self.starts = np.concatenate([self.starts, starts])
        self.columns = [
            new if held is None or not len(held) else together([held, new])
            for held, new in zip(self.columns, columns, strict=True)
        ]

    def at(self, positions: Positions) -> list[pa.Array]:
        """The keys of the partitions that hold the given positions."""
        which = pa.array(np.searchsorted(self.starts, positions, side="right") - 1)
        return [column.take(which) for column in self.columns if column is not None]

    def partition(self, positions: Positions) -> Positions:
        """Where the partitions begin that hold the given positions."""
        return self.starts[np.searchsorted(self.starts, positions, side="right") - 1]

    def forget(self, before: int) -> None:
        """Drop the partitions that lie wholly before a position."""
        first = max(int(np.searchsorted(self.starts, before, side="right")) - 1, 0)
        self.starts = self.starts[first:]
        self.columns = [None if column is None else column.slice(first) for column in self.columns]
