"""Where the demo runs its calls: a local Spark, or Arrow tables without one; in each, as a batch and as a stream."""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from inwindow.runtime.stream.replay import Stream, replay

Call = Callable[[Any], Any]  # of the bids, a batch or a stream


@dataclass(frozen=True)
class Streamed:
    """What a stream gave by the time of its last watermark."""

    rows: pa.Table
    watermark: datetime


class OnArrow:
    """Arrow tables, without Spark: a stream is replayed, table by table."""

    name = "Arrow tables, one thread"

    def __init__(self, bids: pa.Table, arrivals: list[pa.Table], delay: str) -> None:
        self.bids, self.arrivals, self.delay = bids, arrivals, delay
        self.stream = Stream(bids.schema)

    def run_batch(self, call: Call) -> pa.Table:
        """The rows of a call on all bids."""
        return call(self.bids)

    def run_stream(self, call: Call) -> Streamed:
        """The rows of the same call on the bids as they arrive."""
        replayed = replay(self.arrivals, call, delay=self.delay)
        return Streamed(replayed.table, replayed.watermarks[-1])

    def close(self) -> None:
        """Nothing is open."""


class OnSpark:
    """A Spark of our own, on this machine: a stream comes as files, each of them a micro-batch."""

    def __init__(self, bids: pa.Table, arrivals: list[pa.Table], delay: str) -> None:
        from pyspark.sql import SparkSession

        from inwindow.runtime.spark.jvm import ensure_java

        ensure_java()
        builder = SparkSession.builder.master("local[2]").appName("auction").config("spark.ui.enabled", "false")
        builder = builder.config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
        builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")  # for a short life
        with progress(lambda: "starting Spark"):
            self.session = builder.getOrCreate()
        self.name = f"Spark {self.session.version}, {self.session.sparkContext.master}"
        self.folder = tempfile.TemporaryDirectory()
        for number, batch in enumerate(arrivals):
            parquet.write_table(batch, Path(self.folder.name) / f"{number}.parquet")
        self.files = len(arrivals)
        self.bids = self.session.createDataFrame(bids)
        files = self.session.readStream.schema(self.bids.schema).option("maxFilesPerTrigger", 1)
        self.stream = files.parquet(self.folder.name).withWatermark("time", delay)

    def run_batch(self, call: Call) -> pa.Table:
        """The rows of a call on all bids."""
        with progress(lambda: "a batch"):
            rows: pa.Table = call(self.bids).toArrow()
        return rows

    def run_stream(self, call: Call) -> Streamed:
        """The rows of the same call on the bids as they arrive, by a query that ends when all files are read."""
        writer = call(self.stream).writeStream.format("memory").queryName("streamed")
        query = writer.trigger(availableNow=True).start()
        with progress(lambda: f"a stream: {min(len(query.recentProgress), self.files)} of {self.files} files"):
            query.awaitTermination()
        watermark = query.lastProgress["eventTime"]["watermark"]
        return Streamed(self.session.table("streamed").toArrow(), datetime.fromisoformat(watermark))

    def close(self) -> None:
        """Stop it, and leave nothing behind."""
        self.session.stop()
        self.folder.cleanup()


@contextmanager
def progress(said: Callable[[], str]) -> Iterator[None]:
    """Where something takes more than two seconds, a line on the terminal says what, how far it is, and how long it takes."""
    done, started = threading.Event(), perf_counter()

    def tell() -> None:
        if done.wait(2):
            return
        while not done.wait(0.5):
            sys.stderr.write(f"\r    {said()}, {perf_counter() - started:.0f} s".ljust(60))
        sys.stderr.write("\r".ljust(60) + "\r")

    thread = threading.Thread(target=tell, daemon=True)
    if sys.stderr.isatty():
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.ident:
            thread.join()
