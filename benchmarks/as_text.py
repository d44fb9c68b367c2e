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


N_DISTINCT = """
CREATE WINDOW AGGREGATE n_distinct(item Int) : Int {
    TABLE seen(what Int PRIMARY KEY, n Int);
    INITIALIZE: ITERATE: {
        UPDATE seen SET n = n + 1 WHERE what = item;
        INSERT INTO seen SELECT item, 1 WHERE NOT EXISTS (SELECT * FROM seen WHERE what = item);
    }
    EXPIRE: { UPDATE seen SET n = n - 1 WHERE what = item; DELETE FROM seen WHERE what = item AND n = 0; }
    TERMINATE: { INSERT INTO RETURN SELECT count(*) FROM seen; }
}"""
FAVOURITE = """
CREATE WINDOW AGGREGATE favourite(item Int) : Int {
    TABLE counts(what Int PRIMARY KEY, n Int);
    INITIALIZE: ITERATE: {
        UPDATE counts SET n = n + 1 WHERE what = item;
        INSERT INTO counts SELECT item, 1 WHERE NOT EXISTS (SELECT * FROM counts WHERE what = item);
    }
    EXPIRE: { UPDATE counts SET n = n - 1 WHERE what = item; }
    TERMINATE: { INSERT INTO RETURN SELECT what FROM counts ORDER BY n DESC, what LIMIT 1; }
}"""
LOWEST_OTHER = """
CREATE WINDOW AGGREGATE lowest_other(item Int, price Real) : Real {
    TABLE recent(what Int, v Real);
    INITIALIZE: { INSERT INTO recent VALUES (item, price); INSERT INTO RETURN VALUES (price); }
    ITERATE: {
        DELETE FROM recent WHERE what = item AND v > price;
        INSERT INTO recent VALUES (item, price);
        INSERT INTO RETURN SELECT min(v) FROM recent WHERE what <> item;
    }
    EXPIRE: { DELETE FROM recent WHERE what = item AND v = price; }
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


class NDistinct(iw.WindowAggregate):
    """N_DISTINCT by hand."""

    def __init__(self) -> None:
        self.seen = {}

    def iterate(self, item) -> None:
        self.seen[item] = self.seen.get(item, 0) + 1

    def expire(self, item) -> None:
        self.seen[item] -= 1
        if self.seen[item] == 0:
            del self.seen[item]

    def terminate(self) -> int:
        return len(self.seen)


class Favourite(iw.WindowAggregate):
    """FAVOURITE by hand."""

    def __init__(self) -> None:
        self.counts = {}

    def iterate(self, item) -> None:
        self.counts[item] = self.counts.get(item, 0) + 1

    def expire(self, item) -> None:
        self.counts[item] -= 1

    def terminate(self) -> int:
        return min(self.counts.items(), key=lambda one: (-one[1], one[0]))[0]


class LowestOther(iw.WindowAggregate):
    """LOWEST_OTHER by hand."""

    def initialize(self, item, price) -> float:
        self.recent = [(item, price)]
        return price

    def iterate(self, item, price) -> float | None:
        self.recent = [one for one in self.recent if one[0] != item or one[1] <= price]
        self.recent.append((item, price))
        return min((v for what, v in self.recent if what != item), default=None)

    def expire(self, item, price) -> None:
        self.recent = [one for one in self.recent if one != (item, price)]


# What, the columns, the class, and the window's sizes: statements that look at all rows are for small ones.
PAIRS: tuple[tuple[str, tuple[str, ...], str, type, tuple[int, ...]], ...] = (
    ("one row", ("price",), AVG, MyAvg, (100, 1_000, 10_000)),
    ("a key", ("item",), FREQUENCY, Frequency, (100, 1_000, 10_000)),
    ("a key, deleted", ("item",), N_DISTINCT, NDistinct, (100, 10_000)),
    ("all keys", ("item",), FAVOURITE, Favourite, (100,)),
    ("many rows", ("item", "price"), LOWEST_OTHER, LowestOther, (10, 100)),
)


def report(tuples: int = TUPLES, turns: int = 5) -> str:
    """Both, in turns, over ROWS windows of several sizes; hooks in Python, none compiled."""
    random = np.random.default_rng(7)
    table = pa.table({"price": random.random(tuples), "item": random.integers(0, 100, tuples)})
    rows: list[list[Any]] = []
    for what, columns, text, by_hand, sizes in PAIRS:
        as_text = iw.aggregate(text)
        data = table if what not in ("all keys", "many rows") else table.slice(0, tuples // 10)
        for window in sizes:
            costs = [_cost(data, kind, columns, window) for kind in (as_text, by_hand) * turns]
            one, other = min(costs[::2]), min(costs[1::2])
            rows.append([what, by_hand.__name__, f"{window:,}", one, other, f"{one / other:.2f}x"])
    return markdown(["table", "aggregate", "window", "text, ns/tuple", "class, ns/tuple", "text / class"], rows)


def _cost(table: pa.Table, kind: Any, columns: tuple[str, ...], window: int) -> float:
    return nanoseconds(lambda: iw.with_columns(table, x=kind()(*columns).over(iw.rows(window))), len(table), runs=1)
