"""The definition: which tuples a window holds and what an aggregate makes of them, formula by formula.

Every strategy must give what this gives. It is written to be held beside the semantics, whose sections are
named in brackets; it is slow, knows no strategy, and nothing but tests may import it. One partition at a
time, as rows in the partition's order (:func:`in_order` puts them in order)::

    position          0     1     2     3     4
    order value       1     2     2     7     9
    frames(RANGE 5)  [0]  [0-2] [0-2] [1-3] [3,4]     the tuples that each tuple sees    [3]
    EXCLUDE TIES     [0]  [0,1] [0,2] [1-3] [3,4]     without its peers                  [10]
    groups            0     1     1     2     3       peers have one number              [3]
    yields(SLIDE 5)               *           *       the tuples that give a result      [4]
    results                       b           d       what with_columns gives            [2]

How order values compare and move is in :mod:`.reference_order`, how hooks run in :mod:`.reference_hooks`,
extents [5] in :mod:`.reference_extents`.
"""

from collections.abc import Sequence
from typing import Any

from inwindow.udaf.errors import DataError, UsageError
from inwindow.windows.interval import Interval, Size
from inwindow.windows.reference_extents import extents
from inwindow.windows.reference_hooks import Run, Yielded
from inwindow.windows.reference_order import DAY, Row, compare, coordinate, in_order, moved, slot, step, value_at
from inwindow.windows.spec import Groups, Landmark, Range, Rows, Scope, Window

__all__ = ["Row", "emissions", "expirations", "extents", "fold", "frames", "in_order", "results", "yields"]

# --- Frames [3] ---------------------------------------------------------------------------------------------

Bound = tuple[Any, ...] | None  # order values; None for UNBOUNDED


def frames(window: Window, rows: Sequence[Row]) -> list[list[int]]:
    """For each tuple the positions of the tuples in its frame."""
    held = whole_frames(window, rows)
    if window.exclude is None:
        return held
    return [[j for j in held[i] if not is_excluded(window, rows, i, j)] for i in range(len(rows))]


def is_excluded(window: Window, rows: Sequence[Row], i: int, j: int) -> bool:
    """Whether EXCLUDE leaves tuple j out of the frame of tuple i; without an order all tuples are peers [10]."""
    at, other = (tuple(map(coordinate, rows[k].order)) for k in (i, j))
    are_peers = compare(at, other, window.order_by) == 0
    return {"current row": i == j, "group": are_peers, "ties": are_peers and i != j}[window.exclude or ""]


def whole_frames(window: Window, rows: Sequence[Row]) -> list[list[int]]:
    """The frames before EXCLUDE."""
    everyone, orders = range(len(rows)), window.order_by
    if isinstance(window.frame, (Rows, Groups)):
        lower, upper = window.frame.lower, window.frame.upper
        number = list(everyone) if isinstance(window.frame, Rows) else groups(window, rows)
        return [
            [
                j
                for j in everyone
                if (lower is None or number[i] + lower <= number[j])
                and (upper is None or number[j] <= number[i] + upper)
            ]
            for i in everyone
        ]
    bounds = [frame_bounds(window, row) for row in rows]
    if isinstance(window.frame, Range) and any(map(has_months, (window.frame.lower, window.frame.upper))):
        bounds = never_backwards(window, rows, bounds)
    if isinstance(window.frame, Scope):
        check_forward(window, rows, bounds)
    at = [tuple(map(coordinate, row.order)) for row in rows]
    return [
        [
            j
            for j in everyone
            if (first is None or compare(first, at[j], orders) <= 0)
            and (last is None or compare(at[j], last, orders) <= 0)
        ]
        for first, last in bounds
    ]


def groups(window: Window, rows: Sequence[Row]) -> list[int]:
    """For each tuple the number of its group of peers, from 0: tuples with equal order values."""
    at = [tuple(map(coordinate, row.order)) for row in rows]
    numbers: list[int] = []
    for i in range(len(rows)):
        starts = i == 0 or compare(at[i - 1], at[i], window.order_by) != 0
        numbers.append((numbers[-1] if i else -1) + starts)
    return numbers


def frame_bounds(window: Window, row: Row) -> tuple[Bound, Bound]:
    """The first and last order values in the frame of ``row``; for DESC the first is the larger one."""
    frame, current = window.frame, row.order
    if isinstance(frame, Range):
        return offset_bound(frame.lower, window, row), offset_bound(frame.upper, window, row)
    if isinstance(frame, Landmark):
        since = None if frame.since is None else (frame.since,)
        until = None if frame.until is None else (frame.until,)
        is_over = until is not None and compare(until, current, window.order_by) < 0
        return since, until if is_over else current
    assert isinstance(frame, Scope)
    first = None if frame.lower is None else (frame.lower(*current),) if has_coordinate(row) else current
    last = current if frame.upper is None or not has_coordinate(row) else (frame.upper(*current),)
    return first, last


