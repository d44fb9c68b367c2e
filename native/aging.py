"""Averages in which NULLs age what is before them, and tuples that do not count (a filter leaves them out) do not."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen
from inwindow.native._ewm import Ewm


class Aging:
    """The kernel over the numbers of the tuples that count: their positions, as long as all do.

    ``missing`` of the positions before ``end`` do not count.
    """

    def __init__(self, kernel: Ewm) -> None:
        self.kernel, self.of_panes = kernel, kernel.of_panes
        self.missing = self.end = 0

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """One result per frame."""
        return self.kernel.roll(self._numbered(values, base, seen), base, start, end)

    def roll_partials(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> Any:
        """The first level of a cascade."""
        return self.kernel.roll_partials(self._numbered(values, base, seen), base, start, end)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Fold the frame in without a result."""
        self.kernel.absorb(self._numbered(values, base, seen), base, start, end)

    def _numbered(self, values: pa.Array, base: int, seen: Seen) -> Any:
        if not len(values) or not self.missing and (seen is None or seen.all()):
            self.end = max(self.end, base + len(values))
            return values
        counts: npt.NDArray[np.bool_] = np.ones(len(values), bool) if seen is None else seen.astype(bool)
        left_out: Positions = np.cumsum(~counts, dtype=np.int64)
        known = self.end - base  # positions whose missing ones are in ``missing``
        left_out += self.missing - (int(left_out[known - 1]) if known > 0 else 0)
        numbers = np.arange(base, base + len(values)) - left_out
        self.missing, self.end = int(left_out[-1]), base + len(values)
        return pc.if_else(pa.array(counts), values, None), pa.array(numbers)

    def state(self) -> Any:
        """With the kernel's."""
        return self.missing, self.end, self.kernel.state()

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.missing, self.end, kernel = state
        self.kernel.restore(kernel)
