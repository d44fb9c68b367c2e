"""Errors during a run, with what the user needs: the aggregate, the hook, its arguments, the partition, the tuple."""

import traceback
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.hooks import Unfit
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import ArithmeticOverflowError, HookError, InWindowError, ResultTypeError, shown
from inwindow.udaf.pythonic import text_of
from inwindow.windows.sequence import Sequence

_OURS = str(Path(__file__).resolve().parent.parent)
_ROOMS = ("udaf", "windows", "optimizer", "native", "runtime", "temporal")


def hook_error(step: Step, work: Pass, raised: HookRaised, buffer: Buffer, sequence: Sequence) -> InWindowError:
    """The error for an exception in a hook.

    ::

        MyLog.iterate(-3.0) raised ValueError: math domain error
          in MyLog(price), at item='a', ts=7, tuple 3 of its partition
          File "my.py", line 15, in iterate
            self.total += math.log(value)
    """
    error = raised.error
    if isinstance(error, ArithmeticOverflowError):  # of a built-in
        return ArithmeticOverflowError(f"{step.label}: {error}")
    lines = [hook_line(step, raised)]
    lines += [f"  in {step.label}{_location(work, raised, buffer, sequence)}"]
    lines += [line.rstrip("\n") for line in traceback.format_list(_user_frames(error.__traceback__))]
    report = HookError("\n".join(lines))
    report.error = error
    return report


def hook_line(step: Step, raised: HookRaised) -> str:
    """The first line: the hook, its arguments, and what it raised."""
    error = raised.error
    given = [*(["buffer"] if _is_spark(step) else []), *map(_argument, raised.arguments)]
    call = f"{step.case.traits.name}.{_spoken(step, raised.hook)}({', '.join(given)})"
    said = f": {error}" if str(error) else ""
    if isinstance(error, AttributeError) and error.name == "inwindow" and isinstance(error.obj, Aggregate):
        said += "; annotate it in the class to get the window's buffer, `inwindow: iw.InWindow` (an iw.WindowAggregate)"
    elif isinstance(error, AttributeError) and isinstance(error.obj, tuple) and type(error.obj).__name__ == "Record":
        said += f"; a record has the names of iterate's parameters: {', '.join(getattr(error.obj, '_fields', ()))}"
    elif isinstance(error, AttributeError) and isinstance(error.obj, Aggregate):
        close = get_close_matches(str(error.name), dir(error.obj), 1, 0.8)
        said += (
            f"; did you mean {close[0]!r}?"
            if close
            else f"; set self.{error.name} in `initialize`, for the first tuple"
        )
    return f"{call} raised {type(error).__name__}{said}"


def result_error(step: Step, work: Pass, unfit: Unfit, buffer: Buffer, sequence: Sequence) -> ResultTypeError:
    """The error for a value that the result type cannot hold.

    ::

        MyAvg.terminate() gave 'a' (str), which does not fit the result type double: return a fitting value, or declare ...
          in MyAvg(price), for the frame that ends at item='a', ts=7, tuple 3 of its partition
    """
    return ResultTypeError(f"{result_line(step, unfit)}\n  in {step.label}{_location(work, unfit, buffer, sequence)}")


def result_line(step: Step, unfit: Unfit) -> str:
    """The first line: the hook, and the value that does not fit."""
    name, result = step.case.traits.name, step.implementation.result
    hook = unfit.hook if unfit.hook in step.case.traits.hooks else "initialize"
    digits = ""
    if pa.types.is_decimal(result):
        digits = f" (at most {result.precision - result.scale} digits before the point and {result.scale} behind it)"
    declared = "in outputType" if _is_spark(step) else f"as in class {name}(..., returns='...')"
    return (
        f"{name}.{_spoken(step, hook)}() gave {shown(unfit.value)} ({type(unfit.value).__name__}), which does not fit the "
        f"result type {result}: return a fitting value{digits}, or declare another type, {declared}"
    )


def _is_spark(step: Step) -> bool:
    return hasattr(step.implementation.aggregate, "_spoken")


def _spoken(step: Step, hook: str) -> str:
    """The hook's name in the user's class: a Spark Aggregator uses other names."""
    names: dict[str, str] = getattr(step.implementation.aggregate, "_spoken", {})
    return names.get(hook, hook)


def _argument(argument: Any) -> str:
    """An argument of a hook; ``later`` of a merge is shown by its state."""
    if not isinstance(argument, Aggregate):
        return shown(argument)
    state = {name: value for name, value in vars(argument).items() if not name.startswith("_") and name != "inwindow"}
    if hasattr(argument, "_spoken"):
        return shown(state.get("buffer"))
    return f"{type(argument).__name__}({', '.join(f'{name}={shown(value)}' for name, value in state.items())})"


def _location(work: Pass, raised: HookRaised | Unfit, buffer: Buffer, sequence: Sequence) -> str:
    if raised.place is not None:
        return raised.place
    position = raised.position
    if not buffer.base <= position < buffer.end:
        return ""
    values = []
    for name in work.position_columns:
        if work.halo is not None and name == work.halo.shard:
            continue  # a column that the user does not know
        column = buffer.plain(name).array
        if column is not None:
            values.append(f"{name}={shown_scalar(column[position - buffer.base])}")
    start = sequence.partition_starts[sequence.partition_starts <= position]
    if work.halo is not None:
        start = start[:0]  # in a shard, the start of the partition is unknown
    number = [f"tuple {position - int(start[-1]) + 1} of its partition"] if len(start) else []
    whole = ", for the frame that ends at " if raised.hook == "terminate" else ", at "
    return whole + ", ".join([*values, *number])


def extent_location(names: tuple[str, ...], keys: list[pa.Scalar], begin: pa.Scalar, finish: pa.Scalar) -> str:
    """Where a hook was called, for an extent: after a shuffle of partials the positions of tuples are unknown."""
    by = ", ".join(f"{name}={shown_scalar(key)}" for name, key in zip(names, keys, strict=True))
    return f", for the extent [{shown_scalar(begin)}, {shown_scalar(finish)}){f' of {by}' if by else ''}"


def shown_scalar(value: pa.Scalar) -> str:
    """A value of a column, for a message."""
    return repr(value.as_py()) if pa.types.is_string(value.type) and value.is_valid else text_of(value)


def _user_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    return [frame for frame in traceback.extract_tb(trace) if not _is_ours(frame.filename)]


def _is_ours(filename: str) -> bool:
    if filename.endswith((".pyx", ".pxd")):
        return True
    path = str(Path(filename).resolve())
    return path.startswith(_OURS) and any(f"{_OURS}/{room}/" in path for room in _ROOMS)


def overflow_error(step: Step) -> ArithmeticOverflowError:
    """The error for an integer or decimal result with too many digits, in Spark's ANSI mode."""
    result = step.implementation.result
    wider = "a decimal of a smaller scale" if pa.types.is_decimal(result) else "a decimal"
    return ArithmeticOverflowError(
        f"{step.label}: the result of a frame does not fit {result}; cast the argument to {wider} or a double (ANSI "
        "semantics, as in Spark)"
    )
