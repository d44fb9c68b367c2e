"""Plain values as bytes: back in value, type and sharing; and what is not plain."""

import doctest
import math
import pickle
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _plain
from inwindow.native._plain import are_plain, as_bytes, from_bytes

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.sampled_from([-129, -128, 127, 128, -(1 << 63), (1 << 63) - 1]),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.sampled_from(["a" * 255, "a" * 256, b"b" * 255, b"b" * 256, "é" * 128]),
)


def is_key(value: Any) -> bool:
    """A key of a dict that finds itself again: NaN does not."""
    return not (isinstance(value, float) and math.isnan(value))


def values(depth: int) -> st.SearchStrategy[Any]:
    """Scalars, and tuples, lists and dicts of values."""
    if not depth:
        return SCALARS
    items = values(depth - 1)
    keys = st.one_of(SCALARS, st.lists(SCALARS.filter(is_key), max_size=2).map(tuple)).filter(is_key)
    return st.one_of(
        SCALARS,
        st.lists(items, max_size=4),
        st.lists(items, max_size=4).map(tuple),
        st.dictionaries(keys, items, max_size=4),
    )


def told(value: Any) -> Any:
    """A value with its types, so that True is not 1 nor 0.0 -0.0; NaN is NaN; the order of a dict counts."""
    if isinstance(value, dict):
        return "dict", [(told(key), told(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [told(item) for item in value]
    return type(value), repr(value)


@given(st.lists(values(3), max_size=6))
def test_back_in_value_and_type(given: list[Any]) -> None:
    contents = as_bytes(given)
    assert None not in contents and all(map(are_plain, contents))
    back = from_bytes(contents)
    assert told(back) == told(given)
    assert told(back) == told(pickle.loads(pickle.dumps(given)))


class Pair(NamedTuple):
    """A tuple that is more."""

    a: int
    b: int


class Whole(int):
    """An int that is more."""


SHARED: list[int] = [1]
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
DEEP: Any = 0
for _ in range(100):
    DEEP = (DEEP,)


@pytest.mark.parametrize(
    "value",
    [
        1 << 63, -(1 << 63) - 1, Decimal(1), date(2026, 1, 1), Pair(1, 2), Whole(1), {1}, frozenset({1}), 1j, np.float64(1.5),
        bytearray(b"a"), "\ud800", {"a": "\udfff"}, [SHARED, SHARED], (SHARED, {"a": SHARED}), ENDLESS, DEEP,
        [[] for _ in range(65)], object,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_others_are_for_the_caller(value: Any) -> None:
    assert as_bytes([value, (0, value), 7]) == [None, None, *as_bytes([7])]


def test_a_list_may_be_in_two_values() -> None:
    one, other = from_bytes(as_bytes([(SHARED, 1), (SHARED, 2)]))
    one[0].append(2)
    assert (one, other) == (([1, 2], 1), ([1], 2))


def test_pickles_are_told_apart() -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert not are_plain(pickle.dumps((1, "a"), protocol))
    assert not are_plain(b"")


@given(values(2), st.data())
def test_what_is_cut_off_is_refused(value: Any, data: st.DataObject) -> None:
    (content,) = as_bytes([value])
    assert content is not None
    cut = content[: data.draw(st.integers(0, len(content) - 1))]
    with pytest.raises(ValueError, match="cut off|plain value"):
        from_bytes([cut])


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        from_bytes([b"\x01?"])


def test_the_examples_run() -> None:
    assert doctest.testmod(_plain).failed == 0
