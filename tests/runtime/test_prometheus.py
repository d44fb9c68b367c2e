"""``iw.prometheus``: what it writes is read by Prometheus' own parser. tests/spark/test_stream_metrics.py: from real queries."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.runtime.query_metrics import Numbers


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Each number, under its name and the values of its labels."""
    from prometheus_client.parser import text_string_to_metric_families

    families = text_string_to_metric_families(text)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


class Session:
    """As far as ``iw.prometheus`` knows a session."""

    def __init__(self) -> None:
        self.listeners: list[Any] = []
        self.streams = SimpleNamespace(addListener=self.listeners.append, removeListener=self.listeners.remove)

    def tell(self, what: str, **event: Any) -> None:
        for listener in self.listeners:
            getattr(listener, what)(SimpleNamespace(**event))


def progress(**observed: Any) -> dict[str, Any]:
    times = {"watermark": "2026-01-01T00:00:50.000Z", "max": "2026-01-01T00:01:00.000Z"}
    return {
        "id": "id", "runId": "run", "name": "bids", "timestamp": "2026-01-01T00:02:00.000Z", "numInputRows": 7,
        "durationMs": {"triggerExecution": 1500}, "eventTime": times, "observedMetrics": observed,
    }  # fmt: skip


NEW_YEAR = 1767225600.0


def test_counters_are_sums_and_gauges_the_newest() -> None:
    numbers = Numbers()
    numbers.started("run", "bids", "id")
    for late, waiting in ((2, 5), (1, 3)):
        its = {"late_tuples": late, "waiting_tuples": waiting, "live_tuples": 9, "state_bytes": 100, "largest": None}
        its |= {"seconds: avg of all": 0.25, "held_tuples: avg of all": waiting}
        numbers.progressed(progress(inwindow=its, inwindow_2={**its, "late_tuples": 0}, of_the_user={"n": 1}))
    numbers.ended("run", failed=True)
    assert samples(numbers.text()) == {
        ("inwindow_query_running", "bids"): 0,
        ("inwindow_query_failures_total", "bids"): 1,
        ("inwindow_micro_batches_total", "bids"): 2,
        ("inwindow_micro_batch_seconds_total", "bids"): 3.0,
        ("inwindow_last_micro_batch_seconds", "bids"): 1.5,
        ("inwindow_last_progress_timestamp_seconds", "bids"): NEW_YEAR + 121.5,
        ("inwindow_input_rows_total", "bids"): 14,
        ("inwindow_watermark_timestamp_seconds", "bids"): NEW_YEAR + 50,
        ("inwindow_newest_time_timestamp_seconds", "bids"): NEW_YEAR + 60,
        ("inwindow_event_lag_seconds", "bids"): 10,
        ("inwindow_late_tuples_total", "bids", "inwindow"): 3,
        ("inwindow_late_tuples_total", "bids", "inwindow_2"): 0,
        ("inwindow_waiting_tuples", "bids", "inwindow"): 3,
        ("inwindow_waiting_tuples", "bids", "inwindow_2"): 3,
        ("inwindow_live_tuples", "bids", "inwindow"): 9,
        ("inwindow_live_tuples", "bids", "inwindow_2"): 9,
        ("inwindow_state_bytes", "bids", "inwindow"): 100,
        ("inwindow_state_bytes", "bids", "inwindow_2"): 100,
        ("inwindow_aggregate_seconds_total", "bids", "inwindow", "avg of all"): 0.5,
        ("inwindow_aggregate_seconds_total", "bids", "inwindow_2", "avg of all"): 0.5,
        ("inwindow_aggregate_held_tuples", "bids", "inwindow", "avg of all"): 3,
        ("inwindow_aggregate_held_tuples", "bids", "inwindow_2", "avg of all"): 3,
    }


def test_before_the_first_tuple_there_is_no_watermark() -> None:
    numbers = Numbers()
    numbers.progressed({**progress(), "eventTime": {"watermark": "1970-01-01T00:00:00.000Z"}})
    assert "watermark" not in numbers.text()


def test_a_late_micro_batch_takes_no_time_back() -> None:
    late = {"watermark": "2026-01-01T00:00:55.000Z", "max": "2026-01-01T00:00:10.000Z"}
    without = {"watermark": "2026-01-01T00:00:57.000Z"}
    numbers, seen = Numbers(), []
    for times in (progress()["eventTime"], late, without):
        seen.append({**progress(), "eventTime": times})
        numbers.progressed(seen[-1])
    found = samples(numbers.text())
    assert found["inwindow_newest_time_timestamp_seconds", "bids"] == NEW_YEAR + 60
    assert found["inwindow_event_lag_seconds", "bids"] == 3
    assert iw.metrics(SimpleNamespace(recentProgress=seen))["event_lag_seconds"] == 3
    assert "event_lag_seconds" not in iw.metrics(SimpleNamespace(recentProgress=[{**progress(), "eventTime": {}}]))


def test_a_query_without_a_name_has_its_id() -> None:
    numbers = Numbers()
    numbers.started("first run", None, "id")
    numbers.ended("first run", failed=True)
    numbers.started("second run", None, "id")  # on the same checkpoint
    found = samples(numbers.text())
    assert found == {("inwindow_query_running", "id"): 1, ("inwindow_query_failures_total", "id"): 1}


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1))
def test_any_name_of_a_query(name: str) -> None:
    numbers = Numbers()
    numbers.started("run", name, "id")
    assert ("inwindow_query_running", name) in samples(numbers.text())


def test_a_file_and_a_port(tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "inwindow.prom"
    exporter = iw.prometheus(session, path=path, port=0)
    assert path.read_text() == ""
    session.tell("onQueryStarted", runId="run", id="id", name="bids")
    session.tell("onQueryProgress", progress=progress(inwindow={"late_tuples": 1}))
    session.tell("onQueryTerminated", runId="run", exception=None)
    address = f"http://127.0.0.1:{exporter.port}/metrics"
    with urlopen(address) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert answer.read().decode() == path.read_text() == exporter.text()
    found = samples(path.read_text())
    assert found["inwindow_query_running", "bids"] == 0 and found["inwindow_query_failures_total", "bids"] == 0
    assert found["inwindow_late_tuples_total", "bids", "inwindow"] == 1
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{address}/of/others")
    with pytest.raises(iw.UsageError, match=rf"prometheus\(port={exporter.port}\): .* in use: take another port, or 0"):
        iw.prometheus(session, port=exporter.port)
    exporter.stop()
    assert not session.listeners and [one.name for one in tmp_path.iterdir()] == ["inwindow.prom"]
