"""The evaluators of compiled hooks: for a ``cdef class``, and for a plain class that numba compiles.

::

    Python hooks ---- a million tuples, or asked for ----> both on the next few tuples, compared ----> the compiled loop
         ^  ^                                                      | they differ                          |   |
         |  +------------------------------------------------------+------------- Bailed -----------------+   |
         +------------------ for a few frames: those at which the loop stops ---------------------------------+

At any time the state is the state of the Python driver, to the last bit, or can be converted to it. So it can be stored anywhere,
and read anywhere.
"""

import logging
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised, Misfit
from inwindow.native.jitted import Bailed, Loop, Unlike, bits
from inwindow.runtime.buffer import ArrowColumn, Buffer, MaskColumn, concat
from inwindow.runtime.evaluators import Driven
from inwindow.runtime.hooks import Answers, Arguments, HookEvaluator, Unfit
from inwindow.udaf.compiled.due import count, give_up
from inwindow.udaf.compiled.numba_hooks import NumbaMachine
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import InWindowError
from inwindow.windows.sequence import Positions

CHECKED = 256  # tuples that both compute
_log = logging.getLogger("inwindow")


class Differs(InWindowError):
    """The compiled hooks gave another result than the plain ones."""


class LoopInput:
    """The input of a loop: held Arrow arrays, and the mask of the tuples that it sees."""

    def __init__(self, buffer: Buffer, columns: list[ArrowColumn], mask: MaskColumn) -> None:
        self.buffer, self.columns, self.mask = buffer, columns, mask

    def read(self) -> tuple[tuple[Any, ...], int]:
        return tuple(column.array for column in self.columns), self.buffer.base


class CEvaluator(Driven):
    """Hooks of a ``cdef class``: a driver that is called like a kernel, with the mask of the tuples that the hooks see."""

    def __init__(self, driver: Any, inputs: LoopInput, *, evicts: bool, undoes: bool) -> None:
        super().__init__(driver, evicts=evicts, undoes=undoes)
        self.inputs = inputs

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        try:
            result: pa.Array = self.driver.roll(*self.inputs.read(), *_bounds(start, end), self.inputs.mask.seen())
        except Misfit as misfit:
            raise Unfit("terminate", misfit.value, int(end[misfit.index]) - 1, misfit.index) from None
        return result

    def fold(self, start: int, end: int) -> None:
        self.driver.absorb(*self.inputs.read(), start, end, self.inputs.mask.seen())


