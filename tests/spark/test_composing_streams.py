"""What may stand before and behind a call on a stream: the tables of docs/composing-streams.md.

With data: what keeps state beside ours, over the RocksDB store in one query, and one of each kind over the default store. Others
are started on a folder without files: Spark checks the plan, and has nothing to run.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spark.controlled import OPERATORS, Feed, finished, started, use

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
DDL = "k string, ts timestamp, v double, id bigint"
WINDOW = iw.range("10 seconds", partition_by="k", order_by="ts")
NEAR = "k = k2 AND ts2 BETWEEN ts - INTERVAL 4 SECONDS AND ts + INTERVAL 2 SECONDS"
TWO_QUERIES = r"write the rows of with_columns by a query of its own.* or do in foreachBatch"


def tuples(first: int, *rows: tuple[str, int]) -> pa.Table:
    times = [START + timedelta(seconds=at) for _, at in rows]
    return pa.table({
        "k": pa.array([k for k, _ in rows]), "ts": pa.array(times, pa.timestamp("us", "UTC")),
        "v": pa.array([float(at % 5) for _, at in rows]), "id": pa.array(range(first, first + len(rows)), pa.int64()),
    })  # fmt: skip


BIDS = [
    tuples(0, ("a", 3), ("b", 0), ("a", 1), ("b", 17), ("a", 12)),
    tuples(10, ("b", 15), ("a", 21), ("a", 30), ("b", 24), ("end", 1000)),
]  # fmt: skip
ASKS = [tuples(30, ("a", 2), ("b", 14), ("a", 16)), tuples(40, ("b", 26), ("a", 29), ("end", 1001))]


@dataclass(frozen=True)
class Source:
    """Two streams with watermarks, the first without one, and a table; or the same as tables."""

    bids: Any
    asks: Any
    unmarked: Any
    names: Any

    @property
    def others(self) -> Any:
        """The second stream, under names that no column of the first has."""
        return self.asks.selectExpr("k AS k2", "ts AS ts2", "v AS w")


def streams(spark: Any, folder: Path, bids: Any = (), asks: Any = ()) -> Source:
    one, other = Feed(folder / "bids", DDL).add(*bids), Feed(folder / "asks", DDL).add(*asks)
    return Source(one.read(spark), other.read(spark), one.read(spark, None), names(spark))


def tables(spark: Any, folder: Path) -> Source:
    bids, asks = (spark.read.schema(DDL).parquet(str(folder / name)) for name in ("bids", "asks"))
    return Source(bids, asks, bids, names(spark))


def names(spark: Any) -> Any:
    return spark.createDataFrame([("a", "one"), ("b", "two"), ("end", "end")], "k string, name string")


def marked(df: Any, column: str = "ts") -> Any:
    return df.withWatermark(column, "5 seconds") if df.isStreaming else df


def counted(df: Any) -> Any:
    return iw.with_columns(df, n=iw.count().over(WINDOW), total=iw.sum("v").over(WINDOW))


def other_counts(df: Any) -> Any:
    """Over another partitioning."""
    window = iw.range("10 seconds", order_by="ts")
    return iw.with_columns(df, n=iw.count().over(window), total=iw.sum("v").over(window))


def in_arrow(df: Any) -> Any:
    return df.mapInArrow(lambda batches: batches, df.schema)


def by_window(df: Any) -> Any:
    from pyspark.sql import functions as F

    sums = df.groupBy("k", F.window("ts", "10 seconds")).agg(F.sum("v").alias("v"), F.count("*").alias("id"))
    return sums.withColumn("ts", F.window_time("window")).drop("window")


Make = Callable[[Source], Any]

# Before a call: works with both stores.
BEFORE: dict[str, Make] = {
    "filter, select, withColumn": lambda s: s.bids.filter("v < 4").withColumn("v", s.bids.v + 1),
    "mapInArrow": lambda s: in_arrow(s.bids),
    "dropDuplicates": lambda s: s.bids.union(s.bids).dropDuplicates(["k", "id"]),
    "dropDuplicatesWithinWatermark": lambda s: _once(s.bids.union(s.bids)),
    "join with a table": lambda s: s.bids.join(s.names, "k", "left"),
    "inner join of streams": lambda s: s.bids.join(s.others, _near()),
    "outer join of streams": lambda s: s.bids.join(s.others, _near(), "left"),
    "union": lambda s: s.bids.union(s.asks),
    "union under one watermark": lambda s: marked(s.unmarked.union(s.unmarked)),
}
# With the RocksDB store only.
BEFORE_ROCKS: dict[str, Make] = {
    "aggregation by window": lambda s: by_window(s.bids),
    "aggregation by time": lambda s: (
        s.bids.groupBy("k", "ts").agg({"v": "sum", "id": "max"}).toDF("k", "ts", "v", "id")
    ),
}
# Never: what we say at the call.
REFUSED_BEFORE: dict[str, tuple[Make, str]] = {
    "aggregation without time": (
        lambda s: _latest(s.bids),
        r"'ts' has no watermark \(.*else write the rows, and read them as a stream of their own",
    ),
    "two watermarks": (
        lambda s: marked(marked(s.unmarked.withColumn("ts2", s.unmarked.ts), "ts2")),
        r"with two watermarks, one behind the other, on 'ts2' and 'ts': .*keep one withWatermark between each source",
    ),
    "a watermark behind a join": (
        lambda s: marked(s.bids.join(s.others, _near())),
        r"with two watermarks, one behind the other",
    ),
    "inner join without times": (
        lambda s: s.bids.join(s.others, _columns("k = k2 AND v = w")),
        r"on an inner join of two streams without a bound on their times: .*BETWEEN ts AND .*or write the join's rows",
    ),
    "inner join with a stream without a watermark": (
        lambda s: s.bids.join(s.unmarked.selectExpr("k AS k2", "ts AS ts2"), _near()),
        r"on an inner join of two streams without a bound on their times: .*give both streams a watermark",
    ),
}
# Behind a call: works with both stores, or with RocksDB's.
BEHIND: dict[str, Make] = {
    "select, filter, mapInArrow": lambda s: in_arrow(counted(s.bids).filter("n > 1")).select("k", "ts", "n"),
    "join with a table": lambda s: counted(s.bids).join(s.names, "k").select("k", "name", "n"),
    "dropDuplicates": lambda s: counted(s.bids).dropDuplicates(["k", "n"]).select("k", "n"),
    "union with another stream": lambda s: counted(s.bids).select("k", "ts").union(s.asks.select("k", "ts")),
}
BEHIND_ROCKS: dict[str, Make] = {
    "inner join with a stream": lambda s: counted(s.bids).join(s.others, _columns("k = k2 AND n = w")).select("k", "n", "ts2"),
    "union of two": lambda s: counted(s.bids).union(counted(s.asks)).select("k", "ts", "n"),
    "two partitionings": lambda s: counted(s.bids).union(other_counts(s.bids)).select("k", "ts", "n"),
    "join of two partitionings": lambda s: counted(s.bids).join(
        other_counts(s.bids).selectExpr("id", "n AS m"), "id").select("k", "id", "n", "m"),
}  # fmt: skip
# Refused when the query starts: what the step needs is a watermark, which our rows have no more.
REFUSED_BEHIND: dict[str, Make] = {
    "aggregation in append mode": lambda s: counted(s.bids).groupBy("k").count(),
    "aggregation by window": lambda s: by_window(counted(s.bids)),
    "dropDuplicatesWithinWatermark": lambda s: counted(s.bids).dropDuplicatesWithinWatermark(["k"]),
    "sort": lambda s: counted(s.bids).orderBy("ts"),
}


def _latest(df: Any) -> Any:
    from pyspark.sql import functions as F

    return df.groupBy("k").agg(F.max("ts").alias("ts"), F.sum("v").alias("v"))


def _once(df: Any) -> Any:
    return df.dropDuplicatesWithinWatermark(["k", "id"]) if df.isStreaming else df.dropDuplicates(["k", "id"])


def _near() -> Any:
    return _columns(NEAR)


def _columns(condition: str) -> Any:
    from pyspark.sql import functions as F

    return F.expr(condition)


def as_text(df: Any, name: str) -> Any:
    """A row as one text, so that rows of all cells go together."""
    from pyspark.sql import functions as F

    return df.select(F.lit(name).alias("name"), F.to_json(F.struct("*")).alias("row"))


def together(makes: dict[str, Make], source: Source) -> Any:
    made = [as_text(make(source), name) for name, make in makes.items()]
    whole = made[0]
    for one in made[1:]:
        whole = whole.union(one)
    return whole


def check_rows(spark: Any, folder: Path, makes: dict[str, Make]) -> None:
    """As one query, against the batch."""
    source = streams(spark, folder, BIDS, ASKS)
    finished(started(together(makes, source), folder, name="cells"))
    found, wanted = rows_of(spark.table("cells")), rows_of(together(makes, tables(spark, folder)))
    assert {name for name, _ in wanted} == set(makes)
    assert found - wanted == wanted - found == Counter()


def rows_of(df: Any) -> Counter[tuple[str, str]]:
    """Without the tuples that end the streams. (As a filter, Spark would move this below a watermark, and time would stand.)"""
    return Counter((name, row) for name, row in df.collect() if '"end"' not in row)


def before(makes: dict[str, Make]) -> dict[str, Make]:
    return {name: lambda s, make=make: counted(make(s)) for name, make in makes.items()}


def test_before_a_call(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    held = ("dropDuplicatesWithinWatermark", "outer join of streams")
    makes, empty = before({name: BEFORE[name] for name in held} | BEFORE_ROCKS), streams(spark, tmp_path / "empty")
    with pytest.raises(
        iw.UsageError, match=r"with_columns and with_columns on streams in one query.*exchange.reuse to false"
    ):
        started(together(makes, empty), tmp_path / "none", sink="noop")
    spark.conf.set("spark.sql.exchange.reuse", "false")  # cells share the steps before them
    others = before(
        {name: BEFORE[name] for name in ("dropDuplicates", "inner join of streams")}
    )  # the rest keeps no state
    finished(started(together(others, empty), tmp_path / "others", sink="noop"))
    check_rows(spark, tmp_path, makes)


def test_before_a_call_with_the_default_store(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    source = streams(spark, tmp_path / "empty")
    for name, make in before(BEFORE).items():
        finished(started(make(source), tmp_path / name, sink="noop"))
    for make in BEFORE_ROCKS.values():
        with pytest.raises(
            iw.UsageError, match="on an aggregation of a stream: with this state store Spark takes no .*RocksDB"
        ):
            counted(make(source))
    check_rows(spark, tmp_path, before({"outer join of streams": BEFORE["outer join of streams"]}))


@pytest.mark.parametrize("operator", OPERATORS)
def test_refused_before_a_call(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    source = streams(spark, tmp_path)
    for make, said in REFUSED_BEFORE.values():
        with pytest.raises(iw.UsageError, match=said):
            counted(make(source))


def test_behind_a_call(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set("spark.sql.exchange.reuse", "false")
    finished(
        started(together(BEHIND | BEHIND_ROCKS, streams(spark, tmp_path / "empty")), tmp_path / "all", sink="noop")
    )
    held = ("inner join with a stream", "join of two partitionings")
    check_rows(spark, tmp_path, {name: BEHIND_ROCKS[name] for name in held})


def test_aggregation_behind_a_call(spark: Any, tmp_path: Path) -> None:
    """Its rows come again when they change: in update or complete mode."""
    use(spark, "transformWithState")
    made = counted(streams(spark, tmp_path).bids).groupBy("k").count()
    for mode in ("update", "complete"):
        writer = made.writeStream.format("noop").outputMode(mode).trigger(availableNow=True)
        finished(writer.option("checkpointLocation", str(tmp_path / mode)).start())


def test_behind_a_call_with_the_default_store(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    source = streams(spark, tmp_path)
    for name, make in BEHIND.items():
        finished(started(make(source), tmp_path / name, sink="noop"))
    check_rows(spark, tmp_path / "rows", {"dropDuplicates": BEHIND["dropDuplicates"]})
    for name, make in BEHIND_ROCKS.items():
        with pytest.raises(iw.UsageError, match=rf"{TWO_QUERIES}.*RocksDB|Spark takes two in one query .*RocksDB"):
            started(make(source), tmp_path / name, sink="noop")


@pytest.mark.parametrize("operator", OPERATORS)
def test_refused_behind_a_call(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    source = streams(spark, tmp_path)
    for name, make in REFUSED_BEHIND.items():
        with pytest.raises(iw.UsageError, match=TWO_QUERIES):
            started(make(source), tmp_path / name, sink="noop")
    for how in ("left", "rightouter", "full_outer", "outer"):
        with pytest.raises(
            iw.UsageError, match=rf"join\(how='{how}'\) of the result of with_columns .* rows would be missing"
        ):
            counted(source.bids).join(source.others, _near(), how)
    with pytest.raises(
        iw.UsageError, match="with_columns on the result of another call on a stream: a query is one call"
    ):
        counted(counted(source.bids))
