"""Join results at cuts of time: an operator runs on each stretch. Used on streams, and for hot keys on Spark.

::

    cuts          |              |
    rows          [=====|==============|====)      cut at both
    results       [=====|====) [=======|           results that end before the second cut are decided;
                                                   results that reach it are open, and continue in the next stretch

Results are joined if the operator on the whole input would give one row for them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.intervals import SINCE, UNTIL
from inwindow.runtime.ordering import numbers_of
from inwindow.windows.neighbours import changes


def stitched(
    opened: pa.Table | None, new: pa.Table, since: Any, until: Any, matched: Sequence[str], compared: Sequence[str] = ()
) -> tuple[pa.Table, pa.Table]:
    """(decided rows, open rows) of a stretch: open rows and new ones are joined where as many begin at the cut as end there."""
    new = new.combine_chunks()
    if opened is not None and len(opened):
        new = _joined(opened, new, since, matched, compared)
    if until is None:
        return new, new.slice(0, 0)
    is_open = reaches(new, until)
    return new.filter(pc.invert(is_open)), new.filter(is_open)


def reaches(rows: pa.Table, until: Any) -> pa.Array:
    """Which rows end at a cut."""
    return pc.fill_null(pc.equal(rows.column(UNTIL), until.cast(rows.schema.field(UNTIL).type)), False)


def begins(rows: pa.Table, since: Any) -> pa.Array:
    """Which rows begin at a cut."""
    return pc.fill_null(pc.equal(rows.column(SINCE), since.cast(rows.schema.field(SINCE).type)), False)


def _joined(opened: pa.Table, new: pa.Table, since: Any, matched: Sequence[str], compared: Sequence[str]) -> pa.Table:
    at_cut = np.flatnonzero(begins(new, since).to_numpy())
    beginning = new.take(pa.array(at_cut))
    edge = len(opened)
    numbers = numbers_of([opened, beginning], [matched, matched]) if matched else np.zeros(edge + len(at_cut), np.int64)
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
    stays[at_cut[right]] = False
    return pa.concat_tables([opened, new.filter(pa.array(stays))]).combine_chunks()
