"""A changed query over the state of an earlier one: what is accepted gives the rows of a batch run, what is not is refused."""

from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.ids import Ids, IdsExpire, Running
from samples.replays import end_of, on_time, replayed, streams
from stream.test_stream import IDS, ordered

import inwindow as iw
from inwindow.runtime.stream import log
from inwindow.runtime.stream.replay_stream import Stream

BY = {"partition_by": "k", "order_by": "t"}
WIDE, GROWING = iw.range(6, **BY), iw.unbounded(**BY)
OLD = {
    "s": iw.sum("v").over(WIDE), "x": Ids()("v").over(WIDE), "r": iw.max("v").over(iw.rows(5, **BY)),
    "g": iw.sum("v").over(GROWING), "h": Running()("v").over(GROWING), "e": IdsExpire()("v").over(iw.rows(5, **BY)),
}  # fmt: skip
COVERED = {
    "same": lambda: iw.min("v").over(WIDE),
    "narrower": lambda: Ids()("v").over(iw.range(3, **BY)),
    "behind": lambda: iw.sum("v").over(iw.range_between(-6, -2, **BY)),
    "ahead": lambda: iw.sum("v").over(iw.range_between(-2, 2, **BY)),
    "rows": lambda: iw.median("v").over(iw.rows(3, **BY)),
    "filtered": lambda: iw.count("v").filter("ok").over(iw.rows(5, **BY)),
    "least": lambda: iw.sum("v").over(iw.range(4, min_count=2, **BY)),
}


def changed(drawn: Any, old: Any, new: Any, restarts: bool = False, changes: str = "exact") -> tuple[pa.Table, Any]:
    """The rows before the change, and the replay after it."""
    batches, watermarks, cut = drawn
    before = iw.testing.replay(batches[:cut], old, watermarks=watermarks[:cut], buckets=2)
    state = iw.state_of(before)
    known = [mark for mark in watermarks[:cut] if mark is not None]
    later = [mark if mark is None or not known else max(mark, known[-1]) for mark in watermarks[cut:]]
    after = replayed(
        batches[cut:], lambda df: iw.continued(new(df), state, changes=changes), restarts, watermarks=later,
        until=end_of("int64"), buckets=2,
    )  # fmt: skip
    return before.table, after


@st.composite
def cut_streams(draw: st.DrawFn) -> Any:
    """Micro-batches, watermarks, and how many of them come before the change."""
    batches, watermarks = draw(streams("int64", IDS, pa.int64()))
    batches, watermarks = [*batches, batches[0].slice(0, 0)], [*watermarks, watermarks[-1]]
    return batches, watermarks, draw(st.integers(1, len(batches) - 1))


def columns(df: Any, applied: dict[str, Any]) -> Any:
    return iw.with_columns(df, **applied)


@given(data=st.data())
def test_exact_changes_of_frames(data: st.DataObject) -> None:
    """Removed, renamed and moved aggregates, and new ones whose frames are held: the rows are those of a batch run."""
    drawn = data.draw(cut_streams())
    first = {name: OLD[name] for name in data.draw(st.permutations(list(OLD)))[: data.draw(st.integers(1, 6))]}
    kept = data.draw(st.permutations(list(first)))[: data.draw(st.integers(0, len(first)))]
    new = {data.draw(st.sampled_from([name, f"{name}_renamed"])): first[name] for name in kept}
    held = {"range": {"s", "x"} & {*first}, "rows": {"r", "e"} & {*first}}
    possible = [
        name for name in COVERED
        if (held["rows"] if name in ("rows", "filtered") else held["range"])
    ]  # fmt: skip
    for name in data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []:
        new[name] = COVERED[name]()
    if not new:
        return
    seen, after = changed(drawn, lambda df: columns(df, first), lambda df: columns(df, new), data.draw(st.booleans()))
    table, _ = on_time(*drawn[:2])
    gone = set(seen["id"].to_pylist())
    expected = [row for row in ordered(iw.with_columns(table, **new)) if row["id"] not in gone]
    assert ordered(after.table) == expected


@given(data=st.data())
def test_exact_changes_of_extents(data: st.DataObject) -> None:
    drawn = data.draw(cut_streams())
    extent = data.draw(st.sampled_from([iw.tumble("t", size=4), iw.session("t", gap=3), iw.hop("t", 6, 2)]))
    calls = {"n": iw.count(), "s": iw.sum("v"), "x": Ids()("v"), "m": iw.median("v")}
    first = {name: calls[name] for name in ("s", *data.draw(st.lists(st.sampled_from(list(calls)), unique=True)))}
    new = {
        f"new_{name}": calls[name]
        for name in data.draw(st.lists(st.sampled_from(list(calls)), unique=True, min_size=1))
    }

    def query(df: Any, applied: Any) -> Any:
        return iw.group_by(df, "k").window(extent).agg(**applied)

    seen, after = changed(drawn, lambda df: query(df, first), lambda df: query(df, new), data.draw(st.booleans()))
    table, _ = on_time(*drawn[:2])
    gone = {str((row["k"], row["window"])) for row in seen.to_pylist()}
    expected = [row for row in query(table, new).to_pylist() if str((row["k"], row["window"])) not in gone]
    assert sorted(map(str, after.table.to_pylist())) == sorted(map(str, expected))


