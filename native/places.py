"""Kernels of functions that look at places, not at values: lag and lead with a default, the last tuples that are not NULL, shares.

In numpy, whole arrays at a time, as in :mod:`inwindow.native.lists`. Cost: O(1) per tuple.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen
from inwindow.native.instants import under

Numbers = npt.NDArray[np.int64]
Share = Callable[[Numbers, Numbers], npt.NDArray[Any]]


class NthLast:
    """The value of the n-th last tuple that counts; ``memory`` has those of the last n that were met."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.memory: pa.Array | None = None
        self.met: Positions = np.zeros(0, dtype=np.int64)  # where they are, ascending

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The n-th last value of each frame."""
        if not len(start):
            return values[:0]
        held = base + (np.arange(len(values)) if seen is None else np.flatnonzero(seen))
        before = self.met[self.met < base]
        at = np.concatenate([before, held])
        known = values.take(pa.array(held - base))
        if len(before):
            assert self.memory is not None
            known = pa.concat_arrays([under(self.memory, values.type).slice(0, len(before)), known])
        found = np.searchsorted(at, end) - self.n
        there = (found >= 0) & (np.append(at, -1)[np.maximum(found, -1)] >= start)
        last = np.searchsorted(at, int(end[-1]))
        first = max(int(last) - self.n, 0)
        self.met, self.memory = at[first:last], known.take(pa.array(np.arange(first, last)))
        return known.take(pa.array(np.maximum(found, 0), mask=~there))

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Remember the last values of a frame that is still growing."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self) -> tuple[Any, ...]:
        """The memory."""
        return self.memory, self.met

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        self.memory, self.met = state


class Defaulted:
    """Another kernel, and a value for the frames in which it finds no tuple."""

    def __init__(self, kernel: Any, default: pa.Scalar, *, null_is_none: bool) -> None:
        self.kernel, self.default, self.null_is_none = kernel, pa.array([default], default.type), null_is_none
        self.absorb, self.state, self.restore = kernel.absorb, kernel.state, kernel.restore

    def roll(self, values: Any, base: int, start: Positions, end: Positions, *seen: Seen) -> pa.Array:
        """The kernel's results, with the default."""
        found = self.kernel.roll(values, base, start, end, *seen)
        none = pc.is_null(found).to_numpy(zero_copy_only=False) if self.null_is_none else start >= end
        if not none.any():
            return found
        rows = pa.array(np.where(none, len(found), np.arange(len(found))))
        return pa.concat_arrays([found, under(self.default, found.type)]).take(rows)


class ShareOfPartition:
    """A function of a frame's first number and of the partition's size, for frames that end with the partition.

    Where the frame is empty, behind the last tuple, the first number is the size.
    """

    def __init__(self, share: Share) -> None:
        self.share = share

    def roll(self, numbers: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The function's value for each frame; ``numbers`` are those of the tuples in their partition."""
        held = numbers.to_numpy()
        size = held[end - 1 - base] + 1
        return pa.array(self.share(size - (end - start), size))

    def absorb(self, *frame: Any) -> None:
        """There is nothing to remember."""

    def state(self) -> tuple[Any, ...]:
        """None."""
        return ()

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
