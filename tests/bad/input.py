"""What the tables of bad input share: the data, a few good aggregates, and the row of a table."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from samples.aggregates import MyAvg

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.row_operators import WithColumns


class Bad(NamedTuple):
    """What the user did, as a call; the exception, and its whole message."""

    what: str
    call: Callable[[], Any]
    error: type[Exception]
    message: str


MOMENT = datetime(2026, 3, 1, 12)
TABLE = pa.table(
    {
        "item": ["a", "b", "a", "a"],
        "ts": pa.array([MOMENT + timedelta(seconds=s) for s in (0, 1, 5, 9)], pa.timestamp("us")),
        "t": [1, 2, 5, 9],
        "price": [1.0, 2.0, 6.0, 4.0],
        "n": [3, 0, 2, 4],
        "ok": [True, False, True, None],
        "tags": [["x"], [], None, ["y"]],
        "length": pa.array([timedelta(hours=1)] * 4, pa.duration("s")),
        "big": pa.array([1, 2, 3, 2**64 - 1], pa.uint64()),
    }
)
WIDE = pa.table({f"c{number}": [1] for number in range(100)})
TWICE = pa.table([[1], [2], [3]], names=["x", "x", "y"])
HALVES = pa.table({"x": pa.array([np.float16(0.5)], pa.float16())})
LARGE = pa.table({"d": pa.array([Decimal("9" * 38)] * 2, pa.decimal128(38, 0))})
UNSORTED = pa.table({"t": [9, 5, 6], "n": [1, 2, 3]})


class Decayed(iw.Aggregate):
    """Non-blocking: answers as each tuple arrives."""

    def iterate(self, value) -> float:
        self.value = 0.9 * getattr(self, "value", 0.0) + value
        return self.value


class Each(iw.Aggregate):
    """A generator hook."""

    def iterate(self, value) -> Iterator[int]:
        yield value


class Leaves(iw.WindowAggregate):
    """For active expiration."""

    def iterate(self, value):
        pass

    def expire(self, value) -> str:
        return f"{value} left"


class Longest(iw.Aggregate, algebraic=True):
    """Its result is no tuple of integers."""

    def iterate(self, value):
        self.value = max(value, getattr(self, "value", value))

    def terminate(self) -> float:
        return float(self.value)


class Configured(iw.Aggregate):
    def __init__(self, k):
        self.k = k

    def iterate(self, value):
        pass

    def terminate(self) -> float:
        return 0.0


class Unlike(iw.WindowAggregate, base=Configured):
    """Its base takes a parameter that it does not take itself."""

    def iterate(self, value):
        pass

    def terminate(self) -> float:
        return 0.0


LEAVING = iw.range(3, order_by="t", active_expiration=True)


class SparkColumn:
    """As far as inwindow looks at a Column without importing PySpark."""

    __module__ = "pyspark.sql.classic.column"

    def __str__(self) -> str:
        return "Column<'price + 1'>"


SparkColumn.__name__ = "Column"


class SparkFrame:
    """As far as a drawing looks at a DataFrame."""

    __module__ = "pyspark.sql.classic.dataframe"
    columns = ("t",)


def operator(window: Any) -> WithColumns:
    """An operator, as the Spark adapter drives it."""
    return WithColumns(plan_windows(TABLE.schema, {"a": MyAvg()("price").over(window)})[0], TABLE.schema, ())
