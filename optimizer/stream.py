"""The plan for a stream: which calls make sense on endless input, and how each aggregate continues from batch to batch.

A *refolded* aggregate is a function of its frame: its state is the tuples of the frame, from which it is folded again, for many
keys in one call. A *resumed* aggregate (with a growing frame, or hooks that answer as tuples come and go) has its own state
for every key::

    refolded   tuples of the frame, per key       nothing is kept for a key whose tuples have all left
    resumed    the aggregate itself, per key      and the tuples that it must still expire
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.optimizer.rules import choose
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval, Size, is_positive, negated
from inwindow.windows.order_key import OrderKey, order_key
from inwindow.windows.spec import Extent, Groups, Hop, Order, Range, Rows, Scope, Session, Window, extent_name


def plan_stream(schema: pa.Schema, applied: Mapping[str, Applied], where: str, **planning: Any) -> Pass:
    """The one pass of aggregates over windows of a stream."""
    passes = plan_windows(schema, applied, **planning)
    if len(passes) != 1:
        shown = "; ".join(f"{work.steps[0].label} by {_order_text(work)}" for work in passes)
        raise UsageError(
            f"{where} on a stream needs windows with the same partitioning and order, for each needs a state of its own; got "
            f"{shown}: start one query for each"
        )
    (work,) = passes
    for step in work.steps:
        _check_window(step)
    stream_key(schema, work, where, **planning)
    return replace(work, steps=tuple(map(_without_panes, work.steps)))


def plan_stream_groups(
    schema: pa.Schema,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    *,
    order_by: tuple[Order, ...] = (),
    **planning: Any,
) -> Pass:
    """The one pass of aggregates over extents of a stream."""
    labels = ", ".join(one.label for one in applied.values())
    if extent is None:
        raise UsageError(
            f"group_by().agg({labels}) on a stream: a group never ends, so it has no result: cut it into extents with "
            ".window(iw.tumble(...)), or give a running result with iw.with_columns over iw.unbounded(...)"
        )
    if isinstance(extent, Hop) and extent.scope == "stream":
        raise UsageError(
            f"{extent.describe()}: scope='stream' numbers the tuples of all keys in one order, which a stream that is spread over "
            "tasks does not have: count within the keys (scope='partition')"
        )
    if isinstance(extent, Hop) and extent.fill is not None and extent.fill.quiet is None:
        raise UsageError(
            f"{extent.describe()} on a stream: nobody knows whether another tuple of a key will come: say with quiet= for how long "
            "its gaps are filled, as in fill='previous', quiet='1 day' (and neither 'linear' nor between=, which need the end)"
        )
    work = plan_groups(schema, keys, extent, applied, order_by=order_by, **planning)
    stream_key(schema, work, extent_name(extent), **planning)
    return work


def stream_key(schema: pa.Schema, work: Pass, where: str, *, zone: str = "UTC", **_: Any) -> OrderKey | None:
    """The key of the stream's time; None if tuples are processed in the order of arrival."""
    if not work.order_by:
        return None
    order = work.order_by[0]
    kind = schema.field(order.column).type
    try:
        key = order_key(order, kind, what=f"{where} on a stream", zone=zone)
    except UsageError:  # text and the like, which have no distances
        key = None
    if key is None or key.is_wide or key.is_float:
        raise UsageError(
            f"{where} on a stream: the order column {order.column!r} is of type {kind}; order by the event time, a timestamp "
            "with a watermark"
        )
    return key


def resumes(step: Step) -> bool:
    """Whether the aggregate has its own state for every key."""
    window = step.case.window
    if window is None or step.case.in_runs:
        return False
    grows = window.is_unbounded_below and step.strategy != "recompute"
    answers = not step.is_blocking and step.strategy != "tumble"  # in a tumble each frame starts anew
    return grows or answers or window.active_expiration


def counts(work: Pass) -> bool:
    """Whether the numbers of tuples in their partition are needed, counted from its very first tuple."""
    for step in work.steps:
        window, native = step.case.window, step.implementation.native
        slides = window is not None and window.slides_by_rows
        if resumes(step) or slides or (native is not None and native.reads == "numbered"):
            return True
    return isinstance(work.extent, Hop) and work.extent.rows


def _without_panes(step: Step) -> Step:
    """The step with the next strategy after panes: those are for long sequences, and here the frame's tuples are held."""
    if step.strategy != "pane-cascade":
        return step
    if step.choice.forced:
        raise UsageError(
            f"{step.label}: strategy='pane-cascade' on a stream: between micro-batches the frame's tuples are held, so panes would "
            "save nothing: drop strategy=, or write 'delta', 'two-stacks' or 'recompute'"
        )
    for name in ("delta", "two-stacks", "recompute"):
        try:
            choice = choose(step.case, name)
        except UsageError:
            continue
        return replace(step, choice=replace(choice, passed_over=step.choice.passed_over, forced=False))
    return step


