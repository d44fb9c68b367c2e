"""The lane of a window whose frames are put together from several runs of tuples, because EXCLUDE leaves a hole in them.

::

    frame i        [start ... first)   i   [last ... end)
    next needed     starts[0]               starts[1]          of later frames no run begins before these
"""

from typing import Any, ClassVar

import numpy as np

from inwindow.runtime.around import AroundHole
from inwindow.runtime.lanes import FrameLane, Piece
from inwindow.windows.frontier import Arrival, Due, View
from inwindow.windows.holes import HoledFraming
from inwindow.windows.sequence import Sequence


class HoledLane(FrameLane):
    """A result per yield tuple, from the runs of its frame."""

    kept: ClassVar[tuple[str, ...]] = ("cursor", "pieces", "next_starts", "next_hole", "evaluator", "framing")

    evaluator: AroundHole

    def __init__(self, view: View, evaluator: AroundHole, slides: bool) -> None:
        super().__init__(view, evaluator, slides)
        assert isinstance(view.framing, HoledFraming)
        self.next_starts = [0] * len(view.framing.runs)
        self.next_hole = 0

    @property
    def holed(self) -> HoledFraming:
        """The framing, which knows the runs."""
        framing: Any = self.view.framing
        return framing

    def results(self, sequence: Sequence, due: Due) -> list[Piece]:
        at = due.yields(self.view.slots, sequence)
        return [(at, self.evaluator.around(at, self.holed.runs_at(sequence, at)))] if len(at) else []

    def _look_ahead(self, arrival: Arrival) -> None:
        sequence = arrival.sequence
        if self.cursor > sequence.base:
            newest = np.array([self.cursor - 1])
            self.next_starts = [int(start[0]) for start, _ in self.holed.runs_at(sequence, newest)]
            self.next_hole = int(self.holed.holes(sequence, newest)[0][0])

    @property
    def keep_from(self) -> int:
        return min(self.evaluator.keeps_from(self.next_starts), self.cursor)

    @property
    def keys_from(self) -> int:
        """The starts of later runs, and where the group of peers begins that later tuples may join."""
        return min(self.keep_from, self.next_hole, self.evaluator.keys_from(self.next_starts))
