"""The tasks that workers of an engine run: tuples come in any order, are sorted, and go through operators.

::

    InOrder      one part; new rows, in the order of the pass
    ResultColumns       parts over the same tuples; their results side by side, in the order of arrival
                     pass 1     ordered by k, t    -> results -> back in the order of arrival  \\
                     pass 2     ordered by k, v    -> results -> back in the order of arrival  /  side by side
    OneRow       one row for all tuples, even if there are none
    Partials     a row per key and pane, before the tuples are shuffled
    MergePartials   a row per group and extent, over such partials

Nothing here depends on Spark.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrivals import ROW_FIELD, Arrivals, Results, Spilled, numbered
from inwindow.runtime.operator import Operator
from inwindow.runtime.panes_first import PaneGroups, PaneReducer, PanesFirst
from inwindow.runtime.query import Part
from inwindow.runtime.scratch import Spool
from inwindow.runtime.states import seldom_collected

Batches = Iterator[pa.RecordBatch]
_BESIDE_RUNS = 4  # 50 million rows of one key, a budget of 64 MB: the worker's peak is 30 MB lower, at no cost


@dataclass(frozen=True)
class Room:
    """How many bytes of tuples a task may hold, and a function that is called with the bytes written to disk."""

    budget: int
    spilled: Spilled


class Task(ABC):
    """The work on the tuples of one schema."""

    @property
    @abstractmethod
    def works(self) -> tuple[Pass, ...]:
        """The passes."""

    @abstractmethod
    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        """The output rows."""


@dataclass(frozen=True)
class InOrder(Task):
    """A part over its sorted tuples."""

    part: Part

    @property
    def works(self) -> tuple[Pass, ...]:
        return (self.part.work,)

    def operator(self, schema: pa.Schema) -> Operator:
        return self.part.operator(schema)

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        arrivals = Arrivals(self.part.ordered, room.budget, room.spilled)
        for batch in batches:
            arrivals.add(batch)
        yield from self.operator(schema).over(self.part.checked(arrivals.in_order()))


class OneRow(InOrder):
    """One row for all tuples. An engine starts no task without rows, so there is one extra row; the last column marks it."""

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        its = pa.schema(list(schema)[:-1])
        real = (batch.filter(batch.column(batch.num_columns - 1)).select(its.names) for batch in batches)
        yield from super().run(real, its, room)


@dataclass(frozen=True)
class Partials(Task):
    """The partials of a task's tuples."""

    plan: PanesFirst

    @property
    def works(self) -> tuple[Pass, ...]:
        return (self.plan.work,)

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        with seldom_collected():
            yield from map(self.plan.bundles.packed, PaneReducer(self.plan).run(batches))


@dataclass(frozen=True)
class MergePartials(InOrder):
    """The extents over partials, after :class:`Partials` and a shuffle."""

    plan: PanesFirst

    def operator(self, schema: pa.Schema) -> Operator:
        return PaneGroups(self.plan, self.plan.bundles.opened_schema(schema))

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        with seldom_collected():
            yield from super().run(map(self.plan.bundles.opened, batches), schema, room)


@dataclass(frozen=True)
class ResultColumns(Task):
    """Parts whose first column is the number of arrival."""

    parts: tuple[Part, ...]
    reads: tuple[tuple[str, ...], ...]  # the columns of each
    kept: int = 0  # how many of the last arriving columns pass through: for engines that cannot keep columns

    @property
    def works(self) -> tuple[Pass, ...]:
        return tuple(part.work for part in self.parts)

    def run(self, batches: Batches, schema: pa.Schema, room: Room) -> Batches:
        begun = [Arrivals(part.ordered, room.budget, room.spilled) for part in self.parts]
        read = len(schema) - self.kept
        spool = Spool(pa.schema(list(schema)[read:]), room.budget, room.spilled)
        for batch in numbered(batches):
            for names, arrivals in zip(self.reads, begun, strict=True):
                arrivals.add(batch.select([*names, ROW_FIELD.name]))
            if self.kept:
                spool.add(batch.select(range(read, len(schema))))
        columns: list[Batches] = [spool.batches()] if self.kept else []
        for part, names, arrivals in zip(self.parts, self.reads, begun, strict=True):
            its = pa.schema([*(schema.field(name) for name in names), ROW_FIELD])
            columns.append(_in_order_of_arrival(part, part.operator(its), arrivals, room))
        yield from _side_by_side(columns) if len(columns) > 1 else columns[0]


def _in_order_of_arrival(part: Part, operator: Operator, arrivals: Arrivals, room: Room) -> Batches:
    # Sorted runs are read while results are made, so fewer results are held in memory.
    budget = room.budget if arrivals.runs is None else room.budget // _BESIDE_RUNS
    results = Results(operator.schema, arrivals.rows, budget, room.spilled)
    for batch in operator.over(part.checked(arrivals.in_order())):
        if arrivals.in_place:
            yield batch.select(range(1, batch.num_columns))
        else:
            results.add(batch)
    yield from results.in_order_of_arrival()


def _side_by_side(parts: list[Batches]) -> Batches:
    """The columns of all parts side by side; they have the same number of rows, but in different batches."""
    held: list[Any] = [next(part, None) for part in parts]
    while not any(batch is None for batch in held):
        rows = min(batch.num_rows for batch in held)
        columns = [column for batch in held for column in batch.slice(0, rows).columns]
        yield pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])
        rest = [batch.slice(rows) for batch in held]
        held = [batch if batch.num_rows else next(part, None) for batch, part in zip(rest, parts, strict=True)]
