"""A registered aggregate, called from plain SQL: what runs in Spark's Python workers.

The call is ``my_avg(row_number() OVER (PARTITION BY item ORDER BY ts), item, price)``: the row number, which keeps the
tuples in order, the keys, the arguments. Their types are known only here, so here the plan is made.
"""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import pyarrow as pa

from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.returned import returned
from inwindow.runtime.spark.worker import Batches, RowJob
from inwindow.udaf.errors import DataError, UsageError
from inwindow.windows.spec import Window

_PLAIN = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}


@dataclass(frozen=True, kw_only=True)
class CallJob(RowJob):
    """The aggregate and its frame; the plan follows from the first tuples."""

    name: str
    aggregate: Any  # an instance of a class, or a function that gives it on columns
    parameters: tuple[str, ...]
    window: Window
    ansi: bool
    zone: str
    result: pa.DataType

    def run(self, batches: Batches) -> Batches:
        """One column, a value per tuple."""
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return
        job = self._planned([field.type for field in first.schema])
        given = (pa.RecordBatch.from_arrays(batch.columns, job.schema.names) for batch in chain([first], batches))
        failed = None
        try:
            yield from job.run(given)
        except DataError as error:
            if "not in the order of the window" not in str(error):
                raise
            failed = error
        if failed is not None:
            raise DataError(
                f"{self.name}: the row numbers do not run on as they should ({str(failed).partition(';')[0]}). Behind "
                f"row_number() OVER (PARTITION BY ...) come the columns of its PARTITION BY, all of them, then the arguments: "
                f"{self._call()}; and calls with different windows each need a SELECT of their own (iw.sql takes them in one)"
            )

    def _planned(self, types: list[pa.DataType]) -> RowJob:
        keys = len(types) - 1 - len(self.parameters)
        if keys < 0 or not pa.types.is_integer(types[0]):
            raise UsageError(
                f"{self.name} was called with {', '.join(map(str, types))}: a registered aggregate takes a row number first, "
                f"then the columns of PARTITION BY, then its arguments: {self._call()}; or use iw.sql, which takes "
                f"{self.name}({', '.join(self.parameters)}) OVER (...)"
            )
        names = places(keys, self.parameters)
        fields = [pa.field(name, _PLAIN.get(kind, kind)) for name, kind in zip(names, types[1:], strict=True)]
        one = replace(self.aggregate(*names[keys:]), shown=f"{self.name}({', '.join(self.parameters)})")
        window = replace(self.window, partition_by=tuple(names[:keys]))
        (work,) = plan_windows(pa.schema(fields), {self.name: one.over(window)}, ansi=self.ansi, zone=self.zone)
        its = work.steps[0].implementation.result
        if its != self.result:
            raise UsageError(
                f"{self.name} gives {its} on {', '.join(str(field.type) for field in fields[keys:])}, but was registered to give "
                f"{self.result}: register it with returns= for {its}, or cast its argument"
            )
        return RowJob(work, pa.schema([pa.field("row_number", types[0]), *fields]), True)

    def _call(self) -> str:
        arguments = ", ".join(self.parameters)
        return f"{self.name}(row_number() OVER (PARTITION BY k ORDER BY t), k{', ' if arguments else ''}{arguments})"


def places(keys: int, parameters: tuple[str, ...]) -> list[str]:
    """Names for the columns of a call: of the keys, then of the arguments."""
    names = [f"key {number}" for number in range(1, keys + 1)] if keys != 1 else ["key"]
    return [*names, *(f"argument {parameter}" if parameter in names else parameter for parameter in parameters)]


def call_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the registered function: columns in, the result out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: CallJob = pickle.loads(job)
        batches = (pa.RecordBatch.from_arrays(a, [str(i) for i in range(len(a))]) for a in worker.listed(columns))
        for given in worker.told(its.run(batches)):
            yield returned(given).column(0)

    return inwindow
