"""Plan aggregates of rows that hold for a while: by the ladder of strategies for tuples that leave in any order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.any_order import ANY_ORDER
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.planning import plan_groups
from inwindow.optimizer.rules import choose
from inwindow.runtime.dictionaries import read_column
from inwindow.runtime.intervals import Intervals, Rows
from inwindow.runtime.moving import moved
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.sweep import Sweep
from inwindow.udaf.answering import of_its_frame
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.windows.spec import Order

_ROW = f"{PREFIX}row"


def plan_sweep(
    schema: pa.Schema,
    by: tuple[str, ...],
    applied: Mapping[str, Applied],
    where: str,
    forced: Mapping[str, str | None] | None = None,
    **planning: Any,
) -> Pass:
    """The steps of aggregates over the rows that hold, each with its strategy."""
    asked: dict[str, Applied] = {}
    for name, one in applied.items():
        if one.window is not None:
            raise UsageError(
                f"{where}: {one.label} has a window of its own, {one.window.describe()}, but what is aggregated here is what "
                "holds: drop .over(...)"
            )
        asked[name] = of_its_frame(one)
        if not asked[name].traits.has_terminate:
            raise UsageError(
                f"{where}: {one.label}: {one.traits.name} has no terminate, but what holds at an instant is a set of rows, and its "
                "result what terminate gives: write one"
            )
    forced = dict.fromkeys(asked)
    return chosen(plan_groups(schema, by, None, asked, **planning), forced or {})


def chosen(work: Pass, forced: Mapping[str, str | None]) -> Pass:
    """The pass, with strategies for tuples that leave in any order."""

    def step_of(step: Step) -> Step:
        return replace(step, choice=choose(step.case, forced.get(step.name), rules=ANY_ORDER))

    return replace(work, steps=tuple(map(step_of, work.steps)), order_by=(Order("since"),))


def sweep_of(intervals: Intervals, table: pa.Table, schema: pa.Schema, work: Pass) -> Sweep:
    """The sweep over the rows of a table with the columns of ``schema``, and the columns that the steps read."""
    names = dict.fromkeys(
        name for step in work.steps for name in (*step.arguments, *([] if step.condition is None else [step.condition]))
    )
    columns = {name: read_column(table, name) for name in names}

    def taken(rows: Rows) -> pa.RecordBatch:
        if not columns:
            return pa.record_batch([pa.nulls(len(rows))], [_ROW])  # a count needs only the number of rows
        return pa.record_batch([moved(column, rows) for column in columns.values()], list(columns))

    return Sweep(intervals, taken)
