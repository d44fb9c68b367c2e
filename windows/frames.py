"""How a user writes a window: ``iw.rows(50, slide=10)``, ``iw.range("5 minutes")``, ``iw.scope(...)``.

All errors in a window that can be found without data are raised here.
"""

import inspect
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Unpack

from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.guesses import instead_of_option, near_option
from inwindow.windows.columns import listed, named, order_of
from inwindow.windows.interval import MOST, Interval, Size, count_of, is_negative, negated, size_of, sum_of
from inwindow.windows.options import (
    Distance,
    FrameOptions,
    Function,
    LaidOver,
    hole_of,
    one_slide,
    shows_options,
    slide_of,
)
from inwindow.windows.spark_spec import bound_of, read_window_spec
from inwindow.windows.spec import (
    COUNTED,
    Exclude,
    Extent,
    Final,
    Frame,
    Groups,
    Landmark,
    Range,
    Rows,
    Scope,
    Unit,
    Window,
    extent_name,
    unit_of,
)
from inwindow.windows.window_checks import check_frame

_OPTIONS = tuple(LaidOver.__annotations__)
_shows_options = shows_options(FrameOptions, {"final": "drop", "active_expiration": False})


def _takes_options(function: Function) -> Function:
    return says_what_it_takes(_shows_options(function))


@_takes_options
def rows(size: int, *, lag: int = 0, **options: Unpack[FrameOptions]) -> Window:
    """The last ``size`` tuples, the current one included: ROWS size-1 PRECEDING.

    ``lag`` ends the frame that many tuples earlier. The other keywords are those of every frame:

    - ``partition_by=``, ``order_by=``: a column name or several; ``iw.desc("ts")`` orders downwards.
    - ``slide=``: a result only at the last tuple of each slot: so many tuples for ROWS, groups of peers for GROUPS, a distance in
      order values for the others, counted from ``origin=`` (the epoch, or 0). An interval is always a distance in order values.
      ``every=`` is the same.
    - ``slide_by="rows"|"range"|"groups"``: what ``slide=`` counts where it is not what the frame counts.
    - ``final="drop"|"emit"``: whether an unfilled last slot of tuples yields.
    - ``active_expiration=True``: on a RANGE frame, in ``select``: results when tuples leave, not when they arrive.
    - ``min_count=``: NULL where hooks see fewer tuples of the frame: NULL arguments, and what a filter rejects, do not count.
    - ``exclude="current row"|"group"|"ties"``: what is left out of the frame: the tuple itself, the tuple and its peers, or its
      peers without it. ``"no others"`` leaves out nothing, as without ``exclude=``.
    - ``strategy=``: force one of ``explain``'s strategies, to compare.

    >>> rows(50, partition_by="item", order_by="ts", slide=10).describe()
    '(partition by item order by ts rows between 49 preceding and current row slide 10)'
    >>> rows(3, lag=1).describe()
    '(rows between 3 preceding and 1 preceding)'
    >>> rows(1000, order_by="ts", slide="1 minute").describe()
    '(order by ts rows between 999 preceding and current row slide 1 minute)'
    """
    size, lag = count_of(size, "rows: size"), count_of(lag, "rows: lag", least=0)
    return _window(Rows(1 - size - lag, -lag), **options)


@_takes_options
def range(size: Distance, *, lag: Distance | None = None, **options: Unpack[FrameOptions]) -> Window:
    """The tuples whose order value is at most ``size`` behind the current one: RANGE size PRECEDING.

    ``size`` is in the unit of the order column: an interval such as ``"5 minutes"``, a timedelta or a number. All
    tuples with the current order value are in the frame (peers). The other keywords are as for :func:`rows`.

    >>> range("5 minutes", order_by="ts").describe()
    '(order by ts range between 5 minutes preceding and current row)'
    >>> range(10, order_by="t", lag=2).describe()
    '(order by t range between 12 preceding and 2 preceding)'
    >>> range("5 minutes", order_by="ts", slide=5, slide_by="rows").describe()  # every fifth tuple
    '(order by ts range between 5 minutes preceding and current row slide 5 rows)'
    """
    reach = size_of(size, "range: size")
    if is_negative(reach):
        raise UsageError(f"range: size={reach} is negative; a frame reaches back by a size >= 0")
    frame = Range(negated(reach), 0)
    return _window(frame if lag is None else _lagged(frame, lag), **options)


