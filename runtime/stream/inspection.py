"""What the state of a bucket holds, read from its bytes alone: neither the query nor its classes are needed.

Tables of tuples are read; the states of aggregates are only counted, so nothing is unpickled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime import sealed
from inwindow.runtime.expressions import shown_name
from inwindow.runtime.fingerprint import described
from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.stream.bucket import whole
from inwindow.runtime.stream.key_memory import NEXT, STATE
from inwindow.runtime.stream.log import ADDRESS, Log
from inwindow.runtime.stream.stored import DIRECTORY, directory_of, stored
from inwindow.udaf.errors import StateError
from inwindow.windows.order_key import PLAIN, OrderKey
from inwindow.windows.sequence import Positions

# The tables of tuples. A bucket that gives corrections (`revising_bucket.py`) holds two others, and the tuples between them.
_TUPLES = ("held", "pending", "settled/held")
_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True)
class Inspected:
    """The opened state of a bucket; ``bytes`` counts its chunks, too."""

    label: int | None
    header: Any
    tables: dict[str, pa.Table]
    bytes: int

    @cached_property
    def keys(self) -> list[str]:
        """The columns by which tuples are partitioned."""
        return list(self.header["keys"])

    @cached_property
    def tuples(self) -> pa.Table:
        """The keys and the times of all tuples in the state."""
        time = self.header["time"]
        names = list(dict.fromkeys([*self.keys, *([] if time is None else [time])]))
        its = [self.tables[name].select(names) for name in _TUPLES if name in self.tables]
        return pa.concat_tables(its) if its and names else pa.table({"": pa.nulls(sum(map(len, its)))})

    def of_keys(self, name: str) -> pa.Table | None:
        """A table with a row per key, if there is one; with corrections that at the watermark."""
        return self.tables.get(name, self.tables.get(f"shown/{name}"))

    @cached_property
    def order(self) -> OrderKey | None:
        """How times are numbers; None in arrival order, or for a state that holds no tuples."""
        time = self.header["time"]
        return None if time not in self.tuples.schema.names else OrderKey(time, self.tuples.schema.field(time).type)

    def times(self, keys: Positions, known: Any) -> pa.Array:
        """Times of their numbers; NULL where none is known."""
        if self.order is None:
            return pa.nulls(len(keys), pa.int64())
        times = self.order.column_of(np.where(known, keys, 0))
        return pc.if_else(pa.array(known), times, pa.scalar(None, times.type))


def inspected(head: bytes, chunk: Callable[[int], bytes] | None) -> Inspected:
    """Open a state, or its head and, by ``chunk``, its chunks; without ``chunk`` they are left out."""
    found = stored(head)
    with sealed.reading():
        header, tables, size = found.header, found.tables(), len(head)
        if "keys" not in header:
            raise StateError(_UNSAID)
        for name in [one for one in tables if one.rpartition("/")[2] in DIRECTORY]:
            directory = tables.pop(directory_of(name), None)
            if directory is not None and chunk is not None and len(directory):
                flags = tuple(directory.schema.names[directory.schema.names.index(ADDRESS) + 1 :])
                log = Log(tables[name].schema, None, flags)  # in any order
                tables[name] = log.read(tables[name], directory, chunk).drop_columns([ADDRESS])
                size += sum(directory.column("bytes").to_pylist())
    return Inspected(header["bucket"], header, tables, size)


_UNSAID = (
    "this state does not say which columns are its keys: an earlier inwindow wrote it; run the query for one more micro-batch, "
    "and read it then"
)


def by_bucket(state: Inspected) -> pa.Table:
    """One row: what the whole bucket holds."""
    its = _counted(state, np.zeros(len(state.tuples), dtype=np.int64), 1)
    keys = len(by_key(state)) if state.keys else min(1, len(state.tuples) + _remembered(state))
    done = state.header["done"]
    columns = {
        "bucket": pa.array([state.label], pa.int32()),
        "keys": pa.array([keys], pa.int64()),
        **its,
        "late_tuples": pa.array([state.header["late"]], pa.int64()),
        "watermark": state.times(np.array([done or 0]), np.array([done is not None])),
        "state_bytes": pa.array([state.bytes], pa.int64()),
        "query": pa.array([described(state.header["plan"])], pa.string()),
    }
    return pa.table(columns)


def by_key(state: Inspected) -> pa.Table:
    """A row per key that has tuples, or aggregates, in the state."""
    memory, newest = state.of_keys("memory"), state.of_keys("newest")
    remembered = _remembered(state)
    tables = [state.tuples.select(state.keys)] if state.keys else []
    if state.keys and memory is not None:
        tables.append(memory.select(state.keys))
    if state.keys and newest is not None:  # the newest rows of keys whose extents are filled
        tables.append(newest.select(range(len(state.keys))).rename_columns(state.keys))
    every = pa.concat_tables(tables) if tables else None
    number = (
        np.zeros(len(state.tuples) + remembered, dtype=np.int64) if every is None else partition_numbers(every.columns)
    )
    count = int(number.max()) + 1 if len(number) else 0
    first = np.unique(number, return_index=True)[1]
    seen, its_bytes = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    if memory is not None:
        which = number[len(state.tuples) :][:remembered]
        seen[which] = memory.column(NEXT).to_numpy()
        its_bytes[which] = _lengths(memory.column(STATE))
    done = state.header["done"]
    key = whole(every.take(pa.array(first))).columns if every is not None else []
    columns = {
        "bucket": pa.array([state.label] * count, pa.int32()),
        **({"key": pa.StructArray.from_arrays(key, list(map(shown_name, state.keys)))} if key else {}),
        **_counted(state, number[: len(state.tuples)], count),
        "seen_tuples": pa.array(seen, mask=np.full(count, memory is None) | (seen == 0)),
        "aggregate_bytes": pa.array(its_bytes),
        "watermark": state.times(np.full(count, done or 0), np.full(count, done is not None)),
    }
    return pa.table(columns)


def _counted(state: Inspected, number: Positions, count: int) -> dict[str, pa.Array]:
    """Of each group of tuples: how many are held, how many wait for the watermark, the earliest and the latest time."""
    waits = np.zeros(len(number), dtype=bool)
    oldest, newest = np.full(count, _INT64.max), np.full(count, _INT64.min)
    if state.order is not None:
        keys, side = state.order.read(whole(state.tuples.select([state.order.column])).column(0))
        plain, done = side == PLAIN, state.header["done"]
        waits = np.ones(len(number), dtype=bool) if done is None else keys >= done
        np.minimum.at(oldest, number[plain], keys[plain])
        np.maximum.at(newest, number[plain], keys[plain])
    known = newest >= oldest
    return {
        "held_tuples": pa.array(np.bincount(number[~waits], minlength=count)),
        "waiting_tuples": pa.array(np.bincount(number[waits], minlength=count)),
        "oldest": state.times(oldest, known),
        "newest": state.times(newest, known),
    }


def _remembered(state: Inspected) -> int:
    memory = state.of_keys("memory")
    return 0 if memory is None else len(memory)


def _lengths(column: pa.ChunkedArray) -> Positions:
    return np.array([0 if one is None else len(one) for one in column.to_pylist()], dtype=np.int64)


READERS = {"key": by_key, "bucket": by_bucket}
