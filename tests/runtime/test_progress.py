"""What a local call says while it runs: after two seconds, to somebody who reads, and no trace is left."""

import io
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.runtime import progress
from inwindow.runtime.progress import Notebook, Run, Said, Terminal, screen_here, shown, tell


class Tty(io.StringIO):
    """A terminal that keeps all that is written to it."""

    def isatty(self) -> bool:
        return True


class Work:
    """Work of so many seconds by its own clock, at a million rows a second."""

    def __init__(self, seconds: float, run: Run) -> None:
        self.seconds, self.run, self.now = seconds, run, 0.0

    def over(self, wait: float) -> bool:
        before = self.now
        self.now = min(self.now + wait, self.seconds)
        self.run.took(round((self.now - before) * 1e6))
        return self.now >= self.seconds

    def clock(self) -> float:
        return self.now


class Shown(progress.Screen):
    """All lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, said: Said) -> None:
        self.lines.append(f"{said.bar()}  {said.words}")

    def clear(self) -> None:
        self.lines.append("")


def told(seconds: float, run: Run) -> list[str]:
    screen, work = Shown(), Work(seconds, run)
    tell(screen, run.said, work.over, work.clock)
    return screen.lines


def test_work_of_two_seconds_says_nothing() -> None:
    assert told(2.0, Run("with_columns", 2_000_000)) == []


def test_longer_work_says_how_far_it_is_and_leaves_nothing() -> None:
    assert told(4.0, Run("with_columns", 4_000_000)) == [
        "[########........]  50 %, with_columns of 4,000,000 rows, 2 s",
        "[##########......]  62 %, with_columns of 4,000,000 rows, 2 s, 2 s left",
        "[############....]  75 %, with_columns of 4,000,000 rows, 3 s, 1 s left",
        "[##############..]  88 %, with_columns of 4,000,000 rows, 4 s, 0 s left",
        "",
    ]


def test_all_passes_count() -> None:
    run = Run("with_columns", 100_000_000)
    run.passes = 2
    assert told(3.0, run)[0] == "[................]  1 %, with_columns of 100,000,000 rows, 2 s"


def test_what_is_left_is_told_by_the_rows_and_not_by_the_sort_before_them() -> None:
    run = Run("with_columns", 1_000_000)
    words = []
    for seconds, rows in ((60.0, 0), (60.5, 100_000), (61.0, 0), (61.5, 200_000)):
        run.took(rows)
        words.append(run.said(seconds).words.partition("rows, ")[2])
    assert words == ["60 s", "60 s", "61 s", "62 s, 4 s left"]


def test_an_operator_on_whole_tables_says_how_long_it_takes() -> None:
    assert Run("temporal.join", 5_000_000, known=False).said(7.0) == Said("temporal.join of 5,000,000 rows, 7 s")


def test_a_terminal_that_is_gone_does_not_end_the_work() -> None:
    out = Tty()
    out.close()
    work = Work(9.0, Run("select", 9_000_000))
    tell(Terminal(out), work.run.said, work.over, work.clock)
    assert work.now < 9.0


def test_a_terminal_shows_one_line_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Tty()
    screen = Terminal(out)
    for words in ("50 %, with_columns of 20,000,000 rows", "short"):
        screen.show(Said(words, 0.5))
    screen.clear()
    lines = out.getvalue().split("\r")[1:]
    assert lines[0] == "[########........]  50 %, with_columns of 20,000,000 rows"[:39] and lines[1].rstrip().endswith(
        "short"
    )
    assert [len(line) for line in lines] == [39, 39, 39, 0]


class Display:
    """IPython's ``display``, and the handle that it gives."""

    def __init__(self) -> None:
        self.given: list[dict[str, str]] = []

    def __call__(self, content: dict[str, str], **options: Any) -> "Display":
        assert options == {"raw": True, "display_id": True}
        self.given.append(content)
        return self

    def update(self, content: dict[str, str], *, raw: bool) -> None:
        self.given.append(content)


def test_a_notebook_has_one_bar_that_goes_away() -> None:
    display = Display()
    screen = Notebook(display)
    screen.clear()
    screen.show(Said("a < b", 0.25))
    screen.show(Said("no share"))
    screen.clear()
    assert [given["text/html"] for given in display.given] == [
        '<progress value="0.250"></progress> a &lt; b',
        "<progress></progress> no share",
        "",
    ]


