"""What a user is told: on the driver where it can be known there, and from a worker without the way it came."""

import threading
from typing import Any

import pytest

import inwindow as iw


class Fails(iw.WindowAggregate):
    def initialize(self, value: float) -> None:
        self.total = value

    def iterate(self, value: float) -> None:
        if value == 13.0:
            raise ValueError("unlucky")
        self.total += value

    def expire(self, value: float) -> None:
        self.total -= value

    def terminate(self) -> float:
        return self.total


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    return spark.range(40).selectExpr("id", "id % 2 as k", "cast(id as double) as v", "concat('item', id % 2) as item")


WINDOW = iw.rows(3, partition_by="item", order_by="id")


def told(events: Any, **applied: Any) -> str:
    with pytest.raises(Exception, match="HookError|ResultTypeError|ArithmeticOverflowError") as caught:
        iw.with_columns(events, **applied).collect()
    return str(caught.value)


def test_a_hook_that_raises(events: Any) -> None:
    message = told(events, a=Fails()("v").over(WINDOW))
    head, _, _ = message.partition("JVM stacktrace")
    assert "HookError: Fails.iterate(13.0) raised ValueError: unlucky" in head
    assert "in Fails(v), at item='item1', id=13, tuple 7 of its partition" in head
    assert 'raise ValueError("unlucky")' in head
    lines = [line for line in head.splitlines() if line.strip()]
    assert len(lines) <= 14, head  # of ours, and Spark's preamble
    assert not any(room in head for room in ("runtime/operator.py", "runtime/lanes.py", "_hooks.pyx"))


def test_a_hook_that_raises_in_select_and_groups(events: Any) -> None:
    for made in (
        iw.select(events, "id", a=Fails()("v").over(WINDOW)),
        iw.group_by(events, "item").agg(a=Fails()("v")),
    ):
        with pytest.raises(Exception, match=r"Fails.iterate\(13.0\) raised ValueError: unlucky"):
            made.collect()


def test_a_result_that_does_not_fit(events: Any) -> None:
    class Wrong(iw.Aggregate):
        def iterate(self, value: float) -> None:
            self.value = value

        def terminate(self) -> int:
            return self.value  # type: ignore[return-value]

    assert "ResultTypeError: Wrong.terminate() gave 0.0 (float), which does not fit the result type int64" in told(
        events, a=Wrong()("v").over(WINDOW)
    )


def test_overflow_as_in_spark(events: Any, spark: Any) -> None:
    total = {"a": iw.sum("big").over(iw.rows(2, partition_by="k", order_by="id"))}
    big = events.selectExpr(
        "id", "k", "9223372036854775807 as big", "cast('99999999999999999999999999999999999999' as decimal(38,0)) d"
    )
    decimal = {"a": iw.sum("d").over(iw.rows(2, partition_by="k", order_by="id"))}
    spark.conf.set("spark.sql.ansi.enabled", "true")
    assert "sum(big)" in told(big, **total)
    assert "sum(d)" in told(big, **decimal)
    spark.conf.set("spark.sql.ansi.enabled", "false")
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    w = Window.partitionBy("k").orderBy("id").rowsBetween(-1, 0)
    for ours, theirs in ((total, F.sum("big")), (decimal, F.sum("d"))):
        made, expected = iw.with_columns(big, **ours), big.withColumn("a", theirs.over(w))
        assert made.schema == expected.schema
        assert sorted(made.collect()) == sorted(expected.collect())


def test_columns_that_are_not_there(events: Any) -> None:
    for call in (
        lambda: iw.with_columns(events, a=iw.avg("vv").over(WINDOW)),
        lambda: iw.with_columns(events, a=iw.avg("vv.x").over(WINDOW)),
        lambda: iw.with_columns(events, a=iw.avg("v").over(iw.rows(3, partition_by="itm"))),
        lambda: iw.select(events, "idd", a=iw.avg("v").over(WINDOW)),
        lambda: iw.group_by(events, "itm").agg(a=iw.avg("v")),
        lambda: iw.group_by(events, "item").window(iw.tumble("idd", size=2)).agg(a=iw.avg("v")),
    ):
        with pytest.raises(iw.UnknownColumnError, match="there is no column"):
            call()


