"""Operators on relations on Spark, classic and Connect: rows that may meet come to one task, which runs the operator on tables.

::

    a, b  ->  one DataFrame: side, keys, columns of a, columns of b  ->  shuffled by the keys  ->  mapInArrow

A task puts its rows in the order of their keys (within its memory, else by way of the disk: ``runtime/arrivals.py``), and runs the
operator on some keys at a time: it holds the rows of these, or of one key that has more. Without keys all rows come to one task.
A key that has most of the rows, or no keys at all, may be cut by time (``runtime/spark/stretches.py``).
Where each row is by itself, there is no shuffle, and the data may be a stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.strategy import No
from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import Sides
from inwindow.runtime.spark.advancing import advanced_on
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import mapped, titled
from inwindow.runtime.spark.engine import engine_of
from inwindow.runtime.spark.operation_columns import columns_read, results_of, sent_of
from inwindow.runtime.spark.projected import can_be_projected, projected
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.stream_job import WATERMARK, described, watermark_of
from inwindow.runtime.spark.stretches import cut_by_time, stretches_for
from inwindow.runtime.spark.types import Result
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.stretches import Stretches
from inwindow.runtime.table_tasks import OnTables
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Asked:
    """A call: the operation over names alone, and the columns of its DataFrames."""

    operation: Operation
    sides: list[Columns]
    schemas: tuple[pa.Schema, ...]
    keys: list[tuple[str, ...]] | None
    is_stream: bool

    @classmethod
    def of(cls, operation: Operation, frames: Sequence[Any]) -> "Asked":
        """Checked as far as it can be without data."""
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
        return cls(operation, sides, schemas, keys, all(streams))

    @property
    def session(self) -> Session:
        return self.sides[0].session

    @property
    def is_projected(self) -> bool:
        """Whether no row needs Python."""
        return not self.is_stream and can_be_projected(self.sides[0], self.operation.offsets(self.schemas[0]))

    def cut(self) -> Stretches | No:
        """Which keys are cut by time, and where."""
        if self.keys is None:
            return No("each row is by itself")
        return stretches_for(self.operation, self.sides, self.schemas, self.keys)

    def made(self, cut: Stretches | No) -> Any:
        """The result."""
        operation, sides, schemas = self.operation, self.sides, self.schemas
        if self.is_projected:
            offsets = operation.offsets(schemas[0])
            assert offsets is not None
            operation.run(empty_table(schemas[0]))  # what is wrong is said
            return projected(sides[0], offsets)
        result = operation.run(*map(empty_table, schemas)).schema
        layout = Sides.of(schemas, columns_read(operation, schemas), self.keys)
        results = results_of(operation, schemas, sides, result)
        if self.is_stream:
            _mark(operation, sides, results)
        if isinstance(cut, Stretches):
            rows = cut_by_time(operation, sides, layout, self.keys or [], schemas, results, result, cut)
        else:
            job = Job(OnTables(operation, layout), layout.schema, self.session.memory)
            rows = mapped(shuffled(sent_of(sides, layout), layout, self.session.F), job, list(results.values()))
        return titled(rows, results, tuple(results), self.session)

    def lines(self) -> list[str]:
        """How rows come together, for explain."""
        engine, cut = engine_of(self.session, self.sides[0].df.sparkSession), self.cut()
        if self.is_projected:
            return [f"{engine}: a projection; no row crosses to Python"]
        if self.keys is None:
            return [f"{engine}: no shuffle; mapInArrow"]
        if isinstance(cut, Stretches):
            others = f"; {cut.others} for other keys" if self.keys[0] else ""
            behind = "; what goes on at a cut is joined in one task" if self.operation.has_parts else ""
            return [
                f"{engine}: a task for each stretch of time{others}; mapInArrow{behind}",
                f"hot keys: {cut.describe()}",
            ]
        how = f"shuffle by {', '.join(map(str, self.keys[0]))}" if self.keys[0] else "all rows to one task"
        return [f"{engine}: {how}; mapInArrow, in the order of the keys", f"hot keys: none, {cut.reason}"]


def carried_out_on(operation: Operation, frames: Sequence[Any]) -> Any:
    """The result, as a DataFrame."""
    asked = Asked.of(operation, frames)
    if asked.keys is not None and asked.is_stream:
        return advanced_on(asked.operation, asked.sides, asked.schemas, asked.keys)
    return asked.made(asked.cut())


def placed_on(operation: Operation, frames: Sequence[Any]) -> list[str]:
    """How it will run, for explain."""
    asked = Asked.of(operation, frames)
    if not asked.is_stream:
        return asked.lines()
    if asked.keys is None:
        return [*asked.operation.on_stream(None), "spark: mapInArrow"]
    advanced_on(asked.operation, asked.sides, asked.schemas, asked.keys)  # what is wrong is said here, too
    conf = asked.sides[0].df.sparkSession.conf
    return [*asked.operation.on_stream(asked.keys), described(conf, keyed=bool(asked.keys[0]))]


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
