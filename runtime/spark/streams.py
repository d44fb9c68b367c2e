"""A streaming DataFrame as a place where aggregates run: packed tuples, a stateful operator over buckets, rows unpacked.

The event-time column is hidden from Spark's operator (it travels as bytes), so Spark drops no late tuple: they are told apart by
what has been processed, counted in the query's progress, and can be had as a stream of their own (:func:`late_tuples`).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import plan_stream, plan_stream_groups
from inwindow.runtime.fingerprint import fingerprint
from inwindow.runtime.groups import GroupOperator
from inwindow.runtime.spark import buckets
from inwindow.runtime.spark.buckets import ExtentStreamJob, LateStreamJob, StreamJob, TupleStreamJob
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, named_only, results_of, struct_of, titled
from inwindow.runtime.spark.emitted import named_groups, window_result
from inwindow.runtime.spark.followed import Call, calls_of, followed
from inwindow.runtime.spark.frames import Frame
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.observed import sentinels_of
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.shuffles import plan_text
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.runtime.stream.explain import described
from inwindow.runtime.stream.extents import kind_of
from inwindow.runtime.stream.late import LateBucket, late_work
from inwindow.runtime.stream.tuples import rows_of
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.udaf.sentinel import COUNTS
from inwindow.windows.spec import Extent, Order

_WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column that has one
_WATERMARK_NODE = "EventTimeWatermark"  # in a plan
_MANY_PARTITIONS = 64
_LATE = "_inwindow_late"


@dataclass(frozen=True)
class StreamFrame(Frame):
    """The streaming DataFrame, and what the calls on it become."""

    early: bool = False

    def with_early_results(self) -> "StreamFrame":
        """Extents whenever they change."""
        return replace(self, early=True)

    def with_columns(self, applied: Mapping[str, Applied]) -> Any:
        """See :func:`inwindow.with_columns`."""
        columns = Columns(self.data, self.session)
        work = self._plan(columns, applied, "with_columns")
        replaced = {name.casefold() for name in applied}
        kept = [columns.name(name, "with_columns") for name in columns.names if name.casefold() not in replaced]
        order = [name for name in columns.names if name.casefold() not in replaced or name in applied]
        order += [name for name in applied if name not in order]
        passed = {name: name for name in kept}
        return self._run(columns, work, passed, applied, None, order, every_row=True)

    def select(
        self, passed: Mapping[str, Any], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> Any:
        """See :func:`inwindow.select`."""
        columns = Columns(self.data, self.session)
        sources = {name: columns.name(source, "select") for name, source in passed.items()}
        work = self._plan(columns, applied, "select")
        return self._run(columns, work, sources, applied, emitted_at, order, every_row=False)

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Any:
        """See :func:`inwindow.group_by`."""
        columns = Columns(self.data, self.session)
        work = self._plan_groups(columns, keys, extent, applied, order_by)
        assert extent is not None
        handed, schema = crossing(columns, needed(work), work)
        zone = self.session.zone
        job = _told(ExtentStreamJob(work, schema, zone, {}, self.early), kind_of(work, early=self.early).rows)
        results = [columns.handed_through(name) for name in work.partition_by]
        kind = GroupOperator(work, schema).schema.field("window").type
        results.append(window_result(kind, extent, marked=work.key is not None))
        results += results_of(columns, work)
        titles = [*work.partition_by, "window", *applied]
        by_title = dict(zip(titles, results, strict=True))
        return self._result("group_by().window()", columns, work, handed, job, by_title, titles)

    def explain(self, applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over windows would do."""
        work = self._plan(Columns(self.data, self.session), applied, "explain")
        return Explanation([work], f"{described(work)}\n{self._describe(work)}")

    def explain_groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Explanation:
        """What aggregates of extents would do."""
        work = self._plan_groups(Columns(self.data, self.session), keys, extent, applied, order_by)
        return Explanation([work], f"{described(work, early=self.early)}\n{self._describe(work)}")

    def at_points(self, events: Frame, applied: Mapping[str, Applied]) -> Any:
        """A stream's tuples are never all there."""
        raise UsageError(
            "with_columns(of=...) on a stream: results at points in time need all events before them, and a stream has no such "
            "moment: use batch DataFrames"
        )

    explain_at_points = at_points

    def _run(
        self,
        columns: Columns,
        work: Pass,
        passed: Mapping[str, str],
        applied: Mapping[str, Applied],
        emitted_at: str | None,
        order: list[str],
        *,
        every_row: bool,
    ) -> Any:
        names = list(dict.fromkeys([*needed(work), *passed.values()]))
        handed, schema = crossing(columns, names, work)
        sources = tuple(passed.values())
        zone = self.session.zone
        job = TupleStreamJob(work, schema, zone, {}, sources, every_row, emitted_at)
        job = _told(job, rows_of(every_row=every_row, emitted_at=emitted_at))
        results = [*[columns.handed_through(source) for source in sources], *results_of(columns, work)]
        if emitted_at is not None:
            results.append(Result.of(AsItIs(to_spark(schema.field(work.order_by[0].column).type))))
        titles = [*passed, *applied, *([] if emitted_at is None else [emitted_at])]
        where = "with_columns" if every_row else "select"
        return self._result(where, columns, work, handed, job, dict(zip(titles, results, strict=True)), order)

    def _result(
        self,
        where: str,
        columns: Columns,
        work: Pass,
        handed: list[Any],
        job: StreamJob,
        results: dict[str, Result],
        order: list[str],
    ) -> Any:
        """The call's result, which knows where it comes from, and its late tuples."""
        timed = bool(work.order_by)
        call = Call.new(where, timed=timed, alone=timed and not operator_of(self.session_conf).goes_with_others)
        whole = self._stateful(columns, work, handed, job, results, order, str(call.metrics))
        setattr(whole, _LATE, cache(lambda: self._late(columns, work, call)))
        return followed(whole, call)

    def _late(self, columns: Columns, work: Pass, call: Call) -> Any:
        """A query of its own: whole rows cross only where somebody wants them, and no frame is held."""
        names = [columns.name(name, "late") for name in columns.names]
        results = {name: columns.handed_through(name) for name in (*names, *work.places)}
        handed, schema = crossing(columns, list(results), work)
        job = _told(LateStreamJob(late_work(work), schema, self.session.zone, {}), LateBucket.rows)
        late = self._stateful(columns, work, handed, job, results, names, f"{call.metrics}_late")
        return followed(late, replace(call, where=f"late() of {call.where}"))

    def _stateful(
        self,
        columns: Columns,
        work: Pass,
        handed: list[Any],
        job: StreamJob,
        results: dict[str, Result],
        order: list[str],
        metrics: str,
    ) -> Any:
        F = self.session.F
        content = shipped(job)
        sent = columns.df.select(
            *[column.alias(f"_{i}") for i, column in enumerate(handed)],
            self._hash(columns, work).alias("hash"),
        )
        pack = buckets.pack_function(self._partitions(), keyed=bool(work.partition_by))
        packed = sent.mapInArrow(pack, buckets.PACKED)
        # Always true, and never the same: where two halves of a query read the same tuples, Spark would shuffle them once, and
        # then the second half's operator sees no watermark (also if it is Spark's own: PropagateWatermarkSimulator in 4.3).
        packed = packed.where(F.rand() + F.col("number") >= 0)
        given = operator_of(self.session_conf).run(packed, content, timed=bool(work.order_by), F=F)
        names = ("late_tuples", "waiting_tuples", "live_tuples", "state_bytes")
        sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names]  # 0 where no bucket had a turn
        if sentinels_of(work):
            sums += [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in COUNTS]
            sums.append(F.max_by("largest", "deviation").alias("largest"))
        given = given.observe(metrics, *sums)
        made = given.mapInArrow(buckets.unpack_function(), struct_of(list(results.values())))  # type: ignore[no-untyped-call]
        return titled(made, results, order, F)

    # Planning, with what the session must have

    def _plan(self, columns: Columns, applied: Mapping[str, Applied], where: str) -> Pass:
        named = named_only(columns, applied)
        work = plan_stream(columns.schema(), named, where, **self.session.planning)
        self._check(columns, work, where)
        return work

    def _plan_groups(
        self,
        columns: Columns,
        keys: tuple[str, ...],
        extent: Extent | None,
        applied: Mapping[str, Applied],
        order_by: tuple[Order, ...],
    ) -> Pass:
        names, orders, named = named_groups(columns, keys, extent, applied, order_by)
        work = plan_stream_groups(columns.schema(), names, extent, named, order_by=orders, **self.session.planning)
        self._check(columns, work, "group_by().window()")
        return work

    def _check(self, columns: Columns, work: Pass, where: str) -> None:
        """The stream has a watermark on its time, or an error; the session's settings suit a stream, or a warning."""
        if calls_of(self.data):
            raise UsageError(
                f"{where} on the result of another call on a stream: a query is one call: give it all aggregates, with one "
                "partitioning and order, or write the first result and read it as a stream of its own"
            )
        operator_of(self.session_conf).check()
        partitions = self._partitions()
        if partitions > _MANY_PARTITIONS:
            warnings.warn(
                f"{where} on a stream: spark.sql.shuffle.partitions is {partitions}, and each partition costs some milliseconds in "
                "every micro-batch: set it to a small multiple of the number of cores before the query first starts (a "
                "checkpoint keeps it)",
                UserWarning,
                stacklevel=4,
            )
        if not work.order_by:
            return
        name = work.order_by[0].column
        if not pa.types.is_timestamp(columns.schema().field(name).type):
            raise UsageError(
                f"{where} on a stream: the order column {name!r} is of type {columns.schema().field(name).type}, but Spark's "
                "watermark is on a timestamp: order by the event time, or count tuples in arrival order (no order_by=)"
            )
        metadata = columns.df.select(columns.column(name).alias("t")).schema.fields[0].metadata
        if _WATERMARK not in metadata:
            raise UsageError(f"{where} on a stream: {name!r} has no watermark{_elsewhere(columns, name)}")

    def _describe(self, work: Pass) -> str:
        operator = operator_of(self.session_conf)
        return (
            f"spark: mapInArrow packs tuples by bucket; {operator.name} over {self._buckets(work)} buckets in "
            f"{self._partitions()} partitions; mapInArrow unpacks rows"
        )

    @property
    def session_conf(self) -> Any:
        """The session's settings."""
        return self.data.sparkSession.conf

    def _partitions(self) -> int:
        return int(self.session_conf.get("spark.sql.shuffle.partitions"))

    def _buckets(self, work: Pass) -> int:
        return len(labels_for(self._partitions(), keyed=bool(work.partition_by)))

    def _hash(self, columns: Columns, work: Pass) -> Any:
        """A number of the keys, from which a task finds the bucket."""
        F = self.session.F
        keys = [columns.crossing(name) for name in dict.fromkeys(work.partition_by)]
        return F.hash(*keys) if keys else F.lit(0)


