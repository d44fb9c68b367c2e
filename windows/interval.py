"""Sizes of windows in time: ``"5 minutes"``, ``timedelta(hours=1)``, ``"3 months"``.

A size is a plain number (in the unit of the windowing attribute, or a count of tuples) or an
:class:`Interval`. As in Spark, an interval has a calendar part (months) and an exact part
(microseconds); a day is 24 hours, a week is 7 days.
"""

import difflib
import math
import operator
import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from inwindow.udaf.errors import UsageError, shown

MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 7 * 86_400_000_000,
}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
_SHORT = {"us": "microsecond", "ms": "millisecond", "s": "second", "sec": "second", "m": "minute", "min": "minute",
          "h": "hour", "d": "day", "w": "week", "y": "year"}  # fmt: skip
_PART = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Interval:
    """A span of time: calendar months and exact microseconds.

    >>> Interval.parse("1 hour 30 minutes")
    Interval(months=0, microseconds=5400000000)
    >>> -Interval.parse("2 years")
    Interval(months=-24, microseconds=0)
    """

    months: int = 0
    microseconds: int = 0

    @classmethod
    def parse(cls, text: str) -> "Interval":
        """Read ``"5 minutes"``, ``"1 day 12 hours"``, ``"INTERVAL 3 MONTHS"``."""
        rest = re.sub(r"^\s*interval\b", "", text, flags=re.IGNORECASE)
        months, microseconds, position, why = 0, Fraction(0), 0, ""
        while match := _PART.match(rest, position):
            number, unit = Fraction(match[1]), match[2].lower()
            unit = _SHORT.get(unit, unit.removesuffix("s") if len(unit) > 3 else unit)
            if unit in MICROSECONDS:
                microseconds += number * MICROSECONDS[unit]
            elif unit in MONTHS and number == int(number):
                months += int(number) * MONTHS[unit]
            else:
                why = "months and years are counted whole" if unit in MONTHS else _no_unit(match[2])
                break
            position = match.end()
        if not why and microseconds != int(microseconds):
            why = "a microsecond is the finest"
        if why or not position or position != len(rest):
            raise UsageError(
                f"{shown(text)} is not an interval{f' ({why})' if why else ''}: write a number and a unit, as in "
                "'5 minutes', '1 day 12 hours' or '3 months' (units: microseconds to weeks, months, years)"
            )
        return cls(months, int(microseconds))

    def __neg__(self) -> "Interval":
        return Interval(-self.months, -self.microseconds)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.months + other.months, self.microseconds + other.microseconds)

    def split(self, days: int) -> "tuple[Interval, Interval]":
        """That many of its days, and the rest."""
        of_days = Interval(0, days * MICROSECONDS["day"])
        return of_days, self + -of_days

    @property
    def is_zero(self) -> bool:
        """Whether the interval is empty."""
        return not self.months and not self.microseconds

    @property
    def is_negative(self) -> bool:
        """Whether the interval points backwards."""
        return self.months < 0 or self.microseconds < 0

    def __str__(self) -> str:
        parts = [f"{self.months} month{'s' if abs(self.months) != 1 else ''}"] if self.months else []
        rest = self.microseconds
        for unit in ("day", "hour", "minute", "second", "millisecond", "microsecond"):
            count = int(rest / MICROSECONDS[unit]) if abs(rest) < 2**53 else rest // MICROSECONDS[unit]
            rest -= count * MICROSECONDS[unit]
            if count:
                parts.append(f"{count} {unit}{'s' if abs(count) != 1 else ''}")
        return " ".join(parts) or "0 seconds"


def days_in(text: str) -> int:
    """How many calendar days an interval's text names; parts of a day count as hours.

    >>> days_in("1 day 12 hours"), days_in("2 weeks"), days_in("36 hours"), days_in("1.5 days")
    (1, 14, 0, 0)
    """
    days = Fraction(0)
    for number, unit in _PART.findall(text):
        unit = _SHORT.get(unit.lower(), unit.lower().removesuffix("s"))
        days += Fraction(number) * {"day": 1, "week": 7}.get(unit, 0)
    return int(days) if days.denominator == 1 else 0


def _no_unit(word: str) -> str:
    close = difflib.get_close_matches(word.lower(), [f"{unit}s" for unit in (*MICROSECONDS, *MONTHS)], 1)
    return f"{word!r} is no unit" + (f"; did you mean {close[0]!r}?" if close else "")


Number = int | float | Decimal
Size = Number | Interval
EXACT = Context(prec=1000)  # Python's own has 28 digits, a decimal column 76; a double is written in less than 800
MOST = 1 << 62  # no partition has as many tuples: a larger count means the same


