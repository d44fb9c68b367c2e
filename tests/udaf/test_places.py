"""lag, lead, and numbers and ranks of tuples: the definition under every strategy and cut, DuckDB, SQLite, and streams."""

import math
import sqlite3
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, partitions, rows_of, sorted_for
from samples.replays import TIMES, end_of, on_time, replayed, streams
from samples.streams import CUTS, tables

import inwindow as iw
from inwindow.optimizer.rules import RULES
from inwindow.windows import reference, reference_places
from inwindow.windows.spec import Order, Window

VALUES = st.one_of(st.integers(0, 5), st.none())
NUMBERS = {
    "row_number": (iw.row_number(), reference_places.row_numbers),
    "rank": (iw.rank(), reference_places.ranks),
    "dense_rank": (iw.dense_rank(), reference_places.dense_ranks),
    "percent_rank": (iw.percent_rank(), reference_places.percent_ranks),
    "cume_dist": (iw.cume_dist(), reference_places.cume_dists),
    "ntile": (iw.ntile(3), lambda groups: reference_places.ntiles(groups, 3)),
}


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[iw.Applied, Any]:
    """A lag or lead, and its definition of a column's values."""
    offset, default, skips = draw(st.integers(-2, 3)), draw(st.sampled_from([None, -1])), draw(st.booleans())
    name = draw(st.sampled_from(["lag", "lead"]))
    ahead = offset if name == "lead" else -offset
    applied = getattr(iw, name)("v", offset, default, skips)
    return applied, lambda values: reference_places.neighbours(values, ahead, default, skips)


@st.composite
def orders(draw: st.DrawFn) -> dict[str, Any]:
    """Partitions and an order."""
    ascending = draw(st.booleans())
    return {
        "partition_by": draw(st.sampled_from([(), ("k",)])),
        "order_by": Order("t", ascending, draw(st.booleans())),
        **draw(st.sampled_from([{}, {}, {"slide": 2, "slide_by": "rows"}, {"slide": 2, "slide_by": "groups"}])),
    }


def expected(table: pa.Table, window: Window, define: Any, *, of_values: bool) -> list[Any]:
    """What the definition gives, row by row of a table that is sorted for the window."""
    column: list[Any] = [None] * len(table)
    for its in partitions(table, window.partition_by).values():
        rows = rows_of(table.take(its), window.order_by, ("v",))
        found = define([row.args[0] for row in rows] if of_values else reference.groups(window, rows))
        for number in reference.yields(window, rows):
            column[its[number]] = found[number]
    return column


def by_each_strategy(table: pa.Table, applied: iw.Applied, window: Window, size: int) -> dict[str, list[Any]]:
    """The results by all that are possible."""
    given_by = {}
    for name in (None, *(its.name for its in RULES)):
        try:
            one = applied.over(window, strategy=name)
            found = iw.with_columns(cut(table, size), x=one).read_all()["x"]
        except iw.StrategyError:
            continue
        given_by[str(name)] = found.to_pylist()
    return given_by


@pytest.mark.parametrize("order", ["int64", "double", "timestamp"])
@given(data=st.data())
def test_the_definition(order: str, data: st.DataObject) -> None:
    table = data.draw(tables(order, values=VALUES, kind=pa.int64()))
    options = data.draw(orders())
    default = data.draw(st.sampled_from([iw.unbounded, lambda **o: iw.range_between(None, 0, **o)]))
    window, size = default(**options), data.draw(CUTS)
    table = sorted_for(table, window)
    if data.draw(st.booleans()):
        applied, define = data.draw(neighbours())
        wanted = expected(table, window, define, of_values=True)
    else:
        applied, define = NUMBERS[data.draw(st.sampled_from(sorted(NUMBERS)))]
        wanted = expected(table, window, define, of_values=False)
    found = by_each_strategy(table, applied, window, size)
    assert len(found) > 1
    for name, its in found.items():
        assert its == wanted, (name, applied)


SQL = (
    "row_number() OVER t rn, rank() OVER w r, dense_rank() OVER w d, percent_rank() OVER w p, cume_dist() OVER w c, "
    "ntile(4) OVER t n, lag(v) OVER t g, lag(v, 2, -1) OVER t g2, lead(v, 3) OVER t e, lead(v, 1, -1) OVER t e1"
)
WINDOWS = "WINDOW w AS (PARTITION BY k ORDER BY t, u), t AS (PARTITION BY k ORDER BY t, u, id)"
SKIPPING = "lag(v, 1, -1 IGNORE NULLS) OVER t i, lead(v, 2 IGNORE NULLS) OVER t i2, lead(v, 0 IGNORE NULLS) OVER t i0"


