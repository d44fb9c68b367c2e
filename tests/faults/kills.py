"""Kill what runs, at random moments: no row may be lost, none doubled, no file of ours may stay.

Half of the kills are of batch jobs that spill (`jobs.py`), half of two streams at once, one on each of Spark's stateful operators
and state stores (``benchmarks.stream_driver``); all on a cluster of two executors. A driver lives for some kills of its executors,
daemons and workers; then it, its JVM or everything is killed, and another driver goes on: jobs from the last one that is done,
streams from their checkpoints.
"""

import json
import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import stream_driver
from benchmarks.stream_faults import NAMES, Trial

from .damage import CHEAPER
from .victims import DRIVERS, WITHIN, kill_driver, kill_within, left_behind

CLUSTER = "local-cluster[2,1,1024]"
IN_CLUSTER = {
    "spark.master": CLUSTER, "spark.executor.memory": "700m", "spark.task.maxFailures": "50",
    "spark.deploy.maxExecutorRetries": "-1", "spark.stage.maxConsecutiveAttempts": "50",
    **CHEAPER,
}  # fmt: skip
PATIENCE = 400  # seconds without progress, which are a fault


class Run(ABC):
    """A driver that is killed and started again."""

    what: str
    span = 3.0  # seconds after some progress within which a kill comes

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        for name in ("local", "tmp"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.kills: Counter[str] = Counter()
        self.stayed: Counter[str] = Counter()
        self.began = time.monotonic()

    @property
    def environment(self) -> dict[str, str]:
        """Temporary files of Python and of the JVMs go into the folder, too."""
        options = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={self.folder}/tmp"
        return {**os.environ, "TMPDIR": f"{self.folder}/tmp", "SPARK_SUBMIT_OPTS": options}

    @abstractmethod
    def started(self) -> subprocess.Popen[bytes]:
        """Another driver."""

    @abstractmethod
    def progress(self) -> int:
        """A number that grows as work is begun and done."""

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """Run to the end without a fault; how many rows, lost, too many."""

    def live(self, kinds: list[str]) -> None:
        """One driver: these kills, each at a random moment after some progress; the last is of the driver."""
        driver = self.started()
        for kind in kinds:
            before = self.progress()
            self.watch(driver, lambda before=before: self.progress() > before)
            time.sleep(self.random.random() * self.span)
            if kind in DRIVERS:
                self.stayed += kill_driver(driver, kind)
            else:
                kind = self.one_of(driver, kind)
            self.kills[kind] += 1
            print(f"{time.monotonic() - self.began:6.0f} s  {self.what}: killed {kind}", flush=True)

    def one_of(self, driver: subprocess.Popen[bytes], kind: str) -> str:
        """Kill one of this kind, or of another: there is no daemon while Spark goes on with the workers of a dead one."""
        for _ in range(40):
            if kill_within(driver.pid, kind, self.random):
                return kind
            time.sleep(0.1)
        killed: list[str] = []

        def another() -> bool:
            killed.extend(islice((one for one in WITHIN if kill_within(driver.pid, one, self.random)), 1))
            return bool(killed)

        self.watch(driver, another)
        return killed[0]

    def watch(self, driver: subprocess.Popen[bytes], until: Any) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not until():
            self.feed()
            if driver.poll() is not None:
                raise SystemExit(f"the driver ended with {driver.returncode}: see {self.folder}/stderr.txt")
            if time.monotonic() > end:
                raise SystemExit(f"no progress for {PATIENCE} s: see {self.folder}/stderr.txt")
            time.sleep(0.05)

    def feed(self) -> None:  # noqa: B027  # jobs need nothing
        """Give it something to do."""

    def run(self, kills: int, minutes: float, within: int = 9) -> dict[str, Any]:
        """So many kills, unless the time is over; ``within`` of them in a driver's life, before it is killed itself."""
        while (left := kills - self.kills.total()) > 0 and time.monotonic() - self.began < 60 * minutes:
            drivers = sum(self.kills[kind] for kind in DRIVERS)
            its = [self.random.choice(WITHIN) for _ in range(min(within, left - 1))]
            self.live([*its, DRIVERS[drivers % len(DRIVERS)]])
        said = self.finish()
        ours, sparks = left_behind([self.folder / "local", self.folder / "tmp"])
        return {
            "kills": dict(self.kills), **said, "processes_that_stayed": dict(self.stayed), "our_files": ours,
            "bytes_of_spark": sparks, "seconds": round(time.monotonic() - self.began),
        }  # fmt: skip


class Jobs(Run):
    """Batch jobs that spill."""

    what = "jobs"

    def started(self, jobs: int = 1_000_000) -> subprocess.Popen[bytes]:
        """A driver of jobs."""
        command = [sys.executable, "-m", "tests.faults.jobs", str(self.folder), str(jobs), CLUSTER]
        with (self.folder / "stderr.txt").open("a") as errors:
            return subprocess.Popen(
                command, start_new_session=True, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                env=self.environment,
            )  # fmt: skip

    def progress(self) -> int:
        """When the last job was begun."""
        begun = self.folder / "begun"
        return begun.stat().st_mtime_ns if begun.exists() else 0

    def done(self) -> list[dict[str, Any]]:
        """What was said of each job that is done."""
        log = self.folder / "jobs.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def finish(self) -> dict[str, Any]:
        """All four jobs once more."""
        if self.started(len(self.done()) + 4).wait():
            raise SystemExit(f"the last driver failed: see {self.folder}/stderr.txt")
        done = self.done()
        sums = {name: sum(one[name] for one in done) for name in ("rows", "lost", "extra", "open", "spilled")}
        return {"jobs": len(done), **sums, "open_after_limit": int((self.folder / "limited").read_text())}


class Streams(Run):
    """Two streams in one driver."""

    what = "streams"

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.trial = Trial(folder, seed)
        java = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={folder}/tmp"
        self.settings = IN_CLUSTER | {"spark.executor.extraJavaOptions": java}

    def started(self) -> subprocess.Popen[bytes]:
        """A driver of both."""
        return stream_driver.started(self.folder, NAMES, settings=self.settings, environment=self.environment)

    def progress(self) -> int:
        """Micro-batches begun and committed."""
        return sum(sum(self.trial.written(name)) for name in NAMES)

    def feed(self) -> None:
        """Some files are always unread."""
        self.trial.fill()

    def finish(self) -> dict[str, Any]:
        """To the end of the feed; against the batch run."""
        verdicts = self.trial.finish()
        failures = self.folder / "failures.txt"
        return {
            "batches": sum(self.trial.written(name)[1] + 1 for name in NAMES),
            "rows": sum(one.rows for one in verdicts),
            "lost": sum(one.lost for one in verdicts),
            "extra": sum(one.extra for one in verdicts),
            "queries_started_again": failures.read_text().count("\n---\n") if failures.exists() else 0,
        }
