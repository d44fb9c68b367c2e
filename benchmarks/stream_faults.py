"""Streams under faults: drivers, Python workers and state files are killed; no row may be lost, none doubled.

Two queries in one driver: active expiration on transformWithState (RocksDB) into parquet's file sink, and sliding windows on
applyInPandasWithState (HDFS-backed store) into an idempotent ``foreachBatch``. In the end both must equal the batch run.

    python -m benchmarks.stream_faults --kills 30 --workers 6 --lost 4 --folder /tmp/faults
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import stream_feed as feed
from benchmarks.process_tree import tree
from benchmarks.stream_driver import Verdict, against_batch, started, stopped

ROWS, KEYS, LIFETIME = 200, 20, 10
AHEAD = 5  # files that wait to be read
NAMES = ["leaving", "sliding"]


class Trial:
    """A folder, its feed, and the drivers that come and go."""

    def __init__(self, folder: Path, seed: int) -> None:
        (folder / "feed").mkdir(parents=True, exist_ok=True)  # there is one where an earlier trial goes on
        self.folder, self.random, self.number = (
            folder,
            random.Random(seed),
            len(list((folder / "feed").glob("*.parquet"))),
        )
        self.log: list[str] = []

    def say(self, text: str) -> None:
        """Into the log, and out."""
        self.log.append(text)
        print(text, flush=True)

    def written(self, name: str) -> tuple[int, int]:
        """The last batch that was begun, and the last that was committed."""
        return tuple(_latest(self.folder / f"checkpoint_{name}" / kind) for kind in ("offsets", "commits"))  # type: ignore[return-value]

    def fill(self) -> None:
        """Keep some files unread."""
        begun = max(self.written(name)[0] for name in NAMES)
        while self.number <= begun + AHEAD:
            feed.put(self.folder / "feed", self.number, feed.tuples(self.number, ROWS, KEYS, LIFETIME))
            self.number += 1

    def watch(self, driver: subprocess.Popen[bytes], until: Any) -> None:
        """Feed the driver until something is so."""
        deadline = time.monotonic() + 600
        while not until():
            self.fill()
            if driver.poll() is not None:
                raise SystemExit(f"the driver ended with {driver.returncode}: see {self.folder}/stderr.txt")
            if time.monotonic() > deadline:
                raise SystemExit("the driver makes no progress")
            time.sleep(0.02)

    def kill_driver(self, inside: bool) -> None:
        """Kill the group once a batch of this driver has been begun (or committed), a random moment later."""
        name = self.random.choice(NAMES)
        before = self.written(name)
        driver = started(self.folder, NAMES)
        # One is done, and another begun.
        self.watch(driver, lambda: self.written(name)[0] > self.written(name)[1] > before[1])
        begun = self.written(name)[0]
        if not inside:
            self.watch(driver, lambda: self.written(name)[1] >= begun)
        wait = self.random.random() * (1.5 if inside else 0.05)
        time.sleep(wait)
        states = {one: self.written(one) for one in NAMES}
        stopped(driver)
        shown = ", ".join(
            f"{one} {'inside batch ' + str(a) if a > b else 'after batch ' + str(b)}" for one, (a, b) in states.items()
        )
        self.say(f"kill -9 driver {wait:.2f} s after {name} {'began' if inside else 'committed'} a batch: {shown}")

    def kill_workers(self, count: int) -> None:
        """Kill Python workers of one driver, one at a time, each in another micro-batch; then the driver, inside a batch."""
        before = self.written("leaving")[1]
        driver = started(self.folder, NAMES)
        self.watch(driver, lambda: self.written("leaving")[1] > before + 1)
        killed = 0
        while killed < count:
            begun = self.written("sliding")[0]
            self.watch(driver, lambda begun=begun: self.written("sliding")[0] > begun)
            time.sleep(self.random.random() * 0.5)
            daemons = {p.pid for p in tree(driver.pid) if "pyspark.daemon" in p.command}
            workers = [p for p in tree(driver.pid) if "pyspark.daemon" in p.command and p.parent in daemons]
            if workers:
                os.kill(self.random.choice(workers).pid, signal.SIGKILL)
                killed += 1
                self.say(f"kill -9 of 1 of {len(workers)} Python workers in batch {begun + 1} of sliding")
        begun = self.written("leaving")[0]
        self.watch(driver, lambda: self.written("leaving")[0] > self.written("leaving")[1] > begun)
        stopped(driver)

    def advance(self, batches: int) -> None:
        """Some micro-batches without a fault."""
        before = self.written("leaving")[1]
        driver = started(self.folder, NAMES)
        self.watch(driver, lambda: all(self.written(name)[1] >= before + batches for name in NAMES))
        time.sleep(4)  # for a snapshot
        stopped(driver)

    def lose_snapshots(self) -> None:
        """Remove the newest snapshot of each store, where Spark has older ones or deltas; and RocksDB's local folder."""
        for name, ends in (("leaving", ".zip"), ("sliding", ".snapshot")):
            for store in sorted((self.folder / f"checkpoint_{name}" / "state" / "0").glob("[0-9]*")):
                found = sorted((int(f.name.split("_")[0].split(".")[0]), f) for f in store.rglob(f"*{ends}"))
                have = Counter(f.suffix for f in store.rglob("*.*") if not f.name.startswith("."))
                if found:
                    found[-1][1].unlink()
                    (found[-1][1].parent / f".{found[-1][1].name}.crc").unlink(missing_ok=True)
                    self.say(f"removed {name} {found[-1][1].relative_to(self.folder)} (of {dict(have)})")
        shutil.rmtree(self.folder / "local", ignore_errors=True)

    def lose_version(self) -> None:
        """Remove the newest version of each store for good.

        Spark cannot go on from it, and says so. But the batch that made it can run again from the version before, once the logs
        are taken back to where it had begun: its rows are written over. The file sink has a log, too; without its last entry taken
        back it would skip the batch, and no state would be written.
        """
        for name in NAMES:
            begun, committed = self.written(name)
            checkpoint = self.folder / f"checkpoint_{name}"
            sink = self.folder / f"rows_{name}" / "_spark_metadata"
            if sink.exists() and not (sink / str(committed)).exists():
                self.say(f"{name}: batch {committed} is compacted in the sink's log: left as it is")
                continue
            lost = []
            for store in sorted((checkpoint / "state" / "0").glob("[0-9]*")):
                for version in range(committed + 1, begun + 2):
                    lost += [*store.rglob(f"{version}.*"), *store.rglob(f"{version}_*")]
            later = [checkpoint / "offsets" / str(number) for number in range(committed + 1, begun + 1)]
            entries = [sink / str(number) for number in (committed, begun) if (sink / str(number)).exists()]
            for file in {*lost, *later, *entries, checkpoint / "commits" / str(committed)}:
                file.unlink()
                (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
            self.say(
                f"{name}: removed {len(lost)} files of state from version {committed + 1} on; took back batch {committed}"
            )

    def finish(self) -> list[Verdict]:
        """Run to the end of the stream, and compare with the batch run."""
        feed.put(self.folder / "feed", self.number, feed.ending(self.number))
        if started(self.folder, NAMES, finish=True).wait():
            raise SystemExit(f"the last driver failed: see {self.folder}/stderr.txt")
        tables = [feed.tuples(number, ROWS, KEYS, LIFETIME) for number in range(self.number)]
        verdicts = against_batch(self.folder, NAMES, pa.concat_tables(tables))
        for name, verdict in zip(NAMES, verdicts, strict=True):
            self.say(f"{verdict}, after {self.written(name)[1] + 1} micro-batches")
        on_disk = sum(1 for f in (self.folder / "rows_leaving").glob("*.parquet"))
        said = [json.loads(line) for line in _sink_log(self.folder / "rows_leaving" / "_spark_metadata")]
        self.say(f"file sink: {on_disk} files on disk, {len({one['path'] for one in said})} in _spark_metadata")
        return verdicts


def _sink_log(folder: Path) -> list[str]:
    return [line for f in folder.iterdir() if not f.name.startswith(".") for line in f.read_text().splitlines()[1:]]


def _latest(folder: Path) -> int:
    try:
        return max((int(name) for name in os.listdir(folder) if name.isdigit()), default=-1)
    except FileNotFoundError:
        return -1


def run(folder: Path, kills: int, workers: int, lost: int, seed: int = 1) -> list[Verdict]:
    """The faults, spread over one stream's life; what came out of it."""
    trial = Trial(folder, seed)
    for number in range(kills):
        trial.kill_driver(inside=number % 3 != 2)
    if workers:
        trial.kill_workers(workers)
    for number in range(lost):
        trial.advance(8)
        trial.lose_snapshots() if number % 2 == 0 else trial.lose_version()
    return trial.finish()


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/inwindow_faults"))
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--lost", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    verdicts = run(given.folder, given.kills, given.workers, given.lost, given.seed)
    sys.exit(any(not verdict.identical for verdict in verdicts))


if __name__ == "__main__":
    main()
