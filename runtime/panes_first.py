"""Panes before the shuffle, running: tuples in any order become partials of panes, and sorted partials become extents.

::

    reduce    a buffer of tuples, grouped by (key, pane) -> a row each: keys, the attribute of one tuple, partial columns
              flushed when it is full: nothing grows
    merge     the rows sorted by (keys, attribute) -> the extents over them, level two of each cascade over partials

A partial stands at the attribute of one of its pane's tuples. No edge of an extent lies inside a pane, so that tuple is in
the same extents as all others of the pane: behind the shuffle the partials are to the extents' framing what tuples are
elsewhere, and there may be any number of partials of one pane. Keys, times and types come out as without all this.
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
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.operator import reporting
from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.partials import Partials
from inwindow.runtime.reserved import PREFIX
from inwindow.windows.extent_bounds import Hops, extents_of
from inwindow.windows.order_key import PLAIN, Keys
from inwindow.windows.panes import extent_panes
from inwindow.windows.sequence import Positions, Sequence

ROWS = 1 << 20  # tuples of a buffer: a larger one makes fewer partials
BYTES = 1 << 26
_LITTLE, _BUFFERS = 0.75, 7  # where more partials than this share of a buffer's tuples are left, so many buffers pass
_STEP = 1 << 16  # tuples reduced at a time: so many at most are Python objects, for hooks


@dataclass(frozen=True)
class PanesFirst:
    """A pass over extents, cut in two."""

    work: Pass  # over tuples
    merging: Pass  # over partials
    partials: tuple[Partials, ...]  # of each step
    schema: pa.Schema  # keys, attribute, partials
    reported: Pass  # whose places say where a tuple is, when a hook raises

    @classmethod
    def of(cls, work: Pass, schema: pa.Schema, reported: Pass | None = None) -> "PanesFirst":
        """The two halves of a pass over tuples of a schema."""
        partials = tuple(Partials.of(step, schema) for step in work.steps)
        fields = [schema.field(name) for name in _unique(work.position_columns)]
        steps = []
        for number, (step, its) in enumerate(zip(work.steps, partials, strict=True)):
            columns = its.fields(f"{PREFIX}partial_{number}")
            fields += columns
            steps.append(replace(step, arguments=tuple(field.name for field in columns), condition=None))
        return cls(work, replace(work, steps=tuple(steps)), partials, pa.schema(fields), reported or work)

    @property
    def bundles(self) -> Bundles:
        """How partials travel: those of a key together."""
        return Bundles(self.schema, tuple(_unique(list(self.work.partition_by))))


class PaneReducer:
    """Tuples in, in batches and in any order; partials of panes out.

    Where a buffer's panes turn out to hold hardly more than a tuple each (many keys, few tuples), the tuples of the next buffers
    *pass*: each becomes a partial of its own as it comes, without being held or grouped. Then a buffer is reduced again, to see.
    """

    def __init__(self, plan: PanesFirst, rows: int | None = None, size: int = BYTES) -> None:
        self.plan, self.work = plan, plan.work
        self.most_rows, self.most_bytes = rows or ROWS, size
        self.passing = 0  # how many tuples are still to pass
        assert plan.work.key is not None
        self.key = plan.work.key
        self.framing: Any = extents_of(plan.work.extent, self.key)
        self.rule = extent_panes(self.framing)
        buffer = Buffer()
        for step in self.work.steps:
            levels_of(step, buffer)
        self.reads = _unique([name for source in buffer.columns for name in source.names()])

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Partials, whenever the buffer is full, and at the end."""
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
        """The tuples that lie in an extent (None: all), and their attributes: as ``ExtentFraming`` sees it."""
        keys, side = self.key.read(batch.column(self.key.column))
        within = side == PLAIN
        if keys.dtype == np.float64:
            within &= np.isfinite(keys)
        if not within.all():
            keys = keys[within]
        if len(keys):
            self.framing.check_room(self.key, keys)
            if isinstance(self.framing, Hops) and self.framing.size < self.framing.every:
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
        """The tuples by (key, pane), and where each begins; or as they are, where that has not paid."""
        if self.passing:
            self.passing = max(self.passing - len(keys), 0)
            return None, np.arange(len(keys))
        by = [pa.chunked_array([batch.column(name)]) for name in self.work.partition_by]
        groups = partition_numbers(by) if by else None
        order, start = grouped(groups, self._panes(keys))
        if len(start) > _LITTLE * self.most_rows:  # so the buffer was about full
            self.passing = _BUFFERS * self.most_rows
        return order, start

    def _panes(self, keys: Keys) -> npt.NDArray[Any]:
        if keys.dtype == np.float64:  # a rounded quotient may tell the last extent from the first one otherwise
            lowest, highest = self.framing.numbers(keys)
            return np.asarray(lowest + highest)
        return np.asarray(self.rule.of_keys(keys))


class PaneGroups(GroupOperator):
    """Sorted partials in, a row per (partition, extent) out."""

    def __init__(self, plan: PanesFirst, schema: pa.Schema) -> None:
        self.plan = plan
        super().__init__(plan.merging, schema)

    def made_evaluators(self) -> list[Evaluator]:
        steps = zip(self.plan.merging.steps, self.plan.partials, strict=True)
        return [its.evaluator(list(step.arguments), self.buffer) for step, its in steps]


def grouped(groups: Positions | None, panes: npt.NDArray[Any]) -> tuple[Positions | None, Positions]:
    """The rows ordered by (group, pane), None where they are so already; and where each (group, pane) begins in that order."""
    levels = [panes] if groups is None else [groups, panes]
    return Levels([(pa.array(level), True, True) for level in levels]).groups()


def _cut(start: Positions, cuts: Positions) -> Positions:
    """The panes' starts, and the cuts: a pane that is cut has a partial more."""
    at = np.searchsorted(start, cuts)
    fresh = np.append(start, -1)[at] != cuts
    return np.insert(start, at[fresh], cuts[fresh])


def _located(batch: pa.RecordBatch, work: Pass, order: Positions | None) -> Buffer:
    """Where the tuples are, to tell of an error in a hook."""
    buffer = Buffer()
    for name in work.position_columns:
        buffer.plain(name)
    buffer.append(batch if order is None else batch.take(pa.array(order)))
    return buffer


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


_NOWHERE = Sequence(None, False)  # a tuple's number in its partition is not known before the sort
