"""The bytes of sketches are Spark's own: over the same windows and groups, and each reads the other's."""

import importlib
from typing import Any

from spark.parity import SCHEMA, VALUES, by_id
from spark.parity_table import rows_of_every_type

import inwindow as iw
from inwindow.native import sketches as iw_sketches
from inwindow.windows.frames import window_of

COLUMNS = {
    "hll_sketch_agg": ("whole", "big", "text"), "theta_sketch_agg": ("whole", "big", "text", "real", "double"),
    "kll_sketch_agg_bigint": ("whole", "big"), "kll_sketch_agg_double": ("double", "real"), "kll_sketch_agg_float": ("real",),
}  # fmt: skip
MERGED = {
    "hll_sketch_agg(big)": "hll_union_agg", "theta_sketch_agg(text)": "theta_union_agg",
    "kll_sketch_agg_bigint(big)": "kll_merge_agg_bigint", "kll_sketch_agg_double(double)": "kll_merge_agg_double",
    "kll_sketch_agg_float(real)": "kll_merge_agg_float",
}  # fmt: skip


def test_bytes_are_sparks(spark: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.createDataFrame(rows_of_every_type(), SCHEMA)
    df = df.withColumn(
        "double", F.expr("double + 0D")
    )  # of 0.0 and -0.0 Java takes the latter as the smallest, C++ any
    names = {
        f"{name}({column})": (name, column) for name, some in COLUMNS.items() for column in some if hasattr(F, name)
    }
    window = Window.partitionBy("k").orderBy("u").rowsBetween(-9, 2)
    ours = {shown: getattr(iw, name)(column).over(window_of(window)) for shown, (name, column) in names.items()}
    theirs = {shown: getattr(F, name)(column).over(window) for shown, (name, column) in names.items()}
    made, expected = iw.with_columns(df, **ours), df.withColumns(theirs)
    assert made.schema == expected.schema
    one, two = by_id(made), by_id(expected)
    for shown in names:
        assert one[shown].to_pylist() == two[shown].to_pylist(), shown


def test_most_frequent_values(spark: Any) -> None:
    """Counts are Spark's; of equal counts Spark takes any first, so all values of a frame are compared, in any order."""
    if spark.version < "4.1":  # it has no approx_top_k
        return
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.createDataFrame(rows_of_every_type(), SCHEMA)
    df = df.withColumn("double", F.expr("double + 0D"))  # of -0.0 and 0.0 Spark makes two values
    window = Window.partitionBy("k").orderBy("u").rowsBetween(-9, 2)
    read = window_of(window)
    columns = [name for name in VALUES if name not in ("bytes", "span")]
    ours = {name: iw.approx_top_k(name, 20).over(read) for name in columns}
    theirs = {name: F.expr(f"approx_top_k({name}, 20)").over(window) for name in columns}
    theirs["frequent"] = F.expr("approx_top_k(text, 20)").over(window)
    ours["frequent"] = iw.frequent_items("text", 0.001).over(read)  # leaves NULL out
    ours["span"] = iw.approx_top_k("span", 20).over(read)  # Spark's takes no intervals
    made = iw.with_columns(df, **{f"x_{name}": call for name, call in ours.items()})
    expected = df.withColumns({f"x_{name}": call for name, call in theirs.items()})
    one, two = by_id(made), by_id(expected)
    for name in columns:
        assert made.schema[f"x_{name}"].dataType.simpleString() == expected.schema[f"x_{name}"].dataType.simpleString()
        for mine, spark_s in zip(one[f"x_{name}"].to_pylist(), two[f"x_{name}"].to_pylist(), strict=True):
            counts = [row["count"] for row in mine]
            assert counts == [row["count"] for row in spark_s] == sorted(counts, reverse=True)
            assert sorted(map(repr, mine)) == sorted(map(repr, spark_s)), name
    for mine, spark_s in zip(one["x_frequent"].to_pylist(), two["x_frequent"].to_pylist(), strict=True):
        assert sorted(map(repr, mine)) == sorted(repr(row) for row in spark_s if row["item"] is not None)
    hops = (
        iw.group_by(df.select("u", "whole")).window(iw.hop("u", size=60, every=30)).agg(x=iw.approx_top_k("whole", 20))
    )
    spark_s = df.where("u between 30 and 89").select(F.expr("approx_top_k(whole, 20)")).first()[0]
    (mine,) = [row["x"] for row in hops.collect() if row["window"]["start"] == 30]
    assert sorted(map(str, mine)) == sorted(map(str, spark_s))


def measured(name: str, made: bytes) -> Any:
    """What a merged sketch says: its bytes depend on the order in which groups come."""
    datasketches = importlib.import_module("datasketches")
    if name.startswith("hll"):
        return datasketches.hll_sketch.deserialize(made).get_estimate()
    if name.startswith("theta"):
        return made
    sketch = iw_sketches.Kll(name.rpartition("_")[2], 200).read(made)
    return sketch.n, sketch.get_quantiles([0.0, 0.25, 0.5, 0.75, 1.0])


def test_sketches_of_sketches(spark: Any) -> None:
    """Of Spark's groups; and Spark's own functions read ours, of more values than a sketch keeps exactly."""
    from pyspark.sql import functions as F

    df = spark.createDataFrame(rows_of_every_type(), SCHEMA)
    merged = {f"`{shown}`": name for shown, name in MERGED.items() if hasattr(F, name)}
    made = [getattr(F, shown[1:].split("(")[0])(shown[:-2].split("(")[1]).alias(shown[1:-1]) for shown in merged]
    parts = df.groupBy("k").agg(*made)
    ours = iw.group_by(parts).agg(**{name: getattr(iw, name)(shown[1:-1]) for shown, name in merged.items()})
    theirs = parts.agg(*[getattr(F, name)(shown).alias(name) for shown, name in merged.items()])
    (one,), (two,) = (df.toArrow().to_pylist() for df in (ours, theirs))
    assert {name: measured(name, one[name]) for name in one} == {name: measured(name, two[name]) for name in one}
    many = spark.range(20_000).selectExpr("id", "double(id) v")
    sketched = iw.group_by(many).agg(
        h=iw.hll_sketch_agg("id"), t=iw.theta_sketch_agg("id"), k=iw.kll_sketch_agg_double("v")
    )
    asked = [F.hll_sketch_estimate("h")]
    if hasattr(F, "theta_sketch_estimate"):
        asked += [F.theta_sketch_estimate("t"), F.kll_sketch_get_quantile_double("k", F.lit(0.5)) * 2]
    for estimate in sketched.select(*asked).first():
        assert abs(estimate / 20_000 - 1) < 0.07
