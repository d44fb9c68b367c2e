"""DataFrames of other libraries give what the same table gives, as frames of that library."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import inwindow as iw
from inwindow import temporal
from inwindow.udaf.errors import UsageError

W = iw.rows(3, partition_by="k", order_by="t")


def table(rows: int = 40, seed: int = 1) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table({
        "k": pa.array([["a", "b", None][n] for n in random.integers(0, 3, rows)]),
        "t": pa.array(random.permutation(rows) * 60_000, pa.timestamp("ms")),
        "v": pa.array(random.integers(0, 50, rows) / 2),
    })  # fmt: skip


class Stream:
    """Of a library that nobody knows: only Arrow's stream is there."""

    def __init__(self, data: pa.Table) -> None:
        self.data = data

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.data.__arrow_c_stream__(requested_schema)


# How to make a frame of a table, what comes back, and how to make a table of that.
LIBRARIES: dict[str, tuple[Any, type, Any]] = {
    "pandas": (lambda it: it.to_pandas(), pd.DataFrame, lambda df: pa.Table.from_pandas(df, preserve_index=False)),
    "polars": (pl.from_arrow, pl.DataFrame, lambda df: df.to_arrow()),
    "polars, lazy": (lambda it: pl.from_arrow(it).lazy(), pl.LazyFrame, lambda df: df.collect().to_arrow()),
    "duckdb": (duckdb.from_arrow, duckdb.DuckDBPyRelation, pa.table),
    "dataset": (ds.dataset, ds.Dataset, lambda it: it.to_table()),
    "any other": (Stream, pa.Table, lambda it: it),
}
EACH = pytest.mark.parametrize("library", LIBRARIES)
CALLS: dict[str, Any] = {
    "with_columns": lambda df: iw.with_columns(df, a=iw.avg("v").over(W), n=iw.count().over(W)),
    "in a column's place": lambda df: iw.with_columns(df, v=iw.max("v").over(W)),
    "select": lambda df: iw.select(
        df, "k", "t", a=iw.avg("v").over(iw.rows(4, slide=2, partition_by="k", order_by="t"))
    ),
    "group_by": lambda df: iw.group_by(df, "k").agg(a=iw.avg("v")),
    "points in time": lambda df: iw.with_columns(
        df, of=table(90, 2), a=iw.sum("v").over(iw.range("10 minutes", partition_by="k", order_by="t"))
    ),
    "temporal": lambda df: temporal.coalesce(
        temporal.window(df, iw.range("2 minutes", partition_by="k", order_by="t")), by="k"
    ),
}


@pytest.mark.parametrize("call", CALLS)
@EACH
def test_the_same_as_a_table(library: str, call: str) -> None:
    made, kind, back = LIBRARIES[library]
    wanted = CALLS[call](table())
    found = CALLS[call](made(table()))
    assert isinstance(found, kind)
    found = back(found)
    assert found.column_names == wanted.column_names
    assert found.to_pylist() == wanted.to_pylist()


@given(rows=st.lists(st.tuples(st.sampled_from("ab"), st.floats(width=32) | st.none()), max_size=12))
def test_nan_of_pandas_is_missing(rows: list[tuple[str, float | None]]) -> None:
    """As pandas has it: NaN and None are no values, and rolling skips them."""
    df = pd.DataFrame(rows, columns=["k", "v"]).astype({"v": "float64"})
    found = iw.with_columns(df, n=iw.count("v").over(iw.rows(3, partition_by="k")))
    wanted = df.groupby("k")["v"].rolling(3, min_periods=0).count().droplevel(0).sort_index()
    assert found["n"].tolist() == wanted.astype(int).tolist()


@pytest.mark.parametrize("index", [pd.RangeIndex(5, 15), pd.Index(list("jihgfedcba"), name="row"), None], ids=repr)
def test_pandas_keeps_its_index(index: Any) -> None:
    index = pd.MultiIndex.from_product([["x", "y"], range(5)], names=["one", None]) if index is None else index
    df = pd.DataFrame({"v": np.arange(10.0), "c": pd.Categorical(list("aabbaabbaa"))}, index=index)
    found = iw.with_columns(df, s=iw.sum("v").over(iw.rows(2)))
    pd.testing.assert_frame_equal(found[["v", "c"]], df)
    assert found["s"].tolist() == df["v"].rolling(2, min_periods=1).sum().tolist()
    assert list(df.columns) == ["v", "c"]
    some = iw.select(df, "v", s=iw.sum("v").over(iw.rows(2, slide=3)))
    pd.testing.assert_index_equal(some.index, df.index[2::3])


def test_a_named_index_is_a_column() -> None:
    df = pd.DataFrame(
        {"v": [1.0, 2.0, 4.0]}, index=pd.DatetimeIndex(["2026-01-03", "2026-01-01", "2026-01-02"], name="day")
    )
    found = iw.with_columns(df, s=iw.sum("v").over(iw.range("1 day", order_by="day")))
    assert found["s"].tolist() == df["v"].sort_index().rolling("2D").sum().reindex(df.index).tolist()
    assert list(found.columns) == ["v", "s"]


