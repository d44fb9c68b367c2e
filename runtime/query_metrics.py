"""The numbers of a session's streaming queries, kept from their progress, as text that Prometheus reads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inwindow.runtime.event_times import EventTimes, seconds_since_1970
from inwindow.runtime.metrics import HELD, SECONDS, SUMMED, fields_of

PREFIX = "inwindow_"
_QUERY = "query"

# What Spark says of each query: the name, the type and the help of a number.
_OF_QUERIES = {
    "query_running": ("gauge", "1 while the query runs, 0 after it has ended."),
    "query_failures_total": ("counter", "How often the query has ended with an error."),
    "micro_batches_total": ("counter", "Micro-batches since this program listens."),
    "micro_batch_seconds_total": ("counter", "Seconds of all these micro-batches."),
    "last_micro_batch_seconds": ("gauge", "Seconds of the newest micro-batch."),
    "last_progress_timestamp_seconds": ("gauge", "When the newest micro-batch ended, in seconds since 1970."),
    "input_rows_total": ("counter", "Rows that were read."),
    "watermark_timestamp_seconds": ("gauge", "The watermark, in seconds since 1970: time() minus this is its lag."),
    "newest_time_timestamp_seconds": ("gauge", "The newest event time so far."),
    "event_lag_seconds": ("gauge", "Seconds from the watermark to the newest event time: no tuple waits for longer."),
}
# What our operator says of each result. A number that is not here has its own name, and no help.
_OF_RESULTS = {
    "late_tuples": "Tuples that came behind the watermark: they have no row.",
    "waiting_tuples": "Tuples that wait for the watermark.",
    "live_tuples": "Tuples that are held for frames and extents.",
    "state_bytes": "Bytes of all buckets' states.",
    "aggregate_seconds": "Seconds of CPU time of an aggregate.",
    "aggregate_held_tuples": "Tuples that are held for an aggregate.",
}


@dataclass
class Numbers:
    """All numbers so far, by name and labels. Counters are sums since this began, as Prometheus wants them."""

    values: dict[str, dict[tuple[tuple[str, str], ...], float]] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)  # the label of each run of a query
    times: dict[str, EventTimes] = field(default_factory=dict)  # of each run

    def started(self, run: str, name: str | None, query: str) -> None:
        """A query starts: its label is its name, or its id, which a restart on the same checkpoint keeps."""
        self.queries[run] = name or query
        self._set("query_running", 1, self._labels(run))
        self._add("query_failures_total", 0, self._labels(run))

    def ended(self, run: str, *, failed: bool) -> None:
        """A query has ended."""
        self._set("query_running", 0, self._labels(run))
        self._add("query_failures_total", int(failed), self._labels(run))

    def progressed(self, progress: Mapping[str, Any]) -> None:
        """A micro-batch is done."""
        run = str(progress["runId"])
        self.queries.setdefault(run, progress["name"] or str(progress["id"]))
        labels = self._labels(run)
        seconds = progress["durationMs"].get("triggerExecution", 0) / 1000
        self._add("micro_batches_total", 1, labels)
        self._add("micro_batch_seconds_total", seconds, labels)
        self._add("input_rows_total", progress["numInputRows"], labels)
        self._set("last_micro_batch_seconds", seconds, labels)
        self._set("last_progress_timestamp_seconds", seconds_since_1970(progress["timestamp"]) + seconds, labels)
        self._timed(run, progress["eventTime"], labels)
        for result, row in progress["observedMetrics"].items():
            if result.startswith("inwindow") and row is not None:
                self._observed(fields_of(row), (*labels, ("result", result)))

    def _timed(self, run: str, said: Mapping[str, str], labels: tuple[tuple[str, str], ...]) -> None:
        times = self.times[run] = self.times.get(run, EventTimes()).after(said)
        named = {"watermark_timestamp": times.watermark, "newest_time_timestamp": times.newest, "event_lag": times.lag}
        for name, value in named.items():
            if value is not None:
                self._set(f"{name}_seconds", value, labels)

    def _observed(self, row: Mapping[str, Any], labels: tuple[tuple[str, str], ...]) -> None:
        for name, value in row.items():
            if name.startswith((SECONDS, HELD)):
                self._of_aggregate(name, value, labels)
                continue
            if not isinstance(value, int | float):
                continue  # a text: the largest deviation of a sentinel
            if name in SUMMED:
                self._add(f"{name}_total", value, labels)
            else:
                self._set(name, value, labels)

    def _of_aggregate(self, name: str, value: float, labels: tuple[tuple[str, str], ...]) -> None:
        which = (*labels, ("aggregate", name.partition(": ")[2]))
        if name.startswith(SECONDS):
            self._add("aggregate_seconds_total", value, which)
        else:
            self._set("aggregate_held_tuples", value, which)

    def _labels(self, run: str) -> tuple[tuple[str, str], ...]:
        return ((_QUERY, self.queries.get(run, run)),)

    def _set(self, name: str, value: float, labels: tuple[tuple[str, str], ...]) -> None:
        self.values.setdefault(name, {})[labels] = value

    def _add(self, name: str, value: float, labels: tuple[tuple[str, str], ...]) -> None:
        its = self.values.setdefault(name, {})
        its[labels] = its.get(labels, 0) + value

    def text(self) -> str:
        """All numbers in Prometheus' text format.

        >>> numbers = Numbers()
        >>> numbers.started("run", "bids", "id")
        >>> print(numbers.text().splitlines()[2])
        inwindow_query_running{query="bids"} 1
        """
        return "".join(f"{line}\n" for name in self.values for line in self._lines(name))

    def _lines(self, name: str) -> Iterator[str]:
        kind, said = _OF_QUERIES.get(name, ("", ""))
        kind = kind or ("counter" if name.endswith("_total") else "gauge")
        said = said or _OF_RESULTS.get(name.removesuffix("_total"), "")
        if said:
            yield f"# HELP {PREFIX}{name} {said}"
        yield f"# TYPE {PREFIX}{name} {kind}"
        for labels, value in self.values[name].items():
            shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
            yield f"{PREFIX}{name}{{{shown}}} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
