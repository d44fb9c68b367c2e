"""``iw.Catalog`` on Arrow tables: the statements of the ESL paper, with outputs worked by hand; and errors."""

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
import samples.esl_statements as statements
import samples.esl_texts as esl

import inwindow as iw

START = datetime(2006, 11, 5, 9, 0)


def seconds(*after: float) -> list[datetime]:
    return [START + timedelta(seconds=s) for s in after]


#  second   0     2     3       4     5     6
#  open     ann   bob           ann         bob
#  closed               item 1        item 2
OPEN = pa.table({
    "itemID": [1, 2, 3, 4], "sellerID": ["ann", "bob", "ann", "bob"], "price": [1500.0, 900.0, 1200.0, 2000.0],
    "start_time": seconds(0, 2, 4, 6),
})  # fmt: skip
CLOSED = pa.table({"itemID": [1, 2], "buyerID": ["x", "y"], "price": [1700.0, 950.0], "current_time": seconds(3, 5)})
BIDS = pa.table({
    "itemID": [1] * 60, "price": [float(p) for p in range(1, 61)], "bidderID": ["b"] * 60, "bid_time": seconds(*range(60)),
})  # fmt: skip


@pytest.fixture
def catalog() -> iw.Catalog:
    made = iw.Catalog({"port4445": OPEN, "port4446": CLOSED, "port4447": BIDS})
    made.run(statements.EXAMPLE_1 + esl.AVG + esl.DECAY_ONLINE_AVG)
    return made


def test_example_1_streams(catalog: iw.Catalog) -> None:
    assert catalog.run("SHOW STREAMS").to_pylist() == [
        {"name": "openauction", "order_by": "start_time"},
        {"name": "closedauction", "order_by": "current_time"},
        {"name": "bid", "order_by": None},
    ]
    assert catalog.run("DESCRIBE Bid").to_pydict() == {
        "column": ["itemID", "price", "bidderID", "bid_time"], "type": ["int64", "double", "string", "timestamp[us]"],
    }  # fmt: skip


def test_examples_2_and_3_selection(catalog: iw.Catalog) -> None:
    assert catalog.run(statements.EXAMPLE_2)["itemID"].to_pylist() == [1, 3, 4]
    assert catalog.run(statements.EXAMPLE_3) is None
    assert catalog.run("SELECT itemID FROM expensiveItems WHERE sellerID = 'ann'")["itemID"].to_pylist() == [1, 3]


def test_example_4_base_aggregate(catalog: iw.Catalog) -> None:
    #  1700    (0.9*1700 + 1.1*950) / 2
    assert catalog.run(statements.EXAMPLE_4).to_pydict() == {"decay_online_avg(price)": pytest.approx([1700.0, 1287.5])}


def test_example_5_smallest_price_so_far(catalog: iw.Catalog) -> None:
    given = catalog.run(statements.EXAMPLE_5)
    assert given.column_names == ["itemID", "sellerID", "price", "Price"]
    assert given.column(3).to_pylist() == [1500.0, 900.0, 1200.0, 900.0]


def test_example_6_union_merges_by_time(catalog: iw.Catalog) -> None:
    catalog.run(statements.EXAMPLE_6)
    given = catalog.run("SELECT * FROM PriceRise")
    assert given["itemID"].to_pylist() == [1, 2, 1, 3, 2, 4]
    assert given["Time"].to_pylist() == seconds(0, 2, 3, 4, 5, 6)
    last = catalog.run(
        "SELECT itemID, max(price) OVER (PARTITION BY itemID ROWS UNBOUNDED PRECEDING) AS p FROM PriceRise"
    )
    assert last["p"].to_pylist() == [1500.0, 900.0, 1700.0, 1200.0, 950.0, 2000.0]  # its order is Time


def test_example_9_base_aggregate_by_group(catalog: iw.Catalog) -> None:
    #  ann   1500   (0.9*1500 + 1.1*1200) / 2 = 1335     bob   900   (0.9*900 + 1.1*2000) / 2 = 1505
    catalog.run(statements.EXAMPLE_9)
    given = catalog.run("SELECT * FROM AskdPrice")
    assert given.to_pydict() == {
        "sellerID": ["ann", "bob", "ann", "bob"],
        "avg_price": pytest.approx([1500.0, 900.0, 1335.0, 1505.0]),
    }


def test_examples_14_and_15_slide(catalog: iw.Catalog) -> None:
    for text in (statements.EXAMPLE_14, statements.EXAMPLE_15):
        given = catalog.run(text)
        assert given["itemID"].to_pylist() == [1] * 6
        assert given.column(1).to_pylist() == [55.0, 210.0, 465.0, 820.0, 1275.0, 1775.0]


