"""``distinct``: each row once at every instant; or, of rows that are equal in some columns, the one that began last.

::

    a at 1  [1 --------- 5)                distinct of a                a       [1 ------------ 8)
    a at 4        [4 --------- 8)          by a, keep="latest"          a at 1  [1 - 4)  a at 4 [4 --- 8)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.operations import carried_out
from inwindow.temporal.aggregate import Holding
from inwindow.temporal.coalesce import Coalesce
from inwindow.temporal.names import names_of
from inwindow.temporal.relation import ENDS, check_relation, check_values, values_of
from inwindow.temporal.stitched import Stitched
from inwindow.udaf.builtins.picks import last
from inwindow.udaf.errors import UsageError, shown

Data = TypeVar("Data")
_WHERE = "temporal.distinct"


def distinct(data: Data, by: str | Iterable[str] | None = None, *, keep: str | None = None) -> Data:
    """Each row once at every instant: duplicates that hold together become one row.

    ``by`` with ``keep="latest"``: at every instant, of the rows that are equal in these columns, the one that began last, with all
    its columns (duplicate elimination over a window that keeps the most recent row).

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> seen = pa.table({"tag": ["a", "a", "b"], "since": [1, 3, 3], "until": [5, 8, 4]})
    >>> temporal.distinct(seen).to_pylist()
    [{'tag': 'a', 'since': 1, 'until': 8}, {'tag': 'b', 'since': 3, 'until': 4}]
    >>> temporal.distinct(seen.append_column("at", seen["since"]), by="tag", keep="latest").to_pylist()[1]
    {'tag': 'a', 'at': 3, 'since': 3, 'until': 8}
    """
    names = names_of(by, _WHERE, "by")
    if keep is not None and keep != "latest":
        raise UsageError(f"{_WHERE}(keep={shown(keep)}): write keep='latest', or leave it out")
    if (keep is None) != (names is None):
        raise UsageError(
            f"{_WHERE}(by={shown(by)}, keep={shown(keep)}): rows that are equal in some columns differ in others, so say which one "
            "stays: write both, as in distinct(data, by='tag', keep='latest'); for the columns alone coalesce(data, by='tag')"
        )
    return carried_out(Coalesce("distinct", None) if names is None else Latest(names), data)


@dataclass(frozen=True)
class Latest(Stitched):
    """The row that began last, of those that are equal in some columns: ``last`` of each other column, as an aggregate."""

    by: tuple[str, ...]
    name = "distinct"
    steps = "one sort by since and one by until, then a sweep over both"

    def described(self) -> str:
        return "keep latest"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Of rows with equal keys, one stays."""
        check_relation(schemas[0], _WHERE)
        check_values(schemas[0], self.by, _WHERE)
        return [self.by]

    def _others(self, schema: pa.Schema) -> tuple[str, ...]:
        return tuple(name for name in values_of(schema) if name not in self.by)

    def _as_aggregate(self, schema: pa.Schema) -> Holding | Coalesce:
        others = self._others(schema)
        if not others:
            return Coalesce("distinct", self.by)
        return Holding(self.by, tuple((name, last(name)) for name in others), coalesce=True)

    def run(self, *tables: pa.Table) -> pa.Table:
        """Aggregate, and restore the order of the columns."""
        (table,) = tables
        self.keys(table.schema)
        found = self._as_aggregate(table.schema).run(table)
        return found.select([*values_of(table.schema), *ENDS])

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """At an instant one row stays."""
        return self.by

    def looks_at_order(self, *schemas: pa.Schema) -> bool:
        """The one that began last, of several that began together."""
        return True

    def compared(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """The columns that are not keys."""
        return self._others(schemas[0])

    def work(self, *schemas: pa.Schema) -> Pass:
        return self._as_aggregate(schemas[0]).work(*schemas)
