"""A watched evaluator: a share of its results is folded again from the held tuples, and compared.

For this it holds the tuples of later frames, even if the strategy itself would not (panes). A sampled result costs the hook
calls of its frame.
"""

import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._hooks import Recompute
from inwindow.optimizer.plan import Step
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.hooks import Answers, Arguments
from inwindow.runtime.reserved import PREFIX
from inwindow.udaf.errors import DeviationError
from inwindow.udaf.sentinel import Deviation, Found, Sentinel, distance
from inwindow.windows.sequence import Positions, Sequence

Hashes = npt.NDArray[np.uint64]


class Watched(Evaluator):
    """Gives the results of the inner evaluator, and compares some of them with the definition."""

    kept = ("lo", "hi", "within")

    def __init__(
        self,
        within: Evaluator,
        step: Step,
        sentinel: Sentinel,
        buffer: Buffer,
        arguments: Arguments,
        answers: Answers,
        naive: Recompute,
    ) -> None:
        super().__init__()
        self.within, self.step, self.sentinel = within, step, sentinel
        self.buffer, self.arguments, self.answers, self.naive = buffer, arguments, answers, naive
        self.evicts, self.moves = within.evicts, within.moves
        self.position_columns = {name: buffer.plain(name) for name in step.position_columns}

    def arrive(self, sequence: Sequence) -> None:
        self.within.arrive(sequence)

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        before = self.within.afresh()
        results = self.within.roll(start, end)
        punts, rebased = (now - then for now, then in zip(self.within.afresh(), before, strict=True))
        self.sentinel.note(Found(punts=punts, rebased=rebased))
        if len(start):
            self._look(results, start, end)
        return results

    def absorb(self, start: int, end: int) -> None:
        self.within.absorb(start, end)

    def keep_from(self, next_start: int) -> int:
        """The tuples that the inner evaluator needs, and those of later frames."""
        return min(self.within.keep_from(next_start), next_start)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        return self.within.evaluate(start, end)

    def _look(self, results: pa.Array, start: Positions, end: Positions) -> None:
        sampled = np.flatnonzero(self._sampled(start, end))
        if not len(sampled):
            return
        first, last = (np.ascontiguousarray(bound[sampled]) for bound in (start, end))
        columns, base, seen = self.arguments.read()
        expected = self.answers.rolled(lambda: self.naive.roll(columns, base, seen, first, last), last).to_pylist()
        given = results.take(pa.array(sampled)).to_pylist()
        found = []
        for one, other, low, high in zip(given, expected, first.tolist(), last.tolist(), strict=True):
            apart = 0.0 if one == other else distance(one, other, 0.0)
            if apart > self.sentinel.tolerance and math.isfinite(apart):
                apart = distance(one, other, _largest(columns, low - base, high - base))
            if apart > self.sentinel.tolerance:
                found.append(Deviation(self.step.label, self._location(high - 1), repr(one), repr(other), apart))
        worst = max(found, key=lambda one: one.size, default=None)
        self.sentinel.note(Found(len(sampled), len(found), largest=worst))
        if worst is not None and self.sentinel.fails:
            raise DeviationError(
                f"{worst}\n  found by {self.sentinel!r}; the strategy is {self.step.strategy}: check the class with "
                "iw.testing.check, or force strategy='recompute'"
            )

    def _sampled(self, start: Positions, end: Positions) -> npt.NDArray[np.bool_]:
        """Which frames are sampled: by a hash of the last tuple's order value and the frame's length, the same in every place."""
        held = (start < end) & (start >= self.buffer.base)
        if self.sentinel.share >= 1:
            return held
        number = (end - start).astype(np.uint64)
        orders = [self.position_columns[name] for name in self.step.orders] or []
        last = pa.array(np.maximum(end - 1 - self.buffer.base, 0))
        for column in orders:
            assert column.array is not None
            number = mixed(number) ^ hashes(column.array.take(last))
        if not orders:
            number = mixed(number) ^ end.astype(np.uint64)
        return held & (mixed(number) < np.uint64(self.sentinel.share * 2**64))

    def _location(self, position: int) -> str:
        values = {
            name: column.array[position - self.buffer.base].as_py()
            for name, column in self.position_columns.items()
            if column.array
        }
        said = [
            f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"
            for name, value in values.items()
            if not name.startswith(PREFIX)
        ]
        return ", ".join(said) or f"tuple {position + 1}"


def mixed(number: Hashes) -> Hashes:
    """Splitmix64: each bit of the number changes each bit of the hash."""
    with np.errstate(over="ignore"):
        number = number + np.uint64(0x9E3779B97F4A7C15)
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return number ^ (number >> np.uint64(31))


def hashes(values: pa.Array) -> Hashes:
    """A number for each value, the same in every process; equal values have equal ones."""
    kind = values.type
    if pa.types.is_date32(kind):
        values, kind = values.cast(pa.int32()), pa.int32()
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_date64(kind):
        values, kind = values.cast(pa.int64()), pa.int64()
    if pa.types.is_integer(kind):
        return np.asarray(values.fill_null(0).to_numpy(zero_copy_only=False)).astype(np.uint64)
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        plain = values.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        return np.asarray(plain).view(np.uint64)
    return np.array([zlib.crc32(repr(value).encode()) for value in values.to_pylist()], dtype=np.uint64)


def _largest(columns: list[list[Any]], low: int, high: int) -> float:
    """The largest finite number among a frame's arguments; rounding is relative to it."""
    sizes = (
        abs(float(value))
        for values in columns
        for value in values[low:high]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    )
    return max(sizes, default=0.0)