def offset_bound(offset: Size | None, window: Window, row: Row) -> Bound:
    """The order value ``offset`` away, FOLLOWING if positive; NULL and NaN stay with their peers."""
    if offset is None:
        return None
    if is_zero(offset) or not has_coordinate(row):
        return row.order
    (value,), (order,) = row.order, window.order_by
    return (moved(coordinate(value), 1 if order.ascending else -1, offset, value),)


def has_months(size: Size | None) -> bool:
    """Whether how far it reaches depends on the month."""
    return isinstance(size, Interval) and size.months != 0


def never_backwards(
    window: Window, rows: Sequence[Row], bounds: list[tuple[Bound, Bound]]
) -> list[tuple[Bound, Bound]]:
    """Bounds as far as those of earlier yields: a month before 31 March 9:00 is earlier than one before 30 March 10:00."""
    kept = list(bounds)
    reached: tuple[Bound, Bound] = None, None
    for i in yields(window, rows):
        first, last = (
            before if before is not None and own is not None and compare(before, own, window.order_by) > 0 else own
            for before, own in zip(reached, bounds[i], strict=True)
        )
        kept[i] = reached = first, last
    return kept


def has_coordinate(row: Row) -> bool:
    """Whether the order value is neither NULL nor NaN."""
    value = row.order[0]
    return value is not None and bool(value == value)


def is_zero(offset: Size | None) -> bool:
    """Whether the offset is that of CURRENT ROW."""
    return offset.is_zero if isinstance(offset, Interval) else offset == 0


def check_forward(window: Window, rows: Sequence[Row], bounds: Sequence[tuple[Bound, Bound]]) -> None:
    """The bounds of a scope never go backwards."""
    known = [(row.order[0], bound) for row, bound in zip(rows, bounds, strict=True) if has_coordinate(row)]
    for (value, before), (later, after) in zip(known, known[1:], strict=False):
        for name, a, b in zip(("lower", "upper"), before, after, strict=True):
            if a is not None and b is not None and compare(a, b, window.order_by) > 0:
                raise DataError(f"{name} of the scope goes backwards between {value!r} and {later!r}")


# --- Slides [4] ---------------------------------------------------------------------------------------------


def yields(window: Window, rows: Sequence[Row]) -> list[int]:
    """The positions of the yield tuples: the last of each slot; without a slide, every tuple.

    What the slide counts is its own affair: the frames are the same.
    """
    everyone, slide = range(len(rows)), window.slide
    if slide is None:
        return list(everyone)
    if window.slides_by_rows:
        assert isinstance(slide, int)
        return [i for i in everyone if (i + 1) % slide == 0 or (window.final == "emit" and i == everyone[-1])]
    if window.slides_by_groups:
        assert isinstance(slide, int)
        number = groups(window, rows)
        lasts = [i for i in everyone if i == everyone[-1] or number[i] != number[i + 1]]
        return [i for i in lasts if (number[i] + 1) % slide == 0 or (window.final == "emit" and i == everyone[-1])]
    slots = [slot(row.order[0], window.origin, slide) for row in rows]
    return [i for i in everyone if i == everyone[-1] or slots[i] != slots[i + 1]]


def is_tumble(window: Window, rows: Sequence[Row]) -> bool:
    """Whether the slide is no shorter than a frame that ends at the current row: told where both have one unit."""
    frame, slide = window.frame, window.slide
    assert isinstance(frame, (Rows, Range, Groups))
    if slide is None or frame.lower is None or window.slides_across:
        return False
    if isinstance(frame, (Rows, Groups)):
        return bool(1 - frame.lower <= slide)  # type: ignore[operator]
    like = next((row.order[0] for row in rows if row.order[0] is not None), None)
    (minus_months, minus_rest), (months, rest) = step(frame.lower, like), step(slide, like)
    months, rest = months + minus_months, rest + minus_rest
    return bool(months * (28 if months > 0 else 31) * DAY + rest >= 0)


# --- Results [2] --------------------------------------------------------------------------------------------


def seen(row: Row, nulls: str) -> bool:
    """Whether hooks see the tuple: it passes the FILTER and, with nulls="skip", has no NULL argument."""
    return row.passes and (nulls == "pass" or all(value is not None for value in row.args))


