"""EXCLUDE: the definition under every strategy, for classes and for built-ins; DuckDB and SQLite for what SQL means."""

import sqlite3
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from samples.against_definition import close, cut, expected_column, expected_rows, largest, sorted_for
from samples.ids import Ids, IdsAll, IdsExpire, IdsInWindow, IdsMerge, IdsNaive, IdsPunt, IdsWithBase
from samples.plain_builtins import TABLE
from samples.streams import CUTS, INTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES

FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "trailing groups", "landmark")
HOLES = ["current row", "group", "ties"]


class IdsTakenOut(iw.WindowAggregate, returns="array<bigint>", expire_any_order=True, derive=False):
    """An expire that undoes any tuple; what enters again is at the end, so results are sorted."""

    def initialize(self, id):
        self.ids = [id]

    def iterate(self, id):
        self.ids.append(id)

    def expire(self, id):
        self.ids.remove(id)

    def terminate(self):
        return sorted(self.ids)


class Mean(iw.Aggregate):
    """Its expire, its merge and their promises are derived."""

    def initialize(self, v: int) -> None:
        self.total, self.count = v, 1

    def iterate(self, v: int) -> None:
        self.total += v
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


CLASSES = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive, IdsWithBase, IdsTakenOut]


def possible(schema: pa.Schema, applied: iw.Applied) -> list[str]:
    """All strategies that apply."""
    case = plan_windows(schema, {"x": applied})[0].steps[0].case
    return [strategy.name for strategy in RULES if strategy.applies(case)]


@pytest.mark.parametrize("order", ["int64", "double", "timestamp"])
@given(data=st.data())
def test_classes_by_every_strategy(order: str, data: st.DataObject) -> None:
    prototype, column = data.draw(st.sampled_from([*((one(), "id") for one in CLASSES), (Mean(), "v")]))
    table = data.draw(tables(order, values=INTS, kind=pa.int64()))
    window = data.draw(windows(order, FRAMES, holes=True))
    least = data.draw(st.sampled_from([None, None, 2]))
    applied = prototype(column).over(window, min_count=least)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, window)
    expected = [list(e) if isinstance(e, tuple) else e for e in expected_column(table, applied, prototype)]
    for strategy in possible(table.schema, applied):
        size = data.draw(CUTS)
        note(f"{strategy} in batches of {size}: {applied}")
        forced = prototype(column).over(window, strategy=strategy, min_count=least)
        forced = forced if applied.condition is None else forced.filter("ok")
        found = iw.with_columns(cut(table, size), x=forced).read_all().column("x").to_pylist()
        assert found == expected


@pytest.mark.parametrize("name", TABLE)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_built_ins_by_every_strategy(name: str, data: st.DataObject) -> None:
    row = TABLE[name]
    order = data.draw(st.sampled_from(list(ORDERS)))
    table = data.draw(tables(order, values=row.values, kind=row.kind, second=len(row.columns) > 1))
    window = data.draw(windows(order, FRAMES, holes=True))
    prototype = row.plain()
    applied, plain = row.ours(*row.columns).over(window), prototype(*row.columns).over(window)
    if data.draw(st.booleans()):
        applied, plain = applied.filter("ok"), plain.filter("ok")
    table = sorted_for(table, window)
    expected = expected_column(table, plain, prototype)
    scale = largest(table, row.columns)
    for strategy in possible(table.schema, applied):
        size = data.draw(CUTS)
        forced = applied.over(window, strategy=strategy)
        found = iw.with_columns(cut(table, size), x=forced).read_all().column("x").to_pylist()
        note(f"{strategy} in batches of {size}: {found} should be {expected}")
        assert all(close(name, a, b, scale) for a, b in zip(found, expected, strict=True))


@given(data=st.data())
def test_select_has_a_row_for_each_slot(data: st.DataObject) -> None:
    table = data.draw(tables("int64"))
    window = data.draw(windows("int64", FRAMES, holes=True))
    applied = IdsMerge()("id").over(window)
    table = sorted_for(table, window)
    numbered = table.append_column("row", pa.array(range(len(table)), pa.int64()))
    found = iw.select(cut(numbered, data.draw(CUTS)), "row", x=applied).read_all()
    expected = sorted(expected_rows(table, applied, IdsMerge()), key=lambda pair: pair[0])
    assert list(zip(*found.to_pydict().values(), strict=True)) == [tuple(pair) for pair in expected]


