"""On Sail and on Spark, the same calls; beside Sail's own windows, and those of Spark, Polars and DuckDB.

``.venv-sail/bin/python -m benchmarks.sail --spark .venv/bin/python [--rows N] [--runs N] [--write]`` (``make sail`` makes the one
environment, ``make test`` the other). Rows k (64 keys), ts (shuffled), v come from Parquet, and all rows go back to Python as
Arrow. Microseconds of CPU per row, of the whole process tree; each engine in a process of its own, after a run to get warm.
Without a window there is only the way of the rows. Sail sends them as they are, or with gzip, which is the client's default.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import inwindow as iw
from benchmarks.process_tree import seconds
from benchmarks.results import put
from inwindow.commands.local_sail import local_sail

WINDOWS = (10, 100, 1_000, 10_000)
AGGREGATES = ("avg", "max")
TARGET = 0.35  # microseconds per row on Sail
_RUNNING: list[Any] = []
Call = Callable[[str, int], Any]  # of an aggregate's name and a window, all rows as Arrow


def main() -> None:
    """Measure one engine, or all of them, each in its process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sail", description=__doc__)
    parser.add_argument("--spark", default=sys.executable, help="the Python that has Spark, Polars and DuckDB")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3, help="of which the best counts")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    parser.add_argument("--engine", choices=ENGINES, help="measure this one on --data, and print JSON")
    parser.add_argument("--data")
    asked = parser.parse_args()
    if asked.engine:
        print(json.dumps(measured(ENGINES[asked.engine](asked.data), asked.runs, asked.rows)))
        return
    text = report(asked.spark, asked.rows, asked.runs)
    print(text)
    if asked.write:
        put("sail", text)


def report(spark: str, rows: int, runs: int) -> str:
    """A table per aggregate."""
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="inwindow-sail-") as folder:
        path = f"{folder}/rows.parquet"
        parquet.write_table(data(rows), path)
        for engine in ENGINES:
            python = sys.executable if engine == "sail" else spark
            command = [python, "-m", "benchmarks.sail", "--engine", engine, "--data", path]
            command += ["--rows", str(rows), "--runs", str(runs)]
            environment = {**os.environ, "PYSPARK_PYTHON": python, "RUST_LOG": "error"}
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
            figures |= json.loads(ran.stdout.splitlines()[-1])
    parts = [f"{__doc__}\n\n{rows:,} rows, the best of {runs} runs, on {os.cpu_count()} cores."]
    for name in AGGREGATES:
        head = f"| `{name}`, us per row | {' | '.join(f'window {window:,}' for window in WINDOWS)} |"
        lines = []
        for contender, its in figures.items():
            costs = [its[f"{name} {window}"] for window in WINDOWS]
            lines.append(f"| {contender} | {' | '.join(f'{cost:.2f}' for cost in costs)} |")
        parts.append("\n".join([head, "|---" * (len(WINDOWS) + 1) + "|", *lines]))
    return "\n\n".join([*parts, verdict(figures)])


def verdict(figures: dict[str, dict[str, float]]) -> str:
    """Against the targets."""
    ours, own = figures["inwindow on Sail"], figures["Sail's own window"]
    over = [f"{case}: {cost:.2f}" for case, cost in ours.items() if cost > TARGET]
    slower = [f"{case}: {cost:.2f} to {own[case]:.2f}" for case, cost in ours.items() if cost > own[case]]
    return (
        f"At most {TARGET} us per row on Sail: {'met' if not over else 'missed by ' + ', '.join(over)}. "
        f"Faster than Sail's own window: {'everywhere' if not slower else 'but for ' + ', '.join(slower)}."
    )


def data(rows: int) -> pa.Table:
    """The rows, in a shuffled order of time."""
    random = np.random.default_rng(1)
    columns = {"k": random.integers(0, 64, rows), "ts": random.permutation(rows), "v": random.uniform(-1e3, 1e3, rows)}
    return pa.table(columns)


