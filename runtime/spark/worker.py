"""What runs in Spark's Python workers: sorted batches through the operator, under a guard.

The driver ships a :class:`Job` as bytes of its own making, so that a class that cannot be shipped is an error there, and
a class from a notebook or a script travels by value. A task makes its operator once and feeds it.
"""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.spine import in_one_sequence
from inwindow.runtime.carried import CarriedCheck
from inwindow.runtime.groups import GroupOperator
from inwindow.runtime.halo import HaloCheck
from inwindow.runtime.local import SortedCheck, over_nothing
from inwindow.runtime.operator import Operator, merged
from inwindow.runtime.panes_first import PaneGroups, PaneReducer, PanesFirst
from inwindow.runtime.reserved import EVENT
from inwindow.runtime.rows import Select, WithColumns
from inwindow.runtime.spark.observed import with_found
from inwindow.runtime.spark.returned import returned
from inwindow.runtime.spine import AtPoints
from inwindow.runtime.states import seldom_collected
from inwindow.udaf.errors import DataError, InWindowError
from inwindow.windows.neighbours import changes
from inwindow.windows.sequence import Positions

_ROWS = 1 << 16  # tuples for one step of the operator: Spark's batches are smaller
_BYTES = 1 << 24

Batches = Iterator[pa.RecordBatch]


class Guard(ABC):
    """Watches that the tuples come as the plan has ordered them: an optimizer that moved a step would be silent."""

    @abstractmethod
    def checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch for the operator, or an error."""

    def finish(self) -> None:  # noqa: B027 - a choice, not a duty
        """The tuples have ended."""


class OrderGuard(Guard):
    """After ``sortWithinPartitions``: keys and order columns must be sorted."""

    def __init__(self, work: Pass) -> None:
        self.check = SortedCheck(work, "the tuples that Spark hands over are", _REPORT)
        self.ranges: list[HaloCheck | CarriedCheck] = []
        if work.halo is not None:
            self.ranges.append(HaloCheck(work.halo))
            if work.halo.carried is not None:
                self.ranges.append(CarriedCheck(work.halo, work.halo.carried))

    def checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch as it is."""
        self.check(batch)
        for check in self.ranges:
            check(batch)
        return batch

    def finish(self) -> None:
        """The last range, too."""
        for check in self.ranges:
            check.finish()