def test_the_window_of_a_group_is_two_columns_in_pandas() -> None:
    df = pd.DataFrame({"t": pd.date_range("2026-01-01", periods=4, freq="30min", tz="Europe/Rome"), "v": range(4)})
    found = iw.group_by(df).window(iw.tumble("t", "1 hour")).agg(s=iw.sum("v"))
    assert list(found.columns) == ["window_start", "window_end", "s"]
    assert found["window_start"].tolist() == [df["t"][0], df["t"][2]] and found["s"].tolist() == [1, 5]


def test_paths(tmp_path: Path) -> None:
    parquet.write_table(table(), tmp_path / "one.parquet")
    for path in (tmp_path / "one.parquet", str(tmp_path / "one.parquet"), tmp_path):
        assert CALLS["select"](path).equals(
            CALLS["select"](table().cast(parquet.read_schema(tmp_path / "one.parquet")))
        )


def test_pipes() -> None:
    """pandas and Polars have a way for functions of their frames already."""
    df = table().to_pandas()
    wanted = iw.with_columns(df, a=iw.avg("v").over(W))
    pd.testing.assert_frame_equal(df.pipe(iw.with_columns, a=iw.avg("v").over(W)), wanted)
    assert pl.from_pandas(df).pipe(iw.with_columns, a=iw.avg("v").over(W)).equals(pl.from_pandas(wanted))


def test_two_libraries() -> None:
    """The result is of the kind of the first one."""
    found = temporal.join(
        temporal.window(pl.from_arrow(table(9)), iw.range("1 minute", order_by="t")),
        temporal.window(table(9, 2).to_pandas().rename(columns={"v": "w"}), iw.range("1 minute", order_by="t")),
        on="k",
    )
    assert isinstance(found, pl.DataFrame)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pd.DataFrame({"v": [1, "x"]}), r"this pandas DataFrame has no form in Arrow: .*column v"),
        (pd.DataFrame([[1, 2]], columns=["v", "v"]), r"no form in Arrow: Duplicate column names"),
        ("trades.csv", r"with_columns: got a text, 'trades.csv': a path is that of a Parquet file"),
        ("no.parquet", r"with_columns: 'no.parquet' cannot be read: there is no such file"),
        (3, r"with_columns: got a int; give a DataFrame of PySpark, pandas or Polars"),
    ],
)
def test_what_cannot_be_read(data: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        iw.with_columns(data, n=iw.count().over(iw.rows(2)))


# explain


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("a frame was computed for explain")


EXPLAINED = {
    "polars, lazy": lambda it: pl.from_arrow(it).lazy().map_batches(refuse, schema=pl.from_arrow(it).schema),
    "duckdb": lambda it: duckdb.sql("SELECT k, t, v FROM (SELECT *, error('computed') AS e FROM it)"),
    "pandas": lambda it: it.to_pandas(),
    "polars": pl.from_arrow,
    "dataset": ds.dataset,
}


@pytest.mark.parametrize("library", EXPLAINED)
def test_explain_asks_for_the_schema_alone(library: str) -> None:
    plain = table()
    frame = EXPLAINED[library](plain)
    n = iw.count().over(W)
    assert "put in order" in str(iw.explain(frame, a=iw.avg("v").over(W), n=n))
    groups = iw.group_by(frame, "k").window(iw.tumble("t", size="1 hour"))
    assert "tumble" in str(iw.explain(groups, n=iw.count())) and type(frame).__name__ in repr(groups)
    spent = iw.sum("v").over(W)
    said, expected = (str(iw.explain(one, s=spent, of=one)) for one in (frame, plain))
    assert said == expected


@EACH
def test_the_schema_is_that_of_the_table(library: str) -> None:
    from inwindow.runtime.places import place_of

    made = LIBRARIES[library][0](table().append_column("day", pa.array([None] * 40, pa.date32())))
    asked, read = place_of(made, "test"), place_of(made, "test")
    assert read.data is not None and asked.schema.equals(read.schema)
    assert "given" not in vars(asked)
    if library == "pandas":
        labelled = made.set_index(["k", pd.Index(range(40), name="number")])
        asked, read = place_of(labelled, "test"), place_of(labelled, "test")
        assert read.data.column_names == asked.schema.names and asked.schema.equals(read.schema)


# union


@EACH
def test_a_union_takes_what_the_other_calls_take(library: str) -> None:
    made, kind, read = LIBRARIES[library]
    one, other = table(), table(seed=2)
    united = iw.union(made(one), made(other), order_by="t")
    assert isinstance(united, kind)
    expected = iw.union(one, other, order_by="t")
    expected = expected if library == "any other" else read(made(expected))
    assert read(united).to_pylist() == expected.to_pylist()
    assert iw.union([made(one), other.to_reader()], order_by="t") is not None  # the first one's kind comes back


def test_a_union_of_other_types_says_so() -> None:
    texts = pa.table({"t": ["x"]})
    with pytest.raises(UsageError, match=r"union\(\): .*cast the columns to the same types"):
        iw.union(pd.DataFrame({"t": [1]}), texts, order_by="t")
    with pytest.raises(UsageError, match=r"union: got a int; give a DataFrame"):
        iw.union(texts, 3, order_by="t")
