"""A pyarrow.Table as a place: it is sorted, fed to the operator in slices that fit the cache, and comes back in its own order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_groups
from inwindow.runtime.arrow_data import ArrowData, LocalPlan, planned
from inwindow.runtime.dictionaries import readable, rows_of
from inwindow.runtime.feed import ROW, Feed
from inwindow.runtime.moving import ByArrival, inverse
from inwindow.runtime.ordering import Permutation, is_in_order, permutation, sorted_by
from inwindow.runtime.point_table import results_at
from inwindow.runtime.progress import Run, shown
from inwindow.runtime.query import Query
from inwindow.runtime.reserved import STREAM_ROW
from inwindow.windows.spec import Hop, Order


@dataclass(frozen=True)
class Table(ArrowData):
    """A table; ``given`` is the user's own, to which ``with_columns`` adds columns."""

    given: pa.Table

    def ordered(self, work: Pass) -> str:
        """Whether rows are in order is seen when it runs."""
        if not work.position_columns:
            return "in the order of arrival, fed in slices"
        return f"{'already' if is_in_order(self.data, work) else 'put'} in order, fed in slices"

    def run(self, query: Query) -> Any:
        rows = len(self.data) + (0 if query.of is None else len(query.of.data))
        with shown(Run(query.where, rows)) as run:
            return self._run(query, run)

    def _run(self, query: Query, run: Run) -> pa.Table:
        if query.of is not None:
            return self._with(query.aggregates, results_at(self.data, query.of.data, query.aggregates, run))
        table = self.data
        if isinstance(query.extent, Hop) and query.extent.scope == "stream":
            table, extent = _numbered_stream(table, query.extent)
            query = replace(query, extent=extent)
        plan = planned(table.schema, query)
        table = plan.computed.onto(table)
        run.passes = len(plan.passes)
        match query.verb.rows:
            case "every tuple":
                return self._with(query.aggregates, _beside(plan, table, run))
            case "some tuples":
                return _some(plan, table, run).select(query.order)
            case "groups":
                feed = Feed(query.verb.part(plan.query, plan.passes[0]), table, run)
                return pa.table(feed.columns(), schema=feed.operator.schema)

    def as_given(self, rows: pa.Table) -> Any:
        """Result rows as data of the same kind as the input."""
        return rows

    def _with(self, names: Iterable[str], results: Mapping[str, Any]) -> pa.Table:
        """The table with the results in order; a result with the name of a column replaces it."""
        table = self.given
        for name in names:
            at = table.schema.get_field_index(name)
            table = table.append_column(name, results[name]) if at < 0 else table.set_column(at, name, results[name])
        return table


def _beside(plan: LocalPlan, table: pa.Table, run: Run) -> dict[str, pa.ChunkedArray]:
    """The results for every row, in the order of arrival."""
    results: dict[str, pa.ChunkedArray] = {}
    for work in plan.passes:
        feed = Feed(plan.query.verb.part(plan.query, work), table, run)
        results |= feed.columns() if feed.order.rows is None else _in_order_of_arrival(feed, feed.order.rows)
    return results


def _in_order_of_arrival(feed: Feed, order: Permutation) -> dict[str, pa.ChunkedArray]:
    arrivals, at = ByArrival(feed.operator.schema, feed.rows), 0
    for batch in feed.batches():
        arrivals.put(batch, order[at : at + batch.num_rows])
        at += batch.num_rows
    given = arrivals.table()
    return dict(zip(given.column_names, given.columns, strict=True))


def _some(plan: LocalPlan, table: pa.Table, run: Run) -> pa.Table:
    """The rows of some tuples, in the order of arrival; columns that pass through are added at the end."""
    (work,) = plan.passes
    numbered = table.append_column(ROW, pa.array(np.arange(len(table))))
    feed = Feed(plan.query.verb.part(plan.query, work, (ROW,)), numbered, run)
    given = feed.columns()
    rows = given.pop(ROW).to_numpy()
    in_order = sorted_by([(pa.array(rows), True, True)])
    rows = rows if in_order is None else rows[in_order]
    output = {name: rows_of(table.column(source), pa.array(rows)) for name, source in plan.query.passed.items()}
    for name, column in given.items():
        output[name] = column if in_order is None else column.take(pa.array(in_order))
    return pa.table(output)


def _numbered_stream(table: pa.Table, extent: Hop) -> tuple[pa.Table, Hop]:
    """For counts over the whole stream: replace the attribute by the row number in the order of ``on``."""
    plan_groups(readable(table.schema), (), extent, {})  # an error if the column does not exist
    order = permutation(table, Pass((), (Order(extent.on),), (), None, None, False))
    numbers = np.arange(len(table)) if order is None else inverse(order)
    return table.append_column(STREAM_ROW, pa.array(numbers)), replace(extent, on=STREAM_ROW, rows=False)
