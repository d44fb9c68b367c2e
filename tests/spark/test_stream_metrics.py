"""``iw.prometheus`` on real queries, classic and Connect: what the listener hears, Prometheus' own parser reads."""

import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from spark.controlled import Feed, finished, started, use

import inwindow as iw

DDL = "k string, ts timestamp, v double"
T = 1_767_225_600_000_000  # 2026-01-01 in microseconds


def tuples(*seconds: int) -> pa.Table:
    times = pa.array([T + at * 1_000_000 for at in seconds], pa.timestamp("us", "UTC"))
    return pa.table({"k": ["a"] * len(seconds), "ts": times, "v": [float(at) for at in seconds]})


def samples(path: Path) -> dict[tuple[str, ...], float]:
    from prometheus_client.parser import text_string_to_metric_families

    families = text_string_to_metric_families(path.read_text())
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_a_query_is_heard(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    path = tmp_path / "inwindow.prom"
    exporter = iw.prometheus(spark, path=path)
    feed = Feed(tmp_path / "feed", DDL).add(tuples(1, 2), tuples(20), tuples(21), tuples(3, 30))
    by = {"partition_by": "k", "order_by": "ts"}
    minute, seconds = (iw.sum("v").over(iw.range(size, **by)) for size in ("1 minute", "6 seconds"))
    result = iw.with_columns(feed.read(spark), minute=minute, seconds=seconds)
    query = finished(started(result, tmp_path, name="heard"))
    counted = iw.metrics(query)
    deadline = time.monotonic() + 60  # events come later than the query's end
    while samples(path).get(("inwindow_query_running", "heard")) != 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    exporter.stop()
    found = samples(path)
    of_result = {key[0]: value for key, value in found.items() if key[1:] == ("heard", "inwindow")}
    assert of_result["inwindow_late_tuples_total"] == counted["late_tuples"] == 1
    for name in ("waiting_tuples", "live_tuples", "state_bytes"):
        assert of_result[f"inwindow_{name}"] == counted[name] > 0
    its = counted["aggregates"]
    assert {name: one["held_tuples"] for name, one in its.items()} == {"minute": 4, "seconds": 2}
    for name, one in its.items():
        assert found["inwindow_aggregate_held_tuples", "heard", "inwindow", name] == one["held_tuples"]
        assert found["inwindow_aggregate_seconds_total", "heard", "inwindow", name] == pytest.approx(one["seconds"])
        assert one["seconds"] > 0
    assert found["inwindow_micro_batches_total", "heard"] == counted["micro_batches"]
    assert found["inwindow_input_rows_total", "heard"] == 6
    assert found["inwindow_watermark_timestamp_seconds", "heard"] == pytest.approx(T / 1e6 + 25)
    assert found["inwindow_event_lag_seconds", "heard"] == counted["event_lag_seconds"] == 5  # the delay
    assert found["inwindow_query_failures_total", "heard"] == 0
