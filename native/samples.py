"""Samples of sliding frames, of values of any type: :mod:`inwindow.native._samples` chooses, here is what was chosen.

Of a frame only the tuples are held that it or a later frame may still have as a sample: O(k * log n) of n, in the
mean and with high probability (the bound is in the kernel). So the caller may let go of the tuples of a frame as soon as they
are folded in. ``seen`` says which tuples count; a frame without one gives an empty list.
Cost: O(k) per tuple, plus the size of the lists; O(k * log n) per call.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native import Positions, Seen
from inwindow.native._samples import PrioritySample
from inwindow.native.instants import joined


class _Held:
    """The values at the kept positions, and those that a call brings: found by position."""

    def __init__(self) -> None:
        self.positions: Positions = np.empty(0, np.int64)
        self.values: pa.Array | None = None

    def with_new(self, values: pa.Array, base: int) -> tuple[pa.Array, Positions]:
        """All values that can be had, and the positions of the held ones among them, which come first."""
        older = int(np.searchsorted(self.positions, base))
        if not older:
            return values, self.positions[:0]
        assert self.values is not None
        return joined(self.values[:older], values), self.positions[:older]

    def keep(self, positions: Positions, values: pa.Array) -> None:
        """Hold these, which are copies: no slice that holds on to a batch."""
        self.positions, self.values = positions, values


def _index(positions: Positions, older: Positions, base: int) -> Positions:
    """Where the values at ``positions`` are, if those at the positions ``older`` precede those from ``base`` on."""
    return np.where(positions >= base, positions - base + len(older), np.searchsorted(older, positions))


class _Sampling:
    """A kernel that chooses, and what it has chosen."""

    def __init__(self, k: int, seed: int = 0, *, evicts: bool = True) -> None:
        self.kernel = PrioritySample(k, seed, evicts=evicts)
        self.held = _Held()

    def _keep(self, pool: pa.Array, older: Positions, base: int) -> None:
        kept = self.kernel.kept()
        self.held.keep(kept, pool.take(pa.array(_index(kept, older, base))))

    def _lists(self, counts: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        """The values as lists of k, one where a frame counts anything, and empty ones where not."""
        offsets = np.concatenate([[0], np.cumsum(np.where(counts, self.kernel.k, 0))])
        field = pa.field("element", values.type)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=pa.list_(field))

    def state(self) -> tuple[Any, ...]:
        """The state of the kernel and what is held."""
        return self.kernel.state(), self.held.positions, self.held.values

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        kernel, positions, values = state
        self.kernel.restore(kernel)
        self.held.keep(positions, values)


class Sample(_Sampling):
    """``k`` independent uniform samples, with replacement, of each frame, as a list.

    ``values`` is a pair: an Arrow array of any type, and the ordinals of its tuples, int64.
    """

    def roll(
        self, values: tuple[pa.Array, pa.Array], base: int, start: Positions, end: Positions, seen: Seen
    ) -> pa.Array:
        """A list of k values per frame; an empty one where no tuple counts."""
        column, ordinals = values
        positions = self.kernel.roll(_numbers(ordinals), base, start, end, seen)
        pool, older = self.held.with_new(column, base)
        counts = positions[:, 0] >= 0
        taken = pool.take(pa.array(_index(positions[counts].ravel(), older, base)))
        self._keep(pool, older, base)
        return self._lists(counts, taken)

    def roll_partials(
        self, values: tuple[pa.Array, pa.Array], base: int, start: Positions, end: Positions, seen: Seen
    ) -> tuple[pa.Array, pa.Array]:
        """The first level of a cascade: the samples of each pane and their priorities, in lists of k.

        The list of priorities is NULL where no tuple of the pane counts.
        """
        column, ordinals = values
        positions, priorities = self.kernel.roll_priorities(_numbers(ordinals), base, start, end, seen)
        pool, older = self.held.with_new(column, base)
        chosen = positions.ravel()
        winners = pool.take(pa.array(_index(chosen, older, base), mask=chosen < 0))
        self._keep(pool, older, base)
        k = self.kernel.k
        return (
            pa.FixedSizeListArray.from_arrays(winners, k),
            pa.FixedSizeListArray.from_arrays(pa.array(priorities.ravel()), k, mask=pa.array(positions[:, 0] < 0)),
        )

    def absorb(self, values: tuple[pa.Array, pa.Array], base: int, start: int, end: int, seen: Seen) -> None:
        """Fold the frame [start, end) in without a result."""
        column, ordinals = values
        self.kernel.roll(_numbers(ordinals), base, np.array([start]), np.array([end]), seen)
        self._keep(*self.held.with_new(column, base), base)

    def __len__(self) -> int:
        """How many values are held."""
        return len(self.held.positions)


class SampleOfPartials(_Sampling):
    """The second level: the samples of frames of panes, given by :meth:`Sample.roll_partials`; the same as without panes."""

    def __init__(self, k: int, *, evicts: bool = True) -> None:
        super().__init__(k, evicts=evicts)

    def roll(self, partials: tuple[pa.Array, pa.Array], base: int, start: Positions, end: Positions) -> pa.Array:
        """A list of k values per frame of panes; an empty one where no tuple counts."""
        panes, priorities = partials
        k = self.kernel.k
        seen = priorities.is_valid().to_numpy(zero_copy_only=False).view(np.uint8)
        ranks = _numbers(priorities.values.slice(priorities.offset * k, len(priorities) * k)).reshape(-1, k)
        positions = self.kernel.roll_winners(ranks, base, start, end, seen)
        pool, older = self.held.with_new(panes, base)
        counts = positions[:, 0] >= 0
        index = _index(positions[counts], older, base) * k + np.arange(k) + pool.offset * k
        taken = pool.values.take(pa.array(index.ravel()))
        self._keep(pool, older, base)
        return self._lists(counts, taken)


def _numbers(array: pa.Array) -> npt.NDArray[Any]:
    return array.to_numpy(zero_copy_only=False)
