"""The contenders on Spark: each makes, of a DataFrame (k, ts, v, ...) and a window of rows, one with one more column."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window, functions
from pyspark.sql.types import DoubleType, StructType

import inwindow as iw
from benchmarks.flat import Spread
from benchmarks.hooks import MyAvg

F: Any = functions  # its UDF makers have no types

SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"
RESULT = "result"

SORT, FLOOR = (
    "shuffle and sort by Spark, no Python",
    "**the old floor**: shuffle, Spark's sort, a UDF that does nothing",
)
NEW_FLOOR = "**the new floor**: shuffle, a UDF that does nothing"
BUILTINS = {name: f"inwindow `{name}`" for name in ("avg", "max", "stddev_samp")}
HOOKS, MERGE = "inwindow, class with four hooks (avg)", "inwindow, class with `merge` alone (max - min)"
TREES = {name: f"Spark `{name}`, segment tree on" for name in BUILTINS}
NO_TREE = "Spark `avg`, segment tree off (the default)"
PANDAS_UDF, ARROW_UDF = "`pandas_udf` over a window (avg)", "`arrow_udf` over a window (avg)"
ROLLING, APPLY = "`applyInPandas`, `rolling.mean`", "`applyInPandas`, `rolling.apply` (avg)"


@dataclass(frozen=True)
class Case:
    """A contender; ``per_row`` and ``per_key`` guess its CPU microseconds, to choose on how many rows it can be measured."""

    title: str
    build: Callable[[Any, int], Any]
    per_row: Callable[[int], float] = lambda window: 1.0
    per_key: float = 0.0
    segment_tree: bool = False
    computes: str = "avg"  # those of one kind must agree; "" for none

    def run(self, df: Any, window: int) -> None:
        """All rows, to nowhere: planning is in the price."""
        df.sparkSession.conf.set(SEGMENT_TREE, str(self.segment_tree).lower())
        self.build(df, window).write.format("noop").mode("overwrite").save()

    def total(self, df: Any, window: int) -> float:
        """The sum of all results, to see that the contenders do the same."""
        df.sparkSession.conf.set(SEGMENT_TREE, str(self.segment_tree).lower())
        return float(self.build(df, window).agg(F.sum(RESULT)).first()[0])


def cases() -> list[Case]:
    """All of them, the floor first."""
    ours = [Case(title, builtin(name), computes=name) for name, title in BUILTINS.items()]
    trees = [
        Case(title, spark_own(name), segment_tree=True, computes=name, per_row=lambda window: 2.0)
        for name, title in TREES.items()
    ]
    # A function of one's own over every frame, in the fastest way that pandas has without a compiler.
    own_mean = lambda rolling: rolling.apply(lambda frame: frame.mean(), raw=True)  # noqa: E731
    return [
        Case(SORT, sort_only, computes=""),
        Case(FLOOR, floor(in_order), computes=""),
        Case(NEW_FLOOR, floor(together), computes=""),
        *ours,
        Case(HOOKS, own_class(MyAvg())),
        Case(MERGE, own_class(Spread()), computes="", per_row=lambda window: 2.5),
        *trees,
        Case(NO_TREE, spark_own("avg"), per_row=lambda window: 0.5 + 0.013 * window),
        Case(PANDAS_UDF, over_window(pandas_mean()), per_row=lambda window: 20 + 0.002 * window, per_key=500),
        Case(ARROW_UDF, over_window(arrow_mean()), per_row=lambda window: 6 + 0.001 * window, per_key=500),
        Case(ROLLING, in_pandas(lambda rolling: rolling.mean()), per_row=lambda window: 1.5, per_key=600),
        Case(APPLY, in_pandas(own_mean), per_row=lambda window: 4 + 0.001 * window, per_key=600),
    ]


def in_order(df: Any) -> Any:
    """The shuffle and the sort that a window by key and time needs, if Spark is to sort."""
    return together(df).sortWithinPartitions("k", "ts")


def together(df: Any) -> Any:
    """The shuffle that brings equal keys together."""
    return df.repartition("k")


def sort_only(df: Any, window: int) -> Any:
    """Rows in the order of the window, and nothing else."""
    return in_order(df)


def floor(arranged: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """What a window aggregate in Python cannot do without: rows are arranged, its columns cross, one column comes back."""

    def nothing(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for _, _, v in columns:
            yield pa.StructArray.from_arrays([v], ["_0"])

    def build(df: Any, window: int) -> Any:
        udf = F.arrow_udf(nothing, "struct<_0:double>").asNondeterministic()
        crossed = arranged(df).select("*", udf("k", "ts", "v").alias("its"))
        return crossed.withColumn(RESULT, F.col("its")["_0"]).drop("its")

    return build


def builtin(name: str) -> Callable[[Any, int], Any]:
    """inwindow's own aggregate."""
    return own_class(getattr(iw, name))


def own_class(aggregate: Any) -> Callable[[Any, int], Any]:
    """An aggregate of inwindow's kind."""

    def build(df: Any, window: int) -> Any:
        over = iw.rows(window, partition_by="k", order_by="ts")
        return iw.with_columns(df, **{RESULT: aggregate("v").over(over)})

    return build


def spark_own(name: str) -> Callable[[Any, int], Any]:
    """Spark's aggregate over Spark's window."""
    return over_window(getattr(F, name))


def over_window(function: Any) -> Callable[[Any, int], Any]:
    """A function that Spark takes over a window."""

    def build(df: Any, window: int) -> Any:
        over = Window.partitionBy("k").orderBy("ts").rowsBetween(1 - window, 0)
        return df.withColumn(RESULT, function("v").over(over))

    return build


def pandas_mean() -> Any:
    """A pandas UDF that is called with every frame."""

    def mean(v: pd.Series) -> float:
        return v.mean()

    return F.pandas_udf(mean, "double")


def arrow_mean() -> Any:
    """An Arrow UDF that is called with every frame."""

    def mean(v: pa.Array) -> float:
        return pc.mean(v).as_py()

    return F.arrow_udf(mean, "double")


def in_pandas(roll: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """Each key's rows as one pandas DataFrame."""

    def build(df: Any, window: int) -> Any:
        def rolled(rows: pd.DataFrame) -> pd.DataFrame:
            rows = rows.sort_values("ts")
            return rows.assign(**{RESULT: roll(rows["v"].rolling(window, min_periods=1))})

        return df.groupBy("k").applyInPandas(rolled, StructType([*df.schema.fields]).add(RESULT, DoubleType()))

    return build
