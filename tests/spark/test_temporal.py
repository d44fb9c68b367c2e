"""Rows that hold for a while, on Spark: the same rows as on tables, whatever the tasks."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow import temporal


class Spread(iw.Aggregate):
    """A class of the user's: merge is derived, and commutes."""

    def initialize(self, value):
        self.low = self.high = value

    def iterate(self, value):
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    def terminate(self) -> int:
        return self.high - self.low


def made(seed: int, rows: int = 300, name: str = "v") -> pa.Table:
    """Intervals of instants, in some hosts; a key, an end may be NULL."""
    random = np.random.default_rng(seed)
    begin = random.integers(0, 400, rows)
    length = random.integers(0, 60, rows)
    start = datetime(2026, 3, 8)

    def at(minute: int) -> datetime:
        return start + timedelta(minutes=int(minute))

    until = [None if n % 50 == 0 else at(b + k) for n, (b, k) in enumerate(zip(begin, length, strict=True))]
    return pa.table(
        {
            "host": pa.array([[None, "a", "b", "c", "d"][k] for k in random.integers(0, 5, rows)]),
            name: pa.array(random.integers(0, 4, rows), pa.int64()),
            "since": pa.array([at(b) for b in begin], pa.timestamp("us")),
            "until": pa.array(until, pa.timestamp("us")),
        }
    )  # fmt: skip


def on_spark(spark: Any, table: pa.Table) -> Any:
    kinds = {"string": "string", "int64": "bigint", "timestamp[us]": "timestamp_ntz"}
    schema = ", ".join(f"`{f.name}` {kinds[str(f.type)]}" for f in table.schema)
    return spark.createDataFrame([tuple(row.values()) for row in table.to_pylist()], schema).repartition(3)


def bag(rows: Any) -> Any:
    return Counter(tuple(row) for row in rows)


ONE = {
    "coalesce": lambda a: temporal.coalesce(a, by="host"),
    "distinct": temporal.distinct,
    "aggregate": lambda a: temporal.aggregate(
        a, by="host", n=iw.count(), s=iw.sum("v"), x=Spread()("v"), mid=iw.median("v")
    ),
    "aggregate of all": lambda a: temporal.aggregate(a, high=iw.max("v"), coalesce=False),
    "istream": temporal.istream,
    "dstream": temporal.dstream,
    "at": lambda a: temporal.at(a, "2026-03-08 02:30"),
    "split": lambda a: temporal.split(a, "1 hour", between=(None, "2026-03-08 08:00")),
    "rstream": lambda a: temporal.rstream(a, "30 minutes", between=(None, "2026-03-08 08:00")),
}


@pytest.mark.parametrize("name", ONE)
def test_one_relation(spark: Any, name: str) -> None:
    table = made(1)
    wanted = ONE[name](table)
    found = ONE[name](on_spark(spark, table))
    assert found.columns == wanted.column_names
    assert bag(found.collect()) == bag(row.values() for row in wanted.to_pylist())


TWO = {
    "union": temporal.union,
    "difference": temporal.difference,
    "intersect": temporal.intersect,
    "max_union": temporal.max_union,
    "inner": lambda a, b: temporal.join(a, b, on="host"),
    "full": lambda a, b: temporal.join(a, b, on=["host", "v"], how="full", suffix="_b"),
    "semi": lambda a, b: temporal.join(a, b, on="host", how="semi", condition="during"),
    "anti": lambda a, b: temporal.join(a, b, on="host", how="anti", condition=pc.field("v") > pc.field("v_right")),
    "left, no key": lambda a, b: temporal.join(
        a, b, how="left", condition=["equals", pc.field("v") == pc.field("v_right")]
    ),
}


@pytest.mark.parametrize("name", TWO)
def test_two_relations(spark: Any, name: str) -> None:
    a, b = made(2, 120), made(3, 120)
    wanted = TWO[name](a, b)
    found = TWO[name](on_spark(spark, a), on_spark(spark, b))
    assert found.columns == wanted.column_names
    assert bag(found.collect()) == bag(row.values() for row in wanted.to_pylist())


