"""Arguments and filters that are expressions: computed once, as additional columns of the data.

On local data an expression is a ``pyarrow.compute.Expression``. Afterwards every aggregate reads column names only.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.dictionaries import plain
from inwindow.optimizer.columns import check_columns
from inwindow.runtime.dictionaries import as_read, readable
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import DataError, InWindowError, UnknownColumnError, UsageError

_NO_FIELD = re.compile(r"(?:No match|Multiple matches) for FieldRef\.Name\((.*?)\) in")


@dataclass(frozen=True)
class Computed:
    """Expressions, by the names of their computed columns."""

    columns: Mapping[str, pc.Expression]

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema with the computed columns, as operators see it."""
        return readable(self.onto(empty_table(schema)).schema if self.columns else schema)

    def onto(self, table: pa.Table) -> pa.Table:
        if not self.columns:
            return table
        from pyarrow.dataset import InMemoryDataset

        try:
            computed = InMemoryDataset(as_read(table, table.column_names)).to_table(
                columns=dict(self.columns), use_threads=False
            )
        except pa.ArrowException as error:
            raise self._failure(table, error) from None
        for name in self.columns:
            table = table.append_column(name, plain(computed.column(name)))
        return table

    def _failure(self, table: pa.Table, error: Exception) -> InWindowError:
        expressions = ", ".join(map(str, self.columns.values()))
        field = _NO_FIELD.match(str(error))
        if field:
            try:
                check_columns(table.schema, [field[1]], expressions)
            except UnknownColumnError as unknown:
                return unknown
        said = f"cannot compute {expressions}: {str(error).splitlines()[0]}"
        if len(table):
            try:
                self.schema(table.schema)
            except InWindowError as wrong:  # even without data
                return wrong
            return DataError(said)
        return UsageError(said)


def computed_name(column: pc.Expression) -> str:
    """The name of a computed column. A state knows the expression by it, so only equal expressions have equal names.

    >>> computed_name(pc.field("v") > 5)[-7:], computed_name(pc.field("v") > 5) == computed_name(pc.field("v") > 6)
    ('(v > 5)', False)
    """
    content = column.__reduce__()[1][0]  # the text of an expression leaves out the middle of a long list
    return f"{PREFIX}{blake2b(content, digest_size=4).hexdigest()} {column}"


def shown_name(name: str) -> str:
    """A column's name for messages: the expression if the column is computed."""
    return name.partition(" ")[2] if name.startswith(PREFIX) and " " in name else name


def compute_arguments(applied: Mapping[str, Applied]) -> tuple[dict[str, Applied], Computed]:
    """The aggregates over column names only, and the expressions to compute first."""
    columns: dict[str, pc.Expression] = {}

    def named(column: Any, label: str) -> Any:
        if isinstance(column, str):
            return column
        if not isinstance(column, pc.Expression):
            raise UsageError(
                f"{label}: {column} is a Spark column; on local data use a column name or an Arrow expression, as in "
                "pyarrow.compute.field('a') * 2"
            )
        for name, known in columns.items():
            if known.equals(column):
                return name
        name = computed_name(column)
        columns[name] = column
        return name

    rewritten = {}
    for name, one in applied.items():
        arguments = tuple(named(column, one.label) for column in one.columns)
        condition = None if one.condition is None else named(one.condition, f"the filter of {one.label}")
        rewritten[name] = replace(one, columns=arguments, condition=condition, shown=one.label)
    return rewritten, Computed(columns)
