"""On Spark: the price of the two carriers. The average over 1,000 rows, by ``repartition`` and a sort, and by ``row_number()``.

``python -m benchmarks.spark_carriers [--rows N] [--runs N] [--write]``. CPU seconds of the whole process tree, the best of
interleaved runs, for few keys, for many and for one. What either spills is told by
``python -m benchmarks.spark_memory --only sort builtin numbered``.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import spark_cases as on
from benchmarks.measure import markdown
from benchmarks.process_tree import seconds
from benchmarks.results import put
from benchmarks.spark_data import Data, session

WINDOW = 1_000
KEYS = (64, 400_000, 1)
SHUFFLED = on.BUILTINS["avg"]
TITLES = (on.FLOOR, SHUFFLED, on.NUMBERED)


def best(df: Any, runs: int) -> dict[str, float]:
    """CPU seconds of each contender."""
    cases = [case for case in on.cases() if case.title in TITLES]
    taken: dict[str, list[float]] = {case.title: [] for case in cases}
    for _ in range(runs):
        for case in cases:
            taken[case.title].append(seconds(partial(case.run, df, WINDOW)).cpu)
            print(f"{taken[case.title][-1]:7.2f} CPU s  {case.title}", file=sys.stderr, flush=True)
    return {title: min(its) for title, its in taken.items()}


def report(found: dict[int, dict[str, float]]) -> str:
    """A row per contender, a column per number of keys."""
    header = ["", *(f"{keys:,} key{'s' if keys > 1 else ''}" for keys in found)]
    rows = [
        [title, *(f"**{cpu[title] / cpu[SHUFFLED]:.2f}** · {cpu[title]:.2f}" for cpu in found.values())]
        for title in TITLES
    ]
    return markdown(header, rows)


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_carriers", description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inwindow-carriers-") as folder:
        spark = session(**{"spark.driver.memory": "4g"})
        data = {keys: Data(spark, Path(folder), f"k{keys}", asked.rows, keys).read(1) for keys in KEYS}
        best(data[KEYS[0]], 1)  # the JVM gets warm
        found = {keys: best(df, asked.runs) for keys, df in data.items()}
        spark.stop()
    text = f"{__doc__}\n\n{asked.rows:,} rows, the best of {asked.runs} runs: **against {SHUFFLED}** · CPU s.\n\n"
    text += report(found)
    print(text)
    if asked.write:
        put("spark: the carriers", text)


if __name__ == "__main__":
    main()
