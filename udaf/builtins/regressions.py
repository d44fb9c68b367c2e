"""SQL's linear regression of one column by another: the nine ``regr_`` functions, over tuples in which both have a value."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.native._central import Fit
from inwindow.native._totals import Count
from inwindow.native.pairs import OfPair
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import NUMBERS, built_in
from inwindow.udaf.builtins.sums import avg_on
from inwindow.udaf.kinds import DOUBLE, INT, is_decimal, is_number
from inwindow.udaf.native import Native, own_panes

__all__ = [
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
]


def regr_count(y: Any, x: Any) -> Applied:
    """How many tuples have both ``y`` and ``x``; 0 for none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, None, 3.0], "x": [1.0, 2.0, 3.0]})
    >>> iw.with_columns(table, n=iw.regr_count("y", "x").over(iw.unbounded()))["n"].to_pylist()
    [1, 1, 2]
    """

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not all(map(is_number, types)):
            return None
        cascade = own_panes(lambda evicts: Count())
        return Native(INT, lambda evicts: Count(), cascade=cascade, reads="marks", swept=Count)

    return _of_pair("regr_count", resolve, y, x, empty=0)


def regr_avgx(y: Any, x: Any) -> Applied:
    """The average of ``x``, where ``y`` is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, None, 3.0], "x": [1.0, 2.0, 4.0]})
    >>> iw.with_columns(table, a=iw.regr_avgx("y", "x").over(iw.unbounded()))["a"].to_pylist()
    [1.0, 1.0, 2.5]
    """
    return _average("regr_avgx", y, x, 1)


def regr_avgy(y: Any, x: Any) -> Applied:
    """The average of ``y``, where ``x`` is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 9.0, 3.0], "x": [1.0, None, 4.0]})
    >>> iw.with_columns(table, a=iw.regr_avgy("y", "x").over(iw.unbounded()))["a"].to_pylist()
    [1.0, 1.0, 2.0]
    """
    return _average("regr_avgy", y, x, 0)


def regr_sxx(y: Any, x: Any) -> Applied:
    """The sum of squared deviations of ``x`` from its average.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 2.0, 3.0], "x": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, s=iw.regr_sxx("y", "x").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 2.0, 2.0]
    """
    return _on_doubles("regr_sxx", lambda evicts: OfPair(Fit("squares", evicts=evicts), 1), y, x)


def regr_syy(y: Any, x: Any) -> Applied:
    """The sum of squared deviations of ``y`` from its average.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 3.0, 5.0], "x": [1.0, 2.0, 3.0]})
    >>> iw.with_columns(table, s=iw.regr_syy("y", "x").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 2.0, 2.0]
    """
    return _on_doubles("regr_syy", lambda evicts: OfPair(Fit("squares", evicts=evicts), 0), y, x)


def regr_sxy(y: Any, x: Any) -> Applied:
    """The sum of products of the deviations of ``x`` and ``y`` from their averages.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 3.0, 2.0], "x": [1.0, 2.0, 3.0]})
    >>> iw.with_columns(table, s=iw.regr_sxy("y", "x").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 1.0, -0.5]
    """
    return _on_doubles("regr_sxy", lambda evicts: Fit("products", evicts=evicts), y, x)


def regr_slope(y: Any, x: Any) -> Applied:
    """The slope of the line that fits ``y`` by ``x`` best (least squares); NULL if ``x`` is the same everywhere.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 3.0, 9.0], "x": [1.0, 2.0, 3.0]})
    >>> iw.with_columns(table, b=iw.regr_slope("y", "x").over(iw.rows(2)))["b"].to_pylist()
    [None, 2.0, 6.0]
    """
    return _on_doubles("regr_slope", lambda evicts: Fit("slope", evicts=evicts), y, x)


def regr_intercept(y: Any, x: Any) -> Applied:
    """Where that line is at ``x`` = 0; NULL if ``x`` is the same everywhere.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 3.0, 9.0], "x": [1.0, 2.0, 3.0]})
    >>> iw.with_columns(table, a=iw.regr_intercept("y", "x").over(iw.rows(2)))["a"].to_pylist()
    [None, -1.0, -9.0]
    """
    return _on_doubles("regr_intercept", lambda evicts: Fit("intercept", evicts=evicts), y, x)


def regr_r2(y: Any, x: Any) -> Applied:
    """How much of the variance of ``y`` that line explains, 0 to 1; NULL if ``x`` is the same everywhere, 1 if only ``y`` is.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"y": [1.0, 3.0, 9.0, 9.0], "x": [1.0, 2.0, 3.0, 4.0]})
    >>> iw.with_columns(table, r=iw.regr_r2("y", "x").over(iw.rows(2)))["r"].to_pylist()
    [None, 1.0, 1.0, 1.0]
    """
    return _on_doubles("regr_r2", lambda evicts: Fit("r2", evicts=evicts), y, x)


def _average(name: str, y: Any, x: Any, which: int) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not all(map(is_number, types)):
            return None
        column = avg_on([types[which] if is_decimal(types[which]) else DOUBLE], ansi)
        assert column is not None

        def kernel(evicts: bool) -> OfPair:
            return OfPair(column.kernel(evicts), which)

        return replace(column, kernel=kernel, cascade=own_panes(kernel), swept=None, joined=None)

    return _of_pair(name, resolve, y, x)


def _on_doubles(name: str, kernel: Callable[[bool], Any], y: Any, x: Any) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return Native(DOUBLE, kernel, DOUBLE, cascade=own_panes(kernel)) if all(map(is_number, types)) else None

    return _of_pair(name, resolve, y, x)


def _of_pair(name: str, resolve: Any, y: Any, x: Any, empty: Any = None) -> Applied:
    return built_in(name, resolve, NUMBERS, y, x, parameters=("y", "x"), empty=empty, commutative=True)
