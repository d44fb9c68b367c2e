"""How a user says what extents without tuples give: ``fill=``, ``between=``, ``quiet=``."""

from typing import Any

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval, is_positive, size_of
from inwindow.windows.spec import Fill

_WAYS = ("null", "previous", "linear")


def fill_of(kind: str, fill: Any, between: Any, quiet: Any, rows: Any) -> Fill | None:
    """The options, checked; None without ``fill=``."""
    if fill is None:
        if between is not None or quiet is not None:
            option = "quiet" if between is None else "between"
            raise UsageError(f"{kind}({option}=...) says which extents are filled: say with what, as in fill='null'")
        return None
    if rows is not None:
        raise UsageError(f"{kind}(rows=..., fill={fill!r}): extents of tuples have no gaps: drop fill=")
    if isinstance(fill, str) and fill not in _WAYS:
        raise UsageError(
            f"{kind}(fill={fill!r}): write 'null', 'previous', 'linear', or a value that is no text, such as fill=0"
        )
    how: Any = fill if isinstance(fill, str) else "value"
    if quiet is not None and (how == "linear" or between is not None):
        other = "fill='linear'" if how == "linear" else "between="
        raise UsageError(
            f"{kind}({other}, quiet={quiet!r}): quiet= ends what is filled, {other} needs both ends: give one of them"
        )
    return Fill(how, None if isinstance(fill, str) else fill, _quiet(kind, quiet), _between(kind, between))


def _between(kind: str, between: Any) -> Any:
    if between is None:
        return None
    if not isinstance(between, (tuple, list)) or len(between) != 2 or None in between:
        raise UsageError(f"{kind}(between={shown(between)}): write the start and the end, as in between=(start, end)")
    return tuple(between)


def _quiet(kind: str, quiet: Any) -> Any:
    if quiet is None:
        return None
    size = size_of(quiet, f"{kind}: quiet")
    if not is_positive(size) or (isinstance(size, Interval) and size.months):
        raise UsageError(f"{kind}(quiet={quiet!r}): must be > 0, and in days or less")
    return size
