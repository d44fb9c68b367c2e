"""Promises on Spark: PUNT and re-basing give what they give locally; the sentinel finds what is wrong, classic and Connect."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from samples.aggregates import Total
from spark.controlled import Feed, finished, metrics, started, use

import inwindow as iw

ROWS = 600
BY = {"partition_by": "k", "order_by": "ts"}


class Highest(iw.WindowAggregate):
    """Refuses to let the highest go."""

    def initialize(self, value: float) -> None:
        self.high = value

    def iterate(self, value: float) -> None:
        self.high = max(self.high, value)

    def expire(self, value: float) -> Any:
        if value == self.high:
            self.high = -1.0
            return iw.PUNT
        return None

    def terminate(self) -> float:
        return self.high


class Forgetful(Total):
    """Thirteen never leaves."""

    def expire(self, value: float) -> Any:
        self.total -= value if value != 13 else 0.0


class ShortMerge(iw.Aggregate, commutative=True):
    """Drops what is large."""

    def initialize(self, value: float) -> None:
        self.total = value

    def iterate(self, value: float) -> None:
        self.total += value

    def merge(self, later: Any) -> None:
        self.total += min(later.total, 300.0)

    def terminate(self) -> float:
        return self.total


def table() -> pa.Table:
    """Some NaN, some values far larger than the others."""
    values = [float(i * 7 % 40) for i in range(ROWS)]
    values[100], values[301], values[450] = float("nan"), 1e18, float("inf")
    return pa.table({"k": [i % 3 for i in range(ROWS)], "ts": list(range(ROWS)), "v": values})


def plain() -> pa.Table:
    """The same without them."""
    return table().set_column(2, "v", pa.array([float(i * 7 % 40) for i in range(ROWS)]))


def frame(spark: Any, given: pa.Table) -> Any:
    return spark.createDataFrame(given.to_pylist(), "k bigint, ts bigint, v double")


def in_order(rows: Any) -> list[str]:
    made = [dict(row.asDict() if hasattr(row, "asDict") else row) for row in rows]
    return [repr(row) for row in sorted(made, key=lambda row: row["ts"])]


def test_what_cannot_be_undone(spark: Any) -> None:
    window = iw.rows(20, **BY)
    exprs = {"high": Highest()("v").over(window), "total": Total()("v").over(window)}
    given = table()
    made = iw.with_columns(frame(spark, given), **exprs).collect()
    assert in_order(made) == in_order(iw.with_columns(given, **exprs).to_pylist())
    assert in_order(iw.with_columns(plain(), high=exprs["high"]).to_pylist()) == in_order(
        iw.testing.reference(plain(), high=exprs["high"]).to_pylist()
    )


WINDOWS = {
    "with_columns": lambda df, one: iw.with_columns(df, x=one.over(iw.rows(30, **BY))),
    "panes": lambda df, one: iw.select(df, "k", "ts", x=one.over(iw.rows(30, slide=5, **BY))),
    "extents": lambda df, one: iw.group_by(df, "k").window(iw.hop("ts", size=90, every=30)).agg(x=one),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("kind", [Forgetful, ShortMerge, Total])
def test_the_sentinel_finds_what_it_finds_locally(spark: Any, name: str, kind: type) -> None:
    here, there = iw.Sentinel(0.3), iw.Sentinel(0.3)
    df = WINDOWS[name](frame(spark, plain()), kind()("v").sentinel(there))
    assert (there.checked, there.largest) == (0, None)  # nothing has run
    rows = df.collect()
    assert len(rows) == WINDOWS[name](plain(), kind()("v").sentinel(here)).num_rows
    assert df.columns == WINDOWS[name](plain(), kind()("v")).column_names
    assert (there.checked, there.deviations, there.largest) == (here.checked, here.deviations, here.largest)
    assert here.checked > 10
    assert (here.deviations > 0) == (kind is not Total)
    if here.largest is not None:
        assert here.largest.place.startswith("k=") and ", ts=" in here.largest.place


def test_two_sentinels_in_one_call(spark: Any) -> None:
    wrong, right = iw.Sentinel(1), iw.Sentinel(0.5)
    window = iw.rows(30, **BY)
    exprs = {"a": Forgetful()("v").over(window, sentinel=wrong), "b": Total()("v").over(window, sentinel=right)}
    iw.with_columns(frame(spark, plain()), **exprs).collect()
    assert wrong.checked == ROWS and wrong.deviations > 100
    assert 200 < right.checked < 400 and right.deviations == 0


def test_a_job_that_is_to_fail(spark: Any) -> None:
    watched = Forgetful()("v").over(iw.rows(30, **BY), sentinel=iw.Sentinel(1, fails=True))
    with pytest.raises(
        Exception,
        match=r"Forgetful\(v\) gave [\d.]+ for the frame that ends at k=\d, ts=\d+, but its tuples give [\d.]+",
    ):
        iw.with_columns(frame(spark, plain()), x=watched).collect()


def test_streams_count_what_they_check(spark: Any, tmp_path: Path) -> None:
    use(spark, "applyInPandasWithState")
    given = plain()
    times = pa.array([1_700_000_000_000_000 + 1_000_000 * i for i in range(ROWS)], pa.timestamp("us", "UTC"))
    given = given.set_column(1, "ts", times)
    feed = Feed(tmp_path / "in", "k bigint, ts timestamp, v double").add(given.slice(0, 300), given.slice(300))
    here = iw.Sentinel(0.3)
    window = iw.range("90 seconds", **BY)
    query = lambda df, sentinel: iw.with_columns(df, x=Forgetful()("v").over(window, sentinel=sentinel))  # noqa: E731
    batches = [given.slice(0, 300), given.slice(300)]
    iw.testing.replay(batches, lambda df: query(df, here), delay="5 seconds")
    run = finished(started(query(feed.read(spark), 0.3), tmp_path, name="watched"))
    told = metrics(run)
    run.stop()
    assert sum(one["checked"] for one in told) == here.checked > 50
    assert sum(one["deviations"] for one in told) == here.deviations > 50
    texts = [one["largest"] for one in told if one["largest"] is not None]
    assert here.largest is not None
    said = f"gave {here.largest.given} for the frame that ends at {here.largest.place.split(',')[0]}"
    assert any(said in text and f"give {here.largest.expected}" in text for text in texts)
