"""A stream gives what the batch run gives over the same tuples: however it is cut, disordered, stopped and restarted."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.against_definition import equal
from samples.ids import (
    Doubling,
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsNaive,
    IdsPunt,
    IdsWithBase,
    Leaving,
    LeavingTwice,
    Live,
    Longest,
    LongestInWindow,
    Running,
    RunningOr,
)
from samples.plain_builtins import TABLE
from samples.replays import TIMES, end_of, on_time, replayed, stream_windows, streams

import inwindow as iw
from inwindow.windows.spec import Groups, Rows

BLOCKING = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive, IdsWithBase, Longest]
EMITTING = [Running, RunningOr, Live, Doubling]
FRAMES = (
    "rows",
    "unbounded rows",
    "groups",
    "trailing groups",
    "range",
    "trailing range",
    "lagging range",
    "landmark",
    "scope",
)
ROUNDED = (
    "var",
    "stddev",
    "skewness",
    "kurtosis",
    "cov",
    "corr",
    "regr",
    "ewm",
)  # the last bits depend on how a frame was reached
IDS = st.one_of(st.integers(0, 30), st.none())
SMALL = st.one_of(st.integers(-5, 5).map(float), st.none())


def ordered(table: pa.Table) -> list[dict[str, Any]]:
    return table.sort_by("id").to_pylist()


def same_late(replay: Any, late: list[int]) -> None:
    assert sorted(i for table in replay.late for i in table["id"].to_pylist()) == sorted(late)


def never_decided(table: pa.Table, window: Any) -> set[int]:
    """The tuples whose frames wait for rows that do not come."""
    frame = window.frame
    if not (isinstance(frame, (Rows, Groups)) and frame.upper > 0):
        return set()
    partitions: dict[Any, list[tuple[Any, int]]] = {}
    in_order = sorted(table.to_pylist(), key=lambda row: row["t"])
    for row in in_order:
        partitions.setdefault(row["k"] if window.partition_by else None, []).append((row["t"], row["id"]))
    if isinstance(frame, Rows):
        return {i for its in partitions.values() for _, i in its[-frame.upper :]}
    last = {k: set(sorted({t for t, _ in its})[-frame.upper :]) for k, its in partitions.items()}
    return {i for k, its in partitions.items() for t, i in its if t in last[k]}


@pytest.mark.parametrize("time", TIMES)
@given(data=st.data())
def test_with_columns(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    window = data.draw(stream_windows(time, FRAMES))
    prototype = data.draw(st.sampled_from(BLOCKING))()
    applied = {"x": prototype("v").over(window), "n": iw.count("v").over(window)}
    if data.draw(st.booleans()):
        applied = {name: one.filter("ok") for name, one in applied.items()}
    table, late = on_time(batches, watermarks)
    got = replayed(
        batches, lambda df: iw.with_columns(df, **applied), data.draw(st.booleans()), watermarks=watermarks,
        until=end_of(time), buckets=data.draw(st.sampled_from([1, 3])),
    )  # fmt: skip
    same_late(got, late)
    waits = never_decided(table, window)
    expected = [row for row in ordered(iw.with_columns(table, **applied)) if row["id"] not in waits]
    assert ordered(got.table) == expected


@given(data=st.data())
def test_frames_with_holes(data: st.DataObject) -> None:
    time = data.draw(st.sampled_from(["int64", "timestamp"]))
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    window = data.draw(stream_windows(time, FRAMES, holes=True))
    prototype = data.draw(st.sampled_from([Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow]))()
    calls = [prototype("v"), iw.sum("v"), iw.max("v"), iw.median("v"), iw.collect_list("v")]
    applied = {f"x{number}": one.over(window) for number, one in enumerate(calls)}
    table, late = on_time(batches, watermarks)
    got = replayed(
        batches, lambda df: iw.with_columns(df, **applied), data.draw(st.booleans()), watermarks=watermarks,
        until=end_of(time), buckets=data.draw(st.sampled_from([1, 3])),
    )  # fmt: skip
    same_late(got, late)
    waits = never_decided(table, window)
    expected = [row for row in ordered(iw.with_columns(table, **applied)) if row["id"] not in waits]
    assert ordered(got.table) == expected


@pytest.mark.parametrize("time", ["int64", "timestamp"])
@given(data=st.data())
def test_several_windows_at_once(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    partition_by = data.draw(st.sampled_from([(), ("k",)]))
    kinds = [*BLOCKING, *EMITTING]
    applied: dict[str, Any] = {}
    for number in range(data.draw(st.integers(2, 4))):
        prototype = data.draw(st.sampled_from(kinds))()
        emits = prototype.__class__ in EMITTING
        frames = ("trailing rows", "trailing range", "trailing groups", "unbounded rows") if emits else FRAMES
        window = data.draw(stream_windows(time, frames).filter(lambda w: w.partition_by == partition_by))
        if isinstance(prototype, Doubling):
            prototype = Running()
        applied[f"x{number}"] = prototype("v").over(window)
    table, late = on_time(batches, watermarks)
    got = replayed(batches, lambda df: iw.with_columns(df, **applied), True, watermarks=watermarks, until=end_of(time))
    same_late(got, late)
    waits = set().union(*(never_decided(table, one.window) for one in applied.values()))
    expected = [row for row in ordered(iw.with_columns(table, **applied)) if row["id"] not in waits]
    assert ordered(got.table) == expected


@pytest.mark.parametrize("time", ["int64", "timestamp"])
@given(data=st.data())
def test_select_of_emissions(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    window = data.draw(stream_windows(time, ("trailing rows", "trailing range", "trailing groups", "unbounded rows")))
    applied = data.draw(st.sampled_from(EMITTING))()("v").over(window)
    table, late = on_time(batches, watermarks)
    got = replayed(
        batches,
        lambda df: iw.select(df, "id", x=applied),
        data.draw(st.booleans()),
        watermarks=watermarks,
        until=end_of(time),
    )
    same_late(got, late)
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, iw.select(table, "id", x=applied).to_pylist()))


@given(data=st.data())
def test_peers_are_equal_in_all_order_columns(data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams("int64", st.one_of(st.integers(0, 2), st.none()), pa.int64()))
    by: dict[str, Any] = {"partition_by": data.draw(st.sampled_from([(), ("k",)])), "order_by": ("t", "v")}
    if data.draw(st.booleans()):
        by |= {"slide_by": "rows", "slide": data.draw(st.integers(1, 4))}
    applied = {"peers": Ids()("id").over(iw.range_between(0, 0, **by)), "n": iw.count().over(iw.unbounded(**by))}
    if data.draw(st.booleans()):
        applied["live"] = Live()("id").over(iw.range_between(0, 0, **by))
    table, late = on_time(batches, watermarks)
    query = lambda df: iw.with_columns(df, **applied)  # noqa: E731
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of("int64"))
    same_late(got, late)
    assert ordered(got.table) == ordered(query(table))


@given(data=st.data())
def test_emissions_of_groups(data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams("int64", IDS, pa.int64()))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    query = lambda df: iw.group_by(df, *keys, order_by="t").emit("t", "id", x=Doubling()("id"))  # noqa: E731
    table, late = on_time(batches, watermarks)
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of("int64"))
    same_late(got, late)
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, query(table).to_pylist()))


@pytest.mark.parametrize("time", TIMES)
@given(data=st.data())
def test_active_expiration(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    size = data.draw(st.sampled_from([size for size in TIMES[time][2] if size != "1500 ms"]))
    window = iw.range(size, order_by="t", partition_by=data.draw(st.sampled_from([(), ("k",)])), active_expiration=True)
    applied = data.draw(st.sampled_from([Leaving, LeavingTwice]))()("v").over(window)
    table, late = on_time(batches, watermarks)
    query = lambda df: iw.select(df, "id", iw.emitted_at().alias("at"), x=applied)  # noqa: E731
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of(time))
    same_late(got, late)
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, query(table).to_pylist()))
    for rows, watermark in zip(got.batches, got.watermarks, strict=True):
        assert all(watermark is not None and at < watermark for at in rows["at"].to_pylist())


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
@settings(max_examples=settings.default.max_examples // 3)
@given(data=st.data())
def test_built_ins(row: Any, data: st.DataObject) -> None:
    values = SMALL if row.kind == pa.float64() else row.values
    time = data.draw(st.sampled_from(["int64", "timestamp"]))
    batches, watermarks = data.draw(streams(time, values, row.kind, second=True))
    window = data.draw(stream_windows(time, FRAMES))
    applied = row.ours(*row.columns).over(window)
    table, late = on_time(batches, watermarks)
    got = replayed(
        batches,
        lambda df: iw.with_columns(df, x=applied),
        data.draw(st.booleans()),
        watermarks=watermarks,
        until=end_of(time),
    )
    waits = never_decided(table, window)
    expected = [r for r in ordered(iw.with_columns(table, x=applied)) if r["id"] not in waits]
    if any(map(row.ours.__name__.startswith, ROUNDED)):
        ours = ordered(got.table)
        assert [r["id"] for r in ours] == [r["id"] for r in expected]
        pairs = zip(ours, expected, strict=True)
        assert all(equal(a["x"], b["x"], scale=1000, ulps=10**6) for a, b in pairs), (ours, expected)
    else:
        assert repr(ordered(got.table)) == repr(expected)


@pytest.mark.parametrize("time", TIMES)
@given(data=st.data())
def test_extents(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    size, every = data.draw(st.sampled_from(TIMES[time][3])), data.draw(st.sampled_from(TIMES[time][3]))
    kinds = [
        iw.hop("t", size=size, every=every),
        iw.tumble("t", size=size),
        iw.cumulate("t", size=size, every=size),
        iw.session("t", gap=size),
    ]
    extent = data.draw(st.sampled_from(kinds))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    prototype = data.draw(st.sampled_from([Ids, IdsMerge, IdsExpire, IdsAll, Longest, LongestInWindow]))()
    applied = {"x": prototype("v"), "n": iw.count(), "total": iw.sum("v"), "m": iw.median("v")}
    table, late = on_time(batches, watermarks)
    query = lambda df: iw.group_by(df, *keys).window(extent).agg(**applied)  # noqa: E731
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of(time))
    same_late(got, late)
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, query(table).to_pylist()))
    for rows, watermark in zip(got.batches, got.watermarks, strict=True):
        assert all(watermark is not None and window["end"] <= watermark for window in rows["window"].to_pylist())


@pytest.mark.parametrize("time", ["int64", "timestamp", "date"])
@given(data=st.data())
def test_sessions_of_own_gaps_and_ends(time: str, data: st.DataObject) -> None:
    """A tuple's gap comes with it, and waits with it; a session without an end stays open for ever."""
    batches, watermarks = data.draw(streams(time, st.one_of(st.integers(-1, 9), st.none()), pa.int64()))
    batches = [_with_own_ends(table) for table in batches]
    session = data.draw(st.sampled_from([iw.session("t", gap="gap"), iw.session("t", until="until")]))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    applied = {"x": IdsMerge()("id"), "n": iw.count(), "total": iw.sum("v"), "m": iw.median("v")}
    table, late = on_time(batches, watermarks)
    query = lambda df: iw.group_by(df, *keys).window(session).agg(**applied)  # noqa: E731
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of(time))
    same_late(got, late)
    wanted = [row for row in query(table).to_pylist() if row["window"]["end"] is not None]
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, wanted))
    for rows, watermark in zip(got.batches, got.watermarks, strict=True):
        assert all(watermark is not None and window["end"] < watermark for window in rows["window"].to_pylist())


