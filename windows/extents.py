"""How a user writes an extent: ``iw.hop("ts", size="1 hour", every="5 minutes")`` and its kin.

Extents are half-open, ``[start, end)``, and aligned to an origin: the epoch (0 for numbers, the first tuple
for counts) unless given.
"""

import math
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.zones import zone_of
from inwindow.windows.fill import fill_of
from inwindow.windows.interval import (
    MICROSECONDS,
    Interval,
    Size,
    count_of,
    days_in,
    exact,
    is_positive,
    may_exceed,
    size_of,
)
from inwindow.windows.options import Distance, one_slide
from inwindow.windows.spec import Cumulate, Hop, Session

CountScope = Literal["partition", "stream"]
_MOST = 1_000_000  # extents that a tuple may lie in: each is a row, and takes memory


@says_what_it_takes
def hop(
    on: str, size: Distance | None = None, every: Distance | None = None, *, rows: int | None = None, origin: Any = None,
    scope: CountScope = "partition", slide: Distance | None = None, timezone: str | None = None,
    fill: Any = None, between: tuple[Any, Any] | None = None, quiet: Distance | None = None,
) -> Hop:  # fmt: skip
    """Extents of ``size`` that start at origin + k * ``every``: as ``pyspark.sql.functions.window``.

    With ``rows=`` instead of ``size=``, extents of that many tuples, in the order of ``on``; counted within the
    keys, or over the whole stream with ``scope="stream"``. ``slide=`` is another name of ``every=``. With ``timezone=``, days,
    months and hours are those of that zone's clock. With ``fill=``, extents without tuples give rows, too: see :func:`tumble`.

    >>> hop("ts", size="1 hour", every="5 minutes").every
    Interval(months=0, microseconds=300000000)
    >>> hop("ts", "1 hour", "5 minutes") == hop("ts", size="1 hour", every="5 minutes")  # in the order of Spark's window()
    True
    >>> hop("ts", rows=1000, every=10).size
    1000
    """
    every = one_slide(slide, every)
    if every is None:
        raise UsageError("hop() needs every=, the distance between two extents; for extents side by side use iw.tumble")
    length = _size("hop", size, rows)
    step = _positive("hop", "every", every) if rows is None else _count(rows, every)
    _check_together("hop", length, step)
    gaps = fill_of("hop", fill, between, quiet, rows)
    if gaps is not None and may_exceed(step, length):
        raise UsageError(
            f"hop(size={length}, every={step}, fill=...): there is time between these extents, so a tuple may lie in none: give a "
            "size of at least every, or drop fill="
        )
    return replace(_hop("hop", on, length, step, origin, rows is not None, scope, timezone), fill=gaps)


@says_what_it_takes
def tumble(
    on: str,
    size: Distance | None = None,
    *,
    rows: int | None = None,
    origin: Any = None,
    scope: CountScope = "partition",
    timezone: str | None = None,
    fill: Any = None,
    between: tuple[Any, Any] | None = None,
    quiet: Distance | None = None,
) -> Hop:
    """Extents of ``size`` side by side: every tuple is in exactly one.

    With ``timezone=``, days, months and hours are those of that zone's clock. With ``fill=``, extents without tuples, between two
    with tuples of the same key, give rows, too. There a count is 0, and what is NULL becomes: NULL (``fill="null"``), what it was
    in the row before (``"previous"``), a point of the line between the rows around (``"linear"``), or the value that ``fill=``
    is. ``between=(start, end)`` fills each key from start to end. ``quiet=`` fills that long behind each extent with tuples, and
    no longer; a stream needs it.

    >>> tumble("ts", size="1 hour").size
    Interval(months=0, microseconds=3600000000)
    """
    length = _size("tumble", size, rows)
    _check_together("tumble", length, length)
    gaps = fill_of("tumble", fill, between, quiet, rows)
    return replace(_hop("tumble", on, length, length, origin, rows is not None, scope, timezone), fill=gaps)


@says_what_it_takes
def cumulate(
    on: str, size: Distance, every: Distance | None = None, *, origin: Any = None, slide: Distance | None = None,
    timezone: str | None = None,
) -> Cumulate:  # fmt: skip
    """Extents that grow from each multiple of ``size``, ``every`` at a time, up to ``size``.

    ``slide=`` is another name of ``every=``. With ``timezone=``, days, months and hours are those of that zone's clock.

    >>> cumulate("ts", size="1 day", every="1 hour").every
    Interval(months=0, microseconds=3600000000)
    """
    every = one_slide(slide, every)
    if every is None:
        raise UsageError("cumulate() needs every=, the distance between the ends of two extents")
    length, step = _positive("cumulate", "size", size), _positive("cumulate", "every", every)
    _check_together("cumulate", length, step)
    if not _is_multiple(length, step):
        raise UsageError(f"cumulate(size={size!r}, every={every!r}): size must be a whole multiple of every")
    return Cumulate(_column("cumulate", on), length, step, origin, _zone("cumulate", timezone, length))


@says_what_it_takes
def session(on: str, gap: Distance | None = None, *, until: str | None = None) -> Session:
    """Maximal runs of tuples at most ``gap`` apart: as ``pyspark.sql.functions.session_window``.

    As there, ``"1 day"`` is a calendar day if ``on`` has a time zone, while ``"24 hours"`` are always 24 hours. ``gap`` may be
    the name of a column, with a gap for each tuple. With ``until=``, a tuple lasts until the time in that column, and a session
    is a run of intervals that overlap, meet, or are at most ``gap`` apart (if it is given).

    >>> session("ts", gap="30 minutes").gap
    Interval(months=0, microseconds=1800000000)
    >>> session("since", until="until").describe()
    '(session since until until)'
    """
    name = _column("session", on)
    if until is not None:
        size = 0 if gap is None else _positive("session", "gap", gap)
        return Session(name, size, 0, _other_column("until", until))
    if gap is None:
        raise UsageError(
            "session() needs a gap=, as in iw.session('ts', gap='30 minutes'), or the column until= which tuples last"
        )
    if isinstance(gap, str) and gap.isidentifier():
        return Session(name, 0, own_gap=gap)
    return Session(name, _positive("session", "gap", gap), days_in(gap) if isinstance(gap, str) else 0)


