"""The examples of the ESL paper: each output worked by hand beside its test, each strategy a box of its figure 2.

The aggregates are in ``esl_aggregates.py``.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from samples.esl_aggregates import (
    AlgebraicMax,
    Avg,
    AvgAsItExpires,
    CumAvg,
    DecayOnlineAvg,
    HolisticSum,
    ItemAlarm,
    Max,
    MaxAsItExpires,
    MaxAsPrinted,
    MyAvg,
    NaiveAvg,
    NoBid,
    PlainAvg,
    ProductGroup,
    Sum,
)  # fmt: skip

import inwindow as iw

START = datetime(2006, 11, 5, 9, 0)


def explained(table: pa.Table, applied: iw.Applied) -> dict[str, str]:
    """What explain says, by title: strategy, why, time, memory, runs, result."""
    return dict(re.findall(r"^    (\w[\w ]*?) {2,}(.+)$", str(iw.explain(table, x=applied)), re.MULTILINE))


def prices(*values: float) -> pa.Table:
    """A stream of prices, in arrival order."""
    return pa.table({"price": pa.array(values, pa.float64())})


def column(table: pa.Table, applied: iw.Applied) -> list[Any]:
    """What with_columns gives."""
    return list(iw.with_columns(table, x=applied)["x"].to_pylist())


def seconds(*after: float) -> list[datetime]:
    """Moments after nine o'clock."""
    return [START + timedelta(seconds=s) for s in after]


# --- Section 3: base aggregates -----------------------------------------------------------------------------


def test_example_7_average() -> None:
    #  price   2   4   9      tsum 2, 6, 15   cnt 1, 2, 3   at the end 15 / 3
    assert iw.group_by(prices(2, 4, 9)).agg(avg=Avg()("price")).to_pydict() == {"avg": [5.0]}


def test_example_7_is_blocking() -> None:
    with pytest.raises(iw.UsageError, match="Avg is blocking"):
        iw.with_columns(prices(2, 4, 9), avg=Avg()("price"))


def test_example_8_decayed_average() -> None:
    #  price   10    20                      30
    #  tsum    10    0.9*10 + 1.1*20 = 31    0.9*31 + 1.1*30 = 60.9
    #  return  10    31 / 2                  60.9 / 3
    table, decayed = prices(10, 20, 30), DecayOnlineAvg()("price")
    assert column(table, decayed) == pytest.approx([10.0, 15.5, 20.3])
    assert explained(table, decayed)["strategy"] == "unbounded"  # as a base aggregate: no window, no buffer


def test_example_9_decayed_average_per_seller() -> None:
    #  ann   10          20      30         as in example 8
    #  bob         40                20     0.9*40 + 1.1*20 = 58, 58 / 2
    auctions = pa.table({
        "seller": ["ann", "bob", "ann", "ann", "bob"],
        "price": [10.0, 40.0, 20.0, 30.0, 20.0],
        "start_time": seconds(0, 1, 2, 3, 4),
    })  # fmt: skip
    asked = iw.group_by(auctions, "seller", order_by="start_time").emit(avg_price=DecayOnlineAvg()("price"))
    assert asked["seller"].to_pylist() == ["ann", "bob", "ann", "ann", "bob"]  # pipelined: as the stream comes
    assert asked["avg_price"].to_pylist() == pytest.approx([10.0, 40.0, 15.5, 20.3, 29.0])


def test_example_10_cumulative_average() -> None:
    #  price   2   4   9    1
    #  tsum    2   6   15   16      / 1, 2, 3, 4
    table = prices(2, 4, 9, 1)
    assert column(table, CumAvg()("price")) == [2.0, 3.0, 5.0, 4.0]
    unbounded = Avg()("price").over(iw.unbounded())  # figure 2, box (1): example 10 from example 7
    assert column(table, unbounded) == [2.0, 3.0, 5.0, 4.0]
    assert explained(table, CumAvg()("price"))["strategy"] == explained(table, unbounded)["strategy"] == "unbounded"


# --- Section 4: window aggregates ---------------------------------------------------------------------------


