"""Several tables as one, so that a single shuffle or stream brings rows with equal keys together.

::

    a  host  v  since  until        side  key_0  since  0_1  0_3  1_1
    b  host  w  since               0     h      1      v    9    -
                                    1     h      2      -    -    w
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.reserved import PREFIX
from inwindow.udaf.errors import UsageError

SIDE = f"{PREFIX}side"


@dataclass(frozen=True)
class Sides:
    """Which column of which table goes where in the combined table."""

    schema: pa.Schema  # of the combined table
    known: tuple[str, ...] | None  # the names of the keys there; None: each row is by itself
    layout: tuple[dict[str, str], ...]  # per table: the combined name -> the table's name
    schemas: tuple[pa.Schema, ...]  # of the tables
    time: str | None = None  # the name of the time column there

    @classmethod
    def of(
        cls,
        schemas: Sequence[pa.Schema],
        read: Sequence[Sequence[str]],
        keys: Sequence[Sequence[str]] | None,
        time: str | None = None,
    ) -> "Sides":
        """The layout. Keys share columns, and so does the time, under its own name; a single table stays as it is."""
        if len(schemas) == 1:
            plain = pa.schema([schemas[0].field(name) for name in read[0]])
            known = None if keys is None else tuple(keys[0])
            return cls(plain, known, ({name: name for name in read[0]},), (plain,), time)
        known = None if keys is None else tuple(f"{PREFIX}key_{at}" for at in range(len(keys[0])))
        layout, fields = [], {SIDE: pa.field(SIDE, pa.int8())}
        for number, (schema, names) in enumerate(zip(schemas, read, strict=True)):
            of = dict(zip(keys[number], known or (), strict=True)) if keys is not None else {}
            if time is not None:
                of.setdefault(time, time)
            its = {of.get(name, f"{PREFIX}{number}_{at}"): name for at, name in enumerate(names)}
            fields |= {name: schema.field(own).with_name(name) for name, own in its.items()}
            layout.append(its)
        plain = tuple(pa.schema([schema.field(n) for n in names]) for schema, names in zip(schemas, read, strict=True))
        there = next((to for to, own in layout[0].items() if own == time), None)
        return cls(pa.schema(list(fields.values())), known, tuple(layout), plain, there)

    def check_time(self, where: str) -> None:
        """Check that the time columns of all tables have the same type, because one watermark passes all of them."""
        time = self.layout[0][self.time or ""]
        kinds = [schema.field(time).type for schema in self.schemas]
        if any(kind != kinds[0] for kind in kinds):
            raise UsageError(
                f"{where} on a stream: {time!r} is of type {kinds[0]} in the first stream and {kinds[-1]} in the second: cast one "
                "of them"
            )

    def packed(self, number: int, table: pa.Table) -> pa.Table:
        """The rows of a table, as rows of the combined table."""
        names = self.layout[number]
        columns = []
        for field in self.schema:
            if field.name == SIDE:
                columns.append(pa.array(np.full(len(table), number, dtype=np.int8)))
            elif field.name in names:
                columns.append(table.column(names[field.name]).cast(field.type))
            else:
                columns.append(pa.nulls(len(table), field.type))
        return pa.table(columns, schema=self.schema)

    def which(self, rows: pa.Table) -> list[npt.NDArray[np.int64]]:
        """For each table, where its rows are in the combined table."""
        if len(self.layout) == 1:
            return [np.arange(len(rows))]
        side = rows.column(SIDE).to_numpy()
        return [np.flatnonzero(side == number) for number in range(len(self.layout))]

    def tables(self, rows: pa.Table, beside: Sequence[str] = ()) -> list[pa.Table]:
        """The rows of each table with its own columns, and with some further columns of the combined table."""
        tables = []
        for number, (layout, schema) in enumerate(zip(self.layout, self.schemas, strict=True)):
            its = rows.select(list(layout)).rename_columns(list(layout.values())).cast(schema)
            for name in beside:
                its = its.append_column(name, rows.column(name))
            if len(self.layout) > 1:
                its = its.filter(pc.equal(rows.column(SIDE), number))
            tables.append(its)
        return tables
