"""``metrics``: the numbers of a query on a stream, over all micro-batches that Spark remembers."""

from collections.abc import Mapping
from typing import Any

from inwindow.runtime.event_times import EventTimes
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.sentinel import COUNTS

# Each micro-batch has its own; the other numbers are of the whole query.
SUMMED = ("late_tuples", "ahead_tuples", "failed_tuples", *COUNTS)
SECONDS, HELD = "seconds: ", "held_tuples: "  # before the name of an aggregate's result: numbers of this aggregate
_NONE = {"late_tuples": 0, "waiting_tuples": 0, "live_tuples": 0, "state_bytes": 0}


@says_what_it_takes
def metrics(query: Any, name: str = "inwindow") -> dict[str, Any]:
    """The numbers of a running or ended streaming query on Spark.

    ``late_tuples`` is the sum over its micro-batches. So are ``ahead_tuples`` (of them, those too far ahead of the clock, with
    :func:`with_watermark`), ``failed_tuples``, with ``on_error=``, and ``checked``, ``deviations``, ``punts`` and ``rebased`` of
    a sentinel. ``waiting_tuples``, ``live_tuples`` and ``state_bytes`` are the values after the newest micro-batch.
    ``micro_batches`` is how many were counted. Spark remembers the last 100 (``spark.sql.streaming.numRecentProgressUpdates``)
    since this start of the query. ``event_lag_seconds`` is from the watermark to the newest event time: how long the oldest
    tuple that waits may have waited, in event time; absent without a watermark. ``aggregates`` has for each aggregate the
    ``seconds`` of CPU time that it took (a sum), and its ``held_tuples``. ``query.lastProgress`` is only the newest one, which
    with ``availableNow=True`` has no tuples, and so no late tuples.

    Of a batch result with ``on_error=`` there are ``failed_tuples``: how often hooks raised in the first action on it.

    ``name`` is for queries with several results: ``inwindow_2``, and so on.

    >>> from types import SimpleNamespace
    >>> progress = [{"observedMetrics": {"inwindow": dict(late_tuples=n, waiting_tuples=5 - n)}} for n in (2, 1, 0)]
    >>> metrics(SimpleNamespace(recentProgress=progress))  # in place of what .start() gives
    {'late_tuples': 3, 'waiting_tuples': 5, 'live_tuples': 0, 'state_bytes': 0, 'micro_batches': 3}
    """
    if type(query).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.failed_rows import failed_count

        count = failed_count(query)
        if count is not None:
            return {"failed_tuples": count}
    if not hasattr(query, "recentProgress"):
        raise UsageError(
            f"metrics({shown(type(query).__name__)}): give the query that runs, query = result.writeStream...start()"
        )
    observed = [progress["observedMetrics"] for progress in query.recentProgress]
    known = sorted({one for names in observed for one in names})
    if known and name not in known:
        raise UsageError(
            f"metrics(name={name!r}): the query has {', '.join(map(repr, known))}: give one of these as name="
        )
    rows = [fields_of(names[name]) for names in observed if names.get(name) is not None]
    counted: dict[str, Any] = dict(_NONE)
    for row in rows:
        for field, value in row.items():
            if field.startswith((SECONDS, HELD)):
                number, _, title = field.partition(": ")
                its = counted.setdefault("aggregates", {}).setdefault(title, {"seconds": 0.0, "held_tuples": 0})
                its[number] = its[number] + value if number == "seconds" else value
            else:
                counted[field] = counted.get(field, 0) + (value or 0) if field in SUMMED else value
    deviations = [row["largest"] for row in rows if row.get("largest") is not None]
    if deviations:
        counted["largest"] = max(deviations, key=lambda deviation: deviation["size"])
    lag = EventTimes.of(query.recentProgress).lag
    if lag is not None:
        counted["event_lag_seconds"] = lag
    return {**counted, "micro_batches": len(rows)}


def fields_of(row: Any) -> dict[str, Any]:
    """A row of metrics; over Connect it comes as its values and their schema."""
    fields: dict[str, Any] = dict(row) if isinstance(row, Mapping) else row.asDict()
    if "schema" in fields:
        return {field["name"]: value for field, value in zip(fields["schema"]["fields"], fields["values"], strict=True)}
    return fields
