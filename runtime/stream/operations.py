"""Operators on replayed streams: either row by row before the query, or as the query itself."""

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from inwindow.runtime.expressions import Computed
from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import Sides
from inwindow.runtime.stream.advancing import Advancing
from inwindow.runtime.stream.replay_stream import Stream, StreamPlan
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError


def carried_out_on_streams(operation: Operation, streams: Sequence[Stream]) -> Stream | StreamPlan:
    """A new stream, if the operator looks at each row by itself; otherwise the plan that replay() runs."""
    schemas = tuple(stream.schema for stream in streams)
    keys = operation.keys(*schemas)
    if keys is None:
        return _row_by_row(operation, streams, schemas)
    read = [operation.reads(schemas[0]), *(schema.names for schema in schemas[1:])]
    time = operation.time()
    sides = Sides.of(schemas, read, keys, time)
    part = Advancing.of(operation, sides)
    sources = []
    for number, stream in enumerate(streams):
        for source in stream.sources:
            if source.raw(time) is None:
                raise UsageError(
                    f"{operation.where} on a stream: {time!r} has no watermark: rows may begin before their tuples' own time, so "
                    "nothing says when all are there"
                )
            sources.append(source.then(partial(sides.packed, number), time, time))
    names = part.bucket(sides.schema).schema.names
    packed = Stream(sides.schema, sources=tuple(sources))
    return StreamPlan(packed, part, Computed({}), sides.schema, dict.fromkeys(names), tuple(names), early=False)


def _row_by_row(operation: Operation, streams: Sequence[Stream], schemas: tuple[pa.Schema, ...]) -> Stream:
    result = operation.run(*map(empty_table, schemas)).schema
    sources = tuple(
        source.then(partial(_alone, operation, number, schemas), operation.timed_by(), "since")
        for number, stream in enumerate(streams)
        for source in stream.sources
    )
    return Stream(result, sources=sources)


def _alone(operation: Operation, number: int, schemas: tuple[pa.Schema, ...], table: pa.Table) -> pa.Table:
    """The operator's result for the rows of a single input."""
    return operation.run(*(table if at == number else empty_table(schema) for at, schema in enumerate(schemas)))
