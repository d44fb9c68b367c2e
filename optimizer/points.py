"""The plan for results at points in time: passes over the events, evaluated at the rows of another table. No data here."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UnknownColumnError, UsageError
from inwindow.windows.interval import Interval, is_positive
from inwindow.windows.order_key import order_key
from inwindow.windows.points import point_framing_of
from inwindow.windows.spec import Groups, Order, Range, Rows, Window


def plan_points(points: pa.Schema, events: pa.Schema, applied: Mapping[str, Applied], **planning: Any) -> list[Pass]:
    """The passes of aggregates over ``events`` at ``points``."""
    for one in applied.values():
        _check(one)
        assert one.window is not None
        names = [*one.window.partition_by, *(order.column for order in one.window.order_by)]
        _check_names(events, names, f"the table in of=, for {one.label}")
    passes = plan_windows(events, applied, **planning)
    made = []
    for work in passes:
        _check_points(points, events, work)
        key = _key(events, work, **planning)
        for step in work.steps:
            assert step.case.window is not None
            point_framing_of(step.case.window.frame, key)  # an error if a landmark does not fit the column
        made.append(replace(work, key=key, peers=False))
    return made


def in_one_sequence(work: Pass, marker: str) -> Pass:
    """The pass for sorting points and events together; ``marker`` puts points first among equal times."""
    return replace(work, order_by=(*work.order_by, Order(marker)))


def _check(one: Applied) -> None:
    """Check that the window works at points, which are not tuples and see nothing at their own time or later."""
    if not one.traits.has_terminate:
        raise UsageError(
            f"{one.label} with of=: {one.traits.name} has no terminate, its hooks answer as each tuple arrives; but the rows "
            "of the result are no tuples: write a terminate"
        )
    if one.traits.frame is not None:
        raise UsageError(
            f"{one.label} with of=: the rows of the other table are no tuples, so they have no place among them: write "
            "iw.last('x').over(iw.rows(1, order_by='ts')) for the newest value before a row, iw.count() for how many"
        )
    window = one.window
    if window is None:
        raise UsageError(
            f"{one.label} with of= has no window: say which events a row at time t may see, as in "
            ".over(iw.range('7 days', partition_by='user', order_by='ts'))"
        )
    its = f"{one.label} with of=: {window.describe()}"
    if window.slide is not None:
        raise UsageError(
            f"{its} slides, which picks the tuples that yield; but with of= the other table's rows say where results are: drop "
            "slide="
        )
    if window.active_expiration:
        raise UsageError(
            f"{its} gives results when tuples leave; but with of= the other table's rows say where results are: drop "
            "active_expiration="
        )
    if window.exclude is not None:
        raise UsageError(
            f"{its} leaves out the current tuple or its peers; but with of= the other table's rows are no tuples, and see none of "
            "their own time: drop exclude="
        )
    if _looks_ahead(window):
        raise UsageError(
            f"{its} reaches beyond the current row; but a row at time t must not see what comes at t or later: end the frame at "
            "the current row or before (PRECEDING, lag=)"
        )
    _check_order(its, window)


def _check_order(its: str, window: Window) -> None:
    if len(window.order_by) != 1:
        raise UsageError(
            f"{its} has {len(window.order_by) or 'no'} order columns; but before and after a row of another table are told by "
            "one time: give order_by= one column, which both tables have"
        )
    if not window.order_by[0].ascending:
        raise UsageError(f"{its} is ordered downwards, so it would see the future and not the past: order ascending")
    frame = window.frame
    if isinstance(frame, Range):
        for bound in (frame.lower, frame.upper):
            if isinstance(bound, Interval) and bound.months:
                raise UsageError(
                    f"{its} reaches back by months, which differ in length: on 30 and on 31 March a month goes back to the same "
                    "day, and frames must not go backwards from one row to the next: give a size in days or less"
                )


def _looks_ahead(window: Window) -> bool:
    frame = window.frame
    if not isinstance(frame, (Rows, Range, Groups)):
        return False  # landmarks and scopes are cut at t
    return frame.upper is None or is_positive(frame.upper)


def _key(events: pa.Schema, work: Pass, *, zone: str = "UTC", **_: Any) -> Any:
    (order,) = work.order_by
    kind = events.field(order.column).type
    try:
        return order_key(order, kind, what="with_columns(of=...)", zone=zone)
    except UsageError:
        raise UsageError(
            f"with_columns(of=...): the order column {order.column!r} is of type {kind}, but it must be a number, a date or a "
            "timestamp, to say what is before a row and what is not: cast it"
        ) from None


def _check_names(schema: pa.Schema, names: Iterable[Any], where: str) -> None:
    """Check that a table has the keys and the time."""
    with in_both_tables():
        check_columns(schema, [name for name in names if isinstance(name, str)], where)


@contextmanager
def in_both_tables() -> Iterator[None]:
    """An error about a column that is not there says that both tables must have it."""
    try:
        yield
    except UnknownColumnError as error:
        raise UnknownColumnError(f"{error} (both tables need the keys and the time, under the same names)") from None


def _check_points(points: pa.Schema, events: pa.Schema, work: Pass) -> None:
    """Check that keys and times of the points have the same names and types."""
    labels = ", ".join(step.label for step in work.steps)
    _check_names(points, work.position_columns, f"the rows at which {labels} is wanted")
    for name in work.position_columns:
        ours, theirs = points.field(name).type, events.field(name).type
        if ours != theirs:
            raise UsageError(
                f"with_columns(of=...): {name!r} is of type {ours}, but of type {theirs} in of=: cast one of them, so that keys "
                "and times can be compared"
            )
