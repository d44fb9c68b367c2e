"""The tuples of a task: collected as they arrive, given out in the order of a pass; and results put back in the order of arrival.

::

    arrive     k  b a b a        row 0 1 2 3         held up to a budget; beyond it sorted runs go to disk
    in order   k  a a b b        row 1 3 0 2         for the operator
    results       x y z w        row 1 3 0 2
    back          z x w y        row 0 1 2 3

So an engine need not sort for us: results do not depend on the order in which it delivers rows.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.moving import ByArrival, slices
from inwindow.runtime.operator import merged
from inwindow.runtime.ordering import permutation_by_value
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.scratch import ScratchFile
from inwindow.runtime.sorted_runs import Runs
from inwindow.windows.sequence import Positions

ROW = f"{PREFIX}row"  # a tuple's number in the order of arrival
ROW_FIELD = pa.field(ROW, pa.int64())
_STEP = 1 << 16  # tuples for one call of the operator: bounds and results of a call stay in the cache
_BYTES = 1 << 24
_COPIES = 2  # the tuples are held twice while they are sorted: as they arrived, and in order
_BUCKETS = 64  # files of results, each for a part of the order of arrival

Spilled = Callable[[int], None]  # called with the size of each file that was written


def numbered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add the number of arrival as the last column."""
    rows = 0
    for batch in batches:
        yield batch.append_column(ROW, pa.array(np.arange(rows, rows + batch.num_rows)))
        rows += batch.num_rows


class Arrivals:
    """The tuples of a task, in any order."""

    def __init__(self, work: Pass, budget: int, spilled: Spilled) -> None:
        self.work, self.budget, self.spilled = work, budget, spilled
        self.rows = 0
        self.runs: Runs | None = None
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self.in_place = True  # whether they arrived in the order of the pass; set by in_order()

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self.rows += batch.num_rows
        self._size += batch.nbytes
        if self._size > self.budget // _COPIES:
            self._spill()

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """All tuples in the order of the pass; the memory of each is released when it has been given out."""
        if self.runs is None:
            given = self._sorted()
        else:
            if self._held:
                self._spill()
            self.in_place = False
            given = self.runs.merged()
        return in_steps(given)

    def _order(self, table: pa.Table) -> Positions | None:
        return permutation_by_value(table, self.work)

    def _sorted(self) -> Iterator[pa.RecordBatch]:
        held, self._held, self._size = self._held, [], 0
        if not held:
            return iter(())
        table = pa.Table.from_batches(held)
        order = self._order(table)
        if order is None:
            return iter(held)
        self.in_place = False
        return slices(table, order, _STEP)

    def _spill(self) -> None:
        if self.runs is None:
            self.runs = Runs(self._order, self.budget)
        schema, before = self._held[0].schema, self.runs.written
        rows = sum(batch.num_rows for batch in self._held)
        row_bytes = self._size // max(rows, 1)
        self.runs.add(self._sorted(), schema, row_bytes)
        self.spilled(self.runs.written - before)


def in_steps(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches so large that the operator's cost per batch does not matter."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _STEP or size >= _BYTES:
            yield from merged(held)
            held, rows, size = [], 0, 0
    yield from merged(held)


class Results:
    """Takes results in the order of a pass, with ``ROW`` as the first column; gives them in the order of arrival, without it.

    Beyond the budget they go to files, each for a part of the order of arrival, and these are then sorted one by one.
    """

    def __init__(self, schema: pa.Schema, rows: int, budget: int, spilled: Spilled) -> None:
        self.schema, self.rows, self.budget, self.spilled = schema, rows, budget, spilled
        self.stretch = max(-(-rows // _BUCKETS), 1)
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self._files: list[ScratchFile] = []

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self._size += batch.nbytes
        if self._size > self.budget // _COPIES:
            self._spill()

    def in_order_of_arrival(self) -> Iterator[pa.RecordBatch]:
        if not self._files:
            yield from _back(self._held, 0)
            return
        self._spill()
        for number, file in enumerate(self._files):
            yield from _back(list(file.read()), number * self.stretch)

    def _spill(self) -> None:
        if not self._held:
            return
        if not self._files:
            self._files = [ScratchFile(self.schema) for _ in range(-(-self.rows // self.stretch))]
        before = sum(file.written for file in self._files)
        for step in in_steps(_let_go(self._held)):
            place = (step.column(0).to_numpy() // self.stretch).astype(np.uint16)
            order = np.argsort(place, kind="stable")
            edges = np.searchsorted(place[order], np.arange(len(self._files) + 1))
            for file, first, last in zip(self._files, edges, edges[1:], strict=False):
                if first < last:
                    file.write(step.take(pa.array(order[first:last])))
        self._size = 0
        self.spilled(sum(file.written for file in self._files) - before)


def _let_go(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches, without keeping any of them alive."""
    batches.reverse()
    while batches:
        yield batches.pop()


def _back(batches: list[pa.RecordBatch], first: int) -> Iterator[pa.RecordBatch]:
    """The results of the rows from ``first`` on, in order; all of them have arrived."""
    if not batches:
        return
    schema = pa.schema(list(batches[0].schema)[1:])
    arrivals = ByArrival(schema, sum(batch.num_rows for batch in batches))
    for batch in _let_go(batches):
        arrivals.put(batch.select(schema.names), batch.column(0).to_numpy() - first)
    yield from arrivals.table().to_batches(max_chunksize=_STEP)
