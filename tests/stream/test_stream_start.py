"""Backfill, then live: a stream that begins with the state of a history goes on as one long stream would have."""

from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.ids import Ids, IdsExpire, Leaving, Running
from samples.replays import TIMES, end_of, on_time, replayed, stream_windows, streams
from stream.test_stream import FRAMES, IDS, never_decided, ordered

import inwindow as iw
from inwindow.runtime.stream import log


@st.composite
def histories(draw: st.DrawFn, time: str) -> Any:
    """(history, until, later micro-batches, their watermarks), and the same as one stream with its watermarks."""
    batches, watermarks = draw(streams(time, IDS, pa.int64()))
    cut = draw(st.integers(0, len(batches) - 1))
    until = TIMES[time][1](draw(st.integers(-8, 16)))
    history = pa.concat_tables(batches[:cut]) if cut else batches[0].slice(0, 0)
    known = [mark for mark in watermarks[:cut] if mark is not None]
    later = [mark if mark is None or not known else max(mark, known[-1]) for mark in watermarks[cut:]]
    whole = [None, until, *(until if mark is None else max(mark, until) for mark in later)]
    return history, until, batches[cut:], later, [history, history.slice(0, 0), *batches[cut:]], whole


def started(drawn: Any, query: Any, time: str, data: st.DataObject) -> pa.Table:
    """The rows until the end of the history, and those of the stream that begins there; late tuples are those of one stream."""
    history, until, later, watermarks, whole, marks = drawn
    count = data.draw(st.sampled_from([1, 3]))
    state = iw.state_of(history, query, until=until, buckets=count)
    first = iw.testing.replay([history], query, watermarks=[None], until=until, buckets=count)
    restarts = data.draw(st.booleans())
    second = replayed(
        later,
        lambda df: iw.continued(query(df), state),
        restarts,
        watermarks=watermarks,
        until=end_of(time),
        buckets=count,
    )
    late = [i for its in (first, second) for table in its.late for i in table["id"].to_pylist()]
    assert sorted(late) == sorted(on_time(whole, marks)[1])
    return pa.concat_tables([first.table, second.table])


@pytest.mark.parametrize("time", ["int64", "timestamp"])
@given(data=st.data())
def test_frames(time: str, data: st.DataObject) -> None:
    drawn = data.draw(histories(time))
    windows = [data.draw(stream_windows(time, FRAMES))]
    windows.append(
        data.draw(stream_windows(time, FRAMES).filter(lambda its: its.partition_by == windows[0].partition_by))
    )
    prototype = data.draw(st.sampled_from([Ids(), IdsExpire(), Running()]))
    growing = iw.rows_between(None, 0, partition_by=windows[0].partition_by, order_by="t")
    applied = {
        "x": (Ids() if isinstance(prototype, Running) else prototype)("v").over(windows[0]),
        "n": iw.count("v").over(windows[1]),
        "g": prototype("v").over(growing),
    }
    table, _ = on_time(drawn[4], drawn[5])
    got = started(drawn, lambda df: iw.with_columns(df, **applied), time, data)
    waits = never_decided(table, windows[0]) | never_decided(table, windows[1])
    assert ordered(got) == [row for row in ordered(iw.with_columns(table, **applied)) if row["id"] not in waits]


EXTENTS = [
    iw.tumble("t", size=4), iw.hop("t", size=6, every=2), iw.session("t", gap=3), iw.tumble("t", rows=3),
    iw.cumulate("t", 6, every=2),
]  # fmt: skip


@given(data=st.data())
def test_extents(data: st.DataObject) -> None:
    extent = data.draw(st.sampled_from(EXTENTS))
    drawn = data.draw(histories("int64"))
    table, _ = on_time(drawn[4], drawn[5])

    def query(df: Any) -> Any:
        return iw.group_by(df, "k").window(extent).agg(x=Ids()("v"), n=iw.count())

    got = started(drawn, query, "int64", data)
    expected = query(table).to_pylist()
    if getattr(extent, "rows", False):  # the last one of a key may not be full
        expected = [row for row in expected if row["n"] == 3]
    assert sorted(map(str, got.to_pylist())) == sorted(map(str, expected))


@given(data=st.data())
def test_tuples_that_leave(data: st.DataObject) -> None:
    drawn = data.draw(histories("int64"))
    table, _ = on_time(drawn[4], drawn[5])
    window = iw.range(3, partition_by="k", order_by="t", active_expiration=True)

    def query(df: Any) -> Any:
        return iw.select(df, "id", iw.emitted_at().alias("at"), x=Leaving()("v").over(window))

    got = started(drawn, query, "int64", data)
    assert sorted(map(str, got.to_pylist())) == sorted(map(str, query(table).to_pylist()))


def test_arrival_order_has_no_end() -> None:
    table = pa.table({"v": [1, 2, 3]})

    def query(df: Any) -> Any:
        return iw.with_columns(df, s=iw.sum("v").over(iw.rows(3)))

    state = iw.state_of(table, query, buckets=1)
    assert iw.testing.replay([table], lambda df: iw.continued(query(df), state)).table["s"].to_pylist() == [6, 6, 6]


def test_a_state_is_a_table_that_can_be_saved(tmp_path: Any) -> None:
    """Also of a state in chunks; a replay's own state goes on, too."""
    import pyarrow.parquet as pq

    table = pa.table({"k": ["a", "b"] * 30, "t": list(range(60)), "v": [1.0] * 60})
    window = iw.range(40, partition_by="k", order_by="t")

    def query(df: Any) -> Any:
        return iw.with_columns(df, s=iw.sum("v").over(window))

    with patch.object(log, "FULL", 200):
        replay = iw.testing.replay([table.slice(0, 30)], query, watermarks=[None], until=30, buckets=3)
        pq.write_table(iw.state_of(replay), tmp_path / "state.parquet")
        saved = pq.read_table(tmp_path / "state.parquet")
        second = iw.testing.replay([table.slice(30)], lambda df: iw.continued(query(df), saved), until=99)
    assert iw.stream_state(saved, by="bucket")["watermark"].to_pylist() == [30] * 3
    rows = pa.concat_tables([replay.table, second.table]).sort_by("t")
    assert rows.equals(query(table))
