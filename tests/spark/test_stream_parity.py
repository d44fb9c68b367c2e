"""On Spark, a stream gives what the batch run gives over the same tuples: every window, with both stateful operators.

A query carries many cases side by side (:mod:`spark.stream_cases`), for each query costs seconds whatever it computes. So a test
here is 24 streams, 500 in all; and each of them many windows and aggregates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import settings
from samples.ids import (
    Doubling,
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsNaive,
    IdsPunt,
    Leaving,
    LeavingTwice,
    Live,
    Longest,
    LongestInWindow,
    Running,
)
from spark import stream_cases
from spark.controlled import OPERATORS, Feed, finished, metrics, plain, started, use

import inwindow as iw

KEYS = ("case", "k")
BY = {"partition_by": KEYS, "order_by": "ts"}
NOON = datetime(2026, 3, 8, 7, 0, 0, tzinfo=UTC)
CASES = stream_cases.cases(6)


def moved(t: datetime, seconds: int) -> datetime:
    """In time, not on the clock on the wall: the session is in New York, and its clocks go forward."""
    return t.astimezone(UTC) + timedelta(seconds=seconds)


def frames(**by: Any) -> dict[str, Any]:
    """A window of each kind whose frame ends at the current tuple, or before it."""
    return {
        "rows": iw.rows(3, **by),
        "lagging_rows": iw.rows_between(-4, -2, **by),
        "all_rows": iw.rows_between(None, 0, **by),
        "rows_slide": iw.rows(4, slide=2, **by),
        "rows_tumble": iw.rows(3, slide=3, **by),
        "range": iw.range("7 seconds", **by),
        "range_us": iw.range(timedelta(microseconds=2_500_001), **by),
        "peers": iw.range("0 seconds", **by),
        "lag": iw.range("10 seconds", lag="3 seconds", **by),
        "all_range": iw.range_between(None, 0, **by),
        "range_slide": iw.range("9 seconds", slide="4 seconds", **by),
        "range_tumble": iw.range("5 seconds", slide="10 seconds", **by),
        "since": iw.landmark(since=NOON, **by),
        "band": iw.landmark(since=NOON - timedelta(seconds=20), until=NOON + timedelta(seconds=5), **by),
        "scope": iw.scope(lower=lambda t: moved(t, -6), **by),
        "hole": iw.range("8 seconds", exclude="current row", **by),
        "before_peers": iw.range_between(None, 0, exclude="group", **by),
        "ties": iw.rows(4, exclude="ties", **by),
    }


CLASSES = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive, Longest]
BUILT_INS = [
    iw.sum("v"), iw.avg("v"), iw.count("v"), iw.min("v"), iw.max("s"), iw.stddev("v"), iw.median("v"), iw.count_distinct("s"),
    iw.collect_list("n"), iw.max_by("v", "w"), iw.corr("v", "w"), iw.first("v"), iw.last("s", ignorenulls=True), iw.mode("s"),
    iw.bool_or("ok"), iw.sum("n").filter("ok"), iw.decayed_avg("v", 0.5),
]  # fmt: skip


def over(windows: dict[str, Any]) -> dict[str, Any]:
    """Over each window a class, a built-in, and what waits for nothing more: the count."""
    made = {}
    for index, (name, window) in enumerate(windows.items()):
        made[f"{name}_class"] = CLASSES[index % len(CLASSES)]()("n").over(window)
        made[f"{name}_built_in"] = BUILT_INS[index % len(BUILT_INS)].over(window)
        made[f"{name}_count"] = iw.count().over(window)
    return made


def following(df: Any) -> Any:
    """Frames that wait for tuples, or for time."""
    windows = {
        "rows": iw.rows_between(-2, 2, **BY),
        "ahead": iw.rows_between(1, 3, **BY),
        "range": iw.range_between(timedelta(seconds=-4), timedelta(seconds=6), **BY),
        "range_ahead": iw.range_between(timedelta(seconds=1), timedelta(seconds=3), **BY),
        "around": iw.rows_between(-2, 2, exclude="group", **BY),
        "scope": iw.scope(lower=lambda t: moved(t, -2), upper=lambda t: moved(t, 2), **BY),
    }
    return iw.with_columns(df, **over(windows))


def emitting(df: Any) -> Any:
    """Classes that answer as tuples come."""
    applied = {
        "running": Running()("id").over(iw.unbounded(**BY)),
        "live": Live()("id").over(iw.range("8 seconds", **BY)),
        "last3": Live()("id").over(iw.rows(3, **BY)),
        "some": Doubling()("id").over(iw.unbounded(**BY)),
    }
    return iw.select(df, "case", "id", **applied)


def leaving(df: Any) -> Any:
    """Tuples that leave in time, whether or not others come."""
    window = iw.range("7 seconds", active_expiration=True, **BY)
    return iw.select(df, "case", "id", iw.emitted_at().alias("at"), x=Leaving()("id").over(window))


def leaving_one_by_one(df: Any) -> Any:
    """Any number of values for a tuple that leaves."""
    window = iw.range("3500 ms", active_expiration=True, **BY)
    return iw.select(df, iw.emitted_at(), "id", x=LeavingTwice()("id").over(window))


def extents(extent: Any) -> Callable[[Any], Any]:
    """A row per key and extent."""
    applied = {
        "ids": IdsMerge()("n"), "kept": LongestInWindow()("id"), "rows": iw.count(), "total": iw.sum("v"), "mid": iw.median("v"),
        "texts": iw.collect_list("s"), "hook": Longest()("id").filter("ok"),
    }  # fmt: skip
    return lambda df: iw.group_by(df, *KEYS).window(extent).agg(**applied)


def own_gaps(df: Any) -> Any:
    """Sessions whose tuples say how long they last: 0 to 6 seconds, and NULL."""
    if isinstance(df, pa.Table):
        seconds = [None if n is None else timedelta(seconds=n % 7) for n in df["n"].to_pylist()]
        df = df.append_column("gap", pa.array(seconds, pa.duration("us")))
    else:
        df = df.selectExpr("*", "make_dt_interval(0, 0, 0, pmod(n, 7)) as gap")
    return extents(iw.session("ts", gap="gap"))(df)


def arriving(df: Any) -> Any:
    """No order: tuples are taken as they come."""
    applied = {
        "last3": IdsAll()("id").over(iw.rows(3, partition_by=KEYS)),
        "every2": iw.sum("v").over(iw.rows(4, slide=2, partition_by=KEYS)),
        "running": Running()("id").over(iw.unbounded(partition_by=KEYS)),
        "total": iw.sum("v").over(iw.unbounded(partition_by=KEYS)),
    }
    return iw.with_columns(df, **applied)


@dataclass(frozen=True)
class Case:
    """A query, and what it is compared with."""

    query: Callable[[Any], Any]
    input: Callable[[], pa.Table] = lambda: CASES.on_time
    undecided: int = 0  # the last tuples of each key whose frames wait for more
    time: str | None = "ts"


QUERIES: dict[str, Case] = {
    "frames": Case(lambda df: iw.with_columns(df, **over(frames(**BY)))),
    "following": Case(following, undecided=3),
    "no keys": Case(lambda df: iw.with_columns(df, **over(frames(order_by="ts")))),
    "yields of rows": Case(
        lambda df: iw.select(df, "case", "id", x=IdsAll()("n").over(iw.rows(5, slide=3, **BY)), k="k")
    ),
    "yields of ranges": Case(
        lambda df: iw.select(df, "id", x=Ids()("n").over(iw.range("9 seconds", slide="4 seconds", **BY)))
    ),
    "emissions": Case(emitting),
    "active expiration": Case(leaving),
    "active expiration, one by one": Case(leaving_one_by_one),
    "tumble": Case(extents(iw.tumble("ts", size="7 seconds", fill="previous", quiet="20 seconds"))),
    "hop": Case(extents(iw.hop("ts", size="12 seconds", every="5 seconds"))),
    "cumulate": Case(extents(iw.cumulate("ts", size="20 seconds", every="5 seconds"))),
    "session": Case(own_gaps),
    "counted": Case(extents(iw.hop("ts", rows=4, every=3))),
    "arrival": Case(arriving, lambda: CASES.all_rows, time=None),
}


def expected(case: Case) -> pa.Table:
    """The batch run on this machine; without what a stream never decides."""
    table = case.input()
    result = case.query(table)
    if case.undecided:
        last: dict[Any, list[int]] = {}
        for row in table.sort_by([("ts", "ascending")]).to_pylist():
            last.setdefault((row["case"], row["k"]), []).append(row["id"])
        waiting = {i for ids in last.values() for i in ids[-case.undecided :]}
        result = result.filter(pa.array([i not in waiting for i in result["id"].to_pylist()]))
    if "window" in result.column_names and case is QUERIES["counted"]:
        sizes = {repr((r["case"], r["k"])): r["n"] for r in iw.group_by(table, *KEYS).agg(n=iw.count()).to_pylist()}
        full = [r["window"]["end"] <= sizes[repr((r["case"], r["k"]))] for r in result.to_pylist()]
        result = result.filter(pa.array(full))
    return result


# The buckets are the same in both operators. Both show those that differ in what wakes them up; the others are shown by
# applyInPandasWithState, as transformWithState starts a Python on the driver for each query.
BOTH = ("frames", "no keys", "active expiration", "session")
# What differs from others only in its bucket, which is replayed without Spark (tests/stream): here by `make thorough`.
LIKE_OTHERS = ("yields of ranges", "active expiration, one by one", "hop", "cumulate")
IS_THOROUGH = settings.get_current_profile_name() == "thorough"
RUNS = [
    (operator, name)
    for operator in OPERATORS
    for name in QUERIES
    if name in BOTH or (operator == "applyInPandasWithState" and (IS_THOROUGH or name not in LIKE_OTHERS))
]


@pytest.fixture(scope="module")
def feed(tmp_path_factory: Any) -> Feed:
    """The files of all cases."""
    return Feed(tmp_path_factory.mktemp("feed"), stream_cases.DDL).add(*CASES.batches)


@pytest.mark.parametrize(("operator", "name"), RUNS)
def test_batch_equals_stream(spark: Any, feed: Feed, tmp_path: Path, operator: str, name: str) -> None:
    use(spark, operator)
    case = QUERIES[name]
    query = finished(
        started(case.query(feed.read(spark, case.time)), tmp_path, name=f"parity_{RUNS.index((operator, name))}")
    )
    rows, batch = spark.table(query.name).toArrow(), expected(case)
    assert plain(rows.select(batch.column_names)) == plain(batch)
    late = len(CASES.late) if case.time is not None else 0
    assert sum(observed["late_tuples"] for observed in metrics(query)) == late
    counted, newest = iw.metrics(query), metrics(query)[-1]
    assert counted["late_tuples"] == late and counted["micro_batches"] == len(metrics(query))
    assert all(counted[name] == newest[name] for name in ("waiting_tuples", "live_tuples", "state_bytes"))
    state = query.lastProgress["stateOperators"][0]
    assert ("rocksdbBytesCopied" in state["customMetrics"]) == (operator == "transformWithState")
