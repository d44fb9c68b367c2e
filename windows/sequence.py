"""The held tuples of an endless, sorted input: positions, partitions, order keys.

Every tuple has a *position*, counted from the first tuple of the input. The sequence holds the keys of the
positions ``[base, end)``: those before ``base`` are forgotten, those from ``end`` on have not arrived::

    partition starts     0          7              15
    blocks               0          7    9         15         (NULL order values of the second partition: 7, 8)
    held                      [base = 4 ............... end = 20)
                                                   ^ open: may still grow

A batch may end anywhere. Bounds, slots and extents read only this sequence, so they do not depend on batches.
"""

from collections.abc import Sequence as Columns

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.windows.growing_array import GrowingArray
from inwindow.windows.neighbours import Mask, changes
from inwindow.windows.order_key import PLAIN, Keys, OrderKey
from inwindow.windows.stateful import Stateful

Positions = npt.NDArray[np.int64]


class Sequence(Stateful):
    """The places of the held tuples; :meth:`append` adds tuples, :meth:`forget` removes them."""

    kept = (
        "base",
        "end",
        "ended",
        "partition_starts",
        "block_starts",
        "_keys",
        "_side",
        "_groups",
        "_last",
        "_last_side",
    )

    def __init__(self, key: OrderKey | None, peers: bool, groups: bool = False) -> None:
        self.key = key  # distances in this order column
        self.peers = peers and key is None  # only peer groups matter: keys are their running numbers
        self._groups = (
            GrowingArray() if groups else None
        )  # the number of each tuple's peer group in its partition, from 0
        self.base = 0
        self.end = 0
        self.ended = False
        self.partition_starts: Positions = np.zeros(0, dtype=np.int64)
        self.block_starts: Positions = np.zeros(0, dtype=np.int64)
        self._keys = GrowingArray()
        self._side: GrowingArray | None = None  # where NULL and NaN order values sort; None: all are numbers
        self._last: tuple[list[pa.Array], list[pa.Array]] | None = None
        self._last_side = 0

    def append(self, partition: Columns[pa.Array] | Mask, order: Columns[pa.Array], rows: int) -> None:
        """Take the next tuples: their partition columns and order columns, ``rows`` of each.

        Instead of partition columns, it may be a mask of the tuples that are the first of a partition.
        """
        if rows == 0:
            return
        new_partition = self._new_partitions(partition, rows)
        new_block = new_partition
        if self.key is not None:
            new_block = self._read_keys(order[0], new_partition)
        elif self.peers:
            self._number_peers(order, new_partition)
        if self._groups is not None:
            self._number_groups(self._groups, order, new_partition)
        self.partition_starts = np.concatenate([self.partition_starts, np.flatnonzero(new_partition) + self.end])
        self.block_starts = np.concatenate([self.block_starts, np.flatnonzero(new_block) + self.end])
        columns = () if isinstance(partition, np.ndarray) else partition
        self._last = ([c.slice(rows - 1, 1) for c in columns], [c.slice(rows - 1, 1) for c in order])
        self.end += rows

    def _new_partitions(self, partition: Columns[pa.Array] | Mask, rows: int) -> Mask:
        if isinstance(partition, np.ndarray):
            return partition
        if partition:
            return changes(partition, self._last and self._last[0])
        new = np.zeros(rows, dtype=bool)
        new[0] = self._last is None
        return new

    def _read_keys(self, order: pa.Array, new_partition: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        assert self.key is not None
        keys, side = self.key.read(order)
        new_block = new_partition.copy()
        new_block[1:] |= side[1:] != side[:-1]
        new_block[0] |= side[0] != self._last_side
        self._last_side = int(side[-1])
        self._keys.append(keys)
        if self._side is None and side.any():
            self._side = GrowingArray()
            self._side.append(np.zeros(self.end - self.base, dtype=np.int8))
        if self._side is not None:
            self._side.append(side)
        return new_block

    def _number_peers(self, order: Columns[pa.Array], new_partition: npt.NDArray[np.bool_]) -> None:
        new_peers = new_partition.copy()
        if order:
            new_peers |= changes(order, self._last and self._last[1])
        before = int(self._keys.held[-1]) if len(self._keys) else 0
        self._keys.append(before + np.cumsum(new_peers, dtype=np.int64))

    def _number_groups(self, groups: GrowingArray, order: Columns[pa.Array], new_partition: Mask) -> None:
        counted = np.cumsum(new_partition | changes(order, self._last and self._last[1]), dtype=np.int64)
        before = int(groups.held[-1]) if len(groups) else 0  # of the partition that goes on
        at_start = np.maximum.accumulate(np.where(new_partition, counted, -before))
        groups.append(counted - at_start)

    def forget(self, before: int) -> None:
        """Drop the tuples before a position (the newest tuple is always kept, to compare the next one with it)."""
        before = min(before, self.end - 1)
        if before <= self.base:
            return
        self._keys.forget(before - self.base)
        for others in (self._side, self._groups):
            if others is not None:
                others.forget(before - self.base)
        self.partition_starts = _from_containing(self.partition_starts, before)
        self.block_starts = _from_containing(self.block_starts, before)
        self.base = before

    @property
    def closed(self) -> int:
        """The position before which all partitions have ended."""
        if self.ended or not len(self.partition_starts):
            return self.end
        return int(self.partition_starts[-1])

    @property
    def keys(self) -> Keys:
        """The held order keys; empty where no frame asks for them."""
        return self._keys.held

    @property
    def groups(self) -> Positions:
        """The held numbers of peer groups."""
        assert self._groups is not None
        return self._groups.held

    def firsts(self, first: int, last: int) -> Mask:
        """Which of the tuples in [first, last) are the first of their group of peers; of the first tuple held this is not known."""
        groups = self.groups[first - self.base : last - self.base]
        found = np.append(True, groups[1:] != groups[:-1])[: len(groups)]
        starts = self.partition_starts[(self.partition_starts >= first) & (self.partition_starts < last)]
        found[starts - first] = True
        return found

    @property
    def last_key(self) -> Keys:
        """The newest tuple's key, as an array of one."""
        return self.keys[-1:]

    def keys_at(self, at: Positions) -> Keys:
        """The keys of the tuples at the given positions, which ascend, each once."""
        if len(at) and at[-1] - at[0] + 1 == len(at):
            return self.keys[at[0] - self.base : at[-1] + 1 - self.base]
        return self.keys[at - self.base]

    @property
    def ends_plain(self) -> bool:
        """Whether the newest tuple's order value is a number."""
        return self._side is None or bool(self._side.held[-1] == PLAIN)

    def plain_at(self, at: Positions) -> npt.NDArray[np.bool_] | None:
        """Which of the tuples have a plain order value, neither NULL nor NaN; None if all do."""
        return None if self._side is None else self._side.held[at - self.base] == PLAIN

    def sides_at(self, at: Positions) -> npt.NDArray[np.int8] | None:
        """Where the tuples sort: before the numbers, < 0, among them, or behind, > 0; None if all are among them."""
        return None if self._side is None else self._side.held[at - self.base]

    def partitions(self, at: Positions) -> tuple[Positions, Positions]:
        """Start and end of the partition of each position (the open one ends where we are)."""
        return self._spread(self.partition_starts, at)

    def blocks(self, at: Positions) -> tuple[Positions, Positions]:
        """Start and end of the block of each position: its partition's plain, NULL or NaN order values."""
        return self._spread(self.block_starts, at)

    def numbers(self, at: Positions) -> Positions:
        """How many tuples of its partition have come before each."""
        return at - self.partitions(at)[0]

    def lasts(self, first: int, last: int) -> Positions:
        """The positions in [first, last) that are the last of their partition, the newest tuple among them."""
        ends = np.append(self.partition_starts, self.end) - 1
        return ends[(ends >= first) & (ends < last)]

    def every(self, slide: int, remainder: int, first: int, last: int) -> Positions:
        """The positions in [first, last) whose row number in their partition, from 0, leaves ``remainder`` by ``slide``.

        Arithmetic per partition and per position found: the tuples between cost nothing.
        """
        if first >= last:
            return np.zeros(0, dtype=np.int64)
        low, high = np.searchsorted(self.partition_starts, (first, last - 1), side="right")
        starts = self.partition_starts[low - 1 : high]
        ends = np.append(starts[1:], last)
        begin = np.maximum(starts, first)
        begin = begin + (remainder - (begin - starts)) % slide
        if len(starts) == 1:
            return np.arange(begin[0], last, slide)
        count = np.maximum(-((begin - ends) // slide), 0)
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(begin, count) + offset * slide

    def _spread(self, starts: Positions, at: Positions) -> tuple[Positions, Positions]:
        ends = np.append(starts[1:], self.end)
        first, last = np.searchsorted(starts, (at[0], at[-1]), side="right") - 1 if len(at) else (0, -1)
        if first == last:
            return np.full(len(at), starts[first]), np.full(len(at), ends[first])
        which = np.searchsorted(starts, at, side="right") - 1
        return starts[which], ends[which]


class OpenSequence(Sequence):
    """Several open partitions, one after the other: in each the held tuples, and then the new ones.

    ::

        positions                 0  1  2 | 3  4  5  6 | ...
        own                       4  5  6 | 9 10 11 12          numbers in the partition, of which the first need not be here
    """

    def __init__(
        self,
        key: OrderKey | None,
        peers: bool,
        own: Positions,
        starts: Positions,
        order: Columns[pa.Array],
        times: Keys,
        groups: bool = False,
    ) -> None:
        super().__init__(key, peers, groups)
        self.own, self.times = own, times  # times: as keys; empty in arrival order
        self.partition_starts = self.block_starts = starts
        if key is not None:
            self._keys.append(times)
        new_partition = np.zeros(len(own), dtype=bool)
        new_partition[starts] = True
        if self.peers:
            self._number_peers(order, new_partition)
        if self._groups is not None:  # counted from the first tuple that is held
            self._number_groups(self._groups, order, new_partition)
        self.end = len(own)

    def numbers(self, at: Positions) -> Positions:
        """How many tuples of its partition have come before each, in all."""
        return self.own[at]

    def lasts(self, first: int, last: int) -> Positions:
        return np.zeros(0, dtype=np.int64)

    def every(self, slide: int, remainder: int, first: int, last: int) -> Positions:
        return first + np.flatnonzero(self.own[first:last] % slide == remainder)


def _from_containing(starts: Positions, position: int) -> Positions:
    return starts[max(int(np.searchsorted(starts, position, side="right")) - 1, 0) :]
