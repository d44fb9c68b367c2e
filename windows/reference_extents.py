"""The definition of extents: windows of their own, with a row for each of them rather than for each tuple.

Part of :mod:`inwindow.windows.reference`; section 5 of the semantics. Extents are half-open::

    hop        [origin + k*every, + size)                      hop(10, every 5):  [-5,5) [0,10) [5,15) ...
    cumulate   [origin + k*size, + m*every), m*every <= size   cumulate(10, 5):   [0,5) [0,10) [10,15) ...
    by a clock the same, where bounds are local times          hop(1 day, New York): [1 Nov 04:00Z, 2 Nov 05:00Z)
    session    [first, last + gap)                             session(5) of 1 3 9 14:  [1,8) [9,19)
    session    [first, latest own end)                         of 1+5 2+1 6+3 20+1:     [1,9) [20,21)
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Any

from inwindow.udaf.zones import zone_of
from inwindow.windows.interval import Interval
from inwindow.windows.reference_order import (
    DAY,
    EPOCH,
    Row,
    add_months,
    coordinate,
    exact,
    mark,
    moved,
    slot,
    step,
    value_at,
)
from inwindow.windows.spec import Cumulate, Extent, Hop, Session


def extents(extent: Extent, rows: Sequence[Row]) -> list[tuple[Any, Any, list[int]]]:
    """(start, end, positions) of each extent that holds a tuple.

    The attribute is the first order value, or the row number, from 0. NULL, NaN and the infinities are in no
    extent. Rows are one partition; for scope="stream", the whole stream. Where tuples have their own gap or end, it is
    the second order value.
    """
    by_number = isinstance(extent, Hop) and extent.rows
    attributes = [i if by_number else row.order[0] for i, row in enumerate(rows)]
    countable = [i for i, t in enumerate(attributes) if t is not None and math.isfinite(coordinate(t))]
    if isinstance(extent, Session):
        ends = {i: stays_open(extent, *rows[i].order[:2]) for i in countable}
        lasting = [i for i in countable if not extent.has_own_ends or lasts(extent, attributes[i], ends[i])]
        return sessions(attributes, ends, sorted(lasting, key=lambda i: coordinate(attributes[i])))
    held: dict[tuple[Any, Any], list[int]] = {}
    for i in countable:
        t = attributes[i]
        for pair in hops(extent, t) if isinstance(extent, Hop) else cumulations(extent, t):
            held.setdefault(pair, []).append(i)
    like = attributes[countable[0]] if countable else None
    return [(value_at(start, like), value_at(end, like), held[start, end]) for start, end in sorted(held)]


def hops(extent: Hop, t: Any) -> Iterator[tuple[Any, Any]]:
    """For each k with ``origin + k*every <= t < origin + k*every + size``."""
    if has_months(extent) or extent.timezone is not None:
        yield from by_the_calendar(extent, t)
        return
    k = slot(t, extent.origin, extent.every)
    while (end := mark(extent.origin, t, (k, extent.every), (1, extent.size))) > exact(t):
        yield mark(extent.origin, t, (k, extent.every)), end
        k -= 1


def cumulations(extent: Cumulate, t: Any) -> Iterator[tuple[Any, Any]]:
    """For each m with ``start <= t < start + m*every <= start + size``; ``start = origin + k*size``."""
    if has_months(extent) or extent.timezone is not None:
        yield from by_the_calendar(extent, t)
        return
    k, m = slot(t, extent.origin, extent.size), 1
    start, limit = mark(extent.origin, t, (k, extent.size)), mark(extent.origin, t, (k + 1, extent.size))
    while (end := mark(extent.origin, t, (k, extent.size), (m, extent.every))) <= limit:
        if end > exact(t):
            yield start, end
        m += 1


def by_the_calendar(extent: Hop | Cumulate, t: Any) -> Iterator[tuple[Any, Any]]:
    """The extents of t's clock whose bounds, as instants, are around t; two with the same bounds are one."""
    zone = None if extent.timezone is None else zone_of(extent.timezone)
    origin, local, even = extent.origin, t, None
    if zone is not None:
        even = even_offset(extent, zone)
        origin, local = (at and at.astimezone(UTC).astimezone(zone).replace(tzinfo=None) for at in (origin, t))
    if even is not None:  # equally long: from the origin less the offset, without the clock
        origin, local, zone = value_at(exact(origin or 0) - even, t), t, None

    def instant(place: Any) -> Any:
        return place if zone is None else first_instant(value_at(place, local), zone)

    bounds = {(instant(start), instant(end)) for start, end in of_the_clock(extent, origin, local)}
    yield from sorted((start, end) for start, end in bounds if start <= exact(t) < end)


