"""The aggregates of the ESL paper as text, and as the classes that were written by hand: the same results, bit for bit."""

import math
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
import samples.esl_texts as esl
from hypothesis import given
from hypothesis import strategies as st
from samples.esl_aggregates import (
    Avg,
    CumAvg,
    DecayOnlineAvg,
    ItemAlarm,
    Max,
    MaxAsPrinted,
    NaiveAvg,
    NoBid,
    ProductGroup,
    Sum,
)  # fmt: skip

import inwindow as iw

START = datetime(2006, 11, 5, 9, 0)
PRICES = st.lists(st.floats(-1e6, 1e6) | st.none(), min_size=1, max_size=30)
FRAMES = [
    iw.rows(3, order_by="t"),
    iw.range(4, order_by="t"),
    iw.unbounded(order_by="t"),
    iw.rows(2, order_by="t", slide=2),
    iw.rows(6, order_by="t", slide=2),
]


class MyAvgAlone(iw.WindowAggregate):
    """Example 12 without a base version."""

    def initialize(self, wnext: float) -> float:
        self.tsum, self.cnt = wnext, 1
        return wnext

    def iterate(self, wnext: float) -> float | None:
        self.tsum += wnext
        self.cnt += 1
        return self.tsum / self.cnt if self.cnt else None

    def expire(self, wnext: float) -> None:
        self.cnt -= 1
        self.tsum -= wnext


PAIRS = {
    "avg": (esl.AVG, Avg),
    "decay_online_avg": (esl.DECAY_ONLINE_AVG, DecayOnlineAvg),
    "cum_avg": (esl.CUM_AVG, CumAvg),
    "naive avg": (esl.NAIVE_AVG, NaiveAvg),
    "myavg": (esl.MYAVG, MyAvgAlone),
    "max": (esl.MAX, Max),
    "algebraic max": (esl.MAX_AS_PRINTED, MaxAsPrinted),
    "sum": (esl.SUM, Sum),
}


