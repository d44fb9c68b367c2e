"""Putting a table in order: the rows by key and time, and a rolling average over 1,000 tuples of each key.

CPU nanoseconds per row, one thread, the best of a few runs that take turns. "Order": the row numbers in order, of a table of
keys and times; `as seen` with the keys in the order of their first appearance, `by value` in their own. "Average": the whole of
`with_columns` on a table of key, time and double. Targets: 60 for (integer, timestamp), 5 where they are in order.

``POLARS_MAX_THREADS=1 python -m benchmarks.ordering [--rows N ...] [--only order|average]`` for a part; each row is printed
as it is measured. All of it takes some ten minutes, most of them in the others' runs over ten million rows.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from benchmarks.measure import markdown
from inwindow.optimizer.plan import Pass
from inwindow.runtime.ordering import permutation, permutation_by_value
from inwindow.windows.spec import Order

SIZES = (1_000_000, 10_000_000)
YEAR = 365 * 86_400_000_000  # microseconds
WORK = Pass(("k",), (Order("t"),), (), None, None, False)
PATIENCE = 4.0  # seconds: who has taken longer is not run again
Contenders = dict[str, Callable[[], Any] | None]


MEASURED: dict[str, tuple[Callable[[pa.Table], list[float | None]], list[str]]] = {
    "order": (lambda table: order(table), ["as seen", "by value", "np.lexsort", "pyarrow", "Polars", "DuckDB"]),
    "average": (lambda table: average(table), ["inwindow", "Polars", "pandas", "DuckDB"]),
}


def main() -> None:
    """A part of the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ordering", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--only", choices=list(MEASURED))
    asked = parser.parse_args()
    if pl.thread_pool_size() > 1:
        parser.error("CPU time is compared on one thread: set POLARS_MAX_THREADS=1")
    print(report(tuple(asked.rows), asked.only))


def report(sizes: tuple[int, ...] = SIZES, only: str | None = None) -> str:
    """Both tables; of all but the first size integers alone."""
    return "\n\n".join(measured(sizes, what) for what in MEASURED if only in (None, what))


def measured(sizes: tuple[int, ...], what: str) -> str:
    """A table, each row of which is printed when it is known."""
    action, names = MEASURED[what]
    rows = []
    for size in sizes:
        for title, table in data_of(size, others_too=size == sizes[0]):
            rows.append([f"{size:,}", title, *action(table)])
            print(markdown([what, "keys and times", *names], rows).splitlines()[-1], file=sys.stderr, flush=True)
    return markdown([what, "keys and times", *names], rows)


def data_of(rows: int, *, others_too: bool) -> Iterator[tuple[str, pa.Table]]:
    """Tables of so many rows, made when it is their turn."""
    yield from integers(rows)
    if others_too:
        yield from others(rows)


