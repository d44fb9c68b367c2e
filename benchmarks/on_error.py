"""Hooks that raise: what ``on_error="skip"`` costs where none does, and by the share of bad tuples."""

import logging
import random
from collections.abc import Callable

import pyarrow as pa

import inwindow as iw
from benchmarks.hooks import MyAvg
from benchmarks.measure import markdown, nanoseconds

TUPLES = 300_000
SHARES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)


class Picky(MyAvg, compile=False):
    """The paper's example 12, which takes no negative numbers."""

    def initialize(self, value):
        if value < 0:
            raise ValueError(value)
        self.total, self.count = value, 1

    def iterate(self, value):
        if value < 0:
            raise ValueError(value)
        self.total += value
        self.count += 1


def table(share: float) -> pa.Table:
    """64 keys; a share of the tuples is bad."""
    draw = random.Random(7)
    values = [-1.0 if draw.random() < share else draw.random() for _ in range(TUPLES)]
    return pa.table({"k": [n % 64 for n in range(TUPLES)], "t": range(TUPLES), "v": values})


def calls() -> dict[str, Callable[..., object]]:
    """By name: a call over a table, with options."""
    own = {"partition_by": "k", "order_by": "t"}
    hundred, grown = iw.rows(100, **own), iw.unbounded(**own)
    return {
        "frames of 100": lambda data, **options: iw.with_columns(data, x=Picky()("v").over(hundred), **options),
        "growing frames": lambda data, **options: iw.with_columns(data, x=Picky()("v").over(grown), **options),
        "groups": lambda data, **options: iw.group_by(data, "k").agg(x=Picky()("v"), **options),
    }


def report() -> str:
    """A row per call."""
    logging.getLogger("inwindow").setLevel(logging.ERROR)
    rows, clean = [], table(0.0)
    for name, call in calls().items():
        figures = [nanoseconds(lambda call=call: call(clean), TUPLES)]
        for share in SHARES:
            data = table(share)
            figures.append(nanoseconds(lambda call=call, data=data: call(data, on_error="skip"), TUPLES))
        rows.append([name, *(f"{figure:,.0f}" for figure in figures)])
    return markdown(["ns per tuple", "fail", *(f"skip, {share:g} bad" for share in SHARES)], rows)


if __name__ == "__main__":
    print(report())
