"""The kernels against Polars, pandas, bottleneck, numbagg and DuckDB: 10 million values, one thread, windows 10 to 100,000.

A contender that takes more than a microsecond a tuple is measured on the first 100,000 tuples (marked \\*), so are kernels whose
result grows with the window. "Exact" leaves out bottleneck and numbagg, whose running sums drift and are poisoned by NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import bottleneck as bn
import duckdb
import numbagg
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds
from inwindow.optimizer.planning import plan_windows
from inwindow.udaf.native import WITH_MASK

TUPLES = 10_000_000
FEW = 100_000
WINDOWS = (10, 1_000, 100_000)
LISTS = (10, 100)  # windows of kernels whose results are lists of the frame
SLOW = 1_000.0  # ns a tuple


@dataclass(frozen=True)
class Contest:
    """A kernel and what one would use instead, each as a function of the window on data of ``TUPLES`` or ``FEW`` values."""

    ours: Callable[[], iw.Applied]
    sql: str | None = None
    polars: Callable[[pl.DataFrame, int], Any] | None = None
    pandas: Callable[[pd.DataFrame, int], Any] | None = None
    bottleneck: Callable[[Any, int], Any] | None = None
    numbagg: Callable[[Any, int], Any] | None = None
    windows: tuple[int, ...] = WINDOWS


def rolling(polars: str | None, pandas: str | None, bottleneck: str | None = None, numbag: str | None = None) -> Any:
    """The contenders of one column, by the names of their methods."""
    free = {"ddof": 1} if bottleneck in ("move_var", "move_std") else {}
    return {
        "polars": polars and (lambda data, w: getattr(data["v"], polars)(w, min_samples=1)),
        "pandas": pandas and (lambda data, w: getattr(data["v"].rolling(w, min_periods=1), pandas)()),
        "bottleneck": bottleneck and (lambda data, w: getattr(bn, bottleneck)(data["v"], w, 1, **free)),
        "numbagg": numbag and (lambda data, w: getattr(numbagg, numbag)(data["v"], window=w, min_count=1)),
    }


def paired(polars: str, pandas: str, numbag: str) -> Any:
    """The contenders of two columns."""
    return {
        "polars": lambda data, w: data.select(getattr(pl, polars)("v", "w", window_size=w, min_samples=1)),
        "pandas": lambda data, w: getattr(data["v"].rolling(w, min_periods=1), pandas)(data["w"]),
        "numbagg": lambda data, w: getattr(numbagg, numbag)(data["v"], data["w"], window=w, min_count=1),
    }


def ranks(method: Any, column: str = "v") -> Any:
    """The contenders of the newest value's rank; bottleneck has no exact one."""
    return {
        "polars": lambda data, w: data[column].rolling_rank(w, method=method, min_samples=1),
        "pandas": lambda data, w: data[column].rolling(w, min_periods=1).rank(method=method),
    }


def slope_by_pandas(data: pd.DataFrame, w: int) -> Any:
    """Pandas has no regression over windows: the covariance over the variance."""
    of = data["v"].rolling(w, min_periods=1)
    return of.cov(data["w"]) / data["w"].rolling(w, min_periods=1).var()


def slope_by_polars(data: pl.DataFrame, w: int) -> Any:
    """Nor has Polars."""
    return data.select(
        pl.rolling_cov("v", "w", window_size=w, min_samples=1) / pl.col("w").rolling_var(w, min_samples=1)
    )


