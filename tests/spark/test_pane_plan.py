"""Panes before the shuffle on Spark: the rows are those of the plan without, and of Spark's own window()."""

import math
import warnings
from typing import Any
from unittest.mock import patch

import pytest

import inwindow as iw
from inwindow.optimizer.strategy import No
from inwindow.runtime.spark.shuffles import plan_text

PANES, RAW = "panes before the shuffle: one partial", "panes before the shuffle: no"


class Bounds:
    """What a state may be made of: a class that no module knows, were this a notebook."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high


class Spread(iw.Aggregate, commutative=True):
    def initialize(self, value: float) -> None:
        self.bounds = Bounds(value, value)

    def iterate(self, value: float) -> None:
        self.bounds = Bounds(min(self.bounds.low, value), max(self.bounds.high, value))

    def merge(self, later: "Spread") -> None:
        self.bounds = Bounds(min(self.bounds.low, later.bounds.low), max(self.bounds.high, later.bounds.high))

    def terminate(self) -> float:
        return self.bounds.high - self.bounds.low


class Noted(iw.Aggregate, commutative=True):
    """Keeps a bit of everything that travels as typed columns."""

    def __init__(self) -> None:
        self.total, self.count, self.some, self.names, self.last = 0.0, 0, [], {}, None

    def iterate(self, value: float) -> None:
        self.total, self.count, self.last = self.total + value, self.count + 1, value
        self.some = sorted([*self.some, value])[:3]
        self.names[str(value)] = self.names.get(str(value), 0) + 1

    def merge(self, later: "Noted") -> None:
        self.total, self.count = self.total + later.total, self.count + later.count
        self.some = sorted(self.some + later.some)[:3]
        for name, count in later.names.items():
            self.names[name] = self.names.get(name, 0) + count

    def terminate(self) -> str:
        return f"{self.total} {self.count} {self.some} {sorted(self.names.items())} {type(self.last).__name__}"


class Wary(Spread, commutative=True):
    def iterate(self, value: float) -> None:
        raise ValueError("not this one")


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    """Keys and times that may be NULL, ties, times before 1970 and across a change of clocks."""
    return spark.range(0, 700, 1, 7).selectExpr(
        "if(id % 13 = 0, null, concat('item', id % 3)) as item",
        "named_struct('city', id % 2) as place",
        "if(id % 17 = 0, null, timestamp'2026-03-08 00:30:00' + make_dt_interval(0, 0, cast(id * 7919 % 241 as int))"
        " - if(id % 5 = 0, make_dt_interval(30000), make_dt_interval(0))) as ts",
        "if(id % 19 = 0, null, date'2026-01-01' + cast(id * 31 % 60 as int)) as day",
        "cast(id * 7919 % 601 as int) - 300 as t", "cast((id * 7919 % 601 - 300) / 4 as decimal(12,2)) as price_at",
        "if(id % 7 = 0, null, cast(id * 31 % 101 as double) / 4) as v", "cast(id * 31 % 101 as decimal(10,2)) as price",
        "concat('é', id % 10) as name", "id % 3 = 0 as ok",
    )  # fmt: skip


def aggregates(F: Any) -> dict[str, iw.Applied]:
    return {
        "total": iw.sum("v"), "mean": iw.avg("v"), "paid": iw.sum("price"), "n": iw.count(), "known": iw.count("v"),
        "some": iw.sum("v").filter("ok"), "twice": iw.max(F.col("v") * 2).filter(F.col("t") > 0), "low": iw.min("name"),
        "kinds": iw.count_distinct("t"), "often": iw.mode("t"), "spread": Spread()("v"), "dev": iw.stddev("v"),
        "noted": Noted()("v"), "any": iw.bool_or("ok"), "pair": iw.corr("v", "t"), "last": iw.max("ts"), "shape": iw.skewness("v"),
    }  # fmt: skip


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9) or (ours != ours and theirs != theirs)
    return bool(ours == theirs)


def assert_same(ours: Any, theirs: Any, places: int) -> None:
    found, expected = (sorted(df.collect(), key=lambda row: str(row[:places])) for df in (ours, theirs))
    assert [row[:places] for row in found] == [row[:places] for row in expected]
    for row, other in zip(found, expected, strict=True):
        assert all(map(same, row[places:], other[places:])), (row, other)


def without(build: Any) -> Any:
    """The same with tuples shuffled."""
    with patch("inwindow.runtime.spark.plans.panes_first", lambda work: No("not wanted")):
        return build()


EXTENTS = {
    "hop": iw.hop("ts", size="1 minute", every="10 seconds"),
    "hop with two panes a slide": iw.hop("ts", size="25 seconds", every="10 seconds", origin="1969-12-31 23:59:57"),
    "gaps": iw.hop("ts", size="10 seconds", every="25 seconds"),
    "cumulate": iw.cumulate("ts", size="2 minutes", every="20 seconds"),
    "days": iw.hop("day", size="21 days", every="7 days"),
    "numbers": iw.hop("t", size=50, every=20, origin=3),
    "decimals": iw.tumble("price_at", size=12.5),
}


@pytest.mark.parametrize("what", EXTENTS)
def test_as_without_panes(spark: Any, events: Any, what: str) -> None:
    from pyspark.sql import functions as F

    keys = {"hop": ("item", "place.city"), "cumulate": (), "numbers": ("name", "t")}.get(what, ("item",))

    def build() -> Any:
        return iw.group_by(events, *keys).window(EXTENTS[what]).agg(**aggregates(F))

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # without keys it is but the partials that go to one task
        warnings.filterwarnings("ignore", category=FutureWarning)
        ours = build()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*no partitioning")
        theirs = without(build)
    by_udf = int(hasattr(F, "arrow_udf"))  # 4.0 has none
    assert plan_text(ours).count("ArrowEvalPython") == by_udf and plan_text(theirs).count("ArrowEvalPython") == 0
    assert plan_text(ours).count("MapInArrow") == 2 - by_udf and plan_text(theirs).count("MapInArrow") == 1
    assert ours.schema == theirs.schema
    assert_same(ours, theirs, len(keys) + 1)


@pytest.mark.parametrize(
    "size, every, parts", [("1 minute", "1 minute", 1), ("1 minute", "10 seconds", 2), ("25 seconds", "10 seconds", 7)]
)
def test_as_sparks_window(events: Any, size: str, every: str, parts: int) -> None:
    from pyspark.sql import functions as F

    data = events.repartition(parts)
    ours = (
        iw.group_by(data, "item")
        .window(iw.hop("ts", size=size, every=every))
        .agg(s=iw.sum("v"), p=iw.sum("price"), n=iw.count(), hi=iw.max("name"), d=iw.stddev("v"))
    )
    spark = data.groupBy("item", F.window("ts", size, every)).agg(
        F.sum("v").alias("s"), F.sum("price").alias("p"), F.count("*").alias("n"), F.max("name").alias("hi"),
        F.stddev("v").alias("d"),
    )  # fmt: skip
    assert [field.dataType for field in ours.schema] == [field.dataType for field in spark.schema]
    assert ours.schema["window"].metadata == {"spark.timeWindow": True}
    assert_same(ours, spark, 2)


def test_of_nothing(events: Any) -> None:
    grouped = iw.group_by(events.where("t > 1000"), "item").window(EXTENTS["hop"])
    assert grouped.agg(n=iw.count(), s=Spread()("v")).collect() == []


def test_tuples_of_the_stream(events: Any) -> None:
    hop = iw.hop("t", rows=100, every=50, scope="stream")

    def build() -> Any:
        return iw.group_by(events, "item").window(hop).agg(n=iw.count())

    assert_same(build(), without(build), 2)


def test_explain(events: Any) -> None:
    grouped = iw.group_by(events, "item").window(EXTENTS["hop"])
    assert PANES in str(iw.explain(grouped, s=iw.sum("v"), x=Spread()("v")))
    assert f"{RAW}, last(v) depends on the order of tuples" in str(iw.explain(grouped, s=iw.sum("v"), x=iw.last("v")))
    placed = iw.group_by(events.repartition("item"), "item").window(EXTENTS["hop"])
    assert f"{RAW}, the rows lie together by the keys already" in str(iw.explain(placed, s=iw.sum("v")))


def test_an_error_in_a_hook(events: Any) -> None:
    from pyspark.errors import PythonException

    made = iw.group_by(events.where("item = 'item1'"), "item").window(iw.tumble("t", size=1000)).agg(x=Wary()("v"))
    with pytest.raises(
        PythonException,
        match=r"Wary.iterate\(.*\) raised ValueError: not this one\n  in Wary\(v\), at item='item1', t=",
    ):
        made.collect()


class NeverDone(Spread, commutative=True):
    def terminate(self) -> float:
        raise ValueError("not yet")


def test_an_error_behind_the_shuffle_names_the_extent(events: Any) -> None:
    from pyspark.errors import PythonException

    data = events.where("item = 'item1' and t between 20 and 39")
    made = iw.group_by(data, "item").window(iw.tumble("t", size=20)).agg(x=NeverDone()("v"))
    with pytest.raises(PythonException, match=r"in NeverDone\(v\), for the extent \[20, 40\) of item='item1'\n"):
        made.collect()
