"""Putting a local table into the order of a pass, and its results back into the order it came in.

Partitions are numbered in the order of their first appearance, so that groups come out in it too.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.dictionaries import plain
from inwindow.native.equality import codes_of_rows
from inwindow.optimizer.plan import Pass
from inwindow.windows.order_key import OrderKey
from inwindow.windows.spec import Order

Permutation = npt.NDArray[np.int64]
Levels = list[npt.NDArray[Any]]  # what to sort by, most significant first


def permutation(table: pa.Table, work: Pass) -> Permutation | None:
    """The rows in the order of the pass, ties as they came; None if they are in that order already."""
    levels: Levels = (
        [partition_numbers([table.column(name) for name in work.partition_by])] if work.partition_by else []
    )
    for order in work.order_by:
        levels += order_levels(table.column(order.column), order)
    if not levels or _is_sorted(levels):
        return None
    if work.partition_by and _is_sorted(levels[1:]):
        return _stable(levels[0])
    if len(levels) == 1:
        return _stable(levels[0])
    return np.lexsort(levels[::-1]).astype(np.int64, copy=False)


def partition_numbers(columns: list[pa.ChunkedArray]) -> npt.NDArray[np.int64]:
    """A number per row; equal numbers, equal partition (:mod:`inwindow.native.equality` says what is equal)."""
    # Several chunks may have several dictionaries, which Arrow does not always unify; one is faster than its values.
    return codes_of_rows([_combined(column if column.num_chunks == 1 else plain(column)) for column in columns])


def order_levels(column: pa.ChunkedArray, order: Order) -> Levels:
    """NULLs and NaNs to their end, then the values."""
    values = _combined(plain(column))
    if pa.types.is_null(values.type):
        return []
    kind = values.type
    numeric = (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal128(kind)
        or pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind)
    )  # fmt: skip
    if not numeric:
        ranked = pc.rank(values, sort_keys="ascending", tiebreaker="dense")
        values = pc.if_else(values.is_null(), None, pc.cast(ranked, pa.int64()))
    keys, side = OrderKey(order.column, values.type, order.ascending, order.nulls_first).read(values)
    levels: Levels = [keys]
    if keys.ndim == 2:
        levels = [keys[:, 1], keys[:, 0].copy().view(np.uint64)]
    return [side, *levels] if side.any() else levels


def _is_sorted(levels: Levels) -> bool:
    undecided = np.ones(max(len(levels[0]) - 1, 0), dtype=bool) if levels else np.zeros(0, dtype=bool)
    for level in levels:
        if (undecided & (level[1:] < level[:-1])).any():
            return False
        undecided &= level[1:] == level[:-1]
    return True


def _stable(level: npt.NDArray[Any]) -> Permutation:
    if level.dtype == np.int64 and len(level) and int(level.max()) < 1 << 16 and int(level.min()) >= 0:
        level = level.astype(np.uint16)  # numpy sorts 16 bits by radix, in linear time
    return np.argsort(level, kind="stable").astype(np.int64, copy=False)


def inverse(order: Permutation) -> Permutation:
    """The permutation that undoes another."""
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return back


def _combined(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)
