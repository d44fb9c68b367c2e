"""What we know of where a DataFrame's rows lie: Spark itself forgets a partitioning behind a UDF."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from inwindow.optimizer.plan import Pass
from inwindow.windows.spec import Order

Sorted = tuple[Order, ...]

_MARK = "_inwindow_placed"


def ordering(work: Pass) -> Sorted:
    """What a pass must be sorted by."""
    return (*map(Order, work.partition_by), *work.order_by)


@dataclass(frozen=True)
class Placed:
    """The keys by which the rows are partitioned, and what they are sorted by within partitions."""

    keys: tuple[str, ...] = ()
    by: Sorted = ()

    def after(self, work: Pass, *, shuffled: bool, sorts: bool) -> "Placed":
        """What is known once a pass has run: it moves no row but by its shuffle and its sort."""
        return Placed(work.partition_by if shuffled else self.keys, ordering(work) if sorts else self.by)

    def within(self, names: Collection[str]) -> "Placed":
        """What can be said in these columns: the others are replaced, or were expressions."""
        if not all(key in names for key in self.keys):
            return Placed()
        return Placed(self.keys, tuple(takewhile(lambda order: order.column in names, self.by)))


def placed_of(df: Any) -> Placed:
    """What we know of a DataFrame that we made; nothing of one that was made of it, which is another object."""
    placed: Placed = vars(df).get(_MARK, Placed())
    return placed


def marked(df: Any, placed: Placed) -> Any:
    """The DataFrame, with what the next call may use."""
    setattr(df, _MARK, placed)
    return df
