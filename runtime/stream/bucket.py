"""A bucket: keys of a stream that share one state, and one call per micro-batch.

::

    batch, watermark  ->  late | waiting            late: before a processed watermark; counted, never silently dropped
                          waiting -> ripe           the watermark has passed them: they are processed in order
                          held + ripe -> rows out   decided rows; the other tuples are held

A state is sealed bytes (`../sealed.py`) with the plan to which it belongs: another plan refuses it. It is one value, or a *head*
and the chunks of a log (`log.py`); then a micro-batch writes only the head and new chunks.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass, failures_in
from inwindow.optimizer.stream import stream_key
from inwindow.runtime import sealed
from inwindow.runtime.fingerprint import Part, fingerprint
from inwindow.runtime.guard import hiding
from inwindow.runtime.moving import in_one_piece
from inwindow.runtime.reserved import AHEAD
from inwindow.runtime.stream.evolution import Changes, Said, evolution, fitted, said_of
from inwindow.runtime.stream.log import ADDRESS, Log
from inwindow.runtime.stream.stored import directory_of, head_of, stored
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import DataError, StateError
from inwindow.udaf.failures import flat
from inwindow.windows.interval import Size
from inwindow.windows.order_key import PLAIN, Keys, OrderKey

_NO_TIMES: Keys = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Output:
    """The output of a micro-batch."""

    rows: pa.RecordBatch  # decided results
    late: pa.RecordBatch  # tuples behind the watermark, or too far ahead of the clock, as they arrived
    ahead: int = 0  # how many of the late tuples are ahead
    failures: int = 0  # how often hooks raised
    failed: pa.RecordBatch | None = None  # the tuples on which they did; None if the query does not collect them

    @property
    def kinds(self) -> dict[str, pa.RecordBatch]:
        """The output by kind, in the order in which ``iw.outputs`` gives it."""
        failed = {} if self.failed is None else {"failed": flat(self.failed)}
        return {"row": self.rows, "late": self.late, **failed}


@dataclass(frozen=True)
class Changed:
    """The parts of a bucket's state that a micro-batch has changed."""

    head: bytes
    chunks: dict[int, bytes]  # new
    removed: list[int]
    size: int  # of the whole state: also of the chunks that stay


