"""``select`` and ``group_by`` on a Spark DataFrame: ``mapInArrow`` after the shuffle, and only what is emitted comes back."""

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime.local import single_pass
from inwindow.runtime.panes_first import PanesFirst
from inwindow.runtime.reserved import PREFIX, STREAM_ROW
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import (
    crossing,
    mapped_in_arrow,
    mapped_with_found,
    named_only,
    results_of,
    titled,
)
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.range_partials import begun
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.applied import Applied
from inwindow.windows.spec import Extent, Hop, Order, Session


def select(
    columns: Columns,
    passed: Mapping[str, Any],
    applied: Mapping[str, Applied],
    emitted_at: str | None,
    order: list[str],
    hot_keys: str = "off",
) -> Any:
    """The yield tuples (emissions, expirations) with some of their columns."""
    sources = {name: columns.name(source, "select") for name, source in passed.items()}
    planned = _plan(columns, applied, hot_keys)
    (work,), (shuffle,) = planned.passes, planned.shuffles
    planned.warn_of_one_task()
    shuffle = begun(shuffle, columns, work)
    names = list(dict.fromkeys([*needed(work), *sources.values()]))
    handed, schema = crossing(columns, names, work, shuffle)
    job = shipped(
        worker.SelectJob(shuffle.worked(work), schema, columns.session.memory, tuple(sources.values()), emitted_at)
    )
    results = [*[columns.handed_through(source) for source in sources.values()], *results_of(columns, work)]
    if emitted_at is not None:
        assert work.key is not None
        results.append(Result.of(AsItIs(to_spark(work.key.type))))
    mapped = mapped_in_arrow(shuffle.done(columns.df, columns, work), handed, job, results, work)
    titles = [*passed, *applied, *([] if emitted_at is None else [emitted_at])]
    return titled(mapped, dict(zip(titles, results, strict=True)), order, columns.session.F)


def _plan(columns: Columns, applied: Mapping[str, Applied], hot_keys: str) -> SparkPlan:
    named = named_only(columns, applied)
    work = single_pass(plan_windows(columns.schema(), named, **columns.session.planning), "select")
    return SparkPlan.of(columns, [work], hot_keys)


def plan_of_groups(
    columns: Columns,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> SparkPlan:
    """The one pass of groups, or of extents."""
    if isinstance(extent, Hop) and extent.scope == "stream":
        extent = _numbered_stream(columns, extent)
    names, orders, named = named_groups(columns, keys, extent, applied, order_by)
    work = plan_groups(columns.schema(), names, extent, named, order_by=orders, **columns.session.planning)
    return SparkPlan.of_groups(columns, work)


def named_groups(
    columns: Columns,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> tuple[tuple[str, ...], tuple[Order, ...], dict[str, Applied]]:
    """Keys, orders and aggregates by the plan's names, checked."""
    names = tuple(columns.place(key, "group_by") for key in keys)
    orders = columns.orders(order_by, "group_by")
    if extent is not None:
        columns.name(extent.on, "window")
    columns.check_places((*names, *(order.column for order in orders)), "group_by")
    return names, orders, named_only(columns, applied)


def groups(
    columns: Columns,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> Any:
    """A row per group and extent."""
    planned = plan_of_groups(columns, keys, extent, applied, order_by)
    (work,), (shuffle,) = planned.passes, planned.shuffles
    planned.warn_of_one_task()
    handed, schema = crossing(columns, needed(work), work, shuffle)
    job = worker.GroupJob(work, schema, columns.session.memory)
    results = [columns.handed_through(name) for name in work.partition_by]
    if extent is not None:
        results.append(window_result(job.operator().schema.field("window").type, extent, marked=work.key is not None))
    results += results_of(columns, work)
    if planned.panes_first:
        mapped = _panes_first(columns, work, handed, schema, results)
    elif not work.partition_by and extent is None:
        mapped = _one_row(shuffle.done(columns.df, columns, work), columns.session.F, handed, job, results)
    else:
        mapped = mapped_in_arrow(shuffle.done(columns.df, columns, work), handed, shipped(job), results, work)
    titles = [*work.partition_by, *(["window"] if extent is not None else []), *applied]
    return titled(mapped, dict(zip(titles, results, strict=True)), titles, columns.session.F)


def window_result(kind: pa.DataType, extent: Extent, *, marked: bool) -> Result:
    """The window column. A time's is marked as Spark marks its own: F.window_time takes it."""
    mark = "spark.sessionWindow" if isinstance(extent, Session) else "spark.timeWindow"
    its = to_spark(kind)
    return Result(AsItIs(its), its, nullable=False, metadata={mark: True} if marked else None)


def _panes_first(columns: Columns, work: Pass, handed: list[Any], schema: pa.Schema, results: list[Result]) -> Any:
    """Partials of the tuples where they lie; then, as if these were the data, a shuffle, and the extents."""
    plan = PanesFirst.of(work, schema)
    names = plan.bundles.sent.names
    travelling = [columns.handed_through(name) for name in plan.bundles.keys]
    travelling.append(Result.of(AsItIs(to_spark(pa.binary()))))
    job = worker.PartialJob(work, schema, plan)
    partials = mapped_in_arrow(columns.df, handed, shipped(job), travelling, work)
    partials = titled(partials, dict(zip(names, travelling, strict=True)), names, columns.session.F)
    their = Columns(partials, columns.session)
    for name in names:
        their.name(name, "group_by")
    handed, schema = crossing(their, names, plan.merging)
    merging = worker.PaneJob(plan.merging, schema, columns.session.memory, plan)
    together = Shuffle(needed=True).done(partials, their, plan.merging)
    return mapped_in_arrow(together, handed, shipped(merging), results, plan.merging)


def _one_row(df: Any, F: ModuleType, handed: list[Any], job: worker.GroupJob, results: list[Result]) -> Any:
    """All tuples, and one that is none."""
    sent = df.select(*[column.alias(f"_{i}") for i, column in enumerate(handed)], F.lit(True).alias("real"))
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in sent.schema.fields[:-1]]
    none = df.sparkSession.range(1).select(*nothing, F.lit(False).alias("real"))
    its = worker.WholeJob(job.work, job.schema.append(pa.field(f"{PREFIX}real", pa.bool_())), job.memory)
    return mapped_with_found(sent.unionAll(none).coalesce(1), shipped(its), results, job.work)


def _numbered_stream(columns: Columns, extent: Hop) -> Hop:
    """Count over the whole stream: the attribute becomes the row number in the order of ``on``."""
    F, Window = columns.session.F, columns.session.Window
    on = columns.column(columns.name(extent.on, "window"))
    number = F.row_number().over(Window.orderBy(on.asc_nulls_first())) - 1
    columns.add(STREAM_ROW, number.cast("bigint"))
    return replace(extent, on=STREAM_ROW, rows=False)
