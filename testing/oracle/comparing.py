"""Whether an engine's rows are those of the definition, and in what way they differ."""

import math
import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NamedTuple

from inwindow.testing.oracle.meaning import Rows, Wanted


class Difference(NamedTuple):
    """A result that is not the definition's."""

    kind: str  # crash, rows, value, cancellation, infinity
    at: int | None  # which call
    row: int | None
    given: Any
    wanted: Any


def difference(given: list[list[Any]], wanted: Rows) -> Difference | None:
    """The first difference, values that cancel badly last."""
    ids = [_number(row[0]) for row in given]
    if sorted(ids) != sorted(wanted):
        return Difference("rows", None, None, sorted(ids), sorted(wanted))
    weak = None
    for number, row in zip(ids, given, strict=True):
        for at, (one, other) in enumerate(zip(row[1:], wanted[number], strict=True)):
            if agrees(one, other):
                continue
            kind = _kind(one, other)
            found = Difference(kind, at, number, shown(one), other.value)
            if kind == "value":
                return found
            weak = weak or found
    return weak


def _number(cell: Any) -> int:
    return int(cell["?"]) if isinstance(cell, dict) else int(cell)


def agrees(given: Any, wanted: Wanted) -> bool:
    """Whether a result is the definition's, in whatever type the engine has for it.

    >>> agrees(2, Wanted(2.0)), agrees(Decimal("1.33"), Wanted(Fraction(4, 3), 1e-12)), agrees({"?": "t"}, Wanted(True))
    (True, True, True)
    """
    value = wanted.value
    if isinstance(value, set):
        return any(agrees(given, Wanted(one)) for one in value)
    given = read(given, value)
    if given is None or value is None:
        return given is None and value is None
    if isinstance(value, list):
        return (
            isinstance(given, list)
            and len(given) == len(value)
            and all(agrees(a, Wanted(b)) for a, b in zip(given, value, strict=True))
        )
    if isinstance(value, bool):
        return isinstance(given, (bool, int)) and bool(given) == value
    if isinstance(value, (int, float, Decimal, Fraction)):
        return not isinstance(given, (str, list)) and _near(given, value, wanted.within)
    if isinstance(value, datetime) and isinstance(given, str):
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d.*", given)) and datetime.fromisoformat(given) == value
    if isinstance(value, date) and isinstance(given, (datetime, str)):
        return str(given)[:19].removesuffix(" 00:00:00") == str(value)[:19].removesuffix(" 00:00:00")
    if isinstance(given, date) and isinstance(value, datetime):
        return str(given) == str(value).removesuffix(" 00:00:00")
    return bool(given == value)


def read(given: Any, like: Any) -> Any:
    """A text of unknown type, read as a value of the wanted one's type."""
    if not isinstance(given, dict):
        return given
    text = given["?"]
    if isinstance(like, bool):
        return {"t": True, "f": False}.get(text, text)
    if isinstance(like, (int, float, Decimal, Fraction)):
        try:
            return (
                Decimal(text)
                if text.strip("-").replace(".", "").isdigit() and not isinstance(like, float)
                else float(text)
            )
        except (ValueError, InvalidOperation):
            return text
    if isinstance(like, list):
        return (
            [None if one in ("NULL", "") else Decimal(one) for one in text.strip("{}").split(",")]
            if text != "{}"
            else []
        )
    if isinstance(like, datetime):
        return datetime.fromisoformat(text)
    return date.fromisoformat(text) if isinstance(like, date) else text


def _near(given: Any, wanted: Any, within: float) -> bool:
    if not (math.isfinite(given) and math.isfinite(wanted)):
        return str(float(given)) == str(float(wanted))
    apart = abs(Fraction(given) - Fraction(wanted))
    if isinstance(given, Decimal) and within:
        within += 10.0 ** given.as_tuple().exponent  # type: ignore[operator]
    return apart <= Fraction(within)


def _kind(given: Any, wanted: Wanted) -> str:
    value, given = wanted.value, read(given, wanted.value)
    if (
        isinstance(value, (int, float, Fraction))
        and isinstance(given, (int, float, Decimal))
        and not isinstance(value, bool)
    ):
        if isinstance(given, float) and given != given and math.isfinite(value):
            return "infinity"
        if wanted.reach and math.isfinite(given) and math.isfinite(value) and _near(given, value, wanted.reach):
            return "cancellation"
    return "value"


def shown(given: Any) -> Any:
    """A result without the mark of an unknown type."""
    return given["?"] if isinstance(given, dict) else given