def of_the_clock(extent: Hop | Cumulate, origin: Any, local: Any) -> Iterator[tuple[Any, Any]]:
    """The bounds of all extents around a local time, and of those within two days: clocks may go back."""
    every = extent.size if isinstance(extent, Cumulate) else extent.every
    k, end = slot(value_at(exact(local) + 2 * DAY, local), origin, every), math.inf
    while end > exact(local) - 2 * DAY:
        start = mark(origin, local, (k, every))
        if isinstance(extent, Hop):
            months, rest = step(extent.size, local)
            # Months are counted from the origin, so that a short one loses no day; or from the start, if starts are days apart.
            in_months = step(every, local)[0] > 0
            end = mark(origin, local, (k, every), (1, Interval(months))) if in_months else add_months(start, months)
            end += rest
            yield start, end
        else:
            end, m, (months, rest) = mark(origin, local, (k + 1, every)), 1, step(extent.every, local)
            while (grown := mark(origin, local, (k, every), (m, extent.every)) if months else start + m * rest) <= end:
                yield start, grown
                m += 1
        k -= 1


def first_instant(local: datetime, zone: tzinfo) -> int:
    """The first place at which the zone's clock shows this time, or a later one: it may skip it."""
    early, late = (coordinate(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if early <= late:
        return int(early)

    def offset(place: int) -> timedelta | None:
        return (EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=place)).astimezone(zone).utcoffset()

    before, after = late, early  # between them the clock skips it
    while before + 1 < after:
        middle = (before + after) // 2
        before, after = (middle, after) if offset(middle) == offset(late) else (before, middle)
    return int(after)


def has_months(extent: Hop | Cumulate) -> bool:
    """Whether a size or a distance is in months."""
    return any(isinstance(size, Interval) and size.months > 0 for size in (extent.size, extent.every))


def even_offset(extent: Hop | Cumulate, zone: tzinfo) -> int | None:
    """Hours and minutes keep their length if, since 1970, the clock has been ahead of UTC by one remainder of them."""
    length = extent.size if isinstance(extent, Cumulate) else extent.every
    if has_months(extent) or max(exact_time(length), exact_time(extent.size)) >= DAY:
        return None
    remainder, *others = {offset % exact_time(length) for offset in offsets_since_1970(zone)}
    return None if others else remainder


def exact_time(size: Any) -> int:
    """The microseconds of a time without months."""
    assert isinstance(size, Interval)
    return size.microseconds


@cache
def offsets_since_1970(zone: tzinfo) -> frozenset[int]:
    """The microseconds that the clock has been ahead of UTC, at noon of each day of seventy years."""
    noons = (datetime(1970, 1, 1, 12, tzinfo=UTC) + timedelta(days=n) for n in range(70 * 365))
    return frozenset(coordinate(noon.astimezone(zone).replace(tzinfo=None)) - coordinate(noon) for noon in noons)


def sessions(
    attributes: Sequence[Any], ends: Mapping[int, Any], in_time: Sequence[int]
) -> list[tuple[Any, Any, list[int]]]:
    """A tuple keeps its session open until its end: one that comes then is in it, too. One without an end is always open."""
    found: list[tuple[Any, Any, list[int]]] = []
    for i in in_time:
        t = attributes[i]
        end = ends[i]
        if found and coordinate(t) <= found[-1][1]:
            first, until, positions = found[-1]
            found[-1] = (first, max(until, end), [*positions, i])
        else:
            found.append((t, end, [i]))
    return [
        (value_at(coordinate(t), t), None if end == math.inf else value_at(end, t), sorted(positions))
        for t, end, positions in found
    ]


def lasts(extent: Session, t: Any, end: Any) -> bool:
    """Whether a tuple is in a session at all: not if its own end is its beginning, or its gap is not positive."""
    return bool(end - (step(extent.gap, t)[1] if extent.until is not None else 0) > exact(t))


def stays_open(extent: Session, t: Any, own: Any = None) -> Any:
    """``t + gap``; its days by the clock of t's zone, where it has one; of doubles, the double nearest to the sum.

    ``own`` is the tuple's gap (NULL: it has none), or its end (NULL: it never ends), to which the gap is added.
    """
    if extent.own_gap is not None:
        length = 0 if own is None else own
        return exact(t) + (length // timedelta(microseconds=1) if isinstance(length, timedelta) else step(length, t)[1])
    if extent.until is not None:
        return math.inf if own is None else exact(own) + step(extent.gap, t)[1]
    if isinstance(t, datetime) and t.tzinfo is not None and extent.days:
        assert isinstance(extent.gap, Interval)
        return moved(days_later(t, extent.days), 1, extent.gap.split(extent.days)[1], t)
    end = exact(t) + step(extent.gap, t)[1]
    return float(end) if isinstance(t, float) else end


def days_later(t: datetime, days: int) -> int:
    """The place of the same time by the clock, days later; of two instants with that time the one at t's own offset."""
    zone = zone_of(str(t.tzinfo))
    t = t.astimezone(zone)
    wall = t.replace(tzinfo=None, fold=0) + timedelta(days=days)
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    is_twice = coordinate(first) < coordinate(second)
    there: int = coordinate(second if is_twice and second.utcoffset() == t.utcoffset() else first)
    return there
