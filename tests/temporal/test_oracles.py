"""Against what nobody here wrote: DuckDB's range joins and windows, the IntervalIndex of pandas."""

from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inwindow as iw
from inwindow import temporal

SEEDS = st.integers(0, 2**32)


def made(seed: int, rows: int = 60, key: int = 3) -> pa.Table:
    """Intervals in a few groups, none of them empty; ends meet and tie."""
    random = np.random.default_rng(seed)
    since = random.integers(0, 80, rows)
    return pa.table(
        {
            "k": random.integers(0, key, rows),
            "x": random.integers(-5, 9, rows),
            "since": since,
            "until": since + random.integers(1, 25, rows),
        }
    )


def asked(sql: str, **tables: pa.Table) -> Counter[Any]:
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return Counter(connection.execute(sql).fetchall())


def bag(table: pa.Table) -> Counter[Any]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_coalesce_is_gaps_and_islands_by_the_running_maximum(seed: int) -> None:
    its = made(seed)
    wanted = asked(
        """
        SELECT k, min(since), max(until) FROM (
            SELECT *, sum(begins) OVER (PARTITION BY k ORDER BY since, until) AS island FROM (
                SELECT *, CASE WHEN since <= max(until) OVER (
                    PARTITION BY k ORDER BY since, until ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) THEN 0 ELSE 1 END AS begins FROM its
            )
        ) GROUP BY k, island
        """,
        its=its,
    )
    assert bag(temporal.coalesce(its, by="k")) == wanted


@pytest.mark.parametrize("how", ["inner", "semi"])
@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_join_is_a_range_join(how: str, seed: int) -> None:
    a, b = made(seed), made(seed + 1).rename_columns(["k", "y", "since", "until"])
    pairs = """
        SELECT a.k, x, y, greatest(a.since, b.since), least(a.until, b.until)
        FROM a JOIN b ON a.k = b.k AND a.since < b.until AND b.since < a.until AND x < y
    """
    met = temporal.join(a, b, on="k", how=how, condition=pa.compute.field("x") < pa.compute.field("y"))
    if how == "inner":
        assert bag(met) == asked(pairs, a=a, b=b)
        return
    instants = pa.table({"t": range(110)})
    there = asked(
        """
        SELECT t, k, x FROM instants JOIN a ON a.since <= t AND t < a.until SEMI JOIN b
        ON a.k = b.k AND b.since <= t AND t < b.until AND x < y
        """,
        a=a, b=b, instants=instants,
    )  # fmt: skip
    held = asked("SELECT t, k, x FROM instants JOIN met ON since <= t AND t < until", met=met, instants=instants)
    assert held == there


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_aggregates_at_each_instant(seed: int) -> None:
    its = made(seed)
    result = temporal.aggregate(its, by="k", n=iw.count(), s=iw.sum("x"), high=iw.max("x"), mid=iw.median("x"))
    instants = pa.table({"t": range(110)})
    wanted = asked(
        """
        SELECT t, k, count(*), sum(x), max(x), median(x) FROM instants JOIN its ON since <= t AND t < until GROUP BY t, k
        """,
        its=its, instants=instants,
    )  # fmt: skip
    found = asked(
        "SELECT t, k, n, s, high, mid FROM instants JOIN result ON since <= t AND t < until",
        result=result,
        instants=instants,
    )
    assert found == wanted


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_differences_are_those_of_each_instant(seed: int) -> None:
    a, b = (made(seed + at).select(["k", "since", "until"]) for at in (0, 1))
    instants = pa.table({"t": range(110)})
    for name, word in (("difference", "EXCEPT ALL"), ("intersect", "INTERSECT ALL"), ("union", "UNION ALL")):
        result = getattr(temporal, name)(a, b)
        at = "SELECT t, k FROM instants JOIN {} ON since <= t AND t < until"
        wanted = asked(f"{at.format('a')} {word} {at.format('b')}", a=a, b=b, instants=instants)
        assert asked(at.format("result"), result=result, instants=instants) == wanted


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_points_in_validity_are_those_of_an_interval_index(seed: int) -> None:
    its, random = made(seed, key=1), np.random.default_rng(seed)
    points = pa.table({"t": random.integers(-5, 115, 40)})
    then = temporal.valid(order_by="t")
    found = iw.with_columns(
        points, n=iw.count().over(then), s=iw.sum("x").over(then), every=iw.collect_list("x").over(then), of=its
    )
    index = pd.IntervalIndex.from_arrays(its["since"].to_pandas(), its["until"].to_pandas(), closed="left")
    x = its["x"].to_numpy()
    for row in found.to_pylist():
        held = x[index.contains(row["t"])].tolist()
        assert (row["n"], row["s"], sorted(row["every"])) == (len(held), sum(held) if held else None, sorted(held))


def test_points_and_keys_and_ends_that_are_null() -> None:
    prices = pa.table({"k": ["a", "a", None, "b"], "p": [1, 2, 3, 4], "from": [None, 5, 0, 2], "to": [5, None, 9, 2]})
    points = pa.table({"k": ["a", None, "a", "b", "a", "z"], "t": [7, 3, 4, 2, None, 1]})
    then = temporal.valid("from", "to", partition_by="k", order_by="t")
    found = iw.with_columns(points, p=iw.first("p").over(then), n=iw.count().over(then), of=prices)
    assert found["p"].to_pylist() == [2, 3, 1, None, None, None]
    assert found["n"].to_pylist() == [1, 1, 1, 0, 0, 0]
    assert "recompute" in str(iw.explain(points, p=iw.first("p").over(then), of=prices))


class Held(iw.WindowAggregate, expire_any_order=True):
    """The values that hold, in text."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def expire(self, value):
        self.values.remove(value)

    def terminate(self) -> str:
        return str(sorted(self.values))


def test_a_point_when_what_came_later_has_left_and_what_came_first_has_not() -> None:
    its = pa.table({"since": [1, 2, 60], "until": [100, 3, 70], "x": [1.0, 1e300, 0.5]})
    points, then = pa.table({"t": [50, 65, 80, 100]}), temporal.valid(order_by="t")
    found = iw.with_columns(points, s=iw.sum("x").over(then), held=Held()("x").over(then), of=its)
    assert found["s"].to_pylist() == [1.0, 1.5, 1.0, None]
    assert found["held"].to_pylist() == ["[1.0]", "[0.5, 1.0]", "[1.0]", None]
