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
    """Let the garbage collector run less often: after as many new objects as a step has partials.

    A step makes some hundred thousand objects that live for a while. With a collection after every 700th of them, collections took
    a third of the time; after every 131,000th still a seventh of a turn with states of 25,000 keys. Cycles that hooks leave behind
    are collected later. This is used only in Spark's workers, which run one task at a time: the thresholds apply to the whole
    process, so a call in the user's process must not change them.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 1 << 19) if usual[0] else 0, *usual[1:])  # 0: the collector is switched off
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _dumped(aggregate: Any) -> bytes:
    """A pickle; a class of the user's script has no module in a worker, so it is pickled by value."""
    state = freeze(aggregate)
    try:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        from pyspark import cloudpickle  # only in a worker can there be such a class

        by_value: bytes = cloudpickle.dumps(state)  # type: ignore[no-untyped-call]
        return by_value