@given(data=st.data())
def test_a_wider_window_from_now(data: st.DataObject) -> None:
    """Frames within what is held are exact; no frame has a tuple that the batch run does not have."""
    drawn = data.draw(cut_streams())
    old, new = {"x": Ids()("v").over(iw.range(3, **BY))}, {"x": Ids()("v").over(WIDE)}
    seen, after = changed(
        drawn, lambda df: columns(df, old), lambda df: columns(df, new), data.draw(st.booleans()), "from now"
    )
    table, _ = on_time(*drawn[:2])
    known = [mark for mark in drawn[1][: drawn[2]] if mark is not None]
    whole = {row["id"]: row for row in iw.with_columns(table, **new).to_pylist()}
    assert {*whole} == {*seen["id"].to_pylist(), *after.table["id"].to_pylist()}
    for row in after.table.to_pylist():
        if not known or row["t"] - 6 >= known[-1] - 3:
            assert row == whole[row["id"]]


class Above(iw.Aggregate, returns="bigint"):
    """Counts values above a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def initialize(self, value: int) -> None:
        self.count = 0
        self.iterate(value)

    def iterate(self, value: int) -> None:
        self.count += value > self.limit

    def terminate(self) -> int:
        return self.count


BATCHES = [
    pa.table({"k": ["a"] * 3, "t": [1, 2, 3], "v": [1, 5, 9]}),
    pa.table({"k": ["a"] * 2, "t": [4, 9], "v": [5, 9]}),
]


def after_change(old: Any, new: Any, **options: Any) -> list[Any]:
    state = iw.state_of(BATCHES[0], old, until=4, buckets=1)
    query = lambda df: iw.continued(new(df), state, **options)  # noqa: E731
    return iw.testing.replay([BATCHES[1]], query, until=99, buckets=1).table.to_pylist()


def test_changed_parameters_from_now() -> None:
    """Over a moving frame the new code sees whole frames; over a growing one it goes on from the old state."""

    def query(limit: int) -> Any:
        return lambda df: iw.with_columns(df, m=Above(limit)("v").over(WIDE), g=Above(limit)("v").over(GROWING))

    with pytest.raises(iw.StateError, match="the parameter limit of m: 4 in the state, 8 in the query"):
        after_change(query(4), query(8))
    with pytest.raises(
        iw.StateError, match="to take g nevertheless, write iw.continued.result, changes='from now'.: its state"
    ):
        after_change(query(4), query(8))
    rows = after_change(query(4), query(8), changes="from now")
    assert [(row["m"], row["g"]) for row in rows] == [(1, 2), (2, 3)]


def test_a_new_column_from_now() -> None:
    """Tuples that were held without it have NULL there."""
    extent = iw.tumble("t", 50)

    def old(df: Any) -> Any:
        return iw.group_by(df, "k").window(extent).agg(n=iw.count())

    def new(df: Any) -> Any:
        return iw.group_by(df, "k").window(extent).agg(n=iw.count(), s=iw.sum("v"))

    state = iw.state_of(BATCHES[0].drop_columns(["v"]), old, until=4, buckets=1)
    with pytest.raises(iw.StateError, match="the type of the column v is only in the query"):
        iw.testing.replay([BATCHES[1]], lambda df: iw.continued(new(df), state), until=99)
    replay = iw.testing.replay([BATCHES[1]], lambda df: iw.continued(new(df), state, changes="from now"), until=99)
    (row,) = replay.table.to_pylist()
    assert (row["n"], row["s"]) == (5, 14)


def frames(**applied: Any) -> Any:
    return lambda df: iw.with_columns(df, **applied)


S = iw.sum("v")
REFUSED = {
    "a growing frame": (
        frames(s=S.over(WIDE), g=S.over(GROWING)),
        "goes on from tuple to tuple, and the state has none",
    ),
    "numbers": (
        frames(s=S.over(WIDE), n=iw.row_number().over(GROWING)),
        "counts the tuples of each key|goes on from tuple",
    ),
    "a slide": (frames(s=S.over(iw.range(6, slide=2, **BY))), "of which the state holds no tuples"),
    "other keys": (frames(s=S.over(iw.range(6, order_by="t"))), "the keys: k in the state, none in"),
    "another verb": (lambda df: iw.select(df, "k", "v", s=S.over(WIDE)), "the rows: one for each tuple in the state"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_always_refused(case: str) -> None:
    new, said = REFUSED[case]
    for changes in ("exact", "from now"):
        with pytest.raises(iw.StateError, match=said):
            after_change(lambda df: iw.with_columns(df, s=iw.sum("v").over(WIDE)), new, changes=changes)


def test_chunks_of_an_earlier_query() -> None:
    """Chunks are never written again: they keep the columns that an earlier query read."""
    table = pa.table({"k": ["a", "b"] * 30, "t": list(range(60)), "v": [1] * 60, "w": [2] * 60})

    def bucket(names: str, **applied: Any) -> Any:
        return iw.select(Stream(table.schema), *names, **applied).bucket()

    window = iw.range(50, **BY)
    first = bucket("ktvw", s=iw.sum("v").over(window))
    first.step(table.slice(0, 50), 40)
    with patch.object(log, "FULL", 200):
        stored = first.changed()
        assert stored.chunks
        second = bucket("k", n=iw.count().over(window))
        second.restore(stored.head, stored.chunks.__getitem__)
        second.step(table.slice(50), 55)
        again = second.changed()
    third = bucket("k", renamed=iw.count().over(window))
    third.restore(again.head, {**stored.chunks, **again.chunks}.__getitem__)
    rows = third.step(None, 99).rows
    assert rows.column(1).to_pylist() == [26] * 5
