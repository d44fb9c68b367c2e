"""Memory on Spark: one key with 50 million rows, the average over ROWS 1000 PRECEDING, and a JVM with a heap of 2 GB.

``python -m benchmarks.spark_memory [--rows N] [--keys N] [--budget 64m] [--write]``; more than one key are shuffled to two tasks.
Each contender is a process of its own, with its own JVM. Shown is the peak resident set of any Python worker, and that of
the JVM. As the latter is limited by the heap in any case, what the JVM buffers shows in what its tasks spill to disk, beside
what the bare sort does.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Any

from benchmarks import spark_cases as on
from benchmarks.measure import markdown
from benchmarks.process_tree import Process, tree
from benchmarks.results import put
from benchmarks.spark_data import session, stream

WINDOW = 1_001  # the current row, and 1000 preceding
TARGET = 300e6
MOST = 14e9  # bytes of all Python workers together: who takes more is stopped
CONTENDERS = {
    "sort": on.SORT,
    "floor": on.FLOOR,
    "builtin": on.BUILTINS["avg"],
    "class": on.HOOKS,
    "merge": on.MERGE,
    "tree": on.TREES["avg"],
    "no-tree": on.NO_TREE,
    "pandas": on.ROLLING,
}
OURS = ("builtin", "class", "merge")
SPILLED, TOOK = "spilled:", "took:"


@dataclass
class Peaks:
    """The largest sizes seen, in bytes."""

    worker: int = 0
    jvm: int = 0
    workers_now: int = 0

    def look(self, processes: list[Process]) -> None:
        """Look at a process tree once more."""
        workers = [process for process in processes if process.is_worker]
        self.worker = max([self.worker, *(process.memory() for process in workers)])
        self.jvm = max([self.jvm, *(process.memory() for process in processes if process.is_jvm)])
        self.workers_now = sum(process.memory("VmRSS") for process in workers)


@dataclass(frozen=True)
class Outcome:
    """How it went with a contender; without ``seconds``, ``failed`` says why."""

    peaks: Peaks
    seconds: float | None = None
    spilled: int | None = None
    failed: str = ""

    def row(self, title: str, rows: int) -> list[Any]:
        """A row of the table."""
        sizes = [self.peaks.worker / 1e6, self.peaks.jvm / 1e6, None if self.spilled is None else self.spilled / 1e6]
        shown = [None if size is None else f"{size:,.0f}" for size in sizes]
        rate = None if self.seconds is None else f"{rows / self.seconds / 1e6:.2f}"
        return [title, *shown, self.seconds or self.failed, rate]


def main() -> None:
    """All contenders; or, as a child, one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--keys", type=int, default=1)
    parser.add_argument("--budget", help="spark.inwindow.memory, unless it is the default")
    parser.add_argument("--patience", type=float, default=1_800, help="seconds for a contender")
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, default=list(CONTENDERS), help="some contenders")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    parser.add_argument("--run", choices=CONTENDERS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        run(CONTENDERS[asked.run], asked.rows, asked.keys, asked.budget)
        return
    more = ["--rows", str(asked.rows), "--keys", str(asked.keys), *(["--budget", asked.budget] if asked.budget else [])]
    text = report(asked.rows, more, asked.patience, asked.only)
    print(text)
    if asked.write:
        put("spark_memory", text)


def report(rows: int, more: list[str], patience: float, names: list[str]) -> str:
    """A row per contender, and how ours stand against the target."""
    outcomes: dict[str, Outcome] = {}
    for name in names:
        outcomes[name] = measured(name, more, patience)
        print(f"{name}: {outcomes[name]}", file=sys.stderr, flush=True)
    header = ["", "Python worker, MB", "JVM, MB", "spilled to disk, MB", "seconds", "million rows/s"]
    lines = [outcome.row(CONTENDERS[name], rows) for name, outcome in outcomes.items()]
    return f"{__doc__}\n\n{' '.join(more)}\n\n{markdown(header, lines)}\n\n{verdict(outcomes)}"


def verdict(outcomes: dict[str, Outcome]) -> str:
    """How ours stand against the target."""
    workers = [outcomes[name].peaks.worker for name in OURS if name in outcomes]
    if not workers:
        return ""
    return f"- The Python worker of ours takes at most {max(workers) / 1e6:,.0f} MB (target: {TARGET / 1e6:.0f} MB)."


def measured(name: str, more: list[str], patience: float) -> Outcome:
    """A contender in a process of its own, watched."""
    command = [sys.executable, "-m", "benchmarks.spark_memory", "--run", name, *more]
    peaks, start, stopped = Peaks(), time.perf_counter(), ""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        while child.poll() is None:
            processes = tree(child.pid)
            peaks.look(processes)
            if peaks.workers_now > MOST:
                stopped = f"stopped at {MOST / 1e9:.0f} GB"
            elif time.perf_counter() - start > patience:
                stopped = f"stopped after {patience:,.0f} s"
            if stopped:
                end(processes)
                child.wait()
            time.sleep(0.1)
        said.seek(0)
        return told(said, peaks, stopped)


def end(processes: list[Process]) -> None:
    """End a process tree of ours."""
    for process in processes:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def told(said: IO[str], peaks: Peaks, stopped: str) -> Outcome:
    """What the child has said."""
    lines = said.readlines()
    numbers = {mark: line.removeprefix(mark) for mark in (SPILLED, TOOK) for line in lines if line.startswith(mark)}
    if TOOK in numbers:
        return Outcome(peaks, float(numbers[TOOK]), int(numbers[SPILLED]))
    reasons = [line.strip() for line in lines if "Error" in line or "Exception" in line] or ["ended without a word"]
    memory = [reason for reason in reasons if "OutOfMemory" in reason or "MemoryError" in reason]
    return Outcome(peaks, failed=stopped or (memory or reasons)[0][:160])


def run(title: str, rows: int, keys: int, budget: str | None) -> None:
    """In the child: the contender, and what it spilled."""
    settings = {"spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "2"}
    spark = session(**settings | ({"spark.inwindow.memory": budget} if budget else {}))
    case = next(case for case in on.cases() if case.title == title)
    start = time.perf_counter()
    case.run(stream(spark, rows, f"id % {keys}").drop("id"), WINDOW)
    print(f"{TOOK}{time.perf_counter() - start}")
    print(f"{SPILLED}{sum(spilled(spark).values())}", flush=True)
    spark.stop()


def spilled(spark: Any) -> dict[int, int]:
    """Bytes that each stage has written to disk for want of memory, as Spark's web page shows them: of the latest thousand."""
    context, java = spark.sparkContext._jsc.sc(), spark._jvm.java
    context.listenerBus().waitUntilEmpty()
    nothing, no_numbers = java.util.ArrayList, spark.sparkContext._gateway.new_array(spark._jvm.double, 0)
    stages = context.statusStore().stageList(nothing(), False, False, no_numbers, nothing())
    found = (stages.apply(at) for at in range(stages.size()))
    return {stage.stageId(): stage.diskBytesSpilled() for stage in found}


if __name__ == "__main__":
    main()
