"""FloatMode, IntMode and ObjectMode against a Counter of every frame, cut into calls anywhere; cascades of them."""

import doctest
import math
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import (
    CUTS,
    again,
    bounds_of,
    calls_of,
    filled,
    frames_of,
    rolled_in_calls,
    steps_of,
    with_slices_of,
)

from inwindow.native import _distinct, _modes
from inwindow.native._distinct import FloatDistinct, IntDistinct
from inwindow.native._modes import FloatMode, IntMode, ObjectMode
from inwindow.native.list_partials import Flattened

FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.5]) | st.floats()
INTS = st.none() | st.integers(-3, 3) | st.sampled_from([-(2**63), 1 - 2**63, 2**63 - 1])
OBJECTS = st.sampled_from([None, 2, 2.0, True, -1, Decimal(7), Fraction(1, 3), 0.0, -0.0]) | st.just("nan").map(float)
STEPS = steps_of(5, 60)
TYPES = {FloatMode: pa.float64(), IntMode: pa.int64()}
LEVELS = {
    FloatMode: lambda evicts: FloatMode(evicts=evicts).of_panes(),
    IntMode: lambda evicts: IntMode(evicts=evicts).of_panes(),
    FloatDistinct: lambda evicts: Flattened(FloatDistinct(evicts=evicts)),
    IntDistinct: lambda evicts: Flattened(IntDistinct(evicts=evicts)),
}


def rank_of(value):
    """Spark's order: NaN is the largest, and all of them are the same."""
    return (True, 0) if value != value else (False, value)


def mode_of(values):
    """What a kernel says, as (is it NaN, the value); None where there is none."""
    counts = Counter(rank_of(value) for value in values if value is not None)
    return min(counts, key=lambda rank: (-counts[rank], rank), default=None)


def count_of(values):
    return len({rank_of(value) for value in values if value is not None})


def ranks_of(modes):
    return [None if mode is None else rank_of(mode) for mode in modes]


def check_column(kind, values, steps, cuts, evicts):
    frames = frames_of(steps, evicts)
    array = pa.array(filled(values, frames), TYPES[kind])

    expected = [mode_of(array[lo:up].to_pylist()) for lo, up in frames]
    for part, result in rolled_in_calls(lambda: kind(evicts=evicts), frames, cuts, evicts, with_slices_of(array)):
        assert result.type == array.type
        assert ranks_of(result.to_pylist()) == expected[part]


@given(st.lists(FLOATS, min_size=1), STEPS, CUTS, st.booleans())
def test_floats(values, steps, cuts, evicts):
    check_column(FloatMode, values, steps, cuts, evicts)


@given(st.lists(INTS, min_size=1), STEPS, CUTS, st.booleans())
def test_ints(values, steps, cuts, evicts):
    check_column(IntMode, values, steps, cuts, evicts)


@given(st.lists(st.tuples(OBJECTS, st.booleans()), min_size=1), STEPS, CUTS, st.booleans(), st.booleans())
def test_objects(rows, steps, cuts, evicts, masked):
    frames = frames_of(steps, evicts)
    rows = filled(rows, frames)
    values = [value for value, _ in rows]
    seen = np.array([seen for _, seen in rows], np.uint8) if masked else None

    def call(method, base, end, *bounds):
        return method([values[base:end]], base, None if seen is None else seen[base:end], *bounds)

    expected = [mode_of([value for value, counts in rows[lo:up] if counts or not masked]) for lo, up in frames]
    for part, result in rolled_in_calls(lambda: ObjectMode(evicts=evicts), frames, cuts, evicts, call):
        assert ranks_of(result) == expected[part]


@given(
    st.sampled_from(list(LEVELS)), st.lists(FLOATS, min_size=1), st.lists(INTS, min_size=1), STEPS, STEPS, CUTS,
    st.booleans(),
)  # fmt: skip
def test_cascades(kind, floats, ints, slots, steps, cuts, evicts):
    """Panes of any length, also of none, cut and put together again as the caller likes."""
    array = pa.array(floats, pa.float64()) if kind in (FloatMode, FloatDistinct) else pa.array(ints, pa.int64())
    edges = [min(edge, len(array)) for edge in np.cumsum([0] + [up for _, up in slots]).tolist()]
    panes = list(zip(edges[:-1], edges[1:], strict=True))
    middle = len(panes) // 2
    first = kind(evicts=False)
    levels = [first.roll_partials(array, 0, *bounds_of(panes[:middle]))]
    levels.append(again(lambda: kind(evicts=False), first).roll_partials(array, 0, *bounds_of(panes[middle:])))
    partials = [pa.concat_arrays(pair) for pair in zip(*levels, strict=True)]

    frames = [(min(lo, len(panes)), min(up, len(panes))) for lo, up in frames_of(steps, evicts)]
    second, frames = LEVELS[kind](evicts=evicts), [(lo, up) for lo, up in frames if lo < up]
    held = evicts or kind not in TYPES  # Flattened wants the panes of the frame
    for part, base, end in calls_of(frames, cuts, held):
        given_ = tuple(rows.slice(base, end - base) for rows in partials)
        result = second.roll(given_, base, *bounds_of(frames[part])).to_pylist()
        for (lo, up), one in zip(frames[part], result, strict=True):
            values = array[edges[lo] : edges[up]].to_pylist()
            if kind in TYPES:
                assert (None if one is None else rank_of(one)) == mode_of(values)
            else:
                assert one == count_of(values)
        second = again(lambda: LEVELS[kind](evicts=evicts), second)


