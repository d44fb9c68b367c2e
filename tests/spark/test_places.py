"""lag, lead, row numbers and ranks on Spark: its names, types and results; hot keys; streams, which Spark itself refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from spark.controlled import Feed, finished, plain, started, use

import inwindow as iw

NUMBERS = ("row_number", "ntile", "rank", "dense_rank", "percent_rank", "cume_dist")


def frame(spark: Any) -> Any:
    """Ties and NULLs in the order and in the values."""
    columns = [
        "cast(id AS int) id", "concat('k', id % 3) k", "timestamp_seconds(1.8e9 + id * 7 % 11) t",
        "cast(if(id % 4 = 1, NULL, id) AS int) n", "if(id % 5 = 2, NULL, id / 2D) x",
        "cast(if(id % 3 = 0, NULL, id) AS decimal(10,2)) c",
        "if(id % 2 = 0, NULL, concat('s', id)) s", "if(id % 4 = 2, NULL, array(cast(id AS int))) l",
    ]  # fmt: skip
    return spark.range(40).selectExpr(*columns)


def test_as_sparks_own(spark: Any) -> None:
    """All in two jobs. Spark's lag and lead take a default of the column's type."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = frame(spark)
    tied, w = Window.partitionBy("k").orderBy("t"), Window.partitionBy("k").orderBy(F.desc_nulls_first("n"), "id")
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for name, options in {"row_number": (), "ntile": (4,)}.items():
        ours[name], theirs[name] = getattr(iw, name)(*options).over(w), getattr(F, name)(*options).over(w)
    for name in ("rank", "dense_rank", "percent_rank", "cume_dist"):
        ours[name], theirs[name] = getattr(iw, name)().over(tied), getattr(F, name)().over(tied)
    for column, default in {"n": -1, "x": 0.5, "s": "none", "c": None, "l": None}.items():
        for name in ("lag", "lead"):
            for offset in (1, 3, -1, 0):
                one = f"{name}({column}, {offset})"
                ours[one] = getattr(iw, name)(column, offset, default).over(w)
                theirs[one] = getattr(F, name)(column, offset, default).over(w)
            for offset in (0, 1, 2):
                one, text = f"{name}({column}, {offset}) ignoring nulls", "NULL" if default is None else repr(default)
                ours[one] = getattr(iw, name)(column, offset, default, ignorenulls=True).over(w)
                text = f"{name}({column}, {offset}, {text})".replace("0.5", "0.5D")
                over = "(PARTITION BY k ORDER BY n DESC NULLS FIRST, id)"
                theirs[one] = F.expr(f"{text} IGNORE NULLS OVER {over}")
    last = w.rowsBetween(-4, 0)
    values = {
        f"{name} of x": getattr(iw, name)("x").over(last)
        for name in ("rank", "dense_rank", "percent_rank", "cume_dist")
    }
    made, expected = iw.with_columns(df, **ours, **values), df.withColumns(theirs)
    found, wanted = made.orderBy("id").toArrow(), expected.orderBy("id").toArrow()
    assert made.select(*df.columns, *NUMBERS).schema == expected.select(*df.columns, *NUMBERS).schema
    types = {f.name: f.dataType for f in made.drop(*values).schema}
    assert types == {f.name: f.dataType for f in expected.schema}  # a default may be no NULL
    local = iw.with_columns(df.toArrow(), **values).sort_by("id")
    assert all(found[name].to_pylist() == local[name].to_pylist() for name in values)
    differing = {n: (found[n].to_pylist(), wanted[n].to_pylist()) for n in wanted.column_names if found[n] != wanted[n]}
    assert differing == {}


def test_nulls_ignored_within_the_parentheses(spark: Any) -> None:
    """As DuckDB writes it; and a rank that keeps a hot key in one task says so."""
    df = frame(spark)
    df.createOrReplaceTempView("places")
    text = "SELECT id, lag(n, 1, -1{}){} OVER (PARTITION BY k ORDER BY t, id) x, rank() OVER (ORDER BY t) r FROM places"
    ours, theirs = iw.sql(spark, text.format(" IGNORE NULLS", "")), spark.sql(text.format("", " IGNORE NULLS"))
    assert ours.orderBy("id").toArrow().equals(theirs.orderBy("id").toArrow())
    ranked = iw.rank().over(iw.unbounded(partition_by="k", order_by="t"))
    assert "rank() counts groups of peers, from the partition's first" in str(iw.explain(df, r=ranked))


def test_streams_in_calls_and_in_text(spark: Any, tmp_path: Path) -> None:
    """Numbers go on from batch to batch; what looks ahead waits."""
    use(spark, "applyInPandasWithState")
    rng = np.random.default_rng(5)
    seconds = np.sort(rng.integers(0, 60, 60))
    table = pa.table(
        {
            "id": range(60), "k": pa.array(rng.integers(0, 3, 60).astype(str)),
            "ts": pa.array(1_800_000_000_000_000 + seconds * 1_000_000, pa.timestamp("us", "UTC")),
            "n": pa.array(rng.integers(0, 9, 60), mask=rng.random(60) < 0.3),
        }
    )  # fmt: skip
    end = table.slice(59).set_column(2, "ts", pa.array([1_900_000_000_000_000], pa.timestamp("us", "UTC")))
    feed = Feed(tmp_path / "in", "id bigint, k string, ts timestamp, n bigint")
    feed.add(table.slice(0, 20), table.slice(20, 25), table.slice(45), end.set_column(1, "k", pa.array(["other"])))
    by = {"partition_by": "k", "order_by": "ts"}
    w = iw.unbounded(**by)
    stream = feed.read(spark)
    stream.createOrReplaceTempView("arriving")
    calls = iw.with_columns(
        stream, i=iw.row_number().over(w), r=iw.rank().over(w), d=iw.dense_rank().over(w), b=iw.lag("n", 2, -1).over(w),
        s=iw.lag("n", ignorenulls=True).over(w),
    )  # fmt: skip
    over = "OVER (PARTITION BY k ORDER BY ts)"
    text = iw.sql(
        spark,
        f"SELECT *, row_number() {over} i, rank() {over} r, dense_rank() {over} d, lag(n, 2, -1) {over} b, "
        f"LAG(n) IGNORE NULLS {over} s FROM arriving",
    )
    batch = iw.with_columns(
        table, i=iw.row_number().over(w), r=iw.rank().over(w), d=iw.dense_rank().over(w), b=iw.lag("n", 2, -1).over(w),
        s=iw.lag("n", ignorenulls=True).over(w),
    )  # fmt: skip
    for name, df in {"calls": calls, "text": text}.items():
        finished(started(df, tmp_path / name, name=f"places_{name}"))
        assert plain(spark.table(f"places_{name}").toArrow()) == plain(batch)
