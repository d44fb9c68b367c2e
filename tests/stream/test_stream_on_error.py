"""``on_error=`` on streams: the rows of the batch run, and each bad tuple once, over restarts."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.picky import LEAVING, WITH_TERMINATE, WITHOUT, PickyIds, is_refused
from samples.replays import end_of, on_time, replayed, stream_windows, streams

import inwindow as iw
from inwindow.runtime import guarded

KINDS = ("trailing rows", "unbounded rows", "trailing range", "lagging range", "landmark", "trailing groups")
VALUES = st.one_of(st.integers(0, 19), st.none())


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(guarded, "_FIRST", 2)
    yield


def drawn(data: st.DataObject, time: str = "int64") -> tuple[list[pa.Table], list[Any]]:
    """Micro-batches in which the argument decides, and their watermarks."""
    batches, watermarks = data.draw(streams(time, VALUES, pa.int64()))
    return [batch.append_column("row", batch["id"]) for batch in batches], watermarks


def check(data: st.DataObject, batches: list[pa.Table], watermarks: list[Any], time: str, query: Any) -> None:
    """The stream with hooks that raise gives the rows of the batch with the tuples that they take."""
    restarts = data.draw(st.booleans())
    given = replayed(
        batches, lambda df: query(df, "collect"), restarts, watermarks=watermarks, until=end_of(time), buckets=2
    )
    table = on_time(batches, watermarks)[0]
    expected = query(table, "collect")
    assert sorted(map(repr, given.table.to_pylist())) == sorted(map(repr, expected.to_pylist()))
    letters = iw.failed(given).to_pylist()
    found = [(one["aggregate"], repr(one["tuple"])) for one in letters]
    whole = [(one["aggregate"], repr(one["tuple"])) for one in iw.failed(expected).to_pylist()]
    assert sorted(found) == sorted(whole)
    assert all(is_refused(one["tuple"]["v"]) for one in letters)
    outputs = iw.outputs(given).to_pylist()
    assert [one["failed"] for one in outputs if one["kind"] == "failed"] == letters
    assert [one["row"] for one in outputs if one["kind"] == "row"] == given.table.to_pylist()


@given(data=st.data())
def test_frames(data: st.DataObject) -> None:
    time = data.draw(st.sampled_from(["int64", "timestamp"]))
    batches, watermarks = drawn(data, time)
    first = data.draw(st.sampled_from([picky for picky, _ in WITH_TERMINATE]))
    second = data.draw(st.sampled_from([picky for picky, _ in (*WITH_TERMINATE, *WITHOUT)]))
    window = data.draw(stream_windows(time, KINDS))
    other = (
        iw.rows(3, partition_by=window.partition_by, order_by="t") if window.partition_by else iw.rows(3, order_by="t")
    )

    def query(df: Any, on_error: str) -> Any:
        return iw.with_columns(
            df,
            x=first(
                "v",
            ).over(window),
            y=second("v").filter("ok").over(other),
            on_error=on_error,
        )

    check(data, batches, watermarks, time, query)


@given(data=st.data())
def test_extents(data: st.DataObject) -> None:
    batches, watermarks = drawn(data)
    one = data.draw(st.sampled_from([picky for picky, _ in WITH_TERMINATE]))
    extents = [iw.tumble("t", size=4), iw.hop("t", size=6, every=2), iw.session("t", gap=2)]
    extent = data.draw(st.sampled_from(extents))

    def query(df: Any, on_error: str) -> Any:
        return iw.group_by(df, "k").window(extent).agg(x=one("v"), on_error=on_error)

    check(data, batches, watermarks, "int64", query)


@given(data=st.data())
def test_active_expiration(data: st.DataObject) -> None:
    batches, watermarks = drawn(data)
    one = data.draw(st.sampled_from([picky for picky, _ in LEAVING]))
    window = iw.range(data.draw(st.integers(0, 6)), partition_by="k", order_by="t", active_expiration=True)

    def query(df: Any, on_error: str) -> Any:
        return iw.select(df, "k", "t", iw.emitted_at(), x=one("v").over(window), on_error=on_error)

    check(data, batches, watermarks, "int64", query)


def test_a_checkpoint_may_go_on_from_skip_with_collect_but_not_with_fail() -> None:
    batches = [pa.table({"t": [1, 2], "v": [1, 3]})]
    schema = batches[0].schema

    def bucket(on_error: str) -> Any:
        from inwindow.runtime.stream.replay_stream import Stream

        plan = iw.with_columns(Stream(schema), x=PickyIds()("v").over(iw.rows(2, order_by="t")), on_error=on_error)
        return plan.bucket()

    skips = bucket("skip")
    skips.step(batches[0].to_batches()[0], None)
    skips.step(None, 9)
    collects = bucket("collect")
    collects.restore(skips.state())
    given = collects.step(pa.table({"t": [9, 10], "v": [8, 4]}).to_batches()[0], 11)
    assert given.failures == 1 and given.rows.column("x").to_pylist() == [None, [4]]
    assert [one["tuple"] for one in given.failed.to_pylist()] == [{"t": 9, "v": 8}]
    with pytest.raises(iw.StateError, match="on_error"):
        bucket("fail").restore(skips.state())
