"""A constant of a class as values of a column: itself, and its neighbours."""

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from inwindow.windows.interval import EXACT

_LARGEST = 2**31  # larger ones would drown what is added to them
_DAY = datetime(2026, 3, 1)


def int_bounds(kind: pa.DataType) -> tuple[int, int]:
    """The smallest and the largest value of an integer type."""
    if pa.types.is_unsigned_integer(kind):
        return 0, 2**kind.bit_width - 1
    return -(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1


def near_to(kind: pa.DataType, one: Any) -> list[Any]:
    """The constant first, if it is of the type; none if there is no such value.

    >>> near_to(pa.int64(), 13), near_to(pa.float64(), 13), near_to(pa.string(), "abc")
    ([13, 12, 14], [13.0, 12.0, 14.0, 13.125, 12.875, -13.0], ['abc', 'ab', 'abca', 'ABC'])
    >>> near_to(pa.int8(), 1000), near_to(pa.date32(), 13)[0]
    ([], datetime.date(2026, 3, 13))
    """
    if isinstance(one, str) and pa.types.is_decimal(kind):
        one = _written(one)
    is_number = isinstance(one, (int, float, Decimal)) and math.isfinite(one) and -_LARGEST <= one <= _LARGEST
    if pa.types.is_integer(kind):
        low, high = int_bounds(kind)
        return [value for value in _whole(one) if low <= value <= high] if is_number else []
    if pa.types.is_floating(kind):
        top = _LARGEST if kind != pa.float16() else 2048
        return [float(value) for value in _floats(float(one)) if abs(value) <= top] if is_number else []
    if pa.types.is_decimal(kind):
        return _decimals(kind, Decimal(repr(one) if isinstance(one, float) else one)) if is_number else []
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(one)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [one, one[:-1], one + b"a"] if isinstance(one, bytes) else [text.encode() for text in _texts(one)]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        moments = _moments(one)
        if pa.types.is_date(kind):
            return [moment.date() for moment in moments]
        return [moment.replace(tzinfo=UTC if kind.tz else None) for moment in moments]
    if pa.types.is_duration(kind):
        if isinstance(one, timedelta):
            return [one, one - timedelta(seconds=1), one + timedelta(seconds=1), -one]
        return [timedelta(seconds=float(one))] if is_number and abs(one) <= 10**6 else []
    return []


def _written(text: str) -> Any:
    """The number of ``Decimal("19.99")``; of another text the text."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def _whole(one: Any) -> list[int]:
    if isinstance(one, int):
        return [one, one - 1, one + 1]
    return [math.floor(one), math.ceil(one), math.floor(one) - 1, math.ceil(one) + 1]


def _floats(one: float) -> list[float]:
    """Itself, and multiples of 1/8 beside it."""
    step = math.floor(one * 8) / 8
    sides = [one - 1, one + 1, one + 0.125, one - 0.125] if step == one else [step, step + 0.125]
    return [one, *sides, -one, *([one / 2] if 0 < abs(one) < 0.125 else [])]


def _decimals(kind: pa.DataType, one: Decimal) -> list[Decimal]:
    step = Decimal(1).scaleb(-kind.scale)
    most = Decimal(10) ** (kind.precision - kind.scale)
    sides = (one, *(EXACT.add(one, by) for by in (-step, step, Decimal(-1), Decimal(1))))
    return [value.quantize(step, context=EXACT) for value in sides if abs(value) < most - 1]


def _texts(one: Any) -> list[str]:
    if isinstance(one, str):
        return [one, one[:-1], one + "a", one.swapcase()] if len(one) <= 64 else []
    if isinstance(one, int) and 0 <= one <= 64:
        return [str(one), "a" * one, "a" * (one + 1)]
    return []


def _moments(one: Any) -> list[datetime]:
    """A date and its neighbours; of a number, the day, hour, month, minute and year of that number."""
    if isinstance(one, datetime):
        plain = one.replace(tzinfo=None)
        return [plain, plain - timedelta(seconds=1), plain + timedelta(seconds=1), plain + timedelta(days=1)]
    if isinstance(one, date):
        return [datetime(one.year, one.month, one.day) + timedelta(days=days) for days in (0, -1, 1)]
    if not isinstance(one, int):
        return []
    names = {"day": (1, 28), "hour": (0, 23), "month": (1, 12), "minute": (0, 59), "year": (1970, 2100)}
    return [_DAY.replace(**{name: one}) for name, (low, high) in names.items() if low <= one <= high]  # type: ignore[arg-type]
