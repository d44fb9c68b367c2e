"""Panes before the shuffle, running: tuples in any order become partials of panes, and sorted partials become extents.

::

    reduce    a buffer of tuples, grouped by (key, pane) -> a row each: keys, the attribute of one tuple, partial columns;
              the buffer is flushed when it is full, so memory is bounded
    merge     the rows sorted by (keys, attribute) -> the extents over them: level two of each cascade

A partial has the attribute of one of its pane's tuples. No edge of an extent lies inside a pane, so that tuple is in the same
extents as all others of the pane. So after the shuffle the framing of extents treats partials like tuples, and a pane may have any
number of partials. Keys, times and types are the same as without panes first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._order import Levels
from inwindow.optimizer.plan import Pass
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.build import levels_of
from inwindow.runtime.bundles import Bundles
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.filling import Filling
from inwindow.runtime.group_operator import GroupOperator, of_nothing
from inwindow.runtime.operator import reporting
from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.partials import Partials
from inwindow.runtime.reserved import PREFIX
from inwindow.windows.extent_framings import extents_of
from inwindow.windows.order_key import PLAIN, Keys
from inwindow.windows.sequence import Positions, Sequence

ROWS = 1 << 20  # tuples in a buffer: a larger buffer makes fewer partials
BYTES = 1 << 26
_LITTLE, _BUFFERS = 0.75, 7  # if a buffer leaves more partials than this share of its tuples, that many buffers pass
_STEP = 1 << 16  # tuples reduced at a time: at most this many become Python objects for hooks


@dataclass(frozen=True)
class PanesFirst:
    """A pass over extents in two halves: before and after the shuffle."""

    work: Pass  # over tuples
    merging: Pass  # over partials
    partials: tuple[Partials, ...]  # of each step
    schema: pa.Schema  # keys, attribute, partials
    reported: Pass  # its position columns say where a tuple is if a hook raises
    tuples: pa.Schema

    @classmethod
    def of(cls, work: Pass, schema: pa.Schema, reported: Pass | None = None) -> "PanesFirst":
        """Cut a pass over tuples of a schema into the two halves."""
        partials = tuple(Partials.of(step, schema) for step in work.steps)
        fields = [schema.field(name) for name in _unique(work.position_columns)]
        steps = []
        for number, (step, its) in enumerate(zip(work.steps, partials, strict=True)):
            columns = its.fields(f"{PREFIX}partial_{number}")
            fields += columns
            steps.append(replace(step, arguments=tuple(field.name for field in columns), condition=None))
        return cls(work, replace(work, steps=tuple(steps)), partials, pa.schema(fields), reported or work, schema)

    @property
    def bundles(self) -> Bundles:
        """How partials travel: the partials of a key in bundles."""
        return Bundles(self.schema, tuple(_unique(list(self.work.partition_by))))


class PaneReducer:
    """Tuples in, in batches and in any order; partials of panes out.

    If the panes of a buffer hold hardly more than a tuple each (many keys, few tuples), the tuples of the next buffers *pass*: each
    becomes its own partial at once, without being held or grouped. Then one buffer is reduced again, as a new test.
    """

    def __init__(self, plan: PanesFirst, rows: int | None = None, size: int = BYTES) -> None:
        self.plan, self.work = plan, plan.work
        self.most_rows, self.most_bytes = rows or ROWS, size
        self.passing = 0  # how many more tuples pass
        assert plan.work.key is not None
        self.key = plan.work.key
        self.framing: Any = extents_of(plan.work.extent, self.key)
        buffer = Buffer()
        for step in self.work.steps:
            levels_of(step, buffer)
        self.reads = _unique([name for source in buffer.columns for name in source.names()])

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Partials, each time the buffer is full, and at the end."""
        held: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in batches:
            held.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows >= self.most_rows or self.passing or size >= self.most_bytes:
                yield from self.reduced(held)
                held, rows, size = [], 0, 0
        yield from self.reduced(held)

    def reduced(self, batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row per (key, pane) of these tuples."""
        if not batches:
            return
        for batch in pa.Table.from_batches(batches).combine_chunks().to_batches():
            rows, keys = self._countable(batch)
            if not len(keys):
                continue
            if rows is not None:
                batch = batch.take(pa.array(rows))
            yield from self._partials(batch, keys)

    def _countable(self, batch: pa.RecordBatch) -> tuple[Positions | None, Keys]:
        """The tuples that lie in an extent (None: all), and their attributes, by the rules of ``ExtentFraming``."""
        keys, side = self.key.read(batch.column(self.key.column))
        within = side == PLAIN
        if keys.dtype == np.float64:
            within &= np.isfinite(keys)
        if not within.all():
            keys = keys[within]
        if len(keys):
            self.framing.check_room(self.key, keys)
            if self.framing.has_holes:
                lowest, highest = self.framing.numbers(keys)
                some = np.asarray(lowest <= highest)
                within[within], keys = some, keys[some]
        return (None if within.all() else np.flatnonzero(within)), keys

    def _partials(self, batch: pa.RecordBatch, keys: Keys) -> Iterator[pa.RecordBatch]:
        order, start = self._grouped(batch, keys)
        start = _cut(start, np.arange(0, len(keys), _STEP))
        columns = batch.select(self.reads) if order is None else batch.select(self.reads).take(pa.array(order))
        buffer = Buffer()
        levels = [levels_of(step, buffer) for step in self.work.steps]
        where = partial(_located, batch, self.plan.reported, order)
        for at in range(0, len(keys), _STEP):
            buffer.append(columns.slice(at, _STEP))
            begins = start[slice(*np.searchsorted(start, [at, buffer.end]))]
            ends = np.append(begins[1:], buffer.end)
            first = pa.array(begins if order is None else order[begins])
            made = [batch.column(name).take(first) for name in _unique([*self.work.partition_by, self.key.column])]
            for step, level, its in zip(self.work.steps, levels, self.plan.partials, strict=True):
                reporting(step, self.plan.reported, where, _NOWHERE, level.reduce, begins, ends)
                made += its.packed(level)
                level.forget(len(begins))
            buffer.forget(buffer.end)
            yield pa.RecordBatch.from_arrays(made, schema=self.plan.schema)

    def _grouped(self, batch: pa.RecordBatch, keys: Keys) -> tuple[Positions | None, Positions]:
        """The tuples grouped by (key, pane), and where each group begins; or unchanged, if grouping has not paid."""
        if self.passing:
            self.passing = max(self.passing - len(keys), 0)
            return None, np.arange(len(keys))
        by = [pa.chunked_array([batch.column(name)]) for name in self.work.partition_by]
        groups = partition_numbers(by) if by else None
        order, start = grouped(groups, self._panes(keys))
        if len(start) > _LITTLE * self.most_rows:  # only then the buffer was about full
            self.passing = _BUFFERS * self.most_rows
        return order, start

    def _panes(self, keys: Keys) -> npt.NDArray[Any]:
        if keys.dtype == np.float64:  # a rounded quotient may separate extents differently
            lowest, highest = self.framing.numbers(keys)
            return np.asarray(lowest + highest)
        return np.asarray(self.framing.panes(keys))


class PaneGroups(GroupOperator):
    """Sorted partials in, a row per (partition, extent) out."""

    def __init__(self, plan: PanesFirst, schema: pa.Schema) -> None:
        self.plan = plan
        super().__init__(plan.merging, schema)

    def made_evaluators(self) -> list[Evaluator]:
        steps = zip(self.plan.merging.steps, self.plan.partials, strict=True)
        return [its.evaluator(list(step.arguments), self.buffer) for step, its in steps]

    def filling(self) -> Filling:
        return Filling(self.work, self.framing, self.schema, of_nothing(self.plan.work, self.plan.tuples))


def grouped(groups: Positions | None, panes: npt.NDArray[Any]) -> tuple[Positions | None, Positions]:
    """The order by (group, pane), None if rows are in order already; and where each (group, pane) begins in it."""
    levels = [panes] if groups is None else [groups, panes]
    return Levels([(pa.array(level), True, True) for level in levels]).groups()


def _cut(start: Positions, cuts: Positions) -> Positions:
    """The panes' starts and the cuts: a pane that is cut has one more partial."""
    at = np.searchsorted(start, cuts)
    fresh = np.append(start, -1)[at] != cuts
    return np.insert(start, at[fresh], cuts[fresh])


def _located(batch: pa.RecordBatch, work: Pass, order: Positions | None) -> Buffer:
    """The position columns of the tuples, for errors in hooks."""
    buffer = Buffer()
    for name in work.position_columns:
        buffer.plain(name)
    buffer.append(batch if order is None else batch.take(pa.array(order)))
    return buffer


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


_NOWHERE = Sequence(None, False)  # a tuple's number in its partition is not known before the sort
