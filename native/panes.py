"""The two levels of a cascade for first and last values: a pane's partial is what was picked, if it has a tuple that counts."""

from typing import Any

import numpy as np
import pyarrow as pa


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
