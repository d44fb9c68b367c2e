"""A stream, run as Spark runs it, with what may happen to it: restarts from stored states, micro-batches that are run twice.

All that happens is given, so it happens again. One plan runs many streams: a task, too, has one bucket object, and uses it for
each of its buckets in turn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.stream import stream_key
from inwindow.runtime.stream import log
from inwindow.runtime.stream.bucket import Bucket, Output
from inwindow.runtime.stream.kinds import in_kinds
from inwindow.runtime.stream.replay import arriving, in_buckets
from inwindow.runtime.stream.replay_stream import Source, Stream, StreamPlan
from inwindow.runtime.stream.watermarks import Slowest
from inwindow.windows.order_key import OrderKey

HAPPENS = ("goes on", "restarts", "runs twice", "is changed")  # before and in a micro-batch
HISTORY = (
    "is a history"  # what the first one may be: it comes sorted, in portions, and the stream begins with its state
)
_PORTION = 5  # tuples of a history
_SMALL = 200  # bytes of a chunk


class Planned:
    """A query on a stream of such tables, and its buckets."""

    def __init__(self, query: Any, schema: pa.Schema, sources: int = 1) -> None:
        made = query(*[Stream(schema, sources=(Source(number),)) for number in range(sources)])
        assert isinstance(made, StreamPlan)
        self.plan = made
        self.key = stream_key(made.schema, made.work, "replay")
        self.plans = made, _changed(made)
        self.buckets: tuple[list[Bucket], ...] = [], []

    def fresh(self, count: int, changed: int = 0) -> list[Bucket]:
        """So many buckets without tuples, of the query or of the changed one; the objects have been others before."""
        its = self.buckets[changed]
        while len(its) < count:
            its.append(self.plans[changed].bucket())
        its.append(its.pop(0))
        for label, bucket in enumerate(its[:count]):
            bucket.begin(label)
        return its[:count]

    def named(self, rows: pa.RecordBatch, changed: int) -> pa.RecordBatch:
        """The rows with the query's own columns."""
        columns, results = rows.columns, len(self.plan.work.steps)
        if changed:
            columns = [*columns[:-results], *reversed(columns[-results:])]
        return pa.RecordBatch.from_arrays(columns, names=list(self.plan.titles)).select(self.plan.order)

    def slowest(self) -> Slowest | None:
        """Its watermarks, if they are its own."""
        marks = [source.mark for source in self.plan.stream.sources]
        return None if self.key is None else Slowest(self.key, [mark for mark in marks if mark is not None])

    def watermark(self, value: Any) -> int | None:
        """As a key."""
        return None if value is None or self.key is None else int(self.key.value(value, what="watermark"))


def _changed(plan: StreamPlan) -> StreamPlan:
    """The same with other names of its results, in another order: its state goes on from that of the query."""
    steps = tuple(replace(step, name=f"{step.name}_renamed") for step in reversed(plan.work.steps))
    return replace(plan, part=replace(plan.part, work=replace(plan.work, steps=steps)))


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
    its, changed = planned.fresh(buckets), 0
    evolves = its[0].evolves
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
            if what == "is changed" and evolves:
                changed = 1 - changed
                states.go_on_in(planned.fresh(buckets, changed))
            parts = [(pieces, at)]
            if what == HISTORY and number == 0 and planned.key is not None:
                parts = list(_portions(planned, pieces, at))
            for some, passed in parts:
                for given in states.step(some, passed, what):
                    rows.append(planned.named(given.rows, changed))
                    late.append(given.late)
    counted = sum(bucket.late for bucket in states.buckets)
    assert counted == sum(map(len, late)), f"{counted} late tuples are counted"
    if not plan.in_kinds:
        return pa.Table.from_batches(rows), pa.Table.from_batches(late)
    whole = in_kinds({"row": pa.Table.from_batches(rows), "late": pa.Table.from_batches(late)})
    row, behind = (
        pa.Table.from_struct_array(whole.filter(pc.equal(whole["kind"], kind))[kind]) for kind in ("row", "late")
    )
    return row, behind


def _portions(planned: Planned, pieces: list[Any], until: int | None) -> Iterator[tuple[list[Any], int | None]]:
    """The tuples of each bucket in order, a few at a time; the watermark follows those of the slowest, up to ``until``."""
    key = planned.key
    assert key is not None
    if until is None or None in pieces:
        yield pieces, until
        return
    sorted_pieces = [_in_order(pa.Table.from_batches([piece]), key) for piece in pieces]
    longest = max(map(len, sorted_pieces))
    for at in range(0, longest, _PORTION):
        some = [piece.slice(at, _PORTION) for piece in sorted_pieces]
        rest = [piece.slice(at + _PORTION).column(key.column).drop_null() for piece in sorted_pieces]
        next_times = [int(key.read(one.combine_chunks().slice(0, 1))[0][0]) for one in rest if len(one)]
        yield some, min([until, *next_times])
    yield [None] * len(pieces), until


def _in_order(table: pa.Table, key: OrderKey) -> pa.Table:
    """By time, NULL first, ties as they came."""
    keys, side = key.read(table.column(key.column).combine_chunks())
    return table.take(pa.array(np.lexsort((keys, side))))


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


def latest(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> list[dict[str, Any]]:
    """The last of early rows."""
    return list({repr([row[column] for column in by]): row for row in rows}.values())


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

    def go_on_in(self, others: list[Bucket]) -> None:
        """Let other buckets go on from what is stored."""
        for other, bucket in zip(others, self.buckets, strict=True):
            other.restore(bucket.state())
        self.buckets = others


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

    def go_on_in(self, others: list[Bucket]) -> None:
        """Let other buckets go on from what is stored."""
        self.buckets = others

    def _read(self) -> None:
        for label, (bucket, head, store) in enumerate(zip(self.buckets, self.heads, self.stores, strict=True)):
            bucket.begin(label)
            if head is not None:
                bucket.restore(head, store.__getitem__)
                known = {number for its, _ in bucket.logged.values() for number in its.stored}
                assert store.keys() == known, "a chunk is kept that nothing reads"


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