CONTESTS: dict[str, Contest] = {
    "count": Contest(lambda: iw.count("v"), "count(v)", **rolling(None, "count")),
    "sum": Contest(lambda: iw.sum("v"), "sum(v)", **rolling("rolling_sum", "sum", "move_sum", "move_sum")),
    "sum of decimals": Contest(lambda: iw.sum("d"), "sum(d)"),
    "avg": Contest(lambda: iw.avg("v"), "avg(v)", **rolling("rolling_mean", "mean", "move_mean", "move_mean")),
    "product": Contest(lambda: iw.product("v"), "product(v)"),
    "min": Contest(lambda: iw.min("v"), "min(v)", **rolling("rolling_min", "min", "move_min")),
    "max": Contest(lambda: iw.max("v"), "max(v)", **rolling("rolling_max", "max", "move_max")),
    "max of strings": Contest(lambda: iw.max("s"), "max(s)"),
    "max_by": Contest(lambda: iw.max_by("w", "v"), "arg_max(w, v)"),
    "var_samp": Contest(
        lambda: iw.var_samp("v"), "var_samp(v)", **rolling("rolling_var", "var", "move_var", "move_var")
    ),
    "stddev_samp": Contest(
        lambda: iw.stddev_samp("v"), "stddev_samp(v)", **rolling("rolling_std", "std", "move_std", "move_std")
    ),
    "skewness": Contest(lambda: iw.skewness("v"), "skewness(v)", **rolling("rolling_skew", "skew")),
    "kurtosis": Contest(lambda: iw.kurtosis("v"), "kurtosis_pop(v)", **rolling("rolling_kurtosis", "kurt")),
    "covar_samp": Contest(
        lambda: iw.covar_samp("v", "w"), "covar_samp(v, w)", **paired("rolling_cov", "cov", "move_cov")
    ),
    "corr": Contest(lambda: iw.corr("v", "w"), "corr(v, w)", **paired("rolling_corr", "corr", "move_corr")),
    "regr_slope": Contest(lambda: iw.regr_slope("v", "w"), "regr_slope(v, w)", pandas=slope_by_pandas, polars=slope_by_polars),
    "regr_avgx": Contest(lambda: iw.regr_avgx("v", "w"), "regr_avgx(v, w)"),
    "median": Contest(lambda: iw.median("v"), "median(v)", **rolling("rolling_median", "median", "move_median")),
    "percentile 0.99": Contest(
        lambda: iw.percentile("v", 0.99),
        "quantile_cont(v, 0.99)",
        polars=lambda data, w: data["v"].rolling_quantile(0.99, "linear", w, min_samples=1),
        pandas=lambda data, w: data["v"].rolling(w, min_periods=1).quantile(0.99),
    ),
    "percentile_approx of ints": Contest(lambda: iw.percentile_approx("i", 0.5), "quantile_disc(i, 0.5)"),
    "rank": Contest(lambda: iw.rank("v"), "rank(ORDER BY v)", **ranks("min")),
    "rank by average": Contest(lambda: iw.rank("v", method="average"), **ranks("average")),
    "rank of few values": Contest(lambda: iw.rank("i"), "rank(ORDER BY i)", **ranks("min", "i")),
    "dense_rank": Contest(lambda: iw.dense_rank("v")),
    "percent_rank": Contest(lambda: iw.percent_rank("v"), "percent_rank(ORDER BY v)"),
    "mode": Contest(lambda: iw.mode("i"), "mode(i)"),
    "count_distinct": Contest(
        lambda: iw.count_distinct("i"), "count(DISTINCT i)",
        pandas=lambda data, w: data["i"].rolling(w, min_periods=1).nunique(),
    ),
    "sum_distinct": Contest(lambda: iw.sum_distinct("i"), "sum(DISTINCT i)"),
    "try_sum": Contest(lambda: iw.try_sum("i"), "sum(i)", **rolling(None, None)),
    "string_agg_distinct": Contest(lambda: iw.string_agg_distinct("s", ","), "string_agg(DISTINCT s, ',')", windows=LISTS),
    "first": Contest(lambda: iw.first("v"), "first_value(v)", **rolling(None, "first")),
    "last": Contest(lambda: iw.last("v"), "last_value(v)", **rolling(None, "last")),
    "nth_value": Contest(lambda: iw.nth_value("v", 3), "nth_value(v, 3)"),
    "bool_and": Contest(lambda: iw.bool_and("b"), "bool_and(b)"),
    "bit_and": Contest(lambda: iw.bit_and("i"), "bit_and(i)"),
    "bit_xor": Contest(lambda: iw.bit_xor("i"), "bit_xor(i)"),
    "ewm_avg": Contest(lambda: iw.ewm_avg("v", alpha=0.1)),
    "ewm_avg by time": Contest(lambda: iw.ewm_avg("v", half_life=10, times="t")),
    "decayed_avg": Contest(lambda: iw.decayed_avg("v")),
    "ones_in_window": Contest(lambda: iw.ones_in_window("b")),
    "frequent_items": Contest(lambda: iw.frequent_items("i", 0.05)),
    "priority_sample(4)": Contest(lambda: iw.priority_sample("v", 4)),
    "collect_list": Contest(lambda: iw.collect_list("v"), "list(v)", windows=LISTS),
    "collect_set": Contest(lambda: iw.collect_set("i"), "list(DISTINCT i)", windows=LISTS),
    "string_agg": Contest(lambda: iw.string_agg("s", ","), "string_agg(s, ',')", windows=LISTS),
}  # fmt: skip


@cache
def data(tuples: int) -> pa.Table:
    """v, w doubles; i integers, few and skewed; b booleans, d decimals, s strings, t times that ascend."""
    draw = np.random.default_rng(7)
    i = np.minimum(draw.geometric(0.02, tuples), 1000)
    cents = pa.array([Decimal(n).scaleb(-2) for n in range(1000)], pa.decimal128(12, 2))
    words = pa.array([f"item {n:04}" for n in range(1000)])
    return pa.table(
        {
            "v": draw.normal(size=tuples), "w": draw.normal(size=tuples), "i": i, "b": draw.random(tuples) < 0.5,
            "d": cents.take(pa.array(draw.integers(0, 1000, tuples))),
            "s": words.take(pa.array(draw.integers(0, 1000, tuples))), "t": np.cumsum(draw.integers(0, 9, tuples)),
        }
    )  # fmt: skip


def report(tuples: int = TUPLES) -> str:
    """The table, with what it says about the targets."""
    rows = [
        [name, f"{window:,}", *measure(contest, window, tuples)]
        for name, contest in CONTESTS.items()
        for window in contest.windows
    ]
    shown = [[*row[:2], *(cell and f"{cell[0]:.1f}{cell[1]}" for cell in row[2:]), ratio(row)] for row in rows]
    header = [
        "ns per tuple", "window", "kernel", "with_columns", "DuckDB", "Polars", "pandas", "bottleneck", "numbagg",
        "fastest other, exact",
    ]  # fmt: skip
    return f"{markdown(header, shown)}\n\n{verdict(rows)}"


