"""Operators on a stream: the watermark cuts time, the operator runs on each piece, and results that go on at a cut are joined.

::

    watermark        before -------- now
    rows          [=====|==============|====)      cut at both
    results       [=====|====) [=======|           what ends before now is decided;
                                                   what reaches it is open, and goes on with what begins there

A result is joined where the operator on the whole would have made one row of it: so a stream's rows are those of a batch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.operation import NUMBER, Advanced, Operation, Turn
from inwindow.runtime.ordering import numbers_of
from inwindow.temporal.relation import ENDS, SINCE, UNTIL
from inwindow.windows.neighbours import changes


class Stitched(Operation):
    """An operator whose result at an instant is a function of what holds at that instant, and of nothing else."""

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """The result's columns by which an open row finds the one that it goes on as."""
        return tuple(
            name for name in self.run(*(schema.empty_table() for schema in schemas)).column_names if name not in ENDS
        )

    def compared(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """Further columns of the result, in which both must be equal."""
        return ()

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Nothing."""

    def advance(self, turn: Turn) -> Advanced:
        """See the module."""
        tables = [table.drop_columns([NUMBER]) for table in turn.tables]
        schemas = [table.schema for table in tables]
        new = self.run(*(cut(table, turn) for table in tables))
        rows, goes_on = stitched(turn, new, self.matched(*schemas), self.compared(*schemas))
        return Advanced(rows, goes_on, [still_held(table, turn) for table in tables])


def cut(table: pa.Table, turn: Turn) -> pa.Table:
    """The rows as they hold between the watermarks."""
    for name, bound, is_beyond in ((SINCE, turn.since, pc.less), (UNTIL, turn.until, pc.greater)):
        if bound is not None:
            column = table.column(name)
            edge = bound.cast(column.type)
            cut_off = pc.fill_null(is_beyond(column, edge), True)  # NULL is for ever
            table = table.set_column(table.column_names.index(name), name, pc.if_else(cut_off, edge, column))
    if turn.since is not None:  # without what ended at the watermark before
        table = table.filter(pc.less(table.column(SINCE), table.column(UNTIL)))
    return table


def still_held(table: pa.Table, turn: Turn) -> npt.NDArray[np.bool_]:
    """Which rows hold at the watermark, or end there."""
    until = table.column(UNTIL)
    goes_on = pc.greater_equal(until, turn.until.cast(until.type))
    return np.asarray(pc.fill_null(goes_on, True).to_numpy(zero_copy_only=False) if len(table) else [], dtype=bool)


def stitched(
    turn: Turn, new: pa.Table, matched: Sequence[str], compared: Sequence[str] = ()
) -> tuple[pa.Table, pa.Table]:
    """(decided rows, open rows): open rows and new ones are joined where as many begin at the cut as end there."""
    new = new.combine_chunks()
    if turn.open is not None and len(turn.open):
        new = _joined(turn.open, new, turn.since, matched, compared)
    is_open = pc.equal(new.column(UNTIL), turn.until.cast(new.schema.field(UNTIL).type))
    return new.filter(pc.invert(is_open)), new.filter(is_open)


def _joined(opened: pa.Table, new: pa.Table, since: Any, matched: Sequence[str], compared: Sequence[str]) -> pa.Table:
    begins = np.flatnonzero(pc.equal(new.column(SINCE), since.cast(new.schema.field(SINCE).type)).to_numpy())
    beginning = new.take(pa.array(begins))
    edge = len(opened)
    numbers = numbers_of([opened, beginning], [matched, matched]) if matched else np.zeros(edge + len(begins), np.int64)
    before, after = numbers[:edge], numbers[edge:]
    count = int(numbers.max()) + 1
    as_many = np.bincount(before, minlength=count) == np.bincount(after, minlength=count)
    left, right = (np.argsort(side, kind="stable") for side in (before, after))
    left, right = left[as_many[before[left]]], right[as_many[after[right]]]
    if compared and len(left):
        pairs = pa.array(np.column_stack([left, edge + right]).ravel())
        both = (
            pa.concat_tables([opened.select(list(compared)), beginning.select(list(compared))])
            .combine_chunks()
            .take(pairs)
        )
        equal = ~changes([column.combine_chunks() for column in both.columns], None)[1::2]
        left, right = left[equal], right[equal]
    ends = pa.concat_tables([opened.select([UNTIL]), beginning.select([UNTIL])]).column(0).combine_chunks()
    at = np.arange(edge)
    at[left] = edge + right
    opened = opened.set_column(opened.column_names.index(UNTIL), UNTIL, ends.take(pa.array(at)))
    stays = np.ones(len(new), dtype=bool)
    stays[begins[right]] = False
    return pa.concat_tables([opened, new.filter(pa.array(stays))]).combine_chunks()