def _check_window(step: Step) -> None:
    window = step.case.window
    assert window is not None
    its = f"{step.label} over {window.describe()} on a stream"
    frame = window.frame
    own = step.case.traits.frame
    if own is not None and own[2] is None:
        name = step.case.traits.name
        instead = "iw.lag, or lead without ignorenulls" if name == "lead" else "iw.rank or iw.row_number"
        if name in ("percent_rank", "cume_dist"):
            instead = (
                f"iw.{name}('price').over(iw.range('1 hour', order_by='ts')), the rank among the values of a frame"
            )
        raise UsageError(
            f"{its}: {name} waits for the end of the partition, which a stream does not have: write {instead}"
        )
    if isinstance(frame, (Rows, Range, Groups)) and frame.upper is None:
        raise UsageError(
            f"{its}: UNBOUNDED FOLLOWING waits for the end of the stream, which never comes: end the frame at the current row or "
            "a distance after it, or use iw.group_by(...).window(...)"
        )
    for order in window.order_by[:1]:
        if not order.ascending:
            raise UsageError(
                f"{its} is ordered downwards, but a stream comes upwards in time: order ascending, as in order_by={order.column!r}"
            )
    if not window.order_by and not isinstance(frame, Rows):
        raise UsageError(
            f"{its} has no order column: a frame by time needs order_by= the event time; in arrival order only rows can be counted "
            "(iw.rows)"
        )
    if window.slides_by_groups:
        raise UsageError(
            f"{its} slides by groups of peers, but a stream keeps no count of all groups that have been: slide by time, as in "
            "slide='1 minute', or by tuples (slide_by='rows')"
        )
    if isinstance(frame, Range):
        for bound in (frame.lower, frame.upper):
            if isinstance(bound, Interval) and bound.months:
                raise UsageError(
                    f"{its} reaches over months, which differ in length, so that frames could go backwards from batch to batch: "
                    "give a size in days or less"
                )


def _order_text(work: Pass) -> str:
    return ", ".join([*work.partition_by, *(str(order.column) for order in work.order_by)]) or "nothing"


def waits(window: Window) -> str:
    """The event that a result waits for, in words: for explain."""
    frame = window.frame
    if not window.order_by:
        base = "nothing: tuples are taken in the order in which they arrive"
    else:
        base = f"the watermark to pass the tuple's {window.order_by[0].column}"
    if window.active_expiration and isinstance(frame, Range) and frame.lower is not None:
        return f"{base} + {negated(frame.lower)}, when it leaves"
    if isinstance(frame, Rows) and frame.upper is not None and frame.upper > 0:
        return f"{base}, and {frame.upper} more tuple{'s' if frame.upper > 1 else ''} of the key"
    if isinstance(frame, Groups) and frame.upper is not None and frame.upper > 0:
        return f"{base}, and tuples of the key at {frame.upper} more time{'s' if frame.upper > 1 else ''}"
    if isinstance(frame, Range) and frame.upper is not None and is_positive(frame.upper):
        return f"{base} + {frame.upper}"
    if isinstance(frame, Scope) and frame.upper is not None:
        return f"{base}, and then upper(t)"
    if window.slides_by_values:
        return f"{base}, and the end of its slot of {window.slide}"
    return base


def state_of(step: Step) -> str:
    """The state of a key, in words: for explain."""
    window = step.case.window
    if window is None:
        return "the tuples of the extents that are open; nothing of a key that has none"
    if not resumes(step):
        if window.is_unbounded_below:
            return "all its tuples, for ever, read again for each result"
        keeps = "for ever" if isinstance(window.frame, (Rows, Groups)) else "nothing of a key that has none"
        return f"{step.case.frame_memory()}; {keeps}"
    if window.active_expiration:
        return "the aggregate, and the tuples that have not left"
    return "the aggregate, for ever" + ("" if window.is_unbounded_below else "; and the tuples that it must expire")


def described_stream(work: Pass, *, early: bool = False, lateness: Size | None = None) -> str:
    """The stream's part of the plan, a few lines per aggregate; ``early`` if extents are emitted before they are final."""
    lines = ["stream: keys share buckets; a micro-batch is one call per bucket"]
    time = work.order_by[0].column if work.order_by else None
    for step in work.steps:
        lines.append(f"  {step.name}: state per key: {state_of(step)}")
        window, extent = step.case.window, work.extent
        if window is not None:
            runs = (
                "key by key, from its own state" if resumes(step) else "all keys in one call, from the frame's tuples"
            )
            lines += [f"    runs      {runs}", f"    waits for {waits(window)}"]
        elif early:
            lines.append(
                "    waits for nothing: it comes with each micro-batch that has a tuple for it; its last row is final"
            )
        elif isinstance(extent, Hop) and extent.rows:
            lines.append(
                f"    waits for the tuples that fill a {extent_name(extent)}, in order: the watermark to pass their {time}"
            )
        elif extent is not None:
            reach = "pass" if isinstance(extent, Session) else "reach"
            lines.append(f"    waits for the watermark to {reach} the end of the {extent_name(extent)}")
    if time is not None:
        lines.append(
            f"  latency: the delay of the watermark on {time}, and one micro-batch more (Spark moves it between micro-batches)"
        )
    if lateness is not None:
        lines += [
            f"  corrections: a tuple up to {lateness} behind the watermark is taken, and rows that it changes come again",
            f"    keeps     all tuples of the last {lateness} and a fourth, and the states at both ends",
        ]
    return "\n".join(lines)
