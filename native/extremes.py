"""min, max, min_by and max_by of anything that can be ordered: the values at the positions of extremes.

:mod:`._extremes_at` finds at which position the extreme of each frame is; here the values there are taken. Cost: O(1)
amortised comparisons per tuple.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen
from inwindow.native.instants import joined
from inwindow.native.ordering import Op, is_plain, kernel_for, ordered

Columns = tuple[pa.Array, ...]


class _AtExtreme:
    """The values of the first of some columns where the last one, the *ordering*, has its extreme: of ties the latest.

    A NULL ordering does not count. With ``evicts=False`` a frame that goes on from the call before has its winner so
    far in ``memory``, a row; it stands for all tuples of [lo, hi), which may have been let go, at position hi - 1::

        frame     lo . . . . . . hi . . . end        becomes     memory | hi . . . end
    """

    def __init__(self, op: Op, ordering: pa.DataType, *, evicts: bool = True) -> None:
        self.op, self.ordering, self.evicts = op, ordering, evicts
        self.kernel = kernel_for(op, ordering)
        self.memory: Columns | None = None
        self.lo = self.hi = 0

    def _rows(self, columns: Columns, base: int, start: Positions, end: Positions, seen: Seen, wanted: int) -> Columns:
        """The first ``wanted`` columns where the extremes of the frames are; NULL where no tuple counts."""
        if self.evicts:
            at = self.kernel.roll(*self._news(columns[-1], base, seen, start, end))
        else:
            columns, base, at = self._grown(columns, base, start, end, seen)
        index = pc.subtract(at, base)
        return tuple(column.take(index) for column in columns[:wanted])

    def _fold(self, columns: Columns, base: int, start: int, end: int, seen: Seen) -> None:
        if self.evicts:
            self.kernel.absorb(*self._news(columns[-1], base, seen, start, end))
        else:
            self._grown(columns, base, np.array([start]), np.array([end]), seen)

    def _news(self, values: pa.Array, base: int, seen: Seen, start: Any, end: Any) -> tuple[Any, ...]:
        """What the kernel has not seen, if it must be converted: the rest it does not read again."""
        if not is_plain(self.ordering):
            known = min(max(self.kernel.hi - base, 0), len(values))
            values, seen, base = ordered(values.slice(known)), None if seen is None else seen[known:], base + known
        return values, base, start, end, seen

    def _grown(
        self, columns: Columns, base: int, start: Positions, end: Positions, seen: Seen
    ) -> tuple[Columns, int, pa.Array]:
        """Columns, the position of their first row, and where the extremes are, if nothing leaves a frame."""
        if not len(start):
            return columns, base, pa.array([], pa.int64())
        moved = start[(start < self.hi) & (start != self.lo)]
        if len(moved):
            raise RuntimeError(f"evicts=False, but the lower end moved from {self.lo} to {moved[0]} inside a frame")
        goes_on = int(start[0]) < self.hi
        skip = min(max((self.hi if goes_on else int(start[0])) - base, 0), len(columns[0]))
        columns, base = tuple(column.slice(skip) for column in columns), base + skip
        seen = None if seen is None else seen[skip:]
        if goes_on and self.memory is not None:
            columns = tuple(joined(*pair) for pair in zip(self.memory, columns, strict=True))
            base -= 1
            seen = None if seen is None else np.insert(seen, 0, 1)
        inside = np.maximum(start, base) if goes_on else start
        at = kernel_for(self.op, self.ordering).roll(ordered(columns[-1]), base, inside, end, seen)
        winner = at[-1].as_py()
        self.memory = None if winner is None else tuple(column.take(pa.array([winner - base])) for column in columns)
        self.lo, self.hi = int(start[-1]), max(int(start[-1]), int(end[-1]))
        return columns, base, at

    def state(self) -> tuple[Any, ...]:
        """The kernel's, and the memory."""
        return self.kernel.state(), self.memory, self.lo, self.hi

    def restore(self, state: tuple[Any, ...]) -> None:
        """The inverse of :meth:`state`."""
        kernel, self.memory, self.lo, self.hi = state
        self.kernel.restore(kernel)


class Extreme(_AtExtreme):
    """The minimum or maximum of values of type ``ordering``, whatever it is."""

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen = None) -> pa.Array:
        """The extreme of each frame."""
        return self._rows((values,), base, start, end, seen, 1)[0]

    def roll_partials(
        self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen = None
    ) -> Columns:
        """The first level of a cascade: a column of extremes, NULL for a pane without one."""
        return self._rows((values,), base, start, end, seen, 1)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen = None) -> None:
        """Fold a frame in without a result."""
        self._fold((values,), base, start, end, seen)


class ExtremeBy(_AtExtreme):
    """min_by and max_by: of two columns, (picked, ordering), the first's value where the second has its extreme."""

    def roll(self, values: Columns, base: int, start: Positions, end: Positions, seen: Seen = None) -> pa.Array:
        """The picked value of each frame."""
        return self._rows(values, base, start, end, seen, 1)[0]

    def roll_partials(self, values: Columns, base: int, start: Positions, end: Positions, seen: Seen = None) -> Columns:
        """The first level of a cascade: (picked, ordering) of each pane; the ordering is NULL in one without any."""
        return self._rows(values, base, start, end, seen, 2)

    def absorb(self, values: Columns, base: int, start: int, end: int, seen: Seen = None) -> None:
        """Fold a frame in without a result."""
        self._fold(values, base, start, end, seen)


class ExtremeOfPartials(_AtExtreme):
    """The second level, over panes given by ``roll_partials`` of :class:`Extreme` or :class:`ExtremeBy`."""

    def roll(self, partials: Columns, base: int, start: Positions, end: Positions) -> pa.Array:
        """One result per frame of panes."""
        return self._rows(partials, base, start, end, None, 1)[0]
