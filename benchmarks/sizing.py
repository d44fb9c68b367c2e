"""Bytes of state per held tuple, by what a tuple has: for the page of operators (docs/operating.md).

Tuples of a minute, all of them held, replayed without Spark: the state is what a checkpoint would store.

    python -m benchmarks.sizing
"""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

import inwindow as iw

ROWS = 60_000
START = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = iw.range("1 minute", partition_by="k", order_by="ts")


def tuples(keys: int) -> pa.Table:
    """A minute of them: a key, a time, a price that looks random, a text of twelve letters."""
    rng = random.Random(7)
    times = sorted(START + timedelta(microseconds=rng.randrange(60_000_000)) for _ in range(ROWS))
    return pa.table({
        "k": [f"key{rng.randrange(keys)}" for _ in range(ROWS)],
        "ts": pa.array(times, pa.timestamp("us", "UTC")),
        "v": [rng.random() for _ in range(ROWS)],
        "w": [float(rng.randrange(100)) for _ in range(ROWS)],
        "note": ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=12)) for _ in range(ROWS)],
    })  # fmt: skip


COLUMNS = {  # on Spark only the columns that a query reads go to Python, and into the state
    "a key, a time": ["k", "ts"],
    "and a double of two digits": ["k", "ts", "w"],
    "and a double that looks random": ["k", "ts", "v"],
    "and a text of twelve letters, too": ["k", "ts", "v", "note"],
}


def counted(df: Any) -> Any:
    """A row for each tuple, over a minute: a tuple is held for a minute."""
    return iw.select(df, "k", n=iw.count().over(WINDOW))


def main() -> None:
    """A row for each query and number of keys."""
    print("| a tuple has | keys | held | bytes in the state | bytes in the worker's memory |")
    print("|---|---|---|---|---|")
    for keys in (100, 10_000):
        table = tuples(keys)
        for said, columns in COLUMNS.items():
            # The second file moves the watermark past all but a few tuples: they are held for frames, not waiting.
            its = table.select(columns)
            replayed = iw.testing.replay([its.slice(0, ROWS - 100), its.slice(ROWS - 100)], counted, delay="0 seconds")
            held = sum(bucket.live + bucket.waiting for bucket in replayed.buckets)
            stored = sum(len(bucket.state()) for bucket in replayed.buckets)
            memory = sum(bucket.held.nbytes for bucket in replayed.buckets)
            print(f"| {said} | {keys:,} | {held:,} | {stored / held:.1f} | {memory / held:.0f} |")


if __name__ == "__main__":
    main()
