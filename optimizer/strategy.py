"""A strategy: a named way of evaluating an aggregate over frames, and the predicate that says when it applies.

A strategy has its predicate, its cost and its card (the docstring). It looks at a :class:`Case`, which has the traits of the
aggregate and of the window, and never at data.
"""

from dataclasses import dataclass
from typing import Protocol

from inwindow.udaf.traits import Traits
from inwindow.windows.holes import Run, runs_of
from inwindow.windows.interval import MICROSECONDS, Interval, Size, exact, may_exceed, negated
from inwindow.windows.spec import Cumulate, Extent, Groups, Hop, Range, Rows, Session, Window


@dataclass(frozen=True)
class Yes:
    """The strategy gives the right result; ``reason`` says what makes it possible."""

    reason: str

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class No:
    """The strategy is not possible, or pointless; ``reason`` says what is missing."""

    reason: str

    def __bool__(self) -> bool:
        return False


Verdict = Yes | No


@dataclass(frozen=True)
class Case:
    """An aggregate over a window, an extent, or a whole group (neither)."""

    traits: Traits
    window: Window | None = None
    extent: Extent | None = None
    asked: Window | None = None  # the window as it was asked for, where an equal one without a hole is planned

    @property
    def name(self) -> str:
        """The aggregate's name, for reasons."""
        return f"`{self.traits.name}`"

    def has(self, hook: str) -> str:
        """The text "has <hook>" for reasons; with "(derived)" if the framework wrote it."""
        return f"{self.name} has {hook}{' (derived)' if hook in self.traits.derived else ''}"

    @property
    def slide(self) -> Size | None:
        """The distance between results, in tuples or order values; None: a result per tuple."""
        if self.window is not None:
            return self.window.slide
        return self.extent.every if isinstance(self.extent, (Hop, Cumulate)) else None

    @property
    def size(self) -> Size | None:
        """The size of a frame, in tuples, groups of peers or order values; None if it is unbounded."""
        if isinstance(self.extent, (Hop, Cumulate)):
            return self.extent.size
        if isinstance(self.extent, Session) or self.window is None:
            return None
        frame = self.window.frame
        if isinstance(frame, (Rows, Groups)) and frame.lower is not None and frame.upper is not None:
            return frame.upper - frame.lower + 1
        if isinstance(frame, Range) and frame.lower is not None and frame.upper == 0:
            return negated(frame.lower)
        return None

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of tuples that make up a frame with a hole; () if frames have none."""
        return () if self.window is None else runs_of(self.window)

    @property
    def in_runs(self) -> bool:
        """Whether a frame is put together from several runs of tuples."""
        return len(self.runs) > 1

    @property
    def is_even(self) -> bool:
        """Whether a frame with a hole reaches as far back as ahead: its tuples leave in the order in which they enter, twice."""
        frame = None if self.window is None else self.window.frame
        if not isinstance(frame, (Rows, Range, Groups)) or "itself" in self.runs:
            return False
        lower, upper = frame.lower, frame.upper
        return lower is None and upper is None or (lower is not None and upper is not None and negated(lower) == upper)

    @property
    def lower_bound_moves(self) -> bool:
        """Whether tuples leave the frame while the partition goes on."""
        if self.window is not None:
            return not self.window.is_unbounded_below
        return self.extent is not None

    @property
    def frames_overlap(self) -> bool:
        """Whether a tuple may be in more than one frame, judging by the window only."""
        if self.extent is not None:
            if isinstance(self.extent, Session):
                return False
            return isinstance(self.extent, Cumulate) or may_exceed(self.extent.size, self.extent.every)
        if self.window is None:
            return False
        return not self.is_row_tumble

    @property
    def is_row_tumble(self) -> bool:
        """ROWS with a slide of at least the frame, every yield at the end of a full slot."""
        window = self.window
        return (
            window is not None and isinstance(window.frame, Rows) and window.slides_by_rows
            and window.final == "drop" and self.size is not None and window.slide >= self.size  # type: ignore[operator]
        )  # fmt: skip

    @property
    def restarts(self) -> bool:
        """Whether the slide is at least the frame, in the same unit: a class without terminate then restarts at every yield."""
        window, size = self.window, self.size
        if window is None or window.slide is None or size is None or window.slides_across:
            return False
        # A time and a number: both are for dates, for which a number counts days.
        in_days = isinstance(window.slide, Interval) != isinstance(size, Interval)
        day = MICROSECONDS["day"] if in_days else 1
        across, held = (exact(one) * (1 if isinstance(one, Interval) else day) for one in (window.slide, size))
        return across >= held

    def frame_memory(self) -> str:
        """How many tuples the buffer of a frame holds."""
        if self.size is None:
            return "the frame's tuples"
        if self.counts_groups:
            return f"the tuples of {self.size} group{'s' if self.size != 1 else ''} of peers"
        return f"{self.size} tuples" if self.counts_tuples else f"the tuples of a range of {self.size}"

    @property
    def counts_tuples(self) -> bool:
        """Whether the size is a count of tuples."""
        if isinstance(self.extent, Hop):
            return self.extent.rows
        return self.window is not None and isinstance(self.window.frame, Rows)

    @property
    def counts_groups(self) -> bool:
        """Whether the size is a count of groups of peers."""
        return self.window is not None and isinstance(self.window.frame, Groups)


class Strategy(Protocol):
    """One way to evaluate an aggregate over frames."""

    name: str

    def applies(self, case: Case) -> Verdict:
        """Whether the strategy is right for the case, and why (not)."""

    def time(self, case: Case) -> str:
        """The cost of a tuple."""

    def memory(self, case: Case) -> str:
        """The memory that is held."""
