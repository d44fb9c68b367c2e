"""A replayed stream as a place: it has a schema and no data yet, so running a query only plans it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import described_stream, resumes
from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.dictionaries import as_read
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.lateness import revised_titles
from inwindow.runtime.query import Part, Query
from inwindow.runtime.reserved import AHEAD
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.evolution import Changes
from inwindow.runtime.stream.replay_input import MicroBatch
from inwindow.runtime.stream.revising_bucket import Revising
from inwindow.runtime.stream.watermarks import Watermark
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Size


@dataclass(frozen=True)
class StreamPlan:
    """A query on a stream: how to make its buckets, and the names of its columns."""

    stream: "Stream"
    part: Part
    computed: Computed
    schema: pa.Schema
    titles: Mapping[str, str | None]  # of a bucket's rows; with the column of the stream that a column is a copy of
    order: tuple[str, ...]
    early: bool
    lateness: Size | None = None
    in_kinds: bool = False  # rows and late tuples as one table, as of iw.outputs
    start: pa.Table | None = None  # the state with which the stream begins, a row per bucket
    changes: Changes = "exact"  # under which it may be that of another query

    @property
    def work(self) -> Pass:
        return self.part.work

    def bucket(self) -> Bucket:
        made = self.part.bucket(self.schema)
        made.changes = self.changes
        if any(source.mark is not None and source.mark.ahead is not None for source in self.stream.sources):
            made.arriving = self.schema.append(pa.field(AHEAD, pa.bool_()))
        return made

    @property
    def explanation(self) -> Explanation:
        return Explanation(
            [self.work], described_stream(self.work, early=self.early, lateness=self.lateness), on_states=resumes
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the query of a stream has no .{name}: it is a plan without data; the rows are in what replay() gives: .table, "
            ".batches"
        )


@dataclass(frozen=True)
class Source:
    """One table of each micro-batch, and the operators that its rows go through before they arrive."""

    number: int
    steps: tuple[Callable[[pa.Table], pa.Table], ...] = ()
    time: tuple[str, str] | None = None  # an arriving column, and the table's column whose watermark it has
    mark: Watermark | None = None  # of iw.with_watermark

    def then(self, step: Callable[[pa.Table], pa.Table], timed_by: str | None, time: str) -> "Source":
        """Add an operator; its column ``time`` is never earlier than the column ``timed_by`` of its input."""
        raw = None if timed_by is None else self.raw(timed_by)
        return Source(self.number, (*self.steps, step), None if raw is None else (time, raw), self.mark)

    def raw(self, name: str) -> str | None:
        """The column of the table whose watermark a column of the arriving rows has."""
        if not self.steps:
            return name
        return self.time[1] if self.time is not None and self.time[0] == name else None

    def arrived(self, table: pa.Table) -> pa.Table:
        """The rows of a table as they arrive, after all operators."""
        for step in self.steps:
            table = step(table)
        return table


@dataclass(frozen=True)
class Piece:
    """The rows of a source in one micro-batch."""

    source: Source
    given: pa.Table
    table: pa.Table

    def times(self, name: str) -> pa.ChunkedArray:
        """The times from which the watermark follows, if the time is a column."""
        raw = self.source.raw(name)
        return self.table.column(name) if raw is None else self.given.column(raw)


@dataclass(frozen=True)
class Stream(ArrowData):
    """A stream: the argument of the query of :func:`replay`."""

    sources: tuple[Source, ...] = (Source(0),)  # the tables of a micro-batch that it consists of

    def united(self, others: Sequence["Stream"]) -> "Stream":
        streams = [self, *others]
        empty = [empty_table(one.schema).select(self.names()) for one in streams]
        schema = pa.concat_tables(empty, promote_options="permissive").schema
        return Stream(schema, sources=tuple(source for one in streams for source in one.sources))

    def marked(self, mark: Watermark) -> "Stream":
        """The stream with a watermark of its own."""
        self.check([str(mark.column)], "with_watermark")
        if len(self.sources) > 1 or any(source.steps or source.mark for source in self.sources):
            raise UsageError(
                f"with_watermark({mark.column!r}): give each stream that replay() calls the query with one watermark, before any "
                "union or other operator"
            )
        return replace(self, sources=tuple(replace(source, mark=mark) for source in self.sources))

    def arrived(self, batch: MicroBatch) -> list[Piece]:
        """This stream's tuples in a micro-batch, in the order of arrival."""
        return [
            Piece(source, batch[source.number], self._fitting(source.arrived(batch[source.number])))
            for source in self.sources
        ]

    def given(self, batches: Sequence[MicroBatch]) -> pa.Table:
        """All tuples of this stream; dictionary columns stay dictionaries if all its tables have the same columns."""
        if any(source.steps for source in self.sources):
            return empty_table(self.schema)
        tables = [batch[source.number].select(self.names()) for batch in batches for source in self.sources]
        if all(table.schema == tables[0].schema for table in tables):
            return pa.concat_tables(tables)
        return pa.concat_tables([self._fitting(as_read(table, table.column_names)) for table in tables])

    def _fitting(self, table: pa.Table) -> pa.Table:
        table = table.select(self.names())
        return table if table.schema == self.schema else table.cast(self.schema)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the stream that replay() calls a query with has no .{name}: it is a schema without data, for iw.with_columns, "
            "iw.select and iw.group_by; prepare the micro-batches themselves"
        )

    def plan(self, query: Query) -> StreamPlan:
        if query.of is not None:
            raise UsageError(
                "with_columns(of=...) on a stream: results at points in time need both tables whole: use batch data"
            )
        named, computed = compute_arguments(query.aggregates)
        schema = computed.schema(self.schema)
        query = query.over(named)
        work = query.verb.stream_pass(query, schema)
        if query.verb.rows == "every tuple":
            kept = {name: name for name in self.names() if name not in named}
            query = replace(query, passed=kept, order=tuple(dict.fromkeys([*self.names(), *named])))
        titles = dict.fromkeys(query.titles) | {name: name for name in query.keys} | dict(query.passed)
        part = query.verb.part(query, work, tuple(query.passed.values()))
        order = query.order or tuple(titles)
        if query.lateness is not None:
            added = revised_titles(query, work, order)
            part = Revising.of(part, query.lateness, query.verb.rows)
            titles, order = titles | dict.fromkeys(added), (*order, *added)
        return StreamPlan(self, part, computed, schema, titles, order, query.early, query.lateness)

    def run(self, query: Query) -> StreamPlan:
        return self.plan(query)
