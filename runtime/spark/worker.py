"""The code that runs in Spark's Python workers: sort a task's tuples, and run the operator over them.

The driver pickles a :class:`Job` itself. So a class that cannot be pickled is an error on the driver, and a class from a
notebook or a script travels by value. A task makes its operator once and feeds it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa
from pyspark import shuffle

from inwindow.optimizer.plan import Step
from inwindow.runtime.memory_budget import allowed
from inwindow.runtime.spark.failed_lists import guarding, with_failed
from inwindow.runtime.spark.observations import with_found
from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.spark.rows_in_lists import Lists
from inwindow.runtime.spark.shipping import loaded
from inwindow.runtime.tasks import Batches, InOrder, Room, Task
from inwindow.udaf.errors import InWindowError

Given = TypeVar("Given")


@dataclass(frozen=True)
class Job:
    """A task to run, the columns that arrive, and how many bytes it may hold (None: the worker decides)."""

    task: Task
    schema: pa.Schema
    memory: int | None = None
    tells: bool = False  # whether the output has a last column with bad tuples, or how many there are

    @property
    def steps(self) -> list[Step]:
        return [step for work in self.task.works for step in work.steps]

    @property
    def full(self) -> frozenset[int]:
        """The positions of results that are lists of values, none of which is NULL."""
        its = (step.implementation.native for step in self.steps)
        return frozenset(at for at, native in enumerate(its) if native is not None and native.gives == "values")

    def run(self, batches: Batches) -> Batches:
        """The output rows for the task's batches, with bad tuples or the findings of sentinels as last columns."""
        rows = self.task.run(batches, self.schema, Room(allowed(self.memory), spilled))
        task = self.task
        makes = (lambda: task.operator(self.schema).schema) if isinstance(task, InOrder) else None
        for batch in with_failed(guarding(task.works) if self.tells else None, rows, makes):
            yield with_found(self.task.works, batch)


def spilled(size: int) -> None:
    """Report bytes that went to disk: Spark shows them as the task's spill."""
    shuffle.DiskBytesSpilled += size


def scalar_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the iterator-style Arrow UDF: columns in, one struct column out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: Job = loaded(job)
        for rows in without_our_frames(its.run(_arriving(its.schema, listed(columns)))):
            yield spark_batch(rows, its.full).to_struct_array()

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
    """A UDF's arguments as lists; Spark passes a single argument without a tuple."""
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
    """Remove our own frames from the traceback of an exception in a user's hook."""
    failed = None
    try:
        yield from given
    except InWindowError as error:
        failed = error.with_traceback(None)
    if failed is not None:
        raise failed


def _arriving(schema: pa.Schema, arrivals: Iterator[list[pa.Array]]) -> Batches:
    """Give batches the planned names and types: a session may send large strings, or another time zone."""
    for arrays in arrivals:
        batch = pa.RecordBatch.from_arrays(arrays, schema.names)
        if batch.num_rows:
            yield batch if batch.schema.equals(schema) else batch.cast(schema)
