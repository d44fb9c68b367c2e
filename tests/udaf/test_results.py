"""What hooks give back: records, tuples and lists, decimals and times, as columns."""

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from samples.aggregates import Candles
from samples.bids import BIDS, column

import inwindow as iw


def test_a_record_becomes_a_struct() -> None:
    start = datetime(2026, 1, 1)
    table = pa.table({"ts": [start + timedelta(minutes=m) for m in (0, 3, 7)], "price": [2.0, 5.0, 1.0]})
    hourly = iw.group_by(table).window(iw.tumble("ts", size="5 minutes")).agg(candle=Candles()("price"))
    assert hourly.to_pylist() == [
        {
            "window": {"start": start, "end": start + timedelta(minutes=5)},
            "candle": {"low": 2.0, "high": 5.0, "count": 2},
        },
        {
            "window": {"start": start + timedelta(minutes=5), "end": start + timedelta(minutes=10)},
            "candle": {"low": 1.0, "high": 1.0, "count": 1},
        },
    ]


class Arrivals(iw.WindowAggregate, returns="array<bigint>"):
    """Gives out the very list that it goes on changing, as tuples come and go; ..."""

    def __init__(self) -> None:
        self.values: list[int] = []

    def iterate(self, ts: int) -> list[int]:
        self.values.append(ts)
        return self.values

    def expire(self, ts: int) -> list[int]:
        self.values.remove(ts)
        return self.values


class Present(Arrivals, returns="array<bigint>"):
    """... and when it is asked."""

    def merge(self, later: "Present") -> None:
        self.values += later.values

    def terminate(self) -> list[int]:
        return self.values


@pytest.mark.parametrize("strategy", ["delta", "two-stacks", "recompute"])
def test_a_result_is_what_it_was_when_it_was_given(strategy: str) -> None:
    assert column(Present()("ts").over(iw.rows(2), strategy=strategy)) == [[5], [5, 1], [1, 2], [2, 3], [3, 4]]


def test_a_result_is_what_it_was_when_it_was_given_by_panes_and_by_emissions() -> None:
    by_panes = iw.select(BIDS, x=Present()("ts").over(iw.rows(4, slide=2)))
    assert by_panes["x"].to_pylist() == [[5, 1], [5, 1, 2, 3]]
    assert column(Arrivals()("ts").over(iw.rows(2))) == [[5], [5, 1], [1, 2], [2, 3], [3, 4]]
    leaving = Arrivals()("ts").over(iw.range(1, order_by="ts", active_expiration=True))
    ordered = BIDS.sort_by("ts")
    assert iw.select(ordered, x=leaving)["x"].to_pylist() == [[2], [3], [4], [5], []]


class Thirds(iw.Aggregate):
    """A Decimal with more digits than its column."""

    def iterate(self, price: Decimal) -> None:
        self.price = price

    def terminate(self) -> Decimal:
        return self.price / 3


class Mean(iw.Aggregate):
    """For doubles."""

    def initialize(self, price: float) -> None:
        self.total, self.count = price, 1

    def iterate(self, price: float) -> None:
        self.total += price
        self.count += 1

    def merge(self, later: "Mean") -> None:
        self.total += later.total
        self.count += later.count

    def terminate(self) -> float:
        return self.total / self.count


class Single(Mean, returns="float"):
    """The same, for a float of 32 bits."""


class Running(iw.Aggregate):
    """Answers tuple by tuple."""

    def iterate(self, price: float) -> float:
        self.total = getattr(self, "total", 0) + price
        return self.total


