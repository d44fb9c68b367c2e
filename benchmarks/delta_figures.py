"""ESL's figures 4 and 5: what EXPIRE is worth, for the average and for frequent items; drawn into docs/figures/.

``python -m benchmarks.delta_figures [--quick] [--write]``. CPU time per tuple over the last 10 to 100,000 tuples, once the window
is full: (A) a class with ``expire``; (B) the built-in, in C; (C) a class without ``expire`` that keeps the window itself; (D) the
naive one, folded afresh for each tuple (``strategy="recompute"``), as far as it can be waited for. Frequent items are 5 counting
hash tables of 272 counts; (A), (C) and (D) give the newest item's estimated count, (B) the list of all that make a tenth of the
window. One thread; contenders take turns, the best of a few runs counts. What the figures say is in docs/figures.md.
"""

import argparse
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.plot import Axis, Line, Panel, save
from benchmarks.results import put
from benchmarks.stream import BATCH, operator_of

WINDOWS = (10, 100, 1_000, 10_000, 100_000)
EXPIRE, BUILT_IN, OWN, NAIVE = (
    "(A) a class with expire",
    "(B) the built-in",
    "(C) a class with its own window",
    "(D) naive: recompute",
)
NAIVE_STEPS = 3e7  # how many hook calls the naive one may take to fill a window
COUNTS, PRIME, COUNTLESS = 272, 2_147_483_647, 1 << 62  # as many counts as the built-in has for its eps of 0.01
SALTS = [
    (1_103_515_245, 12_345),
    (69_621, 7),
    (48_271, 40_503),
    (16_807, 1_013),
    (950_706_376, 99),
]  # and as many tables


class Avg(iw.WindowAggregate):
    """ESL's example 12."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def expire(self, value: float) -> None:
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class OwnAvg(iw.Aggregate):
    """The same without EXPIRE: the user keeps the window, in a table of the aggregate."""

    def __init__(self, size: int) -> None:
        self.size = size

    def initialize(self, value: float) -> float:
        self.window, self.total = deque([value]), value
        return value

    def iterate(self, value: float) -> float:
        self.window.append(value)
        self.total += value
        if len(self.window) > self.size:
            self.total -= self.window.popleft()
        return self.total / len(self.window)


class Frequency(iw.WindowAggregate):
    """ESL, section 6.1: a count in each of k hash tables; an item's frequency is the least of its counts."""

    def initialize(self, item: int) -> None:
        self.tables = [[0] * COUNTS for _ in SALTS]
        self.iterate(item)

    def iterate(self, item: int) -> None:
        least = COUNTLESS
        for table, (a, b) in zip(self.tables, SALTS):  # noqa: B905 - as fast as can be
            at = (a * item + b) % PRIME % COUNTS
            table[at] = count = table[at] + 1
            if count < least:
                least = count
        self.newest = least

    def expire(self, item: int) -> None:
        for table, (a, b) in zip(self.tables, SALTS):  # noqa: B905
            table[(a * item + b) % PRIME % COUNTS] -= 1

    def terminate(self) -> int:
        return self.newest


class OwnFrequency(iw.Aggregate):
    """The same with a window of its own."""

    def __init__(self, size: int) -> None:
        self.size = size

    def initialize(self, item: int) -> int:
        self.window, self.tables = deque(), [[0] * COUNTS for _ in SALTS]
        return self.iterate(item)

    def iterate(self, item: int) -> int:
        self.window.append(item)
        if len(self.window) > self.size:
            oldest = self.window.popleft()
            for table, (a, b) in zip(self.tables, SALTS):  # noqa: B905
                table[(a * oldest + b) % PRIME % COUNTS] -= 1
        least = COUNTLESS
        for table, (a, b) in zip(self.tables, SALTS):  # noqa: B905
            at = (a * item + b) % PRIME % COUNTS
            table[at] = count = table[at] + 1
            if count < least:
                least = count
        return least


