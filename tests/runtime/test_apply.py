"""Applying aggregates as a user does: what goes in, what comes out, under which name, in which order."""

from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from decimal import Decimal
from threading import Lock
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw

BIDS = pa.table(
    {
        "item": ["a", "b", "a", "b", "a"],
        "ts": [5, 1, 2, 3, 4],
        "price": [1.0, 2.0, 3.0, None, 6.0],
        "big one": [True, False, None, True, True],
    }
)
BY_ITEM = iw.rows(2, partition_by="item", order_by="ts")


def column(applied: iw.Applied, table: pa.Table = BIDS) -> list:
    """The result over the table."""
    return iw.with_columns(table, x=applied)["x"].to_pylist()


def test_arguments_and_filters_may_be_expressions() -> None:
    doubled = pc.field("price") * 2
    assert column(iw.sum(doubled).over(BY_ITEM)) == [14.0, 4.0, 6.0, 4.0, 18.0]
    assert column(iw.sum("price").filter(pc.field("price") > 2).over(BY_ITEM)) == [6.0, None, 3.0, None, 9.0]
    assert column(iw.count().filter("big one").over(BY_ITEM)) == [2, 0, 0, 1, 1]
    both = iw.with_columns(BIDS, a=iw.max(doubled).over(BY_ITEM), b=iw.min(doubled).over(BY_ITEM))
    assert both.column_names == [*BIDS.column_names, "a", "b"]


def test_results_are_named_as_written() -> None:
    window = iw.rows(2)
    table = iw.with_columns(BIDS, iw.avg("price").over(window), iw.sum("price").over(window).alias("total"))
    assert table.column_names[-2:] == ["avg(price)", "total"]


def test_a_column_of_the_same_name_is_replaced_in_its_place() -> None:
    table = iw.with_columns(BIDS, price=iw.sum("price").over(BY_ITEM))
    assert table.column_names == BIDS.column_names
    assert table["price"].to_pylist() == [7.0, 2.0, 3.0, 2.0, 9.0]


def test_different_partitionings_are_separate_passes_over_the_same_rows() -> None:
    table = iw.with_columns(
        BIDS,
        of_item=iw.sum("price").over(BY_ITEM),
        of_all=iw.sum("price").over(iw.unbounded(order_by="ts")),
        as_came=iw.count().over(iw.unbounded()),
        backwards=iw.first("ts").over(iw.unbounded(order_by=iw.desc("ts"))),
    )
    assert table["of_item"].to_pylist() == [7.0, 2.0, 3.0, 2.0, 9.0]
    assert table["of_all"].to_pylist() == [12.0, 2.0, 5.0, 5.0, 11.0]
    assert table["as_came"].to_pylist() == [1, 2, 3, 4, 5]
    assert table["backwards"].to_pylist() == [5] * 5


def test_select_places_columns_as_asked() -> None:
    window = iw.rows(2, partition_by="item", order_by="ts", slide=2)
    total = iw.sum("price").over(window).alias("total")
    table = iw.select(BIDS, total, "ts", "item", n=iw.count("price").over(window), who="item")
    assert table.to_pydict() == {"total": [2.0, 9.0], "ts": [3, 4], "item": ["b", "a"], "n": [1, 2], "who": ["b", "a"]}


def test_groups_come_in_the_order_of_their_first_appearance() -> None:
    assert iw.group_by(BIDS, "item").agg(top=iw.max("price")).to_pydict() == {"item": ["a", "b"], "top": [6.0, 2.0]}
    assert iw.group_by(BIDS, ["item", "big one"]).agg(n=iw.count())["n"].to_pylist() == [2, 1, 1, 1]
    assert iw.group_by(BIDS, order_by="ts").agg(f=iw.first("ts"), l=iw.last("ts")).to_pylist() == [{"f": 1, "l": 5}]


def test_no_keys_give_one_row_also_over_nothing() -> None:
    nothing = BIDS.slice(0, 0)
    assert iw.group_by(nothing).agg(n=iw.count(), top=iw.max("price")).to_pylist() == [{"n": 0, "top": None}]
    assert iw.group_by(nothing, "item").agg(n=iw.count()).to_pylist() == []
    assert iw.group_by(nothing, "item").window(iw.tumble("ts", size=5)).agg(n=iw.count()).to_pylist() == []
    assert iw.with_columns(nothing, x=iw.avg("price").over(BY_ITEM)).num_rows == 0
    assert iw.select(nothing, "ts", x=iw.avg("price").over(BY_ITEM, slide=2)).num_rows == 0


