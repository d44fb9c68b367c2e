"""Every kernel of two trees of this project, interleaved: what a change to the kernels costs, or gains.

::

    python -m benchmarks.side_by_side OTHER [NAME ...]

OTHER is a folder that holds another package ``inwindow``, built; each NAME keeps the rows that contain it. Both packages are loaded
into this process, each kernel runs in turn, and the best of the CPU times counts: so a load on the machine hits both.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import markdown

TUPLES = 200_000
ROUNDS = 9
LIMIT = 1.03  # a kernel that takes longer than this, in the other's time, is named
PANE = 4  # tuples

BUILT_INS: tuple[tuple[Any, ...], ...] = (
    ("count", "v"), ("sum", "v"), ("sum", "i"), ("sum", "d"), ("avg", "v"), ("avg", "i"), ("avg", "d"), ("avg", "t"),
    ("product", "v"), ("min", "v"), ("max", "v"), ("max", "i"), ("max", "s"), ("max", "d"), ("max_by", "w", "v"),
    ("var_samp", "v"), ("stddev_samp", "v"), ("skewness", "v"), ("kurtosis", "v"), ("covar_samp", "v", "w"),
    ("corr", "v", "w"), ("median", "v"), ("percentile", "v", 0.99), ("percentile_approx", "i", 0.5), ("mode", "i"),
    ("mode", "v"), ("mode", "s"), ("count_distinct", "i"), ("count_distinct", "v"), ("count_distinct", "s"),
    ("first", "v"), ("first", "s"), ("last", "v"), ("last", "v", True), ("nth_value", "v", 3),
    ("bool_and", "b"), ("bool_or", "b"), ("bit_and", "i"), ("bit_xor", "i"), ("decayed_avg", "v"), ("ones_in_window", "b"),
    ("frequent_items", "i", 0.05), ("frequent_items", "v", 0.05), ("frequent_items", "s", 0.05), ("priority_sample", "v", 4),
)  # fmt: skip

Run = Callable[[], Any]


def main(other: str, names: list[str]) -> None:
    """Print the table of ratios, and what is slower than the limit."""
    packages = [loaded(other), loaded(None)]
    rows, slow = [], []
    for kind in ("values", "NULLs", "NaN"):
        table = data(kind)
        for name, *arguments in BUILT_INS:
            if kind == "NaN" and arguments[0] != "v":
                continue
            others, ours = (dict(cases(package, table, name, arguments)) for package in packages)
            for shape in [shape for shape in ours if shape in others]:
                before, after = others[shape], ours[shape]
                row = f"{name}({', '.join(map(str, arguments))}), {kind}, {shape}"
                if names and not any(part in row for part in names):
                    continue
                old, new = interleaved(before, after)
                rows.append([row, old, new, f"{new / old:.2f}"])
                if new / old > LIMIT:
                    slow.append(f"{row}: {new / old:.2f}")
                print(".", end="", file=sys.stderr, flush=True)
    print(markdown(["", "other, ns a tuple", "this, ns a tuple", "this / other"], rows))
    ratios = sorted(row[2] / row[1] for row in rows)
    print(f"\n{len(rows)} kernels; median {ratios[len(ratios) // 2]:.3f}. Above {LIMIT}: {'; '.join(slow) or 'none'}.")


def loaded(folder: str | None) -> Callable[..., Any]:
    """A function of (schema, name, arguments) that gives a built-in's native form, of the package in a folder, or of this one."""
    its: dict[str, Any] = {}

    def native(schema: pa.Schema, name: str, arguments: list[Any]) -> tuple[Any, tuple[str, ...]]:
        for module in [module for module in sys.modules if module.split(".")[0] == "inwindow"]:
            del sys.modules[module]
        sys.modules.update(its)
        sys.path.insert(0, str(Path(folder).resolve()) if folder else sys.path[0])
        package = importlib.import_module("inwindow")
        planning = importlib.import_module("inwindow.optimizer.planning")
        applied = getattr(package, name)(*arguments).over(package.rows(10))
        made = planning.plan_windows(schema, {"x": applied})[0].steps[0].implementation.native
        del sys.path[0]
        its.update({module: there for module, there in sys.modules.items() if module.split(".")[0] == "inwindow"})
        return made, applied.columns

    return native


