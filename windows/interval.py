"""Sizes of windows in time: ``"5 minutes"``, ``timedelta(hours=1)``, ``"3 months"``.

A size is a plain number (in the unit of the windowing attribute, or a count of tuples) or an
:class:`Interval`. As in Spark, an interval has a calendar part (months) and an exact part
(microseconds); a day is 24 hours, a week is 7 days.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from inwindow.udaf.errors import UsageError

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
        months, microseconds, position = 0, Decimal(0), 0
        while match := _PART.match(rest, position):
            number, unit = Decimal(match[1]), match[2].lower()
            unit = _SHORT.get(unit, unit.removesuffix("s") if len(unit) > 3 else unit)
            if unit in MICROSECONDS:
                microseconds += number * MICROSECONDS[unit]
            elif unit in MONTHS and number == int(number):
                months += int(number) * MONTHS[unit]
            else:
                break
            position = match.end()
        if not position or position != len(rest) or microseconds != int(microseconds):
            raise UsageError(
                f"{text!r} is not an interval: write a number and a unit, as in '5 minutes', '1 day 12 hours' or "
                "'3 months' (units: microseconds to weeks, months, years)"
            )
        return cls(months, int(microseconds))

    def __neg__(self) -> "Interval":
        return Interval(-self.months, -self.microseconds)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.months + other.months, self.microseconds + other.microseconds)

    @property
    def is_zero(self) -> bool:
        """Whether the interval spans nothing."""
        return not self.months and not self.microseconds

    @property
    def is_negative(self) -> bool:
        """Whether the interval points backwards."""
        return self.months < 0 or self.microseconds < 0

    def __str__(self) -> str:
        parts = [f"{self.months} months"] if self.months else []
        rest = self.microseconds
        for unit in ("day", "hour", "minute", "second", "millisecond", "microsecond"):
            count = int(rest / MICROSECONDS[unit]) if abs(rest) < 2**53 else rest // MICROSECONDS[unit]
            rest -= count * MICROSECONDS[unit]
            if count:
                parts.append(f"{count} {unit}{'s' if abs(count) != 1 else ''}")
        return " ".join(parts) or "0 seconds"


Number = int | float | Decimal
Size = Number | Interval


def size_of(value: object, option: str) -> Size:
    """The size that a user wrote for ``option``: a number, an interval string or a timedelta.

    >>> size_of("5 minutes", "size")
    Interval(months=0, microseconds=300000000)
    >>> size_of(10, "slide")
    10
    """
    if isinstance(value, Interval):
        return value
    if isinstance(value, timedelta):
        return Interval(0, value // timedelta(microseconds=1))
    if isinstance(value, str):
        return Interval.parse(value)
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError(f"{option}={value!r} is not a size: it must be finite")
        return value
    raise UsageError(
        f"{option}={value!r} is not a size: write a number, a timedelta or an interval such as '5 minutes'"
    )


def is_positive(size: Size) -> bool:
    """Whether a size spans something and points forward."""
    if isinstance(size, Interval):
        return not size.is_zero and not size.is_negative
    return size > 0


def is_negative(size: Size) -> bool:
    """Whether a size points backwards."""
    return size.is_negative if isinstance(size, Interval) else size < 0


def sum_of(a: Size, b: Size) -> Size:
    """``a + b``; both numbers or both intervals."""
    if isinstance(a, Interval) and isinstance(b, Interval):
        return a + b
    if isinstance(a, Interval) or isinstance(b, Interval):
        if a == 0:
            return b
        if b == 0:
            return a
        raise UsageError(f"a size in time and a size in numbers do not go together: {a} and {b}")
    if isinstance(a, Decimal) != isinstance(b, Decimal):
        a, b = Decimal(str(a)), Decimal(str(b))
    return a + b  # type: ignore[operator]
