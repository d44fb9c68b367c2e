"""The definition of extents: windows of their own, with a row for each of them rather than for each tuple.

Part of :mod:`inwindow.windows.reference`; section 5 of the semantics. Extents are half-open::

    hop        [origin + k*every, + size)                      hop(10, every 5):  [-5,5) [0,10) [5,15) ...
    cumulate   [origin + k*size, + m*every), m*every <= size   cumulate(10, 5):   [0,5) [0,10) [10,15) ...
    session    [first, last + gap)                             session(5) of 1 3 8 9:  [1,8) [8,14)
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from inwindow.windows.reference_order import Row, exact, mark, moved, place, slot, value_at
from inwindow.windows.spec import Cumulate, Extent, Hop, Session


def extents(extent: Extent, rows: Sequence[Row]) -> list[tuple[Any, Any, list[int]]]:
    """(start, end, positions) of each extent that holds a tuple.

    The attribute is the first order value, or the row number, from 0. NULL, NaN and the infinities are in no
    extent. Rows are one partition; for scope="stream", the whole stream.
    """
    by_number = isinstance(extent, Hop) and extent.rows
    attributes = [i if by_number else row.order[0] for i, row in enumerate(rows)]
    placed = [i for i, t in enumerate(attributes) if t is not None and math.isfinite(place(t))]
    if isinstance(extent, Session):
        return sessions(extent, attributes, sorted(placed, key=lambda i: place(attributes[i])))
    held: dict[tuple[Any, Any], list[int]] = {}
    for i in placed:
        t = attributes[i]
        for pair in hops(extent, t) if isinstance(extent, Hop) else cumulations(extent, t):
            held.setdefault(pair, []).append(i)
    like = attributes[placed[0]] if placed else None
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


def sessions(extent: Session, attributes: Sequence[Any], in_time: Sequence[int]) -> list[tuple[Any, Any, list[int]]]:
    """A session goes on while the next tuple comes before ``previous + gap``."""
    found: list[tuple[Any, Any, list[int]]] = []
    for i in in_time:
        t = attributes[i]
        end = moved(place(t), 1, extent.gap, t)
        if found and place(t) < found[-1][1]:
            first, _, positions = found[-1]
            found[-1] = (first, end, [*positions, i])
        else:
            found.append((t, end, [i]))
    return [(value_at(place(t), t), value_at(end, t), sorted(positions)) for t, end, positions in found]
