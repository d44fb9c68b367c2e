"""Rows of their own from an Arrow UDF: as many lists as tuples came, with all rows in their order, wherever they come."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.runtime.spark import rows_in_lists
from inwindow.runtime.spark.rows_in_lists import Lists

SCHEMA = pa.schema([("n", pa.int64())])


def rows_of(numbers: range) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64())], schema=SCHEMA)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 12)), max_size=12), st.integers(0, 12), st.integers(1, 20))
def test_as_many_lists_as_tuples(steps: list[tuple[int, int]], last: int, spare: int) -> None:
    """``steps``: so many tuples come, then so many rows are given; ``last``: rows at the end."""
    lists, given_rows = Lists(SCHEMA), 0

    def run() -> Any:
        nonlocal given_rows
        arriving = lists.counted(iter([[pa.nulls(count)] for count, _ in steps]))
        for (_, made), _ in zip(steps, arriving, strict=True):
            yield rows_of(range(given_rows, given_rows + made))
            given_rows += made
        if steps and last:
            yield rows_of(range(given_rows, given_rows + last))
            given_rows += last

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rows_in_lists, "_SPARE", spare)
        arrays = list(lists.of(run()))
    assert sum(map(len, arrays)) == sum(count for count, _ in steps)
    given_back = [row["_0"] for array in arrays for one in array.to_pylist() for row in one or []]
    assert given_back == list(range(given_rows))
    assert all(array.type == pa.list_(pa.struct([("_0", pa.int64())])) for array in arrays)


@pytest.mark.parametrize("rows", [0, 1, 3, 20_000])
def test_panes_of_few_and_many_tuples(spark: Any, rows: int) -> None:
    """Tasks without a tuple, with fewer tuples than are spared, and with more; nothing but NULL times."""
    df = spark.range(0, rows, 1, 3).selectExpr("id % 7 AS k", "timestamp_seconds(id * 30) AS ts", "id AS v")
    extent = iw.hop("ts", size="10 minutes", every="5 minutes")
    ours = iw.group_by(df, "k").window(extent).agg(n=iw.count(), s=iw.sum("v"))
    table = df.toArrow()
    local = iw.group_by(table, "k").window(extent).agg(n=iw.count(), s=iw.sum("v"))
    key = ("k", "window")
    found = sorted((r["k"], r["window"]["start"], r["n"], r["s"]) for r in ours.toArrow().to_pylist())
    wanted = sorted((r["k"], r["window"]["start"], r["n"], r["s"]) for r in local.to_pylist())
    assert found == wanted and set(key) <= set(ours.columns)
    nowhere = df.selectExpr("k", "timestamp(NULL) AS ts", "v")
    assert iw.group_by(nowhere, "k").window(extent).agg(n=iw.count()).count() == 0
