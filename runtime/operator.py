"""The operator: sorted record batches in (cut anywhere), record batches out. Every place uses the same one.

::

    process(batch)    held columns grow -> lanes advance -> emit rows that all lanes have decided -> forget tuples
    finish()          the sequence has ended: every frame is complete
    state()           bytes from which another operator continues

Memory holds only the tuples that frames still need, never a whole partition.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime import sealed
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.fingerprint import OF_AN_OPERATOR, Part, check, fingerprint
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.reports import hook_error, overflow_error, result_error
from inwindow.runtime.reserved import BEGINS
from inwindow.runtime.state_bytes import from_bytes, to_bytes
from inwindow.runtime.step_costs import spending
from inwindow.windows.neighbours import Mask
from inwindow.windows.sequence import Sequence


class Operator(ABC):
    """The common part of all operators: take batches, report errors, save the state."""

    kept: ClassVar[tuple[str, ...]] = ("waiting", "waiting_rows")  # attributes in a state besides its parts
    schema: pa.Schema  # of the output
    patience = 16  # each batch costs a copy of the held tuples, so small batches wait until they are 1/16 of these

    def __init__(self, work: Pass) -> None:
        self.work = work
        self.buffer = Buffer()
        self.sequence = Sequence(work.key, work.peers, work.groups)
        if any(step.implementation.aggregate is not None for step in work.steps):
            for name in work.position_columns:  # an error of a hook names the tuple
                self.buffer.plain(name)
        self.waiting: list[pa.RecordBatch] = []
        self.waiting_rows = 0
        self.is_restored = False

    def reads(self, *, begins_known: bool = False) -> set[str]:
        """The columns that the operator reads; with ``begins_known``, the column BEGINS says where partitions begin."""
        held = {name for source in self.buffer.columns for name in source.names()}
        return held | {*([] if begins_known else self.work.partition_by), *self._ordered_by()}

    def _ordered_by(self) -> list[str]:
        work = self.work
        return [order.column for order in work.order_by] if work.key is not None or work.peers or work.groups else []

    def pieces(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Cut a batch for :meth:`process`: into slices, if a tuple makes many rows."""
        yield batch

    def over(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """All output rows for sorted tuples, in non-empty batches."""
        for batch in batches:
            yield from (given for piece in self.pieces(batch) if (given := self.process(piece)).num_rows)
        rest = self.finish()
        if rest.num_rows:
            yield rest

    def process(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Take the next tuples; return the rows that are now decided (maybe none)."""
        check_columns(batch.schema, self.reads(begins_known=BEGINS in batch.schema.names), "a batch")
        with sealed.going_on(self.is_restored):
            return self._process(batch)

    def _process(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if batch.num_rows:
            self.waiting.append(batch)
            self.waiting_rows += batch.num_rows
        if not self.waiting or self.waiting_rows * self.patience < self.buffer.end - self.buffer.base:
            return self.collect()
        return self.flush()

    def flush(self) -> pa.RecordBatch:
        """Process the batches that wait for more."""
        for batch in merged(self.waiting):
            self._append(batch)
        self.waiting, self.waiting_rows = [], 0
        return self._advance()

    def finish(self) -> pa.RecordBatch:
        """The input has ended: return all remaining rows."""
        with sealed.going_on(self.is_restored):
            return self._finish()

    def _finish(self) -> pa.RecordBatch:
        early = self.flush() if self.waiting else None
        self.sequence.ended = True
        late = self._advance()
        if early is None or not early.num_rows:
            return late
        columns = [concat(pair, pair[0].type) for pair in zip(early.columns, late.columns, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _append(self, batch: pa.RecordBatch) -> None:
        self.buffer.append(batch)
        orders = [batch.column(name) for name in self._ordered_by()]
        self.sequence.append(self.partition_in(batch), orders, batch.num_rows)

    def partition_in(self, batch: pa.RecordBatch) -> list[pa.Array] | Mask:
        """The partition columns; or, if the batch has BEGINS, which tuples are the first of a partition."""
        if BEGINS in batch.schema.names:
            begins: Mask = batch.column(BEGINS).to_numpy().view(np.bool_)
            return begins
        return [batch.column(name) for name in self.work.partition_by]

    def _advance(self) -> pa.RecordBatch:
        self.advance()
        out = self.collect()
        needed = self.keep_from()
        self.buffer.forget(needed)
        self.sequence.forget(min(needed, self.keys_from()))
        return out

    def run(self, step: Step, action: Any, *arguments: Any) -> Any:
        """Call into a step; errors name the tuple."""
        return reporting(step, self.work, lambda: self.buffer, self.sequence, action, *arguments)

    @abstractmethod
    def advance(self) -> None:
        """Evaluate the results that have become ready."""

    @abstractmethod
    def collect(self) -> pa.RecordBatch:
        """The rows that are decided."""

    @abstractmethod
    def keep_from(self) -> int:
        """The oldest position whose values are still needed."""

    def keys_from(self) -> int:
        """The oldest position whose order key is still needed."""
        return self.keep_from()

    @abstractmethod
    def parts(self) -> list[Any]:
        """The parts with a state, besides the held tuples."""

    @cached_property
    def fingerprint(self) -> dict[str, Part]:
        """The fingerprint of the plan; it is stored in a state, and a state with another one is refused."""
        # A sentinel makes the operator hold more tuples. (Not on a stream, where watched aggregates have no state.)
        watched = {f"the sentinel of {s.name}": ("none" if s.sentinel is None else "one", "") for s in self.work.steps}
        return {**fingerprint(self.work), **watched}

    @property
    def trusts(self) -> bool:
        """Whether a state may contain pickles: only if there are classes of the user."""
        return any(step.implementation.aggregate is not None for step in self.work.steps)

    def state(self) -> bytes:
        """The bytes from which a new operator with the same plan continues: plain data, and pickles if hooks keep other objects."""
        parts = [part.state() for part in self._stateful()]
        values = [self.fingerprint, parts, [getattr(self, name) for name in self.kept]]
        return sealed.sealed(sealed.OPERATOR, to_bytes(values, trusted=self.trusts))

    def restore(self, state: bytes) -> None:
        """Continue from a state; an error if it comes from another plan, or was changed."""
        content = sealed.opened(sealed.OPERATOR, state)
        with sealed.reading():
            _, parts, kept = from_bytes(
                content, lambda first: check(first, self.fingerprint, OF_AN_OPERATOR), trusted=self.trusts
            )
            for part, its in zip(self._stateful(), parts, strict=True):
                part.restore(its)
            vars(self).update(zip(self.kept, kept, strict=True))
        self.is_restored = True

    def _stateful(self) -> list[Any]:
        return [self.buffer, self.sequence, *self.parts()]


def reporting(
    step: Step, work: Pass, buffer: Callable[[], Buffer], sequence: Sequence, action: Any, *arguments: Any
) -> Any:
    """Call into a step; errors of its hooks or kernels name the aggregate and the tuple."""
    try:
        return spending(step.name, action, *arguments)
    except HookRaised as raised:
        error = hook_error(step, work, raised, buffer(), sequence)
    except Unfit as unfit:
        error = result_error(step, work, unfit, buffer(), sequence)
    except OverflowError:
        error = overflow_error(step)
    raise error


def merged(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Several batches as one (or more, if a string column would pass 2 GB)."""
    if len(batches) <= 1:
        return batches
    try:
        return pa.Table.from_batches(batches).combine_chunks().to_batches()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # dictionaries that Arrow cannot unify
        return batches
