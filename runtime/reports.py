"""Errors from inside the run, told as the user needs them: which aggregate, hook, partition, tuple, arguments."""

import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.held import Held
from inwindow.udaf.errors import ArithmeticOverflowError, HookError, InWindowError
from inwindow.windows.sequence import Sequence

_OURS = str(Path(__file__).resolve().parent.parent)


def hook_error(step: Step, work: Pass, raised: HookRaised, held: Held, sequence: Sequence) -> InWindowError:
    """The error for an exception in a hook.

    ::

        MyLog.iterate(-3.0) raised ValueError: math domain error
          in MyLog(price), at item='a', ts=7, tuple 3 of its partition
          File "my.py", line 15, in iterate
            self.total += math.log(value)
    """
    error = raised.error
    if isinstance(error, InWindowError):
        return error
    call = f"{step.case.traits.name}.{raised.hook}({', '.join(map(repr, raised.arguments))})"
    place = _place(work, raised.position, held, sequence) if raised.hook not in ("merge", "unmerge") else ""
    lines = [f"{call} raised {type(error).__name__}: {error}", f"  in {step.label}{place}"]
    lines += [line.rstrip("\n") for line in traceback.format_list(_user_frames(error.__traceback__))]
    report = HookError("\n".join(lines))
    report.__cause__ = None
    report.error = error  # type: ignore[attr-defined]
    return report


def _place(work: Pass, position: int, held: Held, sequence: Sequence) -> str:
    if not held.base <= position < held.end:
        return ""
    names = [*work.partition_by, *(order.column for order in work.order_by)]
    values = []
    for name in names:
        column = held.plain(name).array
        if column is not None:
            values.append(f"{name}={_shown(column[position - held.base])}")
    start = sequence.partition_starts[sequence.partition_starts <= position]
    number = f"tuple {position - int(start[-1]) + 1} of its partition" if len(start) else ""
    return ", at " + ", ".join([*values, number])


def _shown(value: pa.Scalar) -> Any:
    plain = value.as_py()
    return repr(plain) if isinstance(plain, str) else str(plain)


def _user_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    frames = traceback.extract_tb(trace)
    user = [frame for frame in frames if not _is_ours(frame.filename)]
    return user or list(frames[-1:])


def _is_ours(filename: str) -> bool:
    if filename.endswith(".pyx"):
        return True
    path = str(Path(filename).resolve())
    return path.startswith(_OURS) and any(f"{_OURS}/{room}/" in path for room in ("udaf", "native", "runtime"))


def overflow_error(step: Step) -> ArithmeticOverflowError:
    """The error for an integer result beyond 64 bits, in Spark's ANSI mode."""
    return ArithmeticOverflowError(
        f"{step.label}: the result of a frame does not fit {step.implementation.result}; cast the argument to a decimal or "
        "a double (ANSI semantics, as in Spark)"
    )
