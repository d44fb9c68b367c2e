"""``difference``: rows of the first relation without those of the second: max(0, a - b) copies of each."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inwindow.runtime.intervals import Rows
from inwindow.runtime.operations import carried_out
from inwindow.temporal.multiplicity import Multiplicity

Data = TypeVar("Data")


def difference(a: Data, b: Data) -> Data:
    """At every instant the rows of the first relation without those of the second: max(0, a - b) copies of each.

    Both have the same columns; NULL equals NULL.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> booked = pa.table({"room": ["A"], "since": [1], "until": [9]})
    >>> closed = pa.table({"room": ["A"], "since": [4], "until": [6]})
    >>> temporal.difference(booked, closed).to_pylist()
    [{'room': 'A', 'since': 1, 'until': 4}, {'room': 'A', 'since': 6, 'until': 9}]
    """
    return carried_out(Difference(), a, b)


@dataclass(frozen=True)
class Difference(Multiplicity):
    """Rows of the first relation without those of the second: max(0, a - b) copies of each."""

    name = "difference"

    def copies(self, left: Rows, right: Rows) -> Rows:
        """See the class."""
        return np.maximum(left - right, 0)