#  ROWS 2 PRECEDING                       RANGE 5 PRECEDING
#  price     2   4   9   2   1            time      0   1   2   .   .   .   .   .   8  10
#           [2]                           price     2   4   9                       2   1
#           [2   4]        3                       [2   4   9]  5
#           [2   4   9]    5                                                       [2]
#               [4   9   2]   5                                                    [2   1]  1.5
#                   [9   2   1]   4
TIMED = pa.table({"time": [0, 1, 2, 8, 10], "price": [2.0, 4.0, 9.0, 2.0, 1.0]})
LAST_3, LAST_5_SECONDS = iw.rows(3), iw.range(5, order_by="time")


@pytest.mark.parametrize("aggregate", [NaiveAvg, MyAvg, PlainAvg, Avg])
def test_examples_11_and_12_window_average(aggregate: type[iw.Aggregate]) -> None:
    average = aggregate()("price")
    assert column(TIMED, average.over(LAST_3)) == [2.0, 3.0, 5.0, 5.0, 4.0]
    assert column(TIMED, average.over(LAST_5_SECONDS)) == [2.0, 3.0, 5.0, 2.0, 1.5]


def test_examples_11_and_12_cost() -> None:
    delta = explained(TIMED, PlainAvg()("price").over(LAST_3))
    assert (delta["strategy"], delta["why"]) == ("delta", "`PlainAvg` has expire")  # figure 2, box (2)
    assert delta["time"].startswith("O(1)")
    assert explained(TIMED, MyAvg()("price").over(LAST_3))["strategy"] == "delta"
    # A base version alone gets example 12 from the framework.
    derived = explained(TIMED, Avg()("price").over(LAST_3))
    assert (derived["strategy"], derived["why"]) == ("delta", "`Avg` has expire (derived)")

    # Else the default window version is example 11, computed on each window afresh.
    class AsWritten(Avg, derive=False):
        pass

    naive = explained(TIMED, AsWritten()("price").over(LAST_3))
    assert naive["strategy"] == "recompute"
    assert naive["time"] == "O(window) per result; write `expire` or `merge` to make it O(1)"


def test_example_12_expires_the_oldest_once() -> None:
    class Expired(iw.WindowAggregate, returns="array<double>"):
        inwindow: iw.InWindow

        def __init__(self) -> None:
            self.expired: list[float] = []

        def iterate(self, wnext: float) -> list[float]:
            return list(self.expired)

        def expire(self, wnext: float) -> None:
            assert self.inwindow.oldest().wnext == wnext
            self.expired.append(wnext)

    assert column(TIMED, Expired()("price").over(LAST_3)) == [[], [], [], [2.0], [2.0, 4.0]]


def test_figure_2_takes_the_base_version_where_nothing_expires() -> None:
    #  price   2   4   9   2   1    unbounded: 2, 6/2, 15/3, 17/4, 18/5    ROWS 1 PRECEDING SLIDE 2: (2+4)/2, (9+2)/2
    unbounded, tumble = (MyAvg()("price").over(window) for window in (iw.unbounded(), iw.rows(2, slide=2)))
    assert column(TIMED, unbounded) == [2.0, 3.0, 5.0, 4.25, 3.6]
    assert column(TIMED, tumble) == [None, 3.0, None, 5.5, None]
    assert explained(TIMED, unbounded)["strategy"] == "unbounded"
    assert explained(TIMED, tumble)["strategy"] == "tumble"
    assert "hooks of Avg" in explained(TIMED, unbounded)["runs"] and "hooks of Avg" in explained(TIMED, tumble)["runs"]


def test_a_base_version_restarts_for_range_slides_whose_frames_touch() -> None:
    #  time   0   1   2   8 | 10    RANGE 10 SLIDE 10: [0, 10) yields at 8, [10, 20) at 10, which sees 0 <= time <= 10
    slide = MyAvg()("price").over(iw.range(10, order_by="time", slide=10))
    assert iw.select(TIMED, "time", avg=slide).to_pydict() == {"time": [8, 10], "avg": [4.25, 3.6]}


