"""A stream without Spark: Arrow tables as micro-batches, watermarks as Spark would make them, the same buckets.

For tests of one's own aggregates, and for ours: each micro-batch gives what it would have given in a query on Spark.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native.equality import canonical
from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import plan_stream, plan_stream_groups, stream_key
from inwindow.runtime.dictionaries import as_read, encoded_as
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.local import Local
from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.place import place_of
from inwindow.runtime.stream.bucket import Bucket, whole
from inwindow.runtime.stream.explain import described
from inwindow.runtime.stream.extents import extent_bucket
from inwindow.runtime.stream.tuples import TupleBucket
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import is_negative, size_of
from inwindow.windows.order_key import PLAIN
from inwindow.windows.spec import Extent, Order

_IN_ARRIVAL_ORDER = "the windows have no order column, so tuples are taken in the order in which they come"


@dataclass(frozen=True)
class Replayed:
    """What a stream gave."""

    batches: list[pa.Table]  # the rows of each micro-batch; the last ones come as the watermark moves on without tuples
    late: list[pa.Table]  # the tuples of each that came behind the watermark
    watermarks: list[Any]  # at which each was processed, as values of the order column; None before the first

    @property
    def table(self) -> pa.Table:
        """All rows."""
        return pa.concat_tables(self.batches)


def replay(
    batches: Iterable[pa.Table],
    query: Callable[[Any], Any],
    *,
    delay: Any = 0,
    watermarks: Sequence[Any] | None = None,
    until: Any = None,
    buckets: int = 4,
) -> Replayed:
    """Run a query on Arrow tables as the micro-batches of a stream, without Spark.

    As on Spark, the watermark at a micro-batch is the latest time of all *earlier* ones, less ``delay``; and when the last one
    has come it moves on once more, without tuples. ``watermarks=`` gives the watermark at each micro-batch instead; ``until=``
    ends the stream with a watermark of its own, for what would else still wait.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 3], "v": [1.0, 2.0]}), pa.table({"t": [2, 9], "v": [4.0, 8.0]})]
    >>> window = iw.range(5, order_by="t")
    >>> replayed = iw.testing.replay(batches, lambda df: iw.with_columns(df, total=iw.sum("v").over(window)), delay=2)
    >>> [batch.to_pydict() for batch in replayed.batches if len(batch)]
    [{'t': [1, 2, 3], 'v': [1.0, 4.0, 2.0], 'total': [1.0, 5.0, 7.0]}]
    >>> replayed.watermarks
    [None, 1, 7]
    """
    if isinstance(batches, (pa.Table, pa.RecordBatch)):
        raise UsageError("replay() was given one table: give a list, with a pyarrow.Table for each micro-batch")
    if not callable(query):
        raise UsageError(
            f"replay(batches, {shown(query)}): a query is a function of the stream, called once to plan it: write "
            "replay(batches, lambda df: iw.with_columns(df, ...))"
        )
    if not isinstance(buckets, int) or buckets < 1:
        raise UsageError(f"replay(buckets={buckets!r}): tuples need a whole number of buckets, one at least")
    tables = [_table(batch) for batch in batches]
    if not tables:
        raise UsageError("replay() was given no micro-batch: give a list of pyarrow.Tables, empty ones if need be")
    check_columns(tables[0].schema, tables[0].schema.names, "replay")  # each once
    for number, table in enumerate(tables):
        if table.schema != tables[0].schema:
            raise UsageError(
                f"replay(): micro-batch {number} has the columns {_columns(table)}, but the first one {_columns(tables[0])}: give "
                "all the same columns, with the same types"
            )
    made = query(Stream(as_read(tables[0].slice(0, 0), tables[0].column_names).schema))
    if not isinstance(made, Query):
        raise UsageError(
            f"replay(): the query gave {shown(made)}, but it must give the result of iw.with_columns, iw.select or "
            "iw.group_by(...).agg on the stream that it is called with"
        )
    replayed = _run(made, [as_read(table, table.column_names) for table in tables], delay, watermarks, until, buckets)
    return _as_given(replayed, made, pa.concat_tables(tables))


def _as_given(replayed: Replayed, query: "Query", whole: pa.Table) -> Replayed:
    """The rows, with the columns of the stream that are dictionaries as such."""
    came = {name: name for name in whole.column_names}
    batches = [encoded_as(whole, table, query.titles) for table in replayed.batches]
    return Replayed(batches, [encoded_as(whole, table, came) for table in replayed.late], replayed.watermarks)


@dataclass(frozen=True)
class Stream(Local):
    """The stream that a query of :func:`replay` is called with: a schema, and no data yet."""

    early: bool = False

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the stream that replay() calls a query with has no .{name}: it is a schema without data, for iw.with_columns, "
            "iw.select and iw.group_by; prepare the micro-batches themselves"
        )

    def with_early_results(self) -> "Stream":
        """Extents whenever they change."""
        return replace(self, early=True)

    def with_columns(self, applied: Mapping[str, Applied]) -> "Query":
        """See :func:`inwindow.with_columns`."""
        named, computed = compute_arguments(applied)
        schema = computed.schema(self._schema)
        work = plan_stream(schema, named, "with_columns")
        kept = [name for name in self._schema.names if name not in applied]
        order = [*self._schema.names, *(name for name in applied if name not in self._schema.names)]
        return Query(
            work,
            computed,
            schema,
            lambda: TupleBucket(work, schema, kept, every_row=True),
            {name: name for name in kept} | dict.fromkeys(applied),
            order,
        )

    def select(
        self, passed: Mapping[str, str], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> "Query":
        """See :func:`inwindow.select`."""
        named, computed = compute_arguments(applied)
        schema = computed.schema(self._schema)
        work = plan_stream(schema, named, "select")
        sources = tuple(passed.values())
        titles = [*passed, *applied, *([] if emitted_at is None else [emitted_at])]
        return Query(
            work, computed, schema,
            lambda: TupleBucket(work, schema, sources, every_row=False, emitted_at=emitted_at),
            {**dict.fromkeys(titles), **passed}, order,
        )  # fmt: skip

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> "Query":
        """See :func:`inwindow.group_by`."""
        named, computed = compute_arguments(applied)
        schema = computed.schema(self._schema)
        work = plan_stream_groups(schema, keys, extent, named, order_by=order_by)
        titles = [*keys, "window", *applied]
        return Query(
            work,
            computed,
            schema,
            lambda: extent_bucket(work, schema, early=self.early),
            dict.fromkeys(titles) | {name: name for name in keys},
            titles,
        )

    def explain(self, applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over windows would do."""
        named, computed = compute_arguments(applied)
        work = plan_stream(computed.schema(self._schema), named, "explain")
        return Explanation([work], described(work))

    def explain_groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Explanation:
        """What aggregates of extents would do."""
        named, computed = compute_arguments(applied)
        work = plan_stream_groups(computed.schema(self._schema), keys, extent, named, order_by=order_by)
        return Explanation([work], described(work, early=self.early))

    def at_points(self, events: Any, applied: Mapping[str, Applied]) -> Any:
        """A stream has no rows to give results at yet."""
        raise UsageError(
            "with_columns(of=...) on a stream: results at points in time need both tables whole: use batch data"
        )

    explain_at_points = at_points