def test_example_11_calls_the_base_version(catalog: iw.Catalog) -> None:
    catalog.run(esl.NAIVE_AVG)
    assert "fold(BaseAvg, " in catalog.aggregate("avg").source  # type: ignore[attr-defined]
    given = catalog.run("SELECT avg(price) OVER (ROWS 2 PRECEDING) AS a FROM OpenAuction")
    assert given["a"].to_pylist() == [1500.0, 1200.0, 1200.0, pytest.approx(4100 / 3)]
    assert catalog.run("SELECT avg(price) AS a FROM OpenAuction")["a"].to_pylist() == [1400.0]  # the base version


def test_example_18_larceny() -> None:
    tags = pa.table({"tagid": ["tv", "ann", "lamp"], "tagtype": ["item", "ap", "item"], "tagtime": seconds(0, 3, 20)})
    catalog = iw.Catalog(tag_readings=tags)
    catalog.run(
        "CREATE STREAM tag_readings(tagid string, tagtype string, tagtime timestamp) ORDER BY tagtime SOURCE 'tag_readings';"
    )
    catalog.run(esl.ITEM_ALARM + statements.EXAMPLE_18)
    given = catalog.run("SELECT * FROM `larceny-in-progress`")
    assert given.drop_columns(["tagtime"]).rename_columns(["tagid", "alarm"]).to_pydict() == {
        "tagid": ["lamp"],
        "alarm": ["larceny alarm"],
    }


def test_streams_join_tables_and_tables_are_parameters(catalog: iw.Catalog) -> None:
    catalog.run("""
        CREATE TABLE rates(seller String, rate Double);
        INSERT INTO rates VALUES ('ann', 2.0), ('bob', 0.5);
        CREATE AGGREGATE converted(who String, price Real) : Real {
            TABLE state(total Real);
            INITIALIZE: { INSERT INTO state VALUES (0);
                UPDATE state SET total = price * (SELECT rate FROM rates WHERE seller = who); }
            ITERATE: { UPDATE state SET total = total + price * (SELECT rate FROM rates WHERE seller = who); }
            TERMINATE: { INSERT INTO RETURN SELECT total FROM state; }
        }
    """)
    joined = catalog.run(
        "SELECT o.itemID, r.rate * o.price AS p FROM OpenAuction o JOIN rates r ON o.sellerID = r.seller ORDER BY 1"
    )
    assert joined["p"].to_pylist() == [3000.0, 450.0, 2400.0, 1000.0]
    assert catalog.run("SELECT converted(sellerID, price) AS total FROM OpenAuction")["total"].to_pylist() == [6850.0]


def test_one_statement_with_all_around_a_window(catalog: iw.Catalog) -> None:
    given = catalog.run("""
        SELECT DISTINCT sellerID, round(avg(price) OVER (PARTITION BY sellerID RANGE UNBOUNDED PRECEDING) / 100, 1) AS a
        FROM OpenAuction WHERE itemID < 9 QUALIFY a > 10 ORDER BY a DESC NULLS LAST, sellerID LIMIT 3
    """)
    assert given.to_pydict() == {"sellerID": ["ann", "bob", "ann"], "a": [15.0, 14.5, 13.5]}


def test_drop_and_show(catalog: iw.Catalog) -> None:
    assert catalog.run("SHOW AGGREGATES").to_pydict() == {
        "name": ["avg", "decay_online_avg"],
        "version": ["base", "base"],
    }
    catalog.run("DROP AGGREGATE avg; DROP STREAM Bid")
    assert catalog.run("SHOW AGGREGATES")["name"].to_pylist() == ["decay_online_avg"]
    assert catalog.run("SHOW STREAMS")["name"].to_pylist() == ["openauction", "closedauction"]


