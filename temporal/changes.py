"""``istream`` and ``dstream``: relations back to streams, as in CQL: the rows that begin, and the rows that end.

::

    a   x [1 --------- 7)   x [3 --- 7)   x [7 --- 9)       how many x   0 | 1 | 2 | 1 | 0
    istream    x at 1         x at 3                                     1   3   7   9
    dstream    x at 7 (two end, one begins: one less), x at 9
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.runtime.intervals import in_order
from inwindow.runtime.operation import NUMBER, Advanced, Between, Operation, Turn
from inwindow.runtime.operations import carried_out
from inwindow.temporal.names import check_name
from inwindow.temporal.relation import check_relation, check_values, relation, values_of
from inwindow.temporal.stitched import still_held
from inwindow.udaf.errors import UsageError

Data = TypeVar("Data")


def istream(data: Data, *, at: str = "at") -> Data:
    """At each instant, the rows of which more copies hold than just before: one for each additional copy.

    ``at`` is the name of the column with the instant. A row that always held (``since`` is NULL) never begins.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> seen = pa.table({"tag": ["a", "a"], "since": [1, 5], "until": [5, 8]})
    >>> temporal.istream(seen).to_pylist()                       # at 5 one a ends and one begins: nothing changes
    [{'tag': 'a', 'at': 1}]
    """
    check_name(at, "temporal.istream", "at")
    return carried_out(Changes("istream", at, 1), data)


def dstream(data: Data, *, at: str = "at") -> Data:
    """At each instant, the rows of which fewer copies hold than just before: one for each copy that is gone.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> seen = pa.table({"tag": ["a", "a"], "since": [1, 5], "until": [5, 8]})
    >>> temporal.dstream(seen).to_pylist()
    [{'tag': 'a', 'at': 8}]
    """
    check_name(at, "temporal.dstream", "at")
    return carried_out(Changes("dstream", at, -1), data)


@dataclass(frozen=True)
class Changes(Operation):
    """Counts all ends of equal rows at one instant."""

    name: str
    at: str
    sign: int
    steps = "one sort of all ends, and one pass"

    waits = "the change"
    holds = "rows that have not ended"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Equal rows meet."""
        return [self._names(schemas[0])]

    def _names(self, schema: pa.Schema) -> tuple[str, ...]:
        where = f"temporal.{self.name}"
        check_relation(schema, where)
        names = tuple(values_of(schema))
        check_values(schema, names, where)
        check_new(self.at, names, where)
        return names

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Nothing."""

    def why_whole(self, *schemas: pa.Schema) -> str:
        """A change is at an instant."""
        return ""

    @property
    def has_parts(self) -> bool:
        """None goes on."""
        return False

    def between(self, tables: Sequence[pa.Table], since: pa.Scalar | None, until: pa.Scalar | None) -> Between:
        """The changes from one instant to another: a row's are at its ends."""
        rows = self.run(*tables)
        at = rows.column(self.at)
        there = pc.is_valid(at)
        if until is not None:
            there = pc.and_(there, pc.less(at, until.cast(at.type)))
        if since is not None:
            there = pc.and_(there, pc.greater_equal(at, since.cast(at.type)))
        return Between(rows.filter(there))

    def advance(self, turn: Turn) -> Advanced:
        """The changes from one watermark to the other; rows that are held may still end."""
        (table,) = (table.drop_columns([NUMBER]) for table in turn.tables)
        rows = self.between([table], turn.since, turn.until).rows
        return Advanced(rows, rows.slice(0, 0), [still_held(table, turn)])

    def run(self, *tables: pa.Table) -> pa.Table:
        """One sort of all ends."""
        (table,) = tables
        names = self._names(table.schema)
        its = relation(table, f"temporal.{self.name}")
        intervals = its.numbered(names)
        row, group = np.tile(intervals.row, 2), np.tile(intervals.group, 2)
        time = np.concatenate([intervals.since, intervals.until])
        change = np.repeat(np.array([self.sign, -self.sign]), [len(intervals)] * 2)
        ends = (time != NEVER_BEGAN) & (time != FOR_EVER)
        row, group, time, change = row[ends], group[ends], time[ends], change[ends]
        order = in_order(group, time)
        if order is not None:
            row, group, time, change = row[order], group[order], time[order], change[order]
        first = np.flatnonzero(np.append(True, (group[1:] != group[:-1]) | (time[1:] != time[:-1]))[: len(row)])
        copies = np.maximum(np.add.reduceat(change, first), 0) if len(first) else first
        rows, times = np.repeat(row[first], copies), np.repeat(time[first], copies)
        in_time = in_order(times)
        if in_time is not None:
            rows, times = rows[in_time], times[in_time]
        values = table.select(names).take(pa.array(rows))
        return values.append_column(self.at, its.instants.column(times))


def check_new(name: str, names: tuple[str, ...], where: str) -> None:
    """Check that the name of the new column is free."""
    if name in names:
        raise UsageError(f"{where}(at={name!r}): there is a column of that name already: give another one")
