"""One worker for thousands of micro-batches: does its memory grow? Without Spark: the turns of a bucket, as its operators run them.

Three queries in one process: frames of hooks, all kinds of outputs with late and bad tuples, and corrections. The feed is endless:
new keys come, time goes on. A line for each 200 micro-batches.

    python -m benchmarks.long_worker --minutes 5
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import stream_feed as feed
from benchmarks import stream_outputs
from inwindow.runtime.plain import in_stream
from inwindow.runtime.spark.buckets import Turns
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.stream_job import job_of
from inwindow.runtime.spark.turn_output import FAILED, LATE, ROW
from inwindow.runtime.stream.replay_stream import Stream

ROWS, KEYS, STEP, START, DELAY = 500, 25, 5_000_000, 1_800_000_000_000_000, 3_000_000
EVERY = 200


def kinds(df: Any) -> Any:
    """Rows, late tuples, bad tuples."""
    return stream_outputs._kinds(df)


def corrected(df: Any) -> Any:
    """Rows that are corrected for ten seconds."""
    return stream_outputs._corrected(df, allowed_lateness="10 seconds")


QUERIES: dict[Callable[[Any], Any], tuple[str, ...]] = {
    feed.ranges: (ROW,),
    kinds: (ROW, LATE, FAILED),
    corrected: (ROW, LATE),
}


def tuples(number: int, random: Any) -> pa.Table:
    """A micro-batch; one tuple in 211 is late."""
    at = START + number * STEP + random.integers(-2_000_000, STEP, ROWS)
    at[::211] -= 9_000_000
    its = [
        pa.array([f"{number // 4}-{key}" for key in random.integers(0, KEYS, ROWS)]),
        pa.array(at, feed.SCHEMA.field("ts").type),
        random.integers(-50, 50, ROWS).astype(float),
        np.arange(number * ROWS, (number + 1) * ROWS),
    ]
    return pa.table(its, schema=feed.SCHEMA)


def job(query: Callable[[Any], Any], kinds: tuple[str, ...]) -> bytes:
    """The query as workers get it."""
    plan = query(Stream(feed.SCHEMA))
    made = job_of(plan.part, plan.schema, "UTC")
    others = [field for field in feed.SCHEMA if field.name not in made.schema.names]
    columns = {kind: tuple(feed.SCHEMA.names) if kind == LATE else None for kind in kinds}
    return shipped(replace(made, beside=pa.schema(others), kinds=columns))


def resident() -> float:
    """MB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    end = time.monotonic() + 60 * parser.parse_args().minutes
    jobs = {query: job(query, its) for query, its in QUERIES.items()}
    states: dict[Any, bytes | None] = dict.fromkeys(jobs)
    random, number = np.random.default_rng(3), 0
    while time.monotonic() < end:
        table = tuples(number, random)
        for query, shipped_job in jobs.items():
            turns = Turns(shipped_job)  # each task has its own
            payload = in_stream(table.select(turns.job.arriving.names).combine_chunks().to_batches()[0])
            taken = turns.take(0, states[query], [(0, payload)], (START + number * STEP - DELAY) // 1000)
            state = states[query] = taken.bucket.state()
            for _ in turns.output.of(taken, len(state)):
                pass
        number += 1
        if number % EVERY == 0:
            print(f"{number} micro-batches: {resident():.0f} MB, of which Arrow {pa.total_allocated_bytes() / 1e6:.1f}")


if __name__ == "__main__":
    main()
