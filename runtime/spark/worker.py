"""What runs in Spark's Python workers: a task's tuples, put in order, through the operator.

The driver ships a :class:`Job` as bytes of its own making, so that a class that cannot be shipped is an error there, and
a class from a notebook or a script travels by value. A task makes its operator once and feeds it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa
from pyspark import shuffle

from inwindow.optimizer.plan import Step
from inwindow.runtime.memory_budget import allowed
from inwindow.runtime.spark.observations import with_found
from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.spark.rows_in_lists import Lists
from inwindow.runtime.spark.shipping import loaded
from inwindow.runtime.tasks import Batches, Room, Task
from inwindow.udaf.errors import InWindowError

Given = TypeVar("Given")


@dataclass(frozen=True)
class Job:
    """What to do, the columns that arrive, and how many bytes a task may hold (None: the worker knows)."""

    task: Task
    schema: pa.Schema
    memory: int | None = None

    @property
    def steps(self) -> list[Step]:
        return [step for work in self.task.works for step in work.steps]

    def run(self, batches: Batches) -> Batches:
        """The rows over the task's batches; behind them what sentinels have found."""
        for rows in self.task.run(batches, self.schema, Room(allowed(self.memory), spilled)):
            yield with_found(self.task.works, rows)


def spilled(size: int) -> None:
    """Bytes went to disk: Spark shows them as the task's spill."""
    shuffle.DiskBytesSpilled += size


def scalar_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the iterator-style Arrow UDF: columns in, one struct column out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: Job = loaded(job)
        for rows in without_our_frames(its.run(_arriving(its.schema, listed(columns)))):
            yield spark_batch(rows).to_struct_array()

    return inwindow


def list_function(job: bytes, rows: pa.Schema):  # type: ignore[no-untyped-def]
    """The body of the same that gives rows of their own: columns in, lists of rows out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: Job = loaded(job)
        lists = Lists(rows)
        arriving = _arriving(its.schema, lists.counted(listed(columns)))
        yield from lists.of(without_our_frames(its.run(arriving)))

    return inwindow


def listed(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[list[pa.Array]]:
    """A UDF's arguments as lists; Spark hands over a single one without a tuple."""
    for arrays in columns:
        yield list(arrays) if isinstance(arrays, tuple) else [arrays]


def map_function(job: bytes):  # type: ignore[no-untyped-def]
    """The body of ``mapInArrow``: batches in, batches out."""

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        its: Job = loaded(job)
        for rows in without_our_frames(its.run(_arriving(its.schema, (batch.columns for batch in batches)))):
            yield spark_batch(rows)

    return inwindow


def without_our_frames(given: Iterator[Given]) -> Iterator[Given]:
    """What a user's hook raises is said without the frames of ours that it went through."""
    failed = None
    try:
        yield from given
    except InWindowError as error:
        failed = error.with_traceback(None)
    if failed is not None:
        raise failed


def _arriving(schema: pa.Schema, arrivals: Iterator[list[pa.Array]]) -> Batches:
    """Batches of the planned names and types: a session may hand over large strings, or another time zone."""
    for arrays in arrivals:
        batch = pa.RecordBatch.from_arrays(arrays, schema.names)
        if batch.num_rows:
            yield batch if batch.schema.equals(schema) else batch.cast(schema)