def _other_column(option: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise UsageError(f"session({option}={shown(name)}): write the name of a column")
    return name


def _hop(
    kind: str, on: str, size: Size, every: Size, origin: Any, rows: bool, scope: CountScope, timezone: str | None
) -> Hop:
    if not isinstance(scope, str) or scope not in ("partition", "stream"):
        raise UsageError(f"{kind}(scope={shown(scope)}): tuples are counted per 'partition' or over the whole 'stream'")
    if scope == "stream" and not rows:
        raise UsageError(f"{kind}(scope='stream') is for counts of tuples: give rows= with it, or drop it")
    if origin is not None and rows:
        raise UsageError(f"{kind}(rows=..., origin={origin!r}): tuples are counted from the first; drop origin=")
    return Hop(_column(kind, on), size, every, origin, rows, scope, _zone(kind, timezone, size))


def _zone(kind: str, timezone: Any, size: Size) -> str | None:
    """The time zone by its name."""
    if timezone is None:
        return None
    if isinstance(timezone, ZoneInfo) and timezone.key is not None:
        timezone = timezone.key
    if not isinstance(timezone, str):
        raise UsageError(
            f"{kind}(timezone={shown(timezone)}): write a zone's name, as in timezone='America/New_York' or '+02:00'"
        )
    if not isinstance(size, Interval):
        raise UsageError(
            f"{kind}(timezone={timezone!r}): a zone is for extents of times, and this is one of {size}: give a size such as "
            "'1 day', or drop timezone="
        )
    try:
        zone_of(timezone)
    except UsageError:
        raise UsageError(
            f"{kind}(timezone={timezone!r}): there is no such zone; write a name of the tz database, as in 'America/New_York', "
            "or an offset, as in '+02:00'"
        ) from None
    return timezone


def _is_multiple(size: Size, every: Size) -> bool:
    """Whether a cumulation ends where the next begins: months are whole months, and whole days."""
    if not (isinstance(size, Interval) and isinstance(every, Interval)) or not (size.months or every.months):
        return exact(size) % exact(every) == 0
    if size.microseconds or not size.months:
        return False
    if every.months:
        return not every.microseconds and size.months % every.months == 0
    return MICROSECONDS["day"] % every.microseconds == 0


def _size(kind: str, size: Any, rows: int | None) -> Size:
    if (size is None) == (rows is None):
        raise UsageError(f"{kind}() needs either size= (time or number) or rows= (a count of tuples)")
    return _positive(kind, "size", size) if rows is None else count_of(rows, f"{kind}: rows")


def _count(rows: int, every: Any) -> int:
    """``every=`` of a hop over tuples."""
    if isinstance(every, (str, Interval, timedelta)):
        every = size_of(every, f"hop(rows={rows}): every")
        raise UsageError(
            f"hop(rows={rows}, every={every}): an extent of tuples begins every so many tuples; for the last {rows} tuples at "
            f"the end of every {every} write iw.select with .over(iw.rows({rows}, slide={str(every)!r}, order_by=...))"
        )
    return count_of(every, f"hop(rows={rows}): every")


def _check_together(kind: str, size: Size, every: Size) -> None:
    if kind == "hop" and isinstance(size, Interval) and isinstance(every, int):
        raise UsageError(
            f"hop(size={size}, every={every}): give both as times or both as numbers; for a result every {every} tuples write "
            f"iw.select with .over(iw.range('{size}', slide={every}, slide_by='rows', order_by=...))"
        )
    if isinstance(size, Interval) != isinstance(every, Interval):
        raise UsageError(f"{kind}(size={size}, every={every}): give both as times or both as numbers")
    if isinstance(size, Interval) and isinstance(every, Interval) and kind != "cumulate":
        _check_months(kind, size, every)
    if exact(size) > _MOST * exact(every):
        raise UsageError(
            f"{kind}(size={size}, every={every}): each tuple would be in {math.ceil(exact(size) / exact(every))} extents; use a "
            "larger every"
        )


def _check_months(kind: str, size: Interval, every: Interval) -> None:
    """Check that bounds never go backwards where months are added to days."""
    if every.months and every.microseconds:
        option = "size" if kind == "tumble" else "every"
        raise UsageError(f"{kind}({option}={every}): write either months, or days and hours")
    if size.months and not every.months and every.microseconds % MICROSECONDS["day"]:
        raise UsageError(
            f"{kind}(size={size}, every={every}): from the last days of a month, a month later is the same day for several times: "
            "give every= in whole days, or in months"
        )


def _positive(kind: str, option: str, value: Any) -> Size:
    size = size_of(value, f"{kind}: {option}")
    if not is_positive(size):
        raise UsageError(f"{kind}({option}={value!r}): must be > 0")
    if isinstance(size, Interval) and size.months and option == "gap":
        raise UsageError(f"{kind}({option}={value!r}): months differ in length: give the gap in days")
    return size


def _column(kind: str, on: Any) -> str:
    if not isinstance(on, str) or not on:
        raise UsageError(f"{kind}({shown(on)}): the first argument is the name of the windowing attribute's column")
    return on
