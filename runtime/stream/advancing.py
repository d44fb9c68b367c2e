"""A bucket that runs an operator on whole tables each time the watermark moves: relations whose rows still arrive.

::

    watermark          before ------------- now
    rows        [===========)                    dropped: no later turn needs it
                     [======================= )  held, and in this turn
                                    [======== )  held, and part of a turn for the first time
                                             [=  waits

Decided results are emitted; a result that still holds at the watermark stays open (see :class:`~inwindow.runtime.operation.Turn`).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native.instants import table_under
from inwindow.optimizer.plan import Pass
from inwindow.runtime.intervals import in_order
from inwindow.runtime.operation import NUMBER, Advanced, Operation, Turn
from inwindow.runtime.operator import Operator
from inwindow.runtime.query import Part
from inwindow.runtime.sides import Sides
from inwindow.runtime.stream.bucket import Bucket, whole
from inwindow.runtime.stream.log import Log
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.order_key import Keys
from inwindow.windows.spec import Order


@dataclass(frozen=True)
class Advancing(Part):
    """An operator, and how the rows of its inputs arrive as rows of one stream."""

    operation: Operation = field(kw_only=True)
    sides: Sides = field(kw_only=True)

    @classmethod
    def of(cls, operation: Operation, sides: Sides) -> "Advancing":
        """Made of the operator's steps, and of its keys and time as they arrive."""
        operation.check_stream(*sides.schemas)
        assert sides.known is not None and sides.time is not None
        sides.check_time(operation.where)
        steps = operation.work(*sides.schemas).steps
        work = Pass(sides.known, (Order(sides.time),), steps, None, None, False)
        return cls(work, operation=operation, sides=sides)

    def operator(self, schema: pa.Schema) -> Operator:
        """Not used: this runs on streams only."""
        raise NotImplementedError("an operator on whole tables has no operator on batches")

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> "AdvancingBucket":
        """A fresh bucket."""
        return AdvancingBucket(self, schema, zone)


class AdvancingBucket(Bucket):
    """Holds rows from the time at which they begin to count until no turn needs them."""

    def __init__(self, part: Advancing, schema: pa.Schema, zone: str) -> None:
        self.part, self.rows = part, part.operation.as_text()
        log = Log(pa.schema([*schema, pa.field(NUMBER, pa.int64())]), NUMBER)  # numbered as they came
        super().__init__(part.work, schema, part.operation.where, log, zone=zone)
        assert self.key is not None
        at = self.key.column_of(np.zeros(1, dtype=np.int64))[0]
        given = self._advance(self.held, None, None, at)
        self.schema, self.opened = given.rows.schema, given.open.schema

    def begin(self, label: int | None = None) -> None:
        """Start empty."""
        super().begin(label)
        self.open: pa.Table | None = None
        self.closed: int | None = None  # the watermark of the last turn
        self.next = 0  # the number of the next row

    @property
    def waiting(self) -> int:
        """How many rows the watermark has not passed."""
        times, _ = self.times(self.held)
        return len(times) if self.done is None else int((times >= self.done).sum())

    @property
    def live(self) -> int:
        """How many rows are held, and how many results are open."""
        return len(self.held) - self.waiting + (0 if self.open is None else len(self.open))

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Hold the rows; go on to the watermark."""
        if len(table):
            numbers = pa.array(np.arange(self.next, self.next + len(table)))
            self.next += len(table)
            self.held = pa.concat_tables([self.held, self.log.addressed(table.append_column(NUMBER, numbers))])
        if self.done is None or self.done == self.closed:
            return self.no_rows
        assert self.key is not None
        its, _ = self.times(self.held)
        begun = np.flatnonzero(its < self.done)
        order = in_order(its[begun])
        rows = begun if order is None else begun[order]
        before, now = (None if at is None else self.key.column_of(np.array([at]))[0] for at in (self.closed, self.done))
        taken = self.held.take(pa.array(rows))
        given = self._advance(taken, self.open, before, now)
        self.open, self.closed = given.open.combine_chunks(), self.done
        stays = its >= self.done
        for where, stay in zip(self.part.sides.which(taken), given.stay, strict=True):
            stays[rows[where[stay]]] = True
        if not stays.all():
            self.held = self.held.filter(pa.array(stays)).combine_chunks()
        return whole(given.rows.cast(self.schema))

    def _advance(self, rows: pa.Table, opened: pa.Table | None, before: Any, now: Any) -> Advanced:
        tables = tuple(self.part.sides.tables(rows, [NUMBER]))
        return self.part.operation.advance(Turn(tables, opened, before, now))

    def tables(self) -> dict[str, pa.Table]:
        """The open results, and the progress so far."""
        numbers = {"closed": pa.array([self.closed], pa.int64()), "next": pa.array([self.next], pa.int64())}
        return {"open": empty_table(self.opened) if self.open is None else self.open, "turn": pa.table(numbers)}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :meth:`tables`."""
        self.open = table_under(tables["open"], self.opened)
        self.closed, self.next = (tables["turn"].column(name)[0].as_py() for name in ("closed", "next"))