def test_example_13_max_prunes_the_window() -> None:
    #  ROWS 2 PRECEDING    price    inwindow, oldest first   returns
    #                      5        5                        5
    #                      3        5 3                      5
    #                      4        5 4                      5         3 is deleted
    #                      4        4                        4         5 expires, the older 4 is deleted
    #                      1        4 1                      4
    #                      2        4 2                      4         1 is deleted
    #                      0        2 0                      2         4 expires
    class Held(Max, returns="array<double>"):
        def initialize(self, wnext: float) -> list[float]:  # type: ignore[override]
            return self.iterate(wnext)

        def iterate(self, wnext: float) -> list[float]:  # type: ignore[override]
            super().iterate(wnext)
            return [record.wnext for record in self.inwindow]

    table = prices(5, 3, 4, 4, 1, 2, 0)
    assert column(table, Max()("price").over(LAST_3)) == [5.0, 5.0, 5.0, 4.0, 4.0, 4.0, 2.0]
    assert column(table, Held()("price").over(LAST_3)) == [[5], [5, 3], [5, 4], [4], [4, 1], [4, 2], [2, 0]]
    assert column(table, iw.max("price").over(LAST_3)) == [5.0, 5.0, 5.0, 4.0, 4.0, 4.0, 2.0]
    assert explained(table, Max()("price").over(LAST_3))["strategy"] == "delta"


# --- Section 5.1: slides and tumbles ------------------------------------------------------------------------


#  60 bids on the vase, of 1, 2, ..., 60, and 15 on the lamp, of 10 each; SLIDE 10, ROWS 49 PRECEDING
#  vase   |1..10|11..20|21..30|31..40|41..50|51..60|    1 + ... + n = n (n + 1) / 2
#         [ 55  ]
#         [    210     ]
#         [        465        ]
#         [           820            ]
#         [             1275                ]
#                [            1830 - 55               ]    the first window that has lost a pane
#  lamp   |10 x 10|5 x 10                                  100; the last slot is not full
BIDS = pa.table({
    "item": ["vase", "vase", "vase", "vase", "lamp"] * 15,
    "price": [float(p) for n in range(15) for p in (4 * n + 1, 4 * n + 2, 4 * n + 3, 4 * n + 4, 10)],
})  # fmt: skip
LAST_50_BY_10 = iw.rows(50, partition_by="item", slide=10)
TOTALS = {"vase": [55.0, 210.0, 465.0, 820.0, 1275.0, 1775.0], "lamp": [100.0]}


def by_item(table: pa.Table, name: str) -> dict[str, list[Any]]:
    """The values of a column, per item."""
    found: dict[str, list[Any]] = {}
    for item, value in zip(table["item"].to_pylist(), table[name].to_pylist(), strict=True):
        found.setdefault(item, []).append(value)
    return found


@pytest.mark.parametrize("total", [iw.sum, Sum(), HolisticSum()])
def test_example_14_slide(total: Any) -> None:
    given = iw.select(BIDS, "item", total=total("price").over(LAST_50_BY_10))
    assert by_item(given, "total") == TOTALS


def test_example_14_is_cascaded_if_algebraic() -> None:
    for total in (iw.sum, Sum()):  # figure 2, box (4)
        cascade = explained(BIDS, total("price").over(LAST_50_BY_10))
        assert (cascade["strategy"], cascade["memory"]) == ("pane-cascade", "6 partials")  # 50 / 10 + the open one
    delta = explained(BIDS, HolisticSum()("price").over(LAST_50_BY_10))  # figure 2, box (5)
    assert (delta["strategy"], delta["memory"]) == ("delta", "50 tuples")


@pytest.mark.parametrize("total", [iw.sum, Sum()])
def test_example_15_the_cascade_by_hand(total: Any) -> None:
    #  temp          55   155   255   355   455   555    ROWS 9 PRECEDING SLIDE 10: the tumble
    #  total of 5    55   210   465   820   1275  1775   ROWS 4 PRECEDING: the window version, over results
    tumble = total("price").over(iw.rows(10, partition_by="item", slide=10))
    temp = iw.select(BIDS, "item", s=tumble)
    assert by_item(temp, "s") == {"vase": [55.0, 155.0, 255.0, 355.0, 455.0, 555.0], "lamp": [100.0]}
    window = total("s").over(iw.rows(5, partition_by="item"))
    assert by_item(iw.with_columns(temp, total=window), "total") == TOTALS
    assert (explained(BIDS, tumble)["strategy"], explained(temp, window)["strategy"]) == ("tumble", "delta")


