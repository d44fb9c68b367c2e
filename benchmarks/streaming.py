"""On Spark's streams: sliding averages, active expiration and hops, beside what one would write by hand.

``python -m benchmarks.streaming [--rows N] [--batch N] [--keys N ...] [--only NAME ...] [--runs N] [--plain] [--write]``. Rows at
1,000 a second, out of order by up to a second, under a watermark of two, from Parquet files by ``Trigger.AvailableNow``, no sink;
RocksDB, two shuffle partitions, the settings that docs/streaming.md recommends. CPU microseconds per row of the whole process tree
(JVM and Python), with the planning and the last micro-batch without data in the price; a small run of each contender has warmed the
session up. The contenders take turns; with ``--runs`` the median of their runs.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions
from pyspark.sql.streaming.listener import StreamingQueryListener

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import Process, Seconds, between, seconds, tree
from benchmarks.results import put
from benchmarks.spark_data import NEVER, WEIGHING, session
from benchmarks.stream_by_hand import BY_HAND, SLOW

F: Any = functions
START = 1_767_225_600_000_000  # 2026-01-01
_MANAGER = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
STREAMING = "spark.sql.streaming"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
RECOMMENDED = {  # docs/streaming.md
    WEIGHING: NEVER,
    f"{STREAMING}.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STREAMING}.checkpointFileManagerClass": _MANAGER,
}


class MyAvg(iw.WindowAggregate):
    """The average, as a user would write it."""

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


class AsItExpires(iw.WindowAggregate, returns="double"):
    """What is left when a tuple leaves: its average (ESL, section 5.2)."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def expire(self, value: float) -> float:
        self.total -= value
        self.count -= 1
        return self.total / self.count if self.count else 0.0


def _over(size: str, aggregate: Any, **options: Any) -> Callable[[Any], Any]:
    window = iw.range(size, partition_by="k", order_by="ts", **options)
    return lambda df: iw.with_columns(df, a=aggregate("v").over(window))


def _expiring(size: str) -> Callable[[Any], Any]:
    window = iw.range(size, partition_by="k", order_by="ts", active_expiration=True)
    return lambda df: iw.select(df, "id", "k", iw.emitted_at(), a=AsItExpires()("v").over(window))


def _rows(aggregate: Any) -> Callable[[Any], Any]:
    return lambda df: iw.with_columns(df, a=aggregate("v").over(iw.rows(100, partition_by="k", order_by="ts")))


def _hop(df: Any) -> Any:
    return iw.group_by(df, "k").window(iw.hop("ts", size="1 minute", every="5 seconds")).agg(a=iw.avg("v"))


def _spark_hop(df: Any) -> Any:
    return df.groupBy("k", F.window("ts", "1 minute", "5 seconds")).agg(F.avg("v").alias("a"))


CONTENDERS: dict[str, Callable[[Any], Any]] = {
    "Spark's own `groupBy(k).count()`": lambda df: df.groupBy("k", F.window("ts", "1 hour")).count(),
    **BY_HAND,
    "inwindow: RANGE 60 s, iw.avg": _over("60 seconds", iw.avg),
    "inwindow: RANGE 60 s, Python hooks": _over("60 seconds", MyAvg()),
    "inwindow: RANGE 600 s, iw.avg": _over("600 seconds", iw.avg),
    "inwindow: RANGE 60 s, active expiration, Python hooks": _expiring("60 seconds"),
    "inwindow: RANGE 600 s, active expiration, Python hooks": _expiring("600 seconds"),
    "inwindow: ROWS 100, iw.avg": _rows(iw.avg),
    "inwindow: hop 1 min every 5 s, iw.avg": _hop,
    "Spark's own: hop 1 min every 5 s, avg": _spark_hop,
}


def written(folder: str, rows: int, batch: int, keys: int) -> str:
    """Parquet files in the order of time: id, k, ts, v."""
    place = Path(folder) / f"{rows}-{batch}-{keys}"
    place.mkdir()
    random = np.random.default_rng(7)
    times = START + np.arange(rows) * 1000 + random.integers(-1_000_000, 0, rows)
    table = pa.table(
        {
            "id": np.arange(rows),
            "k": random.integers(0, keys, rows),
            "ts": pa.array(times, pa.timestamp("us", tz="UTC")),
            "v": random.integers(0, 100, rows).astype(float),
        }
    )
    for number, start in enumerate(range(0, rows, batch)):
        file = place / f"{number:05}.parquet"
        pq.write_table(table.slice(start, batch), file)
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    return str(place)


def stream(spark: Any, place: str) -> Any:
    """One file per micro-batch."""
    reader = spark.readStream.schema("id long, k long, ts timestamp, v double").option("maxFilesPerTrigger", 1)
    return reader.parquet(place).withWatermark("ts", "2 seconds")


