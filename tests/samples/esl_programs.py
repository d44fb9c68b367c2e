"""Programs of INSERT, UPDATE, DELETE and SELECT, drawn, and what SQLite makes of them, statement by statement.

SQLite knows nothing of ours: tables are its tables, parameters are bound, `INSERT INTO RETURN` goes into a table. The programs keep
to what both mean the same by: numbers that floats hold exactly, no integer division, an ORDER BY over all columns before a LIMIT.
"""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import inwindow as iw

HEAD = "CREATE AGGREGATE drawn(p Int, q Real) : (a Real, b Real) CALLED ON NULL INPUT {"
TABLES = (
    "TABLE s(x Int, y Real); TABLE t(a Int, b Real); TABLE k(id Int PRIMARY KEY, n Real); TABLE c(item Int, many Int);"
)
COLUMNS = {"s": ["x", "y"], "t": ["a", "b"], "k": ["id", "n"], "c": ["item", "many"]}
COMPARED = ["=", "<>", "<", "<=", ">", ">="]
FIRST_ROWS = [
    "INSERT INTO t VALUES (1, 0.5), (2, NULL), (p, q), (2, -1)",
    "INSERT INTO k VALUES (1, q)",
    "INSERT INTO k VALUES (2, 0.5), (3, NULL)",
    "INSERT INTO c VALUES (1, 2)",
]
Tuples = list[tuple[Any, Any]]


@dataclass
class Program:
    """Statements that change tables, SELECTs that are returned, and whether it is TERMINATE that returns them."""

    first: list[str]
    changes: list[str]
    answers: list[str]
    at_the_end: bool

    @property
    def text(self) -> str:
        """The aggregate."""
        body = "; ".join(self.changes)
        returned = "; ".join(f"INSERT INTO RETURN {one}" for one in self.answers)
        first, each, last = ("", "", f"TERMINATE: {{ {returned} }}") if self.at_the_end else (returned, returned, "")
        start = "; ".join(self.first)
        return f"{HEAD} {TABLES} INITIALIZE: {{ {start}; {body}; {first} }} ITERATE: {{ {body}; {each} }} {last} }}"


