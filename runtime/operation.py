"""An operator on whole tables: what it does with them, which rows must be together for that, and how it goes on on a stream.

::

    a table           run(tables)                  all rows are there
    a stream          advance(turn), again         the watermark has moved: since ------- until
                                                   rows that may hold there, and results that were open, give
                                                   rows that are decided, and results that are open now
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

NUMBER = f"{PREFIX}own"  # on a stream, the number of a row: no two rows that are held have one


@dataclass(frozen=True)
class Turn:
    """The watermark has moved from ``since`` (None: there was none) to ``until``."""

    tables: tuple[
        pa.Table, ...
    ]  # per input the rows before ``until`` that are still held, in the order of time; with their NUMBER
    open: pa.Table | None  # what the turn before left open
    since: pa.Scalar | None
    until: pa.Scalar


@dataclass(frozen=True)
class Advanced:
    """What a turn gives."""

    rows: pa.Table  # decided: no row to come changes them
    open: pa.Table  # results that a row to come may still change
    stay: Sequence[npt.NDArray[np.bool_]]  # per input, which rows the turns to come need


@dataclass(frozen=True)
class Between:
    """What an operator gives of a stretch of time."""

    rows: pa.Table  # as they are
    parts: pa.Table | None = None  # rows that go on beyond an end of the stretch, if they reach it; with their marks


class Unread(ABC):
    """What stands for data while a query is made: an operator over it gives the like."""

    @abstractmethod
    def under(self, operation: "Operation", *others: "Unread") -> Any:
        """An operator over this, and others of its kind."""


class Operation(ABC):
    """An operator and its options; plain data, so that it can be sent to workers."""

    name: str
    steps = "runs on whole tables"  # in words
    at_once = 1 << 20  # rows that it is run on at once, as they come: then they need no order before

    def described(self) -> str:
        """Its options, in words; the keys are said beside them."""
        return ""

    @property
    def where(self) -> str:
        """The call, as messages name it."""
        return f"temporal.{self.name}"

    def over(self, *sides: Any) -> "Operation":
        """The same over names alone, where it has columns of Spark's."""
        return self

    def reads(self, schema: pa.Schema) -> list[str]:
        """The columns of the first input that it looks at, or hands through."""
        return schema.names

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """Of which input's column the values of a result's column are; None if it is made."""
        return (0, name) if name in schemas[0].names else None

    @abstractmethod
    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Per input the columns whose values rows share that may meet, none where all may; None where each row is by itself."""

    @abstractmethod
    def run(self, *tables: pa.Table) -> pa.Table:
        """The result. On tables without rows it says all that is wrong without data, and the result's columns."""

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
        """The input's column before whose watermark no row of the result begins; None where there is none, or it is no matter."""
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
        """The inputs' column that says when a row comes to count."""
        return "since"

    def work(self, *schemas: pa.Schema) -> Pass:
        """The steps of what is computed, for what a checkpoint is told by."""
        return Pass((), (Order(self.time()),), (), None, None, False)

    def as_text(self) -> str:
        """All options but those of the steps, for what a checkpoint is told by."""
        return repr(self)

    def check_stream(self, *schemas: pa.Schema) -> None:
        """An error where a stream has no answer."""
        raise UsageError(
            f"{self.where} on a stream: no row is decided before the stream ends: use batch data, or write the rows and read them "
            "as a table"
        )

    def advance(self, turn: Turn) -> Advanced:
        """What is decided when the watermark has moved."""
        raise NotImplementedError(f"{self.where} does not run on a stream")
