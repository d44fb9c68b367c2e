"""Operators whose result at an instant is made of what holds then: time may be cut anywhere (see ``runtime/stitching.py``).

::

    watermark        before -------- now
    rows          [=====|==============|====)      cut at both, and the operator runs on what lies between
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.operation import NUMBER, Advanced, Between, Operation, Turn
from inwindow.runtime.stitching import stitched
from inwindow.temporal.relation import ENDS, SINCE, UNTIL, relation

Bound: TypeAlias = pa.Scalar | None


class Stitched(Operation):
    """An operator whose result at an instant depends only on the rows that hold at that instant."""

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """All columns of the result but its ends."""
        return tuple(
            name for name in self.run(*(schema.empty_table() for schema in schemas)).column_names if name not in ENDS
        )

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Nothing."""

    def why_whole(self, *schemas: pa.Schema) -> str:
        """It may always be cut."""
        return ""

    def between(self, tables: Sequence[pa.Table], since: Bound, until: Bound) -> Between:
        """The operator on rows that are cut at both ends; every row of the result may go on."""
        parts = self.run(*(cut(table, since, until, self.where) for table in tables))
        return Between(parts.slice(0, 0), parts)

    def advance(self, turn: Turn) -> Advanced:
        """See the module."""
        tables = [table.drop_columns([NUMBER]) for table in turn.tables]
        schemas = [table.schema for table in tables]
        new = self.between(tables, turn.since, turn.until).parts
        rows, goes_on = stitched(
            turn.open, new, turn.since, turn.until, self.matched(*schemas), self.compared(*schemas)
        )
        return Advanced(rows, goes_on, [still_held(table, turn) for table in tables])


def cut(table: pa.Table, since: Bound, until: Bound, where: str) -> pa.Table:
    """The rows as they hold between two instants; what began before the first one keeps its order, and comes first."""
    if pc.any(pc.greater(table.column(SINCE), table.column(UNTIL))).as_py():
        relation(table, where)  # an error about that row
    if since is not None:
        edge = since.cast(table.schema.field(SINCE).type)
        early = pc.fill_null(pc.less(table.column(SINCE), edge), True).combine_chunks()  # NULL: always so far
        if pc.any(early).as_py():
            table = _first(table, np.flatnonzero(early.to_numpy(zero_copy_only=False)))
            early = pc.less(pa.array(np.arange(len(table))), early.true_count)
            column = pc.if_else(early, edge, table.column(SINCE))
            table = table.set_column(table.column_names.index(SINCE), SINCE, column)
        table = table.filter(
            pc.fill_null(pc.greater(table.column(UNTIL), edge.cast(table.schema.field(UNTIL).type)), True)
        )
    if until is not None:
        column = table.column(UNTIL)
        edge = until.cast(column.type)
        late = pc.fill_null(pc.greater(column, edge), True)  # NULL: for ever
        table = table.set_column(table.column_names.index(UNTIL), UNTIL, pc.if_else(late, edge, column))
    return table


def _first(table: pa.Table, early: npt.NDArray[np.int64]) -> pa.Table:
    """These rows first, in the order in which they began; then the others, as they come."""
    began = table.column(SINCE).take(pa.array(early))
    always, order = began.null_count, pc.sort_indices(began).to_numpy()  # stable; NULLs are behind the others
    order = np.roll(order, always)
    if early[-1] == len(early) - 1 and (order[1:] > order[:-1]).all():
        return table
    others = np.ones(len(table), dtype=bool)
    others[early] = False
    return table.take(pa.array(np.concatenate([early[order], np.flatnonzero(others)])))


def still_held(table: pa.Table, turn: Turn) -> npt.NDArray[np.bool_]:
    """Which rows hold at the watermark, or end there."""
    until = table.column(UNTIL)
    goes_on = pc.greater_equal(until, turn.until.cast(until.type))
    return np.asarray(pc.fill_null(goes_on, True).to_numpy(zero_copy_only=False) if len(table) else [], dtype=bool)
