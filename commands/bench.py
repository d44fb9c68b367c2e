"""How fast an aggregate is on this machine, beside what one would write without inwindow.

  inwindow bench                                    four built-ins over the last 1,000 tuples
  inwindow bench mymodule:MyAvg --window 100        a class of your own
  inwindow bench avg median --rows 1e7
  inwindow bench avg --spark                        also on a Spark of its own: wall time, two cores

In nanoseconds of CPU time per tuple, on one thread: `fold` is the function of numpy, or your own class from its beginning, on
each window anew, as a pandas_udf over a window does it, timed on as many windows as a second holds; `pandas` is rolling().
Each is checked to give the same results. Trust the ratios; the project's benchmarks/ go deeper.

exit code: 0 measured, 1 the results differ (a hook breaks a promise: inwindow check says which), 2 it cannot run
"""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from inwindow.commands.arguments import count
from inwindow.commands.bench_cases import KEYS, SPARK_ROWS, cases_of
from inwindow.commands.progress import Bar

NAME = "bench"
HELP = "how fast an aggregate is here, beside a fold per window"
DEFAULT = ("avg", "stddev", "max", "median")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="name | module:name",
        help=f"a built-in, or a class or instance ({', '.join(DEFAULT)})",
    )
    parser.add_argument("--rows", type=count, default=1_000_000, metavar="N", help="how many tuples (1,000,000)")
    parser.add_argument("--window", type=count, default=1000, metavar="N", help="tuples in a window (1,000)")
    parser.add_argument(
        "--values", metavar="TYPES",
        help="the types of a class's arguments, with commas: float,int,str,bool (default: the hooks' annotations, else float)",
    )  # fmt: skip
    parser.add_argument("--spark", action="store_true", help=f"on Spark, too, with at most {SPARK_ROWS:,} tuples")
    parser.add_argument("--json", action="store_true", help="print a JSON object in place of the table")


def run(options: argparse.Namespace) -> int:
    """Measure each target; the exit code is 1 if results differ."""
    window = min(options.window, options.rows)
    cases = [
        case for target in options.targets or DEFAULT for case in cases_of(target, options.values, options.rows, window)
    ]
    bar = Bar(len(cases))
    found = []
    for case in cases:
        with bar.step(lambda name=case.name: (name, 0.0)):  # type: ignore[misc]
            found.append(case.measured())
    if options.spark:
        from inwindow.commands.bench_spark import on_spark

        found = [one | {"spark": seconds} for one, seconds in zip(found, on_spark(cases), strict=True)]
    if options.json:
        print(json.dumps({"rows": options.rows, "window": window, "results": found}))
    else:
        print(_table(found, options.rows, window))
    return 1 if any(not one["same"] for one in found) else 0


def _shown(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _table(found: Sequence[dict[str, Any]], rows: int, window: int) -> str:
    lines = [f"{rows:,} tuples, the last {window:,} at each; nanoseconds of CPU time per tuple", ""]
    cells = [("aggregate", "strategy", "inwindow", "fold", "pandas", "fold/inwindow")]
    for one in found:
        times = f"{one['times']:,.0f} times" if one.get("times") else "-"
        cells.append(
            (one["name"], one["strategy"], *(_shown(one[f"{key}_ns"]) for key in ("inwindow", "fold", "pandas")), times)
        )
    widths = [max(len(row[i]) for row in cells) for i in range(6)]
    for row in cells:
        left = [row[i].ljust(widths[i]) for i in (0, 1)]
        lines.append("   ".join([*left, *(row[i].rjust(widths[i]) for i in range(2, 6))]).rstrip())
    for one in found:
        if not one["same"]:
            lines.append(f"\n{one['name']}: the results DIFFER from those of the fold: inwindow check {one['name']}")
        if one.get("spark"):
            seconds = ", ".join(f"{name} {took:.2f} s" for name, took in one["spark"].items())
            lines.append(
                f"\n{one['name']} on Spark, {min(rows, SPARK_ROWS):,} tuples, {KEYS} keys, wall time: {seconds}"
            )
    return "\n".join(lines)
