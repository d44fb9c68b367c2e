"""The progress of a long local call: a line on a terminal, a bar in a notebook, nothing anywhere else.

::

    [######..........]  38 %, with_columns of 20,000,000 rows, 3 s, 5 s left

A thread writes it, because the call is busy. The thread starts only on a terminal or in a notebook. Spark has its own bar, so
calls on its frames show nothing here.
"""

import shutil
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from time import perf_counter
from typing import Any, TextIO

AFTER, EVERY = 2.0, 0.5  # seconds, before the first line and between two
_WIDTH = 16  # of the bar, in characters
_LINE = 78
_SMALL = 10_000  # rows: with fewer, a call is short, and a thread would cost as much as the call

_busy = threading.Lock()  # one bar at a time: a call within a command, or in another thread, shows nothing
_wanted = True


def show_progress(on: bool) -> None:
    """Whether calls on tables that take more than two seconds show their progress, on a terminal and in a notebook.

    >>> import inwindow as iw
    >>> iw.show_progress(False)
    >>> iw.show_progress(True)
    """
    global _wanted
    _wanted = on


@dataclass(frozen=True)
class Said:
    """The text of a progress line, and the share that is done; None if unknown."""

    words: str
    share: float | None = None

    def bar(self) -> str:
        """The share, drawn.

        >>> Said("work", 0.25).bar()
        '[####............]'
        """
        full = round(_WIDTH * min(self.share or 0.0, 1.0))
        return f"[{'#' * full}{'.' * (_WIDTH - full)}]"


class Screen(ABC):
    """A place where progress is shown."""

    @abstractmethod
    def show(self, said: Said) -> None:
        """Replace the text that was shown before."""

    @abstractmethod
    def clear(self) -> None:
        """Remove the text."""


class Terminal(Screen):
    """The last line of a terminal."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.width = min(_LINE, shutil.get_terminal_size().columns - 1)

    def show(self, said: Said) -> None:
        line = said.words if said.share is None else f"{said.bar()}  {said.words}"
        self._write(f"\r{line[: self.width].ljust(self.width)}")

    def clear(self) -> None:
        self._write("\r" + " " * self.width + "\r")

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()


class Notebook(Screen):
    """An output of the cell, which is updated."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self.display = display
        self.handle: Any = None

    def show(self, said: Said) -> None:
        value = "" if said.share is None else f' value="{min(said.share, 1.0):.3f}"'
        self._give(f"<progress{value}></progress> {escape(said.words)}", said.words)

    def clear(self) -> None:
        if self.handle is not None:
            self._give("", "")

    def _give(self, html: str, text: str) -> None:
        content = {"text/html": html, "text/plain": text}
        if self.handle is None:
            self.handle = self.display(content, raw=True, display_id=True)
        else:
            self.handle.update(content, raw=True)


def screen_here() -> Screen | None:
    """The notebook or the terminal of this process; None in a pipe, a file or a test."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        return Notebook(ipython.display.display)  # type: ignore[union-attr]
    return Terminal(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None


class Run:
    """A call on a table: how many rows its operators take, and have taken."""

    def __init__(self, call: str, rows: int, *, known: bool = True) -> None:
        self.call, self.rows, self.known = call, rows, known
        self.passes = 1  # each takes all rows
        self.taken = 0
        self._first: tuple[float, float] | None = None  # when the first rows were processed, and their share

    def took(self, rows: int) -> None:
        """Count processed rows."""
        self.taken += rows

    def said(self, seconds: float) -> Said:
        """The text and the share now.

        >>> run = Run("with_columns", 20_000_000)
        >>> for seconds in (2.0, 3.0):
        ...     run.took(5_000_000)
        ...     print(run.said(seconds).words)
        25 %, with_columns of 20,000,000 rows, 2 s
        50 %, with_columns of 20,000,000 rows, 3 s, 2 s left
        """
        words = f"{self.call} of {self.rows:,} rows, {seconds:.0f} s"
        if not self.known:
            return Said(words)
        share = self.taken / (self.rows * self.passes)
        return Said(f"{100 * share:.0f} %, {words}{self._left(seconds, share)}", share)

    def _left(self, seconds: float, share: float) -> str:
        """The remaining time, from the speed since the first rows; before these, rows were sorted."""
        if self._first is None:
            self._first = (seconds, share) if share else None
            return ""
        since, had = self._first
        return f", {(1 - share) * (seconds - since) / (share - had):.0f} s left" if share > had else ""


@contextmanager
def shown(run: Run) -> Iterator[Run]:
    """Show the progress of the block, if it takes long."""
    screen = screen_here() if _wanted and run.rows >= _SMALL else None
    with telling(screen, run.said):
        yield run


@contextmanager
def telling(
    screen: Screen | None, said: Callable[[float], Said], after: float = AFTER, every: float = EVERY
) -> Iterator[None]:
    """Show the result of ``said`` on a screen, after some seconds and then repeatedly; without a screen do nothing."""
    if screen is None or not _busy.acquire(blocking=False):
        yield
        return
    over, started = threading.Event(), perf_counter()
    waits = (after, every)
    thread = threading.Thread(
        target=tell, args=(screen, said, over.wait, lambda: perf_counter() - started, waits), daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _busy.release()


def tell(
    screen: Screen,
    said: Callable[[float], Said],
    over: Callable[[float], bool],
    clock: Callable[[], float],
    waits: tuple[float, float] = (AFTER, EVERY),
) -> None:
    """Until it is over. ``over`` waits for some seconds, or until the work is done, and gives which of the two it was."""
    after, every = waits
    if over(after):
        return
    try:
        while True:
            screen.show(said(clock()))
            if over(every):
                break
        screen.clear()
    except (OSError, ValueError):  # the terminal is gone, or the stream was closed: the work goes on
        return
