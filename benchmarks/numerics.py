"""How far off the moving aggregates are: 10 million slides over adversarial data, against exact arithmetic.

``python -m benchmarks.numerics [--slides N] [--write]``. Windows of 10, 1,000 and 100,000 tuples slide by one; a cell is the
largest error found over all three (300, 300 and 30 frames each, spread over all slides), as a share of the natural scale:
for sum, avg and decayed_avg of that of the absolute values, for var_samp and product of the result, for covar_samp of both
standard deviations, for skewness and kurtosis of the same fraction with absolute values; for corr it is absolute. "NaN or
inf": the result is one where the true one is not. DuckDB does not slide but folds each frame in a tree: 1 million tuples
have to do.

In the rows of NaN and infinities (20 among all) a cell says how many results, of all, are not of the right kind: finite,
inf, -inf, NaN. For pandas, bottleneck and numbagg a NaN is a missing value, and right is what is true without it; for
pandas an infinity is missing, too, which here is wrong.
"""

import argparse
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import bottleneck as bn
import duckdb
import numbagg
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import inwindow as iw
from benchmarks.adversarial import HARD, pair, period, sprinkled
from benchmarks.exact import EXACT, Exact, Frame, error
from benchmarks.measure import markdown
from benchmarks.results import put

SLIDES = 10_000_000
OF_DUCKDB = 1_000_000
WINDOWS = {10: 300, 1_000: 300, 100_000: 30}  # the frames of each that are compared
PAIRS = ("covar_samp", "corr")
SPECIAL = (math.inf, -math.inf, -math.inf, math.inf, math.nan)
MISSING = ("pandas", "bottleneck", "numbagg")  # where NaN says that there is no value

Column = Any  # numpy's, of doubles
Roll = Callable[[Column, Column, int], Column]


@dataclass(frozen=True)
class Contest:
    """An aggregate, by the names that the contenders have for it."""

    sql: str | None = None
    polars: str | None = None
    pandas: str | None = None
    bottleneck: str | None = None
    numbagg: str | None = None


CONTESTS = {
    "sum": Contest("sum(v)", "rolling_sum", "sum", "move_sum", "move_sum"),
    "avg": Contest("avg(v)", "rolling_mean", "mean", "move_mean", "move_mean"),
    "var_samp": Contest("var_samp(v)", "rolling_var", "var", "move_var", "move_var"),
    "skewness": Contest("skewness(v)", "rolling_skew", "skew"),
    "kurtosis": Contest("kurtosis_pop(v)", "rolling_kurtosis", "kurt"),
    "covar_samp": Contest("covar_samp(v, w)", "rolling_cov", "cov", None, "move_cov"),
    "corr": Contest("corr(v, w)", "rolling_corr", "corr", None, "move_corr"),
    "product": Contest("product(v)"),
    "decayed_avg": Contest(),
}


# Each contender: its results, NULL as NaN


def in_inwindow(name: str) -> Roll:
    """Ours, end to end."""
    columns = ("v", "w") if name in PAIRS else ("v",)

    def roll(v: Column, w: Column, window: int) -> Column:
        applied = getattr(iw, name)(*columns).over(iw.rows(window))
        return iw.with_columns(pa.table({"v": v, "w": w}), x=applied)["x"].to_numpy()

    return roll


