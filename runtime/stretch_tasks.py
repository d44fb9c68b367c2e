"""The tasks for relations that are cut by time: run the operator on stretches, and afterwards join results at the cuts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.plan import Pass
from inwindow.runtime.operation import NUMBER, Between, Operation
from inwindow.runtime.reserved import STRETCH
from inwindow.runtime.sides import Sides
from inwindow.runtime.stitching import begins, reaches, stitched
from inwindow.runtime.stretches import Bound
from inwindow.runtime.table_tasks import bundles
from inwindow.runtime.tasks import Batches, Room, Task

Bounds = list[tuple[Bound, Bound]]


@dataclass(frozen=True)
class OnStretches(Task):
    """Runs the operator on each stretch of a cut key, and on other keys as a whole.

    Rows come with their STRETCH. Results have the columns of ``schema``: those of parts and the STRETCH of a row that touches a
    cut (0 in others) are the last ones, where results go on from one stretch to the next.
    """

    operation: Operation
    sides: Sides
    bounds: Bounds  # by the number of the stretch
    schema: pa.Schema
    gives: Literal["all", "whole", "touching"] = "all"  # or only rows that touch no cut, or only those that do

    @property
    def works(self) -> tuple[Pass, ...]:
        return ()

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        for bundle in bundles(batches, (STRETCH, *(self.sides.known or ())), room, self.operation.at_once):
            rows = pa.Table.from_batches(bundle, schema)
            for number in pc.unique(rows.column(STRETCH)).to_pylist():
                its = rows.filter(pc.equal(rows.column(STRETCH), number))
                for part in self._results(its, number):
                    yield from part.combine_chunks().to_batches()

    def _results(self, rows: pa.Table, number: int) -> Iterator[pa.Table]:
        since, until = self.bounds[number]
        if number == 0 and self.gives == "touching":
            return
        if number == 0:
            given = Between(self.operation.run(*self.sides.tables(rows)))
        else:
            beside = [NUMBER] if self.operation.is_numbered else []
            given = self.operation.between(self.sides.tables(rows, beside), since, until)
        if self.gives != "touching":
            yield self._marked(given.rows, np.zeros(len(given.rows), dtype=bool), number)
        if given.parts is not None:
            touches = np.zeros(len(given.parts), dtype=bool)
            if since is not None:
                touches |= begins(given.parts, since).to_numpy()
            if until is not None:
                touches |= reaches(given.parts, until).to_numpy()
            if self.gives == "all":
                yield self._marked(given.parts, touches, number)
            elif self.gives == "whole":
                yield given.parts.filter(pa.array(~touches)).select(self.schema.names)
            else:
                yield self._marked(given.parts.filter(pa.array(touches)), touches[touches], number)

    def _marked(self, rows: pa.Table, touches: np.ndarray, number: int) -> pa.Table:
        for field in list(self.schema)[len(rows.schema) :]:
            column = pa.array(touches * np.int32(number)) if field.name == STRETCH else pa.nulls(len(rows), field.type)
            rows = rows.append_column(field, column)
        return rows


@dataclass(frozen=True)
class AtCuts(Task):
    """Joins parts that touch a cut with their continuations; other rows do not change. All parts are in one task."""

    operation: Operation
    schemas: tuple[pa.Schema, ...]
    bounds: Bounds
    result: pa.Schema

    @property
    def works(self) -> tuple[Pass, ...]:
        return ()

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        names = self.result.names
        touching: list[pa.RecordBatch] = []
        for batch in batches:
            at_cut = pc.greater(batch.column(STRETCH), 0)
            if at_cut.true_count:
                touching.append(batch.filter(at_cut))
                batch = batch.filter(pc.invert(at_cut))
            if batch.num_rows:
                yield batch.select(names)
        if touching:
            for part in self._joined(pa.Table.from_batches(touching)):
                yield from part.select(names).combine_chunks().to_batches()

    def _joined(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Stretch by stretch; the last one of a key leaves nothing open."""
        matched, compared = self.operation.matched(*self.schemas), self.operation.compared(*self.schemas)
        opened: pa.Table | None = None
        for number, (since, until) in enumerate(self.bounds[1:], 1):
            new = rows.filter(pc.equal(rows.column(STRETCH), number))
            decided, opened = stitched(None if since is None else opened, new, since, until, matched, compared)
            yield decided
