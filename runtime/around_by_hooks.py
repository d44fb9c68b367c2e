"""Classes around a hole: two stacks for each run where there is a merge, or one aggregate that tuples enter again."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.native._results import column
from inwindow.runtime.around import AroundHole, Runs, placing, sweep
from inwindow.runtime.around_afresh import Gathered
from inwindow.runtime.hooks import Answers, Arguments
from inwindow.runtime.run_stacks import Feed, RunStacks, whole
from inwindow.windows.sequence import Positions


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


class ByEnteringAgain(AroundHole):
    """A class whose ``expire`` undoes any tuple: one aggregate follows all runs at once.

    The tuples of a call are written down as they enter, in the order of time, those that enter twice twice::

        frames     {1 2}  {0 2 3}  {0 1 3}       rows(3) ahead and behind, without the current row
        entered    1 2    0 3      1
        left              1        2
    """

    begins_anew = True

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, in_order: Gathered | None) -> None:
        super().__init__()
        self.driver, self.arguments, self.answers, self.in_order = driver, arguments, answers, in_order

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        its = sweep(runs)
        entered, left, start, end = its.entered, its.left, its.start, its.end
        if self.in_order is not None and left is None:
            return self.in_order.folded(at, entered, start, end)
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

        with placing(place):
            return self.answers.rolled(lambda: driver.roll(taken, 0, mask, start, end), at + 1)