def _with_own_ends(table: pa.Table) -> pa.Table:
    """``gap``: so many seconds, days or units as v says; ``until``: the tuple's time and its gap; NULL where v is."""
    kind = table["t"].type
    is_time = pa.types.is_timestamp(kind)
    gap = pc.multiply(table["v"], 1_000_000).cast(pa.duration("us")) if is_time else table["v"]
    far = pc.max_element_wise(pc.cast(gap, pa.int64()), 0, skip_nulls=False)
    until = pc.add(table["t"].combine_chunks().cast(pa.int32() if pa.types.is_date(kind) else pa.int64()), far)
    until = until.cast(pa.int32()).cast(kind) if pa.types.is_date(kind) else until.cast(kind)
    return table.append_column("gap", gap).append_column("until", until)


@given(data=st.data())
def test_extents_of_counted_tuples(data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams("int64", IDS, pa.int64()))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    size = data.draw(st.integers(1, 4))
    extent = iw.hop("t", rows=size, every=data.draw(st.integers(1, 4)))
    query = lambda df: iw.group_by(df, *keys).window(extent).agg(x=Ids()("id"), n=iw.count())  # noqa: E731
    table, late = on_time(batches, watermarks)
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of("int64"))
    same_late(got, late)
    sizes = {
        repr({key: row[key] for key in keys}): row["n"]
        for row in iw.group_by(table, *keys).agg(n=iw.count()).to_pylist()
    }
    filled = [
        row for row in query(table).to_pylist() if row["window"]["end"] <= sizes[repr({key: row[key] for key in keys})]
    ]
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, filled))


