"""A soak: a stream for half an hour, bounded disorder, keys that come and go, a driver that is killed now and then.

Each micro-batch is a file of the same size, read as soon as the one before is done. Written down: what the buckets hold (observed
metrics), the JVM's and each Python worker's resident memory, and how long each micro-batch took. All should stay flat; and at the
end the rows must be those of the batch run. (How many workers there are depends on what else the machine does: Spark ends those
that were idle for a minute. So their sum says nothing of a leak.)

    python -m benchmarks.soak --minutes 30 --restart 5 --folder /tmp/soak
"""

import argparse
import os
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks import plot, stream_driver
from benchmarks import stream_feed as feed
from benchmarks.process_tree import tree

NAMES = ["leaving", "ranges", "kinds", "corrected"]
ROWS, KEYS, LIFETIME = 2000, 100, 4  # per file; keys of a generation; files that it lives for
AHEAD = 3
TRIES = 5  # of the last driver: on a busy machine Spark may give up a start ("Python worker failed to connect back")
MEGA = 1 << 20


class Soak:
    """The feed, the drivers, and what was seen of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files, self.began = folder, 0, time.monotonic()
        self.memory: list[tuple[float, int, list[int]]] = []  # minutes, bytes of the JVM, bytes of each Python worker
        self.kills: list[float] = []
        (folder / "feed").mkdir(parents=True)

    @property
    def minutes(self) -> float:
        """Since the beginning."""
        return (time.monotonic() - self.began) / 60

    def run(self, minutes: float, restart: float) -> None:
        """Feed and watch; kill the driver every ``restart`` minutes."""
        driver, since = stream_driver.started(self.folder, NAMES), self.minutes
        while self.minutes < minutes:
            self._fill()
            if driver.poll() is not None:
                raise SystemExit(f"the driver ended with {driver.returncode}: see {self.folder}/stderr.txt")
            its = tree(driver.pid)
            jvms = {p.pid: p.memory("VmRSS") for p in its if p.is_jvm}
            workers = [p.memory("VmRSS") for p in its if p.is_worker and p.parent not in jvms]  # without daemons
            self.memory.append((self.minutes, sum(jvms.values()), workers))
            if self.minutes - since > restart:
                self._kill(driver)
                driver, since = stream_driver.started(self.folder, NAMES), self.minutes
            time.sleep(1)
        self._kill(driver)

    def _fill(self) -> None:
        begun = [
            max((int(n) for n in os.listdir(path) if n.isdigit()), default=-1)
            for path in self.folder.glob("checkpoint_*/offsets")
        ]
        while self.files <= max(begun, default=0) + AHEAD:
            feed.put(self.folder / "feed", self.files, feed.tuples(self.files, ROWS, KEYS, LIFETIME))
            self.files += 1

    def _kill(self, driver: Any) -> None:
        stream_driver.stopped(driver)
        self.kills.append(self.minutes)

    def finish(self) -> list[stream_driver.Verdict]:
        """To the end of the stream; the rows against the batch run's."""
        feed.put(self.folder / "feed", self.files, feed.ending(self.files))
        if all(stream_driver.started(self.folder, NAMES, finish=True).wait() for _ in range(TRIES)):
            raise SystemExit(f"the last driver failed: see {self.folder}/stderr.txt")
        table = pa.concat_tables([feed.tuples(number, ROWS, KEYS, LIFETIME) for number in range(self.files)])
        return stream_driver.against_batch(self.folder, NAMES, table)


def batches(folder: Path, name: str) -> list[dict[str, Any]]:
    """A query's micro-batches with data, each once, without the first two of a driver (they start workers and compile)."""
    found: dict[int, dict[str, Any]] = {}
    runs: Counter[str] = Counter()
    for one in stream_driver.progress(folder, name):
        runs[one["runId"]] += 1
        if runs[one["runId"]] > 2 and one["numInputRows"]:
            found[one["batchId"]] = one
    return [found[number] for number in sorted(found)]


def percentile(values: list[float], share: float) -> float:
    """A percentile of what was measured."""
    return statistics.quantiles(values, n=100, method="inclusive")[round(share * 100) - 1]


def report(soak: Soak, verdicts: list[stream_driver.Verdict]) -> str:
    """Thirds of the run side by side: what grows, shows."""
    lines = [
        f"{soak.minutes:.1f} minutes, {soak.files} files of {ROWS} tuples, {feed.STEP:.0f} s of event time each, up to "
        f"{feed.DISORDER:.0f} s of disorder; {2 * KEYS} keys at a time, half of them new every {LIFETIME} files; the driver was "
        f"killed {len(soak.kills)} times. " + "; ".join(map(str, verdicts)) + ".",
        "",
        "| query | third | micro-batches | p50 ms | p99 ms | live tuples | waiting tuples | state MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in NAMES:
        its = batches(soak.folder, name)
        for third in range(3):
            some = its[len(its) * third // 3 : len(its) * (third + 1) // 3]
            took = [float(one["durationMs"]["triggerExecution"]) for one in some]
            metric = {
                m: statistics.median(one["inwindow"][m] for one in some)
                for m in ("live_tuples", "waiting_tuples", "state_bytes")
            }
            lines.append(
                f"| {name} | {third + 1} | {len(some)} | {percentile(took, 0.5):.0f} | {percentile(took, 0.99):.0f} | "
                f"{metric['live_tuples']:.0f} | {metric['waiting_tuples']:.0f} | {metric['state_bytes'] / MEGA:.2f} |"
            )
    lines += [
        "",
        "| third | JVM, MB resident (median) | Python workers (median) | MB resident of one (median) | (most) |",
        "|---|---|---|---|---|",
    ]
    for third in range(3):
        rows = soak.memory[len(soak.memory) * third // 3 : len(soak.memory) * (third + 1) // 3]
        each = [size / MEGA for row in rows for size in row[2]]
        jvm, count = statistics.median(row[1] for row in rows) / MEGA, statistics.median(len(row[2]) for row in rows)
        lines.append(f"| {third + 1} | {jvm:.0f} | {count:.0f} | {statistics.median(each):.0f} | {max(each):.0f} |")
    return "\n".join(lines)


def draw(soak: Soak) -> None:
    """``docs/figures/soak.svg``."""
    numbered = {name: list(enumerate(batches(soak.folder, name))) for name in NAMES}
    time_ = plot.Axis("micro-batch")
    latency = [
        plot.Line(name, [(i, one["durationMs"]["triggerExecution"] / 1000) for i, one in its])
        for name, its in numbered.items()
    ]
    state = [
        plot.Line(name, [(i, one["inwindow"]["state_bytes"] / MEGA) for i, one in its])
        for name, its in numbered.items()
    ]
    some = soak.memory[::10]
    memory = [
        plot.Line("JVM", [(minutes, jvm / MEGA) for minutes, jvm, _ in some]),
        plot.Line("largest Python worker", [(minutes, max(each) / MEGA) for minutes, _, each in some if each]),
    ]
    panels = [
        plot.Panel("Micro-batch", time_, plot.Axis("seconds"), latency),
        plot.Panel("State", time_, plot.Axis("MB"), state),
        plot.Panel("Resident memory", plot.Axis("minutes"), plot.Axis("MB"), memory),
    ]
    plot.save("soak", panels)


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--restart", type=float, default=5, help="minutes between two kills of the driver")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/inwindow_soak"))
    given = parser.parse_args()
    soak = Soak(given.folder)
    soak.run(given.minutes, given.restart)
    verdicts = soak.finish()
    print(report(soak, verdicts))
    draw(soak)
    if any(not verdict.identical for verdict in verdicts):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
