"""The definition of filled gaps: rows for extents without tuples, and what is in them.

Part of :mod:`inwindow.windows.reference`; section 10 of the semantics. All extents of a region are listed, whether they hold tuples
or not; those that are wanted, of a key, are rows::

    no option    from the key's first extent with tuples to its last
    between      the same, where the extents that begin from start until before end count as if they had tuples
    quiet        those that end at most quiet after the end of an extent with tuples that begins no later
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from inwindow.windows.reference_extents import hops
from inwindow.windows.reference_order import DAY, coordinate, exact, step, value_at
from inwindow.windows.spec import Fill, Hop


def with_gaps(extent: Hop, found: Sequence[tuple[Any, Any, list[int]]], like: Any) -> list[tuple[Any, Any, list[int]]]:
    """Those without tuples, too: between two, and as far as ``between=`` and ``quiet=`` say. ``found`` are those of a key."""
    fill = extent.fill
    if fill is None or not found:
        return list(found)
    ends = [(coordinate(start), coordinate(end)) for start, end, _ in found]
    quiet = None if fill.quiet is None else step(fill.quiet, like)[1]
    held = {start: positions for (start, _), (_, _, positions) in zip(ends, found, strict=True)}
    grid = [(start, end) for start, end in grid_of(extent, like, ends, fill, quiet or 0) if start < end]
    reach = list(held)
    if fill.between is not None:
        since, until = (exact(at) for at in fill.between)
        reach += [start for start, _ in grid if since <= start < until]
    rows = []
    for start, end in grid:
        near = [finish for begin, finish in ends if begin <= start]
        wanted = min(reach) <= start <= max(reach) if quiet is None else bool(near) and end <= max(near) + quiet
        if start in held or wanted:
            rows.append((value_at(start, like), value_at(end, like), held.get(start, [])))
    return rows


def grid_of(extent: Hop, like: Any, ends: Sequence[tuple[Any, Any]], fill: Fill, quiet: Any) -> list[tuple[Any, Any]]:
    """All extents of a region that is large enough, tuples or not."""
    edges = [*(at for pair in ends for at in pair), *(exact(at) for at in fill.between or ())]
    at, last = min(edges), max(edges) + quiet
    found: set[tuple[Any, Any]] = set()
    months, rest = step(extent.every, like)
    pace = months * 28 * DAY + rest
    while at <= last + pace:
        found |= set(hops(extent, value_at(at, like)))
        at += Fraction(pace) / 2 if isinstance(like, (float, Decimal)) else max(pace // 2, 1)
    return sorted(found)


def filled(extent: Hop, rows: Sequence[tuple[Any, Any, Any, bool]]) -> list[Any]:
    """The results of a key's rows (start, end, result, whether there are tuples), of an aggregate that is NULL without them."""
    fill = extent.fill
    assert fill is not None
    given = []
    for i, (start, _, result, has_tuples) in enumerate(rows):
        before = [row for row in rows[:i] if row[3]]
        after = [row for row in rows[i + 1 :] if row[3]]
        if has_tuples or fill.how == "value":
            given.append(result if has_tuples else fill.value)
        elif fill.how == "previous" and before:
            given.append(before[-1][2])
        elif fill.how == "linear" and before and after and None not in (before[-1][2], after[0][2]):
            (first, _, low, _), (second, _, high, _) = before[-1], after[0]
            first, at, second = (coordinate(moment) for moment in (first, start, second))
            given.append(low + (high - low) * float((at - first) / (second - first)))
        else:
            given.append(None)
    return given
