"""An engine as a process of its own: it may crash or hang, and is started again."""

import json
import select
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

_RUNNERS = Path(__file__).parent / "runners.py"


class Answer(NamedTuple):
    """The rows of a query, or why there are none."""

    rows: list[list[Any]] | None
    error: str = ""
    is_crash: bool = False  # the process ended, hangs, or reports a fault of its own


_FAULTS = ("internal", "panic", "assertion", "unreachable", "logical_error", "index out of", "arrayindexoutofbounds",
           "nullpointer", "should not", "this is a bug", "bug in", "classcastexception", "out of bounds", "invalid argument error",
           "scala.matcherror", "segmentation")  # fmt: skip


class Engine:
    """One engine: ``command`` is the Python of its environment, a name in runners.py, an argument."""

    def __init__(self, command: Sequence[str], patience: float = 60.0) -> None:
        self.command, self.patience = command, patience
        self.version = ""
        self.has_answered = False  # the first answer may take long
        self.process: subprocess.Popen[str] | None = None

    def ask(self, text: str) -> Answer:
        """Run a query."""
        if self.process is None:
            self._start()
        assert self.process is not None and self.process.stdin is not None
        with suppress(BrokenPipeError):
            print(json.dumps(text), file=self.process.stdin, flush=True)
        line = self._line(self.patience if self.has_answered else 120)
        if line is None:
            return self._ended()
        self.has_answered = True
        answer = json.loads(line)
        if "error" in answer:
            said = answer["error"].lower()
            return Answer(None, answer["error"], any(fault in said for fault in _FAULTS))
        return Answer([[decoded(cell) for cell in row] for row in answer["rows"]])

    def _start(self) -> None:
        python, *arguments = self.command
        command = [python, str(_RUNNERS), *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self._line(120)
        if not line:
            raise ImportError(f"{' '.join(command)} does not start")
        self.version = json.loads(line)["version"]

    def _line(self, patience: float | None = None) -> str | None:
        assert self.process is not None and self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], patience or self.patience)
        return (self.process.stdout.readline() or None) if ready else None

    def _ended(self) -> Answer:
        assert self.process is not None
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        code = self.process.poll()
        self.stop()
        return Answer(None, f"hangs for {self.patience:.0f} s" if code is None else f"ended with {code}", True)

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


def decoded(cell: Any) -> Any:
    """A value of runners.py; a text of unknown type stays {"?": text}."""
    if isinstance(cell, list):
        return [decoded(one) for one in cell]
    if isinstance(cell, dict):
        ((type_, text),) = cell.items()
        if type_ == "?":
            return cell
        return float.fromhex(text) if type_ == "f" else Decimal(text) if type_ == "d" else _time(text)
    return cell


def _time(text: str) -> Any:
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return text