def test_a_column_that_is_not_there_is_told_without_sparks_traces(
    events: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(iw.UsageError, match="there is no column 'itemm'; did you mean 'item'"):
        iw.with_columns(events, x=iw.count("itemm").over(iw.rows(2)))
    assert "itemm" not in capfd.readouterr().err


def test_types_that_do_not_fit(events: Any) -> None:
    with pytest.raises(
        iw.UsageError, match=r"avg\(item\): avg is for integers, floats, decimals and durations, not string"
    ):
        iw.with_columns(events, a=iw.avg("item").over(WINDOW))
    with pytest.raises(iw.UsageError, match="range"):
        iw.with_columns(events, a=iw.avg("v").over(iw.range("5 minutes", order_by="id")))


def test_arrow_expressions_belong_to_arrow(events: Any) -> None:
    import pyarrow.compute as pc

    with pytest.raises(
        iw.UsageError, match=r"on a DataFrame use a column name or a Spark column, as in F.col\('a'\) \* 2"
    ):
        iw.with_columns(events, a=iw.avg(pc.field("v") * 2).over(WINDOW))


def test_what_cannot_be_shipped(events: Any) -> None:
    class Locked(iw.Aggregate):
        def __init__(self) -> None:
            self.lock = Lock()

        def iterate(self, value: float) -> float:
            return value

    class Lock:
        def __init__(self) -> None:
            self.lock = threading.Lock()

        def __copy__(self) -> "Lock":
            return self

        def __deepcopy__(self, memo: Any) -> "Lock":
            return self

    with pytest.raises(
        iw.UsageError, match=r"Locked\(v\) cannot be sent to Spark's workers \(TypeError: .*make connections"
    ):
        iw.with_columns(events, a=Locked()("v").over(WINDOW))


def test_one_warning_for_windows_without_partitions(events: Any) -> None:
    with pytest.warns(UserWarning) as caught:
        iw.with_columns(
            events, a=iw.avg("v").over(iw.rows(3, order_by="id")), b=iw.avg("v").over(iw.rows(3, order_by="k"))
        )
    ours = [warning for warning in caught if "no partitioning" in str(warning.message)]
    assert len(ours) == 1 and ours[0].filename == __file__


def test_names_kept_for_inwindow(events: Any) -> None:
    with pytest.raises(iw.UsageError, match="'__inwindow_x' has a name that inwindow keeps for itself"):
        iw.with_columns(events.withColumnRenamed("v", "__inwindow_x"), a=iw.count().over(WINDOW))


def test_what_lives_on_the_driver_alone(events: Any, spark: Any) -> None:
    class Looks(iw.Aggregate):
        def __init__(self, thing: Any) -> None:
            self.thing = thing

        def iterate(self, value: float) -> float:
            return value

    for thing, kind in ((events, "DataFrame"), (events["v"], "Column"), (spark, "SparkSession")):
        with pytest.raises(
            iw.UsageError, match=f"Looks: .* its attribute 'thing' is a Spark {kind}, which lives on the driver"
        ):
            iw.with_columns(events, a=Looks(thing)("v").over(WINDOW))


def test_groups_say_what_they_are(events: Any) -> None:
    assert repr(iw.group_by(events, "k")) == "group_by('k') of a DataFrame: .agg(...) or .emit(...)"


def test_a_column_that_is_there_twice(spark: Any) -> None:
    one = spark.createDataFrame([(1, 2, 3)], ["a", "b", "t"])
    over = iw.max("t").over(iw.rows(2, order_by="t"))
    for other in ("a", "A"):  # Spark looks at no case
        twice = one.select("a", one["b"].alias(other), "t")
        for call in (
            lambda df: iw.with_columns(df, a=over),
            lambda df: iw.with_columns(df, x=iw.max("a").over(iw.rows(2, order_by="t"))),
            lambda df: iw.select(df, "a", x=over),
            lambda df: iw.group_by(df, "a").agg(x=iw.max("t")),
        ):
            with pytest.raises(iw.UnknownColumnError, match="the column 'a' is there 2 times; rename them apart"):
                call(twice)
        assert iw.with_columns(twice, x=over).columns == ["a", other, "t", "x"]
    assert iw.with_columns(one, A=over).columns == ["A", "b", "t"]


def test_an_aggregate_where_spark_wants_a_column(events: Any) -> None:
    """``isinstance(it, Column)`` is where Spark asks, classic and Connect."""
    from pyspark.sql import functions as F

    applied = iw.avg("v").over(WINDOW)
    calls = (
        lambda: events.withColumn("a", applied),
        lambda: events.withColumns({"a": applied}),
        lambda: events.select("id", applied),
        lambda: events.groupBy("k").agg(iw.avg("v")),
        lambda: events.withColumn("a", F.col("v") + applied),
        lambda: events.withColumn("a", F.round(applied)),
    )
    for call in calls:
        with pytest.raises(iw.UsageError, match="no column of pyspark: write iw.with_columns.df, a=..."):
            call()
    assert events.transform(iw.with_columns, a=applied).columns[-1] == "a"


def test_an_expression_is_named_as_it_was_written(events: Any) -> None:
    """Inside, equal expressions have numbers."""
    from pyspark.sql import functions as F

    with pytest.raises(iw.UsageError, match=r"the filter 'id' is of type int64; it must be a boolean"):
        iw.with_columns(events, a=iw.avg("v").filter(F.col("id")).over(WINDOW))
    applied = iw.avg(F.col("v") + 1).filter(F.col("v") + 1).over(WINDOW)
    with pytest.raises(iw.UsageError, match=r"the filter '.*v.*' is of type double"):
        iw.with_columns(events, a=applied)


def test_a_key_is_a_name(events: Any) -> None:
    from pyspark.sql import functions as F

    with pytest.raises(iw.UsageError, match=r"group_by\(Column<'k'>\): a key is a column name: write 'k'$"):
        iw.group_by(events, F.col("k"))
    with pytest.raises(iw.UsageError, match=r"an extent goes into .window\(iw.tumble"):
        iw.group_by(events, F.window("ts", "1 hour"))
