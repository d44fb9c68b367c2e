"""Cost flat in the window: CPU time per tuple at 100,000 tuples of window over that at 100. Target: at most 1.2."""

from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.hooks import MyAvg
from benchmarks.measure import markdown, nanoseconds

SMALL, LARGE = 100, 100_000


class Spread(iw.Aggregate):
    """Merge only: two-stacks."""

    def initialize(self, value):
        self.low = self.high = value

    def iterate(self, value):
        if value < self.low:
            self.low = value
        if value > self.high:
            self.high = value

    def merge(self, later):
        if later.low < self.low:
            self.low = later.low
        if later.high > self.high:
            self.high = later.high

    def terminate(self) -> float:
        return self.high - self.low


def report(tuples: int = 4_000_000) -> str:
    """A row per strategy and kernel."""
    values = np.random.default_rng(7).normal(size=tuples)
    table = pa.table({"v": values, "t": np.arange(tuples)})
    few = table.slice(0, tuples // 4)
    rows = [row("delta, Python class", few, MyAvg()), row("two-stacks, Python class", few, Spread())]
    for name in ("count", "sum", "avg", "min", "max", "var_samp", "stddev_pop", "first", "last", "count_distinct"):
        rows.append(row(f"kernel of {name}", table, getattr(iw, name)))
    rows.append(row("kernel of sum over RANGE", table, iw.sum, ranged=True))
    rows.append(row("kernel of median, O(log window)", table, iw.median))
    return markdown(["", f"ns per tuple, window {SMALL}", f"window {LARGE:,}", "ratio"], rows)


def row(title: str, table: pa.Table, aggregate: Any, *, ranged: bool = False) -> list[Any]:
    """Both windows, and their ratio."""
    times = []
    for size in (SMALL, LARGE):
        window = iw.range(size - 1, order_by="t") if ranged else iw.rows(size)
        applied = aggregate("v").over(window)
        times.append(nanoseconds(lambda: iw.with_columns(table, x=applied), len(table), runs=5))  # noqa: B023
    return [title, *times, f"{times[1] / times[0]:.2f}"]
