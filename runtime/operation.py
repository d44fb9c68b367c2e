"""An operator on relations: how it runs on whole tables, which rows it needs together, and how it advances on a stream.

::

    a table           run(tables)                  all rows are known
    a stream          advance(turn), repeatedly    the watermark has moved: since ------- until
                                                   in:  rows that may hold there, and results that were open
                                                   out: decided rows, and results that are open now
    hot keys on Spark  between(tables, since, until)   in a task: what holds in a stretch of time; parts are joined at its ends
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.reserved import PREFIX
from inwindow.udaf.errors import UsageError
from inwindow.windows.spec import Order

NUMBER = f"{PREFIX}own"  # on a stream, the number of a row: different for all held rows


@dataclass(frozen=True)
class Turn:
    """A move of the watermark from ``since`` (None: there was none) to ``until``."""

    tables: tuple[pa.Table, ...]  # per input: the held rows before ``until``, in the order of time, with their NUMBER
    open: pa.Table | None  # the open results of the turn before
    since: pa.Scalar | None
    until: pa.Scalar


@dataclass(frozen=True)
class Advanced:
    """The output of a turn."""

    rows: pa.Table  # decided: no later row can change them
    open: pa.Table  # results that a later row may still change
    stay: Sequence[npt.NDArray[np.bool_]]  # per input: which rows later turns need


@dataclass(frozen=True)
class Between:
    """What an operator gives of a stretch of time."""

    rows: pa.Table  # as they are
    parts: pa.Table | None = None  # rows that go on beyond an end of the stretch, if they reach it; with their marks


class Unread(ABC):
    """Stands for data while a query is built: operators over it give another such object."""

    @abstractmethod
    def under(self, operation: "Operation", *others: "Unread") -> Any:
        """The result of an operator over this and other such objects."""


@dataclass(frozen=True)
class Offsets:
    """Ends that are so many units behind a row's time; None: none."""

    time: str
    since: int | None
    until: int | None
    keeps_null: bool = False  # a row without a time always held; else it is left out


class Operation(ABC):
    """An operator and its options: plain data that can be sent to workers."""

    name: str
    steps = "runs on whole tables"  # in words
    at_once = 1 << 20  # rows that it is run on at once, as they come: then they need no order before

    def described(self) -> str:
        """The options in words, without the keys."""
        return ""

    @property
    def where(self) -> str:
        """The name of the call in messages."""
        return f"temporal.{self.name}"

    def over(self, *sides: Any) -> "Operation":
        """The same operator over names only, if it has Spark columns."""
        return self

    def reads(self, schema: pa.Schema) -> list[str]:
        """The columns of the first input that it reads or passes through."""
        return schema.names

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """The input and column from which a result's column comes; None if it is computed."""
        return (0, name) if name in schemas[0].names else None

    @abstractmethod
    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Per input: the columns in which rows that may meet are equal (none: all may meet); None: each row is by itself."""

    @abstractmethod
    def run(self, *tables: pa.Table) -> pa.Table:
        """The result. With empty tables it only raises the errors that do not depend on data, and gives the result's columns."""

    def offsets(self, schema: pa.Schema) -> Offsets | None:
        """What the operator adds to a row, where that is two ends made of its time, and nothing else."""
        return None

    # In a stretch of time

    marks: tuple[pa.Field, ...] = ()  # columns of parts that the result has not

    def why_whole(self, *schemas: pa.Schema) -> str:
        """Why the rows of a key cannot be cut by time; nothing where they can."""
        return "looks at all rows of a key"

    @property
    def is_numbered(self) -> bool:
        """Whether a stretch must know which row is which: they have their NUMBER then."""
        return False

    @property
    def has_parts(self) -> bool:
        """Whether results go on from one stretch to the next."""
        return True

    def looks_at_order(self, *schemas: pa.Schema) -> bool:
        """Whether results depend on the order of rows that begin together: then two runs may differ."""
        return False

    def between(self, tables: Sequence[pa.Table], since: pa.Scalar | None, until: pa.Scalar | None) -> Between:
        """The result from one instant to another (None: no end); the tables have all rows that hold there, or end at the first."""
        raise NotImplementedError(f"{self.where} is not cut by time")

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """Columns of a part by which it finds the one that it goes on as."""
        return ()

    def compared(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """Further columns of the result, in which both must be equal."""
        return ()

    # On a stream

    def timed_by(self) -> str | None:
        """The input's column whose watermark also holds for ``since`` of the result; None if there is none."""
        return None

    waits = "its until"  # what the watermark must have passed for a row to come out
    holds = "rows that have not ended, and open results"

    def on_stream(self, keys: Sequence[Sequence[str]] | None) -> list[str]:
        """What it waits for, and what it keeps, for explain; ``keys`` as :meth:`keys` says."""
        if keys is None:
            return ["stream: a row comes out at once; nothing is held"]
        return [
            f"stream: a row comes out when the watermark on {self.time()!r} has passed {self.waits}",
            f"state: {self.holds}; what ends leaves it",
        ]

    def time(self) -> str:
        """The inputs' column with the time from which a row counts."""
        return "since"

    def work(self, *schemas: pa.Schema) -> Pass:
        """The steps that it computes, for the fingerprint of a checkpoint."""
        return Pass((), (Order(self.time()),), (), None, None, False)

    def as_text(self) -> str:
        """All options except those in the steps, for the fingerprint of a checkpoint."""
        return repr(self)

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Raise an error if it cannot run on a stream."""
        raise UsageError(
            f"{self.where} on a stream: no row is decided before the stream ends: use batch data, or write the rows and read them "
            "as a table"
        )

    def advance(self, turn: Turn) -> Advanced:
        """The decided rows after a move of the watermark."""
        raise NotImplementedError(f"{self.where} does not run on a stream")
