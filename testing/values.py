"""What tuples are drawn from: for every type of a column few plain values, and the odd ones that break aggregates.

Plain floats are multiples of 1/8 of at most 100: sums of them, and of their squares and fourth powers, are *exact*, so
that an honest ``self.total -= value`` gives to the last digit what a fresh sum gives, and cannot be accused of its
rounding. Odd are the values from which arithmetic does not come back: NaN, infinities, numbers whose sum overflows. All
pools are small, so that ties come by themselves, and a sampled value shrinks to the first of its pool. To each pool come the values
near zero, and those near the constants that the class itself names (``constants.py``, ``near.py``).
"""

import inspect
import math
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from inwindow.testing.constants import constants_of
from inwindow.testing.near import int_bounds, near_to
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import DefinitionError, UsageError, shown
from inwindow.udaf.types import arrow_type
from inwindow.windows.interval import EXACT
from inwindow.windows.reference_hooks import Run

Strategy = st.SearchStrategy[Any]
LARGE = 2.0**53  # from here on floats absorb what is added to them: only whether a result is finite can be compared

_FLOATS = [0.0, 1.0, 2.0, -1.0, 3.0, 0.5, 4.0, 5.0, -0.0, 8.0, -2.5, 0.125, 10.0, 16.0, -7.0, 99.875, -100.0, 0.25]
_ODD_FLOATS = [math.nan, math.inf, -math.inf]
_HUGE_FLOAT = 1e308  # of one sign, and without infinities beside it: two of them overflow, in whatever order
_INTS = [0, 1, 2, -1, 3, 4, 8, 5, 7, -5, 10, 16, 100, -100]
_TEXTS = ["", "a", "b", "c", "ab", "B", "é", "\x00", "z z", "aa", "日本", "d", "e", "f", "g", "a" * 20]
_RANGE = [sign * number for number in range(21) for sign in (1, -1)]
_MOMENTS = [
    datetime(2026, 3, 1) + timedelta(hours=hours) for hours in (0, 1, 2, 25, -1, 24 * 31, 24 * 730)
]  # the last: 29 February


@dataclass(frozen=True)
class Values:
    """The values of one argument: of which column type (None: as Arrow finds them), plain ones, and all."""

    kind: pa.DataType | None
    plain: Strategy
    odd: Strategy | None = None  # plain and odd values mixed; None where a type has no odd ones
    huge: Strategy | None = None  # plain values and ones that overflow
    pool: tuple[Any, ...] = ()  # the plain ones, where they are few


def values_of(kind: pa.DataType, own: Sequence[Any] = ()) -> Values:
    """The values to draw for a column of this type; ``own`` are the constants of the class."""
    pool = _plain(kind)
    if pool and not pa.types.is_boolean(kind):
        pool = _with_others(kind, pool, own)
    plain, often = st.sampled_from(pool) if pool else _nested(kind, own), max(1, len(pool) // 16)
    odd: list[Any] = []
    huge: list[Any] = []
    if pool and pa.types.is_floating(kind):
        top = _HUGE_FLOAT if kind == pa.float64() else 3e38 if kind == pa.float32() else 6e4
        odd, huge = [*pool, *_ODD_FLOATS * 4 * often], [*pool, *[top] * 6 * often]
    elif pool and pa.types.is_integer(kind):
        low, high = int_bounds(kind)
        huge = [*pool, *[high, high - 1, low] * 2 * often]
    return Values(
        kind, plain, st.sampled_from(odd) if odd else None, st.sampled_from(huge) if huge else None, tuple(pool)
    )


def _plain(kind: pa.DataType) -> list[Any]:
    """The pool of a flat type; empty for a nested one."""
    if pa.types.is_boolean(kind):
        return [False, True]
    if pa.types.is_integer(kind):
        low, high = int_bounds(kind)
        return [value for value in _INTS if low <= value <= high]
    if pa.types.is_floating(kind):
        return _FLOATS
    if pa.types.is_decimal(kind):
        step, most = Decimal(1).scaleb(-kind.scale), Decimal(10) ** (kind.precision - kind.scale)
        grid = [Decimal(value) for value in ("0", "1", "2", "-1", "3", "10", "-7", "0.5", "-2.25")]
        grid += [5 * step, -step, 25 * step]
        return [value.quantize(step, context=EXACT) for value in grid if abs(value) < most]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _TEXTS
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [text.encode() for text in _TEXTS]
    if pa.types.is_date(kind):
        return [moment.date() for moment in _MOMENTS]
    if pa.types.is_time(kind):
        return [moment.time() for moment in _MOMENTS]
    if pa.types.is_timestamp(kind):
        return [moment.replace(tzinfo=UTC if kind.tz else None) for moment in _MOMENTS]
    if pa.types.is_duration(kind):
        return [timedelta(seconds=seconds) for seconds in (0, 1, 2, -1, 90, 86_400)]
    return []


def _with_others(kind: pa.DataType, pool: list[Any], own: Sequence[Any]) -> list[Any]:
    """The pool, which is simplest, twice; then what is near the constants of the class, and near zero."""
    near = [value for one in own for value in near_to(kind, one)]
    others = [*near, *(value for number in _RANGE for value in near_to(kind, number)[:1])]
    known = {repr(value) for value in pool}
    more = [value for value in dict.fromkeys(others) if repr(value) not in known]
    return [*pool, *pool, *more]


def _nested(kind: pa.DataType, own: Sequence[Any]) -> Strategy:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return st.lists(values_of(kind.value_type, own).plain, max_size=3)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: values_of(field.type, own).plain for field in kind})
    if pa.types.is_map(kind):
        keys, items = values_of(kind.key_type, own).plain, values_of(kind.item_type, own).plain
        return st.lists(st.tuples(keys, items), max_size=3, unique_by=lambda pair: pair[0])
    raise UsageError(f"no values can be made up for the type {kind}: give a Hypothesis strategy, values=st.just(...)")


