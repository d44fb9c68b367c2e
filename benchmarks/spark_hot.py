"""On Spark: one key that has 90% of the rows, as one task, and cut by order into shards with halos.

``python -m benchmarks.spark_hot [--rows N] [--runs N] [--only TITLE ...] [--write]``. Parquet with the columns k, ts (in a
shuffled order) and v, on ``local[2]``, to nowhere. The same call with ``hot_keys="off"`` and as it is (``"auto"``: the sample
and, where frames begin with the partition, the partials of shards are in the price), in interleaved runs; the least wall time
counts, and the CPU time of that run beside it. Memory is the largest resident set of any Python worker. Before anything is
measured, all rows of both are compared.
"""

import argparse
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import functions

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import Seconds, seconds, tree
from benchmarks.results import put
from benchmarks.spark_data import session, stream

F: Any = functions
SHARE = 10  # one row in so many is of another key
VERDICT = "- Targets, by key: at least 1.7x, and workers below 400 MB."


class Mean(iw.WindowAggregate):
    """The average, as a user would write it; it has no merge."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def expire(self, value: float) -> None:
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Spread(iw.Aggregate, commutative=True):
    """Highest less lowest; shards begin with merged states."""

    def initialize(self, value: float) -> None:
        self.low = self.high = value

    def iterate(self, value: float) -> None:
        if value < self.low:
            self.low = value
        if value > self.high:
            self.high = value

    def merge(self, later: "Spread") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> float:
        return self.high - self.low


BY_KEY: dict[str, Any] = {"partition_by": "k", "order_by": "ts"}
CASES: dict[str, iw.Applied] = {
    "avg over ROWS 1,000 PRECEDING": iw.avg("v").over(iw.rows(1001, **BY_KEY)),
    "max over RANGE 1,000 PRECEDING": iw.max("v").over(iw.range(1000, **BY_KEY)),
    "a class without `merge`, ROWS 1,000 PRECEDING": Mean()("v").over(iw.rows(1001, **BY_KEY)),
    "sum over ROWS UNBOUNDED PRECEDING": iw.sum("v").over(iw.unbounded(**BY_KEY)),
    "a class with `merge`, ROWS UNBOUNDED PRECEDING": Spread()("v").over(iw.unbounded(**BY_KEY)),
    "avg over ROWS 1,000 PRECEDING, no partitioning": iw.avg("v").over(iw.rows(1001, order_by="ts")),
}


@dataclass(frozen=True)
class Run:
    """One run, and the largest worker in it."""

    took: Seconds
    worker: int


def run(df: Any, applied: iw.Applied, hot_keys: str) -> None:
    """All rows, to nowhere: planning and the sample are in the price."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is one task
        made = iw.with_columns(df, hot_keys=hot_keys, a=applied)
    made.write.format("noop").mode("overwrite").save()


def watched(action: Callable[[], None]) -> Run:
    """An action, and the largest resident set of a Python worker while it ran."""
    done, sizes = threading.Event(), [0]

    def look() -> None:
        while not done.wait(0.1):
            sizes.extend(process.memory("VmRSS") for process in tree() if process.is_worker)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        took = seconds(action)
    finally:
        done.set()
        watcher.join()
    return Run(took, max(sizes))


def check(df: Any, applied: iw.Applied) -> None:
    """All results are equal, row by row: ts is another one in each row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = iw.with_columns(df, hot_keys="off", a=applied)
        parts = iw.with_columns(df, hot_keys="sample", a=applied).select("ts", F.col("a").alias("b"))
    assert said(df, applied)
    joined = whole.join(parts, "ts")
    count, apart = joined.agg(F.count("*"), F.max(F.abs(F.col("a") - F.col("b")))).first()
    assert count == df.count() and apart < 1e-9, (count, apart)


def said(df: Any, applied: iw.Applied) -> str:
    """What explain says of the cut."""
    text = str(iw.explain(df, hot_keys="sample", a=applied))
    return next(line for line in text.splitlines() if "hot keys:" in line and " shards" in line)


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_hot", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=list(CASES), help="some cases, by a part of their title")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    titles = [title for title in CASES if any(part in title for part in asked.only)]
    with tempfile.TemporaryDirectory(prefix="inwindow-hot-") as folder:
        spark = session(**{"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "200"})
        df, few = (written(spark, folder, rows) for rows in (asked.rows, asked.rows // 10))
        lines = []
        for title in titles:
            check(few, CASES[title])
            print(title, said(df, CASES[title]).strip(), file=sys.stderr, sep="\n", flush=True)
            lines.append(line(title, measured(df, CASES[title], asked.runs)))
        spark.stop()
    header = ["", "speed", "off: wall s (CPU s)", "auto: wall s (CPU s)", "largest worker, MB: off", "auto"]
    text = f"{__doc__}\n\n{asked.rows:,} rows, the best of {asked.runs} runs.\n\n{markdown(header, lines)}\n\n{VERDICT}"
    print(text)
    if asked.write:
        put("spark: one hot key", text)


def measured(df: Any, applied: iw.Applied, runs: int) -> dict[str, list[Run]]:
    """Interleaved runs."""
    made: dict[str, list[Run]] = {"off": [], "auto": []}
    for _ in range(runs):
        for hot_keys, its in made.items():
            its.append(watched(partial(run, df, applied, hot_keys)))
            load = Path("/proc/loadavg").read_text().split()[0]
            print(f"{hot_keys:>5} {its[-1]}  load {load}", file=sys.stderr, flush=True)
    return made


def line(title: str, made: dict[str, list[Run]]) -> list[Any]:
    """A row of the table."""
    off, auto = (min(its, key=lambda one: one.took.wall).took for its in made.values())
    workers = [f"{max(one.worker for one in its) / 1e6:.0f}" for its in made.values()]
    times = [f"{one.wall:.1f} ({one.cpu:.1f})" for one in (off, auto)]
    return [title, f"**{off.wall / auto.wall:.2f}x**", *times, *workers]


def written(spark: Any, folder: str, rows: int) -> Any:
    """90% of the rows have the key 0, the others 100 more."""
    place = str(Path(folder) / str(rows))
    key = f"if(pmod(xxhash64(id, 3), {SHARE}) = 0, 1 + pmod(xxhash64(id), 100), 0)"
    stream(spark, rows, key).drop("id").write.parquet(place)
    return spark.read.parquet(place)


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
