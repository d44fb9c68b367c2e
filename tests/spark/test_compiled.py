"""Compiled hooks on Spark: the workers have no source of a class, and import a cdef class."""

import math
from pathlib import Path
from typing import Any

import pytest
from samples.c_project import imported

import inwindow as iw
from inwindow.udaf.compiled import caching, due

WINDOWS = {
    "delta": iw.rows(4, partition_by="k", order_by="id"),
    "unbounded": iw.unbounded(partition_by="k", order_by="id"),
}


class Spread(iw.WindowAggregate):
    """The standard deviation; NULL for one tuple."""

    def initialize(self, value):
        self.total, self.squares, self.count = value, value**2, 1

    def iterate(self, value):
        self.total += value
        self.squares += value**2
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.squares -= value**2
        self.count -= 1

    def terminate(self) -> float:
        if self.count < 2:
            return None
        return math.sqrt(max(0.0, (self.squares - self.total**2 / self.count) / (self.count - 1)))


@pytest.fixture
def df(spark: Any) -> Any:
    return spark.range(60).selectExpr("id", "id % 3 as k", "if(id = 7, null, id * 7 % 11 / 3d) as v")


def both(df: Any, one: Any, other: Any) -> tuple[list[Any], list[Any]]:
    """The results on Spark, and those of the plain class on the same rows here."""
    made = iw.with_columns(df, **{name: one("v").over(window) for name, window in WINDOWS.items()})
    here = iw.with_columns(df.toArrow(), **{name: other("v").over(window) for name, window in WINDOWS.items()})
    return [row.asDict() for row in made.orderBy("id").collect()], here.sort_by("id").to_pylist()


def test_compiled_by_numba(df: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INWINDOW_CACHE", str(tmp_path))
    given, expected = both(df, iw.compiled(Spread()), Spread())
    assert given == expected
    assert "hooks of Spread, by numba" in str(iw.explain(df, x=iw.compiled(Spread())("v").over(WINDOWS["delta"])))


def test_a_cdef_class(spark: Any, df: Any, tmp_path: Path) -> None:
    module = imported(tmp_path)
    spark.sparkContext.addPyFile(module.__file__)  # as a wheel that is installed on the workers
    given, expected = both(df, module.MyAvg(), module.MyAvg())
    assert given == expected
    extent = iw.hop("id", size=20, every=5)
    groups, here = (
        iw.group_by(its, "k").window(extent).agg(x=module.MyAvg()("v")) for its in (df, df.toArrow())
    )  # panes before the shuffle there, delta here: equal up to rounding
    rows = [(row.k, row.window.start, row.x) for row in groups.orderBy("k", "window").collect()]
    expected_rows = [(row["k"], row["window"]["start"], row["x"]) for row in here.to_pylist()]
    for row, its in zip(rows, sorted(expected_rows), strict=True):
        assert row == pytest.approx(its, abs=1e-12)


def test_registered_for_sql(spark: Any, df: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INWINDOW_CACHE", str(tmp_path))
    df.createOrReplaceTempView("compiled_input")
    iw.register(spark, "compiled_spread", iw.compiled(Spread()), over=iw.rows(4))
    over = "row_number() OVER (PARTITION BY k ORDER BY id)"
    given = spark.sql(f"SELECT id, compiled_spread({over}, k, v) AS x FROM compiled_input").orderBy("id").collect()
    expected = both(df, Spread(), Spread())[1]
    assert [row.x for row in given] == [row["delta"] for row in expected]


class Averaged(iw.WindowAggregate):
    """For a worker to compile."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


def test_unasked_in_a_worker(spark: Any) -> None:
    """After a million tuples of a worker: what it has compiled is in the cache. Small tasks leave nothing there."""
    window = iw.rows(7, partition_by="k", order_by="id")

    def frame(rows: int) -> Any:
        return spark.range(rows).selectExpr("id", "id % 2 as k", "id * 7 % 1001 / 4d as v")  # sums without rounding

    def seen(rows: int, one: Any) -> Any:
        made = iw.with_columns(frame(rows), x=one("v").over(window))
        return made.selectExpr("sum(hash(id, x))", "count(x)").first()

    text = f"compiled by numba after {due.AFTER:,} tuples"
    plan = iw.explain(frame(1), x=Averaged()("v").over(window))
    assert text in str(plan)
    source = plan.passes[0].steps[0].machine.program.source
    for file in caching._path(source).parent.rglob(f"{caching._path(source).stem}*"):
        file.unlink()
    assert seen(1000, Averaged()) == seen(1000, iw.avg) and not caching.is_on_disk(source)
    assert seen(3_000_000, Averaged()) == seen(3_000_000, iw.avg)  # two keys: half of them come together
    assert caching.is_on_disk(source)
