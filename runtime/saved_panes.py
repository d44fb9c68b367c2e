"""Saved panes: the partials of one aggregate over pieces of time, as a column of a table that can be stored and rolled later.

::

    version         "avg(double) format 1"            who made it; another aggregate, or a changed class, is refused
    until           2026-03-02 00:00                  where the pane ends
    argument_0      NULL                              never a value: its type is that of the argument
    partial_0 ...   26.5                              of a built-in: the columns of its partials (partials.py)
                    {total: 26.5, count: 3}           of a class: its attributes, if annotated (typed_states.py)
                    bytes                             ... else as bytes (states.py)

A pane of one machine and day is merged with those of others by the second level of the cascade, as panes are within one run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._plain import are_plain
from inwindow.optimizer.panes_first import merges
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.strategy import No
from inwindow.runtime import states
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.build import levels_of
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.fingerprint import version_of
from inwindow.runtime.partials import Partials, PartialsEvaluator
from inwindow.runtime.typed_states import type_of_state, typed, untyped
from inwindow.udaf.errors import DataError, StateError, UsageError
from inwindow.windows.sequence import Positions, Sequence

FORMAT = 1  # of the partials of built-ins: a kernel whose partials change needs another
VERSION, UNTIL, ARGUMENT, PARTIAL = "version", "until", "argument_", "partial_"


@dataclass(frozen=True)
class SavedForm:
    """How the panes of a step are stored. The step is that of the aggregate over tuples."""

    step: Step
    partials: Partials
    arguments: tuple[pa.DataType, ...]
    version: str
    trusted: bool = False  # whether pickles are read
    label: str = ""  # of the call that reads it

    @classmethod
    def of(cls, step: Step, types: list[pa.DataType], **reading: Any) -> "SavedForm":
        """The form of a step over arguments of these types."""
        names = [f"{ARGUMENT}{at}" for at in range(len(types))]
        step = replace(step, name="it", arguments=tuple(names), condition=None)
        schema = pa.schema(list(map(pa.field, names, types)))
        return cls(step, Partials.of(step, schema), tuple(types), version_of(step, types, FORMAT), **reading)

    def type(self, bound: pa.DataType) -> pa.DataType:
        """The struct of a pane."""
        return pa.struct(self._fields(bound))

    def _fields(self, bound: pa.DataType) -> list[pa.Field]:
        made = [pa.field(VERSION, pa.string()), pa.field(UNTIL, bound)]
        made += [pa.field(f"{ARGUMENT}{at}", kind) for at, kind in enumerate(self.arguments)]
        if self.state is not None:
            return [*made, pa.field(f"{PARTIAL}0", self.state)]
        partials = self.partials.fields(PARTIAL[:-1])
        return made + [pa.field(one.name, _stored(one.type)) for one in partials]

    @property
    def state(self) -> pa.DataType | None:
        """The type of a class's states; None if they are bytes."""
        aggregate = self.step.implementation.aggregate
        return None if aggregate is None else type_of_state(aggregate)

    def column(self, packed: pa.StructArray, until: pa.Array) -> pa.StructArray:
        """Panes from their packed partials, and where they end."""
        rows = len(until)
        version = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([self.version])).cast(
            pa.string()
        )
        columns = [version, until, *(pa.nulls(rows, kind) for kind in self.arguments), *packed.flatten()]
        return pa.StructArray.from_arrays(columns, fields=self._fields(until.type))

    def opened(self, column: pa.StructArray) -> list[pa.Array]:
        """The packed partials of panes; an error if others made them."""
        if column.null_count:
            raise DataError(f"{self.label}: some rows have no pane in this column, but NULL: filter them out")
        for version in pc.unique(column.field(VERSION)).to_pylist():
            if version != self.version:
                raise StateError(
                    f"{self.label}: these panes were saved by {version}, and here is {self.version}: roll them with the aggregate "
                    "that saved them, or save them anew; a class whose new code reads old states right can say so itself: "
                    "saved_version = '1', before the first pane is saved"
                )
        columns = [column.field(f"{PARTIAL}{at}") for at in range(len(self._partial_types))]
        if self.partials.forms is None:
            return columns  # as they were stored
        return [one.cast(kind) for one, kind in zip(columns, self._partial_types, strict=True)]

    @property
    def _partial_types(self) -> list[pa.DataType]:
        return [one.type for one in self.partials.fields(PARTIAL[:-1])]

    # The two evaluators

    def evaluator(self, step: Step, buffer: Buffer) -> Evaluator:
        """Level two, over a column of panes."""
        levels = levels_of(replace(self.step, zone=step.zone), Buffer())
        if self.partials.forms is None:
            objects = buffer.objects_of(SavedStates(step.arguments[0], self))
            return PartialsEvaluator(levels, buffer, lambda: objects.values)
        columns = [
            buffer.column_of(SavedPartial(step.arguments[0], at, self)) for at in range(len(self.partials.forms))
        ]
        return PartialsEvaluator(levels, buffer, lambda: self.partials.unpacked([column.array for column in columns]))


