"""Evaluators of frames with a hole: each frame is up to three runs of tuples, whose ends never move backwards.

::

    frame                  [start ... first)    i    [last ... end)
    by results             a kernel per run; their results are put together, where that is right (sums, extremes)
    by partials            the same, with partials
    by stacks              two stacks per run; a result merges their aggregates
    by entering again      one aggregate or kernel: a tuple is expired as it falls into the hole, and iterated again behind it
    afresh                 the tuples of each frame are gathered and folded

The first three go on from call to call. The others begin anew with each call, so an operator lets as many tuples wait as it holds.

The first two are in ``around_by_kernels.py``, the next two in ``around_by_hooks.py``, the last one in ``around_afresh.py``.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.native._runs import swept
from inwindow.optimizer.plan import Step
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.hooks import Unfit
from inwindow.windows.bounds import Bounds
from inwindow.windows.sequence import Positions

Runs = list[Bounds]


class AroundHole(Evaluator):
    """Runs in, results out."""

    begins_anew: bool = False  # whether each call folds the tuples of its first frame again

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


@dataclass(frozen=True)
class Sweep:
    """Runs as entries and leavings: frame i is entered[: end[i]] without those of left[: start[i]].

    ``left`` is None if tuples leave in the order in which they enter: frame i is entered[start[i] : end[i]].
    """

    entered: Positions
    left: Positions | None
    start: Positions
    end: Positions


def sweep(runs: Runs) -> Sweep:
    """The tuples of all runs in the order in which they enter frames, and in that in which they leave."""
    return Sweep(*swept([start for start, _ in runs], [end for _, end in runs]))


class placing:  # noqa: N801 - a context, in lower case as a function
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