# What the user says, and what the hooks say


def arguments_of(aggregate: Aggregate, given: Any) -> list[Values] | Strategy:
    """The values of each argument; or one strategy of whole tuples, where the user gave that."""
    traits = aggregate._traits
    assert traits is not None
    count, own = traits.arity, constants_of(aggregate)
    if given is None:
        return _annotated(aggregate, traits.parameters, 1 if count is None else count, own)
    if isinstance(given, st.SearchStrategy) and count not in (1, None):
        return given
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if count is not None and len(listed) != count:
        raise UsageError(
            f"values= has {len(listed)} of {count} arguments: {traits.name} takes ({', '.join(traits.parameters)}); give a list of "
            "types or Hypothesis strategies, one for each, or one strategy of whole tuples"
        )
    return [_of(one, own) for one in listed]


def _of(given: Any, own: Sequence[Any]) -> Values:
    if isinstance(given, st.SearchStrategy):
        return Values(None, given)
    try:
        return values_of(_column_type(given), own)
    except DefinitionError as error:
        raise UsageError(
            f"values={shown(given)}: give a Hypothesis strategy, such as st.integers(0, 9), a Python type or DDL ({error})"
        ) from None


def _column_type(given: Any) -> pa.DataType:
    """The type of an argument: as that of a result, but that datetimes come without a zone."""
    return pa.timestamp("us") if given is datetime else arrow_type(given)


def _annotated(aggregate: Aggregate, parameters: Sequence[str], count: int, own: Sequence[Any]) -> list[Values]:
    names = [*parameters, *list(parameters[-1:]) * count][:count]
    kinds = [_annotation(aggregate, name) for name in names]
    if None in kinds:
        kinds = _fitting_kinds(aggregate, kinds)
    return [values_of(kind, own) for kind in kinds]


def _annotation(aggregate: Aggregate, parameter: str) -> pa.DataType | None:
    """What a hook says of the parameter: ``def iterate(self, value: float)``."""
    for hook in ("iterate", "initialize", "expire"):
        method = getattr(type(aggregate), hook, None)
        try:
            hints = typing.get_type_hints(method) if method is not None else {}
        except Exception:  # a name that only the type checker knows
            hints = getattr(method, "__annotations__", {})
        if hints.get(parameter, Any) is not Any:
            try:
                return _column_type(hints[parameter])
            except DefinitionError:
                continue
    return None


_TRIED: list[Any] = [float, int, str, bool, datetime, date, bytes, Decimal, timedelta, list[float], list[str]]


def _fitting_kinds(aggregate: Aggregate, known: list[pa.DataType | None]) -> list[pa.DataType]:
    """For arguments without an annotation the first type on which the hooks run; float where none does."""
    tried = [_column_type(kind) for kind in _TRIED]
    free = [index for index, kind in enumerate(known) if kind is None]
    alike = [(kind,) * len(free) for kind in tried]
    mixed = product(tried[:4], repeat=len(free)) if 1 < len(free) <= 4 else iter(())
    for kinds in (*alike, *mixed):
        chosen: list[Any] = list(known)
        for index, kind in zip(free, kinds, strict=True):
            chosen[index] = kind
        if _runs_on(aggregate, chosen):
            return chosen
    return [kind or pa.float64() for kind in known]


def _runs_on(aggregate: Aggregate, kinds: list[Any]) -> bool:
    """Whether the hooks run on three tuples of these types, as far as their types go."""
    pools = [_plain(kind) or [list(_plain(kind.value_type)[:2])] for kind in kinds]
    try:
        run = Run(aggregate)
        for number in (1, 2, 3):
            run.arrive(number, tuple(pool[number % len(pool)] for pool in pools))
        run.leave(before=2)
        if hasattr(run.aggregate, "terminate"):
            result = run.aggregate.terminate()
            return not inspect.isgenerator(result)
    except (TypeError, AttributeError, LookupError):
        return False
    except Exception:
        return True
    return True


# Tuples


def tuples(arguments: list[Values] | Strategy, which: str, nulls: str) -> Strategy | None:
    """Tuples whose values are "plain", "odd" or "huge"; None where no argument has such values."""
    if not isinstance(arguments, list):
        return arguments if which == "plain" else None
    own = [getattr(argument, which) for argument in arguments]
    if which != "plain" and all(one is None for one in own):
        return None
    columns = [argument.plain if one is None else one for one, argument in zip(own, arguments, strict=True)]
    if nulls == "pass":
        columns = [st.one_of(column, st.none()) for column in columns]
    return st.tuples(*columns)


def is_finite(row: Sequence[Any]) -> bool:
    """Whether no value of a tuple is NaN or infinite."""
    return all(not isinstance(value, float) or math.isfinite(value) for value in row)


def largest(rows: Sequence[Sequence[Any]]) -> float:
    """The largest absolute value of a number in the tuples; infinite values do not count."""
    numbers = [abs(float(v)) for row in rows for v in row if isinstance(v, (int, float, Decimal)) and v == v]
    return max((number for number in numbers if number != math.inf), default=0.0)
