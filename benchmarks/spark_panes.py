"""On Spark: extents every minute, whose tuples meet before the shuffle or behind it.

``python -m benchmarks.spark_panes [--rows N] [--keys N] [--runs N] [--patience N] [--write]``. The average over 10 minutes,
1 hour and 6 hours, every minute, of one day: Spark's ``groupBy(window())``, which copies each row size/slide times; inwindow
with the tuples shuffled and sorted, and with panes before the shuffle; a Python class by panes, and the same by ``applyInPandas``.
Those whose rows cross in a struct run also where Spark does not weigh each row (docs/spark.md, "A setting that pays"). CPU seconds
of the whole process tree, the best of interleaved runs. Spark's own gets fewer rows where it would take minutes: the others get
both. All must give the same, and ours Spark's rows one by one: on the fewer rows before anything is measured, and for each size on
as many rows as Spark's own was given.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from pyspark.sql import functions

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import Seconds, seconds
from benchmarks.results import put
from benchmarks.spark_data import NEVER, PRIME, WEIGHING, session
from inwindow.optimizer.strategy import No

F: Any = functions

SIZES = {"10 minutes": 10, "1 hour": 60, "6 hours": 360}
SPARK, RAW, PANES = "Spark `groupBy(window())`", "inwindow, tuples shuffled", "inwindow, panes before the shuffle"
CLASS, PANDAS = "a class with `merge`, panes before the shuffle", "`applyInPandas`, a mean per window"
LIGHT = "; rows not weighed"
MINUTE, DAY = 60_000_000, 86_400_000_000
FEW = 10  # how many times fewer rows, where a contender is slow
PATIENCE = 150_000_000  # rows that Spark's own may make of those it is given


class Mean(iw.Aggregate, commutative=True):
    """The average, as a user would write it."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def merge(self, later: "Mean") -> None:
        self.total += later.total
        self.count += later.count

    def terminate(self) -> float:
        return self.total / self.count


def by_spark(df: Any, size: str) -> Any:
    """Spark's own."""
    return df.groupBy("k", F.window("ts", size, "1 minute")).agg(F.avg("v").alias("a"))


def by_panes(df: Any, size: str, aggregate: Callable[[str], iw.Applied] = iw.avg) -> Any:
    """Ours."""
    return iw.group_by(df, "k").window(iw.hop("ts", size=size, every="1 minute")).agg(a=aggregate("v"))


def by_tuples(df: Any, size: str) -> Any:
    """Ours, with the plan for tuples in order."""
    with patch("inwindow.runtime.spark.plans.panes_first", lambda work: No("not wanted")):
        return by_panes(df, size)


