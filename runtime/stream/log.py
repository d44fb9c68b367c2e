"""The tuples that a bucket holds, as a log of chunks, so that a tuple is not written again in every micro-batch.

::

    held     |--- chunk 4 ---|--- chunk 5 ---|-- tail --|
    later      x x x x x x x |- x ----- x ---|--- chunk 6 ---|- tail -|      x: no longer held
             removed          stays            the old tail, now full

A chunk never changes. The *head*, written in every micro-batch, contains the tail, and for each chunk some bits per tuple: whether
it is still held, and its flags. If less than half of a chunk is still held, the chunk is removed and its remaining tuples join
the tail. So, apart from the time in the tail, at most one tuple is written again for each tuple that has left.

In memory the held tuples are a table whose last column is their address: chunk * 2**32 + row, or a negative number in the tail.

The keys that a bucket remembers are another log: a changed key is a new row, and its old row is no longer held. So a micro-batch
writes the keys that it has changed, and about as many again out of chunks that it removes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.runtime import sealed
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stream.evolution import fitted
from inwindow.runtime.stream.storage import from_bytes, to_bytes
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import StateError
from inwindow.windows.sequence import Positions

ADDRESS = f"{PREFIX}place"
FULL = 1 << 19  # bytes of a tail that becomes a chunk: Spark's state takes 20 to 30 ms for each MB
_ROW = 1 << 32


@dataclass
class Written:
    """The changes of a log that must be stored."""

    tail: pa.Table
    directory: pa.Table
    chunks: dict[int, bytes] = field(default_factory=dict)  # new
    removed: list[int] = field(default_factory=list)


class Log:
    """How a table of a bucket is stored; ``number`` is a column by which rows of several chunks are sorted again, if any."""

    def __init__(self, schema: pa.Schema, number: str | None, flags: tuple[str, ...] = ()) -> None:
        self.schema, self.number, self.flags = schema, number, flags
        self.chunk_schema = pa.schema([one for one in schema if one.name not in flags])
        bits = [pa.field(name, pa.binary()) for name in (ADDRESS, *flags)]
        numbers = [pa.field(name, pa.int64()) for name in ("chunk", "rows", "bytes")]
        self.directory = pa.schema([*numbers, pa.field("checksum", pa.binary()), *bits])
        self.no_chunks = empty_table(self.directory)
        self.begin()

    def begin(self) -> None:
        self.stored: dict[int, tuple[int, int, bytes]] = {}  # of each chunk: rows, bytes, its checksum

    def addressed(self, table: pa.Table) -> pa.Table:
        """New tuples, with an address in no chunk."""
        return table.append_column(ADDRESS, pa.array(np.full(len(table), -1)))

    @property
    def behind(self) -> int:
        """A number after those of all chunks."""
        return max(self.stored, default=-1) + 1

    def written(self, held: pa.Table, free: int) -> Written:
        """Store these rows; ``free`` is the number of a new chunk. A log object is written once: the next micro-batch reads it."""
        if not self.stored and (held.get_total_buffer_size() < FULL or held.nbytes < FULL):
            return Written(held.select(self.schema.names), self.no_chunks)
        address = held.column(ADDRESS).to_numpy()
        chunk = np.where(address < 0, -1, address // _ROW)
        flagged = [held.column(name).to_numpy() for name in self.flags]
        by_chunk = np.argsort(chunk, kind="stable")
        sorted_chunk = chunk[by_chunk]
        first, behind = (np.searchsorted(sorted_chunk, list(self.stored), side=side) for side in ("left", "right"))
        removed, entries = [], []
        for (number, (rows, size, its_checksum)), a, b in zip(self.stored.items(), first, behind, strict=True):
            its = by_chunk[a:b]
            if 2 * len(its) < rows:
                removed.append(number)
                chunk[its] = -1
            else:
                bits = _bits(rows, address[its] % _ROW, [one[its] for one in flagged])
                entries.append((number, rows, size, its_checksum, *bits))
        in_tail = chunk < 0
        tail, chunks = held.filter(pa.array(in_tail)), {}
        if tail.nbytes >= FULL:
            tail = tail.combine_chunks()
            chunks[free] = content = sealed.sealed(sealed.CHUNK, to_bytes(tail.select(self.chunk_schema.names)))
            bits = _bits(len(tail), np.arange(len(tail)), [one[in_tail] for one in flagged])
            entries.append((free, len(tail), len(content), sealed.checksum_of(content), *bits))
            tail = tail.slice(0, 0)
        columns: list[Any] = list(zip(*entries, strict=True)) or [()] * len(self.directory)
        directory = pa.table([pa.array(its, one.type) for its, one in zip(columns, self.directory, strict=True)],
                             schema=self.directory)  # fmt: skip
        return Written(tail.select(self.schema.names), directory, chunks, removed)

    def read(self, tail: pa.Table, directory: pa.Table, chunk: Callable[[int], bytes]) -> pa.Table:
        parts = []
        for entry in directory.to_pylist():
            number, rows = entry["chunk"], entry["rows"]
            self.stored[number] = rows, entry["bytes"], entry["checksum"]
            at = np.flatnonzero(_mask(entry[ADDRESS], rows))
            its = fitted(_opened(chunk, number, entry["checksum"]), self.chunk_schema)  # it may be of an earlier query
            for name in self.flags:
                its = its.append_column(name, pa.array(_mask(entry[name], rows)))
            its = its.append_column(ADDRESS, pa.array(number * _ROW + np.arange(rows)))
            parts.append(its.select([*self.schema.names, ADDRESS]).take(pa.array(at)))
        if not parts:
            return self.addressed(tail)
        held = pa.concat_tables([*parts, self.addressed(tail)]).combine_chunks()
        if self.number is None:
            return held
        return held.take(pa.array(np.argsort(held.column(self.number).to_numpy(), kind="stable")))


def _opened(chunk: Callable[[int], bytes], number: int, checksum: bytes) -> pa.Table:
    """Read a chunk; an error if it is missing, or if another chunk is in its place."""
    try:
        content = chunk(number)
    except (KeyError, TypeError):  # TypeError: Spark gives None for a missing entry
        raise StateError(
            f"chunk {number} of the state is not there: go on from an earlier checkpoint, or begin anew"
        ) from None
    opened = sealed.opened(sealed.CHUNK, content)
    if sealed.checksum_of(content) != checksum:
        raise StateError(f"chunk {number} of the state is another's: go on from an earlier checkpoint, or begin anew")
    return from_bytes(opened)


def _bits(rows: int, held: Positions, flagged: list[npt.NDArray[np.bool_]]) -> list[bytes]:
    """Bits: which rows of a chunk are held, and for which of these each flag is set."""
    return [_packed(its, rows) for its in (held, *(held[flag] for flag in flagged))]


def _packed(row: Positions, rows: int) -> bytes:
    mask = np.zeros(rows, dtype=bool)
    mask[row] = True
    return np.packbits(mask).tobytes()


def _mask(bits: bytes, rows: int) -> npt.NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=rows).astype(bool)
