"""``iw.Catalog`` on streams of Spark: the rows of the batch."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import samples.esl_statements as statements
import samples.esl_texts as esl

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
BIDS = [
    ("vase", "item", 5.0, 0),
    ("lamp", "item", 7.0, 1),
    ("vase", "ap", 9.0, 4),
    ("sofa", "item", 4.0, 20),
    ("vase", "item", 8.0, 21),
]
DDL = "tagid string, tagtype string, price double, tagtime timestamp"
DECLARED = "CREATE STREAM tag_readings(tagid string, tagtype string, price real, tagtime timestamp) ORDER BY tagtime SOURCE 'src';"
QUERIES = [
    "SELECT tagid, myavg(price) OVER (PARTITION BY tagid RANGE 10 SECONDS PRECEDING) AS a FROM tag_readings",
    "CREATE STREAM dear AS SELECT tagid, price, tagtime FROM tag_readings WHERE price > 4.5; "
    "SELECT tagid, max(price) OVER (PARTITION BY tagid ROWS 2 PRECEDING) AS high FROM dear",
    esl.ITEM_ALARM + statements.EXAMPLE_18 + "SELECT * FROM `larceny-in-progress`",
]


def rows() -> list[tuple[Any, ...]]:
    return [(*row[:3], START + timedelta(seconds=row[3])) for row in [*BIDS, ("end", "end", 5.0, 1000)]]


@pytest.mark.parametrize("query", QUERIES)
def test_a_stream_gives_the_rows_of_the_batch(spark: Any, tmp_path: Path, query: str) -> None:
    columns = ["tagid", "tagtype", "price", "tagtime"]
    local = iw.Catalog(src=pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows()]))
    spark.createDataFrame(rows(), DDL).coalesce(1).write.parquet(str(tmp_path / "in"))
    source = spark.readStream.schema(DDL).parquet(str(tmp_path / "in")).withWatermark("tagtime", "0 seconds")
    there = iw.Catalog(spark, src=source)
    for catalog in (local, there):
        catalog.run(DECLARED + esl.MYAVG)
    expected = [list(row.values()) for row in local.run(query).to_pylist() if row["tagid"] != "end"]
    made = there.run(query)
    writer = (
        made.writeStream.format("parquet")
        .option("path", str(tmp_path / "out"))
        .option("checkpointLocation", str(tmp_path / "cp"))
    )
    writer.trigger(availableNow=True).start().awaitTermination()
    found = [list(row) for row in spark.read.schema(made.schema).parquet(str(tmp_path / "out")).collect()]
    plain = [
        [str(value.replace(tzinfo=None)) if isinstance(value, datetime) else value for value in row] for row in found
    ]
    assert sorted(map(str, plain)) == sorted(
        str([str(value.replace(tzinfo=None)) if isinstance(value, datetime) else value for value in row])
        for row in expected
    )
    assert expected
