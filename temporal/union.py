"""``union``: all rows of two relations."""

from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from inwindow.runtime.intervals import ends_of, one_kind
from inwindow.runtime.operation import Operation
from inwindow.runtime.operations import carried_out
from inwindow.temporal.multiplicity import same_columns
from inwindow.temporal.relation import ENDS, check_relation, relation

Data = TypeVar("Data")


def union(a: Data, b: Data) -> Data:
    """At every instant the rows of both (SQL's UNION ALL), each with its own validity.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> ann = pa.table({"room": ["A"], "since": [1], "until": [9]})
    >>> bob = pa.table({"room": ["A"], "since": [4], "until": [12]})
    >>> len(temporal.union(ann, bob))
    2
    """
    return carried_out(Union(), a, b)


@dataclass(frozen=True)
class Union(Operation):
    """One table behind the other."""

    name = "union"
    steps = "all rows"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def timed_by(self) -> str | None:
        """Rows begin no earlier than they did."""
        return "since"

    def run(self, *tables: pa.Table) -> pa.Table:
        """The ends in one type; rows that never hold are left out."""
        where = "temporal.union"
        names = same_columns(tuple(table.schema for table in tables), where)
        kinds = [check_relation(table.schema, where) for table in tables]
        kind = one_kind(kinds, ["the validity of the first table", "that of the second one"], where)
        parts = []
        for table in tables:
            rows = relation(table, where).intervals.row
            part = table.select([*names, *ENDS])
            for end, column in zip(ENDS, ends_of(table, ENDS, kind), strict=True):
                part = part.set_column(part.column_names.index(end), end, column)
            parts.append(part if len(rows) == len(table) else part.take(pa.array(rows)))
        return pa.concat_tables(parts)