class Seen(iw.WindowAggregate, returns="array<bigint>"):
    """Which tuples the hooks saw; an expire in a tumble would be a mistake."""

    def initialize(self, number: int) -> None:
        self.seen = [number]

    def iterate(self, number: int) -> None:
        self.seen.append(number)

    def expire(self, number: int) -> None:
        raise AssertionError("nothing expires in a tumble")

    def terminate(self) -> list[int]:
        return self.seen


@pytest.mark.parametrize(
    ("preceding", "slide", "windows"),
    [
        #  1 ......... 18 [19 ... 28] | 29 ........ 46 [47 ... 56] | 57 ... 60      ROWS 9 PRECEDING SLIDE 28
        (9, 28, [range(19, 29), range(47, 57)]),
        #  [1 ... 10] | [11 ... 20] | ...      slide = window: the next tuple goes to INITIALIZE again
        (9, 10, [range(n, n + 10) for n in range(1, 61, 10)]),
    ],
)
def test_section_5_1_tumbles(preceding: int, slide: int, windows: list[range]) -> None:
    table = pa.table({"number": range(1, 61)})
    tumble = Seen()("number").over(iw.rows_between(-preceding, 0, slide=slide))
    given = iw.select(table, "number", seen=tumble)
    assert given["number"].to_pylist() == [window[-1] for window in windows]  # the yield tuples
    assert given["seen"].to_pylist() == [list(window) for window in windows]
    assert explained(table, tumble)["strategy"] == "tumble"
    assert explained(table, tumble)["memory"].startswith("O(1)")


def test_section_6_2_forty_thousand_by_ten_thousand() -> None:
    cascade = explained(BIDS, Sum()("price").over(iw.rows(40_000, slide=10_000)))
    assert cascade["memory"] == "5 partials"  # "it only needs to remember 4 + 1 = 5 values, instead of 40000"


# --- Section 5.2: active expiration -------------------------------------------------------------------------


def test_section_5_2_average_as_tuples_leave() -> None:
    #  time   0   4   8  10      14      18      RANGE 10
    #  price  2   4   9
    #         +---------> 2 leaves: (4 + 9) / 2
    #             +-------------> 4 leaves: 9 / 1
    #                 +-----------------> 9 leaves: nothing is left, no row
    table = pa.table({"time": [0, 4, 8], "price": [2.0, 4.0, 9.0]})
    leaving = AvgAsItExpires()("price").over(iw.range(10, order_by="time", active_expiration=True))
    given = iw.select(table, "price", iw.emitted_at().alias("at"), avg=leaving)
    assert given.to_pydict() == {"price": [2.0, 4.0], "at": [10, 14], "avg": [6.5, 9.0]}


@pytest.mark.parametrize("kind", [MaxAsItExpires, MaxAsPrinted])
def test_example_16_max_on_expiration(kind: Any) -> None:
    #  time    0   3   6   8     13     18  20    30     RANGE 10
    #  price   5   9   4   4                 7
    #              deletes 5       .      .   .     .
    #                      deletes the older 4      .
    #              +-------------> 9      .   .     .    each that leaves was the maximum until then;
    #                      +-------------> 4  .     .    what was deleted never expires
    #                                          +---> 7
    table = pa.table({"time": [0, 3, 6, 8, 20], "price": [5.0, 9.0, 4.0, 4.0, 7.0]})
    top = kind()("price").over(iw.range(10, order_by="time", active_expiration=True))
    given = iw.select(table, "time", iw.emitted_at().alias("at"), max=top)
    assert given.to_pydict() == {"time": [3, 8, 20], "at": [13, 18, 30], "max": [9.0, 4.0, 7.0]}
    assert explained(table, top)["strategy"] == "delta"


