"""The local adapter: Arrow tables and record batch readers, without a JVM.

A table is sorted, fed through the operator in cache-sized slices, and comes back in the order it came in. A reader
must come sorted (checked) and is fed as it comes: memory is that of the frames, however long it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime.dictionaries import as_given, as_read, read_column, readable, rows_of
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.groups import GroupOperator
from inwindow.runtime.moving import ByArrival, inverse, slices
from inwindow.runtime.operator import Operator
from inwindow.runtime.ordering import Arranged, arranged, permutation, sorted_by
from inwindow.runtime.reserved import BEGINS, PREFIX, STREAM_ROW
from inwindow.runtime.rows import Select, WithColumns
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import DataError, UsageError
from inwindow.windows.neighbours import descents
from inwindow.windows.spec import Extent, Hop, Order

_SLICE = 1 << 16  # rows fed at a time: bounds and results of a slice stay in the cache
_ROW = f"{PREFIX}row"
_PLACE = "local: a table is sorted once per pass and fed in slices; a reader must come sorted"


@dataclass(frozen=True)
class Local:
    """Data that are here: the only difference to a plan is their schema."""

    data: Any

    def check(self, names: Iterable[str], where: str) -> None:
        """The columns are there, or an error."""
        check_columns(self._schema, names, where)

    def names(self) -> list[str]:
        """All columns."""
        names: list[str] = self._schema.names
        return names

    def replaced(self, results: Iterable[str]) -> list[str]:
        """Those results that have the name of a column."""
        return [name for name in results if name in self._schema.names]

    def with_early_results(self) -> "Local":
        """The same: what is all there has no early results."""
        return self

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that :func:`inwindow.select` passes through: its name, and what it is made of."""
        if not isinstance(item, str):
            return None
        self.check([item], "select")
        return item, item

    def explain(self, applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over windows would do."""
        named, computed = compute_arguments(applied)
        return Explanation(plan_windows(computed.schema(self._schema), named), _PLACE)

    def explain_groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Explanation:
        """What aggregates of groups would do."""
        named, computed = compute_arguments(applied)
        return Explanation([plan_groups(computed.schema(self._schema), keys, extent, named, order_by=order_by)], _PLACE)

    def explain_at_points(self, events: "Local", applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over events would do at these rows."""
        from inwindow.runtime.spine_table import explain_at

        return explain_at(self._schema, events._schema, applied)

    @property
    def _schema(self) -> pa.Schema:
        schema: pa.Schema = self.data if isinstance(self.data, pa.Schema) else self.data.schema
        return schema


@dataclass(frozen=True)
class Table(Local):
    """A pyarrow.Table; ``given`` is as it came, what ``with_columns`` adds columns to."""

    given: pa.Table

    def with_columns(self, applied: Mapping[str, Applied]) -> pa.Table:
        """See :func:`inwindow.with_columns`."""
        return with_results(self.given, applied, table_results(self.data, applied))

    def at_points(self, events: "Table", applied: Mapping[str, Applied]) -> pa.Table:
        """See :func:`inwindow.with_columns`, with ``of=``."""
        from inwindow.runtime.spine_table import results_at

        return with_results(self.given, applied, results_at(self.data, events.data, applied))

    def select(
        self, passed: Mapping[str, str], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> pa.Table:
        """See :func:`inwindow.select`."""
        return table_select(self.data, passed, applied, emitted_at).select(order)

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> pa.Table:
        """See :func:`inwindow.group_by`."""
        return table_groups(self.data, keys, extent, applied, order_by)


class Reader(Local):
    """A pyarrow.RecordBatchReader, sorted."""

    def with_columns(self, applied: Mapping[str, Applied]) -> pa.RecordBatchReader:
        """See :func:`inwindow.with_columns`."""
        return reader_with_columns(self.data, applied)

    def select(
        self, passed: Mapping[str, str], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> pa.RecordBatchReader:
        """See :func:`inwindow.select`."""
        reader = reader_select(self.data, passed, applied, emitted_at)
        schema = pa.schema([reader.schema.field(name) for name in order])
        return pa.RecordBatchReader.from_batches(schema, (batch.select(order) for batch in reader))

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> pa.RecordBatchReader:
        """See :func:`inwindow.group_by`."""
        return reader_groups(self.data, keys, extent, applied, order_by)


# Tables


def table_results(table: pa.Table, applied: Mapping[str, Applied]) -> dict[str, pa.ChunkedArray]:
    """A column per aggregate."""
    named, computed = compute_arguments(applied)
    whole = computed.onto(table)
    results: dict[str, pa.ChunkedArray] = {}
    schema = readable(whole.schema)
    for work in plan_windows(schema, named):
        operator = WithColumns(work, schema, ())
        order = arranged(whole, work)
        results |= (fed if order.rows is None else _in_order_of_arrival)(operator, whole, order)
    return results


def with_results(table: pa.Table, names: Iterable[str], results: Mapping[str, Any]) -> pa.Table:
    """The table with the results, in the order of their names; one that is called like a column takes its place."""
    for name in names:
        at = table.schema.get_field_index(name)
        table = table.append_column(name, results[name]) if at < 0 else table.set_column(at, name, results[name])
    return table


def _in_order_of_arrival(operator: WithColumns, table: pa.Table, order: Arranged) -> dict[str, pa.ChunkedArray]:
    assert order.rows is not None
    arrivals, at = ByArrival(operator.schema, len(table)), 0
    for batch in given_by(operator, table, order):
        arrivals.put(batch, order.rows[at : at + batch.num_rows])
        at += batch.num_rows
    given = arrivals.table()
    return dict(zip(given.column_names, given.columns, strict=True))


def table_select(
    table: pa.Table, columns: Mapping[str, str], applied: Mapping[str, Applied], emitted_at: str | None
) -> pa.Table:
    """The yield tuples (emissions, expirations) with some of their columns."""
    named, computed = compute_arguments(applied)
    whole = computed.onto(table)
    work = single_pass(plan_windows(readable(whole.schema), named), "select")
    numbered = whole.append_column(_ROW, pa.array(np.arange(len(whole))))
    operator = Select(work, readable(numbered.schema), (_ROW,), emitted_at)
    given = fed(operator, numbered, arranged(numbered, work))
    rows = given.pop(_ROW).to_numpy()
    in_order = sorted_by([(pa.array(rows), True, True)])
    rows = rows if in_order is None else rows[in_order]
    output = {name: rows_of(table.column(source), pa.array(rows)) for name, source in columns.items()}
    for name, column in given.items():
        output[name] = column if in_order is None else column.take(pa.array(in_order))
    return pa.table(output)


def table_groups(
    table: pa.Table,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> pa.Table:
    """A row per group and extent."""
    named, computed = compute_arguments(applied)
    whole = computed.onto(table)
    if isinstance(extent, Hop) and extent.scope == "stream":
        whole, extent = _numbered_stream(whole, extent)
    work = plan_groups(readable(whole.schema), keys, extent, named, order_by=order_by)
    operator = GroupOperator(work, readable(whole.schema))
    return pa.table(fed(operator, whole, arranged(whole, work)), schema=operator.schema)


def _numbered_stream(table: pa.Table, extent: Hop) -> tuple[pa.Table, Hop]:
    """Count over the whole stream: the attribute becomes the row number in the order of ``on``."""
    plan_groups(readable(table.schema), (), extent, {})  # the column is there, or an error
    order = permutation(table, Pass((), (Order(extent.on),), (), None, None, False))
    numbers = np.arange(len(table)) if order is None else inverse(order)
    return table.append_column(STREAM_ROW, pa.array(numbers)), replace(extent, on=STREAM_ROW, rows=False)


def given_by(operator: Operator, table: pa.Table, order: Arranged) -> Iterator[pa.RecordBatch]:
    """The operator's output over the table in the given order."""
    reads = operator.reads(told=order.begins is not None)
    columns = {name: read_column(table, name) for name in readable(table.schema).names if name in reads}
    read = pa.table(columns or {_ROW: pa.nulls(len(table))})  # a count of tuples reads nothing but their number
    for at, batch in enumerate(slices(read, order.rows, _SLICE)):
        if order.begins is not None:
            begins = order.begins[at * _SLICE : (at + 1) * _SLICE]
            batch = batch.append_column(BEGINS, pa.array(begins.view(np.uint8)))
        for piece in operator.pieces(batch):
            yield operator.process(piece)
    yield operator.finish()


def fed(operator: Operator, table: pa.Table, order: Arranged) -> dict[str, pa.ChunkedArray]:
    """All of the operator's output; its pieces are not copied together."""
    given = [batch for batch in given_by(operator, table, order) if batch.num_rows]
    return {
        field.name: pa.chunked_array([batch.column(index) for batch in given], field.type)
        for index, field in enumerate(operator.schema)
    }


# Readers


def reader_with_columns(reader: pa.RecordBatchReader, applied: Mapping[str, Applied]) -> pa.RecordBatchReader:
    """The reader's batches with a column per aggregate."""
    named, computed = compute_arguments(applied)
    schema = computed.schema(reader.schema)
    work = single_pass(plan_windows(schema, named), "with_columns on a reader")
    kept = [name for name in reader.schema.names if name not in applied]
    check_columns(schema, kept, "with_columns on a reader")
    operator = WithColumns(work, schema, [as_given(schema, name) for name in kept])
    return _streamed(reader, computed, operator, [*kept, *applied])


def reader_select(
    reader: pa.RecordBatchReader, columns: Mapping[str, str], applied: Mapping[str, Applied], emitted_at: str | None
) -> pa.RecordBatchReader:
    """The reader's yield tuples (emissions, expirations)."""
    named, computed = compute_arguments(applied)
    schema = computed.schema(reader.schema)
    work = single_pass(plan_windows(schema, named), "select")
    operator = Select(work, schema, [as_given(schema, source) for source in columns.values()], emitted_at)
    others = [field.name for field in operator.schema][len(columns) :]
    return _streamed(reader, computed, operator, [*columns, *others])


def reader_groups(
    reader: pa.RecordBatchReader,
    keys: tuple[str, ...],
    extent: Extent | None,
    applied: Mapping[str, Applied],
    order_by: tuple[Order, ...],
) -> pa.RecordBatchReader:
    """A row per group and extent of the reader."""
    if isinstance(extent, Hop) and extent.scope == "stream":
        raise UsageError(
            "scope='stream' counts tuples over the whole stream, but a reader comes sorted by its keys: use a table"
        )
    named, computed = compute_arguments(applied)
    schema = computed.schema(reader.schema)
    operator = GroupOperator(plan_groups(schema, keys, extent, named, order_by=order_by), schema)
    return _streamed(reader, computed, operator, operator.schema.names)


def _streamed(
    reader: pa.RecordBatchReader, computed: Computed, operator: Operator, names: list[str]
) -> pa.RecordBatchReader:
    schema = pa.schema([field.with_name(name) for field, name in zip(operator.schema, names, strict=True)])

    def batches() -> Iterator[pa.RecordBatch]:
        remedy = "sort it first, or give a table (reader.read_all()), which is sorted for you"
        check = SortedCheck(operator.work, "the reader is", remedy)

        def renamed(given: pa.RecordBatch) -> pa.RecordBatch:
            return pa.RecordBatch.from_arrays(given.columns, schema=schema)

        reads = operator.reads()
        for batch in reader:
            for whole in computed.onto(pa.Table.from_batches([batch])).to_batches():
                whole = as_read(whole, reads)
                check(whole)
                for piece in operator.pieces(whole):
                    given = operator.process(piece)
                    if given.num_rows:
                        yield renamed(given)
        rest = operator.finish()
        if rest.num_rows:
            yield renamed(rest)

    return pa.RecordBatchReader.from_batches(schema, batches())


class SortedCheck:
    """The input must be sorted by partition and order columns: an error names the two rows that are not."""

    def __init__(self, work: Pass, what: str, remedy: str) -> None:
        self.work, self.what, self.remedy = work, what, remedy
        self.names = work.places
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
            before, after = batch.slice(first, 2).to_pylist()
            raise DataError(
                f"{self.what} not sorted by {', '.join(self._orders())}: row {row} is {before}, row {row + 1} is {after}; "
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


def single_pass(passes: list[Pass], what: str) -> Pass:
    """The one pass of aggregates that must share their partitioning and order."""
    if len(passes) != 1:
        raise UsageError(
            f"{what} needs windows with the same partitioning and order, since a row is given where they yield; got "
            f"{len(passes)} different ones: add the others with iw.with_columns (on a table) first"
        )
    return passes[0]