def data(kind: str) -> pa.Table:
    """v, w doubles; i, b integers, few and skewed; d decimals, t durations, s strings: with NULLs, with NaN in v, or neither."""
    draw = np.random.default_rng(7)
    v, i = draw.normal(size=TUPLES), np.minimum(draw.geometric(0.02, TUPLES), 1000)
    if kind == "NaN":
        v[:: TUPLES // 50] = np.nan
    cents = pa.array([Decimal(n).scaleb(-2) for n in range(1000)], pa.decimal128(30, 2))
    words = pa.array([f"item {n:04}" for n in range(1000)])
    columns: dict[str, Any] = {
        "v": v, "w": draw.normal(size=TUPLES), "i": i, "b": draw.random(TUPLES) < 0.5, "t": i.astype("m8[us]"),
        "d": cents.take(pa.array(i - 1)), "s": words.take(pa.array(i - 1)),
    }  # fmt: skip
    at = [pa.array(np.arange(TUPLES), mask=(draw.random(TUPLES) < 0.05) if kind == "NULLs" else None) for _ in columns]
    return pa.table({name: pa.array(values).take(row) for (name, values), row in zip(columns.items(), at, strict=True)})


def cases(native_of: Callable[..., Any], table: pa.Table, name: str, arguments: list[Any]) -> Iterator[tuple[str, Run]]:
    """The kernel over frames of several shapes, the two levels of its cascade, and where tuples leave in an order of their own."""
    native, names = native_of(table.schema, name, arguments)
    at = np.arange(TUPLES)
    columns = [table.column(column).combine_chunks() for column in names]
    columns = [
        column if native.input is None or column.type == native.input else column.cast(native.input)
        for column in columns
    ]
    if native.reads == "numbered":
        columns.append(pa.array(at))
    values: Any = columns[0] if len(columns) == 1 else tuple(columns)
    seen: tuple[Any, ...] = (None,) if native.reads in ("counted", "all", "numbered") else ()
    if native.reads == "objects":
        values, seen = [column.to_pylist() for column in columns], ()
    between = (None,) if native.reads == "objects" else ()

    def rolled(start: Any, end: Any, evicts: bool = True) -> Run:
        return lambda: native.kernel(evicts).roll(values, 0, *between, start, end, *seen)

    keys = np.sort(np.random.default_rng(3).integers(0, TUPLES // 5, TUPLES))  # five peers, more or less
    yield "range", rolled(np.searchsorted(keys, keys - 20), at + 1)
    yield "range, peers", rolled(np.searchsorted(keys, keys - 20), np.searchsorted(keys, keys, "right"))
    blocks = np.arange(0, TUPLES, 100)
    for window in (10, 1_000):
        yield f"rows {window}", rolled(np.maximum(at - window + 1, 0), at + 1)
    yield "tumbling 100", rolled(blocks, blocks + 100, False)
    yield "growing", rolled(at * 0, at + 1, False)
    if native.cascade is not None:
        edges = np.arange(0, TUPLES, PANE)
        yield "level one", lambda: native.cascade.reduce().roll_partials(values, 0, edges, edges + PANE, *seen)
        panes = np.arange(len(edges))
        partials = native.cascade.reduce().roll_partials(values, 0, edges, edges + PANE, *seen)
        for window in (3, 100):
            frames = np.maximum(panes - window + 1, 0), panes + 1
            yield f"level two, {window} panes", lambda f=frames: native.cascade.window().roll(partials, 0, *f)
    if native.swept is not None:
        frames = np.maximum(at - 99, 0), at + 1
        yield "swept", lambda: native.swept().sweep(values, at, *frames)


def interleaved(before: Run, after: Run) -> tuple[float, float]:
    """The best CPU time of each, in nanoseconds per tuple of the data."""
    best = [float("inf"), float("inf")]
    spent = 0.0
    for number in range(ROUNDS):
        for which, run in ((0, before), (1, after)) if number % 2 else ((1, after), (0, before)):
            start = time.process_time()
            run()
            best[which] = min(best[which], time.process_time() - start)
            spent += time.process_time() - start
        if spent > 2.0 and number > 2:
            break
    return best[0] / TUPLES * 1e9, best[1] / TUPLES * 1e9


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
