"""Relations whose hot keys are cut by time, on Spark: the rows of the local run, with adaptive plans and without."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow import temporal
from inwindow.runtime.spark.session import explained


def made(seed: int, rows: int = 1500, name: str = "v") -> pa.Table:
    """Nine rows of ten have one key; ends tie, and some are NULL."""
    draw = np.random.default_rng(seed)
    hosts = np.where(draw.random(rows) < 0.9, "hot", draw.choice(["a", "b"], rows))
    since = draw.integers(0, 2000, rows)
    until = since + draw.integers(0, 12, rows)
    return pa.table(
        {
            "host": pa.array(hosts, mask=draw.random(rows) < 0.01),
            name: pa.array(draw.integers(0, 3, rows)),
            "since": pa.array(since, mask=draw.random(rows) < 0.002),
            "until": pa.array(until, mask=draw.random(rows) < 0.002),
        }
    )


def on_spark(spark: Any, table: pa.Table) -> Any:
    kinds = {"string": "string", "int64": "bigint"}
    schema = ", ".join(f"`{f.name}` {kinds[str(f.type)]}" for f in table.schema)
    return spark.createDataFrame([tuple(row.values()) for row in table.to_pylist()], schema).repartition(3)


def bag(rows: Any) -> Any:
    return Counter(tuple(row) for row in rows)


ONE: dict[str, Any] = {
    "aggregate": lambda a: temporal.aggregate(a, by="host", n=iw.count(), s=iw.sum("v")),
    "aggregate of all": lambda a: temporal.aggregate(a, n=iw.count(), high=iw.max("v")),
    "coalesce": lambda a: temporal.coalesce(a, by="host"),
    "dstream": temporal.dstream,
}
TWO: dict[str, Any] = {
    "difference": temporal.difference,
    "join": lambda a, b: temporal.join(a, b, on="host", suffix="_b"),
    "join of all": lambda a, b: temporal.join(a, b, condition=pc.field("v") != pc.field("v_b"), suffix="_b"),
    "full join": lambda a, b: temporal.join(a, b, on="host", how="full", suffix="_b"),
    "semi join": lambda a, b: temporal.join(a, b, on="host", how="semi"),
}


@pytest.fixture(autouse=True)
def looked_for(spark: Any) -> Iterator[None]:
    spark.conf.set("spark.inwindow.hotKeys", "sample")
    yield
    spark.conf.unset("spark.inwindow.hotKeys")


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_hot_keys_are_cut(spark: Any, name: str, adaptive: str) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    query = ONE.get(name) or TWO[name]
    tables = [made(1), made(2, 600)][: 1 if name in ONE else 2]
    if name in ("dstream", "difference"):  # whose keys are all columns
        tables = [table.set_column(1, "v", pa.array(np.arange(len(table)) % 8 // 7)) for table in tables]
    frames = [on_spark(spark, table) for table in tables]
    said = str(temporal.explain(query, *frames))
    assert "a task for each stretch of time" in said and "cut by time into" in said
    assert bag(query(*frames).collect()) == bag(row.values() for row in query(*tables).to_pylist())


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date", "decimal(12, 2)", "int"])
def test_cuts_of_every_type(spark: Any, kind: str) -> None:
    """A cut is a literal in Spark's plan."""
    moment = {
        "timestamp": "timestamp_micros({} * 1000001)",
        "timestamp_ntz": "timestamp_ntz'2026-03-08' + make_dt_interval(0, {})",
    }
    moment |= {
        "date": "date_add(date'2026-01-01', {})",
        "decimal(12, 2)": "CAST({} AS decimal(12, 2)) / 4",
        "int": "{}",
    }
    ends = [
        f"CAST({moment[kind].format(f'CAST({end} AS int)')} AS {kind}) AS {name}"
        for end, name in (("id", "since"), ("id + 3", "until"))
    ]
    df = spark.range(300).selectExpr("id % 3 AS v", *ends)
    found = temporal.aggregate(df, s=iw.sum("v"))
    assert "cut by time into" in str(temporal.explain(df, s=iw.sum("v")))
    wanted = temporal.aggregate(df.toArrow(), s=iw.sum("v"))
    assert Counter(map(str, found.toArrow().to_pylist())) == Counter(
        map(str, wanted.cast(found.toArrow().schema).to_pylist())
    )


def test_what_is_not_cut_says_why(spark: Any) -> None:
    df = on_spark(spark, made(3))
    tuples = df.drop("until").withColumnRenamed("since", "ts")
    said = str(temporal.explain(temporal.window, tuples, window=iw.rows(3, order_by="ts")))
    assert "hot keys: none, window looks at all rows of a key" in said
    spark.conf.set("spark.inwindow.hotKeys", "auto")
    assert "hot keys: none, not looked for: " in str(temporal.explain(temporal.coalesce, df, by="host"))
    spark.conf.set("spark.inwindow.hotKeys", "of course")
    with pytest.raises(iw.UsageError, match=r"spark.inwindow.hotKeys='of course': write 'auto'"):
        temporal.coalesce(df)


def test_a_bad_row_is_said(spark: Any) -> None:
    bad = spark.range(200).selectExpr("id AS v", "id AS since", "IF(id = 77, 3, id + 2) AS until")
    with pytest.raises(Exception, match="is from 77 until 3, but it cannot end before it begins"):
        temporal.aggregate(bad, n=iw.count()).collect()


def test_what_touches_a_cut_reads_the_same_shuffle(spark: Any) -> None:
    """Rows that touch a cut are joined in one task; the others do not cross to Python once more."""
    found = temporal.aggregate(on_spark(spark, made(5)), by="host", n=iw.count())
    found.collect()
    assert "ReusedExchange" in explained(found, "simple")


def test_lists_are_cut_too(spark: Any) -> None:
    """Where order shows, all is of one run."""
    df = on_spark(spark, made(6).filter(pc.is_valid(made(6)["since"])))
    found = temporal.aggregate(df, by="host", n=iw.count(), vs=iw.collect_list("v"))
    wanted = temporal.aggregate(df, by="host", n=iw.count())
    assert "cut by time into" in str(temporal.explain(df, by="host", vs=iw.collect_list("v")))
    assert all(len(row["vs"]) == row["n"] for row in found.collect())
    assert bag(temporal.coalesce(found, by=["host", "n"]).collect()) == bag(row for row in wanted.collect())
