"""Kernels whose result is a list: collect_list, collect_set, string_agg, the results of several kernels.

A frame's list is a run of the tuples that count. All lists of a call are gathered at once, whole arrays at a time::

    counted   0   2 3   5 6            positions that count
    frames    [ 0, 4 )  [ 2, 6 )
    low,high    0..3      1..4         runs of `counted`

Cost: the size of the lists; where they are pieces of one buffer, that of their copies. What a frame needs is read again for every
result.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen
from inwindow.native._bundles import copied
from inwindow.native._moving import has_one_width
from inwindow.native.equality import codes_of

# The width of the offsets in texts of each type.
LENGTHS = {
    pa.string(): pa.int32(),
    pa.binary(): pa.int32(),
    pa.large_string(): pa.int64(),
    pa.large_binary(): pa.int64(),
}


class CollectList:
    """The values of the tuples that count, oldest first."""

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """A list per frame."""
        if not has_one_width(values.type):
            which, offsets = runs(values, base, start, end, seen)
            return listed(values.take(pa.array(which)), offsets)
        counted, low, length = spans(values, base, start, end, seen)
        width = values.type.bit_width // 8
        data = copied(counted.buffers()[1], (low + counted.offset) * width, length * width)
        offsets = np.concatenate([[0], np.cumsum(length)])
        return listed(pa.Array.from_buffers(values.type, int(offsets[-1]), [None, data]), offsets)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Nothing: the lists are made of the held tuples."""

    def state(self) -> tuple[Any, ...]:
        """None: the held tuples are all there is."""
        return ()

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""


class CollectSet(CollectList):
    """The distinct values of the tuples that count, in the order in which they first come in the frame.

    A tuple is the first of its value in a frame if the one before with that value lies before the frame.
    """

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """A list per frame."""
        values = without_negative_zeros(values)
        which, offsets = runs(values, base, start, end, seen)
        if not len(which):
            return listed(values.take(pa.array(which)), offsets)
        before = np.full(len(values), -1)
        before[which] = 0
        counted = np.flatnonzero(before == 0)
        before[counted] = np.append(counted, -1)[previous_equal(values.take(pa.array(counted)))]
        is_new = before[which] < np.repeat(start - base, np.diff(offsets))
        kept = np.concatenate([[0], np.cumsum(is_new)])
        return listed(values.take(pa.array(which[is_new])), kept[offsets])


class StringAgg(CollectList):
    """The strings of the tuples that count, joined."""

    def __init__(self, delimiter: pa.Scalar) -> None:
        self.delimiter = delimiter

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """A string per frame: a piece of the one that all values are joined to."""
        counted, low, length = spans(values, base, start, end, seen)
        between = self.delimiter.as_buffer().size
        whole = pc.binary_join(listed(counted, np.array([0, len(counted)])), self.delimiter)
        at = np.concatenate([[0], np.cumsum(pc.binary_length(counted).to_numpy() + np.int64(between))])
        size = np.maximum(at[low + length] - at[low] - between, 0)
        offsets = pa.array(np.concatenate([[0], np.cumsum(size)]), LENGTHS[values.type])
        some = pa.array(length > 0)
        text = copied(whole.buffers()[2], at[low], size)
        return pa.Array.from_buffers(values.type, len(low), [some.buffers()[1], offsets.buffers()[1], text])


class StringAggDistinct(CollectSet):
    """The distinct strings of the tuples that count, in the order in which they first come in the frame, joined."""

    def __init__(self, delimiter: pa.Scalar) -> None:
        self.delimiter = delimiter

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """A string per frame."""
        return joined(super().roll(values, base, start, end, seen), self.delimiter)


class Several:
    """A list of one result per kernel for each frame; NULL where they have none."""

    def __init__(self, kernels: list[Any], finish: Callable[[pa.Array], pa.Array]) -> None:
        self.kernels, self.finish = kernels, finish

    def roll(self, *arguments: Any) -> pa.Array:
        """The lists."""
        return self._lists([kernel.roll(*arguments) for kernel in self.kernels])

    def sweep(self, *arguments: Any) -> pa.Array:
        """The lists, of kernels that can sweep."""
        return self._lists([kernel.sweep(*arguments) for kernel in self.kernels])

    def _lists(self, columns: list[pa.Array]) -> pa.Array:
        results = [self.finish(column) for column in columns]
        valid = pc.is_valid(results[0]).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([[0], np.cumsum(np.where(valid, len(results), 0))])
        # The results one after another, read across: those of the first frame, of the second, ...
        index = np.flatnonzero(valid)[:, None] + len(valid) * np.arange(len(results))
        turned = pa.concat_arrays(results).take(pa.array(index.ravel()))
        kind = pa.list_(pa.field("element", turned.type, nullable=False))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), turned, type=kind, mask=pa.array(~valid))

    def absorb(self, *arguments: Any) -> None:
        """Into each."""
        for kernel in self.kernels:
            kernel.absorb(*arguments)

    def state(self) -> Any:
        """Of each."""
        return [kernel.state() for kernel in self.kernels]

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        for kernel, its in zip(self.kernels, state, strict=True):
            kernel.restore(its)


# What they share


def spans(
    values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen
) -> tuple[pa.Array, Positions, Positions]:
    """The values that count; for each frame the number of its first one, and how many it has."""
    if seen is not None:
        counted = np.flatnonzero(seen)
        values = values.take(pa.array(counted))
        low, high = (np.searchsorted(counted, edge - base) for edge in (start, end))
    else:
        low, high = (np.clip(edge - base, 0, len(values)) for edge in (start, end))
    return values, low, np.maximum(high - low, 0)


def runs(values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> tuple[Positions, Positions]:
    """The indices of the counted tuples of all frames, one frame after another; and where each frame's begin."""
    numbers, low, length = spans(pa.array(np.arange(len(values))), base, start, end, seen)
    offsets = np.concatenate([[0], np.cumsum(length)])
    return numbers.to_numpy()[np.repeat(low - offsets[:-1], length) + np.arange(offsets[-1])], offsets


def listed(values: pa.Array, offsets: npt.NDArray[np.int64]) -> pa.Array:
    """Lists out of their values and where each begins."""
    kind = pa.list_(pa.field("element", values.type))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=kind)


def joined(lists: pa.Array, delimiter: pa.Scalar) -> pa.Array:
    """The strings of each list as one; NULL for an empty list."""
    empty = pa.array(np.diff(lists.offsets.to_numpy()) == 0)
    return pc.if_else(empty, pa.scalar(None, delimiter.type), pc.binary_join(lists, delimiter))


def without_negative_zeros(values: pa.Array) -> pa.Array:
    """-0.0 as 0.0, which it is equal to: Spark's sets have the latter."""
    if pa.types.is_float16(values.type):  # Arrow has no sum of them
        bits = values.view(pa.uint16())
        return pc.if_else(pc.equal(bits, 1 << 15), pa.scalar(0, pa.uint16()), bits).view(values.type)
    return pc.add(values, pa.scalar(0.0, values.type)) if pa.types.is_floating(values.type) else values


def previous_equal(values: pa.Array) -> Positions:
    """For each value the index of the one before that is equal, or -1."""
    codes = codes_of(values)
    order = np.argsort(codes, kind="stable")
    before = np.full(len(codes), -1, dtype=np.int64)
    again = codes[order[1:]] == codes[order[:-1]]
    before[order[1:][again]] = order[:-1][again]
    return before
