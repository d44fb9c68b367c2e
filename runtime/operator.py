"""The operator: sorted record batches in, cut anywhere; record batches out. The same one in every place.

::

    process(batch)    held columns grow -> lanes advance -> rows that all lanes have decided go out -> forget
    finish()          the sequence has ended: every frame is complete
    state()           what a later operator needs to go on from here, as bytes

Memory is what the frames still need, never the partition.
"""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.held import Held
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.reports import hook_error, overflow_error, result_error
from inwindow.runtime.reserved import BEGINS
from inwindow.udaf.errors import DataError
from inwindow.windows.sequence import Sequence

STATE_VERSION = 1
# A batch much smaller than what is held would cost a copy of the latter: such batches wait until they make 1/16 of it.
_PATIENCE = 16


class Operator(ABC):
    """What the operators share: taking batches, saying errors, saving state."""

    schema: pa.Schema  # of the output

    def __init__(self, work: Pass) -> None:
        self.work = work
        self.held = Held()
        self.sequence = Sequence(work.key, work.peers)
        if any(step.implementation.aggregate is not None for step in work.steps):
            for name in work.places:  # an error of a hook names the tuple
                self.held.plain(name)
        self.waiting: list[pa.RecordBatch] = []
        self.waiting_rows = 0

    def reads(self, *, told: bool = False) -> set[str]:
        """The columns that the operator looks at; ``told``: of batches that say where partitions begin, in BEGINS."""
        held = {name for source in self.held.columns for name in source.names()}
        return held | {*([] if told else self.work.partition_by), *self._ordered_by()}

    def _ordered_by(self) -> list[str]:
        work = self.work
        return [order.column for order in work.order_by] if work.key is not None or work.peers else []

    def process(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Take the next tuples; give the rows that are decided (maybe none)."""
        check_columns(batch.schema, self.reads(told=BEGINS in batch.schema.names), "a batch")
        if batch.num_rows:
            self.waiting.append(batch)
            self.waiting_rows += batch.num_rows
        if not self.waiting or self.waiting_rows * _PATIENCE < self.held.end - self.held.base:
            return self.collect()
        return self.flush()

    def flush(self) -> pa.RecordBatch:
        """Process what has been waiting to make a larger batch."""
        for batch in merged(self.waiting):
            self._append(batch)
        self.waiting, self.waiting_rows = [], 0
        return self._advance()

    def finish(self) -> pa.RecordBatch:
        """The input has ended: give all that is left."""
        early = self.flush() if self.waiting else None
        self.sequence.ended = True
        late = self._advance()
        if early is None or not early.num_rows:
            return late
        table = pa.Table.from_batches([early, late]).combine_chunks()
        return table.to_batches()[0]

    def _append(self, batch: pa.RecordBatch) -> None:
        self.held.append(batch)
        partition: Any = [batch.column(name) for name in self.work.partition_by if BEGINS not in batch.schema.names]
        if BEGINS in batch.schema.names:
            partition = batch.column(BEGINS).to_numpy().view(np.bool_)
        self.sequence.append(partition, [batch.column(name) for name in self._ordered_by()], batch.num_rows)

    def _advance(self) -> pa.RecordBatch:
        self.advance()
        out = self.collect()
        needed = self.keep_from()
        self.held.forget(needed)
        self.sequence.forget(min(needed, self.keys_from()))
        return out

    def run(self, step: Step, action: Any, *arguments: Any) -> Any:
        """Call into a step; what its hooks or kernels raise is told with the tuple it happened on."""
        return telling(step, self.work, lambda: self.held, self.sequence, action, *arguments)

    @abstractmethod
    def advance(self) -> None:
        """Evaluate what has become ready."""

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
        """What has a state besides the held tuples."""

    def state(self) -> bytes:
        """All that a new operator with the same plan needs to go on."""
        content = {
            "version": STATE_VERSION,
            "plan": fingerprint(self.work),
            "held": self.held.state(),
            "sequence": {name: value for name, value in vars(self.sequence).items() if name != "key"},
            "waiting": self.waiting,
            "waiting_rows": self.waiting_rows,
            "parts": [part.state() for part in self.parts()],
        }
        return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)

    def restore(self, state: bytes) -> None:
        """Go on from a state; refused if it comes from another plan."""
        try:
            content = dict(pickle.loads(state))
            content = {"version": None, "plan": None, **content}
        except Exception as error:
            raise DataError(f"this is not the state of an operator ({type(error).__name__}: {error})") from None
        expected = {"version": STATE_VERSION, "plan": fingerprint(self.work)}
        for name, value in expected.items():
            if content[name] != value:
                raise DataError(
                    f"this state is not of this operator: its {name} is {content[name]!r}, but here it is {value!r}; state "
                    "can only be restored into the same aggregates over the same windows"
                )
        self.held.restore(content["held"])
        vars(self.sequence).update(content["sequence"])
        self.waiting, self.waiting_rows = content["waiting"], content["waiting_rows"]
        for part, its in zip(self.parts(), content["parts"], strict=True):
            part.restore(its)


def telling(step: Step, work: Pass, held: Callable[[], Held], sequence: Sequence, action: Any, *arguments: Any) -> Any:
    """Call into a step; what its hooks or kernels raise is told with the aggregate, and the tuple it happened on."""
    try:
        return action(*arguments)
    except HookRaised as raised:
        error = hook_error(step, work, raised, held(), sequence)
    except Unfit as unfit:
        error = result_error(step, work, unfit, held(), sequence)
    except OverflowError:
        error = overflow_error(step)
    raise error


def fingerprint(work: Pass) -> str:
    """What a plan computes, as text: equal plans, equal text."""
    places = [f"by {name}" for name in work.partition_by] + [
        f"in the order of {order.describe()}" for order in work.order_by
    ]
    extent = [] if work.extent is None else [f"over {work.extent.describe()}"]
    return "; ".join([*map(_computed, work.steps), *extent, *places])


def _computed(step: Step) -> str:
    """One result column: all that its state depends on."""
    window, aggregate = step.case.window, step.implementation.aggregate
    said = [f"{step.name} = {step.label}"]
    if aggregate is not None:
        said.append(f"of {type(aggregate).__qualname__}({_stable(vars(aggregate))})")
    if step.condition is not None:
        said.append(f"filter {step.condition}")
    if window is not None:
        said.append(f"over {window.describe()}")
        said += [] if window.origin is None else [f"origin {window.origin}"]
        said += [] if window.final == "drop" else [f"final {window.final}"]
    compiled = "" if step.machine is None else "compiled "
    return " ".join([*said, f"by {compiled}{step.strategy}: {step.implementation.result}"])


def _stable(value: Any) -> str:
    """A value's repr, the same in every process: sets are in no order of their own."""
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_stable, value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_stable(key)}: {_stable(its)}' for key, its in value.items())}}}"
    if type(value) in (list, tuple):
        return f"{type(value).__name__}({', '.join(map(_stable, value))})"
    return repr(value)


def merged(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Several batches as one (or more, where one string column would pass 2 GB)."""
    if len(batches) <= 1:
        return batches
    return pa.Table.from_batches(batches).combine_chunks().to_batches()
