"""A bucket: keys of a stream that share one state, and one call per micro-batch.

::

    batch, watermark  ->  late | waiting            late: before a processed watermark; counted, never silently dropped
                          waiting -> ripe           the watermark has passed them: they are processed in order
                          held + ripe -> rows out   decided rows; the other tuples are held

A state is sealed bytes (`../sealed.py`) with the plan to which it belongs: another plan refuses it. It is one value, or a *head*
and the chunks of a log (`log.py`); then a micro-batch writes only the head and new chunks.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.instants import table_under
from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import stream_key
from inwindow.runtime import sealed
from inwindow.runtime.fingerprint import IN_A_CHECKPOINT, Part, check, fingerprint
from inwindow.runtime.stream.log import ADDRESS, Log
from inwindow.runtime.stream.stored import head_of, stored
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import DataError, StateError
from inwindow.windows.order_key import PLAIN, Keys

_NO_TIMES: Keys = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Output:
    """The output of a micro-batch."""

    rows: pa.RecordBatch  # decided results
    late: pa.RecordBatch  # tuples behind the watermark, as they arrived

    @property
    def kinds(self) -> dict[str, pa.RecordBatch]:
        """The output by kind, in the order in which ``iw.outputs`` gives it."""
        return {"row": self.rows, "late": self.late}


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

    def __init__(self, work: Pass, schema: pa.Schema, where: str, log: Log, zone: str = "UTC") -> None:
        self.work, self.columns = work, schema
        self.arriving = (
            schema  # may have more columns (set by who makes the bucket): late tuples have them, the state has not
        )
        self.log, self.zone = log, zone
        self.key = stream_key(schema, work, where, zone=zone)
        self.begin()

    def begin(self, label: int | None = None) -> None:
        """Start empty, as a bucket without tuples; ``label`` is the number of the bucket, if known.

        A task has one such object, and uses it for each of its buckets in turn.
        """
        self.label = label
        self.log.begin()
        self.held = self.log.addressed(empty_table(self.log.schema))  # tuples for frames, or extents, to come
        self.done: int | None = None  # the last watermark; nothing before it is taken any more
        self.late = 0  # how many tuples came behind it
        self.is_restored = False

    def step(self, batch: pa.RecordBatch | pa.Table | None, watermark: int | None) -> Output:
        """Take the next tuples, in the order of arrival, and the watermark as a key."""
        with sealed.going_on(self.is_restored):
            return self._step(batch, watermark)

    def _step(self, batch: pa.RecordBatch | pa.Table | None, watermark: int | None) -> Output:
        table = self._table(batch)
        late, times = empty_table(table.schema), _NO_TIMES
        if self.key is not None:
            passed = self.done
            if passed is None or (watermark is not None and watermark > passed):
                self.done = watermark
            if len(table):
                times, plain = self.times(table)
                on_time = plain if passed is None else plain & (times >= passed)
                if not on_time.all():
                    late = table.filter(pa.array(~on_time))
                    table, times = table.filter(pa.array(on_time)), times[on_time]
        self.late += len(late)
        return Output(self.take(table.select(self.columns.names), times), whole(late))

    def _table(self, batch: pa.RecordBatch | pa.Table | None) -> pa.Table:
        if batch is None:
            return empty_table(self.arriving)
        check_columns(batch.schema, self.arriving.names, "a micro-batch")
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        table = table.select(self.arriving.names)
        return table if table.schema.equals(self.arriving) else table.cast(self.arriving)

    def times(self, table: pa.Table) -> tuple[Keys, npt.NDArray[np.bool_]]:
        """The tuples' times as keys, and which tuples have a time (are not NULL)."""
        assert self.key is not None
        keys, side = self.key.read(whole(table.select([self.key.column])).column(0))
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

    def state(self) -> bytes:
        """The whole state, from which a bucket with the same plan continues."""
        return self._bytes({"held": self.held.drop_columns([ADDRESS])})

    def changed(self) -> Changed:
        """The state without the chunks that are stored already."""
        written = self.log.written(self.held)
        head = self._bytes({"held": written.tail, "log": written.directory})
        return Changed(
            head, written.chunks, written.removed, len(head) + pc.sum(written.directory["bytes"], min_count=0).as_py()
        )

    def _bytes(self, held: Mapping[str, pa.Table]) -> bytes:
        header = {
            "plan": self.plan, "bucket": self.label, "done": self.done, "late": self.late,
            "keys": list(dict.fromkeys(self.work.partition_by)),
            "time": None if self.key is None else self.key.column,
            "number": self.log.number,
        }  # fmt: skip
        return head_of(header, {**held, **self.tables()})

    def restore(self, state: bytes, chunk: Callable[[int], bytes] | None = None) -> None:
        """Continue from a state, or from a head and a function that reads its chunks; the state of another plan is refused."""
        found = stored(state)
        with sealed.reading():
            header = found.header
            check(header["plan"], self.plan, IN_A_CHECKPOINT)
            if None not in (self.label, header["bucket"]) and header["bucket"] != self.label:
                raise StateError(f"this is the state of bucket {header['bucket']}, not of bucket {self.label}")
            tables = found.tables()
            self.done, self.late = header["done"], header["late"]
            held = table_under(tables.pop("held"), self.log.schema)
            if "log" in tables:
                assert chunk is not None
                self.held = self.log.read(held, tables.pop("log"), chunk)
            else:
                self.held = self.log.addressed(held)
            self.take_tables(tables)
        self.is_restored = True

    @cached_property
    def plan(self) -> dict[str, Part]:
        """The parts of the plan, the same in every process and for any number of buckets."""
        return fingerprint(self.work, self.columns, self.zone, self.rows)


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
