"""Spread and shape: variances, ``skewness``, ``kurtosis``; of two columns: covariances, ``corr``."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from inwindow.native._central import Pair, Shape
from inwindow.native._moments import FloatMoments
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import NUMBERS, built_in
from inwindow.udaf.kinds import DOUBLE, is_number
from inwindow.udaf.native import Native, own_panes

__all__ = [
    "corr",
    "covar_pop",
    "covar_samp",
    "kurtosis",
    "skewness",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "var_pop",
    "var_samp",
    "variance",
]


def var_samp(column: Any) -> Applied:
    """The sample variance; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_samp("price").over(iw.rows(2)))["v"].to_pylist()
    [None, 2.0, 2.0]
    """
    return _moment("var_samp", column)


def var_pop(column: Any) -> Applied:
    """The population variance.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_pop("price").over(iw.rows(2)))["v"].to_pylist()
    [0.0, 1.0, 1.0]
    """
    return _moment("var_pop", column)


def stddev_samp(column: Any) -> Applied:
    """The sample standard deviation; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_samp("price").over(iw.rows(2)))["s"].to_pylist()
    [None, 1.4142135623730951]
    """
    return _moment("stddev_samp", column)


def stddev_pop(column: Any) -> Applied:
    """The population standard deviation.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_pop("price").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 1.0]
    """
    return _moment("stddev_pop", column)


def skewness(column: Any) -> Applied:
    """The skewness of the population: below 0 if the long tail is on the left; NULL if all values are equal.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 1.0, 1.0, 5.0]})
    >>> iw.with_columns(table, s=iw.skewness("price").over(iw.unbounded()))["s"].to_pylist()
    [None, None, None, 1.1547005383792515]
    """
    return _shape("skewness", column)


def kurtosis(column: Any) -> Applied:
    """The excess kurtosis of the population, 0 for a normal distribution; NULL if all values are equal.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 2.0, 1.0, 2.0]})
    >>> iw.with_columns(table, k=iw.kurtosis("price").over(iw.unbounded()))["k"].to_pylist()
    [None, -2.0, -1.5, -2.0]
    """
    return _shape("kurtosis", column)


def covar_samp(col1: Any, col2: Any) -> Applied:
    """The sample covariance of the tuples where neither column is NULL; NULL over a single one.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.0, 8.0]})
    >>> iw.with_columns(table, c=iw.covar_samp("x", "y").over(iw.rows(2)))["c"].to_pylist()
    [None, 1.0, 2.0]
    """
    return _pair("covar_samp", col1, col2)


def covar_pop(col1: Any, col2: Any) -> Applied:
    """The population covariance of the tuples where neither column is NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.0, 8.0]})
    >>> iw.with_columns(table, c=iw.covar_pop("x", "y").over(iw.rows(2)))["c"].to_pylist()
    [0.0, 0.5, 1.0]
    """
    return _pair("covar_pop", col1, col2)


def corr(col1: Any, col2: Any) -> Applied:
    """Pearson's correlation, from -1 to 1; NULL over a single tuple, and if one of the columns does not vary.

    NaN where the frame has a NaN or an infinity.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.0, 6.0]})
    >>> iw.with_columns(table, r=iw.corr("x", "y").over(iw.unbounded()))["r"].to_pylist()
    [None, 1.0, 1.0]
    """
    return _pair("corr", col1, col2)


def _moment(name: Any, column: Any) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return _on_doubles(types, lambda evicts: FloatMoments(name))

    return built_in(name, resolve, NUMBERS, column, commutative=True)


def _shape(name: Any, column: Any) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return _on_doubles(types, lambda evicts: Shape(name, evicts=evicts))

    return built_in(name, resolve, NUMBERS, column, commutative=True)


def _pair(name: Any, col1: Any, col2: Any) -> Applied:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return _on_doubles(types, lambda evicts: Pair(name, evicts=evicts))

    return built_in(name, resolve, NUMBERS, col1, col2, parameters=("col1", "col2"), commutative=True)


def _on_doubles(types: list[pa.DataType], kernel: Callable[[bool], Any]) -> Native | None:
    return Native(DOUBLE, kernel, DOUBLE, cascade=own_panes(kernel)) if all(map(is_number, types)) else None


variance = var_samp
stddev = std = stddev_samp
