"""CPU time per tuple, and tables of it.

CPU time, the best of a few runs, on one thread: the machines are shared, so only ratios within one run mean anything.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any


def nanoseconds(action: Callable[[], Any], tuples: int, *, runs: int = 3, patience: float = 6.0) -> float:
    """CPU nanoseconds per tuple: the best of ``runs``, fewer once ``patience`` seconds are spent."""
    best, spent = float("inf"), 0.0
    for _ in range(runs):
        start = time.process_time()
        action()
        elapsed = time.process_time() - start
        best, spent = min(best, elapsed), spent + elapsed
        if spent > patience:
            break
    return best / tuples * 1e9


def markdown(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown; numbers with one decimal, None as a dash."""

    def shown(cell: Any) -> str:
        if cell is None:
            return "–"
        return f"{cell:.1f}" if isinstance(cell, float) else str(cell)

    lines = [header, ["---"] * len(header), *([shown(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
