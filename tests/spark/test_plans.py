"""What Spark plans: how often it shuffles, sorts and crosses to Python; and the traps of labs.md A2, which are silent."""

import re
from typing import Any

import pytest
from spark.parity import by_id, has_udf

import inwindow as iw
from inwindow.runtime.spark.shuffles import plan_text

N = 4000


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    columns = [
        "id",
        "id % 7 as k",
        "id % 3 as j",
        "id * 7919 % 4001 as t",
        "cast(id * 31 % 101 as double) as v",
        "'pass' as s",
    ]
    return spark.range(0, N, 1, 4).selectExpr(*columns)


def nodes(df: Any) -> dict[str, int]:
    text = plan_text(df)
    return {
        "shuffles": len(re.findall(r"Exchange (?:hash|Single|Round)", text)),
        "sorts": len(re.findall(r"[- ]Sort \[", text)),
        "crossings": len(re.findall(r"ArrowEvalPython|MapInArrow", text)),
        "windows": len(re.findall(r"[- ]Window \[", text)),
    }


def by_k(order: str = "t", **more: Any) -> dict[str, Any]:
    return {"partition_by": "k", "order_by": order, **more}


# How often


def test_one_pass_for_equal_windows(events: Any) -> None:
    made = iw.with_columns(
        events,
        a=iw.avg("v").over(iw.rows(10, **by_k())),
        b=iw.max("v").over(iw.range(100, **by_k())),
        c=iw.count().over(iw.unbounded(**by_k())),
        d=iw.sum("v").over(iw.rows(20, slide=5, **by_k())),
    )
    assert nodes(made) == {"shuffles": 1, "sorts": 0, "crossings": 1, "windows": 0}


