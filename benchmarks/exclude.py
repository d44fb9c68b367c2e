"""Frames with a hole: EXCLUDE CURRENT ROW against the same frame without it, DuckDB and SQLite; ROWS on both sides, local.

`python -m benchmarks.exclude [tuples]`; with `uneven` before it, only the frames that reach twice as far back as ahead.
"""

import sqlite3
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds

TUPLES, FEW = 1_000_000, 20_000
WINDOWS = (10, 1_000, 100_000)


class Written(iw.WindowAggregate, expire_any_order=True, compile=False):
    """ESL, example 12; its expire undoes any tuple."""

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


class Merged(iw.Aggregate, derive=False, compile=False):
    """A largest value, by merge alone."""

    def initialize(self, value):
        self.largest = value

    def iterate(self, value):
        self.largest = max(self.largest, value)

    def merge(self, later):
        self.largest = max(self.largest, later.largest)

    def terminate(self) -> float:
        return self.largest


CONTESTS: dict[str, tuple[Any, str | None]] = {
    "count": (iw.count("v"), "count(v)"),
    "sum": (iw.sum("v"), "sum(v)"),
    "sum of integers": (iw.sum("i"), "sum(i)"),
    "avg": (iw.avg("v"), "avg(v)"),
    "max": (iw.max("v"), "max(v)"),
    "bit_or": (iw.bit_or("i"), "bit_or(i)"),
    "first": (iw.first("v"), "first_value(v)"),
    "max_by": (iw.max_by("v", "i"), "max_by(v, i)"),
    "product": (iw.product("v"), "product(v)"),
    "var_samp": (iw.var_samp("v"), "var_samp(v)"),
    "kurtosis": (iw.kurtosis("v"), "kurtosis(v)"),
    "median": (iw.median("v"), "median(v)"),
    "count_distinct": (iw.count_distinct("i"), "count(DISTINCT i)"),
    "mode": (iw.mode("i"), "mode(i)"),
    "class with expire": (Written()("v"), None),
    "class with merge": (Merged()("v"), None),
}
SQLITE = {"count", "sum", "sum of integers", "avg", "max", "first"}


@cache
def data(tuples: int) -> pa.Table:
    """v doubles, i integers, n the order."""
    draw = np.random.default_rng(7)
    return pa.table({"n": np.arange(tuples), "v": draw.normal(size=tuples), "i": draw.integers(0, 1000, tuples)})


def over(back: int, ahead: int) -> str:
    """The frame in SQL."""
    return f"(ORDER BY n ROWS BETWEEN {back} PRECEDING AND {ahead} FOLLOWING EXCLUDE CURRENT ROW)"


def in_duckdb(call: str, back: int, ahead: int, tuples: int) -> Callable[[], Any]:
    """DuckDB, on one thread."""
    connection = duckdb.connect(config={"threads": 1})
    connection.register("arrow", data(tuples))
    connection.execute("CREATE TABLE t AS SELECT * FROM arrow")
    query = f"SELECT {call} OVER {over(back, ahead)} AS x FROM t"
    return lambda: connection.sql(query).to_arrow_table()


def in_sqlite(call: str, window: int, tuples: int) -> Callable[[], Any]:
    """SQLite in memory; only a sum of the results comes back."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v REAL, i INTEGER)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", zip(*data(tuples).to_pydict().values(), strict=True))
    query = f"SELECT sum(x) FROM (SELECT {call} OVER {over(window // 2, window // 2)} AS x FROM t)"
    return lambda: base.execute(query).fetchall()


def report(tuples: int = TUPLES) -> str:
    """Nanoseconds a tuple, and how many times the frame without a hole."""
    rows = []
    for name, (one, sql) in CONTESTS.items():
        tuples_of = tuples // 5 if name.startswith("class") else tuples
        for window in WINDOWS:
            frame = {"order_by": "n"}
            whole = iw.rows_between(-(window // 2), window // 2, **frame)
            table = data(tuples_of)
            plain = nanoseconds(lambda: iw.with_columns(table, x=one.over(whole)), tuples_of)  # noqa: B023
            holed = nanoseconds(
                lambda: iw.with_columns(table, x=one.over(whole, exclude="current row")),  # noqa: B023
                tuples_of,
            )
            duck = (
                nanoseconds(in_duckdb(sql, window // 2, window // 2, FEW), FEW, patience=1.0)
                if sql and window < FEW
                else None
            )
            lite = (
                nanoseconds(in_sqlite(sql, window, FEW), FEW, patience=1.0)
                if sql and name in SQLITE and window <= 1000
                else None
            )
            rows.append([name, f"{window:,}", plain, holed, f"{holed / plain:.1f}x", duck, lite])
    header = ["ns per tuple", "window", "frame", "without the current row", "ratio", "DuckDB", "SQLite"]
    within = sum(float(row[4][:-1]) <= 3 for row in rows)
    return f"{markdown(header, rows)}\n\n{within} of {len(rows)} rows are within three times the frame without a hole."


def uneven(tuples: int = TUPLES) -> str:
    """Frames that reach twice as far back as ahead, where tuples leave in another order than they come."""
    calls = {name: CONTESTS[name] for name in ("median", "count_distinct", "mode")}
    calls["sum_distinct"] = (iw.sum_distinct("i"), "sum(DISTINCT i)")
    rows = []
    for name, (one, sql) in calls.items():
        for back, ahead in ((10, 5), (1_000, 500), (100_000, 50_000)):
            frame = iw.rows_between(-back, ahead, order_by="n")

            def ours(tuples: int, frame: Any = frame, one: Any = one, **options: Any) -> float:
                return nanoseconds(lambda: iw.with_columns(data(tuples), x=one.over(frame, **options)), tuples)

            plain, holed = ours(tuples), ours(tuples, exclude="current row")
            afresh = duck = None
            if back < FEW:
                afresh = ours(FEW // 5, exclude="current row", strategy="recompute")
                duck = nanoseconds(in_duckdb(sql or "", back, ahead, FEW), FEW, patience=1.0)
            rows.append([name, f"{back:,} + {ahead:,}", plain, holed, f"{holed / plain:.1f}x", afresh, duck])
    header = ["ns per tuple", "back + ahead", "frame", "without the current row", "ratio", "folded afresh", "DuckDB"]
    return markdown(header, rows)


if __name__ == "__main__":
    one = uneven if sys.argv[1:2] == ["uneven"] else report
    print(one(*map(int, filter(str.isdigit, sys.argv[1:]))))
