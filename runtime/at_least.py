"""``min_count=``: a result is NULL where hooks, or a kernel, have seen fewer tuples of the frame.

Beside the aggregate runs a count of the tuples that it sees, over the same frames and by the same strategy::

    frames     [0, 1)  [0, 2)  [0, 3)
    avg        4.0     3.0     5.0
    count      1       2       3            min_count=2: NULL, 3.0, 5.0
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.plan import Step
from inwindow.runtime.around import AroundHole, Runs
from inwindow.runtime.evaluators import Evaluator
from inwindow.udaf.builtins.counts import count
from inwindow.udaf.native import Implementation
from inwindow.windows.sequence import Positions, Sequence


class AtLeast(Evaluator):
    """The results of an evaluator, if the other one has counted enough."""

    kept = ("lo", "hi", "within", "counter")

    def __init__(self, within: Evaluator, counter: Evaluator, least: int) -> None:
        super().__init__()
        self.within, self.counter, self.least = within, counter, least
        self.evicts = within.evicts or counter.evicts
        self.moves = within.moves or counter.moves

    def arrive(self, sequence: Sequence) -> None:
        self.within.arrive(sequence)
        self.counter.arrive(sequence)

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        return self._enough(self.within.roll(start, end), self.counter.roll(start, end))

    def absorb(self, start: int, end: int) -> None:
        self.within.absorb(start, end)
        self.counter.absorb(start, end)

    def keep_from(self, next_start: int) -> int:
        return min(self.within.keep_from(next_start), self.counter.keep_from(next_start))

    def afresh(self) -> tuple[int, int]:
        return self.within.afresh()

    @property
    def resumes_at_once(self) -> bool:
        return self.within.resumes_at_once and self.counter.resumes_at_once

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """A key's state is a pair."""
        pairs = [(None, None) if state is None else state for state in states]
        theirs, counts = ([pair[side] for pair in pairs] for side in (0, 1))
        results = self.within.resume(first, end, folded, grown, shift, theirs)
        counted = self.counter.resume(first, end, folded, grown, shift, counts)
        states[:] = zip(theirs, counts, strict=True)
        return self._enough(results, counted)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        return self._enough(self.within.evaluate(start, end), self.counter.evaluate(start, end))

    def _enough(self, results: pa.Array, counts: pa.Array) -> pa.Array:
        few = pc.less(counts, self.least)
        if not few.true_count:
            return results
        rows = pa.array(np.arange(len(results)), mask=few.to_numpy(zero_copy_only=False))
        return results.take(rows)  # if_else is not there for every type


class AtLeastAround(AtLeast, AroundHole):
    """The same over frames with a hole."""

    within: AroundHole
    counter: AroundHole

    def __init__(self, within: AroundHole, counter: AroundHole, least: int) -> None:
        super().__init__(within, counter, least)
        self.begins_anew = within.begins_anew

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        return self._enough(self.within.around(at, runs), self.counter.around(at, runs))

    def keeps_from(self, next_starts: list[int]) -> int:
        return min(self.within.keeps_from(next_starts), self.counter.keeps_from(next_starts))

    def keys_from(self, next_starts: list[int]) -> int:
        return min(self.within.keys_from(next_starts), self.counter.keys_from(next_starts))


def counting(step: Step) -> Step:
    """The step that counts what another one sees."""
    traits = step.case.traits
    arguments = step.arguments if traits.nulls == "skip" else ()
    counted = count(*arguments).aggregate.on(step.label, [pa.null()] * len(arguments), True)
    assert isinstance(counted, Implementation)
    return replace(step, arguments=arguments, implementation=counted, sentinel=None, least=None)
