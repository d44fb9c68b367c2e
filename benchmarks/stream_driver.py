"""The driver that faults and the soak start and kill: two queries on one feed, each with another operator, store and sink.

The first runs on transformWithState (RocksDB, changelog checkpointing) into parquet's file sink; the second on
applyInPandasWithState (HDFS-backed store) into an idempotent ``foreachBatch``. Progress is written down as it comes.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from benchmarks import stream_feed as feed
from benchmarks import stream_outputs
from benchmarks.process_tree import tree
from inwindow.runtime.spark.jvm import ensure_java

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
STORES = "org.apache.spark.sql.execution.streaming.state."
SETTINGS = {
    "spark.master": "local[2,4]",
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.maintenanceInterval": "3s", "spark.sql.streaming.stateStore.minDeltasForSnapshot": "4",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}  # fmt: skip


def drive(folder: Path, names: list[str], finish: bool, settings: Mapping[str, str]) -> None:
    """Run the queries from their checkpoints, until killed, or to the end of what is there."""
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config("spark.local.dir", str(folder / "local"))
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    queries = {name: _start(spark, folder, name, name == names[0], finish) for name in names}
    seen: dict[str, Any] = {}
    while queries:
        for name, query in list(queries.items()):
            _note(folder, name, query, seen)
            try:
                if query.awaitTermination(1):
                    _note(folder, name, query, seen)
                    del queries[name]
            except Exception as error:
                with (folder / "failures.txt").open("a") as log:
                    log.write(f"{name}: {str(error)[:3000]}\n---\n")
                if finish:
                    raise
                queries[name] = _start(spark, folder, name, name == names[0], finish)
    rows = spark.read.parquet(str(folder / f"rows_{names[0]}")).toArrow()  # through _spark_metadata
    pq.write_table(rows, folder / f"{names[0]}.parquet")
    spark.stop()


def query_of(name: str) -> Any:
    """The query of a name, over a table or a stream."""
    return getattr(stream_outputs if hasattr(stream_outputs, name) else feed, name)


def _start(spark: Any, folder: Path, name: str, first: bool, finish: bool) -> Any:
    spark.conf.set(PROVIDER, STORES + ("RocksDBStateStoreProvider" if first else "HDFSBackedStateStoreProvider"))
    made = query_of(name)(feed.read(spark, folder / "feed", marked=not hasattr(stream_outputs, name)))
    writer = made.writeStream.outputMode("append").option("checkpointLocation", str(folder / f"checkpoint_{name}"))
    writer = writer.trigger(availableNow=True) if finish else writer.trigger(processingTime="0 seconds")
    rows = folder / f"rows_{name}"
    if first:
        return writer.format("parquet").option("path", str(rows)).start()

    def put(batch: Any, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(rows / f"batch={number}"))

    return writer.foreachBatch(put).start()


def _note(folder: Path, name: str, query: Any, seen: dict[str, Any]) -> None:
    with (folder / f"progress_{name}.jsonl").open("a") as log:
        for progress in query.recentProgress:
            key = (progress.runId, progress.batchId)
            if key not in seen:
                seen[key] = True
                observed = progress.observedMetrics.get("inwindow")
                noted = json.loads(progress.json) | {"inwindow": observed.asDict() if observed is not None else {}}
                log.write(json.dumps(noted) + "\n")


def started(
    folder: Path,
    names: list[str],
    finish: bool = False,
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """A driver in a process group of its own; with settings of Spark besides those of all drivers."""
    command = [sys.executable, "-m", "benchmarks.stream_driver", str(folder), ",".join(names)]
    command += ["--settings", json.dumps(dict(settings or {})), *(["--finish"] if finish else [])]
    with (folder / "stderr.txt").open("a") as errors:
        return subprocess.Popen(
            command, start_new_session=True, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=environment
        )


def stopped(driver: subprocess.Popen[bytes]) -> None:
    """``kill -9`` of the driver's group, and of Python's daemon and workers, which are in one of their own."""
    its = tree(driver.pid)
    os.killpg(driver.pid, signal.SIGKILL)
    for process in its:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    driver.wait()


@dataclass(frozen=True)
class Verdict:
    """A query's rows beside the batch run's."""

    name: str
    rows: int
    lost: int
    extra: int

    @property
    def identical(self) -> bool:
        """No row lost, none doubled, none other."""
        return not self.lost and not self.extra

    def __str__(self) -> str:
        return f"{self.name}: {self.rows} rows, {self.lost} lost, {self.extra} too many"


def against_batch(folder: Path, names: list[str], table: pa.Table) -> list[Verdict]:
    """What the sinks hold in the end against the batch run over the same tuples."""
    verdicts = []
    for name in names:
        if name == names[0]:
            rows = pq.read_table(folder / f"{name}.parquet")
        else:
            rows = ds.dataset(str(folder / f"rows_{name}"), partitioning="hive").to_table()
        if hasattr(stream_outputs, name):
            batch, rows = stream_outputs.wanted(name, table, rows), stream_outputs.in_the_end(name, rows)
        else:
            batch = query_of(name)(table)
        found, wanted = (Counter(feed.plain(one.select(batch.column_names))) for one in (rows, batch))
        verdicts.append(Verdict(name, found.total(), (wanted - found).total(), (found - wanted).total()))
    return verdicts


def progress(folder: Path, name: str) -> list[dict[str, Any]]:
    """What was noted of a query so far."""
    file = folder / f"progress_{name}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")] if file.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("queries")
    parser.add_argument("--finish", action="store_true")
    parser.add_argument("--settings", type=json.loads, default={}, help="of Spark, as JSON")
    given = parser.parse_args()
    drive(given.folder, given.queries.split(","), given.finish, given.settings)
