"""The papers' pane experiments: ESL's figures 6 and 7, window-ids' figure 8; drawn into docs/figures/.

``python -m benchmarks.pane_figures [--quick] [--write]``. ESL: the sum over 40,000 tuples, slide 1 to 40,000, by panes (what the
optimizer chooses) and by delta (``strategy="delta"``): what is kept, and tuples per CPU second. Window-ids: the maximum of 4,000
rows, slide 1 to 4,000: by partials per pane; by an aggregate for each window-id that a tuple is in (the paper's bucket, here a
plain loop); and by buffering: tuples are kept, and gone through for every result (``strategy="recompute"``). Each with a Python
class and with the built-in. One thread; contenders take turns, the best of a few runs.
What the figures say is in docs/figures.md.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.plot import Axis, Line, Panel, save
from benchmarks.results import put
from benchmarks.stream import BATCH, FEW, Memory, memory, per_tuple, run, strategy_of

SCHEMA = pa.schema([("price", pa.float64())])
ESL_WINDOW, ESL_SLIDES = 40_000, (1, 10, 100, 400, 1_000, 2_000, 4_000, 10_000, 20_000, 40_000)
MAX_WINDOW, MAX_SLIDES = 4_000, (1, 2, 5, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000)
PANES, DELTA = "panes (tumble feeds window)", "delta (EXPIRE for every tuple)"
PARTIALS, IDS, BUFFER, SCAN = "partials per pane", "an aggregate per window-id, plain Python", "buffering", "scan"
Made = Callable[..., iw.Applied]


class Sum(iw.WindowAggregate, algebraic=True):
    """ESL's example 14."""

    def initialize(self, value: float) -> None:
        self.total = value

    def iterate(self, value: float) -> None:
        self.total += value

    def expire(self, value: float) -> None:
        self.total -= value

    def terminate(self) -> float:
        return self.total


class Max(iw.Aggregate):
    """A maximum that can be merged and nothing else."""

    def initialize(self, value: float) -> None:
        self.most = value

    def iterate(self, value: float) -> None:
        if value > self.most:
            self.most = value

    def merge(self, later: "Max") -> None:
        if later.most > self.most:
            self.most = later.most

    def terminate(self) -> float:
        return self.most


def prices(tuples: int, batch: int = BATCH) -> Iterator[pa.RecordBatch]:
    """Batches of prices, made as they are taken; the same ones each time."""
    random = np.random.default_rng(7)
    for start in range(0, tuples, batch):
        made = random.integers(0, 1_000_000, min(batch, tuples - start)) / 100
        yield pa.record_batch([pa.array(made)], schema=SCHEMA)


# --- ESL, figures 6 and 7 -----------------------------------------------------------------------------------


def esl(made: Made, tuples: int, runs: int) -> tuple[dict[str, dict[int, float]], dict[str, dict[int, Memory]]]:
    """CPU microseconds per tuple, and memory, of both versions at each slide."""
    batches = list(prices(tuples))
    times: dict[str, dict[int, float]] = {PANES: {}, DELTA: {}}
    kept: dict[str, dict[int, Memory]] = {PANES: {}, DELTA: {}}
    for slide in ESL_SLIDES:
        window = iw.rows(ESL_WINDOW, slide=slide)
        versions = {PANES: made("price").over(window), DELTA: made("price").over(window, strategy="delta")}
        actions: dict[str, Callable[[], object]] = {
            name: partial(run, one, SCHEMA, batches) for name, one in versions.items()
        }
        for name, its in per_tuple(actions, dict.fromkeys(actions, tuples), runs).items():
            times[name][slide] = its
        for name, one in versions.items():
            kept[name][slide] = memory(one, SCHEMA, partial(prices, 3 * ESL_WINDOW, FEW))
        print(
            slide, strategy_of(versions[PANES], SCHEMA), {n: round(t[slide], 4) for n, t in times.items()}, flush=True
        )
    return times, kept


