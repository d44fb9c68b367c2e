"""Sums and products: ``sum``, ``avg``, ``product``."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa

from inwindow.native._monoids import Product
from inwindow.native._sums import FloatSum
from inwindow.native._swept_sums import SweptDoubles
from inwindow.native._totals import Count, DecimalAvg, DecimalSum, IntAvg, IntSum, IntTrySum
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import NUMBERS, built_in
from inwindow.udaf.builtins import joins
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_decimal, is_float, is_int, is_number
from inwindow.udaf.native import Native, own_panes

__all__ = ["avg", "mean", "product", "sum", "try_avg", "try_sum"]


def sum(column: Any) -> Applied:
    """The sum; exact for integers and decimals, compensated for floats.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1e16, 1.0, -1e16, 1.0]})
    >>> iw.with_columns(table, s=iw.sum("price").over(iw.unbounded()))["s"].to_pylist()
    [1e+16, 1e+16, 1.0, 2.0]
    """
    return built_in("sum", sum_on, "integers, floats, decimals and durations", column, commutative=True)


def sum_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    """The kernel of a sum."""
    (kind,) = types
    if is_int(kind) or pa.types.is_duration(kind):
        result = kind if pa.types.is_duration(kind) else INT
        return joins.sums(_of_integers(result, lambda evicts: IntSum("sum", ansi=ansi)), exactly=ansi)
    if is_float(kind):
        return joins.sums(_float_sum("sum"))
    if is_decimal(kind):
        result = pa.decimal128(min(38, kind.precision + 10), kind.scale)
        return _of_decimals(result, lambda evicts: DecimalSum(result, ansi=ansi))
    return None


_COUNT = Native(INT, lambda evicts: Count(), reads="marks")


def _of_integers(result: pa.DataType, kernel: Callable[[bool], Any]) -> Native:
    return Native(result, kernel, INT, back_to(result), own_panes(kernel), swept=lambda: kernel(True))


def _of_decimals(result: pa.DataType, kernel: Callable[[bool], Any]) -> Native:
    return Native(result, kernel, cascade=own_panes(kernel), swept=lambda: kernel(True))


def avg(column: Any) -> Applied:
    """The average, as a double (a decimal for decimals, a duration for durations).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 2, 6]})
    >>> iw.with_columns(table, a=iw.avg("price").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """
    return built_in("avg", avg_on, "integers, floats, decimals and durations", column, commutative=True)


def avg_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    """The kernel of an average."""
    (kind,) = types
    if is_int(kind):
        total = _of_integers(INT, lambda evicts: IntSum("sum"))
        return joins.averages(_of_integers(DOUBLE, lambda evicts: IntSum("avg")), total, _COUNT, exactly=True)
    if pa.types.is_duration(kind):
        return _of_integers(kind, lambda evicts: IntAvg())
    if is_float(kind):
        return joins.averages(_float_sum("avg"), _float_sum("sum"), _COUNT)
    if is_decimal(kind):
        scale, result = kind.scale, pa.decimal128(min(38, kind.precision + 4), min(38, kind.scale + 4))
        return _of_decimals(result, lambda evicts: DecimalAvg(scale, result, ansi=ansi))
    return None


def _float_sum(op: Literal["sum", "avg"]) -> Native:
    return replace(_of_doubles(lambda evicts: FloatSum(op)), swept=lambda: SweptDoubles(op))


def _of_doubles(kernel: Callable[[bool], Any]) -> Native:
    return Native(DOUBLE, kernel, DOUBLE, cascade=own_panes(kernel))


def try_sum(column: Any) -> Applied:
    """The sum; NULL where it does not fit its type, whether or not the session is ANSI.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"units": [2**62, 2**62, 1]})
    >>> iw.with_columns(table, s=iw.try_sum("units").over(iw.rows(2)))["s"].to_pylist()
    [4611686018427387904, None, 4611686018427387905]
    """

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        plain = sum_on(types, False)
        if plain is None or plain.input != INT:
            return plain
        return _of_integers(plain.result, lambda evicts: IntTrySum())

    return built_in("try_sum", resolve, "integers, floats, decimals and durations", column, commutative=True)


def try_avg(column: Any) -> Applied:
    """The average; NULL where it does not fit its type (a decimal), whether or not the session is ANSI.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 2, 6]})
    >>> iw.with_columns(table, a=iw.try_avg("price").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return avg_on(types, False)

    return built_in("try_avg", resolve, "integers, floats, decimals and durations", column, commutative=True)


def product(column: Any) -> Applied:
    """The product, as a double; as accurate as a double can be, with no overflow on the way.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"growth": [1e200, 1e200, 1e-300, 0.5]})
    >>> iw.with_columns(table, p=iw.product("growth").over(iw.rows(3)))["p"].to_pylist()
    [1e+200, inf, 1e+100, 5e-101]
    """
    return built_in("product", _product_on, NUMBERS, column, commutative=True)


def _product_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    if not is_number(types[0]):
        return None
    return _of_doubles(lambda evicts: Product(evicts=evicts))


mean = avg
