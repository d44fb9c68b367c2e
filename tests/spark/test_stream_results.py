"""What is made of a stream's result: no second watermark; two results, or a result and its late tuples, in one query; metrics."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spark.controlled import OPERATORS, Feed, finished, metrics, started, use

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
DDL = "k string, ts timestamp, v double, note string"
WINDOW = iw.range("1 minute", partition_by="k", order_by="ts")


def tuples(*rows: tuple[str, int | None]) -> pa.Table:
    """Of a key, so many seconds after the start."""
    times = [None if at is None else START + timedelta(seconds=at) for _, at in rows]
    return pa.table({
        "k": pa.array([k for k, _ in rows], pa.string()), "ts": pa.array(times, pa.timestamp("us", "UTC")),
        "v": pa.array([at if at is None else float(at) for _, at in rows], pa.float64()),
        "note": pa.array([f"{k} at {at}" for k, at in rows], pa.string()),
    })  # fmt: skip


# 5 is late, and NULL; so is 30, the first of its key
BATCHES = [
    tuples(("a", 0), ("b", 1)), tuples(("a", 10), ("b", 12)), tuples(("a", 60), ("b", 61)), tuples(("b", 5), ("a", 200)),
    tuples(("c", 30), ("a", 201), ("a", None)),
]  # fmt: skip
# The same in as few as make them late: Spark compares with the watermark of the batch before.
THREE = [
    pa.concat_tables([*BATCHES[:2], BATCHES[2].slice(0, 1)]), BATCHES[2].slice(1), pa.concat_tables(BATCHES[3:]),
]  # fmt: skip
LATE = ["a at None", "b at 5", "c at 30"]


def counted(df: Any) -> Any:
    return iw.with_columns(df, n=iw.count().over(WINDOW))


def hops(df: Any) -> Any:
    return iw.group_by(df, "k").window(iw.hop("ts", size="1 minute", every="30 seconds")).agg(n=iw.count())


def read(spark: Any, folder: Path, *batches: pa.Table, delay: str | None = "0 seconds") -> Any:
    feed = Feed(folder / "feed", DDL).add(*batches)
    return feed.read(spark, None) if delay is None else feed.read(spark, delay=delay)


def collected(spark: Any, df: Any, folder: Path, name: str) -> list[dict[str, Any]]:
    finished(started(df, folder, name=name))
    return [row.asDict() for row in spark.table(name).collect()]


# A second watermark

MADE = {
    "at once": counted,
    "extents": lambda df: hops(df).selectExpr("k", "window.end AS ts"),
    "emitted": lambda df: iw.select(df, "ts", n=iw.count().over(WINDOW)),
    "with steps between": lambda df: counted(df).select("k", "ts").filter("k = 'a'").withColumnRenamed("k", "key"),
    "columns by brackets": lambda df: counted(df)[["k", "ts"]],
    "without NULLs": lambda df: counted(df).na.drop(),
    "by transform": lambda df: counted(df).transform(lambda made: made.where("n > 1")),
    "grouped": lambda df: counted(df).groupBy("k").agg({"ts": "max"}).toDF("k", "ts"),
    "without doubles": lambda df: counted(df).dropDuplicates(["k"]),
    "joined": lambda df: counted(df).join(df.select("k"), "k"),
    "late tuples": lambda df: iw.late(counted(df)),
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_second_watermark_is_refused(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    df = read(spark, tmp_path, *BATCHES)
    for made in MADE.values():
        with pytest.raises(
            iw.UsageError, match=r"withWatermark\('ts', '9 seconds'\) on the result of .* give no row.*Write the result"
        ):
            made(df).withWatermark("ts", delayThreshold="9 seconds")


def test_a_step_behind_a_call_is_the_call_still(spark: Any, tmp_path: Path) -> None:
    """Our own messages send nobody to a second watermark."""
    df = read(spark, tmp_path, *BATCHES)
    made = counted(df).select("k", "ts")
    with pytest.raises(iw.UsageError, match=r"with_columns on the result of another call on a stream"):
        counted(made)
    with pytest.raises(
        iw.UsageError, match=r"stream 2 is the result of with_columns on a stream.*unite the streams first"
    ):
        iw.union(df.select("k", "ts"), made, order_by="ts")
    lost = r"'ts' has no watermark \(that of the stream is on a column that it no longer has\).*never move"
    with pytest.raises(iw.UsageError, match=lost):
        counted(df.selectExpr("k", "ts + INTERVAL 1 HOUR AS ts"))
    made.createOrReplaceTempView("made")  # a road on which nothing is followed
    with pytest.raises(iw.UsageError, match=lost):
        counted(spark.table("made"))


def test_without_a_watermark_below_one_may_stand_above(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    numbered = iw.with_columns(
        read(spark, tmp_path, *THREE, delay=None), n=iw.count().over(iw.unbounded(partition_by="k"))
    )
    minutes = numbered.withWatermark("ts", "0 seconds").groupBy("k").count().select("k", "count")
    assert numbered.columns == ["k", "ts", "v", "note", "n"] and minutes.columns == ["k", "count"]
    last = numbered.withWatermark("ts", "0 seconds").dropDuplicatesWithinWatermark(["k"])
    assert {row["k"] for row in collected(spark, last, tmp_path, "last")} == {"a", "b"}  # Spark drops late tuples


# Two in one query


def test_rows_and_late_tuples_in_one_query(spark: Any, tmp_path: Path) -> None:
    """Every tuple is in one of them; late ones are whole rows, also those of a call that reads few columns."""
    use(spark, "transformWithState")
    rows = tmp_path / "rows"
    result = iw.select(read(spark, tmp_path, *THREE), "k", "ts", n=iw.count().over(WINDOW))
    both = result.unionByName(iw.late(result), allowMissingColumns=True)
    finished(started(both, tmp_path, sink="parquet", path=str(rows)))
    got = spark.read.parquet(str(rows)).collect()
    came = [(row["k"], row["ts"]) for batch in BATCHES for row in batch.to_pylist()]
    assert sorted(row.note for row in got if row.note is not None) == LATE
    assert len(got) == len(came) - 1  # but the last one, for which the watermark has no delay left


# Extents give both in test_revisions.py and below, with bad tuples.
QUERIES = {
    "transformWithState": lambda df: iw.select(df, "note", n=iw.count().over(WINDOW)),
    "applyInPandasWithState": lambda df: counted(iw.union(df, df, order_by="ts")),  # each tuple twice
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_one_operator_gives_rows_and_late_tuples(spark: Any, tmp_path: Path, operator: str) -> None:
    """Every tuple is a row or late, once, over a restart; the state is that of the rows alone; late tuples are whole."""
    use(spark, operator)
    times, feed = 2 if operator == "applyInPandasWithState" else 1, Feed(tmp_path / "feed", DDL)
    for number, batches in enumerate((BATCHES[:3], BATCHES[3:])):
        result = outputs = QUERIES[operator](feed.add(*batches).read(spark, delay="0 seconds"))
        if number == 1:
            outputs = iw.outputs(result)
            assert outputs.columns == ["kind", "row", "late"]
            assert outputs.schema["row"].dataType.names == result.columns
            assert outputs.schema["late"].dataType.names == ["k", "ts", "v", "note"]
        query = finished(started(outputs, tmp_path, sink="parquet", path=str(tmp_path / f"rows_{number}")))
        if number == 1:
            assert iw.metrics(query)["late_tuples"] == times * len(LATE)
    first = spark.read.parquet(str(tmp_path / "rows_0" / "*.parquet")).collect()
    given = spark.read.parquet(str(tmp_path / "rows_1" / "*.parquet")).collect()
    assert all((row.row is None) == (row.kind == "late") == (row.late is not None) for row in given)
    late = [row.late.note for row in given if row.kind == "late"]
    notes = [row.note for row in [*first, *(row.row for row in given if row.kind == "row")]]
    assert sorted(late) == sorted(times * LATE)
    came = [str(one) for batch in BATCHES for one in batch["note"].to_pylist()]
    assert sorted([*notes, *late, *(times * ["a at 201"])]) == sorted(times * came)  # that one waits


def test_two_in_one_query_need_a_store(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    df = read(spark, tmp_path, *BATCHES)
    result = counted(df)
    for other in (iw.late(result), hops(df), result.where("k = 'a'")):
        with pytest.raises(
            iw.UsageError, match=r"unionByName\(\) of the results of with_columns and of .* RocksDB state store: before"
        ):
            result.unionByName(other, allowMissingColumns=True)


def test_late_tuples_are_whole_rows_here_and_replayed(spark: Any, tmp_path: Path) -> None:
    df = read(spark, tmp_path, *THREE)
    late = collected(spark, iw.late(hops(df)), tmp_path, "late")
    replayed = iw.late(iw.testing.replay(THREE, hops)).to_pylist()
    assert iw.late(hops(df)).columns == list(replayed[0]) == ["k", "ts", "v", "note"]
    assert sorted(row["note"] for row in late) == sorted(row["note"] for row in replayed) == LATE


def test_results_in_one_query(spark: Any, tmp_path: Path) -> None:
    """Of one stream, of two, and one twice: each has its watermark, and its own metrics."""
    use(spark, "transformWithState")
    df = read(spark, tmp_path, *THREE)
    other = read(spark, tmp_path / "other", *THREE)
    sums = iw.with_columns(df, s=iw.sum("v").over(iw.range("2 minutes", partition_by="k", order_by="ts")))
    results = [counted(df).select("k", "ts"), sums.select("k", "ts"), counted(other).select("k", "ts")]
    query = started(results[0].union(results[1]).union(results[2]), tmp_path, name="three")
    assert finished(query) and spark.table("three").count() == 3 * 7
    assert set(query.recentProgress[-1]["observedMetrics"]) == {"inwindow", "inwindow_2", "inwindow_3"}
    once = counted(df)
    halves = once.where("k = 'a'").union(once.where("k <> 'a'"))
    assert len(collected(spark, halves, tmp_path / "halves", "halves")) == 7


def test_a_name_of_metrics_is_free_again(spark: Any, tmp_path: Path) -> None:
    def names(*results: Any) -> list[str]:
        return [str(result._inwindow_calls[0].metrics) for result in results]

    df = read(spark, tmp_path, *BATCHES)
    first, second = counted(df), counted(df)
    assert names(first, second) == ["inwindow", "inwindow_2"]
    assert first.writeStream is not None  # about to start: a query of its own
    third = counted(df).select("k")
    assert names(third) == ["inwindow"]
    del second, third
    one, other = names(counted(df)), names(counted(df))  # and nobody has them any more
    assert one == other == ["inwindow"]


# Metrics


@pytest.mark.parametrize("operator", OPERATORS)
def test_metrics_are_those_of_the_query(spark: Any, tmp_path: Path, operator: str) -> None:
    """200 tuples of as many keys wait; then one comes, and another: all buckets are counted, also after a restart."""
    use(spark, operator)
    feed = Feed(tmp_path / "feed", DDL).add(tuples(*[(f"k{i}", i % 7) for i in range(200)]))
    observed = []
    for later in ([[("k0", 3)], [("k5", 4), ("k7", 300)]], [[("k7", 301)]]):
        df = feed.add(*(tuples(*one) for one in later)).read(spark, delay="1 minute")
        query = finished(started(iw.with_columns(df, n=iw.count().over(WINDOW)), tmp_path, sink="noop"))
        observed += metrics(query)
    held = [(one["late_tuples"], one["waiting_tuples"], one["live_tuples"]) for one in observed]
    assert list(dict.fromkeys(held)) == [(0, 200, 0), (0, 201, 0), (0, 203, 0), (0, 1, 0), (0, 2, 0)]
    assert all(one["state_bytes"] > 0 for one in observed)


def test_metrics_of_a_stream_without_order(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    df = read(
        spark, tmp_path, tuples(*[(f"k{i}", i) for i in range(50)]), tuples(("k1", 1)), tuples(("x", 1)), delay=None
    )
    query = finished(
        started(iw.with_columns(df, n=iw.count().over(iw.rows(3, partition_by="k"))), tmp_path, name="arrived")
    )
    assert [one["live_tuples"] for one in metrics(query)] == [50, 51, 52]


# Bad tuples


class Even(iw.WindowAggregate):
    """Takes even seconds alone; raises after it has changed its state."""

    def initialize(self, v):
        self.total = v
        self.check(v)

    def iterate(self, v):
        self.total += v
        self.check(v)

    def expire(self, v):
        self.total -= v

    def check(self, v):
        if v % 2:
            raise ValueError(f"{v} is odd")

    def terminate(self) -> float:
        return self.total


class Grown(Even):
    """The same over a frame that grows: each key has a state."""


def with_errors(df: Any) -> Any:
    own = iw.unbounded(partition_by="k", order_by="ts")
    return iw.with_columns(df, x=Even()("v").over(WINDOW), y=Grown()("v").over(own), on_error="collect")


def extents_with_errors(df: Any) -> Any:
    hops = iw.group_by(df, "k").window(iw.hop("ts", size="1 minute", every="30 seconds"))
    return hops.agg(x=Even()("v"), on_error="collect")


@pytest.mark.parametrize(("operator", "query"), zip(OPERATORS, [with_errors, extents_with_errors], strict=True))
def test_bad_tuples_come_from_the_same_operator(spark: Any, tmp_path: Path, operator: str, query: Any) -> None:
    """Rows and bad tuples of a query with a restart are those of the replayed stream."""
    use(spark, operator)
    feed, rows, failed, count = Feed(tmp_path / "feed", DDL), [], [], 0
    for number, batches in enumerate((BATCHES[:3], BATCHES[3:])):
        outputs = iw.outputs(query(feed.add(*batches).read(spark, delay="0 seconds")))
        assert outputs.columns == ["kind", "row", "late", "failed"]
        run = finished(started(outputs, tmp_path, sink="parquet", path=str(tmp_path / f"rows_{number}")))
        count += iw.metrics(run)["failed_tuples"]
        for row in spark.read.parquet(str(tmp_path / f"rows_{number}" / "*.parquet")).collect():
            (rows if row.kind == "row" else failed if row.kind == "failed" else []).append(row[row.kind])
    replayed = iw.testing.replay(BATCHES, query, delay="0 seconds")
    letters = iw.failed(replayed).to_pylist()
    shown = {(one["aggregate"], one["message"], one["key"], one["tuple"]["v"]) for one in letters}
    assert {(one.aggregate, one.message, one.key, one.tuple.v) for one in failed} == shown
    assert len(failed) == len(letters) == count > 1
    names = ["k", *(["note", "x", "y"] if query is with_errors else ["x"])]
    expected = [tuple(row[name] for name in names) for row in replayed.table.to_pylist()]
    assert sorted(map(repr, (tuple(row[name] for name in names) for row in rows))) == sorted(map(repr, expected))


def test_bad_tuples_for_a_query_of_their_own(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    failed = iw.failed(with_errors(read(spark, tmp_path, *BATCHES)))
    assert failed.columns == ["aggregate", "call", "hook", "message", "key", "time", "tuple"]
    assert failed.schema["tuple"].dataType.names == ["k", "ts", "v"]
    got = collected(spark, failed, tmp_path, "bad")
    assert {one["message"] for one in got if one["aggregate"] == "x"} == {
        "Even.initialize(1.0) raised ValueError: 1.0 is odd", "Even.iterate(61.0) raised ValueError: 61.0 is odd",
    }  # fmt: skip
