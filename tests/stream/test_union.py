"""Streams put together as one, in the order of time."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw

ROWS = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 99)), max_size=8)


@given(st.lists(ROWS, min_size=2, max_size=4))
def test_a_union_is_a_merge_by_time(streams: list[list[tuple[int, int]]]) -> None:
    schema = pa.schema([("t", pa.int64()), ("v", pa.int64())])
    tables = [pa.Table.from_pylist([{"t": t, "v": v} for t, v in rows], schema) for rows in streams]
    merged = iw.union(*tables, order_by="t")
    expected = sorted((row for rows in streams for row in rows), key=lambda row: row[0])  # ties: as they were given
    assert [(row["t"], row["v"]) for row in merged.to_pylist()] == expected


def test_columns_are_matched_by_name() -> None:
    one, other = pa.table({"t": [2], "v": [1.5]}), pa.table({"v": [7], "t": [1]})
    assert iw.union(one, other, order_by="t").to_pylist() == [{"t": 1, "v": 7.0}, {"t": 2, "v": 1.5}]


@given(st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_a_replayed_union_is_the_batch_over_what_is_on_time(cuts: list[Any], delay: int, other: int) -> None:
    """Under the watermark of the slower stream, and none before each has had a tuple."""
    schema = pa.schema([("t", pa.int64()), ("v", pa.int64())])
    batches = [
        tuple(pa.Table.from_pylist([{"t": t, "v": v} for t, v in rows], schema) for rows in pair) for pair in cuts
    ]
    window = iw.range(4, order_by="t")

    def query(bids: Any, closings: Any) -> Any:
        return iw.with_columns(
            iw.union(bids, closings, order_by="t"), n=iw.count().over(window), s=iw.sum("v").over(window)
        )

    replayed = iw.testing.replay(batches, query, delay=(delay, other), until=100)
    reached: list[list[int]] = [[], []]
    on_time: list[pa.Table] = []
    late, passed = [], None
    for pair, watermark in zip(batches, replayed.watermarks, strict=False):
        expected = min(max(its) - d for its, d in zip(reached, (delay, other), strict=True)) if all(reached) else None
        assert watermark == expected
        for its, table in zip(reached, pair, strict=True):
            its += table["t"].to_pylist()
        both = pa.concat_tables(pair)
        mask = [passed is None or t >= passed for t in both["t"].to_pylist()]
        on_time.append(both.filter(pa.array(mask, pa.bool_())))
        late += both.filter(pa.array([not one for one in mask], pa.bool_())).to_pylist()
        passed = watermark
    whole = pa.concat_tables(on_time)
    batch = iw.with_columns(whole, n=iw.count().over(window), s=iw.sum("v").over(window))
    assert sorted(map(repr, replayed.table.to_pylist())) == sorted(map(repr, batch.to_pylist()))
    assert sorted(map(repr, iw.late(replayed).to_pylist())) == sorted(map(repr, late))


def test_streams_of_one_union_may_differ_in_types_and_be_many() -> None:
    one = pa.table({"t": pa.array([1, 9], pa.int32()), "v": [1.5, 2.5]})
    other, third = pa.table({"v": [7, 8], "t": [2, 9]}), pa.table({"t": [0, 9], "v": [0, 0]})

    def query(a: Any, b: Any, c: Any) -> Any:
        nested = iw.union(iw.union(a, b, order_by="t"), c, order_by="t")
        return iw.with_columns(nested, before=iw.collect_list("v").over(iw.rows(2, order_by="t")))

    replayed = iw.testing.replay([(one, other, third)], query)
    assert [(row["t"], row["before"]) for row in replayed.table.to_pylist()] == [
        (0, [0.0]),
        (1, [0.0, 1.5]),
        (2, [1.5, 7.0]),
    ]


def test_of_two_streams_one_may_be_all_that_is_read() -> None:
    tables = [(pa.table({"t": [1, 5]}), pa.table({"t": [0]}))]
    replayed = iw.testing.replay(tables, lambda a, b: iw.with_columns(a, n=iw.count().over(iw.rows(2, order_by="t"))))
    assert replayed.watermarks == [None, 5] and replayed.table.to_pydict() == {"t": [1], "n": [1]}
    twice = iw.testing.replay(
        [pa.table({"t": [1, 5]})],
        lambda df: iw.with_columns(iw.union(df, df, order_by="t"), n=iw.count().over(iw.unbounded(order_by="t"))),
    )
    assert twice.table.to_pydict() == {"t": [1, 1], "n": [1, 2]}


def test_dictionaries_of_streams_stay_dictionaries_where_all_are() -> None:
    def query(a: Any, b: Any) -> Any:
        return iw.with_columns(iw.union(a, b, order_by="t"), n=iw.count().over(iw.rows(2, order_by="t")))

    one, other = (pa.table({"t": [1, 9], "k": pa.array([key, "z"]).dictionary_encode()}) for key in "ab")
    plain = other.set_column(1, "k", other["k"].cast("string"))
    for second, kind in ((other, one.schema.field("k").type), (plain, pa.string())):
        table = iw.testing.replay([(one, second)], query).table
        assert table.schema.field("k").type == kind and table["k"].to_pylist() == ["a", "b"]
