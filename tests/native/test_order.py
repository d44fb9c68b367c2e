"""Levels against numpy's and Python's sorts: many rows, long keys, heavy ties, and where a look must see a descent."""

import doctest

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _order
from inwindow.native._order import Levels

MANY = 50_000
RNG = np.random.default_rng(18)


def spread(rows: int) -> np.ndarray:
    return RNG.integers(-(2**63), 2**63, rows)


DRAWN = {
    "one value": lambda n: np.full(n, 7),
    "two values": lambda n: RNG.integers(0, 2, n) * 2**62,
    "few": lambda n: RNG.integers(0, 64, n),
    "many": lambda n: RNG.integers(0, n // 10, n),
    "all bits": spread,
    "all bits, each ten times": lambda n: RNG.choice(spread(n // 10), n),
    "an outlier": lambda n: np.append(RNG.integers(0, 1000, n - 1), 2**63 - 1),
    "low bits are the same": lambda n: RNG.integers(0, 1000, n) * 2**20 + 5,
    "ascending": np.arange,
    "descending": lambda n: -np.arange(n),
    "runs": lambda n: np.arange(n) % (n // 8),
}


@pytest.mark.parametrize("second", DRAWN)
@pytest.mark.parametrize("first", DRAWN)
def test_two_columns_of_integers(first, second):
    a, b = DRAWN[first](MANY), DRAWN[second](MANY)
    levels = Levels([(pa.array(a), True, True), (pa.array(b), True, True)])
    expected = np.lexsort((b, a))
    ascending = bool((expected == np.arange(MANY)).all())
    assert levels.ascend(0) == ascending
    assert (levels.sorted(0, 2) == expected).all()
    order, starts = levels.groups()
    assert (order is None) == ascending
    a_and_b = np.stack([a, b])[:, expected]
    assert (starts == np.flatnonzero(np.append(True, (a_and_b[:, 1:] != a_and_b[:, :-1]).any(axis=0)))).all()

    groups, first_rows = np.unique(a, return_index=True)
    seen = np.argsort(np.argsort(first_rows))[np.searchsorted(groups, a)]  # numbers in the order of appearance
    assert (Levels([(pa.array(a), True, True)]).numbers()[0] == seen).all()
    assert (Levels([(pa.array(a), True, True)]).ranks()[0] == np.searchsorted(groups, a)).all()


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_keys_of_many_words(columns):
    """Groups of ties of all sizes, level after level."""
    its = [RNG.choice([0, 1, 2**40, 2**63 - 1, -1], MANY) for _ in range(columns)]
    levels = Levels([(pa.array(column), True, True) for column in its])
    assert (levels.sorted(0, columns) == np.lexsort(its[::-1])).all()
    seen: dict[tuple[int, ...], int] = {}
    numbers, count = levels.numbers()
    rows = zip(*(column.tolist() for column in its), strict=True)
    assert numbers.tolist() == [seen.setdefault(row, len(seen)) for row in rows]
    assert count == len(seen)


@pytest.mark.parametrize("begin", ["", "https://a.long/beginning/of/all/"])
@pytest.mark.parametrize("distinct", [3, 1000, MANY])
def test_texts(begin, distinct):
    words = [begin + "ab" * int(n % 40) + f"{n:05}" + "\0" * int(n % 3) for n in range(distinct)]
    texts = [words[n].encode() for n in RNG.integers(0, distinct, MANY)]
    expected = sorted(range(MANY), key=texts.__getitem__)
    for kind in (pa.binary(), pa.large_binary()):
        levels = Levels([(pa.array(texts, kind), True, True)])
        assert levels.sorted(0, 1).tolist() == expected
        assert not levels.ascend(0)
        assert Levels([(pa.array([texts[row] for row in expected], kind), True, True)]).ascend(0)
        numbers, count = levels.numbers()
        seen: dict[bytes, int] = {}
        assert numbers.tolist() == [seen.setdefault(text, len(seen)) for text in texts]
        assert count == len(seen)
    backward = Levels([(pa.array(texts), False, True)]).sorted(0, 1)
    assert backward.tolist() == sorted(range(MANY), key=texts.__getitem__, reverse=True)


def test_equal_texts_of_a_megabyte_and_one_that_differs_at_the_end():
    long = b"x" * 1_000_000
    texts = [long + b"b", long, long + b"a", long + b"b", long, b"x" * 999_999]
    assert Levels([(pa.array(texts), True, True)]).sorted(0, 1).tolist() == [5, 1, 4, 2, 0, 3]


def test_each_text_is_the_beginning_of_the_next():
    texts = ["x" * n for n in range(3000)]
    order = RNG.permutation(len(texts))
    assert (Levels([(pa.array([texts[n] for n in order]), True, True)]).sorted(0, 1) == np.argsort(order)).all()


@pytest.mark.parametrize("rows", [1, 2, 1023, 1024, 1025, 1026, 2048, 2049, 5000])
def test_a_look_sees_a_descent_wherever_it_is(rows):
    values = np.arange(rows)
    assert Levels([(pa.array(values), True, True)]).ascend(0)
    for at in {1, rows // 2, rows - 1, 1023, 1024, 1025} & set(range(1, rows)):
        wrong = values.copy()
        wrong[at] = -1
        texts = pa.array([f"{value + 1:09}" for value in wrong])
        for array in (pa.array(wrong), pa.array(wrong, mask=wrong < 0), texts, pa.array(wrong).cast(pa.decimal128(38))):
            constant = pa.array(np.zeros(rows))
            assert not Levels([(array, True, True)]).ascend(0)
            assert not Levels([(constant, True, True), (array, True, True)]).ascend(0)
            assert Levels([(array, True, True), (constant, True, True)]).ascend(1)


@given(st.lists(st.one_of(st.none(), st.sampled_from([-(2**63), 2**63 - 1, 0])), min_size=1), st.booleans())
def test_all_of_64_bits_and_null(values, nulls_first):
    """65 bits."""
    levels = Levels([(pa.array(values, pa.int64()), True, nulls_first)] * 2)
    end = -1 if nulls_first else 1
    placed = [(end, 0) if value is None else (0, value) for value in values]
    assert levels.sorted(0, 1).tolist() == sorted(range(len(values)), key=placed.__getitem__)
    seen: dict[object, int] = {}
    assert levels.numbers()[0].tolist() == [seen.setdefault(value, len(seen)) for value in values]


@pytest.mark.parametrize("array", [pa.array([[1]]), pa.array([True])], ids=str)
def test_what_has_no_order_and_what_does_not_match(array):
    with pytest.raises(TypeError, match="no order of (list|bool)"):
        Levels([(array, True, True)])
    with pytest.raises(ValueError, match="levels of 1 and 2 rows"):
        Levels([(pa.array([1]), True, True), (pa.array([1, 2]), True, True)])


def test_doctests():
    assert doctest.testmod(_order).failed == 0
