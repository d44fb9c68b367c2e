"""Point in time on Spark: the rows of one DataFrame, aggregates over another; the same as on Arrow tables, and as a join."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from samples.aggregates import MergedTotal

import inwindow as iw
from inwindow.optimizer.points import plan_points
from inwindow.runtime.point_operator import EveryPoint
from inwindow.runtime.reserved import EVENT
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import InOrder

USERS, EVENTS, LABELS = 25, 6_000, 10_000
BY_USER = {"partition_by": "user", "order_by": "ts"}


class Spread(iw.WindowAggregate):
    """The range of the prices in the window, read from the live buffer."""

    inwindow: iw.InWindow

    def iterate(self, price: float) -> None: ...

    def expire(self, price: float) -> None: ...

    def terminate(self) -> float:
        prices = [record.price for record in self.inwindow]
        return max(prices) - min(prices)


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    random = np.random.default_rng(1)
    hours = random.integers(0, 60 * 24, EVENTS)
    rows = pa.table(
        {
            "price": pa.array(random.integers(0, 400, EVENTS) / 4, mask=random.random(EVENTS) < 0.1),
            "user": pa.array(random.integers(0, USERS, EVENTS), mask=random.random(EVENTS) < 0.03),
            "ts": pa.array(
                [datetime(2026, 3, 1) + timedelta(hours=int(h)) for h in hours],
                pa.timestamp("us", "UTC"),
                mask=random.random(EVENTS) < 0.01,
            ),
            "ok": random.random(EVENTS) < 0.5,
        }
    )
    return spark.createDataFrame(rows)


@pytest.fixture(scope="module")
def labels(spark: Any) -> Any:
    random = np.random.default_rng(2)
    hours = random.integers(0, 60 * 24, LABELS)
    rows = pa.table(
        {
            "label": range(LABELS),
            "ts": pa.array(
                [datetime(2026, 3, 1) + timedelta(hours=int(h)) for h in hours],
                pa.timestamp("us", "UTC"),
                mask=random.random(LABELS) < 0.01,
            ),
            "amount": [Decimal(i).scaleb(-2) for i in range(LABELS)],
            "user": pa.array(random.integers(0, USERS + 2, LABELS), mask=random.random(LABELS) < 0.03),
            "tags": [["a", None][: i % 3] for i in range(LABELS)],
        }
    )
    return spark.createDataFrame(rows)


def aggregates() -> dict[str, iw.Applied]:
    week = iw.range("7 days", **BY_USER)
    return {
        "n": iw.count().over(week),
        "total": iw.sum("price").over(week),
        "high": iw.max("price").filter("ok").over(iw.range("3 days", lag="12 hours", **BY_USER)),
        "ever": iw.avg("price").over(iw.unbounded(**BY_USER)),
        "last3": iw.sum("price").over(iw.rows(3, **BY_USER)),
        "spread": Spread()("price").over(week),
        "own": MergedTotal()("price").over(iw.range("2 days", **BY_USER)),
    }


@pytest.fixture(scope="module")
def by_a_join(spark: Any, events: Any, labels: Any) -> list[Any]:
    """The same, by Spark alone."""
    from pyspark.sql import functions as F

    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")  # elsewhere Spark's days may have 23 hours
    before = (F.col("l.user").eqNullSafe(F.col("e.user"))) & (F.col("e.ts") < F.col("l.ts"))
    joined = labels.alias("l").join(events.alias("e"), before, "left")

    def since(hours: int, until: int = 0) -> Any:
        far = F.col("e.ts") >= F.col("l.ts") - F.expr(f"interval {hours} hours")
        return far & (F.col("e.ts") <= F.col("l.ts") - F.expr(f"interval {until} hours"))

    theirs = joined.groupBy("label").agg(
        F.count_if(since(168)).alias("n"),
        F.sum(F.when(since(168), F.col("price"))).alias("total"),
        F.max(F.when(since(84, 12) & F.col("ok"), F.col("price"))).alias("high"),
        F.avg("price").alias("ever"),
        (F.max(F.when(since(168), F.col("price"))) - F.min(F.when(since(168), F.col("price")))).alias("spread"),
        F.coalesce(F.sum(F.when(since(48), F.col("price"))), F.lit(-1.0)).alias("own"),
    )
    rows: list[Any] = theirs.collect()
    spark.conf.set("spark.sql.session.timeZone", zone)
    return rows


@pytest.mark.parametrize("partitions", ["40", "1"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_ten_thousand_labels_equal_a_join(
    spark: Any, events: Any, labels: Any, by_a_join: list[Any], partitions: str, adaptive: str
) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    named = aggregates()
    del named["last3"]  # a join does not say which of several at one time is the third
    made = iw.with_columns(labels, **named, of=events)
    assert made.columns == [*labels.columns, *named]
    assert made.select(*labels.columns).schema == labels.schema
    ours = {row["label"]: row.asDict() for row in made.collect()}
    assert len(ours) == LABELS
    kept = {row["label"]: row.asDict() for row in labels.collect()}
    assert all({name: row[name] for name in labels.columns} == kept[key] for key, row in ours.items())
    for row in by_a_join:
        mine = ours[row["label"]]
        for name in ("n", "total", "high", "spread", "own"):  # quarters: sums of them are exact
            assert mine[name] == row[name], (name, mine, row)
        assert mine["ever"] == (None if row["ever"] is None else pytest.approx(row["ever"], rel=1e-12))


def test_the_same_as_on_tables(events: Any, labels: Any) -> None:
    named = {name: one for name, one in aggregates().items() if name != "last3"}  # whose ties are Spark's
    unkeyed = {
        "all": iw.count().over(iw.range("1 hour", order_by="ts")),
        "label": iw.max("ts").over(iw.rows(2, **BY_USER)),
    }
    with pytest.warns(UserWarning, match="no partitioning"):
        ours = iw.with_columns(labels, **named, **unkeyed, of=events).orderBy("amount").toArrow()
    theirs = iw.with_columns(labels.orderBy("label").toArrow(), **named, **unkeyed, of=events.toArrow())
    assert ours.column_names == theirs.column_names
    assert ours.to_pylist() == theirs.to_pylist()


def test_columns_of_spark(spark: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    events = spark.sql(
        "select 'a' as k, timestamp_ntz'2026-01-01' + make_dt_interval(0, id) as t, id as v, make_ym_interval(0, id) as m "
        "from range(6)"
    )
    spine = spark.sql(
        "select make_ym_interval(1, 1) as m, 'a' as k, timestamp_ntz'2026-01-01 03:00:00' as t, named_struct('x', 1) as s, "
        "null as nothing, parse_json('{\"a\": 1}') as j"
    )
    w = Window.partitionBy("k").orderBy(F.col("t")).rowsBetween(-1, 0)
    made = iw.with_columns(
        spine, s2=iw.sum(F.col("v") * 2).over(w), longest=iw.max("m").over(w), k=iw.count().over(w), of=events
    )
    assert made.columns == ["m", "k", "t", "s", "nothing", "j", "s2", "longest"]
    (row,) = made.selectExpr(
        "cast(m as string)", "k", "s.x", "nothing", "to_json(j)", "s2", "cast(longest as string)"
    ).collect()
    assert tuple(row) == ("INTERVAL '1-1' YEAR TO MONTH", 2, 1, None, '{"a":1}', 6, "INTERVAL '0-2' YEAR TO MONTH")


def test_of_itself_and_again(spark: Any) -> None:
    df = spark.range(50).selectExpr("id", "id % 3 as k", "id div 6 as t")
    window = iw.range(2, partition_by="k", order_by="t")
    made = iw.with_columns(df, n=iw.count().over(window), of=df)
    once = iw.with_columns(made, here=iw.count().over(iw.range(2, lag=0, partition_by="k", order_by="t")))
    for row in once.collect():
        expected = sum(i % 3 == row.k and row.t - 2 <= i // 6 < row.t for i in range(50))
        at = sum(i % 3 == row.k and i // 6 == row.t for i in range(50))
        assert (row.n, row.here) == (expected, expected + at)
    # What is done to the result does not reach below it.
    assert made.filter("id = 40").collect() == [row for row in made.collect() if row.id == 40]
    assert sorted(made.limit(7).collect()) == sorted(set(made.limit(7).collect()) & set(made.collect()))


def test_said(spark: Any, events: Any, labels: Any) -> None:
    one = iw.sum("price").over(iw.unbounded(**BY_USER))
    text = str(iw.explain(labels, s=one, of=events))
    assert (
        "spark, pass 1: shuffle by user; results at the other rows; mapInArrow, on the union of both, over "
        "user, ts, price, ordered in the worker\n"
        "  hot keys: none, a shard of events would need the points that fall into it\n"
    ) in text
    with pytest.raises(
        iw.UnknownColumnError, match="the rows at which sum.price. is wanted: there is no column 'user'"
    ):
        iw.with_columns(labels.drop("user"), s=one, of=events)
    with pytest.raises(iw.UnknownColumnError, match="the table in of=, for sum.price.: there is no .*both tables need"):
        iw.with_columns(labels, s=one, of=events.drop("user"))
    with pytest.raises(iw.UsageError, match="'user' is of type string, but of type int64 in of="):
        iw.with_columns(labels.withColumn("user", labels["user"].cast("string")), s=one, of=events)
    with pytest.raises(iw.UnknownColumnError, match="the column 'label' is there 2 times"):
        iw.with_columns(labels.select("label", "label", "user", "ts"), s=one, of=events)
    upper = iw.sum("price").over(iw.unbounded(partition_by=events["user"] + 1, order_by="ts"))
    with pytest.raises(iw.UsageError, match="is an expression, but the other rows must have this key or time too"):
        iw.with_columns(labels, s=upper, of=events)
    with pytest.raises(iw.UsageError, match="one is a Table, the other a DataFrame"):
        iw.with_columns(pa.table({"ts": [1]}), s=one, of=events)


def test_a_label_comes_before_the_events_of_its_time() -> None:
    """In whatever order Spark hands them over."""
    schema = pa.schema({"t": pa.int64(), "v": pa.int64(), EVENT: pa.int8(), "label": pa.int64()})
    (work,) = plan_points(schema, schema, {"s": iw.sum("v").over(iw.unbounded(order_by="t"))})
    job = Job(InOrder(EveryPoint(work, ("label",))), schema)
    rows = [
        {"t": 1, "v": 3, EVENT: 1, "label": 0},
        {"t": 2, "v": 5, EVENT: 0, "label": 1},
        {"t": 2, "v": 7, EVENT: 1, "label": 2},
    ]
    for order in permutations(rows):
        batch = pa.RecordBatch.from_pylist(list(order), schema)
        assert [row for out in job.run(iter([batch])) for row in out.to_pylist()] == [{"label": 1, "s": 3}]


def test_of_itself_where_a_select_makes_a_column_of_another_one(spark: Any) -> None:
    from pyspark.sql import functions as F

    rows = spark.createDataFrame([(1, 1, 2.0), (1, 2, 3.0), (1, 3, 5.0)], "k int, t int, v double")
    window = iw.unbounded(partition_by="k", order_by="t")
    steps = rows.withColumn("w", F.col("v") * 2).withColumn("x", F.col("w") + 1)
    at_once = rows.select("*", (F.col("v") * 2).alias("w"), (F.col("w") + 1).alias("x"))
    for df in (steps, at_once):
        assert df.schema.names == [*rows.columns, "w", "x"]  # the server keeps the plan, once it has analysed it
        call = lambda df=df: iw.with_columns(df, of=df, a=iw.sum("x").over(window)).collect()  # noqa: E731
        if df is at_once and ".connect." in type(df).__module__:
            with pytest.raises(iw.UsageError, match="cannot unite with itself: make them one after the other"):
                call()
        else:
            assert sorted((row.t, row.a) for row in call()) == [(1, None), (2, 5.0), (3, 12.0)]
