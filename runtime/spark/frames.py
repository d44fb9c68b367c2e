"""``with_columns``, ``select`` and ``group_by`` on a Spark DataFrame.

with_columns
    Each pass is ONE iterator-style Arrow UDF over the columns it needs, giving one struct; Spark keeps all other columns.
    The UDF is non-deterministic to Spark, or filters and sorts would move through it (labs.md A2, trap A). Where a
    frame looks ahead, ``struct IS NOT NULL`` stands above it, or a LIMIT would move below it (trap B). Each pass is a
    ``select`` of its own: two orderings in one would both be planned below both UDFs (trap C).
select, group_by
    ``mapInArrow`` after the sort: only what is emitted comes back.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass, Step, plan_groups, plan_windows
from inwindow.runtime.local import single_pass
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.carriers import Carrier, carriers_of, in_order_of_sharing, number
from inwindow.runtime.spark.columns import PREFIX, Columns, named_column
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.types import AsItIs, Result, result_of, to_spark
from inwindow.udaf.applied import Applied, is_expression
from inwindow.udaf.errors import UsageError
from inwindow.windows.spec import Extent, Hop, Order, Rows

_STREAM_ROW = f"{PREFIX}stream_row"


@dataclass(frozen=True)
class Frame:
    """A DataFrame, classic or Connect, as a place where aggregates run."""

    data: Any
    session: Session

    @classmethod
    def of(cls, df: Any, where: str) -> "Frame":
        """The DataFrame, if it is one that we can work on."""
        if df.isStreaming:
            raise UsageError(
                f"{where}: this is a streaming DataFrame, which this version does not support: use a batch DataFrame"
            )
        for name in df.columns:
            if name.startswith(PREFIX):
                raise UsageError(f"{where}: the column {name!r} has a name that inwindow keeps for itself: rename it")
        return cls(df, Session.of(df))

    def check(self, names: Iterable[str], where: str) -> None:
        """The columns are there, or an error."""
        for name in names:
            named_column(self.data, name, where, self.session.F)

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that :func:`inwindow.select` passes through: its name, and what it is made of."""
        if isinstance(item, str):
            self.check([item], "select")
            return (item if item in self.data.columns else self.data.select(item).columns[0]), item
        if is_expression(item):
            return self.data.select(item).columns[0], item
        return None

    def with_columns(self, applied: Mapping[str, Applied]) -> Any:
        """See :func:`inwindow.with_columns`."""
        return with_columns(Columns(self.data, self.session), applied)

    def select(
        self, passed: Mapping[str, Any], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> Any:
        """See :func:`inwindow.select`."""
        return select(Columns(self.data, self.session), passed, applied, emitted_at, order)

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Any:
        """See :func:`inwindow.group_by`."""
        return groups(Columns(self.data, self.session), keys, extent, applied, order_by)

    def explain(self, applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over windows would do."""
        planned = plan(Columns(self.data, self.session), applied)
        return Explanation(planned.passes, planned.describe())


@dataclass(frozen=True)
class WindowPlan:
    """What ``with_columns`` will do: passes with their carriers."""

    columns: Columns
    passes: list[Pass]
    carriers: list[Carrier]

    def describe(self) -> str:
        """The plan's shape in Spark."""
        session = self.columns.session
        how = "one Arrow UDF" if session.has_iterator_udf else "mapInArrow (Spark 4.0 has no Arrow UDFs)"
        lines = []
        for at, (work, carrier) in enumerate(zip(self.passes, self.carriers, strict=True), 1):
            crossing = ", ".join(_needed(work)) or "no column"
            lines.append(f"spark, pass {at}: {carrier.describe(work)}; {how} over {crossing}")
        return "\n".join(lines)


def plan(columns: Columns, applied: Mapping[str, Applied]) -> WindowPlan:
    """The passes of aggregates over windows, in the order in which they will run."""
    named = _named(columns, applied)
    passes = in_order_of_sharing(plan_windows(columns.schema(), named, ansi=columns.session.ansi))
    return WindowPlan(columns, passes, carriers_of(passes, columns))


def _named(columns: Columns, applied: Mapping[str, Applied]) -> dict[str, Applied]:
    """The aggregates over names alone; what they read can be compared and worked on in Python."""
    named = columns.applied(applied)
    for one in named.values():
        for column in one.columns:
            columns.check_value(column, one.label)
        if one.window is not None:
            places = (*one.window.partition_by, *(order.column for order in one.window.order_by))
            columns.check_places(places, f"the window of {one.label}")
    return named


def with_columns(columns: Columns, applied: Mapping[str, Applied]) -> Any:
    """The data with a column per aggregate."""
    planned = plan(columns, applied)
    df, F = columns.df, columns.session.F
    _warn_of_one_task(planned.passes, planned.carriers)
    one_pass = _udf_pass if columns.session.has_iterator_udf else _map_pass
    results: dict[str, Any] = {}
    for at, (work, carrier) in enumerate(zip(planned.passes, planned.carriers, strict=True)):
        its = f"{PREFIX}result_{at}"
        df = one_pass(carrier.placed(df, columns, work), columns, work, carrier, its)
        for index, (step, result) in enumerate(zip(work.steps, _results(columns, work), strict=True)):
            results[step.name] = result.finished(F.col(its)[f"_{index}"], F)
    added = df.withColumns({name: results[name] for name in applied})
    return added.drop(*[f"{PREFIX}result_{at}" for at in range(len(planned.passes))], *columns.computed)


def _results(columns: Columns, work: Pass) -> list[Result]:
    return [result_of(step, [columns.ferry(name) for name in step.arguments]) for step in work.steps]


def _struct_of(results: list[Result]) -> T.StructType:
    fields = [T.StructField(f"_{i}", result.crosses, result.nullable) for i, result in enumerate(results)]
    return T.StructType(fields)


def _needed(work: Pass) -> list[str]:
    """The columns that a pass reads, places first."""
    names = [*work.partition_by, *(order.column for order in work.order_by)]
    for step in work.steps:
        names += step.arguments
        names += [] if step.condition is None else [step.condition]
    return list(dict.fromkeys(names))


def _crossing(columns: Columns, names: list[str], work: Pass, carrier: Carrier) -> tuple[list[Any], pa.Schema]:
    """What is handed to Python: Spark columns, and the schema in which they arrive."""
    schema = columns.schema()
    fields = [schema.field(name) for name in names]
    handed = [columns.crossing(name) for name in names]
    if carrier.numbered:
        handed.insert(0, number(columns, work))
        fields.insert(0, pa.field(f"{PREFIX}number", pa.int32()))
    elif not handed:  # a count of tuples reads nothing but their number
        handed, fields = [columns.session.F.lit(1)], [pa.field(f"{PREFIX}row", pa.int32())]
    return handed, pa.schema(fields)


def _udf_pass(df: Any, columns: Columns, work: Pass, carrier: Carrier, its: str) -> Any:
    """The data with a struct of the pass's results, by an iterator-style Arrow UDF."""
    F = columns.session.F
    handed, schema = _crossing(columns, _needed(work), work, carrier)
    job = shipped(worker.TupleJob(work, schema, carrier.numbered))
    udf = F.arrow_udf(worker.scalar_function(job), _struct_of(_results(columns, work))).asNondeterministic()
    df = df.select("*", udf(*handed).alias(its))
    return df.where(F.col(its).isNotNull()) if any(map(_looks_ahead, work.steps)) else df


def _looks_ahead(step: Step) -> bool:
    """Whether a result may depend on tuples behind its own: then a LIMIT must not cut them off."""
    window = step.case.window
    assert window is not None
    frame = window.frame
    only_back = isinstance(frame, Rows) and frame.upper is not None and frame.upper <= 0
    return not only_back or (window.slide is not None and window.final == "emit")


def _map_pass(df: Any, columns: Columns, work: Pass, carrier: Carrier, its: str) -> Any:
    """The same by ``mapInArrow``, which hands over all columns: for Spark 4.0, which has no Arrow UDFs."""
    F = columns.session.F
    results = _results(columns, work)
    whole: list[str] = df.columns
    kept = Columns(df, columns.session)
    for name in whole:
        kept.name(name, "with_columns on Spark 4.0, which hands all columns to Python")
    needed = _needed(work)
    handed, schema = _crossing(columns, needed, work, carrier)
    names = [f"{PREFIX}kept_{i}" for i in range(len(whole))]
    fields = [pa.field(name, kept.schema().field(one).type) for name, one in zip(names, whole, strict=True)]
    job = shipped(worker.RowJob(work, pa.schema([*schema, *fields]), carrier.numbered, tuple(names)))
    handed += [kept.crossing(name) for name in whole]
    through = [kept.handed_through(name) for name in whole]
    mapped = _mapped(df, handed, job, [*through, *results])
    back = [r.finished(F.col(f"_{i}"), F).alias(name) for i, (r, name) in enumerate(zip(through, whole, strict=True))]
    struct = F.struct(*[F.col(f"_{len(whole) + i}").alias(f"_{i}") for i in range(len(results))])
    return mapped.select(*back, struct.alias(its))


def _mapped(df: Any, handed: list[Any], job: bytes, output: list[Result]) -> Any:
    """``mapInArrow`` over columns, known by their positions on either side."""
    sent = df.select(*[column.alias(f"_{i}") for i, column in enumerate(handed)])
    return sent.mapInArrow(worker.map_function(job), _struct_of(output))


def select(
    columns: Columns,
    passed: Mapping[str, Any],
    applied: Mapping[str, Applied],
    emitted_at: str | None,
    order: list[str],
) -> Any:
    """The yield tuples (emissions, expirations) with some of their columns."""
    sources = {name: columns.name(source, "select") for name, source in passed.items()}
    planned = _plan_of_one(columns, applied)
    (work,), (carrier,) = planned.passes, planned.carriers
    _warn_of_one_task(planned.passes, planned.carriers)
    names = list(dict.fromkeys([*_needed(work), *sources.values()]))
    handed, schema = _crossing(columns, names, work, carrier)
    job = shipped(worker.SelectJob(work, schema, carrier.numbered, tuple(sources.values()), emitted_at))
    results = [*[columns.handed_through(source) for source in sources.values()], *_results(columns, work)]
    if emitted_at is not None:
        assert work.key is not None
        results.append(Result.of(AsItIs(to_spark(work.key.type))))
    mapped = _mapped(carrier.placed(columns.df, columns, work), handed, job, results)
    titles = [*passed, *applied, *([] if emitted_at is None else [emitted_at])]
    return _titled(mapped, dict(zip(titles, results, strict=True)), order, columns.session.F)


def _plan_of_one(columns: Columns, applied: Mapping[str, Applied]) -> WindowPlan:
    named = _named(columns, applied)
    work = single_pass(plan_windows(columns.schema(), named, ansi=columns.session.ansi), "select")
    return WindowPlan(columns, [work], carriers_of([work], columns))


def _titled(mapped: Any, results: Mapping[str, Result], order: list[str], F: ModuleType) -> Any:
    """Columns by position become columns by name, in the order in which they were asked for."""
    made = {name: result.finished(F.col(f"_{i}"), F).alias(name) for i, (name, result) in enumerate(results.items())}
    return mapped.select(*[made[name] for name in order])


def groups(
    columns: Columns,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> Any:
    """A row per group and extent."""
    if isinstance(extent, Hop) and extent.scope == "stream":
        extent = _numbered_stream(columns, extent)
    names = tuple(columns.place(key, "group_by") for key in keys)
    orders = columns.orders(order_by, "group_by")
    if extent is not None:
        columns.name(extent.on, "window")
    columns.check_places((*names, *(order.column for order in orders)), "group_by")
    named = _named(columns, applied)
    work = plan_groups(columns.schema(), names, extent, named, order_by=orders, ansi=columns.session.ansi)
    (carrier,) = carriers_of([work], columns)
    _warn_of_one_task([work], [carrier])
    handed, schema = _crossing(columns, _needed(work), work, carrier)
    job = worker.GroupJob(work, schema, carrier.numbered)
    results = [columns.handed_through(name) for name in names]
    if extent is not None:
        window = job.operator(pa.schema(list(schema)[carrier.numbered :])).schema.field("window").type
        results.append(Result.of(AsItIs(to_spark(window))))
    results += _results(columns, work)
    mapped = _mapped(carrier.placed(columns.df, columns, work), handed, shipped(job), results)
    titles = [*names, *(["window"] if extent is not None else []), *applied]
    return _titled(mapped, dict(zip(titles, results, strict=True)), titles, columns.session.F)


def _numbered_stream(columns: Columns, extent: Hop) -> Hop:
    """Count over the whole stream: the attribute becomes the row number in the order of ``on``."""
    F, Window = columns.session.F, columns.session.Window
    on = columns.column(columns.name(extent.on, "window"))
    number = F.row_number().over(Window.orderBy(on.asc_nulls_first())) - 1
    columns.df = columns.df.withColumn(_STREAM_ROW, number.cast("bigint"))
    return replace(extent, on=_STREAM_ROW, rows=False)


def _warn_of_one_task(passes: list[Pass], carriers: list[Carrier]) -> None:
    for work, carrier in zip(passes, carriers, strict=True):
        if carrier.shuffles and not work.partition_by:
            labels = ", ".join(step.label for step in work.steps)
            warnings.warn(
                f"{labels}: the window has no partitioning, so all rows go to one task, in bounded memory but without "
                "parallelism; give partition_by= a key if the result allows it",
                UserWarning,
                stacklevel=5,  # the user's own call
            )
            return
