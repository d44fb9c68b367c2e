"""What the fuzzer has found, as it printed it, but for shorter names."""

from datetime import date, datetime

import pyarrow as pa
import pytest

import inwindow as iw

TABLE = pa.table({"t": [0, 3], "i": [2, 0], "b": [True, True]})


def test_try_sum_over_panes() -> None:
    rows = iw.group_by(TABLE).window(iw.hop("t", rows=3, every=2)).agg(x=iw.try_sum("i")).to_pylist()
    assert [row["x"] for row in rows] == [2, 2]


@pytest.mark.parametrize("ours", [iw.bool_and, iw.bool_or])
def test_truths_around_a_hole(ours: object) -> None:
    window = iw.groups_between(0, None, order_by=iw.desc("t"), exclude="current row")
    assert iw.with_columns(TABLE, x=ours("b").over(window))["x"].to_pylist() == [None, True]


@pytest.mark.parametrize(("ours", "expected"), [(iw.rank("f"), [1, 1, 1]), (iw.rank("f", method="max"), [2, 1, 1])])
def test_the_rank_of_the_newest_tuple_around_a_hole(ours: iw.Applied, expected: list[int]) -> None:
    """The tuples behind the hole are newer than those before it, though they enter first."""
    table = pa.table({"t": [1, 2, 3], "f": [1.0, 0.0, 0.0]})
    window = iw.rows_between(None, None, order_by="t", exclude="current row")
    assert iw.with_columns(table, x=ours.over(window))["x"].to_pylist() == expected


@pytest.mark.parametrize("size", [1, 2, 3])
def test_sessions_of_own_ends_of_the_next_key_in_a_later_batch(size: int) -> None:
    table = pa.table({"k": [1, 1, 1, 2], "t": [-1, 0, 0, 0], "until": [0, 0, 3, 1]})
    groups = iw.group_by(table.to_reader(max_chunksize=size), "k").window(iw.session("t", until="until"))
    rows = groups.agg(n=iw.count()).read_all().to_pylist()
    assert [(row["k"], *row["window"].values(), row["n"]) for row in rows] == [(1, -1, 3, 2), (2, 0, 1, 1)]


def test_a_set_around_a_hole_is_in_the_order_of_first_places() -> None:
    table = pa.table({"s": ["a", "a", "b"]})
    window = iw.rows_between(None, None, exclude="current row")
    given = iw.with_columns(table, x=iw.collect_set("s").over(window))["x"].to_pylist()
    assert given == [["a", "b"], ["a", "b"], ["a"]]


@pytest.mark.parametrize("descending", [False, True])
def test_what_is_finer_than_the_column_beside_months(descending: bool) -> None:
    """[t + 1 month, t + 1 month + 36 hours] over dates ends after one day, in both directions."""
    days = [date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 29), date(2024, 3, 30), date(2024, 3, 31)]
    table = pa.table({"t": days, "day": [day.day for day in days]})
    upwards = iw.range_between("1 month", "1 month 36 hours", order_by="t")
    downwards = iw.range("36 hours", lag="1 month", order_by=iw.desc("t"))  # later times come first
    window = downwards if descending else upwards
    rows = iw.with_columns(table, seen=iw.collect_set("day").over(window)).to_pylist()
    assert {row["t"].day: sorted(row["seen"]) for row in rows if row["t"].month == 2} == {28: [29], 29: [29, 30]}


def test_a_row_between_two_units_beside_months() -> None:
    times = [datetime(2024, 2, 29, 12), datetime(2024, 3, 29, 12, 0, 1), datetime(2024, 3, 29, 12, 0, 2)]
    table = pa.table({"t": pa.array(times, pa.timestamp("s")), "second": [0, 1, 2]})
    window = iw.range("1500 ms", lag="1 month", order_by=iw.desc("t"))
    assert iw.with_columns(table, n=iw.count().over(window))["n"].to_pylist() == [1, 0, 0]