WINDOWS = {
    "range": iw.range("10 minutes", partition_by="host", order_by="ts"),
    "rows": iw.rows(3, partition_by="host", order_by="ts"),
    "hop": iw.hop("ts", size="1 hour", every="15 minutes"),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(spark: Any, name: str) -> None:
    table = made(4).drop_columns(["until"]).rename_columns(["host", "v", "ts"])
    table = table.take(
        pa.array(np.unique(table["ts"].to_numpy(), return_index=True)[1])
    )  # no ties, which Spark does not order
    wanted = temporal.window(table, WINDOWS[name])
    found = temporal.window(on_spark(spark, table), WINDOWS[name])
    assert bag(found.collect()) == bag(row.values() for row in wanted.to_pylist())


def test_with_validity_keeps_sparks_types(spark: Any) -> None:
    df = spark.createDataFrame([(1, 2, None)], "a tinyint, hired bigint, left_ bigint")
    found = temporal.with_validity(df, since="hired", until="left_")
    assert found.dtypes == [("a", "tinyint"), ("since", "bigint"), ("until", "bigint")]
    assert [tuple(row) for row in found.collect()] == [(1, 2, None)]


def test_columns_of_spark_as_arguments(spark: Any) -> None:
    from inwindow.runtime.spark.session import functions_of

    df = on_spark(spark, made(5))
    F = functions_of(df)
    found = temporal.aggregate(df, by="host", s=iw.sum(F.col("v") * 2).filter(F.col("v") > 0))
    table = made(5)
    wanted = temporal.aggregate(table, by="host", s=iw.sum(pc.field("v") * 2).filter(pc.field("v") > 0))
    assert bag(found.collect()) == bag(row.values() for row in wanted.to_pylist())
    assert "strategy  delta" in str(temporal.explain(df, by="host", s=iw.sum("v")))


def test_few_keys_at_a_time(spark: Any) -> None:
    """Whole keys in bundles, and by way of the disk, give the same."""
    table = made(6, 2000)
    spark.conf.set("spark.inwindow.memory", "1m")
    wanted = temporal.coalesce(table, by=["host", "v"])
    found = temporal.coalesce(on_spark(spark, table), by=["host", "v"]).collect()
    spark.conf.unset("spark.inwindow.memory")
    assert bag(found) == bag(row.values() for row in wanted.to_pylist())


def test_bundles_end_where_a_key_does() -> None:
    from inwindow.runtime.table_tasks import whole_keys

    keys = [1, 1, 2, 2, 2, 3, 4, 4, 5]
    table = pa.table({"k": keys})
    for size in range(1, 10):
        for least in range(1, 10):
            bundles = [
                pa.Table.from_batches(b)["k"].to_pylist() for b in whole_keys(table.to_batches(size), ["k"], least)
            ]
            assert sum(bundles, []) == keys
            assert all(a[-1] != b[0] for a, b in zip(bundles, bundles[1:], strict=False))


def test_bad_rows_and_columns(spark: Any) -> None:
    df = on_spark(spark, made(7))
    with pytest.raises(iw.UsageError, match="there is no column 'until'"):
        temporal.coalesce(df.drop("until"))
    with pytest.raises(iw.UsageError, match="'nothing'"):
        temporal.coalesce(df, by="nothing")
    bad = spark.createDataFrame([(1, 9, 3)], "v bigint, since bigint, until bigint")
    with pytest.raises(Exception, match="row 0 is from 9 until 3, but it cannot end before it begins"):
        temporal.coalesce(bad).collect()


def test_streams(spark: Any, tmp_path: Any) -> None:
    table = made(8).rename_columns(["host", "v", "ts", "until"]).drop_columns(["until"])
    on_spark(spark, table).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("host string, v bigint, ts timestamp_ntz").parquet(str(tmp_path / "in"))
    window = iw.range("10 minutes", order_by="ts")
    with pytest.raises(iw.UsageError, match=r"temporal.window on a stream: 'ts' has no watermark"):
        temporal.window(stream, iw.rows(3, order_by="ts"))
    query = temporal.window(stream, window).writeStream.option("checkpointLocation", str(tmp_path / "c"))
    query.trigger(availableNow=True).start(str(tmp_path / "out"), "parquet").awaitTermination()
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    assert bag(found) == bag(row.values() for row in temporal.window(table, window).to_pylist())


def test_points_in_validity(spark: Any) -> None:
    events = made(9)
    points = made(10, 150, "w").select(["host", "w", "since"]).rename_columns(["host", "w", "ts"])
    then = temporal.valid(partition_by="host", order_by="ts")
    results = {"n": iw.count().over(then), "s": iw.sum("v").over(then), "mid": iw.median("v").over(then)}
    found = iw.with_columns(on_spark(spark, points), **results, of=on_spark(spark, events))
    wanted = iw.with_columns(points, **results, of=events)
    assert found.columns == wanted.column_names
    assert bag(found.collect()) == bag(row.values() for row in wanted.to_pylist())
    assert "strategy  delta" in str(iw.explain(on_spark(spark, points), n=results["n"], of=on_spark(spark, events)))


def test_sessions_of_intervals(spark: Any) -> None:
    events = made(11)
    session = iw.session("since", until="until")
    found = iw.group_by(on_spark(spark, events), "host").window(session).agg(n=iw.count(), s=iw.sum("v"))
    wanted = iw.group_by(events, "host").window(session).agg(n=iw.count(), s=iw.sum("v"))
    rows = [(row["host"], row["window"]["start"], row["window"]["end"], row["n"], row["s"]) for row in found.collect()]
    assert Counter(rows) == Counter(
        (row["host"], row["window"]["start"], row["window"]["end"], row["n"], row["s"]) for row in wanted.to_pylist()
    )


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_hot_key_with_and_without_adaptive_plans(spark: Any, adaptive: str) -> None:
    """Whatever Spark makes of the partitions while it runs, whole keys stay together."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    a, b = made(12, 900), made(13, 200, "w")
    hot = pc.if_else(pa.array(np.arange(len(a)) % 10 > 0), pa.scalar("b"), a["host"])
    a = a.set_column(0, "host", hot)
    for query in (
        lambda a, b: temporal.join(a, b, on="host"),
        lambda a, b: temporal.aggregate(a, by="host", n=iw.count()),
    ):
        found = query(on_spark(spark, a), on_spark(spark, b))
        assert bag(found.collect()) == bag(row.values() for row in query(a, b).to_pylist())
