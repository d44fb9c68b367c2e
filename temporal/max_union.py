"""``max_union``: the rows of either relation: max(a, b) copies of each (PIPES)."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inwindow.runtime.intervals import Rows
from inwindow.runtime.operations import carried_out
from inwindow.temporal.multiplicity import Multiplicity

Data = TypeVar("Data")


def max_union(a: Data, b: Data) -> Data:
    """At every instant the rows of either relation: max(a, b) copies of each (PIPES).

    Both have the same columns; NULL equals NULL.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> ann = pa.table({"room": ["A"], "since": [1], "until": [9]})
    >>> bob = pa.table({"room": ["A"], "since": [4], "until": [12]})
    >>> temporal.max_union(ann, bob).to_pylist()
    [{'room': 'A', 'since': 1, 'until': 12}]
    """
    return carried_out(MaxUnion(), a, b)


@dataclass(frozen=True)
class MaxUnion(Multiplicity):
    """The rows of either relation: max(a, b) copies of each (PIPES)."""

    name = "max_union"

    def copies(self, left: Rows, right: Rows) -> Rows:
        """See the class."""
        return np.maximum(left, right)
