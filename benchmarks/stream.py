"""A stream of batches through the local operator, one aggregate: CPU time per tuple, what is kept, what is allocated.

Time and memory are measured in runs apart: counting allocations would cost time.
"""

import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.cascade import PaneCascade
from inwindow.runtime.row_operators import Select

BATCH = 1 << 16  # tuples, as a table is fed
FEW = 1_000  # where memory is measured: what is kept should not be a batch
Batches = Callable[[], Iterable[pa.RecordBatch]]


def operator_of(applied: iw.Applied, schema: pa.Schema) -> Select:
    """What ``iw.select`` runs."""
    return Select(plan_windows(schema, {"x": applied})[0], schema, (), None)


def strategy_of(applied: iw.Applied, schema: pa.Schema) -> str:
    """The strategy that the optimizer chose, or was told."""
    return plan_windows(schema, {"x": applied})[0].steps[0].strategy


def run(applied: iw.Applied, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """All of it; how many results."""
    operator = operator_of(applied, schema)
    return sum(operator.process(batch).num_rows for batch in batches) + operator.finish().num_rows


def per_tuple(actions: dict[str, Callable[[], object]], tuples: dict[str, int], runs: int) -> dict[str, float]:
    """CPU microseconds per tuple of each contender: the best of runs that take turns, so that a busy minute hits all."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(runs):
        for name, action in actions.items():
            start = time.process_time()
            action()
            best[name] = min(best[name], (time.process_time() - start) / tuples[name] * 1e6)
    return best


@dataclass(frozen=True)
class Memory:
    """What was kept at the most between two batches, and what was allocated at the most within them."""

    values: int  # tuples and partials
    state: int  # bytes of the operator's state, as a checkpoint would write it
    peak: int  # bytes that Python, numpy and Arrow had allocated beyond what they had before


def memory(applied: iw.Applied, schema: pa.Schema, batches: Batches) -> Memory:
    """Of a whole run. The batches are made as they are taken, so that what is kept of them counts."""
    operator = operator_of(applied, schema)
    (lane,) = operator.lanes
    values = state = 0
    for index, batch in enumerate(batches()):
        operator.process(batch)
        values = max(values, kept(operator, lane))
        if index % 16 == 15:
            state = max(state, len(operator.state()))
    return Memory(values, state, _peak(applied, schema, batches))


def kept(operator: Select, lane: object) -> int:
    """Tuples held or waiting, and partials: those of closed panes, and the open one."""
    evaluator = getattr(lane, "evaluator", None)
    partials = len(evaluator.pane_starts) + 1 if isinstance(evaluator, PaneCascade) else 1
    return operator.held.end - operator.held.base + operator.waiting_rows + partials


def _peak(applied: iw.Applied, schema: pa.Schema, batches: Batches) -> int:
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        run(applied, schema, batches())
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)
