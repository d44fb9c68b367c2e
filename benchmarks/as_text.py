"""Aggregates as text against the same classes by hand (figures 4 and 5 of the ESL paper, which has 10 to 20% between ESL and C)."""

from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds

TUPLES = 100_000

AVG = """
CREATE WINDOW AGGREGATE my_avg(next Real) : Real {
    TABLE state(total Real, n Int);
    INITIALIZE: { INSERT INTO state VALUES (next, 1); INSERT INTO RETURN VALUES (next); }
    ITERATE: { UPDATE state SET total = total + next, n = n + 1; INSERT INTO RETURN SELECT total / n FROM state; }
    EXPIRE: { UPDATE state SET total = total - oldest(), n = n - 1; }
}"""
FREQUENCY = """
CREATE WINDOW AGGREGATE frequency(item Int) : Int {
    TABLE counts(what Int PRIMARY KEY, n Int);
    INITIALIZE: { INSERT INTO counts VALUES (item, 1); INSERT INTO RETURN VALUES (1); }
    ITERATE: {
        UPDATE counts SET n = n + 1 WHERE what = item;
        INSERT INTO counts SELECT item, 1 WHERE NOT EXISTS (SELECT * FROM counts WHERE what = item);
        INSERT INTO RETURN SELECT n FROM counts WHERE what = item;
    }
    EXPIRE: { UPDATE counts SET n = n - 1 WHERE what = item; }
}"""


class MyAvg(iw.WindowAggregate):
    """AVG by hand."""

    def initialize(self, value) -> float:
        self.total, self.n = value, 1
        return value

    def iterate(self, value) -> float:
        self.total += value
        self.n += 1
        return self.total / self.n

    def expire(self, value) -> None:
        self.total -= value
        self.n -= 1


class Frequency(iw.WindowAggregate):
    """FREQUENCY by hand."""

    def initialize(self, item) -> int:
        self.counts = {item: 1}
        return 1

    def iterate(self, item) -> int:
        self.counts[item] = n = self.counts.get(item, 0) + 1
        return n

    def expire(self, item) -> None:
        self.counts[item] -= 1


def report(tuples: int = TUPLES) -> str:
    """Both, over ROWS windows of several sizes."""
    random = np.random.default_rng(7)
    table = pa.table({"price": random.random(tuples), "item": random.integers(0, 100, tuples)})
    rows: list[list[Any]] = []
    for column, text, by_hand in (("price", AVG, MyAvg), ("item", FREQUENCY, Frequency)):
        as_text = iw.aggregate(text)
        for window in (100, 1_000, 10_000):
            costs = [_cost(table, kind, column, window) for kind in (as_text, by_hand) * 2]
            one, other = min(costs[::2]), min(costs[1::2])
            rows.append([by_hand.__name__, f"{window:,}", one, other, f"{one / other:.2f}x"])
    return markdown(["aggregate", "window", "text, ns/tuple", "class, ns/tuple", "text / class"], rows)


def _cost(table: pa.Table, kind: Any, column: str, window: int) -> float:
    return nanoseconds(lambda: iw.with_columns(table, x=kind()(column).over(iw.rows(window))), len(table))