@pytest.mark.parametrize("strategy", ["two-stacks", "recompute"])
def test_a_class_for_doubles_runs_over_decimals(strategy: str) -> None:
    prices = [Decimal("1.10"), Decimal("2.25"), None, Decimal("4.00"), Decimal("-0.01")]
    table = pa.table({"d": pa.array(prices, pa.decimal128(10, 2))})
    over = {"window": iw.rows(2), "strategy": strategy}
    ours = iw.with_columns(
        table, m=Mean()("d").over(**over), s=Single()("d").over(**over), r=Running()("d").over(iw.unbounded())
    )
    expected = iw.with_columns(table, m=iw.avg("d").over(iw.rows(2)))["m"].cast(pa.float64()).to_pylist()
    assert ours["m"].type == pa.float64() and ours["m"].to_pylist() == pytest.approx(expected)
    assert ours["s"].type == pa.float32() and ours["s"].to_pylist() == pytest.approx(expected)
    assert ours["r"].to_pylist() == [1.1, 3.35, None, 7.35, 7.34]
    assert iw.group_by(table).agg(m=Mean()("d"))["m"].to_pylist() == [1.835]


class Pair(iw.Aggregate, returns="struct<a:int,b:string>"):
    """A plain tuple for a struct, as in PySpark."""

    def iterate(self, n: int) -> None:
        self.n = n

    def terminate(self) -> tuple[int, str]:
        return self.n, str(self.n)


def test_answers_fit_as_in_pyspark() -> None:
    table = pa.table({"d": [Decimal("1.00")], "n": [7]})
    result = iw.with_columns(table, third=Thirds()("d").over(iw.rows(1)), pair=Pair()("n").over(iw.rows(1)))
    assert result["third"].to_pylist() == [Decimal("0.333333333333333333")]
    assert result["pair"].to_pylist() == [{"a": 7, "b": "7"}]


def test_nanoseconds_are_floored() -> None:
    table = pa.table({"t": pa.array([-1, 0, 999, 1000, None], pa.timestamp("ns"))})

    class Same(iw.Aggregate, returns="timestamp_ntz"):
        def iterate(self, t):
            self.t = t

        def terminate(self):
            return self.t

    epoch = datetime(1970, 1, 1)
    step = timedelta(microseconds=1)
    result = iw.with_columns(table, x=Same()("t").over(iw.rows(1)))["x"].to_pylist()
    assert result == [epoch - step, epoch, epoch, epoch + step, None]


class Ends(iw.Aggregate, returns="struct<low:double,high:double>", empty={"low": 0.0, "high": 0.0}):
    """A struct, also over nothing; the answers are plain tuples."""

    def initialize(self, price: float) -> None:
        self.low = self.high = price

    def iterate(self, price: float) -> None:
        self.low, self.high = min(self.low, price), max(self.high, price)

    def merge(self, later: "Ends") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> tuple[float, float]:
        return self.low, self.high


@pytest.mark.parametrize("options", [{}, {"strategy": "recompute"}, {"slide": 2}], ids=str)
def test_the_empty_value_is_an_answer_like_any_other(options: dict) -> None:
    table = pa.table({"price": pa.array([None, None, 3.0, 5.0], pa.float64())})
    ends = iw.with_columns(table, x=Ends()("price").over(iw.rows(4), **options))["x"].to_pylist()
    assert ends[1] == {"low": 0.0, "high": 0.0}
    assert ends[3] == {"low": 3.0, "high": 5.0}


def test_times_of_the_day_as_results() -> None:
    class Echo(iw.Aggregate):
        def iterate(self, when: time) -> None:
            self.when = when

        def terminate(self) -> time:
            return self.when

    class Digits(Echo, returns="struct<a:time(0),b:array<time(3)>>"):
        def terminate(self) -> Any:
            return self.when, [self.when]

    moment = time(1, 2, 3)
    table = pa.table({"x": pa.array([moment], pa.time64("us"))})
    made = iw.with_columns(table, x=Echo()("x").over(iw.rows(1)), y=Digits()("x").over(iw.rows(1)))
    assert made["x"].type == pa.time64("us")
    assert [field.type for field in made["y"].type] == [pa.time32("s"), pa.list_(pa.field("element", pa.time32("ms")))]
    assert made.to_pylist() == [{"x": moment, "y": {"a": moment, "b": [moment]}}]
    with pytest.raises(iw.ResultTypeError, match=r"1.5 \(float\), which does not fit the result type time64\[us\]"):
        iw.with_columns(pa.table({"x": [1.5]}), x=Echo()("x").over(iw.rows(1)))
