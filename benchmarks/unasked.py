"""A four-hook average that is compiled without being asked, beside what one would take instead.

``python -m benchmarks.unasked [--tuples N] [--runs N] [--write]``. Million tuples per CPU second of the whole call, the best of
interleaved runs on one thread, over one key or 100, sorted by key and time. `unasked` is a process that has compiled the class
before; `first call` is the first one of a new process (with its million of tuples by Python hooks, or a hundred thousand where the
cache has the class), all that it imports and compiles included. Python hooks run on a tenth of the tuples.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.hooks import Interpreted, MyAvg
from benchmarks.measure import markdown, nanoseconds
from benchmarks.results import put

WINDOWS = (100, 1_000)
KEYS = (1, 100)


def tables(tuples: int, keys: int) -> pa.Table:
    """Sorted by key and time."""
    each = tuples // keys
    values = np.random.default_rng(7).normal(100.0, 10.0, each * keys)
    return pa.table({"k": np.repeat(np.arange(keys), each), "t": np.tile(np.arange(each), keys), "v": values})


def calls(table: pa.Table, keys: int, window: int) -> dict[str, tuple[Callable[[], Any], int]]:
    """What is measured, each with its number of tuples."""
    by: Any = {"partition_by": "k", "order_by": "t"} if keys > 1 else {"order_by": "t"}
    over, few = iw.rows(window, **by), table.slice(0, len(table) // 10)
    pandas, polars = table.to_pandas(), pl.from_arrow(table)
    assert isinstance(polars, pl.DataFrame)

    def ours(one: Any, its: pa.Table) -> tuple[Callable[[], Any], int]:
        return lambda: iw.with_columns(its, x=one("v").over(over)), len(its)

    def rolling() -> Any:
        if keys == 1:
            return pandas["v"].rolling(window, min_periods=1).mean()
        return pandas.groupby("k", sort=False)["v"].rolling(window, min_periods=1).mean()

    mean = pl.col("v").rolling_mean(window, min_samples=1)
    its = mean.over("k") if keys > 1 else mean
    return {
        "Python hooks": ours(Interpreted(), few),
        "unasked": ours(MyAvg(), table),
        "iw.compiled": ours(iw.compiled(MyAvg()), table),
        "iw.avg": ours(iw.avg, table),
        "pandas": (rolling, len(table)),
        "Polars": (lambda: polars.with_columns(x=its), len(table)),
    }


def measured(tuples: int, runs: int) -> str:
    """A row for each number of keys and window."""
    rows = []
    for keys in KEYS:
        table = tables(tuples, keys)
        for window in WINDOWS:
            its = calls(table, keys, window)
            its["unasked"][0]()  # compiles it
            spent = dict.fromkeys(its, float("inf"))
            for _ in range(runs):
                for name, (call, count) in its.items():
                    spent[name] = min(spent[name], nanoseconds(call, count, runs=1))
            rows.append([keys, f"{window:,}", *(1000 / ns for ns in spent.values())])
            print(rows[-1], file=sys.stderr, flush=True)
    return markdown(["keys", "window", *its], rows)


def first_calls(tuples: int) -> str:
    """Of new processes: nothing in the cache, then what the one before has left there."""
    code = (
        "import time, inwindow as iw; from benchmarks.unasked import MyAvg, tables\n"
        f"table = tables({tuples}, 1); before = time.process_time()\n"
        "iw.with_columns(table, x=MyAvg()('v').over(iw.rows(1000, order_by='t')))\n"
        "print(time.process_time() - before)"
    )
    with tempfile.TemporaryDirectory(prefix="inwindow-unasked-") as folder:
        env = {**os.environ, "INWINDOW_CACHE": folder, "OMP_NUM_THREADS": "1"}
        spent = [
            float(subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout)
            for _ in range(2)
        ]
    rows = [[f"{seconds:.2f}", tuples / seconds / 1e6] for seconds in spent]
    return markdown(
        ["first call of a process", "CPU s", "million tuples/s"],
        [["nothing in the cache", *rows[0]], ["the class in the cache", *rows[1]]],
    )


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unasked", description=__doc__)
    parser.add_argument("--tuples", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    parts = [__doc__ or "", measured(asked.tuples, asked.runs), first_calls(asked.tuples)]
    text = "\n\n".join(part.strip() for part in parts)
    print(text)
    if asked.write:
        put("unasked", text)


if __name__ == "__main__":
    main()
