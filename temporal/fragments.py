"""When two rows hold together, and the remaining times of each row: positions among intervals, and ends."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from inwindow.native._sweep import left_over, runs
from inwindow.runtime.intervals import Intervals, Keys, Rows, in_order


@dataclass(frozen=True)
class Pieces:
    """Pairs: the positions of both rows among the intervals, and their intersection."""

    left: Rows
    right: Rows
    since: Keys
    until: Keys

    def where(self, mask: Any) -> "Pieces":
        """Some of them."""
        return Pieces(self.left[mask], self.right[mask], self.since[mask], self.until[mask])

    def of(self, side: int) -> tuple[Rows, Keys, Keys]:
        """For one side: the rows that are in pairs, and when, in order; a row's pairs are found in the order of time."""
        owner = self.right if side else self.left
        order = in_order(owner)
        if order is None:
            return owner, self.since, self.until
        return owner[order], self.since[order], self.until[order]


@dataclass(frozen=True)
class Fragments:
    """Parts of rows: positions among the intervals, and ends."""

    whose: Rows
    since: Keys
    until: Keys

    @classmethod
    def with_partner(cls, side: int, pieces: Pieces) -> "Fragments":
        """The times in which rows of a side have a partner."""
        owner, begin, finish = pieces.of(side)
        first, until = runs(owner, begin, finish)
        return cls(owner[first], begin[first], until)

    @classmethod
    def without_partner(cls, side: int, pieces: Pieces, intervals: Intervals) -> "Fragments":
        """The times in which they have none."""
        return cls(*left_over(intervals.since, intervals.until, *pieces.of(side)))

    def within(self, since: int, until: int) -> "Fragments":
        """The parts between two instants."""
        begin, finish = np.maximum(self.since, since), np.minimum(self.until, until)
        inside = begin < finish
        return Fragments(self.whose[inside], begin[inside], finish[inside])
