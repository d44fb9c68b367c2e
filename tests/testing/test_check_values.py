"""``iw.testing.check`` draws what is near zero, and near what the class itself names: a fault at one value is found there."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any

import pytest
from hypothesis import settings

import inwindow as iw
from inwindow.testing.constants import constants_of

UNLUCKY = 271
NAMED = {"a table": {"kiwi": 1}}


class Faulty(iw.WindowAggregate, abstract=True):
    """A count that does not go down again where ``is_odd`` says so."""

    def iterate(self, value):
        self.count = getattr(self, "count", 0) + 1

    def expire(self, value):
        self.count -= 0 if self.is_odd(value) else 1

    def terminate(self) -> int:
        return self.count


class NearZero(Faulty):
    """A number that stands nowhere."""

    def is_odd(self, value):
        return value * value == 169


class InACode(Faulty):
    def is_odd(self, value):
        return value == 4711


class InATuple(Faulty):
    def is_odd(self, value):
        return value in (812, 813)


class BesideIt(Faulty):
    def is_odd(self, value):
        return 99 < value < 101


class InTheClass(Faulty):
    limit = 733

    def is_odd(self, value):
        return value == self.limit


class OfAParameter(Faulty):
    def __init__(self, limits):
        self.limits = limits

    def is_odd(self, value):
        return value in self.limits


class OfADefault(Faulty):
    def is_odd(self, value, *, limit=655):
        return value == limit


class OfTheModule(Faulty):
    def is_odd(self, value):
        return _is_unlucky(value)


def _is_unlucky(value: Any) -> bool:
    return value == UNLUCKY


class InATable(Faulty):
    def is_odd(self, value):
        return value in NAMED["a table"]


def _closed(limit: Any) -> Any:
    class OfAClosure(Faulty):
        def is_odd(self, value):
            return value == limit

    return OfAClosure()


class OfALength(Faulty):
    def is_odd(self, value):
        return len(value) == 13


class OfADay(Faulty):
    def is_odd(self, value):
        return value.day == 13


class Shade(Enum):
    DARK = 4242


class InAnEnum(Faulty):
    def is_odd(self, value):
        return value == Shade.DARK.value


class ByAFunction(Faulty):
    def __init__(self, function):
        self.function = function

    def is_odd(self, value):
        return self.function(value)


@dataclass
class Limit:
    """Called as a function."""

    at: int

    def is_reached(self, value: Any) -> bool:
        return value == self.at


class OnALeapDay(Faulty):
    def is_odd(self, value):
        return (value.month, value.day) == (2, 29)


class OfADecimal(Faulty):
    def is_odd(self, value):
        return value == Decimal("19.99")


class BelowIt(Faulty):
    def is_odd(self, value):
        return 0 < value < 1e-9


# Values that stand nowhere, and of each type one that the class names: looked for by a check.
FAULTS: list[tuple[Any, Any]] = [
    (NearZero(), int), (NearZero(), float), (NearZero(), "decimal(10,2)"), (NearZero(), "tinyint"), (InACode(), int),
    (InACode(), float), (BesideIt(), float), (OfAParameter({"pear", "fig"}), str), (OfAParameter((0.3,)), float),
    (_closed(b"plum"), bytes), (_closed(date(2031, 7, 4)), date), (_closed(datetime(2031, 7, 4, 12)), datetime),
    (_closed(timedelta(hours=7)), timedelta), (_closed(-13), int), (OnALeapDay(), date), (OnALeapDay(), datetime),
    (OfADecimal(), "decimal(10,2)"), (BelowIt(), float), (_closed(17), "smallint"), (OfALength(), str), (OfADay(), date),
]  # fmt: skip
# Wherever it is named it is found there; what a check does with it is the same.
NAMES: list[tuple[Any, Any, Any]] = [
    (InATuple(), int, 812), (BesideIt(), int, 99), (InTheClass(), int, 733), (OfAParameter([5150]), int, 5150),
    (OfADefault(), int, 655), (OfAParameter((Decimal("2.71"),)), "decimal(10,2)", Decimal("2.71")), (OfTheModule(), int, UNLUCKY),
    (InATable(), str, "kiwi"), (_closed(1234), int, 1234), (_closed("plum"), str, "plum"), (InAnEnum(), int, 4242),
    (ByAFunction(lambda value: value == 2718), int, 2718), (ByAFunction((1618).__eq__), int, 1618),
    (ByAFunction(partial(lambda limit, value: limit == value, 577)), int, 577),
    (ByAFunction(Limit(8128).is_reached), int, 8128),
]  # fmt: skip
IS_THOROUGH = settings.get_current_profile_name() == "thorough"
CHECKED = FAULTS + [(aggregate, kind) for aggregate, kind, _ in NAMES] if IS_THOROUGH else FAULTS


@pytest.mark.parametrize(("aggregate", "kind"), CHECKED, ids=lambda its: getattr(type(its), "__name__", str(its)))
def test_a_fault_at_one_value_is_found(aggregate: Any, kind: Any) -> None:
    with pytest.raises(iw.testing.BrokenPromise) as caught:
        iw.testing.check(aggregate, values=kind, seed=0)
    assert caught.value.law == "expire undoes iterate" and len(caught.value.tuples) == 2


@pytest.mark.parametrize(("aggregate", "value"), [(one, value) for one, _, value in NAMES])
def test_a_value_is_found_where_it_is_named(aggregate: Any, value: Any) -> None:
    assert value in constants_of(aggregate)


def test_what_a_class_names() -> None:
    assert 733 in constants_of(InTheClass())
    assert {5150, 1} <= {*constants_of(OfAParameter([5150]))}
    assert 271 in constants_of(OfTheModule()) and "kiwi" in constants_of(InATable())
    assert "A count that does not go down again where ``is_odd`` says so." not in constants_of(InTheClass())
