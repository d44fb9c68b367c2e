"""On Spark's streams: sliding averages, active expiration and hops, beside what one would write by hand.

``python -m benchmarks.streaming [--rows N] [--batch N] [--keys N ...] [--only NAME ...] [--runs N] [--write]``. One million
rows at 1,000 a second, out of order by up to a second, under a watermark of two, from Parquet files by ``Trigger.AvailableNow``,
to nowhere; RocksDB, two shuffle partitions. CPU microseconds per row of the whole process tree (JVM and Python), with the planning
and the last micro-batch without data in the price; before that a smaller query has warmed the session up. With ``--runs`` the
median of some runs over all numbers of keys in turn: a contender's first one pays for what the JVM compiles.
"""

import argparse
import os
import pickle
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Row, functions
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import Seconds, seconds
from benchmarks.results import put
from benchmarks.spark_data import session

F: Any = functions
START = 1_767_225_600_000_000  # 2026-01-01
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


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


class Trivial(StatefulProcessor):
    """transformWithState per key that does nothing but keep 200 bytes."""

    def init(self, handle: Any) -> None:
        """One value of state."""
        self.state = handle.getValueState("s", "b binary")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Count."""
        count = sum(1 for _ in rows)
        self.state.get()
        self.state.update((b"x" * 200,))
        yield Row(k=key[0], a=float(count))

    def close(self) -> None:
        """Nothing is open."""


class ByHand(StatefulProcessor):
    """The sliding average over 60 s as one would write it on transformWithState: per key a pickled deque, and what waits."""

    def init(self, handle: Any) -> None:
        """One value of state, one timer."""
        self.handle = handle
        self.state = handle.getValueState("s", "b binary")

    def _turn(self, key: Any, rows: list[Any], watermark: int) -> Iterator[Row]:
        content = self.state.get()
        waiting, live, total = pickle.loads(content[0]) if content is not None else ([], deque(), 0.0)
        waiting += [(row.t, row.id, row.v) for row in rows]
        waiting.sort()
        done = 0
        for t, number, value in waiting:
            if t >= watermark * 1000:
                break
            done += 1
            while live and live[0][0] < t - 60_000_000:
                total -= live.popleft()[1]
            live.append((t, value))
            total += value
            yield Row(k=key[0], id=number, a=total / len(live))
        del waiting[:done]
        self.state.update((pickle.dumps((waiting, live, total)),))
        if waiting:
            self.handle.registerTimer(max(watermark, 0) + 1)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Tuples have come."""
        yield from self._turn(key, list(rows), timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """The watermark has moved."""
        yield from self._turn(key, [], timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Nothing is open."""


def _per_key(processor: Any, out: str) -> Callable[[Any], Any]:
    def build(df: Any) -> Any:
        plain = df.selectExpr("k", "unix_micros(ts) t", "v", "id")
        return plain.groupBy("k").transformWithState(processor, out, "append", "eventTime")

    return build


CONTENDERS: dict[str, Callable[[Any], Any]] = {
    "Spark's own `groupBy(k).count()`": lambda df: df.groupBy("k", F.window("ts", "1 hour")).count(),
    "a trivial transformWithState per key": _per_key(Trivial(), "k bigint, a double"),
    "RANGE 60 s average by hand, transformWithState per key": _per_key(ByHand(), "k bigint, id bigint, a double"),
    "inwindow: RANGE 60 s, iw.avg": _over("60 seconds", iw.avg),
    "inwindow: RANGE 60 s, Python hooks": _over("60 seconds", MyAvg()),
    "inwindow: RANGE 600 s, iw.avg": _over("600 seconds", iw.avg),
    "inwindow: RANGE 60 s, active expiration, Python hooks": _expiring("60 seconds"),
    "inwindow: RANGE 600 s, active expiration, Python hooks": _expiring("600 seconds"),
    "inwindow: ROWS 100, iw.avg": _rows(iw.avg),
    "inwindow: hop 1 min every 5 s, iw.avg": _hop,
    "Spark's own: hop 1 min every 5 s, avg": _spark_hop,
}  # fmt: skip
SLOW = ("transformWithState per key",)  # with many keys: minutes


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


def run(spark: Any, build: Callable[[Any], Any], place: str) -> tuple[Seconds, list[float]]:
    """A query over all files; and how long each micro-batch took."""
    took: list[float] = []
    with tempfile.TemporaryDirectory(prefix="inwindow-checkpoint-") as checkpoint:

        def action() -> None:
            writer = build(stream(spark, place)).writeStream.format("noop").option("checkpointLocation", checkpoint)
            query = writer.trigger(availableNow=True).start()
            query.awaitTermination()
            took.extend(progress["durationMs"]["triggerExecution"] / 1000 for progress in query.recentProgress)

        spent = seconds(action)
    return spent, took


def told(spent: Seconds, took: list[float], rows: int) -> str:
    """A cell of the table."""
    each = sorted(took[1:-1] or took)
    middle, most = each[len(each) // 2], each[min(int(len(each) * 0.99), len(each) - 1)]
    return f"{spent.cpu / rows * 1e6:.1f} ({spent.wall:.0f}; {middle:.2f}, {most:.2f})"


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
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    chosen = {
        title: build for title, build in CONTENDERS.items() if not asked.only or any(o in title for o in asked.only)
    }
    rows = []
    with tempfile.TemporaryDirectory(prefix="inwindow-streaming-") as folder:
        settings = {
            "spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC", "spark.driver.memory": "4g",
            "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        }  # fmt: skip
        spark = session(**settings | dict(one.split("=", 1) for one in asked.conf))
        run(spark, _over("60 seconds", iw.avg), written(folder, 100_000, 50_000, 1000))
        run(spark, _spark_hop, str(Path(folder) / "100000-50000-1000"))
        places = {keys: written(folder, asked.rows, asked.batch, keys) for keys in asked.keys}
        for title, build in chosen.items():
            found: dict[int, list[tuple[float, str]]] = {}
            for _, (keys, place) in product(range(asked.runs), places.items()):
                if keys > 1000 and not asked.slow and any(slow in title for slow in SLOW):
                    continue
                spent, took = run(spark, build, place)
                cell = spent.cpu, told(spent, took, asked.rows)
                found.setdefault(keys, []).append(cell)
                print(
                    f"{time.strftime('%H:%M:%S')} {keys:>9} keys  {cell[1]:>28}  {title}", file=sys.stderr, flush=True
                )
            middle = {keys: sorted(cells)[len(cells) // 2][1] for keys, cells in found.items()}
            rows.append([title, *(middle.get(keys) for keys in places)])
        spark.stop()
    text = (
        f"{__doc__}\n\n{asked.rows:,} rows, {asked.batch:,} in a micro-batch: CPU us per row (wall s; median and 99th percentile "
        f"of the seconds of a micro-batch).\n\n{markdown(['', *(f'{keys:,} keys' for keys in places)], rows)}"
    )
    print(text)
    if asked.write:
        put(f"spark: streams, micro-batches of {asked.batch:,}", text)


if __name__ == "__main__":
    main()
