"""Where the demo runs its calls: on Arrow tables, a local Spark, or Sail; as a batch and, where there are streams, as a stream."""

import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from inwindow.commands.local_sail import local_sail
from inwindow.commands.local_spark import local_spark
from inwindow.commands.progress import Bar
from inwindow.runtime.stream.replay import replay
from inwindow.runtime.stream.replay_stream import Stream

Call = Callable[[Any], Any]  # of the bids, a batch or a stream


@dataclass(frozen=True)
class Streamed:
    """What a stream gave by the time of its last watermark."""

    rows: pa.Table
    watermark: datetime


class OnArrow:
    """Arrow tables, without Spark: a stream is replayed, table by table."""

    name = "Arrow tables, one thread"

    def __init__(self, bids: pa.Table, arrivals: list[pa.Table], delay: str, bar: Bar) -> None:
        self.bids, self.arrivals, self.delay, self.bar = bids, arrivals, delay, bar
        self.stream = Stream(bids.schema)

    def run_batch(self, call: Call) -> pa.Table:
        """The rows of a call on all bids."""
        with self.bar.step(lambda: ("a batch", 0.0)):
            rows: pa.Table = call(self.bids)
        return rows

    def run_stream(self, call: Call) -> Streamed:
        """The rows of the same call on the bids as they arrive."""
        with self.bar.step(lambda: ("a stream", 0.0)):
            replayed = replay(self.arrivals, call, delay=self.delay)
        return Streamed(replayed.table, replayed.watermarks[-1])

    def close(self) -> None:
        """There is nothing to close."""


class OnSpark:
    """A Spark of our own, on this machine: a stream comes as files, each of them a micro-batch."""

    def __init__(self, bids: pa.Table, arrivals: list[pa.Table], delay: str, bar: Bar) -> None:
        with bar.step(lambda: ("starting Spark", 0.0)):
            self.session = local_spark("demo")
        self.bar = bar
        self.name = f"Spark {self.session.version}, {self.session.sparkContext.master}"
        self.folder = tempfile.TemporaryDirectory()
        for number, batch in enumerate(arrivals):
            file = Path(self.folder.name) / f"{number}.parquet"
            parquet.write_table(batch, file)
            os.utime(file, (number, number))  # Spark reads the oldest first, and these come within a millisecond
        self.files = len(arrivals)
        self.bids = self.session.createDataFrame(bids)
        files = self.session.readStream.schema(self.bids.schema).option("maxFilesPerTrigger", 1)
        self.stream = files.parquet(self.folder.name).withWatermark("time", delay)

    def run_batch(self, call: Call) -> pa.Table:
        """The rows of a call on all bids."""
        with self.bar.step(lambda: ("a batch", 0.0)):
            rows: pa.Table = call(self.bids).toArrow()
        return rows

    def run_stream(self, call: Call) -> Streamed:
        """The rows of the same call on the bids as they arrive, by a query that ends when all files are read."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # PySpark's, of a pandas that is too new for it
            writer = call(self.stream).writeStream.format("memory").queryName("streamed")
            query = writer.trigger(availableNow=True).start()

        def said() -> tuple[str, float]:
            read = min(len(query.recentProgress), self.files)
            return f"a stream: {read} of {self.files} files", read / (self.files + 1)

        with self.bar.step(said):
            query.awaitTermination()
        watermark = query.lastProgress["eventTime"]["watermark"]
        return Streamed(self.session.table("streamed").toArrow(), datetime.fromisoformat(watermark))

    def close(self) -> None:
        """Stop Spark, and remove its files."""
        self.session.stop()
        self.folder.cleanup()


class OnSail:
    """Sail in this process: a Spark Connect server that needs no Java, and has no streams for us."""

    def __init__(self, bids: pa.Table, _arrivals: list[pa.Table], _delay: str, bar: Bar) -> None:
        with bar.step(lambda: ("starting Sail", 0.0)):
            self.server, self.session = local_sail("demo")
        self.bar = bar
        version = self.session.sql("SELECT version()").head()[0]
        self.name = f"Sail {version} in this process, batches only"
        self.bids = self.session.createDataFrame(bids)

    def run_batch(self, call: Call) -> pa.Table:
        """The rows of a call on all bids."""
        with self.bar.step(lambda: ("a batch", 0.0)):
            rows: pa.Table = call(self.bids).toArrow()
        return rows

    def close(self) -> None:
        """Stop it."""
        self.session.stop()
        self.server.stop()


Place = OnArrow | OnSpark | OnSail


def place_of(engine: str, bids: pa.Table, arrivals: list[pa.Table], delay: str, bar: Bar) -> Place:
    """The place of that name."""
    kinds: dict[str, type[Place]] = {"tables": OnArrow, "sail": OnSail, "spark": OnSpark}
    return kinds[engine](bids, arrivals, delay, bar)
