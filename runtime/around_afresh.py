"""Frames with a hole whose tuples are gathered, to be folded afresh or in the order in which they enter."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Step
from inwindow.runtime.around import AroundHole, Runs, placing, sweep
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.hooks import Unfit
from inwindow.windows.sequence import Positions, Sequence

_AT_ONCE = 1 << 20  # tuples that are gathered at a time


class Gathered(AroundHole):
    """Each frame is folded afresh: its tuples are gathered, some million at a time, and folded as frames that share none."""

    begins_anew = True

    def __init__(self, step: Step, buffer: Buffer, folding: Any) -> None:
        super().__init__()
        self.step, self.buffer, self.folding = step, buffer, folding
        names = dict.fromkeys([*step.arguments, *([] if step.condition is None else [step.condition])])
        self.columns = {name: buffer.plain(name) for name in names}
        self.numbers: Positions | None = None

    def arrive(self, sequence: Sequence) -> None:
        native = self.step.implementation.native
        if native is not None and native.reads == "numbered":
            self.numbers = sequence.numbers(np.arange(self.buffer.base, self.buffer.end))

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        length = np.add.reduce([end - start for start, end in runs])
        offsets = np.append(0, np.cumsum(length))
        results: list[pa.Array] = []
        first = 0
        while first < len(at):
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + _AT_ONCE, side="right")) - 1)
            part = [(start[first:last], end[first:last]) for start, end in runs]
            edges = np.ascontiguousarray(offsets[first : last + 1] - offsets[first])
            results.append(self.folded(at[first:last], _members(part), edges[:-1], edges[1:]))
            first = last
        return concat(results, self.step.implementation.result)

    def folded(
        self, at: Positions, members: Positions, start: Positions, end: Positions, left: Positions | None = None
    ) -> pa.Array:
        """The results of the tuples ``at``, whose frames are members[start[i] : end[i]]; with ``left``, those of a sweep."""
        index = pa.array(members - self.buffer.base)
        taken = [column.array.take(index) for column in self.columns.values() if column.array is not None]
        batch = (
            pa.record_batch(taken, list(self.columns)) if taken else pa.record_batch([pa.nulls(len(members))], ["_"])
        )
        buffer = Buffer()
        evaluator = self.folding(buffer)
        buffer.append(batch)
        if self.numbers is not None:
            evaluator.arrive(_Numbered(self.numbers[members - self.buffer.base]))

        def place(raised: Any) -> int:
            is_last = isinstance(raised, Unfit) or raised.hook == "terminate"
            return int(at[raised.frame] if is_last else members[raised.position])

        with placing(place):
            result: pa.Array = evaluator.roll(start, end) if left is None else evaluator.sweep(left, start, end)
            return result


class InOrder(Gathered):
    """A kernel over the tuples as they enter, those twice that enter twice.

    Where as many tuples lie before a hole as behind it, they leave in the order in which they enter. Otherwise a kernel that lets
    any tuple go takes the order in which they leave; for one that takes out the oldest only, frames are folded ``afresh``.
    """

    def __init__(self, step: Step, buffer: Buffer, folding: Any, afresh: Gathered) -> None:
        super().__init__(step, buffer, folding)
        self.otherwise = afresh
        self.evicts_any = step.case.traits.evicts_any

    def arrive(self, sequence: Sequence) -> None:
        super().arrive(sequence)
        self.otherwise.arrive(sequence)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        its = sweep(runs)
        if its.left is None or self.evicts_any:
            return self.folded(at, its.entered, its.start, its.end, its.left)
        return self.otherwise.around(at, runs)


class _Numbered:
    """The numbers of gathered tuples in their partitions, in the place of a sequence."""

    def __init__(self, given: Positions) -> None:
        self.given = given

    def numbers(self, at: Positions) -> Positions:
        return self.given[at]


def _members(runs: Runs) -> Positions:
    """The tuples of all frames, one frame after another, run by run."""
    start = np.stack([start for start, _ in runs], axis=1).ravel()
    count = np.stack([end - start for start, end in runs], axis=1).ravel()
    before = np.cumsum(count) - count
    found: Positions = np.arange(count.sum()) + np.repeat(start - before, count)
    return found
