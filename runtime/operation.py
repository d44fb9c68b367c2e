"""An operator on whole tables: what it does with them, which rows must be together for that, and how it goes on on a stream.

::

    a table           run(tables)                  all rows are there
    a stream          advance(turn), again         the watermark has moved: since ------- until
                                                   rows that may hold there, and results that were open, give
                                                   rows that are decided, and results that are open now
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


class Unread(ABC):
    """What stands for data while a query is made: an operator over it gives the like."""

    @abstractmethod
    def under(self, operation: "Operation", *others: "Unread") -> Any:
        """An operator over this, and others of its kind."""


class Operation(ABC):
    """An operator and its options; plain data, so that it can be sent to workers."""

    name: str
    steps = "runs on whole tables"  # in words

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

    # On a stream

    def timed_by(self) -> str | None:
        """The input's column before whose watermark no row of the result begins; None where there is none, or it is no matter."""
        return None

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