def test_row_count_extents_within_keys_and_over_the_stream() -> None:
    per_item = iw.group_by(BIDS, "item").window(iw.tumble("ts", rows=2)).agg(ids=iw.collect_list("ts"))
    assert per_item.to_pylist() == [
        {"item": "a", "window": {"start": 0, "end": 2}, "ids": [2, 4]},
        {"item": "a", "window": {"start": 2, "end": 4}, "ids": [5]},
        {"item": "b", "window": {"start": 0, "end": 2}, "ids": [1, 3]},
    ]
    # Over the stream: 1 2 | 3 4 | 5 by ts, and only then by item.
    stream = iw.group_by(BIDS, "item").window(iw.tumble("ts", rows=2, scope="stream")).agg(ids=iw.collect_list("ts"))
    assert [(row["item"], row["window"]["start"], row["ids"]) for row in stream.to_pylist()] == [
        ("a", 0, [2]),
        ("a", 2, [4]),
        ("a", 4, [5]),
        ("b", 0, [1]),
        ("b", 2, [3]),
    ]


EMPTY = {
    "no batch": [],
    "empty batches": BIDS.schema.empty_table().to_batches() + [pa.RecordBatch.from_pylist([], schema=BIDS.schema)] * 2,
}


@pytest.mark.parametrize("batches", EMPTY.values(), ids=EMPTY)
def test_a_reader_of_nothing_gives_what_a_table_of_nothing_gives(batches: list[pa.RecordBatch]) -> None:
    table = BIDS.slice(0, 0)

    def reader() -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(BIDS.schema, batches)

    aggregates = {
        "n": iw.count(), "m": iw.count("price"), "top": iw.max("price"), "all": iw.collect_list("ts"), "f": iw.first("item"),
        "d": iw.count_distinct("item"), "s": iw.string_agg("item"), "few": iw.sum("price").filter(pc.field("price") > 3),
        "candle": Candles()("price"), "p": iw.percentile("price", [0.1, 0.9]), "up": iw.sum(pc.field("price") * 2),
    }  # fmt: skip
    given = iw.group_by(reader()).agg(**aggregates).read_all()
    assert given.num_rows == 1 and given.to_pylist()[0]["n"] == 0
    assert given == iw.group_by(table).agg(**aggregates)
    assert iw.group_by(reader(), order_by="ts").agg(n=iw.count()).read_all().to_pylist() == [{"n": 0}]
    # A row per group, per extent, per tuple: there are none.
    for made in (
        lambda data: iw.group_by(data, "item").agg(n=iw.count()),
        lambda data: iw.group_by(data).window(iw.tumble("ts", size=5)).agg(n=iw.count()),
        lambda data: iw.group_by(data).window(iw.session("ts", gap=5)).agg(n=iw.count()),
        lambda data: iw.group_by(data).window(iw.tumble("ts", rows=5)).agg(n=iw.count()),
        lambda data: iw.group_by(data, order_by="ts").emit("ts", x=iw.decayed_avg("price", 0.5)),
        lambda data: iw.with_columns(data, n=iw.count().over(iw.unbounded())),
        lambda data: iw.select(data, "ts", n=iw.count().over(iw.rows(2, slide=2))),
    ):
        assert made(reader()).read_all() == made(table) and not made(table).num_rows


def test_a_filter_that_rejects_all_leaves_the_row() -> None:
    none = {"n": iw.count().filter(pc.field("price") > 99), "top": iw.max("price").filter(pc.field("price") > 99)}
    for data in (BIDS, BIDS.to_reader(), BIDS.slice(0, 0).to_reader(), BIDS.slice(0, 0)):
        made = iw.group_by(data).agg(**none)
        made = made.read_all() if isinstance(made, pa.RecordBatchReader) else made
        assert made.to_pylist() == [{"n": 0, "top": None}]


def test_chunks_dictionaries_and_odd_names_do_not_matter() -> None:
    chunked = pa.concat_tables([BIDS.slice(0, 2), BIDS.slice(2, 0), BIDS.slice(2)])
    encoded = chunked.set_column(0, "item.name", chunked["item"].dictionary_encode())
    window = iw.rows(2, partition_by="item.name", order_by="ts")
    assert column(iw.sum("price").over(window), encoded) == [7.0, 2.0, 3.0, 2.0, 9.0]
    (batch,) = BIDS.to_batches()
    assert iw.with_columns(batch, x=iw.sum("price").over(BY_ITEM))["x"].to_pylist() == [7.0, 2.0, 3.0, 2.0, 9.0]


