"""The definition of results at points in time: which tuples a label may see, formula by formula.

Part of :mod:`inwindow.windows.reference`. The points are the rows of another table; one key at a time,
its tuples as rows in order, its points as times. A point at time t sees nothing at t or later::

    events           a    b  b'      c                e
    time             1    3  3       6       8        9
    point                                    ^ t = 8
    newest before t            2  1  0                      counted backwards from the newest tuple before t
    ROWS 2                        b' c
    GROUPS 2              b   b'  c
    RANGE 5               b   b'  c                         8 - 5 <= time < 8
"""

from collections.abc import Sequence
from typing import Any

from inwindow.windows.reference import fold, frame_bounds, groups, has_coordinate
from inwindow.windows.reference_order import Row, compare, coordinate
from inwindow.windows.spec import Groups, Rows, Window


def frames_at(window: Window, rows: Sequence[Row], times: Sequence[Any]) -> list[list[int]]:
    """For each point the positions of the tuples in its frame."""
    return [frame_at(window, rows, time) for time in times]


def frame_at(window: Window, rows: Sequence[Row], time: Any) -> list[int]:
    """The tuples before ``time`` that the window holds, as if the newest of them were the current one (ROWS, GROUPS), or as a
    tuple at ``time`` would see them (RANGE, landmark, scope)."""
    point, orders = Row((time,)), window.order_by
    if not has_coordinate(point):
        return []
    before = [
        i
        for i, row in enumerate(rows)
        if has_coordinate(row) and compare(coordinates(row.order), coordinates(point.order), orders) < 0
    ]
    if isinstance(window.frame, Rows):
        lower, upper = window.frame.lower, window.frame.upper
        assert upper is not None
        newest = len(before) - 1
        return [i for k, i in enumerate(before) if (lower is None or newest + lower <= k) and k <= newest + upper]
    if isinstance(window.frame, Groups):
        lower, upper = window.frame.lower, window.frame.upper
        assert upper is not None
        number = groups(window, [rows[i] for i in before])
        return [
            i
            for k, i in enumerate(before)
            if (lower is None or number[-1] + lower <= number[k]) and number[k] <= number[-1] + upper
        ]
    first, last = frame_bounds(window, point)
    return [
        i
        for i in before
        if (first is None or compare(first, coordinates(rows[i].order), orders) <= 0)
        and (last is None or compare(coordinates(rows[i].order), last, orders) <= 0)
    ]


def coordinates(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Order values as places on the line."""
    return tuple(map(coordinate, values))


def results_at(
    aggregate: Any, window: Window, rows: Sequence[Row], times: Sequence[Any], nulls: str = "skip", empty: Any = None
) -> list[Any]:
    """What ``with_columns(points, ..., of=events)`` gives for the points at these times."""
    return [fold(aggregate, rows, frame, nulls, empty, window.min_count) for frame in frames_at(window, rows, times)]
