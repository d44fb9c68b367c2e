"""Rows for extents without tuples (``fill=``): between the rows of a key, and as long as the key is kept behind them.

::

    extents           [0,10)   [10,20)   [20,30)   [30,40)   [40,50)
    rows of a key        4                            8                   tuples at 1, 2, 35
    fill="previous"      4         4         4        8
    quiet=10             4         4                  8         8         one extent behind each

Rows are numbered as their extents are (`windows/extent_bounds.py`), so what lacks between two rows is arithmetic. No aggregate
runs: a count of nothing is 0, and most others are NULL, before they are filled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._bounds import shifted
from inwindow.optimizer.plan import Pass
from inwindow.udaf.errors import DataError
from inwindow.windows.extent_bounds import Numbered
from inwindow.windows.neighbours import Mask
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.spec import Fill, Hop

_MOST = 1 << 20  # rows of one gap: more are a mistake
_NONE_FIRST, _NONE_LAST = np.iinfo(np.int64).max, np.iinfo(np.int64).min

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Rows of extents with tuples: one partition after the other, each in order."""

    batch: pa.RecordBatch
    partition: Numbers
    number: Numbers  # of the extents
    given: Numbers  # the last number that has had a row behind this one
    is_given: Mask  # whether the row itself has been given


class Filling:
    """The rows of a pass with those of its gaps."""

    def __init__(self, work: Pass, framing: Numbered, schema: pa.Schema, empty: list[pa.Array]) -> None:
        assert isinstance(work.extent, Hop) and work.extent.fill is not None and work.key is not None
        self.fill: Fill = work.extent.fill
        self.key: OrderKey = work.key
        self.framing, self.schema, self.empty = framing, schema, empty
        self.keys = len(work.partition_by)
        quiet = self.fill.quiet
        self.quiet = None if quiet is None else int(self.key.exact_distance(quiet, what="fill: quiet"))
        self.between = None if self.fill.between is None else self._between(work.extent)

    def _between(self, extent: Hop) -> tuple[int, int]:
        """The numbers of the first and the last extent that begin from start until before end."""
        assert self.fill.between is not None
        key = OrderKey(self.key.column, self.key.type, zone=extent.timezone or self.key.zone)
        start, end = (np.array([key.value(at, what="between")]) for at in self.fill.between)
        first, last = self.framing.numbers(start)[1], self.framing.numbers(end)[1]
        first = first + (self.framing.interval(first)[0] < start)
        last = last - (self.framing.interval(last)[0] >= end)
        return (int(first[0]), int(last[0])) if first[0] <= last[0] else (_NONE_FIRST, _NONE_LAST)

    def numbers(self, begins: Keys, finishes: Keys) -> Numbers:
        """The numbers of extents; where clocks skip an hour, several begin together."""
        number = self.framing.numbers(begins)[1].astype(np.int64)
        while (other := self.framing.interval(number)[1] > finishes).any():
            number = number - other
        return number

    def stays(self, number: Numbers) -> Numbers:
        """The last number for which a key is kept behind these: by ``quiet=``, else none."""
        if self.quiet is None or not len(number):
            return number
        return self.before(shifted(self.framing.interval(number)[1], self.quiet))

    def before(self, keys: Keys) -> Numbers:
        """The last number of an extent that finishes at these keys, or before."""
        last: Numbers = self.framing.numbers(keys)[0].astype(np.int64) - 1
        return last

    def filled(self, rows: Rows, *, ended: bool, until: int | None = None) -> tuple[pa.RecordBatch, Numbers]:
        """The rows with those of the gaps that are known, and the last number that has a row behind each.

        Behind the newest row of a partition, gaps are known if the partition has ended (all but the last partition have, and the
        last if ``ended``), or, on a stream, if they finish at the watermark ``until`` or before.
        """
        number, count = rows.number, len(rows.number)
        if not count:
            return rows.batch, number
        same = np.append(rows.partition[1:] == rows.partition[:-1], False)
        following = np.append(number[1:], 0) - 1
        stays = self.stays(number)
        if until is not None:
            behind = np.minimum(stays, self.before(np.array([until]))[0])
        else:
            over = np.append(np.ones(count - 1, dtype=bool), ended)
            behind = np.where(over, stays if self.between is None else np.maximum(number, self.between[1]), number)
        between = following if self.quiet is None else np.minimum(following, stays)
        stop = np.maximum(np.where(same, between, behind), rows.given)
        start = number
        if self.between is not None:
            is_first = np.append(True, ~same[:-1]) & ~rows.is_given
            start = np.where(is_first, np.minimum(number, self.between[0]), number)
        return self._made(rows, number - start, stop - rows.given, same), stop

    def _made(self, rows: Rows, leading: Numbers, behind: Numbers, same: Mask) -> pa.RecordBatch:
        self._check(rows, np.maximum(leading, behind))
        own = (~rows.is_given).astype(np.int64)
        total = leading + own + behind
        row = np.repeat(np.arange(len(total)), total)
        place = np.arange(len(row)) - np.repeat(np.cumsum(total) - total, total)
        is_own = (place == leading[row]) & (own[row] > 0)
        is_before = place < leading[row]
        later = rows.given[row] + 1 + place - leading[row] - own[row]
        number = np.where(is_own, rows.number[row], np.where(is_before, rows.number[row] - leading[row] + place, later))
        begins, finishes = self.framing.interval(number)
        exists = is_own | (begins < finishes)  # clocks may skip a whole extent
        row, is_own, is_before, number = row[exists], is_own[exists], is_before[exists], number[exists]
        begins, finishes = begins[exists], finishes[exists]
        bounds = [self.key.bounds_of(keys) for keys in (begins, finishes)]
        columns = [column.take(pa.array(row)) for column in rows.batch.columns[: self.keys]]
        columns.append(pa.StructArray.from_arrays(bounds, fields=list(self.schema.field(self.keys).type)))
        first = self.framing.interval(rows.number)[0]
        for column, empty in zip(rows.batch.columns[self.keys + 1 :], self.empty, strict=True):
            taken = self._column(column, empty, row, is_own, is_before)
            if self.fill.how == "linear" and not empty[0].is_valid:
                taken = _on_lines(taken, column, first, begins, row, ~is_own & ~is_before & same[row])
            columns.append(taken)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _column(self, column: pa.Array, empty: pa.Array, row: Numbers, is_own: Mask, is_before: Mask) -> pa.Array:
        """The results of rows; those of gaps are taken from the row before, or from one value behind all rows."""
        if empty[0].is_valid:
            constant, at_gaps = empty, np.full(len(row), len(column))
        elif self.fill.how == "value":
            constant, at_gaps = pa.array([self.fill.value]).cast(column.type), np.full(len(row), len(column))
        elif self.fill.how == "previous":
            constant, at_gaps = pa.nulls(1, column.type), np.where(is_before, len(column), row)
        else:
            constant, at_gaps = pa.nulls(1, column.type), np.full(len(row), len(column))
        return pa.concat_arrays([column, constant]).take(pa.array(np.where(is_own, row, at_gaps)))

    def _check(self, rows: Rows, gaps: Numbers) -> None:
        worst = int(gaps.max())
        if worst > _MOST:
            begin = self.key.bounds_of(self.framing.interval(rows.number[gaps.argmax()][None])[0])[0]
            raise DataError(
                f"fill=: around the extent from {begin} there would be {worst:,} rows without tuples: give larger extents, or end "
                "the fill with quiet="
            )