@pytest.mark.parametrize(
    "keys",
    [
        pa.array([0.0, -0.0, float("nan"), None, float("nan"), None]),
        pa.array([{"k": 1}, {"k": 1}, {"k": None}, None, {"k": None}, None], pa.struct([("k", pa.int64())])),
        pa.array([[1], [1], [None], None, [None], None], pa.list_(pa.int64())),
        pa.array([b"x", b"x", b"", None, b"", None]),
    ],
    ids=["double", "struct", "list", "binary"],
)
def test_partitions_by_any_type(keys: pa.Array) -> None:
    table = pa.table({"k": keys, "v": [1, 2, 3, 4, 5, 6]})
    window = iw.unbounded(partition_by="k")
    assert iw.with_columns(table, x=iw.collect_list("v").over(window))["x"].to_pylist() == [
        [1],
        [1, 2],
        [3],
        [4],
        [3, 5],
        [4, 6],
    ]


class Candle(NamedTuple):
    """A result with several fields."""

    low: float
    high: float
    count: int


class Candles(iw.Aggregate):
    """Open ends of prices, as a struct."""

    def initialize(self, price: float) -> None:
        self.low, self.high, self.count = price, price, 1

    def iterate(self, price: float) -> None:
        self.low, self.high, self.count = min(self.low, price), max(self.high, price), self.count + 1

    def merge(self, later: "Candles") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)
        self.count += later.count

    def terminate(self) -> Candle:
        return Candle(self.low, self.high, self.count)


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


class Quantiles(iw.WindowAggregate, returns="struct<low:double,high:double>"):
    """Parameters, several columns, a struct by DDL."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.values: list[float] = []

    def iterate(self, price: float, weight: float) -> None:
        self.values.append(price * weight)

    def expire(self, price: float, weight: float) -> None:
        self.values.remove(price * weight)

    def terminate(self) -> dict[str, float]:
        ordered = sorted(self.values)
        at = int(self.share * (len(ordered) - 1))
        return {"low": ordered[at], "high": ordered[-1 - at]}


def test_parameters_configure_and_copies_share_nothing() -> None:
    quartiles = Quantiles(share=0.25)
    weights = BIDS.append_column("w", pa.array([1.0, 1.0, 2.0, 1.0, 0.5]))
    window = iw.unbounded(partition_by="item", order_by="ts")
    assert column(quartiles("price", "w").over(window), weights) == [
        {"low": 1.0, "high": 6.0},
        {"low": 2.0, "high": 2.0},
        {"low": 6.0, "high": 6.0},
        {"low": 2.0, "high": 2.0},
        {"low": 3.0, "high": 6.0},
    ]
    assert quartiles.values == []


class SparkMean:
    """As Spark 4.4's Aggregator has it."""

    def zero(self):
        return [0.0, 0]

    def reduce(self, buffer, value):
        if value is not None:
            buffer[0] += value
            buffer[1] += 1
        return buffer

    def merge(self, a, b):
        return [a[0] + b[0], a[1] + b[1]]

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None

    def outputType(self):
        return "double"


class SparkMeanWithExpire(SparkMean):
    """With our addition."""

    def expire(self, buffer, value):
        if value is not None:
            buffer[0] -= value
            buffer[1] -= 1
        return buffer


@pytest.mark.parametrize(
    ("aggregator", "strategy"), [(SparkMean(), "two-stacks"), (SparkMeanWithExpire(), "delta")], ids=["as is", "expire"]
)
def test_upstream_aggregators_are_accepted_as_they_are(aggregator: SparkMean, strategy: str) -> None:
    applied = iw.udaf(aggregator)("price").over(BY_ITEM)
    assert f"strategy  {strategy}" in str(iw.explain(BIDS, x=applied))
    assert column(applied) == [3.5, 2.0, 3.0, 2.0, 4.5]
    assert column(iw.udaf(aggregator)("price").over(iw.rows(4, slide=2))) == [None, 1.5, None, 2.0, None]


def test_html_explain() -> None:
    html = iw.explain(BIDS, x=iw.sum("price").over(BY_ITEM))._repr_html_()
    assert "<td style='text-align:left'>delta</td>" in html
    assert f"<details><summary>the window</summary>{BY_ITEM.draw()}</details>" in html


