"""Plain values as bytes: back in value, type and sharing; and what is not plain."""

import contextlib
import doctest
import math
import pickle
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _plain
from inwindow.native._plain import are_plain
from inwindow.runtime.plain import from_plain as from_bytes
from inwindow.runtime.plain import to_plain as as_bytes

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


class Somewhere(tzinfo):
    """A zone of the user's."""

    def utcoffset(self, moment: Any) -> timedelta:
        return timedelta(hours=1)


class Counted(Counter[str]):
    """A Counter that is more."""


WITHIN_ITSELF: deque[Any] = deque()
WITHIN_ITSELF.append(WITHIN_ITSELF)
SHARED: list[int] = [1]
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
DEEP: Any = 0
for _ in range(100):
    DEEP = (DEEP,)


@pytest.mark.parametrize(
    "value",
    [
        Pair(1, 2), Whole(1), "\ud800", {"a": "\udfff"}, {Whole(1)}, DEEP, WITHIN_ITSELF, object, defaultdict(lambda: 0),
        datetime(2026, 1, 1, tzinfo=Somewhere()), np.array([object()]), Counted(a=1),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_others_are_for_the_caller(value: Any) -> None:
    assert as_bytes([value, (0, value), 7]) == [None, None, *as_bytes([7])]


KNOWN = [
    1 << 63,
    -(1 << 63) - 1,
    1 << 700,
    1.5 - 2j,
    Decimal("1.00"),
    Decimal("-Infinity"),
    Fraction(-1, 3),
    date(1, 1, 1),
    datetime(2026, 1, 1, 1, 2, 3, 4),
    datetime(2026, 1, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Rome")),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2), "here")),
    time(1, 2, 3, 4),
    time(1, tzinfo=UTC),
    timedelta(-1, 5, 7),
    UUID(int=5),
    range(1, 9, 2),
    {1, "a", (2,)},
    frozenset({1.5}),
    bytearray(b"a"),
    deque([1, [2]], maxlen=3),
    deque(),
    defaultdict(list, {"a": [1]}),
    defaultdict(int),
    OrderedDict([(2, 1), (1, 2)]),
    Counter("aab"),
    np.float64(1.5),
    np.int8(-3),
    np.bool_(True),
    np.datetime64("2026-01-01T00:00", "us"),
    np.str_("é"),
    np.arange(6.0).reshape(2, 3)[:, 1:],
    np.array(["a", "bc"]),
    np.array(5),
    np.zeros((0, 2), np.int8),
    {"a": {1: {2}}},
    [deque([{3}])],
]


@pytest.mark.parametrize("value", KNOWN, ids=lambda value: type(value).__name__)
def test_further_types_come_back(value: Any) -> None:
    (content,) = as_bytes([value])
    assert content is not None
    (back,) = from_bytes([content])
    assert type(back) is type(value) and repr(back) == repr(value)
    assert getattr(back, "dtype", None) == getattr(value, "dtype", None)
    assert pickle.dumps(back) == pickle.dumps(pickle.loads(pickle.dumps(value))) or isinstance(value, np.ndarray)


ARROW = [
    pa.array([1, None, 3]),
    pa.array(["a", None]).slice(1),
    pa.array([[1], None]),
    pa.array([{"a": 1}]),
    pa.array(["a", "b"]).dictionary_encode(),
    pa.array([datetime(2026, 1, 1)], pa.timestamp("us", "Europe/Rome")),
    pa.nulls(2),
    pa.record_batch({"a": [1, 2]}).slice(1),
]


@pytest.mark.parametrize("value", ARROW, ids=lambda value: type(value).__name__)
def test_arrow_comes_back(value: Any) -> None:
    (back,) = from_bytes(as_bytes([value]))
    assert back.equals(value)
    assert (back.schema if isinstance(value, pa.RecordBatch) else back.type) == (
        value.schema if isinstance(value, pa.RecordBatch) else value.type
    )


def test_what_is_shared_is_shared_again() -> None:
    numbers, items = np.arange(3), {1}
    many: list[Any] = [[] for _ in range(40)]
    given = [SHARED, (SHARED, {"a": SHARED}), numbers, items, ENDLESS, *many, [numbers, items], *many]
    (back,) = from_bytes(as_bytes([given]))
    assert back[0] is back[1][0] is back[1][1]["a"]
    assert back[4][0] is back[4]
    assert back[2] is back[45][0] and back[3] is back[45][1]
    assert all(one is other for one, other in zip(back[5:45], back[46:], strict=True))
    assert len({id(one) for one in back[5:45]}) == 40


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


@given(values(2), st.data())
def test_whatever_is_changed_is_a_value_or_an_error(value: Any, data: st.DataObject) -> None:
    """Bytes that somebody made: a value, or an Exception; never a crash, and no code runs."""
    (content,) = as_bytes([(value, {1}, deque([2]), np.arange(2))])
    assert content is not None
    at = data.draw(st.integers(1, len(content) - 1))
    changed = content[:at] + bytes([data.draw(st.integers(0, 255))]) + content[at + 1 :]
    with contextlib.suppress(Exception):
        from_bytes([changed])


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="behind their value"):
        from_bytes([*as_bytes([1]), as_bytes([1])[0] + b"n"])
    with pytest.raises(ValueError, match="unknown type"):
        from_bytes([b"\x01x?n"])
    with pytest.raises(ValueError, match="has not come"):
        from_bytes([b"\x01=\x00\x00\x00\x00"])
    with pytest.raises(ValueError, match="too deep"):
        from_bytes([b"\x01" + b"(\x01\x00\x00\x00" * 100_000])
    with pytest.raises(ValueError, match="unknown kind"):
        from_bytes([b"\x01?"])


def test_the_examples_run() -> None:
    assert doctest.testmod(_plain).failed == 0
