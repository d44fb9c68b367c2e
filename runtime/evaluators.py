"""An evaluator: one aggregate, one strategy, running over held tuples.

It is given frames as bounds and gives back a result for each. Between calls it keeps what the strategy keeps: a state
that covers ``[lo, hi)``, to be undone from the left and grown to the right.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.held import ArrowColumn, Held, MaskColumn
from inwindow.udaf.native import Native
from inwindow.windows.sequence import Positions, Sequence


class Evaluator(ABC):
    """Frames in, results out."""

    evicts = True  # whether the tuples of the frame must be held, to be undone or read again

    def __init__(self) -> None:
        self.lo = self.hi = 0  # what the state covers

    def arrive(self, sequence: Sequence) -> None:  # noqa: B027 - a choice, not a duty
        """New tuples are held; most evaluators wait for bounds."""

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        """The results of frames whose bounds never move backwards."""
        result = self.evaluate(start, end)
        if len(start):
            self.lo, self.hi = int(start[-1]), max(int(end[-1]), int(start[-1]))
        return result

    def absorb(self, start: int, end: int) -> None:
        """Fold the tuples of a frame that is still growing, so that they need not be held."""
        if end > start and end > self.hi:
            self.fold(start, end)
            self.lo, self.hi = start, end

    def keep_from(self, next_start: int) -> int:
        """The oldest tuple to hold, if all frames to come start at ``next_start`` or later."""
        if self.evicts and next_start < self.hi:
            return self.lo  # what leaves the state has to be read once more
        return max(next_start, self.hi) if not self.evicts else next_start

    @abstractmethod
    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """The results of frames."""

    def fold(self, start: int, end: int) -> None:  # noqa: B027 - only for those that do not evict
        """Take the tuples of a growing frame into the state."""

    @abstractmethod
    def inner_state(self) -> Any:
        """The strategy's state, to be pickled."""

    @abstractmethod
    def inner_restore(self, state: Any) -> None:
        """The inverse of :meth:`inner_state`."""

    def state(self) -> Any:
        """All of it."""
        return self.lo, self.hi, self.inner_state()

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.lo, self.hi, inner = state
        self.inner_restore(inner)


class KernelEvaluator(Evaluator):
    """A built-in with a kernel of its own: delta, unbounded and tumble are the same loop over other bounds."""

    def __init__(self, held: Held, native: Native, column: Any, seen: MaskColumn | None, evicts: bool) -> None:
        super().__init__()
        self.held, self.native, self.column, self.mask = held, native, column, seen
        self.evicts = evicts or native.rereads
        self.kernel: Any = native.kernel(evicts)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """One call."""
        return self.native.finish(self.kernel.roll(*self._values(), start, end, *self._seen()))

    def fold(self, start: int, end: int) -> None:
        """One call."""
        self.kernel.absorb(*self._values(), start, end, *self._seen())

    def _values(self) -> tuple[Any, int]:
        return values_of(self.column), self.held.base

    def _seen(self) -> tuple[Any, ...]:
        if not self.native.takes_seen:
            return ()
        return (None if self.mask is None or self.mask.mask.all() else self.mask.mask,)

    def inner_state(self) -> Any:
        """The kernel's."""
        return self.kernel.state()

    def inner_restore(self, state: Any) -> None:
        """The kernel's."""
        self.kernel.restore(state)


class KernelRecompute(KernelEvaluator):
    """A built-in with a fresh kernel for every frame: to compare with, and for doubters."""

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """One kernel per frame."""
        results = []
        for index in np.arange(len(start)):
            self.kernel = self.native.kernel(True)
            results.append(super().evaluate(start[index : index + 1], end[index : index + 1]))
        return pa.concat_arrays(results) if results else pa.nulls(0, self.native.result)

    def keep_from(self, next_start: int) -> int:
        """Nothing is undone: only tuples of frames to come."""
        return next_start


def values_of(column: Any) -> Any:
    """A held column's values: an Arrow array, or the mask itself where a kernel counts tuples."""
    return column.array if isinstance(column, ArrowColumn) else column
