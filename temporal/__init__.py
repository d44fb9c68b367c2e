"""Rows that hold for a while: relations whose rows are valid during [since, until), and the relational operators on them.

At every instant a result holds what the ordinary operator gives of the rows that hold then (snapshot reducibility).

>>> import pyarrow as pa, inwindow as iw
>>> calls = pa.table({"desk": ["a", "a", "b"], "since": [1, 4, 5], "until": [6, 9, 7]})
>>> iw.temporal.aggregate(calls, n=iw.count()).to_pydict()
{'n': [1, 2, 3, 2, 1], 'since': [1, 4, 5, 6, 7], 'until': [4, 5, 6, 7, 9]}
"""

from inwindow.temporal.aggregate import aggregate
from inwindow.temporal.at import at
from inwindow.temporal.changes import dstream, istream
from inwindow.temporal.coalesce import coalesce
from inwindow.temporal.difference import difference
from inwindow.temporal.distinct import distinct
from inwindow.temporal.drawing import draw
from inwindow.temporal.intersect import intersect
from inwindow.temporal.join import join
from inwindow.temporal.max_union import max_union
from inwindow.temporal.query import explain, run
from inwindow.temporal.rstream import rstream
from inwindow.temporal.split import split
from inwindow.temporal.union import union
from inwindow.temporal.valid import valid
from inwindow.temporal.validity import with_validity
from inwindow.temporal.window import window

__all__ = [
    "aggregate",
    "at",
    "coalesce",
    "difference",
    "distinct",
    "draw",
    "dstream",
    "explain",
    "intersect",
    "istream",
    "join",
    "max_union",
    "rstream",
    "run",
    "split",
    "union",
    "valid",
    "window",
    "with_validity",
]
