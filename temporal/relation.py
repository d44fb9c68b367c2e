"""Read and make relations with validity: tables whose rows hold during [since, until)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from inwindow.native.dictionaries import plain_type
from inwindow.optimizer.columns import check_columns
from inwindow.runtime.dictionaries import rows_of
from inwindow.runtime.intervals import (
    ENDS,
    SINCE,
    UNTIL,
    Instants,
    Intervals,
    Keys,
    Rows,
    check_ends,
    ends_of,
    one_kind,
    read_intervals,
)
from inwindow.runtime.ordering import numbers_of, partition_numbers
from inwindow.udaf.errors import UsageError
from inwindow.windows.neighbours import is_comparable

__all__ = [
    "ENDS",
    "SINCE",
    "UNTIL",
    "Relation",
    "check_relation",
    "check_values",
    "numbered_together",
    "relation",
    "relations",
    "values_of",
]


@dataclass(frozen=True)
class Relation:
    """A table, and the intervals of its rows; ``instants`` converts their ends."""

    table: pa.Table
    instants: Instants
    intervals: Intervals

    @property
    def columns(self) -> list[str]:
        """All columns but the validity."""
        return values_of(self.table.schema)

    def numbered(self, by: Sequence[str]) -> Intervals:
        """The intervals, in groups of equal values in some columns."""
        if not by:
            return self.intervals
        return self.intervals.grouped(partition_numbers([self.table.column(name) for name in by]))

    def made(self, names: Sequence[str], rows: Rows, since: Keys, until: Keys) -> pa.Table:
        """Some columns of some rows, with a validity."""
        at = pa.array(rows)
        columns = {name: rows_of(self.table.column(name), at) for name in names}
        return self.with_ends(pa.table(columns) if columns else None, since, until)

    def with_ends(self, values: pa.Table | None, since: Keys, until: Keys) -> pa.Table:
        """A table of values (None: of no columns) with a validity, given as keys."""
        ends = dict(zip(ENDS, map(self.instants.column, (since, until)), strict=True))
        if values is None:
            return pa.table(ends)
        for name, column in ends.items():
            values = values.append_column(name, column)
        return values


def values_of(schema: pa.Schema) -> list[str]:
    """The columns of a relation without its validity."""
    return [name for name in schema.names if name not in ENDS]


def check_relation(schema: pa.Schema, where: str) -> pa.DataType:
    """The type of a relation's ends; an error that says what to write if it has no validity."""
    missing = [name for name in ENDS if name not in schema.names]
    if missing:
        raise UsageError(
            f"{where}: a row holds from 'since' until 'until', but there is no column {missing[0]!r}: name the columns with "
            "temporal.with_validity(data, since=..., until=...), or make them with temporal.window(data, ...)"
        )
    return check_ends(schema, *ENDS, where)


def check_values(schema: pa.Schema, names: Sequence[str], where: str) -> None:
    """Check that columns exist, are not the ends, and have types that can be compared."""
    for name in names:
        if name in ENDS:
            raise UsageError(f"{where}: {name!r} is when a row holds, not one of its values: leave it out")
    check_columns(schema, names, where)
    for name in names:
        if not is_comparable(plain_type(schema.field(name).type)):
            raise UsageError(
                f"{where}: {name!r} is of type {schema.field(name).type}, whose values cannot be told apart: cast it, or drop it"
            )


def relation(table: pa.Table, where: str) -> Relation:
    """Read a table with validity."""
    return relations([table], where)[0]


def relations(
    tables: Sequence[pa.Table],
    where: str,
    also: Sequence[pa.Array] = (),
    names: Sequence[str] = ("first", "second", "third"),
) -> list[Relation]:
    """Read tables with validity whose ends are compared with each other, and with further instants."""
    kinds = [check_relation(table.schema, where) for table in tables]
    kind = one_kind(kinds, [f"the validity of the {names[number]} table" for number in range(len(tables))], where)
    ends = [ends_of(table, ENDS, kind) for table in tables]
    instants = Instants.of(kind, [*(column for pair in ends for column in pair), *also])
    made = []
    for number, (table, (since, until)) in enumerate(zip(tables, ends, strict=True)):
        of = "" if len(tables) == 1 else f" of the {names[number]} table"

        def row_text(row: int, of: str = of) -> str:
            return f"{where}: row {row}{of}"

        made.append(Relation(table, instants, read_intervals(since, until, instants, row_text)))
    return made


def numbered_together(relations: Sequence[Relation], by: Sequence[Sequence[str]]) -> list[Intervals]:
    """The intervals of several relations, in groups of equal values in some columns of each."""
    if not by[0]:
        return [its.intervals for its in relations]
    numbers = numbers_of([its.table for its in relations], by)
    edges = np.cumsum([0, *(len(its.table) for its in relations)])
    return [
        its.intervals.grouped(numbers[first:last])
        for its, first, last in zip(relations, edges[:-1], edges[1:], strict=True)
    ]
