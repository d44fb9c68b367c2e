"""Streams of Spark put together; streams without a time of their own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)


def stream(spark: Any, folder: Path, rows: list[tuple[str, int]]) -> Any:
    """A stream of (what, seconds), from one file."""
    schema = "what string, ts timestamp"
    spark.createDataFrame([(what, START + timedelta(seconds=s)) for what, s in rows], schema).coalesce(1).write.parquet(
        str(folder)
    )
    return spark.readStream.schema(schema).parquet(str(folder))


def rows_of(spark: Any, made: Any, folder: Path) -> list[Any]:
    """All rows of a query that runs until nothing is left to do."""
    query = (
        made.writeStream.format("parquet")
        .option("path", str(folder / "out"))
        .option("checkpointLocation", str(folder / "cp"))
    )
    query.trigger(availableNow=True).start().awaitTermination()
    return spark.read.schema(made.schema).parquet(str(folder / "out")).collect()


def test_a_union_waits_for_the_slower_stream(spark: Any, tmp_path: Path) -> None:
    bids = stream(spark, tmp_path / "bids", [("bid", s) for s in (0, 10, 20, 30, 40, 50)]).withWatermark(
        "ts", "0 seconds"
    )
    closings = stream(spark, tmp_path / "closings", [("closing", s) for s in (15, 35)]).withWatermark("ts", "0 seconds")
    both = iw.union(bids, closings, order_by="ts")
    made = iw.with_columns(both, before=iw.collect_list("what").over(iw.rows(2, order_by="ts")))
    rows = sorted(rows_of(spark, made, tmp_path), key=lambda row: row.ts)
    assert [row.what for row in rows] == ["bid", "bid", "closing", "bid", "bid"]  # before 35, where the closings are
    assert rows[3].before == ["closing", "bid"]


def test_a_stream_without_a_watermark_is_named(spark: Any, tmp_path: Path) -> None:
    bids = stream(spark, tmp_path / "bids", [("bid", 0)])
    with pytest.raises(iw.UsageError, match=r"stream 2 has no watermark on 'ts'.*withWatermark\('ts', '10 seconds'\)"):
        iw.union(bids.withWatermark("ts", "0 seconds"), bids, order_by="ts")


def test_batches_put_together(spark: Any) -> None:
    one, other = (
        spark.createDataFrame([(1, "a")], "t int, v string"),
        spark.createDataFrame([("b", 2)], "v string, t int"),
    )
    assert sorted(map(tuple, iw.union(one, other, order_by="t").collect())) == [(1, "a"), (2, "b")]


def test_arrival_time_wants_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_session() -> None:
        raise AssertionError  # what PySpark does

    monkeypatch.setattr("pyspark.sql.functions.current_timestamp", without_session)
    with pytest.raises(iw.UsageError, match=r"there is no Spark session yet: make one first, SparkSession.builder"):
        iw.arrival_time()


def test_arrival_time_is_a_time_of_ones_own(spark: Any, tmp_path: Path) -> None:
    tuples = stream(spark, tmp_path / "in", [("a", 5), ("b", 1)]).drop("ts")
    timed = tuples.withColumn("at", iw.arrival_time()).withWatermark("at", "0 seconds")
    made = iw.with_columns(timed, n=iw.count().over(iw.range("1 hour", order_by="at")))
    query = (
        made.writeStream.format("memory")
        .queryName("arrived")
        .option("checkpointLocation", str(tmp_path / "cp"))
        .start()
    )
    try:
        query.processAllAvailable()
        assert spark.table("arrived").count() == 0  # they wait until time has moved on: for the next micro-batch
        spark.createDataFrame([("c", START)], "what string, ts timestamp").write.mode("append").parquet(
            str(tmp_path / "in")
        )
        query.processAllAvailable()
        rows = spark.table("arrived").collect()
        assert sorted((row.what, row.n) for row in rows) == [("a", 2), ("b", 2)]
        assert len({row.at for row in rows}) == 1
    finally:
        query.stop()
