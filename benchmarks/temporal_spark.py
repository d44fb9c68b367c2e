"""Rows that hold for a while, on Spark: beside a shuffle and a crossing that compute nothing, and beside Spark's own plans.

``python -m benchmarks.temporal_spark [--part sweeps|joins|large|hot|tempo] [--rows N] [--runs N] [--write]``. CPU seconds of the
whole process tree, the best of interleaved runs. *Shuffle and crossing*: ``mapInArrow`` behind a shuffle by the key takes the
columns, and gives as many rows of the results' types as there are results.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import seconds, tree
from benchmarks.results import put
from benchmarks.spark_data import session
from inwindow import temporal

F: Any = functions
Batches = Iterator[pa.RecordBatch]
Build = Callable[[], Any]
KEYS = 1_000
WARM = 2


def written(spark: Any, folder: str, name: str, rows: int, keys: int, long: int, seed: int, value: str) -> Any:
    """Intervals k, ``value``, since, until, of up to ``long`` instants, in a time of ten instants for each row of a key."""
    place = f"{folder}/{name}"
    since = f"pmod(xxhash64(id, {seed}), {max(rows * 10 // keys, 1)})"
    length = f"1 + pmod(xxhash64(id, {seed + 1}), {long})"
    columns = [
        f"pmod(xxhash64(id, {seed + 2}), {keys}) AS k",
        f"CAST(id % 1000 AS double) / 7 AS {value}",
        f"{since} AS since",
    ]
    spark.range(rows).selectExpr(*columns, f"{since} + {length} AS until").write.parquet(place)
    return spark.read.parquet(place)


def job(build: Build) -> float:
    """CPU seconds of a query, its planning too."""
    return seconds(lambda: build().write.format("noop").mode("overwrite").save()).cpu


def best_of(ways: dict[str, Build], runs: int) -> dict[str, float]:
    """The best of interleaved runs; some before them warm up: the JVM compiles what it has run often."""
    taken: dict[str, list[float]] = {title: [] for title in ways}
    for turn in range(runs + WARM):
        for title, build in ways.items():
            cpu = job(build)
            print(f"{cpu:8.2f} CPU s  {title}", flush=True)
            if turn >= WARM:
                taken[title].append(cpu)
    return {title: min(its) for title, its in taken.items()}


def crossed(df: Any, columns: list[str], results: pa.Schema, rows: float) -> Any:
    """The floor: each batch comes, and ``rows`` times as many rows go back."""
    kinds = {pa.int64(): "bigint", pa.float64(): "double"}

    def back(batches: Batches) -> Batches:
        for batch in batches:
            count = int(len(batch) * rows)
            values = {kind: pa.array(np.zeros(count), kind) for kind in kinds}
            yield pa.record_batch([values[field.type] for field in results], schema=results)

    schema = ", ".join(f"{field.name} {kinds[field.type]}" for field in results)
    return df.select(*columns).repartition("k", F.lit(0)).mapInArrow(back, schema)


def sweeps(spark: Any, folder: str, rows: int, runs: int) -> str:
    """Coalesce, and snapshot aggregates, of many keys."""
    df = written(spark, folder, "its", rows, KEYS, 200, 1, "x")
    ints, ends = pa.int64(), [("since", pa.int64()), ("until", pa.int64())]
    asked: dict[str, tuple[Build, list[str], list[Any]]] = {
        "coalesce": (lambda: temporal.coalesce(df, by="k"), ["k", "since", "until"], [("k", ints), *ends]),
        "count": (lambda: temporal.aggregate(df, by="k", n=iw.count()), ["k", "since", "until"], [("k", ints), ("n", ints), *ends]),
        "sum": (lambda: temporal.aggregate(df, by="k", n=iw.sum("x")), ["k", "x", "since", "until"],
                [("k", ints), ("n", pa.float64()), *ends]),
        "avg": (lambda: temporal.aggregate(df, by="k", n=iw.avg("x")), ["k", "x", "since", "until"],
                [("k", ints), ("n", pa.float64()), *ends]),
    }  # fmt: skip
    results = {title: build().count() / rows for title, (build, _, _) in asked.items()}
    ways: dict[str, Build] = {}
    for title, (build, columns, fields) in asked.items():
        ways[title] = build
        ways[f"{title}: floor"] = partial(crossed, df, columns, pa.schema(fields), results[title])
    best = best_of(ways, runs)
    lines = [
        [title, f"{results[title] * rows:,.0f}", f"{best[title]:.2f}", f"{best[f'{title}: floor']:.2f}",
         f"{best[title] / best[f'{title}: floor']:.2f}"]
        for title in asked
    ]  # fmt: skip
    head = ["", "results", "inwindow, CPU s", "shuffle and crossing, CPU s", "ratio"]
    return f"{rows:,} intervals in {KEYS:,} keys, the best of {runs} runs.\n\n{markdown(head, lines)}"


def overlapping(a: Any, b: Any) -> Any:
    """Spark's own plan of an overlap join."""
    pairs = a.alias("a").join(b.alias("b"), F.expr("a.k = b.k AND a.since < b.until AND b.since < a.until"))
    return pairs.selectExpr("a.k", "x", "y", "greatest(a.since, b.since) AS since", "least(a.until, b.until) AS until")


