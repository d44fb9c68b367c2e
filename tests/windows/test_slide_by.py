"""A slide by one attribute, a frame over another: the window-id paper's Q3 and Q5, against SQL and pandas that say it in full.

Against the definition they run with all other windows (``streams.windows`` draws them). Here also Q2 and Q4, tuples counted over
the stream and within the partition.
"""

from datetime import datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import inwindow as iw

N, SECOND = 3000, np.timedelta64(1, "s")


@pytest.fixture(scope="module")
def traffic() -> pa.Table:
    """Speed readings with ties in time, in the order of ``ts``; ``row`` is the paper's row-num."""
    random = np.random.default_rng(5)
    ts = np.datetime64("2026-03-01T00:00:00", "us") + np.sort(random.integers(0, 4000, N)) * SECOND
    return pa.table(
        {
            "row": np.arange(N),
            "seg": random.integers(0, 5, N),
            "speed": random.integers(0, 40, N).astype(float),
            "ts": ts,
        }
    )


def in_sql(traffic: pa.Table, query: str) -> list[tuple[Any, ...]]:
    return duckdb.sql(query).fetchall()  # DuckDB finds ``traffic`` by its name


Q5 = """
    WITH numbered AS (SELECT *, row_number() OVER (PARTITION BY {seg} ORDER BY ts, row) AS rank FROM traffic)
    SELECT w.row, (SELECT count(*) FROM traffic u WHERE u.ts <= w.ts AND u.ts >= w.ts - INTERVAL 300 SECONDS AND {same})
    FROM numbered w WHERE rank % {slide} = 0 ORDER BY w.row
"""


@pytest.mark.parametrize("slide", [1, 5, 700])
@pytest.mark.parametrize("seg", [None, "seg"])
def test_q3_and_q5_a_range_of_time_every_n_tuples(traffic: pa.Table, seg: str | None, slide: int) -> None:
    window = iw.range("300 seconds", partition_by=seg or (), order_by="ts", slide=slide, slide_by="rows")
    ours = iw.select(traffic, "row", n=iw.count().over(window)).sort_by("row")
    theirs = in_sql(traffic, Q5.format(seg=seg or "1", slide=slide, same="u.seg = w.seg" if seg else "TRUE"))
    assert list(zip(*ours.to_pydict().values(), strict=True)) == theirs


@pytest.mark.parametrize("size", [1, 40, 5000])
@pytest.mark.parametrize("seg", [None, "seg"])
def test_the_last_tuples_at_the_end_of_each_minute(traffic: pa.Table, seg: str | None, size: int) -> None:
    window = iw.rows(size, partition_by=seg or (), order_by="ts", slide="1 minute")
    ours = iw.select(traffic, "row", hi=iw.max("speed").over(window), mean=iw.avg("speed").over(window)).sort_by("row")
    frame = traffic.to_pandas()
    keys = [frame["seg"]] if seg else [np.zeros(N)]
    rolled = frame["speed"].groupby(keys).rolling(size, min_periods=1).agg(["max", "mean"]).droplevel(0)
    last = frame.groupby([*keys, frame["ts"].dt.floor("1min")]).tail(1)["row"].sort_values()
    theirs = rolled.loc[last].reset_index(drop=True)
    assert ours.column("row").to_pylist() == last.to_list()
    assert ours.column("hi").to_pylist() == theirs["max"].to_list()
    np.testing.assert_allclose(ours.column("mean").to_numpy(), theirs["mean"], rtol=1e-12)


def test_q2_and_q4_tuples_of_the_stream_and_of_the_partition(traffic: pa.Table) -> None:
    def counts(scope: Any) -> list[Any]:
        hop = iw.hop("row", rows=1000, every=10, scope=scope)
        return sorted(
            (row["seg"], row["window"]["start"], row["n"])
            for row in iw.group_by(traffic, "seg").window(hop).agg(n=iw.count()).to_pylist()
        )

    query = """
        WITH numbered AS (SELECT seg, row_number() OVER ({over} ORDER BY row) - 1 AS r FROM traffic)
        SELECT seg, start, count(*) FROM numbered, range(-990, 3000, 10) AS s(start)
        WHERE start <= r AND r < start + 1000 GROUP BY seg, start ORDER BY seg, start
    """
    assert counts("stream") == in_sql(traffic, query.format(over=""))
    assert counts("partition") == in_sql(traffic, query.format(over="PARTITION BY seg"))


BIDS = pa.table({"t": [1, 2, 2, 7, 9, 12], "v": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})


class Log(iw.WindowAggregate):
    """Not blocking: says who is here, so that a restart would show."""

    inwindow: iw.InWindow

    def iterate(self, value: float) -> str:
        return ",".join(f"{one.value:.0f}" for one in self.inwindow)

    def expire(self, value: float) -> None: ...


