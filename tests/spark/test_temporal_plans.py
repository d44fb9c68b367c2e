"""Windows of time on Spark are plain projections: Spark's optimizer sees through them; and their rows are those of tables."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow import temporal
from inwindow.runtime.spark.session import explained

WINDOWS = {
    "range": iw.range("10 minutes", order_by="ts"),
    "range of keys": iw.range("10 minutes", partition_by="item", order_by="ts"),
    "now": iw.range_between(0, 0, order_by="ts"),
    "unbounded": iw.unbounded(order_by="ts"),
    "lag": iw.range("10 minutes", lag="3 minutes", order_by="ts"),
    "ahead": iw.range_between("-10 minutes", "5 minutes", order_by="ts"),
}


@pytest.fixture
def bids(spark: Any, tmp_path: Any) -> Any:
    rows = spark.range(200).selectExpr(
        "id % 3 AS item", "id AS price", "IF(id = 7, NULL, timestamp_seconds(id * 97)) AS ts"
    )
    rows.write.parquet(str(tmp_path / "bids"))
    return spark.read.parquet(str(tmp_path / "bids"))


@pytest.mark.parametrize("name", WINDOWS)
def test_a_filter_moves_to_the_scan(bids: Any, name: str) -> None:
    found = temporal.window(bids, WINDOWS[name])
    plan = explained(found.where("item = 1").select("price", "until"), "simple")
    assert "MapInArrow" not in plan and "Exchange" not in plan
    assert "EqualTo(item,1)" in plan
    assert ("ts:timestamp" in plan) == (name != "unbounded")  # whose until is never, and since is not asked for
    assert "spark: a projection; no row crosses to Python" in str(
        temporal.explain(temporal.window, bids, window=WINDOWS[name])
    )


def test_a_filter_moves_below_a_window_and_a_join(bids: Any) -> None:
    """What the rule "select through window" does in temporal.run, Spark does here."""
    window = WINDOWS["range"]
    seen = temporal.window(bids, window)
    named = temporal.run(lambda a: temporal.window(a, window).where(pc.field("item") == 1), bids)
    assert Counter(map(str, named.collect())) == Counter(map(str, seen.where("item = 1").collect()))


def test_what_counts_or_slides_crosses(bids: Any) -> None:
    for window in (iw.rows(3, order_by="ts"), iw.range("10 minutes", order_by="ts", slide="5 minutes")):
        assert "MapInArrow" in explained(temporal.window(bids, window), "simple")


def same(df: Any, window: Any) -> None:
    table = df.toArrow()
    found, wanted = temporal.window(df, window).toArrow(), temporal.window(table, window)
    assert found.column_names == wanted.column_names
    assert Counter(map(str, found.to_pylist())) == Counter(map(str, wanted.cast(found.schema).to_pylist()))


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("name", WINDOWS)
def test_instants(spark: Any, bids: Any, name: str, ansi: str) -> None:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    same(bids, WINDOWS[name])
    same(bids.withColumn("ts", bids["ts"].cast("timestamp_ntz")), WINDOWS[name])


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint", "date"])
def test_whole_numbers_to_their_ends(spark: Any, kind: str, ansi: str) -> None:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}.get(kind)
    values = [0, 5, -3] if bits is None else [0, 5, -(2 ** (bits - 1)) + 2, 2 ** (bits - 1) - 3, 2 ** (bits - 1) - 5]
    if kind == "date":
        df = spark.createDataFrame([(v,) for v in values], "v int").selectExpr("date_add(date'2026-01-01', v) AS ts")
    else:
        df = spark.createDataFrame([(v,) for v in [*values, None]], f"ts {kind}")
    bounds: list[Any] = (
        [("-2 days", 0), (0, 0), (None, 0), ("-3 days", "2 days")]
        if kind == "date"
        else [(-2, 0), (0, 0), (None, 0), (-3, 4), (-9, -2)]
    )
    for lower, upper in bounds:
        same(df, iw.range_between(lower, upper, order_by="ts"))


def test_mistakes_are_said_as_before(bids: Any) -> None:
    with pytest.raises(iw.UsageError, match="there is a column 'since' already"):
        temporal.window(bids.withColumnRenamed("price", "since"), WINDOWS["range"])
    with pytest.raises(iw.UsageError, match="months differ in length"):
        temporal.window(bids, iw.range("1 month", order_by="ts"))
    with pytest.raises(iw.UsageError, match="'price' is of type double"):
        temporal.window(bids.selectExpr("double(price) AS price"), iw.range(3, order_by="price"))
    assert isinstance(temporal.window(pa.table({"ts": [1]}), iw.range(3, order_by="ts")), pa.Table)
