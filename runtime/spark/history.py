"""The state that a stream over a history would have, made by a Spark job: the same buckets, over sorted tuples.

::

    history  --hash of the keys-->  sorted by bucket and time  --mapInArrow-->  (bucket, its state)
                                    each bucket in portions: the watermark follows, and what no frame needs has left

The query is a function of a stream. It is called with the batch DataFrame; while it runs, our calls plan for a stream.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.query import Query
from inwindow.runtime.spark.buckets import StreamJob, gathered
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.shipping import loaded, shipped
from inwindow.runtime.spark.stream_frame import StreamFrame, instead_of_frames
from inwindow.runtime.spark.stream_job import check_type_of_time, partitions_of
from inwindow.runtime.spark.worker import without_our_frames
from inwindow.runtime.states import seldom_collected
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.state_rows import BY_SPARK, check_until, state_rows
from inwindow.udaf.errors import UsageError, shown

STATE_ROWS = "bucket int, buckets int, placed_by string, content binary"


def state_of_history(history: Any, query: Callable[[Any], Any], until: Any) -> Any:
    """A DataFrame with a row per bucket."""
    if history.isStreaming:
        raise UsageError("state_of(a stream): a history is a batch DataFrame, as in spark.read.parquet(...)")
    with instead_of_frames(History):
        planned = query(history)
    if not isinstance(planned, Planned):
        raise UsageError(
            f"state_of(): the query gave {shown(planned)}, but it must give the result of iw.with_columns, iw.select or "
            "iw.group_by(...).agg on the stream that it is called with"
        )
    return planned.states(until)


class History(StreamFrame):
    """A batch DataFrame in place of a stream."""

    def check_stream(self, columns: Columns, work: Pass, where: str) -> None:
        """The time is one of a stream; there is no watermark to check."""
        if not work.order_by:
            raise UsageError(
                f"state_of(): {where} takes tuples in the order of arrival, and a DataFrame has none: order by the event time"
            )
        check_type_of_time(columns, work.order_by[0].column, where)

    def run(self, query: Query) -> Any:
        """Nothing runs: what the job needs."""
        made = self.made(query)
        return Planned(self, made.job, self.sent(made.columns, made.handed, made.job))


@dataclass(frozen=True)
class Planned:
    """The query over the history as a job of buckets."""

    frame: History
    job: StreamJob
    sent: Any  # the tuples, with columns named by position, and last a hash of the keys

    def states(self, until: Any) -> Any:
        """The states at this watermark."""
        F, key = self.frame.session.F, self.job.bucket().key
        assert key is not None
        check_until(until, timed=True)
        end = int(key.value(until, what="state_of: until"))
        partitions = partitions_of(self.frame.session_conf)
        labels = labels_for(partitions, keyed=bool(self.job.part.work.partition_by))
        count = len(labels)
        tuples = self.sent.withColumn("hash", F.pmod("hash", F.lit(count))).withColumn("is_tuple", F.lit(True))
        time = f"_{self.job.arriving.names.index(key.column)}"
        # A row for each bucket, so that those without tuples have a state, too: its watermark.
        nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in self.sent.schema.fields[:-1]]
        each = self.frame.data.sparkSession.range(count)
        each = each.select(*nothing, F.col("id").cast("int").alias("hash"), F.lit(False).alias("is_tuple"))
        order = [F.col("hash"), F.col("is_tuple"), F.col(time).asc_nulls_first()]
        sorted_tuples = tuples.unionAll(each).repartition(partitions, "hash").sortWithinPartitions(*order)
        return sorted_tuples.mapInArrow(states_function(shipped(self.job), labels, end), STATE_ROWS)


# In the workers


def states_function(job: bytes, labels: list[int], until: int):  # type: ignore[no-untyped-def]  # read by Spark
    """``mapInArrow``: sorted tuples with the number of their bucket become states."""

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from without_our_frames(_states(loaded(job), batches, labels, until))

    return inwindow


def _states(
    job: StreamJob, batches: Iterator[pa.RecordBatch], labels: list[int], until: int
) -> Iterator[pa.RecordBatch]:
    bucket, at = job.bucket(), -1
    for batch in gathered(batches):
        numbers = batch.column(batch.num_columns - 2).to_numpy(zero_copy_only=False)
        starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
        for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            if numbers[start] != at:
                if at >= 0:
                    yield _ended(bucket, until, len(labels))
                at = int(numbers[start])
                bucket.begin(labels[at])
            _go_on(job, bucket, pa.Table.from_batches([batch.slice(start, end - start)]), until)
    if at >= 0:
        yield _ended(bucket, until, len(labels))


def _go_on(job: StreamJob, bucket: Bucket, rows: pa.Table, until: int) -> None:
    """The next tuples of a bucket; the watermark goes as far as theirs."""
    rows = rows.filter(rows.column(rows.num_columns - 1))
    table = rows.select(range(rows.num_columns - 2)).rename_columns(job.arriving.names)
    times, plain = bucket.times(table)
    if len(table):
        latest = int(times[plain].max()) if plain.any() else None
        with seldom_collected():
            bucket.step(table, None if latest is None else min(latest, until))


def _ended(bucket: Bucket, until: int, count: int) -> pa.RecordBatch:
    assert bucket.label is not None
    bucket.step(None, until)
    bucket.settle()
    return state_rows([bucket.label], [bucket.state()], BY_SPARK, count).to_batches()[0]
