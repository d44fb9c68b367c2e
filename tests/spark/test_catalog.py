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
