"""Sums and averages of the distinct values in a frame: the exact totals, over what comes into it and what leaves it.

:mod:`._turnover` says which distinct values come and go; the totals that can let tuples go in any order (``sweep``) do the rest:
what has gone leaves nothing behind, and a result is rounded once. Cost: O(1) expected per tuple.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native import Positions
from inwindow.native._turnover import Turnover

Log = tuple[Any, Positions, Positions, Positions]


class OfDistinct:
    """``total`` makes the kernel that is swept over the distinct values; ``kind`` is the type of the column."""

    def __init__(self, total: Callable[[], Any], kind: pa.DataType, *, evicts: bool) -> None:
        self.total, self.kind = total, kind
        self.turnover: Any = DecimalTurnover() if pa.types.is_decimal(kind) else _turnover(kind, evicts)
        self.state, self.restore = self.turnover.state, self.turnover.restore

    def roll(
        self, values: pa.Array, base: int, start: Positions, end: Positions, left: Positions | None = None
    ) -> pa.Array:
        """A result per frame."""
        came, gone, low, high = self.turnover.roll(values, base, start, end, left)
        if pa.types.is_floating(self.kind):
            came = came.view(np.float64)
        return self.total().sweep(pa.array(came, self.kind), gone, low, high)

    def sweep(self, values: pa.Array, left: Positions, start: Positions, end: Positions) -> pa.Array:
        """As ``roll``, but frame i holds the positions before end[i] without left[: start[i]]."""
        return self.roll(values, 0, start, end, left)

    def absorb(self, values: pa.Array, base: int, start: int, end: int) -> None:
        """Fold the frame in without a result."""
        self.turnover.roll(values, base, np.array([start]), np.array([end]))


def _turnover(kind: pa.DataType, evicts: bool) -> Turnover:
    return Turnover(pa.types.is_floating(kind), evicts=evicts)


class DecimalTurnover:
    """The turnover of decimals that do not fit 64 bits, in a dict."""

    def __init__(self) -> None:
        self.counts: dict[Decimal, int] = {}
        self.lo = self.hi = 0

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, left: Positions | None = None) -> Log:
        """As of :class:`Turnover`."""
        given, counts = values.to_pylist(), self.counts
        came, gone, low, high = list(counts), [], [], []
        places = {value: place for place, value in enumerate(came)}
        for first, last in zip(start.tolist(), end.tolist(), strict=True):
            if first >= self.hi:
                gone += [places[value] for value in counts]
                counts.clear()
                self.lo = self.hi = first
            out = range(self.lo, first) if left is None else left[self.lo : first].tolist()
            for value in (given[position - base] for position in out):
                if value is not None:
                    counts[value] -= 1
                    if not counts[value]:
                        del counts[value]
                        gone.append(places[value])
            for value in given[self.hi - base : last - base] if last > self.hi else ():
                if value is not None:
                    if value not in counts:
                        places[value] = len(came)
                        came.append(value)
                    counts[value] = counts.get(value, 0) + 1
            self.lo, self.hi = first, max(self.hi, last)
            low.append(len(gone))
            high.append(len(came))
        return came, np.array(gone or [0], np.int64), np.array(low, np.int64), np.array(high, np.int64)

    def state(self) -> Any:
        """The frame, and how often each value is in it."""
        return self.lo, self.hi, self.counts.copy()

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.lo, self.hi, counts = state
        self.counts = counts.copy()
