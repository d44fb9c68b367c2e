"""What a window holds at T is what holds at T: every frame, slide and extent against the definition of windows."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow import temporal
from inwindow.windows.reference import Row, extents, frames, yields

TIMES = st.lists(st.integers(-6, 20), min_size=1, max_size=9).map(sorted)
INSTANTS = range(-30, 60)


def held_at(times: list[int], window: Any, by: Any = None) -> dict[int, set[int]]:
    """The numbers of the tuples that hold, at each instant."""
    data = pa.table({"ts": pa.array(times, pa.int64()), "n": range(len(times))})
    result = temporal.window(data, window, by=by)
    ends = [(row["since"], row["until"], row["n"]) for row in result.to_pylist()]
    return {
        instant: {n for s, u, n in ends if (s is None or s <= instant) and (u is None or instant < u)}
        for instant in INSTANTS
    }


def frame_at(window: Any, times: list[int], instant: int) -> set[int]:
    """The frame of a row at this instant, that is not counted itself."""
    rows = [Row((t,), ()) for t in sorted([*times, instant])]
    place = max(i for i, row in enumerate(rows) if row.order == (instant,))
    (frame,) = [set(its) for i, its in enumerate(frames(window, rows)) if i == place]
    return {i - (i > place) for i in frame if i != place}


RANGES = {
    "range": iw.range(5, order_by="ts"),
    "now": iw.range(0, order_by="ts"),
    "lag": iw.range(5, lag=3, order_by="ts"),
    "following": iw.range_between(-2, 4, order_by="ts"),
    "behind": iw.range_between(1, 4, order_by="ts"),
    "unbounded range": iw.range_between(None, 0, order_by="ts"),
    "all": iw.range_between(None, None, order_by="ts"),
    "landmark": iw.landmark(since=3, order_by="ts"),
    "band": iw.landmark(since=3, until=12, order_by="ts"),
    "scope": iw.scope(lower=lambda t: t // 5 * 5, upper=lambda t: t // 5 * 5 + 2, order_by="ts"),
    "lower": iw.scope(lower=lambda t: t - 3 if t < 10 else max(7, t - 6), order_by="ts"),
    "upper": iw.scope(upper=lambda t: min(t, 8), order_by="ts"),
    "fractions": iw.range(2.5, order_by="ts"),
}


@pytest.mark.parametrize("name", RANGES)
@given(TIMES)
def test_frames_of_times(name: str, times: list[int]) -> None:
    window = RANGES[name]
    held = held_at(times, window)
    for instant in INSTANTS[15:-15]:
        assert held[instant] == frame_at(window, times, instant), instant


@pytest.mark.parametrize("name", ["range", "lag", "landmark"])
@given(TIMES, st.integers(1, 7), st.integers(0, 6))
def test_a_slide_by_time_is_the_frame_at_its_multiples(name: str, times: list[int], slide: int, origin: int) -> None:
    window = RANGES[name]
    from dataclasses import replace

    held = held_at(times, replace(window, slide=slide, origin=origin))
    for instant in INSTANTS[15:-15]:
        last = (instant - origin) // slide * slide + origin
        assert held[instant] == frame_at(window, times, last), instant


ROWS = {
    "rows": iw.rows(3, order_by="ts"),
    "one": iw.rows(1, order_by="ts"),
    "lag": iw.rows(2, lag=2, order_by="ts"),
    "following": iw.rows_between(-1, 2, order_by="ts"),
    "behind": iw.rows_between(1, 2, order_by="ts"),
    "unbounded": iw.unbounded(order_by="ts"),
    "all": iw.rows_between(None, None, order_by="ts"),
    "slide": iw.rows(4, slide=2, order_by="ts"),
    "tumble": iw.rows(2, slide=3, order_by="ts"),
    "emit": iw.rows(4, slide=3, final="emit", order_by="ts"),
    "groups": iw.groups(3, order_by="ts"),
    "groups, lag": iw.groups(2, lag=1, order_by="ts"),
    "groups following": iw.groups_between(-1, 2, order_by="ts"),
    "all groups to here": iw.groups_between(None, 0, order_by="ts"),
    "groups slide": iw.groups(4, slide=2, order_by="ts"),
    "groups emit": iw.groups(2, slide=3, final="emit", order_by="ts"),
    "range by rows": iw.range(5, slide=2, slide_by="rows", order_by="ts"),
}


@pytest.mark.parametrize("name", ROWS)
@given(TIMES)
def test_frames_of_rows(name: str, times: list[int]) -> None:
    """The frame of the newest tuple that gives a result, once all of its time have come."""
    window = ROWS[name]
    rows = [Row((t,), ()) for t in times]
    every, giving = frames(window, rows), yields(window, rows)
    held = held_at(times, window)
    for instant in INSTANTS[15:-15]:
        newest = [i for i in giving if times[i] <= instant]
        assert held[instant] == (set(every[newest[-1]]) if newest else set()), instant


EXTENTS = {
    "tumble": iw.tumble("ts", size=5),
    "hop": iw.hop("ts", size=10, every=4),
    "origin": iw.hop("ts", size=6, every=3, origin=1),
    "cumulate": iw.cumulate("ts", size=9, every=3),
}


@pytest.mark.parametrize("name", EXTENTS)
@given(TIMES)
def test_extents_hold_from_their_end_to_the_next_one(name: str, times: list[int]) -> None:
    extent = EXTENTS[name]
    ended = {end: set(held) for _, end, held in extents(extent, [Row((t,), ()) for t in times])}
    held, origin = held_at(times, extent), (extent.origin or 0) + extent.size % extent.every
    for instant in INSTANTS[15:-15]:
        last = (instant - origin) // extent.every * extent.every + origin
        assert held[instant] == ended.get(last, set()), instant


@given(TIMES)
def test_sessions(times: list[int]) -> None:
    runs = extents(iw.session("ts", gap=3), [Row((t,), ()) for t in times])
    held = held_at(times, iw.session("ts", gap=3))
    for instant in INSTANTS:
        wanted = {i for start, end, its in runs if start <= instant < end for i in its if times[i] <= instant}
        assert held[instant] == wanted


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), max_size=9))
def test_partitions_and_nulls(rows: list[tuple[str, int]]) -> None:
    """Each partition by itself; a tuple without a time came before all others, and takes its place among so many tuples."""
    data = pa.table(
        {"k": pa.array([k for k, _ in rows], pa.string()), "ts": pa.array([t or None for _, t in rows], pa.int64())}
    )
    result = temporal.window(data, iw.rows(2, partition_by="k", order_by="ts"))
    for instant in range(1, 10):
        found = temporal.at(result, instant).to_pylist()
        for k in "ab":
            times = sorted(t for key, t in rows if key == k and t <= instant)
            assert sorted(row["ts"] or 0 for row in found if row["k"] == k) == times[-2:]


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("ms", "UTC"), pa.timestamp("s")])
def test_times(kind: pa.DataType) -> None:
    data = pa.table({"ts": pa.array([0, 60], pa.int64()).cast(pa.timestamp("s")).cast(kind)})
    result = temporal.window(data, iw.range("1 minute", order_by="ts"))
    unit = pa.scalar(1, pa.duration(kind.unit)).as_py()
    for ts, since, until in zip(*(result[name].to_pylist() for name in ("ts", "since", "until")), strict=True):
        assert since == ts and until == ts + pa.scalar(60, pa.duration("s")).as_py() + unit


def test_beyond_the_type_is_for_ever() -> None:
    data = pa.table({"ts": pa.array([2**31 - 5], pa.int32())})
    assert temporal.window(data, iw.range(9, order_by="ts"))["until"].to_pylist() == [None]
