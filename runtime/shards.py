"""Shards of a hot key's partition: their halos, and frames that begin with the partition.

::

    order value    3   5   5   6   8 |  9   9
    mark          -1   0   0   0   0    1   1        the halo is in the frames, but gives no results

    shard 3:   carried p p p  +  halo | own tuples . . . . .
                                 t t  | t t t t t t t t t t       a result for each, of all before it in the partition
                                        ^ the frame starts here, with the carried partials of earlier shards

An aggregate that starts with partials is *continued*: :class:`ContinuedKernel` for a built-in, :class:`ContinuedHooks` for a class.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._fresh import changed
from inwindow.native._hooks import HookRaised
from inwindow.native._two_stacks import MergePanes
from inwindow.optimizer.plan import Carried, Halo, Step
from inwindow.runtime.buffer import ArrowColumn, Buffer, concat
from inwindow.runtime.cascade import joined
from inwindow.runtime.evaluators import Evaluator, KernelEvaluator
from inwindow.runtime.hooks import Answers, Arguments
from inwindow.runtime.states import aggregates_of
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import DataError
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.slots import Slots
from inwindow.windows.stateful import Stateful

Columns = tuple[Any, ...]


class SlotsOfShard:
    """The yield tuples of other slots, without those in a halo."""

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


class ContinuedKernel(Stateful):
    """A built-in: the second level of its cascade runs over the carried partials, and after them a partial per tuple.

    The level is new for each batch, so it holds only a batch and the carried partials. The tuples of a finished batch are
    replaced by one partial.
    """

    kept = ("partials", "folded")

    def __init__(self, uncut: KernelEvaluator) -> None:
        assert uncut.native.cascade is not None
        self.given, self.native, self.cascade = uncut.given, uncut.native, uncut.native.cascade
        self.partials: Columns = ()  # of all tuples before `folded` in the partition
        self.folded = 0

    def begin(self, partials: Columns, at: int) -> None:
        self.partials, self.folded = partials, at

    def roll(self, end: Positions) -> pa.Array:
        fresh = np.arange(self.folded, int(end[-1]))
        partials = self._and(fresh, fresh + 1)
        before = len(self.partials[0])
        results = self.cascade.window().roll(partials, 0, np.zeros(len(end), np.int64), before + (end - self.folded))
        self.fold(int(end[-1]))
        return self.native.finish(results)

    def fold(self, end: int) -> None:
        if end > self.folded:
            self.partials = self._and(np.array([self.folded]), np.array([end]))
            self.folded = end

    def _and(self, start: Positions, end: Positions) -> Columns:
        """The partials so far, followed by those of some tuples."""
        if not len(start):
            return self.partials
        fresh = self.cascade.reduce().roll_partials(*self.given.read(), start, end, *self.given.seen())
        return tuple(joined(a, b) for a, b in zip(self.partials, fresh, strict=True))


class ContinuedHooks(Stateful):
    """A Python class: the carried states are merged into one, from which its hooks continue."""

    kept = ("begins", "driver")

    def __init__(self, arguments: Arguments, answers: Answers, aggregate: Aggregate, driver: Any) -> None:
        self.arguments, self.answers = arguments, answers
        self.aggregate, self.driver = aggregate, driver
        self.begins = 0

    def begin(self, partials: Columns, at: int) -> None:
        """Merge the carried states; None if no hook has seen a tuple yet."""
        aggregates = aggregates_of(self.aggregate, partials[0])
        uncut = None
        if aggregates:
            merging = MergePanes(self.aggregate, result="state")
            try:
                (uncut,) = merging.roll(aggregates, 0, np.zeros(1, np.int64), np.array([len(aggregates)]))
            except HookRaised as raised:
                raised.position = at
                raise
        self.begins = at - 1  # a position for everything that is carried: the driver has folded it, and never reads it
        self.driver.restore((at - 1, at, int(uncut is not None), changed(uncut, self.aggregate), ((), None)))

    def roll(self, end: Positions) -> pa.Array:
        start = np.full(len(end), self.begins)
        return self.answers.rolled(lambda: self.driver.roll(*self.arguments.read(), start, end), end)

    def fold(self, end: int) -> None:
        self.driver.absorb(*self.arguments.read(), self.begins, end)


Continued = ContinuedKernel | ContinuedHooks


class FromCarried(Evaluator):
    """One step over such frames; partitions that are not cut (shard 0) go to their usual evaluator."""

    kept = ("lo", "hi", "begins", "numbers", "own", "seen", "run", "continued", "uncut")

    evicts = False

    def __init__(
        self, step: Step, uncut: Evaluator, continued: Continued, buffer: Buffer, halo: Halo, carried: Carried
    ) -> None:
        super().__init__()
        self.result, self.uncut, self.continued, self.buffer = step.implementation.result, uncut, continued, buffer
        self.carried, self.columns = carried, carried.columns[step.name]
        self.shards, self.marks = buffer.plain(halo.shard), buffer.plain(halo.mark)
        # The arrived runs of tuples of one shard: where each begins, its shard, its first own tuple (-1: none yet)
        self.begins, self.numbers, self.own = [0], [0], [-1]
        self.seen = 0
        self.run = 0  # the current run

    def arrive(self, sequence: Sequence) -> None:
        self.uncut.arrive(sequence)
        if self.seen == self.buffer.end:
            return
        new = self.seen - self.buffer.base
        assert self.shards.array is not None and self.marks.array is not None
        shards, marks = self.shards.array.to_numpy()[new:], self.marks.array.to_numpy()[new:]
        edges = np.flatnonzero(np.append(shards[0] != self.numbers[-1], shards[1:] != shards[:-1]))
        for edge in edges.tolist():
            self.begins.append(self.seen + edge)
            self.numbers.append(int(shards[edge]))
            self.own.append(-1)
        own = np.flatnonzero(marks >= 0)
        for run in range(len(self.begins) - len(edges) - 1, len(self.begins)):
            at = np.searchsorted(own, max(self.begins[run] - self.seen, 0))
            last = self.begins[run + 1] - self.seen if run + 1 < len(self.begins) else len(marks)
            if self.own[run] < 0 and at < len(own) and own[at] < last:
                self.own[run] = self.seen + int(own[at])
        self.seen = self.buffer.end

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        runs = np.searchsorted(self.begins, start, side="right") - 1
        edges = [0, *(np.flatnonzero(runs[1:] != runs[:-1]) + 1).tolist(), len(runs)]
        results = []
        for first, last in zip(edges, edges[1:], strict=False):
            if first < last:
                run, ends = int(runs[first]), end[first:last]
                if self.numbers[run]:
                    self._enter(run)
                    results.append(self.continued.roll(ends))
                else:
                    results.append(self.uncut.roll(start[first:last], ends))
        return concat(results, self.result)

    def fold(self, start: int, end: int) -> None:
        run = int(np.searchsorted(self.begins, start, side="right")) - 1
        if not self.numbers[run]:
            self.uncut.absorb(start, end)
        elif 0 <= self.own[run] < end:
            self._enter(run)
            self.continued.fold(end)

    def _enter(self, run: int) -> None:
        """Start with the partials that are carried into the shard."""
        if self.run != run:
            self.run, number = run, self.numbers[run]
            begin, end = self.carried.begins[number], self.carried.ends[number]
            self.continued.begin(tuple(column[begin:end] for column in self.columns), self.own[run])


class HaloCheck:
    """Counts the tuples of each halo. Its end was chosen from a sample; if the data have changed since, an error says so.

    The shards of a task come one after another, each between the two parts of its halo.
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
        """The shard has ended: check that its halo was large enough."""
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


