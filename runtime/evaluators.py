"""An evaluator: one aggregate, one strategy, running over held tuples.

It is given frames as bounds and gives back a result for each. Between calls it keeps what the strategy keeps: a state
that covers ``[lo, hi)``, to be undone from the left and grown to the right.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from inwindow.runtime.buffer import ArrowColumn, Buffer, MaskColumn
from inwindow.udaf.native import WITH_MASK, Kernel, Native
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.stateful import Stateful


class Evaluator(Stateful, ABC):
    """Frames in, results out."""

    kept: ClassVar[tuple[str, ...]] = ("lo", "hi")

    evicts = True  # whether the tuples of the frame must be held, to be undone or read again
    moves = False  # whether frames start anew inside others though their tuples are not held

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

    def afresh(self) -> tuple[int, int]:
        """How many frames were folded afresh out of turn: since a hook refused, and since a float had lost its digits."""
        return 0, 0

    @property
    def resumes_at_once(self) -> bool:
        """Whether :meth:`resume` is there: frames only grow, and what goes on from the state of a key does so for many."""
        return False

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """The results of many frames that only grow, each from an inner state of its own (None: afresh), which is replaced.

        Number k has the frames first[k] .. first[k + 1], which end at the positions end[i]; it has folded all before folded[k],
        and then folds all before grown[k]. Its tuple p is at the position p + shift[k].
        """
        raise NotImplementedError(f"{type(self).__name__} goes on from one state")

    @abstractmethod
    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """The results of frames."""

    def fold(self, start: int, end: int) -> None:  # noqa: B027 - only for those that do not evict
        """Take the tuples of a growing frame into the state."""


class Driven(Evaluator):
    """Hooks under a driver, which keeps the state."""

    kept: ClassVar[tuple[str, ...]] = ("lo", "hi", "driver")

    def __init__(self, driver: Any, *, evicts: bool, undoes: bool) -> None:
        super().__init__()
        self.driver = driver
        self.evicts, self.undoes = evicts, undoes

    def keep_from(self, next_start: int) -> int:
        """A recomputed frame undoes nothing: only tuples of frames to come are held."""
        return super().keep_from(next_start) if self.undoes or not self.evicts else next_start

    def afresh(self) -> tuple[int, int]:
        return getattr(self.driver, "punts", 0), getattr(self.driver, "rebased", 0)


class KernelInput:
    """What a kernel is called with besides bounds: its columns, and which tuples count where it asks for that."""

    def __init__(self, buffer: Buffer, native: Native, columns: list[Any], seen: MaskColumn | None) -> None:
        self.buffer, self.native, self.columns, self.mask = buffer, native, columns, seen
        self.numbers = pa.nulls(0, pa.int64())

    def arrive(self, sequence: Sequence) -> None:
        """The tuples' numbers in their partitions, as one more column, where the kernel asks for them."""
        if self.native.reads == "numbered":
            self.numbers = pa.array(sequence.numbers(np.arange(self.buffer.base, self.buffer.end)))

    def read(self) -> tuple[Any, int]:
        """(values, base): one array, or a tuple of arrays."""
        arrays = [_values_of(column) for column in self.columns]
        if self.native.reads == "numbered":
            arrays.append(self.numbers)
        return arrays[0] if len(arrays) == 1 else tuple(arrays), self.buffer.base

    def seen(self) -> tuple[Any, ...]:
        """(mask,): None where every tuple counts; nothing for a kernel that does not ask."""
        if self.native.reads not in WITH_MASK:
            return ()
        return (None if self.mask is None else self.mask.seen(),)


class KernelEvaluator(Evaluator):
    """A built-in with a kernel of its own: delta, unbounded and tumble are the same loop over other bounds."""

    kept: ClassVar[tuple[str, ...]] = ("lo", "hi", "kernel")

    def __init__(self, given: KernelInput, evicts: bool) -> None:
        super().__init__()
        self.given, self.native = given, given.native
        self.evicts = (evicts or self.native.rereads) and self.native.keeps is None
        self.moves = evicts and self.native.keeps is not None
        self.kernel: Kernel = self.native.kernel(evicts)

    def arrive(self, sequence: Sequence) -> None:
        self.given.arrive(sequence)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        return self.native.finish(self.kernel.roll(*self.given.read(), start, end, *self.given.seen()))

    @property
    def resumes_at_once(self) -> bool:
        """Of columns that need no mask beside them."""
        plain = self.native.reads in ("values", "marks") and hasattr(self.kernel, "resume")
        return plain and not self.evicts and not self.moves

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """One call."""
        kernel: Any = self.kernel  # only those in Cython have it
        return self.native.finish(kernel.resume(self.given.read()[0], first, end, folded, grown, shift, states))

    def fold(self, start: int, end: int) -> None:
        self.kernel.absorb(*self.given.read(), start, end, *self.given.seen())


class KernelRecompute(KernelEvaluator):
    """A built-in with a fresh kernel for every frame: to compare with, and for doubters."""

    def __init__(self, given: KernelInput, evicts: bool) -> None:
        super().__init__(given, evicts)
        self.evicts = True

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        results = []
        for index in np.arange(len(start)):
            self.kernel = self.native.kernel(True)
            results.append(super().evaluate(start[index : index + 1], end[index : index + 1]))
        return pa.concat_arrays(results) if results else pa.nulls(0, self.native.result)

    def keep_from(self, next_start: int) -> int:
        """Nothing is undone: only tuples of frames to come are held."""
        return next_start


def _values_of(column: Any) -> Any:
    """A held column's values: an Arrow array, or the mask itself where a kernel counts tuples."""
    return column.array if isinstance(column, ArrowColumn) else column
