"""Windows in subqueries, in WITH and in the sides of UNION: the same rows as DuckDB's, and errors at their place."""

from random import Random

import duckdb
import pyarrow as pa
import pytest
from samples.drawn_selects import Drawing
from samples.suites import equal, shown

import inwindow as iw
from inwindow.language.sql.nested import flattened
from inwindow.language.text import Source

BIDS = pa.table(
    {"item": list("abbabaab"), "ts": [1, 1, 2, 3, 5, 6, 8, 9], "price": [3.0, 5.0, None, 2.0, 8.0, 1.0, 4.0, 7.0]}
)
INNER = "SELECT item, ts, sum(price) OVER (PARTITION BY item ORDER BY ts ROWS 2 PRECEDING) AS s FROM bids"

QUERIES = [
    f"SELECT * FROM ({INNER}) WHERE s > 5",
    f"SELECT item, max(s) AS m FROM ({INNER}) q GROUP BY item HAVING max(s) > 10",
    f"SELECT ts, avg(s) OVER (ORDER BY ts, item ROWS 1 PRECEDING) AS a FROM ({INNER}) q",
    f"WITH q AS ({INNER}) SELECT * FROM q JOIN bids USING (item, ts) WHERE s >= price",
    f"WITH q AS ({INNER}), r (k, t, u) AS (SELECT item, ts, max(s) OVER (ORDER BY ts, item) FROM q) SELECT k, u FROM r WHERE t > 2",
    f"WITH q AS (SELECT item, ts, price FROM bids WHERE ts > 1) SELECT * FROM ({INNER.replace('bids', 'q')}) x",
    f"SELECT * FROM (WITH q AS (SELECT * FROM bids) {INNER.replace('bids', 'q')}) x",
    "WITH o AS (SELECT 2 AS least) SELECT * FROM (WITH q AS (SELECT * FROM bids WHERE ts > (SELECT least FROM o)) "
    f"{INNER.replace('bids', 'q')}) x",
    f"{INNER} UNION ALL {INNER.replace('sum', 'max')} ORDER BY 1, 2, 3 LIMIT 7",
    f"SELECT item, ts, price FROM bids EXCEPT {INNER}",
    f"({INNER}) INTERSECT (SELECT item, ts, price FROM bids)",
    "WITH q AS (SELECT * FROM bids) SELECT price FROM q UNION SELECT sum(price) OVER (PARTITION BY item ORDER BY ts) FROM q",
    "SELECT item FROM bids WHERE price IN (SELECT max(price) OVER (PARTITION BY item) FROM bids)",
    "SELECT item, (SELECT max(a) FROM (SELECT avg(price) OVER (ORDER BY ts, item) AS a FROM bids) z) AS top FROM bids",
    f"SELECT DISTINCT item FROM (SELECT * FROM ({INNER}) a WHERE s > 3) b WHERE ts > 2 ORDER BY item DESC LIMIT 1",
    f"SELECT count(*) OVER () AS n FROM ({INNER}) WHERE s IS NULL OR s < 3",
]


@pytest.mark.parametrize("query", QUERIES)
def test_inner_queries(query: str) -> None:
    connection = duckdb.connect()
    connection.register("bids", BIDS)
    ours = iw.Catalog(bids=BIDS).run(query).to_pylist()
    theirs = connection.sql(query).to_arrow_table().to_pylist()
    assert sorted(map(str, ours)) == sorted(map(str, theirs))


def test_a_stream_keeps_its_order_in_a_subquery() -> None:
    catalog = iw.Catalog(bids=BIDS.take([3, 0, 2, 1]))
    catalog.run("CREATE STREAM bid(item char(10), ts Int, price Real) ORDER BY ts SOURCE 'bids'")
    rows = catalog.run(
        "SELECT ts, count(*) OVER (ROWS UNBOUNDED PRECEDING) AS n "
        "FROM (SELECT ts, sum(price) OVER (ROWS 1 PRECEDING) AS s FROM bid) q ORDER BY n"
    )
    assert rows["ts"].to_pylist() == [1, 1, 2, 3]
    assert catalog.run("SHOW TABLES").num_rows == 1  # the tables of inner queries are gone
    assert catalog.run("SHOW STREAMS").num_rows == 1


