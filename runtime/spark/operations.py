"""Operators on Spark, classic and Connect: rows that may meet come to one task, where the operator runs on tables.

::

    a, b  ->  one DataFrame: side, keys, columns of a, columns of b  ->  shuffled by the keys  ->  mapInArrow

A task puts its rows in the order of their keys (within its memory, else by way of the disk: ``runtime/arrivals.py``), and runs the
operator on some keys at a time: it holds the rows of these, or of one key that has more. Without keys all rows come to one task.
Where each row is by itself, there is no shuffle, and the data may be a stream.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrivals import Arrivals
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import mapped, titled
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.types import Cast, Result, to_spark
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import Batches, Room, Task
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError
from inwindow.windows.neighbours import changes

if TYPE_CHECKING:  # which imports this where Spark is there
    from inwindow.runtime.operations import Operation

_SIDE = f"{PREFIX}side"
_LEAST = 1 << 17  # rows that the operator is run on, where keys have fewer


def carried_out_on(operation: "Operation", frames: Sequence[Any]) -> Any:
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
    result = operation.run(*map(empty_table, schemas)).schema
    if keys is not None and any(df.isStreaming for df in frames):
        raise UsageError(
            f"{where} on a stream: what holds at an instant is known only when all rows are: use batch data. On a stream there are "
            "with_validity, at, split, union, and window by times (iw.range, iw.landmark, iw.hop, ...)"
        )
    read = [operation.reads(schemas[0]), *(schema.names for schema in schemas[1:])]
    task = OnTables.of(operation, schemas, read, keys)
    for side, names in zip(sides, keys or [], strict=False):
        side.check_position_columns(names, where)
    sent = _sent(sides, task, keys)
    results = [_result(operation, name, schemas, sides, result) for name in result.names]
    made = mapped(sent, Job(task, task.schema, sides[0].session.memory), results)
    return titled(made, dict(zip(result.names, results, strict=True)), result.names, sides[0].session)


def named_over(operation: "Operation", frames: Sequence[Any]) -> tuple[Any, ...]:
    """The operation over names alone, and the schemas that it will see: for explain."""
    sides = [_columns(df, operation.where) for df in frames]
    operation = operation.over(*sides)
    return operation, *(side.schema() for side in sides)


def _columns(df: Any, where: str) -> Columns:
    columns = Columns(df, Session.of(df), df.schema)
    for name in df.columns:
        columns.name(name, where)
    return columns


def _result(
    operation: "Operation", name: str, schemas: tuple[pa.Schema, ...], sides: Sequence[Columns], result: pa.Schema
) -> Result:
    """A column of a side keeps its Spark type; of what is made the Arrow type tells it."""
    source = operation.source(name, schemas)
    if source is not None:
        side, column = source
        return Result.of(sides[side].cast(column))
    return Result.of(Cast.of(to_spark(result.field(name).type)))


def _sent(sides: Sequence[Columns], task: "OnTables", keys: list[tuple[str, ...]] | None) -> Any:
    """The rows of all sides, as one DataFrame, shuffled: columns known by their positions."""
    F = sides[0].session.F
    parts = []
    for number, side in enumerate(sides):
        made = {} if len(sides) == 1 else {_SIDE: F.lit(number).cast("tinyint")}
        made |= {known: side.crossing(name) for known, name in task.layout[number].items()}
        columns = []
        for at, field in enumerate(task.schema):
            column = made[field.name] if field.name in made else F.lit(None).cast(to_spark(field.type))
            columns.append(column.alias(f"_{at}"))
        parts.append(side.df.select(*columns))
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.union(part)
    if keys is None:
        return whole
    # The literal makes it a partitioning that no join or aggregate of Spark's has: see runtime/spark/shuffles.py.
    by = [F.col(f"_{task.schema.names.index(known)}") for known in task.known or ()]
    return whole.repartition(*by, F.lit(0)) if by else whole.repartition(1)


@dataclass(frozen=True)
class OnTables(Task):
    """What a worker does with the rows of a task."""

    operation: "Operation"
    schema: pa.Schema  # of what arrives
    known: tuple[str, ...] | None  # the keys, by the names under which they arrive; None: no row meets another
    layout: tuple[dict[str, str], ...]  # per side: the name under which a column arrives -> its own
    sides: tuple[pa.Schema, ...]

    @classmethod
    def of(
        cls,
        operation: "Operation",
        schemas: tuple[pa.Schema, ...],
        read: list[list[str]],
        keys: list[tuple[str, ...]] | None,
    ) -> "OnTables":
        """Keys arrive in the same columns from all sides."""
        known = None if keys is None else tuple(f"{PREFIX}key_{at}" for at in range(len(keys[0])))
        layout, fields = [], {} if len(schemas) == 1 else {_SIDE: pa.field(_SIDE, pa.int8())}
        for number, (schema, names) in enumerate(zip(schemas, read, strict=True)):
            of = dict(zip(keys[number], known or (), strict=True)) if keys is not None else {}
            its = {of.get(name, f"{PREFIX}{number}_{at}"): name for at, name in enumerate(names)}
            fields |= {name: schema.field(own).with_name(name) for name, own in its.items()}
            layout.append(its)
        sides = tuple(pa.schema([schema.field(n) for n in names]) for schema, names in zip(schemas, read, strict=True))
        return cls(operation, pa.schema(list(fields.values())), known, tuple(layout), sides)

    @property
    def works(self) -> tuple[Pass, ...]:
        return ()

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        for bundle in self._bundles(batches, room):
            result = self.operation.run(*self._tables(pa.Table.from_batches(bundle, schema)))
            yield from result.combine_chunks().to_batches()

    def _bundles(self, batches: Batches, room: Room) -> Iterator[list[pa.RecordBatch]]:
        if self.known is None:
            yield from ([batch] for batch in batches)
        elif not self.known:
            yield list(batches)
        else:
            arrivals = Arrivals(Pass(self.known, (), (), None, None, False), room.budget, room.spilled)
            for batch in batches:
                arrivals.add(batch)
            yield from whole_keys(arrivals.in_order(), self.known)

    def _tables(self, rows: pa.Table) -> list[pa.Table]:
        """The rows of each side, as its columns."""
        tables = []
        for number, (layout, schema) in enumerate(zip(self.layout, self.sides, strict=True)):
            its = rows.select(list(layout)).rename_columns(list(layout.values())).cast(schema)
            if len(self.layout) > 1:
                its = its.filter(pa.compute.equal(rows.column(_SIDE), number))
            tables.append(its)
        return tables


def whole_keys(batches: Batches, keys: Sequence[str], least: int = _LEAST) -> Iterator[list[pa.RecordBatch]]:
    """Batches in the order of their keys, in bundles of whole keys; each has ``least`` rows or more, except the last."""
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