def joins(spark: Any, folder: str, rows: int, runs: int) -> str:
    """Overlap joins of one key; Spark's own of few rows, and what that is for many."""
    lines = []
    small = [10_000, 20_000]
    took: dict[int, float] = {}
    for count in (*small, rows, 10 * rows):
        a, b = (
            written(spark, folder, f"{side}{count}", count, 1, 200, seed, side) for seed, side in ((10, "x"), (20, "y"))
        )
        ours: Build = partial(temporal.join, a, b, on="k")
        ways = {"inwindow": ours} | ({"spark": partial(overlapping, a, b)} if count in small else {})
        best = best_of(ways, runs)
        if count in small:
            took[count] = best["spark"]
        theirs = f"{took[count]:.2f}" if count in small else ""
        if not theirs:  # n**2 + c, through both
            square = (took[small[1]] - took[small[0]]) / (small[1] ** 2 - small[0] ** 2)
            estimate = took[small[1]] + square * (count**2 - small[1] ** 2)
            theirs = f"{estimate:.0f} (extrapolated)"
            ratio = f"{estimate / best['inwindow']:.0f}"
        else:
            ratio = f"{took[count] / best['inwindow']:.1f}"
        lines.append([f"{count:,} x {count:,}", f"{ours().count():,}", f"{best['inwindow']:.2f}", theirs, ratio])
    head = ["overlap join of one key", "pairs", "inwindow, CPU s", "Spark's own plan, CPU s", "ratio"]
    note = "Spark's plan compares all pairs of a key; its cost is that of 10,000 and 20,000 rows, and grows with n² from there."
    return f"{markdown(head, lines)}\n\n{note}"


def large(spark: Any, folder: str, rows: int, runs: int) -> str:
    """One large join, with memory."""
    keys = max(rows // 1_000, 1)
    a, b = (written(spark, folder, side, rows, keys, 20, seed, side) for seed, side in ((30, "x"), (40, "y")))
    took = seconds(lambda: temporal.join(a, b, on="k").write.format("noop").mode("overwrite").save())
    found = [process for process in tree() if process.is_worker]
    worker = max((process.memory() for process in found), default=0)
    jvm = max((process.memory() for process in tree() if process.is_jvm), default=0)
    pairs = temporal.join(a, b, on="k").count()
    head = ["overlap join", "keys", "pairs", "CPU s", "s of the clock", "largest Python worker", "JVM"]
    line = [f"{rows:,} x {rows:,}", f"{keys:,}", f"{pairs:,}", f"{took.cpu:.0f}", f"{took.wall:.0f}", f"{worker / 1e6:.0f} MB",
            f"{jvm / 1e6:.0f} MB"]  # fmt: skip
    return markdown(head, [line])


def hot(spark: Any, folder: str, rows: int, runs: int) -> str:
    """Without keys: as one task, and cut by time."""
    df = written(spark, folder, "all", rows, 1, 200, 50, "x")
    asked: dict[str, Callable[[], Any]] = {
        "count": lambda: temporal.aggregate(df, n=iw.count()),
        "coalesce": lambda: temporal.coalesce(df, by="k"),
    }
    lines = []
    for title, build in asked.items():
        cells = []
        for how in ("off", "sample"):
            spark.conf.set("spark.inwindow.hotKeys", how)
            its = [
                seconds(lambda build=build: build().write.format("noop").mode("overwrite").save())
                for _ in range(runs + 1)
            ][1:]
            best = min(its, key=lambda one: one.cpu)
            cells += [f"{best.cpu:.2f}", f"{min(one.wall for one in its):.2f}"]
        lines.append([title, *cells])
    spark.conf.unset("spark.inwindow.hotKeys")
    head = [
        f"{rows:,} intervals, no keys, two cores",
        "one task, CPU s",
        "of the clock",
        "cut by time, CPU s",
        "of the clock",
    ]
    return markdown(head, lines)


def tempo(spark: Any, folder: str, rows: int, runs: int) -> str:
    """databricks tempo: what holds, as disjoint rows with one of their metrics (``pip install --no-deps dbl-tempo``)."""
    from tempo.intervals import IntervalsDF  # type: ignore[import-not-found]

    lines = []
    for few in (
        1_000,
        4_000,
    ):  # four rows in a key, each of which overlaps the next: with ten it ends with a RecursionError
        its = ["id div 4 AS k", "CAST(id AS double) AS x", "id % 4 * 10 AS since", "id % 4 * 10 + 15 AS until"]
        df = spark.range(few).selectExpr(*its).repartition(4, "k").localCheckpoint()
        ways: dict[str, Build] = {
            "inwindow": partial(temporal.aggregate, df, by="k", x=iw.max("x")),
            "tempo": lambda df=df: IntervalsDF(df, "since", "until", ["k"]).make_disjoint().df,
        }
        best = best_of(ways, runs)
        lines.append([f"{few:,} rows, four in a key", f"{best['inwindow']:.2f}", f"{best['tempo']:.2f}"])
    return markdown(["disjoint rows", "inwindow, CPU s", "tempo, CPU s"], lines)


PARTS: dict[str, tuple[Callable[[Any, str, int, int], str], int]] = {
    "sweeps": (sweeps, 4_000_000),
    "joins": (joins, 100_000),
    "hot": (hot, 4_000_000),
    "large": (large, 10_000_000),
}


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.temporal_spark", description=__doc__)
    parser.add_argument("--part", choices=[*PARTS, "tempo"], default="sweeps")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    part, rows = PARTS.get(asked.part, (tempo, 0))
    with tempfile.TemporaryDirectory(prefix="inwindow-temporal-") as folder:
        spark = session(**{"spark.driver.memory": "4g", "spark.local.dir": str(Path(folder) / "local")})
        text = part(spark, folder, asked.rows or rows, asked.runs)
        spark.stop()
    print(text)
    if asked.write:
        put(f"temporal on Spark: {asked.part}", text)


if __name__ == "__main__":
    main()
