"""The kernels against Polars, pandas, bottleneck and numbagg: 10 million doubles, one thread, windows 10 to 100,000."""

from collections.abc import Callable
from typing import Any

import bottleneck as bn
import numbagg
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds
from inwindow.optimizer.plan import plan_windows

TUPLES = 10_000_000
WINDOWS = (10, 100, 1_000, 10_000, 100_000)

# ours -> (polars, pandas, bottleneck, numbagg); None where it has none
ROWS: dict[str, tuple[str, str, str | None, str | None]] = {
    "sum": ("rolling_sum", "sum", "move_sum", "move_sum"),
    "avg": ("rolling_mean", "mean", "move_mean", "move_mean"),
    "var_samp": ("rolling_var", "var", "move_var", "move_var"),
    "stddev_samp": ("rolling_std", "std", "move_std", "move_std"),
    "min": ("rolling_min", "min", "move_min", None),
    "max": ("rolling_max", "max", "move_max", None),
    "median": ("rolling_median", "median", "move_median", None),
}


def report(tuples: int = TUPLES) -> str:
    """The table, with what it says about the targets."""
    values = np.random.default_rng(7).normal(size=tuples)
    rows = []
    for name in ROWS:
        for window in WINDOWS:
            rows.append([name, f"{window:,}", *measure(name, window, values)])
    header = [
        "ns per tuple",
        "window",
        "kernel",
        "with_columns",
        "Polars",
        "pandas",
        "bottleneck",
        "numbagg",
        "fastest other, exact",
    ]
    return markdown(header, rows) + "\n\n" + verdict(rows)


def measure(name: str, window: int, values: np.ndarray[Any, Any]) -> list[Any]:
    """One row: ours as a bare kernel and end to end, then the others."""
    n = len(values)
    polars, pandas, bottleneck, numbag = ROWS[name]
    series, frame = pl.Series(values), pd.Series(values)
    table = pa.table({"v": values})
    applied = getattr(iw, name)("v").over(iw.rows(window))
    ours = [nanoseconds(kernel(table, applied, window), n), nanoseconds(lambda: iw.with_columns(table, x=applied), n)]
    others = [
        nanoseconds(lambda: getattr(series, polars)(window, min_samples=1), n),
        nanoseconds(lambda: getattr(frame.rolling(window, min_periods=1), pandas)(), n),
        None
        if bottleneck is None
        else nanoseconds(lambda: getattr(bn, bottleneck)(values, window, 1, **freedom(name)), n),
        None
        if numbag is None
        else nanoseconds(lambda: getattr(numbagg, numbag)(values, window=window, min_count=1), n),
    ]
    exact = [others[0], others[1], others[3]]
    return [*ours, *others, f"{min(x for x in exact if x is not None) / ours[0]:.1f}x"]


def freedom(name: str) -> dict[str, int]:
    """bottleneck's variances divide by n unless told."""
    return {"ddof": 1} if name in ("var_samp", "stddev_samp") else {}


def kernel(table: pa.Table, applied: iw.Applied, window: int) -> Callable[[], Any]:
    """The bare kernel on (values, start, end)."""
    native = plan_windows(table.schema, {"x": applied})[0].steps[0].implementation.native
    assert native is not None
    values = table.column("v").combine_chunks()
    at = np.arange(len(values))
    start, end = np.maximum(at - window + 1, 0), at + 1
    return lambda: native.kernel(True).roll(values, 0, start, end)


def verdict(rows: list[list[Any]]) -> str:
    """How the table stands against the targets."""
    slower = [f"{r[0]} at {r[1]}" for r in rows if any(o is not None and o < r[2] for o in (r[4], r[5], r[7]))]
    end_to_end = [f"{r[0]} at {r[1]}" for r in rows if any(o is not None and o < r[3] for o in (r[4], r[5], r[7]))]
    means = [r[2] / r[6] for r in rows if r[0] == "avg"]
    return "\n".join(
        [
            f"- Rows where Polars, pandas or numbagg is faster than our kernel: {', '.join(slower) or 'none'}.",
            f"- Rows where one of them is faster than `iw.with_columns`, end to end: {', '.join(end_to_end) or 'none'}.",
            f"- Our mean takes {min(means):.1f} to {max(means):.1f} times bottleneck's (neither compensated nor NaN-safe).",
        ]
    )
