"""Functions for the generated code, where Python's operators differ from SQL's: NULL, division, sets of rows.

A generated class imports these by name; they are plain functions of plain values.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from statistics import median, pstdev, pvariance, stdev, variance
from typing import Any

from inwindow.udaf.contract import Aggregate


def unless_null(function: Callable[..., Any], *arguments: Any) -> Any:
    """A function of values; NULL where one of them is.

    >>> unless_null(max, 1, 2), unless_null(max, 1, None)
    (2, None)
    """
    return None if any(one is None for one in arguments) else function(*arguments)


def divided(one: Any, other: Any) -> Any:
    """SQL's ``/``: NULL over zero or NULL."""
    return None if one is None or not other else one / other


def whole_division(one: Any, other: Any) -> int | None:
    """``DIV``: towards zero.

    >>> whole_division(-7, 2), whole_division(7, 0)
    (-3, None)
    """
    if one is None or not other:
        return None
    quotient = abs(one) // abs(other)
    return int(quotient if (one < 0) == (other < 0) else -quotient)


def remainder(one: Any, other: Any) -> Any:
    """``%``: of the sign of the first.

    >>> remainder(-7, 2), remainder(7, 0), remainder(-7.5, 2)
    (-1, None, -1.5)
    """
    if one is None or not other:
        return None
    if isinstance(one, float) or isinstance(other, float):
        return math.fmod(one, other)
    rest = abs(one) % abs(other)
    return rest if one >= 0 else -rest


def real_function(function: Callable[..., float], *arguments: Any) -> float | None:
    """A function of ``math``; NULL where it is not defined.

    >>> real_function(math.sqrt, 4.0), real_function(math.log, 0.0), real_function(math.sqrt, None)
    (2.0, None, None)
    """
    try:
        return None if any(one is None for one in arguments) else function(*arguments)
    except (ValueError, OverflowError):
        return None


def rounded(value: Any, digits: int = 0) -> Any:
    """``round``: half away from zero.

    >>> rounded(2.5), rounded(-2.5), rounded(1.005, 2), rounded(125, -1)
    (3.0, -3.0, 1.01, 130)
    """
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return value
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    unit = Decimal(1).scaleb(-digits)
    return type(value)(
        exact.quantize(unit, "ROUND_HALF_UP") if digits > 0 or not isinstance(value, int) else _tens(value, -digits)
    )


