"""The driver of batch jobs that faults kill: one job after the other, each spills, each is compared with the local engine.

    python -m tests.faults.jobs FOLDER JOBS MASTER

It goes on behind the last job whose rows are known to be right; a job that was killed is run again, into the same folder.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import inwindow as iw
from benchmarks.spark_memory import spilled
from inwindow.runtime.spark.jvm import ensure_java

from .victims import open_scratch

ROWS = 160_000
BY = {"partition_by": "k", "order_by": "t"}
COLUMNS = (
    "id", "id % 3 AS k", "id * 7919 % 200003 AS t",  # each time once
    "CAST(id * 31 % 101 AS double) AS v", "concat('tuple ', id * 977 % 1000) AS s",
)  # fmt: skip
SETTINGS = {
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4", "spark.inwindow.memory": "1m", "spark.executor.memory": "700m",
    "spark.task.maxFailures": "50", "spark.deploy.maxExecutorRetries": "-1", "spark.stage.maxConsecutiveAttempts": "50",
}  # fmt: skip


class Digest(iw.Aggregate, returns="bigint"):
    """A number that depends on every tuple so far, and on their order."""

    def initialize(self, id: int) -> None:
        """The first tuple."""
        self.value = id

    def iterate(self, id: int) -> None:
        """One lost, doubled or moved, and all that follow differ."""
        self.value = (self.value * 31 + id) % 1_000_003

    def terminate(self) -> int:
        """The number."""
        return self.value


def running(df: Any) -> Any:
    """A pass in one order."""
    total = iw.sum("v").over(iw.rows(100, **BY))
    return iw.with_columns(df, total=total, digest=Digest()("id").over(iw.unbounded(**BY)))


def two_orders(df: Any) -> Any:
    """Two passes, so tuples are ordered twice."""
    other = iw.rows(50, lag=3, partition_by="k", order_by="id")
    return iw.with_columns(df, top=iw.max("v").over(iw.rows(30, **BY)), around=iw.sum("v").over(other))


def slides(df: Any) -> Any:
    """Every tenth tuple."""
    w = iw.rows(200, slide=10, **BY)
    return iw.select(
        df, "id", n=iw.count_distinct("s").over(w), digest=Digest()("id").over(iw.rows(20, slide=10, **BY))
    )


def hops(df: Any) -> Any:
    """Extents; the smallest id stands for the extent."""
    return (
        iw.group_by(df, "k")
        .window(iw.hop("t", size=40, every=10))
        .agg(id=iw.min("id"), total=iw.sum("v"), n=iw.count())
    )


JOBS = (running, two_orders, slides, hops)


def table(rows: int = ROWS) -> pa.Table:
    """The same tuples as a table, made without Spark."""
    id = np.arange(rows)
    texts = pa.array([f"tuple {number}" for number in (id * 977 % 1000).tolist()])
    values = {"id": id, "k": id % 3, "t": id * 7919 % 200003, "v": (id * 31 % 101).astype(float)}
    return pa.table({**values, "s": texts})


def session(folder: Path, master: str, **more: str) -> Any:
    """A Spark whose temporary files are all below the folder."""
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    from pyspark.sql import SparkSession

    temporary = f"-Djava.io.tmpdir={os.environ.get('TMPDIR', '/tmp')} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    builder = SparkSession.builder.master(master).config("spark.local.dir", str(folder / "local"))
    builder = builder.config("spark.executor.extraJavaOptions", temporary)
    for name, value in (SETTINGS | more).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def compared(rows: pa.Table, wanted: pa.Table) -> dict[str, int]:
    """How many rows were lost, and how many are too many."""
    by = [("id", "ascending"), *((name, "ascending") for name in wanted.column_names if name != "id")]
    rows, wanted = (one.select(wanted.column_names).cast(wanted.schema).sort_by(by) for one in (rows, wanted))
    said = {"rows": len(rows), "lost": 0, "extra": 0}
    if not rows.equals(wanted):
        found, expected = (Counter(map(repr, one.to_pylist())) for one in (rows, wanted))
        said |= {"lost": (expected - found).total(), "extra": (found - expected).total()}
    return said


def main(folder: Path, jobs: int, master: str) -> None:
    """All jobs from the first that is not done yet."""
    spark = session(folder, master)
    df = spark.range(0, ROWS, 1, 4).selectExpr(*COLUMNS)
    wanted = [job(table()) for job in JOBS]
    log = folder / "jobs.jsonl"
    while (done := len(log.read_text().splitlines()) if log.exists() else 0) < jobs:
        (folder / "begun").write_text(str(done))
        before = sum(spilled(spark).values())
        at, out = done % len(JOBS), str(folder / "rows" / str(done))
        JOBS[at](df).write.mode("overwrite").parquet(out)
        line = {"job": done, "name": JOBS[at].__name__, **compared(pq.read_table(out), wanted[at])}
        line |= {"open": open_scratch(folder), "spilled": sum(spilled(spark).values()) - before}
        with log.open("a") as lines:
            lines.write(json.dumps(line) + "\n")
    JOBS[1](df).limit(5).collect()  # which ends its tasks before they have read all
    (folder / "limited").write_text(str(open_scratch(folder)))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
