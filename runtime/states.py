"""Partials of Python classes as Arrow columns: typed columns if a state consists of numbers and texts, pickled otherwise.

::

    state of            layout           doubles   integers   texts   pickled
    Mean(7.5, 3)        total:d count:q  [7.5]     [3]        []      NULL
    Last(Decimal(1))    NULL             []        []         []      its bytes
    no tuple seen       NULL             []        []         []      NULL

Every row describes its own layout. So nothing must be guessed in advance, and tasks may differ: a sum that is an int in one
task and a float in another comes back as it was. ``native/_states.pyx`` has the kinds of values.
"""

import gc
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._fresh import freeze, thaw
from inwindow.native._states import laid_out, rebuilt
from inwindow.udaf.contract import Aggregate

TYPES: list[pa.DataType] = [
    pa.string(),
    pa.list_(pa.field("element", pa.float64())),
    pa.list_(pa.field("element", pa.int64())),
    pa.list_(pa.field("element", pa.string())),
    pa.binary(),
]


def packed(aggregates: list[Any]) -> list[pa.Array]:
    """The states of aggregates as columns of ``TYPES``; None has a row, too."""
    layouts, which, *leaves, others = laid_out(aggregates)
    layout = pa.DictionaryArray.from_arrays(pa.array(which, mask=which < 0), pa.array(layouts, pa.string()))
    columns = [layout.cast(TYPES[0])]
    for kind, values, offsets in zip(TYPES[1:4], leaves[::2], leaves[1::2], strict=True):
        columns.append(pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, kind.value_type), type=kind))
    rest = [None if one is None else _dumped(freeze(one)) for one in others]
    return [*columns, pa.array(rest, TYPES[4])]


@dataclass(frozen=True)
class Sent:
    """A held source: columns of states as aggregates; None for a pane in which no hook saw a tuple."""

    columns: tuple[str, ...]
    prototype: Aggregate

    def names(self) -> tuple[str, ...]:
        return self.columns

    def read(self, batch: pa.RecordBatch) -> list[Any]:
        layout, *leaves, rest = [batch.column(name) for name in self.columns]
        encoded = layout.dictionary_encode()
        which = encoded.indices.fill_null(-1).to_numpy().astype(np.int32, copy=False)
        doubles, integers, texts = (column.flatten() for column in leaves)
        numbers = doubles.to_numpy().tolist(), integers.to_numpy().tolist()
        aggregates = rebuilt(self.prototype, encoded.dictionary.to_pylist(), which, *numbers, texts.to_pylist())
        if rest.null_count < len(rest):
            for at in np.flatnonzero(rest.is_valid().to_numpy(zero_copy_only=False)):
                aggregates[at] = thaw(self.prototype, pickle.loads(rest[at].as_py()))
        return aggregates

    def __hash__(self) -> int:
        return hash(self.columns)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the garbage collector run less often: after as many new objects as a step has partials.

    A step makes a hundred thousand objects that live for a while. With a collection after every 700th of them, collections took
    a third of the time. Cycles that hooks leave behind are still collected, later. This is used only in Spark's workers, which
    run one task at a time: the thresholds apply to the whole process, so a call in the user's process must not change them.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 1 << 17) if usual[0] else 0, *usual[1:])  # 0: the collector is switched off
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _dumped(state: Any) -> bytes:
    """A pickle; a class of the user's script has no module in a worker, so it is pickled by value."""
    try:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        from pyspark import cloudpickle  # only in a worker can there be such a class

        by_value: bytes = cloudpickle.dumps(state)  # type: ignore[no-untyped-call]
        return by_value
