"""Keys and orders of every type: groups are Spark's groups, -0.0 and 0.0 the same key, NaN one key, NULL one key."""

from typing import Any

import pytest
from spark.parity import by_id

import inwindow as iw

KEYS = [
    "array(0D, -0D, double('NaN'), null)[n % 4]", "cast(array(0D, -0D, double('NaN'), null)[n % 4] as float)", "n % 3 = 0",
    "cast(n % 5 as decimal(20,3))",
    "date'2024-01-01' + n % 4", "timestamp'2024-11-03 05:30:00 UTC' + make_dt_interval(0, n % 3)",
    "timestamp_ntz'2024-11-03 01:30:00' + make_dt_interval(0, n % 3)",
    "cast(concat('k', n % 4) as binary)", "concat('é', n % 3, 'z')",
    "if(n % 5 = 0, null, concat('k', n % 4))",
    "named_struct('a', n % 2, 'b', if(n % 3 = 0, null, 'x'))", "array(n % 2, null)",
    "named_struct('a', array(0D, -0D)[n % 2])",
    "array(array(0D, -0D, double('NaN'), null)[n % 4])",
    "named_struct('a', array(named_struct('b', cast(array(-0D, 0D, double('NaN'), null)[n % 4] as float)), null))",
    "make_ym_interval(0, n % 3)", "make_dt_interval(0, n % 3)", "cast(null as int)", "null",
    "''", "cast(n % 3 as tinyint)",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_groups_are_sparks(spark: Any, key: str) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.range(60).selectExpr("id", "cast(id as int) as n").selectExpr("id", f"{key} as k", "id * 7 % 60 as t")
    w = Window.partitionBy("k").orderBy("t").rowsBetween(-3, 0)
    made = iw.with_columns(df, s=iw.sum("id").over(w), n=iw.count().over(iw.rows_between(None, None, partition_by="k")))
    whole = Window.partitionBy("k")
    expected = df.withColumns({"s": F.sum("id").over(w), "n": F.count("*").over(whole)})
    assert by_id(made.drop("k")) == by_id(expected.drop("k"))
    groups = iw.group_by(df, "k").agg(n=iw.count(), s=iw.sum("id"))
    theirs = df.groupBy("k").agg(F.count("*").alias("n"), F.sum("id").alias("s"))
    assert groups.schema == theirs.schema
    ours, theirs = (its.withColumn("k", F.col("k").cast("string")).collect() for its in (groups, theirs))
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))  # for -0.0 the key is 0.0


@pytest.mark.parametrize("key", [key for key in KEYS if key != "null"])
def test_orders_are_sparks(spark: Any, key: str) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.range(60).selectExpr("id", "cast(id as int) as n").selectExpr("id", f"{key} as o", "id % 2 as k")
    for order in (F.col("o").asc(), F.col("o").desc(), F.col("o").asc_nulls_last()):
        w = Window.partitionBy("k").orderBy(order, "id").rowsBetween(-3, 1)
        peers = Window.partitionBy("k").orderBy(order)
        made = iw.with_columns(df, s=iw.sum("id").over(w), n=iw.count().over(peers))
        expected = df.withColumns({"s": F.sum("id").over(w), "n": F.count("*").over(peers)})
        assert by_id(made.drop("o")) == by_id(expected.drop("o"))
