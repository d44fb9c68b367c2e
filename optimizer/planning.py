"""From a call to a plan; or an error that says what is not possible, and what to write.

Aggregates with equal partitioning and order share one pass: one sort, one buffer, whatever their frames.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._fresh import fresh
from inwindow.optimizer.columns import check_columns, check_position_columns, check_values
from inwindow.optimizer.fill import check_fill
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.rules import Choice, choose
from inwindow.optimizer.strategy import Case
from inwindow.udaf.answering import of_its_frame
from inwindow.udaf.applied import Applied
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.compiled.unasked import unasked
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.derive.version import derive
from inwindow.udaf.errors import UsageError
from inwindow.udaf.native import Implementation
from inwindow.windows.bounds import framing_of, needs_distances
from inwindow.windows.extent_framings import extents_of
from inwindow.windows.holes import counts_peers, without_hole
from inwindow.windows.interval import Interval, negated
from inwindow.windows.order_key import OrderKey, order_key
from inwindow.windows.own_ends import check_own_ends
from inwindow.windows.own_frame import WRITE
from inwindow.windows.slots import slots_of
from inwindow.windows.spec import Extent, Groups, Hop, Order, Range, Rows, Session, Valid, Window, extent_name

_OF_THE_DRIVER = ("DataFrame", "Column", "SparkSession", "SparkContext", "RDD", "GroupedData")


def plan_windows(
    schema: pa.Schema, applied: Mapping[str, Applied], *, ansi: bool = True, zone: str = "UTC"
) -> list[Pass]:
    """Passes for aggregates over windows, in the order in which their first aggregate was given.

    ``zone`` is the zone of datetimes without one, for columns of instants.
    """
    grouped: dict[Any, list[tuple[str, Applied, Window]]] = {}
    for name, one in applied.items():
        if one.window is not None and one.window.slide is not None:
            one = of_its_frame(one)
        window = _window(name, one)
        check_position_columns(schema, window.partition_by, window.order_by, f"the window of {one.label}")
        grouped.setdefault((window.partition_by, window.order_by), []).append((name, one, window))
    return [
        _window_pass(schema, partition_by, order_by, members, ansi, zone)
        for (partition_by, order_by), members in grouped.items()
    ]


def _window_pass(
    schema: pa.Schema,
    partition_by: Any,
    order_by: Any,
    members: list[tuple[str, Applied, Window]],
    ansi: bool,
    zone: str,
) -> Pass:
    key = _key_for(schema, order_by, [window for _, _, window in members], zone)
    for _, _, window in members:
        _check_window(window, key)
    steps = tuple(
        watched(
            _step(schema, name, one, _case(one, window), window.strategy, ansi, zone),
            one,
            partition_by,
            order_by,
            schema,
        )
        for name, one, window in members
    )
    peers = any(isinstance(window.frame, Range) for _, _, window in members)
    groups = any(
        isinstance(window.frame, Groups) or window.slides_by_groups or counts_peers(window) for _, _, window in members
    )
    return Pass(partition_by, order_by, steps, None, key, peers, groups=groups)


def _case(applied: Applied, window: Window) -> Case:
    planned = without_hole(window)
    return Case(applied.traits, window=planned, asked=None if planned == window else window)


def plan_groups(
    schema: pa.Schema,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    *,
    order_by: tuple[Order, ...] = (),
    ansi: bool = True,
    zone: str = "UTC",
) -> Pass:
    """The one pass for aggregates over extents, or over whole groups."""
    check_position_columns(schema, keys, order_by, "group_by")
    key = None
    if extent is not None:
        order_by = (Order(extent.on),)
        check_position_columns(schema, (), order_by, extent_name(extent))
        if not (isinstance(extent, Hop) and extent.rows):
            key = order_key(order_by[0], schema.field(extent.on).type, what=extent_name(extent), zone=zone)
            if key.is_wide or pa.types.is_uint64(key.type):
                raise UsageError(
                    f"extents over {key.column!r} of type {key.type} are not supported: their bounds need more than 64 "
                    "bits; cast it to bigint or to a decimal of at most 18 digits"
                )
        if isinstance(extent, Session) and extent.has_own_ends and key is not None:
            check_own_ends(extent, schema, key)
        extents_of(extent, key)  # an error if its sizes do not fit the column
    steps = []
    for name, one in applied.items():
        if one.window is not None:
            raise UsageError(
                f"{one.label} has a window of its own, {one.window.describe()}, but agg() aggregates the groups: drop "
                ".over(...), or use iw.with_columns"
            )
        if one.traits.frame is not None:
            raise UsageError(f"{one.label} in agg(): it gives a value per tuple, not per group: write iw.with_columns")
        if extent is not None:
            one = of_its_frame(one)
        traits = one.traits
        if not traits.has_terminate:
            instead = ".emit(...) for one row per emission" if extent is None else "iw.with_columns over a frame"
            raise UsageError(
                f"{one.label} in agg(): {traits.name} has no terminate, so a group has no result: give it one, or use {instead}"
            )
        step = _step(schema, name, one, Case(traits, extent=extent), None, ansi, zone)
        steps.append(watched(step, one, keys, order_by, schema))
    if isinstance(extent, Hop) and extent.fill is not None:
        check_fill(extent.fill, steps)
    return Pass(keys, order_by, tuple(steps), extent, key, False)


def _step(
    schema: pa.Schema, name: str, applied: Applied, case: Case, forced: str | None, ansi: bool, zone: str
) -> Step:
    condition = applied.condition
    check_columns(schema, applied.columns, applied.label)
    check_values(schema, applied.columns, applied.label)
    if condition is not None:
        check_columns(schema, [condition], f"the filter of {applied.label}")
        if not pa.types.is_boolean(schema.field(condition).type):
            written = re.sub(r" #\d+$", "", condition)  # the number of an expression among equal ones
            its = "" if condition.startswith("__") else f" {written!r}"  # a computed column: its name says nothing
            raise UsageError(
                f"{applied.label}: the filter{its} is of type {schema.field(condition).type}; it must be a boolean column or "
                "expression: compare its values, or cast it"
            )
    types = [schema.field(column).type for column in applied.columns]
    implementation = implementation_of(applied, types, ansi)
    case = replace(case, traits=implementation.traits)
    least = _least(applied, case)
    if implementation.native is not None and implementation.native.saved is not None and (condition or least):
        option = "filter()" if condition else "min_count"
        raise UsageError(
            f"{applied.label}: {option} is for tuples, and these are panes: give it in partials(), or drop it"
        )
    return Step(
        name,
        applied.label,
        applied.columns,
        condition,
        implementation,
        case,
        _choice(case, forced, implementation),
        zone,
        least=least,
    )


def _least(applied: Applied, case: Case) -> int | None:
    """How many tuples a result needs."""
    window = case.window
    found = [one for one in (applied.least, None if window is None else window.min_count) if one is not None]
    if found and not case.traits.has_terminate:
        raise UsageError(
            f"{applied.label}: min_count={max(found)} is for results of frames, but {case.traits.name} has no terminate, its hooks "
            "answer as each tuple arrives: write a terminate, or drop min_count="
        )
    return max(found, default=None)


def _choice(case: Case, forced: str | None, implementation: Implementation) -> Choice:
    machine = implementation.machine
    return choose(case, forced, frozenset() if machine is None else machine.preferred)


def watched(
    step: Step, applied: Applied, keys: tuple[str, ...], order_by: tuple[Order, ...], schema: pa.Schema
) -> Step:
    """The step with its sentinel, if there is anything to check; an error if the sentinel could not work."""
    step = guarded(step, applied, keys, order_by, schema)
    sentinel = applied.watch
    if sentinel is None:
        return step
    if step.implementation.aggregate is None:
        raise UsageError(
            f"{step.label}: sentinel() looks after classes of yours; {step.case.traits.name} is a built-in: drop it"
        )
    window = step.case.window
    if not step.is_blocking or (window is not None and window.active_expiration):
        raise UsageError(
            f"{step.label}: sentinel() folds a frame's tuples afresh, but what hooks return or yield depends on all that they have "
            "seen: give the class a terminate, or drop sentinel"
        )
    if step.case.in_runs:
        raise UsageError(
            f"{step.label}: sentinel() folds frames that are one run of tuples, but exclude= leaves a hole in them: drop one of "
            "them"
        )
    orders = tuple(order.column for order in order_by)
    return replace(step, sentinel=sentinel, position_columns=tuple(dict.fromkeys((*keys, *orders))), orders=orders)


def guarded(
    step: Step, applied: Applied, keys: tuple[str, ...], order_by: tuple[Order, ...], schema: pa.Schema
) -> Step:
    """The step that goes on where its hooks raise, if the call asks for that; an error if it could not."""
    failures = applied.failures
    if failures is None or step.implementation.aggregate is None:
        return step
    option = "sentinel" if applied.watch is not None else "min_count" if step.least is not None else None
    option = "exclude" if step.case.in_runs else option
    if option is not None:
        raise UsageError(
            f"{step.label}: on_error={failures.mode!r} does not go with {option}=: drop one of them, or write a call of its own "
            "for this aggregate"
        )
    orders = tuple(order.column for order in order_by)
    step = replace(step, failures=failures, position_columns=tuple(dict.fromkeys((*keys, *orders))), orders=orders)
    failures.reads |= {name: schema.field(name).type for name in (*step.position_columns, *step.arguments)}
    return step


def implementation_of(applied: Applied, types: list[pa.DataType], ansi: bool) -> Implementation:
    """Resolve an aggregate on argument types: a built-in's kernel or twin, or the user's class."""
    aggregate = applied.aggregate
    if isinstance(aggregate, CompiledAggregate):
        plain = implementation_of(replace(applied, aggregate=aggregate.plain), types, ansi)
        return replace(plain, machine=aggregate.machine(applied.label, types), uncompiled="")
    if not isinstance(aggregate, Aggregate):
        resolved: Implementation = aggregate.on(applied.label, types, ansi)
        return resolved
    _check_copy(aggregate)
    traits = applied.traits
    assert traits.result is not None
    if (
        traits.algebraic
        and traits.has_terminate
        and not traits.has_merge
        and (len(types) != 1 or traits.result != types[0])
    ):
        raise UsageError(
            f"{applied.label}: algebraic=True feeds the result of a pane ({traits.result}) to `iterate` as if it were "
            f"a tuple, but its argument is {', '.join(map(str, types)) or 'missing'}: make the types equal (cast the "
            "column, or returns=), or write `def merge(self, later)` instead"
        )
    answers = getattr(type(aggregate), "_answers", None)
    if answers is not None:
        return Implementation(traits, traits.result, None, aggregate, {"terminate": answers}, {})
    derivation = derive(aggregate, types)
    version = derivation.of(aggregate)
    assert version._traits is not None
    plain = Implementation(version._traits, traits.result, None, version, derivation.hooks, derivation.why_not)
    machine = unasked(aggregate, types) if traits.has_terminate else ""
    return replace(plain, uncompiled=machine) if isinstance(machine, str) else replace(plain, machine=machine)


def _check_copy(aggregate: Aggregate) -> None:
    """Check that the aggregate can be copied: every partition works on a fresh copy."""
    for attribute, value in getattr(aggregate, "__dict__", {}).items():
        kind = type(value)
        if kind.__module__.startswith("pyspark.") and kind.__name__ in _OF_THE_DRIVER:
            raise UsageError(
                f"{type(aggregate).__name__}: each partition works on a copy of the aggregate, but its attribute {attribute!r} "
                f"is a Spark {kind.__name__}, which lives on the driver alone: keep plain values, such as those that "
                "df.collect() gives"
            )
    try:
        fresh(aggregate)
    except Exception as error:
        name = type(aggregate).__name__
        raise UsageError(
            f"{name}: each partition works on a copy of the aggregate, but this one cannot be copied "
            f"({type(error).__name__}: {error}): make such state in `initialize`, not in `__init__`"
        ) from None


def _window(name: str, applied: Applied) -> Window:
    traits = applied.traits
    window = applied.window
    if window is None:
        if traits.has_terminate and not traits.online:
            given = applied.label if name == applied.label else f"{name}={applied.label}"
            if traits.frame is not None:
                raise UsageError(f"{given} has no window: say by which partitions and order: .over({WRITE})")
            raise UsageError(
                f"{given} has no window: {traits.name} is blocking (it has a terminate), so say over "
                "which tuples: .over(iw.rows(...)), .over(iw.unbounded()) or, for one row per group, iw.group_by(...).agg"
            )
        window = Window(Rows(None, 0))
    if isinstance(window.frame, Valid):
        raise UsageError(
            f"{applied.label}: temporal.valid(...) is when rows of another table hold: give that table, as in "
            "iw.with_columns(points, ..., of=intervals)"
        )
    if not traits.has_terminate and not window.active_expiration and not window.ends_at_current:
        raise UsageError(
            f"{applied.label}: {traits.name} has no terminate, its hooks answer as each tuple arrives; so its frame "
            f"must end at the current tuple, not {window.describe()}: use iw.rows(...), iw.range(...) or iw.groups(...), or "
            "write a terminate"
        )
    if window.exclude is not None and not traits.has_terminate:
        raise UsageError(
            f"{applied.label}: {traits.name} has no terminate, its hooks answer as each tuple arrives; but "
            f"exclude={window.exclude!r} leaves out that tuple, or its peers: write a terminate, or drop exclude="
        )
    if traits.never_answers:
        raise UsageError(
            f"{applied.label}: {traits.name} has no terminate, and its hooks return nothing, so every result would be NULL: "
            "write `def terminate(self)`, or return a tuple's result from `iterate`"
        )
    if window.active_expiration and traits.native:
        raise UsageError(
            f"{applied.label}: active expiration emits what an `expire` hook gives, and a built-in has no hooks: write an "
            "iw.WindowAggregate whose `expire` returns or yields"
        )
    if window.active_expiration and not traits.has_expire:
        raise UsageError(
            f"{applied.label}: active expiration emits what `expire` gives, but {traits.name} has none: use an "
            "iw.WindowAggregate whose `expire` returns or yields"
        )
    if window.active_expiration and traits.never_expires_a_value:
        raise UsageError(
            f"{applied.label}: active expiration emits what `expire` gives, but {traits.name}.expire gives nothing: return or "
            "yield a value from it"
        )
    return window


def _key_for(schema: pa.Schema, order_by: tuple[Order, ...], windows: Iterable[Window], zone: str) -> OrderKey | None:
    for window in windows:
        if needs_distances(window.frame) or window.slides_by_values or window.active_expiration:
            order = order_by[0]
            return order_key(order, schema.field(order.column).type, what=window.describe(), zone=zone)
    return None


def _check_window(window: Window, key: OrderKey | None) -> None:
    """Check that sizes, slides, origins and landmarks fit the order column."""
    framing_of(window.frame, key)
    slots_of(window, key)
    frame = window.frame
    if key is None:
        return
    if isinstance(frame, Range):
        for bound in (frame.lower, frame.upper):
            if bound is not None and bound != 0:
                key.moved(
                    np.zeros((0, 2) if key.is_wide else 0, dtype=np.int64),
                    bound,
                    lower=True,
                    what=f"the frame {window.describe()}",
                )
    if window.active_expiration and isinstance(frame, Range) and frame.lower:
        if isinstance(frame.lower, Interval) and frame.lower.months:
            raise UsageError(
                f"active expiration in {window.describe()}: months differ in length, so the time at which a tuple leaves "
                "would not be that of the frame: give a size in days or less"
            )
        key.exact_distance(negated(frame.lower), what="active expiration: size")
    if window.slides_by_values:
        assert window.slide is not None
        if isinstance(window.slide, int) and (pa.types.is_timestamp(key.type) or pa.types.is_duration(key.type)):
            raise UsageError(
                f"slide is the number {window.slide}, but the order column {key.column!r} is a {key.type}: give a time, as in "
                f"'{window.slide} seconds', or slide_by='rows' for a result every {window.slide} tuples"
            )
        key.exact_distance(window.slide, what="slide")
        key.origin(window.origin)