def test_counted_extents_of_several_keys_come_in_one_order_behind_any_restart() -> None:
    keys = ["a"] * 9 + ["b"] * 3, ["x"], ["a"] * 9 + ["b"] * 9, ["x"]
    batches, at = [], 0
    for its in keys:
        ids = pa.array(range(at, at + len(its)), pa.int64())
        batches.append(pa.table({"k": its, "t": ids, "id": ids}))
        at += 20
    query = lambda df: iw.group_by(df, "k").window(iw.hop("t", rows=8, every=8)).agg(x=iw.collect_list("id"))  # noqa: E731
    got = replayed(batches, query, True, watermarks=[13, 25, 60, 99], until=1000, buckets=1)
    assert [(row["k"], row["x"]) for row in got.table.to_pylist()] == [
        ("a", [0, 1, 2, 3, 4, 5, 6, 7]), ("a", [8, 40, 41, 42, 43, 44, 45, 46]), ("b", [9, 10, 11, 49, 50, 51, 52, 53])
    ]  # fmt: skip


@dataclass
class Reading:
    """A value inside a state: of a class that no module has, as that of a script in Spark's workers."""

    id: int


Reading.__module__ = "a_script"


class Furthest(iw.Aggregate, returns="bigint"):
    """Keeps values of a class of its own, from before the first tuple on."""

    def __init__(self):
        self.top = Reading(-1)

    def iterate(self, id):
        assert isinstance(self.top, Reading)
        self.top = max(self.top, Reading(id), key=lambda one: one.id)

    def terminate(self):
        return self.top.id


