"""The segment tree over pieces of time, for aggregates with merge but without expire: see :mod:`inwindow.native._sweep_tree`.

A tree covers some ten thousand frames at a time, and holds the rows that are in any of them.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._hooks import HookRaised
from inwindow.native._results import column
from inwindow.native._sweep_tree import merged, nodes, paths
from inwindow.optimizer.plan import Step
from inwindow.runtime.buffer import Buffer, concat
from inwindow.runtime.build import levels_of
from inwindow.runtime.cascade import HookLevels
from inwindow.runtime.hooks import Unfit
from inwindow.runtime.intervals import Rows, in_order

_AT_ONCE = 1 << 14  # frames per tree


def tree_results(step: Step, columns: pa.RecordBatch, rank: Rows, start: Rows, end: Rows) -> pa.Array:
    """The results of frames; ``rank`` is the number of each position in the order of leaving."""
    first = np.searchsorted(end, np.arange(len(rank)), side="right")  # the first frame with the row
    last = np.searchsorted(start, rank, side="right")  # the first frame after it without the row
    results: list[pa.Array] = []
    alive = np.zeros(0, dtype=np.int64)
    entered = 0
    for begin in range(0, len(start), _AT_ONCE):
        finish = min(begin + _AT_ONCE, len(start))
        until = int(np.searchsorted(first, finish))  # first ascends: positions enter one after another
        alive = np.concatenate([alive[last[alive] > begin], np.arange(entered, until)])
        alive = alive[first[alive] < last[alive]]
        entered = until
        low, high = np.maximum(first[alive], begin) - begin, np.minimum(last[alive], finish) - begin
        try:
            results.append(_tree(step, columns, alive, low, high, finish - begin))
        except (HookRaised, Unfit) as raised:
            raised.frame += begin if raised.frame >= 0 else 0
            raise
    return concat(results, step.implementation.result)


def _tree(step: Step, columns: pa.RecordBatch, rows: Rows, low: Rows, high: Rows, pieces: int) -> pa.Array:
    size = 1 << max(pieces - 1, 0).bit_length()
    node, owner = nodes(low, high, size)
    order = in_order(node)
    if order is not None:
        node, owner = node[order], owner[order]
    begins = np.flatnonzero(np.append(True, node[1:] != node[:-1])[: len(node)])
    buffer = Buffer()
    levels = levels_of(step, buffer)
    buffer.append(columns.take(pa.array(rows[owner])))
    try:
        levels.reduce(begins, np.append(begins[1:], len(node))[: len(begins)])
    except HookRaised as raised:
        raised.frame = -1  # a node of the tree has no place that a user knows
        raise
    filled = np.full(2 * size, -1, dtype=np.int64)
    filled[node[begins]] = np.arange(len(begins))
    if isinstance(levels, HookLevels):
        return _merged(step, levels, filled, pieces, size)
    number, offsets = paths(filled, pieces, size)
    levels.partials = tuple(_taken(partial, number) for partial in levels.partials)  # type: ignore[attr-defined]
    return levels.window(0, np.ascontiguousarray(offsets[:-1]), np.ascontiguousarray(offsets[1:]))


def _merged(step: Step, levels: HookLevels, filled: Rows, pieces: int, size: int) -> pa.Array:
    answers = levels.answers
    empty = answers.plain(step.case.traits.empty)

    def rolled() -> Any:
        return column(merged(levels.partials, filled, pieces, size, empty, answers.snapshot), answers.mode)

    return answers.rolled(rolled, np.arange(1, pieces + 1))


def _taken(partial: Any, number: Rows) -> Any:
    if isinstance(partial, pa.Array):
        return partial.take(pa.array(number))
    return [partial[at] for at in number] if isinstance(partial, list) else partial[number]
