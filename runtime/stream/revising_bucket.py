"""A bucket whose rows may be replaced: it takes tuples behind the watermark, by no more than a bound (``allowed_lateness=``).

::

    time     ----------------|=================================|------------>
                          settled                           watermark
                             |<------------ bound ------------>|
    settled  a bucket that has processed what no tuple can change any more; its rows were given long ago
    recent   all tuples after that, as they arrived
    shown    a bucket that has processed all up to the watermark: it gives the rows, as without a bound

A tuple before the watermark changes rows between the two marks. For the keys of such tuples these rows are computed twice, from
the settled bucket: from the recent tuples without the new ones, which gives the rows that were shown, and with them. What
differs comes out. So no row is kept to be compared, and nothing depends on the kind of window: each is right if its bucket is.

The settled bucket follows in steps of a fourth of the bound, not in each micro-batch, because each step costs a look at all
that it holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native.instants import table_under
from inwindow.runtime.fingerprint import Part as PlanPart
from inwindow.runtime.operator import Operator
from inwindow.runtime.query import Part, Rows
from inwindow.runtime.reserved import TUPLE
from inwindow.runtime.stream.bucket import Bucket, bound_of, whole
from inwindow.runtime.stream.key_transfer import go_on_with, put_back, rows_of, taken
from inwindow.runtime.stream.log import ADDRESS, Log
from inwindow.runtime.stream.revisions import Revisions
from inwindow.runtime.stream.row_names import RowNames
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.interval import Size
from inwindow.windows.order_key import Keys

_STEPS = 4  # of the settled bucket in the time of the bound
_OURS = "revisions"  # tables of our own state
_NUMBER = pa.field(TUPLE, pa.int64())


@dataclass(frozen=True)
class Revising(Part):
    """A part whose rows may be replaced."""

    part: Part = field(kw_only=True)
    bound: Size = field(kw_only=True)
    rows: Rows = field(kw_only=True)  # what there is a row for

    @classmethod
    def of(cls, part: Part, bound: Size, rows: Rows) -> "Revising":
        """The part over the same pass."""
        return cls(part.work, part=part, bound=bound, rows=rows)

    def operator(self, schema: pa.Schema) -> Operator:
        raise NotImplementedError("rows are replaced on streams only")

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> "RevisingBucket":
        return RevisingBucket(self, schema, zone)


class RevisingBucket(Bucket):
    """Gives rows, and again those that a tuple behind the watermark has changed."""

    def __init__(self, revising: Revising, schema: pa.Schema, zone: str) -> None:
        part, inner = revising.part, schema
        self.names = RowNames(revising.rows, len(part.work.partition_by))
        if self.names.of_tuples:
            self.names = RowNames(revising.rows, len(part.passed))
            part, inner = replace(part, passed=(*part.passed, TUPLE)), schema.append(_NUMBER)
        self.settled, self.shown, self.scratch = (part.bucket(inner, zone) for _ in range(3))
        self.inner = {"settled": self.settled, "shown": self.shown}
        self.within, self.rows = inner.names, self.shown.rows
        empty = self.names.named(whole(empty_table(self.shown.schema)), 0)
        self.identity = empty.select(self.names.identity).schema
        self.schema = pa.schema(self.names.fields(self.shown.schema))
        super().__init__(part.work, schema, "allowed_lateness", Log(schema.append(_NUMBER), TUPLE), zone=zone)
        assert self.key is not None
        self.said = str(revising.bound)
        self.bound = bound_of(revising.bound, self.key)

    def begin(self, label: int | None = None) -> None:
        super().begin(label)
        for bucket in self.inner.values():
            bucket.begin(label)
        self.revisions = Revisions(self.identity)
        self.next = 0  # the number of the next tuple

    @property
    def limit(self) -> int | None:
        if self.done is None:
            return None
        settled = self.settled.done
        return self.done - self.bound if settled is None else max(self.done - self.bound, settled)

    @property
    def waiting(self) -> int:
        return self.shown.waiting

    @property
    def live(self) -> int:
        """The tuples of both buckets, and the recent ones."""
        return self.shown.live + self.settled.live + len(self.held)

    # A micro-batch

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        table = table.append_column(TUPLE, pa.array(np.arange(self.next, self.next + len(table))))
        self.next += len(table)
        before, given = self.shown.done, []
        is_behind = np.zeros(len(table), dtype=bool) if before is None else times < before
        if is_behind.any():
            assert before is not None
            given.append(self._corrections(table.filter(pa.array(is_behind)), before))
        ahead = table if not is_behind.any() else table.filter(pa.array(~is_behind))
        given.append(self.revisions.first(self._rows(self.shown, ahead, self.done), self.done or 0))
        if len(table):
            self.held = pa.concat_tables([self.held, self.log.addressed(table)])
        mark, settled = self.limit, self.settled.done
        if mark is not None and (settled is None or (mark - settled) * _STEPS >= self.bound):
            self._settle(mark)
        return pa.RecordBatch.from_arrays(whole(pa.concat_tables(given)).columns, schema=self.schema)

    def _corrections(self, behind: pa.Table, until: int) -> pa.Table:
        """The rows that tuples behind the watermark change, replace or withdraw."""
        keys = behind.select(list(dict.fromkeys(self.work.partition_by)))
        recent = self.held.filter(pa.array(rows_of(self.held, keys.column_names, keys))).drop_columns([ADDRESS])
        was = self._again(keys, recent, until)
        now = self._again(keys, pa.concat_tables([recent, behind]), until)
        put_back(self.shown, keys, self.scratch)
        return self.revisions.compared(was, now, until)

    def _again(self, keys: pa.Table, tuples: pa.Table, until: int) -> pa.Table:
        """The rows between the settled mark and the watermark, over these tuples of some keys."""
        self.scratch.begin(self.label)
        go_on_with(self.scratch, taken(self.settled, keys), self.settled.done)
        return self._rows(self.scratch, tuples, until)

    def _rows(self, bucket: Bucket, tuples: pa.Table, until: int | None) -> pa.Table:
        """A step of a bucket within; its rows with their names."""
        return self.names.named(bucket.step(tuples.select(self.within), until).rows, self.label or 0)

    def settle(self) -> None:
        if self.done is not None:
            self._settle(self.done)

    def _settle(self, mark: int) -> None:
        """Let the settled bucket follow; forget what it has passed."""
        if self.settled.done is not None and mark <= self.settled.done:
            return
        is_past = self.times(self.held)[0] < mark
        self._rows(self.settled, self.held.filter(pa.array(is_past)), mark)
        if is_past.any():
            self.held = self.held.filter(pa.array(~is_past)).combine_chunks()
        self.revisions.forget(mark)

    # State

    def tables(self) -> dict[str, pa.Table]:
        numbers = {"next": pa.array([self.next]), "settled": pa.array([self.settled.done], pa.int64())}
        tables = {f"{_OURS}/numbers": pa.table(numbers), f"{_OURS}/rows": self.revisions.table}
        return tables | self._named({name: bucket.tables() for name, bucket in self.inner.items()})

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        numbers = tables[f"{_OURS}/numbers"]
        self.next, self.settled.done = (numbers.column(name)[0].as_py() for name in ("next", "settled"))
        self.shown.done = self.done
        self.revisions.table = table_under(tables[f"{_OURS}/rows"], self.revisions.table.schema)
        for name, bucket in self.inner.items():
            bucket.take_tables(_within(name, tables))

    @property
    def logged(self) -> dict[str, tuple[Log, pa.Table]]:
        return super().logged | self._named({name: bucket.logged for name, bucket in self.inner.items()})

    def take_logged(self, tables: dict[str, pa.Table]) -> None:
        super().take_logged(tables)
        for name, bucket in self.inner.items():
            bucket.take_logged(_within(name, tables))

    def _named(self, its: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """What the buckets within have, with their names before it."""
        return {f"{name}/{one}": value for name, values in its.items() for one, value in values.items()}

    @cached_property
    def plan(self) -> dict[str, PlanPart]:
        parts: Mapping[str, Any] = super().plan
        return {**parts, "the allowed lateness": (self.said, "")}


def _within(name: str, tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The tables of one of the buckets within."""
    return {one.removeprefix(f"{name}/"): table for one, table in tables.items() if one.startswith(f"{name}/")}