def by_pandas(df: Any, size: str) -> Any:
    """Per key: sort, find the ends of each window, and call a function of one's own on what lies between."""
    span = SIZES[size] * MINUTE

    def means(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.sort_values("ts")
        at = frame["ts"].to_numpy().astype("datetime64[us]").astype(np.int64)
        starts = np.arange((at[0] - span) // MINUTE * MINUTE + MINUTE, at[-1] + 1, MINUTE)
        low, high = np.searchsorted(at, starts), np.searchsorted(at, starts + span)
        some = high > low
        values = frame["v"].to_numpy()
        made = [values[i:j].mean() for i, j in zip(low[some], high[some], strict=True)]
        return pd.DataFrame({"k": frame["k"].iloc[0], "start": starts[some].astype("datetime64[us]"), "a": made})

    return df.groupBy("k").applyInPandas(means, "k bigint, start timestamp_ntz, a double")


CONTENDERS: dict[str, Callable[[Any, str], Any]] = {
    SPARK: by_spark, RAW: by_tuples, PANES: by_panes, CLASS: partial(by_panes, aggregate=Mean()), PANDAS: by_pandas,
}  # fmt: skip
CONTENDERS |= {f"{title}{LIGHT}": CONTENDERS[title] for title in (PANES, CLASS, PANDAS)}


def run(title: str, df: Any, size: str) -> None:
    """All rows, to nowhere: planning is in the price."""
    conf = df.sparkSession.conf
    usual = conf.get(WEIGHING)
    conf.set(WEIGHING, NEVER if title.endswith(LIGHT) else usual)
    try:
        CONTENDERS[title](df, size).write.format("noop").mode("overwrite").save()
    finally:
        conf.set(WEIGHING, usual)


def total(given: Any) -> tuple[int, float]:
    """How many rows, and the sum of what they say."""
    count, its = given.agg(F.count("*"), F.sum("a")).first()
    return count, its


def check(df: Any, size: str) -> None:
    """All contenders do the same; ours and Spark's row for row."""
    own = by_spark(df, size).cache()
    count, its = total(own)
    for title, build in CONTENDERS.items():
        rows, other = total(build(df, size)) if title != SPARK else (count, its)
        assert rows == count and abs(other - its) < 1e-9 * count * 1000, (size, title, rows, count, other, its)
    for title in (PANES, CLASS):
        joined = own.join(CONTENDERS[title](df, size).withColumnRenamed("a", "b"), ["k", "window"])
        same, apart = joined.agg(F.count("*"), F.max(F.abs(F.col("a") - F.col("b")))).first()
        assert same == count and apart < 1e-9, (size, title, same, count, apart)
        print(f"{size}: {count:,} rows, {title}: at most {apart:.1e} from Spark's", file=sys.stderr, flush=True)
    own.unpersist()


def best(df: Any, size: str, titles: list[str], runs: int) -> dict[str, Seconds]:
    """The cheapest run of each contender."""
    taken: dict[str, list[Seconds]] = {title: [] for title in titles}
    for _ in range(runs):
        for title in titles:
            taken[title].append(seconds(partial(run, title, df, size)))
            print(f"{taken[title][-1].cpu:8.2f} CPU s  {size:>10}  {title}", file=sys.stderr, flush=True)
    return {title: min(its, key=lambda one: one.cpu) for title, its in taken.items()}


def report(found: dict[tuple[str, int], dict[str, Seconds]]) -> str:
    """A row per contender, a column per size and number of rows."""
    header = ["", *(f"{size}, {rows:,} rows" for size, rows in found)]
    table = []
    for title in CONTENDERS:
        cells = []
        for its in found.values():
            if title not in its:
                cells.append("–")
                continue
            against = f"**{its[SPARK].cpu / its[title].cpu:.1f}x** · " if SPARK in its else ""
            cells.append(f"{against}{its[title].cpu:.2f} ({its[title].wall:.1f})")
        table.append([title, *cells])
    return markdown(header, table)


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_panes", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--patience", type=int, default=PATIENCE, help="rows that Spark's own may make")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inwindow-panes-") as folder:
        spark = session(**{"spark.driver.memory": "4g", "spark.sql.session.timeZone": "UTC"})
        data = {rows: written(spark, folder, rows, asked.keys) for rows in (asked.rows // FEW, asked.rows)}
        check(data[asked.rows // FEW], "10 minutes")  # the JVM gets warm, too
        found = {}
        for size, copies in SIZES.items():
            alone = asked.rows * copies > asked.patience  # Spark's own would take minutes
            for rows, df in data.items():
                titles = [title for title in CONTENDERS if title != SPARK or rows * copies <= asked.patience]
                if alone or rows == asked.rows:
                    found[size, rows] = best(df, size, titles, asked.runs)
            check(data[asked.rows // FEW if alone else asked.rows], size)
        spark.stop()
    text = (
        f"{__doc__}\n\n{asked.rows:,} rows in {asked.keys} keys, the best of {asked.runs} runs: **times cheaper than "
    )
    text += f"{SPARK}** · CPU s (wall s).\n\n{report(found)}"
    print(text)
    if asked.write:
        put("spark: panes before the shuffle", text)


def written(spark: Any, folder: str, rows: int, keys: int) -> Any:
    """k, ts in one day and in a shuffled order, v; as Parquet."""
    place = str(Path(folder) / str(rows))
    df = spark.range(rows).selectExpr(
        f"pmod(xxhash64(id), {keys}) AS k",
        f"timestamp_micros(cast(id * {PRIME} % {rows} * ({DAY} / {rows}) AS bigint)) AS ts",
        "(pmod(xxhash64(id, 7), 2000001) - 1000000) / 1000D AS v",
    )
    df.write.parquet(place)
    return spark.read.parquet(place)


if __name__ == "__main__":
    main()
