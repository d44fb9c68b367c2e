"""The built-in aggregates, named as in ``pyspark.sql.functions``, with the same result types and NULL rules.

A file per family. Adding one: its kernel in ``native/`` (or none: ``bool_and`` is a minimum), a function in its family's file and
its name in that file's ``__all__``, and a row in each of the test tables (docs/contributing.md has an example).
"""

from inwindow.udaf.builtins import bits, counts, extremes, lists, moments, picks, ranks, sums, synopses
from inwindow.udaf.builtins.bits import *
from inwindow.udaf.builtins.counts import *
from inwindow.udaf.builtins.extremes import *
from inwindow.udaf.builtins.lists import *
from inwindow.udaf.builtins.moments import *
from inwindow.udaf.builtins.picks import *
from inwindow.udaf.builtins.ranks import *
from inwindow.udaf.builtins.sums import *
from inwindow.udaf.builtins.synopses import *

__all__ = (
    bits.__all__
    + counts.__all__
    + extremes.__all__
    + lists.__all__
    + moments.__all__
    + picks.__all__
    + ranks.__all__
    + sums.__all__
    + synopses.__all__
)
