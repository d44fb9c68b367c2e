"""Evaluators of frames with a hole: each frame is up to three runs of tuples, whose ends never move backwards.

::

    frame                  [start ... first)    i    [last ... end)
    by results             a kernel per run; their results are put together, where that is right (sums, extremes)
    by partials            the same, with partials
    by stacks              two stacks per run; a result merges their aggregates
    by entering again      one aggregate or kernel: a tuple is expired as it falls into the hole, and iterated again behind it
    afresh                 the tuples of each frame are gathered and folded

The first three go on from call to call. The others begin anew with each call, so an operator lets as many tuples wait as it holds.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.native._results import column
from inwindow.optimizer.plan import Step
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.cascade import joined
from inwindow.runtime.evaluators import Evaluator, KernelEvaluator, KernelInput
from inwindow.runtime.hooks import Answers, Arguments, Unfit
from inwindow.runtime.run_stacks import Feed, RunStacks, whole
from inwindow.udaf.native import Native
from inwindow.windows.bounds import Bounds
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.stateful import Stateful

Runs = list[Bounds]
_AT_ONCE = 1 << 20  # tuples that are gathered at a time
_PIECE = 1 << 13  # frames whose partials are made at a time


class AroundHole(Evaluator):
    """Runs in, results out."""

    begins_anew: ClassVar[bool] = False  # whether each call folds the tuples of its first frame again

    @abstractmethod
    def around(self, at: Positions, runs: Runs) -> pa.Array:
        """The results of the tuples ``at``, whose frames are these runs, one after another."""

    def keeps_from(self, next_starts: list[int]) -> int:
        """The oldest tuple to hold, if no run of a later frame starts before these."""
        return min(next_starts)

    def keys_from(self, next_starts: list[int]) -> int:
        """The oldest tuple whose order key is needed to find the starts of later runs."""
        return self.keeps_from(next_starts)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """A frame with a hole is not one run."""
        raise NotImplementedError(f"{type(self).__name__} takes runs")


# Kernels, by partials


class RunOfPartials(Stateful):
    """A kernel that gives the partials of one run of each frame."""

    kept = ("lo", "hi", "kernel")

    def __init__(self, given: KernelInput, evicts: bool) -> None:
        cascade = given.native.cascade
        assert cascade is not None and cascade.sliding is not None
        self.given = given
        self.moves = evicts  # whether a run may start inside another one
        self.holds = evicts and given.native.keeps is None  # whether what leaves is read again
        self.kernel = cascade.sliding(evicts)
        self.lo = self.hi = 0

    def roll(self, start: Positions, end: Positions) -> tuple[Any, ...]:
        """The partials of runs, none of them empty."""
        partials: tuple[Any, ...] = self.kernel.roll_partials(*self.given.read(), start, end, *self.given.seen())
        if len(start):
            self.lo, self.hi = int(start[-1]), int(end[-1])
        return partials

    def keeps_from(self, next_start: int) -> int:
        """As :meth:`Evaluator.keep_from`."""
        if not self.holds:
            return max(next_start, self.hi)
        return self.lo if next_start < self.hi else next_start


class ByPartials(AroundHole):
    """A built-in: each run by a kernel of its own; level two of its cascade puts partials together, in order."""

    kept = ("runs",)

    def __init__(self, given: KernelInput, evicts: list[bool]) -> None:
        super().__init__()
        self.given = given
        self.each = [RunOfPartials(given, one) for one in evicts]

    def state(self) -> Any:
        return [run.state() for run in self.each]

    def restore(self, state: Any) -> None:
        for run, its in zip(self.each, state, strict=True):
            run.restore(its)

    def arrive(self, sequence: Sequence) -> None:
        self.given.arrive(sequence)

    def keeps_from(self, next_starts: list[int]) -> int:
        return min(run.keeps_from(start) for run, start in zip(self.each, next_starts, strict=True))

    def keys_from(self, next_starts: list[int]) -> int:
        moving = (start for run, start in zip(self.each, next_starts, strict=True) if run.moves)
        return min(self.keeps_from(next_starts), *moving)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        """In pieces whose partials stay in the processor's cache."""
        pieces = [
            self._around([(start[at:until], end[at:until]) for start, end in runs])
            for at, until in pairwise([*range(0, len(at), _PIECE), len(at)])
        ]
        return concat(pieces, self.given.native.result)

    def _around(self, runs: Runs) -> pa.Array:
        filled = [start < end for start, end in runs]
        count = np.add.reduce(filled, dtype=np.int64)
        offsets = np.append(0, np.cumsum(count))
        partials = [
            run.roll(start, end) if has.all() else run.roll(start[has], end[has])
            for run, (start, end), has in zip(self.each, runs, filled, strict=True)
        ]
        if int(offsets[-1]) == len(runs) * len(count):
            columns = tuple(map(_in_turns, zip(*partials, strict=True)))
        else:
            places = [(offsets[:-1] + np.add.reduce(filled[:k], dtype=np.int64))[has] if k else offsets[:-1][has]
                      for k, has in enumerate(filled)]  # fmt: skip
            columns = tuple(_placed(column, places) for column in zip(*partials, strict=True))
        native = self.given.native
        assert native.cascade is not None
        return native.finish(native.cascade.window().roll(columns, 0, offsets[:-1], offsets[1:]))


