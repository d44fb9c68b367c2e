"""The evaluator of compiled hooks: a driver over Arrow buffers, called like a kernel."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Misfit
from inwindow.runtime.evaluators import Driven
from inwindow.runtime.held import ArrowColumn, Held, MaskColumn
from inwindow.runtime.hooks import Unfit
from inwindow.windows.sequence import Positions


class CompiledEvaluator(Driven):
    """Compiled hooks: a driver that is called like a kernel, with the mask of the tuples that the hooks see."""

    def __init__(
        self, driver: Any, held: Held, columns: list[ArrowColumn], mask: MaskColumn, *, evicts: bool, undoes: bool
    ) -> None:
        super().__init__(driver, evicts=evicts, undoes=undoes)
        self.held, self.columns, self.mask = held, columns, mask

    def read(self) -> tuple[Any, ...]:
        """(columns, base)."""
        return tuple(column.array for column in self.columns), self.held.base

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """One call of the driver."""
        bounds = (np.ascontiguousarray(edge, dtype=np.int64) for edge in (start, end))
        try:
            result: pa.Array = self.driver.roll(*self.read(), *bounds, self.mask.seen())
        except Misfit as misfit:  # of the plain hooks, where they have taken over
            raise Unfit("terminate", misfit.value, int(end[misfit.index]) - 1, misfit.index) from None
        return result

    def fold(self, start: int, end: int) -> None:
        """One call of the driver."""
        self.driver.absorb(*self.read(), start, end, self.mask.seen())
