"""CQL on streams of Spark: the rows of the batch run, as far as the watermark has come."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
#  minute    0   1   2   3   6   7   9
#  Open      1   2   3
#  Bid           1       1   2
#  Close                 1       2   3
DATA = {
    "Open": ("item_id bigint, start_price double, ts timestamp", [(1, 50.0, 0), (2, 150.0, 1), (3, 200.0, 2)]),
    "Bid": ("item_id bigint, bid_price double, ts timestamp", [(1, 60.0, 1), (1, 70.0, 3), (2, 160.0, 6)]),
    "Close": ("item_id bigint, ts timestamp", [(1, 3), (2, 7), (3, 9)]),
}
LAST = 1000  # a row of each stream that lets its time go on


def rows_of(name: str) -> list[tuple[Any, ...]]:
    ddl, rows = DATA[name]
    last = (99, 0.0, LAST)[-len(rows[0]) :] if len(rows[0]) == 3 else (99, LAST)
    return [(*row[:-1], START + timedelta(minutes=row[-1])) for row in [*rows, last]]


DECLARED = """
    CREATE STREAM Open(item_id int, start_price real, ts timestamp) ORDER BY ts SOURCE 'src_Open';
    CREATE STREAM Bid(item_id int, bid_price real, ts timestamp) ORDER BY ts SOURCE 'src_Bid';
    CREATE STREAM Close(item_id int, ts timestamp) ORDER BY ts SOURCE 'src_Close';
"""
QUERIES = {
    "6.1": "Select item_id, start_price From Open Where start_price > 100",
    "6.2": "Select Count(*) As n From Bid[Range 2 Minutes] Where item_id >= 1",
    "6.2 as it changes": "Select Istream(Count(*) As n) From Bid[Range 2 Minutes] Where item_id >= 1",
    "6.2 by item": "Select Dstream(item_id, Max(bid_price) As high) From Bid[Range 2 Minutes] Group By item_id",
    "6.3": "Select item_id From Open[Range 30 Minutes] Where item_id Not In (Select item_id From Close[Range 60 Minutes])",
    "6.6": "Select Rstream(Close.item_id) From Close[Now], Open[Range 5 Minutes] Where Close.item_id = Open.item_id",
    "7.2.1": "Select Rstream(item_id, start_price * 2 As p) From Open[Now] Where start_price < 180",
    "union": "Select item_id From Bid[Range 1 Minute] Union All Select item_id From Open[Range 1 Minute]",
    "rows": "Select item_id, bid_price From Bid[Rows 2]",
    "istream": "Select Istream(item_id) From Bid[Range 4 Minutes]",
    "rstream": "Select Rstream(item_id) Every 1 Minute From Bid[Range 2 Minutes]",
}


def catalogs(spark: Any, folder: Path) -> tuple[iw.Catalog, iw.Catalog]:
    tables, streams = {}, {}
    for name, (ddl, _) in DATA.items():
        columns = [part.split()[0] for part in ddl.split(", ")]
        tables[f"src_{name}"] = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows_of(name)])
        path = str(folder / name)
        spark.createDataFrame(rows_of(name), ddl).coalesce(1).write.parquet(path)
        streams[f"src_{name}"] = spark.readStream.schema(ddl).parquet(path).withWatermark("ts", "0 seconds")
    local, there = iw.Catalog(tables), iw.Catalog(spark, **streams)
    for catalog in (local, there):
        catalog.run(DECLARED)
    return local, there


def plain(rows: Any) -> list[str]:
    """Rows without those of the end, and times without their zone."""
    shown = [
        [value.astimezone(UTC).replace(tzinfo=None) if getattr(value, "tzinfo", None) else value for value in row]
        for row in rows
    ]
    last = START.replace(tzinfo=None) + timedelta(minutes=LAST - 100)
    return sorted(
        str(row)
        for row in shown
        if all(not isinstance(value, datetime) or value < last for value in row) and None not in row
    )


@pytest.mark.parametrize("name", QUERIES)
def test_a_stream_gives_the_rows_of_the_batch(spark: Any, tmp_path: Path, name: str) -> None:
    local, there = catalogs(spark, tmp_path)
    expected = plain(row.values() for row in local.cql(QUERIES[name]).to_pylist())
    made = there.cql(QUERIES[name])
    assert made.isStreaming
    writer = made.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    writer = writer.option("checkpointLocation", str(tmp_path / "cp")).trigger(availableNow=True)
    writer.start().awaitTermination()
    found = spark.read.schema(made.schema).parquet(str(tmp_path / "out")).collect()
    assert plain(found) == expected and expected


MISTAKES = [
    (
        "Select Istream(Close.item_id) From Close[Now], Open[Range 5 Minutes] Where Close.item_id = Open.item_id",
        "ISTREAM of the join holds rows twice, and a query on a stream does once: write RSTREAM",
    ),
    (
        "Select item_id From Bid[Partition By item_id Rows 1] Where item_id Not In (Select item_id From Close)",
        "[Partition By item_id Rows 1] and NOT IN both hold rows, and a query on a stream has one operator that does",
    ),
    (
        "Select Distinct item_id, Count(*) As n From Bid[Range 2 Minutes] Group By item_id",
        "GROUP BY and DISTINCT both hold rows",
    ),
    (
        "Select item_id From Open[Range 1 Minute] Except Select item_id From Close[Range 1 Minute]",
        "DISTINCT both hold rows",
    ),
]


@pytest.mark.parametrize(("query", "message"), MISTAKES)
def test_what_holds_rows_twice(spark: Any, tmp_path: Path, query: str, message: str) -> None:
    _, there = catalogs(spark, tmp_path)
    with pytest.raises(iw.UsageError, match="line 1, column") as raised:
        there.cql(query)
    assert message in str(raised.value)