@given(data=st.data())
def test_a_sample_is_one_of_the_frame(data: st.DataObject) -> None:
    """priority_sample draws by a tuple's number in its partition, whatever the strategy."""
    hole = data.draw(st.sampled_from(HOLES))
    table = sorted_for(data.draw(tables("int32")), iw.unbounded(partition_by="k", order_by="t"))
    window = iw.rows_between(-3, 2, partition_by="k", order_by="t", exclude=hole)
    sample, frame = iw.priority_sample("id", 3, seed=7), iw.collect_list("id").over(window)
    by = {name: sample.over(window, strategy=name) for name in ("delta", "recompute")}
    found = iw.with_columns(cut(table, data.draw(CUTS)), frame=frame, **by).read_all().to_pylist()
    for row in found:
        assert row["delta"] == row["recompute"]
        assert set(row["delta"]) <= set(row["frame"]) and bool(row["delta"]) == bool(row["frame"])


# SQL

AGGREGATES = {
    "list": (iw.collect_list("id"), "list(id)"),
    "sum": (iw.sum("v"), "sum(v)"),
    "count": (iw.count("v"), "count(v)"),
    "max": (iw.max("v"), "max(v)"),
    "median": (iw.median("v"), "median(v)"),
    "percentile": (iw.percentile("v", 0.25), "quantile_cont(v, 0.25)"),
    "distinct": (iw.count_distinct("v"), "count(DISTINCT v)"),
    "first": (iw.first("id"), "first_value(id)"),
    "last": (iw.last("id"), "last_value(id)"),
}


def sql_bound(offset: int | None, side: str) -> str:
    """An offset as SQL."""
    if offset is None:
        return f"UNBOUNDED {side}"
    return "CURRENT ROW" if offset == 0 else f"{abs(offset)} {'PRECEDING' if offset < 0 else 'FOLLOWING'}"


@st.composite
def sql_frames(draw: st.DrawFn) -> tuple[Any, str]:
    """A window of ours, and the same in SQL."""
    unit = draw(st.sampled_from(["rows", "range", "groups"]))
    hole = draw(st.sampled_from([*HOLES, "no others"]))
    low, high = sorted([draw(st.integers(-4, 3)), draw(st.integers(-4, 3))])
    low, high = draw(st.sampled_from([(low, high), (None, high), (low, None), (None, None)]))
    between = {"rows": iw.rows_between, "range": iw.range_between, "groups": iw.groups_between}[unit]
    # rows are told apart by id where the order within a frame shows; peers are needed for the others
    window = between(low, high, partition_by="k", order_by="t", exclude=hole)
    bounds = f"{sql_bound(low, 'PRECEDING')} AND {sql_bound(high, 'FOLLOWING')}"
    return window, f"PARTITION BY k ORDER BY t NULLS FIRST {unit.upper()} BETWEEN {bounds} EXCLUDE {hole.upper()}"


@given(data=st.data())
def test_duckdb_agrees(data: st.DataObject) -> None:
    stream = data.draw(tables("int32", values=INTS, kind=pa.int64()))
    stream = stream.sort_by([("t", "ascending"), ("id", "ascending")])  # ties in the order in which DuckDB finds them
    window, over = data.draw(sql_frames())
    calls = {
        name: (ours, theirs)
        for name, (ours, theirs) in AGGREGATES.items()
        if name not in ("median", "percentile") or len(stream)
    }
    selected = ", ".join(f"{theirs} OVER w AS {name!r}" for name, (_, theirs) in calls.items())
    theirs = duckdb.sql(f"SELECT id, {selected} FROM stream WINDOW w AS ({over}) ORDER BY id").to_arrow_table()
    ours = iw.with_columns(stream, **{f"x_{name}": one.over(window) for name, (one, _) in calls.items()}).sort_by("id")
    for name in calls:
        found, expected = ours[f"x_{name}"].to_pylist(), theirs[name].to_pylist()
        if name in ("list", "first", "last"):  # which of several peers comes first is not for SQL to say
            if len({*zip(stream["k"].to_pylist(), stream["t"].to_pylist(), strict=True)}) < len(stream):
                if name == "list":
                    assert [sorted(a) for a in found] == [sorted(b or []) for b in expected]
                continue
            expected = [b or [] for b in expected] if name == "list" else expected
        assert found == expected, (name, over)


