"""Saved panes: stored as Parquet, in pieces, and rolled later; the results are those over the tuples."""

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.against_definition import equal
from samples.ids import IdsMerge
from samples.plain_builtins import TABLE

import inwindow as iw


class Mean(iw.Aggregate):
    """Its state is two numbers."""

    def initialize(self, v):
        self.total, self.count = v, 1

    def iterate(self, v):
        self.total, self.count = self.total + v, self.count + 1

    def merge(self, later):
        self.total, self.count = self.total + later.total, self.count + later.count

    def terminate(self) -> float:
        return self.total / self.count


def stored(panes: pa.Table, folder: Path) -> pa.Table:
    """Written day by day, in any order, and read again."""
    days = sorted(set(panes["start"].to_pylist()))
    random.Random(3).shuffle(days)
    for number, day in enumerate(days):
        its = pc.equal(panes["start"], pa.scalar(day, panes["start"].type))
        pq.write_table(panes.filter(its), folder / f"{number}.parquet")
    return pa.concat_tables([pq.read_table(folder / f"{number}.parquet") for number in range(len(days))])


def savable() -> list[str]:
    """The built-ins that say of no reason why not."""
    found = []
    for name, row in TABLE.items():
        nothing = pa.schema({"t": pa.int64(), "v": row.kind, "w": row.kind}).empty_table()
        try:
            iw.group_by(nothing).window(iw.tumble("t", size=2)).partials(x=row.ours(*row.columns))
        except iw.UsageError as error:
            assert "so its panes cannot be put together" in str(error)
        else:
            found.append(name)
    return found


@pytest.mark.parametrize("name", savable())
@settings(max_examples=settings.default.max_examples // 3)
@given(data=st.data())
def test_built_ins(name: str, data: st.DataObject, tmp_path_factory: Any) -> None:
    row = TABLE[name]
    one = st.tuples(st.sampled_from("ab"), st.integers(-9, 20), row.values, row.values)
    tuples = data.draw(st.lists(one, min_size=1, max_size=20))
    table = pa.table(
        {
            "k": [one[0] for one in tuples], "t": pa.array([one[1] for one in tuples], pa.int64()),
            "v": pa.array([one[2] for one in tuples], row.kind), "w": pa.array([one[3] for one in tuples], row.kind),
        }
    )  # fmt: skip
    applied = row.ours(*row.columns)
    panes = iw.group_by(table, "k").window(iw.tumble("t", size=2)).partials(x=applied, n=iw.count())
    panes = stored(panes, tmp_path_factory.mktemp("panes"))
    rolled = {"x": iw.saved("x", applied), "n": iw.saved("n", iw.count())}
    of_tuples = {"x": applied, "n": iw.count()}
    extents = [
        lambda on: iw.hop(on, size=6, every=2),
        lambda on: iw.tumble(on, size=4),
        lambda on: iw.cumulate(on, size=8, every=2),
    ]
    for over in extents:
        found = rows_of(iw.group_by(panes, "k").window(over("start")).agg(**rolled))
        expected = rows_of(iw.group_by(table, "k").window(over("t")).agg(**of_tuples))
        assert found.keys() == expected.keys()
        for at, (x, n) in expected.items():
            assert found[at][1] == n
            assert equal(found[at][0], x, scale=1000, ulps=10**6), (at, found[at][0], x)


def rows_of(table: pa.Table) -> dict[Any, Any]:
    return {(row["k"], row["window"]["start"], row["window"]["end"]): (row["x"], row["n"]) for row in table.to_pylist()}


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 40), st.none() | st.integers(0, 9)), max_size=30), st.integers(1, 4),
    st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 3, 100]),
)  # fmt: skip
def test_classes_in_order(tuples: Any, pane: int, every: int, times: int, size: int) -> None:
    """The order of tuples is kept by a merge that does not commute; readers in batches of any size."""
    tuples = sorted(tuples, key=lambda one: one[:2])
    table = pa.table(
        {
            "k": pa.array([one[0] for one in tuples], pa.string()), "t": pa.array([one[1] for one in tuples], pa.int64()),
            "v": pa.array([one[2] for one in tuples], pa.int64()),
        }
    )  # fmt: skip

    def reader(table: pa.Table) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))

    applied = IdsMerge()("v")
    panes = iw.group_by(reader(table), "k").window(iw.tumble("t", size=pane)).partials(x=applied).read_all()
    every *= pane
    query = lambda df, on, one: iw.group_by(df, "k").window(iw.hop(on, size=every * times, every=every)).agg(x=one)  # noqa: E731
    rolled = query(reader(panes), "start", iw.saved("x", applied)).read_all()
    assert rolled.to_pylist() == query(table, "t", applied).to_pylist()


