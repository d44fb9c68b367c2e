"""Programs of INSERT, UPDATE, DELETE and SELECT, drawn; what the made class gives is what SQLite gives, statement by statement.

SQLite knows nothing of ours: tables are its tables, parameters are bound, `INSERT INTO RETURN` goes into a table. The programs keep
to what both mean the same by: numbers that floats hold exactly, no integer division, an ORDER BY over all columns before a LIMIT.
"""

import re
import sqlite3
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import inwindow as iw

HEAD = "CREATE AGGREGATE drawn(p Int, q Real) : (a Real, b Real) CALLED ON NULL INPUT {"
TABLES = "TABLE s(x Int, y Real); TABLE t(a Int, b Real); TABLE k(id Int PRIMARY KEY, n Real);"
COLUMNS = {"s": ["x", "y"], "t": ["a", "b"], "k": ["id", "n"]}
PARAMETERS = ["p", "q"]


def expressions(columns: list[str]) -> st.SearchStrategy[str]:
    """Numbers."""
    leaves = st.sampled_from([*columns, *columns, "0", "1", "2", "-1", "0.5", "NULL"])

    def more(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        conditions = compared(inner)
        return st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-"]), inner),
            st.builds("(1.0 * {} / {})".format, inner, st.sampled_from(["2", "4", "0", *columns[:1]])),
            st.builds("coalesce({}, {})".format, inner, inner),
            st.builds("nullif({}, {})".format, inner, inner),
            st.builds("abs({})".format, inner),
            st.builds("CASE WHEN {} THEN {} ELSE {} END".format, conditions, inner, inner),
            st.builds("CASE WHEN {} THEN {} END".format, conditions, inner),
        )

    return st.recursive(leaves, more, max_leaves=4)


