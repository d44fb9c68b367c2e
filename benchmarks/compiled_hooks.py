"""The same classes as Python hooks, with derived hooks, compiled by numba, as cdef classes, and as the nearest built-in kernel.

``python -m benchmarks.compiled_hooks [--tuples N] [--spark ROWS] [--only NAME ...] [--write]``. CPU nanoseconds per tuple, the best
of three runs on one thread; on Spark CPU seconds of the process tree, the best of interleaved runs, beside a UDF that does nothing.
All classes have a hand-written `expire`, but for the derived ones, which have `initialize`, `iterate` and `terminate` alone;
numba's programs were compiled by an earlier run. The decayed average calls libm's `exp` for each tuple that leaves, which its
kernel does not.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.derived import Derived
from benchmarks.hooks import Interpreted, MyAvg
from benchmarks.measure import markdown, nanoseconds
from benchmarks.results import put

WINDOWS = (10, 1_000, 100_000)
KINDS = ("Python hooks", "derived", "iw.compiled", "cdef class", "built-in")


class BaseSpread(iw.Aggregate):
    """The standard deviation, as one writes it first; base version only."""

    def initialize(self, value):
        self.total, self.squares, self.count = value, value * value, 1

    def iterate(self, value):
        self.total += value
        self.squares += value * value
        self.count += 1

    def terminate(self) -> float:
        rest = self.squares - self.total * self.total / self.count
        if self.count < 2:
            return None
        return math.sqrt(rest / (self.count - 1)) if rest > 0 else 0.0


class Spread(BaseSpread, iw.WindowAggregate):
    """With its inverse."""

    def expire(self, value):
        self.total -= value
        self.squares -= value * value
        self.count -= 1


class Decayed(iw.WindowAggregate):
    """An average in which each tuple weighs ``factor`` of the next."""

    def __init__(self, factor):
        self.factor, self.log = factor, math.log(factor)

    def initialize(self, value):
        self.total, self.weight, self.count = value, 1.0, 1

    def iterate(self, value):
        self.total = self.total * self.factor + value
        self.weight = self.weight * self.factor + 1.0
        self.count += 1

    def expire(self, value):
        self.count -= 1
        its = math.exp(self.log * self.count)  # factor**count, at half the price
        self.total -= value * its
        self.weight -= its

    def terminate(self) -> float:
        return self.total / self.weight


class PlainSpread(Spread, compile=False):
    """By Python hooks for good."""


class PlainDecayed(Decayed, compile=False):
    """By Python hooks for good."""


def built(folder: Path) -> Any:
    """The cdef classes, compiled into a folder."""
    shutil.copy(Path(__file__).with_name("hooks_in_c.pyx"), folder)
    code = (
        "from setuptools import setup, Extension\nfrom Cython.Build import cythonize\n"
        "setup(ext_modules=cythonize(Extension('hooks_in_c', ['hooks_in_c.pyx'], extra_compile_args=['-O3'])))"
    )
    path = os.pathsep.join([str(Path(iw.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", code, "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": path})
    sys.path.insert(0, str(folder))
    import hooks_in_c

    return hooks_in_c


def decayed(column: str) -> Any:
    """The built-in."""
    return iw.decayed_avg(column, 0.99)


def contenders(c: Any) -> dict[str, tuple[Callable[..., Any] | None, ...]]:
    """Per class its forms, in the order of KINDS; None for one that there is not."""
    return {
        "average": (Interpreted(), Derived(), iw.compiled(MyAvg()), c.CAvg(), iw.avg),
        "standard deviation": (PlainSpread(), BaseSpread(), iw.compiled(Spread()), c.CSpread(), iw.stddev_samp),
        "decayed average": (PlainDecayed(0.99), None, iw.compiled(Decayed(0.99)), c.CDecayed(0.99), decayed),
    }


def local(forms: dict[str, tuple[Callable[..., Any] | None, ...]], tuples: int) -> str:
    """Over ROWS windows of several sizes."""
    table = pa.table({"v": np.random.default_rng(7).random(tuples)})
    rows = []
    for name, its in forms.items():
        for window in WINDOWS:
            spent = []
            for kind, one in zip(KINDS, its, strict=True):
                if one is None:
                    spent.append("–")
                    continue
                count = tuples // 4 if kind in KINDS[:2] else tuples
                given = table.slice(0, count)
                over = iw.rows(window)
                spent.append(nanoseconds(lambda o=one, g=given, w=over: iw.with_columns(g, x=o("v").over(w)), count))
            ratios = [f"{ns / spent[-1]:.1f}x" for ns in spent[2:4]]
            rows.append([name, f"{window:,}", *spent, *ratios])
            print(rows[-1], file=sys.stderr, flush=True)
    return markdown(["class", "window", *KINDS, "iw.compiled / built-in", "cdef / built-in"], rows)


def on_spark(forms: dict[str, tuple[Callable[..., Any] | None, ...]], rows: int, runs: int, module: str) -> str:
    """Over 1,000 rows of each of 64 keys."""
    from benchmarks.process_tree import seconds
    from benchmarks.spark_data import Data, session
    from benchmarks.spark_floor import floor_of

    over = iw.rows(1_000, partition_by="k", order_by="ts")
    with tempfile.TemporaryDirectory(prefix="inwindow-compiled-") as folder:
        spark = session(**{"spark.driver.memory": "2g"})
        spark.sparkContext.addPyFile(module)
        df = Data(spark, Path(folder), "narrow", rows, 64).read(1)
        builds: dict[tuple[str, str], Any] = {("the floor", ""): floor_of("k", "ts", "v")}
        for name, its in forms.items():
            for kind, one in (pair for pair in zip(KINDS, its, strict=True) if pair[1] is not None):
                builds[name, kind] = lambda df, o=one: iw.with_columns(df, a=o("v").over(over))
        taken: dict[tuple[str, str], float] = {}
        for run in range(runs + 1):  # the first one is to get warm
            for key, build in builds.items():
                spent = seconds(lambda b=build: b(df).write.format("noop").mode("overwrite").save()).cpu
                if run:
                    taken[key] = min(taken.get(key, math.inf), spent)
                    print(f"{spent:7.2f} CPU s  {' '.join(key)}", file=sys.stderr, flush=True)
        spark.stop()
    floor = taken["the floor", ""]
    lines = [
        [name, *(f"{its[kind]:.2f} ({its[kind] / floor:.2f}x)" if kind in its else "–" for kind in KINDS)]
        for name, its in (
            (name, {kind: spent for (its, kind), spent in taken.items() if its == name}) for name in forms
        )
    ]
    table = markdown(["class", *KINDS], lines)
    return f"{rows:,} rows, 64 keys, the floor {floor:.2f} CPU s; CPU s, and against the floor:\n\n{table}"


def main() -> None:
    """Measure, print, and with ``--write`` keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiled_hooks", description=__doc__)
    parser.add_argument("--tuples", type=int, default=2_000_000)
    parser.add_argument("--spark", type=int, default=2_000_000, help="rows on Spark; 0 for none")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="these classes, as the tables call them")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inwindow-c-") as folder:
        c = built(Path(folder))
        forms = {name: its for name, its in contenders(c).items() if not asked.only or name in asked.only}
        parts = [__doc__ or "", f"{asked.tuples:,} tuples here, nanoseconds each:", local(forms, asked.tuples)]
        if asked.spark:
            parts.append(on_spark(forms, asked.spark, asked.runs, c.__file__))
    text = "\n\n".join(part.strip() for part in parts)
    print(text)
    if asked.write:
        put("compiled_hooks", text)


if __name__ == "__main__":
    main()