class NumbaEvaluator(HookEvaluator):
    """Python hooks under a driver, until the loop that numba has compiled from them takes over."""

    def __init__(
        self,
        driver: Callable[[], Any],
        arguments: Arguments,
        answers: Answers,
        inputs: LoopInput,
        machine: NumbaMachine,
        prototype: Aggregate,
        *,
        evicts: bool,
        undoes: bool,
        looks: bool,
    ) -> None:
        super().__init__(driver(), arguments, answers, evicts=evicts, undoes=undoes)
        self.another, self.inputs, self.looks = driver, inputs, looks
        self.machine, self.prototype = machine, prototype
        self.loop: Loop | None = None
        self.is_loops = False  # True: the loop has the state; False: the driver has it
        self.stays = False  # stays with the Python hooks for ever

    def evaluate(self, start: Positions, end: Positions) -> pa.Array:
        """Use the loop once it has taken over; use the Python driver before, and for frames at which the loop stops."""
        if len(start):
            self._take_over(start, end)
        results: list[pa.Array] = []
        done, left = 0, 0
        while done < len(start):
            by_loop = self._by_loop(start[done:], end[done:])
            done += len(by_loop)
            # What stops the loop may be in the next frames, too: the more often it stops, the more frames the driver gets.
            left = len(start) if not self.is_loops else 1 if len(by_loop) >= left else 2 * left
            by_hooks = self._by_hooks(start[done : done + left], end[done : done + left], done)
            done += len(by_hooks)
            results += [by_loop, by_hooks]
        return concat(results, self.answers.result)

    def _by_loop(self, start: Positions, end: Positions) -> pa.Array:
        """The results of the first frames; none if the driver has the state."""
        if self.is_loops:
            assert self.loop is not None
            try:
                return self.loop.roll(*self.inputs.read(), *_bounds(start, end), self.inputs.mask.seen())
            except Bailed:
                self._fall_back()
        return pa.nulls(0, self.answers.result)

    def _by_hooks(self, start: Positions, end: Positions, before: int) -> pa.Array:
        """The results of frames that come after other frames of the call."""
        if not len(start):
            return pa.nulls(0, self.answers.result)
        is_loops = self.is_loops
        if is_loops:
            self._leave()
        self._count(start, end)
        try:
            results = super().evaluate(start, end)
        except (HookRaised, Unfit) as raised:
            raised.frame += before if raised.frame >= 0 else 0
            raise
        if is_loops:
            self._go_on()
        return results

    def fold(self, start: int, end: int) -> None:
        if self.is_loops:
            assert self.loop is not None
            try:
                if self.loop.absorb(*self.inputs.read(), start, end, self.inputs.mask.seen()):
                    return
                self._leave()
            except Bailed:
                self._fall_back()
        self._count(np.array([start]), np.array([end]))
        super().fold(start, end)

    def afresh(self) -> tuple[int, int]:
        counts = np.array(super().afresh()) + ((0, 0) if self.loop is None else self.loop.counts)
        return int(counts[0]), int(counts[1])

    def state(self) -> Any:
        return [self.lo, self.hi, self.loop.given()] if self.is_loops and self.loop is not None else super().state()

    def restore(self, state: Any) -> None:
        super().restore(state)
        self.is_loops = False

    # From the driver to the loop and back

    def _count(self, start: Positions, end: Positions) -> None:
        if self.machine.asked or self.stays or not len(start):
            return
        is_grown = self.undoes or not self.evicts
        tuples = int(end[-1]) - max(self.hi, int(start[0])) if is_grown else int((end - start).sum())
        count(self.machine.program.source, tuples)

    def _take_over(self, start: Positions, end: Positions) -> None:
        """Let the loop continue, if it is due and gives the same results as the Python hooks."""
        if self.is_loops or self.stays:
            return
        if self.loop is None:
            module = self.machine.module(self.prototype)
            if module is None:
                return
            said = self._compared(self._new_loop(module), start, end) if self.machine.is_to_be_checked else None
            if said is not None:
                self._refuse(said)
                return
            self.loop = self._new_loop(module)
        self._go_on()

    def _new_loop(self, module: Any) -> Loop:
        traits = self.prototype._traits
        assert traits is not None
        is_afresh = self.evicts and not self.undoes
        return Loop(
            module, self.machine.program, self.prototype, afresh=is_afresh, looks=self.looks, empty=traits.empty
        )

    def _refuse(self, said: str) -> None:
        if self.machine.asked:
            raise Differs(said)
        give_up(self.machine.program.source, said)
        self.stays = True

    def _go_on(self) -> None:
        """Give the state to the loop, if it can represent it."""
        assert self.loop is not None
        try:
            self.loop.take(self.driver.state())
            self.is_loops = True
        except Unlike as unlike:
            if not unlike.yet:
                self._stay(f"the Python hooks go on: {unlike}")

    def _leave(self) -> None:
        """Give the state back to the driver."""
        assert self.loop is not None
        self.driver.restore(self.loop.given())
        self.is_loops = False

    def _fall_back(self) -> None:
        self._leave()
        self._stay(
            "compiled hooks cannot go on (an integer passes 64 bits, or a hook raises): the Python hooks take over"
        )

    def _stay(self, why: str) -> None:
        self.stays = True
        _log.log(logging.WARNING if self.machine.asked else logging.INFO, "%s: %s", self.machine.program.name, why)

    # The check

    def _compared(self, loop: Loop, start: Positions, end: Positions) -> str | None:
        """Run a loop and a driver over the next few tuples; return how they differ, or None."""
        stop = max(self.hi, int(start[0])) + CHECKED
        count = max(int(np.searchsorted(end, stop, side="right")), 1)
        start, end = _bounds(start[:count], np.minimum(end[:count], stop))
        columns, base = self.inputs.read()
        seen = self.inputs.mask.seen()
        first = max((min(self.lo, int(start[0])) if self.undoes else int(start[0])) - base, 0)
        last = int(end.max()) - base
        few = [column.slice(first, last - first).to_pylist() for column in columns]
        its = None if seen is None else np.ascontiguousarray(seen[first:last])
        plain = self.another()
        plain.restore(deepcopy(self.driver.state()))
        try:
            loop.take(self.driver.state())
            ours = loop.roll(columns, base, start, end, seen).to_pylist()
            theirs = plain.roll(few, base + first, its, start[: len(ours)], end[: len(ours)]).to_pylist()
        except Exception:  # the run itself will raise the same, and report it
            return None
        self.machine.note_check()
        for frame, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if bits(one) != bits(other):
                return self._said(frame, one, other, loop, plain)
        return None

    def _said(self, frame: int, one: Any, other: Any, loop: Loop, plain: Any) -> str:
        name = self.machine.program.name
        its = (plain.state()[3:4] or [None])[0]
        its = its if isinstance(its, dict) else {}
        moved = [
            f"self.{attribute} is {value!r}, not {its[attribute]!r}"
            for attribute, value in loop.attributes().items()
            if attribute in its and bits(value) != bits(its[attribute])
        ]
        hooks = "initialize, iterate or expire" if moved else "terminate"
        return (
            f"iw.compiled({name}()): in frame {frame} the compiled hooks give {one!r}, the Python hooks {other!r}: {hooks} is not "
            f"compiled to the same arithmetic{' (' + ', '.join(moved) + ')' if moved else ''}; use {name}() without iw.compiled, "
            "and please report the class"
        )


def _bounds(start: Positions, end: Positions) -> tuple[Positions, Positions]:
    return np.ascontiguousarray(start, dtype=np.int64), np.ascontiguousarray(end, dtype=np.int64)
