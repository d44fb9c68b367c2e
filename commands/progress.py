"""A progress bar on the terminal, for what takes more than two seconds; elsewhere it says nothing."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TextIO

_WIDTH = 24  # of the bar
_LINE = 78


class Bar:
    """Work of a known number of steps; each may say how much of itself is done.

    ::

        [#########...............]  5 of 13, a stream: 2 of 4 files, 3 s
    """

    def __init__(self, steps: int, out: TextIO | None = None, *, after: float = 2.0, every: float = 0.5) -> None:
        self.steps, self.done = steps, 0
        self.out = sys.stderr if out is None else out
        self.after, self.every = after, every

    @contextmanager
    def step(self, said: Callable[[], tuple[str, float]]) -> Iterator[None]:
        """One step; ``said`` gives what it does, and which share of it is done."""
        over, started = threading.Event(), perf_counter()

        def tell() -> None:
            if over.wait(self.after):
                return
            while not over.wait(self.every):
                words, share = said()
                self.out.write(f"\r{self.line(words, share, perf_counter() - started)}")
                self.out.flush()
            self.out.write("\r" + " " * _LINE + "\r")
            self.out.flush()

        thread = threading.Thread(target=tell, daemon=True)
        if self.out.isatty():
            thread.start()
        try:
            yield
        finally:
            over.set()
            if thread.ident:
                thread.join()
            self.done += 1

    def line(self, words: str, share: float, seconds: float) -> str:
        """The bar, as long as the work is done.

        >>> Bar(4).line("starting", 0.0, 3.2).rstrip()
        '[........................]  1 of 4, starting, 3 s'
        """
        full = round(_WIDTH * min((self.done + share) / self.steps, 1))
        text = f"[{'#' * full}{'.' * (_WIDTH - full)}]  {self.done + 1} of {self.steps}, {words}, {seconds:.0f} s"
        return text[:_LINE].ljust(_LINE)