@pytest.mark.parametrize("kind", [MaxAsItExpires, MaxAsPrinted, AlgebraicMax])
def test_example_16_slides_by_panes(kind: Any) -> None:
    #  price       3 1 | 4 1 | 5 9 | 2 6 | 5 3 | 5 8     ROWS 5 PRECEDING SLIDE 2
    #  panes         3     4     9     6     5     8     the maximum of each
    #  of 3 panes    3     4     9     9     9     8
    table = prices(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
    slide = kind()("price").over(iw.rows(6, slide=2))
    assert iw.select(table, max=slide)["max"].to_pylist() == [3.0, 4.0, 9.0, 9.0, 9.0, 8.0]
    cascade = explained(table, slide)
    assert (cascade["strategy"], cascade["why"]) == ("pane-cascade", f"`{kind.__name__}` is algebraic")
    assert ("derived" in cascade) is (kind is not MaxAsItExpires)
    assert iw.testing.reference(table, max=slide)["max"].to_pylist()[1::2] == [3.0, 4.0, 9.0, 9.0, 9.0, 8.0]
    iw.testing.check(kind, examples=20, seed=0)


SLIDES = [
    iw.rows(6, order_by="t", slide=2), iw.rows(5, order_by="t", slide=2), iw.rows(2, order_by="t", slide=2),
    iw.rows(2, order_by="t", slide=3), iw.range(4, order_by="t", slide=2), iw.unbounded(order_by="t", slide=4),
]  # fmt: skip


@pytest.mark.parametrize("kind", [MaxAsPrinted, AlgebraicMax])
@pytest.mark.parametrize("window", SLIDES, ids=str)
def test_example_16_in_every_place(kind: Any, window: Any) -> None:
    #  A class with a terminate says what the others mean; a reader, a stream and other strategies give the same.
    table = prices(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 8, 0, 7).append_column("t", pa.array(range(15)))
    expected = iw.select(table, "t", x=MaxAsItExpires()("price").over(window)).to_pydict()
    query = {"x": kind()("price").over(window)}
    assert iw.select(table, "t", **query).to_pydict() == expected
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=4))
    assert iw.select(reader, "t", **query).read_all().to_pydict() == expected
    batches = [table.slice(at, 4) for at in range(0, 15, 4)]
    replayed = iw.testing.replay(batches, lambda df: iw.select(df, "t", **query), delay=2, until=10**6)
    assert replayed.table.select(["t", "x"]).to_pydict() == expected
    # An answer to a tuple does not hold any more when others have left: AlgebraicMax folds each frame's panes afresh.
    for strategy in ("delta", "recompute") if kind is MaxAsPrinted else ("recompute",):
        forced = kind()("price").over(window, strategy=strategy)
        assert iw.select(table, "t", x=forced).to_pydict() == expected


def test_example_16_in_extents() -> None:
    #  t        0 1 | 2 3 | 4 5 | 6 7       hop of 4 every 2: the first and the last see one pane
    #  price    3 1 | 4 1 | 5 9 | 2 6
    table = prices(3, 1, 4, 1, 5, 9, 2, 6).append_column("t", pa.array(range(8)))
    for kind in (MaxAsItExpires, MaxAsPrinted, AlgebraicMax):
        hops = iw.group_by(table).window(iw.hop("t", size=4, every=2)).agg(x=kind()("price"))
        assert hops["x"].to_pylist() == [3.0, 4.0, 9.0, 9.0, 6.0]
        counted = iw.group_by(table).window(iw.hop("t", rows=4, every=2))
        assert counted.agg(x=kind()("price")) == counted.agg(x=MaxAsItExpires()("price"))
        tumbles = iw.group_by(table).window(iw.tumble("t", size=2)).agg(x=kind()("price"))
        assert tumbles["x"].to_pylist() == [3.0, 4.0, 9.0, 6.0]


class RunningSum(iw.WindowAggregate, algebraic=True):
    """Answers as it goes; NULLs at the end of a frame must not leave an answer to what has left."""

    def initialize(self, value: float) -> float:
        self.total = value
        return self.total

    def iterate(self, value: float) -> float:
        self.total += value
        return self.total

    def expire(self, value: float) -> None:
        self.total -= value


class YieldsSums(RunningSum):
    """What it yields last."""

    def iterate(self, value: float) -> Iterator[float]:  # type: ignore[override]
        yield -1.0
        self.total += value
        yield self.total


@pytest.mark.parametrize("kind", [RunningSum, YieldsSums])
def test_what_is_answered_for_the_last_tuple_that_is_left(kind: Any) -> None:
    #  value    1 2 | 3 - | - - | - - | 4 -      ROWS 3 PRECEDING SLIDE 2: two panes
    #  sums      3     6     3     -     4
    table = pa.table(
        {"price": pa.array([1, 2, 3, None, None, None, None, None, 4, None], pa.float64()), "t": range(10)}
    )
    window = iw.rows(4, order_by="t", slide=2)
    assert iw.select(table, x=kind()("price").over(window))["x"].to_pylist() == [3.0, 6.0, 3.0, None, 4.0]
    again = iw.select(table, x=kind()("price").over(iw.range(3, order_by="t", slide=2)))
    assert again["x"].to_pylist() == [3.0, 6.0, 3.0, None, 4.0]