@pytest.mark.parametrize(
    ("query", "message", "at"),
    [
        ("SELECT *\nFROM (SELECT sum(prise) OVER (ORDER BY ts) AS s FROM bids) WHERE s > 3", "prise", "prise"),
        ("SELECT s FROM\n(SELECT sum(price) OVER (ORDER BY ts) AS s FROM bids) q WHERE z > 3", '"z" not found', "z >"),
        ("SELECT * FROM bids b WHERE price = (SELECT max(price + b.ts) OVER () FROM bids LIMIT 1)", "b.ts", "b.ts"),
        ("SELECT item FROM bids UNION SELECT item FROM bids ORDER BY sum(price) OVER ()", "beside UNION", "UNION"),
    ],
)
def test_errors_show_what_the_user_wrote(query: str, message: str, at: str) -> None:
    with pytest.raises(iw.UsageError) as caught:
        iw.Catalog(bids=BIDS).run(query)
    said = str(caught.value)
    assert message in said
    start = query.index(at)
    line = query[:start].count("\n")
    assert f"(line {line + 1}, column {start - (query.rfind(chr(10), 0, start) + 1) + 1})" in said
    assert query.split("\n")[line] in said


def test_everything_stays_in_its_place() -> None:
    text = "WITH a AS (SELECT 1), b AS (\n  SELECT f(x)\n  OVER ()\n  FROM a) SELECT * FROM b"
    inner = []

    def run(source: Source, _: object) -> str:
        inner.append(source.text)
        return "_iwq0"

    flat = flattened(Source(text), run)
    assert inner == ["WITH a AS (SELECT 1)        \n  SELECT f(x)\n  OVER ()\n  FROM a"]
    assert flat.text == "WITH a AS (SELECT 1), b AS (\n  SELECT *   \nFROM     \n_iwq0   ) SELECT * FROM b"
    assert flat.written == text


LATERAL = [
    "SELECT ts, count(*) OVER (ORDER BY ts, item) AS n, n * 2 AS d, d + n + ts AS e FROM bids",
    "SELECT sum(ts) OVER (ORDER BY ts) + 1 AS s, round(s / 3, 1) AS r, s % 2 = 0 AND item = 'a' AS z FROM bids ORDER BY s DESC",
    "SELECT sum(ts) OVER (ORDER BY ts) AS ts, ts * 2 AS d FROM bids",  # the tables' column comes first
    "SELECT item, sum(sum(ts)) OVER () AS s, s * 2 AS d FROM bids GROUP BY item",
    "SELECT ts * 2 AS q, q + 1 AS r, sum(q) OVER (ORDER BY ts) AS s, s - q AS u FROM bids QUALIFY u > 2",
    "SELECT DISTINCT max(ts) OVER () AS m, m + 1 AS n FROM bids",
    "SELECT lag(ts) OVER (ORDER BY ts, item) AS l, CASE WHEN l > 2 THEN 'late' ELSE item END AS c, ts - l AS gap FROM bids",
]


@pytest.mark.parametrize("query", LATERAL)
def test_a_result_by_its_name_later_in_the_select_list(query: str) -> None:
    connection = duckdb.connect()
    connection.register("bids", BIDS)
    ours = iw.Catalog(bids=BIDS).run(query, dialect="duckdb").to_pylist()
    theirs = connection.sql(query).fetchall()
    assert equal([tuple(map(shown, row.values())) for row in ours], [tuple(map(shown, row)) for row in theirs])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT s, sum(ts) OVER () AS s FROM bids",
        "SELECT sum(ts) OVER () AS s FROM bids WHERE s > 3",
        "SELECT sum(ts) OVER () AS s, max(s) OVER () AS m FROM bids",
    ],
)
def test_a_result_where_there_is_none_yet(query: str) -> None:
    with pytest.raises(iw.UsageError, match="s is the result of a window, which comes after this.*subquery"):
        iw.Catalog(bids=BIDS).run(query)


@pytest.mark.parametrize("seed", range(8))
def test_drawn_queries(seed: int) -> None:
    drawing = Drawing(Random(seed))
    table = drawing.table()
    connection = duckdb.connect()
    connection.register("bids", table)
    for _ in range(12):
        query = drawing.query(drawing.chance.randint(0, 3))
        ours = iw.Catalog(bids=table).run(query, dialect="duckdb").to_pylist()
        theirs = connection.sql(query).fetchall()
        assert equal([tuple(map(shown, row.values())) for row in ours], [tuple(map(shown, row)) for row in theirs]), (
            query
        )
