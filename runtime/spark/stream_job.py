"""Run a :class:`StreamJob`: pack tuples by bucket, run Spark's stateful operator, unpack rows. Check the stream before."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.runtime.metrics import HELD, SECONDS
from inwindow.runtime.query import Part
from inwindow.runtime.spark import buckets
from inwindow.runtime.spark.buckets import StreamJob
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import struct_of, titled
from inwindow.runtime.spark.engine import engine_of
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.session import Session, explained
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.stream_results import calls_of
from inwindow.runtime.spark.turn_output import of_step
from inwindow.runtime.spark.types import Result
from inwindow.udaf.errors import UsageError

WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column with a watermark
_WATERMARK_NODE = "EventTimeWatermark"  # in a plan
_MANY_PARTITIONS = 64


def stateful(
    sent: Any,
    job: StreamJob,
    results: Mapping[str, Result],
    order: Sequence[str],
    metrics: str,
    session: Session,
    start: Any = None,
) -> Any:
    """The rows of the buckets. ``sent`` has the tuples, with columns named by position, and last a hash of the keys."""
    given = turned(sent, job, metrics, session, start)
    made = given.mapInArrow(buckets.unpack_function(), struct_of(list(results.values())))
    return titled(made, results, order, session)


def turned(sent: Any, job: StreamJob, metrics: str, session: Session, start: Any = None) -> Any:
    """The output of the buckets' turns, as payloads; ``start`` has the states with which they begin."""
    F, work, conf = session.F, job.part.work, sent.sparkSession.conf
    content = shipped(job)
    packed = sent.mapInArrow(buckets.pack_function(partitions_of(conf), keyed=bool(work.partition_by)), buckets.PACKED)
    # Always true, but different wherever it stands. If two halves of a query read the same tuples, Spark would otherwise share one
    # shuffle, and the operator of the second half would see no watermark (also Spark's own: PropagateWatermarkSimulator in 4.3).
    packed = packed.where(F.rand() + F.col("number") >= 0)
    output = job.output
    given = operator_of(conf).run(packed, content, output.schema, timed=bool(work.order_by), F=F, start=start)

    def total(name: str) -> Any:
        return F.coalesce(F.sum(name), F.lit(0))  # 0 if no bucket had a turn

    sums = [total(name).alias(name) for name in output.totals]
    if output.compares:
        sums.append(F.max_by("largest", "deviation").alias("largest"))
    for number, step in enumerate(work.steps):
        nanos, tuples = map(total, of_step(number))
        sums += [(nanos / 1e9).alias(f"{SECONDS}{step.name}"), tuples.alias(f"{HELD}{step.name}")]
    return given.observe(metrics, *sums)


def hash_of(keys: Sequence[Any], session: Session) -> Any:
    """A hash of the keys, which selects the bucket."""
    return session.F.hash(*keys) if keys else session.F.lit(0)


def job_of(part: Part, schema: pa.Schema, zone: str) -> StreamJob:
    """The job of the buckets, with the fingerprint of their state."""
    job = StreamJob(part, schema, zone, {})
    try:
        bucket = part.bucket(schema, zone)
        return replace(job, plan=bucket.plan, compared=bucket.compared)
    except UsageError:
        shipped(job)  # if the aggregate cannot be pickled, this error says it better
        raise


def described(conf: Any, *, keyed: bool) -> str:
    """The Spark steps of a plan, in words."""
    partitions = partitions_of(conf)
    count = len(labels_for(partitions, keyed=keyed))
    return (
        f"spark: mapInArrow packs tuples by bucket; {operator_of(conf).name} over {count} buckets "
        f"in {partitions} partitions; mapInArrow unpacks rows"
    )


def partitions_of(conf: Any) -> int:
    """How many partitions the state has."""
    return int(conf.get("spark.sql.shuffle.partitions"))


# Checks


def check_query(df: Any, session: Session, where: str, stacklevel: int) -> None:
    """Check that the engine has streams and the query is one call; warn if the session's settings do not suit a stream."""
    if not session.is_spark:
        engine = engine_of(session, df.sparkSession)
        raise UsageError(
            f"{where} on a stream: {engine} has no stateful operator for our tuples (Spark's transformWithState): run streams "
            "on Spark; batch DataFrames work here"
        )
    if calls_of(df):
        raise UsageError(
            f"{where} on the result of another call on a stream: a query is one call: give it all aggregates, with one "
            "partitioning and order, or write the first result and read it as a stream of its own"
        )
    conf = df.sparkSession.conf
    operator_of(conf).check()
    partitions = partitions_of(conf)
    if partitions > _MANY_PARTITIONS:
        warnings.warn(
            f"{where} on a stream: spark.sql.shuffle.partitions is {partitions}, and each partition costs some milliseconds in "
            "every micro-batch: set it to a small multiple of the number of cores before the query first starts (a "
            "checkpoint keeps it)",
            UserWarning,
            stacklevel=stacklevel,
        )


ORDER_BY_TIME = "order by the event time, or count tuples in arrival order (no order_by=)"


def check_time(
    columns: Columns, name: str, where: str, column: str = "the order column", write: str = ORDER_BY_TIME
) -> dict[str, Any]:
    """Check that the stream has a watermark on its time column; the column's metadata."""
    check_type_of_time(columns, name, where, column, write)
    metadata: dict[str, Any] = columns.df.select(columns.column(name).alias("t")).schema.fields[0].metadata
    if WATERMARK not in metadata:
        raise UsageError(f"{where} on a stream: {name!r} has no watermark{elsewhere(columns, name)}")
    return metadata


def check_type_of_time(
    columns: Columns, name: str, where: str, column: str = "the order column", write: str = ORDER_BY_TIME
) -> None:
    """Check that a watermark can be on this column."""
    kind = columns.schema().field(name).type
    if not pa.types.is_timestamp(kind):
        raise UsageError(
            f"{where} on a stream: {column} {name!r} is of type {kind}, but Spark's watermark is on a timestamp: {write}"
        )


def watermark_of(df: Any, name: str | None) -> Any:
    """The delay of a column's watermark in milliseconds; None if it has no watermark."""
    return next((field.metadata.get(WATERMARK) for field in df.schema.fields if field.name == name), None)


def elsewhere(columns: Columns, name: str) -> str:
    """Say where the stream's watermark is, and what to do: a second watermark is an error in Spark, or never moves."""
    marked = f"df.withWatermark({name!r}, '10 seconds')"
    if name.casefold() not in map(str.casefold, columns.names):  # an expression
        marked = "df.withColumn('at', ...).withWatermark('at', '10 seconds')"
    marks = [repr(one.name) for one in columns.df.schema.fields if WATERMARK in one.metadata]
    so = "so no tuple would ever be known to be in order"
    if marks:
        return f" (that of the stream is on {', '.join(marks)}), {so}: move it, as in {marked}"
    if _WATERMARK_NODE in explained(columns.df, "extended"):
        return (
            f" (that of the stream is on a column that it no longer has), {so}; a second one would never move: where the column is "
            f"made without groups or joins, write {marked} behind that, in place of the first; F.window_time() of a window of "
            "Spark's has the first one's; else write the rows, and read them as a stream of their own, with a watermark of its own"
        )
    return f", {so}: say how late tuples may come, as in {marked}"