@dataclass(frozen=True)
class Query:
    """A stream's query: how to make its buckets, and how its columns are called."""

    work: Pass
    computed: Computed
    schema: pa.Schema
    bucket: Callable[[], Bucket]
    titles: Mapping[str, str | None]  # with the column of the stream that it is
    order: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the query of a stream has no .{name}: it is a plan without data; the rows are in what replay() gives: .table, "
            ".batches"
        )


def _run(
    query: Query, tables: list[pa.Table], delay: Any, watermarks: Sequence[Any] | None, until: Any, count: int
) -> Replayed:
    key = stream_key(query.schema, query.work, "replay")
    given = _given(watermarks, key, len(tables))
    distance = 0
    if key is not None and watermarks is None:
        size = size_of(delay, "delay")
        if is_negative(size):
            raise UsageError(f"replay(delay={delay!r}): a delay is not negative")
        distance = 0 if size == 0 else key.distance(size, up=True, what="replay: delay")
    last = _end(until, key)
    buckets = [query.bucket() for _ in range(count)]
    watermark: int | None = None
    replayed = Replayed([], [], [])
    for number, table in enumerate([*tables, None]):
        if given is not None:
            watermark = given[min(number, len(given) - 1)]
        _turn(query, buckets, table, watermark, replayed, key)
        if given is None and key is not None and table is not None:
            latest = _latest(key, table)
            if latest is not None:
                watermark = max(latest - distance, watermark if watermark is not None else latest - distance)
    if last is not None:
        _turn(query, buckets, None, last, replayed, key)
    return replayed


def _end(until: Any, key: Any) -> int | None:
    if until is None:
        return None
    if key is None:
        raise UsageError(f"replay(until={shown(until)}): {_IN_ARRIVAL_ORDER}, and none waits: drop until=")
    return int(key.value(until, what="replay: until"))


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
    query: Query, buckets: list[Bucket], table: pa.Table | None, watermark: int | None, replayed: Replayed, key: Any
) -> None:
    rows, late = [], []
    for bucket, piece in zip(buckets, _cut(query, table, len(buckets)), strict=True):
        given = bucket.step(piece, watermark)
        named = pa.RecordBatch.from_arrays(given.rows.columns, names=list(query.titles))
        rows.append(named.select(query.order))
        late.append(given.late.select([name for name in query.schema.names if name not in query.computed.columns]))
    replayed.batches.append(pa.Table.from_batches(rows))
    replayed.late.append(pa.Table.from_batches(late))
    replayed.watermarks.append(None if watermark is None else key.column_of(np.array([watermark]))[0].as_py())


def _cut(query: Query, table: pa.Table | None, count: int) -> list[pa.RecordBatch | None]:
    """The tuples of each bucket, by their keys' bytes, so that a key is always in the same one."""
    if table is None:
        return [None] * count
    table = query.computed.onto(table)
    keys = query.work.partition_by
    if not keys:
        return [whole(table), *([None] * (count - 1))]
    number = partition_numbers([table.column(name) for name in keys])
    first = np.unique(number, return_index=True)[1]
    columns = [canonical(column).to_pylist() for column in whole(table.select(keys).take(pa.array(first))).columns]
    shown_keys = [repr(list(key)) for key in zip(*columns, strict=True)]  # equal keys are the same text
    bucket = (
        np.array([sum(text.encode()) % count for text in shown_keys], dtype=np.int64)[number] if len(table) else number
    )
    return [whole(table.filter(pa.array(bucket == index))) for index in range(count)]


def _latest(key: Any, table: pa.Table) -> int | None:
    check_columns(table.schema, [key.column], "replay")
    keys, side = key.read(whole(table.select([key.column])).column(0))
    times = keys[side == PLAIN]
    return int(times.max()) if len(times) else None


def _columns(table: pa.Table) -> str:
    return ", ".join(f"{one.name}: {one.type}" for one in table.schema)


def _table(batch: Any) -> pa.Table:
    if not isinstance(batch, (pa.Table, pa.RecordBatch)):
        raise UsageError(f"replay(): a micro-batch is a pyarrow.Table, not {shown(batch)}")
    return place_of(batch, "replay").data
