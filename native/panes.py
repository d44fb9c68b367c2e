"""The two levels of a cascade for kernels whose partial is their result: minima, first and last values.

Level one reduces a pane to a row of partial columns, level two is the same kernel again over these rows::

    tuples      3 1 4 | 1 5 9 | . . .          min 1, min 1: partials
    partials        1       1                  min of minima
"""

from typing import Any

import numpy as np
import pyarrow as pa


class ResultOfPanes:
    """Level one: one column, the panes' results."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.absorb, self.state, self.restore = kernel.absorb, kernel.state, kernel.restore

    def roll_partials(self, *arguments: Any) -> tuple[pa.Array]:
        """The results; NULL where a pane has none."""
        return (self.kernel.roll(*arguments),)


class ResultOfPartials:
    """Level two: results of results; NULL does not count."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.state, self.restore = kernel.state, kernel.restore

    def roll(self, partials: tuple[pa.Array], *arguments: Any) -> pa.Array:
        """The same kernel once more."""
        return self.kernel.roll(partials[0], *arguments)


class PickOfPanes:
    """Level one where a NULL may be a result: the picked values, and whether the pane has a tuple that counts at all."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.absorb, self.state, self.restore = kernel.absorb, kernel.state, kernel.restore

    def roll_partials(self, *arguments: Any) -> tuple[Any, ...]:
        """Values, and a mask."""
        values, found = self.kernel.pick(*arguments)
        return values, found.astype(np.uint8)


class PickOfPartials:
    """Level two: picked among the panes that have something."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.state, self.restore = kernel.state, kernel.restore

    def roll(self, partials: tuple[Any, ...], *arguments: Any) -> pa.Array:
        """The same kernel once more, over the panes that count."""
        values, found = partials
        return self.kernel.roll(values, *arguments, found)
