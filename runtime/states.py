"""Partials of Python classes as an Arrow column, to travel: the attributes of each as bytes, pickled where they are not plain.

::

    state of            column
    Mean(7.5, 3)        total 7.5, count 3, as native/_states.pyx writes them
    Last(object())      a pickle
    no tuple seen       NULL

Every value says itself what it is, so nothing is guessed before there are states, and tasks need not agree: a sum that is an int
in one and a float in another comes back as what it was.
"""

import gc
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.native._fresh import freeze, thaw
from inwindow.native._states import packed, unpacked
from inwindow.runtime.plain import from_plain as _of_all_types  # noqa: F401  (it says which types are plain)
from inwindow.udaf.contract import Aggregate

TYPE = pa.binary()


def column_of(aggregates: list[Any]) -> pa.Array:
    """The states of aggregates as a column; None is NULL."""
    return pa.array(packed(aggregates, _dumped), TYPE)


def aggregates_of(prototype: Aggregate, column: pa.Array) -> list[Any]:
    """The aggregates again; None for a pane where no hook saw a tuple."""
    return unpacked(prototype, column.to_pylist(), lambda content: thaw(prototype, pickle.loads(content)))


@dataclass(frozen=True)
class Sent:
    """A held source: a column of states, as aggregates."""

    column: str
    prototype: Aggregate

    def names(self) -> tuple[str, ...]:
        return (self.column,)

    def read(self, batch: pa.RecordBatch) -> list[Any]:
        return aggregates_of(self.prototype, batch.column(self.column))

    def __hash__(self) -> int:
        return hash(self.column)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """The garbage collector waits for as many new objects as a step has partials.

    They are made by the hundred thousand, all of them to stay for a while: looked through after every 700th, they took a third of
    the time. What hooks leave behind in cycles is still collected, later. For Spark's workers, which do one task at a time: the
    thresholds are the whole process's, so a call on the user's side, one of several threads maybe, leaves them alone.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 1 << 17) if usual[0] else 0, *usual[1:])  # 0: somebody has switched it off
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _dumped(aggregate: Any) -> bytes:
    """Pickled; a class of the user's own script, which has no module in a worker, by value."""
    state = freeze(aggregate)
    try:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        from pyspark import cloudpickle  # only in a worker can there be such a class

        by_value: bytes = cloudpickle.dumps(state)  # type: ignore[no-untyped-call]
        return by_value
