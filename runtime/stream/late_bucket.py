"""A bucket that emits the tuples that arrive too late, and holds nothing: ESL's out-of-order stream, with whole rows."""

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.operator import Operator
from inwindow.runtime.query import Part
from inwindow.runtime.stream.bucket import Bucket, Output, bound_of, whole
from inwindow.runtime.stream.log import Log
from inwindow.windows.interval import Size
from inwindow.windows.order_key import Keys


def late_work(work: Pass) -> Pass:
    """The pass without its aggregates. Lateness depends only on watermarks, so a query with other aggregates can use the state."""
    return replace(work, steps=(), extent=None)


class LateBucket(Bucket):
    """Whole rows, as they arrived."""

    rows = "late tuple"

    def __init__(self, work: Pass, schema: pa.Schema, bound: Size | None = None, **at: Any) -> None:
        super().__init__(late_work(work), schema, "late", Log(pa.schema([]), ""), **at)
        self.schema = schema
        self.bound = 0 if bound is None or self.key is None else bound_of(bound, self.key)

    @property
    def limit(self) -> int | None:
        return None if self.done is None else self.done - self.bound

    def step(self, batch: pa.RecordBatch | pa.Table | None, watermark: int | None) -> Output:
        given = super().step(batch, watermark)
        return replace(given, rows=given.late)

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        return whole(table.slice(0, 0))

    @property
    def waiting(self) -> int:
        return 0

    @property
    def live(self) -> int:
        return 0

    def tables(self) -> dict[str, pa.Table]:
        return {}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :meth:`tables`."""


@dataclass(frozen=True)
class LateRows(Part):
    """The late tuples, as rows."""

    bound: Size | None = None  # how far behind the watermark a tuple is not late yet

    def operator(self, schema: pa.Schema) -> Operator:
        raise NotImplementedError("late tuples are those of a stream")

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> LateBucket:
        return LateBucket(self.work, schema, self.bound, zone=zone)
