"""Sums and products: ``sum``, ``avg``, ``product``."""

from typing import Any, Literal

import pyarrow as pa

from inwindow.native._decimals import (
    DecimalAvg,
    DecimalAvgOfPartials,
    DecimalSum,
    DecimalSumOfPartials,
    IntAvg,
    IntAvgOfPartials,
)
from inwindow.native._integers import IntSum, IntSumOfPartials
from inwindow.native._monoids import Product, ProductOfPartials
from inwindow.native._sums import FloatSum, FloatSumOfPartials
from inwindow.native._swept_sums import SweptDoubles, SweptIntegers
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import NUMBERS, built_in
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_decimal, is_float, is_int, is_number
from inwindow.udaf.native import Cascade, Native

__all__ = ["avg", "mean", "product", "sum"]


def sum(column: Any) -> Applied:
    """The sum; exact for integers and decimals, compensated for floats.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1e16, 1.0, -1e16, 1.0]})
    >>> iw.with_columns(table, s=iw.sum("price").over(iw.unbounded()))["s"].to_pylist()
    [1e+16, 1e+16, 1.0, 2.0]
    """
    return built_in("sum", _sum_on, "integers, floats, decimals and durations", column, commutative=True)


def _sum_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    (kind,) = types
    if is_int(kind) or pa.types.is_duration(kind):
        result = kind if pa.types.is_duration(kind) else INT
        cascade = Cascade(lambda: IntSum("sum", ansi=ansi), lambda: IntSumOfPartials("sum", ansi=ansi))
        return Native(
            result, lambda evicts: IntSum("sum", ansi=ansi), INT, back_to(result), cascade,
            swept=lambda: SweptIntegers("sum", ansi),
        )  # fmt: skip
    if is_float(kind):
        return _float_sum("sum")
    if is_decimal(kind):
        result = pa.decimal128(min(38, kind.precision + 10), kind.scale)
        cascade = Cascade(lambda: DecimalSum(result, ansi=ansi), lambda: DecimalSumOfPartials(result, ansi=ansi))
        return Native(result, lambda evicts: DecimalSum(result, ansi=ansi), cascade=cascade)
    return None


def avg(column: Any) -> Applied:
    """The average, as a double (a decimal for decimals, a duration for durations).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 2, 6]})
    >>> iw.with_columns(table, a=iw.avg("price").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """
    return built_in("avg", _avg_on, "integers, floats, decimals and durations", column, commutative=True)


def _avg_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    (kind,) = types
    if is_int(kind):
        cascade = Cascade(lambda: IntSum("avg"), lambda: IntSumOfPartials("avg"))
        return Native(DOUBLE, lambda evicts: IntSum("avg"), INT, cascade=cascade, swept=lambda: SweptIntegers("avg"))
    if pa.types.is_duration(kind):
        return Native(kind, lambda evicts: IntAvg(), INT, back_to(kind), Cascade(IntAvg, IntAvgOfPartials))
    if is_float(kind):
        return _float_sum("avg")
    if is_decimal(kind):
        scale, result = kind.scale, pa.decimal128(min(38, kind.precision + 4), min(38, kind.scale + 4))
        cascade = Cascade(
            lambda: DecimalAvg(scale, result, ansi=ansi), lambda: DecimalAvgOfPartials(scale, result, ansi=ansi)
        )
        return Native(result, lambda evicts: DecimalAvg(scale, result, ansi=ansi), cascade=cascade)
    return None


def _float_sum(op: Literal["sum", "avg"]) -> Native:
    cascade = Cascade(lambda: FloatSum(op), lambda: FloatSumOfPartials(op))
    return Native(DOUBLE, lambda evicts: FloatSum(op), DOUBLE, cascade=cascade, swept=lambda: SweptDoubles(op))


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
    cascade = Cascade(lambda: Product(evicts=False), ProductOfPartials)
    return Native(DOUBLE, lambda evicts: Product(evicts=evicts), DOUBLE, cascade=cascade)


mean = avg