def _tens(value: int, digits: int) -> int:
    unit = 10**digits
    return (abs(value) + unit // 2) // unit * unit * (1 if value >= 0 else -1)


def substring(text: str | None, start: int, length: int | None = None) -> str | None:
    """``substring(text, start, length)``, from 1; a start below 0 counts from the end.

    >>> substring("stream", 2, 3), substring("stream", -3), substring("stream", 0, 2)
    ('tre', 'eam', 'st')
    """
    if text is None or start is None:
        return None
    first = start - 1 if start > 0 else max(len(text) + start, 0) if start < 0 else 0
    return text[first:] if length is None else text[first : first + max(length, 0)]


def greatest(*values: Any) -> Any:
    """The greatest of the values that are not NULL."""
    return max((value for value in values if value is not None), default=None)


def least(*values: Any) -> Any:
    """The least of the values that are not NULL."""
    return min((value for value in values if value is not None), default=None)


def is_like(text: str, pattern: str) -> bool:
    r"""``LIKE``, where ``\\`` escapes.

    >>> is_like("a_b", "a%"), is_like("axb", r"a\_b")
    (True, False)
    """
    return _pattern(pattern).fullmatch(text) is not None


@lru_cache(256)
def _pattern(pattern: str) -> re.Pattern[str]:
    """Between two % the first place that fits is right, so none is tried twice: ``(?>...)``."""
    runs = [""]
    for part in re.findall(r"\\.|%|_|[^%_\\]+|\\$", pattern, re.DOTALL):
        if part == "%":
            runs.append("")
        else:
            runs[-1] += "." if part == "_" else re.escape(part.removeprefix("\\") or "\\")
    first, *others = runs
    if not others:
        return re.compile(first, re.DOTALL)
    between = "".join(f"(?>.*?{one})" for one in others[:-1] if one)
    return re.compile(f"{first}{between}.*{others[-1]}", re.DOTALL)


def is_in(value: Any, values: Iterable[Any]) -> bool | None:
    """``IN``: NULL where it is not there, but a NULL is.

    >>> is_in(1, [1, None]), is_in(2, [1, None]), is_in(2, [1]), is_in(None, [])
    (True, None, False, False)
    """
    known = list(values)
    if value is None:
        return None if known else False
    return True if any(value == one for one in known if one is not None) else None if None in known else False


def first_known(*values: Any) -> Any:
    """``coalesce``."""
    return next((value for value in values if value is not None), None)


def null_if(one: Any, other: Any) -> Any:
    """``nullif``."""
    return None if one == other and one is not None else one


def only(rows: Sequence[Any]) -> Any:
    """The only row of a subquery with a single value; NULL if there is none."""
    if len(rows) > 1:
        raise ValueError(f"a subquery that is a value gave {len(rows)} rows")
    return rows[0] if rows else None


def first_row(rows: Sequence[Any]) -> Any:
    """The first row; NULL where there is none."""
    return rows[0] if rows else None


def found(table: Mapping[Any, Any], key: Any) -> Sequence[Any]:
    """The row of a key, as a list of one or none."""
    return (table[key],) if key in table else ()


def insert_once(table: dict[Any, Any], key: Any, row: Any) -> None:
    """Add a row under a key that must be new."""
    if key is None or key in table:
        raise ValueError(f"the key {key!r} " + ("is NULL" if key is None else "is in the table already"))
    table[key] = row


def outer_joined(
    left: list[tuple[Any, ...]], right: list[tuple[Any, ...]], belong: Callable[[Any, Any], Any], width: int, other_width: int,
    keeps_left: bool,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """RIGHT JOIN, and FULL JOIN where the left side is kept, too.

    >>> outer_joined([(1,), (2,)], [(2, "b"), (3, "c")], lambda one, other: one[0] == other[0], 1, 2, True)
    [(1, None, None), (2, 2, 'b'), (None, 3, 'c')]
    """
    result, found = [], set()
    for one in left:
        partners = [at for at, other in enumerate(right) if belong(one, other)]
        result += [one + right[at] for at in partners]
        found.update(partners)
        if keeps_left and not partners:
            result.append(one + (None,) * other_width)
    return result + [(None,) * width + other for at, other in enumerate(right) if at not in found]


def rows_without(one: list[Any], other: list[Any]) -> list[Any]:
    """``EXCEPT``: each row of the first that the second does not have, once."""
    gone = set(other)
    return [row for row in dict.fromkeys(one) if row not in gone]


def rows_in_both(one: list[Any], other: list[Any]) -> list[Any]:
    """``INTERSECT``: each row that both have, once."""
    both = set(other)
    return [row for row in dict.fromkeys(one) if row in both]


def copies_without(one: list[Any], other: list[Any]) -> list[Any]:
    """``EXCEPT ALL``: each copy of the other takes one copy away."""
    return list((Counter(one) - Counter(other)).elements())


def copies_in_both(one: list[Any], other: list[Any]) -> list[Any]:
    """``INTERSECT ALL``: as many copies as there are in both."""
    return list((Counter(one) & Counter(other)).elements())


def grouped(rows: Iterable[tuple[Hashable, Any]]) -> dict[Any, list[Any]]:
    """Rows by their keys, in the order in which the keys come."""
    result: dict[Any, list[Any]] = {}
    for key, row in rows:
        result.setdefault(key, []).append(row)
    return result


def _sort_key(at: int, row: tuple[Any, tuple[Any, ...]]) -> Any:
    return row[1][at]


def ordered(rows: Iterable[tuple[Any, tuple[Any, ...]]], *directions: tuple[bool, bool]) -> list[Any]:
    """Rows by their sort keys; each direction is (ascending, NULLs first)."""
    result = list(rows)
    for at, (ascending, nulls_first) in reversed(list(enumerate(directions))):
        nulls = [one for one in result if one[1][at] is None]
        others = [one for one in result if one[1][at] is not None]
        others.sort(key=partial(_sort_key, at), reverse=not ascending)
        result = nulls + others if nulls_first else others + nulls
    return [row for row, _ in result]


def total(values: Iterable[Any]) -> Any:
    """``sum``: NULL over nothing; floats are added exactly and rounded once."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return math.fsum(known) if any(isinstance(value, float) for value in known) else sum(known)


def real_sum(values: Iterable[float]) -> float | None:
    """``sum`` of floats of which none is NULL."""
    known = list(values)
    return math.fsum(known) if known else None


def real_mean(values: Iterable[float]) -> float | None:
    """``avg`` of numbers of which none is NULL."""
    known = list(values)
    return math.fsum(known) / len(known) if known else None


def mean(values: Iterable[Any]) -> Any:
    """``avg``: NULL over nothing."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    if any(isinstance(value, Decimal) for value in known):
        return sum(known) / len(known)
    return math.fsum(known) / len(known)


def _of_several(least_: int, function: Callable[[list[Any]], Any]) -> Callable[[Iterable[Any]], Any]:
    def over(values: Iterable[Any]) -> Any:
        known = [value for value in values if value is not None]
        return function(known) if len(known) >= least_ else None

    return over


STATISTICS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "median": _of_several(1, lambda known: float(median(known))),
    "var_samp": _of_several(2, lambda known: float(variance(known))),
    "var_pop": _of_several(1, lambda known: float(pvariance(known))),
    "stddev_samp": _of_several(2, lambda known: float(stdev(known))),
    "stddev_pop": _of_several(1, lambda known: float(pstdev(known))),
}
STATISTICS |= {"variance": STATISTICS["var_samp"], "stddev": STATISTICS["stddev_samp"]}
AGGREGATES = frozenset({"count", "sum", "avg", "mean", "min", "max", *STATISTICS})


def statistic(name: str, values: Iterable[Any]) -> Any:
    """A built-in statistic of values."""
    return STATISTICS[name](values)


def fold(aggregate: type[Aggregate], rows: Iterable[tuple[Any, ...]]) -> Any:
    """Another aggregate, over rows: what its ``terminate`` gives."""
    one: Any = aggregate()
    skips = aggregate._declared.nulls == "skip"
    begin = getattr(one, "initialize", None) or one.iterate
    step = getattr(one, "iterate", None) or begin
    seen = False
    for row in rows:
        if not (skips and any(value is None for value in row)):
            (step if seen else begin)(*row)
            seen = True
    return one.terminate() if seen else aggregate._declared.empty