def table_of(prices: list[float | None]) -> pa.Table:
    """Prices at times that sometimes tie."""
    return pa.table(
        {"price": pa.array(prices, pa.float64()), "t": pa.array([at * 2 // 3 for at in range(len(prices))])}
    )


def bits(values: list[Any]) -> list[Any]:
    """Values that differ where their bits do: -0.0 is not 0.0."""
    return [value.hex() if isinstance(value, float) and not math.isnan(value) else str(value) for value in values]


@pytest.mark.parametrize("name", PAIRS)
@given(prices=PRICES, frame=st.sampled_from(FRAMES))
def test_the_same_bits(name: str, prices: list[float | None], frame: Any) -> None:
    text, written = PAIRS[name]
    table, made = table_of(prices), iw.aggregate(text)
    if not made._traits.has_terminate and name not in ("max", "algebraic max", "myavg", "naive avg"):
        frame = iw.unbounded(order_by="t")
    one, other = (
        bits(iw.with_columns(table, x=kind()("price").over(frame))["x"].to_pylist()) for kind in (made, written)
    )
    assert one == other


@given(prices=PRICES)
def test_section_5_2_as_tuples_leave(prices: list[float | None]) -> None:
    frame = iw.range(3, order_by="t", active_expiration=True)
    text = iw.aggregate(esl.AVG_AS_IT_EXPIRES)

    class Written(iw.WindowAggregate):
        def initialize(self, value: float) -> None:
            self.tsum, self.cnt = value, 1

        def iterate(self, value: float) -> None:
            self.tsum += value
            self.cnt += 1

        def expire(self, value: float) -> float | None:
            self.cnt -= 1
            self.tsum -= value
            return self.tsum / self.cnt if self.cnt else None

    one, other = (
        iw.select(table_of(prices), "t", x=kind()("price").over(frame)).to_pydict() for kind in (text, Written)
    )
    assert bits(one["x"]) == bits(other["x"]) and one["t"] == other["t"]


def test_example_12_as_printed_keeps_whole_sums() -> None:
    #  price 2.5 2.5    tsum Int: 2, then int(2 + 2.5) = 4
    made = iw.aggregate(esl.MYAVG_AS_PRINTED)
    assert iw.with_columns(table_of([2.5, 2.5]), x=made()("price").over(iw.rows(3)))["x"].to_pylist() == [2.5, 2.0]
    assert iw.with_columns(table_of([2, 4, 9, 2, 1]), x=made()("price").over(iw.rows(3)))["x"].to_pylist() == [
        2,
        3,
        5,
        5,
        4,
    ]


def test_example_17_grouping_products() -> None:
    table = pa.table({"tagtime": [START + timedelta(seconds=s) for s in (0, 1, 2.5, 6, 7, 12, 14)]})
    for group in (iw.aggregate(esl.PRODUCT_GROUP)(), ProductGroup(timedelta(seconds=2))):
        assert iw.with_columns(table, g=group("tagtime"))["g"].to_pylist() == [1, 1, 1, 2, 2, 3, 3]


TAGS = st.lists(st.tuples(st.sampled_from(["item", "ap", "cart"]), st.integers(0, 4)), min_size=1, max_size=20)


@given(tags=TAGS)
def test_example_18_larceny_alarm(tags: list[tuple[str, int]]) -> None:
    at, times = START, []
    for _, gap in tags:
        at += timedelta(seconds=gap)
        times.append(at)
    table = pa.table(
        {"tagid": [f"tag {i}" for i in range(len(tags))], "tagtype": [kind for kind, _ in tags], "tagtime": times}
    )
    window = iw.range("5 seconds", order_by="tagtime", active_expiration=True)
    made, written = (
        iw.select(
            table, "tagid", iw.emitted_at().alias("etime"), x=kind()("tagid", "tagtype", "tagtime").over(window)
        ).to_pydict()
        for kind in (iw.aggregate(esl.ITEM_ALARM), ItemAlarm)
    )
    assert made == written


@given(gaps=st.lists(st.integers(0, 9), min_size=1, max_size=12))
def test_section_5_4_no_bid(gaps: list[int]) -> None:
    times = [START + timedelta(minutes=sum(gaps[: at + 1])) for at in range(len(gaps))]
    table = pa.table({"time": times, "price": [1.0] * len(gaps)})
    window = iw.range("5 minutes", order_by="time", active_expiration=True)
    made, written = (
        iw.select(table, iw.emitted_at().alias("at"), x=kind()("price").over(window)).to_pydict()
        for kind in (iw.aggregate(esl.NO_BID), NoBid)
    )
    assert made == written


def test_a_base_version_gets_its_expire() -> None:
    table = table_of([2.0, 4.0, 9.0, 2.0, 1.0])
    text = str(iw.explain(table, x=iw.aggregate(esl.AVG)()("price").over(iw.rows(3))))
    assert "`Avg` has expire (derived)" in text


def test_the_source_is_what_one_would_have_written() -> None:
    assert (
        iw.aggregate(esl.MYAVG).source
        == '''import inwindow as iw

class Myavg(iw.WindowAggregate):
    """CREATE WINDOW AGGREGATE myavg(Next Real) : Real.

    state      one row: self.tsum, self.cnt
    """

    def initialize(self, next) -> float:
        self.tsum, self.cnt = (next, 1)
        return next

    def iterate(self, next) -> float | None:
        self.tsum += next
        self.cnt += 1
        return self.tsum / self.cnt if self.cnt else None

    def expire(self, next) -> None:
        self.cnt -= 1
        self.tsum -= next
'''
    )


COSTS = """
CREATE WINDOW AGGREGATE f(item Int, price Real) : Real {
    TABLE t(a Int, b Real); TABLE k(id Int PRIMARY KEY, n Int); TABLE one(x Real);
    INITIALIZE: { INSERT INTO one VALUES (price); }
    ITERATE: {
        UPDATE one SET x = price;
        UPDATE k SET n = n + 1 WHERE id = item;
        UPDATE k SET n = 0 WHERE n > 1;
        DELETE FROM t WHERE a = item AND EXISTS (SELECT * FROM k WHERE n = b);
        DELETE FROM inwindow WHERE price > 5;
    }
    TERMINATE: { INSERT INTO RETURN SELECT a + n FROM t, k WHERE a IN (SELECT a FROM t) ORDER BY b LIMIT 2; }
}"""


def test_what_statements_cost() -> None:
    told = [text.partition(":")[0] for title, text in iw.aggregate(COSTS).explained if title == "statement"]  # type: ignore[attr-defined]
    assert told == [
        "Initialize, O(1)", "Iterate, O(1)", "Iterate, O(1)", "Iterate, O(k)", "Iterate, O(t * k)", "Iterate, O(window)",
        "Terminate, O(t * k log k + t * t)",
    ]  # fmt: skip
