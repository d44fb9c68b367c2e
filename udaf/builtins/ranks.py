"""Order statistics: ``median``, ``percentile``, ``percentile_approx``; and the most frequent value: ``mode``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._modes import FloatMode, IntMode, ObjectMode
from inwindow.native._ranks import DiscreteFloatQuantile, DiscreteIntQuantile, Quantile
from inwindow.native.lists import Several
from inwindow.native.ordering import comparable
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import Resolve, built_in, check_flag
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_float, is_number, is_whole
from inwindow.udaf.native import Native, as_it_is, own_panes
from inwindow.udaf.traits import KernelTraits

__all__ = ["approx_percentile", "median", "mode", "percentile", "percentile_approx"]

Percentage = float | Sequence[float]
_BELOW = float(2**63 - 1024)  # the largest double that is an int64
ORDER_STATISTICS = KernelTraits(order_statistics=True)


def median(column: Any) -> Applied:
    """The exact median, the mean of the two middle values if there are two.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 9.0, 2.0, 3.0]})
    >>> iw.with_columns(table, m=iw.median("price").over(iw.rows(3)))["m"].to_pylist()
    [1.0, 5.0, 2.0, 3.0]
    """
    return built_in("median", _interpolated_on([0.5], False), "numbers and durations", column, kernel=ORDER_STATISTICS)


def percentile(column: Any, percentage: Percentage) -> Applied:
    """The exact percentile at ``percentage`` (0 to 1), interpolated between values; a list of them for a list.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 9.0, 2.0]})
    >>> iw.with_columns(table, p=iw.percentile("price", [0.25, 1.0]).over(iw.unbounded()))["p"].to_pylist()
    [[1.0, 1.0], [3.0, 9.0], [1.5, 9.0]]
    """
    wanted, plural = _percentages("percentile", column, percentage)
    return built_in(
        "percentile", _interpolated_on(wanted, plural), "numbers and durations", column,
        options=(percentage,), kernel=ORDER_STATISTICS,
    )  # fmt: skip


def percentile_approx(column: Any, percentage: Percentage, accuracy: int = 10_000) -> Applied:
    """The smallest value that is at least as large as ``percentage`` (0 to 1) of the values; a list of them for a list.

    Exact, and so within any ``accuracy``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 9, 2, 4]})
    >>> iw.with_columns(table, p=iw.percentile_approx("price", 0.5).over(iw.unbounded()))["p"].to_pylist()
    [1, 1, 2, 2]
    """
    wanted, plural = _percentages("percentile_approx", column, percentage)
    if isinstance(accuracy, bool) or not isinstance(accuracy, int) or not 0 < accuracy < 2**31:
        raise UsageError(
            f"percentile_approx({column_text(column)}, ...): accuracy={shown(accuracy)}: write a positive int; the result is "
            "exact, whatever it is"
        )
    return built_in(
        "percentile_approx", _discrete_on(wanted, plural), "numbers, dates, times and durations", column,
        options=(percentage,), kernel=ORDER_STATISTICS,
    )  # fmt: skip


def mode(column: Any, deterministic: bool = True) -> Applied:
    """The most frequent value; the smallest of several, with and without ``deterministic``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["b", "a", "b", "a"]})
    >>> iw.with_columns(table, m=iw.mode("item").over(iw.rows(3)))["m"].to_pylist()
    ['b', 'a', 'b', 'a']
    """
    check_flag(f"mode({column_text(column)}", deterministic, "deterministic")
    return built_in("mode", _mode_on, "any column but maps", column, commutative=True)


def _percentages(name: str, column: Any, percentage: Any) -> tuple[list[float], bool]:
    plural = isinstance(percentage, (list, tuple))
    wanted = list(percentage) if plural else [percentage]
    for one in wanted:
        if isinstance(one, bool) or not isinstance(one, (int, float)) or not 0 <= one <= 1:
            raise UsageError(
                f"{name}({column_text(column)}, {shown(percentage)}): a percentage is a number from 0 to 1 "
                f"(0.5 for the median), or a list of them; {shown(one)} is none"
            )
    if not wanted:
        raise UsageError(f"{name}({column_text(column)}, []): give at least one percentage, as in 0.5 or [0.25, 0.75]")
    return [float(one) for one in wanted], plural


def _interpolated_on(wanted: list[float], plural: bool) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        if pa.types.is_duration(kind):
            return _several(wanted, plural, Quantile, DOUBLE, kind, lambda r: _truncated(r).view(kind))
        return _several(wanted, plural, Quantile, DOUBLE, DOUBLE, as_it_is) if is_number(kind) else None

    return resolve


def _truncated(results: pa.Array) -> pa.Array:
    """Doubles as int64; the largest one for 2^63, which is what the largest int64 is as a double (as in Spark)."""
    below = pc.min_element_wise(pc.trunc(results), _BELOW, skip_nulls=False).cast(INT)
    return pc.if_else(pc.greater(results, _BELOW), pa.scalar(2**63 - 1, INT), below)


def _discrete_on(wanted: list[float], plural: bool) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        if is_float(kind):
            return _several(wanted, plural, DiscreteFloatQuantile, DOUBLE, kind, back_to(kind))
        if is_whole(kind) and not pa.types.is_boolean(kind):
            return _several(wanted, plural, DiscreteIntQuantile, INT, kind, back_to(kind))
        return None

    return resolve


def _several(
    wanted: list[float], plural: bool, kernel: Any, inner: pa.DataType, kind: pa.DataType, finish: Any
) -> Native:
    """One structure per percentage, side by side."""
    if not plural:
        return Native(kind, lambda evicts: kernel(wanted[0]), inner, finish, evicts_any=True)
    result = pa.list_(pa.field("element", kind, nullable=False))
    return Native(result, lambda evicts: Several([kernel(p) for p in wanted], finish), inner, evicts_any=True)


def _mode_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    (kind,) = types
    if pa.types.is_map(kind):
        return None
    if is_float(kind) or is_whole(kind):
        mode, inner = (FloatMode, DOUBLE) if is_float(kind) else (IntMode, INT)
        cascade = own_panes(lambda evicts: mode(evicts=evicts), grows=True)
        kernel = Native(kind, lambda evicts: mode(evicts=evicts), inner, back_to(kind), cascade, gives="a value")
        return replace(kernel, evicts_any=True)
    texts = Native(kind, lambda evicts: ObjectMode(key=comparable, evicts=evicts), reads="objects", gives="a value")
    return replace(texts, evicts_any=True)


approx_percentile = percentile_approx