def test_example_16_is_non_blocking_without_a_slide() -> None:
    #  price    5   9   4   4   7     printed: INITIALIZE returns the first one, ITERATE nothing
    table = prices(5, 9, 4, 4, 7)
    for window in (iw.rows(2), iw.unbounded()):
        assert column(table, MaxAsPrinted()("price").over(window)) == [5.0, None, None, None, None]
    assert iw.select(table, x=MaxAsPrinted()("price").over(iw.rows(2)))["x"].to_pylist() == [5.0]
    assert column(table, AlgebraicMax()("price").over(iw.rows(2))) == [5.0, 9.0, 9.0, 4.0, 7.0]
    assert iw.group_by(table).emit("price", x=AlgebraicMax()("price"))["x"].to_pylist() == [5.0, 9.0, 9.0, 9.0, 9.0]


def test_section_5_4_no_tuple_in_the_last_5_minutes() -> None:
    #  minute   0   1   2   4   6     9     11         16
    #  vase     a       b   c          .     d          .
    #                       +---------> !    +---------> !     a leaves at 5 and b at 7, and are not alone
    #  lamp         e           f            .
    #               +----------->            .                 e leaves at 6, after f has come
    #                           +-----------> !
    table = pa.table({
        "item": ["vase", "lamp", "vase", "vase", "lamp", "vase"],
        "time": seconds(0, 60, 120, 240, 360, 660),
        "price": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    })  # fmt: skip
    window = iw.range("5 minutes", partition_by="item", order_by="time", active_expiration=True)
    given = iw.select(table, "item", iw.emitted_at().alias("at"), alarm=NoBid()("price").over(window))
    assert given["item"].to_pylist() == ["vase", "lamp", "vase"]
    assert given["at"].to_pylist() == seconds(540, 660, 960)


# --- Section 7: RFID ----------------------------------------------------------------------------------------


def test_example_17_grouping_products() -> None:
    #  second   0  1   2.5      6   7            12    14      gap 2 seconds
    #           1  1   1        2   2            3     3       3.5 and 5 are longer; 2 is not
    table = pa.table({"tagtime": seconds(0, 1, 2.5, 6, 7, 12, 14)})
    group = ProductGroup(timedelta(seconds=2))("tagtime")
    assert column(table, group) == [1, 1, 1, 2, 2, 3, 3]
    assert explained(table, group)["strategy"] == "unbounded"


def test_example_18_larceny_alarm() -> None:
    #  second   0   3   4       9    14      20   25      40   45 46       RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION
    #           tv  .   radio   lamp .       vase .       clock  .
    #               ann                           bob            carl
    #           +-->                                                       tv: ann comes after it
    #               <---+                                                  radio: ann came before it
    #                           +---> !                                    lamp: ann has left at 8
    #                                         +--->                        vase: bob comes just in time
    #                                                      +---> !         clock: carl comes too late
    tags = [("tv", 0), ("ann", 3), ("radio", 4), ("lamp", 9), ("vase", 20), ("bob", 25), ("clock", 40), ("carl", 46)]
    table = pa.table({
        "tagid": [tag for tag, _ in tags],
        "tagtype": ["ap" if tag in ("ann", "bob", "carl") else "item" for tag, _ in tags],
        "tagtime": seconds(*(second for _, second in tags)),
    })  # fmt: skip
    window = iw.range("5 seconds", order_by="tagtime", active_expiration=True)
    alarm = ItemAlarm()("tagid", "tagtype", "tagtime").over(window)
    theft = iw.select(table, "tagid", iw.emitted_at().alias("etime"), alarm=alarm)
    assert theft["tagid"].to_pylist() == ["lamp", "clock"]
    assert theft["etime"].to_pylist() == seconds(14, 45)
    assert theft["alarm"].to_pylist() == ["larceny alarm"] * 2
    assert explained(table, alarm)["strategy"] == "delta"
