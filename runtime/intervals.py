"""Rows that hold during [since, until): their ends as 64-bit integers, checked, and sorted for sweeps.

::

    since  2026-01-01   NULL     2026-03-01        until  2026-02-01   2026-01-15   NULL
    key         20454   -2**63        20513                     20485        20468   2**63 - 1

Integers, dates, timestamps and decimals of up to 18 digits are such integers already. For wider types, and if a column contains the
values that stand for NULL, the key of an end is its rank among all ends: operators only compare ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._ends import ordered
from inwindow.native._moving import taken
from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.native.dictionaries import plain_type
from inwindow.native.levels import as_levels, ranks
from inwindow.optimizer.columns import check_columns
from inwindow.runtime.dictionaries import read_column
from inwindow.runtime.ordering import sorted_by
from inwindow.udaf.errors import DataError, UsageError
from inwindow.udaf.kinds import back_to, is_decimal
from inwindow.windows.order_key import OrderKey

Keys = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
SINCE, UNTIL = "since", "until"  # a relation's columns
ENDS = (SINCE, UNTIL)
_ALWAYS = (NEVER_BEGAN, FOR_EVER)
_UNITS = ["s", "ms", "us", "ns"]


def is_instant(kind: pa.DataType) -> bool:
    """Whether the ends of a validity may be of this type."""
    is_ = pa.types
    return bool(is_.is_integer(kind) or is_.is_decimal128(kind) or is_.is_date(kind) or is_.is_timestamp(kind))


def check_ends(schema: pa.Schema, since: str, until: str, where: str) -> pa.DataType:
    """The type of the two columns; an error if one is missing, if the type has no instants, or if the types differ."""
    check_columns(schema, [since, until], where)
    kinds = [plain_type(schema.field(name).type) for name in (since, until)]
    for name, kind in zip((since, until), kinds, strict=True):
        if not is_instant(kind):
            raise UsageError(
                f"{where}: {name!r} is of type {kind}; a row holds from one instant to another: cast it to an integer, a "
                "decimal, a date or a timestamp"
            )
    return one_kind(kinds, [repr(since), repr(until)], where)


def one_kind(kinds: Sequence[pa.DataType], names: Sequence[str], where: str) -> pa.DataType:
    """The one type of several columns of instants, of timestamps the finest; or an error, in which they have these names."""
    first = kinds[0]
    for name, kind in zip(names[1:], kinds[1:], strict=True):
        if kind == first:
            continue
        if pa.types.is_timestamp(kind) and pa.types.is_timestamp(first):
            if (kind.tz is None) == (first.tz is None):
                first = pa.timestamp(max(first.unit, kind.unit, key=_UNITS.index), first.tz)
                continue
            with_zone, without = (names[0], name) if kind.tz is None else (name, names[0])
            raise UsageError(
                f"{where}: {with_zone} has a time zone and {without} has none: they cannot be compared; cast one of them"
            )
        raise UsageError(
            f"{where}: {names[0]} is of type {first}, but {name} of type {kind}: ends are compared, so cast them to one type"
        )
    return first


@dataclass(frozen=True)
class Instants:
    """Converts ends of one type to keys, and back."""

    kind: pa.DataType
    ranked: pa.Array | None = None  # if keys are ranks: the sorted ends

    @classmethod
    def of(cls, kind: pa.DataType, columns: Sequence[pa.Array]) -> "Instants":
        """The instants of these columns; :meth:`keys` accepts only these columns or parts of them."""
        plain = cls(kind)
        if not plain._is_wide and not any(plain._has_extremes(column) for column in columns):
            return plain
        ends = pa.concat_arrays([column.drop_null() for column in columns]).unique()
        order = ranks(as_levels(ends), len(ends))
        return cls(kind, ends.take(pa.array(np.argsort(order))))

    @property
    def _is_wide(self) -> bool:
        return is_decimal(self.kind) and self.kind.precision > 18

    def _has_extremes(self, column: pa.Array) -> bool:
        if not self.kind.bit_width >= 64 or not len(column) or column.null_count == len(column):
            return False
        keys = self._whole(column.drop_null())
        return bool(keys.min() == NEVER_BEGAN or keys.max() == FOR_EVER)

    def _whole(self, column: pa.Array) -> Keys:
        return OrderKey("", self.kind).ascending_keys(column)

    def keys(self, column: pa.Array, null: int) -> Keys:
        """The keys of ends; the key of a NULL is ``null``."""
        if self.ranked is not None:
            found = pc.index_in(column, self.ranked)
            keys = found.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        else:
            keys = self._whole(column)
        if column.null_count:
            keys = np.where(pc.is_null(column).to_numpy(zero_copy_only=False), null, keys)
        return np.ascontiguousarray(keys)

    def column(self, keys: Keys) -> pa.Array:
        """The ends for keys; NULL for rows that always held, or hold for ever."""
        has_ends = len(keys) == 0 or (keys.min() != NEVER_BEGAN and keys.max() != FOR_EVER)
        mask = None if has_ends else (keys == NEVER_BEGAN) | (keys == FOR_EVER)
        if self.ranked is not None:
            return self.ranked.take(pa.array(keys if mask is None else np.where(mask, 0, keys), mask=mask))
        if mask is not None:
            keys = np.where(mask, 0, keys)
        if pa.types.is_date64(self.kind):
            return pc.cast(pa.array(keys.astype(np.int32), mask=mask).view(pa.date32()), self.kind)
        if pa.types.is_uint64(self.kind):
            return pa.array(keys.view(np.uint64) ^ np.uint64(1 << 63), mask=mask)
        return back_to(self.kind)(pa.array(keys, mask=mask))


@dataclass(frozen=True)
class Intervals:
    """Non-empty intervals in any order: the number of the row, the group, and both ends as keys."""

    row: Rows
    group: Rows
    since: Keys
    until: Keys

    @cached_property
    def by_since(self) -> "Ordered":
        """The order of (group, since); of equals that in which they came."""
        return Ordered.of(self.group, self.since)

    @cached_property
    def by_until(self) -> "Ordered":
        """The order by (group, until)."""
        return Ordered.of(self.group, self.until)

    @cached_property
    def entered(self) -> "Intervals":
        """The intervals, in the order in which they enter."""
        order = self.by_since
        if order.rows is None:
            return self
        return Intervals(self.rows_at(order.rows), order.group, order.time, at_rows(self.until, order.rows))

    def taken(self, rows: Rows | None) -> "Intervals":
        """Some of them in an order; None: as they are."""
        if rows is None:
            return self
        return Intervals(self.rows_at(rows), self.group[rows], self.since[rows], self.until[rows])

    def rows_at(self, rows: Rows) -> Rows:
        """The rows of some of them. If no row was left out, the number of a row is its position."""
        follow = len(self.row) == len(rows) and self.row[-1] - self.row[0] == len(rows) - 1
        return rows + self.row[0] if follow and self.row[0] else rows if follow else self.row[rows]

    def grouped(self, number: Rows) -> "Intervals":
        """The intervals with other groups; ``number`` has the group of each row."""
        are_all = len(number) == len(self.row) and bool((self.row[1:] > self.row[:-1]).all())
        return Intervals(self.row, number if are_all else number[self.row], self.since, self.until)

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Ordered:
    """One end of intervals in order: whose it is (None: they are in order), the group, the time."""

    rows: Rows | None
    group: Rows
    time: Keys

    @classmethod
    def of(cls, group: Rows, time: Keys) -> "Ordered":
        """In one sort of words where these are long enough."""
        found = ordered(group, time)
        if found is not None:
            rows, its, times = found
            return cls(rows, group if its is None else its, times)
        rows = in_order(group, time)
        if rows is None:
            return cls(None, group, time)
        return cls(rows, group if _is_constant(group) else at_rows(group, rows), at_rows(time, rows))


def at_rows(keys: Keys, rows: Rows) -> Keys:
    """The numbers at some rows, which lie anywhere."""
    found: Keys = taken(pa.array(keys), rows).to_numpy()
    return found


def in_order(*levels: Keys) -> Rows | None:
    """The order of rows by some numbers, the most significant first; None if they are in order already."""
    varied = [level for level in levels if len(level) and level[0] != level[-1] or not _is_constant(level)]
    return sorted_by([(pa.array(level), True, True) for level in varied])


def _is_constant(level: Keys) -> bool:
    return not len(level) or bool((level == level[0]).all())


def read_intervals(since: pa.Array, until: pa.Array, instants: Instants, row_text: Callable[[int], str]) -> Intervals:
    """The intervals of rows, in one group, without the empty ones. ``row_text`` begins a message about a row."""
    begin, finish = instants.keys(since, NEVER_BEGAN), instants.keys(until, FOR_EVER)
    if (begin > finish).any():
        row = int(np.argmax(begin > finish))
        raise DataError(
            f"{row_text(row)} is from {since[row].as_py()} until {until[row].as_py()}, but it cannot end before it begins: swap "
            "the ends, or filter such rows out"
        )
    rows = np.arange(len(begin), dtype=np.int64)
    empty = begin == finish
    if empty.any():
        kept = ~empty
        rows, begin, finish = rows[kept], begin[kept], finish[kept]
    return Intervals(rows, np.zeros(len(rows), dtype=np.int64), begin, finish)


def ends_of(table: pa.Table, names: Sequence[str], kind: pa.DataType) -> list[pa.Array]:
    """Columns of ends, each in one piece, in the type in which they are compared."""
    columns = [read_column(table, name) for name in names]
    return [column if column.type == kind else pc.cast(column, kind) for column in columns]
