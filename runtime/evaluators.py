"""An evaluator: one aggregate, one strategy, running over held tuples.

It gets frames as bounds and returns a result for each. Between calls it keeps the state of the strategy, which covers
``[lo, hi)``: tuples are undone on the left, and added on the right.
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

    evicts = True  # whether the frame's tuples must be held, because they are undone or read again
    moves = False  # whether a frame may start inside another one, though tuples are not held

    def __init__(self) -> None:
        self.lo = self.hi = 0  # the positions that the state covers

    def arrive(self, sequence: Sequence) -> None:  # noqa: B027 - a choice, not a duty
        """New tuples are held. Most evaluators do nothing before they get bounds."""

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        """The results of frames whose bounds never move backwards."""
        result = self.evaluate(start, end)
        if len(start):
            self.lo, self.hi = int(start[-1]), max(int(end[-1]), int(start[-1]))
        return result

    def sweep(self, left: Positions, start: Positions, end: Positions) -> pa.Array:
        """The results where frame i holds the positions before end[i] without left[: start[i]]: of a fresh evaluator, once."""
        raise NotImplementedError(f"{type(self).__name__} undoes the oldest tuple")

    def absorb(self, start: int, end: int) -> None:
        """Fold the tuples of a growing frame, so that they need not be held."""
        if end > start and end > self.hi:
            self.fold(start, end)
            self.lo, self.hi = start, end

    def keep_from(self, next_start: int) -> int:
        """The oldest tuple to hold, if all later frames start at ``next_start`` or after it."""
        if self.evicts and next_start < self.hi:
            return self.lo  # tuples that leave the state are read once more
        return max(next_start, self.hi) if not self.evicts else next_start

    def afresh(self) -> tuple[int, int]:
        """How many frames were folded again: because a hook returned PUNT, and because a float had lost its digits."""
        return 0, 0

    @property
    def resumes_at_once(self) -> bool:
        """Whether :meth:`resume` works: frames only grow, and one call can continue the states of many keys."""
        return False

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """The results of growing frames of many keys. Each continues from its own state (None: a new one), which is replaced.

        Key k has the frames first[k] .. first[k + 1], which end at the positions end[i]. It has folded all tuples before folded[k],
        and afterwards all before grown[k]. Its tuple p is at the position p + shift[k].
        """
        raise NotImplementedError(f"{type(self).__name__} goes on from one state")

    @abstractmethod
    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """The results of frames."""

    def fold(self, start: int, end: int) -> None:  # noqa: B027 - only for those that do not evict
        """Take the tuples of a growing frame into the state."""


class Driven(Evaluator):
    """Hooks under a driver, which has the state."""

    kept: ClassVar[tuple[str, ...]] = ("lo", "hi", "driver")

    def __init__(self, driver: Any, *, evicts: bool, undoes: bool) -> None:
        super().__init__()
        self.driver = driver
        self.evicts, self.undoes = evicts, undoes

    def keep_from(self, next_start: int) -> int:
        """A recomputed frame undoes nothing, so only tuples of later frames are held."""
        return super().keep_from(next_start) if self.undoes or not self.evicts else next_start

    def afresh(self) -> tuple[int, int]:
        return getattr(self.driver, "punts", 0), getattr(self.driver, "rebased", 0)


class KernelInput:
    """The arguments of a kernel besides bounds: its columns, and the mask of the tuples that count if it needs one."""

    def __init__(self, buffer: Buffer, native: Native, columns: list[Any], seen: MaskColumn | None) -> None:
        self.buffer, self.native, self.columns, self.mask = buffer, native, columns, seen
        self.places = pa.nulls(0, pa.int64())  # one more column, of where tuples are in their partition

    def arrive(self, sequence: Sequence) -> None:
        """Make the column that is read off the sequence, if the kernel needs one."""
        if self.native.reads == "numbered":
            self.places = pa.array(sequence.numbers(np.arange(self.buffer.base, self.buffer.end)))
        elif self.native.reads == "firsts":
            firsts = sequence.firsts(self.buffer.base, self.buffer.end)
            self.places = pa.array(firsts, mask=~firsts)

    def read(self) -> tuple[Any, int]:
        """(values, base): one array, or a tuple of arrays."""
        arrays = [_values_of(column) for column in self.columns]
        if self.native.reads in ("numbered", "firsts"):
            arrays.append(self.places)
        return arrays[0] if len(arrays) == 1 else tuple(arrays), self.buffer.base

    def seen(self) -> tuple[Any, ...]:
        """(mask,), where the mask is None if every tuple counts; () for a kernel that needs no mask."""
        if self.native.reads not in WITH_MASK:
            return ()
        return (None if self.mask is None else self.mask.seen(),)


class KernelEvaluator(Evaluator):
    """A built-in with a kernel: delta, unbounded and tumble are the same loop over different bounds."""

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

    def sweep(self, left: Positions, start: Positions, end: Positions) -> pa.Array:
        """By a kernel that lets any tuple go."""
        kernel: Any = self.kernel
        return self.native.finish(kernel.sweep(self.given.read()[0], left, start, end))

    @property
    def resumes_at_once(self) -> bool:
        """Only kernels in Cython whose columns need no mask can do this."""
        plain = self.native.reads in ("values", "marks", "firsts") and hasattr(self.kernel, "resume")
        return plain and not self.evicts and not self.moves

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """Continue all keys in one call of the kernel."""
        kernel: Any = self.kernel  # only kernels in Cython have resume
        return self.native.finish(kernel.resume(self.given.read()[0], first, end, folded, grown, shift, states))

    def fold(self, start: int, end: int) -> None:
        self.kernel.absorb(*self.given.read(), start, end, *self.given.seen())


class KernelRecompute(KernelEvaluator):
    """A built-in with a fresh kernel for every frame: for comparisons."""

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
        """Nothing is undone, so only tuples of later frames are held."""
        return next_start


def _values_of(column: Any) -> Any:
    """A held column's values: an Arrow array, or a mask if a kernel counts tuples."""
    return column.array if isinstance(column, ArrowColumn) else column
