"""Evaluators of Python classes: they feed held Python values to the Cython drivers, and make Arrow arrays of the answers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Delta, Misfit
from inwindow.runtime.buffer import Buffer, ListColumn, MaskColumn
from inwindow.runtime.evaluators import Driven
from inwindow.udaf.types import fitting, plain_for
from inwindow.udaf.zones import localizing
from inwindow.windows.sequence import Positions
from inwindow.windows.stateful import Stateful


class Arguments:
    """The arguments of hooks: held Python values, and the mask of the tuples that hooks see."""

    def __init__(self, buffer: Buffer, columns: list[ListColumn], mask: MaskColumn | None) -> None:
        self.buffer, self.columns, self.mask = buffer, columns, mask

    def read(self) -> tuple[list[list[Any]], int, Any]:
        """(columns, base, seen) for the drivers; seen is None if every tuple is seen."""
        seen = None if self.mask is None else self.mask.seen()
        return [column.values for column in self.columns], self.buffer.base, seen


class Unfit(Exception):
    """The result type cannot hold the ``value`` that ``hook`` returned for the tuple at ``position`` (the last of its frame)."""

    place: str | None = None  # as of a HookRaised

    def __init__(self, hook: str, value: Any, position: int, frame: int) -> None:
        super().__init__(hook, value, position)
        self.hook, self.value, self.position, self.frame = hook, value, position, frame


class Answers:
    """Makes the result column from the answers of hooks; :class:`Unfit` is raised for the first value that does not fit."""

    def __init__(self, hook: str, result: pa.DataType, zone: str) -> None:
        self.hook, self.result, self.fits = hook, result, fitting(result)
        # For these types it is enough to check one value of each Python type; otherwise every value is checked.
        self.exact = {type(one) for one in (None, False, 0, 0.0, "") if self.fits(one)}
        self.plain = plain_for(result)
        self.localize = localizing(result, zone)

    @property
    def mode(self) -> Literal["double", "int64", "object"]:
        """How the driver collects answers: doubles and integers go straight into a buffer."""
        if pa.types.is_float64(self.result):
            return "double"
        return "int64" if pa.types.is_int64(self.result) else "object"

    @property
    def snapshot(self) -> Callable[[Any], Any] | None:
        """What the driver does with each answer: copy it if the aggregate might change it later, or round a Decimal."""
        kind = self.result
        return self.plain if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_decimal(kind) else None

    def rolled(self, roll: Callable[[], Any], ends: Positions) -> pa.Array:
        """The answers of a driver for frames with the given ends, as an Arrow array."""
        try:
            return self.array(roll(), ends - 1)
        except Misfit as misfit:
            raise Unfit(self.hook, misfit.value, int(ends[misfit.index]) - 1, misfit.index) from None

    def array(self, answers: Any, owners: Positions) -> pa.Array:
        """The answers as an Arrow array; each belongs to a tuple."""
        if isinstance(answers, pa.Array):
            return answers
        try:
            return self._convert(answers)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            for frame, (answer, owner) in enumerate(zip(answers, owners, strict=True)):
                try:
                    self._convert([answer])
                except Exception:
                    raise Unfit(self.hook, answer, int(owner), frame) from None
            raise

    def _convert(self, answers: list[Any]) -> pa.Array:
        if pa.types.is_boolean(self.result) and any(isinstance(a, np.bool_) for a in answers):
            answers = [bool(a) if isinstance(a, np.bool_) else a for a in answers]
        if Decimal in set(map(type, answers)) and pa.types.is_floating(self.result):  # as the driver takes a Decimal
            answers = [float(a) if isinstance(a, Decimal) and a.is_finite() else a for a in answers]
        if not set(map(type, answers)) <= self.exact and not all(map(self.fits, answers)):
            raise TypeError
        if self.localize is not None:
            answers = list(map(self.localize, answers))
        return pa.array(answers, self.result)


class HookEvaluator(Driven):
    """A class with ``terminate`` under a driver: delta, recompute, two-stacks; unbounded and tumble are deltas too."""

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, *, evicts: bool, undoes: bool) -> None:
        super().__init__(driver, evicts=evicts, undoes=undoes)
        self.arguments, self.answers = arguments, answers

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        return self.answers.rolled(lambda: self.driver.roll(*self.arguments.read(), start, end), end)

    def sweep(self, left: Positions, start: Positions, end: Positions) -> pa.Array:
        """By a kernel of objects that lets any tuple go."""
        columns, _, seen = self.arguments.read()
        return self.answers.rolled(lambda: self.driver.sweep(columns, seen, left, start, end), end)

    def fold(self, start: int, end: int) -> None:
        self.driver.absorb(*self.arguments.read(), start, end)

    @property
    def resumes_at_once(self) -> bool:
        """Only hooks that undo nothing can do this."""
        return not self.evicts and isinstance(self.driver, Delta)

    def resume(
        self, first: Positions, end: Positions, folded: Positions, grown: Positions, shift: Positions, states: list[Any]
    ) -> pa.Array:
        """One call of the driver, which knows which tuples it has folded."""
        columns, _, seen = self.arguments.read()
        return self.answers.rolled(lambda: self.driver.resume(columns, seen, first, end, grown, shift, states), end)


class HookEmitter(Stateful):
    """A class without ``terminate`` (or with active expiration) under a driver that calls its hooks for each tuple."""

    kept = ("driver",)

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, *, expires: bool, empty: Any) -> None:
        self.driver, self.arguments, self.answers, self.expires = driver, arguments, answers, expires
        self.empty = empty  # for frames without a tuple that hooks see; None: NULL, or no row

    def roll(self, first: int, start: Positions, partition: Positions) -> tuple[Positions, pa.Array]:
        """The owners and values of what hooks emit for the tuples from ``first`` on."""
        columns, base, seen = self.arguments.read()
        values, owners = self.driver.roll(columns, base, seen, first, start, np.ascontiguousarray(partition))
        return np.asarray(owners, dtype=np.int64), self.answers.array(values, owners)

    def resume(
        self, low: Positions, last: Positions, until: Positions, shift: Positions, start: Positions, states: list[Any]
    ) -> tuple[Positions, pa.Array]:
        """The owners and values of what many aggregates emit, each continuing from its own state; see the driver's method."""
        columns, _, seen = self.arguments.read()
        bounds = [np.ascontiguousarray(bound, dtype=np.int64) for bound in (low, last, until, shift, start)]
        values, owners = self.driver.resume(columns, seen, *bounds, states)
        return np.asarray(owners, dtype=np.int64), self.answers.array(values, owners)

    def last_seen(self, first: int, count: int, before: int) -> Positions:
        """For each of ``count`` tuples from ``first`` on: the newest tuple up to it that the hooks see."""
        at = np.arange(first, first + count)
        _, base, seen = self.arguments.read()
        if seen is None:
            return at
        return np.maximum.accumulate(np.where(seen[first - base : first - base + count], at, before))

    def seen_within(self, starts: Positions, since: Positions, before: Positions) -> Positions:
        """For each held tuple: the newest tuple of its partition from ``since`` up to it that the hooks see; else ``before``."""
        at = np.arange(self.arguments.buffer.end)
        sizes = np.diff(np.append(starts, len(at)))
        _, _, seen = self.arguments.read()
        sees = at >= np.repeat(since, sizes)
        if seen is not None:
            sees &= seen.astype(bool)
        newest = np.maximum.accumulate(np.where(sees, at, -1))
        return np.where(newest < np.repeat(starts, sizes), np.repeat(before, sizes), newest)

    def drain(self, until: int | None = None) -> tuple[Positions, pa.Array]:
        """The owners and values of what the tuples before ``until`` emit as they leave."""
        values, owners = self.driver.drain(*self.arguments.read(), until)
        return np.asarray(owners, dtype=np.int64), self.answers.array(values, owners)
