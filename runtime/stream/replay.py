"""A stream without Spark: Arrow tables as micro-batches, watermarks as in Spark, and the same buckets.

It is for tests, of users and of ours: each micro-batch gives the rows that it would give in a query on Spark.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native.equality import canonical
from inwindow.optimizer.stream import stream_key
from inwindow.runtime.dictionaries import as_read, encoded_as
from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.reserved import AHEAD
from inwindow.runtime.stream.bucket import Bucket, whole
from inwindow.runtime.stream.kinds import in_kinds
from inwindow.runtime.stream.replay_input import check_query, clocks_of, delays_of, micro_batches
from inwindow.runtime.stream.replay_stream import Piece, Source, Stream, StreamPlan
from inwindow.runtime.stream.state_rows import BY_REPLAY, starts, state_rows
from inwindow.runtime.stream.watermarks import Slowest, Watermark
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import size_of

_BUCKETS = 4
_IN_ARRIVAL_ORDER = "the windows have no order column, so tuples are taken in the order in which they come"


@dataclass(frozen=True)
class Replayed:
    """The output of a replayed stream."""

    batches: list[pa.Table]  # the rows of each micro-batch; in the last one the watermark moves without tuples
    late: list[pa.Table]  # the late tuples of each micro-batch
    watermarks: list[Any]  # the watermark of each micro-batch, as a value of the order column; None before the first
    rows: list[pa.Table]  # the same as batches, unless the query gives iw.outputs
    failed: list[pa.Table] = field(default_factory=list)  # with on_error="collect", the bad tuples of each micro-batch
    buckets: list[Bucket] = field(default_factory=list, repr=False, compare=False)

    @property
    def table(self) -> pa.Table:
        return pa.concat_tables(self.batches)

    @property
    def state(self) -> pa.Table:
        """The state at the end: a row per bucket."""
        labels = range(len(self.buckets))
        return state_rows(labels, [bucket.state() for bucket in self.buckets], BY_REPLAY)

    @property
    def outputs(self) -> list[pa.Table]:
        """All that each micro-batch gives, as of :func:`inwindow.outputs`: its rows, its late tuples, and the bad ones."""
        failed = {"failed": self.failed} if self.failed else {}
        kinds = {"row": self.rows, "late": self.late, **failed}
        return [in_kinds(dict(zip(kinds, tables, strict=True))) for tables in zip(*kinds.values(), strict=True)]


@says_what_it_takes
def replay(
    batches: Iterable[Any],
    query: Callable[..., Any],
    *,
    delay: Any = 0,
    clock: Any = None,
    watermarks: Sequence[Any] | None = None,
    until: Any = None,
    buckets: int | None = None,
) -> Replayed:
    """Run a query on Arrow tables as the micro-batches of a stream, without Spark.

    As on Spark, the watermark of a micro-batch is the latest time of all *earlier* micro-batches, minus ``delay``. After the last
    micro-batch it moves once more, without tuples. ``watermarks=`` gives the watermark of each micro-batch instead. ``until=`` ends
    the stream with that watermark, so that waiting tuples give their rows.

    For several streams, a micro-batch is a tuple of tables. The query is called with that many streams, for :func:`inwindow.union`.
    The watermark is that of the slowest stream, and None until each stream has had a tuple. ``delay=`` may be a tuple, too.
    For :func:`inwindow.with_watermark`, ``clock=`` is the time of the micro-batches: a list of one for each, or one for all.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 3], "v": [1.0, 2.0]}), pa.table({"t": [2, 9], "v": [4.0, 8.0]})]
    >>> window = iw.range(5, order_by="t")
    >>> replayed = iw.testing.replay(batches, lambda df: iw.with_columns(df, total=iw.sum("v").over(window)), delay=2)
    >>> [batch.to_pydict() for batch in replayed.batches if len(batch)]
    [{'t': [1, 2, 3], 'v': [1.0, 4.0, 2.0], 'total': [1.0, 5.0, 7.0]}]
    >>> replayed.watermarks
    [None, 1, 7]

    >>> bids, closings = [pa.table({"t": [1, 4]}), pa.table({"t": [9]})], [pa.table({"t": [2]}), pa.table({"t": [5]})]
    >>> def count(bids, closings):
    ...     return iw.with_columns(iw.union(bids, closings, order_by="t"), n=iw.count().over(iw.unbounded(order_by="t")))
    >>> replayed = iw.testing.replay(zip(bids, closings), count)
    >>> replayed.watermarks, replayed.table.to_pydict()
    ([None, 2, 5], {'t': [1, 2, 4], 'n': [1, 2, 3]})
    """
    if buckets is not None and (not isinstance(buckets, int) or buckets < 1):
        raise UsageError(f"replay(buckets={buckets!r}): tuples need a whole number of buckets, one at least")
    given = micro_batches(batches)
    tables = [tuple(as_read(table, table.column_names) for table in batch) for batch in given]
    check_query(query, len(tables[0]))
    made = query(*[Stream(table.schema, sources=(Source(number),)) for number, table in enumerate(tables[0])])
    if not isinstance(made, StreamPlan):
        raise UsageError(
            f"replay(): the query gave {shown(made)}, but it must give the result of iw.with_columns, iw.select or "
            "iw.group_by(...).agg on the stream that it is called with"
        )
    arrived = [made.stream.arrived(batch) for batch in tables]
    replayed = _run(made, arrived, delays_of(delay, len(tables[0])), clock, watermarks, until, buckets)
    return _as_given(replayed, made, made.stream.given(given))


def _as_given(replayed: Replayed, query: StreamPlan, whole: pa.Table) -> Replayed:
    """The rows, with dictionary columns of the stream as dictionaries again."""
    came = {name: name for name in whole.column_names}
    rows = [encoded_as(whole, table, query.titles) for table in replayed.batches]
    late = [encoded_as(whole, table, came) for table in replayed.late]
    made = replace(replayed, batches=rows, late=late, rows=rows)
    return replace(made, batches=made.outputs) if query.in_kinds else made


def _run(
    query: StreamPlan,
    arrived: list[list[Piece]],
    delays: list[Any],
    clock: Any,
    watermarks: Sequence[Any] | None,
    until: Any,
    count: int | None,
) -> Replayed:
    key = stream_key(query.schema, query.work, "replay")
    given = _given(watermarks, key, len(arrived))
    marks = [source.mark or Watermark(size_of(delays[source.number], "delay")) for source in query.stream.sources]
    clocks = clocks_of(clock, key, marks, len(arrived))
    slowest = None if key is None else Slowest(key, marks)
    last = _end(until, key)
    buckets = _buckets(query, count)
    watermark: int | None = None
    replayed = Replayed([], [], [], [], [], buckets)
    for number, pieces in enumerate([*arrived, None]):
        if given is not None:
            watermark = given[min(number, len(given) - 1)]
        table = None if pieces is None else arriving(pieces, slowest, clocks[number])
        _turn(query, buckets, table, watermark, replayed, key)
        if slowest is not None and pieces is not None and given is None:
            times = {at: piece.times(slowest.key.column) for at, piece in enumerate(pieces)}
            watermark = slowest.after(times, clocks[number])
    if last is not None:
        _turn(query, buckets, None, last, replayed, key)
    return replayed


def arriving(pieces: Sequence[Piece], slowest: Slowest | None, clock: int | None) -> pa.Table:
    """The tuples of all streams in the order of arrival; marked if they are too far ahead of the clock."""
    tables = [piece.table for piece in pieces]
    if slowest is not None and any(ahead is not None for ahead in slowest.aheads):
        for at, table in enumerate(tables):
            far = slowest.is_ahead(at, table.column(slowest.key.column), clock)
            tables[at] = table.append_column(AHEAD, pa.array(np.zeros(len(table), dtype=bool) if far is None else far))
    return pa.concat_tables(tables)


def _buckets(query: StreamPlan, count: int | None) -> list[Bucket]:
    """The buckets of a stream, empty or from the state with which it begins."""
    states = None if query.start is None else starts(query.start, BY_REPLAY, count)
    buckets = [query.bucket() for _ in range(len(states) if states is not None else count or _BUCKETS)]
    for number, bucket in enumerate(buckets):
        bucket.begin(number)
        if states is not None:
            bucket.restore(states[number])
    return buckets


def _end(until: Any, key: Any) -> int | None:
    if until is None:
        return None
    if key is None:
        raise UsageError(f"replay(until={shown(until)}): {_IN_ARRIVAL_ORDER}, and none waits: drop until=")
    return int(key.value(until, what="until"))


def _given(watermarks: Sequence[Any] | None, key: Any, count: int) -> list[int | None] | None:
    if watermarks is None:
        return None
    if key is None:
        raise UsageError(f"replay(watermarks=...): {_IN_ARRIVAL_ORDER}")
    if len(watermarks) not in (count, count + 1):
        raise UsageError(
            f"replay(watermarks=...): {len(watermarks)} watermarks for {count} micro-batches: give one for each, and one more for "
            "the end if it moves on"
        )
    values = [None if w is None else int(key.value(w, what="replay: watermarks")) for w in watermarks]
    known = [value for value in values if value is not None]
    if known != sorted(known):
        raise UsageError(f"replay(watermarks={shown(list(watermarks))}): a watermark never goes back")
    return values


def _turn(
    query: StreamPlan,
    buckets: list[Bucket],
    table: pa.Table | None,
    watermark: int | None,
    replayed: Replayed,
    key: Any,
) -> None:
    rows, late, failed = [], [], []
    for bucket, piece in zip(buckets, in_buckets(query, table, len(buckets)), strict=True):
        given = bucket.step(piece, watermark)
        named = pa.RecordBatch.from_arrays(given.rows.columns, names=list(query.titles))
        rows.append(named.select(query.order))
        late.append(given.late.select([name for name in query.schema.names if name not in query.computed.columns]))
        failed += [] if given.failed is None else [given.failed]
    if failed:
        replayed.failed.append(pa.Table.from_batches(failed))
    replayed.batches.append(pa.Table.from_batches(rows))
    replayed.late.append(pa.Table.from_batches(late))
    replayed.watermarks.append(None if watermark is None else key.column_of(np.array([watermark]))[0].as_py())


def in_buckets(query: StreamPlan, table: pa.Table | None, count: int) -> list[pa.RecordBatch | None]:
    """The tuples of each bucket, chosen by the bytes of the keys, so that a key is always in the same bucket."""
    if table is None:
        return [None] * count
    table = query.computed.onto(table)
    keys = query.work.partition_by
    if not keys:
        return [whole(table), *([None] * (count - 1))]
    number = partition_numbers([table.column(name) for name in keys])
    first = np.unique(number, return_index=True)[1]
    columns = [_keys(column) for column in whole(table.select(keys).take(pa.array(first))).columns]
    shown_keys = [repr(list(key)) for key in zip(*columns, strict=True)]  # equal keys have the same text
    bucket = (
        np.array([sum(text.encode()) % count for text in shown_keys], dtype=np.int64)[number] if len(table) else number
    )
    return [whole(table.filter(pa.array(bucket == index))) for index in range(count)]


def _keys(column: pa.Array) -> list[Any]:
    """Keys that Python can show: times may be beyond its dates, so they are numbers."""
    values = canonical(column)
    if pa.types.is_temporal(values.type) and values.type.bit_width in (32, 64):
        values = values.view(f"int{values.type.bit_width}")
    listed: list[Any] = values.to_pylist()
    return listed
