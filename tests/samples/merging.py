"""A table into which the rows of a stream are merged, in plain Python; it checks what is said of them."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from samples.replays import TIMES

MARKS = ("iw_row", "iw_part", "iw_revision", "iw_withdrawn")
# What a bound may be, as one writes it, and as what is taken off a time
BOUNDS: dict[str, list[tuple[Any, Any]]] = {
    "int64": [(0, 0), (1, 1), (3, 3), (8, 8), (40, 40)],
    "timestamp": [("500 ms", timedelta(seconds=0.5)), ("2 seconds", timedelta(seconds=2)), ("1 hour", timedelta(hours=1))],
    "seconds": [("1500 ms", timedelta(seconds=1)), ("4 seconds", timedelta(seconds=4)), ("1 hour", timedelta(hours=1))],
    "date": [("1 day", timedelta(days=1)), ("60 hours", timedelta(days=2)), ("90 days", timedelta(days=90))],
}  # fmt: skip


@st.composite
def disordered(draw: st.DrawFn, time: str) -> tuple[list[pa.Table], list[Any]]:
    """(micro-batches, watermarks) as of ``replays.streams``, but always many tuples, many of them behind a watermark."""
    kind, moment, _, _ = TIMES[time]
    random = Random(draw(st.integers(0, 2**32)))
    count, size = random.randint(3, 7), random.randint(12, 30)
    at = sorted(random.randrange(count) for _ in range(size))
    reach = random.choice([3, 8, 20])  # how far back tuples go
    times = [None if random.random() < 0.05 else moment(3 * its - random.randint(0, reach)) for its in at]
    pick = lambda *values: [random.choice(values) for _ in at]  # noqa: E731
    table = pa.table({
        "k": pa.array(pick("a", "a", "b", None), pa.string()), "t": pa.array(times, kind),
        "v": pa.array(pick(*range(30), None), pa.int64()), "ok": pa.array(pick(True, True, False, None), pa.bool_()),
        "id": pa.array(range(size), pa.int64()),
    })  # fmt: skip
    marks = sorted(3 * its - random.randint(0, 4) for its in range(count))
    unknown = random.randint(0, 1)
    watermarks = [None if number < unknown else moment(mark) for number, mark in enumerate(marks)]
    return [table.filter(pa.array([one == number for one in at])) for number in range(count)], watermarks


class Merged:
    """The newest revision of each row."""

    def __init__(self, by: Sequence[str]) -> None:
        self.by = by
        self.rows: dict[str, dict[str, Any]] = {}  # also those that were withdrawn

    def merge(self, batch: pa.Table) -> None:
        """Take the rows of a micro-batch."""
        seen = set()
        for row in batch.to_pylist():
            name = repr([row[column] for column in self.by])
            assert name not in seen, f"{name} comes twice in one micro-batch"
            seen.add(name)
            before = self.rows.get(name)
            assert row["iw_revision"] == (0 if before is None else before["iw_revision"] + 1), (before, row)
            if before is not None and not before["iw_withdrawn"]:
                assert repr(plain(before)) != repr(plain(row)) or row["iw_withdrawn"], f"{row} has not changed"
            else:
                assert not row["iw_withdrawn"], f"{row} was never there"
            self.rows[name] = row

    def newest(self) -> list[dict[str, Any]]:
        """The rows that are there, without their marks."""
        return [plain(row) for row in self.rows.values() if not row["iw_withdrawn"]]


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the columns of its revision."""
    return {name: value for name, value in row.items() if name not in MARKS}


def within(batches: list[pa.Table], watermarks: list[Any], bound: Any) -> tuple[pa.Table, list[int]]:
    """The tuples that come at most so far behind a processed watermark; and the ids of the others."""
    kept, late, passed = [], [], None
    for batch, watermark in zip(batches, watermarks, strict=True):
        mask = [t is not None and (passed is None or t >= passed - bound) for t in batch["t"].to_pylist()]
        kept.append(batch.filter(pa.array(mask, pa.bool_())))
        late += batch.filter(pa.array([not one for one in mask], pa.bool_()))["id"].to_pylist()
        passed = watermark if watermark is not None else passed
    return pa.concat_tables(kept), late