def esl_figures(quick: bool) -> str:
    """Figures 6 and 7, with the paper's Python class and with the built-in."""
    few = 5 if quick else 1
    of_class, kept = esl(Sum(), 1_000_000 // few, 3 // few or 1)
    of_built_in, kept_built_in = esl(iw.sum, 10_000_000 // few, 5 // few or 1)
    slide, memory_of = Axis("slide, tuples", log=True), {"a class": kept, "the built-in": kept_built_in}
    save("esl-6-memory", [
        Panel(f"Values kept: tuples and partials, {what}", slide, Axis("values", log=True),
              [Line(name, [(s, one.values) for s, one in by.items()]) for name, by in its.items()])
        for what, its in memory_of.items()
    ])  # fmt: skip
    save("esl-7-rate", [
        Panel(f"Tuples per CPU second, {what}", slide, Axis("million tuples/s"),
              [Line(name, [(s, 1 / us) for s, us in by.items()]) for name, by in its.items()])
        for what, its in {"a class": of_class, "the built-in": of_built_in}.items()
    ])  # fmt: skip
    header = [
        "slide",
        "strategy",
        "values kept",
        "state, kB",
        "peak allocated, MB",
        "class, million/s",
        "",
        "built-in, million/s",
        "",
    ]
    rows = [
        [
            f"{s:,}", strategy_of(Sum()("price").over(iw.rows(ESL_WINDOW, slide=s)), SCHEMA),
            f"{kept[PANES][s].values:,} : {kept[DELTA][s].values:,}",
            f"{kept[PANES][s].state / 1e3:,.1f} : {kept[DELTA][s].state / 1e3:,.1f}",
            f"{kept[PANES][s].peak / 1e6:.2f} : {kept[DELTA][s].peak / 1e6:.2f}",
            *_rates(of_class, s), *_rates(of_built_in, s),
        ]
        for s in ESL_SLIDES
    ]  # fmt: skip
    return markdown(header, rows)


def _rates(times: dict[str, dict[int, float]], slide: int) -> list[str]:
    panes, delta = 1 / times[PANES][slide], 1 / times[DELTA][slide]
    return [f"{panes:.3g} : {delta:.3g}", f"**{panes / delta:.2f}x**"]


# --- Window-ids, figure 8 -----------------------------------------------------------------------------------


def window_ids(values: list[float], slide: int) -> list[float]:
    """The paper's operators in plain Python: bucket tags a tuple with a range of ids, the aggregate keeps one maximum per id.

    ``open`` has the ids from ``first`` on; an extent's result comes with its last tuple, as in ``iw.rows(4000, slide=...)``.
    """
    results, open_, first = [], [], 0
    for row, value in enumerate(values):
        last = (row + MAX_WINDOW) // slide - 1  # the newest extent that the tuple is in; the oldest is ``first``
        while first + len(open_) <= last:
            open_.append(value)
        open_ = [value if value > most else most for most in open_]
        if row + 1 == (first + 1) * slide:
            results.append(open_.pop(0))
            first += 1
    return results


def scan(batches: list[pa.RecordBatch]) -> int:
    """The stream is taken, and nothing is done with it but what every run does: batches to the operator's columns."""
    return run(iw.count("price").over(iw.rows(1, slide=1_000_000_000)), SCHEMA, batches)


def maxima(made: Made, tuples: int, work: float, runs: int, plain: bool) -> dict[str, dict[int, float]]:
    """CPU microseconds per tuple of each contender; ``work`` is how many steps a quadratic one may take."""
    found: dict[str, dict[int, float]] = {PARTIALS: {}, **({IDS: {}} if plain else {}), BUFFER: {}, SCAN: {}}
    batches = list(prices(tuples))
    for slide in MAX_SLIDES:
        window = iw.rows(MAX_WINDOW, slide=slide)
        fewer = min(tuples, max(int(work * slide / MAX_WINDOW), 3 * MAX_WINDOW))
        some = list(prices(fewer))
        actions: dict[str, Callable[[], Any]] = {
            PARTIALS: partial(run, made("price").over(window), SCHEMA, batches),
            BUFFER: partial(run, made("price").over(window, strategy="recompute"), SCHEMA, some),
            SCAN: partial(scan, batches),
        }
        counts = {PARTIALS: tuples, IDS: fewer, BUFFER: fewer, SCAN: tuples}
        if plain:
            values = [value for batch in some for value in batch.column(0).to_pylist()]
            actions[IDS] = partial(window_ids, values, slide)
            _check(made, values, slide)
        for name, its in per_tuple(actions, counts, runs).items():
            found[name][slide] = its
        print(slide, {name: round(its[slide], 4) for name, its in found.items()}, flush=True)
    return found


def _check(made: Made, values: list[float], slide: int) -> None:
    """The loop gives what our windows give."""
    few = values[: 2 * MAX_WINDOW + 7]
    ours = iw.select(pa.table({"price": few}), x=made("price").over(iw.rows(MAX_WINDOW, slide=slide)))
    assert ours.column("x").to_pylist() == window_ids(few, slide), slide


def window_id_figures(quick: bool) -> str:
    """Figure 8 (a), the overview, and (b), zoomed in."""
    few = 5 if quick else 1
    of_class = maxima(Max(), 400_000 // few, 4e7 / few, 3 // few or 1, plain=True)
    of_built_in = maxima(iw.max, 4_000_000 // few, 1e9 / few, 3 // few or 1, plain=False)
    slide = Axis("slide, rows", log=True)
    save("window-ids-8a", [
        Panel(f"(a) The maximum of 4,000 rows, {what}", slide, Axis("CPU µs per tuple", log=True),
              [Line(name, list(by.items())) for name, by in its.items()])
        for what, its in {"a class": of_class, "the built-in": of_built_in}.items()
    ])  # fmt: skip
    save("window-ids-8b", [
        Panel(f"(b) Zoomed in, {what}", Axis("slide, rows"), Axis("CPU µs per tuple"),
              [Line(name, [(s, us) for s, us in by.items() if s >= least]) for name, by in its.items()])
        for what, its, least in (("a class", of_class, 400), ("the built-in", of_built_in, 400))
    ])  # fmt: skip
    rows = []
    for s in MAX_SLIDES:
        row: list[Any] = [f"{s:,}"]
        for its in (of_class, of_built_in):
            row += [f"{its[name][s]:.3g}" if name in its else "–" for name in (PARTIALS, IDS, BUFFER, SCAN)]
            times = its[BUFFER][s] / its[PARTIALS][s]
            row.append(f"**{times:.3g}x**" if times < 1000 else f"**{times:,.0f}x**")
        del row[7]  # the built-in has no loop of the paper's
        rows.append(row)
    header = ["slide", "class: partials", "the paper's loop", "buffering", "scan", "buffering : partials"]
    return markdown([*header, "built-in: partials", "buffering", "scan", "buffering : partials"], rows)


def main() -> None:
    """Measure, draw, print, and with ``--write`` keep the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pane_figures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the tuples, one run")
    parser.add_argument("--write", action="store_true", help="replace the section in RESULTS.md")
    asked = parser.parse_args()
    start = time.perf_counter()
    esl_table, ids_table = esl_figures(asked.quick), window_id_figures(asked.quick)
    text = f"{__doc__}\n\nESL, figures 6 and 7, panes : delta.\n\n{esl_table}\n\n"
    text += f"Window-ids, figure 8: CPU µs per tuple.\n\n{ids_table}"
    print(f"{text}\n\n{time.perf_counter() - start:.0f} s")
    if asked.write:
        put("pane_figures", text)


if __name__ == "__main__":
    main()
