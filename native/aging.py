"""Averages in which NULLs age what is before them, and tuples that do not count (a filter leaves them out) do not."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native import Positions, Seen
from inwindow.native._ewm import Ewm


class Aging:
    """The kernel, told which tuples count."""

    def __init__(self, kernel: Ewm) -> None:
        self.kernel = kernel
        self.of_panes, self.state, self.restore = kernel.of_panes, kernel.state, kernel.restore

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """One result per frame."""
        return self.kernel.roll(_marked(values, seen), base, start, end)

    def roll_partials(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> Any:
        """The first level of a cascade."""
        return self.kernel.roll_partials(_marked(values, seen), base, start, end)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Fold the frame in without a result."""
        self.kernel.absorb(_marked(values, seen), base, start, end)


def _marked(values: pa.Array, seen: Seen) -> Any:
    return values if seen is None else (values, pa.array(np.zeros(len(seen)), mask=seen == 0))
