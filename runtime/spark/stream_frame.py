"""A streaming DataFrame as a place where aggregates run: packed tuples, a stateful operator over buckets, rows unpacked.

The event-time column is hidden from Spark's operator (it travels as bytes), so Spark drops no late tuple: they are told apart by
what has been processed, counted in the query's progress, and can be had as a stream of their own (:func:`late_tuples`).
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import described_stream
from inwindow.runtime.query import Part, Place, Query
from inwindow.runtime.reserved import check_names
from inwindow.runtime.spark import buckets
from inwindow.runtime.spark.buckets import StreamJob
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, results_by_title, struct_of, titled
from inwindow.runtime.spark.frame import AnyFrame, Frame
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.naming import over_names
from inwindow.runtime.spark.observations import sentinels_of
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.session import Session, explained
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.stream_results import StreamCall, calls_of, tracked
from inwindow.runtime.spark.types import Result
from inwindow.runtime.stream.late_bucket import LateRows, late_work
from inwindow.udaf.errors import UsageError
from inwindow.udaf.sentinel import COUNTS

_WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column that has one
_WATERMARK_NODE = "EventTimeWatermark"  # in a plan
_MANY_PARTITIONS = 64
_LATE = "_inwindow_late"


@dataclass(frozen=True)
class StreamFramePlan:
    """A query over names, and its one pass on a stream."""

    frame: "StreamFrame"
    columns: Columns
    query: Query
    work: Pass

    @property
    def explanation(self) -> Explanation:
        said = described_stream(self.work, early=self.query.early)
        return Explanation([self.work], f"{said}\n{self.frame.described(self.work)}")


class StreamFrame(AnyFrame):
    """A streaming DataFrame."""

    def plan(self, query: Query) -> StreamFramePlan:
        """The one pass, on a session that suits it."""
        if query.of is not None:
            raise UsageError(
                "with_columns(of=...) on a stream: results at points in time need all events before them, and a stream has no such "
                "moment: use batch DataFrames"
            )
        columns = self.columns()
        query = over_names(columns, query)
        work = query.verb.stream_pass(query, columns.schema(), **self.session.planning)
        self._check(columns, work, "group_by().window()" if query.verb.rows == "groups" else query.where)
        return StreamFramePlan(self, columns, query, work)

    def run(self, query: Query) -> Any:
        """A streaming DataFrame, which knows its late tuples."""
        plan = self.plan(query)
        columns, query, work = plan.columns, plan.query, plan.work
        if query.verb.rows == "every tuple":
            query = _keeping_columns(columns, query)
        sources = tuple(query.passed.values())
        handed, schema = crossing(columns, list(dict.fromkeys([*needed(work), *sources])), work)
        job = self._job(query.verb.part(query, work, sources), schema)
        results = results_by_title(columns, query, work)
        timed = bool(work.order_by)
        where = "group_by().window()" if query.verb.rows == "groups" else query.where
        call = StreamCall.new(where, timed=timed, alone=timed and not operator_of(self.session_conf).goes_with_others)
        order = query.order or tuple(results)
        whole = self._stateful(columns, handed, job, results, order, str(call.metrics))
        setattr(whole, _LATE, cache(lambda: self._late(columns, work, call)))
        return tracked(whole, call)

    def _late(self, columns: Columns, work: Pass, call: StreamCall) -> Any:
        """A query of its own: whole rows cross only where they are wanted, and no frame is held."""
        names = [columns.name(name, "late") for name in columns.names]
        results = {name: columns.handed_through(name) for name in (*names, *work.position_columns)}
        handed, schema = crossing(columns, list(results), work)
        job = self._job(LateRows(late_work(work)), schema)
        late = self._stateful(columns, handed, job, results, names, f"{call.metrics}_late")
        return tracked(late, replace(call, where=f"late() of {call.where}"))

    def _stateful(
        self,
        columns: Columns,
        handed: list[Any],
        job: StreamJob,
        results: dict[str, Result],
        order: Sequence[str],
        metrics: str,
    ) -> Any:
        F, work = self.session.F, job.part.work
        content = shipped(job)
        sent = columns.df.select(
            *[column.alias(f"_{i}") for i, column in enumerate(handed)], self._hash(columns, work).alias("hash")
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
        return titled(made, results, order, self.session)

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

    def described(self, work: Pass) -> str:
        operator = operator_of(self.session_conf)
        return (
            f"spark: mapInArrow packs tuples by bucket; {operator.name} over {self._buckets(work)} buckets in "
            f"{self._partitions()} partitions; mapInArrow unpacks rows"
        )

    def _job(self, part: Part, schema: pa.Schema) -> StreamJob:
        """What buckets need, with the fingerprint of their state."""
        job = StreamJob(part, schema, self.session.zone, {})
        try:
            return replace(job, plan=part.bucket(schema, job.zone).plan)
        except UsageError:
            shipped(job)  # what cannot be sent to the workers is said of the aggregate
            raise

    @property
    def session_conf(self) -> Any:
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


def _keeping_columns(columns: Columns, query: Query) -> Query:
    """The query with all columns of the data; a result that is called like one takes its place."""
    replaced = {name.casefold() for name in query.aggregates}
    kept = [columns.name(name, query.where) for name in columns.names if name.casefold() not in replaced]
    order = [name for name in columns.names if name.casefold() not in replaced or name in query.aggregates]
    return replace(query, passed={name: name for name in kept}, order=tuple(dict.fromkeys([*order, *query.aggregates])))


def _elsewhere(columns: Columns, name: str) -> str:
    """Where the stream's watermark is, and what to do: a second one in a query is an error of Spark's, or never moves."""
    example = f"df.withWatermark({name!r}, '10 seconds')"
    if name.casefold() not in map(str.casefold, columns.names):  # an expression
        example = "df.withColumn('at', ...).withWatermark('at', '10 seconds')"
    marks = [repr(one.name) for one in columns.df.schema.fields if _WATERMARK in one.metadata]
    so = "so no tuple would ever be known to be in order"
    if marks:
        return f" (that of the stream is on {', '.join(marks)}), {so}: move it, as in {example}"
    if _WATERMARK_NODE in explained(columns.df, "extended"):
        return (
            f" (that of the stream is on a column that it no longer has), {so}; a second one would never move: where the column is "
            f"made without groups or joins, write {example} behind that, in place of the first; F.window_time() of a window of "
            "Spark's has the first one's; else write the rows, and read them as a stream of their own, with a watermark of its own"
        )
    return f", {so}: say how late tuples may come, as in {example}"


def place_of_frame(df: Any, where: str) -> Place:
    schema = df.schema
    check_names([field.name for field in schema.fields], where)
    kind = StreamFrame if df.isStreaming else Frame
    return kind(df, Session.of(df), schema)


def late_tuples(df: Any) -> Any:
    """The tuples that were late for what :class:`StreamFrame` gave; None for any other DataFrame."""
    late = vars(df).get(_LATE)
    return None if late is None else late()