def ours(table: pa.Table) -> pa.Table:
    by = {"partition_by": "k"}
    w, t = iw.unbounded(order_by=["t", "u"], **by), iw.unbounded(order_by=["t", "u", "id"], **by)
    return iw.with_columns(
        table, rn=iw.row_number().over(t), r=iw.rank().over(w), d=iw.dense_rank().over(w), p=iw.percent_rank().over(w),
        c=iw.cume_dist().over(w), n=iw.ntile(4).over(t), g=iw.lag("v").over(t), g2=iw.lag("v", 2, -1).over(t),
        e=iw.lead("v", 3).over(t), e1=iw.lead("v", 1, -1).over(t), i=iw.lag("v", 1, -1, True).over(t),
        i2=iw.lead("v", 2, ignorenulls=True).over(t), i0=iw.lead("v", 0, ignorenulls=True).over(t),
    ).sort_by("id")  # fmt: skip


@given(table=tables("int64", values=VALUES, kind=pa.int64(), second=True))
def test_duckdb_and_sqlite(table: pa.Table) -> None:
    table = table.rename_columns(["k", "t", "v", "ok", "id", "u"])
    names = [column.rsplit(" ", 1)[1] for column in f"{SQL}, {SKIPPING}".split(", ") if " OVER " in column]
    found = ours(table).select(names).to_pylist()
    text = f"SELECT {SQL}, {SKIPPING} FROM it {WINDOWS} ORDER BY id"
    with duckdb.connect() as other:
        other.register("it", table)
        rows = other.execute(text.replace("ORDER BY t, u", "ORDER BY t NULLS FIRST, u NULLS FIRST")).fetchall()
    assert [tuple(row.values()) for row in found] == rows
    with sqlite3.connect(":memory:") as lite:
        lite.execute("CREATE TABLE it (k, t, v, id, u)")
        plain = table.select(["k", "t", "v", "id", "u"]).to_pylist()
        lite.executemany("INSERT INTO it VALUES (?, ?, ?, ?, ?)", [tuple(row.values()) for row in plain])
        rows = lite.execute(f"SELECT {SQL} FROM it {WINDOWS} ORDER BY id").fetchall()
    assert [tuple(row[name] for name in names[:10]) for row in found] == rows


KINDS = [
    (pa.string(), ["x", None, "", "yz"], "none"),
    (pa.float64(), [1.5, math.inf, None, -0.0], 0),
    (pa.decimal128(5, 2), [None, 1, 2, 3], 7),
    (pa.bool_(), [True, None, False, True], False),
    (pa.list_(pa.int64()), [[1], None, [], [None]], [9]),
    (pa.struct({"a": pa.int64()}), [{"a": 1}, None, {"a": None}, {"a": 2}], {"a": 0}),
    (pa.timestamp("us"), [1, 2, None, 4], datetime(2026, 1, 1)),
    (pa.map_(pa.string(), pa.int64()), [[("a", 1)], None, [], [("b", None)]], [("c", 2)]),
]


@pytest.mark.parametrize(("kind", "values", "default"), KINDS, ids=[str(kind) for kind, _, _ in KINDS])
@pytest.mark.parametrize("size", [1, 3, 99])
def test_values_of_every_type(kind: pa.DataType, values: list[Any], default: Any, size: int) -> None:
    table = pa.table({"t": [1, 2, 3, 4], "v": pa.array(values, kind)})
    values = table["v"].to_pylist()
    default = pa.array([default], kind).to_pylist()[0]
    for name, ahead in (("lag", -1), ("lead", 1)):
        for offset, skips in ((1, False), (2, True), (9, False)):
            applied = getattr(iw, name)("v", offset, default, skips).over(iw.unbounded(order_by="t"))
            found = iw.with_columns(cut(table, size), x=applied).read_all()
            assert found["x"].to_pylist() == reference_places.neighbours(values, ahead * offset, default, skips)
            assert found.schema.field("x").type == kind


LOOK_BACK = {
    "row_number": iw.row_number(), "rank": iw.rank(), "dense_rank": iw.dense_rank(), "lag": iw.lag("v", 2, -1),
    "lag_skipping": iw.lag("v", 2, -1, True), "here": iw.lead("v", 0),
}  # fmt: skip


