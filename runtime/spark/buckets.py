"""In Spark's workers: pack tuples by bucket, and run each bucket once per micro-batch (its *turn*).

::

    tuples  --pack-->  (bucket, number, Arrow bytes)  --shuffle-->  a turn per bucket  --unpack-->  rows
            mapInArrow                                              state: bytes       mapInArrow

Few rows reach the stateful operator, so its cost per row hardly matters; a state per key would cost 15 to 24 times as much.
Every bucket has a turn in every micro-batch: the first packer sends each bucket an empty payload (a *greeting*), and if no tuples
arrive at all, the moved watermark fires their timers. So the metrics of the buckets add up to those of the whole query, and
whether a tuple is late depends only on the watermark of the micro-batch before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql import types as T
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from inwindow.optimizer.plan import Step
from inwindow.runtime.fingerprint import Part as PlanPart
from inwindow.runtime.plain import in_stream
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import AHEAD
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.spark.shipping import loaded, modules_stay
from inwindow.runtime.spark.state_text import STORED, as_bytes, as_text
from inwindow.runtime.spark.turn_output import PLAIN, Taken, TurnOutput, in_kinds
from inwindow.runtime.spark.worker import without_our_frames
from inwindow.runtime.states import seldom_collected
from inwindow.runtime.step_costs import measured
from inwindow.runtime.stream.bucket import Bucket, Changed
from inwindow.runtime.stream.evolution import Changes, Said

_BYTES = 1 << 25  # tuples are packed in portions of this size
# The settings with the number of the state's partitions: in Spark 4.3, and in earlier versions.
_OF_THE_STATE = ("spark.sql.streaming.internal.stateStore.partitions", "spark.sql.shuffle.partitions")

_CHUNK = T.StructType([T.StructField("number", T.LongType())])  # the key of a chunk
PACKED = "bucket int, number bigint, content binary"


@dataclass(frozen=True)
class StreamJob:
    """What a bucket needs: the part of a query, and the columns that arrive."""

    part: Part
    schema: pa.Schema  # of the columns that the part reads
    zone: str
    plan: dict[str, PlanPart]  # made on the driver: workers may lack the sources
    compared: Said = field(default_factory=dict)  # this, too
    changes: Changes = "exact"
    beside: pa.Schema = pa.schema([])  # columns that arrive behind these, for late tuples as a whole
    kinds: Mapping[str, tuple[str, ...] | None] = field(default_factory=lambda: dict(PLAIN))  # with columns; None: all

    @property
    def arriving(self) -> pa.Schema:
        """The columns of the arriving tuples."""
        return pa.schema([*self.schema, *self.beside])

    @property
    def steps(self) -> Sequence[Step]:
        return self.part.work.steps

    @property
    def output(self) -> TurnOutput:
        """What a turn gives."""
        return TurnOutput(self.part.work, self.kinds, AHEAD in self.beside.names)

    def columns_of_kinds(self) -> dict[str, pa.Schema]:
        """The columns of each kind of output, as they leave Python."""
        return {kind: rows.schema for kind, rows in in_kinds(self.bucket().step(None, None), self.kinds).items()}

    def bucket(self) -> Bucket:
        """One bucket object, used for all turns of a task."""
        made = self.part.bucket(self.schema, self.zone)
        made.plan, made.compared, made.changes, made.arriving = self.plan, self.compared, self.changes, self.arriving
        return made


def pack_function(partitions: int, *, keyed: bool):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """``mapInArrow``: batches whose last column is a hash of the keys become payloads, one per bucket and some megabytes.

    The first task greets all buckets with an empty payload. The number of partitions is known only when the query runs, because a
    checkpoint keeps its first number even if the session's setting changes. Spark gives each task the settings of the query;
    ``partitions`` is used if nobody has set the number.
    """

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        modules_stay()
        context = TaskContext.get()
        task = context.partitionId() if context is not None else 0
        number = task << 32
        known = [context.getLocalProperty(name) for name in _OF_THE_STATE] if context is not None else []
        count = next((int(one) for one in known if one is not None), partitions)
        label_of = np.array(labels_for(count, keyed=keyed), dtype=np.int32)
        if task == 0:
            yield _payloads(label_of, number, [None] * len(label_of))
        for batch in gathered(batches):
            hashes = batch.column(batch.num_columns - 1).to_numpy(zero_copy_only=False)
            labels = label_of[hashes % len(label_of)]
            tuples = batch.select(range(batch.num_columns - 1))
            found = np.unique(labels)
            payloads = []
            for label in found:
                its = tuples if len(found) == 1 else tuples.take(pa.array(np.flatnonzero(labels == label)))
                payloads.append(in_stream(its))
            yield _payloads(found, number, payloads)
            number += 1

    return inwindow


def _payloads(labels: Any, number: int, contents: Sequence[bytes | None]) -> pa.RecordBatch:
    numbers = pa.array(np.full(len(labels), number, dtype=np.int64))
    columns = [pa.array(labels, pa.int32()), numbers, pa.array(contents, pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["bucket", "number", "content"])


def unpack_function(columns: Mapping[str, pa.Schema] | None = None):  # type: ignore[no-untyped-def]
    """``mapInArrow``: unpack payloads into rows.

    With ``columns``, the columns of each kind: into rows with the kind, and then the columns of all kinds, NULL for the others.
    """

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        modules_stay()
        for batch in batches:
            for kind, content in zip(batch.column("kind").to_pylist(), batch.column("rows").to_pylist(), strict=True):
                if content is not None:
                    for rows in unpacked(content):
                        yield spark_batch(rows if columns is None else _beside_others(kind, rows, columns))

    return inwindow


def _beside_others(kind: str, rows: pa.RecordBatch, columns: Mapping[str, pa.Schema]) -> pa.RecordBatch:
    made = [pa.array([kind] * rows.num_rows, pa.string())]
    for its, schema in columns.items():
        made += rows.columns if its == kind else [pa.nulls(rows.num_rows, field.type) for field in schema]
    return pa.RecordBatch.from_arrays(made, [f"_{at}" for at in range(len(made))])


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches together, in portions of some megabytes."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            size += batch.nbytes
        if size >= _BYTES:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held, size = [], 0
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def unpacked(content: bytes) -> list[pa.RecordBatch]:
    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        return list(reader)


class Turns:
    """Runs the turns of a task's buckets, for both of Spark's stateful operators."""

    def __init__(self, job: bytes) -> None:
        self.job: StreamJob = loaded(job)
        self.bucket, self.output = self.job.bucket(), self.job.output

    def take(
        self,
        label: int,
        state: bytes | None,
        payloads: list[tuple[int, bytes]],
        watermark: int,
        chunk: Callable[[int], bytes] | None = None,
    ) -> Taken:
        """Run a bucket's turn on its old state (``chunk`` reads a chunk), its new tuples, and the watermark in milliseconds."""
        bucket = self.bucket
        bucket.begin(label)
        if state is not None:
            bucket.restore(state, chunk)
        done = bucket.done
        batches = [batch for _, content in sorted(payloads, key=lambda pair: pair[0]) for batch in unpacked(content)]
        table = None
        if batches:
            table = pa.Table.from_batches(batches).rename_columns(self.job.arriving.names)
        # Before the first tuple, Spark's watermark is 0: there is none yet.
        with seldom_collected(), measured() as spent:
            given = bucket.step(table, watermark * 1000 if watermark > 0 else None)
        has_moved = state is None or bucket.done != done
        return Taken(bucket, given, has_moved or table is not None, has_moved, spent)


