"""The evaluator of compiled hooks: a driver over Arrow buffers, called like a kernel."""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Misfit
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.held import ArrowColumn, Held, MaskColumn
from inwindow.runtime.hooks import Unfit
from inwindow.windows.sequence import Positions


class CompiledEvaluator(Evaluator):
    """Compiled hooks: a driver that is called like a kernel, with the mask of the tuples that the hooks see."""

    def __init__(
        self, driver: Any, held: Held, columns: list[ArrowColumn], mask: MaskColumn, *, evicts: bool, undoes: bool
    ) -> None:
        super().__init__()
        self.driver, self.held, self.columns, self.mask = driver, held, columns, mask
        self.evicts, self.undoes = evicts, undoes

    def read(self) -> tuple[Any, ...]:
        """(columns, base)."""
        return tuple(column.array for column in self.columns), self.held.base

    def seen(self) -> Any:
        """One byte per tuple; None where every tuple is seen."""
        return None if self.mask.mask.all() else np.ascontiguousarray(self.mask.mask)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """One call of the driver."""
        bounds = (np.ascontiguousarray(edge, dtype=np.int64) for edge in (start, end))
        try:
            result: pa.Array = self.driver.roll(*self.read(), *bounds, self.seen())
        except Misfit as misfit:  # of the plain hooks, where they have taken over
            raise Unfit("terminate", misfit.value, int(end[misfit.index]) - 1, misfit.index) from None
        return result

    def fold(self, start: int, end: int) -> None:
        """One call of the driver."""
        self.driver.absorb(*self.read(), start, end, self.seen())

    def keep_from(self, next_start: int) -> int:
        """A recomputed frame undoes nothing: only tuples of frames to come are held."""
        return super().keep_from(next_start) if self.undoes or not self.evicts else next_start

    def inner_state(self) -> Any:
        """The driver's."""
        return self.driver.state()

    def inner_restore(self, state: Any) -> None:
        """The driver's."""
        self.driver.restore(state)
