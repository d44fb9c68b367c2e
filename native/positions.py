"""Kernels that pick tuples rather than compute: first, last, nth_value, on any type.

They work on positions (whole arrays at a time, in numpy) and take the values at the end, so a string costs no more
than its copy. ``seen`` says which tuples count; a frame without one gives NULL.
Cost: O(1) per tuple.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native.instants import under

Positions = npt.NDArray[np.int64]
Seen = npt.NDArray[np.uint8] | None
Picked = tuple[pa.Array, npt.NDArray[np.bool_]]
_STRIDE = 4096  # how many marks are looked at at a time
_NONE = np.iinfo(np.int64).max // 2  # beyond every position, also with an offset added


class First:
    """The value of the first tuple that counts.

    Where a frame starts before the held tuples (nothing leaves it, so they were let go), its first tuple was met
    before: ``memory`` is that value, ``memory_start`` the frame's start.
    """

    def __init__(self) -> None:
        self.memory: pa.Array | None = None
        self.memory_start = -1

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The first value of each frame."""
        return self.pick(values, base, start, end, seen)[0]

    def pick(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> Picked:
        """The first values, and which frames have one."""
        found = _following(np.clip(start - base, 0, len(values)), seen) + base
        met = (start == self.memory_start) & (self.memory is not None)
        index = np.where(found < end, found - base, -1)
        result = _take(values, np.where(met, -1, index))
        if self.memory is not None and met.any():
            result = _with_memory(result, met, self.memory)
        if len(start) and int(start[-1]) != self.memory_start:
            self.memory, self.memory_start = None, int(start[-1])
        if self.memory is None and len(start) and index[-1] >= 0:
            self.memory = values.take(pa.array(index[-1:]))  # a copy: no slice that holds on to the batch
        return result, met | (index >= 0)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Remember the first value of a frame that is still growing."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self) -> tuple[Any, ...]:
        """The memory."""
        return self.memory, self.memory_start

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        self.memory, self.memory_start = state


class Last:
    """The value of the last tuple that counts; ``memory`` as in :class:`First`, for the tuples that were let go."""

    def __init__(self) -> None:
        self.memory: pa.Array | None = None
        self.memory_at = -1

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The last value of each frame."""
        return self.pick(values, base, start, end, seen)[0]

    def pick(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> Picked:
        """The last values, and which frames have one."""
        before = _preceding(np.clip(end - base, 0, len(values)), seen)
        found = np.where(before >= 0, before + base, self.memory_at)
        met = found >= start
        result = _take(values, np.where(met & (found >= base), found - base, -1))
        from_memory = met & (found < base)
        if from_memory.any():
            assert self.memory is not None
            result = _with_memory(result, from_memory, self.memory)
        if len(end) and found[-1] >= base:
            self.memory_at = int(found[-1])
            self.memory = values.take(pa.array([self.memory_at - base]))
        return result, met

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Remember the last value of a frame that is still growing."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self) -> tuple[Any, ...]:
        """The memory."""
        return self.memory, self.memory_at

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        self.memory, self.memory_at = state


class NthValue:
    """The value of the n-th tuple that counts.

    Of a frame that grows from before the held tuples it is known how many counted up to ``counted_to``, and, once the
    n-th was met, its value.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.start, self.counted_to, self.counted = -1, -1, 0
        self.memory: pa.Array | None = None

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The n-th value of each frame."""
        if not len(start):
            return values[:0]
        counts = np.arange(len(values)) if seen is None else np.flatnonzero(seen)
        goes_on = start == self.start
        before = np.where(goes_on, self.counted, 0)
        low = np.searchsorted(counts, np.where(goes_on, self.counted_to, start) - base)
        index = low + self.n - 1 - before
        found = np.append(counts, _NONE)[np.clip(index, 0, len(counts))]
        result = _take(values, np.where((before < self.n) & (found < end - base), found, -1))
        met = goes_on & (before >= self.n)
        if met.any():
            assert self.memory is not None
            result = _with_memory(result, met, self.memory)
        within = np.searchsorted(counts, max(int(end[-1]), int(start[-1])) - base) - low[-1]
        if before[-1] < self.n:
            self.memory = values.take(pa.array([found[-1]])) if before[-1] + within >= self.n else None
        self.start, self.counted_to = int(start[-1]), max(int(end[-1]), int(start[-1]))
        self.counted = int(before[-1] + within)
        return result

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Count the tuples of a frame that is still growing."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self) -> tuple[Any, ...]:
        """The memory."""
        return self.start, self.counted_to, self.counted, self.memory

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        self.start, self.counted_to, self.counted, self.memory = state


# The two levels of a cascade: a pane's partial is what was picked, if it has a tuple that counts.


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


def _following(index: Positions, seen: Seen) -> Positions:
    """For each of ascending indices the first one at or after it that counts.

    Looks at the stretch that the indices span and at what follows it, not at the whole frame.
    """
    if seen is None or not len(index):
        return index
    first, last = int(index[0]), min(int(index[-1]) + 1, len(seen))
    marked = np.where(seen[first:last], np.arange(first, last), _NONE)
    stretch = np.append(marked, _next_marked(seen, last))
    return np.minimum.accumulate(stretch[::-1])[::-1][index - first]


def _preceding(index: Positions, seen: Seen) -> Positions:
    """For each of ascending indices the last one before it that counts; -1 where there is none."""
    if seen is None or not len(index):
        return index - 1
    first, last = int(index[0]), int(index[-1])
    marked = np.where(seen[first:last], np.arange(first, last), -1)
    stretch = np.insert(marked, 0, _last_marked(seen, first))
    return np.maximum.accumulate(stretch)[index - first]


def _next_marked(seen: npt.NDArray[np.uint8], start: int) -> int:
    for at in range(start, len(seen), _STRIDE):
        found = np.flatnonzero(seen[at : at + _STRIDE])
        if len(found):
            return at + int(found[0])
    return _NONE


def _last_marked(seen: npt.NDArray[np.uint8], end: int) -> int:
    for at in range(end, 0, -_STRIDE):
        low = max(at - _STRIDE, 0)
        found = np.flatnonzero(seen[low:at])
        if len(found):
            return low + int(found[-1])
    return -1


def _with_memory(result: pa.Array, where: npt.NDArray[np.bool_], memory: pa.Array) -> pa.Array:
    """The remembered value where it is the result: by take(), which every type has."""
    rows = pa.array(np.where(where, len(result), np.arange(len(result))))
    return pa.concat_arrays([result, under(memory, result.type)]).take(rows)


def _take(values: pa.Array, index: Positions) -> pa.Array:
    return values.take(pa.array(index, mask=index < 0))
