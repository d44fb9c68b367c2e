"""What newcomers do to a stream, and what they are told before the query starts."""

from pathlib import Path
from typing import Any

import pytest

import inwindow as iw

WINDOW = iw.range("1 minute", partition_by="item", order_by="ts")


def counted(df: Any) -> Any:
    return iw.with_columns(df, n=iw.count().over(WINDOW))


@pytest.fixture
def stream(spark: Any, tmp_path: Path) -> Any:
    return spark.readStream.schema("item string, ts timestamp, arrived timestamp").parquet(str(tmp_path))


def test_one_call_per_query(stream: Any) -> None:
    first = counted(stream.withWatermark("ts", "10 seconds"))
    with pytest.raises(iw.UsageError, match="on the result of another call.*write the first result and read it"):
        counted(first)
    with pytest.raises(iw.UsageError, match="on the result of another call.*all aggregates, with one partitioning"):
        iw.group_by(first, "item").window(iw.tumble("ts", size="1 hour")).agg(n=iw.count())


def test_the_watermark_is_on_another_column(stream: Any) -> None:
    with pytest.raises(iw.UsageError, match=r"'ts' has no watermark \(that of the stream is on 'arrived'\), so"):
        counted(stream.withWatermark("arrived", "10 seconds"))
    with pytest.raises(iw.UsageError, match=r"'ts' has no watermark, so .*df\.withWatermark\('ts', '10 seconds'\)"):
        counted(stream)


def test_ordered_by_an_expression(stream: Any) -> None:
    from pyspark.sql import functions as F

    marked = stream.withWatermark("ts", "10 seconds")
    for time in (F.col("ts") + F.expr("INTERVAL 1 HOUR"), iw.arrival_time()):
        with pytest.raises(
            iw.UsageError, match=r"has no watermark \(.*as in df\.withColumn\('at', \.\.\.\)\.withWatermark\('at', "
        ):
            iw.with_columns(marked, n=iw.count().over(iw.range("1 minute", order_by=time)))
