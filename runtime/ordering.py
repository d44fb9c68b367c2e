"""Putting a table into the order of a pass: partitions together, tuples within them in order, ties as they came.

Partitions come in one of two orders: as they are first seen in the table, or by the values of their keys, which is the same for
every table, so that tables sorted apart can be merged. What is in order already costs one look.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._order import Levels
from inwindow.native.dictionaries import plain
from inwindow.native.equality import codes_of_rows
from inwindow.native.levels import Level, Numbering, Numbers, as_levels, coded, numbers, ranks
from inwindow.optimizer.plan import Pass
from inwindow.runtime.moving import in_one_piece
from inwindow.windows.spec import Order

Permutation = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Arranged:
    """A table's rows in the order of a pass."""

    rows: Permutation | None  # None: as they are
    begins: (
        Mask | None
    )  # which of them, in this order, are the first of their partition; None: that is still to be seen


def arranged(table: pa.Table, work: Pass) -> Arranged:
    """The table in the order of the pass, partitions as first seen."""
    keys = [level for name in work.partition_by for level in _key_levels(table.column(name), numbers)]
    orders = _orders(table, work)
    if not keys or Levels([*keys, *orders]).ascend(0):
        return Arranged(None if keys else sorted_by(orders), None)
    number = numbers([coded(key, numbers) for key in keys], len(table))
    begins = np.zeros(len(table), dtype=bool)
    begins[0] = True
    begins[np.cumsum(np.bincount(number))[:-1]] = True
    return Arranged(sorted_by([(pa.array(number), True, True), *orders]), begins)


def is_in_order(table: pa.Table, work: Pass) -> bool:
    """Whether the rows are in the order of the pass: one look."""
    levels = [level for name in work.partition_by for level in _key_levels(table.column(name), numbers)]
    levels += _orders(table, work)
    return not levels or bool(Levels(levels).ascend(0))


def permutation(table: pa.Table, work: Pass) -> Permutation | None:
    """The rows in the order of the pass, partitions as first seen; None if they are in that order already."""
    return arranged(table, work).rows


def permutation_by_value(table: pa.Table, work: Pass) -> Permutation | None:
    """The rows in the order of the pass, partitions by the values of their keys; None if they are in that order already.

    NULL and NaN are values, too. Two keys are in the same order in every table whose columns are of these types.
    """
    keys = [level for name in work.partition_by for level in _key_levels(table.column(name), ranks)]
    orders = _orders(table, work)
    if not keys:
        return sorted_by(orders)
    if Levels([*keys, *orders]).ascend(0):
        return None
    return sorted_by([*(coded(key, ranks) for key in keys), *orders])


def sorted_by(levels: Sequence[Level]) -> Permutation | None:
    """The rows in the order of levels, the most significant first; None if they are in that order already."""
    if not levels:
        return None
    its = Levels(levels)
    if its.ascend(0):
        return None
    # Rows that come in the order of the last levels stay in it.
    return its.sorted(0, next((first for first in range(1, its.count) if its.ascend(first)), its.count))


def order_levels(column: pa.ChunkedArray, order: Order) -> list[Level]:
    """What to sort by for an order column."""
    return as_levels(in_one_piece(column), order.ascending, order.nulls_first)


def partition_numbers(columns: list[pa.ChunkedArray]) -> Numbers:
    """A number per row, from 0 on, in the order of first appearance; equal numbers, equal partition.

    NULL equals NULL, NaN equals NaN, and -0.0 equals 0.0, within lists and structs, too.
    """
    return codes_of_rows([in_one_piece(column) for column in columns])


def numbers_of(tables: Sequence[pa.Table], by: Sequence[Sequence[str]]) -> Numbers:
    """As :func:`partition_numbers`, of the rows of several tables, one behind the other, by some columns of each."""
    columns = []
    for names in zip(*by, strict=True):
        parts = [table.column(name) for table, name in zip(tables, names, strict=True)]
        if any(part.type != parts[0].type for part in parts):  # some are dictionaries
            parts = [plain(part) for part in parts]
        columns.append(pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type))
    return partition_numbers(columns)


def _key_levels(column: pa.ChunkedArray, number: Numbering) -> list[Level]:
    return as_levels(in_one_piece(column), number=number)


def _orders(table: pa.Table, work: Pass) -> list[Level]:
    return [level for order in work.order_by for level in order_levels(table.column(order.column), order)]
