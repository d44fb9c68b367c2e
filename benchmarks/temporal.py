"""Rows that hold for a while, beside what one would use instead: DuckDB, Polars and pandas (for Spark: ``temporal_spark``).

CPU nanoseconds, the best of two runs, of the whole process on one thread. "Per interval" for coalesce and snapshot aggregates; "per
pair and interval" for joins.
"""

import argparse
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds
from inwindow import temporal

SIZE = 5_000_000
PAIRED = 100_000


def intervals(rows: int, seed: int = 1, span: int = 500) -> pa.Table:
    """Short intervals over a long time: some ten hold at an instant."""
    draw = np.random.default_rng(seed)
    since = draw.integers(0, rows * span // 20, rows)
    return pa.table({"x": draw.random(rows) * 100, "since": since, "until": since + draw.integers(1, span, rows)})


class Spread(iw.Aggregate, commutative=True, derive=False):
    """A class with a merge and no expire."""

    def initialize(self, value):
        self.low = self.high = value

    def iterate(self, value):
        if value < self.low:
            self.low = value
        elif value > self.high:
            self.high = value

    def merge(self, later):
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> float:
        return self.high - self.low


ISLANDS = """
    SELECT min(since), max(until) FROM (SELECT *, sum(b) OVER (ORDER BY since, until) AS island FROM (
        SELECT *, CASE WHEN since <= max(until) OVER (ORDER BY since, until ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
            THEN 0 ELSE 1 END AS b FROM its)) GROUP BY island
"""
OVERLAPS = """
    SELECT x, y, greatest(a.since, b.since), least(a.until, b.until)
    FROM a JOIN b ON a.since < b.until AND b.since < a.until
"""
EVENTS = """
    SELECT t, sum(sum({value})) OVER (ORDER BY t) FROM (
        SELECT since AS t, x, 1 AS n FROM its UNION ALL SELECT until, -x, -1 FROM its) GROUP BY t
"""


def asked(sql: str, **tables: pa.Table) -> Callable[[], Any]:
    """A query of DuckDB, on one thread."""

    def run() -> Any:
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            for name, table in tables.items():
                connection.register(name, table)
            return connection.sql(sql).to_arrow_table()

    return run


def polars_events(frame: pl.DataFrame, value: str) -> Any:
    """A running sum over both ends."""
    amount = pl.col("x") if value == "x" else pl.lit(1)
    came = frame.select(t="since", v=amount)
    left = frame.select(t="until", v=-amount)
    return pl.concat([came, left]).group_by("t").agg(pl.col("v").sum()).sort("t").with_columns(pl.col("v").cum_sum())


def polars_islands(frame: pl.DataFrame) -> Any:
    """By the running maximum."""
    ordered = frame.select("since", "until").sort("since")
    begins = (pl.col("since") > pl.col("until").cum_max().shift(1)).fill_null(True)
    return (
        ordered.with_columns(island=begins.cum_sum())
        .group_by("island")
        .agg(pl.col("since").min(), pl.col("until").max())
    )


def pandas_events(frame: pd.DataFrame, value: str) -> Any:
    """The same."""
    amount = frame["x"] if value == "x" else pd.Series(1, frame.index)
    both = pd.concat([pd.Series(amount.to_numpy(), frame["since"]), pd.Series(-amount.to_numpy(), frame["until"])])
    return both.groupby(level=0).sum().cumsum()


def pandas_islands(frame: pd.DataFrame) -> Any:
    """By the running maximum."""
    ordered = frame[["since", "until"]].sort_values("since")
    island = (ordered["since"] > ordered["until"].cummax().shift()).cumsum()
    return ordered.groupby(island).agg({"since": "min", "until": "max"})


def sweeps(rows: int = SIZE) -> str:
    """Coalesce, and snapshot aggregates."""
    its = intervals(rows)
    frame: Any = pl.from_arrow(its)
    rowwise: Any = its.to_pandas()
    few = its.slice(0, rows // 10)
    contenders: list[tuple[str, pa.Table, dict[str, Callable[[], Any] | None]]] = [
        ("coalesce", its, {
            "inwindow": lambda: temporal.coalesce(its, by=()), "DuckDB": asked(ISLANDS, its=its),
            "Polars": lambda: polars_islands(frame), "pandas": lambda: pandas_islands(rowwise)}),
        ("count", its, {
            "inwindow": lambda: temporal.aggregate(its, n=iw.count()), "DuckDB": asked(EVENTS.format(value="n"), its=its),
            "Polars": lambda: polars_events(frame, "n"), "pandas": lambda: pandas_events(rowwise, "n")}),
        ("sum (ours exact)", its, {
            "inwindow": lambda: temporal.aggregate(its, s=iw.sum("x")), "DuckDB": asked(EVENTS.format(value="x"), its=its),
            "Polars": lambda: polars_events(frame, "x"), "pandas": lambda: pandas_events(rowwise, "x")}),
        ("avg (ours exact)", its, {
            "inwindow": lambda: temporal.aggregate(its, a=iw.avg("x")), "DuckDB": None, "Polars": None,
            "pandas": None}),
        ("max", few, {"inwindow": lambda: temporal.aggregate(few, m=iw.max("x")), "DuckDB": None, "Polars": None, "pandas": None}),
        ("Python class with merge", few, {
            "inwindow": lambda: temporal.aggregate(few, m=Spread()("x")), "DuckDB": None, "Polars": None, "pandas": None}),
    ]  # fmt: skip
    head = ["ns per interval", "intervals", "inwindow", "DuckDB", "Polars", "pandas"]
    lines = []
    for title, data, ways in contenders:
        cells = [None if way is None else nanoseconds(way, len(data), runs=2) for way in ways.values()]
        lines.append([title, f"{len(data):,}", *cells])
    return markdown(head, lines)


def side(name: str, rows: int, seed: int, span: int) -> pa.Table:
    """One side of a join: numbers, and intervals of up to ``span`` in a time of ten instants for each."""
    draw = np.random.default_rng(seed)
    since = draw.integers(0, rows * 10, rows)
    return pa.table({name: range(rows), "since": since, "until": since + draw.integers(1, span, rows)})


def joins(rows: int = PAIRED) -> str:
    """Overlap joins in one key: few pairs per interval, and many."""
    lines = []
    for title, span in (("some ten partners", 200), ("some hundred partners", 2000)):
        a, b = (side(name, rows, seed, span) for seed, name in ((3, "x"), (4, "y")))
        pairs = len(temporal.join(a, b))
        one: Any = pl.from_arrow(a)
        other: Any = pl.from_arrow(b.rename_columns(["y", "s", "u"]))
        ways: list[Callable[[], Any]] = [
            lambda a=a, b=b: temporal.join(a, b),
            asked(OVERLAPS, a=a, b=b),
            lambda one=one, other=other: one.join_where(
                other, pl.col("since") < pl.col("u"), pl.col("s") < pl.col("until")
            ),
        ]
        lines.append([title, f"{pairs:,}", *(nanoseconds(way, pairs + 2 * rows, runs=2) for way in ways)])
    return markdown(["ns per pair and interval", "pairs", "inwindow", "DuckDB (IEJoin)", "Polars join_where"], lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=SIZE)
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    print(sweeps(arguments.rows), joins(), sep="\n\n", flush=True)
