"""The buffer: the columns of the tuples that are still needed, shared by all aggregates of a pass.

An aggregate reads *sources*: a column as it came, an argument that is NULL where a filter rejects the tuple, a mask of the tuples
that its hooks see, or Python values for hooks. Equal sources are held once (ESL: "sharing windows between UDAs").
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.dictionaries import together
from inwindow.runtime.reserved import hidden_of
from inwindow.udaf.doubles import doubles
from inwindow.udaf.pythonic import pythonic
from inwindow.windows.stateful import Stateful

Mask = npt.NDArray[np.uint8]


class Source(Protocol):
    """How a held column is computed from an arriving batch."""

    def read(self, batch: pa.RecordBatch) -> Any:
        """The column for the rows of this batch."""

    def names(self) -> tuple[str, ...]:
        """The columns that it reads."""


@dataclass(frozen=True)
class Plain:
    """A column as an Arrow array: cast if a kernel needs another type, and NULL where ``condition`` fails."""

    name: str
    type: pa.DataType | None = None
    condition: str | None = None

    def names(self) -> tuple[str, ...]:
        return (self.name,) if self.condition is None else (self.name, self.condition)

    def read(self, batch: pa.RecordBatch) -> pa.Array:
        values = batch.column(self.name)
        if self.type is not None and values.type != self.type:
            values = _cast(values, self.type)
        if self.condition is not None:
            values = pc.if_else(pc.fill_null(batch.column(self.condition), False), values, None)
        return values


@dataclass(frozen=True)
class Objects:
    """A column as a list of Python values, for hooks."""

    name: str

    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def read(self, batch: pa.RecordBatch) -> list[Any]:
        return python_values(batch.column(self.name))


@dataclass(frozen=True)
class Seen:
    """The mask of the tuples that hooks see: no ``required`` argument is NULL, and the filter's condition is true.

    ``step`` is the one whose hooks may refuse tuples: it has a mask of its own. A tuple is hidden if the column ``hidden`` says so,
    where there is one.
    """

    required: tuple[str, ...]
    condition: str | None
    step: str | None = None
    hidden: str | None = None

    def names(self) -> tuple[str, ...]:
        return self.required if self.condition is None else (*self.required, self.condition)

    def read(self, batch: pa.RecordBatch) -> Mask:
        seen = np.ones(batch.num_rows, dtype=np.uint8)
        for name in self.required:
            values = batch.column(name)
            if values.null_count:
                seen &= pc.is_valid(values).to_numpy(zero_copy_only=False)
        if self.condition is not None:
            seen &= pc.fill_null(batch.column(self.condition), False).to_numpy(zero_copy_only=False)
        if self.hidden is not None and self.hidden in batch.schema.names:
            seen &= ~batch.column(self.hidden).to_numpy(zero_copy_only=False)
        return seen


class Marks(Seen):
    """The same as the validity of an array: for count, which reads nothing else."""

    def read(self, batch: pa.RecordBatch) -> pa.Array:
        """The argument itself if there is only one; otherwise a boolean that is NULL where a tuple does not count."""
        if len(self.required) == 1 and self.condition is None:
            return batch.column(self.required[0])
        seen = super().read(batch)
        return pa.array(np.ones(len(seen), dtype=bool), mask=seen == 0)


class ArrowColumn(Stateful):
    """Holds Arrow values. If a new slice continues the held slice in the same memory, nothing is copied."""

    kept = ("array",)

    def __init__(self) -> None:
        self.array: pa.Array | None = None

    def append(self, source: Source, batch: pa.RecordBatch) -> None:
        values = source.read(batch)
        if self.array is None or not len(self.array):
            self.array = values
        elif len(values):
            self.array = _continued(self.array, values) or together([self.array, values])

    def forget(self, count: int) -> None:
        if self.array is not None:
            self.array = self.array.slice(count)


class ListColumn(Stateful):
    """Holds Python values, made on first use: if compiled hooks run, they are never made."""

    kept = ("values",)

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.waiting: deque[tuple[Source, pa.RecordBatch]] = deque()

    def append(self, source: Source, batch: pa.RecordBatch) -> None:
        self.waiting.append((source, batch.select(source.names())))

    @property
    def values(self) -> list[Any]:
        while self.waiting:
            source, batch = self.waiting.popleft()
            made: list[Any] = source.read(batch)
            if self.made:
                self.made.extend(made)
            else:
                self.made = made
        return self.made

    @values.setter
    def values(self, values: list[Any]) -> None:
        self.made = values
        self.waiting.clear()

    def forget(self, count: int) -> None:
        here = min(count, len(self.made))
        del self.made[:here]
        count -= here
        while count:
            source, batch = self.waiting.popleft()
            if batch.num_rows > count:
                self.waiting.appendleft((source, batch.slice(count)))
            count -= min(count, batch.num_rows)


class MaskColumn(Stateful):
    """A held mask."""

    kept = ("mask",)

    def __init__(self) -> None:
        self.mask: Mask = np.zeros(0, dtype=np.uint8)

    def append(self, source: Source, batch: pa.RecordBatch) -> None:
        values = source.read(batch)
        self.mask = np.concatenate([self.mask, values]) if len(self.mask) else values

    def forget(self, count: int) -> None:
        self.mask = self.mask[count:]

    def seen(self) -> Mask | None:
        """One byte per tuple, contiguous; None if every tuple is seen."""
        return None if self.mask.all() else np.ascontiguousarray(self.mask)


Column = ArrowColumn | ListColumn | MaskColumn  # all of them grow at the end and are trimmed at the front


class Buffer:
    """All held columns of a pass: the positions ``[base, end)``."""

    def __init__(self) -> None:
        self.base = 0
        self.end = 0
        self.columns: dict[Source, Column] = {}

    def plain(self, name: str, type: pa.DataType | None = None, condition: str | None = None) -> ArrowColumn:
        return self._hold(Plain(name, type, condition), ArrowColumn())  # type: ignore[return-value]

    def marks(self, required: tuple[str, ...], condition: str | None) -> ArrowColumn:
        """Hold the information which tuples count, as an Arrow validity."""
        return self._hold(Marks(required, condition), ArrowColumn())  # type: ignore[return-value]

    def objects(self, name: str) -> ListColumn:
        return self.objects_of(Objects(name))

    def objects_of(self, source: Source) -> ListColumn:
        """Hold the Python objects of a source."""
        return self._hold(source, ListColumn())  # type: ignore[return-value]

    def column_of(self, source: Source) -> ArrowColumn:
        """Hold the Arrow column of a source."""
        return self._hold(source, ArrowColumn())  # type: ignore[return-value]

    def seen(self, required: tuple[str, ...], condition: str | None, step: str | None = None) -> MaskColumn:
        """Hold the mask of tuples that hooks see; with ``step``, that of a step whose hooks may refuse tuples."""
        hidden = None if step is None else hidden_of(step)
        return self._hold(Seen(required, condition, step, hidden), MaskColumn())  # type: ignore[return-value]

    def _hold(self, source: Source, column: Column) -> Column:
        return self.columns.setdefault(source, column)

    def append(self, batch: pa.RecordBatch) -> None:
        for source, column in self.columns.items():
            column.append(source, batch)
        self.end += batch.num_rows

    def forget(self, before: int) -> None:
        count = min(before, self.end) - self.base
        if count > 0:
            for column in self.columns.values():
                column.forget(count)
            self.base += count

    def state(self) -> Any:
        return self.base, self.end, [column.state() for column in self.columns.values()]

    def restore(self, state: Any) -> None:
        self.base, self.end, columns = state
        for column, its in zip(self.columns.values(), columns, strict=True):
            column.restore(its)


def python_values(values: pa.Array) -> list[Any]:
    """An Arrow array as the Python values that hooks get.

    Plain doubles and integers are converted by numpy, which is several times faster. Nanoseconds become microseconds, because
    Python's datetime has no finer unit.
    """
    kind = values.type
    if not values.null_count and (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        result: list[Any] = values.to_numpy().tolist()
        return result
    if pa.types.is_timestamp(kind):
        if kind.unit == "ns":
            # Rounded down, as Spark does; a cast would round towards 1970.
            ticks = np.frombuffer(values.buffers()[1] or b"", dtype=np.int64)[
                values.offset : values.offset + len(values)
            ]
            floored = pa.array(ticks // 1000, mask=pc.is_null(values).to_numpy(zero_copy_only=False))
            values = floored.view(pa.timestamp("us", kind.tz))
        if kind.tz == "UTC":
            # Python's own UTC object: pyarrow's is much slower to look up and to compare.
            naive = pythonic(pc.cast(values, pa.timestamp(values.type.unit)), "an argument of hooks")
            return [None if t is None else t.replace(tzinfo=UTC) for t in naive]
    return pythonic(values, "an argument of hooks")


def _cast(values: pa.Array, type: pa.DataType) -> pa.Array:
    if pa.types.is_int64(type) and not pa.types.is_integer(values.type):
        # Dates, times, timestamps and short decimals are integers underneath.
        if pa.types.is_boolean(values.type):
            return pc.cast(values, type)
        if pa.types.is_decimal(values.type):
            return _low_words(values)
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    if pa.types.is_duration(values.type):
        values = values.view(pa.int64())
    return doubles(values) if pa.types.is_float64(type) else pc.cast(values, type, safe=False)


def _low_words(values: pa.Array) -> pa.Array:
    """The unscaled integers of decimals that have at most 18 digits."""
    words = np.frombuffer(values.buffers()[1] or b"", np.int64)[2 * values.offset : 2 * (values.offset + len(values))]
    low = np.ascontiguousarray(words[::2])
    mask = pc.is_null(values).to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(low, mask=mask)


def _continued(held: pa.Array, values: pa.Array) -> pa.Array | None:
    """One longer slice, if ``values`` continues ``held`` in the same memory; else None."""
    if held.type.num_fields or isinstance(held, pa.ExtensionArray):
        return None
    if held.type != values.type or held.offset + len(held) != values.offset:
        return None
    ours, its = held.buffers(), values.buffers()
    if pa.types.is_dictionary(held.type) or len(ours) != len(its):
        return None
    for mine, other in zip(ours, its, strict=True):
        if (mine and (mine.address, mine.size)) != (other and (other.address, other.size)):
            return None
    return pa.Array.from_buffers(held.type, len(held) + len(values), ours, offset=held.offset)


def concat(arrays: Sequence[pa.Array], type: pa.DataType) -> pa.Array:
    """The arrays joined; an empty array of ``type`` if there are none."""
    filled = [array for array in arrays if len(array)]
    if not filled:
        return pa.nulls(0, type)
    return filled[0] if len(filled) == 1 else together(filled)
