"""Partials as Arrow columns, so that they can travel from level one of a cascade in one process to level two in another.

Level one of a kernel gives arrays of several kinds; for each kind a *form* says in which column it travels::

    level one                        travels as                level two takes
    numpy int64, float64             int64, double             the same buffer
    numpy uint8 (marks)              int8                      the same buffer
    numpy int64, a row of words      8 bytes a word            the same buffer
    Arrow array                      as it is                  as it is
    objects of a Python class        bytes: see states.py       objects

To find out what a kernel gives, we ask it for the partials of zero panes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Step
from inwindow.runtime import states
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.build import levels_of
from inwindow.runtime.cascade import HookLevels, KernelLevels, Levels
from inwindow.runtime.evaluators import Evaluator
from inwindow.windows.sequence import Positions


@dataclass(frozen=True)
class AsArrow:
    """An Arrow array travels as it is."""

    type: pa.DataType
    nullable: bool = True

    def packed(self, partials: pa.Array) -> pa.Array:
        return partials

    def unpacked(self, column: pa.Array) -> pa.Array:
        return column


@dataclass(frozen=True)
class AsNumbers:
    """A numpy array of numbers; bytes travel as signed, because Spark has no others."""

    type: pa.DataType
    dtype: str
    nullable: bool = False

    def packed(self, partials: Any) -> pa.Array:
        return pa.array(partials.view(np.int8) if partials.dtype == np.uint8 else partials)

    def unpacked(self, column: pa.Array) -> Any:
        return column.to_numpy().view(self.dtype)


@dataclass(frozen=True)
class AsWords:
    """Rows of 64-bit words, each row one binary value."""

    width: int
    nullable: bool = False

    @property
    def type(self) -> pa.DataType:
        return pa.binary(8 * self.width)

    def packed(self, partials: Any) -> pa.Array:
        words = pa.py_buffer(np.ascontiguousarray(partials))
        return pa.Array.from_buffers(self.type, len(partials), [None, words])

    def unpacked(self, column: pa.Array) -> Any:
        if not len(column):
            return np.empty((0, self.width), np.int64)
        first, count = 8 * self.width * column.offset, len(column) * self.width
        return np.frombuffer(column.buffers()[1], np.int64, count, first).reshape(-1, self.width)


Form = AsArrow | AsNumbers | AsWords  # each form has the type of its column, and whether it is nullable


@dataclass(frozen=True)
class Partials:
    """How the partials of one step travel; ``forms`` is None for a Python class."""

    step: Step
    forms: tuple[Form, ...] | None

    @classmethod
    def of(cls, step: Step, schema: pa.Schema) -> "Partials":
        """The forms, found from the partials of zero panes."""
        if step.implementation.native is None:
            return cls(step, None)
        buffer = Buffer()
        levels = levels_of(step, buffer)
        assert isinstance(levels, KernelLevels)
        buffer.append(pa.RecordBatch.from_pylist([], schema))
        nowhere = np.zeros(0, dtype=np.int64)
        levels.reduce(nowhere, nowhere)
        assert levels.partials is not None
        return cls(step, tuple(map(_form_of, levels.partials)))

    def fields(self, prefix: str) -> list[pa.Field]:
        if self.forms is None:
            return [pa.field(f"{prefix}_0", states.TYPE)]
        return [pa.field(f"{prefix}_{at}", form.type, form.nullable) for at, form in enumerate(self.forms)]

    def packed(self, levels: Levels) -> list[pa.Array]:
        """The partials of level one, as columns."""
        if self.forms is None:
            assert isinstance(levels, HookLevels)
            return [states.column_of(levels.partials)]
        assert isinstance(levels, KernelLevels) and levels.partials is not None
        return [form.packed(array) for form, array in zip(self.forms, levels.partials, strict=True)]

    def unpacked(self, columns: list[pa.Array]) -> tuple[Any, ...]:
        """The columns for level two; those of a Python class stay as they travel."""
        if self.forms is None:
            return tuple(columns)
        return tuple(form.unpacked(column) for form, column in zip(self.forms, columns, strict=True))

    def evaluator(self, names: list[str], buffer: Buffer) -> "PartialsEvaluator":
        """An evaluator of level two over the columns with these names."""
        levels = levels_of(self.step, Buffer())  # level one would read tuples, but there are none here
        if self.forms is None:
            aggregate = self.step.implementation.aggregate
            objects = buffer.objects_of(states.Sent(names[0], aggregate))
            return PartialsEvaluator(levels, buffer, lambda: objects.values)
        columns = [buffer.plain(name) for name in names]
        return PartialsEvaluator(levels, buffer, lambda: self.unpacked([column.array for column in columns]))


class PartialsEvaluator(Evaluator):
    """Level two of a cascade, over partials from another process; the partials of a frame are held."""

    kept = ("lo", "hi", "levels")

    def __init__(self, levels: Levels, buffer: Buffer, read: Callable[[], Any]) -> None:
        super().__init__()
        self.levels: Any = levels
        self.buffer, self.read = buffer, read

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        self.levels.partials = self.read()
        try:
            return self.levels.window(self.buffer.base, start, end)
        finally:
            self.levels.partials = [] if isinstance(self.levels, HookLevels) else None


def _form_of(partials: Any) -> Form:
    if isinstance(partials, pa.Array):
        return AsArrow(partials.type)
    if partials.ndim == 2:
        return AsWords(partials.shape[1])
    if partials.dtype == np.uint8:
        return AsNumbers(pa.int8(), "u1")
    return AsNumbers(pa.from_numpy_dtype(partials.dtype), partials.dtype.str)
