"""Attributes as bytes come back equal in value and in type, whatever the state before was; what is not plain is pickled."""

import doctest
import math
from decimal import Decimal
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _states
from inwindow.native._states import packed, unpacked
from inwindow.runtime import states


class Plain:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Slots:
    __slots__ = ("__dict__", "__weakref__", "a", "b")

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


class MoreSlots(Slots):
    __slots__ = ("c",)


class Costly(Plain):
    def __new__(cls, *args: Any, **kwargs: Any) -> "Costly":
        if not kwargs:
            raise TypeError("only with attributes")
        return super().__new__(cls)


class Own(Slots):
    """Pickled in its own way."""

    __slots__ = ()

    def __getstate__(self) -> Any:
        return None, {"a": "its own"}


class Colour(IntEnum):
    RED = 1


def contents(aggregate: Any) -> Any:
    names = [*vars(aggregate), *(name for name in "abc" if name not in vars(aggregate) and hasattr(aggregate, name))]
    return {name: exact(getattr(aggregate, name)) for name in names}


def exact(value: Any) -> Any:
    """A value with all its types; NaN is NaN, and -0.0 is not 0.0."""
    if isinstance(value, dict):
        return type(value), [(exact(name), exact(item)) for name, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [exact(item) for item in value]
    return type(value), repr(value)


def sent(aggregates: list[Any], cut: int = 0) -> list[Any]:
    prototype: Any = next(filter(None, aggregates), Plain())
    return states.aggregates_of(prototype, states.column_of(aggregates).slice(cut))


INTEGERS = st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63), 2**63, 1 << 70])
FLOATS = st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 5e-324])
SCALARS = st.one_of(
    INTEGERS, FLOATS, st.booleans(), st.none(), st.sampled_from(["", "é", "a b:c", "\0", "\udcff"]),
    st.sampled_from([np.float64(1.5), np.int64(3), np.bool_(True), Colour.RED, Decimal("1.50"), b"bytes"]),
)  # fmt: skip
OF_ONE_KIND = st.one_of(
    *(st.lists(kind, max_size=3) for kind in (INTEGERS, FLOATS, st.booleans(), st.none(), st.text(max_size=2)))
)
MIXED = st.recursive(
    st.one_of(SCALARS, OF_ONE_KIND, st.dictionaries(st.text(max_size=2), FLOATS, max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(INTEGERS, inner, max_size=2)),
    max_leaves=4,
)  # fmt: skip
ATTRIBUTES = st.dictionaries(st.sampled_from(["a", "b", "c", "not a name"]), MIXED, max_size=3)


@pytest.mark.parametrize("kind", [Plain, Slots, MoreSlots])
@given(data=st.data())
def test_there_and_back(kind: Any, data: st.DataObject) -> None:
    given = data.draw(st.lists(st.one_of(st.none(), ATTRIBUTES), max_size=6))
    aggregates = [None if attributes is None else kind(**attributes) for attributes in given]
    cut = data.draw(st.integers(0, len(given)))
    back = sent(aggregates, cut)
    assert [one and (type(one), contents(one)) for one in back] == [
        one and (kind, contents(one)) for one in aggregates[cut:]
    ]
    assert all(one is not other for one, other in zip(back, aggregates[cut:], strict=True) if one)


def is_plain(**attributes: Any) -> bool:
    pickled: list[Any] = []
    packed([Plain(**attributes)], lambda one: pickled.append(one) or b"")
    return not pickled


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        1 << 63,
        True,
        None,
        "é",
        b"",
        [1, 1.5],
        [[1]],
        {"a": [(), {}]},
        {1},
        Decimal(1),
        np.float64(1),
        np.arange(3),
    ],
    ids=repr,
)
def test_what_is_plain(value: Any) -> None:
    assert is_plain(a=value, b=1)


@pytest.mark.parametrize(
    "value", [object(), Colour.RED, "\ud800", Plain(), [Plain()]], ids=lambda value: type(value).__name__
)
def test_what_is_pickled(value: Any) -> None:
    assert not is_plain(a=1.5, b=value)


def test_two_attributes_that_are_one_list_stay_one() -> None:
    one = Plain(a=[1])
    one.b = one.a  # type: ignore[attr-defined]
    (back,) = sent([one])
    assert back.a is back.b == [1]


def test_types_may_vary_from_state_to_state() -> None:
    back = sent([Plain(a=0), Plain(a=0.5), None, Plain(a=1 << 64), Plain(a=None), Plain(b=1), Plain()])
    assert [one and vars(one) for one in back] == [
        {"a": 0},
        {"a": 0.5},
        None,
        {"a": 1 << 64},
        {"a": None},
        {"b": 1},
        {},
    ]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "ab", "a" * 300]), unique=True, max_size=4), max_size=6))
def test_names_may_vary_from_state_to_state(names: list[list[str]]) -> None:
    many = [Plain(**dict.fromkeys(its, 1)) for its in names]
    assert [list(vars(one)) for one in sent(many)] == names


@pytest.mark.parametrize(
    "damage", [b"\x01", b"\x01n", b"\x01a\1\0\0\0s\1", b"\x01a\0\0\0\0n", b"\x01a\1\0\0\0nn"], ids=repr
)
def test_bytes_that_are_no_state_are_refused(damage: bytes) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpacked(Plain(), [damage], None)


def test_an_aggregate_that_holds_its_own_attributes() -> None:
    one = Plain(a=1)
    one.all = vars(one)  # type: ignore[attr-defined]
    (back,) = sent([one])
    assert back.a == back.all["a"] == 1


def test_a_class_with_its_own_way_keeps_it() -> None:
    (back,) = sent([Own(a=1)])
    assert back.a == "its own"


def test_a_class_is_made_without_its_new() -> None:
    (back,) = sent([Costly(a=1)])
    assert type(back) is Costly and back.a == 1


def test_deep_tuples_are_pickled() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = (deep,)
    assert not is_plain(a=deep)


def test_examples() -> None:
    assert doctest.testmod(_states).failed == 0