def size_of(value: object, option: str) -> Size:
    """The size that a user wrote for ``option``: a number, an interval string or a timedelta, also of numpy.

    >>> size_of("5 minutes", "size")
    Interval(months=0, microseconds=300000000)
    >>> size_of(10, "slide")
    10
    """
    if isinstance(value, Interval):
        return value
    if isinstance(value, np.timedelta64) and not np.isnat(value):
        return _numpy_interval(value, option)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, timedelta):
        return Interval(0, value // timedelta(microseconds=1))
    if isinstance(value, str):
        try:
            return Interval.parse(value)
        except UsageError as error:
            raise UsageError(f"{option}={error}") from None
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        finite = (
            math.isfinite(value) if isinstance(value, float) else not isinstance(value, Decimal) or value.is_finite()
        )
        if not finite:
            raise UsageError(f"{option}={value!r} is not a size: it must be finite")
        return value
    raise UsageError(
        f"{option}={shown(value)} is not a size: write a number, a timedelta or an interval such as '5 minutes'"
    )


def _numpy_interval(value: np.timedelta64, option: str) -> Interval:
    unit, count = np.datetime_data(value.dtype)
    if unit in ("Y", "M"):
        return Interval(int(value.astype(np.int64)) * count * (12 if unit == "Y" else 1))
    exact = value.astype("timedelta64[us]")
    if unit == "generic" or exact != value:
        raise UsageError(
            f"{option}={value!r} is not a size: give a unit, down to microseconds, as in np.timedelta64(5, 's')"
        )
    return Interval(0, int(exact.astype(np.int64)))


def count_of(value: object, option: str, least: int = 1, *, of: str = "rows") -> int:
    """The number of tuples, or of ``of="groups"``, that a user wrote for ``option``.

    >>> count_of(10, "rows(size)")
    10
    """
    counted = "groups of peers" if of == "groups" else "tuples"
    try:
        count = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        count = None
    if count is None:
        given = str(value) if isinstance(value, Interval) else shown(value)
        raise UsageError(
            f"{option}={given} is not a whole number of {counted}; a size in time or in order values is for iw.range "
            "(or size= of an extent)"
        )
    if count < least:
        raise UsageError(f"{option}={shown(count)} must be at least {least}: it is a number of {counted}")
    return min(count, MOST)


def is_positive(size: Size) -> bool:
    """Whether a size is greater than zero."""
    if isinstance(size, Interval):
        return not size.is_zero and not size.is_negative
    return size > 0


def is_negative(size: Size) -> bool:
    """Whether a size is less than zero."""
    return size.is_negative if isinstance(size, Interval) else size < 0


def negated(size: Size) -> Size:
    """``-size`` with all its digits: the minus of a Decimal would round to the digits of Python's context.

    >>> negated(Decimal("12345678901234567890123456789012.25"))
    Decimal('-12345678901234567890123456789012.25')
    """
    return size.copy_negate() if isinstance(size, Decimal) else -size


def exact(size: Size) -> Fraction:
    """A size as it is written: 0.1 is a tenth. Times are in microseconds; a month counts as 31 days, its longest.

    >>> exact(0.1), exact(Decimal("0.25")), exact(Interval.parse("1 second"))
    (Fraction(1, 10), Fraction(1, 4), Fraction(1000000, 1))
    """
    if isinstance(size, Interval):
        return Fraction(size.months * 31 * MICROSECONDS["day"] + size.microseconds)
    return Fraction(str(size) if isinstance(size, float) else size)


def may_exceed(size: Size, other: Size) -> bool:
    """Whether a size may be longer than another; a month has 28 to 31 days.

    >>> may_exceed(Interval.parse("29 days"), Interval.parse("1 month")), may_exceed(28, 28)
    (True, False)
    """
    if isinstance(size, Interval) and isinstance(other, Interval):
        months = size.months - other.months
        days = months * (31 if months > 0 else 28)
        return days * MICROSECONDS["day"] + size.microseconds - other.microseconds > 0
    return exact(size) > exact(other)


def sum_of(a: Size, b: Size) -> Size:
    """``a + b``; both numbers or both intervals."""
    if isinstance(a, Interval) and isinstance(b, Interval):
        return a + b
    if isinstance(a, Interval) or isinstance(b, Interval):
        if a == 0:
            return b
        if b == 0:
            return a
        a, b = (negated(size) if is_negative(size) else size for size in (a, b))
        raise UsageError(f"a time and a number do not go together: {a} and {b}; give both as times or both as numbers")
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return EXACT.add(*(size if isinstance(size, Decimal) else Decimal(str(size)) for size in (a, b)))
    return a + b