def test_windows_over_the_same_expression_share_a_pass(events: Any, spark: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    w = Window.partitionBy(F.col("k") % 2).orderBy((F.col("t") + 1).desc()).rowsBetween(-3, 0)
    made = iw.with_columns(events, a=iw.avg("v").over(w), b=iw.max("v").over(w), c=iw.sum(F.col("v") * 2).over(w))
    if type(made).__module__.startswith("pyspark.sql.classic"):
        assert nodes(made) == {"shuffles": 1, "sorts": 0, "crossings": 1, "windows": 0}
    theirs = events.withColumns({"a": F.avg("v").over(w), "b": F.max("v").over(w), "c": F.sum(F.col("v") * 2).over(w)})
    assert by_id(made).drop("a") == by_id(theirs).drop("a")
    assert made.schema == theirs.schema


def test_windows_by_more_keys_share_the_shuffle(events: Any) -> None:
    made = iw.with_columns(
        events,
        a=iw.avg("v").over(iw.rows(10, partition_by=["k", "j"], order_by="t")),
        b=iw.max("v").over(iw.rows(10, **by_k())),
        c=iw.max("v").over(iw.rows(10, **by_k(iw.desc("t")))),
    )
    assert nodes(made) == {"shuffles": 1, "sorts": 0, "crossings": 1, "windows": 0}


def test_other_orders_share_the_shuffle(events: Any) -> None:
    windows = {order: iw.rows(10, **by_k(order)) for order in ("t", "v", "id")}
    made = iw.with_columns(events, **{f"by_{name}": iw.sum("v").over(window) for name, window in windows.items()})
    assert nodes(made) == {"shuffles": 1, "sorts": 0, "crossings": 1, "windows": 0}
    local = iw.with_columns(
        events.toArrow(), **{f"by_{name}": iw.sum("v").over(window) for name, window in windows.items()}
    )
    assert by_id(made) == local.sort_by("id").cast(by_id(made).schema)


def test_other_keys_shuffle_again(events: Any) -> None:
    with pytest.warns(UserWarning, match="no partitioning"):
        made = iw.with_columns(
            events,
            everything=iw.max("v").over(iw.rows(10, order_by="t")),
            a=iw.max("v").over(iw.rows(10, **by_k())),
            b=iw.max("v").over(iw.rows(10, partition_by="j", order_by="t")),
        )
    assert nodes(made)["shuffles"] == 3
    assert made.columns == [*events.columns, "everything", "a", "b"]


@pytest.mark.parametrize("how", ["repartition", "sorted", "group", "again"])
def test_data_in_place_are_not_shuffled_again(events: Any, how: str) -> None:
    from pyspark.sql import functions as F

    placed = {
        "repartition": lambda: events.repartition("k"),
        "sorted": lambda: events.repartition(3, "k").sortWithinPartitions("k", "t"),
        "group": lambda: events.groupBy("k", "t").agg(F.max("v").alias("v"), F.max("id").alias("id")).repartition("k"),
        "again": lambda: (
            events.groupBy("k", "t").agg(F.max("v").alias("v"), F.max("id").alias("id")).repartition("k").where("v > 3")
        ),
    }[how]()
    before = nodes(placed)
    made = iw.with_columns(placed, a=iw.sum("v").over(iw.rows(10, **by_k())))
    after = nodes(made)
    assert after["shuffles"] == before["shuffles"]
    assert "no shuffle" in str(iw.explain(placed, a=iw.sum("v").over(iw.rows(10, **by_k()))))
    expected = iw.with_columns(placed.toArrow(), a=iw.sum("v").over(iw.rows(10, **by_k())))
    assert by_id(made)["a"].to_pylist() == expected.sort_by("id")["a"].to_pylist()


def test_what_a_plan_can_split_is_shuffled(events: Any, spark: Any) -> None:
    """AQE splits what a join has shuffled; and Spark drops a window that nobody reads, with its shuffle."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    joined = events.hint("merge").join(events.groupBy("k").agg(F.max("v").alias("most")), "k")
    windowed = events.withColumn("n", F.count("v").over(Window.partitionBy("k")))
    for data in (joined, windowed):
        made = iw.with_columns(data, a=iw.sum("v").over(iw.rows(10, **by_k())))
        assert nodes(made)["shuffles"] == nodes(data)["shuffles"] + 1
        local = iw.with_columns(data.toArrow(), a=iw.sum("v").over(iw.rows(10, **by_k())))
        assert by_id(made)["a"].to_pylist() == local.sort_by("id")["a"].to_pylist()


def test_a_call_on_our_result_is_not_shuffled_again(events: Any) -> None:
    first = iw.with_columns(events, a=iw.sum("v").over(iw.rows(10, **by_k())))
    again = iw.with_columns(first, b=iw.max("a").over(iw.rows_between(-5, 1, **by_k())))
    other = iw.with_columns(again, c=iw.max("b").over(iw.rows(5, partition_by=["k", "j"], order_by="v")))
    assert [nodes(df)["shuffles"] for df in (first, again, other)] == [1, 1, 1]
    assert [nodes(df)["sorts"] for df in (first, again, other)] == [0, 0, 0]
    reduced = iw.group_by(other, "k").agg(n=iw.count(), c=iw.max("c"))
    assert nodes(reduced)["shuffles"] == 1
    table = events.toArrow()
    table = iw.with_columns(table, a=iw.sum("v").over(iw.rows(10, **by_k())))
    table = iw.with_columns(table, b=iw.max("a").over(iw.rows_between(-5, 1, **by_k())))
    assert by_id(again).select(["id", "a", "b"]) == table.sort_by("id").select(["id", "a", "b"]).cast(
        by_id(again).select(["id", "a", "b"]).schema
    )
    expected = {
        row["k"]: row["c"]
        for row in other.groupBy("k").agg({"c": "max"}).withColumnRenamed("max(c)", "c").toArrow().to_pylist()
    }
    assert {row["k"]: row["c"] for row in reduced.toArrow().to_pylist()} == expected


def test_what_was_done_in_between_is_seen(events: Any) -> None:
    window = iw.rows(10, **by_k())
    first = iw.with_columns(events, a=iw.sum("v").over(window))
    for moved in (
        first.repartition(3),
        first.orderBy("id"),
        first.union(first),
        first.coalesce(1),
        first.join(events.select("id"), "id"),
    ):
        again = iw.with_columns(moved, b=iw.count().over(iw.rows_between(None, None, partition_by="k")))
        counts = {row["k"]: row["b"] for row in again.toArrow().to_pylist()}
        assert counts == {row["k"]: row["count"] for row in moved.groupBy("k").count().toArrow().to_pylist()}
    replaced = iw.with_columns(events, k=iw.max("j").over(window))
    again = iw.with_columns(replaced, b=iw.count().over(iw.rows_between(None, None, partition_by="k")))
    assert nodes(again)["shuffles"] == 2
    cached = first.cache()
    again = by_id(iw.with_columns(cached, b=iw.sum("v").over(window)))
    assert again["a"] == again["b"]
    cached.unpersist()


def test_only_needed_columns_cross(events: Any, spark: Any) -> None:
    if not has_udf(spark):
        pytest.skip("mapInArrow hands over all columns")
    made = iw.with_columns(events, a=iw.avg("v").over(iw.rows(10, **by_k())))
    call = re.search(r"ArrowEvalPython \[\w+\((.*?)\)#", plan_text(made))
    assert call is not None and re.findall(r"(\w+)#", call[1]) == ["k", "t", "v"]


def test_nothing_is_computed_that_nobody_reads(events: Any, spark: Any) -> None:
    if not has_udf(spark):
        pytest.skip("mapInArrow always runs")
    made = iw.with_columns(events, a=iw.avg("v").over(iw.rows(10, **by_k())))
    assert nodes(made.select("id"))["crossings"] == 0


# The traps: what stands above the UDF must not change what it sees


@pytest.fixture(scope="module")
def sums(events: Any) -> dict[int, dict[int, int]]:
    """By the tuples that follow in the frame, then by id."""
    windows = {following: iw.rows_between(-2, following, **by_k()) for following in (0, 2)}
    table = iw.with_columns(events.toArrow(), **{f"a{n}": iw.sum("v").over(window) for n, window in windows.items()})
    ids = table["id"].to_pylist()
    return {following: dict(zip(ids, table[f"a{following}"].to_pylist(), strict=True)) for following in windows}


ABOVE = {
    "a filter on a column": lambda df, F: df.where("v > 50"),
    "a filter on a key": lambda df, F: df.where("k = 3"),
    "a filter on the result": lambda df, F: df.where("a > 100"),
    "an order": lambda df, F: df.orderBy("v", "id"),
    "a limit": lambda df, F: df.limit(5),
    "an offset": lambda df, F: df.offset(N - 5),
    "a filter and a limit": lambda df, F: df.where("v > 50").limit(7),
    "an order and a limit": lambda df, F: df.orderBy("v", "id").limit(7),
    "a sample": lambda df, F: df.sample(0.3, seed=1),
    "a repartition": lambda df, F: df.repartition("j"),
    "a coalesce": lambda df, F: df.coalesce(1),
    "distinct": lambda df, F: df.select("id", "a").distinct(),
    "a join": lambda df, F: df.join(df.sparkSession.range(0, 1000).withColumnRenamed("id", "other"), F.col("id") == F.col("other")),
    "a union": lambda df, F: df.where("j = 0").union(df.where("j = 1")),
    "a group": lambda df, F: df.groupBy("id").agg(F.max("a").alias("a")),
    "a native window": lambda df, F: df.withColumn("n", F.expr("row_number() over (partition by j order by v)")),
    "another of ours": lambda df, F: iw.with_columns(df, b=iw.max("a").over(iw.rows(3, partition_by="j", order_by="v"))),
    "fewer columns and a limit": lambda df, F: df.select("id", "a").limit(9),
}  # fmt: skip


@pytest.mark.parametrize("following", [0, 2])
@pytest.mark.parametrize("what", ABOVE)
def test_steps_above_change_nothing(events: Any, sums: dict[int, dict[int, int]], following: int, what: str) -> None:
    from pyspark.sql import functions as F

    expected = sums[following]
    made = iw.with_columns(events, a=iw.sum("v").over(iw.rows_between(-2, following, **by_k())))
    rows = ABOVE[what](made, F).toArrow().to_pylist()
    assert rows
    assert [(row["id"], row["a"]) for row in rows] == [(row["id"], expected[row["id"]]) for row in rows]


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("partitions", ["1", "7", "40"])
def test_any_number_of_partitions(
    events: Any, spark: Any, sums: dict[int, dict[int, int]], partitions: str, adaptive: str
) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    made = by_id(iw.with_columns(events, a=iw.sum("v").over(iw.rows_between(-2, 2, **by_k()))))
    assert dict(zip(made["id"].to_pylist(), made["a"].to_pylist(), strict=True)) == sums[2]


def test_a_native_window_of_another_order_beside_ours(events: Any, sums: dict[int, dict[int, int]]) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    placed = events.repartition("k")
    made = iw.with_columns(placed, a=iw.sum("v").over(iw.rows(3, **by_k())))
    both = made.select("id", "a", F.row_number().over(Window.partitionBy("k").orderBy("v")).alias("n"))
    result = both.toArrow().to_pylist()
    assert {row["id"]: row["a"] for row in result} == sums[0]


# What an adversary found: a plan in which nobody seems to need the partitioning


def test_keys_stay_together_above_a_join(spark: Any, tmp_path: Any) -> None:
    """AQE makes a broadcast join of a sort-merge join, and reads its shuffle locally: keys must not be split."""
    bids, items = str(tmp_path / "bids"), str(tmp_path / "items")
    spark.range(0, 50000, 1, 4).selectExpr(
        "id", "id % 100 as item", "id * 7919 % 200003 as t", "rand(1) v"
    ).write.parquet(bids)
    named = spark.range(0, 100000, 1, 4).selectExpr("id as item", "concat('name', id, '-', rand(2)) name")
    named.write.parquet(items)
    try:
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "1000")
        spark.conf.set("spark.sql.adaptive.autoBroadcastJoinThreshold", "10000000")
        spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        few = spark.read.parquet(items).where("item < 100 and name like 'name%'")
        joined = spark.read.parquet(bids).join(few, "item")
        by_item = {"partition_by": "item", "order_by": "t"}
        assert iw.group_by(joined, "item").agg(n=iw.count()).count() == 100
        made = iw.with_columns(
            joined,
            n=iw.count().over(iw.unbounded(**by_item)),
            m=iw.max("v").over(iw.rows(3, partition_by=["item", "name"], order_by="t")),
        )
        assert made.where("n = 1").count() == 100
        single = iw.with_columns(joined, n=iw.count().over(iw.unbounded(**by_item)))
        assert single.where("n = 1").count() == 100
        assert iw.select(joined, "item", n=iw.count().over(iw.rows(50, slide=50, **by_item))).count() == 100 * 10
    finally:
        for name in (
            "autoBroadcastJoinThreshold",
            "adaptive.autoBroadcastJoinThreshold",
            "adaptive.coalescePartitions.enabled",
        ):
            spark.conf.unset(f"spark.sql.{name}")


def test_a_bucketed_table(spark: Any, events: Any) -> None:
    events.repartition(4).write.mode("overwrite").bucketBy(4, "k").saveAsTable("bucketed")
    data = spark.table("bucketed")
    down, up = iw.rows(4, **by_k(iw.desc("t"))), iw.rows(4, **by_k())
    local = iw.with_columns(events.toArrow(), a=iw.sum("v").over(up), b=iw.sum("v").over(down)).sort_by("id")
    chained = iw.with_columns(iw.with_columns(data, a=iw.sum("v").over(up)), a=iw.sum("v").over(down))
    assert by_id(chained)["a"].to_pylist() == local["b"].to_pylist()
    once = iw.with_columns(data, a=iw.sum("v").over(up), b=iw.sum("v").over(down))
    assert by_id(once.select("id", "b"))["b"].to_pylist() == local["b"].to_pylist()
    assert by_id(once)["a"].to_pylist() == local["a"].to_pylist()
    counts = iw.group_by(iw.with_columns(data, a=iw.sum("v").over(up)), "k").agg(n=iw.count())
    assert {(row.k, row.n) for row in counts.collect()} == {
        (row.k, row["count"]) for row in events.groupBy("k").count().collect()
    }
    spark.sql("drop table bucketed")


def test_windows_as_arguments(events: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    number = F.row_number().over(Window.partitionBy("j").orderBy("k", "t"))
    w = Window.partitionBy("k").orderBy("t").rowsBetween(-3, 0)
    theirs = by_id(events.withColumn("n", number).withColumn("a", F.sum("n").over(w)))
    made = iw.with_columns(events, a=iw.sum(number).over(w), b=iw.count().filter(number > 10).over(w))
    assert by_id(made)["a"].to_pylist() == theirs["a"].to_pylist()
    passed = iw.select(events, "id", number.alias("n"), a=iw.sum("v").over(iw.rows(4, **by_k())))
    assert by_id(passed)["n"].to_pylist() == theirs["n"].to_pylist()


def test_a_key_is_no_column_that_looks_like_it(spark: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.range(40).selectExpr(
        "id",
        "named_struct('x', id % 2) as s",
        "id % 5 as `s.x`",
        "'A' as `upper(u)`",
        "concat('u', id % 3) as u",
        "id * 7 % 40 as t",
    )
    ours, theirs = {}, {}
    for key in (F.col("s.x"), F.upper("u"), F.col("`s.x`"), "s.x", "u", F.col("u")):
        w = Window.partitionBy(key).orderBy("t").rowsBetween(-3, 0)
        name = f"a{len(ours)}"
        ours[name], theirs[name] = iw.sum("id").over(w), F.sum("id").over(w)
    assert by_id(iw.with_columns(df, **ours)).select([*ours]) == by_id(df.withColumns(theirs)).select([*ours])


def test_explain_says_where_the_order_comes_from(events: Any) -> None:
    def said(df: Any, **order: Any) -> str:
        return iw.explain(df, x=iw.avg("v").over(iw.rows(3, **(by_k() | order)))).place.splitlines()[0]

    assert said(events).endswith(", ordered in the worker")
    lying = events.repartition("k")
    assert said(lying).endswith(", ordered in the worker (one look where already in order)")
    look = ", already in order: the data are sorted, the worker looks once"
    assert said(lying.sortWithinPartitions("k", "t")).endswith(look)
    assert said(lying.sortWithinPartitions("k", "t", "id").where("v > 3").drop("s")).endswith(look)
    assert said(lying.sortWithinPartitions("k")).endswith("(one look where already in order)")
    assert said(lying.sortWithinPartitions("t", "k")).endswith("(one look where already in order)")
    assert said(lying.sortWithinPartitions("k", "t"), order_by=iw.desc("t")).endswith(
        "(one look where already in order)"
    )
