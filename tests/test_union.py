"""Streams put together as one, in the order of time."""

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