def test_peers_behind_the_yield_tuple_are_in_its_range() -> None:
    ours = iw.select(BIDS, "v", all=iw.collect_list("v").over(iw.range(5, order_by="t", slide=2, slide_by="rows")))
    assert ours.to_pydict() == {"v": [2, 4, 6], "all": [[1, 2, 3], [2, 3, 4], [4, 5, 6]]}


def test_a_class_without_terminate_never_restarts() -> None:
    # In the frame's own unit, slide 4 over 3 tuples is a tumble; four order values may hold any number of tuples.
    assert iw.select(BIDS, l=Log()("v").over(iw.rows(3, order_by="t", slide=4))).to_pydict() == {"l": ["2,3,4"]}
    ours = iw.select(BIDS, l=Log()("v").over(iw.rows(3, order_by="t", slide=4, slide_by="range")))
    assert ours.to_pydict() == {"l": ["1,2,3", "2,3,4", "3,4,5", "4,5,6"]}


def test_a_slide_given_over_a_window_keeps_its_unit() -> None:
    by_rows = iw.range(5, order_by="t", slide=3, slide_by="rows")
    again = iw.select(BIDS, "v", n=iw.count().over(by_rows, slide=2))
    assert again.column("v").to_pylist() == [2, 4, 6]
    by_value = iw.select(BIDS, "v", n=iw.count().over(by_rows, slide_by="range"))
    assert by_value.column("v").to_pylist() == [3, 4, 5, 6]


def test_one_select_has_one_slide() -> None:
    same = {"order_by": "t", "slide": 2}
    made = iw.select(
        BIDS, a=iw.count().over(iw.rows(2, **same)), b=iw.count().over(iw.range(3, slide_by="rows", **same))
    )
    assert made.to_pydict() == {"a": [2, 2, 2], "b": [3, 1, 2]}
    with pytest.raises(iw.UsageError, match="the same slide; got a: 2 tuples, b: 2 in order values"):
        iw.select(BIDS, a=iw.count().over(iw.rows(2, **same)), b=iw.count().over(iw.range(3, **same)))


def test_explain_says_why_there_are_no_panes() -> None:
    text = str(iw.explain(BIDS, s=iw.sum("v").over(iw.range(5, order_by="t", slide=2, slide_by="rows"))))
    assert "s = sum(v) (order by t range between 5 preceding and current row slide 2 rows)" in text
    assert "tumble: not possible, the frame counts order values and the slide tuples: whether frames overlap" in text
    assert "pane-cascade: not possible, the lower end of a RANGE frame falls inside a pane" in text
    assert "strategy  delta" in text


def test_a_reader_holds_the_window_and_no_more() -> None:
    # Slots of two hours between tuples a minute apart, frames of 10 tuples.
    start, count = datetime(2026, 1, 1), 5000
    schema = pa.schema([("ts", pa.timestamp("us")), ("v", pa.float64())])
    batches = [
        pa.record_batch([[start + timedelta(minutes=m + i) for i in range(50)], [float(m + i) for i in range(50)]], schema=schema)
        for m in range(0, count, 50)
    ]  # fmt: skip
    reader = pa.RecordBatchReader.from_batches(schema, batches)
    ours = iw.select(reader, s=iw.sum("v").over(iw.rows(10, order_by="ts", slide="2 hours"))).read_all()
    last = [min(end, count) - 1 for end in range(120, count + 119, 120)]
    assert ours.column("s").to_pylist() == [float(sum(range(at - 9, at + 1))) for at in last]
    as_pandas = pd.Series(range(count), dtype=float).rolling(10).sum()[last]
    assert ours.column("s").to_pylist() == as_pandas.to_list()


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()], ids=str)
def test_a_landmark_that_no_yield_among_the_numbers_has_passed(kind: pa.DataType) -> None:
    """The only yield is behind the numbers, and the partition is over when it is asked for."""
    times = [1, 0, None] if kind == pa.int64() else [1.0, 0.0, float("nan"), None]
    table = pa.table({"k": ["a"] * len(times) + ["b"], "t": pa.array([*times, 0], kind), "id": range(len(times) + 1)})
    order = iw.desc("t") if kind == pa.int64() else iw.asc("t", nulls_first=False)
    for bound, expected in (({"until": 1}, [0]), ({"since": 1}, [0, 1, 2])):
        if kind != pa.int64():
            expected = [0, 1] if "until" in bound else [0, 2, 3]
        window = iw.landmark(**bound, partition_by="k", order_by=order, slide=len(times), slide_by="rows")
        given = iw.with_columns(table, x=iw.collect_list("id").over(window))["x"].to_pylist()
        assert [None if one is None else sorted(one) for one in given] == [*[None] * (len(times) - 1), expected, None]