class ByResults(AroundHole):
    """A built-in whose results over several runs can be put together: kernels over each run, as over any frame."""

    kept = ("each",)

    def __init__(self, native: Native, given: list[KernelInput], evicts: list[bool], partials: Any) -> None:
        super().__init__()
        self.native, self.given, self.moves_in, self.partials = native, given, evicts, partials
        self._begin()

    def _begin(self) -> None:
        self.each = [[KernelEvaluator(part, one) for one in self.moves_in] for part in self.given]

    def state(self) -> Any:
        return [[run.state() for run in runs] for runs in self.each]

    def restore(self, state: Any) -> None:
        for runs, theirs in zip(self.each, state, strict=True):
            for run, its in zip(runs, theirs, strict=True):
                run.restore(its)

    def arrive(self, sequence: Sequence) -> None:
        for part in self.given:
            part.arrive(sequence)

    def keeps_from(self, next_starts: list[int]) -> int:
        return min(run.keep_from(start) for runs in self.each for run, start in zip(runs, next_starts, strict=True))

    def keys_from(self, next_starts: list[int]) -> int:
        moving = (start for one, start in zip(self.moves_in, next_starts, strict=True) if one)
        return min(self.keeps_from(next_starts), *moving)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        joined = self.native.joined
        assert joined is not None
        try:
            results = [[one.roll(*run) for one, run in zip(each, runs, strict=True)] for each in self.each]
            return joined.join(results)
        except OverflowError:
            if not joined.may_overflow:
                raise
        self._begin()  # the result of a run is too large; that of all may be none
        found: pa.Array = self.partials().around(at, runs)
        return found


def _in_turns(columns: tuple[Any, ...]) -> Any:
    """The first of each column, the second of each, and so on."""
    if isinstance(columns[0], pa.Array):
        length = len(columns[0])
        index = np.arange(len(columns) * length).reshape(len(columns), length).T.ravel()
        return _joined(columns).take(pa.array(index))
    first = columns[0]
    memory = pa.allocate_buffer(
        len(columns) * first.nbytes
    )  # from Arrow's pool, which hands out again what was given back
    found = np.frombuffer(memory, dtype=first.dtype).reshape(len(first), len(columns), *first.shape[1:])
    for turn, one in enumerate(columns):
        found[:, turn] = one
    return found.reshape(-1, *first.shape[1:])


def _placed(columns: tuple[Any, ...], places: list[Positions]) -> Any:
    """Values at their places in one column."""
    together, where = _joined(columns), np.concatenate(places)
    index = np.empty(len(where), dtype=np.int64)
    index[where] = np.arange(len(where))
    return together.take(pa.array(index)) if isinstance(together, pa.Array) else np.ascontiguousarray(together[index])


def _joined(columns: tuple[Any, ...]) -> Any:
    together = columns[0]
    for other in columns[1:]:
        together = joined(together, other)
    return together


# Classes with a merge


class ByStacks(AroundHole):
    """A class with ``merge``: two stacks per run; a result merges what they hold."""

    def __init__(self, prototype: Any, count: int, arguments: Arguments, answers: Answers, empty: Any) -> None:
        super().__init__()
        self.arguments, self.answers, self.empty = arguments, answers, answers.plain(empty)
        self.stacks = [RunStacks(prototype) for _ in range(count)]

    def state(self) -> Any:
        return [stack.state() for stack in self.stacks]

    def restore(self, state: Any) -> None:
        for stack, its in zip(self.stacks, state, strict=True):
            stack.restore(its)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        return self.answers.rolled(lambda: column(self._outcomes(at, runs), self.answers.mode), at + 1)

    def _outcomes(self, at: Positions, runs: Runs) -> list[Any]:
        feed, snapshot = Feed(*self.arguments.read()), self.answers.snapshot
        stacks, outcomes, outcome, before = self.stacks, [], None, None
        frames = zip(*[list(zip(start.tolist(), end.tolist(), strict=True)) for start, end in runs], strict=True)
        for frame, (position, its) in enumerate(zip(at.tolist(), frames, strict=True)):
            if its != before:  # peers share their frame, and terminate runs once for it
                try:
                    for stack, (start, end) in zip(stacks, its, strict=True):
                        stack.move(start, end, feed)
                    found, before = whole(stacks, position), its
                except HookRaised as raised:
                    raised.frame = frame
                    raise
                outcome = self.empty if found is None else self._terminated(found, position, frame)
                outcome = outcome if snapshot is None or found is None else snapshot(outcome)
            outcomes.append(outcome)
        return outcomes

    def _terminated(self, found: Any, position: int, frame: int) -> Any:
        try:
            return found.terminate()
        except Exception as error:
            raised = HookRaised("terminate", position, (), error)
            raised.frame = frame
            raise raised from error


