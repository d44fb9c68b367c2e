"""Bounds at points, which are not tuples: rows of another table, each somewhere between the tuples.

A point comes before the tuples of the same time, so it sees none of them, whatever its frame. It has no position; the number of
tuples before it says where it is::

    events        a   b   b'      c              e           positions 0 1 2 3 4: only tuples have one
    time          1   3   3       6      8       9
    points        ^0      (3: ^1)        ^4                  3 and 8 see [.., 1) and [.., 4); nothing at 3, or at 8
    RANGE 5                             [1, 4)               8 - 5 <= time < 8
    ROWS 2                              [2, 4)               the newest two tuples before 8

So here, too, a frame is two positions of one endless sequence that never move backwards, and every strategy and kernel works
unchanged. A point without a time (NULL, NaN) sees nothing; a tuple without a time is never seen.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inwindow.native._bounds import edges
from inwindow.udaf.pythonic import pythonic
from inwindow.windows.bounds import Bounds, ScopeFraming, _constant
from inwindow.windows.interval import is_negative
from inwindow.windows.order_key import PLAIN, Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Frame, Groups, Landmark, Range, Rows, Scope
from inwindow.windows.stateful import Stateful

Mask = npt.NDArray[np.bool_]

_FAR = 2**61  # an offset beyond the number of tuples that could ever be held changes nothing


@dataclass(frozen=True)
class Points:
    """Points in the order of the sequence."""

    before: Positions  # how many tuples come before each point
    joined: Mask  # whether the tuple just before belongs to the point's partition
    keys: Keys  # the times
    plain: Mask  # which of the times are neither NULL nor NaN

    def where(self, mask: Mask) -> "Points":
        """Some of the points."""
        return Points(self.before[mask], self.joined[mask], self.keys[mask], self.plain[mask])

    def seeing(self, sequence: Sequence) -> Mask:
        """Which of the points have a time, and a tuple with a time before it in their partition."""
        mask = self.joined & self.plain
        at = self.before[mask] - 1
        plain = sequence.plain_at(at) if len(at) else None
        if plain is not None:
            mask[mask] = plain
        return mask


class PointFraming(Stateful, ABC):
    """A frame, ready to be turned into the bounds of points."""

    @abstractmethod
    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        """The bounds of points that see something: in ``[low, before)`` are the tuples before each that have a time."""

    def ahead(self, sequence: Sequence, newest: Points, low: Positions) -> tuple[int, int]:
        """The earliest start and end of later frames: the bounds of ``newest``, a point right after all tuples."""
        start, end = self.reach(sequence, newest, low)
        return int(start[0]), int(end[0])

    @abstractmethod
    def keys_from(self, start: int, end: int) -> int | None:
        """The oldest tuple whose key is needed to find frames that start and end at or after these; None for none."""


def point_framing_of(frame: Frame, key: OrderKey) -> PointFraming:
    """The framing of a frame at points."""
    if isinstance(frame, Rows):
        return RowsAtPoints(frame)
    if isinstance(frame, Range):
        return RangeAtPoints(frame, key)
    if isinstance(frame, Groups):
        return GroupsAtPoints(frame)
    if isinstance(frame, Landmark):
        return LandmarkAtPoints(frame, key)
    assert isinstance(frame, Scope)  # planning has refused all others
    return ScopeAtPoints(frame, key)


def bounds_at(framing: PointFraming, sequence: Sequence, points: Points) -> Bounds:
    """Start and end of the frames of points; a point that sees nothing has an empty frame."""
    start, end = points.before.copy(), points.before.copy()
    seeing = points.seeing(sequence)
    if seeing.any():
        its = points.where(seeing)
        start[seeing], end[seeing] = framing.reach(sequence, its, sequence.blocks(its.before - 1)[0])
    return start, end


def ahead_of(framing: PointFraming, sequence: Sequence) -> tuple[int, int]:
    """Where no frame to come starts, or ends, before: such points lie behind all tuples that have arrived."""
    if not sequence.end or not sequence.ends_plain:
        return sequence.end, sequence.end
    newest = Points(np.array([sequence.end]), np.array([True]), sequence.last_key, np.array([True]))
    return framing.ahead(sequence, newest, sequence.blocks(newest.before - 1)[0])


class RowsAtPoints(PointFraming):
    """ROWS: counted from the newest tuple before the point, as if it were the current one."""

    def __init__(self, frame: Rows) -> None:
        assert frame.upper is not None
        self.lower = None if frame.lower is None else max(frame.lower, -_FAR)
        self.upper = max(frame.upper, -_FAR)

    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        """[newest + lower, newest + upper], not beyond the first tuple."""
        end = np.maximum(points.before + self.upper, low)
        return (low if self.lower is None else np.maximum(points.before - 1 + self.lower, low)), end

    def keys_from(self, start: int, end: int) -> int | None:
        return None


class GroupsAtPoints(PointFraming):
    """GROUPS: counted from the newest group of peers before the point, as if it were the current one."""

    def __init__(self, frame: Groups) -> None:
        assert frame.upper is not None
        self.lower, self.upper = frame.lower, frame.upper

    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        """The groups [newest + lower, newest + upper], not beyond the first tuple."""
        newest = sequence.groups[points.before - 1 - sequence.base]
        end = points.before
        if self.upper:
            end = self._edge(sequence, points, low, newest + self.upper, after=True)
        start = low if self.lower is None else self._edge(sequence, points, low, newest + self.lower, after=False)
        return np.minimum(start, end), end

    def _edge(self, sequence: Sequence, points: Points, low: Positions, groups: Positions, *, after: bool) -> Positions:
        return edges(sequence.groups, sequence.base, groups, np.maximum(low, sequence.base), points.before, after)

    def keys_from(self, start: int, end: int) -> int | None:
        return start


class RangeAtPoints(PointFraming):
    """RANGE: first key >= t + lower; first key > t + upper, or all before t."""

    def __init__(self, frame: Range, key: OrderKey) -> None:
        self.lower, self.upper, self.key = frame.lower, frame.upper, key

    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        """The two edges; a CURRENT ROW is where the point is."""
        start = low if self.lower is None else self._edge(sequence, points, low, self.lower, lower=True)
        end = points.before if self.upper == 0 else self._edge(sequence, points, low, self.upper, lower=False)
        return np.minimum(start, end), end

    def _edge(self, sequence: Sequence, points: Points, low: Positions, offset: Any, *, lower: bool) -> Positions:
        targets = self.key.moved(points.keys, offset, lower=lower, what="the frame's bound")
        edge = _first(sequence, points, low, targets, after=not lower)
        over = None if offset == 0 else self.key.overflows(points.keys, offset)
        if over is not None:  # a target beyond the type saturates, but no key is that small
            assert is_negative(offset)
            edge = np.where(over, low, edge)
        return edge

    def keys_from(self, start: int, end: int) -> int | None:
        if self.lower is not None:
            return start
        return None if self.upper == 0 else end


class LandmarkAtPoints(PointFraming):
    """since <= time < t, and time <= until: edges that stand still, kept once tuples have passed them."""

    kept = ("found",)

    def __init__(self, frame: Landmark, key: OrderKey) -> None:
        self.since = _constant(key, frame.since, "since")
        self.until = _constant(key, frame.until, "until")
        self.found: dict[str, tuple[int, int]] = {}  # bound -> (start of the block, position)

    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        start, end = low, points.before
        if self.until is not None:
            end = self._edge(sequence, points, low, self.until, "until")
        if self.since is not None:
            start = self._edge(sequence, points, low, self.since, "since")
        return np.minimum(start, end), end

    def _edge(self, sequence: Sequence, points: Points, low: Positions, landmark: Keys, bound: str) -> Positions:
        edge = _first(sequence, points, low, np.repeat(landmark, len(low), axis=0), after=bound == "until")
        block, position = self.found.get(bound, (-1, -1))
        edge = np.where(low == block, position, edge)  # the keys around it may be forgotten
        passed = (low == low[-1]) & (edge < points.before)
        if passed.any():
            self.found[bound] = int(low[-1]), int(edge[np.argmax(passed)])
        return edge

    def keys_from(self, start: int, end: int) -> int | None:
        return None


class ScopeAtPoints(ScopeFraming, PointFraming):
    """lower(t) <= time < t, and time <= upper(t): the user's functions, called once per distinct time of the points."""

    kept = ("last", "reached")

    def __init__(self, frame: Scope, key: OrderKey) -> None:
        super().__init__(frame, key)
        self.reached = (0, 0)  # the newest bounds

    def reach(self, sequence: Sequence, points: Points, low: Positions) -> Bounds:
        """First key >= lower(t); first key > upper(t), not beyond the point."""
        start, end = low, points.before
        if self.frame.upper is not None:
            end = _first(sequence, points, low, self._targets(points, low, "upper", self.frame.upper), after=True)
        if self.frame.lower is not None:
            start = _first(sequence, points, low, self._targets(points, low, "lower", self.frame.lower), after=False)
        start = np.minimum(start, end)
        self.reached = int(start[-1]), int(end[-1])
        return start, end

    def _targets(self, points: Points, low: Positions, option: str, function: Any) -> Keys:
        fresh = np.ones(len(low), dtype=bool)
        differ = points.keys[1:] != points.keys[:-1]
        fresh[1:] = (low[1:] != low[:-1]) | (differ.any(axis=1) if differ.ndim == 2 else differ)
        keys = points.keys[fresh]
        values = pythonic(self.key.column_of(self.key.original(keys)), repr(self.key.column))
        targets: Keys = self._call(option, function, values, keys, low[fresh], None)[np.cumsum(fresh) - 1]
        return np.ascontiguousarray(targets)

    def ahead(self, sequence: Sequence, newest: Points, low: Positions) -> tuple[int, int]:
        """The newest bounds, or the start of a new block: the functions are called only for times of points."""
        first = int(low[0])
        return max(self.reached[0], first), max(self.reached[1], first)

    def keys_from(self, start: int, end: int) -> int | None:
        return start


def points_of(key: OrderKey, order: Any, before: Positions, joined: Mask) -> Points:
    """Points, their times read from an Arrow array."""
    keys, side = key.read(order)
    return Points(before, joined, np.ascontiguousarray(keys), side == PLAIN)


def _first(sequence: Sequence, points: Points, low: Positions, targets: Keys, *, after: bool) -> Positions:
    """The first tuple before each point with key >= target (> target if ``after``), or the point's own place."""
    low = np.maximum(low, sequence.base)
    return edges(sequence.keys, sequence.base, np.ascontiguousarray(targets), low, points.before, after)
