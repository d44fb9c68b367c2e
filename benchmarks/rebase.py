"""Own classes with float fields: what looking after them costs (``rebase=``), and what a sentinel does."""

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa

import inwindow as iw
from benchmarks.hooks import MyAvg
from benchmarks.measure import markdown, nanoseconds

TUPLES = 300_000
WINDOWS = (10, 1_000, 100_000)


def average(rebase: bool) -> iw.Aggregate:
    """The paper's example 12: one float, one integer."""

    class Average(MyAvg, rebase=rebase):
        pass

    return Average()


def welford(rebase: bool) -> iw.Aggregate:
    """Two floats, that run forth and back."""

    class Variance(iw.WindowAggregate, rebase=rebase):
        def initialize(self, value):
            self.count, self.mean, self.m2 = 1, value, 0.0

        def iterate(self, value):
            self.count += 1
            delta = value - self.mean
            self.mean += delta / self.count
            self.m2 += delta * (value - self.mean)

        def expire(self, value):
            self.count -= 1
            delta = value - self.mean
            self.mean -= delta / self.count
            self.m2 -= delta * (value - self.mean)

        def terminate(self) -> float:
            return self.m2 / self.count

    return Variance()


def total(rebase: bool) -> iw.Aggregate:
    """No float at all."""

    class Total(iw.WindowAggregate, rebase=rebase):
        def initialize(self, value):
            self.total = value

        def iterate(self, value):
            self.total += value

        def expire(self, value):
            self.total -= value

        def terminate(self) -> int:
            return self.total

    return Total()


def cases() -> dict[str, tuple[Callable[[bool], iw.Aggregate], list[Any]]]:
    """Classes, and values that are easy or hard for them."""
    draw = random.Random(7)
    uniform = [draw.random() for _ in range(TUPLES)]
    return {
        "average of doubles": (average, uniform),
        "average of +1.0 and -1.0": (average, [draw.choice((1.0, -1.0)) for _ in range(TUPLES)]),
        "average, a NaN in 10,000": (average, [v if draw.random() > 1e-4 else float("nan") for v in uniform]),
        "variance (Welford) of doubles": (welford, uniform),
        "total of integers": (total, [draw.randrange(100) for _ in range(TUPLES)]),
    }


def report() -> str:
    """CPU time with and without, and with a sentinel that looks at one result in a thousand."""
    rows = []
    for name, (make, values) in cases().items():
        table = pa.table({"v": values})
        for window in WINDOWS:
            times = {}
            for _ in range(3):  # in turns: the machine is shared
                for title, rebase, share in (("off", False, None), ("on", True, None), ("sentinel", True, 0.001)):
                    if share is not None and window > 1_000:
                        continue
                    applied = make(rebase)("v").over(iw.rows(window), sentinel=share)
                    took = nanoseconds(lambda: iw.with_columns(table, x=applied), TUPLES)  # noqa: B023
                    times[title] = min(took, times.get(title, took))
            on, sentinel = times["on"], times.get("sentinel")
            ratio = None if sentinel is None else f"{sentinel / on:.2f}x"
            rows.append([name, f"{window:,}", times["off"], f"{on / times['off']:.2f}x", ratio])
    header = ["class and values", "window", "rebase=False, ns per tuple", "as it is", "with sentinel=0.001"]
    return markdown(header, rows)
