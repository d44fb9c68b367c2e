"""DISTINCT in windows, and SQL's regressions: as DuckDB has them."""

import duckdb
import pyarrow as pa
import pytest

import inwindow as iw

OVER = "OVER (ORDER BY n ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)"
CALLS = [
    "sum(DISTINCT i)",
    "avg(DISTINCT v)",
    "count(DISTINCT i)",
    "regr_sxy(v, i)",
    "regr_r2(i, v)",
    "regr_count(v, i)",
]


def test_as_duckdb_says() -> None:
    numbers = pa.table({
        "n": range(9), "i": [1, 1, 2, None, 3, 2, 2, 9, 1], "v": [0.5, 2.0, 2.0, 4.0, None, 0.5, 1.0, 1.0, 8.0],
    })  # fmt: skip
    query = f"SELECT n, {', '.join(f'{call} {OVER} AS x{at}' for at, call in enumerate(CALLS))} FROM numbers"
    ours = iw.Catalog({"numbers": numbers}).run(query).sort_by("n").to_pylist()
    theirs = duckdb.sql(f"{query} ORDER BY n").to_arrow_table().to_pylist()
    assert ours == [pytest.approx(row) for row in theirs]


def test_each_text_once() -> None:
    words = pa.table({"n": range(4), "w": ["b", "a", "b", "c"]})
    query = "SELECT n, listagg(DISTINCT w, '-') OVER (ORDER BY n ROWS 2 PRECEDING) AS x FROM words"
    assert iw.Catalog({"words": words}).run(query)["x"].to_pylist() == ["b", "b-a", "b-a", "a-b-c"]
