"""Copies of an aggregate share nothing that can change, and miss nothing."""

import doctest
import pickle
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from inwindow.native import _fresh
from inwindow.native._fresh import freeze, fresh, thaw

TIMES = [date(1, 1, 1), datetime.now(UTC), timedelta(1)]
SHARED = [None, True, 1 << 70, 1.5, "text", b"bytes", Decimal("1.5"), *TIMES, (1, ("a", None))]
COPIED = [[1], {"a": [1]}, {1}, ([1], 2), Counter("aab"), bytearray(b"x")]


class Plain:
    pass


class Slotted:
    __slots__ = ("inwindow", "value")


class SlottedWithDict:
    __slots__ = ("__dict__", "slot")


class Extended(list):
    pass


class Frozen:
    """Refuses to be assigned to, like a frozen dataclass."""

    def __setattr__(self, name, value):
        raise AttributeError(name)


class OwnWay:
    def __deepcopy__(self, memo):
        copy = OwnWay()
        copy.value = "its own way"
        return copy


@pytest.mark.parametrize("value", SHARED, ids=[type(value).__name__ for value in SHARED])
def test_what_cannot_change_is_shared(value):
    prototype = Plain()
    prototype.value = value
    assert fresh(prototype).value is value


@pytest.mark.parametrize("kind", [Plain, Slotted])
@pytest.mark.parametrize("value", COPIED, ids=[type(value).__name__ for value in COPIED])
def test_what_can_change_is_copied(kind, value):
    prototype = kind()
    prototype.value = value
    copy = fresh(prototype)
    assert copy.value == value
    assert copy.value is not value


def test_a_subclass_of_a_scalar_can_change():
    class Labelled(str):
        pass

    prototype = Plain()
    prototype.value = Labelled("a")
    assert fresh(prototype).value is not prototype.value


def test_what_refers_to_itself_or_twice_to_one_thing():
    prototype = Plain()
    prototype.a = prototype.b = [1]
    prototype.me = [prototype]
    prototype.method = prototype.__repr__
    copy = fresh(prototype)
    assert copy.a is copy.b
    assert copy.me == [copy]
    assert copy.method.__self__ is copy


def test_slots_beside_a_dict_and_builtin_bases():
    mixed = SlottedWithDict()
    mixed.slot, mixed.attribute = [1], [2]
    copy = fresh(mixed)
    assert (copy.slot, copy.attribute) == ([1], [2])
    assert copy.slot is not mixed.slot
    extended = Extended([[1], 2])
    assert fresh(extended) == extended
    assert fresh(extended)[0] is not extended[0]


def test_a_class_may_copy_in_its_own_way():
    assert fresh(OwnWay()).value == "its own way"


def test_a_class_that_refuses_assignment():
    prototype = Frozen()
    vars(prototype)["value"] = [1]
    assert fresh(prototype).value == [1]


@pytest.mark.parametrize("kind", [Plain, Slotted])
def test_inwindow_is_never_copied(kind):
    prototype = kind()
    prototype.inwindow, prototype.value = [object()], 1
    copy = fresh(prototype)
    assert not hasattr(copy, "inwindow")
    assert (copy.value, len(prototype.inwindow)) == (1, 1)


@pytest.mark.parametrize("kind", [Plain, SlottedWithDict, OwnWay])
def test_freeze_and_thaw(kind):
    aggregate = kind()
    aggregate.value = [1, {"a": 2}]
    thawed = thaw(kind(), pickle.loads(pickle.dumps(freeze(aggregate))))
    assert type(thawed) is kind
    assert thawed.value == aggregate.value
    assert thaw(kind(), freeze(None)) is None


def test_what_is_frozen_has_no_inwindow():
    aggregate = Plain()
    aggregate.value, aggregate.inwindow = 1, object()
    assert freeze(aggregate) == {"value": 1}


def test_docstrings():
    assert doctest.testmod(_fresh).failed == 0
