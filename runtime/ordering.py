"""Sort a table for a pass: partitions together, tuples within them in order, ties in the order of arrival.

Partitions come in one of two orders: by first appearance in the table, or by the values of their keys. The second is the same for
every table, so tables that were sorted separately can be merged. For a table that is in order already, this is only checked.
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
    """The order of a table's rows for a pass."""

    rows: Permutation | None  # None: as they are
    begins: Mask | None  # which rows, in this order, are the first of their partition; None: not known yet


def arranged(table: pa.Table, work: Pass) -> Arranged:
    """The order of the table for the pass, partitions by first appearance."""
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
    """Whether the rows are in the order of the pass."""
    levels = [level for name in work.partition_by for level in _key_levels(table.column(name), numbers)]
    levels += _orders(table, work)
    return not levels or bool(Levels(levels).ascend(0))


def permutation(table: pa.Table, work: Pass) -> Permutation | None:
    """The permutation into the order of the pass, partitions by first appearance; None if they are in that order already."""
    return arranged(table, work).rows


def permutation_by_value(table: pa.Table, work: Pass) -> Permutation | None:
    """The permutation into the order of the pass, partitions by the values of their keys; None if they are in that order already.

    NULL and NaN are values, too. Two keys have the same order in every table with columns of these types.
    """
    keys = [level for name in work.partition_by for level in _key_levels(table.column(name), ranks)]
    orders = _orders(table, work)
    if not keys:
        return sorted_by(orders)
    if Levels([*keys, *orders]).ascend(0):
        return None
    return sorted_by([*(coded(key, ranks) for key in keys), *orders])


def sorted_by(levels: Sequence[Level]) -> Permutation | None:
    """The permutation that sorts rows by levels, the most significant first; None if they are in that order already."""
    if not levels:
        return None
    its = Levels(levels)
    if its.ascend(0):
        return None
    # Sorting is stable: rows that are in the order of the last levels need not be sorted by these.
    return its.sorted(0, next((first for first in range(1, its.count) if its.ascend(first)), its.count))


def order_levels(column: pa.ChunkedArray, order: Order) -> list[Level]:
    """The levels to sort by for an order column."""
    return as_levels(in_one_piece(column), order.ascending, order.nulls_first)


def partition_numbers(columns: list[pa.ChunkedArray]) -> Numbers:
    """A number per row, from 0 on, in the order of first appearance; equal for rows of the same partition.

    NULL equals NULL, NaN equals NaN, and -0.0 equals 0.0, also within lists and structs.
    """
    return codes_of_rows([in_one_piece(column) for column in columns])


def numbers_of(tables: Sequence[pa.Table], by: Sequence[Sequence[str]]) -> Numbers:
    """As :func:`partition_numbers`, for the rows of several tables in sequence, by some columns of each."""
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
