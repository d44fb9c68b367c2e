"""``coalesce``: equal rows that overlap or meet become one.

::

    a [1 ---------------- 9)
    a    [2 - 4)                     one run, though the second interval ends before the third begins:
    a              [6 ------- 11)    the latest end so far counts
                               =     a [1 --------------------- 11)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from inwindow.native._sweep import runs
from inwindow.runtime.operations import carried_out
from inwindow.temporal.names import names_of
from inwindow.temporal.relation import ENDS, check_relation, check_values, relation, values_of
from inwindow.temporal.stitched import Stitched

Data = TypeVar("Data")


def coalesce(data: Data, by: str | Iterable[str] | None = None) -> Data:
    """Equal rows that overlap or meet as one row: "gaps and islands", and the normal form of a relation.

    ``by``: the columns that tell rows apart, and that the result has; all of them, if it is not given.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> shifts = pa.table({"who": ["ann"] * 4, "since": [1, 2, 6, 20], "until": [9, 4, 11, 21]})
    >>> temporal.coalesce(shifts, by="who").to_pylist()
    [{'who': 'ann', 'since': 1, 'until': 11}, {'who': 'ann', 'since': 20, 'until': 21}]
    """
    return carried_out(Coalesce("coalesce", names_of(by, "temporal.coalesce", "by")), data)


@dataclass(frozen=True)
class Coalesce(Stitched):
    """Runs of intervals, per value of some columns (None: all)."""

    name: str
    by: tuple[str, ...] | None
    steps = "one sort by them and since, and one pass"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Rows meet if they are equal in these columns."""
        return [self._by(schemas[0])]

    def reads(self, schema: pa.Schema) -> list[str]:
        """What tells rows apart, and the ends."""
        return [*self._by(schema), *ENDS]

    def run(self, *tables: pa.Table) -> pa.Table:
        """One sort, and one pass."""
        (table,) = tables
        by = self._by(table.schema)
        its = relation(table, f"temporal.{self.name}")
        intervals = its.numbered(by).entered
        first, until = runs(intervals.group, intervals.since, intervals.until)
        return its.made(by, intervals.row[first], intervals.since[first], until)

    def _by(self, schema: pa.Schema) -> tuple[str, ...]:
        where = f"temporal.{self.name}"
        check_relation(schema, where)
        by = tuple(values_of(schema)) if self.by is None else self.by
        check_values(schema, by, where)
        return by
