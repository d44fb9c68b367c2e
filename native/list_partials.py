"""Lists as the partials of panes: of collect_list, collect_set, string_agg, nth_value; and kernels rolled over their values."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen
from inwindow.native.lists import (
    CollectList,
    CollectSet,
    StringAgg,
    joined,
    listed,
    previous_equal,
    runs,
    without_negative_zeros,
)


class ListOfPanes:
    """Level one: a pane's list. Of the pane that is still growing the list so far is kept, and no tuple."""

    def __init__(self) -> None:
        self.open: list[pa.Array] = []
        self.start = self.end = -1

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen) -> None:
        """Add to the growing pane's list."""
        if start != self.start:
            self.open, self.start, self.end = [], start, start
        if self.end < end:
            which, _ = runs(values, base, np.array([self.end]), np.array([end]), seen)
            self.open = [self.reduced(pa.concat_arrays([*self.open, values.take(pa.array(which))]))]
            self.end = end

    def roll_partials(
        self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen
    ) -> tuple[pa.Array, ...]:
        """A list per pane; only the first one may have begun before ``base``."""
        if not len(start):
            return (listed(values[:0], np.zeros(1, dtype=np.int64)),)
        self.absorb(values, base, int(start[0]), int(end[0]), seen)
        parts, lengths = [*self.open], [np.array([len(part) for part in self.open], dtype=np.int64)]
        if not parts:
            lengths = [np.zeros(1, dtype=np.int64)]
        if len(start) > 1:
            lists = self.lists(values, base, start[1:], end[1:], seen)
            parts.append(lists.flatten())
            lengths.append(np.diff(lists.offsets.to_numpy()))
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        self.open, self.start, self.end = [], -1, -1
        return (listed(pa.concat_arrays(parts) if parts else values[:0], offsets),)

    def lists(self, *arguments: Any) -> pa.Array:
        """The lists of whole panes."""
        return CollectList().roll(*arguments)

    def reduced(self, values: pa.Array) -> pa.Array:
        """What has to be kept of a growing list."""
        return values

    def state(self) -> Any:
        """The growing list."""
        return self.open, self.start, self.end

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.open, self.start, self.end = state


class SetOfPanes(ListOfPanes):
    """Level one: a pane's distinct values."""

    def lists(self, *arguments: Any) -> pa.Array:
        """The distinct values of whole panes."""
        return CollectSet().roll(*arguments)

    def reduced(self, values: pa.Array) -> pa.Array:
        """The first of each."""
        values = without_negative_zeros(values)
        return values.filter(pa.array(previous_equal(values) < 0))


class FirstFew(ListOfPanes):
    """Level one: a pane's first values, as many as asked for."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def lists(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen) -> pa.Array:
        """The first values of whole panes."""
        which, offsets = runs(values, base, start, end, seen)
        place = np.arange(len(which)) - np.repeat(offsets[:-1], np.diff(offsets))
        kept = np.concatenate([[0], np.cumsum(place < self.count)])
        return listed(values.take(pa.array(which[place < self.count])), kept[offsets])

    def reduced(self, values: pa.Array) -> pa.Array:
        """The first few."""
        return values[: self.count]


class TextOfPanes(ListOfPanes):
    """Level one: a pane's joined string, NULL where it has none."""

    def __init__(self, delimiter: pa.Scalar) -> None:
        super().__init__()
        self.delimiter = delimiter

    def roll_partials(self, *arguments: Any) -> tuple[pa.Array, ...]:
        """A string per pane."""
        return (joined(super().roll_partials(*arguments)[0], self.delimiter),)


class TextOfPartials:
    """Level two: the panes' strings, joined."""

    def __init__(self, delimiter: pa.Scalar) -> None:
        self.kernel = StringAgg(delimiter)
        self.state, self.restore = self.kernel.state, self.kernel.restore

    def roll(self, partials: tuple[pa.Array], base: int, start: Positions, end: Positions) -> pa.Array:
        """A string per frame of panes."""
        (texts,) = partials
        some = pc.is_valid(texts).to_numpy(zero_copy_only=False).astype(np.uint8)
        return self.kernel.roll(texts, base, start, end, some)


class Flattened:
    """Level two of whatever has lists as partials: its ordinary kernel over the lists' values, one after another.

    ::

        panes       [a b] [c] [] [d e]         frame [1, 4) of panes
        flattened    a b   c      d e          frame [2, 5) of values

    ``edges[i]`` is where the list of pane ``base + i`` begins; positions count from the first pane of all.
    """

    def __init__(self, kernel: Any, *seen: None) -> None:
        self.kernel, self.seen = kernel, seen  # kernels that take a mask of counted tuples get None: all count
        self.base = 0
        self.edges = np.zeros(1, dtype=np.int64)

    def roll(self, partials: tuple[pa.Array], base: int, start: Positions, end: Positions) -> pa.Array:
        """Results of frames in positions of panes."""
        (lists,) = partials
        self.edges, self.base = self.edges[min(base - self.base, len(self.edges) - 1) :], base
        offsets = lists.offsets.to_numpy()
        fresh = offsets[len(self.edges) :] - offsets[len(self.edges) - 1]
        self.edges = np.concatenate([self.edges, self.edges[-1] + fresh])
        bounds = (np.ascontiguousarray(self.edges[edge - base]) for edge in (start, end))
        return self.kernel.roll(lists.flatten(), int(self.edges[0]), *bounds, *self.seen)

    def state(self) -> Any:
        """With the kernel's."""
        return self.base, self.edges, self.kernel.state()

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.base, self.edges, kernel = state
        self.kernel.restore(kernel)
