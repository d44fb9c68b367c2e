"""On Spark: inwindow, Spark's own windows, UDFs over windows and pandas, against what crossing to Python costs anyway.

``python -m benchmarks.spark [--rows N] [--quick] [--write]``, with Spark, Java and pandas installed. CPU seconds are those
of the whole process tree (driver, JVM, workers): the machines are shared, so wall times are shown, but prove little.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import spark_cases as on
from benchmarks.process_tree import Seconds, seconds
from benchmarks.results import put
from benchmarks.spark_data import FRACTIONS, Data, session
from benchmarks.spark_figures import Figures, Measured, table, verdict

PATIENCE = 10.0  # CPU seconds: who would take longer for one run is measured on fewer keys
QUICK_ROWS, QUICK_WINDOW = 200_000, 1_000


@dataclass(frozen=True)
class Scenario:
    """Rows of one shape, windows of several sizes."""

    name: str
    title: str
    windows: tuple[int, ...]
    rows_per_key: int | None = None  # None: 64 keys, whatever the number of rows
    strings: int = 0
    left_out: tuple[str, ...] = ()

    def data(self, spark: Any, folder: Path, rows: int) -> Data:
        """Its rows."""
        keys = 64 if self.rows_per_key is None else rows // self.rows_per_key
        return Data(spark, folder, self.name, rows, keys, self.strings)


_AVERAGES_ONLY = tuple(names[each] for names in (on.BUILTINS, on.TREES) for each in ("max", "stddev_samp")) + (
    on.MERGE,
)
SCENARIOS = (
    Scenario("narrow", "k, ts, v; 64 keys", (10, 100, 1_000, 10_000, 50_000)),
    Scenario("wide", "and 10 string columns; 64 keys", (10, 1_000, 50_000), None, 10, _AVERAGES_ONLY),
    Scenario("keys", "k, ts, v; 10 rows per key", (10, 1_000), 10, 0, _AVERAGES_ONLY),
)


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=None, help="of each scenario (4 million)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} rows, windows up to 1,000, one run each")
    parser.add_argument("--runs", type=int, default=None, help="of which the best counts (3)")
    parser.add_argument("--only", choices=[scenario.name for scenario in SCENARIOS], help="one scenario")
    parser.add_argument("--windows", type=int, nargs="+", help="of these sizes only")
    parser.add_argument(
        "--contenders",
        nargs="+",
        metavar="TEXT",
        help="those alone whose titles have one of these texts; the old floor always",
    )
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    rows = asked.rows or (QUICK_ROWS if asked.quick else 4_000_000)
    runs = asked.runs or (1 if asked.quick else 3)
    text = report(rows, runs, QUICK_WINDOW if asked.quick else sys.maxsize, asked.only, asked.windows, asked.contenders)
    print(text)
    if asked.write:
        put("spark", text)


def is_chosen(case: on.Case, texts: list[str] | None) -> bool:
    """Whether the title has one of the texts; all are compared with the old floor."""
    return texts is None or case.title == on.FLOOR or any(text in case.title for text in texts)


def report(
    rows: int,
    runs: int,
    longest: int = sys.maxsize,
    only: str | None = None,
    sizes: list[int] | None = None,
    texts: list[str] | None = None,
) -> str:
    """A table per scenario, and how they stand against the targets."""
    parts = [f"{__doc__}\n\n{rows:,} rows, the best of {runs} interleaved runs, on {os.cpu_count()} cores."]
    if rows < 1_000_000:
        parts.append("**So few rows show that it runs, not how fast: what any job costs hides the differences.**")
    with tempfile.TemporaryDirectory(prefix="inwindow-spark-") as folder:
        spark = session(**{"spark.driver.memory": "4g"})
        chosen = [case for case in on.cases() if is_chosen(case, texts)]
        for scenario in SCENARIOS:
            if only in (None, scenario.name):
                data = scenario.data(spark, Path(folder), rows)
                windows = [window for window in sizes or scenario.windows if window <= longest]
                contenders = [case for case in chosen if case.title not in scenario.left_out]
                if scenario.name == "narrow":
                    check_equal(contenders, data, min(100, longest))
                figures = measure(contenders, data, windows, runs)
                parts += [
                    f"### {scenario.name}: {scenario.title}",
                    table(figures, rows),
                    verdict(figures),
                ]
        spark.stop()
    return "\n\n".join(parts)


def check_equal(contenders: Iterable[on.Case], data: Data, window: int) -> None:
    """The contenders must compute the same; on the way they get warm."""
    totals: dict[str, dict[str, float]] = {}
    for case in contenders:
        if case.computes:
            totals.setdefault(case.computes, {})[case.title] = case.total(data.read(FRACTIONS[-1]), window)
    for name, its in totals.items():
        if max(its.values()) - min(its.values()) > 1e-9 * data.rows:
            raise AssertionError(f"the contenders do not agree on {name}: {its}")


def measure(contenders: list[on.Case], data: Data, windows: Iterable[int], runs: int) -> Figures:
    """Window by window, in rounds over all contenders, so that a noisy neighbour hits all."""
    figures: Figures = {}
    for case in contenders:
        if case.title in (on.FLOOR, on.HOOKS):
            case.run(data.read(1), 10)  # the JVM gets warm
    for window in windows:
        for turn in range(runs):
            for case in contenders:
                fraction = affordable(case, window, data)
                if fraction == 1 or turn < 2:
                    rows, run = once(case, data.read(fraction), window)
                    before = figures.get((case.title, window))
                    figures[case.title, window] = Measured((*(before.runs if before else ()), run), rows)
    return figures


def affordable(case: on.Case, window: int, data: Data) -> int:
    """How many times fewer rows the contender must have to be done in time."""
    frame = min(window, data.rows // data.keys)
    guess = (data.rows * case.per_row(frame) + data.keys * case.per_key) / 1e6
    return next((fraction for fraction in FRACTIONS if guess / fraction <= PATIENCE), FRACTIONS[-1])


def once(case: on.Case, df: Any, window: int) -> tuple[int, Seconds]:
    """The number of rows, and one run, with no garbage of the run before."""
    rows = df.count()
    df.sparkSession._jvm.System.gc()
    taken = seconds(lambda: case.run(df, window))
    line = f"window {window:>6}  {taken.cpu:7.2f} CPU s {taken.wall:7.2f} s of {rows:>8,} rows  {case.title}"
    print(line, file=sys.stderr, flush=True)
    return rows, taken


if __name__ == "__main__":
    main()
