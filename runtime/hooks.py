"""Evaluators of Python classes: the Cython drivers, fed with held Python values, their answers made Arrow."""

from typing import Any, Literal

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Misfit
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.held import Held, ListColumn, MaskColumn
from inwindow.udaf.errors import ResultTypeError
from inwindow.udaf.types import record_values
from inwindow.windows.sequence import Positions


class Arguments:
    """What hooks are called with: the held arguments as Python values, and which tuples they see."""

    def __init__(self, held: Held, columns: list[ListColumn], mask: MaskColumn | None) -> None:
        self.held, self.columns, self.mask = held, columns, mask

    def read(self) -> tuple[list[list[Any]], int, Any]:
        """(columns, base, seen) as the drivers take them; seen is None where every tuple is."""
        seen = None if self.mask is None or self.mask.mask.all() else np.ascontiguousarray(self.mask.mask)
        return [column.values for column in self.columns], self.held.base, seen


class Answers:
    """From what hooks gave to the result column; a value that does not fit is an error that shows it."""

    def __init__(self, name: str, hook: str, result: pa.DataType) -> None:
        self.name, self.hook, self.result = name, hook, result

    @property
    def mode(self) -> Literal["double", "int64", "object"]:
        """How the driver collects: doubles and integers go straight into a buffer."""
        if pa.types.is_float64(self.result):
            return "double"
        return "int64" if pa.types.is_int64(self.result) else "object"

    def array(self, answers: Any) -> pa.Array:
        """The answers as an Arrow array."""
        if isinstance(answers, pa.Array):
            return answers
        try:
            return self._convert(answers)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError, OverflowError):
            for answer in answers:
                try:
                    self._convert([answer])
                except Exception as error:
                    raise self.misfit(answer, str(error)) from None
            raise

    def _convert(self, answers: list[Any]) -> pa.Array:
        if pa.types.is_nested(self.result):
            answers = [record_values(answer) for answer in answers]
        elif pa.types.is_boolean(self.result) and any(isinstance(a, np.bool_) for a in answers):
            answers = [bool(a) if isinstance(a, np.bool_) else a for a in answers]
        elif pa.types.is_string(self.result) and not all(a is None or isinstance(a, str) for a in answers):
            raise TypeError("not a str")
        return pa.array(answers, self.result)

    def misfit(self, answer: Any, why: str = "") -> ResultTypeError:
        """The error for a value that the result type cannot hold."""
        return ResultTypeError(
            f"{self.name}.{self.hook}() gave {answer!r} ({type(answer).__name__}), which does not fit the result type "
            f"{self.result}{': ' + why if why else ''}; return a fitting value, or declare another type with "
            f"class {self.name}(..., returns='...')"
        )


class HookEvaluator(Evaluator):
    """A class with ``terminate`` under a driver: delta, recompute, two-stacks; unbounded and tumble are deltas too."""

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, *, evicts: bool, undoes: bool) -> None:
        super().__init__()
        self.driver, self.arguments, self.answers = driver, arguments, answers
        self.evicts, self.undoes = evicts, undoes

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """One call of the driver."""
        try:
            return self.answers.array(self.driver.roll(*self.arguments.read(), start, end))
        except Misfit as misfit:
            raise self.answers.misfit(misfit.value) from None

    def fold(self, start: int, end: int) -> None:
        """One call of the driver."""
        self.driver.absorb(*self.arguments.read(), start, end)

    def keep_from(self, next_start: int) -> int:
        """A recomputed frame undoes nothing: only tuples of frames to come are held."""
        return super().keep_from(next_start) if self.undoes or not self.evicts else next_start

    def inner_state(self) -> Any:
        """The driver's."""
        return self.driver.state()

    def inner_restore(self, state: Any) -> None:
        """The driver's."""
        self.driver.restore(state)


class HookEmitter:
    """A class without ``terminate`` (or under active expiration) under a driver that calls its hooks per tuple."""

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, *, expires: bool, empty: Any) -> None:
        self.driver, self.arguments, self.answers, self.expires = driver, arguments, answers, expires
        self.empty = empty  # for frames in which no hook saw a tuple; None where that is NULL, or no row at all

    def roll(self, first: int, start: Positions, partition: Positions) -> tuple[Positions, pa.Array]:
        """Owners and values of what the tuples from ``first`` on make the hooks emit."""
        columns, base, seen = self.arguments.read()
        values, owners = self.driver.roll(columns, base, seen, first, start, np.ascontiguousarray(partition))
        return np.asarray(owners, dtype=np.int64), self.answers.array(values)

    def last_seen(self, first: int, count: int, before: int) -> Positions:
        """For each of ``count`` tuples from ``first`` on the newest one, up to it, that the hooks see."""
        at = np.arange(first, first + count)
        _, base, seen = self.arguments.read()
        if seen is None:
            return at
        return np.maximum.accumulate(np.where(seen[first - base : first - base + count], at, before))

    def drain(self) -> tuple[Positions, pa.Array]:
        """Owners and values of what the last tuples emit as they leave."""
        values, owners = self.driver.drain(*self.arguments.read())
        return np.asarray(owners, dtype=np.int64), self.answers.array(values)

    def state(self) -> Any:
        """The driver's."""
        return self.driver.state()

    def restore(self, state: Any) -> None:
        """The driver's."""
        self.driver.restore(state)
