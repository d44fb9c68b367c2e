"""A stream's life on Spark: sinks, restarts, tuples that come late, what is refused; classic and Connect."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from samples.ids import IdsAll, Leaving, Running
from spark import stream_cases
from spark.controlled import OPERATORS, Feed, finished, metrics, plain, started, use

import inwindow as iw

BY = {"partition_by": ("case", "k"), "order_by": "ts"}
CASES = stream_cases.cases(11)


class Above(iw.Aggregate, returns="bigint"):
    """With a parameter."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def initialize(self, value: float) -> None:
        self.count = 0
        self.iterate(value)

    def iterate(self, value: float) -> None:
        self.count += value > self.limit

    def terminate(self) -> int:
        return self.count


class Fails(iw.Aggregate):
    def iterate(self, value: float) -> None:
        self.best = 1 / (value - 3)

    def terminate(self) -> float:
        return self.best


def sliding(df: Any, above: Any = None, size: str = "9 seconds") -> Any:
    """What is held, what is remembered, and what is counted."""
    window = iw.range(size, **BY)
    applied = {
        "x": IdsAll()("id").over(window), "above": (above or Above(2))("v").over(window),
        "yields": iw.sum("v").over(iw.rows(4, slide=3, **BY)), "running": Running()("id").over(iw.unbounded(**BY)),
    }  # fmt: skip
    return iw.with_columns(df, **applied)


def evolved(df: Any) -> Any:
    """The same query, changed: a new name, a new aggregate over a narrower frame, another order; one is gone."""
    window = iw.range("9 seconds", **BY)
    applied = {
        "running": Running()("id").over(iw.unbounded(**BY)), "near": iw.sum("v").over(iw.range("4 seconds", **BY)),
        "renamed": IdsAll()("id").over(window), "yields": iw.sum("v").over(iw.rows(4, slide=3, **BY)),
    }  # fmt: skip
    return iw.with_columns(df, **applied)


def hops(df: Any) -> Any:
    """A row per extent."""
    extent = iw.hop("ts", size="12 seconds", every="5 seconds")
    return iw.group_by(df, "case", "k").window(extent).agg(n=iw.count(), x=IdsAll()("id"), mid=iw.median("v"))


def leaving(df: Any) -> Any:
    """Active expiration."""
    window = iw.range("7 seconds", active_expiration=True, **BY)
    return iw.select(df, "id", iw.emitted_at().alias("at"), x=Leaving()("id").over(window))


# By operator; others without Spark, in tests/runtime/test_fingerprints.py.
CHANGED = {
    "transformWithState": (
        lambda df: sliding(df, Above(3)),
        "the parameter limit of above: 2 in the state, 3 in the query\n",
    ),
    "applyInPandasWithState": (
        lambda df: sliding(df, size="12 seconds"),
        "the window of x: .* 9 seconds .* 12 seconds",
    ),
}


def holds_what_was_observed(folder: Path, last: dict[str, int]) -> None:
    """The state in the checkpoint, by key and by bucket, adds up to the metrics of the last micro-batch."""
    held = iw.stream_state(folder / "checkpoint", by="bucket").toArrow()
    for name, metric in {"held": "live", "waiting": "waiting"}.items():
        assert sum(held[f"{name}_tuples"].to_pylist()) == last[f"{metric}_tuples"]
    assert sum(held["state_bytes"].to_pylist()) == last["state_bytes"]
    keys = iw.stream_state(folder / "checkpoint").toArrow()
    for name in ("held_tuples", "waiting_tuples"):
        assert sum(keys[name].to_pylist()) == sum(held[name].to_pylist())
    assert len(keys) == sum(held["keys"].to_pylist()) > 0


def same_rows(got: pa.Table, whole: pa.Table) -> None:
    """Some rows, as they are in the batch run."""
    assert len(got)
    expected = whole.filter(pc.is_in(whole["id"], got["id"].combine_chunks()))
    assert plain(got.select(whole.column_names)) == plain(expected)