class FurthestSoFar(iw.Aggregate, returns="bigint"):
    """The same, tuple by tuple."""

    def iterate(self, id):
        self.top = max(getattr(self, "top", Reading(-1)), Reading(id), key=lambda one: one.id)
        return self.top.id


def test_a_state_holds_values_of_a_class_of_the_users_script() -> None:
    batches = [pa.table({"k": ["a", "b"], "t": [n, n], "id": [n % 3, n]}) for n in range(6)]
    window = iw.unbounded(partition_by="k", order_by="t")
    blocking, emitting = Furthest()("id").over(window), FurthestSoFar()("id").over(window)
    query = lambda df: iw.with_columns(df, x=blocking, y=emitting, n=iw.count().over(window))  # noqa: E731
    got = replayed(batches, query, True, until=9).table
    assert got["x"].to_pylist() == got["y"].to_pylist()
    assert sorted(got["x"].to_pylist()) == sorted([0, 1, 2, 2, 2, 2, *range(6)])


@given(data=st.data())
def test_in_arrival_order_nothing_waits(data: st.DataObject) -> None:
    batches, _ = data.draw(streams("int64", IDS, pa.int64()))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    window = iw.rows(data.draw(st.integers(1, 4)), partition_by=keys)
    applied = {"x": Ids()("id").over(window), "all": Running()("id").over(iw.unbounded(partition_by=keys))}
    got = replayed(batches, lambda df: iw.with_columns(df, **applied), data.draw(st.booleans()))
    assert ordered(got.table) == ordered(iw.with_columns(pa.concat_tables(batches), **applied))
    for batch, rows in zip(batches, got.batches, strict=False):
        assert sorted(rows["id"].to_pylist()) == batch["id"].to_pylist()