class DigestCheck:
    """Sums the digest of each shard. If the data have changed since its partials were made, an error says so."""

    def __init__(self, halo: Halo, carried: Carried) -> None:
        self.halo, self.carried = halo, carried
        self.sums: dict[int, int] = {}  # of shards that have begun

    def __call__(self, batch: pa.RecordBatch) -> None:
        shards, marks, digests = (
            batch.column(name).to_numpy() for name in (self.halo.shard, self.halo.mark, self.carried.digest)
        )
        if not shards.any():
            return
        edges = [0, *(np.flatnonzero(shards[1:] != shards[:-1]) + 1).tolist()]
        sums = np.add.reduceat(np.where(marks == 0, digests, 0), edges)
        for edge, its in zip(edges, sums.tolist(), strict=True):
            number = int(shards[edge])
            self.sums[number] = self.sums.get(number, 0) + its

    def finish(self) -> None:
        """All shards have ended."""
        for number, its in self.sums.items():
            expected = self.carried.digests[number]
            if number and expected is not None and its != expected:
                raise DataError(
                    "a partition was cut into shards, and partials of a shard were made when you called; but now there are "
                    "other tuples in it: the data have changed since, or give other values each time they are computed; use "
                    "hot_keys='off', or cache the DataFrame"
                )


def checked_shards(halo: Halo | None, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The tuples of shards; an error if the data have changed since the sample, or since the partials were made."""
    if halo is None:
        yield from batches
        return
    checks: list[HaloCheck | DigestCheck] = [HaloCheck(halo)]
    if halo.carried is not None:
        checks.append(DigestCheck(halo, halo.carried))
    for batch in batches:
        for check in checks:
            check(batch)
        yield batch
    for check in checks:
        check.finish()
