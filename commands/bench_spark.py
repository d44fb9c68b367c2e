"""The same on a Spark of its own: ours, Spark's function, a pandas_udf over the window; seconds of wall time."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from inwindow.commands.bench_cases import KEYS, SPARK_ROWS, Case
from inwindow.commands.local_spark import local_spark
from inwindow.commands.progress import Bar

_LONG = 3.0  # seconds: what takes longer runs once


def on_spark(cases: Sequence[Case]) -> list[dict[str, float]]:
    """The seconds of each way, for each aggregate."""
    session = local_spark("bench")
    bar = Bar(len(cases))
    try:
        found = []
        for case in cases:
            with bar.step(lambda name=case.name: (f"{name} on Spark", 0.0)):  # type: ignore[misc]
                found.append({name: seconds(run) for name, run in ways(session, case).items()})
        return found
    finally:
        session.stop()


def ways(session: Any, case: Case) -> dict[str, Callable[[], Any]]:
    """DataFrames with the result, by who computes it."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    table = case.table.slice(0, SPARK_ROWS)
    numbers = np.arange(len(table))
    table = table.append_column("key", pa.array(numbers % KEYS)).append_column("at", pa.array(numbers))
    df = session.createDataFrame(table).repartition(2, "key").cache()
    df.count()
    frame = Window.partitionBy("key").orderBy("at").rowsBetween(1 - case.window, 0)
    found = {"inwindow": lambda: iw.with_columns(df, x=case.applied.over(frame))}
    if case.rolling is not None:
        found["Spark's own"] = lambda: df.withColumn("x", getattr(F, case.name)("a").over(frame))
    if case.function is not None:
        column = case.table.column_names[0]
        found["a pandas_udf"] = lambda: df.withColumn("x", pandas_udf(case.function)(column).over(frame))
    return found


def seconds(make: Callable[[], Any]) -> float:
    """Of the second run, if the first is short: it starts workers and compiles."""
    took = 0.0
    for _ in range(2):
        started = perf_counter()
        make().write.format("noop").mode("overwrite").save()
        took = perf_counter() - started
        if took > _LONG:
            break
    return round(took, 3)


def pandas_udf(function: Any) -> Any:
    """A function of an array as a pandas_udf over a window."""
    import pandas as pd
    from pyspark.sql import functions

    def of_window(values: pd.Series) -> float:
        return float(function(values.to_numpy()))

    made: Any = getattr(functions, "pandas_udf")  # noqa: B009  # its overloads are many
    return made(of_window, "double")