@_takes_options
def groups(size: int, *, lag: int = 0, **options: Unpack[FrameOptions]) -> Window:
    """The last ``size`` groups of peers, the current one included: GROUPS size-1 PRECEDING.

    Tuples with equal order values are peers, and count once: with ``order_by="day"``, ``iw.groups(7)`` holds the last seven days
    that have tuples. ``lag`` ends the frame that many groups earlier. The other keywords are as for :func:`rows`.

    >>> groups(7, partition_by="item", order_by="day").describe()
    '(partition by item order by day groups between 6 preceding and current row)'
    """
    size, lag = count_of(size, "groups: size", of="groups"), count_of(lag, "groups: lag", least=0, of="groups")
    return _window(Groups(1 - size - lag, -lag), **options)


@_takes_options
def rows_between(start: int | None, end: int | None, **options: Unpack[FrameOptions]) -> Window:
    """ROWS BETWEEN start AND end, as ``Window.rowsBetween``: negative is PRECEDING, None is UNBOUNDED.

    ``Window.unboundedPreceding`` and ``Window.unboundedFollowing`` are UNBOUNDED, too.

    >>> rows_between(-1, 1, order_by="ts").describe()
    '(order by ts rows between 1 preceding and 1 following)'
    """
    return _window(Rows(_offset(start, "start"), _offset(end, "end")), **options)


@_takes_options
def range_between(start: Distance | None, end: Distance | None, **options: Unpack[FrameOptions]) -> Window:
    """RANGE BETWEEN start AND end, as ``Window.rangeBetween``: negative is PRECEDING, None is UNBOUNDED.

    ``Window.unboundedPreceding`` and ``Window.unboundedFollowing`` are UNBOUNDED, too; any other number is a distance.

    >>> range_between("-1 hour", "10 minutes", order_by="ts").describe()
    '(order by ts range between 1 hour preceding and 10 minutes following)'
    """
    return _window(Range(_range_offset(start, "start"), _range_offset(end, "end")), **options)


@_takes_options
def groups_between(start: int | None, end: int | None, **options: Unpack[FrameOptions]) -> Window:
    """GROUPS BETWEEN start AND end, counted in groups of peers: negative is PRECEDING, None is UNBOUNDED.

    >>> groups_between(-1, 1, order_by="day").describe()
    '(order by day groups between 1 preceding and 1 following)'
    """
    lower, upper = (_offset(bound, its, of="groups") for bound, its in ((start, "start"), (end, "end")))
    return _window(Groups(lower, upper), **options)


@_takes_options
def unbounded(**options: Unpack[FrameOptions]) -> Window:
    """All tuples up to the current one: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.

    >>> unbounded(partition_by="item", order_by="ts").describe()
    '(partition by item order by ts rows between unbounded preceding and current row)'
    """
    return _window(Rows(None, 0), **options)


@_takes_options
def landmark(*, since: Any = None, until: Any = None, **options: Unpack[FrameOptions]) -> Window:
    """The tuples with since <= order value <= the current one, and <= ``until``; frozen after ``until``.

    >>> from datetime import datetime
    >>> landmark(since=datetime(2026, 1, 1), order_by="ts").describe()
    '(order by ts since 2026-01-01 00:00:00)'
    """
    if since is None and until is None:
        raise UsageError("landmark() fixes neither bound: give since=, until= or both (or use iw.unbounded())")
    return _window(Landmark(since, until), **options)


@_takes_options
def scope(
    *,
    lower: Callable[[Any], Any] | None = None,
    upper: Callable[[Any], Any] | None = None,
    **options: Unpack[FrameOptions],
) -> Window:
    """The tuples with lower(t) <= order value <= upper(t), at the tuple whose order value is t.

    Both functions must never decrease (checked while running). Without ``lower`` the frame is unbounded, without
    ``upper`` it ends at the current tuple.

    >>> scope(lower=lambda t: t // 10 * 10, order_by="t").describe()
    '(order by t scope from lower(t) to current row)'
    """
    if lower is None and upper is None:
        raise UsageError("scope() has no function: give lower=, upper= or both (or use iw.unbounded())")
    for option, function in (("lower", lower), ("upper", upper)):
        if function is not None and not _takes_one(function):
            raise UsageError(
                f"scope: {option}={shown(function)} is not a function of the order value: write {option}=lambda t: ..."
            )
    return _window(Scope(lower, upper), **options)


