"""Guarded hooks: ``on_error="skip"`` and ``"collect"``. A tuple on which a hook raises is hidden from it, as by a FILTER.

::

    as always     the evaluator rolls a batch at full speed; before it, a copy of its state is kept if tuples are not held
    if it raises  back to that state, and the batch again in blocks
                  initialize, iterate    the tuple is bad: its mask is cleared, and the block begins again
                  terminate, a misfit    the result is NULL; the state stays
                  expire, merge          the frame is folded afresh from its tuples, if they are held

Blocks double where nothing raises, and halve where something does: so a bad tuple costs the hook calls of a few others.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.runtime.buffer import concat
from inwindow.runtime.evaluators import Evaluator
from inwindow.runtime.guard import OF_A_TUPLE, Guard
from inwindow.runtime.hooks import Answers, Arguments, HookEmitter, Unfit
from inwindow.windows.sequence import Positions, Sequence

_FIRST = 256  # frames, or tuples, of the first block
_OF_A_STRATEGY = ("expire", "merge", "unmerge")


class Guarded(Evaluator):
    """An evaluator of hooks that goes on where one raises."""

    def __init__(self, within: Evaluator, guard: Guard, answers: Answers, afresh: Callable[[], Evaluator]) -> None:
        self.within, self.guard, self.answers, self.afresh_one = within, guard, answers, afresh
        super().__init__()
        self.evicts, self.moves = within.evicts, within.moves
        self.begun = deepcopy(within.state())  # to fold held tuples again from the next frame on

    # The state is that of the evaluator within

    @property
    def lo(self) -> int:
        return self.within.lo

    @lo.setter
    def lo(self, lo: int) -> None:
        self.within.lo = lo

    @property
    def hi(self) -> int:
        return self.within.hi

    @hi.setter
    def hi(self, hi: int) -> None:
        self.within.hi = hi

    def state(self) -> Any:
        return self.within.state()

    def restore(self, state: Any) -> None:
        self.within.restore(state)

    def keep_from(self, next_start: int) -> int:
        return self.within.keep_from(next_start)

    def afresh(self) -> tuple[int, int]:
        return self.within.afresh()

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        return self.within.evaluate(start, end)

    @property
    def resumes_at_once(self) -> bool:
        return self.within.resumes_at_once

    def resume(self, *given: Any) -> pa.Array:
        """Unguarded: who has the states of many keys also has their bytes."""
        return self.within.resume(*given)

    # As always, with a way back

    def arrive(self, sequence: Sequence) -> None:
        """Panes are folded as tuples arrive."""
        while True:
            before = None if self.evicts else self.guard.copied(self.within.state())
            try:
                return self.within.arrive(sequence)
            except HookRaised as raised:
                self.within.restore(before)
                self.guard.hide(raised)

    def roll(self, start: Positions, end: Positions) -> pa.Array:
        before = None if self.evicts else self.guard.copied(self.within.state())
        try:
            return self.within.roll(start, end)
        except (HookRaised, Unfit):
            self.within.restore(deepcopy(self.begun) if self.evicts else before)
            return self._rolled(start, end)

    def absorb(self, start: int, end: int) -> None:
        before = self.guard.copied(self.within.state())
        try:
            self.within.absorb(start, end)
        except HookRaised:
            self.within.restore(before)
            self._reach(start, end, 0)
            self.within.absorb(start, end)

    # In blocks

    def _rolled(self, start: Positions, end: Positions) -> pa.Array:
        results: list[pa.Array] = []
        at, size, limit = 0, _FIRST, -1  # the frame at limit is not rolled with those before it
        while at < len(start):
            stop = min(at + size, len(start) if limit <= at else limit)
            before = self.guard.copied(self.within.state())
            try:
                self._reach(int(start[at]), int(end[at]))
                results.append(self.within.roll(start[at:stop], end[at:stop]))
                at, size = stop, size * 2
            except (HookRaised, Unfit) as raised:
                self.within.restore(before)
                size = max((stop - at) // 2, 1)
                if raised.hook in OF_A_TUPLE and isinstance(raised, HookRaised):
                    self.guard.hide(raised)
                elif raised.frame > 0:
                    limit = at + raised.frame
                elif raised.frame < 0 or (raised.hook in _OF_A_STRATEGY and not self.evicts):
                    raise
                else:
                    self.guard.note(raised)
                    count = _peers(start, end, at)
                    one = pa.nulls(1, self.answers.result)
                    if raised.hook in _OF_A_STRATEGY:
                        one = self._refolded(start[at : at + 1], end[at : at + 1])
                        self.within.restore(deepcopy(self.begun))
                    results += [one] * count
                    at += count
        return concat(results, self.answers.result)

    def _refolded(self, start: Positions, end: Positions) -> pa.Array:
        """The result of one frame from its tuples."""
        return Guarded(self.afresh_one(), self.guard, self.answers, self.afresh_one)._rolled(start, end)

    def _reach(self, start: int, end: int, few: int = _FIRST) -> None:
        """Fold the tuples of one frame in blocks, up to its end, unless they are few."""
        at, size = max(self.within.hi, start), _FIRST
        while end - at > few:
            stop = min(at + size, end)
            before = self.guard.copied(self.within.state())
            try:
                self.within.fold(start, stop)
                at, size = stop, size * 2
            except HookRaised as raised:
                self.within.restore(before)
                if raised.hook not in OF_A_TUPLE:
                    return  # the frame will say it
                self.guard.hide(raised)
                size = max((stop - at) // 2, 1)


def _peers(start: Positions, end: Positions, at: int) -> int:
    """How many frames from this one on are the same."""
    same = (start[at:] == start[at]) & (end[at:] == end[at])
    return len(same) if same.all() else int(np.argmin(same))


class GuardedEmitter(HookEmitter):
    """The hooks of a class without ``terminate``, which goes on where one raises."""

    def __init__(self, driver: Any, arguments: Arguments, answers: Answers, guard: Guard, **given: Any) -> None:
        super().__init__(driver, arguments, answers, **given)
        self.guard = guard
        self.is_careful = False  # whether resume is guarded, too: who has the states of many keys also has their bytes

    def roll(self, first: int, start: Positions, partition: Positions) -> tuple[Positions, pa.Array]:
        before = self.guard.copied(self.driver.state())
        try:
            return super().roll(first, start, partition)
        except (HookRaised, Unfit):
            self.driver.restore(before)
        given: list[tuple[Any, Any]] = []
        at, size, partition = 0, _FIRST, np.ascontiguousarray(partition)
        while at < len(start):
            stop = min(at + size, len(start))
            before = self.guard.copied(self.driver.state())
            columns, base, seen = self.arguments.read()
            try:
                given.append(
                    self.driver.roll(columns, base, seen, first + at, start[at:stop].copy(), partition[at:stop].copy())
                )
                at, size = stop, size * 2
            except HookRaised as raised:
                self.driver.restore(before)
                self.guard.hide(raised)
                size = max((stop - at) // 2, 1)
        return self._fitting(given)

    def resume(
        self, low: Positions, last: Positions, until: Positions, shift: Positions, start: Positions, states: list[Any]
    ) -> tuple[Positions, pa.Array]:
        """If it is to be careful, aggregate by aggregate and in blocks."""
        if not self.is_careful:
            return super().resume(low, last, until, shift, start, states)
        given: list[tuple[Any, Any]] = []
        start = np.ascontiguousarray(start)
        for k in range(len(states)):
            at, size = int(low[k]), _FIRST
            while at < last[k] or (until[k] >= 0 and at == last[k]):
                stop = min(at + size, int(last[k]))
                leaves = int(until[k]) if at == stop else -1
                before = self.guard.copied(states[k])
                one, (columns, _, seen) = [states[k]], self.arguments.read()
                bounds = [np.array([bound], dtype=np.int64) for bound in (at, stop, leaves, shift[k])]
                try:
                    given.append(self.driver.resume(columns, seen, *bounds, start, one))
                    states[k] = one[0]
                    if at == stop:
                        break
                    at, size = stop, size * 2
                except HookRaised as raised:
                    states[k] = before
                    self.guard.hide(raised)
                    size = max((stop - at) // 2, 1)
        return self._fitting(given)

    def drain(self, until: int | None = None) -> tuple[Positions, pa.Array]:
        return self._fitting([self.driver.drain(*self.arguments.read(), until)])

    def _fitting(self, given: list[tuple[Any, Any]]) -> tuple[Positions, pa.Array]:
        """The owners and values; a value that does not fit becomes NULL."""
        owners = np.concatenate([np.zeros(0, dtype=np.int64), *(np.asarray(its, dtype=np.int64) for _, its in given)])
        values = [value for its, _ in given for value in its]
        try:
            return owners, self.answers.array(values, owners)
        except Unfit:
            parts = [self._one(value, owners[at : at + 1]) for at, value in enumerate(values)]
            return owners, concat(parts, self.answers.result)

    def _one(self, value: Any, owner: Positions) -> pa.Array:
        try:
            return self.answers.array([value], owner)
        except Unfit as unfit:
            self.guard.note(unfit)
            return pa.nulls(1, self.answers.result)
