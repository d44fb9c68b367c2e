"""``iw.Catalog`` on Spark: the statements of the ESL paper give what they give on Arrow tables."""

from typing import Any

import pyarrow as pa
import pytest
import samples.esl_statements as statements
import samples.esl_texts as esl

import inwindow as iw

ROWS = [
    {
        "itemID": n % 3,
        "sellerID": "ab"[n % 2],
        "price": float(n * 7 % 5) * 600,
        "start_time": n,
        "current_time": n,
        "bidderID": "x",
        "bid_time": n,
    }
    for n in range(60)
]
SCRIPT = (
    statements.EXAMPLE_1.replace("timestamp)", "int)").replace("buyerID char(10), ", "")
    + esl.AVG
    + esl.DECAY_ONLINE_AVG
    + esl.MYAVG
)
QUERIES = [
    statements.EXAMPLE_2,
    statements.EXAMPLE_5.replace("AS Price", "AS low"),
    "SELECT itemID, start_time, avg(price) OVER (PARTITION BY itemID ROWS 9 PRECEDING) AS a FROM OpenAuction",
    "SELECT itemID, myavg(price) OVER (PARTITION BY itemID RANGE 7 PRECEDING) AS a FROM OpenAuction",
    "SELECT itemID, sum(price) OVER (PARTITION BY itemID ROWS 9 PRECEDING SLIDE 3) AS s FROM OpenAuction",
    "SELECT sellerID, avg(price) AS a FROM OpenAuction GROUP BY sellerID",
    "SELECT sellerID, decay_online_avg(price) AS a FROM OpenAuction GROUP BY sellerID",
    statements.EXAMPLE_6
    + "; SELECT itemID, max(price) OVER (PARTITION BY itemID ROWS 2 PRECEDING) AS p FROM PriceRise",
]


def sorted_rows(table: Any) -> list[str]:
    rows = table.to_pylist() if isinstance(table, pa.Table) else [row.asDict() for row in table.collect()]
    return sorted(
        str([f"{value:.9f}" if isinstance(value, float) else value for value in row.values()]) for row in rows
    )


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_on_spark(spark: Any, query: str) -> None:
    table = pa.Table.from_pylist(ROWS)
    local = iw.Catalog(dict.fromkeys(["port4445", "port4446", "port4447"], table))
    df = spark.createDataFrame([tuple(row.values()) for row in ROWS], list(ROWS[0]))
    there = iw.Catalog(spark, port4445=df, port4446=df, port4447=df)
    given = [sorted_rows([catalog.run(SCRIPT), catalog.run(query)][1]) for catalog in (local, there)]
    assert given[0] == given[1] and given[0]


CONVERTED = """
    CREATE AGGREGATE converted(who String, price Real) : Real {
        TABLE state(total Real);
        INITIALIZE: { INSERT INTO state VALUES (0); UPDATE state SET total = price * (SELECT rate FROM rates WHERE seller = who); }
        ITERATE: { UPDATE state SET total = total + price * (SELECT rate FROM rates WHERE seller = who); }
        TERMINATE: { INSERT INTO RETURN SELECT total FROM state; }
    }"""


def test_an_aggregate_reads_a_table(spark: Any) -> None:
    bids = spark.createDataFrame(
        [("ann", 1, 10.0), ("bob", 2, 20.0), ("ann", 3, 30.0)], "who string, t int, price double"
    )
    spark.createDataFrame([("ann", 2.0), ("bob", 0.5)], "seller string, rate double").createOrReplaceTempView("rates")
    catalog = iw.Catalog(spark, bids=bids)
    catalog.run("CREATE STREAM bid(who string, t int, price real) ORDER BY t SOURCE 'bids';" + CONVERTED)
    spark.catalog.dropTempView("rates")  # it travels with the class, as it was
    found = catalog.run("SELECT t, converted(who, price) OVER (ROWS 1 PRECEDING) AS c FROM bid ORDER BY t").collect()
    assert [row.c for row in found] == [20.0, 30.0, 70.0]
    assert sorted_rows(catalog.run("SELECT who, converted(who, price) AS c FROM bid GROUP BY who")) == [
        "['ann', '80.000000000']",
        "['bob', '10.000000000']",
    ]


def test_a_table_that_is_too_large_or_a_stream(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = spark.createDataFrame([("ann", 2.0), ("bob", 0.5)], "seller string, rate double")
    rates.createOrReplaceTempView("rates")
    monkeypatch.setattr("inwindow.language.given_tables._MOST_ROWS", 1)
    with pytest.raises(
        iw.UsageError, match="rates has more than 1 rows, and a table that an aggregate reads travels with it"
    ):
        iw.Catalog(spark).run(CONVERTED)
    spark.readStream.format("rate").load().createOrReplaceTempView("rates")
    with pytest.raises(iw.UsageError, match="an aggregate reads tables, and this is a stream"):
        iw.Catalog(spark).run(CONVERTED)
    spark.catalog.dropTempView("rates")


def test_many_rows_of_terminate(spark: Any) -> None:
    table = pa.Table.from_pylist(ROWS)
    text = """
        CREATE AGGREGATE seen(next Real) : (price Real, n Int) {
            TABLE counts(v Real, n Int);
            INITIALIZE: ITERATE: {
                UPDATE counts SET n = n + 1 WHERE v = next;
                INSERT INTO counts SELECT next, 1 WHERE NOT EXISTS (SELECT * FROM counts WHERE v = next);
            }
            TERMINATE: { INSERT INTO RETURN SELECT v, n FROM counts ORDER BY v; }
        }
        CREATE STREAM s(itemID int, price real, start_time int) ORDER BY start_time SOURCE 'src';"""
    there = iw.Catalog(spark, src=spark.createDataFrame([tuple(row.values()) for row in ROWS], list(ROWS[0])))
    local = iw.Catalog(src=table)
    for query in (
        "SELECT itemID, seen(price) AS b FROM s GROUP BY itemID",
        "SELECT seen(price) OVER (ROWS 3 PRECEDING) AS b FROM s",
    ):
        given = [sorted_rows([catalog.run(text), catalog.run(query)][1]) for catalog in (local, there)]
        assert [
            one.replace("Row(price=", "{'price': ").replace(", n=", ", 'n': ").replace(")", "}") for one in given[1]
        ] == given[0]
        assert len(given[0]) > 3