@dataclass(frozen=True)
class SavingForm:
    """The same form, while panes are made."""

    form: SavedForm

    def evaluator(self, step: Step, buffer: Buffer) -> Evaluator:
        """Level one, over tuples."""
        return Saving(self.form, replace(self.form.step, arguments=step.arguments, condition=step.condition), buffer)


class Saving(Evaluator):
    """Panes in, their packed partials out; the tuples of the open pane are held."""

    def __init__(self, form: SavedForm, step: Step, buffer: Buffer) -> None:
        super().__init__()
        self.form = form
        self.levels: Any = levels_of(step, buffer)

    def arrive(self, sequence: Sequence) -> None:
        self.levels.arrive(sequence)

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        self.levels.reduce(start, end)
        aggregate, state = self.form.step.implementation.aggregate, self.form.state
        partials = self.levels.partials
        packed = self.form.partials.packed(self.levels) if state is None else [typed(partials, aggregate, state)]
        self.levels.forget(len(start))
        names = [f"{PARTIAL}{at}" for at in range(len(packed))]
        return pa.StructArray.from_arrays([one.cast(_stored(one.type)) for one in packed], names=names)


@dataclass(frozen=True)
class SavedPartial:
    """A held source: one column of the partials."""

    column: str
    at: int
    form: SavedForm = field(compare=False, hash=False)

    def names(self) -> tuple[str, ...]:
        return (self.column,)

    def read(self, batch: pa.RecordBatch) -> pa.Array:
        return self.form.opened(batch.column(self.column))[self.at]


@dataclass(frozen=True)
class SavedStates:
    """A held source: the states of a class, as its objects."""

    column: str
    form: SavedForm = field(compare=False, hash=False)

    def names(self) -> tuple[str, ...]:
        return (self.column,)

    def read(self, batch: pa.RecordBatch) -> list[Any]:
        (column,) = self.form.opened(batch.column(self.column))
        aggregate = self.form.step.implementation.aggregate
        if pa.types.is_struct(column.type):
            return untyped(aggregate, column)
        if not self.form.trusted and any(pickles(column)):
            raise StateError(
                f"{self.form.label}: some states are pickles, because an attribute is no plain value; reading a pickle can run any "
                "code: if you trust who wrote these panes, write iw.saved(..., trusted=True)"
            )
        return states.aggregates_of(aggregate, column)


def pickles(column: pa.Array) -> Iterator[bool]:
    """Which states are pickled."""
    return (content is not None and not are_plain(content) for content in column.to_pylist())


def _stored(kind: pa.DataType) -> pa.DataType:
    """Fixed widths become bytes of any width, which every store has."""
    return pa.binary() if pa.types.is_fixed_size_binary(kind) else kind


def check_saves(step: Step) -> None:
    """Check that an aggregate has panes that can be put together by another run."""
    traits, native = step.case.traits, step.implementation.native
    its = f"{step.label} in partials()"
    if step.least is not None or step.sentinel is not None:
        option = "min_count" if step.least is not None else "sentinel"
        raise UsageError(f"{its}: {option} is for results, and panes have none yet: drop it")
    if native is not None and native.saved is not None:
        raise UsageError(f"{its}: it is made of panes already: roll it with agg(), or keep the panes")
    if native is None and (traits.reads_inwindow or not traits.has_merge):
        why = "reads inwindow, which states do not have" if traits.reads_inwindow else "has no merge"
        raise UsageError(
            f"{its}: {traits.name} {why}, so its panes cannot be put together: write `def merge(self, later)`"
        )
    if native is not None and not (verdict := merges(step)):
        assert isinstance(verdict, No)
        raise UsageError(
            f"{its}: {verdict.reason}, so its panes cannot be put together: save one that can, or the tuples"
        )


def columns_of_panes(steps: Iterable[Step]) -> list[str]:
    """The columns of panes that steps roll."""
    found = (step for step in steps if step.implementation.native is not None)
    return [step.arguments[0] for step in found if isinstance(step.implementation.native.saved, SavedForm)]  # type: ignore[union-attr]


def check_whole(work: Pass, framing: Any, batch: pa.RecordBatch, column: str) -> None:
    """Check that no edge of an extent cuts a pane."""
    key = work.key
    assert key is not None
    panes = batch.column(column)
    if not pa.types.is_struct(panes.type) or panes.field(UNTIL).type != key.bound_type:
        raise UsageError(
            f"{column!r} holds panes of another attribute than {key.column!r}: group by extents of their start"
        )
    begin, until = key.read(batch.column(key.column))[0], key.bound_keys(panes.field(UNTIL))
    last = np.nextafter(until, -np.inf) if key.is_float else until - 1
    cut = (framing.panes(begin) != framing.panes(last)) | (begin > last)
    cut &= panes.is_valid().to_numpy(zero_copy_only=False)
    if cut.any():
        row = int(np.argmax(cut))
        start, end = batch.column(key.column)[row], panes.field(UNTIL)[row]
        raise DataError(
            f"the pane from {start} until {end} in {column!r} lies in no whole number of extents: their bounds must be bounds of "
            "panes, so give sizes that are multiples of the panes' own, the same origin and zone, and extents of the column 'start'"
        )
