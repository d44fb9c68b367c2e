"""The stream that is replayed, as a place: a schema and no data yet, so to run a query is to plan it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import described_stream
from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.dictionaries import as_read
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.query import Part, Query
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.replay_input import MicroBatch
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class StreamPlan:
    """A query of a stream: how to make its buckets, and how its columns are called."""

    stream: "Stream"
    part: Part
    computed: Computed
    schema: pa.Schema
    titles: Mapping[str, str | None]  # of a bucket's rows, with the column of the stream that it is
    order: tuple[str, ...]
    early: bool

    @property
    def work(self) -> Pass:
        return self.part.work

    def bucket(self) -> Bucket:
        return self.part.bucket(self.schema)

    @property
    def explanation(self) -> Explanation:
        return Explanation([self.work], described_stream(self.work, early=self.early))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the query of a stream has no .{name}: it is a plan without data; the rows are in what replay() gives: .table, "
            ".batches"
        )


Arrived = list[tuple[int, pa.Table]]  # tables, with the numbers of the streams that they are of


@dataclass(frozen=True)
class Stream(ArrowData):
    """A stream that a query of :func:`replay` is called with."""

    sources: tuple[int, ...] = (0,)  # of which tables of a micro-batch it is made

    def united(self, others: Sequence["Stream"]) -> "Stream":
        streams = [self, *others]
        empty = [empty_table(one.schema).select(self.names()) for one in streams]
        schema = pa.concat_tables(empty, promote_options="permissive").schema
        return Stream(schema, sources=tuple(source for one in streams for source in one.sources))

    def arrived(self, batch: MicroBatch) -> Arrived:
        """What a micro-batch has of this stream's tuples, in the order in which they arrive."""
        return [(source, self._fitting(batch[source])) for source in self.sources]

    def given(self, batches: Sequence[MicroBatch]) -> pa.Table:
        """All tuples of this stream; dictionaries as such, where all its tables have the same columns."""
        tables = [batch[source].select(self.names()) for batch in batches for source in self.sources]
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
        return StreamPlan(self, part, computed, schema, titles, query.order or tuple(titles), query.early)

    def run(self, query: Query) -> StreamPlan:
        return self.plan(query)
