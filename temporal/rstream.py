"""``rstream``: a relation back to a stream: all rows that hold, at each multiple of a distance."""

from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.runtime.intervals import in_order
from inwindow.runtime.operation import Operation
from inwindow.runtime.operations import carried_out
from inwindow.temporal.changes import check_new
from inwindow.temporal.multiples import Grid, check_between, multiples
from inwindow.temporal.names import check_name
from inwindow.temporal.relation import check_relation, relation, values_of

Data = TypeVar("Data")


def rstream(data: Data, every: Any, *, origin: Any = None, between: Any = None, at: str = "at") -> Data:
    """The snapshot at each multiple of ``every``; ``at`` is the name of the instant's column.

    ``between=(first, last)`` limits the instants to first <= instant < last; it is needed if rows hold for ever.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> stay = pa.table({"guest": ["ann", "bob"], "since": [8, 20], "until": [21, 30]})
    >>> temporal.rstream(stay, every=10).to_pydict()
    {'guest': ['ann', 'ann', 'bob'], 'at': [10, 20, 20]}
    """
    check_name(at, "temporal.rstream", "at")
    return carried_out(Rstream(Grid(every, origin, check_between(between, "temporal.rstream")), at), data)


@dataclass(frozen=True)
class Rstream(Operation):
    """Each row once for each multiple within it, in the order of time."""

    grid: Grid
    at: str
    name = "rstream"
    steps = "a row for each multiple within it"

    def described(self) -> str:
        return f"every {self.grid.every}"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def run(self, *tables: pa.Table) -> pa.Table:
        """See the class."""
        (table,) = tables
        where = "temporal.rstream"
        check_relation(table.schema, where)
        names = tuple(values_of(table.schema))
        check_new(self.at, names, where)
        its = relation(table, where)
        intervals, step, origin = self.grid.over(its, where)
        whose, time = multiples(intervals, step, origin, after=False)
        order = in_order(time)
        if order is not None:
            whose, time = whose[order], time[order]
        values = table.select(names).take(pa.array(intervals.row[whose]))
        return values.append_column(self.at, its.instants.column(time))
