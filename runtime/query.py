"""A call as a value, and what runs it.

::

    verb     with_columns, select, group_by ... agg       checks what is asked for and makes a Query: a file each
    place    Table, Reader, Frame, StreamFrame, Stream    plan(query), run(query): a file each
    part     one pass of a query without its data: what each place, and each worker, makes its operator of

Verbs know no place and places know no verb: they meet in how the rows of a result stand to those of the data.
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
from inwindow.windows.spec import Extent, Order

Rows = Literal["every tuple", "some tuples", "groups"]  # what a result has a row for


@dataclass(frozen=True)
class Query:
    """What is asked for; names and columns are as the user wrote them."""

    verb: "Verb"
    where: str  # the call, as messages name it
    aggregates: Mapping[str, Applied]  # by their titles
    passed: Mapping[str, Any] = field(default_factory=dict)  # by their titles: columns that go through
    order: tuple[str, ...] = ()  # of the titles; none: columns of the data, then the results
    emitted_at: str | None = None  # the title of the time at which a tuple leaves
    keys: tuple[Any, ...] = ()  # of groups, and the order in them
    order_by: tuple[Order, ...] = ()
    extent: Extent | None = None
    early: bool = False  # on a stream, an extent's row whenever it changes
    of: "Place | None" = None  # the tuples, where the data only say where results are wanted
    hot_keys: str = "auto"

    @property
    def titles(self) -> list[str]:
        """The columns of a part's rows, in its order."""
        return self.verb.titles(self)

    def over(self, aggregates: Mapping[str, Applied], **changed: Any) -> "Query":
        """The query over names alone, as a place has made columns of its expressions."""
        return replace(self, aggregates=aggregates, **changed)


@dataclass(frozen=True)
class Part(ABC):
    """One pass of a query. It knows no data, and can be sent to a worker."""

    work: Pass
    passed: tuple[str, ...] = ()  # columns that go through

    @abstractmethod
    def operator(self, schema: pa.Schema) -> Operator:
        """A fresh operator over tuples of a schema."""

    @property
    def ordered(self) -> Pass:
        """What the tuples are sorted by."""
        return self.work

    def checked(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The ordered tuples; of shards, an error where the data are not those that were sampled."""
        return checked_shards(self.work.halo, batches)

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> Bucket:
        """A fresh bucket over tuples of a schema, on a stream."""
        raise NotImplementedError(f"{type(self).__name__} does not run on a stream")


class Verb(ABC):
    """How a kind of query is planned, and what one pass of it is."""

    rows: Rows

    @abstractmethod
    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        """The passes over data that are all there."""

    @abstractmethod
    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        """The one pass over a stream."""

    @abstractmethod
    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> Part:
        """A pass with the columns that go through."""

    def titles(self, query: Query) -> list[str]:
        """The columns of a part's rows: what goes through, then the results."""
        return [*query.passed, *query.aggregates]


class Plan(Protocol):
    """What a place will do with a query."""

    @property
    def explanation(self) -> Explanation:
        """The same in words."""


class Place(Protocol):
    """Data, where they are, and how queries run on them."""

    @property
    def data(self) -> Any:
        """As they were given."""

    def plan(self, query: Query) -> Plan:
        """What :meth:`run` would do."""

    def run(self, query: Query) -> Any:
        """The result, of the same kind as the data."""

    def names(self) -> list[str]:
        """All columns."""

    def check(self, names: Iterable[str], where: str) -> None:
        """The columns are there, or an error."""

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that goes through: its name, and what it is made of; None for what is no column."""

    def replaced(self, results: Iterable[str]) -> list[str]:
        """Those results that have the name of a column."""


def single_pass(passes: list[Pass], what: str) -> Pass:
    """The one pass of aggregates that must share their partitioning and order."""
    if len(passes) != 1:
        raise UsageError(
            f"{what} needs windows with the same partitioning and order, since a row is given where they yield; got "
            f"{len(passes)} different ones: add the others with iw.with_columns (on a table) first"
        )
    return passes[0]
