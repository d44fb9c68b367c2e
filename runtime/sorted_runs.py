"""Sorted runs on disk, and how they are merged: for more tuples than a task may hold.

::

    run 1    [1 4 7 | 9 9 12 | ...        each run is sorted, and read in blocks
    run 2    [2 3 5 |  8 11 13 | ...
    merge    the smallest last row of a block is the limit (5): all rows up to it are known, and can be sorted and given out

Rows are compared only by sorting in memory (:mod:`inwindow.runtime.ordering`), so runs may have columns of any type. Ties stay
in the order of arrival, because runs are kept in that order and the sort is stable.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from inwindow.runtime.moving import slices
from inwindow.runtime.scratch import ScratchFile
from inwindow.windows.sequence import Positions

Order = Callable[[pa.Table], Positions | None]  # the permutation; None if rows are in order already

_FAN_IN = 32  # how many runs are merged at once
_MOST_ROWS, _FEWEST_ROWS = 1 << 14, 64  # of a block


class Runs:
    """Sorted runs, in the order of arrival. As soon as there are many of one length, they are merged into one longer run."""

    def __init__(self, order: Order, budget: int) -> None:
        self.order, self.budget = order, budget
        self.levels: list[list[ScratchFile]] = [[]]  # of level n: each made of _FAN_IN runs of level n - 1
        self.written = 0  # bytes, of all files
        self.block = 0  # rows

    def add(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema, row_bytes: int) -> None:
        """Add a run of sorted batches."""
        if not self.block:
            fitting = self.budget // (4 * _FAN_IN * max(row_bytes, 1))
            self.block = min(max(fitting, _FEWEST_ROWS), _MOST_ROWS)
        self._write(0, batches, schema)

    def _write(self, level: int, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        file = ScratchFile(schema)
        for batch in batches:
            for start in range(0, batch.num_rows, self.block):
                file.write(batch.slice(start, self.block))
        self.written += file.written
        if level == len(self.levels):
            self.levels.append([])
        self.levels[level].append(file)
        if len(self.levels[level]) == _FAN_IN:
            runs, self.levels[level] = self.levels[level], []
            self._write(level + 1, merged(runs, self.order), schema)

    def merged(self) -> Iterator[pa.RecordBatch]:
        while True:
            runs = [run for level in reversed(self.levels) for run in level]  # older runs are on higher levels
            if len(runs) <= _FAN_IN:
                return merged(runs, self.order)
            low = next(level for level, its in enumerate(self.levels) if its)
            its, self.levels[low] = self.levels[low], []
            self._write(low + 1, merged(its, self.order), its[0].schema)


@dataclass
class _Front:
    """The current block of a run in a merge, and the blocks after it."""

    block: pa.RecordBatch
    behind: Iterator[pa.RecordBatch]
    following: pa.RecordBatch | None

    @classmethod
    def of(cls, run: ScratchFile) -> "_Front | None":
        behind = run.read()
        block = next(behind, None)
        return None if block is None else cls(block, behind, next(behind, None))

    def drop(self, count: int) -> bool:
        """Skip the rows that have been given out; return whether any are left."""
        self.block = self.block.slice(count)
        if not self.block.num_rows and self.following is not None:
            self.block, self.following = self.following, next(self.behind, None)
        return bool(self.block.num_rows)


def merged(runs: list[ScratchFile], order: Order) -> Iterator[pa.RecordBatch]:
    fronts = [front for front in map(_Front.of, runs) if front is not None]
    while fronts:
        near, limit = _near(fronts, order)
        table = pa.Table.from_batches([front.block for front in near])
        rows = order(table)
        lengths = [front.block.num_rows for front in near]
        if limit is not None:
            last = sum(lengths[: limit + 1]) - 1  # the limit is the last row of its block
            count = last + 1 if rows is None else int(np.flatnonzero(rows == last)[0]) + 1
            rows = np.arange(count) if rows is None else rows[:count]
        yield from slices(table, rows, len(table))
        edges = np.cumsum([0, *lengths])
        counts = np.diff(edges) if rows is None else np.histogram(rows, edges)[0]
        ended = [front for front, count in zip(near, counts, strict=True) if not front.drop(int(count))]
        fronts = [front for front in fronts if all(front is not one for one in ended)]


def _near(fronts: list[_Front], order: Order) -> tuple[list[_Front], int | None]:
    """The blocks with rows up to the limit, and which of them ends with it; no limit if everything is in memory.

    Blocks whose first row is after the limit do not take part, so runs that do not overlap are not compared.
    """
    open_ones = [front for front in fronts if front.following is not None]
    if not open_ones:
        return fronts, None
    firsts = [front.block.slice(0, 1) for front in fronts]
    lasts = [front.block.slice(front.block.num_rows - 1) for front in open_ones]
    fence = pa.Table.from_batches([*firsts, *lasts])  # equal rows of earlier runs come first, so their blocks take part
    rows = order(fence)
    rank = np.arange(len(fence)) if rows is None else np.argsort(rows)
    limit = int(np.argmin(rank[len(fronts) :]))
    near = [front for at, front in enumerate(fronts) if rank[at] <= rank[len(fronts) + limit]]
    return near, next(at for at, front in enumerate(near) if front is open_ones[limit])
