"""Jobs that give a row per tuple, in the order of arrival: several passes over rows that lie together cross to Python once.

::

    arrive     k t v              each tuple with its number
    pass 1     ordered by k, t    -> results -> back in the order of arrival  \\
    pass 2     ordered by k, v    -> results -> back in the order of arrival  /  side by side
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.runtime.arrivals import ROW, Arrivals, Results, numbered, rolled
from inwindow.runtime.memory import allowed
from inwindow.runtime.rows import WithColumns
from inwindow.runtime.scratch import Spool
from inwindow.runtime.spark.observed import with_found
from inwindow.runtime.spark.worker import Batches, Job, OperatorJob, spilled


class RowJob(OperatorJob):
    """One pass over tuples that have their number as last column."""

    def operator(self) -> WithColumns:
        """For ``with_columns``."""
        return WithColumns(self.work, self.schema, (ROW,))

    def begun(self) -> Arrivals:
        """Where its tuples are to be put."""
        return Arrivals(self.ordered, allowed(self.memory), spilled)

    def results(self, arrivals: Arrivals) -> Batches:
        """Its results in the order of arrival, and what sentinels have found."""
        operator = self.operator()
        results = Results(operator.schema, arrivals.rows, allowed(self.memory), spilled)
        for batch in rolled(operator, self.checked(arrivals.in_order())):
            if arrivals.in_place:
                yield with_found(self.work, batch.select(range(1, batch.num_columns)))
            else:
                results.add(batch)
        for batch in results.in_order_of_arrival():
            yield with_found(self.work, batch)


@dataclass(frozen=True)
class RowJobs(Job):
    """Passes over the same rows; ``work`` is the first one."""

    jobs: tuple[RowJob, ...]
    kept: int = 0  # of the arriving columns the last ones go through as they are: for ``mapInArrow``, which keeps none

    def run(self, batches: Batches) -> Batches:
        """The kept columns, then the results of each pass."""
        begun = [job.begun() for job in self.jobs]
        read = len(self.schema) - self.kept
        spool = Spool(pa.schema(list(self.schema)[read:]), allowed(self.jobs[0].memory), spilled)
        for batch in numbered(batches):
            for job, arrivals in zip(self.jobs, begun, strict=True):
                arrivals.add(batch.select(job.schema.names))
            if self.kept:
                spool.add(batch.select(range(read, len(self.schema))))
        parts = [job.results(arrivals) for job, arrivals in zip(self.jobs, begun, strict=True)]
        if self.kept:
            parts.insert(0, spool.batches())
        yield from side_by_side(parts) if len(parts) > 1 else parts[0]

    output = run  # with what sentinels have found, behind each pass


def side_by_side(parts: list[Iterator[pa.RecordBatch]]) -> Batches:
    """The columns of all parts, which have as many rows, in batches of their own lengths."""
    held: list[Any] = [next(part, None) for part in parts]
    while not any(batch is None for batch in held):
        rows = min(batch.num_rows for batch in held)
        columns = [column for batch in held for column in batch.slice(0, rows).columns]
        yield pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])
        rest = [batch.slice(rows) for batch in held]
        held = [batch if batch.num_rows else next(part, None) for batch, part in zip(rest, parts, strict=True)]