def measured(contenders: dict[str, Call], runs: int, rows: int) -> dict[str, dict[str, float]]:
    """Microseconds per row of each contender, for each aggregate and window; the runs of contenders take turns."""
    figures: dict[str, dict[str, float]] = {name: {} for name in contenders}
    for aggregate in AGGREGATES:
        for window in WINDOWS:
            case = f"{aggregate} {window}"
            for turn in range(runs + 1):
                for name, call in contenders.items():
                    cpu = seconds(lambda call=call, its=(aggregate, window): call(*its)).cpu / rows * 1e6
                    if turn:
                        figures[name][case] = min(cpu, figures[name].get(case, cpu))
    return figures


def connected(spark: Any, path: str, name: str) -> dict[str, Call]:
    """Ours and its own windows, on a session."""
    from pyspark.sql import Window, functions

    df = spark.read.parquet(path)

    def own(aggregate: str, window: int) -> Any:
        over = Window.partitionBy("k").orderBy("ts").rowsBetween(1 - window, 0)
        return df.withColumn("result", getattr(functions, aggregate)("v").over(over)).toArrow()

    return {
        f"inwindow on {name}": lambda *its: ours(df, *its).toArrow(),
        f"{name}'s own window": own,
        f"{name}, no window: rows back": lambda *its: with_a_result(df).toArrow(),
        f"{name}, no window: by k, through Python, rows back": lambda *its: through_python(with_a_result(df)).toArrow(),
    }


def with_a_result(df: Any) -> Any:
    """As many columns as with a window, but no work for it: what remains is the way of the rows back to Python."""
    return df.withColumn("result", df["v"])


def through_python(df: Any) -> Any:
    """Rows shuffled by k to a function that hands them on as they are."""
    return df.repartition("k").mapInArrow(lambda batches: batches, df.schema)


def ours(df: Any, aggregate: str, window: int) -> Any:
    """The call, the same everywhere."""
    over = iw.rows(window, partition_by="k", order_by="ts")
    return iw.with_columns(df, result=getattr(iw, aggregate)("v").over(over))


def on_sail(path: str) -> dict[str, Call]:
    server, spark = local_sail("bench")
    _RUNNING.append(server)  # one that nobody holds stops
    return connected(spark, path, "Sail") | packed("sc://{}:{}".format(*server.listening_address), path)


def packed(address: str, path: str) -> dict[str, Call]:
    """By a client as it is by default: it accepts gzip, so Sail packs what it sends (see local_sail)."""
    from pyspark.sql.connect.session import SparkSession

    df = SparkSession.builder.remote(address).create().read.parquet(path)
    return {
        "inwindow on Sail, gzip": lambda *its: ours(df, *its).toArrow(),
        "Sail, no window, gzip: rows back": lambda *its: with_a_result(df).toArrow(),
    }


def on_spark(path: str) -> dict[str, Call]:
    from benchmarks.spark_data import session

    settings = {"spark.driver.memory": "2g", "spark.driver.maxResultSize": "2g"}
    settings["spark.sql.window.segmentTree.enabled"] = "true"  # without it a frame is folded anew for every row
    return connected(session(**settings), path, "Spark")


def elsewhere(path: str) -> dict[str, Call]:
    import duckdb
    import polars as pl

    table, df = parquet.read_table(path), pl.read_parquet(path)
    connection = duckdb.connect()

    def in_polars(aggregate: str, window: int) -> Any:
        rolling = {"avg": "rolling_mean", "max": "rolling_max"}[aggregate]
        result = getattr(pl.col("v"), rolling)(window, min_samples=1).over("k", order_by="ts")
        return df.with_columns(result=result).to_arrow()

    def in_duckdb(aggregate: str, window: int) -> Any:
        over = f"OVER (PARTITION BY k ORDER BY ts ROWS {window - 1} PRECEDING)"
        return connection.sql(f"SELECT *, {aggregate}(v) {over} AS result FROM '{path}'").to_arrow_table()

    return {"inwindow on a table": lambda *its: ours(table, *its), "Polars": in_polars, "DuckDB": in_duckdb}


ENGINES: dict[str, Callable[[str], dict[str, Call]]] = {"sail": on_sail, "spark": on_spark, "elsewhere": elsewhere}

if __name__ == "__main__":
    main()
