"""``project`` in a query: rename columns, or compute them from each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.expressions import Computed
from inwindow.runtime.operation import Operation


@dataclass(frozen=True)
class Project(Operation):
    """The columns of the result: names of columns, or Arrow expressions."""

    columns: tuple[tuple[str, str | pc.Expression], ...]
    name = "project"
    steps = "each row by itself"

    @classmethod
    def of(cls, columns: Mapping[str, str | pc.Expression]) -> "Project":
        """By the names of the result."""
        return cls(tuple(columns.items()))

    def described(self) -> str:
        return ", ".join(name if name == one else f"{one} AS {name}" for name, one in self.columns)

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """The column that is renamed."""
        found = dict(self.columns)[name]
        return (0, found) if isinstance(found, str) else None

    def timed_by(self) -> str | None:
        """The column that becomes ``since`` in the result."""
        found = dict(self.columns).get("since")
        return found if isinstance(found, str) else None

    def run(self, *tables: pa.Table) -> pa.Table:
        """See the class."""
        (table,) = tables
        made = {name: one for name, one in self.columns if not isinstance(one, str)}
        computed = Computed({f"__inwindow_{name}": one for name, one in made.items()}).onto(table)
        columns: list[Any] = [
            computed.column(one if isinstance(one, str) else f"__inwindow_{name}") for name, one in self.columns
        ]
        return pa.table(columns, [name for name, _ in self.columns])