HOURS = [datetime(2026, 3, 1) + timedelta(hours=n) for n in range(24 * 14)]
SALES = pa.table({"user": [f"u{n % 3}" for n in range(len(HOURS))], "ts": HOURS, "price": np.arange(len(HOURS)) * 1.0})


def panes_of(aggregate: Any) -> pa.Table:
    return iw.group_by(SALES, "user").window(iw.tumble("ts", size="1 day")).partials(mean=aggregate("price"))


class TypedMean(Mean):
    """Says what its state is."""

    total: float
    count: int


def test_states_of_annotated_classes_are_typed_columns() -> None:
    panes = panes_of(TypedMean())
    assert panes.schema.field("mean").type[3].type == pa.struct([("total", pa.float64()), ("count", pa.int64())])
    assert panes["mean"].combine_chunks().field("partial_0").to_pylist()[0] == {"total": 84.0, "count": 8}
    week = iw.hop("start", size="7 days", every="1 day")
    rolled = iw.group_by(panes, "user").window(week).agg(mean=iw.saved("mean", TypedMean()("price")))
    as_bytes = iw.group_by(panes_of(Mean()), "user").window(week).agg(mean=iw.saved("mean", Mean()("price")))
    assert rolled.equals(as_bytes)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"__annotations__": {"total": float}},
            "Mean annotates its state, total, but hooks have set the attribute 'count'",
        ),
        (
            {"__annotations__": {"total": float, "count": str}},
            "Mean.count is 8, which is no string, as its class annotates it",
        ),
    ],
)
def test_wrong_annotations(members: Any, said: str) -> None:
    with pytest.raises(iw.DataError, match=said):
        panes_of(type("Mean", (Mean,), members)())


def test_on_a_stream() -> None:
    """Panes that arrive, over extents and over growing frames."""
    panes = (
        iw.group_by(SALES, "user")
        .window(iw.tumble("ts", size="1 day"))
        .partials(mean=Mean()("price"), top=iw.max("price"))
    )
    panes = panes.sort_by("start")
    mean, top = iw.saved("mean", Mean()("price")), iw.saved("top", iw.max("price"))
    by = {"partition_by": "user", "order_by": "start"}
    queries = [
        lambda df: (
            iw.group_by(df, "user").window(iw.hop("start", size="7 days", every="1 day")).agg(mean=mean, top=top)
        ),
        lambda df: iw.select(
            df, "user", "start", mean=mean.over(iw.unbounded(**by)), top=top.over(iw.range("3 days", **by))
        ),
    ]
    for query in queries:
        batches = [panes.slice(at, 5) for at in range(0, len(panes), 5)]
        got = iw.testing.replay(batches, query, delay="1 day", until=datetime(2027, 1, 1))
        assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, query(panes).to_pylist()))


def test_frames_of_whole_panes() -> None:
    panes = panes_of(Mean())
    last_week = iw.range("6 days", partition_by="user", order_by="start")
    for strategy in (None, "recompute"):
        applied = iw.saved("mean", Mean()("price")).over(last_week, strategy=strategy)
        found = iw.with_columns(panes, week=applied).select(["user", "end", "week"]).to_pylist()
        wanted = iw.group_by(SALES, "user").window(iw.hop("ts", size="7 days", every="1 day")).agg(week=Mean()("price"))
        by_end = {(row["user"], row["window"]["end"]): row["week"] for row in wanted.to_pylist()}
        assert [row["week"] for row in found] == pytest.approx([by_end[row["user"], row["end"]] for row in found])


