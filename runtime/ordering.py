"""Putting a table into the order of a pass: partitions together, tuples within them in order, ties as they came.

Partitions come in one of two orders: as they are first seen in the table, or by the values of their keys, which is the same for
every table, so that tables sorted apart can be merged. What is in order already costs one look.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._order import Levels
from inwindow.optimizer.plan import Pass
from inwindow.runtime.moving import in_one_piece
from inwindow.runtime.ranks import Level, Numbers, coded, levels_of, numbers, ranks
from inwindow.windows.spec import Order

Permutation = npt.NDArray[np.int64]


def permutation(table: pa.Table, work: Pass) -> Permutation | None:
    """The rows in the order of the pass, partitions as first seen; None if they are in that order already."""
    keys = [
        level for name in work.partition_by for level in levels_of(in_one_piece(table.column(name)), number=numbers)
    ]
    orders = _orders(table, work)
    if not keys:
        return sorted_by(orders)
    plain = Levels([*keys, *orders])
    if plain.ascend(0):
        return None
    last = _needed(plain, len(keys))
    return Levels([*(coded(key, numbers) for key in keys), *orders]).regrouped(len(keys), last)


def permutation_by_value(table: pa.Table, work: Pass) -> Permutation | None:
    """The rows in the order of the pass, partitions by the values of their keys; None if they are in that order already.

    NULL and NaN are values, too. The order of two keys is the same in every table with columns of these types.
    """
    keys = [level for name in work.partition_by for level in levels_of(in_one_piece(table.column(name)))]
    levels = [*keys, *_orders(table, work)]
    if not levels or Levels(levels).ascend(0):
        return None
    return sorted_by([*(coded(key, ranks) for key in keys), *levels[len(keys) :]])


def sorted_by(levels: Sequence[Level]) -> Permutation | None:
    """The rows in the order of levels, the most significant first; None if they are in that order already."""
    if not levels:
        return None
    its = Levels(levels)
    return None if its.ascend(0) else its.sorted(0, _needed(its, 1))


def order_levels(column: pa.ChunkedArray, order: Order) -> list[Level]:
    """What to sort by for an order column."""
    return levels_of(in_one_piece(column), order.ascending, order.nulls_first)


def partition_numbers(columns: list[pa.ChunkedArray]) -> Numbers:
    """A number per row, from 0 on, in the order of first appearance; equal numbers, equal partition.

    NULL equals NULL, NaN equals NaN, and -0.0 equals 0.0, within lists and structs, too.
    """
    levels = [coded(level, numbers) for column in columns for level in levels_of(in_one_piece(column), number=numbers)]
    return numbers(levels, len(columns[0]))


def _orders(table: pa.Table, work: Pass) -> list[Level]:
    return [level for order in work.order_by for level in order_levels(table.column(order.column), order)]


def _needed(levels: Levels, least: int) -> int:
    """How many levels are to be sorted by: rows that come in the order of the others stay in it."""
    return next((first for first in range(least, levels.count) if levels.ascend(first)), levels.count)