def test_state_that_cannot_be_read(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(iw.UsageError, match="there is no state: give the checkpointLocation of a query"):
        iw.stream_state(tmp_path)
    rate = spark.readStream.format("rate").load().dropDuplicates(["value"])
    finished(started(rate, tmp_path, sink="noop"))
    with pytest.raises(
        iw.StateError, match="this checkpoint has the state of dedupe, and none of inwindow: read it with"
    ):
        iw.stream_state(tmp_path / "checkpoint")


@pytest.mark.parametrize("operator", OPERATORS)
def test_restarts_go_on_and_changes_are_refused(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    feed, rows = Feed(tmp_path / "feed", stream_cases.DDL), tmp_path / "rows"
    sink = {"sink": "parquet", "path": str(rows)}
    query = started(sliding(feed.add(*CASES.batches[:2]).read(spark)), tmp_path, **sink)
    observed = metrics(finished(query))
    holds_what_was_observed(tmp_path, observed[-1])
    feed.add(*CASES.batches[2:3])
    change, said = CHANGED[operator]
    refused = started(change(feed.read(spark)), tmp_path, **sink)
    with pytest.raises(Exception, match=f"belongs to other aggregates or windows, and would be misread:\n  {said}"):
        finished(refused)
    # As Spark's own operators: a checkpoint keeps its number of partitions, and an instant is one in any zone.
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    observed += metrics(finished(started(sliding(feed.read(spark)), tmp_path, **sink)))
    sink["path"] = str(tmp_path / "later")
    observed += metrics(finished(started(evolved(feed.add(CASES.batches[3]).read(spark)), tmp_path, **sink)))
    same_rows(spark.read.parquet(str(rows)).toArrow(), sliding(CASES.on_time))
    later = spark.read.parquet(
        *map(str, Path(sink["path"]).glob("*.parquet"))
    ).toArrow()  # its log begins in the middle
    same_rows(later, evolved(CASES.on_time))
    ids = [i for table in (spark.read.parquet(str(rows)).toArrow(), later) for i in table["id"].to_pylist()]
    assert sorted(ids) == sorted(CASES.on_time["id"].to_pylist())
    assert sum(one["late_tuples"] for one in observed) == len(CASES.late)
    assert observed[-1]["waiting_tuples"] == 1  # the one that ended the stream
    assert observed[-1]["state_bytes"] > 0


def test_a_large_state_is_a_log_of_chunks(spark: Any, tmp_path: Path) -> None:
    """A long window, small micro-batches, a restart: tuples are stored once, in chunks, of which the oldest drain."""
    use(spark, "transformWithState")
    rows, each = tmp_path / "rows", 40_000
    at = np.arange(6 * each)
    table = pa.table({
        "ts": pa.array(1_750_000_000_000_000 + at * 100_000, pa.timestamp("us", "UTC")),  # ten a second: a batch is 67 minutes
        "k": pa.array(np.where(at % 5 == 0, "b", "a")), "id": at, "v": (at * 7919 % 100_003).astype(np.float64),
    })  # fmt: skip
    window = iw.range("2 hours", partition_by="k", order_by="ts")

    def query(df: Any) -> Any:
        of = {"top": iw.max("v"), "n": iw.count(), "ids": iw.sum("id")}
        return iw.select(df, "id", **{name: one.over(window) for name, one in of.items()})

    feed = Feed(tmp_path / "feed", "ts timestamp, k string, id bigint, v double")
    kept = []
    for start in range(0, 6, 2):
        feed.add(*(table.slice(number * each, each) for number in (start, start + 1)))
        done = finished(started(query(feed.read(spark)), tmp_path, sink="parquet", path=str(rows)))
        kept += [progress["stateOperators"][0]["numRowsTotal"] for progress in done.recentProgress]
    assert kept[0] == 8 and max(kept) > 9  # a head for each bucket; then chunks
    holds_what_was_observed(tmp_path, metrics(done)[-1])
    got = spark.read.parquet(str(rows)).toArrow().sort_by("id")
    whole = query(table).sort_by("id")
    assert len(got) > 5 * each and got.equals(whole.slice(0, len(got)).cast(got.schema))


@pytest.mark.parametrize("operator", OPERATORS)
def test_batches_without_data_move_time_on(spark: Any, tmp_path: Path, operator: str) -> None:
    """A query that runs on: after each file a micro-batch without data, in which what the watermark has passed leaves."""
    use(spark, operator)
    feed, rows = Feed(tmp_path / "feed", stream_cases.DDL), tmp_path / "rows"

    def put(df: Any, number: int) -> None:
        df.write.mode("overwrite").parquet(f"{rows}/batch={number}")

    writer = leaving(feed.add(CASES.batches[0]).read(spark)).writeStream.foreachBatch(put)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        query.processAllAvailable()
        for batch in CASES.batches[1:]:
            feed.add(batch)
            query.processAllAvailable()
        observed = metrics(query)
    finally:
        query.stop()
    assert len(observed) >= 2 * len(CASES.batches)
    got = spark.read.option("basePath", str(rows)).parquet(str(rows)).toArrow()
    batch_result = leaving(CASES.on_time)
    assert plain(got.select(batch_result.column_names)) == plain(batch_result)
    assert observed[-1]["live_tuples"] == 0


def test_late_tuples_are_a_stream(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    feed = Feed(tmp_path / "feed", stream_cases.DDL).add(*CASES.batches)
    late = iw.late(hops(feed.read(spark)))
    query = finished(started(late, tmp_path, name="late_tuples"))
    came = [row for row in CASES.all_rows.to_pylist() if row["id"] in CASES.late]
    expected = pa.Table.from_pylist(came, CASES.all_rows.schema).select(late.columns)
    assert plain(spark.table(query.name).toArrow()) == plain(expected)


def test_a_hook_that_raises_is_named(spark: Any, tmp_path: Path) -> None:
    feed = Feed(tmp_path / "feed", stream_cases.DDL).add(*CASES.batches[:2])
    made = iw.with_columns(feed.read(spark), x=Fails()("v").over(iw.rows(3, **BY)))
    with pytest.raises(Exception, match=r"Fails\.iterate\(3\.0\) raised ZeroDivisionError"):
        finished(started(made, tmp_path, name="fails"))


def test_complete_mode_is_refused(spark: Any, tmp_path: Path) -> None:
    feed = Feed(tmp_path / "feed", stream_cases.DDL).add(CASES.batches[0])
    with pytest.raises(Exception, match="(?i)output mode"):
        hops(feed.read(spark)).writeStream.format("memory").queryName("complete").outputMode("complete").start()


S = iw.sum("v")
REFUSED = {
    "order without a watermark": (
        lambda df, bare: iw.with_columns(bare, x=S.over(iw.range("5 seconds", **BY))),
        r"with_columns on a stream: 'ts' has no watermark.*df\.withWatermark\('ts', '10 seconds'\)",
    ),
    "extent without a watermark": (
        lambda df, bare: iw.group_by(bare, "k").window(iw.tumble("ts", size="5 seconds")).agg(n=iw.count()),
        r"'ts' has no watermark.*df\.withWatermark\('ts', '10 seconds'\)",
    ),
    "order that is no time": (
        lambda df, bare: iw.with_columns(df, x=S.over(iw.rows(3, partition_by="k", order_by="id"))),
        "the order column 'id' is of type int64.*timestamp.*arrival order",
    ),
    "extent of numbers": (
        lambda df, bare: iw.group_by(df, "k").window(iw.tumble("id", size=5)).agg(n=iw.count()),
        "the order column 'id' is of type int64.*timestamp",
    ),
    "UNBOUNDED FOLLOWING": (
        lambda df, bare: iw.with_columns(df, x=S.over(iw.range_between("5 seconds", None, **BY))),
        r"UNBOUNDED FOLLOWING waits for the end of the stream.*iw\.group_by\(\.\.\.\)\.window",
    ),
    "two partitionings": (
        lambda df, bare: iw.with_columns(
            df, x=S.over(iw.rows(3, **BY)), y=S.over(iw.rows(3, partition_by="k", order_by="ts"))
        ),
        "windows with the same partitioning and order.*start one query for each",
    ),
    "a group without extents": (
        lambda df, bare: iw.group_by(df, "k").agg(total=S),
        r"a group never ends.*\.window\(iw\.tumble\(\.\.\.\)\)",
    ),
    "descending": (
        lambda df, bare: iw.with_columns(df, x=S.over(iw.rows(3, partition_by="k", order_by=iw.desc("ts")))),
        "ordered downwards.*order ascending",
    ),
    "RANGE in arrival order": (
        lambda df, bare: iw.with_columns(df, x=S.over(iw.range("5 seconds", partition_by="k"))),
        "order",
    ),
    "months": (
        lambda df, bare: iw.with_columns(df, x=S.over(iw.range("1 month", **BY))),
        "months.*give a size in days or less",
    ),
    "tuples counted over the stream": (
        lambda df, bare: iw.group_by(df, "k").window(iw.tumble("ts", rows=5, scope="stream")).agg(n=iw.count()),
        r"count within the keys \(scope='partition'\)",
    ),
    "no window at all": (lambda df, bare: iw.with_columns(df, x=S), r"over\("),
    "results at points in time": (
        lambda df, bare: iw.with_columns(df.select("case", "k", "ts"), of=df, x=S.over(iw.range("5 seconds", **BY))),
        "on a stream: results at points in time.*batch",
    ),
    "late tuples of anything else": (lambda df, bare: iw.late(df), "give the very result of iw.with_columns"),
    "late tuples of what was filtered": (
        lambda df, bare: iw.late(hops(df).filter("n > 1")),
        "before any select or filter",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused_on_the_driver(spark: Any, tmp_path: Path, what: str) -> None:
    feed = Feed(tmp_path, stream_cases.DDL)
    query, message = REFUSED[what]
    with pytest.raises(iw.UsageError, match=f"(?s){message}"):
        query(feed.read(spark), feed.read(spark, None))


def test_many_partitions_are_warned_of(spark: Any, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    with pytest.warns(UserWarning, match=r"spark\.sql\.shuffle\.partitions is 200"):
        hops(Feed(tmp_path, stream_cases.DDL).read(spark))


@pytest.mark.parametrize("operator", OPERATORS)
def test_explain_says_what_waits(spark: Any, tmp_path: Path, operator: str) -> None:
    use(spark, operator)
    df = Feed(tmp_path, stream_cases.DDL).read(spark)
    text = str(
        iw.explain(df, x=IdsAll()("id").over(iw.range_between(timedelta(seconds=-9), timedelta(seconds=2), **BY)))
    )
    assert f"{operator} over 8 buckets in 2 partitions" in text
    assert "waits for the watermark to pass the tuple's ts + " in text
