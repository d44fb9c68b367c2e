"""``at``: the snapshot, the rows that hold at an instant."""

from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.runtime.intervals import Instants, ends_of, read_intervals
from inwindow.runtime.operation import Operation
from inwindow.runtime.operations import carried_out
from inwindow.temporal.relation import ENDS, check_relation, values_of
from inwindow.udaf.errors import UsageError
from inwindow.windows.order_key import OrderKey

Data = TypeVar("Data")


def at(data: Data, instant: Any) -> Data:
    """The rows that hold at an instant, without their validity: since <= instant < until.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> prices = pa.table({"price": [5, 6, 7], "since": [None, 3, 9], "until": [3, 9, None]})
    >>> temporal.at(prices, 3).to_pydict()
    {'price': [6]}
    """
    return carried_out(At(instant), data)


@dataclass(frozen=True)
class At(Operation):
    """A filter."""

    instant: Any
    name = "at"
    steps = "a filter"

    def described(self) -> str:
        return str(self.instant)

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def run(self, *tables: pa.Table) -> pa.Table:
        """Compare both ends."""
        (table,) = tables
        where = "temporal.at"
        kind = check_relation(table.schema, where)
        if self.instant is None:
            raise UsageError(f"{where}(None): write an instant; what holds now and for ever is where until is NULL")
        asked = OrderKey("since", kind).array([self.instant], what=where)
        ends = ends_of(table, ENDS, kind)
        instants = Instants.of(kind, [*ends, asked])
        intervals = read_intervals(ends[0], ends[1], instants, lambda row: f"{where}: row {row}")
        (now,) = instants.keys(asked, 0)
        holds = (intervals.since <= now) & (now < intervals.until)
        return table.select(values_of(table.schema)).take(pa.array(intervals.row[holds]))