# Where it is shown


def test_nobody_reads_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for err, reads in ((io.StringIO(), False), (None, False), (Tty(), True)):
        monkeypatch.setattr(sys, "stderr", err)
        assert (screen_here() is not None) is reads


def test_a_kernel_of_a_notebook_reads_and_a_shell_of_ipython_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Tty())
    for shell, kind in ((SimpleNamespace(kernel=1), Notebook), (SimpleNamespace(), Terminal), (None, Terminal)):
        ipython = SimpleNamespace(get_ipython=lambda shell=shell: shell, display=SimpleNamespace(display=Display()))
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        assert isinstance(screen_here(), kind)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    """A screen that every call writes to from its beginning."""
    screen = Shown()
    monkeypatch.setattr(progress, "screen_here", lambda: screen)
    first = progress.telling
    monkeypatch.setattr(progress, "telling", lambda screen, said: first(screen, said, 0.0, 0.001))
    yield screen
    iw.show_progress(True)


ROWS = 200_000
TABLE = pa.table({"k": np.arange(ROWS) % 7, "t": np.arange(ROWS)[::-1], "v": np.arange(ROWS, dtype=float)})
WINDOW = iw.rows(50, partition_by="k", order_by="t")


class Slow(iw.WindowAggregate):
    """Python hooks that no compiler takes, so that a call lasts."""

    def initialize(self, value: float) -> None:
        self.seen = [value]

    def iterate(self, value: float) -> None:
        self.seen.append(value)

    def expire(self, value: float) -> None:
        self.seen.pop(0)

    def terminate(self) -> float:
        return self.seen[-1]


def test_calls_say_their_name_and_their_rows(at_once: Shown) -> None:
    last = Slow()("v")
    points = pa.table({"k": [1, 2], "t": [5, 9]})
    for call, name in (
        (lambda: iw.with_columns(TABLE, a=last.over(WINDOW)), f"with_columns of {ROWS:,} rows"),
        (lambda: iw.select(TABLE, "t", a=last.over(WINDOW)), f"select of {ROWS:,} rows"),
        (lambda: iw.group_by(TABLE, "k").agg(a=last), f"agg of {ROWS:,} rows"),
        (lambda: iw.with_columns(points, of=TABLE, a=last.over(WINDOW)), f"with_columns of {ROWS + 2:,} rows"),
    ):
        at_once.lines.clear()
        call()
        assert name in at_once.lines[0] and at_once.lines[-1] == ""
        assert threading.active_count() == 1


def test_every_row_is_counted_once_per_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Run] = []

    def kept(*arguments: Any, **options: Any) -> Run:
        runs.append(Run(*arguments, **options))
        return runs[-1]

    monkeypatch.setattr("inwindow.runtime.table.Run", kept)
    points = pa.table({"k": [1, 2], "t": [5, 9]})
    by_time = iw.rows(3, order_by="t")
    iw.with_columns(TABLE, a=iw.sum("v").over(WINDOW), b=iw.sum("v").over(by_time))
    iw.with_columns(points, of=TABLE, a=iw.sum("v").over(WINDOW), b=iw.sum("v").over(by_time))
    iw.group_by(TABLE, "k").agg(a=iw.max("v"))
    assert [(run.passes, run.taken) for run in runs] == [(2, 2 * ROWS), (2, 2 * (ROWS + 2)), (1, ROWS)]


def test_it_can_be_turned_off_and_few_rows_say_nothing(at_once: Shown) -> None:
    iw.with_columns(TABLE.slice(0, 100), a=Slow()("v").over(WINDOW))
    iw.show_progress(False)
    iw.with_columns(TABLE, a=Slow()("v").over(WINDOW))
    assert at_once.lines == []


def test_a_call_within_one_that_is_shown_says_nothing(at_once: Shown) -> None:
    with shown(Run("outer", ROWS)):
        iw.with_columns(TABLE, a=Slow()("v").over(WINDOW))
    assert at_once.lines and all("with_columns" not in line for line in at_once.lines)


def test_an_error_clears_the_line(at_once: Shown) -> None:
    class Broken(Slow):
        def terminate(self) -> float:
            return 1 / (self.seen[-1] != 150_000.0)

    with pytest.raises(iw.HookError):
        iw.with_columns(TABLE, a=Broken()("v").over(WINDOW))
    assert at_once.lines[-1] == "" and threading.active_count() == 1
