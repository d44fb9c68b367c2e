"""On Spark: what lowers the price of crossing to Python. The average over 1,000 rows, by inwindow, under other conditions.

``python -m benchmarks.spark_floor [--rows N] [--runs N] [--write]``. CPU seconds of the whole process tree, the best of
interleaved runs. Each line changes one thing.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import inwindow as iw
from benchmarks import spark_cases as on
from benchmarks.measure import markdown
from benchmarks.process_tree import seconds
from benchmarks.results import put
from benchmarks.spark_data import Data, session

Build = Callable[[Any], Any]
BATCH, BUFFER = "spark.sql.execution.arrow.maxRecordsPerBatch", "spark.sql.execution.python.udf.buffer.size"
COLUMNAR = "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled"


@dataclass(frozen=True)
class Variant:
    """What is done, and under which settings of the session."""

    title: str
    build: Build
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, spark: Any, df: Any) -> float:
        """CPU seconds."""
        before = {name: spark.conf.get(name) for name in self.settings}
        for name, value in self.settings.items():
            spark.conf.set(name, value)
        taken = seconds(lambda: self.build(df).write.format("noop").mode("overwrite").save())
        for name, value in before.items():
            spark.conf.set(name, value)
        print(f"{taken.cpu:7.2f} CPU s  {self.title}", file=sys.stderr, flush=True)
        return taken.cpu


def average(df: Any) -> Any:
    """One window."""
    return iw.with_columns(df, a=iw.avg("v").over(iw.rows(1_000, partition_by="k", order_by="ts")))


def _three() -> dict[str, Any]:
    sizes = (10, 1_000, 50_000)
    return {f"a{size}": iw.avg("v").over(iw.rows(size, partition_by="k", order_by="ts")) for size in sizes}


def one_call(df: Any) -> Any:
    """Three windows that share a pass."""
    return iw.with_columns(df, **_three())


def three_calls(df: Any) -> Any:
    """Three windows, one after the other."""
    for name, applied in _three().items():
        df = iw.with_columns(df, **{name: applied})
    return df


def floor_of(*columns: str) -> Build:
    """The floor, with these columns crossing."""

    def nothing(arrays: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for given in arrays:
            yield pa.StructArray.from_arrays([given[-1] if isinstance(given, tuple) else given], ["_0"])

    def build(df: Any) -> Any:
        udf = on.F.arrow_udf(nothing, "struct<_0:double>").asNondeterministic()
        return on.in_order(df).select("*", udf(*columns).alias("its"))

    return build


VARIANTS = [
    Variant("as it is: batches of 10,000 rows, k, ts and v cross", average),
    Variant("batches of 2,000 rows", average, {BATCH: "2000"}),
    Variant("batches of 65,536 rows", average, {BATCH: "65536"}),
    Variant("batches of 262,144 rows", average, {BATCH: "262144"}),
    Variant("a socket buffer of 1 MB, not 64 kB", average, {BUFFER: str(1 << 20)}),
    Variant("columnarInput", average, {COLUMNAR: "true"}),
    Variant("the floor: k, ts, v cross", floor_of("k", "ts", "v")),
    Variant("the floor: k, v cross", floor_of("k", "v")),
    Variant("the floor: v alone crosses", floor_of("v")),
    Variant("three windows in one call", one_call),
    Variant("three windows in three calls", three_calls),
]


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_floor", description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inwindow-floor-") as folder:
        spark = session(**{"spark.driver.memory": "4g"})
        df = Data(spark, Path(folder), "narrow", asked.rows, 64).read(1)
        average(df).write.format("noop").mode("overwrite").save()  # the JVM gets warm
        runs = [[variant.run(spark, df) for variant in VARIANTS] for _ in range(asked.runs)]
        spark.stop()
    best = [min(its) for its in zip(*runs, strict=True)]
    rows = [[v.title, f"{cpu / best[0]:.2f}", f"{cpu:.2f}"] for v, cpu in zip(VARIANTS, best, strict=True)]
    text = f"{__doc__}\n\n{asked.rows:,} rows, 64 keys, the best of {asked.runs} runs.\n\n"
    text += markdown(["", "against the first line", "CPU s"], rows)
    print(text)
    if asked.write:
        put("spark: the crossing", text)


if __name__ == "__main__":
    main()
