"""``split``: rows cut at the multiples of a distance: for pieces of a day each."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from inwindow.runtime.operation import Operation
from inwindow.runtime.operations import carried_out
from inwindow.temporal.multiples import Grid, check_between, multiples
from inwindow.temporal.relation import relation

Data = TypeVar("Data")


def split(data: Data, every: Any, *, origin: Any = None, between: Any = None) -> Data:
    """The same relation, its rows cut at each multiple of ``every``, counted from the epoch, or 0, or ``origin``.

    ``between=(first, last)`` leaves out times before and after; it is needed if rows hold for ever. (Teradata's EXPAND ON.)

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> stay = pa.table({"guest": ["ann"], "since": [8], "until": [21]})
    >>> temporal.split(stay, every=10).to_pydict()
    {'guest': ['ann', 'ann', 'ann'], 'since': [8, 10, 20], 'until': [10, 20, 21]}
    """
    return carried_out(Split(Grid(every, origin, check_between(between, "temporal.split"))), data)


@dataclass(frozen=True)
class Split(Operation):
    """Each row once, and once more for each cut within it."""

    grid: Grid
    name = "split"
    steps = "a row for each multiple within it, and one more"

    def described(self) -> str:
        return f"every {self.grid.every}"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def timed_by(self) -> str | None:
        """Rows begin no earlier than they did."""
        return "since"

    def run(self, *tables: pa.Table) -> pa.Table:
        """Pieces in the order of rows, then of time."""
        its = relation(tables[0], "temporal.split")
        intervals, step, origin = self.grid.over(its, "temporal.split")
        at, cut = multiples(intervals, step, origin, after=True)
        own = np.arange(len(intervals))
        place = np.argsort(np.concatenate([own, at]), kind="stable")  # each row's own beginning first, then its cuts
        whose, since = np.concatenate([own, at])[place], np.concatenate([intervals.since, cut])[place]
        until = np.append(since[1:], 0)[: len(since)]
        last = np.append(whose[1:] != whose[:-1], True)[: len(whose)]
        until[last] = intervals.until[whose[last]]
        return its.made(its.columns, intervals.row[whose], since, until)