# Classes whose expire is right in any order


class ByEnteringAgain(AroundHole):
    """A class whose ``expire`` undoes any tuple: one aggregate follows all runs at once.

    The tuples of a call are written down as they enter, in the order of time, those that enter twice twice::

        frames     {1 2}  {0 2 3}  {0 1 3}       rows(3) ahead and behind, without the current row
        entered    1 2    0 3      1
        left              1        2
    """

    begins_anew = True

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, in_order: "Gathered | None") -> None:
        super().__init__()
        self.driver, self.arguments, self.answers, self.in_order = driver, arguments, answers, in_order

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        swept = sweep(runs, len(at))
        if self.in_order is not None and swept.left is None:
            return self.in_order.folded(at, swept.entered, swept.start, swept.end)
        entered, left, start, end = swept.entered, swept.left, swept.start, swept.end
        columns, base, seen = self.arguments.read()
        index = entered - base
        places = index.tolist()
        taken = [list(map(values.__getitem__, places)) for values in columns]
        driver = self.driver()
        if left is not None:
            rank = np.empty(len(left), dtype=np.int64)
            rank[left] = np.arange(len(left))
            driver.leave_by(left, rank)
        mask = None if seen is None else np.ascontiguousarray(seen[index])

        def place(raised: Any) -> int:
            return int(at[raised.frame] if raised.hook == "terminate" else entered[raised.position])

        with _placing(place):
            return self.answers.rolled(lambda: driver.roll(taken, 0, mask, start, end), at + 1)


@dataclass(frozen=True)
class Sweep:
    """Runs as entries and leavings: frame i is entered[: end[i]] without those of left[: start[i]].

    ``left`` is None if tuples leave in the order in which they enter: frame i is entered[start[i] : end[i]].
    """

    entered: Positions
    left: Positions | None
    start: Positions
    end: Positions


def sweep(runs: Runs, frames: int) -> Sweep:
    """The tuples of all runs in the order in which they enter frames, and in that in which they leave."""
    tuples, since, until, frame = [], [], [], np.arange(frames)
    for start, end in runs:
        if frames and end[-1] > start[0]:
            its = np.arange(start[0], end[-1])
            first = np.repeat(frame, np.diff(end, prepend=start[0]))  # the first frame with the tuple
            last = np.repeat(frame, np.diff(start, prepend=start[0]))  # and the first one after it without
            last = np.append(last, np.full(len(its) - len(last), frames))
            ever = first < last
            if not ever.all():
                its, first, last = its[ever], first[ever], last[ever]
            tuples.append(its)
            since.append(first)
            until.append(last)
    if not tuples:
        nothing = np.zeros(0, dtype=np.int64)
        return Sweep(nothing, None, np.zeros(frames, dtype=np.int64), np.zeros(frames, dtype=np.int64))
    enter, leave = np.concatenate(since), np.concatenate(until)
    order = np.argsort(enter * (frames + 1) + leave, kind="stable")  # two or three runs that are in order: O(n)
    later = leave[order]
    left = None if (later[1:] >= later[:-1]).all() else np.argsort(later, kind="stable")
    end = np.cumsum(np.bincount(enter, minlength=frames))
    gone = np.cumsum(np.bincount(leave, minlength=frames + 1)[:frames])
    return Sweep(np.concatenate(tuples)[order], left, gone, end)


# All others


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

        with _placing(place):
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
        swept = sweep(runs, len(at))
        if swept.left is None or self.evicts_any:
            return self.folded(at, swept.entered, swept.start, swept.end, swept.left)
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


# Errors


class _placing:  # noqa: N801 - a context, in lower case as a function
    """Errors say at which tuple, though hooks ran at other positions."""

    def __init__(self, place: Any) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: Any, raised: Any, __: Any) -> None:
        if isinstance(raised, (HookRaised, Unfit)):
            raised.position = int(self.place(raised))


def bare(step: Step, strategy: Any) -> Step:
    """The step over frames that are given: no window, no extent."""
    case = replace(step.case, window=None, asked=None)
    return replace(step, case=case, choice=replace(step.choice, strategy=strategy), sentinel=None, least=None)
