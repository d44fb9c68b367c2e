"""Many small streams side by side in one: a case per namespace of keys, each with a temper of its own.

All share the watermark. Tuples that are late are so by far, so that which they are depends on no detail of when a watermark
moves; all others are at most the delay behind.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa

CASES = 24
BATCHES = 4
START = datetime(2026, 3, 8, 6, 59, 30, tzinfo=UTC)  # half a minute before New York's clocks go forward
STEP, DELAY = timedelta(seconds=20), timedelta(seconds=5)
DDL = "case string, k string, ts timestamp, v double, w double, n bigint, s string, ok boolean, id bigint"
SCHEMA = pa.schema(
    [
        ("case", pa.string()), ("k", pa.string()), ("ts", pa.timestamp("us", "UTC")), ("v", pa.float64()), ("w", pa.float64()),
        ("n", pa.int64()), ("s", pa.string()), ("ok", pa.bool_()), ("id", pa.int64()),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Cases:
    """Micro-batches, and the ids of the tuples that come too late."""

    batches: list[pa.Table]
    late: set[int]

    @property
    def on_time(self) -> pa.Table:
        """What results are made of, in the order in which it came; without the tuple that ends the stream."""
        rows = [row for table in self.batches for row in table.to_pylist()]
        return pa.Table.from_pylist([r for r in rows if r["id"] not in self.late and r["case"] != "end"], SCHEMA)

    @property
    def all_rows(self) -> pa.Table:
        """All tuples."""
        return pa.concat_tables(self.batches)


def cases(seed: int) -> Cases:
    """The streams of a seed; a tuple far ahead ends them, so that the last watermark passes all others."""
    random = Random(seed)
    batches: list[pa.Table] = []
    late: set[int] = set()
    latest = [START]
    number = 0
    for index in range(BATCHES):
        base, rows = START + index * STEP, []
        for case in range(CASES):
            for _ in range(_how_many(random, case, index)):
                row = _row(random, case, number, base)
                if random.random() < 0.04 and index >= 2:
                    row["ts"] = latest[index - 1] - DELAY - timedelta(seconds=random.randint(1, 30))
                    late.add(number)
                elif random.random() < 0.02:
                    row["ts"] = None
                    late.add(number)
                rows.append(row)
                number += 1
        random.shuffle(rows)
        if index == BATCHES - 1:
            rows.append(dict.fromkeys(SCHEMA.names) | {"case": "end", "ts": START + 100 * STEP, "id": number})
        latest.append(max(row["ts"] for row in rows if row["ts"] is not None))
        batches.append(pa.Table.from_pylist(rows, SCHEMA))
    return Cases(batches, late)


def _how_many(random: Random, case: int, index: int) -> int:
    if case % 6 == 1 and index in (1, 2):
        return 0  # goes quiet, and comes back
    if case % 6 == 2 and index != 1:
        return random.randint(0, 1)  # a burst
    return random.randint(1, 6) if case % 6 else random.randint(3, 9)


def _row(random: Random, case: int, number: int, base: datetime) -> dict[str, Any]:
    # Seconds make ties, microseconds none; some come out of order across the batches' border.
    spread = random.choice([random.randint(-4, 19), random.randint(0, 3)]) * 1_000_000
    if case % 2:
        spread += random.randint(0, 999_999)
    keys = ["a"] if case % 4 == 3 else ["a", "b", None]
    return {
        "case": f"{case:02}",
        "k": random.choice(keys),
        "ts": base + timedelta(microseconds=spread),
        "v": random.choice([float(random.randint(-5, 9)), None]) if case % 3 == 0 else float(random.randint(-5, 9)),
        "w": float(random.randint(0, 4)),
        "n": random.choice([random.randint(-4, 9), None]),
        "s": random.choice(["x", "y", "é", None]),
        "ok": random.choice([True, True, False, None]),
        "id": number,
    }
