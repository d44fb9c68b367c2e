"""On Spark: what hops by panes cost, beside jobs that hand over as much and compute nothing.

``python -m benchmarks.spark_crossings [--rows N] [--keys N] [--runs N] [--write]``. The rows of ``benchmarks.spark_panes``, an
average over 10 minutes every minute. *One crossing*: ``mapInArrow`` takes the columns and drops them. *Two crossings*: it gives a
bundle of bytes for each key, these are shuffled, and a second ``mapInArrow`` makes as many rows as there are results. CPU seconds
of the whole process tree, and of these the Python workers'; the best of interleaved runs.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions

from benchmarks import spark_panes as panes
from benchmarks.measure import markdown
from benchmarks.process_tree import seconds, tree
from benchmarks.results import put
from benchmarks.spark_data import session

F: Any = functions
SIZE = "10 minutes"
BUNDLES, BYTES = 4, 14_000  # of each key, and bytes of one: as partials of 2 million rows in 100 keys travel
RESULTS = 1_449  # of each key: a day's minutes, and those in which its first window began
GIVEN = "k bigint, window struct<start:timestamp,end:timestamp>, a double"
Batches = Iterator[pa.RecordBatch]


def dropped(df: Any, keys: int) -> Any:
    """One crossing."""

    def nothing(batches: Batches) -> Batches:
        for _ in batches:
            pass
        return iter(())

    return df.select("k", "ts", "v").mapInArrow(nothing, "k bigint")


def crossed_twice(df: Any, keys: int) -> Any:
    """Two crossings, with a shuffle between them."""

    def bundles(batches: Batches) -> Batches:
        for _ in batches:
            pass
        of = pa.array(np.repeat(np.arange(keys), BUNDLES))
        yield pa.record_batch([of, pa.array([bytes(BYTES)] * len(of))], ["k", "b"])

    def results(batches: Batches) -> Batches:
        for batch in batches:
            for key in np.unique(batch["k"].to_numpy()):
                at = pa.array(np.arange(RESULTS)).view(pa.timestamp("us", tz="UTC"))
                window = pa.StructArray.from_arrays([at, at], ["start", "end"])
                columns = [pa.array(np.full(RESULTS, key)), window, pa.array(np.zeros(RESULTS))]
                yield pa.record_batch(columns, ["k", "window", "a"])

    sent = df.select("k", "ts", "v").mapInArrow(bundles, "k bigint, b binary")
    return sent.repartition("k", F.lit(0)).mapInArrow(results, GIVEN)


CONTENDERS: dict[str, Callable[[Any, int], Any]] = {
    "one crossing": dropped,
    "two crossings": crossed_twice,
    panes.PANES: lambda df, keys: panes.CONTENDERS[panes.PANES](df, SIZE),
    panes.CLASS: lambda df, keys: panes.CONTENDERS[panes.CLASS](df, SIZE),
}


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_crossings", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    taken: dict[str, list[tuple[float, float]]] = {title: [] for title in CONTENDERS}
    with tempfile.TemporaryDirectory(prefix="inwindow-crossings-") as folder:
        spark = session(**{"spark.driver.memory": "4g", "spark.sql.session.timeZone": "UTC"})
        df = panes.written(spark, folder, asked.rows, asked.keys)
        for turn in range(asked.runs + 1):
            for title, build in CONTENDERS.items():
                run = measured(partial(build, df, asked.keys))
                if turn:  # the first one warms up
                    taken[title].append(run)
        spark.stop()
    best = {title: min(its) for title, its in taken.items()}
    floor = best["one crossing"][0]
    rows = [[title, f"{cpu / floor:.2f}", f"{cpu:.2f}", f"{python:.2f}"] for title, (cpu, python) in best.items()]
    text = f"{__doc__}\n\n{asked.rows:,} rows in {asked.keys} keys, the best of {asked.runs} runs.\n\n"
    text += markdown(["", "against one crossing", "CPU s", "of these Python"], rows)
    print(text)
    if asked.write:
        put("spark: crossings of hops", text)


def measured(build: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds of all, planning too, and of the Python workers."""
    before = in_workers()
    run = seconds(lambda: build().write.format("noop").mode("overwrite").save())
    return run.cpu, in_workers() - before


def in_workers() -> float:
    """CPU seconds of the Python workers so far."""
    return sum(process.cpu for process in tree() if process.is_worker)


if __name__ == "__main__":
    main()
