"""Thirty-day features of one day: from thirty days of tuples, and from the panes of 29 days and the tuples of one.

python -m benchmarks.saved_panes
"""

import resource
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import inwindow as iw

USERS, PER_DAY, DAYS = 5_000, 300_000, 30
START = datetime(2026, 3, 1)
FEATURES = {
    "spent": iw.sum("price"),
    "mean": iw.avg("price"),
    "top": iw.max("price"),
    "n": iw.count(),
    "sd": iw.stddev("price"),
}


def tuples(day: int) -> pa.Table:
    """The sales of a day."""
    random = np.random.default_rng(day)
    base = int(np.datetime64(START, "us").astype(np.int64)) + day * 86_400_000_000
    return pa.table(
        {
            "user": random.integers(0, USERS, PER_DAY),
            "ts": pa.array(base + random.integers(0, 86_400_000_000, PER_DAY), pa.timestamp("us")),
            "price": random.random(PER_DAY),
        }
    )


def main() -> None:
    """Measure both, in turns, in CPU seconds, with reading and writing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("sales", "panes"):
            (folder / part).mkdir()
        for day in range(DAYS):
            pq.write_table(tuples(day), folder / "sales" / f"{day}.parquet")
        for day in range(DAYS - 1):
            save(folder, day)
        times: dict[str, list[float]] = {"tuples": [], "panes": []}
        for _ in range(3):
            for kind, query in (("tuples", of_tuples), ("panes", of_panes)):
                before = resource.getrusage(resource.RUSAGE_SELF)
                rows = query(folder)
                after = resource.getrusage(resource.RUSAGE_SELF)
                times[kind].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                assert len(rows) == USERS
        for kind, its in times.items():
            size = sum(path.stat().st_size for path in (folder / ("sales" if kind == "tuples" else "panes")).iterdir())
            print(
                f"{kind:7} {min(its):6.2f} CPU s of {', '.join(f'{one:.2f}' for one in its)}; files {size / 1e6:.0f} MB"
            )


def save(folder: Path, day: int) -> None:
    """The panes of a day, in a file of their own."""
    days = iw.tumble("ts", size="1 day")
    panes = iw.group_by(pq.read_table(folder / "sales" / f"{day}.parquet"), "user").window(days).partials(**FEATURES)
    pq.write_table(panes, folder / "panes" / f"{day}.parquet")


def of_tuples(folder: Path) -> pa.Table:
    """The last thirty days, from all their tuples."""
    month = iw.tumble("ts", size=f"{DAYS} days", origin=START)
    return iw.group_by(ds.dataset(folder / "sales").to_table(), "user").window(month).agg(**FEATURES)


def of_panes(folder: Path) -> pa.Table:
    """The same from panes; those of the last day are made now."""
    save(folder, DAYS - 1)
    month = iw.tumble("start", size=f"{DAYS} days", origin=START)
    rolled = {name: iw.saved(name, one) for name, one in FEATURES.items()}
    return iw.group_by(ds.dataset(folder / "panes").to_table(), "user").window(month).agg(**rolled)


if __name__ == "__main__":
    main()
