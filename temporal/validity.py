"""``with_validity``: name the columns that say when a row holds."""

from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.runtime.intervals import check_ends
from inwindow.runtime.operation import Operation
from inwindow.runtime.operations import carried_out
from inwindow.temporal.relation import ENDS
from inwindow.udaf.errors import UsageError

Data = TypeVar("Data")


def with_validity(data: Data, since: str, until: str) -> Data:
    """The data, with the columns that say when a row holds renamed to ``since`` and ``until``.

    A row holds from ``since`` on, and no longer at ``until``. If ``until`` is NULL it holds for ever; if ``since`` is NULL it
    always held.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> staff = pa.table({"name": ["ann", "bob"], "hired": [1, 4], "left": [9, None]})
    >>> temporal.with_validity(staff, since="hired", until="left").column_names
    ['name', 'since', 'until']
    """
    return carried_out(WithValidity(since, until), data)


@dataclass(frozen=True)
class WithValidity(Operation):
    """Two columns get the names that all other operators read."""

    since: Any
    until: Any
    name = "with_validity"
    steps = "two columns renamed"

    def described(self) -> str:
        return f"since {self.since}, until {self.until}"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def timed_by(self) -> str | None:
        """The column that becomes ``since``."""
        return self.since if isinstance(self.since, str) else None

    def run(self, *tables: pa.Table) -> pa.Table:
        """Renamed, and moved to the end, where results have them."""
        (table,) = tables
        where = "temporal.with_validity"
        given = (self.since, self.until)
        for option, column in zip(ENDS, given, strict=True):
            if not isinstance(column, str):
                raise UsageError(f"{where}({option}={column!r}): write the name of the column")
            if option in table.column_names and option not in given:
                raise UsageError(f"{where}: there is another column {option!r} already: rename it, or drop it")
        if self.since == self.until:
            raise UsageError(f"{where}(since={self.since!r}, until={self.until!r}): these are one column; name two")
        check_ends(table.schema, self.since, self.until, where)
        values = [name for name in table.column_names if name not in given]
        return table.select([*values, *given]).rename_columns([*values, *ENDS])