def test_a_filter_is_that_of_the_tuples_and_panes_of_a_time_are_merged() -> None:
    dear = Mean()("price").filter(pc.field("price") > 100)
    days = iw.tumble("ts", size="1 day")
    halves = [SALES.filter(pc.field("user") == "u0"), SALES.filter(pc.field("user") != "u0")]
    panes = pa.concat_tables([iw.group_by(half).window(days).partials(mean=dear) for half in halves])
    rolled = iw.group_by(panes).window(iw.tumble("start", size="1 day")).agg(mean=iw.saved("mean", Mean()("price")))
    assert rolled.to_pylist() == iw.group_by(SALES).window(days).agg(mean=dear).to_pylist()


def test_local_days() -> None:
    sales = SALES.set_column(1, "ts", SALES["ts"].cast(pa.timestamp("us", "UTC")))
    zone = {"timezone": "America/New_York"}
    panes = iw.group_by(sales).window(iw.tumble("ts", size="1 day", **zone)).partials(mean=Mean()("price"))
    for week in (lambda on: iw.hop(on, "7 days", "1 day", **zone), lambda on: iw.tumble(on, "1 month", **zone)):
        rolled = iw.group_by(panes).window(week("start")).agg(mean=iw.saved("mean", Mean()("price")))
        assert rolled.to_pylist() == iw.group_by(sales).window(week("ts")).agg(mean=Mean()("price")).to_pylist()
    with pytest.raises(iw.DataError, match="lies in no whole number of extents"):
        iw.group_by(panes).window(iw.tumble("start", "1 day")).agg(mean=iw.saved("mean", Mean()("price")))


def test_a_changed_class_is_refused_unless_it_has_a_version_of_its_own() -> None:
    def made(body: str, **members: Any) -> Any:
        names: dict[str, Any] = {}
        exec(f"def terminate(self) -> float:\n    return {body}", names)
        return type("Mean", (Mean,), {"terminate": names["terminate"], **members})

    week = iw.tumble("start", size="7 days")
    one, same, other = (made(body)() for body in ("self.total / self.count", "self.total / self.count", "self.total"))
    panes = panes_of(one)
    assert len(iw.group_by(panes).window(week).agg(mean=iw.saved("mean", same("price")))) == 3
    with pytest.raises(iw.StateError, match=r"saved by Mean\(double\) code .* and here is Mean\(double\) code "):
        iw.group_by(panes).window(week).agg(mean=iw.saved("mean", other("price")))
    with pytest.raises(iw.StateError, match=r"saved by Mean\(double\) code .* and here is avg\(double\) format 1"):
        iw.group_by(panes).window(week).agg(mean=iw.saved("mean", iw.avg("price")))
    first, second = (made(body, saved_version="1")() for body in ("self.total / self.count", "self.total"))
    assert len(iw.group_by(panes_of(first)).window(week).agg(mean=iw.saved("mean", second("price")))) == 3


class Odd:
    """No plain value."""

    def __init__(self, v: float) -> None:
        self.v = v


class Largest(iw.Aggregate):
    """Its state has to be pickled."""

    def iterate(self, v):
        self.top = Odd(max(v, getattr(self, "top", Odd(v)).v))

    def merge(self, later):
        self.top = Odd(max(self.top.v, later.top.v))

    def terminate(self) -> float:
        return self.top.v


def test_pickles_are_read_only_if_one_says_so() -> None:
    panes, week = panes_of(Largest()), iw.tumble("start", size="1 month")
    with pytest.raises(iw.StateError, match="some states are pickles, because an attribute is no plain value"):
        iw.group_by(panes).window(week).agg(top=iw.saved("mean", Largest()("price")))
    trusted = iw.saved("mean", Largest()("price"), trusted=True)
    assert iw.group_by(panes).window(week).agg(top=trusted)["top"].to_pylist() == [335.0]


def test_explain() -> None:
    panes = panes_of(Mean())
    by_week = iw.group_by(panes, "user").window(iw.hop("start", size="7 days", every="1 day"))
    assert "saved(mean, Mean(price))" in str(iw.explain(by_week, mean=iw.saved("mean", Mean()("price"))))
