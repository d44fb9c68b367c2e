"""What may stand before and behind a call on a stream: the tables of docs/composing-streams.md.

All cells that work run with data, against the batch run: what stands before a call as one union before one call, what stands behind
it one behind the other, or beside each other where there are two results. What is refused, is refused at the call or at the start.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
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


def in_python(df: Any) -> Any:
    return df.mapInArrow(lambda batches: batches, df.schema).mapInPandas(lambda frames: frames, df.schema)


def by_window(df: Any) -> Any:
    from pyspark.sql import functions as F

    sums = df.groupBy("k", F.window("ts", "10 seconds")).agg(F.sum("v").alias("v"), F.count("*").alias("id"))
    return sums.withColumn("ts", F.window_time("window")).drop("window")


Make = Callable[[Source], Any]

# Before a call: works with both stores.
BEFORE: dict[str, Make] = {
    "filter, select, withColumn, explode": lambda s: (
        s.bids.filter("v < 4").selectExpr("k", "ts", "explode(array(v, v + 1)) AS v", "id")
    ),
    "mapInArrow, mapInPandas": lambda s: in_python(s.bids),
    "dropDuplicates": lambda s: s.bids.union(s.bids).dropDuplicates(["k", "id"]),
    "dropDuplicatesWithinWatermark": lambda s: _once(s.bids.union(s.bids)),
    "join with a table": lambda s: s.bids.join(s.names, "k", "left").selectExpr("concat(k, name) AS k", "ts", "v", "id"),
    "inner join of streams": lambda s: _with_others(s.bids.join(s.others, _near())),
    "outer join of streams": lambda s: _with_others(s.bids.join(s.others, _near(), "left")),
    "union": lambda s: s.bids.union(s.asks),
    "union under one watermark": lambda s: marked(s.unmarked.union(s.unmarked)),
}  # fmt: skip
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
Step = Callable[[Any, Source], Any]

# Behind a call: works with both stores, one behind the other.
BEHIND: dict[str, Step] = {
    "select, filter, withColumn, mapInArrow": lambda df, s: in_python(df.filter("n > 1").selectExpr("k", "ts", "n", "n + 1 AS m")),
    "join with a table": lambda df, s: df.join(s.names, "k"),
    "dropDuplicates": lambda df, s: df.dropDuplicates(["k", "n", "m", "name"]).select("k", "n", "m", "name"),
    "union with another stream": lambda df, s: df.union(s.asks.selectExpr("k", "id", "id AS m", "k AS name")),
}  # fmt: skip
# With the RocksDB store only.
BEHIND_ROCKS: dict[str, Make] = {
    "union of two, of two streams and partitionings": lambda s: (
        counted(s.asks).union(other_counts(s.bids)).select("k", "ts", "n")
    ),
    "inner join of two, and with a stream": lambda s: (
        counted(s.bids)
        .join(other_counts(s.bids).selectExpr("id", "n AS m"), "id")
        .join(s.others, _columns("k = k2 AND n = w"))
        .select("k", "id", "n", "m", "ts2")
    ),
}
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


def _with_others(joined: Any) -> Any:
    return joined.selectExpr("concat(k, coalesce(k2, '')) AS k", "ts", "v + coalesce(w, 100) AS v", "id")


def _near() -> Any:
    return _columns(NEAR)


def _columns(condition: str) -> Any:
    from pyspark.sql import functions as F

    return F.expr(condition)


def before(makes: dict[str, Make], source: Source) -> Any:
    """A call on the union of the cells. Each has keys of its own."""
    made = [make(source).selectExpr(f"'{name}: ' || k AS k", "ts", "v", "id") for name, make in makes.items()]
    return counted(reduce(lambda one, other: one.union(other), made)).selectExpr("split(k, ': ')[0] AS name", "*")


def behind(source: Source) -> Any:
    """A call, and the cells one behind the other."""
    return reduce(lambda df, step: step(df, source), BEHIND.values(), counted(source.bids))


def beside(makes: dict[str, Make], source: Source) -> Any:
    """Cells as one query; a row as one text, so that rows of all go together."""
    made = [make(source).selectExpr(f"'{name}' AS name", "to_json(struct(*)) AS row") for name, make in makes.items()]
    return reduce(lambda one, other: one.union(other), made)


def rows_of(df: Any) -> list[Any]:
    """Without the tuples that end the streams. (As a filter, Spark would move this below a watermark, and time would stand.)"""
    return [row for row in df.collect() if "end" not in repr(row)]


def check_rows(spark: Any, folder: Path, query: Make, mode: str = "append") -> list[Any]:
    """What the stream gave, against the batch."""
    made = query(streams(spark, folder, BIDS, ASKS))
    writer = made.writeStream.format("memory").queryName("cells").outputMode(mode).trigger(availableNow=True)
    finished(writer.option("checkpointLocation", str(folder / "checkpoint")).start())
    found, wanted = rows_of(spark.table("cells")), rows_of(query(tables(spark, folder)))
    if mode == "update":  # counts grow
        found = [max(row for row in found if row.k == k) for k in {row.k for row in found}]
    assert wanted and Counter(found) == Counter(wanted)
    return found


@pytest.mark.parametrize("operator", OPERATORS)
def test_before_a_call(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set("spark.sql.exchange.reuse", "false")  # cells share the steps before them
    makes = BEFORE | (BEFORE_ROCKS if operator == "transformWithState" else {})
    found = check_rows(spark, tmp_path, lambda source: before(makes, source))
    assert {row.name for row in found} == set(makes)


def test_two_calls_share_no_step_before_them(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    once = _once(streams(spark, tmp_path).bids)
    with pytest.raises(
        iw.UsageError, match=r"with_columns and with_columns on streams in one query.*exchange.reuse to false"
    ):
        started(counted(once).union(other_counts(once)), tmp_path / "none", sink="noop")


def test_aggregation_before_a_call_needs_the_other_store(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    for make in BEFORE_ROCKS.values():
        with pytest.raises(
            iw.UsageError, match="on an aggregation of a stream: with this state store Spark takes no .*RocksDB"
        ):
            counted(make(streams(spark, tmp_path)))


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
    steps = {"one behind the other": lambda s: behind(s)}
    found = check_rows(spark, tmp_path, lambda source: beside(steps | BEHIND_ROCKS, source))
    assert {row.name for row in found} == {*steps, *BEHIND_ROCKS}


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_aggregation_behind_a_call(spark: Any, tmp_path: Path, mode: str) -> None:
    """Its rows come again when they change."""
    use(spark, "transformWithState")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    check_rows(spark, tmp_path, lambda s: counted(s.bids).groupBy("k").agg({"n": "sum"}), mode)


def test_behind_a_call_with_the_default_store(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    check_rows(spark, tmp_path, behind)
    source = streams(spark, tmp_path / "empty")
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
