"""Aggregates of the rows that hold at the times of another table's rows (``temporal.valid``).

::

    prices   a 5 [1 --- 4)   a 6 [4 ------- 9)          sales  a at 3    a at 4    a at 9
    last(price) of the rows that hold then                      5         6        NULL

Points are sorted by (keys, time). Two searches find how many rows have begun and have ended by each point, which is the frame of a
sweep: ``runtime/sweep.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import NEVER_BEGAN, frames_at
from inwindow.native.dictionaries import plain_type
from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.runtime.dictionaries import readable
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.intervals import Instants, check_ends, ends_of, in_order, one_kind, read_intervals
from inwindow.runtime.moving import inverse
from inwindow.runtime.operation import Operation
from inwindow.runtime.ordering import numbers_of
from inwindow.runtime.reports import shown_scalar
from inwindow.runtime.sweep_plan import plan_sweep, sweep_of
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.udaf.failures import Failures
from inwindow.windows.spec import Valid, Window

_WHERE = "with_columns(of=...)"


def valid_window(applied: Mapping[str, Applied]) -> Window | None:
    """The validity of all aggregates; None if none has one. An error if only some have one, or if they differ."""
    windows = {name: one.window for name, one in applied.items()}
    over = [window for window in windows.values() if window is not None and isinstance(window.frame, Valid)]
    if not over:
        return None
    first = over[0]
    for one in applied.values():
        if one.least is not None or first.min_count is not None:
            raise UsageError(
                f"{_WHERE}: {one.label} has min_count=, which rows that hold for a while do not have: add n=iw.count().over(...), "
                "and look at n"
            )
    for name, window in windows.items():
        if window is None or replace(window, strategy=None) != replace(first, strategy=None):
            its = "no window" if window is None else window.describe()
            raise UsageError(
                f"{_WHERE}: {name} is over {its}, and another aggregate over {first.describe()}: write one call for each"
            )
    return first


def check_hooks_end(failures: Failures | None, where: str) -> None:
    """A hook that raises ends the call."""
    if failures is not None:
        raise UsageError(
            f"{where}(on_error={failures.mode!r}, of=...): rows that hold for a while leave in any order, and hooks that "
            "raise end the call there: leave on_error= out"
        )


@dataclass(frozen=True)
class ValidAtPoints(Operation):
    """The points, with a column per aggregate of the rows that hold at each of them."""

    window: Window
    aggregates: tuple[tuple[str, Applied], ...]
    planning: Any = None
    name = "valid"

    @property
    def where(self) -> str:
        return _WHERE

    def over(self, *sides: Any) -> "ValidAtPoints":
        """The query over names; arguments and filters may be Spark expressions over the intervals."""
        events = sides[1]
        given = {name: replace(one, window=None) for name, one in self.aggregates}
        named = {name: replace(one, window=self.window) for name, one in events.applied(given).items()}
        return replace(self, aggregates=tuple(named.items()), planning=events.session.planning)

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        self.planned(*schemas)
        return [self.window.partition_by] * 2

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """The columns of the points, except those that results replace."""
        return None if name in dict(self.aggregates) or name not in schemas[0].names else (0, name)

    @property
    def _valid(self) -> Valid:
        assert isinstance(self.window.frame, Valid)
        return self.window.frame

    @property
    def _time(self) -> str:
        return str(self.window.order_by[0].column)

    def planned(self, points: pa.Schema, events: pa.Schema) -> tuple[Pass, Computed, pa.DataType]:
        """The steps, the expressions to compute first, and the type in which times are compared."""
        by, valid = self.window.partition_by, self._valid
        check_columns(points, [*by, self._time], "the points")
        check_columns(events, by, self.window.describe())
        for name in by:
            kinds = [plain_type(schema.field(name).type) for schema in (points, events)]
            if kinds[0] != kinds[1]:
                raise UsageError(
                    f"{_WHERE}: {name!r} is of type {kinds[0]}, but of type {kinds[1]} in of=: cast one of them, so "
                    "that keys can be compared"
                )
        ends = check_ends(events, valid.since, valid.until, self.window.describe())
        kinds = [ends, plain_type(points.field(self._time).type)]
        kind = one_kind(kinds, [repr(valid.since), repr(self._time)], _WHERE)
        named, computed = compute_arguments({name: replace(one, window=None) for name, one in self.aggregates})
        forced = {name: one.window.strategy for name, one in self.aggregates if one.window is not None}
        planning = self.planning or {}
        work = plan_sweep(computed.schema(events), by, named, _WHERE, forced, **planning)
        return work, computed, kind

    def run(self, *tables: pa.Table) -> pa.Table:
        """Sort the intervals by both ends, the points by time, and sweep."""
        points, events = tables
        work, computed, kind = self.planned(points.schema, events.schema)
        by, valid = self.window.partition_by, self._valid
        since, until = ends_of(events, [valid.since, valid.until], kind)
        (time,) = ends_of(points, [self._time], kind)
        instants = Instants.of(kind, [since, until, time])
        intervals = read_intervals(since, until, instants, lambda row: f"{_WHERE}: row {row} of the intervals")
        group = np.zeros(len(points), dtype=np.int64)
        if by:
            numbers = numbers_of([points, events], [by, by])
            group, intervals = numbers[: len(points)], intervals.grouped(numbers[len(points) :])
        at = instants.keys(time, NEVER_BEGAN)
        order = in_order(group, at)
        rows = np.arange(len(points)) if order is None else order
        sweep = sweep_of(intervals, computed.onto(events), readable(computed.schema(events.schema)), work)
        start, end = frames_at(sweep.group, sweep.since, sweep.until, group[rows], at[rows])
        unknown = at[rows] == NEVER_BEGAN  # a point without a time sees nothing
        end = np.where(unknown, start, end) if unknown.any() else end

        def frame_text(frame: int) -> str:
            return f", for what holds at {self._time}={shown_scalar(time[int(rows[frame])])}"

        back = None if order is None else pa.array(inverse(order))
        for step in work.steps:
            column = sweep.results(step, work, start, end, frame_text)
            column = column if back is None else column.take(back)
            place = points.schema.get_field_index(step.name)
            points = (
                points.append_column(step.name, column) if place < 0 else points.set_column(place, step.name, column)
            )
        return points

    def explanation(self, points: pa.Schema, events: pa.Schema) -> Explanation:
        work, _, _ = self.planned(points, events)
        return Explanation([work], "the points are searched among the ends of what holds", at_points=True)
