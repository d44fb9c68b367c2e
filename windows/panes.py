"""Panes: the stretches between neighbouring frame edges, so that every frame is a run of whole panes.

With a slide S, frames of W tuples start and end at fixed remainders modulo S, so there are one or two edges per slide
(one where W is a multiple of S, the paper's case)::

    ROWS 6 PRECEDING+1, SLIDE 5     t t|t t t|t t|t t t|t t|t t t|      W = 7, S = 5
    frame of the second yield         [               )                = 4 panes of 3, 2, 3 and 2 tuples ... 3

A pane rule numbers the tuples: equal numbers, same pane. It is arithmetic alone, so a pane is known to be complete
the moment a tuple of the next one arrives.
"""

from typing import Any, Protocol

from inwindow.windows.extent_bounds import CountedHops, Cumulations, Hops
from inwindow.windows.order_key import Keys, floor_multiple
from inwindow.windows.sequence import Positions, Sequence


class PaneRule(Protocol):
    """Numbers tuples by pane."""

    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """A number per tuple that changes exactly at the panes' edges (partitions apart)."""


class RowPanes:
    """The panes of ROWS ... SLIDE: edges where a frame starts or ends."""

    def __init__(self, lower: int, upper: int, slide: int) -> None:
        self.slide = slide
        self.edges = sorted({(upper) % slide, (lower - 1) % slide})

    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """How many edges lie at or before the tuple's row number."""
        row = at - sequence.partitions(at)[0]
        return sum((row - edge) // self.slide for edge in self.edges)


class HopPanes:
    """The panes of a hop: edges where an extent begins or finishes."""

    def __init__(self, hops: Hops) -> None:
        self.hops = hops

    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """How many edges lie at or before the tuple's value."""
        return self.of_keys(self.hops.keys(sequence, at))

    def of_keys(self, keys: Keys) -> Any:
        """The same, of values alone."""
        hops = self.hops
        number = floor_multiple(keys, hops.every, hops.origin)
        if hops.size % hops.every != 0:
            lowest, _ = hops.numbers(keys)
            number = number + lowest
        return number


class CumulatePanes:
    """The panes of a cumulation: every ``every`` from each start."""

    def __init__(self, cumulations: Cumulations) -> None:
        self.cumulations = cumulations

    def numbers(self, sequence: Sequence, at: Positions) -> Any:
        """The first extent that holds the tuple."""
        return self.of_keys(sequence.keys_at(at))

    def of_keys(self, keys: Keys) -> Any:
        """The same, of values alone."""
        return self.cumulations.numbers(keys)[0]


def extent_panes(framing: Any) -> HopPanes | CumulatePanes:
    """The pane rule of a framing of hops or cumulations."""
    if isinstance(framing, Cumulations):
        return CumulatePanes(framing)
    assert isinstance(framing, (Hops, CountedHops))
    return HopPanes(framing)
