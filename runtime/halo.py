"""A shard of a partition that was cut: only its own tuples yield, and its halo must be large enough.

::

    order value    3   5   5   6   8 |  9   9
    mark          -1   0   0   0   0    1   1        the halo is in the frames, and gives no result
"""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Halo
from inwindow.runtime.buffer import ArrowColumn, Buffer
from inwindow.udaf.errors import DataError
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.slots import Slots


class SlotsOfShard:
    """The yield tuples of other slots, but none in a halo."""

    def __init__(self, slots: Slots, buffer: Buffer, mark: ArrowColumn) -> None:
        self.slots, self.buffer, self.mark = slots, buffer, mark

    def ready(self, sequence: Sequence) -> int:
        return self.slots.ready(sequence)

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        at = self.slots.yields(sequence, first, last)
        if not len(at) or self.mark.array is None:
            return at
        mark = self.mark.array.to_numpy()
        return at[mark[at - self.buffer.base] == 0]


class HaloCheck:
    """Counts each halo. Where it ends was chosen from a sample; if the data were other data then, an error says so.

    The shards of a task come one after another, each with its halo before it and behind it.
    """

    def __init__(self, halo: Halo) -> None:
        self.halo = halo
        self.counts = bool(any(halo.before) or any(halo.after))
        self.shard = 0
        self.seen = {-1: 0, 0: 0, 1: 0}  # tuples of the shard so far, by their mark

    def __call__(self, batch: pa.RecordBatch) -> None:
        if not self.counts:
            return
        shards = _numbers(batch, self.halo.shard)
        if self.shard == 0 and not shards.any():
            return
        marks = np.sign(_numbers(batch, self.halo.mark))
        edges = [0, *(np.flatnonzero(shards[1:] != shards[:-1]) + 1).tolist(), len(shards)]
        for begin, end in zip(edges, edges[1:], strict=False):
            if shards[begin] != self.shard:
                self.finish()
                self.shard = int(shards[begin])
            for mark in self.seen:
                self.seen[mark] += int((marks[begin:end] == mark).sum())

    def finish(self) -> None:
        """The shard has ended: look whether its halo was large enough."""
        its, self.seen = self.seen, dict.fromkeys(self.seen, 0)
        if not its[0]:
            return
        for mark, wanted, where in ((-1, self.halo.before, "before"), (1, self.halo.after, "behind")):
            if its[mark] < wanted[self.shard]:
                raise DataError(
                    f"a partition was cut into shards, and {wanted[self.shard]} tuples {where} a shard were there when its "
                    f"order values were sampled, but now there are {its[mark]}: the data have changed since, or give other order "
                    "values each time they are computed; use hot_keys='off', or cache the DataFrame"
                )


def _numbers(batch: pa.RecordBatch, name: str) -> Any:
    return batch.column(name).to_numpy()