def _told(job: Any, rows: str) -> Any:
    """The job, with what its state is told by."""
    try:
        return replace(job, plan=fingerprint(job.work, job.schema, job.zone, rows))
    except UsageError:
        shipped(job)  # what cannot be sent to the workers is said of the aggregate
        raise


def _elsewhere(columns: Columns, name: str) -> str:
    """Where the stream's watermark is, and what to do: a second one in a query is an error of Spark's, or never moves."""
    marked = f"df.withWatermark({name!r}, '10 seconds')"
    if name.casefold() not in map(str.casefold, columns.names):  # an expression
        marked = "df.withColumn('at', ...).withWatermark('at', '10 seconds')"
    marks = [repr(one.name) for one in columns.df.schema.fields if _WATERMARK in one.metadata]
    so = "so no tuple would ever be known to be in order"
    if marks:
        return f" (that of the stream is on {', '.join(marks)}), {so}: move it, as in {marked}"
    if _WATERMARK_NODE in plan_text(columns.df, "extended"):
        return (
            f" (that of the stream is on a column that it no longer has), {so}; a second one would never move: where the column is "
            f"made without groups or joins, write {marked} behind that, in place of the first; F.window_time() of a window of "
            "Spark's has the first one's; else write the rows, and read them as a stream of their own, with a watermark of its own"
        )
    return f", {so}: say how late tuples may come, as in {marked}"


def late_tuples(df: Any) -> Any:
    """The tuples that were late for what :class:`StreamFrame` gave; None for any other DataFrame."""
    late = vars(df).get(_LATE)
    return None if late is None else late()
