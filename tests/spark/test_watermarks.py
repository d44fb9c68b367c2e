"""A watermark that goes by the clock, too: a tuple of the year 2058, and a stream that is silent."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spark.controlled import Feed, finished, started, use

import inwindow as iw

NOW = datetime.now(UTC).replace(microsecond=0)
DDL = "k string, ts timestamp, note string"
WINDOW = iw.range("1 minute", partition_by="k", order_by="ts")
FAR = 10**9
FAR_YEAR = (NOW + timedelta(seconds=FAR)).year


def tuples(*times: int | None) -> pa.Table:
    """So many seconds after the start of the test."""
    return pa.table({
        "k": [str((at or 0) % 7) for at in times], "note": [str(at) for at in times],
        "ts": pa.array([None if at is None else NOW + timedelta(seconds=at) for at in times], pa.timestamp("us", "UTC")),
    })  # fmt: skip


def query(spark: Any, feed: Feed, silent: Feed, idle: str | None) -> Any:
    """Rows and late tuples of a union; the user's filter would drop a beat, which has no values."""
    one = iw.with_watermark(feed.read(spark, None), "ts", "10 seconds", ahead="1 day")
    other = iw.with_watermark(silent.read(spark, None), "ts", timedelta(seconds=10), ahead="24 hours", idle=idle)
    assert one.columns == other.columns == ["k", "ts", "note"]
    both = iw.union(one, other, order_by="ts").where("k <> 'none'")
    said = str(iw.explain(both, n=iw.count().over(WINDOW)))
    assert "a tuple more than 1 day ahead of the clock is late" in said and "  late: iw.outputs(result) gives" in said
    return iw.outputs(iw.with_columns(both, n=iw.count().over(WINDOW)))


def test_a_far_time_and_a_silent_stream(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    feed, silent = Feed(tmp_path / "feed", DDL), Feed(tmp_path / "silent", DDL)
    given: list[Any] = []
    for batches in ([tuples(-400, -390), tuples(-300, FAR)], [tuples(-200, None, -100)], []):
        feed.add(*batches)  # beats come each second: a run that begins later has some
        made = query(spark, feed, silent, "1 second")
        running = finished(started(made, tmp_path / "idle", sink="parquet", path=str(tmp_path / "rows")))
        given.append(iw.metrics(running))
    rows = spark.read.parquet(str(tmp_path / "rows")).collect()
    assert sorted(row.row.note for row in rows if row.kind == "row") == ["-200", "-300", "-390", "-400"]  # -100 waits
    late = [row.late for row in rows if row.kind == "late"]
    assert sorted((row.note, row.ts and row.ts.year) for row in late) == [(str(FAR), FAR_YEAR), ("None", None)]
    assert [(one["late_tuples"], one["ahead_tuples"]) for one in given] == [(1, 1), (1, 0), (0, 0)]
    made = query(spark, feed, silent, None)
    waiting = finished(started(made, tmp_path / "held", sink="parquet", path=str(tmp_path / "none")))
    kinds = [row.kind for row in spark.read.parquet(str(tmp_path / "none")).collect()]
    assert kinds == ["late"] * 2 and iw.metrics(waiting)["waiting_tuples"] == 5  # the silent stream holds all back


def test_what_is_refused(spark: Any, tmp_path: Path) -> None:
    df = Feed(tmp_path / "feed", DDL).add(tuples(1)).read(spark, None)
    marked = iw.with_watermark(df, "ts", 0, ahead="1 day")
    cases = [
        (
            lambda: iw.with_watermark(df, "at", "1 second"),
            "'at'.: there is no such column; there are 'k', 'ts', 'note'",
        ),
        (lambda: iw.with_watermark(df, "ts", 3), "delay=3.: the column is a timestamp: give a time, as in '3 seconds'"),
        (lambda: iw.with_watermark(df, "note", "1 second", idle="1 day"), "is of type string, and only a timestamp"),
        (
            lambda: iw.union(marked, df.withWatermark("ts", "1 second"), order_by="ts"),
            "different bounds ahead= .or some have none",
        ),
        (
            lambda: iw.with_watermark(
                iw.with_columns(marked, n=iw.count().over(WINDOW)), "ts", "9 seconds", ahead="1 day"
            ),
            "on the result of with_columns on a stream: the query would run and give no row",
        ),
    ]
    for wrong, message in cases:
        with pytest.raises(iw.UsageError, match=message):
            wrong()
    plain = iw.with_watermark(df, "ts", "2 seconds")
    assert (
        plain.schema["ts"].metadata
        == {"spark.watermarkDelayMs": 2000}
        == {name: value for name, value in marked.schema["ts"].metadata.items() if name != "inwindow.ahead"}
        | {"spark.watermarkDelayMs": 2000}
    )
