"""How often a row holds in two relations, and in the result: the common part of difference, intersect and max_union.

::

    left     x [1 --------- 7)  x [3 ------ 9)          copies   1   2   2   1        of x, in the pieces
    right    x      [4 ----- 9)                                  0   0   1   1        [1,3) [3,4) [4,7) [7,9)
    difference: max(0, left - right)                             1   2   1   0
"""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import steps
from inwindow.runtime.dictionaries import rows_of
from inwindow.runtime.intervals import Rows, in_order
from inwindow.temporal.relation import check_relation, check_values, numbered_together, relations, values_of
from inwindow.temporal.stitched import Stitched
from inwindow.udaf.errors import UsageError


def same_columns(schemas: tuple[pa.Schema, ...], where: str) -> tuple[str, ...]:
    """The columns of both sides, which must have the same types; in the order of the first."""
    for schema in schemas:
        check_relation(schema, where)
    first, second = schemas
    names = values_of(first)
    for name in (*names, *values_of(second)):
        missing = "first" if name not in first.names else "second" if name not in second.names else None
        if missing:
            raise UsageError(
                f"{where}: the {missing} table has no column {name!r}: both need the same ones, so select them first"
            )
    for name in names:
        kinds = [schema.field(name).type for schema in schemas]
        if kinds[0] != kinds[1]:
            raise UsageError(
                f"{where}: {name!r} is of type {kinds[0]} in the first table and {kinds[1]} in the second: cast one of them"
            )
    return tuple(names)


@dataclass(frozen=True)
class Multiplicity(Stitched):
    """Gives each row as many times as :meth:`copies` says for its numbers on both sides."""

    steps = "one sort of all ends of both, and one pass"

    @abstractmethod
    def copies(self, left: Rows, right: Rows) -> Rows:
        """The number of copies in the result for the numbers of copies on both sides."""

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Equal rows meet."""
        names = self._names(schemas)
        return [names, names]

    def _names(self, schemas: tuple[pa.Schema, ...]) -> tuple[str, ...]:
        where = f"temporal.{self.name}"
        names = same_columns(schemas, where)
        check_values(schemas[0], names, where)
        return names

    def run(self, *tables: pa.Table) -> pa.Table:
        """One sort of all ends, and one pass."""
        names = self._names(tuple(table.schema for table in tables))
        tables = tables[0], tables[1].select(tables[0].column_names)
        both = relations(tables, f"temporal.{self.name}")
        sides = numbered_together(both, [names, names])
        edge = len(tables[0])
        row = np.concatenate([side.row + first for side, first in zip(sides, (0, edge), strict=True)] * 2)
        group = np.concatenate([side.group for side in sides] * 2)
        time = np.concatenate([*(side.since for side in sides), *(side.until for side in sides)])
        sign = np.repeat(np.array([1, -1]), [len(time) // 2] * 2)
        on_left = np.where(row < edge, sign, 0)
        order = in_order(group, time)
        if order is not None:
            row, group, time, sign, on_left = (column[order] for column in (row, group, time, sign, on_left))
        at, since, until, left, right = steps(group, time, on_left, sign - on_left)
        copies = self.copies(left, right)
        goes_on = (at[1:] == at[:-1]) & (since[1:] == until[:-1]) & (copies[1:] == copies[:-1])
        first = np.flatnonzero(np.append(True, ~goes_on)[: len(at)])
        last = np.append(first[1:], len(at))[: len(first)] - 1
        rows, since, until = (np.repeat(its, copies[first]) for its in (row[at[first]], since[first], until[last]))
        values = pa.concat_tables([table.select(names) for table in tables])
        taken = {name: rows_of(values.column(name), pa.array(rows)) for name in names}
        return both[0].with_ends(pa.table(taken) if taken else None, since, until)