def test_rows_of_a_key_come_in_the_order_of_time() -> None:
    batches = [pa.table({"k": ["a", "b", "a", "b"], "t": [4, 3, 1, 2]}), pa.table({"k": ["a", "b"], "t": [7, 7]})]
    got = replayed(
        batches,
        lambda df: iw.with_columns(df, n=iw.count().over(iw.range(9, partition_by="k", order_by="t"))),
        False,
        until=99,
    )
    for key in "ab":
        times = [row["t"] for table in got.batches for row in table.to_pylist() if row["k"] == key]
        assert times == sorted(times)


@pytest.mark.parametrize("time", TIMES)
@given(data=st.data())
def test_early_results_end_as_the_final_ones(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, IDS, pa.int64()))
    size, every = data.draw(st.sampled_from(TIMES[time][3])), data.draw(st.sampled_from(TIMES[time][3]))
    extent = data.draw(st.sampled_from([iw.hop("t", size=size, every=every), iw.tumble("t", size=size)]))
    applied = {"x": data.draw(st.sampled_from([Ids, IdsMerge, IdsAll]))()("id"), "total": iw.sum("v")}
    table, late = on_time(batches, watermarks)
    query = lambda df: iw.group_by(df, "k").window(extent, early=True).agg(**applied)  # noqa: E731
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of(time))
    same_late(got, late)
    newest: dict[str, Any] = {}
    passed = None
    for number, rows in enumerate(got.batches):
        seen: dict[str, Any] = {}
        for row in rows.to_pylist():
            place = repr((row["k"], row["window"]))
            assert place not in seen
            assert passed is None or row["window"]["end"] > passed  # a final row is not corrected
            seen[place] = row
        newest |= seen
        came = pa.concat_tables(batches[: number + 1])
        so_far, _ = on_time(batches[: number + 1], watermarks[: number + 1])
        if number < len(batches) and len(came):
            expected = {repr((row["k"], row["window"])): row for row in query(so_far).to_pylist()}
            assert newest == expected
        passed = got.watermarks[number]


class Running(iw.WindowAggregate, returns="double", empty=-7.0):
    def initialize(self, value: float) -> float:
        self.total = value
        return value

    def iterate(self, value: float) -> float:
        self.total += value
        return self.total


