"""EXCLUDE: a frame with a hole around the current tuple, as up to three runs of positions.

::

    positions       lo ......... first  i  last ......... hi       [first, last): the hole, the tuple itself or its peers
    before          [lo ........ first)
    itself                              [i, i + 1)                 (EXCLUDE TIES)
    behind                                    [last ..... hi)

Both ends of each run never move backwards, as those of frames: so a run is a frame, and strategies work on it as on any other.
Where a frame with a hole is equal to one without, as ROWS 9 PRECEDING EXCLUDE CURRENT ROW is, that one is planned.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from inwindow.native._bounds import edges
from inwindow.windows.bounds import Bounds, Framing, framing_of
from inwindow.windows.interval import Interval, Size, is_positive
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Frame, Groups, Range, Rows, Scope, Window
from inwindow.windows.stateful import Stateful

Run = Literal["before", "itself", "behind"]


def without_hole(window: Window) -> Window:
    """An equal window whose frame has no hole, if there is one; otherwise the window itself.

    >>> from inwindow.windows.frames import rows
    >>> without_hole(rows(10, exclude="current row")).describe()
    '(rows between 9 preceding and 1 preceding)'
    """
    frame, hole = window.frame, window.exclude
    if hole is None or not isinstance(frame, (Rows, Groups)):
        return window
    if not _holds_current(frame) and (isinstance(frame, Groups) or hole == "current row"):
        return replace(window, exclude=None)
    if hole != ("current row" if isinstance(frame, Rows) else "group"):
        return window
    if frame.upper == 0 and frame.lower != 0:
        return replace(window, frame=type(frame)(frame.lower, -1), exclude=None)
    if frame.lower == 0 and frame.upper != 0:
        return replace(window, frame=type(frame)(1, frame.upper), exclude=None)
    return window


def runs_of(window: Window) -> tuple[Run, ...]:
    """The runs that frames of the window may have; one without a hole has none."""
    frame, hole = window.frame, window.exclude
    if hole is None:
        return ()
    peers = hole == "current row" and not isinstance(frame, Rows)  # they stay, on both sides of the tuple
    found: list[Run] = []
    if peers or _looks_back(frame):
        found.append("before")
    if hole == "ties" and (not isinstance(frame, Rows) or _holds_current(frame)):
        found.append("itself")
    if peers or _looks_ahead(frame):
        found.append("behind")
    return tuple(found) or ("before",)  # ROWS CURRENT ROW EXCLUDE GROUP: always empty


def _holds_current(frame: Rows | Groups) -> bool:
    return (frame.lower is None or frame.lower <= 0) and (frame.upper is None or frame.upper >= 0)


def _looks_back(frame: Frame) -> bool:
    if isinstance(frame, (Rows, Range, Groups)):
        return frame.lower is None or (frame.lower != 0 and not is_positive(frame.lower)) or _is_mixed(frame.lower)
    return True


def _looks_ahead(frame: Frame) -> bool:
    if isinstance(frame, (Rows, Range, Groups)):
        return frame.upper is None or is_positive(frame.upper) or _is_mixed(frame.upper)
    return isinstance(frame, Scope) and frame.upper is not None


def _is_mixed(bound: Size) -> bool:
    """Whether the side on which a bound lies depends on the month."""
    return isinstance(bound, Interval) and bound.months * bound.microseconds < 0


class HoledFraming(Stateful):
    """The frames of a framing, without their holes."""

    kept = ("whole",)

    def __init__(self, whole: Framing, window: Window) -> None:
        self.whole, self.runs = whole, runs_of(window)
        self.hole, self.has_order = window.exclude, bool(window.order_by)
        self.sides = _sides(window)

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """A hole need not be complete: peers that have not arrived are in no frame that is complete."""
        return self.whole.ready(sequence, cursor)

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        """The only run; of several, from the first to the last."""
        if len(self.runs) == 1:
            return self.runs_at(sequence, at)[0]
        return self.whole.bounds(sequence, at)

    def runs_at(self, sequence: Sequence, at: Positions) -> list[Bounds]:
        """The runs of the frames of tuples that are ready."""
        if self.sides is not None:
            return [side.bounds(sequence, at) for side in self.sides]
        start, end = self.whole.bounds(sequence, at)
        first, last = self.holes(sequence, at)
        found: dict[Run, Bounds] = {"behind": (np.clip(last, start, end), end)}
        found["before"] = (start, np.clip(first, start, end))
        found["itself"] = (at, at + ((start <= at) & (at < end)))
        return [_contiguous(*found[run]) for run in self.runs]

    def holes(self, sequence: Sequence, at: Positions) -> Bounds:
        """From the first tuple of each hole to behind its last one; for TIES the tuple itself is in it, too."""
        if self.hole == "current row":
            return at, at + 1
        start, end = sequence.partitions(at)
        if not self.has_order:
            return start, end
        low, groups = np.maximum(start, sequence.base), sequence.groups[at - sequence.base]
        return tuple(edges(sequence.groups, sequence.base, groups, low, end, after) for after in (False, True))


def _sides(window: Window) -> tuple[Framing, ...] | None:
    """Framings of the runs, where each is a frame of ROWS."""
    frame = window.frame
    if window.exclude != "current row" or not isinstance(frame, Rows) or not _holds_current(frame):
        return None
    return tuple(framing_of(Rows(*one), None) for one in ((frame.lower, -1), (1, frame.upper)))


def whole_framing(framing: Framing) -> Framing:
    """The framing before EXCLUDE."""
    return framing.whole if isinstance(framing, HoledFraming) else framing


def with_hole(framing: Framing, window: Window) -> Framing:
    """The framing of a window's frames, given that of its frame alone."""
    return framing if window.exclude is None else HoledFraming(framing, window)


def counts_peers(window: Window) -> bool:
    """Whether holes are groups of peers, which are to be told apart."""
    return window.exclude in ("group", "ties") and bool(window.order_by)


def _contiguous(start: Positions, end: Positions) -> Bounds:
    return np.ascontiguousarray(start, dtype=np.int64), np.ascontiguousarray(end, dtype=np.int64)
