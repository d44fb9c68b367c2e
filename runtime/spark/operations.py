"""Operators on relations on Spark, classic and Connect: rows that may meet come to one task, which runs the operator on tables.

::

    a, b  ->  one DataFrame: side, keys, columns of a, columns of b  ->  shuffled by the keys  ->  mapInArrow

A task sorts its rows by their keys (in memory, or with runs on disk: ``runtime/arrivals.py``), and runs the operator on a few keys
at a time. It holds the rows of these keys. Without keys all rows come to one task. If the operator looks at each row by itself,
there is no shuffle, and the data may be a stream.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrivals import Arrivals
from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import Sides
from inwindow.runtime.spark.advancing import advanced_on
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import mapped, titled
from inwindow.runtime.spark.operation_columns import columns_read, results_of, sent_of
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.stream_job import WATERMARK, watermark_of
from inwindow.runtime.spark.types import Result
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import Batches, Room, Task
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError
from inwindow.windows.neighbours import changes

_LEAST = 1 << 17  # rows to run the operator on; keys with fewer rows are taken together


def carried_out_on(operation: Operation, frames: Sequence[Any]) -> Any:
    where = operation.where
    sides = [_columns(df, where) for df in frames]
    for side in sides[1:]:
        if type(side.df) is not type(sides[0].df):
            raise UsageError(
                f"{where}: one is a DataFrame of Spark Connect and the other is not: give both of one session"
            )
    operation = operation.over(*sides)
    schemas = tuple(side.schema() for side in sides)
    keys = operation.keys(*schemas)
    streams = [df.isStreaming for df in frames]
    if any(streams) and not all(streams):
        raise UsageError(
            f"{where}: one is a stream and the other is not: read both as streams, or both as tables (in foreachBatch, say)"
        )
    for side, names in zip(sides, keys or [], strict=False):
        side.check_position_columns(names, where)
    if keys is not None and all(streams):
        return advanced_on(operation, sides, schemas, keys)
    result = operation.run(*map(empty_table, schemas)).schema
    task = OnTables(operation, Sides.of(schemas, columns_read(operation, schemas), keys))
    sent = shuffled(sent_of(sides, task.sides), task.sides, sides[0].session.F)
    results = results_of(operation, schemas, sides, result)
    if all(streams):
        _mark(operation, sides, results)
    job = Job(task, task.sides.schema, sides[0].session.memory)
    return titled(mapped(sent, job, list(results.values())), results, tuple(results), sides[0].session)


def named_over(operation: Operation, frames: Sequence[Any]) -> tuple[Any, ...]:
    """The operation over names only, and the schemas that it will see: for explain."""
    sides = [_columns(df, operation.where) for df in frames]
    operation = operation.over(*sides)
    return operation, *(side.schema() for side in sides)


def _columns(df: Any, where: str) -> Columns:
    columns = Columns(df, Session.of(df), df.schema)
    for name in df.columns:
        columns.name(name, where)
    return columns


def _mark(operation: Operation, sides: Sequence[Columns], results: dict[str, Result]) -> None:
    """Put the watermark on ``since``, too, if no row begins earlier than its tuple's time."""
    time = operation.timed_by()
    marks = [watermark_of(side.df, time) for side in sides]
    if None not in marks and "since" in results:
        metadata = {WATERMARK: max(mark for mark in marks if mark is not None)}
        results["since"] = replace(results["since"], metadata=metadata)


def shuffled(sent: Any, layout: Sides, F: Any) -> Any:  # noqa: N803  # as Spark's module is called
    """Bring rows that may meet to one task."""
    if layout.known is None:
        return sent
    # The literal makes this a partitioning that no join or aggregate of Spark has: see runtime/spark/shuffles.py.
    by = [F.col(f"_{layout.schema.names.index(known)}") for known in layout.known]
    return sent.repartition(*by, F.lit(0)) if by else sent.repartition(1)


@dataclass(frozen=True)
class OnTables(Task):
    """Runs an operator on the rows of a task, in a worker."""

    operation: Operation
    sides: Sides

    @property
    def works(self) -> tuple[Pass, ...]:
        return ()

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        for bundle in self._bundles(batches, room):
            result = self.operation.run(*self.sides.tables(pa.Table.from_batches(bundle, schema)))
            yield from result.combine_chunks().to_batches()

    def _bundles(self, batches: Batches, room: Room) -> Iterator[list[pa.RecordBatch]]:
        known = self.sides.known
        if known is None:
            yield from ([batch] for batch in batches)
        elif not known:
            yield list(batches)
        else:
            arrivals = Arrivals(Pass(known, (), (), None, None, False), room.budget, room.spilled)
            for batch in batches:
                arrivals.add(batch)
            yield from whole_keys(arrivals.in_order(), known)


def whole_keys(batches: Batches, keys: Sequence[str], least: int = _LEAST) -> Iterator[list[pa.RecordBatch]]:
    """Join batches that are sorted by keys into bundles of whole keys; each has at least ``least`` rows, except the last."""
    held: list[pa.RecordBatch] = []
    rows, last = 0, None
    for batch in batches:
        columns = [batch.column(name) for name in keys]
        begins = np.flatnonzero(changes(columns, last)) if last is not None else np.zeros(0, dtype=np.int64)
        last = [column.slice(batch.num_rows - 1) for column in columns]
        if rows + batch.num_rows >= least and len(begins):
            cut = int(begins[-1])
            yield [*held, batch.slice(0, cut)]
            held, rows = [], 0
            batch = batch.slice(cut)
        held.append(batch)
        rows += batch.num_rows
    if held:
        yield held
