"""A pyarrow.RecordBatchReader as a place: it must be sorted, which is checked, and its batches are fed as they come.

Memory is bounded by the frames, however long the reader is.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrow_data import ArrowData, planned
from inwindow.runtime.dictionaries import as_given, as_read
from inwindow.runtime.expressions import Computed
from inwindow.runtime.operator import Operator
from inwindow.runtime.query import Query, single_pass
from inwindow.udaf.errors import DataError, UsageError
from inwindow.udaf.pythonic import text_of
from inwindow.windows.neighbours import descents
from inwindow.windows.spec import Hop


class Reader(ArrowData):
    """A reader, sorted."""

    def ordered(self, work: Pass) -> str:
        """A reader is never sorted."""
        if not work.position_columns:
            return "in the order of arrival, fed as it comes"
        return "must come in order, which is checked; fed as it comes"

    def as_given(self, rows: pa.Table) -> pa.RecordBatchReader:
        """Result rows as data of the same kind as the input."""
        return rows.to_reader()

    def run(self, query: Query) -> pa.RecordBatchReader:
        if isinstance(query.extent, Hop) and query.extent.scope == "stream":
            raise UsageError(
                "scope='stream' counts tuples over the whole stream, but a reader comes sorted by its keys: use a table"
            )
        plan = planned(self.schema, query)
        work = single_pass(plan.passes, f"{query.where} on a reader")
        if query.verb.rows == "every tuple":
            kept = [name for name in self.schema.names if name not in query.aggregates]
            check_columns(plan.schema, kept, f"{query.where} on a reader")
            query = replace(query, passed={name: name for name in kept})
        passed = [as_given(plan.schema, source) for source in query.passed.values()]
        operator = query.verb.part(plan.query, work, passed).operator(plan.schema)
        schema = pa.schema([f.with_name(name) for f, name in zip(operator.schema, query.titles, strict=True)])
        order = list(query.order) or schema.names
        batches = (
            pa.RecordBatch.from_arrays(batch.columns, schema=schema).select(order)
            for batch in operator.over(_checked(operator, self.data, plan.computed))
        )
        return pa.RecordBatchReader.from_batches(pa.schema([schema.field(name) for name in order]), batches)


def _checked(operator: Operator, reader: pa.RecordBatchReader, computed: Computed) -> Iterator[pa.RecordBatch]:
    remedy = "sort it first, or give a table (reader.read_all()), which is sorted for you"
    check, reads = SortedCheck(operator.work, "the reader is", remedy), operator.reads()
    for batch in reader:
        for whole in computed.onto(pa.Table.from_batches([batch])).to_batches():
            whole = as_read(whole, reads)
            check(whole)
            yield whole


class SortedCheck:
    """Checks that the input is sorted by partition and order columns; an error names two rows that are not."""

    def __init__(self, work: Pass, what: str, remedy: str) -> None:
        self.work, self.what, self.remedy = work, what, remedy
        self.names = work.position_columns
        self.rows = 0
        self.last: pa.RecordBatch | None = None

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Check a batch, and its first row against the last one of the batch before."""
        if not self.names or not batch.num_rows:
            return
        batch = batch.select(self.names)
        if self.last is not None:
            batch = pa.Table.from_batches([self.last, batch]).combine_chunks().to_batches()[0]
        keys = len(self.work.partition_by)
        wrong = np.flatnonzero(descents(batch.columns[:keys], batch.columns[keys:], self.work.order_by))
        if len(wrong):
            first = int(wrong[0])
            row = self.rows + first - (self.last is not None)
            raise DataError(
                f"{self.what} not sorted by {', '.join(self._orders())}: row {row} is {_text(batch, first)}, row {row + 1} is "
                f"{_text(batch, first + 1)}; "
                f"{self.remedy}"
            )
        self.rows += batch.num_rows - (self.last is not None)
        self.last = batch.slice(batch.num_rows - 1)

    def _orders(self) -> list[str]:
        orders = []
        for order in self.work.order_by:
            orders.append(
                f"{order.column}{'' if order.ascending else ' descending'} nulls {'first' if order.nulls_first else 'last'}"
            )
        return [*self.work.partition_by, *orders]


def _text(batch: pa.RecordBatch, row: int) -> str:
    """A row as a dict; values beyond Python's dates by their numbers."""
    one = batch.slice(row, 1)
    try:
        return str(one.to_pylist()[0])
    except (OverflowError, ValueError):
        return str({name: text_of(column[0]) for name, column in zip(one.schema.names, one.columns, strict=True)})
