"""A stream, run as Spark runs it, with what may happen to it: restarts from stored states, micro-batches that are run twice.

All that happens is given, so it happens again. One plan runs many streams: a task, too, has one bucket object, and uses it for
each of its buckets in turn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.stream import stream_key
from inwindow.runtime.stream import log
from inwindow.runtime.stream.bucket import Bucket, Output
from inwindow.runtime.stream.kinds import in_kinds
from inwindow.runtime.stream.replay import arriving, in_buckets
from inwindow.runtime.stream.replay_stream import Source, Stream, StreamPlan
from inwindow.runtime.stream.watermarks import Slowest

HAPPENS = ("goes on", "restarts", "runs twice")  # before and in a micro-batch
_SMALL = 200  # bytes of a chunk


class Planned:
    """A query on a stream of such tables, and its buckets."""

    def __init__(self, query: Any, schema: pa.Schema, sources: int = 1) -> None:
        made = query(*[Stream(schema, sources=(Source(number),)) for number in range(sources)])
        assert isinstance(made, StreamPlan)
        self.plan = made
        self.key = stream_key(made.schema, made.work, "replay")
        self.buckets: list[Bucket] = []

    def fresh(self, count: int) -> list[Bucket]:
        """So many buckets without tuples; the objects have been others before."""
        while len(self.buckets) < count:
            self.buckets.append(self.plan.bucket())
        self.buckets.append(self.buckets.pop(0))
        for label, bucket in enumerate(self.buckets[:count]):
            bucket.begin(label)
        return self.buckets[:count]

    def slowest(self) -> Slowest | None:
        """Its watermarks, if they are its own."""
        marks = [source.mark for source in self.plan.stream.sources]
        return None if self.key is None else Slowest(self.key, [mark for mark in marks if mark is not None])

    def watermark(self, value: Any) -> int | None:
        """As a key."""
        return None if value is None or self.key is None else int(self.key.value(value, what="watermark"))


def simulated(
    query: Any,
    batches: Sequence[tuple[pa.Table, ...]],
    watermarks: Sequence[Any],
    until: Any,
    *,
    happens: Sequence[str] = (),
    buckets: int = 1,
    chunks: bool = False,
    clocks: Sequence[Any] = (),
) -> tuple[pa.Table, pa.Table]:
    """The rows of a stream, and its late tuples. ``happens`` says what happens in each micro-batch, of :data:`HAPPENS`.

    With ``clocks``, the time of each micro-batch, the watermarks are those of the query's :func:`inwindow.with_watermark`.
    """
    planned = Planned(query, batches[0][0].schema, len(batches[0]))
    return run(planned, batches, watermarks, until, happens=happens, buckets=buckets, chunks=chunks, clocks=clocks)


def run(
    planned: Planned,
    batches: Sequence[tuple[pa.Table, ...]],
    watermarks: Sequence[Any],
    until: Any,
    *,
    happens: Sequence[str] = (),
    buckets: int = 1,
    chunks: bool = False,
    clocks: Sequence[Any] = (),
) -> tuple[pa.Table, pa.Table]:
    """The same of a query that is planned."""
    plan = planned.plan
    its = planned.fresh(buckets)
    states: Any = _InChunks(its) if chunks else _InBytes(its)
    rows: list[pa.RecordBatch] = []
    late: list[pa.RecordBatch] = []
    last = watermarks[-1] if watermarks else None
    slowest = planned.slowest() if clocks else None
    reached: int | None = None
    with _small_chunks():
        for number, batch in enumerate([*batches, None, None]):
            mark = watermarks[number] if number < len(watermarks) else last if number == len(batches) else until
            at = reached if slowest is not None and number <= len(batches) else planned.watermark(mark)
            table = None
            if batch is not None:
                clock = planned.watermark(clocks[number]) if clocks else None
                came = plan.stream.arrived(batch)
                table = arriving(came, slowest, clock)
                if slowest is not None:
                    reached = slowest.after({one: piece.times("t") for one, piece in enumerate(came)}, clock)
            pieces = in_buckets(plan, table, buckets)
            what = happens[number] if number < len(happens) else HAPPENS[0]
            for given in states.step(pieces, at, what):
                rows.append(pa.RecordBatch.from_arrays(given.rows.columns, names=list(plan.titles)).select(plan.order))
                late.append(given.late)
    if not plan.in_kinds:
        return pa.Table.from_batches(rows), pa.Table.from_batches(late)
    whole = in_kinds({"row": pa.Table.from_batches(rows), "late": pa.Table.from_batches(late)})
    row, behind = (
        pa.Table.from_struct_array(whole.filter(pc.equal(whole["kind"], kind))[kind]) for kind in ("row", "late")
    )
    return row, behind


def newest(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a stream with ``allowed_lateness=``, merged: the last revision of each, without those that were withdrawn."""
    merged: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = repr([row[column] for column in by])
        before = merged.get(name)
        number = -1 if before is None else before["iw_revision"]
        is_there = before is not None and not before["iw_withdrawn"]
        assert row["iw_revision"] == number + 1, f"{row} comes after {before}"
        assert is_there or not row["iw_withdrawn"], f"{row} is withdrawn, but was not there"
        merged[name] = row
    return [row for row in merged.values() if not row["iw_withdrawn"]]


class _InBytes:
    """Buckets whose whole states are stored, as those of small streams."""

    def __init__(self, buckets: list[Bucket]) -> None:
        self.buckets = buckets

    def step(self, pieces: list[Any], watermark: int | None, what: str) -> list[Output]:
        stored = [] if what == HAPPENS[0] else [bucket.state() for bucket in self.buckets]
        if what == HAPPENS[2]:
            _steps(self.buckets, pieces, watermark)  # and the process is killed
        for label, (bucket, state) in enumerate(zip(self.buckets, stored, strict=False)):
            bucket.begin(label)
            bucket.restore(state)
        return _steps(self.buckets, pieces, watermark)


class _InChunks:
    """Buckets whose states are a head and chunks, which are put and removed and never written again."""

    def __init__(self, buckets: list[Bucket]) -> None:
        self.buckets = buckets
        self.heads: list[bytes | None] = [None] * len(buckets)
        self.stores: list[dict[int, bytes]] = [{} for _ in buckets]

    def step(self, pieces: list[Any], watermark: int | None, what: str) -> list[Output]:
        self._read()
        given = _steps(self.buckets, pieces, watermark)
        if what == HAPPENS[2]:
            self._read()
            given = _steps(self.buckets, pieces, watermark)
        for at, bucket in enumerate(self.buckets):
            changed = bucket.changed()
            for number in changed.removed:
                del self.stores[at][number]
            assert not self.stores[at].keys() & changed.chunks.keys(), "a chunk is written twice"
            self.stores[at].update(changed.chunks)
            self.heads[at] = changed.head
        return given

    def _read(self) -> None:
        for label, (bucket, head, store) in enumerate(zip(self.buckets, self.heads, self.stores, strict=True)):
            bucket.begin(label)
            if head is not None:
                bucket.restore(head, store.__getitem__)


def _steps(buckets: list[Bucket], pieces: list[Any], watermark: int | None) -> list[Output]:
    return [bucket.step(piece, watermark) for bucket, piece in zip(buckets, pieces, strict=True)]


@contextmanager
def _small_chunks() -> Iterator[None]:
    """Chunks that a few tuples fill."""
    full, log.FULL = log.FULL, _SMALL
    try:
        yield
    finally:
        log.FULL = full
