"""Buckets whose tuples wait for the watermark, get numbers within their keys, and are then held for later frames or extents."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from inwindow.native.instants import table_under
from inwindow.optimizer.plan import Pass
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.key_memory import Memory
from inwindow.runtime.stream.log import Log
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.order_key import Keys

OWN = f"{PREFIX}own"  # a held tuple's number in its partition


class WaitingBucket(Bucket):
    """Lets tuples wait, holds them, and remembers keys."""

    def __init__(self, work: Pass, schema: pa.Schema, where: str, flags: tuple[str, ...] = (), **at: str) -> None:
        marks = [pa.field(name, pa.bool_()) for name in flags]
        self.memory, self._none_waits = Memory(schema, work.partition_by), empty_table(schema)
        super().__init__(
            work, schema, where, Log(pa.schema([*schema, pa.field(OWN, pa.int64()), *marks]), OWN, flags), **at
        )

    def begin(self, label: int | None = None) -> None:
        super().begin(label)
        self.pending = self._none_waits
        self.memory.begin()

    @property
    def waiting(self) -> int:
        """How many tuples wait for the watermark, or for their frames to end."""
        return len(self.pending)

    @property
    def live(self) -> int:
        return len(self.held)

    def released(self, table: pa.Table, times: Keys) -> tuple[pa.Table, Keys]:
        """Of the waiting and the new tuples, those that the watermark has strictly passed; and their times."""
        if self.key is None:
            return table, times
        if len(self.pending):
            table, times = pa.concat_tables([self.pending, table]), np.append(self.times(self.pending)[0], times)
        is_released = np.zeros(len(table), dtype=bool) if self.done is None else np.asarray(times < self.done)
        if not is_released.any():
            self.pending = table.combine_chunks()
            return self._none_waits, times[:0]
        if is_released.all():
            self.pending = self._none_waits
            return table, times
        self.pending = table.filter(pa.array(~is_released)).combine_chunks()
        return table.filter(pa.array(is_released)), times[is_released]

    @property
    def logged(self) -> dict[str, tuple[Log, pa.Table]]:
        return {**super().logged, "memory": (self.memory.log, self.memory.table)}

    def take_logged(self, tables: dict[str, pa.Table]) -> None:
        super().take_logged(tables)
        self.memory.table = tables.pop("memory")

    def by_key(self) -> dict[str, Sequence[str]]:
        by = self.work.partition_by
        return {**super().by_key(), "pending": by, "memory": self.memory.names}

    def tables(self) -> dict[str, pa.Table]:
        return {"pending": self.pending}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        self.pending = table_under(tables["pending"], self.columns)
