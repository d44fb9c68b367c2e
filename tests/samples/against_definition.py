"""Run the product and the definition on the same table, and compare row by row.

``expected_*`` asks ``windows/reference.py``, one partition at a time; ``given_*`` asks the product, through a reader
whose batches are cut as the test says, so that nothing depends on where a batch ends.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

import inwindow as iw
from inwindow.runtime.buffer import python_values
from inwindow.windows import reference
from inwindow.windows.own_ends import own_columns
from inwindow.windows.spec import Extent, Order, Window


def rows_of(
    table: pa.Table, order_by: tuple[Order, ...], arguments: tuple[str, ...], condition: str | None = None
) -> list[Any]:
    """The definition's rows, with the position in the table as an extra argument to find them again."""
    orders = [python_values(table.column(order.column).combine_chunks()) for order in order_by]
    values = [python_values(table.column(name).combine_chunks()) for name in arguments]
    passes = [True] * len(table) if condition is None else [p is True for p in table.column(condition).to_pylist()]
    return [
        reference.Row(tuple(o[i] for o in orders), tuple(v[i] for v in values), passes[i]) for i in range(len(table))
    ]


def partitions(table: pa.Table, partition_by: tuple[str, ...]) -> dict[Any, list[int]]:
    """The rows of each partition, in the order of first appearance."""
    groups: dict[Any, list[int]] = {}
    keys = (
        zip(*(table.column(name).to_pylist() for name in partition_by), strict=True)
        if partition_by
        else [()] * len(table)
    )
    for index, key in enumerate(keys):
        groups.setdefault(tuple("NaN" if v != v else v + 0.0 if isinstance(v, float) else v for v in key), []).append(
            index
        )
    return groups


def sorted_for(table: pa.Table, window: Window) -> pa.Table:
    """The table as a reader must bring it: partition after partition, each in order (by the definition's sort)."""
    order: list[int] = []
    groups = partitions(table, window.partition_by)
    for key in sorted(groups, key=lambda key: [(v is not None, str(type(v)), v) for v in key]):
        rows = rows_of(table.take(groups[key]), window.order_by, ())
        numbered = [reference.Row(row.order, (index,)) for index, row in zip(groups[key], rows, strict=True)]
        order += [row.args[0] for row in reference.in_order(numbered, window.order_by)]
    return table.take(pa.array(order, pa.int64()))


def cut(table: pa.Table, size: int) -> pa.RecordBatchReader:
    """A reader whose batches have ``size`` rows."""
    batches = [
        b for start in range(0, len(table), size) for b in table.slice(start, size).combine_chunks().to_batches()
    ]
    return pa.RecordBatchReader.from_batches(table.schema, batches)


def expected_column(table: pa.Table, applied: iw.Applied, prototype: Any) -> list[Any]:
    """What with_columns must give, row by row of a table that is sorted for the window."""
    window, traits = applied.window, applied.traits
    column: list[Any] = [None] * len(table)
    for indices in partitions(table, window.partition_by).values():
        rows = rows_of(table.take(indices), window.order_by, applied.columns, applied.condition)
        results = reference.results(prototype, window, rows, traits.nulls, traits.empty)
        for index, result in zip(indices, results, strict=True):
            column[index] = result
    return column


def expected_rows(table: pa.Table, applied: iw.Applied, prototype: Any) -> Iterator[tuple[Any, ...]]:
    """What select must give: (row number, value), or (row number, emitted at, value) with active expiration."""
    window, traits = applied.window, applied.traits
    for indices in partitions(table, window.partition_by).values():
        rows = rows_of(table.take(indices), window.order_by, applied.columns, applied.condition)
        if window.active_expiration:
            for position, at, value in reference.expirations(prototype, window, rows, traits.nulls):
                yield indices[position], at, value
        else:
            for position, value in reference.emissions(prototype, window, rows, traits.nulls, traits.empty):
                yield indices[position], value


def expected_groups(
    table: pa.Table, keys: tuple[str, ...], extent: Extent, applied: iw.Applied, prototype: Any
) -> list[tuple[Any, ...]]:
    """What group_by(keys).window(extent).agg must give, as (key..., start, end, result)."""
    found = []
    traits = applied.traits
    orders = tuple(map(Order, (extent.on, *own_columns(extent))))
    for key, indices in partitions(table, keys).items():
        rows = reference.in_order(
            rows_of(table.take(indices), orders, applied.columns, applied.condition), (Order(extent.on),)
        )
        for start, end, positions in reference.extents(extent, rows):
            found.append((*key, start, end, reference.fold(prototype, rows, positions, traits.nulls, traits.empty)))
    return found


def equal(ours: Any, theirs: Any, scale: Any = 0, ulps: int = 4) -> bool:
    """The same value; floats to within ``ulps`` of the larger, or of the sum of absolute values that went in."""
    if isinstance(ours, float) and isinstance(theirs, (int, float, Fraction)):
        if math.isnan(ours) or theirs != theirs:
            return math.isnan(ours) and theirs != theirs
        if math.isinf(ours) or theirs in (math.inf, -math.inf):
            return ours == theirs
        tolerance = ulps * max(math.ulp(abs(ours)), math.ulp(float(abs(theirs)))) + 1e-15 * float(scale)
        return abs(Fraction(ours) - Fraction(theirs)) <= tolerance
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(equal(a, b, scale, ulps) for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs) and (ours is None) == (theirs is None)


def largest(table: pa.Table, columns: tuple[str, ...]) -> float:
    """The largest finite absolute value."""
    values = [v for name in columns for v in table.column(name).to_pylist()]
    return max((abs(v) for v in values if isinstance(v, (int, float)) and math.isfinite(v)), default=0)


def close(name: str, ours: Any, theirs: Any, scale: float) -> bool:
    """Equal; sums within 4 ulp, what squares within 1e-12 of the largest square, shapes within 1e-9."""
    numbers = isinstance(ours, float) and isinstance(theirs, float) and math.isfinite(ours) and math.isfinite(theirs)
    if name.startswith(("var", "stddev", "covar")) and numbers:
        ours, theirs = (ours**2, theirs**2) if name.startswith("stddev") else (ours, theirs)
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12 * scale**2)
    if name in ("skewness", "kurtosis", "corr") and numbers:
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if name in ("regr_sxx", "regr_syy", "regr_sxy", "regr_r2", "regr_slope", "regr_intercept") and numbers:
        slack = {"regr_r2": 1e-9, "regr_slope": 1e-12}.get(name, 1e-12 * (1 + scale**2))
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=slack)
    if name == "product" and numbers:
        return math.isclose(ours, theirs, rel_tol=1e-14)
    return equal(ours, list(theirs) if isinstance(theirs, tuple) else theirs, scale)
