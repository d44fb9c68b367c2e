"""The same class with no inverse, with a derived one, and with one written by hand: ROWS windows of three sizes, local.

`python -m benchmarks.derived [tuples]`
"""

import random
import sys

import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown, nanoseconds

TUPLES = 400_000
WINDOWS = (10, 1_000, 100_000)
_MOST = 2_000_000  # hook calls that a plain class may take


class Plain(iw.Aggregate, derive=False):
    """ESL, example 7."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Derived(Plain, derive=True):
    """The same, and the framework writes the rest."""


class Written(Plain, iw.WindowAggregate):
    """ESL, example 12."""

    def expire(self, value):
        self.total -= value
        self.count -= 1


def report(tuples: int = TUPLES) -> str:
    """Nanoseconds a tuple, and how many times the hand-written class's."""
    generator = random.Random(7)
    columns = {
        "integers": pa.array([generator.randrange(1000) for _ in range(tuples)]),
        "doubles": pa.array([generator.random() for _ in range(tuples)]),
        "prices": pa.array([generator.randrange(100_000) / 100 for _ in range(tuples)]),
    }
    rows = []
    for name, values in columns.items():
        for window in WINDOWS:
            table, over = pa.table({"v": values}), iw.rows(window)
            # A few results of full frames: those of the tuples that a slide of as many as come before the first yields.
            few = max(1, _MOST // window)
            slid = iw.rows(window, slide=max(1, tuples // few))
            plain = nanoseconds(lambda: iw.with_columns(table, x=Plain()("v").over(slid)), few, runs=1)  # noqa: B023
            derived, written = (
                nanoseconds(lambda: iw.with_columns(table, x=aggregate("v").over(over)), tuples)  # noqa: B023
                for aggregate in (Derived(), Written())
            )
            rows.append([
                name, f"{window:,}", "-" if window > 10_000 else plain, derived, written,
                "-" if window > 10_000 else f"{plain / derived:.1f}x", f"{derived / written:.2f}x",
            ])  # fmt: skip
    header = [
        "values",
        "window",
        "no inverse, ns per tuple",
        "derived",
        "by hand",
        "derived is faster by",
        "derived / by hand",
    ]
    return markdown(header, rows)


if __name__ == "__main__":
    print(report(*map(int, sys.argv[1:])))
