"""Buckets of extents that are filled: for each key, the newest row is kept as long as ``quiet=`` says.

::

    watermark         20        30        40        50
    tumble of 10    [10,20)
    rows            tuples     filled    filled    nothing: the key is forgotten           quiet=20

A filled row comes when the watermark reaches the end of its extent, as that of an extent with tuples does.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.filling import Filling, Rows
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.ordering import partition_numbers, sorted_by
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stream.bucket import whole
from inwindow.runtime.stream.extent_buckets import ExtentBucket
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.order_key import Keys

_GIVEN = f"{PREFIX}given"


class FilledExtentBucket(ExtentBucket):
    """Extents by time; behind the last one of a key, extents without tuples give rows until the key is forgotten."""

    can_evolve = False  # it keeps rows, with all results

    def __init__(self, work: Pass, schema: pa.Schema, **at: Any) -> None:
        super().__init__(work, schema, **at)
        operator = GroupOperator(work, schema)
        assert operator.gaps is not None
        self.filling: Filling = operator.gaps.filling

    def begin(self, label: int | None = None) -> None:
        super().begin(label)
        self.newest: pa.Table | None = (
            None  # the newest row of each key, and the number of the last one given behind it
        )

    @property
    def live(self) -> int:
        """The held tuples, and the keys that are kept."""
        return len(self.held) + (0 if self.newest is None else len(self.newest))

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """The rows of extents that close, and of those without tuples that would close now."""
        rows = super().take(table, times)
        if self.done is None or not (len(rows) or self.newest):
            return rows
        its = self._in_order(rows)
        made, given = self.filling.filled(its, ended=False, until=self.done)
        self._keep(its, given)
        return made

    def _in_order(self, rows: pa.RecordBatch) -> Rows:
        """The kept rows and the new ones, key by key."""
        kept = empty_table(self._kept_schema) if self.newest is None else self.newest
        table = pa.concat_tables([kept.drop_columns([_GIVEN]), pa.Table.from_batches([rows])])
        window = whole(table.select(["window"])).column(0)
        begins, finishes = (self.filling.key.bound_keys(window.field(name)) for name in ("start", "end"))
        number = self.filling.numbers(begins, finishes)
        given = np.append(kept.column(_GIVEN).to_numpy(), number[len(kept) :])
        is_kept = np.arange(len(table)) < len(kept)
        by = [table.column(n) for n in range(len(self.work.partition_by))]
        partition = partition_numbers(by) if by else np.zeros(len(table), dtype=np.int64)
        order = sorted_by([(pa.array(partition), True, True), (pa.array(number), True, True)])
        if order is not None:
            table, partition, number, given, is_kept = (
                table.take(pa.array(order)), partition[order], number[order], given[order], is_kept[order],
            )  # fmt: skip
        return Rows(whole(table), partition, number, given, is_kept)

    def _keep(self, rows: Rows, given: Any) -> None:
        """The newest row of each key, unless no row behind it can still come."""
        newest = np.append(rows.partition[1:] != rows.partition[:-1], True)[: len(rows.number)]
        newest &= self.filling.stays(rows.number) > given
        table = pa.Table.from_batches([rows.batch]).append_column(_GIVEN, pa.array(given, pa.int64()))
        self.newest = table.filter(pa.array(newest))

    @property
    def _kept_schema(self) -> pa.Schema:
        return self.schema.append(pa.field(_GIVEN, pa.int64()))

    def by_key(self) -> dict[str, Sequence[str]]:
        return {**super().by_key(), "newest": self.schema.names[: len(self.work.partition_by)]}

    def tables(self) -> dict[str, pa.Table]:
        kept = empty_table(self._kept_schema) if self.newest is None else self.newest
        return {**super().tables(), "newest": kept}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        super().take_tables(tables)
        self.newest = tables["newest"].cast(self._kept_schema)