def integers(rows: int) -> Iterator[tuple[str, pa.Table]]:
    """Few and many keys, and times in four orders of arrival."""
    draw = np.random.default_rng(7)
    for count in (64, 10_000, rows // 10):
        key, times = draw.integers(0, count, rows), draw.integers(0, YEAR, rows)
        for title, order in arrivals(key, times).items():
            yield f"{count:,} integers, times {title}", table_of(pa.array(key[order]), stamps(times[order]))


def others(rows: int) -> Iterator[tuple[str, pa.Table]]:
    """Other types, in no order."""
    draw = np.random.default_rng(8)
    key, times = draw.integers(0, 10_000, rows), stamps(draw.integers(0, YEAR, rows))
    at, tenth = pa.array(key), pa.array(draw.integers(0, rows // 10, rows))
    yield "10,000 names", table_of(names(10_000).take(at), times)
    yield f"{rows // 10:,} names", table_of(names(rows // 10).take(tenth), times)
    yield "10,000 texts of 32 hex digits", table_of(digests(10_000).take(at), times)
    yield "10,000 integers, names as times", table_of(at, names(rows).take(pa.array(draw.permutation(rows))))
    wide, nulls = draw.integers(-(2**63), 2**63, 10_000), draw.random(rows) < 0.1
    doubles = pa.array(draw.normal(size=rows), mask=nulls)
    yield "10,000 integers of 64 bits, doubles and NULLs as times", table_of(pa.array(wide[key]), doubles)


def arrivals(key: Any, times: Any) -> dict[str, Any]:
    """How rows come: in no order, by time, by key and time, in eight runs of these."""
    eighth = len(key) // 8
    runs = [
        start + np.lexsort((times[start : start + eighth], key[start : start + eighth]))
        for start in range(0, 8 * eighth, eighth)
    ]
    return {
        "random": np.arange(len(key)), "in order": np.argsort(times), "of each key in order": np.lexsort((times, key)),
        "in 8 sorted runs": np.concatenate(runs),
    }  # fmt: skip


def table_of(key: pa.Array, times: pa.Array) -> pa.Table:
    """k, t and a double."""
    rows = min(len(key), len(times))
    return pa.table(
        {"k": key.slice(0, rows), "t": times.slice(0, rows), "v": np.random.default_rng(8).normal(size=rows)}
    )


def stamps(times: Any) -> pa.Array:
    """Timestamps of microseconds."""
    return pa.array(times).view(pa.timestamp("us"))


def names(count: int) -> pa.Array:
    """As people make them up."""
    return pa.array([f"customer-{number:08}" for number in range(count)])


def digests(count: int) -> pa.Array:
    """As machines do."""
    return pa.array([f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}" for number in range(count)])


def order(table: pa.Table) -> list[float | None]:
    """The row numbers in order, by each."""
    places = table.select(["k", "t"])
    key, times = (column.combine_chunks() for column in places.columns)
    plain = not (pa.types.is_string(key.type) or pa.types.is_string(times.type) or times.null_count)
    levels = (times.to_numpy().view(np.int64), key.to_numpy()) if plain else None
    frame = pl.from_arrow(places)
    ours: Contenders = {
        "as seen": lambda: permutation(places, WORK),
        "by value": lambda: permutation_by_value(places, WORK),
        "numpy": levels and (lambda: np.lexsort(levels)),
        "pyarrow": lambda: pc.sort_indices(places, [("k", "ascending"), ("t", "ascending")]),
        "polars": lambda: frame.select(pl.arg_sort_by("k", "t", maintain_order=True)),
        "duckdb": in_duckdb(places, "SELECT n FROM rows ORDER BY k, t"),
    }
    return raced(ours, len(table))


def average(table: pa.Table) -> list[float | None]:
    """A rolling average, by each."""
    window = iw.rows(1000, partition_by="k", order_by="t")
    frame, rows = pl.from_arrow(table), table.to_pandas()
    ours: Contenders = {
        "inwindow": lambda: iw.with_columns(table, x=iw.avg("v").over(window)),
        "polars": lambda: frame.with_columns(x=pl.col("v").rolling_mean(1000, min_samples=1).over("k", order_by="t")),
        "pandas": lambda: in_pandas(rows),
        "duckdb": in_duckdb(
            table, "SELECT k, t, v, avg(v) OVER (PARTITION BY k ORDER BY t ROWS 999 PRECEDING) AS x FROM rows"
        ),
    }
    return raced(ours, len(table))


def in_pandas(rows: pd.DataFrame) -> pd.DataFrame:
    """In the order of arrival, as the others."""
    rolled = (
        rows.sort_values(["k", "t"], kind="stable").groupby("k", sort=False)["v"].rolling(1000, min_periods=1).mean()
    )
    return rows.assign(x=rolled.droplevel(0))


def in_duckdb(table: pa.Table, query: str) -> Callable[[], Any]:
    """A query over a table of DuckDB's own, its rows numbered n."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    connection.register("arrow", table.append_column("n", pa.array(np.arange(len(table)))))
    connection.execute("CREATE TABLE rows AS SELECT * FROM arrow")
    return lambda: connection.sql(query).to_arrow_table()


def raced(contenders: Contenders, rows: int, runs: int = 3) -> list[float | None]:
    """CPU nanoseconds per row of each: one run after the other, then again."""
    best: dict[str, float] = {}
    spent = dict.fromkeys(contenders, 0.0)
    for _ in range(runs):
        for name, action in contenders.items():
            if action is None or spent[name] > PATIENCE:
                continue
            start = time.process_time()
            action()
            elapsed = time.process_time() - start
            spent[name] += elapsed
            best[name] = min(best.get(name, elapsed), elapsed)
    return [best[name] / rows * 1e9 if name in best else None for name in contenders]


if __name__ == "__main__":
    main()
