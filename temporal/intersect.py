"""``intersect``: the rows of both relations: min(a, b) copies of each."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inwindow.runtime.intervals import Rows
from inwindow.runtime.operations import carried_out
from inwindow.temporal.multiplicity import Multiplicity

Data = TypeVar("Data")


def intersect(a: Data, b: Data) -> Data:
    """At every instant the rows that both relations have: min(a, b) copies of each.

    Both have the same columns; NULL equals NULL.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> ann = pa.table({"room": ["A"], "since": [1], "until": [9]})
    >>> bob = pa.table({"room": ["A", "B"], "since": [4, 1], "until": [12, 9]})
    >>> temporal.intersect(ann, bob).to_pylist()
    [{'room': 'A', 'since': 4, 'until': 9}]
    """
    return carried_out(Intersect(), a, b)


@dataclass(frozen=True)
class Intersect(Multiplicity):
    """Rows that both relations have: min(a, b) copies of each."""

    name = "intersect"

    def copies(self, left: Rows, right: Rows) -> Rows:
        """See the class."""
        return np.minimum(left, right)
