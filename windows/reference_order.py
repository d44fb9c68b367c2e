"""The definition of order values: how they compare, and what lies a size away from them.

Part of :mod:`inwindow.windows.reference`; sections 1, 3 and 4 of the semantics. Every order value is a place
on the number line, every size a step on it, and slots are cut at every step from an origin::

    value     1969-12-31     1970-01-01    1970-01-02          for times in microseconds since the epoch (UTC)
    place        -1 day           0           1 day
    slot        k = -1       |  k = 0     |  k = 1             greatest k with origin + k * every <= value

Choices where SQL leaves one: an aware timestamp is an instant, handled and given back in UTC; a day is 24
hours, but in the gap of a session (:mod:`.reference_extents`); months are calendar months in UTC and end with the
month (31 January + 1 month = 28 February); a number beside a date counts days; a sum beyond the calendar is infinite.
"""

import math
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from inwindow.native.ordering import comparable
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval, Size
from inwindow.windows.spec import Order

EPOCH = datetime(1970, 1, 1)
DAY = 86_400_000_000


@dataclass(frozen=True)
class Row:
    """A tuple: the values of the order columns and of the arguments, and whether it passes the FILTER."""

    order: tuple[Any, ...] = ()
    args: tuple[Any, ...] = ()
    passes: bool = True


def in_order(rows: Sequence[Row], orders: Sequence[Order]) -> list[Row]:
    """The rows of a partition as ORDER BY sorts them; ties stay in the order of arrival."""

    def by_order(a: Row, b: Row) -> int:
        return compare(a.order, b.order, orders)

    return sorted(rows, key=cmp_to_key(by_order))


def compare(a: Sequence[Any], b: Sequence[Any], orders: Sequence[Order]) -> int:
    """-1, 0 or 1: order values ``a`` come before, beside or after ``b``. NaN is the largest; -0.0 is 0.0."""
    for x, y, order in zip(a, b, orders, strict=False):
        if x is None or y is None:
            sign = ((x is not None) - (y is not None)) * (1 if order.nulls_first else -1)
        else:
            m, n = ((True, 0) if v != v else (False, coordinate(v)) for v in (x, y))
            sign = ((m > n) - (m < n)) * (1 if order.ascending else -1)
        if sign:
            return sign
    return 0


# --- The number line ----------------------------------------------------------------------------------------


def coordinate(value: Any) -> Any:
    """A time as a number, a decimal as a fraction, lists and structs field by field; all others stand for themselves."""
    if isinstance(value, (dict, list)):
        return comparable(value)
    if isinstance(value, datetime):
        since_epoch = value.replace(tzinfo=None) - EPOCH - (value.utcoffset() or timedelta())
        return since_epoch // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - EPOCH.date()).days * DAY
    return Fraction(value) if isinstance(value, Decimal) else value


def value_at(at: Any, like: Any) -> Any:
    """The value at a place, of the same type as ``like``."""
    if isinstance(like, date):
        try:
            moment = EPOCH + timedelta(microseconds=at)
        except OverflowError:
            return type(like).max if at > 0 else type(like).min
        if isinstance(like, datetime):
            return moment.replace(tzinfo=UTC) if like.tzinfo else moment
        if at % DAY:
            raise UsageError(f"{moment} is no date: a size beside dates is in whole days or months")
        return moment.date()
    if isinstance(like, float):
        return float(at)
    if isinstance(like, Decimal):
        return Context(prec=100).divide(Decimal(at.numerator), Decimal(at.denominator))
    return int(at) if at == int(at) else at


def step(size: Size, like: Any) -> tuple[int, Any]:
    """A size beside values like ``like``: calendar months, and a number on the line, exactly as written."""
    if isinstance(size, Interval):
        return size.months, size.microseconds
    number = size if isinstance(size, int) else Fraction(str(size))
    return 0, number * DAY if isinstance(like, date) else number


def moved(at: Any, times: int, size: Size, like: Any) -> Any:
    """The place ``times * size`` further on; for a double, the sum of two doubles."""
    months, rest = step(size, like)
    if isinstance(at, float):
        return at + float(times * rest)
    return (add_months(at, times * months) if months else at) + times * rest


def add_months(at: int, months: int) -> float:
    """The same day of the month and time of day, or the month's last day; infinite beyond the calendar."""
    moment = EPOCH + timedelta(microseconds=at)
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return math.copysign(math.inf, months)
    day = min(moment.day, monthrange(year, month + 1)[1])
    there: int = coordinate(moment.replace(year=year, month=month + 1, day=day))
    return there


# --- Slots: the line cut at origin + k * every --------------------------------------------------------------


def slot(value: Any, origin: Any, every: Size) -> Any:
    """The greatest k with ``origin + k*every <= value``; NULL, NaN, each infinity: a slot of its own."""
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return str(value)
    months, rest = step(every, value)
    k = (exact(value) - exact(origin or 0)) // (months * Fraction("30.436875") * DAY + rest)
    while months and mark(origin, value, (k, every)) > exact(value):  # with months, k was a guess
        k -= 1
    while months and mark(origin, value, (k + 1, every)) <= exact(value):
        k += 1
    return k


def mark(origin: Any, like: Any, *steps: tuple[int, Size]) -> Any:
    """The exact place ``origin + k*size + ...``; the origin is the epoch, or 0, unless given."""
    months = sum(k * step(size, like)[0] for k, size in steps)
    rest = sum(k * step(size, like)[1] for k, size in steps)
    start = exact(origin or 0)
    return (add_months(start, months) if months else start) + rest


def exact(value: Any) -> Any:
    """The place of a value, where a double is the decimal number that it is written as: 0.1 is a tenth."""
    return Fraction(repr(value)) if isinstance(value, float) else coordinate(value)