@pytest.mark.parametrize("cut", [1, 3, 8])
@pytest.mark.parametrize(
    "window",
    [
        iw.unbounded,
        lambda **of: iw.rows(3, **of),
        lambda **of: iw.range(2, **of),
        lambda **of: iw.rows(4, slide=2, **of),
    ],
)
def test_a_frame_in_which_no_hook_has_seen_a_tuple_yet(window: Any, cut: int) -> None:
    times, seen = [*range(8), *range(4)], [False] * 3 + [True] + [False] * 4 + [True] + [False] * 3
    table = pa.table({"k": [1] * 8 + [2] * 4, "t": times, "v": [float(i) for i in range(12)], "ok": seen})
    over = Running()("v").filter("ok").over(window(partition_by="k", order_by="t"))
    batches = [table.filter(pa.array([t // cut == i for t in times])) for i in range(-(-8 // cut))]
    streamed = replayed(batches, lambda df: iw.with_columns(df, total=over), True, until=100).table
    expected = iw.with_columns(table, total=over)
    assert expected["total"].to_pylist()[1] == -7.0
    assert streamed.sort_by([("k", "ascending"), ("t", "ascending")]).to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("row", [iw.with_columns, iw.select])
@pytest.mark.parametrize("window", [lambda **of: iw.rows(3, slide=3, **of), lambda **of: iw.range(4, slide=4, **of)])
def test_hooks_that_answer_per_tuple_start_afresh_in_each_frame_of_a_tumble(row: Any, window: Any) -> None:
    times = [0, 0, 1, 1, 2, 3, 5, 6, 7, 8, 9, 13, 14, 14, 15]
    table = pa.table({"k": [i % 2 for i in range(15)], "t": times, "v": [float(i) for i in range(15)]})
    over = Running()("v").over(window(partition_by="k", order_by="t"))
    assert "strategy  tumble" in str(iw.explain(table, total=over))
    batches = [table.slice(at, 4) for at in range(0, 15, 4)]
    kept = ("k", "t") if row is iw.select else ()
    streamed = replayed(batches, lambda df: row(df, *kept, total=over), True, until=100).table
    expected = row(table, *kept, total=over)
    assert len(expected) and equal_rows(streamed, expected)


def equal_rows(one: pa.Table, other: pa.Table) -> bool:
    return sorted(map(repr, one.to_pylist())) == sorted(map(repr, other.to_pylist()))


def test_string_views_are_strings() -> None:
    batches = [pa.table({"k": pa.array(["a", "b"], pa.string_view()), "t": [n, n], "id": [n, -n]}) for n in range(3)]
    window = iw.range(9, partition_by="k", order_by="t")
    got = replayed(
        batches, lambda df: iw.with_columns(df, x=Ids()("id").over(window), top=iw.max("k").over(window)), True
    )
    assert got.table.sort_by("k").to_pylist()[-1] == {"k": "b", "t": 1, "id": -1, "x": [0, -1], "top": "b"}


def test_names_of_ours_are_refused() -> None:
    with pytest.raises(iw.UsageError, match="__inwindow_own"):
        iw.testing.replay(
            [pa.table({"__inwindow_own": [1]})], lambda df: iw.with_columns(df, n=iw.count().over(iw.rows(1)))
        )


class Total(iw.WindowAggregate):
    """Numbers alone: it could be compiled."""

    def initialize(self, v: float) -> None:
        self.total = v

    def iterate(self, v: float) -> None:
        self.total += v

    def expire(self, v: float) -> None:
        self.total -= v

    def terminate(self) -> float:
        return self.total


def test_explain_says_compiled_only_where_it_is() -> None:
    """A frame that only grows goes on from a state per key, in Python."""
    said: list[str] = []

    def query(df: Any) -> Any:
        for window in (iw.unbounded(order_by="t"), iw.rows(3, order_by="t")):
            said.append(str(iw.explain(df, a=Total()("v").over(window))))
        return iw.with_columns(df, a=Total()("v").over(iw.rows(3, order_by="t")))

    iw.testing.replay([pa.table({"t": [1], "v": [1.0]})], query)
    grows, moves = said[:2]
    assert "called from Cython; not compiled: each key goes on from a state of its own" in grows
    assert "compiled by numba after" in moves and "not compiled" not in moves


def test_a_variance_of_equal_values_reads_no_other_key() -> None:
    """A variance of 0 is folded afresh where it can be: not where the values before are those of another key."""
    t = pa.table({"k": ["a", "b", "a", "b", "b"], "t": [-3, -6, 19, 2, 7], "p": [0.0, 0.0, 0.0, 0.25, 0.25]})
    window = iw.landmark(since=0, partition_by="k", order_by="t")
    found = iw.testing.replay(
        [t],
        lambda s: iw.with_columns(s, v=iw.var_pop("p").over(window), c=iw.covar_pop("p", "p").over(window)),
        watermarks=[1],
        until=100,
        buckets=1,
    ).table.sort_by("t")
    assert found["v"].to_pylist() == found["c"].to_pylist() == [None, None, 0.0, 0.0, 0.0]
