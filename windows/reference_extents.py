"""The definition of extents: windows of their own, with a row for each of them rather than for each tuple.

Part of :mod:`inwindow.windows.reference`; section 5 of the semantics. Extents are half-open::

    hop        [origin + k*every, + size)                      hop(10, every 5):  [-5,5) [0,10) [5,15) ...
    cumulate   [origin + k*size, + m*every), m*every <= size   cumulate(10, 5):   [0,5) [0,10) [10,15) ...
    session    [first, last + gap)                             session(5) of 1 3 9 14:  [1,8) [9,19)
    session    [first, latest own end)                         of 1+5 2+1 6+3 20+1:     [1,9) [20,21)
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from inwindow.udaf.zones import zone_of
from inwindow.windows.interval import Interval
from inwindow.windows.reference_order import Row, coordinate, exact, mark, moved, slot, step, value_at
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
    k = slot(t, extent.origin, extent.every)
    while (end := mark(extent.origin, t, (k, extent.every), (1, extent.size))) > exact(t):
        yield mark(extent.origin, t, (k, extent.every)), end
        k -= 1


def cumulations(extent: Cumulate, t: Any) -> Iterator[tuple[Any, Any]]:
    """For each m with ``start <= t < start + m*every <= start + size``; ``start = origin + k*size``."""
    k, m = slot(t, extent.origin, extent.size), 1
    start, limit = mark(extent.origin, t, (k, extent.size)), mark(extent.origin, t, (k + 1, extent.size))
    while (end := mark(extent.origin, t, (k, extent.size), (m, extent.every))) <= limit:
        if end > exact(t):
            yield start, end
        m += 1


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
