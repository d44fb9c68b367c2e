"""SELECT in an aggregate: outer joins, UNION and the like, WITH; rows worked by hand."""

from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw

TABLES = """
    TABLE t(a Int, b Real); TABLE u(id Int PRIMARY KEY, n Real); TABLE s(x Int);
    INITIALIZE: {
        INSERT INTO s VALUES (p);
        INSERT INTO t VALUES (1, 0.5), (2, 1.5);
        INSERT INTO u VALUES (2, 4.0), (3, NULL);
    }
    ITERATE: { }
"""


def text_of(select: str, result: str = "(a Int, b Real)") -> str:
    return f"CREATE AGGREGATE f(p Int) : {result} {{ {TABLES} TERMINATE: {{ INSERT INTO RETURN {select}; }} }}"


def rows(select: str) -> list[tuple[Any, ...]]:
    kind: Any = iw.aggregate(text_of(select))
    one = kind()
    one.initialize(1)
    given = one.terminate()
    return [tuple(row.values()) for row in (given if isinstance(given, list) else [given])]


CASES = [
    ("SELECT a, n FROM t RIGHT JOIN u ON a = id", [(2, 4.0), (None, None)]),
    ("SELECT id, b FROM t FULL JOIN u ON a = id", [(None, 0.5), (2, 1.5), (3, None)]),
    ("SELECT a, n FROM t FULL JOIN u", [(1, 4.0), (1, None), (2, 4.0), (2, None)]),
    ("SELECT x, n FROM s RIGHT OUTER JOIN u ON id = x + 1", [(1, 4.0), (None, None)]),
    ("SELECT a, n FROM s, t FULL JOIN u ON id = a AND x > 5", [(1, None), (2, None), (None, 4.0), (None, None)]),
    ("SELECT a, b FROM t UNION ALL SELECT a, b FROM t WHERE a = 1", [(1, 0.5), (2, 1.5), (1, 0.5)]),
    ("SELECT a, b FROM t UNION SELECT a, b FROM t ORDER BY a DESC LIMIT 1", [(2, 1.5)]),
    ("SELECT a, b FROM t UNION SELECT x, x FROM s ORDER BY 2", [(1, 0.5), (1, 1.0), (2, 1.5)]),
    ("SELECT a, 1.0 FROM t EXCEPT SELECT id, 1.0 FROM u", [(1, 1.0)]),
    ("SELECT a, 1.0 FROM t INTERSECT SELECT id, 1.0 FROM u", [(2, 1.0)]),
    ("SELECT a, b FROM t UNION ALL SELECT a, b FROM t EXCEPT ALL SELECT 1, 0.5 FROM s", [(1, 0.5), (2, 1.5), (2, 1.5)]),
    ("SELECT a, count(*) FILTER (WHERE b > 1) FROM t GROUP BY a", [(1, 0), (2, 1)]),
    ("SELECT sum(a) FILTER (WHERE b > 9), avg(b) FILTER (WHERE a < 2) FROM t", [(None, 0.5)]),
    ("SELECT a, (SELECT sum(earlier.b) FROM t AS earlier WHERE earlier.a <= t.a) FROM t", [(1, 0.5), (2, 2.0)]),
    ("WITH big(v, w) AS (SELECT a, b FROM t WHERE b > 1) SELECT v, w FROM big", [(2, 1.5)]),
    ("WITH one AS (SELECT a FROM t), two AS (SELECT max(a) AS m FROM one) SELECT m, (SELECT count(*) FROM one) FROM two", [(2, 2)]),
    ("SELECT v, w FROM (SELECT id, n FROM u) AS d(v, w) WHERE w IS NULL", [(3, None)]),
    (
        "SELECT a, (SELECT max(id) FROM (SELECT id FROM u UNION SELECT a FROM t) AS d) FROM t WHERE a IN (SELECT 2 UNION SELECT 9)",
        [(2, 3)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("select", "expected"), CASES)
def test_select(select: str, expected: list[tuple[Any, ...]]) -> None:
    assert sorted(rows(select), key=str) == sorted(expected, key=str)


def test_a_table_that_is_emptied_and_filled_again() -> None:
    """What is put in is made after the rows have gone: not in one with it, where it reads the table."""
    counts: Any = iw.aggregate("""
        CREATE AGGREGATE f(p Int) : Int {
            TABLE c(k Int PRIMARY KEY, n Int);
            INITIALIZE: ITERATE: {
                DELETE FROM c;
                UPDATE c SET n = n + 1 WHERE k = 2;
                INSERT INTO c SELECT 2, 1 WHERE NOT EXISTS (SELECT * FROM c WHERE k = 2);
            }
            TERMINATE: { INSERT INTO RETURN SELECT n FROM c; }
        }
    """)
    one = counts()
    for value in (7, 8, 9):
        one.iterate(value)
        assert one.terminate() == [1]


SMALL = st.lists(st.tuples(st.sampled_from([None, 0, 1]), st.sampled_from([None, 0.5])), max_size=6)


@given(
    one=SMALL, other=SMALL, words=st.sampled_from(["EXCEPT", "INTERSECT", "UNION"]), copies=st.sampled_from(["ALL", ""])
)
def test_copies_are_those_of_duckdb(
    one: list[tuple[Any, Any]], other: list[tuple[Any, Any]], words: str, copies: str
) -> None:
    select = f"SELECT a, b FROM t {words} {copies} SELECT a, b FROM u"
    kind: Any = iw.aggregate(f"""
        CREATE AGGREGATE f(side Int, p Int, q Real) : (a Int, b Real) CALLED ON NULL INPUT {{
            TABLE t(a Int, b Real); TABLE u(a Int, b Real);
            INITIALIZE: ITERATE: {{
                INSERT INTO t SELECT p, q WHERE side = 0;
                INSERT INTO u SELECT p, q WHERE side = 1;
            }}
            TERMINATE: {{ INSERT INTO RETURN {select}; }}
        }}""")
    made = kind()
    made.iterate(2, None, None)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t(a INT, b DOUBLE); CREATE TABLE u(a INT, b DOUBLE)")
        for side, rows_ in enumerate((one, other)):
            for row in rows_:
                made.iterate(side, *row)
                connection.execute(f"INSERT INTO {'tu'[side]} VALUES (?, ?)", row)
        expected = connection.execute(select).fetchall()
    assert sorted((tuple(row.values()) for row in made.terminate()), key=str) == sorted(expected, key=str)


MISTAKES = [
    ("WITH RECURSIVE r AS (SELECT 1 AS v) SELECT v, v FROM r", "WITH RECURSIVE is not known in an aggregate"),
    ("SELECT a, n FROM t RIGHT JOIN u USING (a)", "RIGHT JOIN ... USING is not known in an aggregate: write ON"),
    ("SELECT a, n FROM t NATURAL JOIN u", "NATURAL JOIN is not known in an aggregate: write JOIN ... ON"),
    ("SELECT a FROM t UNION SELECT a, b FROM t", "UNION: 1 columns, and 2"),
    ("SELECT a, sum(b) OVER (ORDER BY a) FROM t", "SUM(b) OVER (...): a window inside of an aggregate is a subquery"),
    (
        "SELECT a, rank() OVER w FROM t WINDOW w AS (ORDER BY b)",
        "RANK() OVER (...): a window inside of an aggregate is a subquery",
    ),
    ("SELECT a, b FROM t QUALIFY row_number() OVER (ORDER BY b) = 1", "a window inside of an aggregate is a subquery"),
    ("SELECT a, b FROM t QUALIFY a = 1", "QUALIFY is not known in an aggregate"),
    (
        "SELECT a, f(a) FROM t GROUP BY a",
        "f(...) calls itself, which no aggregate can: keep its earlier results in a table",
    ),
    (
        "SELECT a, g(a) FROM t GROUP BY a",
        "g(...) is not known in an aggregate; an aggregate of yours is created before this one",
    ),
    ("SELECT a, 'x' FROM t UNION SELECT a, b FROM t", "UNION puts string and double into one column"),
    ("WITH d(v) AS (SELECT a, b FROM t) SELECT v, v FROM d", "d has 1 names, and its SELECT gives 2"),
    ("WITH d AS (SELECT a FROM e), e AS (SELECT a FROM t) SELECT a, a FROM d", "there is no table e"),
]


@pytest.mark.parametrize(("select", "message"), MISTAKES)
def test_mistakes(select: str, message: str) -> None:
    with pytest.raises(iw.UsageError, match="line ") as raised:
        iw.aggregate(text_of(select))
    assert message in str(raised.value)
