"""Values into an order and back, against pyarrow's take: widths, NULLs, slices."""

import doctest

import numpy as np
import pyarrow as pa
import pytest

from inwindow.native import _moving
from inwindow.native._moving import Back, has_one_width, taken

RNG = np.random.default_rng(18)
KINDS = [
    pa.int8(),
    pa.int16(),
    pa.float32(),
    pa.int64(),
    pa.timestamp("us"),
    pa.decimal128(38, 2),
    pa.decimal256(76, 2),
]


def drawn(kind: pa.DataType, nulls: float) -> pa.Array:
    """1000 values, cut out of more."""
    numbers = pa.array(RNG.integers(0, 100, 1013), mask=RNG.random(1013) < nulls)
    return numbers.cast(pa.int64() if pa.types.is_timestamp(kind) else kind).cast(kind).slice(3, 1000)


@pytest.mark.parametrize("nulls", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_into_an_order_and_back(kind, nulls):
    values, rows = drawn(kind, nulls), RNG.permutation(1000)
    for size in (0, 1, 7, 8, 9, 1000):
        given = taken(values, rows[:size])
        given.validate(full=True)
        assert given.equals(values.take(pa.array(rows[:size])))

    back = Back(kind, 1000)
    for start in range(0, 1000, 300):
        back.put(values.slice(start, 300), rows[start : start + 300])
    given = back.column()
    given.validate(full=True)
    assert given.null_count == values.null_count
    assert given.take(pa.array(rows)).equals(values)


def test_nothing():
    assert taken(pa.array([], pa.int64()), np.zeros(0, dtype=np.int64)).equals(pa.array([], pa.int64()))
    assert Back(pa.int64(), 0).column().equals(pa.array([], pa.int64()))


def test_what_does_not_match():
    with pytest.raises(ValueError, match="2 values of int64 for 1 rows of int64"):
        Back(pa.int64(), 3).put(pa.array([1, 2]), np.array([0]))
    with pytest.raises(ValueError, match="1 values of double for 1 rows of int64"):
        Back(pa.int64(), 3).put(pa.array([1.5]), np.array([0]))
    assert not has_one_width(pa.dictionary(pa.int8(), pa.int64()))
    assert not has_one_width(pa.null())


def test_doctests():
    assert doctest.testmod(_moving).failed == 0