class Drawing:
    """Draws programs; ``chance`` is Python's, or Hypothesis's."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def one(self, *of: Any) -> Any:
        return self.chance.choice(of)

    def maybe(self, text: str) -> str:
        return text if self.chance.random() < 0.5 else ""

    def number(self, columns: list[str], depth: int = 2) -> str:
        """A number."""
        if not depth or self.chance.random() < 0.45:
            return self.one(*columns, *columns, "0", "1", "2", "-1", "0.5", "NULL")

        def inner() -> str:
            return self.number(columns, depth - 1)

        kinds: list[Callable[[], str]] = [
            lambda: f"({inner()} {self.one('+', '-')} {inner()})",
            lambda: f"(1.0 * {inner()} / {self.one('2', '4', '0', columns[0])})",
            lambda: f"coalesce({inner()}, {inner()})",
            lambda: f"nullif({inner()}, {inner()})",
            lambda: f"abs({inner()})",
            lambda: f"CASE WHEN {self.compared(columns, depth - 1)} THEN {inner()} {self.maybe(f'ELSE {inner()}')} END",
            lambda: f"iif({self.compared(columns, depth - 1)}, {inner()}, {inner()})",
        ]
        return str(self.one(*kinds)())

    def compared(self, columns: list[str], depth: int = 1) -> str:
        return f"{self.number(columns, depth)} {self.one(*COMPARED)} {self.number(columns, depth)}"

    def condition(self, columns: list[str], subqueries: bool = True, depth: int = 2) -> str:
        """In three-valued logic."""
        no, chance = self.maybe("NOT "), self.chance.random()
        if depth and chance < 0.25:
            one, other = (self.condition(columns, subqueries, depth - 1) for _ in "ab")
            return str(self.one(f"({one} AND {other})", f"({one} OR {other})", f"NOT ({one})"))
        others = [table for table in COLUMNS if not {*COLUMNS[table]} & {*columns}]
        if subqueries and others and chance < 0.45:
            table = self.one(*others)
            where = f"WHERE {self.condition([*COLUMNS[table], *columns], False, 1)}"
            if self.maybe("x"):
                return f"{no}EXISTS (SELECT 1 FROM {table} {where})"
            return f"{self.number(columns, 1)} {no}IN (SELECT {self.one(*COLUMNS[table])} FROM {table} {where})"
        if chance < 0.6:
            return f"{self.number(columns, 1)} IS {no}NULL"
        if chance < 0.7:
            return f"{self.number(columns, 1)} {no}BETWEEN {self.number(columns, 1)} AND {self.number(columns, 1)}"
        if chance < 0.8:
            return f"{self.number(columns, 1)} {no}IN ({self.number(columns, 1)}, {self.number(columns, 0)})"
        return self.compared(columns)

    def where(self, columns: list[str]) -> str:
        return self.maybe(f"WHERE {self.condition(columns)}")

    def keyed(self, parameters: list[str]) -> str:
        """A condition that finds one row of the table with a key."""
        key = self.one("p", "p + 1", "1") if parameters else self.one("1", "2", "0")
        more = self.condition(["id", "n", *parameters], False, 0)
        return f"WHERE id = {key} {self.maybe(f'AND {more}')}"

    def change(self) -> str:
        """A statement that changes a table."""
        table = self.one("s", "t", "t", "k", "k", "c")
        columns = [*COLUMNS[table], "p", "q"]
        where = self.keyed(["p"]) if table == "k" and self.maybe("x") else self.where(columns)
        kind = self.one(
            *{"s": ["UPDATE"], "t": ["INSERT", "VALUES", "UPDATE", "DELETE"]}.get(table, ["INSERT", "UPDATE", "DELETE"])
        )
        if table == "c" and kind == "INSERT":
            key = self.one("coalesce(p, 0)", "1", "2")
            return (
                f"UPDATE c SET many = many + 1 WHERE item = {key}; "
                f"INSERT INTO c SELECT {key}, 1 WHERE NOT EXISTS (SELECT 1 FROM c WHERE item = {key})"
            )
        if kind == "UPDATE" and table == "c":
            return f"UPDATE c SET many = {self.one('many + 1', 'many - 1', '0', 'many * 2')} WHERE {self.condition(columns)}"
        if kind == "UPDATE":
            targets = [COLUMNS[table][1]] if table == "k" else self.chance.sample(COLUMNS[table], self.one(1, 2))
            sets = [
                f"{column} = {self.number(columns) if column in 'bny' else self.one('p', column, 'NULL', '3')}"
                for column in targets
            ]
            return f"UPDATE {table} SET {', '.join(sets)} {where}"
        if kind == "DELETE":
            return f"DELETE FROM {table} {where}"
        if kind == "VALUES":
            return f"INSERT INTO t VALUES (p, {self.number(['p', 'q'])}), ({self.one('0', '1', 'NULL')}, q)"
        if table == "k":
            key = self.one("coalesce(p, 0)", "1")
            return f"INSERT INTO k SELECT {key}, {self.number(['p', 'q'])} WHERE NOT EXISTS (SELECT 1 FROM k WHERE id = {key})"
        return (
            f"INSERT INTO t SELECT id, {self.number(['id', 'n', 'p', 'q'])} FROM k {self.where(['id', 'n', 'p', 'q'])}"
        )

    def answer(self, parameters: list[str]) -> str:
        """A SELECT of two columns."""
        both, of_t = ["a", "b", "id", "n", *parameters], ["a", "b", *parameters]
        on = self.one("a = id", "a = id AND n > b", "b < n", "id = a AND b IS NOT NULL", "a + id > 1")
        up, down = (self.one("", "DESC", "NULLS LAST", "DESC NULLS FIRST") for _ in "ab")
        match self.chance.randrange(14):
            case 0:
                return f"SELECT {self.number(of_t)}, b FROM t {self.where(of_t)}"
            case 1:
                return f"SELECT a, n FROM t, k WHERE {self.condition(both)}"
            case 2:
                return f"SELECT b, n FROM t LEFT JOIN k ON {on} WHERE {self.condition(both, False)}"
            case 3:
                whole = self.one(
                    "sum(b)",
                    "min(b)",
                    "max(a)",
                    "count(b)",
                    "count(*)",
                    "avg(a)",
                    "count(DISTINCT a)",
                    "sum(DISTINCT b)",
                    f"sum(b) FILTER (WHERE {self.condition(['a', 'b'], False, 1)})",
                    f"count(*) FILTER (WHERE {self.condition(['a', 'b'], False, 1)})",
                )
                having = self.one("", "HAVING count(*) > 1", "HAVING sum(b) > 0")
                return f"SELECT a, {whole} FROM t {self.where(of_t)} GROUP BY a {having}"
            case 4:
                return f"SELECT sum(n), count(*) FROM k {self.keyed(parameters)}"
            case 5:
                return f"SELECT DISTINCT a, b FROM t ORDER BY a {up}, b {down} LIMIT {self.one(0, 1, 2, 3)}"
            case 6:
                of_s = ["x", "y", *parameters]
                return f"SELECT (SELECT max(n) FROM k WHERE n <= y), {self.number(of_s)} FROM s {self.where(of_s)}"
            case 7:
                return f"SELECT id, n FROM k {self.keyed(parameters)}"
            case 8:
                columns = f"{self.one('a', 'b', 'id')}, {self.one('n', 'b')}"
                side, where = self.one("RIGHT", "FULL"), self.condition(both, False)
                return f"SELECT {columns} FROM t {side} JOIN k ON {on} WHERE {where}"
            case 9:
                ends = self.maybe(f"ORDER BY 1 {up}, 2 {down} LIMIT {self.one(1, 2, 3)}")
                sides = [
                    f"SELECT a, b FROM t {self.where(of_t)}",
                    f"SELECT id, n FROM k {self.where(['id', 'n', *parameters])}",
                ]
                return f"{sides[0]} {self.one('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')} {sides[1]} {ends}"
            case 10:
                inner = f"SELECT a AS v, {self.one('b', 'a', 'a + 1')} AS w FROM t {self.where(of_t)}"
                outer = self.one(
                    "SELECT v, w FROM some",
                    "SELECT count(*), sum(w) FROM some",
                    "SELECT v, n FROM some JOIN k ON v = id",
                )
                return f"WITH some AS ({inner}) {outer}"
            case 11:
                first, second = self.one("", "DESC"), self.one("", "DESC")
                return f"SELECT item, many FROM c ORDER BY many {first}, item {second} LIMIT {self.one(1, 2)}"
            case 12:
                return f"SELECT item, many FROM c WHERE item = {self.one('1', '2', *parameters[:1])}"
            case _:
                of_c = ["many", "item", *parameters]
                return f"SELECT many, {self.number(of_c)} FROM c {self.where(of_c)}"

    def program(self) -> Program:
        at_the_end = self.chance.random() < 0.4
        changes = [self.change() for _ in range(self.one(1, 2, 3, 4))]
        answers = [self.answer([] if at_the_end else ["p", "q"]) for _ in range(self.one(1, 1, 2))]
        first = ["INSERT INTO s VALUES (p, q)", *(one for one in FIRST_ROWS if self.chance.random() < 0.8)]
        return Program(first, changes, answers, at_the_end)

    def tuples(self) -> Tuples:
        values = (None, -2, -1, 0, 1, 2, 3)
        return [
            (self.one(*values), None if (q := self.one(*values)) is None else q / 2)
            for _ in range(self.one(1, 2, 3, 4))
        ]


def by_sqlite(program: Program, tuples: Tuples) -> list[list[tuple[Any, ...]]]:
    """What SQLite returns for each tuple."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(
            "CREATE TABLE s(x, y); CREATE TABLE t(a, b); CREATE TABLE k(id PRIMARY KEY, n); CREATE TABLE c(item, many);"
        )
        found = []
        for number, (p, q) in enumerate(tuples):
            values = {"p": p, "q": q}
            changes = [*([] if number else program.first), *program.changes]
            for change in "; ".join(changes).split("; "):
                connection.execute(_bound(change), values)
            rows: list[tuple[Any, ...]] = []
            for answer in program.answers:
                rows += connection.execute(_bound(answer), values).fetchall()
            found.append(rows)
        return found


def _bound(statement: str) -> str:
    """SQLite's parameters; where nothing is said of NULLs, it and Spark agree, but for a DESC."""
    bound = re.sub(r"\b([pq])\b", r":\1", statement)
    head, order, tail = bound.partition("ORDER BY")
    return head + order + re.sub(r"DESC(?! NULLS)", "DESC NULLS LAST", tail)


def by_class(program: Program, tuples: Tuples) -> list[list[tuple[Any, ...]]]:
    """What the hooks of the made class give for each tuple."""
    kind: Any = iw.aggregate(program.text)
    aggregate, found = kind(), []
    has_initialize = hasattr(kind, "initialize")
    for number, values in enumerate(tuples):
        given = (aggregate.iterate if number or not has_initialize else aggregate.initialize)(*values)
        given = aggregate.terminate() if program.at_the_end else given
        answered = [given] if isinstance(given, dict) else list(given or ())
        found.append([tuple(row.values()) for row in answered])
    return found


def bag(rows: list[tuple[Any, ...]]) -> list[str]:
    """Rows in any order, -0.0 as 0.0."""
    return sorted(str(tuple(None if value is None else float(value) + 0.0 for value in row)) for row in rows)
