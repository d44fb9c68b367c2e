"""A Python class with four hooks, against sqlite3.create_window_function with the same class."""

import random
import sqlite3
from typing import Any

import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds

TUPLES = 1_000_000


class MyAvg(iw.WindowAggregate):
    """The paper's example 12."""

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


class Interpreted(MyAvg, compile=False):
    """The same, by Python hooks for good."""


class SqliteAvg:
    """The same, by SQLite's names."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def step(self, value):
        self.total += value
        self.count += 1

    def inverse(self, value):
        self.total -= value
        self.count -= 1

    def value(self):
        return self.total / self.count

    finalize = value


def report(tuples: int = TUPLES) -> str:
    """Both over ROWS windows of several sizes."""
    generator = random.Random(7)
    values = [generator.random() for _ in range(tuples)]
    table = pa.table({"v": values})
    connection = sqlite3.connect(":memory:")
    connection.create_window_function("myavg", 1, SqliteAvg)
    connection.execute("CREATE TABLE stream(id INTEGER PRIMARY KEY, v REAL)")
    connection.executemany("INSERT INTO stream VALUES (?, ?)", enumerate(values))
    rows = []
    for window in (10, 100, 1_000, 100_000):
        ours = nanoseconds(lambda: iw.with_columns(table, x=Interpreted()("v").over(iw.rows(window))), tuples)  # noqa: B023
        theirs = nanoseconds(lambda: sqlite(connection, window), tuples, runs=2)  # noqa: B023
        rows.append([f"{window:,}", ours, theirs, f"{theirs / ours:.1f}x", f"{1000 / ours:.1f}"])
    header = ["window", "inwindow, ns per tuple", "sqlite3, ns per tuple", "ratio", "inwindow, million tuples/s"]
    return markdown(header, rows)


def sqlite(connection: sqlite3.Connection, window: int) -> Any:
    """The query, fetched."""
    query = f"SELECT myavg(v) OVER (ORDER BY id ROWS {window - 1} PRECEDING) FROM stream"
    return connection.execute(query).fetchall()