def fold(
    aggregate: Any,
    rows: Sequence[Row],
    positions: Sequence[int],
    nulls: str = "skip",
    empty: Any = None,
    least: int | None = None,
) -> Any:
    """The base aggregate over these tuples: initialize, iterate, ..., terminate; None if it sees fewer than ``least``."""
    run, visible = Run(aggregate), [i for i in positions if seen(rows[i], nulls)]
    if least is not None and len(visible) < least:
        return None
    for i in visible:
        run.arrive(i, rows[i].args)
    return run.aggregate.terminate() if visible else empty


def results(aggregate: Any, window: Window, rows: Sequence[Row], nulls: str = "skip", empty: Any = None) -> list[Any]:
    """What with_columns gives for each row; None where a row does not yield."""
    held, yielding = frames(window, rows), yields(window, rows)
    if hasattr(aggregate, "terminate"):
        given = {i: fold(aggregate, rows, held[i], nulls, empty, window.min_count) for i in yielding}
    else:
        arrived = {i: [j for j in held[i] if j <= i] for i in yielding}
        given = {i: empty for i in yielding if not any(seen(rows[j], nulls) for j in arrived[i])}
        given |= arrivals(aggregate, window, rows, nulls)
    return [given.get(i) for i in range(len(rows))]


def emissions(
    aggregate: Any, window: Window, rows: Sequence[Row], nulls: str = "skip", empty: Any = None
) -> list[tuple[int, Any]]:
    """What select gives, as (position, value): one for each yield tuple, or what its hook emitted."""
    if hasattr(aggregate, "terminate"):
        given = results(aggregate, window, rows, nulls, empty)
        return [(i, given[i]) for i in yields(window, rows)]
    back = arrivals(aggregate, window, rows, nulls)
    return [(i, value) for i in sorted(back) for value in emitted(back[i])]


def emitted(back: Any) -> list[Any]:
    """What a hook emitted: all that it yielded, or what it returned unless that is None."""
    return back if isinstance(back, Yielded) else [] if back is None else [back]


def arrivals(aggregate: Any, window: Window, rows: Sequence[Row], nulls: str) -> dict[int, Any]:
    """For a class without terminate: what its hook gave back at each yield tuple that it saw."""
    if not isinstance(window.frame, (Rows, Range, Groups)) or not is_zero(window.frame.upper):
        raise UsageError("a class without terminate needs a frame that ends at CURRENT ROW")
    held, yielding = frames(window, rows), yields(window, rows)
    back: dict[int, Any] = {}
    if is_tumble(window, rows):  # restarts for each frame
        for i in (i for i in yielding if seen(rows[i], nulls)):
            run = Run(aggregate)
            for j in (j for j in held[i] if seen(rows[j], nulls)):
                back[i] = run.arrive(j, rows[j].args)
        return back
    run = Run(aggregate)
    for i, row in enumerate(rows):
        run.leave(before=held[i][0])
        if seen(row, nulls):
            back[i] = run.arrive(i, row.args)
    return {i: back[i] for i in yielding if i in back}


# --- Active expiration [6] ----------------------------------------------------------------------------------


def expirations(aggregate: Any, window: Window, rows: Sequence[Row], nulls: str = "skip") -> list[tuple[int, Any, Any]]:
    """What select gives with active expiration: (position of the expiring tuple, emitted_at, value)."""
    frame = window.frame
    if not isinstance(frame, Range) or frame.lower is None or not is_zero(frame.upper):
        raise UsageError("active expiration needs a RANGE frame of a size that ends at CURRENT ROW")
    (order,), size = window.order_by, frame.lower
    run = Run(aggregate)
    given: list[tuple[int, Any, Any]] = []

    def leaving(row: Row) -> Any:
        """The place where the tuple leaves, its time + size; NULL and NaN leave after their peers."""
        (value,) = row.order
        return moved(coordinate(value), -1 if order.ascending else 1, size, value) if has_coordinate(row) else value

    def expire_before(now: Bound) -> None:
        """Time passes: the tuples that leave before ``now`` do, one by one; before None, all of them."""
        while (i := run.oldest()) is not None:
            at, (value,) = leaving(rows[i]), rows[i].order
            if now is not None and compare((at,), now, (order,)) >= 0:
                break
            when = value_at(at, value) if has_coordinate(rows[i]) else value
            given.extend((i, when, out) for out in emitted(run.leave(before=i + 1)))

    for i, row in enumerate(rows):
        expire_before(row.order)
        if seen(row, nulls):
            run.arrive(i, row.args)
    expire_before(None)
    return given