def test_html_explain_draws_no_window_that_is_too_large_or_cut_elsewhere() -> None:
    large = iw.explain(BIDS, x=iw.sum("price").over(iw.rows(10**9)))._repr_html_()
    last = iw.rows(1, partition_by="item", order_by="price")
    elsewhere = iw.explain(BIDS, x=iw.last("price").over(last), of=BIDS)._repr_html_()
    assert "<svg" not in large + elsewhere


def blocking_over_a_base_that_is_not() -> None:
    """The base would have no result for a frame."""

    class Running(iw.Aggregate):
        def iterate(self, price: float) -> float:
            return price

    class Total(iw.WindowAggregate, base=Running):
        def iterate(self, price: float) -> None: ...
        def expire(self, price: float) -> None: ...
        def terminate(self) -> float:
            return 0.0


def yielding_a_float() -> None:
    """An iterator is annotated as one."""

    class Twice(iw.Aggregate):
        def iterate(self, price: float) -> float:  # type: ignore[misc]
            yield price
            yield price


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (
            lambda: Candles("price"),
            "Candles('price'): Candles has no __init__ to configure it; to apply it to columns, make one first: "
            "Candles()('price')",
        ),
        (
            lambda: iw.group_by(BIDS).window(iw.rows(2)),
            "window((rows between 1 preceding and current row)) is not an extent: use iw.tumble, iw.hop, iw.cumulate or "
            "iw.session (a frame such as iw.rows goes into .over(...) of iw.with_columns)",
        ),
        (
            blocking_over_a_base_that_is_not,
            "Total has a terminate but its base Running has none: the base version gives a frame's result too, so write "
            "`def terminate(self)` in it",
        ),
        (
            yielding_a_float,
            "Twice.iterate yields, so its annotation `-> float` does not fit: write what it yields, as in "
            "`-> Iterator[float]`",
        ),
    ],
)
def test_a_first_mistake_is_told_with_the_way_out(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises(iw.InWindowError) as caught:
        mistake()
    assert str(caught.value) == message


class Counting(iw.WindowAggregate):
    """Yields as many rows as its argument says, when it leaves."""

    def iterate(self, n):
        pass

    def expire(self, n) -> Iterator[str]:
        for number in range(n):
            yield f"{n}.{number}"


def test_emission_times_belong_to_the_tuples_that_leave() -> None:
    table = pa.table({"t": [1, 2, 3], "n": [2, 0, 1]})  # as many emissions as tuples
    window = iw.range(10, order_by="t", active_expiration=True)
    rows = iw.select(table, "t", iw.emitted_at().alias("at"), x=Counting()("n").over(window))
    assert rows.to_pydict() == {"t": [1, 1, 3], "at": [11, 11, 13], "x": ["2.0", "2.1", "1.0"]}
    times = table.set_column(0, "t", pa.array([datetime(2026, 1, day) for day in (1, 2, 3)]))
    at_once = iw.range("0 seconds", order_by="t", active_expiration=True)
    assert iw.select(times, iw.emitted_at().alias("at"), x=Counting()("n").over(at_once))["at"].to_pylist() == [
        datetime(2026, 1, 1),
        datetime(2026, 1, 1),
        datetime(2026, 1, 3),
    ]


class Thirds(iw.Aggregate):
    """A Decimal with more digits than its column."""

    def iterate(self, price: Decimal) -> None:
        self.price = price

    def terminate(self) -> Decimal:
        return self.price / 3


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


def test_a_column_name_is_a_column_name() -> None:
    table = pa.table({"t": [1, 2, 3], "t desc": [1, 3, 2], "v": [1, 2, 4]})
    assert iw.with_columns(table, x=iw.sum("v").over(iw.rows(9, order_by="t desc")))["x"].to_pylist() == [1, 7, 5]
    for name in ("t desc", "-t"):
        with pytest.raises(iw.UnknownColumnError, match=r"for a descending order write iw.desc\('t'\)"):
            iw.with_columns(table.drop_columns("t desc"), x=iw.sum("v").over(iw.rows(9, order_by=name)))


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (iw.rows(2, slide=2, order_by="t"), iw.range(2, slide=2, order_by="t")),
        (iw.range(2, slide=2, order_by="t"), iw.range(2, slide=2, origin=1, order_by="t")),
        (iw.rows(2, slide=2, order_by="t"), iw.rows(2, slide=2, final="emit", order_by="t")),
    ],
    ids=["what it counts", "origin", "final"],
)
def test_select_wants_the_same_yield_tuples(one: object, other: object) -> None:
    table = pa.table({"t": [1, 2, 3, 4]})
    with pytest.raises(iw.UsageError, match="all its windows must have the same slide; got x: 2 .*, y: 2 "):
        iw.select(table, "t", x=iw.sum("t").over(one), y=iw.sum("t").over(other))