def in_pandas(name: str, method: str) -> Roll:
    """With pandas' default, full frames without a missing value; or, where there are some, any frame."""

    def roll(v: Column, w: Column, window: int) -> Column:
        rolling = pd.Series(v).rolling(window, min_periods=window // 2)
        made = getattr(rolling, method)(*([pd.Series(w)] if name in PAIRS else []))
        return of_population(name, made.to_numpy(), window)

    return roll


def in_polars(name: str, method: str) -> Roll:
    """A Series' method, or polars' function of two columns."""

    def roll(v: Column, w: Column, window: int) -> Column:
        if name not in PAIRS:
            return getattr(pl.Series(v), method)(window).cast(pl.Float64).to_numpy()
        data = pl.DataFrame({"v": v, "w": w})
        return data.select(getattr(pl, method)("v", "w", window_size=window)).to_series().to_numpy()

    return roll


def in_bottleneck(name: str, method: str) -> Roll:
    """One column only."""
    free = {"ddof": 1} if name == "var_samp" else {}
    return lambda v, w, window: getattr(bn, method)(v, window, window // 2, **free)


def in_numbagg(name: str, method: str) -> Roll:
    """One column, or two."""
    return lambda v, w, window: getattr(numbagg, method)(
        *((v, w) if name in PAIRS else (v,)), window=window, min_count=window // 2
    )


def in_duckdb(name: str, sql: str) -> Roll:
    """The window in SQL; errors are its way to say that a result is out of range."""

    def roll(v: Column, w: Column, window: int) -> Column:
        table = pa.table({"v": v, "w": w, "i": np.arange(len(v))})
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register("t", table)
            rows = f"SELECT {sql} OVER (ORDER BY i ROWS {window - 1} PRECEDING) AS x FROM t"
            made: Any = connection.execute(rows).to_arrow_table()
        got = made["x"].to_numpy()
        return of_population(name, got, window) if name == "skewness" else got

    return roll


def of_population(name: str, got: Column, n: int) -> Column:
    """Skewness and kurtosis of the population, from those that estimate them."""
    if name == "skewness":
        return got * (n - 2) / math.sqrt(n * (n - 1))
    if name == "kurtosis":
        return (got * (n - 2) * (n - 3) / (n - 1) - 6) / (n + 1)
    return got


def contenders(name: str) -> dict[str, Any]:
    """Who has it."""
    of = CONTESTS[name]
    return {
        "inwindow": in_inwindow(name),
        "pandas": of.pandas and in_pandas(name, of.pandas),
        "Polars": of.polars and in_polars(name, of.polars),
        "bottleneck": of.bottleneck and in_bottleneck(name, of.bottleneck),
        "numbagg": of.numbagg and in_numbagg(name, of.numbagg),
        "DuckDB": of.sql and in_duckdb(name, of.sql),
    }


def results(who: str, roll: Roll, v: Column, w: Column, window: int) -> Column | str:
    """The results, or that there was an error."""
    few = OF_DUCKDB if who == "DuckDB" else len(v)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return roll(v[:few], w[:few], window)
    except duckdb.Error:
        return "error"


# The errors


def sampled(n: int, window: int, frames: int, every: int) -> Iterator[int]:
    """Positions of newest tuples: a third as a burst leaves and just after, the others anywhere."""
    draw = np.random.default_rng(window)
    after = draw.integers(0, max(1, n // every), frames // 3) * every + draw.integers(0, 300, frames // 3)
    places = np.concatenate([after + window, draw.integers(window - 1, n, frames - frames // 3)])
    yield from np.unique(places[(places >= window - 1) & (places < n)]).tolist()


def references(names: list[str], v: Column, w: Column, window: int, frames: int) -> dict[str, dict[int, Exact]]:
    """The true results by aggregate and position. DuckDB's tuples have their share of the frames."""
    every = period(len(v))
    places = {*sampled(len(v), window, frames, every), *sampled(min(len(v), OF_DUCKDB), window, frames // 6, every)}
    exact: dict[str, dict[int, Exact]] = {name: {} for name in names}
    for at in sorted(places):
        rows = slice(at + 1 - window, at + 1)
        frame = Frame(v[rows], w[rows])
        for name in names:
            exact[name][at] = EXACT[name](frame)
    return exact


def worst(got: Column, exact: dict[int, Exact]) -> float:
    """The largest error."""
    return max(error(float(got[at]), true) for at, true in exact.items() if at < len(got))


def impossible(name: str, got: Column) -> bool:
    """A negative variance, or a correlation outside [-1, 1] by more than rounding."""
    if name == "var_samp":
        return bool((got < 0).any())
    return name == "corr" and bool((np.abs(got) > 1 + 1e-12).any())


def accuracy(title: str, slides: int) -> list[list[Any]]:
    """The rows of one data set."""
    v, w = pair(HARD[title], slides)
    errors: dict[tuple[str, str], list[Any]] = {}
    for window, frames in WINDOWS.items():
        exact = references(list(CONTESTS), v, w, window, frames)
        for name in CONTESTS:
            for who, roll in contenders(name).items():
                if roll is None:
                    continue
                got = results(who, roll, v, w, window)
                found = errors.setdefault((name, who), [0.0, False])
                if isinstance(got, str):
                    found[0] = math.inf
                    continue
                found[0] = max(found[0], worst(got, exact[name]))
                found[1] |= impossible(name, got)
    return [[name, title, *(shown(errors.get((name, who))) for who in contenders(name))] for name in CONTESTS]


def shown(found: list[Any] | None) -> str | None:
    """An error with two digits, and a dagger where a result is impossible."""
    if found is None:
        return None
    share = "NaN or inf" if math.isinf(found[0]) else "0" if found[0] == 0 else f"{found[0]:.0e}"
    return share + (" †" if found[1] else "")


# NaN and infinities


def kinds(name: str, v: Column, window: int, missing: bool) -> Column:
    """What each result must be: 0 finite, 1 inf, -1 -inf, 2 NaN."""
    n = len(v)
    held = {}
    for what, here in {"nan": np.isnan(v), "up": v == np.inf, "down": v == -np.inf}.items():
        count = np.concatenate([[0], np.cumsum(here)])
        held[what] = count[1:] - count[np.maximum(np.arange(1, n + 1) - window, 0)] > 0
    nan = held["nan"] & (not missing)
    if name not in ("sum", "avg", "decayed_avg"):
        return np.where(nan | held["up"] | held["down"], 2, 0)
    return np.where(nan | held["up"] & held["down"], 2, np.where(held["up"], 1, np.where(held["down"], -1, 0)))


def kind(got: Column) -> Column:
    """What each result is."""
    return np.where(np.isnan(got), 2, np.where(np.isinf(got), np.sign(got), 0))


def specials(slides: int) -> list[list[Any]]:
    """The rows of NaN and infinities: wrong results of all."""
    v, w = sprinkled(SPECIAL, slides, np.random.default_rng(7)), np.random.default_rng(8).random(slides)
    wrong: dict[tuple[str, str], tuple[int, int] | str] = {}
    names = [name for name in CONTESTS if name != "product"]  # its values would overflow besides
    for window in WINDOWS:
        for name in names:
            for who, roll in contenders(name).items():
                if roll is None:
                    continue
                got = results(who, roll, v, w, window)
                before = wrong.get((name, who), (0, 0))
                if isinstance(got, str) or isinstance(before, str):
                    wrong[name, who] = "error"
                    continue
                expected = kinds(name, v[: len(got)], window, who in MISSING)
                differ = (kind(got) != expected)[window - 1 :]
                wrong[name, who] = before[0] + int(differ.sum()), before[1] + len(differ)
    return [[name, "NaN, infinities", *(share(wrong.get((name, who))) for who in contenders(name))] for name in names]


def share(count: tuple[int, int] | str | None) -> str | None:
    """Wrong results, as a share of all where there are any."""
    if count is None or isinstance(count, str):
        return count
    return "0 wrong" if count[0] == 0 else f"{100 * count[0] / count[1]:.2g}% wrong"


def report(slides: int = SLIDES) -> str:
    """The table, and what was compared."""
    found = [row for title in HARD for row in accuracy(title, slides)]
    found += specials(slides)
    order = {name: at for at, name in enumerate(CONTESTS)}
    rows = sorted(found, key=lambda row: order[row[0]])
    libraries = ("pandas", "polars", "bottleneck", "numbagg", "duckdb")
    header = ["aggregate", "data", "inwindow", "pandas", "Polars", "bottleneck", "numbagg", "DuckDB"]
    notes = [
        f"- {slides:,} slides a cell (DuckDB: {min(slides, OF_DUCKDB):,}); "
        + ", ".join(f"{library} {version(library)}" for library in libraries)
        + ".",
        "- † Among all results there is a negative variance, or a correlation outside [-1, 1] by more than 1e-12.",
        "- error: the query failed (a result is out of range).",
    ]
    return f"{markdown(header, rows)}\n\n" + "\n".join(notes)


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slides", type=int, default=SLIDES)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    text = f"{(__doc__ or '').strip()}\n\n{report(asked.slides)}"
    print(text)
    if asked.write:
        put("numerics", text)


if __name__ == "__main__":
    main()
