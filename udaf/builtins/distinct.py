"""Sums and averages that take each value once: ``sum_distinct``, ``avg_distinct``."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from inwindow.native._distinct import FloatDistinct, IntDistinct
from inwindow.native.distinct_totals import OfDistinct
from inwindow.native.list_partials import Flattened
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import built_in
from inwindow.udaf.builtins.sums import avg_on, sum_on
from inwindow.udaf.kinds import DOUBLE, INT, is_whole
from inwindow.udaf.native import Cascade, Native

__all__ = ["avg_distinct", "sum_distinct"]

Totals = Callable[[list[pa.DataType], bool], Native | None]


def sum_distinct(column: Any) -> Applied:
    """The sum of the distinct values in the frame, by the rules of :func:`sum`.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"fee": [5, 5, 2, 5]})
    >>> iw.with_columns(table, s=iw.sum_distinct("fee").over(iw.rows(3)))["s"].to_pylist()
    [5, 5, 7, 7]
    """
    return _distinct("sum_distinct", sum_on, column)


def avg_distinct(column: Any) -> Applied:
    """The average of the distinct values in the frame: SQL's ``avg(DISTINCT a)``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"fee": [5, 5, 2, 5]})
    >>> iw.with_columns(table, s=iw.avg_distinct("fee").over(iw.rows(3)))["s"].to_pylist()
    [5.0, 5.0, 3.5, 3.5]
    """
    return _distinct("avg_distinct", avg_on, column)


def _distinct(name: str, totals: Totals, column: Any) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        plain = totals(types, ansi)
        if plain is None:
            return None
        assert plain.swept is not None
        total = plain.swept
        inner = INT if is_whole(types[0]) else plain.input  # a decimal of few digits is an integer inside

        def kernel(evicts: bool) -> OfDistinct:
            return OfDistinct(total, inner or types[0], evicts=evicts)

        cascade = None
        if inner is not None:
            of_panes = FloatDistinct if inner == DOUBLE else IntDistinct
            cascade = Cascade(lambda: of_panes(evicts=False), lambda: Flattened(kernel(True)), grows=True)
        return Native(plain.result, kernel, inner, plain.finish, cascade, evicts_any=True)

    return built_in(name, resolve, "integers, floats, decimals and durations", column, commutative=True)