@dataclass(frozen=True)
class Ran:
    """What a query took."""

    spent: Seconds
    steady: float | None  # CPU us per row from the second micro-batch on: without the start of the query
    took: list[float]  # seconds of each micro-batch
    state: float | None  # of ours: bytes of state for each tuple in it, after the last micro-batch with data

    def told(self, rows: int) -> str:
        """A cell of the table."""
        each = sorted(self.took[1:-1] or self.took)
        middle, most = each[len(each) // 2], each[min(int(len(each) * 0.99), len(each) - 1)]
        held = "" if self.state is None else f"; {self.state:.0f}"
        steady = "" if self.steady is None else f", {self.steady:.1f}"
        return f"{self.spent.cpu / rows * 1e6:.1f}{steady} ({middle:.2f}, {most:.2f}{held})"


class Ends(StreamingQueryListener):
    """The process tree at the end of each micro-batch with data, and its rows."""

    def __init__(self) -> None:
        self.seen: list[tuple[list[Process], int]] = []

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802  # Spark's name
        """Nothing to note."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """A micro-batch has ended."""
        if event.progress.numInputRows:
            self.seen.append((tree(), event.progress.numInputRows))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing to note."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Nothing to note."""

    @property
    def steady(self) -> float | None:
        """CPU microseconds per row between the first end and the last."""
        if len(self.seen) < 2:
            return None
        spent = sum(between(before, after) for (before, _), (after, _) in pairwise(self.seen))
        return spent / sum(rows for _, rows in self.seen[1:]) * 1e6


def run(spark: Any, build: Callable[[Any], Any], place: str) -> Ran:
    """A query over all files."""
    progress: list[Any] = []
    ends = Ends()
    spark.streams.addListener(ends)
    with tempfile.TemporaryDirectory(prefix="inwindow-checkpoint-") as checkpoint:

        def action() -> None:
            writer = build(stream(spark, place)).writeStream.format("noop").option("checkpointLocation", checkpoint)
            query = writer.trigger(availableNow=True).start()
            query.awaitTermination()
            progress.extend(query.recentProgress)

        spent = seconds(action)
    spark.streams.removeListener(ends)
    took = [one["durationMs"]["triggerExecution"] / 1000 for one in progress]
    return Ran(spent, ends.steady, took, _bytes_per_tuple([one for one in progress if one["numInputRows"]][-1]))


def _bytes_per_tuple(progress: Any) -> float | None:
    ours = next((row for name, row in progress["observedMetrics"].items() if name.startswith("inwindow")), None)
    if ours is None:
        return None
    return ours["state_bytes"] / max(ours["live_tuples"] + ours["waiting_tuples"], 1)


def measured(spark: Any, chosen: dict[str, Any], places: dict[int, str], asked: Any) -> list[list[Any]]:
    """A row per contender: the median of its runs for each number of keys. The contenders take turns."""
    found: dict[tuple[str, int], list[Ran]] = {}
    for _, (keys, place), (title, build) in product(range(asked.runs), places.items(), chosen.items()):
        if keys > 1000 and not asked.slow and any(slow in title for slow in SLOW):
            continue
        ran = run(spark, build, place)
        found.setdefault((title, keys), []).append(ran)
        said = f"{time.strftime('%H:%M:%S')} {keys:>9} keys  {ran.told(asked.rows):>28}  {title}"
        print(said, file=sys.stderr, flush=True)
    middle = {
        at: sorted(its, key=lambda ran: ran.spent.cpu)[len(its) // 2].told(asked.rows) for at, its in found.items()
    }
    return [[title, *(middle.get((title, keys)) for keys in places)] for title in chosen]


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=200_000)
    parser.add_argument("--keys", type=int, nargs="*", default=[8, 10_000, 1_000_000])
    parser.add_argument("--only", nargs="*", help="contenders whose name holds one of these")
    parser.add_argument("--runs", type=int, default=1, help="of which the median counts")
    parser.add_argument("--slow", action="store_true", help="per-key operators on many keys, too")
    parser.add_argument("--conf", nargs="*", default=[], metavar="NAME=VALUE", help="more settings of the session")
    parser.add_argument("--plain", action="store_true", help="without the settings that docs/streaming.md recommends")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    chosen = {
        title: build for title, build in CONTENDERS.items() if not asked.only or any(o in title for o in asked.only)
    }
    with tempfile.TemporaryDirectory(prefix="inwindow-streaming-") as folder:
        settings = {
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "UTC",
            "spark.driver.memory": "4g",
            f"{STREAMING}.stateStore.providerClass": ROCKSDB,
        }
        settings |= {} if asked.plain else RECOMMENDED
        spark = session(**settings | dict(one.split("=", 1) for one in asked.conf))
        warm = written(folder, 30_000, 10_000, 100)
        for build in chosen.values():
            run(spark, build, warm)
        places = {keys: written(folder, asked.rows, asked.batch, keys) for keys in asked.keys}
        rows = measured(spark, chosen, places, asked)
        spark.stop()
    text = (
        f"{__doc__}\n\n{asked.rows:,} rows, {asked.batch:,} in a micro-batch: CPU us per row of the whole query, and from the "
        "second micro-batch on (median and 99th percentile of the seconds of a micro-batch; of ours also the bytes of state for "
        "each tuple in it: as Arrow a tuple has 32).\n\n"
        f"{markdown(['', *(f'{keys:,} keys' for keys in places)], rows)}"
    )
    print(text)
    if asked.write:
        put(f"spark: streams, micro-batches of {asked.batch:,}", text)


if __name__ == "__main__":
    main()
