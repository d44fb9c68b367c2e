"""The window queries of other databases' regression suites, tests/language/suites/*.sql, through iw.sql.

A suite is a script: statements that make tables, then queries. A comment before a query says of it::

    -- each NAME: a | b      the query for each value of {NAME}
    -- no: why               iw.sql refuses it
    -- differs: why          iw.sql gives other rows, or takes what the database refuses
    -- no "text": why        the same, for those of the family that have this text
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import sqlglot

import inwindow as iw

FOLDER = Path(__file__).parents[1] / "language" / "suites"
ERROR = "error"
Rows = list[tuple[str, ...]]
Asked = Callable[[str], Rows | None]  # the rows of a query; None where the database refuses it


@dataclass(frozen=True)
class Case:
    """A query, and what is known of it."""

    suite: str
    text: str
    marks: tuple[tuple[str, str], ...] = ()  # what is known of it, and why

    @property
    def windows(self) -> int:
        """How many windows the query has."""
        return sum(token.token_type == sqlglot.TokenType.OVER for token in sqlglot.tokenize(self.text, self.suite))

    @property
    def mark(self) -> str:
        """What is known of it: "no", "differs" or nothing."""
        return self.marks[0][0] if self.marks else ""


@dataclass
class Suite:
    """A script, read."""

    name: str
    setup: list[str] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


def suite(name: str) -> Suite:
    """Read a suite."""
    found = Suite(name)
    for marks, text in _statements((FOLDER / f"{name}.sql").read_text()):
        if text.split()[0].upper() in ("CREATE", "INSERT"):
            found.setup.append(text)
            continue
        each = {key[5:]: values for key, values in marks.items() if key.startswith("each ")}
        for values in itertools.product(*(re.split(r"(?<!\|)\|(?!\|)", one) for one in each.values())):
            made = text
            for key, value in reversed(list(zip(each, values, strict=True))):
                made = made.replace(f"{{{key}}}", value.strip())
            found.cases.append(Case(name, made, tuple(_said_of(made, marks))))
    return found


def _said_of(text: str, marks: dict[str, str]) -> Iterator[tuple[str, str]]:
    for mark, why in marks.items():
        kind, _, some = mark.partition(" ")
        if kind != "each" and some.strip('"').casefold() in text.casefold():
            yield kind, why


def _statements(text: str) -> Iterator[tuple[dict[str, str], str]]:
    """The statements, each with the marks in the comments right before it."""
    marks: dict[str, str] = {}
    lines: list[str] = []
    for line in text.splitlines():
        mark = re.match(r'-- (each \w+|(?:no|differs)(?: "[^"]*")?): ?(.*)', line)
        if mark and not lines:
            marks[mark[1]] = mark[2]
        elif line.strip() and not line.startswith("--"):
            lines.append(line)
            if line.endswith(";"):
                yield marks, "\n".join(lines)[:-1]
                marks, lines = {}, []
        elif not lines:
            marks = {}


def one_line(text: str) -> str:
    """A query on one line."""
    return " ".join(text.split())


# --- Rows as text ---------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A value as text, the same for every database.

    >>> shown(1), shown(None), shown(True), shown([1, None])
    ('1', 'NULL', 't', '[1,NULL]')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(shown, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{k}:{shown(v)}' for k, v in value.items())}}}"
    if isinstance(value, bytes):
        return value.hex()
    text = str(value).replace("\n", "\\n").replace("\t", "\\t")
    try:
        number = float(text)
    except ValueError:
        return text
    if math.isinf(number) or math.isnan(number):
        return str(number)
    return str(int(number)) if number == int(number) and abs(number) < 2**53 else f"{number:.12g}"


def of_text(value: str) -> str:
    """A value as PostgreSQL prints it."""
    if value.startswith("{") and value.endswith("}"):
        return f"[{value[1:-1]}]"
    return shown(re.sub(r"\+00$", "+00:00", value))


def equal(ours: Rows, theirs: Rows) -> bool:
    """The same bags of rows, numbers up to rounding."""
    return len(ours) == len(theirs) and all(
        len(one) == len(two) and all(map(_near, one, two)) for one, two in zip(bag(ours), bag(theirs), strict=True)
    )


def bag(rows: Rows) -> Rows:
    """The rows in an order that does not depend on rounding."""
    return sorted(rows, key=lambda row: [_rounded(value) for value in row])


def _rounded(value: str) -> str:
    return f"{float(value):.6g}" if re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?|-?\d{16,}", value) else value


def _near(one: str, two: str) -> bool:
    try:
        return one == two or math.isclose(float(one), float(two), rel_tol=1e-9, abs_tol=1e-12)
    except ValueError:
        return False


# --- iw.sql ---------------------------------------------------------------------------------------------------


def tables(its: Suite) -> dict[str, pa.Table]:
    """The tables of a suite, made by DuckDB."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for text in its.setup:
        connection.execute(sqlglot.transpile(text, read=its.name, write="duckdb")[0])
    names = [row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()]
    return {name: connection.table(name).to_arrow_table() for name in names}


def answer(catalog: iw.Catalog, case: Case) -> Rows:
    """The rows that iw.sql gives."""
    table = catalog.run(case.text, dialect=case.suite)
    rows = zip(*map(_values, table.columns), strict=True)
    return [tuple(shown(_as_of(case.suite, value)) for value in row) for row in rows]


def _as_of(database: str, value: Any) -> Any:
    return int(value) if database == "sqlite" and isinstance(value, bool) else value  # SQLite has no booleans


def _values(column: pa.ChunkedArray) -> list[Any]:
    is_float = pa.types.is_float32(column.type)
    return [str(np.float32(value)) if is_float and value is not None else value for value in column.to_pylist()]