SHAPES = {
    "few": lambda random, n: random.integers(0, 5, n),
    "many": lambda random, n: random.integers(0, 200, n),
    "distinct": lambda random, n: random.permutation(n) - n // 2,
    "ascending": lambda random, n: np.arange(n),
    "descending": lambda random, n: -np.arange(n),
    "blocks": lambda random, n: np.arange(n) // 700 % 2,
    "cyclic": lambda random, n: np.arange(n) % 350,
    "skewed": lambda random, n: random.geometric(0.01, n),
    "few, then distinct": lambda random, n: np.where(np.arange(n) < n // 2, 7, np.arange(n)),
}


@pytest.mark.parametrize("size", [1, 10, 333, 2000])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape, size):
    column = SHAPES[shape](np.random.default_rng(0), 4000)
    end = np.arange(1, 4001)
    start = np.maximum(end - size, 0)
    kernel, values, counts = IntMode(), column.tolist(), Counter()
    result = []
    for begin in range(0, 4000, 400):
        result += kernel.roll(pa.array(column), 0, start[begin : begin + 400], end[begin : begin + 400]).to_pylist()
        kernel._check()
    for position, value in enumerate(values):
        counts[value] += 1
        if position >= size:
            counts[values[position - size]] -= 1
        if position % 97 == 0:
            most = max(counts.values())
            assert result[position] == min(value for value, count in counts.items() if count == most)
    assert ObjectMode().roll([values], 0, None, start, end) == result


@pytest.mark.parametrize("values", [3, 40])
def test_as_pandas_polars_and_duckdb_have_it(values):
    column = np.random.default_rng(2).integers(0, values, 500)
    end = np.arange(1, 501)
    start = np.maximum(end - 60, 0)
    result = IntMode().roll(pa.array(column), 0, start, end).to_pylist()
    slices = [column[lo:up] for lo, up in zip(start, end, strict=True)]
    assert result == [pd.Series(part).mode()[0] for part in slices]
    assert result == [pl.Series(part).mode().min() for part in slices]
    connection = duckdb.connect()
    connection.register("frame", pd.DataFrame({"i": np.arange(500), "v": column}))
    over = "OVER (ORDER BY i ROWS 59 PRECEDING)"
    theirs = connection.sql(f"SELECT mode(v) {over}, list(v) {over} FROM frame ORDER BY i").fetchall()
    assert all(held.count(mine) == held.count(one) for mine, (one, held) in zip(result, theirs, strict=True))


@pytest.mark.parametrize("frame", [(99_990, 100_000), (100_000, 100_010)], ids=["evicted", "afresh"])
def test_room_is_given_back(frame):
    column = pa.array(np.arange(100_200))
    kernel = IntMode()
    kernel.absorb(column, 0, 0, 100_000)
    kernel.absorb(column, 0, *frame)
    end = np.arange(frame[1] + 1, frame[1] + 190)
    kernel.roll(column, 0, end - 10, end)
    kernel._check()
    assert sys.getsizeof(kernel) < 10_000


@pytest.mark.parametrize("shape", SHAPES)
def test_memory_is_that_of_a_frame(shape):
    sizes = []
    for n in 2000, 60_000:
        kernel, end = IntMode(), np.arange(1, n + 1)
        kernel.roll(pa.array(SHAPES[shape](np.random.default_rng(0), n)), 0, np.maximum(end - 300, 0), end)
        sizes.append(sys.getsizeof(kernel))
    assert sizes[1] <= 2 * sizes[0] + 20_000


def test_zeros_and_nans_of_both_signs():
    nans = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    values = pa.array(np.concatenate([[-0.0, 0.0, -1.0], nans, [math.inf]]))
    start, end = np.array([0, 0, 2, 2]), np.array([1, 3, 5, 6])
    result = FloatMode().roll(values, 0, start, end).to_pylist()
    assert str(result) == "[0.0, 0.0, nan, nan]"
    assert str(ObjectMode().roll([values.to_pylist()], 0, None, start, end)) == "[0.0, 0.0, nan, nan]"


def test_objects_that_have_no_order():
    values = [[1 + 1j, 1j]]
    with pytest.raises(TypeError, match="'<' not supported"):
        ObjectMode().roll(values, 0, None, np.array([0]), np.array([2]))
    assert ObjectMode(key=abs).roll(values, 0, None, np.array([0]), np.array([2])) == [1j]
    assert ObjectMode(key=abs, evicts=False).roll(values, 0, None, np.array([0]), np.array([2])) == [1j]


def test_an_unhashable_value():
    with pytest.raises(TypeError, match="unhashable type: .bytearray."):
        ObjectMode().roll([[bytearray()]], 0, None, np.array([0]), np.array([1]))


def test_nothing():
    none = np.array([], np.int64)
    for kind in TYPES:
        assert kind().roll(pa.array([], TYPES[kind]), 0, none, none).to_pylist() == []
        assert [rows.to_pylist() for rows in kind().roll_partials(pa.array([], TYPES[kind]), 0, none, none)] == [[], []]
    assert ObjectMode().roll([[]], 0, None, none, none) == []


COLUMNS = {
    FloatMode: (pa.array([1.0, 2.0]), 0),
    IntMode: (pa.array([1, 2]), 0),
    ObjectMode: ([["a", "b"]], 0, None),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_lower_end_that_moves_although_it_may_not(kind):
    with pytest.raises(RuntimeError, match="evicts=False, but the lower end moved from 0 to 1"):
        kind(evicts=False).roll(*COLUMNS[kind], np.array([0, 1]), np.array([2, 2]))


@pytest.mark.parametrize("module", [_modes, _distinct])
def test_the_examples_in_the_docstrings(module):
    failed, attempted = doctest.testmod(module)
    assert attempted > 0
    assert failed == 0