class NumberGuard(Guard):
    """After ``row_number()``: numbers run on within equal keys, and begin at 1 with each new key.

    The numbers alone would not do: A1 B2 B1 A2 has them all (labs.md, A2).
    """

    def __init__(self, work: Pass) -> None:
        self.keys = list(work.partition_by)
        self.last_number = 0
        self.last_keys: list[pa.Array] | None = None

    def checked(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch without its first column, the numbers."""
        number: Positions = batch.column(0).to_numpy()
        before = np.append(self.last_number, number[:-1])
        if self.keys:
            keys = [batch.column(name) for name in self.keys]
            begins = changes(keys, self.last_keys)
            self.last_keys = [key.slice(len(number) - 1) for key in keys]
        else:
            begins = before == 0
        wrong = np.flatnonzero(number != np.where(begins, 1, before + 1))
        if len(wrong):
            at = int(wrong[0])
            raise DataError(
                f"the tuples that Spark hands over are not in the order of the window: after number {before[at]} came "
                f"{number[at]}{' of a new partition' if begins[at] else ''}; {_REPORT}"
            )
        self.last_number = int(number[-1])
        return batch.select(range(1, batch.num_columns))


_REPORT = "Spark's plan was changed between the sort and inwindow: please report it, with df.explain()"


@dataclass(frozen=True)
class Job(ABC):
    """What a task needs: the plan, and the columns that arrive."""

    work: Pass
    schema: pa.Schema  # of what arrives; with a number first, if ``numbered``
    numbered: bool

    @abstractmethod
    def run(self, batches: Batches) -> Batches:
        """The output over the task's batches."""


class OperatorJob(Job):
    """Tuples in order, through an operator."""

    @property
    def columns(self) -> pa.Schema:
        """What the operator is given: all that arrives but the number."""
        return pa.schema(list(self.schema)[self.numbered :])

    @property
    def ordered(self) -> Pass:
        """What the tuples must be sorted by."""
        return self.work

    @abstractmethod
    def operator(self) -> Operator:
        """A fresh operator."""

    def run(self, batches: Batches) -> Batches:
        """The operator's output over the task's batches."""
        guard = NumberGuard(self.work) if self.numbered else OrderGuard(self.ordered)
        operator = self.operator()
        for batch in _in_steps(_as(self.schema, batch) for batch in batches if batch.num_rows):
            for piece in operator.pieces(guard.checked(batch)):
                given = operator.process(piece)
                if given.num_rows:
                    yield given
        guard.finish()
        rest = operator.finish()
        if rest.num_rows:
            yield rest


@dataclass(frozen=True)
class RowJob(OperatorJob):
    """A row per tuple: the results, behind the columns passed through where Spark does not keep those itself."""

    passed: tuple[str, ...] = ()

    def operator(self) -> Operator:
        """For ``with_columns``."""
        return WithColumns(self.work, self.columns, self.passed)


@dataclass(frozen=True)
class SelectJob(OperatorJob):
    """A row per yield tuple, emission or expiration."""

    passed: tuple[str, ...]
    emitted_at: str | None

    def operator(self) -> Operator:
        """For ``select``."""
        return Select(self.work, self.columns, self.passed, self.emitted_at)


@dataclass(frozen=True)
class SpineJob(OperatorJob):
    """A row per row of a spine, which comes sorted among the events."""

    passed: tuple[str, ...]

    @property
    def ordered(self) -> Pass:
        """The spine first among equal times."""
        return in_one_sequence(self.work, EVENT)

    def operator(self) -> Operator:
        """For ``with_columns(of=...)``."""
        return AtPoints(self.work, self.columns, self.passed)


class GroupJob(OperatorJob):
    """A row per group, or per group and extent."""

    def operator(self) -> GroupOperator:
        """For ``group_by``."""
        return GroupOperator(self.work, self.columns)


class WholeJob(GroupJob):
    """One row for all tuples, and by SQL also for none.

    Spark starts no task for nothing, so one more tuple is sent along; the last column tells it from the others.
    """

    def run(self, batches: Batches) -> Batches:
        """The row."""
        its = replace(self, schema=pa.schema(list(self.schema)[:-1]))
        real = (batch.filter(batch.column(batch.num_columns - 1)).select(its.schema.names) for batch in batches)
        given = list(GroupJob.run(its, real))
        yield from given or [over_nothing(its.operator(), its.columns)]


@dataclass(frozen=True)
class PartialJob(Job):
    """A row per key and pane of what a task has: tuples in any order, before they are shuffled."""

    plan: PanesFirst

    def run(self, batches: Batches) -> Batches:
        """Partials."""
        with seldom_collected():
            yield from PaneReducer(self.plan).run(_as(self.schema, batch) for batch in batches if batch.num_rows)


@dataclass(frozen=True)
class PaneJob(GroupJob):
    """A row per group and extent, over partials in order."""

    plan: PanesFirst

    def operator(self) -> GroupOperator:
        """For ``group_by`` behind a :class:`PartialJob`."""
        return PaneGroups(self.plan, self.columns)

    def run(self, batches: Batches) -> Batches:
        """The operator's output over partials."""
        with seldom_collected():
            yield from super().run(batches)


def scalar_function(job: bytes):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The body of the iterator-style Arrow UDF: columns in, one struct column out."""

    def inwindow(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        its: Job = pickle.loads(job)
        names = its.schema.names
        for rows in told(its.run(pa.RecordBatch.from_arrays(arrays, names) for arrays in listed(columns))):
            yield returned(with_found(its.work, rows)).to_struct_array()

    return inwindow


def listed(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[list[pa.Array]]:
    """A UDF's arguments as lists; Spark hands a single one over by itself."""
    for arrays in columns:
        yield list(arrays) if isinstance(arrays, tuple) else [arrays]


def map_function(job: bytes):  # type: ignore[no-untyped-def]
    """The body of ``mapInArrow``: batches in, batches out."""

    def inwindow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        its: Job = pickle.loads(job)
        names = its.schema.names
        for rows in told(its.run(pa.RecordBatch.from_arrays(batch.columns, names) for batch in batches)):
            yield returned(with_found(its.work, rows))

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


def _as(schema: pa.Schema, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with the planned types: a session may hand over large strings, or another time zone."""
    return batch if batch.schema.equals(schema) else batch.cast(schema)


def _in_steps(batches: Batches) -> Batches:
    """Batches of a size at which the operator's cost per batch no longer shows."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield from merged(held)
            held, rows, size = [], 0, 0
    yield from merged(held)
