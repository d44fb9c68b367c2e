"""Fading averages and sketches: one thread, CPU time per tuple of 5 million, the best of three. ``python -m benchmarks.fading``

Fading: all tuples so far (the others have no frames), a tenth of the weight from one tuple to the next, or a half-life by time. The
exact ones of 100 hops are what sketches are to be compared with: a hop of 500,000 tuples every 50,000.
"""

import pandas as pd
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.kernels import data
from benchmarks.measure import markdown, nanoseconds
from benchmarks.results import put

TUPLES = 5_000_000
SO_FAR = iw.unbounded(order_by="t")


def fading() -> list[list[object]]:
    """A row for each way to fade."""
    table = data(TUPLES).select(["v", "t"])
    frame, polars = table.to_pandas(), pl.DataFrame(table)
    moments = pd.to_datetime(frame["t"], unit="s")
    timed = polars.with_columns(pl.Series("at", moments.to_numpy()))
    others = {
        "by tuple": (
            iw.ewm_avg("v", alpha=0.1),
            lambda: frame["v"].ewm(alpha=0.1).mean(),
            lambda: polars.select(pl.col("v").ewm_mean(alpha=0.1)),
        ),
        "a recursion": (
            iw.ewm_avg("v", alpha=0.1, adjust=False),
            lambda: frame["v"].ewm(alpha=0.1, adjust=False).mean(),
            lambda: polars.select(pl.col("v").ewm_mean(alpha=0.1, adjust=False)),
        ),
        "by time": (
            iw.ewm_avg("v", half_life=10, times="t"),
            lambda: frame["v"].ewm(halflife="10s", times=moments).mean(),
            None,
        ),
        "by time, a recursion": (
            iw.ewm_avg("v", half_life=10, times="t", adjust=False),
            None,
            lambda: timed.select(pl.col("v").ewm_mean_by("at", half_life="10s")),
        ),
    }
    return [
        [name, *(one and nanoseconds(one, TUPLES) for one in (calls(table, ours), pandas, in_polars))]
        for name, (ours, pandas, in_polars) in others.items()
    ]


def calls(table: pa.Table, ours: iw.Applied):  # type: ignore[no-untyped-def]
    """End to end."""
    return lambda: iw.with_columns(table, x=ours.over(SO_FAR))


def sketches() -> list[list[object]]:
    """A row for each sketch, beside what is exact."""
    table = data(TUPLES).select(["v", "i", "t"]).append_column("n", pa.array(range(TUPLES)))
    hops = iw.hop("n", size=500_000, every=50_000)
    made = {
        "percentile 0.9": (iw.kll_percentile("v", 0.9), iw.percentile("v", 0.9)),
        "distinct": (iw.hll_count_distinct("t"), iw.count_distinct("t")),
        "distinct, theta": (iw.theta_sketch_agg("t"), iw.count_distinct("t")),
    }
    return [
        [name, *(nanoseconds(lambda one=one: iw.group_by(table).window(hops).agg(x=one), TUPLES) for one in both)]
        for name, both in made.items()
    ]


def report() -> str:
    """Two tables."""
    one = markdown(["ns per tuple, all so far", "inwindow", "pandas", "Polars"], fading())
    return f"{one}\n\n{markdown(['ns per tuple, hops', 'sketch', 'exact'], sketches())}"


if __name__ == "__main__":
    put("fading", f"{__doc__}\n\n{report()}")
