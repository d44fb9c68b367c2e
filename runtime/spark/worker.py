"""What runs in Spark's Python workers: a task's tuples, put in order, through the operator.

The driver ships a :class:`Job` as bytes of its own making, so that a class that cannot be shipped is an error there, and
a class from a notebook or a script travels by value. A task makes its operator once and feeds it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark import shuffle

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.spine import in_one_sequence
from inwindow.runtime.arrivals import Arrivals, rolled
from inwindow.runtime.carried import CarriedCheck
from inwindow.runtime.groups import GroupOperator
from inwindow.runtime.halo import HaloCheck
from inwindow.runtime.memory import allowed
from inwindow.runtime.operator import Operator
from inwindow.runtime.panes_first import PaneGroups, PaneReducer, PanesFirst
from inwindow.runtime.reserved import EVENT
from inwindow.runtime.rows import Select
from inwindow.runtime.spark.observed import with_found
from inwindow.runtime.spark.returned import returned
from inwindow.runtime.spark.shipping import loaded
from inwindow.runtime.spine import AtPoints
from inwindow.runtime.states import seldom_collected
from inwindow.udaf.errors import InWindowError

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Job(ABC):
    """What a task needs: the plan, the columns that arrive, and how much it may hold (None: the worker knows)."""

    work: Pass
    schema: pa.Schema  # of what arrives

    @abstractmethod
    def run(self, batches: Batches) -> Batches:
        """The rows over the task's batches."""

    def output(self, batches: Batches) -> Batches:
        """The same, and behind them what sentinels have found."""
        for rows in self.run(batches):
            yield with_found(self.work, rows)


@dataclass(frozen=True)
class OperatorJob(Job):
    """Tuples in any order, put in order, through an operator."""

    memory: int | None

    @property
    def ordered(self) -> Pass:
        """What the tuples are sorted by."""
        return self.work

    @abstractmethod
    def operator(self) -> Operator:
        """A fresh operator."""

    def run(self, batches: Batches) -> Batches:
        """The operator's output, in the order of the pass."""
        arrivals = Arrivals(self.ordered, allowed(self.memory), spilled)
        for batch in batches:
            arrivals.add(batch)
        yield from rolled(self.operator(), self.checked(arrivals.in_order()))

    def checked(self, batches: Batches) -> Batches:
        """The ordered tuples; of ranges, an error where the data are not those that were sampled."""
        halo = self.work.halo
        if halo is None:
            yield from batches
            return
        checks: list[HaloCheck | CarriedCheck] = [HaloCheck(halo)]
        if halo.carried is not None:
            checks.append(CarriedCheck(halo, halo.carried))
        for batch in batches:
            for check in checks:
                check(batch)
            yield batch
        for check in checks:
            check.finish()


def spilled(size: int) -> None:
    """Bytes went to disk: Spark shows them as the task's spill."""
    shuffle.DiskBytesSpilled += size


@dataclass(frozen=True)
class SelectJob(OperatorJob):
    """A row per yield tuple, emission or expiration."""

    passed: tuple[str, ...]
    emitted_at: str | None

    def operator(self) -> Operator:
        """For ``select``."""
        return Select(self.work, self.schema, self.passed, self.emitted_at)


@dataclass(frozen=True)
class SpineJob(OperatorJob):
    """A row per row of a spine, which comes among the events."""

    passed: tuple[str, ...]

    @property
    def ordered(self) -> Pass:
        """The spine first among equal times."""
        return in_one_sequence(self.work, EVENT)

    def operator(self) -> Operator:
        """For ``with_columns(of=...)``."""
        return AtPoints(self.work, self.schema, self.passed)


class GroupJob(OperatorJob):
    """A row per group, or per group and extent."""

    def operator(self) -> GroupOperator:
        """For ``group_by``."""
        return GroupOperator(self.work, self.schema)


class WholeJob(GroupJob):
    """One row for all tuples, and by SQL also for none.

    Spark starts no task for nothing, so one more tuple is sent along; the last column tells it from the others.
    """

    def run(self, batches: Batches) -> Batches:
        """The row."""
        its = replace(self, schema=pa.schema(list(self.schema)[:-1]))
        real = (batch.filter(batch.column(batch.num_columns - 1)).select(its.schema.names) for batch in batches)
        yield from GroupJob.run(its, real)


@dataclass(frozen=True)
class PartialJob(Job):
    """A row per key and pane of what a task has: tuples in any order, before they are shuffled."""

    plan: PanesFirst

    def run(self, batches: Batches) -> Batches:
        """Partials, in bundles."""
        with seldom_collected():
            yield from map(self.plan.bundles.packed, PaneReducer(self.plan).run(batches))


@dataclass(frozen=True)
class PaneJob(GroupJob):
    """A row per group and extent, over partials in order."""

    plan: PanesFirst

    def operator(self) -> GroupOperator:
        """For ``group_by`` behind a :class:`PartialJob`."""
        return PaneGroups(self.plan, self.plan.bundles.opened_schema(self.schema))

    def run(self, batches: Batches) -> Batches:
        """The operator's output over partials."""
        with seldom_collected():
            yield from super().run(map(self.plan.bundles.opened, batches))


def scalar_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the iterator-style Arrow UDF: columns in, one struct column out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: Job = loaded(job)
        for rows in told(its.output(_arriving(its.schema, listed(columns)))):
            yield returned(rows).to_struct_array()

    return inwindow


def listed(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[list[pa.Array]]:
    """A UDF's arguments as lists; Spark hands a single one over by itself."""
    for arrays in columns:
        yield list(arrays) if isinstance(arrays, tuple) else [arrays]


def map_function(job: bytes):  # type: ignore[no-untyped-def]
    """The body of ``mapInArrow``: batches in, batches out."""

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        its: Job = loaded(job)
        for rows in told(its.output(_arriving(its.schema, (batch.columns for batch in batches)))):
            yield returned(rows)

    return inwindow


def told(batches: Batches) -> Batches:
    """What a user's hook raises is told without the frames of ours that it went through."""
    failed = None
    try:
        yield from batches
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
