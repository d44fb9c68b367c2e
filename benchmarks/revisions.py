"""What ``allowed_lateness=`` costs: buckets as on Spark, with their states stored between micro-batches, but without Spark.

``python -m benchmarks.revisions [--rows N] [--batch N] [--runs N] [--write]``. One million rows at 1,000 a second under a watermark
of two seconds, a bound of five minutes, eight buckets. Some tuples come later than the watermark allows, by 15 seconds on average
(exponential), never by more than the bound. CPU microseconds per arriving row, the median of runs that take turns; beside it
how many rows come out for each that arrives.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.results import put
from inwindow.runtime.stream.replay import in_buckets
from inwindow.testing.fuzz.simulation import Planned

SECOND = 1_000_000
DELAY, BOUND = 2 * SECOND, "5 minutes"
LATE = 15 * SECOND  # on average
BUCKETS = 8
SCHEMA = pa.schema([("k", pa.int64()), ("ts", pa.timestamp("us", "UTC")), ("v", pa.float64()), ("id", pa.int64())])
OVER = {"partition_by": "k", "order_by": "ts"}


class Left(iw.WindowAggregate):
    """The average when a tuple leaves."""

    def initialize(self, v: float) -> None:
        self.total, self.count = v, 1

    def iterate(self, v: float) -> None:
        self.total += v
        self.count += 1

    def expire(self, v: float) -> float:
        self.total -= v
        self.count -= 1
        return self.total / self.count if self.count else 0.0


QUERIES: dict[str, Callable[..., Any]] = {
    "sum, RANGE 60 s": lambda df, **o: iw.with_columns(df, x=iw.sum("v").over(iw.range("60 seconds", **OVER)), **o),
    "hooks, active expiration 60 s": lambda df, **o: iw.select(
        df, "id", "k", x=Left()("v").over(iw.range("60 seconds", active_expiration=True, **OVER)), **o
    ),
    "avg, tumble 10 s": lambda df, **o: iw.group_by(df, "k").window(iw.tumble("ts", size="10 seconds")).agg(x=iw.avg("v"), **o),
}  # fmt: skip


def feed(rows: int, batch: int, keys: int, share: float) -> tuple[list[pa.Table], list[int]]:
    """The micro-batches, and the watermark of each."""
    random = np.random.default_rng(7)
    time_ = np.arange(rows) * SECOND // 1000
    late = np.minimum(random.exponential(LATE, rows), 280 * SECOND)
    comes = time_ + np.where(random.random(rows) < share, DELAY + late, random.integers(0, DELAY // 2, rows))
    order = np.argsort(comes, kind="stable")
    table = pa.table(
        [
            random.integers(0, keys, rows),
            pa.array(time_).cast(SCHEMA.field("ts").type),
            random.random(rows),
            np.arange(rows),
        ],
        schema=SCHEMA,
    ).take(pa.array(order))
    batches = [table.slice(at, batch) for at in range(0, rows, batch)]
    newest = np.maximum.accumulate([int(time_[order[at : at + batch]].max()) for at in range(0, rows, batch)])
    return batches, [0, *(newest - DELAY).tolist()]


def run(planned: Planned, batches: list[pa.Table], watermarks: list[int]) -> tuple[int, int, int]:
    """Rows that come out; the bytes of the state, at the end of the last micro-batch but one; and the bytes that were written."""
    buckets = planned.fresh(BUCKETS)
    heads: list[bytes | None] = [None] * BUCKETS
    stores: list[dict[int, bytes]] = [{} for _ in buckets]
    out = size = written = 0
    for table, watermark in zip([*batches, None], watermarks, strict=True):
        size = 0
        for at, (bucket, piece) in enumerate(zip(buckets, in_buckets(planned.plan, table, BUCKETS), strict=True)):
            bucket.begin(at)
            if heads[at] is not None:
                bucket.restore(heads[at], stores[at].__getitem__)
            out += bucket.step(piece, watermark or None).rows.num_rows
            changed = bucket.changed()
            for number in changed.removed:
                del stores[at][number]
            stores[at] |= changed.chunks
            heads[at], size = changed.head, size + changed.size
            written += len(changed.head) + sum(map(len, changed.chunks.values()))
    return out, size, written


def measured(rows: int, batch: int, runs: int, keys: list[int]) -> list[list[str]]:
    lines = []
    for name, count in product(QUERIES, keys):
        shares = {"no bound": 0.0, "0 %": 0.0, "0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1}
        feeds = {share: feed(rows, batch, count, share) for share in set(shares.values())}
        found: dict[str, list[float]] = {said: [] for said in shares}
        others: dict[str, tuple[int, int, int]] = {}
        for _ in range(runs):
            for said, share in shares.items():
                option = {} if said == "no bound" else {"allowed_lateness": BOUND}
                planned = Planned(partial(QUERIES[name], **option), SCHEMA)
                start = time.process_time()
                others[said] = run(planned, *feeds[share])
                found[said].append((time.process_time() - start) / rows * 1e6)
        line = [f"{name}, {count:,} keys"]
        for said in shares:
            line.append(f"{median(found[said]):.2f} ({others[said][0] / rows:.2f})")
        line.append(f"{others['no bound'][1] / 1e6:.1f} / {others['0 %'][1] / 1e6:.1f}")
        lines.append(line)
        print(" | ".join(line), flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=40_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keys", type=int, nargs="+", default=[8, 10_000])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines = measured(given.rows, given.batch, given.runs, given.keys)
    if given.write:
        head = ["query", "no bound", "bound, 0 % late", "0.1 %", "1 %", "10 %", "state, MB: without / with"]
        put("Corrections", f"{__doc__}\n\n{markdown(head, lines)}")


if __name__ == "__main__":
    main()
