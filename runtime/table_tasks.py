"""The task of an operator on relations: it sorts its rows by their keys, and runs the operator on some keys at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrivals import Arrivals
from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import Sides
from inwindow.runtime.tasks import Batches, Room, Task
from inwindow.windows.neighbours import changes

_LEAST = 1 << 17  # rows to run the operator on; keys with fewer rows are taken together


@dataclass(frozen=True)
class OnTables(Task):
    """Runs the operator on the rows of a task."""

    operation: Operation
    sides: Sides

    @property
    def works(self) -> tuple[Pass, ...]:
        return ()

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        known = self.sides.known
        given = (
            ([batch] for batch in batches) if known is None else bundles(batches, known, room, self.operation.at_once)
        )
        for bundle in given:
            result = self.operation.run(*self.sides.tables(pa.Table.from_batches(bundle, schema)))
            yield from result.combine_chunks().to_batches()


def bundles(batches: Batches, keys: Sequence[str], room: Room, at_once: int) -> Iterator[list[pa.RecordBatch]]:
    """The rows of some whole keys at a time, within the task's memory; all as they come if they are few, or there are no keys."""
    if not keys:
        yield list(batches)
        return
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > at_once or size > room.budget:
            batches = chain(held, batches)
            break
    else:
        if held:
            yield held
        return
    arrivals = Arrivals(Pass(tuple(keys), (), (), None, None, False), room.budget, room.spilled)
    for batch in batches:
        arrivals.add(batch)
    yield from whole_keys(arrivals.in_order(), keys)


def whole_keys(batches: Batches, keys: Sequence[str], least: int = _LEAST) -> Iterator[list[pa.RecordBatch]]:
    """Join batches that are sorted by keys into bundles of whole keys; each has at least ``least`` rows, except the last."""
    held: list[pa.RecordBatch] = []
    rows, last = 0, None
    for batch in batches:
        columns = [batch.column(name) for name in keys]
        begins = np.flatnonzero(changes(columns, last)) if last is not None else np.zeros(0, dtype=np.int64)
        last = [column.slice(batch.num_rows - 1) for column in columns]
        if rows + batch.num_rows >= least and len(begins):
            cut = int(begins[-1])
            yield [*held, batch.slice(0, cut)]
            held, rows = [], 0
            batch = batch.slice(cut)
        held.append(batch)
        rows += batch.num_rows
    if held:
        yield held