def compared(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{} {} {}".format, inner, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), inner)


def conditions(columns: list[str], depth: int = 2) -> st.SearchStrategy[str]:
    """In three-valued logic."""
    inner = expressions(columns)
    simple = st.one_of(
        compared(inner),
        st.builds("{} IS {}NULL".format, inner, st.sampled_from(["", "NOT "])),
        st.builds("{} {}BETWEEN {} AND {}".format, inner, st.sampled_from(["", "NOT "]), inner, inner),
        st.builds("{} {}IN ({}, {})".format, inner, st.sampled_from(["", "NOT "]), inner, inner),
    )
    if depth and (others := [table for table in COLUMNS if not set(COLUMNS[table]) & set(columns)]):
        table = st.sampled_from(others)
        queried = table.flatmap(lambda one: st.tuples(st.just(one), conditions([*COLUMNS[one], *columns], 0)))
        simple |= st.builds(
            lambda no, query: f"{no}EXISTS (SELECT 1 FROM {query[0]} WHERE {query[1]})",
            st.sampled_from(["", "NOT "]),
            queried,
        )
        simple |= st.builds(
            lambda one, no, query: f"{one} {no}IN (SELECT {COLUMNS[query[0]][1]} FROM {query[0]} WHERE {query[1]})",
            inner, st.sampled_from(["", "NOT "]), queried,
        )  # fmt: skip
    return st.recursive(
        simple,
        lambda more: st.one_of(
            st.builds("({} AND {})".format, more, more),
            st.builds("({} OR {})".format, more, more),
            st.builds("NOT ({})".format, more),
        ),
        max_leaves=3,
    )


WHERE = {
    table: st.builds("WHERE {}".format, conditions([*columns, *PARAMETERS])) | st.just("")
    for table, columns in COLUMNS.items()
}
KEYED = st.builds("WHERE id = {}".format, st.sampled_from(["p", "p + 1", "1"])) | st.builds(
    "WHERE id = p AND {}".format, conditions(["id", "n", *PARAMETERS], 0)
)


@st.composite
def changes(draw: Any) -> str:
    """A statement that changes a table."""
    table = draw(st.sampled_from(["s", "t", "t", "k", "k"]))
    columns = [*COLUMNS[table], *PARAMETERS]
    where = draw(KEYED | WHERE[table] if table == "k" else WHERE[table])
    kinds = {"s": ["UPDATE"], "t": ["INSERT", "VALUES", "UPDATE", "DELETE"], "k": ["INSERT", "UPDATE", "DELETE"]}[table]
    match draw(st.sampled_from(kinds)):
        case "UPDATE":
            targets = (
                COLUMNS[table][1:]
                if table == "k"
                else draw(st.lists(st.sampled_from(COLUMNS[table]), min_size=1, unique=True))
            )
            sets = [
                f"{column} = {draw(expressions(columns)) if column in 'bny' else draw(st.sampled_from(['p', column, 'NULL', '3']))}"
                for column in targets
            ]
            return f"UPDATE {table} SET {', '.join(sets)} {where}"
        case "DELETE":
            return f"DELETE FROM {table} {where}"
        case "VALUES":
            return f"INSERT INTO t VALUES (p, {draw(expressions(PARAMETERS))}), ({draw(st.sampled_from(['0', '1', 'NULL']))}, q)"
        case _ if table == "k":
            key = draw(st.sampled_from(["coalesce(p, 0)", "1"]))
            one = draw(expressions(PARAMETERS))
            return f"INSERT INTO k SELECT {key}, {one} WHERE NOT EXISTS (SELECT 1 FROM k WHERE id = {key})"
        case _:
            return f"INSERT INTO t SELECT id, {draw(expressions(['id', 'n', *PARAMETERS]))} FROM k {draw(WHERE['k'])}"


@st.composite
def answers(draw: Any) -> str:
    """A SELECT that is returned."""
    both = ["a", "b", "id", "n", *PARAMETERS]
    match draw(st.integers(0, 7)):
        case 0:
            return f"SELECT {draw(expressions(['a', 'b', *PARAMETERS]))}, b FROM t {draw(WHERE['t'])}"
        case 1:
            return f"SELECT a, n FROM t, k WHERE {draw(conditions(both, 1))}"
        case 2:
            on = draw(st.sampled_from(["a = id", "a = id AND n > b", "b < n"]))
            return f"SELECT b, n FROM t LEFT JOIN k ON {on} WHERE {draw(conditions(both, 0))}"
        case 3:
            one = draw(
                st.sampled_from(
                    [
                        "sum(b)",
                        "min(b)",
                        "max(a)",
                        "count(b)",
                        "count(*)",
                        "avg(a)",
                        "count(DISTINCT a)",
                        "sum(DISTINCT b)",
                    ]
                )
            )
            having = draw(st.sampled_from(["", "HAVING count(*) > 1", "HAVING sum(b) > 0"]))
            return f"SELECT a, {one} FROM t {draw(WHERE['t'])} GROUP BY a {having}"
        case 4:
            return f"SELECT sum(n), count(*) FROM k {draw(KEYED | WHERE['k'])}"
        case 5:
            up, down = (draw(st.sampled_from(["", "DESC", "NULLS LAST", "DESC NULLS FIRST"])) for _ in "ab")
            return f"SELECT DISTINCT a, b FROM t ORDER BY a {up}, b {down} LIMIT {draw(st.integers(0, 3))}"
        case 6:
            one = draw(expressions(["x", "y", *PARAMETERS]))
            return f"SELECT (SELECT max(n) FROM k WHERE n <= y), {one} FROM s {draw(WHERE['s'])}"
        case _:
            return f"SELECT id, n FROM k {draw(KEYED)}"


PROGRAMS = st.tuples(st.lists(changes(), min_size=1, max_size=4), st.lists(answers(), min_size=1, max_size=2))
NUMBERS = st.integers(-2, 3)
TUPLES = st.lists(st.tuples(NUMBERS | st.none(), NUMBERS.map(lambda n: n / 2) | st.none()), min_size=1, max_size=4)


def by_sqlite(program: list[str], tuples: list[tuple[Any, Any]]) -> list[list[tuple[Any, ...]]]:
    """What SQLite returns for each tuple."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript("CREATE TABLE s(x, y); CREATE TABLE t(a, b); CREATE TABLE k(id PRIMARY KEY, n);")
        found = []
        for number, (p, q) in enumerate(tuples):
            if not number:
                connection.execute("INSERT INTO s VALUES (:p, :q)", {"p": p, "q": q})
            rows: list[tuple[Any, ...]] = []
            for statement in program:
                bound = re.sub(r"\b([pq])\b", r":\1", statement)
                if "ORDER BY" in bound:  # where nothing is said of NULLs, SQLite and Spark agree
                    bound = bound.replace("DESC,", "DESC NULLS LAST,").replace("DESC LIMIT", "DESC NULLS LAST LIMIT")
                rows += connection.execute(bound, {"p": p, "q": q}).fetchall() if bound.startswith("SELECT") else []
                if not bound.startswith("SELECT"):
                    connection.execute(bound, {"p": p, "q": q})
            found.append(rows)
        return found


def by_class(kind: Any, tuples: list[tuple[Any, Any]]) -> list[list[tuple[Any, ...]]]:
    """What the hooks yield for each tuple."""
    aggregate, found = kind(), []
    for number, values in enumerate(tuples):
        given_ = (aggregate.iterate if number else aggregate.initialize)(*values)
        answered = [given_] if isinstance(given_, dict) else list(given_ or ())
        found.append([tuple(row.values()) for row in answered])
    return found


def bag(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(str(tuple(None if value is None else float(value) + 0.0 for value in row)) for row in rows)


def text_of(changed: list[str], selected: list[str]) -> str:
    body = "; ".join([*changed, *(f"INSERT INTO RETURN {one}" for one in selected)])
    return f"{HEAD} {TABLES} INITIALIZE: {{ INSERT INTO s VALUES (p, q); {body} }} ITERATE: {{ {body} }} }}"


@settings(max_examples=60, phases=[Phase.explicit, Phase.generate], deadline=None, report_multiple_bugs=False)
@given(program=PROGRAMS, tuples=TUPLES)
def test_programs(program: tuple[list[str], list[str]], tuples: list[tuple[Any, Any]]) -> None:
    changed, selected = program
    kind = iw.aggregate(text_of(changed, selected))
    expected = by_sqlite([*changed, *selected], tuples)
    given_ = by_class(kind, tuples)
    assert [bag(rows) for rows in given_] == [bag(rows) for rows in expected], kind.source
