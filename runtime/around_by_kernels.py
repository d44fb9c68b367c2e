"""Built-ins around a hole: a kernel for each run; its results, or its partials, are put together."""

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.around import AroundHole, Runs
from inwindow.runtime.buffer import concat
from inwindow.runtime.cascade import joined
from inwindow.runtime.evaluators import KernelEvaluator, KernelInput
from inwindow.udaf.native import Native
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.stateful import Stateful

_PIECE = 1 << 13  # frames whose partials are made at a time


class RunOfPartials(Stateful):
    """A kernel that gives the partials of one run of each frame."""

    kept = ("lo", "hi", "kernel")

    def __init__(self, given: KernelInput, evicts: bool) -> None:
        cascade = given.native.cascade
        assert cascade is not None and cascade.sliding is not None
        self.given = given
        self.moves = evicts  # whether a run may start inside another one
        self.holds = evicts and given.native.keeps is None  # whether what leaves is read again
        self.kernel = cascade.sliding(evicts)
        self.lo = self.hi = 0

    def roll(self, start: Positions, end: Positions) -> tuple[Any, ...]:
        """The partials of runs, none of them empty."""
        partials: tuple[Any, ...] = self.kernel.roll_partials(*self.given.read(), start, end, *self.given.seen())
        if len(start):
            self.lo, self.hi = int(start[-1]), int(end[-1])
        return partials

    def keeps_from(self, next_start: int) -> int:
        """As :meth:`Evaluator.keep_from`."""
        if not self.holds:
            return max(next_start, self.hi)
        return self.lo if next_start < self.hi else next_start


class ByPartials(AroundHole):
    """A built-in: each run by a kernel of its own; level two of its cascade puts partials together, in order."""

    kept = ("runs",)

    def __init__(self, given: KernelInput, evicts: list[bool]) -> None:
        super().__init__()
        self.given = given
        self.each = [RunOfPartials(given, one) for one in evicts]

    def state(self) -> Any:
        return [run.state() for run in self.each]

    def restore(self, state: Any) -> None:
        for run, its in zip(self.each, state, strict=True):
            run.restore(its)

    def arrive(self, sequence: Sequence) -> None:
        self.given.arrive(sequence)

    def keeps_from(self, next_starts: list[int]) -> int:
        return min(run.keeps_from(start) for run, start in zip(self.each, next_starts, strict=True))

    def keys_from(self, next_starts: list[int]) -> int:
        moving = (start for run, start in zip(self.each, next_starts, strict=True) if run.moves)
        return min(self.keeps_from(next_starts), *moving)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        """In pieces whose partials stay in the processor's cache."""
        pieces = [
            self._around([(start[at:until], end[at:until]) for start, end in runs])
            for at, until in pairwise([*range(0, len(at), _PIECE), len(at)])
        ]
        return concat(pieces, self.given.native.result)

    def _around(self, runs: Runs) -> pa.Array:
        filled = [start < end for start, end in runs]
        count = np.add.reduce(filled, dtype=np.int64)
        offsets = np.append(0, np.cumsum(count))
        partials = [
            run.roll(start, end) if has.all() else run.roll(start[has], end[has])
            for run, (start, end), has in zip(self.each, runs, filled, strict=True)
        ]
        if int(offsets[-1]) == len(runs) * len(count):
            columns = tuple(map(_in_turns, zip(*partials, strict=True)))
        else:
            places = [(offsets[:-1] + np.add.reduce(filled[:k], dtype=np.int64))[has] if k else offsets[:-1][has]
                      for k, has in enumerate(filled)]  # fmt: skip
            columns = tuple(_placed(column, places) for column in zip(*partials, strict=True))
        native = self.given.native
        assert native.cascade is not None
        return native.finish(native.cascade.window().roll(columns, 0, offsets[:-1], offsets[1:]))


class ByResults(AroundHole):
    """A built-in whose results over several runs can be put together: kernels over each run, as over any frame."""

    kept = ("each",)

    def __init__(self, native: Native, given: list[KernelInput], evicts: list[bool], partials: Any) -> None:
        super().__init__()
        self.native, self.given, self.moves_in, self.partials = native, given, evicts, partials
        self._begin()

    def _begin(self) -> None:
        self.each = [[KernelEvaluator(part, one) for one in self.moves_in] for part in self.given]

    def state(self) -> Any:
        return [[run.state() for run in runs] for runs in self.each]

    def restore(self, state: Any) -> None:
        for runs, theirs in zip(self.each, state, strict=True):
            for run, its in zip(runs, theirs, strict=True):
                run.restore(its)

    def arrive(self, sequence: Sequence) -> None:
        for part in self.given:
            part.arrive(sequence)

    def keeps_from(self, next_starts: list[int]) -> int:
        return min(run.keep_from(start) for runs in self.each for run, start in zip(runs, next_starts, strict=True))

    def keys_from(self, next_starts: list[int]) -> int:
        moving = (start for one, start in zip(self.moves_in, next_starts, strict=True) if one)
        return min(self.keeps_from(next_starts), *moving)

    def around(self, at: Positions, runs: Runs) -> pa.Array:
        joined = self.native.joined
        assert joined is not None
        try:
            results = [[one.roll(*run) for one, run in zip(each, runs, strict=True)] for each in self.each]
            return joined.join(results)
        except OverflowError:
            if not joined.may_overflow:
                raise
        self._begin()  # the result of a run is too large; that of all may be none
        found: pa.Array = self.partials().around(at, runs)
        return found


def _in_turns(columns: tuple[Any, ...]) -> Any:
    """The first of each column, the second of each, and so on."""
    if isinstance(columns[0], pa.Array):
        length = len(columns[0])
        index = np.arange(len(columns) * length).reshape(len(columns), length).T.ravel()
        return _joined(columns).take(pa.array(index))
    first = columns[0]
    memory = pa.allocate_buffer(
        len(columns) * first.nbytes
    )  # from Arrow's pool, which hands out again what was given back
    found = np.frombuffer(memory, dtype=first.dtype).reshape(len(first), len(columns), *first.shape[1:])
    for turn, one in enumerate(columns):
        found[:, turn] = one
    return found.reshape(-1, *first.shape[1:])


def _placed(columns: tuple[Any, ...], places: list[Positions]) -> Any:
    """Values at their places in one column."""
    together, where = _joined(columns), np.concatenate(places)
    index = np.empty(len(where), dtype=np.int64)
    index[where] = np.arange(len(where))
    return together.take(pa.array(index)) if isinstance(together, pa.Array) else np.ascontiguousarray(together[index])


def _joined(columns: tuple[Any, ...]) -> Any:
    together = columns[0]
    for other in columns[1:]:
        together = joined(together, other)
    return together
