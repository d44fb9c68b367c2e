"""What hides bad tuples from the hooks of one step, and reports them; and copies of states, to go back to."""

from copy import deepcopy
from typing import Any

import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.buffer import Buffer, MaskColumn
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.reports import hook_line, result_line, shown_scalar
from inwindow.runtime.reserved import hidden_of
from inwindow.udaf.errors import UsageError
from inwindow.udaf.failures import Failure, Failures

OF_A_TUPLE = ("initialize", "iterate")  # hooks that raise because of their tuple


class Guard:
    """Hides bad tuples from the hooks of one step, and notes them."""

    def __init__(self, step: Step, failures: Failures, buffer: Buffer, mask: MaskColumn) -> None:
        self.step, self.failures, self.buffer, self.mask = step, failures, buffer, mask
        names = dict.fromkeys([*step.position_columns, *step.arguments]) if failures.collects else ()
        self.columns = {name: buffer.plain(name) for name in names}
        self.hidden: list[int] = []  # positions, since they were last taken

    def take_hidden(self) -> list[int]:
        """The tuples that have been hidden since the last call."""
        hidden, self.hidden = self.hidden, []
        return hidden

    def hide(self, raised: HookRaised) -> None:
        """The tuple is bad: from now on no hook of the step sees it. Any other error is raised again."""
        at = raised.position - self.buffer.base
        if raised.hook not in OF_A_TUPLE or not 0 <= at < len(self.mask.mask) or not self.mask.mask[at]:
            raise raised
        self.note(raised)
        if not self.mask.mask.flags.writeable:
            self.mask.mask = self.mask.mask.copy()
        self.mask.mask[at] = 0
        self.hidden.append(raised.position)

    def note(self, raised: HookRaised | Unfit) -> None:
        """Report a bad tuple, or a result that there is not. Without memory no call goes on."""
        if isinstance(getattr(raised, "error", None), MemoryError):
            raise raised
        if not self.failures.collects:
            self.failures.note(None)
            return
        step = self.step
        line = hook_line(step, raised) if isinstance(raised, HookRaised) else result_line(step, raised)
        at = raised.position - self.buffer.base
        row = None
        if self.columns and 0 <= at < self.buffer.end - self.buffer.base:
            cells = [column.array.take(pa.array([at])) for column in self.columns.values() if column.array is not None]
            row = pa.RecordBatch.from_arrays(cells, list(self.columns))
        keys = [name for name in step.position_columns if name not in step.orders]
        key = "" if row is None else ", ".join(f"{name}={shown_scalar(row.column(name)[0])}" for name in keys)
        time = None if row is None or not step.orders else str(shown_scalar(row.column(step.orders[0])[0]))
        self.failures.note(Failure(step.name, step.label, raised.hook, line, key, time, row))

    def copied(self, state: Any) -> Any:
        """A copy of a state, to go back to."""
        try:
            return copied(state)
        except Exception as error:
            raise UsageError(
                f"{self.step.label}: on_error={self.failures.mode!r} goes back to the state before a hook raised, but the state "
                f"cannot be copied ({type(error).__name__}: {error}): make connections, locks and open files where they are used, "
                "or write on_error='fail'"
            ) from None


_SHARED = frozenset({int, float, str, bytes, bool, type(None)})


class _NotPlain(Exception):
    """An object that only its own class can copy, or one that is in the state twice."""


def copied(state: Any) -> Any:
    """A deep copy; of numbers and texts in lists, tuples and dicts, as most states are, in a fifth of the time.

    >>> state = (1, {"seen": [2.0, 3.0]})
    >>> copy = copied(state)
    >>> copy[1]["seen"].append(4.0)
    >>> state, copy
    ((1, {'seen': [2.0, 3.0]}), (1, {'seen': [2.0, 3.0, 4.0]}))
    """
    try:
        return _plain_copy(state, set())
    except _NotPlain:
        return deepcopy(state)


def _plain_copy(value: Any, met: set[int]) -> Any:
    kind = type(value)
    if kind in _SHARED:
        return value
    if kind is tuple:
        return tuple([_plain_copy(one, met) for one in value])
    if (kind is not list and kind is not dict) or id(value) in met:
        raise _NotPlain
    met.add(id(value))
    if kind is list:
        return [_plain_copy(one, met) for one in value]
    return {_plain_copy(key, met): _plain_copy(one, met) for key, one in value.items()}


def hiding(work: Pass) -> tuple[str, ...]:
    """The columns of held tuples that say from which hooks they are hidden."""
    return tuple(hidden_of(step.name) for step in work.steps if step.failures is not None)
