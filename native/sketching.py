"""Sketches of Apache DataSketches over frames: they take values in and are merged, and nothing is ever taken out.

A frame that only grows keeps one sketch. One that slides by tuples is sketched again from its tuples; over panes, the bytes of
each pane's sketch are a partial, and those of a frame are merged on two stacks::

    panes     lo         mid         hi
    front     [p, mid) for each p  |  back = [mid, hi)        result = merge of both

Cost: that of an update (some 50 ns) per tuple, times the window where it slides by tuples; with panes two merges per pane.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native import Positions, Seen

Give = Callable[[Any], Any]


class Sketching:
    """The sketches of frames of values; ``give`` makes a result of each, of type ``result``."""

    def __init__(self, family: Any, give: Give, result: pa.DataType) -> None:
        self.family, self.give, self.result = family, give, result
        self.lo = self.hi = 0
        self.sketch: Any = None

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions) -> pa.Array:
        """A result per frame."""
        frames = zip(start.tolist(), end.tolist(), strict=True)
        return pa.array([self.give(self._move(values, base, *frame)) for frame in frames], self.result)

    def absorb(self, values: pa.Array, base: int, start: int, end: int) -> None:
        """Fold the frame in without a result."""
        self._move(values, base, int(start), int(end))

    def roll_partials(self, values: pa.Array, base: int, start: Positions, end: Positions) -> tuple[pa.Array]:
        """The first level of a cascade: the sketches' bytes."""
        frames = zip(start.tolist(), end.tolist(), strict=True)
        return (pa.array([self.family.written(self._move(values, base, *frame)) for frame in frames], pa.binary()),)

    def _move(self, values: pa.Array, base: int, start: int, end: int) -> Any:
        if self.sketch is None or start != self.lo or start >= self.hi:
            self.sketch, self.hi = self.family.fresh(), start
        first = self.hi - base
        self.sketch = self.family.update(self.sketch, self._counted(values, first, max(end - base, first)))
        self.lo, self.hi = start, max(self.hi, end)
        return self.sketch

    def _counted(self, values: pa.Array, first: int, last: int) -> pa.Array:
        return pc.drop_null(values[first:last])

    def state(self) -> Any:
        """The frame, and the sketch as bytes."""
        return self.lo, self.hi, None if self.sketch is None else self.family.written(self.sketch)

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.lo, self.hi, written = state
        self.sketch = None if written is None else self.family.read(written)


class SketchingNulls(Sketching):
    """The same where NULL is a value like others: ``seen`` says which tuples count."""

    seen: Seen = None

    def roll(self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen = None) -> pa.Array:
        """A result per frame."""
        self.seen = seen
        return super().roll(values, base, start, end)

    def absorb(self, values: pa.Array, base: int, start: int, end: int, seen: Seen = None) -> None:
        """Fold the frame in without a result."""
        self.seen = seen
        super().absorb(values, base, start, end)

    def roll_partials(
        self, values: pa.Array, base: int, start: Positions, end: Positions, seen: Seen = None
    ) -> tuple[pa.Array]:
        """The first level of a cascade: the sketches' bytes."""
        self.seen = seen
        return super().roll_partials(values, base, start, end)

    def _counted(self, values: pa.Array, first: int, last: int) -> pa.Array:
        news = values[first:last]
        return news if self.seen is None else news.filter(pa.array(self.seen[first:last] != 0))


class SketchOfPanes:
    """The second level: sketches of panes are merged, on two stacks."""

    def __init__(self, family: Any, give: Give, result: pa.DataType) -> None:
        self.family, self.give, self.result = family, give, result
        self.lo = self.mid = self.hi = 0
        self.front: list[Any] = []  # the newest suffix first: the last one is of [lo, mid)
        self.back: Any = family.fresh()

    def roll(self, partials: tuple[pa.Array], base: int, start: Positions, end: Positions) -> pa.Array:
        """A result per frame of panes."""
        (written,) = partials
        frames = zip(start.tolist(), end.tolist(), strict=True)
        return pa.array([self.give(self._move(written, base, *frame)) for frame in frames], self.result)

    def _move(self, written: pa.Array, base: int, start: int, end: int) -> Any:
        family = self.family
        if start >= self.hi:
            self.front, self.back, self.mid, self.hi = [], family.fresh(), start, start
        elif start >= self.mid and start > self.lo:
            self.front, self.back = [], family.fresh()
            for pane in range(self.hi - 1, start - 1, -1):
                one = family.read(written[pane - base].as_py())
                self.front.append(family.merged(one, self.front[-1]) if self.front else one)
            self.mid = self.hi
        elif start > self.lo:
            del self.front[len(self.front) - (start - self.lo) :]
        for pane in range(self.hi, end):
            self.back = family.merged(self.back, family.read(written[pane - base].as_py()))
        self.lo, self.hi = start, max(self.hi, end)
        return family.merged(self.front[-1], self.back) if self.front else self.back

    def state(self) -> Any:
        """The frame, and the sketches as bytes."""
        written = self.family.written
        return self.lo, self.mid, self.hi, [written(one) for one in self.front], written(self.back)

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        self.lo, self.mid, self.hi, front, back = state
        self.front, self.back = [self.family.read(one) for one in front], self.family.read(back)
