"""All exceptions of inwindow, as one tree: catch :class:`InWindowError` to catch all of them.

A message names the aggregate, the hook or option and the value, and says what to write instead.
"""

import re
from typing import Any

_SHOWN = 200  # characters of a value in a message


class InWindowError(Exception):
    """The root of all errors that inwindow raises on purpose."""


class DefinitionError(InWindowError, TypeError):
    """An aggregate class is written wrong; raised where the class is defined."""


class UsageError(InWindowError, ValueError):
    """An aggregate or a window is applied wrong; raised before any data is touched."""


class NotAppliedError(UsageError, AttributeError):
    """An aggregate is used as if it were applied to columns; an AttributeError, so that ``getattr`` may ask."""


class UnknownNameError(UsageError, AttributeError):
    """A name that inwindow does not have; an AttributeError, so that ``hasattr`` may ask."""


class UnknownColumnError(UsageError):
    """A column that the data does not have."""


class StrategyError(UsageError):
    """A forced strategy that cannot give the right result."""


class DataError(InWindowError, ValueError):
    """The data break a promise: a reader that is not sorted, a scope that goes backwards."""


class ScratchError(InWindowError, OSError):
    """A task's tuples fit neither into the memory that it may use, nor on the disk."""


class StateError(DataError):
    """The state in a stream's checkpoint belongs to other aggregates, other windows or another version."""


class HookError(InWindowError):
    """A hook of an aggregate, or a function of a scope, raised; says which one, where, with which arguments.

    ``error`` is the exception itself, with its traceback.
    """

    error: BaseException | None = None


class DeviationError(InWindowError):
    """A sentinel found a result that is not that of the frame's tuples: a hook breaks its promise."""


class ResultTypeError(InWindowError, TypeError):
    """A hook returned a value that does not fit the aggregate's result type."""


class ArithmeticOverflowError(InWindowError, ArithmeticError):
    """An integer result does not fit its type (ANSI semantics, as in Spark)."""


def shown(value: Any) -> str:
    """A value for a message: its ``repr`` on one line, without addresses, shortened if it is long.

    >>> shown("a" * 1000)[-6:]
    'aaa...'
    """
    holds_rows = hasattr(value, "columns") or type(value).__name__ in ("Series", "Expr", "Index", "ChunkedArray")
    if type(value).__module__.partition(".")[0] in ("pyarrow", "pandas", "polars") and holds_rows:
        return f"a {type(value).__module__.partition('.')[0]}.{type(value).__name__}"  # not its rows
    try:
        text = re.sub(r"\s*\n\s*| at 0x[0-9a-f]+", lambda match: " " if "\n" in match[0] else "", repr(value))
    except Exception as error:  # a user's __repr__, or an int of more digits than Python prints
        return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