def _on_lines(taken: pa.Array, column: pa.Array, first: Keys, begins: Keys, row: Numbers, which: Mask) -> pa.Array:
    """Results between two rows, by time; NULL if one of both is."""
    values = pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)
    at, there = row[which], row[which] + 1
    share = (begins[which] - first[at]) / (first[there] - first[at])
    points = np.zeros(len(row))
    points[which] = values[at] + (values[there] - values[at]) * share
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    known = which.copy()
    known[which] = valid[at] & valid[there]
    return pc.if_else(pa.array(known), pa.array(points).cast(taken.type), taken)


class BatchFilling:
    """For sorted rows as they come: the newest row is kept, as it may have gaps behind it."""

    kept = ("last",)

    def __init__(self, filling: Filling) -> None:
        self.filling = filling
        self.last: Rows | None = None

    def rows(
        self, batch: pa.RecordBatch, partition: Numbers, begins: Keys, finishes: Keys, ended: bool
    ) -> pa.RecordBatch:
        """The next rows, with the gaps before them; behind the last ones if the input has ended."""
        number = self.filling.numbers(begins, finishes) if batch.num_rows else np.zeros(0, dtype=np.int64)
        new = Rows(batch, partition, number, number, np.zeros(len(number), dtype=bool))
        its = new if self.last is None else _joined(self.last, new)
        made, given = self.filling.filled(its, ended=ended)
        if len(given):
            end = slice(len(given) - 1, None)
            newest = its.batch.take(pa.array([len(given) - 1]))
            self.last = Rows(newest, its.partition[end], its.number[end], given[end], np.ones(1, dtype=bool))
        return made

    def state(self) -> Any:
        last = self.last
        if last is None:
            return None
        return last.batch.columns, last.partition, last.number, last.given

    def restore(self, state: Any) -> None:
        """Continue from a state."""
        self.last = None
        if state is not None:
            columns, partition, number, given = state
            newest = pa.RecordBatch.from_arrays(columns, schema=self.filling.schema)
            self.last = Rows(newest, partition, number, given, np.ones(1, dtype=bool))


def _joined(a: Rows, b: Rows) -> Rows:
    columns = [pa.concat_arrays(list(pair)) for pair in zip(a.batch.columns, b.batch.columns, strict=True)]
    return Rows(
        pa.RecordBatch.from_arrays(columns, schema=b.batch.schema),
        np.concatenate([a.partition, b.partition]),
        np.concatenate([a.number, b.number]),
        np.concatenate([a.given, b.given]),
        np.concatenate([a.is_given, b.is_given]),
    )