def measure(contest: Contest, window: int, tuples: int) -> list[Any]:
    """One row: ours as a bare kernel and end to end, then the others."""
    grows = contest.windows is LISTS
    applied = contest.ours().over(iw.rows(window))
    made: list[Callable[[int], Callable[[], Any]] | None] = [
        lambda n: kernel(data(n), applied, window),
        lambda n: lambda: iw.with_columns(data(n), x=applied),
        contest.sql and (lambda n: in_duckdb(contest.sql, window, n)),
    ]
    kinds = (
        (contest.polars, lambda n: pl.DataFrame(data(n).select(["v", "w", "i"]))),
        (contest.pandas, lambda n: data(n).select(["v", "w", "i"]).to_pandas()),
        (contest.bottleneck, as_numpy),
        (contest.numbagg, as_numpy),
    )
    made += [of and (lambda n, of=of, read=read: bound(of, read(n), window)) for of, read in kinds]
    return [one and timed(one, FEW if grows else tuples, grows) for one in made]


def bound(of: Callable[[Any, int], Any], values: Any, window: int) -> Callable[[], Any]:
    """A contender on its data."""
    return lambda: of(values, window)


def as_numpy(tuples: int) -> dict[str, Any]:
    """The doubles."""
    return {name: data(tuples)[name].to_numpy() for name in ("v", "w")}


def timed(make: Callable[[int], Callable[[], Any]], tuples: int, grows: bool) -> tuple[float, str]:
    """Nanoseconds a tuple, and a mark where it was measured on fewer tuples."""
    few = nanoseconds(make(FEW), FEW, patience=1.0)
    if grows or tuples <= FEW or few > SLOW:
        return few, "*" if tuples > FEW or grows else ""
    return nanoseconds(make(tuples), tuples), ""


def in_duckdb(sql: str, window: int, tuples: int) -> Callable[[], Any]:
    """The window in SQL, over a table of DuckDB's own."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    connection.register("arrow", data(tuples).append_column("n", pa.array(range(tuples))))
    connection.execute("CREATE TABLE t AS SELECT * FROM arrow")
    query = f"SELECT {sql} OVER (ORDER BY n ROWS {window - 1} PRECEDING) AS x FROM t"
    return lambda: connection.sql(query).to_arrow_table()


def kernel(table: pa.Table, applied: iw.Applied, window: int) -> Callable[[], Any]:
    """The bare kernel on (values, start, end)."""
    native = plan_windows(table.schema, {"x": applied})[0].steps[0].implementation.native
    assert native is not None
    at = np.arange(len(table))
    start, end = np.maximum(at - window + 1, 0), at + 1
    columns = [table.column(name).combine_chunks() for name in applied.columns]
    columns = [native_column(column, native.input_of(at)) for at, column in enumerate(columns)]
    if native.reads == "numbered":
        columns.append(pa.array(at))
    values = columns[0] if len(columns) == 1 else tuple(columns)
    seen = (None,) if native.reads in WITH_MASK else ()
    return lambda: native.kernel(True).roll(values, 0, start, end, *seen)


def native_column(column: pa.Array, kind: pa.DataType | None) -> pa.Array:
    """As the kernel takes it."""
    return column if kind is None or kind == column.type else column.cast(kind)


def others(row: list[Any], *, exact: bool = False) -> list[float]:
    """The contenders' figures."""
    return [cell[0] for cell in (row[4:7] if exact else row[4:]) if cell]


def ratio(row: list[Any]) -> str | None:
    """The fastest exact contender by ours."""
    theirs = others(row, exact=True)
    return f"{min(theirs) / row[2][0]:.1f}x" if theirs else None


def verdict(rows: list[list[Any]]) -> str:
    """How the table stands against the targets."""
    beaten = [row for row in rows if others(row, exact=True)]
    slower = [f"{r[0]} at {r[1]}" for r in beaten if min(others(r, exact=True)) < r[2][0]]
    ends = [f"{r[0]} at {r[1]}" for r in beaten if min(others(r, exact=True)) < r[3][0]]
    inexact = [(f"{r[0]} at {r[1]}", r[2][0] / min(c[0] for c in r[7:9] if c)) for r in rows if r[7] or r[8]]
    worst, most = max(inexact, key=lambda pair: pair[1])
    return "\n".join(
        [
            f"- Rows where an exact contender is faster than our kernel: {', '.join(slower) or 'none'}.",
            f"- Rows where one is faster than `iw.with_columns`, end to end: {', '.join(ends) or 'none'}.",
            f"- At most {most:.1f} times bottleneck's or numbagg's time, for {worst} (target: 2.5).",
            "- Published for the C++ reference algorithms of sliding windows, sum, ns a tuple on other machines: "
            "subtract-on-evict 9 to 18, two-stacks-lite 16 to 19, DABA-lite 18 to 19, FiBA in order 60 to 143.",
        ]
    )
