"""Above the budget of a task tuples go to disk, and Spark's metrics say how many bytes."""

from typing import Any

import pytest

import inwindow as iw
from benchmarks.spark_memory import spilled
from inwindow.runtime.spark.session import is_connect


def test_what_is_spilled_is_in_the_metrics(spark: Any) -> None:
    if is_connect(spark):
        pytest.skip("the client sees no stages")
    df = spark.range(200_000).selectExpr("id % 3 AS k", "-id AS t", "CAST(id AS double) AS v")
    window = iw.rows(10, partition_by="k", order_by="t")
    before = set(spilled(spark))
    within = iw.with_columns(df, s=iw.sum("v").over(window)).agg({"s": "max"}).first()
    assert _since(spark, before) == 0
    spark.conf.set("spark.inwindow.memory", "1m")
    try:
        df = iw.with_columns(df, s=iw.sum("v").over(window))
        assert "a task holds at most 1 MB of tuples" in str(iw.explain(df, a=iw.sum("v").over(window)))
        assert df.agg({"s": "max"}).first() == within
    finally:
        spark.conf.unset("spark.inwindow.memory")
    assert _since(spark, before) > 1 << 20


def _since(spark: Any, before: set[int]) -> int:
    return sum(size for stage, size in spilled(spark).items() if stage not in before)
