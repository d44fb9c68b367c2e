"""Averages in which what is older weighs less, as pandas and Polars have them: ``ewm_avg``."""

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyarrow as pa

from inwindow.native._ewm import Ewm
from inwindow.native.aging import Aging
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import NUMBERS, built_in, check_flag
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_int, is_number
from inwindow.udaf.native import Kernel, Native, own_panes
from inwindow.udaf.traits import KernelTraits
from inwindow.windows.interval import Interval, exact, size_of

__all__ = ["ewm_avg"]

_FORMS: dict[
    str, tuple[float, bool, Callable[[float], float]]
] = {  # option -> (the least value, whether it may be that, the alpha that it means)
    "alpha": (0.0, False, lambda alpha: alpha),
    "com": (0.0, True, lambda com: 1.0 / (1.0 + com)),
    "span": (1.0, True, lambda span: 2.0 / (1.0 + span)),
    "half_life": (0.0, False, lambda half_life: -math.expm1(-math.log(2.0) / half_life)),
}
_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0.001}  # microseconds
_DAY = 86_400_000_000


def ewm_avg(
    column: Any, *, alpha: float | None = None, span: float | None = None, half_life: float | str | timedelta | None = None,
    com: float | None = None, times: Any = None, adjust: bool = True, ignore_nulls: bool = False,
) -> Applied:  # fmt: skip
    """The exponentially weighted average: pandas' ``ewm(...).mean()``, Polars' ``ewm_mean`` and ``ewm_mean_by``.

    A value weighs ``1 - alpha`` times as much as the next one; ``span``, ``half_life`` and ``com`` (the centre of mass) are other
    ways to say alpha. With ``times``, a column, it weighs half as much after each ``half_life``: a number in the unit of the
    column, or for dates and timestamps a span of time. The window must be in the order of ``times``.

    With ``adjust=False`` it is the recursion ``(1 - alpha) * before + alpha * value`` from the first value of the frame on. A NULL
    fades what is before it, as a value does, unless ``ignore_nulls``. Without a window it goes on for ever.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [4.0, 1.0, 1.0], "ts": [0, 10, 20]})
    >>> iw.with_columns(table, e=iw.ewm_avg("price", alpha=0.5))["e"].to_pylist()
    [4.0, 2.0, 1.4285714285714286]
    >>> timed = iw.ewm_avg("price", half_life=10, times="ts").over(iw.range(10, order_by="ts"))
    >>> iw.with_columns(table, e=timed)["e"].to_pylist()
    [4.0, 2.0, 1.0]
    """
    given = {"alpha": alpha, "span": span, "half_life": half_life, "com": com}
    given = {name: value for name, value in given.items() if value is not None}
    call = f"ewm_avg({column_text(column)}"
    if len(given) != 1:
        more = "".join(f", {name}={shown(value)}" for name, value in given.items())
        raise UsageError(f"{call}{more}): give one of alpha=, span=, half_life= and com=, as in half_life=10")
    ((form, value),) = given.items()
    check_flag(call, adjust, "adjust")
    check_flag(call, ignore_nulls, "ignore_nulls")
    if times is not None:
        return _by_time(call, column, form, value, times, adjust)
    fade = _alpha(call, form, value)

    def kernel(evicts: bool) -> Kernel:
        if ignore_nulls:
            return Ewm(fade, "number", adjust=adjust, evicts=evicts)
        return Aging(Ewm(fade, "place", adjust=adjust, evicts=evicts))

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not is_number(types[0]):
            return None
        return Native(DOUBLE, kernel, DOUBLE, cascade=own_panes(kernel), reads="values" if ignore_nulls else "all")

    options = (value, *(() if adjust else ("adjust=False",)))
    return built_in("ewm_avg", resolve, NUMBERS, column, options=options, kernel=KernelTraits(online=True))


def _alpha(call: str, form: str, value: Any) -> float:
    least, included, alpha_of = _FORMS[form]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        more = ", or with it times=, a column of times" if form == "half_life" else ""
        raise UsageError(f"{call}, {form}={shown(value)}): {form} is a number{more}")
    if value < least or (value == least and not included) or (form == "alpha" and value > 1):
        bound = "above 0 and at most 1" if form == "alpha" else f"{'at least' if included else 'above'} {least:g}"
        raise UsageError(f"{call}, {form}={value}): {form} is {bound}")
    return float(alpha_of(value))


def _by_time(call: str, column: Any, form: str, value: Any, times: Any, adjust: bool) -> Applied:
    if form != "half_life":
        raise UsageError(f"{call}, {form}={shown(value)}, times={column_text(times)}): by time, give half_life=")
    half_life = size_of(value, f"{call}: half_life")
    if isinstance(half_life, Interval) and half_life.months:
        raise UsageError(f"{call}, half_life={shown(value)}): months have no fixed length: write days")
    length = float(exact(half_life))
    if not length > 0:
        raise UsageError(f"{call}, half_life={shown(value)}): half_life is above 0")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        number, kind = types
        unit = _unit_of(kind, isinstance(half_life, Interval))
        if unit is None or not is_number(number):
            return None
        whole = not is_float(kind)

        def kernel(evicts: bool) -> Kernel:
            return Ewm(0.5, "time", adjust=adjust, whole=whole, rate=unit / length, evicts=evicts)

        return Native(DOUBLE, kernel, (DOUBLE, INT if whole else DOUBLE), cascade=own_panes(kernel))

    accepts = "numbers by timestamps or dates" if isinstance(half_life, Interval) else "numbers by integers or floats"
    options = (f"half_life={value}", *(() if adjust else ("adjust=False",)))
    return built_in(
        "ewm_avg", resolve, f"{accepts}, with half_life={shown(value)}", column, times, parameters=("column", "times"),
        options=options, kernel=KernelTraits(online=True),
    )  # fmt: skip


def _unit_of(kind: pa.DataType, by_time: bool) -> float | None:
    """What 1 of the column is in the unit of a half-life: in microseconds, or 1; None if the two do not go together."""
    if not by_time:
        return 1.0 if is_int(kind) or is_float(kind) else None
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return _UNITS[kind.unit]
    return _DAY if pa.types.is_date32(kind) else None
