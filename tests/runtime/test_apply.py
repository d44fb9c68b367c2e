"""Applying aggregates as a user does: what goes in, what comes out, under which name, in which order."""

from collections.abc import Iterator
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from samples.aggregates import Candles
from samples.bids import BIDS, BY_ITEM, column

import inwindow as iw


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


def test_html_explain() -> None:
    html = iw.explain(BIDS, x=iw.sum("price").over(BY_ITEM))._repr_html_()
    assert "<td style='text-align:left'>delta</td>" in html
    assert f"<details><summary>the window</summary>{BY_ITEM.draw()}</details>" in html


def test_html_explain_draws_no_window_that_is_too_large_or_cut_elsewhere() -> None:
    large = iw.explain(BIDS, x=iw.sum("price").over(iw.rows(10**9)))._repr_html_()
    last = iw.rows(1, partition_by="item", order_by="price")
    elsewhere = iw.explain(BIDS, x=iw.last("price").over(last), of=BIDS)._repr_html_()
    assert "<svg" not in large + elsewhere


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


def test_a_column_name_is_a_column_name() -> None:
    table = pa.table({"t": [1, 2, 3], "t desc": [1, 3, 2], "v": [1, 2, 4]})
    assert iw.with_columns(table, x=iw.sum("v").over(iw.rows(9, order_by="t desc")))["x"].to_pylist() == [1, 7, 5]
    for name in ("t desc", "-t"):
        with pytest.raises(iw.UnknownColumnError, match=r"for a descending order write iw.desc\('t'\)"):
            iw.with_columns(table.drop_columns("t desc"), x=iw.sum("v").over(iw.rows(9, order_by=name)))


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
