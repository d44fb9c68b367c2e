"""The pane-cascade, running: a tumble over panes feeds a window over partials (ESL, example 15).

::

    tuples     t t t t t|t t t t t|t t t t t|t t . . .      reduced as they arrive; only the open pane has a state
    partials        p0        p1        p2     (open)
    frames     [ p0 .......... p1 )
                          [ p1 .......... p2 )              evaluated over partials, in positions of panes

Only a partial per pane of the frame is held, and no tuples.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._fresh import changed, resumed
from inwindow.native._hooks import HookRaised
from inwindow.runtime.evaluators import Evaluator, KernelInput
from inwindow.runtime.hooks import Answers, Arguments, Unfit
from inwindow.windows.panes import PaneRule
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.stateful import Stateful


class Levels(Stateful, ABC):
    """The two levels for one kind of aggregate, and the partials between them."""

    def arrive(self, sequence: Sequence) -> None:  # noqa: B027 - a choice, not a duty
        """New tuples are held."""

    @abstractmethod
    def reduce(self, start: Positions, end: Positions) -> None:
        """Append the partials of these panes."""

    @abstractmethod
    def absorb(self, start: int, end: int) -> None:
        """Fold the tuples of the pane that is still growing."""

    @abstractmethod
    def window(self, base: int, start: Positions, end: Positions) -> pa.Array:
        """The results of frames, given in positions of panes; the held partials begin at pane ``base``."""

    @abstractmethod
    def forget(self, count: int) -> None:
        """Drop the oldest partials."""


class PaneCascade(Evaluator):
    """Turns frames in positions of tuples into frames in positions of panes. Every edge of a frame is an edge of a pane."""

    kept = ("lo", "hi", "pane_starts", "base", "open", "seen", "levels")

    evicts = False

    def __init__(self, rule: PaneRule, levels: Levels) -> None:
        super().__init__()
        self.rule, self.levels = rule, levels
        self.pane_starts: Positions = np.zeros(0, dtype=np.int64)  # of the held partials
        self.base = 0  # the pane of the first held partial
        self.open = 0  # where the pane that is still growing starts
        self.seen = 0

    def arrive(self, sequence: Sequence) -> None:
        """Reduce the panes that the new tuples complete; fold the rest into the open one."""
        self.levels.arrive(sequence)
        if self.seen < sequence.end:
            edges = self.rule.begins(sequence, self.seen, sequence.end)
            if len(edges):
                starts = np.append(self.open, edges[:-1])
                self._close(starts, edges)
                self.open = int(edges[-1])
            self.seen = sequence.end
        if sequence.ended:
            self._close_open(sequence.end)
        self.levels.absorb(self.open, self.seen)
        self.hi = self.seen

    def _close(self, starts: Positions, ends: Positions) -> None:
        filled = starts < ends
        self.levels.reduce(starts[filled], ends[filled])
        self.pane_starts = np.concatenate([self.pane_starts, starts[filled]])

    def _close_open(self, end: int) -> None:
        if self.open < end:
            self._close(np.array([self.open]), np.array([end]))
            self.open = end

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        """Evaluate frames. A frame that ends with the last tuple completes the open pane."""
        if len(end) and int(end[-1]) > self.open:
            self._close_open(int(end[-1]))
        if not len(start):
            return self.evaluate(start, end)
        result = self.evaluate(*(np.searchsorted(self.pane_starts, edge) + self.base for edge in (start, end)))
        first = int(np.searchsorted(self.pane_starts, start[-1]))
        self.levels.forget(first)
        self.pane_starts = self.pane_starts[first:]
        self.base += first
        return result

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        try:
            return self.levels.window(self.base, start, end)
        except (HookRaised, Unfit) as raised:
            raised.position = self._last_tuple(raised.position)
            raise

    def _last_tuple(self, pane: int) -> int:
        """The position of a pane's last tuple; ``pane`` counts from the very first pane."""
        later = pane + 1 - self.base
        return (int(self.pane_starts[later]) if later < len(self.pane_starts) else self.open) - 1

    def keep_from(self, next_start: int) -> int:
        return self.seen

    def absorb(self, start: int, end: int) -> None:
        """Nothing to do: tuples are folded as they arrive."""

    def afresh(self) -> tuple[int, int]:
        driver = getattr(self.levels, "driver", None)
        return getattr(driver, "punts", 0), getattr(driver, "rebased", 0)


class HookLevels(Levels):
    """For a Python class: partials are its objects, or its results if it is algebraic."""

    def __init__(
        self, prototype: Any, tumble: Any, window: Any, arguments: Arguments, answers: Answers, *, columnar: bool
    ) -> None:
        self.prototype = prototype
        self.tumble, self.driver, self.arguments, self.answers = tumble, window, arguments, answers
        self.columnar = columnar  # whether the second level takes results as an argument column, not objects
        self.partials: list[Any] = []

    def reduce(self, start: Positions, end: Positions) -> None:
        self.partials.extend(self.tumble.roll(*self.arguments.read(), start, end))

    def absorb(self, start: int, end: int) -> None:
        if start < end:
            self.tumble.absorb(*self.arguments.read(), start, end)

    def window(self, base: int, start: Positions, end: Positions) -> pa.Array:
        """Merge the objects of each frame, or feed the results to ``iterate``."""
        if not self.columnar:
            return self.answers.rolled(lambda: self.driver.roll(self.partials, base, start, end), end)
        seen = np.fromiter((partial is not None for partial in self.partials), np.uint8, len(self.partials))
        return self.answers.rolled(lambda: self.driver.roll([self.partials], base, seen, start, end), end)

    def forget(self, count: int) -> None:
        del self.partials[:count]

    def state(self) -> Any:
        """The attributes of the objects. Their class is not stored, because it may be a derived class."""
        partials = self.partials if self.columnar else [changed(partial, self.prototype) for partial in self.partials]
        return self.tumble.state(), self.driver.state(), partials

    def restore(self, state: Any) -> None:
        tumble, driver, partials = state
        self.partials = partials if self.columnar else [resumed(self.prototype, partial) for partial in partials]
        self.tumble.restore(tumble)
        self.driver.restore(driver)


class KernelLevels(Levels):
    """For a built-in: partials are columns."""

    kept = ("tumble", "kernel", "partials")

    def __init__(self, given: KernelInput) -> None:
        cascade = given.native.cascade
        assert cascade is not None
        self.given, self.native = given, given.native
        self.tumble, self.kernel = cascade.reduce(), cascade.window()
        self.partials: tuple[Any, ...] | None = None

    def arrive(self, sequence: Sequence) -> None:
        self.given.arrive(sequence)

    def reduce(self, start: Positions, end: Positions) -> None:
        fresh = self.tumble.roll_partials(*self.given.read(), start, end, *self.given.seen())
        if self.partials is None:
            self.partials = fresh
        else:
            self.partials = tuple(joined(a, b) for a, b in zip(self.partials, fresh, strict=True))

    def absorb(self, start: int, end: int) -> None:
        if start < end:
            self.tumble.absorb(*self.given.read(), start, end, *self.given.seen())

    def window(self, base: int, start: Positions, end: Positions) -> pa.Array:
        return self.native.finish(self.kernel.roll(self.partials, base, start, end))

    def forget(self, count: int) -> None:
        if self.partials is not None:
            self.partials = tuple(column[count:] for column in self.partials)


def joined(a: Any, b: Any) -> Any:
    return pa.concat_arrays([a, b]) if isinstance(a, pa.Array) else np.concatenate([a, b])
