"""Panes: the pieces between neighbouring edges of frames, so that every frame is a run of whole panes.

With a slide S, frames of W tuples start and end at fixed remainders modulo S, so there are one or two edges per slide
(one where W is a multiple of S, the paper's case)::

    ROWS 6 PRECEDING+1, SLIDE 5     t t|t t t|t t|t t t|t t|t t t|      W = 7, S = 5
    frame of the second yield         [               )                = 4 panes of 3, 2, 3 and 2 tuples ... 3

A pane rule says where panes begin. It uses only arithmetic, so a pane is complete as soon as a tuple of the next pane arrives.
"""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from inwindow.windows.extent_bounds import Numbered
from inwindow.windows.sequence import Positions, Sequence


class PaneRule(Protocol):
    """Cuts tuples into panes."""

    def begins(self, sequence: Sequence, first: int, last: int) -> Positions:
        """The positions in [first, last) where a pane begins; every partition begins one."""


class RowPanes:
    """The panes of ROWS ... SLIDE: their edges are the starts and ends of frames. They cost nothing per tuple."""

    def __init__(self, lower: int, upper: int, slide: int) -> None:
        self.slide = slide
        self.edges = sorted({(upper) % slide, (lower - 1) % slide})

    def begins(self, sequence: Sequence, first: int, last: int) -> Positions:
        found = [sequence.every(self.slide, edge, first, last) for edge in self.edges]
        if 0 not in self.edges:
            starts = sequence.partition_starts
            found.append(starts[(starts >= first) & (starts < last)])
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found), kind="stable")  # no two are equal


class NumberedPanes(ABC):
    """Panes of values: each tuple gets the number of its pane, and a pane begins where the number changes."""

    def begins(self, sequence: Sequence, first: int, last: int) -> Positions:
        """Where the number, or the block, changes."""
        at = np.arange(max(first - 1, sequence.base), last)  # the sequence keeps the tuple before the new ones
        number, block = self.numbers(sequence, at), sequence.blocks(at)[0]
        changes = (number[1:] != number[:-1]) | (block[1:] != block[:-1])
        found: Positions = at[1:][changes]
        return found if at[0] < first else np.append(at[:1], found)

    @abstractmethod
    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """A number per tuple that changes exactly at the edges of panes (within a block)."""


class ExtentPanes(NumberedPanes):
    """The panes of hops and cumulations: edges where an extent begins or finishes."""

    def __init__(self, framing: Numbered) -> None:
        self.framing = framing

    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """How many edges lie at or before the tuple's value."""
        return self.framing.panes(self.framing.keys(sequence, at))