def test_state_that_cannot_be_copied_is_refused_at_once() -> None:
    class Locked(iw.Aggregate):
        def __init__(self):
            self.lock = Lock()

        def iterate(self, t):
            self.t = t

        def terminate(self) -> int:
            return self.t

    with pytest.raises(
        iw.UsageError, match="Locked: each partition works on a copy .* in `initialize`, not in `__init__`"
    ):
        iw.with_columns(pa.table({"t": [1]}), x=Locked()("t").over(iw.rows(1)))


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


def test_a_star_is_all_columns() -> None:
    table = pa.table({"k": ["a", "a", "b"], "v": [1, 2, 3]})
    total = iw.sum("v").over(iw.rows(2, partition_by="k"))
    expected = {"k": ["a", "a", "b"], "v": [1, 2, 3], "s": [1, 3, 3]}
    assert iw.select(table, "*", s=total).to_pydict() == expected
    assert iw.select(table.to_reader(), "*", s=total).read_all().to_pydict() == expected
    assert list(iw.select(table, total.alias("s"), "*").to_pydict()) == ["s", "k", "v"]

    class Each(iw.Aggregate):
        def iterate(self, v: int) -> int:
            return 10 * v

    assert iw.group_by(table, "k").emit("*", e=Each()("v")).to_pydict() == {
        "k": ["a", "a", "b"], "v": [1, 2, 3], "e": [10, 20, 30]
    }  # fmt: skip


def test_groups_say_what_they_are() -> None:
    table = pa.table({"k": ["a"], "t": [1]})
    assert repr(iw.group_by(table, "k", order_by=iw.desc("t"))) == (
        "group_by('k') order by t desc of a Table: .agg(...) or .emit(...)"
    )
    assert repr(iw.group_by(table).window(iw.tumble("t", size=3))) == (
        "group_by() window (tumble t size 3) of a Table: .agg(...) or .emit(...)"
    )


def test_self_by_another_name() -> None:
    class Tuples(iw.Aggregate):
        def iterate(it) -> None:  # noqa: N805
            it.n = getattr(it, "n", 0) + 1

        def terminate(it) -> int:  # noqa: N805
            return it.n  # type: ignore[attr-defined]

    class Ones(iw.Aggregate):
        def iterate(_) -> int:  # noqa: N805
            return 1

    table = pa.table({"v": [5, 6]})
    assert iw.with_columns(table, n=Tuples()().over(iw.rows(2)), one=Ones()())["n"].to_pylist() == [1, 2]


def test_an_over_of_its_own() -> None:
    class Innings(iw.Aggregate):
        def iterate(self, runs: int) -> None:
            self.over = getattr(self, "over", 0) + 1

        def terminate(self) -> int:
            return self.over

    table = pa.table({"runs": [4, 6]})
    assert iw.with_columns(table, n=Innings()("runs").over(iw.rows(2)))["n"].to_pylist() == [1, 2]


def expires(body: str) -> type[iw.Aggregate]:
    names: dict[str, Any] = {"iw": iw}
    exec(
        "class A(iw.WindowAggregate, returns='int'):\n  def iterate(self, v): pass\n  def expire(self, v):" + body,
        names,
    )
    made: type[iw.Aggregate] = names["A"]
    return made


@pytest.mark.parametrize(
    ("body", "nothing"),
    [
        ("pass", True), ("self.x = 1", True), ("return None", True), ("return", True),
        ("\n    if v: return\n    for _ in range(v): pass", True), ("return v", False), ("yield v", False),
        ("\n    if v: return 1", False), ("return v or None", False), ("return v if v else None", False),
        ("return None if v else v", False), ("raise NotImplementedError", False), ("return (lambda: None)()", False),
        ("\n    try: pass\n    finally: self.x = 0", True), ("\n    with v as w: return w", False),
    ],
)  # fmt: skip
def test_an_expire_that_gives_nothing(body: str, nothing: bool) -> None:
    traits = expires(body)._traits
    assert traits is not None and traits.never_expires_a_value is nothing


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