def window_of(window: Any, **options: Unpack[LaidOver]) -> Window:
    """The window for ``over()``: ours, or read from a ``pyspark.sql.WindowSpec``; with options laid over."""
    if isinstance(window, Window):
        base: Window = window
    elif isinstance(window, Extent):
        raise UsageError(
            f"over(iw.{extent_name(window)}(...)): an extent gives rows per key and extent, not per tuple: write "
            "iw.group_by(df, keys).window(extent).agg(...)"
        )
    elif type(window).__name__ == "WindowSpec":
        base = read_window_spec(window)
    elif callable(window) and str(getattr(window, "__module__", "")).startswith("inwindow.windows."):
        raise UsageError(f"over(iw.{window.__name__}) has no window yet: call it, as in iw.{window.__name__}(...)")
    else:
        raise UsageError(
            f"over({shown(window)}) is not a window: give iw.rows(...), iw.range(...), iw.groups(...), iw.unbounded(), "
            "iw.landmark(...), iw.scope(...) or a pyspark.sql.Window specification"
        )
    if "every" in options:
        options["slide"] = one_slide(options.get("slide"), options.pop("every"))
    if "lag" in options:
        base = replace(base, frame=_lagged(base.frame, options.pop("lag")))
    laid_over: dict[str, Any] = {**_options_of(base), **options}
    return _window(base.frame, **laid_over)


def _window(
    frame: Frame,
    *,
    partition_by: Any = (),
    order_by: Any = (),
    slide: Any = None,
    origin: Any = None,
    final: Final = "drop",
    active_expiration: bool = False,
    strategy: str | None = None,
    slide_by: Unit | None = None,
    min_count: int | None = None,
    exclude: Exclude | Literal["no others"] | None = None,
    every: Any = None,
    **unknown: Any,
) -> Window:
    if "lag" in unknown:
        raise UsageError(
            "lag= is for iw.rows, iw.range and iw.groups (or over()); this frame says itself where it ends"
        )
    if unknown:
        close, instead = near_option(next(iter(unknown)), _OPTIONS), instead_of_option(next(iter(unknown)))
        raise UsageError(
            f"there is no window option {', '.join(map(repr, unknown))}; "
            + (f"did you mean {close!r}?" if close else f"{instead or 'there are ' + ', '.join(_OPTIONS)}")
        )
    if not isinstance(final, str) or final not in ("drop", "emit"):
        raise UsageError(
            f"final={shown(final)} is not known: an unfilled last slot is dropped ('drop') or emitted ('emit')"
        )
    if not isinstance(active_expiration, bool):
        raise UsageError(f"active_expiration={shown(active_expiration)}: write True or False")
    order = tuple(order_of(column) for column in listed(order_by))
    keys = tuple(named(column, "partition_by") for column in listed(partition_by))
    slide = slide_of(frame, one_slide(slide, every), slide_by)
    if isinstance(frame, Range):
        frame = Range(*(0 if isinstance(b, Interval) and b.is_zero else b for b in (frame.lower, frame.upper)))
    elif isinstance(frame, (Rows, Groups)):
        frame = type(frame)(*(None if b is None else max(-MOST, min(b, MOST)) for b in (frame.lower, frame.upper)))
    least = None if min_count is None else count_of(min_count, "min_count")
    window = Window(
        frame, keys, order, slide, origin, final, active_expiration, strategy, slide_by, least, hole_of(exclude)
    )
    check_frame(window)
    return window


def _options_of(window: Window) -> dict[str, Any]:
    return {name: getattr(window, name) for name in FrameOptions.__annotations__ if name != "every"}


def _lagged(frame: Frame, lag: Any) -> Frame:
    if isinstance(frame, (Rows, Groups)):
        lag = count_of(lag, "lag", least=0, of=unit_of(frame))
        return type(frame)(*(None if bound is None else bound - lag for bound in (frame.lower, frame.upper)))
    if isinstance(frame, Range):
        distance = size_of(lag, "lag")
        if is_negative(distance):
            raise UsageError(f"lag={lag!r} is negative; a lag ends the frame earlier, so it is >= 0")
        return Range(
            *(None if bound is None else sum_of(bound, negated(distance)) for bound in (frame.lower, frame.upper))
        )
    raise UsageError("lag= is for ROWS, RANGE and GROUPS frames; a landmark or a scope says its bounds itself")


def _takes_one(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature
        return callable(function)
    return True


def _offset(bound: Any, option: str, of: Unit = "rows") -> int | None:
    if bound is None:
        return None
    try:
        offset = None if isinstance(bound, bool) else operator.index(bound)
    except TypeError:
        offset = None
    if offset is None:
        raise UsageError(
            f"{of}_between: {option}={shown(bound)} is not a whole number of {COUNTED[of]} (negative is PRECEDING), or None for "
            "UNBOUNDED"
        )
    return bound_of(offset, lower=option == "start")


def _range_offset(bound: Any, option: str) -> Size | None:
    if bound is None:
        return None
    return bound_of(size_of(bound, f"range_between: {option}"), lower=option == "start")
