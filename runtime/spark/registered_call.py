"""A registered aggregate that is called from plain SQL: the part that runs in Spark's Python workers.

The call is ``my_avg(row_number() OVER (PARTITION BY item ORDER BY ts), item, price)``: the row number, which fixes the order of
the tuples, then the keys, then the arguments. The plan is made here, because only here their types are known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.arrivals import ROW
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.spark.shipping import loaded
from inwindow.runtime.tasks import Batches, ResultColumns
from inwindow.runtime.with_columns import EveryRow
from inwindow.udaf.errors import DataError, UsageError
from inwindow.windows.neighbours import changes
from inwindow.windows.sequence import Positions
from inwindow.windows.spec import Order, Window

NUMBER = "row number"
_PLAIN = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}


@dataclass(frozen=True)
class NumberedRows(EveryRow):
    """Tuples in the order of their row numbers, which must count from 1 without gaps within equal keys."""

    name: str = ""
    call: str = ""

    def checked(self, batches: Batches) -> Batches:
        """The ordered tuples, or an error: a column of PARTITION BY is missing, or another window has moved the rows."""
        last_number, last_keys = 0, None
        for batch in batches:
            number: Positions = batch.column(NUMBER).to_numpy()
            before = np.append(last_number, number[:-1])
            keys = [batch.column(name) for name in self.work.partition_by]
            begins = changes(keys, last_keys) if keys else before == 0
            wrong = np.flatnonzero(number != np.where(begins, 1, before + 1))
            if len(wrong):
                raise self._wrong(int(before[wrong[0]]), int(number[wrong[0]]), bool(begins[wrong[0]]))
            last_number, last_keys = int(number[-1]), [key.slice(len(number) - 1) for key in keys]
            yield batch

    def _wrong(self, before: int, number: int, begins: bool) -> DataError:
        behind = f"a new partition begins with number {number}" if begins else f"after number {before} comes {number}"
        return DataError(
            f"{self.name}: the row numbers do not run on as they should ({behind}). Behind row_number() OVER (PARTITION BY ...) "
            f"come the columns of its PARTITION BY, all of them, then the arguments: {self.call}; and calls with different "
            "windows each need a SELECT of their own (iw.sql takes them in one)"
        )


@dataclass(frozen=True)
class CallJob:
    """The aggregate and its frame; the plan follows from the first tuples."""

    work: Pass  # as far as the driver knows it
    name: str
    aggregate: Any  # an instance of a class, or a function of columns that gives one
    parameters: tuple[str, ...]
    window: Window
    ansi: bool
    zone: str
    result: pa.DataType
    memory: int | None

    def run(self, batches: Batches) -> Batches:
        """One column, a value per tuple."""
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return
        job = self._planned([field.type for field in first.schema])
        given = (pa.RecordBatch.from_arrays(batch.columns, job.schema.names) for batch in chain([first], batches))
        yield from job.run(given)

    @property
    def steps(self) -> Sequence[Step]:
        """The steps, as far as they are known."""
        return self.work.steps

    def _planned(self, types: list[pa.DataType]) -> worker.Job:
        keys = len(types) - 1 - len(self.parameters)
        if keys < 0 or not pa.types.is_integer(types[0]):
            raise UsageError(
                f"{self.name} was called with {', '.join(map(str, types))}: a registered aggregate takes a row number first, "
                f"then the columns of PARTITION BY, then its arguments: {self._call()}; or use iw.sql, which takes "
                f"{self.name}({', '.join(self.parameters)}) OVER (...)"
            )
        names = column_names(keys, self.parameters)
        fields = [pa.field(name, _PLAIN.get(kind, kind)) for name, kind in zip(names, types[1:], strict=True)]
        fields.append(pa.field(NUMBER, types[0]))
        one = replace(self.aggregate(*names[keys:]), shown=f"{self.name}({', '.join(self.parameters)})")
        window = replace(self.window, partition_by=tuple(names[:keys]), order_by=(Order(NUMBER),))
        (work,) = plan_windows(pa.schema(fields), {self.name: one.over(window)}, ansi=self.ansi, zone=self.zone)
        its = work.steps[0].implementation.result
        if its != self.result:
            raise UsageError(
                f"{self.name} gives {its} on {', '.join(str(field.type) for field in fields[keys:-1])}, but was registered to give "
                f"{self.result}: register it with returns= for {its}, or cast its argument"
            )
        schema = pa.schema([fields[-1], *fields[:-1]])
        part = NumberedRows(work, (ROW,), self.name, self._call())
        return worker.Job(ResultColumns((part,), (tuple(schema.names),)), schema, self.memory)

    def _call(self) -> str:
        arguments = ", ".join(self.parameters)
        return f"{self.name}(row_number() OVER (PARTITION BY k ORDER BY t), k{', ' if arguments else ''}{arguments})"


def column_names(keys: int, parameters: tuple[str, ...]) -> list[str]:
    """Names for the columns of a call: of the keys, then of the arguments."""
    names = [f"key {number}" for number in range(1, keys + 1)] if keys != 1 else ["key"]
    return [*names, *(f"argument {parameter}" if parameter in names else parameter for parameter in parameters)]


def call_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the registered function: columns in, the result out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: CallJob = loaded(job)
        batches = (pa.RecordBatch.from_arrays(a, [str(i) for i in range(len(a))]) for a in worker.listed(columns))
        for given in worker.without_our_frames(its.run(batches)):
            yield spark_batch(given).column(0)

    return inwindow
