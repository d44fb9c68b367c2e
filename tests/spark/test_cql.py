"""CQL on Spark: the queries of the paper give what they give on Arrow tables."""

from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

TABLES = {
    "o": [{"item_id": n, "seller_id": "ab"[n % 2], "start_price": 50.0 * n, "ts": n} for n in range(1, 9)],
    "b": [{"item_id": n % 5, "bid_price": 10.0 * n, "ts": n} for n in range(3, 20)],
    "c": [{"item_id": n, "ts": 3 * n} for n in range(1, 7)],
}
STREAMS = """
    CREATE STREAM Open(item_id int, seller_id string, start_price real, ts int) ORDER BY ts SOURCE 'o';
    CREATE STREAM Bid(item_id int, bid_price real, ts int) ORDER BY ts SOURCE 'b';
    CREATE STREAM Close(item_id int, ts int) ORDER BY ts SOURCE 'c';
"""
QUERIES = [
    "Select * From Open Where start_price > 100",
    "Select Istream(Count(*)) From Bid[Range 4] Where item_id >= 1 and item_id <= 3",
    "Select * From Open Where item_id Not In (Select * From Close)",
    "Select Istream(Close.item_id) From Close[Now], Open[Range 5] Where Close.item_id = Open.item_id",
    """Select Istream(Close.item_id, P.price) From Close[Now],
       ((Select item_id, bid_price as price From Bid) Union (Select item_id, start_price as price From Open))
       [Partition By item_id Rows 1] As P Where Close.item_id = P.item_id""",
    "Select item_id, Max(bid_price) As high From Bid[Rows 6] Group By item_id",
]


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_on_spark(spark: Any, query: str) -> None:
    local = iw.Catalog({name: pa.Table.from_pylist(rows) for name, rows in TABLES.items()})
    frames = {
        name: spark.createDataFrame([tuple(row.values()) for row in rows], list(rows[0]))
        for name, rows in TABLES.items()
    }
    there = iw.Catalog(spark, **frames)
    for catalog in (local, there):
        catalog.run(STREAMS)
    expected = sorted(str(list(row.values())) for row in local.cql(query).to_pylist())
    assert sorted(str(list(row)) for row in there.cql(query).collect()) == expected and expected
