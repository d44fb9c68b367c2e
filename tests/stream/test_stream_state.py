"""``iw.stream_state``: what is in a state, counted from its bytes, is what the tuples say."""

from collections import Counter
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.ids import Running
from samples.replays import TIMES, on_time, streams

import inwindow as iw
from inwindow.runtime.stream import log
from inwindow.runtime.stream.inspection import READERS, inspected

VALUES = st.integers(-5, 5).map(float)


def processed(batches: list[pa.Table], watermarks: list[Any]) -> tuple[list[dict[str, Any]], Any]:
    """The tuples that are not late, and the last watermark."""
    known = [mark for mark in watermarks if mark is not None]
    return on_time(batches, watermarks)[0].to_pylist(), known[-1] if known else None


@pytest.mark.parametrize("time", ["int64", "timestamp"])
@given(data=st.data())
def test_keys_of_frames(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, VALUES))
    size = data.draw(st.sampled_from(TIMES[time][2]))
    window = iw.range(size, partition_by="k", order_by="t")
    growing = iw.unbounded(partition_by="k", order_by="t")

    def query(df: Any) -> Any:
        return iw.with_columns(df, s=iw.sum("v").over(window), r=Running()("id").over(growing))

    replay = iw.testing.replay(batches, query, watermarks=watermarks, buckets=data.draw(st.sampled_from([1, 3])))
    rows, done = processed(batches, watermarks)
    state = {row["key"]["k"]: row for row in iw.stream_state(replay).to_pylist()}
    waiting = Counter(row["k"] for row in rows if done is None or row["t"] >= done)
    gone = Counter(row["k"] for row in rows if done is not None and row["t"] < done)
    assert {key: row["waiting_tuples"] for key, row in state.items() if row["waiting_tuples"]} == waiting
    assert {key: row["seen_tuples"] for key, row in state.items() if row["seen_tuples"]} == gone
    assert {key for key, row in state.items() if row["aggregate_bytes"]} == set(gone)
    for key, row in state.items():
        newest = max((one["t"] for one in rows if one["k"] == key), default=None)
        assert row["newest"] is None or row["newest"] == newest
        assert row["watermark"] == done and row["held_tuples"] <= gone[key]
    whole = iw.stream_state(replay, by="bucket")
    assert sum(whole["late_tuples"].to_pylist()) == sum(map(len, replay.late))
    assert sum(whole["waiting_tuples"].to_pylist()) == waiting.total()
    assert whole["state_bytes"].to_pylist() == [len(one) for one in replay.state["content"].to_pylist()]
    assert max(whole["newest"].drop_null().to_pylist(), default=None) == max(
        state and (one["newest"] for one in state.values() if one["newest"] is not None), default=None
    )


@given(data=st.data())
def test_tuples_of_open_extents(data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams("int64", VALUES))

    def query(df: Any) -> Any:
        return iw.group_by(df, "k").window(iw.tumble("t", size=5)).agg(n=iw.count())

    replay = iw.testing.replay(batches, query, watermarks=watermarks, buckets=2)
    rows, done = processed(batches, watermarks)
    still = Counter(row["k"] for row in rows if done is None or row["t"] // 5 * 5 + 5 > done)
    state = iw.stream_state(replay).to_pylist()
    assert {row["key"]["k"]: row["held_tuples"] + row["waiting_tuples"] for row in state} == still


def test_a_head_and_its_chunks_are_the_state() -> None:
    table = pa.table({"k": ["a", "b"] * 40, "t": list(range(80)), "v": [1.0] * 80})
    window = iw.range(50, partition_by="k", order_by="t")
    replay = iw.testing.replay([table], lambda df: iw.with_columns(df, s=iw.sum("v").over(window)), until=70, buckets=1)
    (bucket,) = replay.buckets
    with patch.object(log, "FULL", 200):
        changed = bucket.changed()
    assert changed.chunks
    for by in ("key", "bucket"):
        whole = iw.stream_state(replay, by=by).to_pylist()
        found = READERS[by](inspected(changed.head, changed.chunks.__getitem__)).to_pylist()
        if by == "bucket":
            assert found[0].pop("state_bytes") == changed.size and whole[0].pop("state_bytes")
        assert sorted(map(str, found)) == sorted(map(str, whole))


class Hidden:
    """Of a class that only this test knows."""


class Holds(iw.Aggregate):
    """Its state must be pickled."""

    def initialize(self, value: float) -> None:
        self.held = [Hidden()]

    def iterate(self, value: float) -> None: ...

    def terminate(self) -> int:
        return len(self.held)


def test_nothing_is_unpickled() -> None:
    table = pa.table({"t": [1, 2], "v": [1.0, 2.0]})
    window = iw.unbounded(order_by="t")
    replay = iw.testing.replay([table], lambda df: iw.with_columns(df, x=Holds()("v").over(window)), until=9, buckets=1)
    with patch("pickle.loads", side_effect=AssertionError), patch("pickle.Unpickler", side_effect=AssertionError):
        (row,) = iw.stream_state(replay).to_pylist()
    assert "key" not in row and row["aggregate_bytes"] > 0 and row["seen_tuples"] == 2


def test_what_else_is_kept() -> None:
    """Keys without tuples whose extents are filled; in arrival order; late tuples of another query."""
    table = pa.table({"k": ["a", "b"], "t": [1, 2], "v": [1.0, 2.0]})
    filled = iw.testing.replay(
        [table],
        lambda df: iw.group_by(df, "k").window(iw.tumble("t", size=5, fill="previous", quiet=50)).agg(n=iw.count()),
        until=20, buckets=1,
    )  # fmt: skip
    assert iw.stream_state(filled, by="bucket")["keys"].to_pylist() == [2]
    arriving = iw.testing.replay(
        [table], lambda df: iw.with_columns(df, n=iw.count().over(iw.rows(2, partition_by="k"))), buckets=1
    )
    rows = iw.stream_state(arriving).to_pylist()
    assert [row["held_tuples"] for row in rows] == [1, 1]
    assert {(row["oldest"], row["watermark"]) for row in rows} == {(None, None)}


@pytest.mark.parametrize("kind", ["timestamp", "seconds", "date"])
def test_times_have_their_types(kind: str) -> None:
    type_, moment, sizes, _ = TIMES[kind]
    table = pa.table({"k": ["a"], "t": pa.array([moment(3)], type_)})
    window = iw.range(sizes[1], partition_by="k", order_by="t")
    replay = iw.testing.replay([table], lambda df: iw.with_columns(df, n=iw.count().over(window)), until=moment(3))
    state = iw.stream_state(replay)
    assert {state.schema.field(name).type for name in ("oldest", "newest", "watermark")} == {type_}
    assert state["watermark"].to_pylist() == state["oldest"].to_pylist() == [moment(3)]
