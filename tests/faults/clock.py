"""A clock that jumps, forth and back, under a stream with a watermark by it: each tuple is in a row or late, and rows are right.

The machine's own clock stays as it is: libfaketime gives the driver and its JVM another one. It is Debian's package, that of PyPI,
or the file that LIBFAKETIME names.

    python -m tests.faults.clock FOLDER         the driver; `jumped` starts it and moves its clock
"""

import os
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

import inwindow as iw
from benchmarks import stream_feed as feed
from benchmarks.stream_driver import PROVIDER, SETTINGS, STORES

from .jobs import session

JUMPS = (-3600, -60, -15, 15, 60)  # seconds
ROWS, AFTER = 60, 20_000  # tuples of a file; seconds of the last jump, behind which all tuples are decided
PATIENCE = 600
WINDOW = iw.range("20 seconds", partition_by="k", order_by="ts")


def library() -> Path | None:
    """Where libfaketime is; None if it is not there."""
    places = [
        Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
        Path(os.environ.get("LIBFAKETIME", "/nowhere")),
    ]
    spec = find_spec("libfaketime")
    if spec is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "vendor/libfaketime/src/libfaketime.so.1")
    return next((place for place in places if place.is_file()), None)


def summed(df: Any) -> Any:
    """A sum, a list, and the late tuples; what is 10 minutes ahead is late, too."""
    df = iw.with_watermark(df, "ts", "3 seconds", ahead="10 minutes", idle="10 seconds")
    return iw.outputs(iw.with_columns(df, total=iw.sum("v").over(WINDOW), ids=iw.collect_list("id").over(WINDOW)))


def drive(folder: Path) -> None:
    """The stream, until it is killed."""
    spark = session(folder, "local[2]", **SETTINGS)
    spark.conf.set(PROVIDER, STORES + "RocksDBStateStoreProvider")
    given = summed(spark.readStream.schema(feed.DDL).option("maxFilesPerTrigger", 1).parquet(str(folder / "feed")))

    def put(batch: Any, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(folder / "rows" / f"batch={number}"))

    given.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(
        put
    ).start().awaitTermination()


def jumped(folder: Path, seed: int, jumps: int) -> dict[str, Any]:
    """So many jumps of the clock; what was lost and what was wrong."""
    began, random, found = time.monotonic(), Random(seed), library()
    if found is None:
        return {"jumps": 0, "said": "libfaketime is not there", "lost": 0, "extra": 0}
    for name in ("feed", "local", "tmp"):
        (folder / name).mkdir(parents=True)
    offset, clock, tables = 0, folder / "clock", list[pa.Table]()
    _set(clock, offset)
    environment = {
        **os.environ, "LD_PRELOAD": str(found), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TMPDIR": str(folder / "tmp"),
        "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }  # fmt: skip
    with (folder / "stderr.txt").open("w") as errors:
        driver = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.clock", str(folder)], env=environment, stdout=errors, stderr=errors,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    try:
        for number in range(2 * jumps):
            tables.append(_tuples(random, number, offset))
            feed.put(folder / "feed", number, tables[-1])
            _wait(driver, folder, number)
            if number % 2:
                offset += random.choice(JUMPS)
                _set(clock, offset)
        _set(clock, offset + AFTER)
        every = pa.concat_tables(tables)
        end = time.monotonic() + PATIENCE
        while len(_outputs(folder)) < len(every) and time.monotonic() < end:
            time.sleep(2)
        time.sleep(5)  # if there were more rows than tuples, they would come now
        return {"jumps": jumps + 1, **_compared(every, _outputs(folder)), "seconds": round(time.monotonic() - began)}
    finally:
        from .victims import kill_driver

        kill_driver(driver, "all")


def _set(clock: Path, offset: int) -> None:
    part = clock.with_suffix(".part")
    part.write_text(f"{offset:+d}\n")
    os.replace(part, clock)


def _tuples(random: Random, number: int, offset: int) -> pa.Table:
    """Tuples of about now, by the clock that is given."""
    now = datetime.now(UTC) + timedelta(seconds=offset)
    rows = [
        {
            "k": random.choice("abc"), "ts": now + timedelta(microseconds=random.randint(-12_000_000, 2_000_000)),
            "v": float(random.randint(-50, 50)), "id": number * ROWS + at,
        }
        for at in range(ROWS)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, feed.SCHEMA)


def _wait(driver: subprocess.Popen[bytes], folder: Path, number: int) -> None:
    """Until the query has taken a file into a micro-batch."""
    end = time.monotonic() + PATIENCE
    name = f"{number:06}.parquet"
    while not any(name in log.read_text() for log in (folder / "checkpoint" / "sources" / "0").glob("[0-9]*")):
        if driver.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"the driver ended, or makes no progress: see {folder}/stderr.txt")
        time.sleep(0.2)


def _outputs(folder: Path) -> list[dict[str, Any]]:
    """All outputs of micro-batches that were written to their end."""
    batches = [batch for batch in (folder / "rows").glob("batch=*") if (batch / "_SUCCESS").exists()]
    files = [str(file) for batch in batches for file in batch.glob("*.parquet")]
    rows: list[dict[str, Any]] = ds.dataset(files).to_table().to_pylist() if files else []
    return rows


def _compared(every: pa.Table, outputs: list[dict[str, Any]]) -> dict[str, int]:
    """Each tuple must be in a row or late, once; and rows be those of a batch run over the tuples that were not late."""
    rows = [one["row"] for one in outputs if one["kind"] == "row"]
    late = {one["late"]["id"] for one in outputs if one["kind"] == "late"}
    on_time = every.filter(pa.array([id not in late for id in every["id"].to_pylist()]))
    batch = iw.with_columns(on_time, total=iw.sum("v").over(WINDOW), ids=iw.collect_list("id").over(WINDOW)).to_pylist()
    found, wanted = (Counter((row["id"], row["total"], tuple(row["ids"])) for row in its) for its in (rows, batch))
    twice = len(outputs) - len(rows) - len(late)
    return {
        "tuples": len(every), "late": len(late), "lost": (wanted - found).total(),
        "extra": (found - wanted).total() + twice,
    }  # fmt: skip


if __name__ == "__main__":
    drive(Path(sys.argv[1]))