def received(payloads: Iterable[tuple[Any, Any]]) -> list[tuple[int, bytes]]:
    """The numbered payloads, without greetings."""
    return [(int(number), bytes(content)) for number, content in payloads if content is not None]


class BucketProcessor(StatefulProcessor):
    """transformWithState over buckets: a value state for the head, a map state for the chunks of the log, one timer."""

    def __init__(self, job: bytes, timed: bool) -> None:
        self.job, self.timed = job, timed

    def init(self, handle: Any) -> None:
        """Called once per task and micro-batch."""
        self.handle = handle
        self.turns = Turns(self.job)
        self.state = handle.getValueState("bucket", STORED)
        self.chunks = handle.getMapState("chunks", _CHUNK, STORED)
        self.done: set[Any] = set()
        self.timed_again: set[Any] = set()

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Tuples or a greeting have arrived."""
        self.done.add(tuple(key))
        payloads = received((row.number, row.content) for row in rows)
        yield from without_our_frames(self._turn(key, payloads, timerValues.getCurrentWatermarkInMs()))

    def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:  # noqa: N803  # Spark's name
        """In the first micro-batch, before any turn: the state with which the bucket begins."""
        self.state.update((as_text(bytes(initialState.content)),))
        if self.timed:
            self.handle.registerTimer(max(timerValues.getCurrentWatermarkInMs(), 0) + 1)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """The watermark has moved, but nothing has arrived. Spark forgets the timer now, so there must be another one.

        Behind the state of a history the watermark is below that of the bucket for a while, which then does not move.
        """
        watermark = timerValues.getCurrentWatermarkInMs()
        if tuple(key) not in self.done:
            self.done.add(tuple(key))
            yield from without_our_frames(self._turn(key, [], watermark))
        if tuple(key) not in self.timed_again:
            self.handle.registerTimer(max(watermark, 0) + 1)

    def _turn(self, key: Any, payloads: list[tuple[int, bytes]], watermark: int) -> Iterator[Row]:
        content = self.state.get()
        head = None if content is None else as_bytes(content[0])
        taken = self.turns.take(int(key[0]), head, payloads, watermark, self._chunk)
        changed = taken.bucket.changed()
        if taken.has_changed:
            self._store(changed)
        if taken.has_moved and self.timed:
            self.handle.registerTimer(max(watermark, 0) + 1)
            self.timed_again.add(tuple(key))
        for one in self.turns.output.of(taken, changed.size):
            yield Row(**one)

    def _store(self, changed: Changed) -> None:
        self.state.update((as_text(changed.head),))
        for number in changed.removed:
            self.chunks.removeKey((number,))
        for number, chunk in changed.chunks.items():
            self.chunks.updateValue((number,), (as_text(chunk),))

    def _chunk(self, number: int) -> bytes:
        return as_bytes(self.chunks.getValue((number,))[0])

    def close(self) -> None:
        """There is nothing to close."""