Contender = Callable[[int], iw.Applied]
AVERAGES: dict[str, Contender] = {
    EXPIRE: lambda size: Avg()("v").over(iw.rows(size)),
    BUILT_IN: lambda size: iw.avg("v").over(iw.rows(size)),
    OWN: lambda size: OwnAvg(size)("v").over(iw.unbounded()),
    NAIVE: lambda size: Avg()("v").over(iw.rows(size, strategy="recompute")),
}
FREQUENT: dict[str, Contender] = {
    EXPIRE: lambda size: Frequency()("v").over(iw.rows(size)),
    BUILT_IN: lambda size: iw.frequent_items("v", 0.1).over(iw.rows(size)),
    OWN: lambda size: OwnFrequency(size)("v").over(iw.unbounded()),
    NAIVE: lambda size: Frequency()("v").over(iw.rows(size, strategy="recompute")),
}


def when_full(applied: iw.Applied, values: pa.Array, size: int) -> float:
    """CPU microseconds per tuple behind the first ``size``, which fill the window and are not counted."""
    batch = pa.record_batch([values], names=["v"])
    operator = operator_of(applied, batch.schema)
    operator.process(batch.slice(0, size))
    rest = [batch.slice(start, BATCH) for start in range(size, len(values), BATCH)]
    start = time.process_time()
    for one in rest:
        operator.process(one)
    operator.finish()
    return (time.process_time() - start) / (len(values) - size) * 1e6


def check(contenders: dict[str, Contender], values: pa.Array) -> None:
    """(A), (C) and (D) give the same, and for the average (B) as well."""
    table = pa.table({"v": values[:3000]})
    same = [EXPIRE, OWN, NAIVE] if contenders is FREQUENT else list(contenders)
    wanted, *others = (iw.select(table, x=contenders[name](100)).column("x").to_numpy() for name in same)
    for other in others:
        np.testing.assert_allclose(other, wanted, rtol=1e-12)


def measure(
    contenders: dict[str, Contender], values: pa.Array, naive: float, tuples: int, runs: int
) -> dict[str, dict[int, float]]:
    """CPU microseconds per tuple of each contender at each window; ``naive`` is what a naive step may cost of NAIVE_STEPS."""
    check(contenders, values)
    found: dict[str, dict[int, float]] = {name: {} for name in contenders}
    for size in WINDOWS:
        actions: dict[str, Callable[[], float]] = {}
        for name, made in contenders.items():
            count = tuples if name != NAIVE else max(int(NAIVE_STEPS / naive / size), 200)
            if name != NAIVE or size * size / 2 <= NAIVE_STEPS / naive * 2:
                actions[name] = partial(when_full, made(size), values[: size + min(count, tuples)], size)
        for _ in range(runs):
            for name, action in actions.items():
                found[name][size] = min(found[name].get(size, float("inf")), action())
        print(size, {name: round(its[size], 3) for name, its in found.items() if size in its}, flush=True)
    return found


def table(found: dict[str, dict[int, float]]) -> str:
    """CPU microseconds per tuple."""
    rows: list[list[Any]] = [
        [f"{size:,}", *(f"{its[size]:.3g}" if size in its else None for its in found.values())] for size in WINDOWS
    ]
    return markdown(["window", *found], rows)


def main() -> None:
    """Measure, draw, print, and with ``--write`` keep the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.delta_figures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the tuples, one run")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    tuples, runs = (60_000, 1) if asked.quick else (300_000, 3)
    random = np.random.default_rng(7)
    room = tuples + max(WINDOWS)
    averages = measure(AVERAGES, pa.array(random.integers(0, 1_000_000, room) / 100), 1.0, tuples, runs)
    items = pa.array(np.minimum(random.zipf(1.3, room), 1_000_000))
    frequent = measure(FREQUENT, items, 25.0, tuples, runs)
    window, cost = Axis("window, tuples", log=True), Axis("CPU µs per tuple", log=True)
    for name, title, found in (
        ("esl-4-average", "The average", averages),
        ("esl-5-frequent-items", "Approximate counts of items", frequent),
    ):
        save(name, [Panel(title, window, cost, [Line(its, list(by.items())) for its, by in found.items()])])
    text = f"{__doc__}\n\nThe average, CPU µs per tuple.\n\n{table(averages)}\n\n"
    text += f"Frequent items, CPU µs per tuple.\n\n{table(frequent)}"
    print(text)
    if asked.write:
        put("delta_figures", text)


if __name__ == "__main__":
    main()
