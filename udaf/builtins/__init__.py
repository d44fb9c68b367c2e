"""The built-in aggregates, named as in ``pyspark.sql.functions``, with the same result types and NULL rules.

A file per family. Adding one: its kernel in ``native/`` (or none: ``bool_and`` is a minimum), a function in its family's file,
its name in that file's ``__all__`` and in that of ``api/__init__.py``, and a
row in each of the test tables (docs/contributing.md has an example).
"""

from inwindow.udaf.builtins import (
    bits,
    counts,
    decays,
    distinct,
    extremes,
    lists,
    moments,
    neighbours,
    picks,
    ranking,
    ranks,
    regressions,
    sketches,
    sums,
    synopses,
    tops,
)
from inwindow.udaf.builtins.bits import *
from inwindow.udaf.builtins.counts import *
from inwindow.udaf.builtins.decays import *
from inwindow.udaf.builtins.distinct import *
from inwindow.udaf.builtins.extremes import *
from inwindow.udaf.builtins.lists import *
from inwindow.udaf.builtins.moments import *
from inwindow.udaf.builtins.neighbours import *
from inwindow.udaf.builtins.picks import *
from inwindow.udaf.builtins.ranking import *
from inwindow.udaf.builtins.ranks import *
from inwindow.udaf.builtins.regressions import *
from inwindow.udaf.builtins.sketches import *
from inwindow.udaf.builtins.sums import *
from inwindow.udaf.builtins.synopses import *
from inwindow.udaf.builtins.tops import *
from inwindow.udaf.calls import says_what_it_takes

FAMILIES = (
    bits, counts, decays, distinct, extremes, lists, moments, neighbours, picks, ranking, ranks, regressions, sketches, sums,
    synopses, tops,
)  # fmt: skip
for _family in FAMILIES:
    for _name in _family.__all__:
        globals()[_name] = says_what_it_takes(getattr(_family, _name))
        setattr(_family, _name, globals()[_name])  # pickle looks for it there
NAMES = tuple(name for family in FAMILIES for name in family.__all__)
"""The names of all built-ins. There is no ``__all__`` here: type checkers read one only where it is a plain list."""
