"""A stream for the faults and the soak: files of tuples, disorder bounded, keys that come and go; two queries over it."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import inwindow as iw

SCHEMA = pa.schema([("k", pa.string()), ("ts", pa.timestamp("us", "UTC")), ("v", pa.float64()), ("id", pa.int64())])
DDL = "k string, ts timestamp, v double, id bigint"
START = datetime(2026, 3, 1, tzinfo=UTC)
STEP, DISORDER, DELAY = 5.0, 2.0, "3 seconds"  # seconds of event time per file; how late tuples come; how late they may
END = -1  # the id of the tuple that ends the stream


def tuples(number: int, rows: int, keys: int, lifetime: int) -> pa.Table:
    """The file of a number, always the same; a key lives for ``lifetime`` files, and half of them are new by half of that."""
    random = Random(number)
    base = START + timedelta(seconds=STEP * number)
    generation = number // lifetime
    found = []
    for index in range(rows):
        born = max(generation - random.randint(0, 1), 0)
        moment = base + timedelta(microseconds=random.randint(-int(DISORDER * 1e6), int(STEP * 1e6)))
        value = float(random.randint(-50, 50))
        found.append({"k": f"{born}-{random.randrange(keys)}", "ts": moment, "v": value, "id": number * rows + index})
    return pa.Table.from_pylist(found, SCHEMA)


def ending(number: int) -> pa.Table:
    """A tuple far ahead: the watermark passes all others."""
    moment = START + timedelta(seconds=STEP * number + 3600)
    return pa.Table.from_pylist([{"k": "end", "ts": moment, "v": 0.0, "id": END}], SCHEMA)


def put(folder: Path, number: int, table: pa.Table) -> None:
    """Add a file, whole, and later than the one before."""
    hidden = folder / f".{number:06}.parquet"
    pq.write_table(table, hidden)
    os.utime(hidden, (1_700_000_000 + number,) * 2)
    hidden.rename(folder / f"{number:06}.parquet")


def read(spark: Any, folder: Path, marked: bool = True) -> Any:
    """The files as a stream, one per micro-batch; with a watermark."""
    stream = spark.readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(str(folder))
    return stream.withWatermark("ts", DELAY) if marked else stream


class Left(iw.WindowAggregate):
    """Who leaves, and how many stay: under active expiration every tuple answers once."""

    inwindow: iw.InWindow

    def iterate(self, id: int) -> None:
        """Nothing but the buffer."""

    def expire(self, id: int) -> str:
        """The newest that it left behind, too."""
        return f"{id} of {len(self.inwindow)} before {self.inwindow.newest().id}"


class Digest(iw.Aggregate, returns="bigint"):
    """A number that depends on every tuple so far, and on their order."""

    def initialize(self, id: int) -> int:
        """The first tuple of a key."""
        self.value = id
        return self.value

    def iterate(self, id: int) -> int:
        """One lost, doubled or moved, and all that follow differ."""
        self.value = (self.value * 31 + id) % 1_000_003
        return self.value


def leaving(df: Any) -> Any:
    """Active expiration: rows as time passes."""
    window = iw.range("20 seconds", partition_by="k", order_by="ts", active_expiration=True)
    return iw.select(df, "id", iw.emitted_at().alias("at"), left=Left()("id").over(window))


def sliding(df: Any) -> Any:
    """A row per tuple: a sliding sum, the last five, and all there ever was."""
    by = {"partition_by": "k", "order_by": "ts"}
    applied = {
        "total": iw.sum("v").over(iw.range("20 seconds", **by)),
        "last5": iw.collect_list("id").over(iw.rows(5, **by)),
        "digest": Digest()("id").over(iw.unbounded(**by)),
    }
    return iw.with_columns(df, **applied)


def ranges(df: Any) -> Any:
    """A row per tuple, over frames in time alone: nothing is kept of a key that has gone quiet."""
    window = iw.range("20 seconds", partition_by="k", order_by="ts")
    return iw.with_columns(df, total=iw.sum("v").over(window), ids=Frame()("id").over(window))


class Frame(iw.WindowAggregate, returns="bigint"):
    """A number made of the frame's tuples."""

    def initialize(self, id: int) -> None:
        """The first tuple."""
        self.value = id * id

    def iterate(self, id: int) -> None:
        """One more."""
        self.value += id * id

    def expire(self, id: int) -> None:
        """One less."""
        self.value -= id * id

    def terminate(self) -> int:
        """The frame's number."""
        return self.value


def plain(table: pa.Table) -> list[str]:
    """Rows as texts, sorted; times as numbers, whatever their zone."""
    columns = []
    for column in table.columns:
        is_time = pa.types.is_timestamp(column.type)
        columns.append(column.cast(pa.timestamp("us", "UTC")).cast(pa.int64()) if is_time else column)
    return sorted(map(repr, pa.table(columns, names=table.column_names).to_pylist()))
