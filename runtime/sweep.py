"""Aggregates of the rows that hold: their tuples enter by since and leave by until; each step runs by one strategy.

::

    entered    rows by (group, since)      positions 0, 1, 2, ... as everywhere
    left       left[k] is the position of the k-th row to leave
    frames     start[i], end[i]            the frame is the positions before end, without left[:start]

Both bounds never move backwards. So strategies work as over windows, except for the order in which tuples leave.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import Delta, HookRaised
from inwindow.native._sweep import Members
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.tumble import Tumble
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.build import answers_of, arguments_of, evaluator_of, input_of
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.intervals import Intervals, Keys, Rows
from inwindow.runtime.moving import inverse
from inwindow.runtime.operator import reporting
from inwindow.runtime.sweep_tree import tree_results
from inwindow.udaf.contract import PUNT
from inwindow.windows.sequence import Sequence

_MEMBERS = 1 << 20  # tuples that are folded at a time, by recompute


@dataclass(frozen=True)
class Sweep:
    """Intervals in the order in which they enter, and in that in which they leave; ``read`` gives columns of rows."""

    intervals: Intervals
    read: Callable[[Rows], pa.RecordBatch]

    @property
    def group(self) -> Rows:
        return self.intervals.by_since.group

    @property
    def since(self) -> Keys:
        return self.intervals.by_since.time

    @property
    def until(self) -> Keys:
        """In the order in which they leave."""
        return self.intervals.by_until.time

    def row(self, positions: Rows) -> Rows:
        """The rows at some positions."""
        entering = self.intervals.by_since.rows
        return self.intervals.row[positions if entering is None else entering[positions]]

    @cached_property
    def _rows(self) -> tuple[Rows, Rows]:
        """All rows in both orders."""
        orders = self.intervals.by_since.rows, self.intervals.by_until.rows
        came, gone = (self.intervals.row if rows is None else self.intervals.rows_at(rows) for rows in orders)
        return came, gone

    @cached_property
    def columns(self) -> pa.RecordBatch:
        """Those of the rows as they enter."""
        return self.read(self._rows[0])

    @cached_property
    def columns_twice(self) -> pa.RecordBatch:
        """Those of the rows as they enter, and behind them as they leave: each is read in its order."""
        return self.read(np.concatenate(self._rows))

    @cached_property
    def left(self) -> Rows:
        """``left[k]`` is the position of the k-th to leave."""
        entering, leaving = self.intervals.by_since.rows, self.intervals.by_until.rows
        if entering is None:
            return np.arange(len(self.intervals)) if leaving is None else leaving
        position = inverse(entering)
        return position if leaving is None else position[leaving]

    @cached_property
    def rank(self) -> Rows:
        """For each position, its number in the order of leaving."""
        return inverse(self.left)

    def results(self, step: Step, work: Pass, start: Rows, end: Rows, frame_text: Callable[[int], str]) -> pa.Array:
        """The results of a step over frames; ``frame_text`` describes a frame in an error."""
        return reporting(step, work, Buffer, Sequence(None, False), self._reported, step, start, end, frame_text)

    def _reported(self, step: Step, start: Rows, end: Rows, frame_text: Callable[[int], str]) -> pa.Array:
        try:
            return self._rolled(step, start, end)
        except (HookRaised, Unfit) as raised:
            raised.place = frame_text(raised.frame) if raised.frame >= 0 else ""
            raise

    def _rolled(self, step: Step, start: Rows, end: Rows) -> pa.Array:
        if not len(start):
            return pa.nulls(0, step.implementation.result)
        if step.strategy == "segment-tree":
            return tree_results(step, self.columns, self.rank, start, end)
        if step.strategy == "recompute":
            return self._afresh(step, start, end)
        if step.implementation.native is not None:
            return self._by_kernel(step, start, end)
        return self._by_hooks(step, start, end)

    def _by_kernel(self, step: Step, start: Rows, end: Rows) -> pa.Array:
        native = step.implementation.native
        assert native is not None and native.swept is not None
        if native.reads == "marks" and step.condition is None and not step.arguments:
            return native.finish(pa.array(end - start))  # a count of all
        buffer = Buffer()
        given = input_of(step, buffer)
        buffer.append(self.columns_twice)
        values, _ = given.read()
        rows = len(self.intervals)
        return native.finish(native.swept().sweep(values, np.arange(rows, 2 * rows), start, end))

    def _by_hooks(self, step: Step, start: Rows, end: Rows) -> pa.Array:
        buffer, traits = Buffer(), step.case.traits
        arguments, answers = arguments_of(step, buffer), answers_of(step)
        rebase = traits.rebase and not traits.derived
        driver = Delta(
            step.prototype, result=answers.mode, empty=answers.plain(traits.empty), punt=PUNT, snapshot=answers.snapshot,
            rebase=rebase,
        )  # fmt: skip
        driver.leave_by(self.left, self.rank)
        buffer.append(self.columns)
        return answers.rolled(lambda: driver.roll(*arguments.read(), start, end), end)

    def _afresh(self, step: Step, start: Rows, end: Rows) -> pa.Array:
        """Fold every frame from its start, by the loops for tumbles."""
        run = replace(step, choice=replace(step.choice, strategy=Tumble()))
        members = Members(self.left, start, end)
        results: list[pa.Array] = []
        done = 0
        while done < len(start):
            rows, offsets = members.take(_MEMBERS)
            buffer = Buffer()
            evaluator = evaluator_of(run, buffer, None)
            buffer.append(self.columns.take(pa.array(rows)))
            try:
                results.append(evaluator.roll(np.ascontiguousarray(offsets[:-1]), np.ascontiguousarray(offsets[1:])))
            except (HookRaised, Unfit) as raised:
                raised.frame += done
                raise
            done += len(offsets) - 1
        return concat(results, step.implementation.result)
