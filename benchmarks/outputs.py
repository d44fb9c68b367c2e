"""The price of iw.outputs: whole tuples cross to Python, and late ones come back, where a plain result has only what it reads.

Without Spark: the turns of one bucket, as its operators run them, with the packing of tuples before and of payloads behind. What
Spark does between these is not in it: whole tuples are also shuffled. CPU of this process, interleaved; the best of five.

    python -m benchmarks.outputs
"""

import resource
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from inwindow.runtime.plain import in_stream
from inwindow.runtime.spark.buckets import StreamJob, Turns
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.stream_job import job_of
from inwindow.runtime.spark.turn_output import LATE, ROW
from inwindow.runtime.stream.replay_stream import Stream

ROWS, BATCHES, KEYS, SPAN = 40_000, 10, 1000, 60_000_000  # a micro-batch is a minute
WIDE = 6  # columns that the query does not read


def query(df: Any) -> Any:
    """A row per tuple, with few of its columns."""
    return iw.select(df, "k", "ts", n=iw.sum("v").over(iw.range("60 seconds", partition_by="k", order_by="ts")))


def batches(late: int, wide: bool) -> list[pa.Table]:
    """Micro-batches, of which one tuple in ``late`` is late (0: none)."""
    random, made = np.random.default_rng(1), []
    for number in range(BATCHES):
        at = np.sort(random.integers(0, SPAN, ROWS)) + (number + 1) * SPAN
        if late:
            at[::late] -= 10 * SPAN
        its = {
            "k": random.integers(0, KEYS, ROWS),
            "ts": pa.array(at, pa.timestamp("us", "UTC")),
            "v": random.integers(0, 100, ROWS).astype(float),
        }
        its |= {f"c{at}": random.random(ROWS) for at in range(WIDE // 2)} if wide else {}
        its |= (
            {f"t{at}": pa.array(random.integers(0, 10**9, ROWS)).cast(pa.string()) for at in range(WIDE // 2)}
            if wide
            else {}
        )
        made.append(pa.table(its))
    return made


def jobs(tuples: pa.Table) -> dict[str, StreamJob]:
    """The same query, plain and with all its outputs."""
    plan = query(Stream(tuples.select(["k", "ts", "v"]).schema))
    job = job_of(plan.part, plan.schema, "UTC")
    others = [field for field in tuples.schema if field.name not in job.schema.names]
    kinds = {ROW: None, LATE: tuple(tuples.schema.names)}
    return {"plain": job, "outputs": replace(job, beside=pa.schema(others), kinds=kinds)}


def run(job: StreamJob, given: list[pa.Table]) -> int:
    """All micro-batches; how many bytes came back."""
    turns, state, size = Turns(shipped(job)), None, 0
    for number, table in enumerate(given):
        payload = in_stream(table.select(job.arriving.names).combine_chunks().to_batches()[0])
        taken = turns.take(0, state, [(0, payload)], (number * SPAN) // 1000)
        state = taken.bucket.state()
        size += sum(len(one["rows"] or b"") for one in turns.output.of(taken, len(state)))
    return size


def cpu(action: Callable[[], object]) -> float:
    """Microseconds of CPU for each row."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    action()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds * 1e6 / (ROWS * BATCHES)


def main() -> None:
    """A table for RESULTS.md."""
    print("| columns | late | plain, us a row | outputs, us a row | more |\n|---|---|---|---|---|")
    for wide in (False, True):
        for late in (0, 100, 10):
            given = batches(late, wide)
            its = jobs(given[0])
            best = dict.fromkeys(its, float("inf"))
            for _ in range(5):
                for name, job in its.items():
                    best[name] = min(best[name], cpu(partial(run, job, given)))
            share = f"1 in {late}" if late else "none"
            more = best["outputs"] - best["plain"]
            columns = 3 + WIDE * wide
            print(f"| {columns} | {share} | {best['plain']:.2f} | {best['outputs']:.2f} | {more:.2f} |")


if __name__ == "__main__":
    main()