@given(data=st.data())
def test_sqlite_agrees(data: st.DataObject) -> None:
    table = data.draw(tables("int32", values=INTS, kind=pa.int64()))
    window, over = data.draw(sql_frames())
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE stream (k, t, v, id)")
    rows = zip(*(table[name].to_pylist() for name in ("k", "t", "v", "id")), strict=True)
    base.executemany("INSERT INTO stream VALUES (?, ?, ?, ?)", rows)
    query = (
        f"SELECT sum(v) OVER w, count(v) OVER w, group_concat(id) OVER w FROM stream WINDOW w AS ({over}) ORDER BY id"
    )
    theirs = base.execute(query).fetchall()
    base.close()
    calls = {"s": iw.sum("v"), "c": iw.count("v"), "l": iw.collect_list("id")}
    ours = iw.with_columns(table, **{name: one.over(window) for name, one in calls.items()})
    assert ours["s"].to_pylist() == [row[0] for row in theirs]
    assert ours["c"].to_pylist() == [row[1] for row in theirs]
    ids = [sorted(map(int, row[2].split(","))) if row[2] else [] for row in theirs]
    assert [sorted(its) for its in ours["l"].to_pylist()] == ids


def test_a_run_may_overflow_though_the_frame_does_not() -> None:
    """Sums of int64 in ANSI mode: what overflows is the whole frame, not what lies before the hole."""
    big = 2**62
    table = pa.table({"v": [big, big, 5, -big, 7, -big, 1, 1, 1]})
    everyone = iw.rows_between(None, None, exclude="current row")
    near = iw.rows_between(-2, 3, exclude="current row")
    values = table["v"].to_pylist()
    calls = {"s": iw.sum("v").over(everyone), "a": iw.avg("v").over(near), "n": iw.sum("v").over(near)}
    found = iw.with_columns(cut(table, 2), **calls).read_all()
    around = [[*values[max(i - 2, 0) : i], *values[i + 1 : i + 4]] for i in range(len(values))]
    assert found["s"].to_pylist() == [sum(values) - v for v in values]
    assert found["n"].to_pylist() == [sum(its) for its in around]
    assert found["a"].to_pylist() == pytest.approx([sum(its) / len(its) for its in around])
    with pytest.raises(iw.ArithmeticOverflowError):
        iw.with_columns(pa.table({"v": [big, big, big]}), s=iw.sum("v").over(near))


class Picky(iw.WindowAggregate, expire_any_order=True, derive=False):
    """Each of its hooks takes offence at a value of its own."""

    def initialize(self, v):
        self.values = []
        self.iterate(v)

    def iterate(self, v):
        if v == 4:
            raise ValueError("four")
        self.values.append(v)

    def expire(self, v):
        if v == 7:
            raise ValueError("seven")
        self.values.remove(v)

    def merge(self, later):
        if 5 in later.values and 5 not in self.values:
            raise ValueError("five")
        self.values += later.values

    def terminate(self) -> int:
        if max(self.values) == 3:
            raise ValueError("three")
        return len(self.values)


@pytest.mark.parametrize(
    ("strategy", "values", "said"),
    [
        ("delta", [1, 1, 4, 1, 1], "(initialize|iterate)\\(4\\) raised ValueError: four\n.*t=2"),
        ("delta", [1, 1, 7, 1, 1], "expire\\(7\\) raised ValueError: seven\n.*t=2"),
        ("delta", [1, 3, 1, 1], "terminate\\(\\) raised ValueError: three\n.*t=0"),
        ("two-stacks", [1, 1, 4, 1, 1], "(initialize|iterate)\\(4\\) raised ValueError: four\n.*t=2"),
        ("two-stacks", [1, 1, 1, 5, 1], "merge\\(.* raised ValueError: five"),
        ("two-stacks", [1, 3, 1, 1], "terminate\\(\\) raised ValueError: three\n.*t=0"),
        ("recompute", [1, 1, 4, 1, 1], "(initialize|iterate)\\(4\\) raised ValueError: four\n.*t=2"),
        ("recompute", [1, 3, 1, 1], "terminate\\(\\) raised ValueError: three\n.*t=0"),
    ],
)
def test_errors_of_hooks_name_the_tuple(strategy: str, values: list[int], said: str) -> None:
    table = pa.table({"t": range(len(values)), "v": values})
    window = iw.rows_between(-2, 1, order_by="t", exclude="current row", strategy=strategy)
    with pytest.raises(iw.HookError, match=said):
        iw.with_columns(table, x=Picky()("v").over(window))