MISTAKES: list[tuple[str, str]] = [
    ("GRANT ALL", "GRANT is no statement of a catalog"),
    ("CREATE STREAM s", "write CREATE STREAM s(column type, ...)"),
    ("CREATE STREAM s(a) SOURCE 'port4445'", "a column has a name and a type"),
    ("CREATE STREAM s(a reel) SOURCE 'port4445'", "reel is no type"),
    ("CREATE STREAM s(a int) SOURCE 'port4445'", "the source of s has no column a; it has: itemID"),
    ("CREATE STREAM s(price real) ORDER BY t SOURCE 'port4445'", "t is no column of s; it has: price"),
    ("SELECT {{ ref('trades') }}.price FROM port4445", "this is not SQL: something is missing here"),
    ("SELECT sum(price FROM port4445", "this is not SQL: expecting )"),
    ("SELECT * FROM port4445 WHERE GROUP BY price", "this is not SQL: something is missing here"),
    ("CREATE STREAM s(price real) SOURCE 'nothing'", "DuckDB says: "),
    ("CREATE STREAM s(a, b) AS SELECT price FROM Bid", "s has 2 columns, and the SELECT gives 1"),
    ("CREATE STREAM s AS", "a SELECT is missing behind AS"),
    ("SELECT price FROM Bids", "DuckDB says: "),
    ("SELECT itemID, avg(price) FROM OpenAuction", "a column beside an aggregate is in GROUP BY"),
    ("SELECT avg(price) OVER (ROWS 2) FROM Bid", "ROWS: a bound is"),
    ("SELECT\n avg(prise) OVER (ROWS 2 PRECEDING) FROM Bid", "DuckDB says: "),
    ("DROP AGGREGATE nothing", "there is no aggregate nothing"),
    ("SELECT 1; SELECT 'a", "this quotation is not closed"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_mistakes(catalog: iw.Catalog, text: str, message: str) -> None:
    with pytest.raises(iw.UsageError) as raised:
        catalog.run(text)
    assert message in str(raised.value)
    assert "(line " in str(raised.value) or "DuckDB" in str(raised.value)


@pytest.mark.parametrize("given", [3, "tables", [OPEN]])
def test_what_is_no_place(given: Any) -> None:
    with pytest.raises(iw.UsageError, match="give a SparkSession, or a dict of Arrow tables"):
        iw.Catalog(given)


def test_a_table_may_have_any_name() -> None:
    table = pa.table({"id": [1, 2], "v": [3, 4]})
    for name in ("it", "rows"):
        catalog = iw.Catalog({name: table})
        found = catalog.run(
            f"SELECT id, sum(v) OVER (ORDER BY id ROWS 1 PRECEDING) + 1 AS s FROM {name} ORDER BY id DESC"
        )
        assert found.to_pylist() == [{"id": 2, "s": 8}, {"id": 1, "s": 4}]


def test_sql_of_another_database() -> None:
    """NULLs where the database puts them, its casts and quotation marks; tables stay in the catalog."""
    catalog = iw.Catalog(bids=pa.table({"a b": [1, 2, 3], "price": [4.0, None, 2.0]}))
    catalog.run('CREATE TABLE b AS SELECT "a b" AS k, price::int AS price FROM bids', dialect="postgres")
    query = "SELECT k, count(*) OVER (ORDER BY price) AS n FROM b ORDER BY k"
    found = {name: catalog.run(query, dialect=name)["n"].to_pylist() for name in ("postgres", "sqlite", "duckdb")}
    assert found == {"postgres": [2, 3, 1], "sqlite": [3, 1, 2], "duckdb": [2, 3, 1]}


@pytest.mark.parametrize(
    ("query", "dialect", "rows"),
    [
        ("SELECT * FROM t QUALIFY rank() OVER (PARTITION BY y ORDER BY x DESC) = 1", "duckdb", [(6, "a"), (7, "b")]),
        (
            "SELECT x, percentile_cont(0.1) WITHIN GROUP (ORDER BY x DESC) OVER () FROM t WHERE x > 5",
            "snowflake",
            [(6, 6.9), (7, 6.9)],
        ),
        ("SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY x), count(*) FROM t", "postgres", [(6.7, 4)]),
        (
            "SELECT quantile_cont(x, [0.1, 0.5]) OVER () AS q, quantile(x, 0.5) OVER () AS d FROM t LIMIT 1",
            "duckdb",
            [([1.9, 5.0], 4)],
        ),
    ],
)
def test_percentiles_and_qualify_of_other_databases(query: str, dialect: str, rows: list[tuple[Any, ...]]) -> None:
    table = iw.Catalog(t=pa.table({"x": [1, 4, 6, 7], "y": ["a", "a", "a", "b"]})).run(query, dialect=dialect)
    assert sorted(tuple(map(rounded, row.values())) for row in table.to_pylist()) == rows


def rounded(value: Any) -> Any:
    return (
        list(map(rounded, value)) if isinstance(value, list) else round(value, 9) if isinstance(value, float) else value
    )


def test_windows_in_tables_that_are_made_anew_and_in_insert() -> None:
    catalog = iw.Catalog(t=pa.table({"x": [1, 4, 6]}))
    catalog.run("CREATE TABLE sums (x bigint, s bigint); CREATE OR REPLACE TEMP VIEW v AS SELECT x + 1 AS x FROM t")
    catalog.run("INSERT INTO sums (s, x) WITH q AS (SELECT x, sum(x) OVER (ORDER BY x) AS s FROM v) SELECT s, x FROM q")
    catalog.run("CREATE OR REPLACE TABLE v AS SELECT sum(s) AS s FROM sums")
    assert catalog.run("SELECT * FROM sums ORDER BY x").to_pydict() == {"x": [2, 5, 7], "s": [2, 7, 14]}
    assert catalog.run("SELECT * FROM v").to_pydict() == {"s": [23]}  # an integer, as in Spark
    assert catalog.run("SHOW TABLES").num_rows == 3