class Bucket(ABC):
    """Holds the tuples of some keys of a stream, and emits rows as they are decided."""

    schema: pa.Schema  # of the rows
    rows: str  # what there is a row for, in words
    can_evolve = False  # whether a state of this kind can go on under another query
    changes: Changes = "exact"  # which other query

    def __init__(self, work: Pass, schema: pa.Schema, where: str, log: Log, zone: str = "UTC") -> None:
        self.work, self.columns = work, schema
        self.arriving = schema  # who makes the bucket may add columns: late tuples have them, the state has not
        self.log, self.zone = log, zone
        self._failures = failures_in(work)
        self._nothing_held = log.addressed(empty_table(log.schema))
        self.key = stream_key(schema, work, where, zone=zone)
        self.begin()

    def begin(self, label: int | None = None) -> None:
        """Start empty, as a bucket without tuples; ``label`` is the number of the bucket, if known.

        A task has one such object, and uses it for each of its buckets in turn.
        """
        self.label = label
        self.log.begin()
        self.held = self._nothing_held  # tuples for frames, or extents, to come
        self.done: int | None = None  # the last watermark; nothing before it is taken any more
        self.late = 0  # how many tuples came behind it
        self.is_restored = False

    def step(self, batch: pa.RecordBatch | pa.Table | None, watermark: int | None) -> Output:
        """Take the next tuples, in the order of arrival, and the watermark as a key."""
        with sealed.going_on(self.is_restored):
            return self._step(batch, watermark)

    def _step(self, batch: pa.RecordBatch | pa.Table | None, watermark: int | None) -> Output:
        table = self._table(batch)
        late, times, ahead = self._no_late, _NO_TIMES, 0
        if self.key is not None:
            passed = self.limit
            if self.done is None or (watermark is not None and watermark > self.done):
                self.done = watermark
            if len(table):
                times, plain = self.times(table)
                on_time = plain if passed is None else plain & (times >= passed)
                if AHEAD in table.column_names:
                    far = table.column(AHEAD).to_numpy()
                    on_time, ahead = on_time & ~far, int(far.sum())
                if not on_time.all():
                    late = whole(table.filter(pa.array(~on_time)))
                    table, times = table.filter(pa.array(on_time)), times[on_time]
        self.late += len(late)
        late = late.drop_columns([AHEAD]) if AHEAD in self.arriving.names else late
        self._taken_failures()  # of a turn that did not end
        rows = self.take(table if self.arriving is self.columns else table.select(self.columns.names), times)
        count, failed = self._taken_failures()
        return Output(rows, late, ahead, count, failed)

    def _taken_failures(self) -> tuple[int, pa.RecordBatch | None]:
        """What the hooks of the pass have raised since the last call: how often, and on which tuples, if that is wanted."""
        if self._failures is None:
            return 0, None
        count, found = self._failures.take()
        return count, whole(found) if self._failures.collects else None

    # Most micro-batches leave most buckets without rows, tuples or late tuples: nothing is made once.

    @cached_property
    def no_rows(self) -> pa.RecordBatch:
        """What comes out where nothing is decided."""
        return whole(empty_table(self.schema))

    @cached_property
    def _no_tuples(self) -> pa.Table:
        return empty_table(self.arriving)

    @cached_property
    def _no_late(self) -> pa.RecordBatch:
        return whole(self._no_tuples)

    @property
    def limit(self) -> int | None:
        """Tuples before it are late."""
        return self.done

    def settle(self) -> None:  # noqa: B027  # most buckets take no corrections
        """Let all tuples before the last watermark be late, also where some would be taken as corrections."""

    def _table(self, batch: pa.RecordBatch | pa.Table | None) -> pa.Table:
        if batch is None:
            return self._no_tuples
        check_columns(batch.schema, self.arriving.names, "a micro-batch")
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        table = table.select(self.arriving.names)
        return table if table.schema.equals(self.arriving) else table.cast(self.arriving)

    def times(self, table: pa.Table) -> tuple[Keys, npt.NDArray[np.bool_]]:
        """The tuples' times as keys, and which tuples have a time (are not NULL)."""
        assert self.key is not None
        keys, side = self.key.read(in_one_piece(table.column(self.key.column)))
        return keys, side == PLAIN

    @abstractmethod
    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Take tuples that are on time (``times`` are keys; None in arrival order), and return the rows that are decided now."""

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many tuples wait for the watermark."""

    @property
    @abstractmethod
    def live(self) -> int:
        """How many tuples are held for frames."""

    def held_by(self) -> list[int]:
        """How many tuples are held for each aggregate."""
        return [self.live] * len(self.work.steps)

    # State

    @abstractmethod
    def tables(self) -> dict[str, pa.Table]:
        """The state besides the held tuples."""

    @abstractmethod
    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :meth:`tables`."""

    @property
    def logged(self) -> dict[str, tuple[Log, pa.Table]]:
        """The tables that are stored as logs, by their names in a state; with addresses."""
        return {"held": (self.log, self.held)}

    def take_logged(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :attr:`logged`: takes its tables out of these."""
        self.held = tables.pop("held")

    def state(self) -> bytes:
        """The whole state, from which a bucket with the same plan continues."""
        return self._bytes({name: table.drop_columns([ADDRESS]) for name, (_, table) in self.logged.items()})

    def changed(self) -> Changed:
        """The state without the chunks that are stored already."""
        free = max(log.behind for log, _ in self.logged.values())
        tables: dict[str, pa.Table] = {}
        chunks: dict[int, bytes] = {}
        removed, size = [], 0
        for name, (log, table) in self.logged.items():
            written = log.written(table, free)
            free += len(written.chunks)
            tables[name] = written.tail
            if len(written.directory):
                tables[directory_of(name)] = written.directory
            chunks |= written.chunks
            removed += written.removed
            size += sum(written.directory.column("bytes").to_pylist())
        head = self._bytes(tables)
        return Changed(head, chunks, removed, len(head) + size)

    def _bytes(self, logs: Mapping[str, pa.Table]) -> bytes:
        numbers = {"bucket": self.label, "done": self.done, "late": self.late}
        return head_of(self._of_query, numbers, {**logs, **self.tables()})

    @cached_property
    def _of_query(self) -> str:
        """The part of a state's header that is the same in every micro-batch, as JSON."""
        keys, time = list(dict.fromkeys(self.work.partition_by)), None if self.key is None else self.key.column
        return json.dumps({"plan": self.plan, "said": self.compared, "keys": keys, "time": time})

    def restore(self, state: bytes, chunk: Callable[[int], bytes] | None = None) -> None:
        """Continue from a state, or from a head and a function that reads its chunks; the state of another plan is refused."""
        found = stored(state)
        with sealed.reading():
            header = found.header
            changed = evolution(header, self.plan, self.compared, self.changes, evolves=self.evolves)
            if None not in (self.label, header["bucket"]) and header["bucket"] != self.label:
                raise StateError(f"this is the state of bucket {header['bucket']}, not of bucket {self.label}")
            self.label = header["bucket"] if self.label is None else self.label
            tables = found.tables()
            self.done, self.late = header["done"], header["late"]
            self.take_logged(self._read(tables, chunk))
            if changed is not None and "pending" in tables:
                tables["pending"] = fitted(tables["pending"], self.columns)
            self.take_tables(tables)
            if changed is not None and changed.states is not None:
                self.take_states(changed.states)
        self.is_restored = True

    def _read(self, tables: dict[str, pa.Table], chunk: Callable[[int], bytes] | None) -> dict[str, pa.Table]:
        """The logged tables as they were, taken out of these parts of a state."""
        read = {}
        for name, (log, _) in self.logged.items():
            tail, directory = fitted(tables.pop(name), log.schema), tables.pop(directory_of(name), None)
            if directory is not None:
                assert chunk is not None
                read[name] = log.read(tail, directory, chunk)
            else:
                read[name] = log.addressed(tail)
        return read

    def by_key(self) -> dict[str, Sequence[str]]:
        """The tables of the state with rows of single keys, and the columns in which they have the key (`key_transfer.py`)."""
        return {"held": self.work.partition_by}

    @property
    def evolves(self) -> bool:
        """Whether the state can go on under another query; not if held tuples have flags with the names of results."""
        return self.can_evolve and not hiding(self.work)

    def take_states(self, numbers: list[int]) -> None:
        """Take, of the states of each key, those with these numbers: the query has changed."""
        assert not numbers, "this bucket has no states of aggregates"

    @cached_property
    def compared(self) -> Said:
        """What a later query is compared by, aggregate by aggregate."""
        return said_of(self.work)

    @cached_property
    def plan(self) -> dict[str, Part]:
        """The parts of the plan, the same in every process and for any number of buckets."""
        return fingerprint(self.work, self.columns, self.zone, self.rows)


def bound_of(lateness: Size, key: OrderKey) -> int:
    """How far behind a watermark tuples are taken, in units of the key."""
    return int(key.distance(lateness, up=False, what="allowed_lateness"))


def whole(table: pa.Table) -> pa.RecordBatch:
    batches = table.combine_chunks().to_batches()
    if len(batches) == 1:
        batch: pa.RecordBatch = batches[0]
        return batch
    if not batches:
        return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in table.schema], schema=table.schema)
    raise DataError(
        "a column of one micro-batch of a bucket is larger than 2 GB: make more buckets, or smaller batches"
    )
