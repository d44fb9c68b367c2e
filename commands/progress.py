"""A progress bar on the terminal, for commands of several steps; elsewhere it says nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from inwindow.runtime.progress import AFTER, EVERY, Said, Terminal, telling


class Bar:
    """Work of a known number of steps; each may say how much of itself is done.

    ::

        [######..........]  5 of 13, a stream: 2 of 4 files, 3 s
    """

    def __init__(self, steps: int, out: TextIO | None = None, *, after: float = AFTER, every: float = EVERY) -> None:
        self.steps, self.done = steps, 0
        self.out = sys.stderr if out is None else out
        self.after, self.every = after, every

    @contextmanager
    def step(self, said: Callable[[], tuple[str, float]]) -> Iterator[None]:
        """One step; ``said`` gives what it does, and which share of it is done."""
        screen = Terminal(self.out) if self.out.isatty() else None
        with telling(screen, lambda seconds: self.said(*said(), seconds), self.after, self.every):
            yield
        self.done += 1

    def said(self, words: str, share: float, seconds: float) -> Said:
        """The step, of all of them.

        >>> Bar(4).said("starting", 0.0, 3.2)
        Said(words='1 of 4, starting, 3 s', share=0.0)
        """
        return Said(f"{self.done + 1} of {self.steps}, {words}, {seconds:.0f} s", (self.done + share) / self.steps)
