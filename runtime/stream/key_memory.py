"""What a stream remembers about a key besides its held tuples: how many tuples it has had, and the states of its aggregates.

It is a table with a row per key. Keys are matched by numbering them together with the keys of the tuples, never one by one. It is
stored as a log (`log.py`): a micro-batch writes only the keys that it has changed.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.runtime.ordering import partition_numbers
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stream.log import Log
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.sequence import Positions

_ALL = f"{PREFIX}all"  # the key of a stream without keys
NEXT, _NEED, STATE = f"{PREFIX}next", f"{PREFIX}need", f"{PREFIX}state"


class Memory:
    """The remembered keys, in no particular order."""

    def __init__(self, schema: pa.Schema, keys: tuple[str, ...]) -> None:
        self.names = list(dict.fromkeys(keys))
        fields = [schema.field(name) for name in self.names] or [pa.field(_ALL, pa.null())]
        schema = pa.schema(
            [*fields, pa.field(NEXT, pa.int64()), pa.field(_NEED, pa.int64()), pa.field(STATE, pa.binary())]
        )
        self.log = Log(schema, None)
        self._empty = self.log.addressed(empty_table(schema))
        self.begin()

    def begin(self) -> None:
        """Remember nothing."""
        self.log.begin()
        self.table = self._empty

    def __len__(self) -> int:
        return len(self.table)

    def numbers_of(self, table: pa.Table) -> Positions:
        """A number per row: equal keys have equal numbers; the number of a remembered key is its row here."""
        if not self.names:
            return np.zeros(len(table), dtype=np.int64)
        columns = [
            pa.chunked_array(
                [*self.table.column(name).chunks, *table.column(name).chunks], table.schema.field(name).type
            )
            for name in self.names
        ]
        return partition_numbers(columns)[len(self.table) :]

    def keys_of(self, batch: pa.RecordBatch, at: Positions) -> pa.Table:
        """The keys of the tuples at these positions, for :meth:`update`."""
        table = pa.Table.from_batches([batch])
        if not self.names:
            return pa.table({_ALL: pa.nulls(len(at))})
        return table.select(self.names).take(pa.array(at))

    def next_of(self, which: Positions) -> Positions:
        """How many tuples the keys with these numbers have had; 0 for new keys."""
        return self._column(NEXT, which)

    def need_of(self, which: Positions) -> Positions:
        """The number of the first tuple that the keys' resumed aggregates still need."""
        return self._column(_NEED, which)

    def _column(self, name: str, which: Positions) -> Positions:
        values = self.table.column(name).to_numpy()
        known = which < len(values)
        result = np.zeros(len(which), dtype=np.int64)
        result[known] = values[which[known]]
        return result

    def states_of(self, which: Positions) -> list[bytes | None]:
        """The states of the keys with these numbers, as bytes; None for a key without one."""
        known = pa.array(which, mask=which >= len(self.table))
        states: list[bytes | None] = self.table.column(STATE).take(known).to_pylist()
        return states

    def update(
        self,
        which: Positions,
        keys: pa.Table,
        counts: Positions,
        needs: Positions,
        states: Sequence[bytes | None],
        keep: npt.NDArray[np.bool_],
    ) -> None:
        """Set the rows of the keys with these numbers, also of new keys; forget the keys that are not to be kept.

        ``states`` has only the states of the kept keys.
        """
        changes = ~self._has(which, counts, needs, states) | ~keep
        if not changes.all():
            states = [state for state, its in zip(states, changes[keep].tolist(), strict=True) if its]
            at = pa.array(changes)
            which, keys, counts, needs, keep = (
                which[changes],
                keys.filter(at),
                counts[changes],
                needs[changes],
                keep[changes],
            )
        rows = keys.append_column(NEXT, pa.array(counts)).append_column(_NEED, pa.array(needs))
        rows = rows if keep.all() else rows.filter(pa.array(keep))
        rows = self.log.addressed(rows.append_column(STATE, pa.array(states, pa.binary())))
        stays = np.ones(len(self.table), dtype=bool)
        stays[which[which < len(self.table)]] = False
        old = self.table if stays.all() else self.table.filter(pa.array(stays))
        self.table = pa.concat_tables([old, rows.cast(self.table.schema)]).combine_chunks()

    def restate(self, made: Callable[[list[bytes | None]], list[bytes | None]], *, counts: bool) -> None:
        """Replace the states of all keys; without states and without counts no key is remembered."""
        states = pa.array(made(self.table.column(STATE).to_pylist()), pa.binary())
        table = self.table.select(self.log.schema.names)
        table = table.set_column(len(table.schema) - 1, table.schema.field(len(table.schema) - 1), states)
        if not counts:
            table = table.filter(pa.array(np.asarray(states.is_valid())))
        self.table = self.log.addressed(table).combine_chunks()

    def _has(
        self, which: Positions, counts: Positions, needs: Positions, states: Sequence[bytes | None]
    ) -> npt.NDArray[np.bool_]:
        """Which of these rows, of keys without states, are here as they are."""
        if any(state is not None for state in states):
            return np.zeros(len(which), dtype=bool)
        return (which < len(self.table)) & (self.next_of(which) == counts) & (self.need_of(which) == needs)
