"""A call as a value (a query), and the protocols of what plans and runs it.

::

    verb     with_columns, select, group_by ... agg       checks a call and makes a Query: a file each
    place    Table, Reader, Frame, StreamFrame, Stream    plan(query), run(query): a file each
    part     one pass of a query without its data: places and workers make operators from it

Verbs know no places, and places know no verbs: a place needs only to know what a result has a row for.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.runtime.operator import Operator
from inwindow.runtime.shards import checked_shards
from inwindow.runtime.stream.bucket import Bucket
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Size
from inwindow.windows.spec import Extent, Order

Rows = Literal["every tuple", "some tuples", "groups"]  # what the result has a row for


@dataclass(frozen=True)
class Query:
    """A call; names and columns are as the user wrote them."""

    verb: "Verb"
    where: str  # the name of the call in messages
    aggregates: Mapping[str, Applied]  # by their titles
    passed: Mapping[str, Any] = field(default_factory=dict)  # by their titles: columns that pass through
    order: tuple[str, ...] = ()  # the order of titles; empty: columns of the data, then the results
    emitted_at: str | None = None  # the title of the column with the time at which a tuple leaves
    keys: tuple[Any, ...] = ()  # for groups: their keys, and the order within them
    order_by: tuple[Order, ...] = ()
    extent: Extent | None = None
    early: bool = False  # on a stream: emit an extent's row each time it changes
    lateness: Size | None = None  # on a stream: how far behind the watermark a tuple may still correct rows
    of: "Place | None" = None  # the tuples, if the data only say where results are wanted
    hot_keys: str = "auto"

    @property
    def titles(self) -> list[str]:
        """The columns of a part's rows, in its order."""
        return self.verb.titles(self)

    def over(self, aggregates: Mapping[str, Applied], **changed: Any) -> "Query":
        """The query over names only, after a place has made columns of its expressions."""
        return replace(self, aggregates=aggregates, **changed)


@dataclass(frozen=True)
class Part(ABC):
    """One pass of a query. It knows no data, and can be sent to a worker."""

    work: Pass
    passed: tuple[str, ...] = ()  # columns that pass through

    @abstractmethod
    def operator(self, schema: pa.Schema) -> Operator:
        """A fresh operator over tuples of a schema."""

    @property
    def ordered(self) -> Pass:
        """The columns by which tuples are sorted."""
        return self.work

    def checked(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The sorted tuples; for shards, an error if the data are not those that were sampled."""
        return checked_shards(self.work.halo, batches)

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> Bucket:
        """A fresh bucket over tuples of a schema, on a stream."""
        raise NotImplementedError(f"{type(self).__name__} does not run on a stream")


class Verb(ABC):
    """A kind of query: how it is planned, and how a pass of it becomes a part."""

    rows: Rows

    @abstractmethod
    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        """The passes over batch data."""

    @abstractmethod
    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        """The one pass over a stream."""

    @abstractmethod
    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> Part:
        """A pass with the columns that pass through."""

    def titles(self, query: Query) -> list[str]:
        """The columns of a part's rows: those that pass through, then the results."""
        return [*query.passed, *query.aggregates]


class Plan(Protocol):
    """What a place will do with a query."""

    @property
    def explanation(self) -> Explanation:
        """The plan in words."""


class Place(Protocol):
    """Data of one kind, and how queries run on them."""

    @property
    def data(self) -> Any:
        """The data as the user gave them."""

    def plan(self, query: Query) -> Plan:
        """The plan that :meth:`run` would carry out."""

    def run(self, query: Query) -> Any:
        """The result, of the same kind as the data."""

    def names(self) -> list[str]:
        """All columns."""

    def check(self, names: Iterable[str], where: str) -> None:
        """Check that the columns exist."""

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that passes through: its name, and its source; None for anything that is no column."""

    def replaced(self, results: Iterable[str]) -> list[str]:
        """The results that have the name of a column."""


def single_pass(passes: list[Pass], what: str) -> Pass:
    """The one pass of aggregates that must share their partitioning and order."""
    if len(passes) != 1:
        raise UsageError(
            f"{what} needs windows with the same partitioning and order, since a row is given where they yield; got "
            f"{len(passes)} different ones: add the others with iw.with_columns (on a table) first"
        )
    return passes[0]
