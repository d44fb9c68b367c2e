"""Backfill, then live, on Spark: a query that begins with the state of a history, and goes on from its own checkpoint."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from samples.ids import IdsAll, Running
from spark import stream_cases
from spark.controlled import Feed, finished, metrics, plain, started, use

import inwindow as iw

BY = {"partition_by": ("case", "k"), "order_by": "ts"}
CASES = stream_cases.cases(17)
UNTIL = max(time for table in CASES.batches[:2] for time in table["ts"].to_pylist() if time) - timedelta(seconds=5)


def sliding(df: Any) -> Any:
    """What is held, what is remembered, and what is counted."""
    window = iw.range("9 seconds", **BY)
    applied = {
        "x": IdsAll()("id").over(window), "yields": iw.sum("v").over(iw.rows(4, slide=3, **BY)),
        "running": Running()("id").over(iw.unbounded(**BY)), "n": iw.count().over(iw.unbounded(**BY)),
    }  # fmt: skip
    return iw.with_columns(df, **applied)


def test_a_history_and_then_the_stream(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    past = Feed(tmp_path / "past", stream_cases.DDL).add(*CASES.batches[:2])
    history = spark.read.schema(past.schema).parquet(str(past.folder))
    iw.state_of(history, sliding, until=UNTIL).write.parquet(str(tmp_path / "state"))
    state = spark.read.parquet(str(tmp_path / "state"))
    held = iw.stream_state(state).toArrow()
    assert set(held["watermark"].to_pylist()) == {UNTIL} and sum(held["waiting_tuples"].to_pylist()) > 0
    feed, rows = Feed(tmp_path / "feed", stream_cases.DDL), tmp_path / "rows"
    observed = []
    for batch in CASES.batches[2:]:
        live = iw.continued(sliding(feed.add(batch).read(spark)), state)
        observed += metrics(finished(started(live, tmp_path, sink="parquet", path=str(rows))))
    got = spark.read.parquet(str(rows)).toArrow()
    expected = sliding(CASES.on_time)
    expected = expected.filter(pc.greater_equal(expected["ts"], UNTIL))
    assert plain(got.select(expected.column_names)) == plain(expected)
    came = {i for table in CASES.batches[2:] for i in table["id"].to_pylist()}
    assert sum(one["late_tuples"] for one in observed) == len(CASES.late & came)
    with pytest.raises(iw.UsageError, match="that begins with a state: late tuples alone know nothing of the history"):
        iw.late(live)
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    with pytest.raises(
        iw.UsageError, match="this state is of 8 buckets, and this stream has 12: set spark.sql.shuffle"
    ):
        iw.continued(sliding(feed.read(spark)), state)


def test_what_cannot_begin_with_a_state(spark: Any, tmp_path: Path) -> None:
    feed = Feed(tmp_path / "feed", stream_cases.DDL)
    history = spark.createDataFrame([], stream_cases.DDL)
    use(spark, "applyInPandasWithState")
    stream = sliding(feed.read(spark))
    with pytest.raises(
        iw.UsageError, match="with applyInPandasWithState, which cannot begin with a state: before the calls"
    ):
        iw.continued(stream, iw.state_of(history, sliding, until=UNTIL))
    with pytest.raises(iw.UsageError, match="give a DataFrame with what iw.state_of has given"):
        iw.continued(stream, "state.parquet")
    with pytest.raises(iw.UsageError, match="a history is a batch DataFrame"):
        iw.state_of(feed.read(spark), sliding, until=UNTIL)
    with pytest.raises(iw.UsageError, match="but it must give the result of iw.with_columns"):
        iw.state_of(history, lambda df: df.select("ts"), until=UNTIL)
    with pytest.raises(iw.UsageError, match="in the order of arrival, and a DataFrame has none: order by"):
        iw.state_of(history, lambda df: iw.with_columns(df, n=iw.count().over(iw.rows(3))))
