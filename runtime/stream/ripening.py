"""Buckets whose tuples wait for the watermark, then are numbered within their keys, and held for frames or extents to come."""

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.instants import table_under
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.log import Log
from inwindow.runtime.stream.memory import Memory
from inwindow.runtime.unpacked import empty_table

OWN = f"{PREFIX}own"  # a held tuple's number in its partition


class RipeningBucket(Bucket):
    """Tuples wait, are held, and keys are remembered."""

    def __init__(self, work: Pass, schema: pa.Schema, where: str, flags: tuple[str, ...] = (), **at: str) -> None:
        marks = [pa.field(name, pa.bool_()) for name in flags]
        super().__init__(
            work, schema, where, Log(pa.schema([*schema, pa.field(OWN, pa.int64()), *marks]), OWN, flags), **at
        )
        self.pending = empty_table(schema)
        self.memory = Memory(schema, work.partition_by)

    @property
    def waiting(self) -> int:
        """What the watermark has not passed, or a frame is still open for."""
        return len(self.pending)

    @property
    def live(self) -> int:
        """What frames and open extents hold."""
        return len(self.held)

    def ripe(self, table: pa.Table) -> pa.Table:
        """Of what has waited and what has come, the tuples that the watermark is strictly past."""
        waiting = pa.concat_tables([self.pending, table]) if len(self.pending) else table
        if self.key is None:
            return waiting
        if self.done is None:
            self.pending = waiting
            return table.slice(0, 0)
        keys, _ = self.times(waiting)
        is_ripe = np.asarray(keys < self.done)
        self.pending = waiting.filter(pa.array(~is_ripe)).combine_chunks()
        return waiting.filter(pa.array(is_ripe))

    def tables(self) -> dict[str, pa.Table]:
        """Tuples that wait, keys that are remembered."""
        return {"pending": self.pending, "memory": self.memory.table}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :meth:`tables`."""
        self.pending = table_under(tables["pending"], self.columns)
        self.memory.restore(tables["memory"])