@pytest.mark.parametrize("time", TIMES)
@given(data=st.data())
def test_streams_give_what_the_batch_gives(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, VALUES, pa.int64()))
    by = {"partition_by": data.draw(st.sampled_from([(), ("k",)])), "order_by": "t"}
    window = iw.unbounded(**by)
    names = data.draw(st.lists(st.sampled_from(sorted(LOOK_BACK)), min_size=1, max_size=4, unique=True))
    applied = {name: LOOK_BACK[name].over(window) for name in names}
    ahead = data.draw(st.sampled_from([0, 0, 2]))
    if ahead:
        applied["lead"] = iw.lead("v", ahead).over(window)
    table, late = on_time(batches, watermarks)
    got = replayed(
        batches, lambda df: iw.with_columns(df, **applied), data.draw(st.booleans()), watermarks=watermarks,
        until=end_of(time), buckets=data.draw(st.sampled_from([1, 3])),
    )  # fmt: skip
    assert sorted(i for one in got.late for i in one["id"].to_pylist()) == sorted(late)
    found = {row["id"]: row for row in got.table.to_pylist()}
    in_order = sorted(enumerate(table.to_pylist()), key=lambda row: (row[1]["t"], row[0]))
    for key in {row["k"] for _, row in in_order} if by["partition_by"] else [...]:
        its = [row["id"] for _, row in in_order if key is ... or row["k"] == key]
        assert not found.keys() & set(its[len(its) - ahead :] if ahead else [])  # they wait for ever
    expected = [row for row in iw.with_columns(table, **applied).sort_by("id").to_pylist() if row["id"] in found]
    assert [found[row["id"]] for row in expected] == expected
    waits = sum(min(ahead, count) for count in _sizes(table, bool(by["partition_by"])))
    assert len(found) == len(table) - waits


def _sizes(table: pa.Table, keyed: bool) -> list[int]:
    counts: dict[Any, int] = {}
    for key in table["k"].to_pylist():
        counts[key if keyed else None] = counts.get(key if keyed else None, 0) + 1
    return list(counts.values())


def test_what_it_takes_of_a_window() -> None:
    by = {"partition_by": "k", "order_by": "t"}
    made = iw.rank().over(iw.range_between(None, 0, slide=2, slide_by="rows", **by))
    assert made.window == iw.groups_between(None, -1, slide=2, slide_by="rows", **by)
    assert made.over(made.window).window == made.window
    assert str(iw.lag("v", 2, ignorenulls=True)) == "lag(v, 2, None, True)"
    assert str(iw.lead("v").alias("next")) == "lead(v, 1) as next"
    assert iw.row_number().over(iw.unbounded(slide="1 minute", **by)).window.slide_by == "range"


def test_the_same_text_as_duckdb() -> None:
    """Also IGNORE NULLS within the parentheses, where DuckDB has it, and behind them, where the standard has it."""
    table = pa.table(
        {
            "k": ["a", "b"] * 6,
            "t": [3, 1, 1, 1, None, 2] * 2,
            "u": [0] * 12,
            "v": [1, None, 3, None] * 3,
            "id": range(12),
        }
    )
    text = f"SELECT id, {SQL}, {SKIPPING} FROM it {WINDOWS}".replace("ORDER BY t", "ORDER BY t NULLS FIRST")
    standard = text.replace("lag(v, 1, -1 IGNORE NULLS)", "LAG(v, 1, -1) IGNORE NULLS")
    assert standard != text
    with duckdb.connect() as other:
        other.register("it", table)
        expected = other.execute(f"{text} ORDER BY id").fetchall()
    for written in (text, standard):
        found = iw.Catalog({"it": table}).run(written).sort_by("id")
        assert [tuple(row.values()) for row in found.to_pylist()] == expected


@pytest.mark.parametrize("name", ["rank", "percent_rank", "cume_dist"])
@pytest.mark.parametrize("size", [1, 7, 400, 5000])
def test_duckdb_ranks_over_frames(name: str, size: int) -> None:
    """``rank(ORDER BY v) OVER (...)``, of frames that are compared one by one, and of frames that are sorted."""
    rng = np.random.default_rng(size)
    table = pa.table(
        {"k": rng.integers(0, 2, 3000), "id": range(3000), "v": rng.integers(0, 900, 3000), "x": rng.normal(size=3000)}
    )
    for column in ("v", "x"):
        over = f"OVER (PARTITION BY k ORDER BY id ROWS {size - 1} PRECEDING)"
        with duckdb.connect() as other:
            other.register("numbers", table)
            rows = other.execute(f"SELECT {name}(ORDER BY {column}) {over} FROM numbers ORDER BY id").fetchall()
        applied = getattr(iw, name)(column).over(iw.rows(size, partition_by="k", order_by="id"))
        found = iw.with_columns(cut(sorted_for(table, applied.window), 700), r=applied).read_all().sort_by("id")["r"]
        assert found.to_pylist() == [row[0] for row in rows]
