"""ExtremeAt, ObjectExtremeAt and the classes over them against max() and min() with a key, cut into calls anywhere."""

import doctest
import functools
import math
import operator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, again, bounds_of, calls_of, frames_of, rolled_in_calls

from inwindow.native import _extremes_at, ordering
from inwindow.native._extremes_at import ExtremeAt, ObjectExtremeAt
from inwindow.native.extremes import Extreme, ExtremeBy, ExtremeOfPartials
from inwindow.native.ordering import comparable

FLOATS = st.sampled_from([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.0]) | st.floats()
SMALL_FLOATS = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0]) | st.floats(width=32)
INTS = st.integers(-2, 2) | st.sampled_from([-(2**63), 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1)
WIDES = st.integers(-2, 2) | st.sampled_from(
    [sign * (2**63 + more) for sign in (1, -1) for more in (-1, 0, 1, 2)] + [10**38 - 1, 1 - 10**38]
)
TEXTS = st.text("ab\0é\U0001f600", max_size=3) | st.sampled_from(["prefixes", "prefixes1", "prefixes2", "prefix", ""])
BYTES = st.binary(max_size=2) | st.sampled_from(
    [b"\xff" * 8, b"\xff" * 9, b"\xff" * 7, b"\0" * 7, b"\0" * 8, b"\0" * 9]
)
LISTS = st.lists(st.none() | st.sampled_from([math.nan, 0.0, -0.0, 1.0, -math.inf]), max_size=3)
STRUCTS = st.fixed_dictionaries({"a": st.none() | st.integers(0, 1), "b": st.none() | st.sampled_from(["", "x"])})
KINDS = {
    "double": (pa.float64(), FLOATS),
    "float": (pa.float32(), SMALL_FLOATS),
    "long": (pa.int64(), INTS),
    "tiny": (pa.int8(), st.integers(-128, 127)),
    "ulong": (pa.uint64(), st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1])),
    "bool": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates(date(1969, 12, 30), date(1970, 1, 3))),
    "timestamp": (pa.timestamp("us", "UTC"), st.datetimes(datetime(1969, 12, 31), timezones=st.just(UTC))),
    "duration": (pa.duration("us"), st.timedeltas(timedelta(-2), timedelta(2))),
    "decimal": (pa.decimal128(38, 0), WIDES.map(Decimal)),
    "string": (pa.string(), TEXTS),
    "large_string": (pa.large_string(), TEXTS),
    "binary": (pa.binary(), BYTES),
    "large_binary": (pa.large_binary(), BYTES),
    "fixed": (pa.binary(2), st.binary(min_size=2, max_size=2)),
    "list": (pa.list_(pa.float64()), LISTS),
    "struct": (pa.struct({"a": pa.int32(), "b": pa.string()}), STRUCTS),
    "nested": (pa.list_(pa.struct({"a": pa.int32(), "b": pa.string()})), st.lists(st.none() | STRUCTS, max_size=2)),
}
OPS = st.sampled_from(["min", "max"])


def compare(one, other):
    """Spark's order, said another way than the kernels do: below, at or above 0."""
    if one is None or other is None:
        return (one is not None) - (other is not None)
    if isinstance(one, dict):
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        unequal = (order for order in map(compare, one, other) if order)
        return next(unequal, len(one) - len(other))
    if isinstance(one, str):
        one, other = one.encode(), other.encode()
    if isinstance(one, float) and (one != one or other != other):
        return (one != one) - (other != other)
    return (one > other) - (one < other)


def position_of(op, values, counts, start, end):
    """The latest of the most extreme values that count."""
    best = None
    for position in range(start, end):
        if values[position] is not None and counts[position]:
            order = 0 if best is None else compare(values[position], values[best])
            if order == 0 or (order > 0) == (op == "max"):
                best = position
    return best


@st.composite
def columns(draw, kinds=tuple(KINDS)):
    """(op, ordering with an offset, its Python values, which tuples count or None, steps, cuts)."""
    type_, elements = KINDS[draw(st.sampled_from(kinds))]
    steps = draw(STEPS)
    length = sum(down + up for down, up in steps)
    few = draw(st.lists(st.none() | elements, min_size=1, max_size=30))
    values = (few * length)[:length]
    array = pa.array([few[0], *values, None], type_).slice(1, length)
    mask = draw(st.lists(st.booleans(), min_size=1, max_size=7))
    seen = np.array((mask * length)[:length], np.uint8) if draw(st.booleans()) else None
    return draw(OPS), array, array.to_pylist(), seen, steps, draw(CUTS)


def positions_of(op, values, seen, frames):
    counts = [1] * len(values) if seen is None else seen.tolist()
    return [position_of(op, values, counts, *frame) for frame in frames]


def check(make, frames, cuts, held, cut, seen, expected, equal=operator.eq):
    """``cut(base, end)`` is what the kernel is made to order there. Returns how many results were compared."""
    compared = 0

    def call(method, base, end, *bounds):
        return method(cut(base, end), base, *bounds, None if seen is None else seen[base:end])

    for part, result in rolled_in_calls(make, frames, cuts, held, call):
        assert len(result) == len(expected[part])
        assert all(map(equal, result.to_pylist(), expected[part]))
        compared += len(result)
    return compared


def slices_of(*arrays):
    def cut(base, end):
        slices = tuple(array.slice(base, end - base) for array in arrays)
        return slices if len(arrays) > 1 else slices[0]

    return cut


PLAIN = ("double", "long", "decimal", "string", "large_string", "binary", "large_binary", "timestamp", "duration")


@given(columns(PLAIN))
def test_positions(case):
    op, array, values, seen, steps, cuts = case
    frames = frames_of(steps)
    expected = positions_of(op, values, seen, frames)
    check(lambda: ExtremeAt(op), frames, cuts, True, slices_of(array), seen, expected)


@given(columns(("list", "struct", "nested", "string", "long")))
def test_positions_of_objects(case):
    op, _, values, seen, steps, cuts = case
    frames = frames_of(steps)
    keys = [comparable(value) for value in values]
    expected = positions_of(op, values, seen, frames)
    check(lambda: ObjectExtremeAt(op), frames, cuts, True, lambda base, end: keys[base:end], seen, expected)


@given(columns(), st.booleans())
def test_values_at_extremes(case, evicts):
    op, array, values, seen, steps, cuts = case
    frames = frames_of(steps, evicts)
    expected = [None if at is None else values[at] for at in positions_of(op, values, seen, frames)]

    def make():
        return Extreme(op, array.type, evicts=evicts)

    check(make, frames, cuts, evicts, slices_of(array), seen, expected, lambda x, y: compare(x, y) == 0)


@given(columns(), st.booleans(), st.sampled_from(["number", "text", "list"]))
def test_picked_values(case, evicts, picked_type):
    op, array, values, seen, steps, cuts = case
    frames = frames_of(steps, evicts)
    make_picked = {"number": lambda i: i, "text": str, "list": lambda i: [i, None]}[picked_type]
    plain = [None if i % 5 == 0 else make_picked(i) for i in range(len(values))]
    picked = pa.array(plain, {"number": pa.int16(), "text": pa.string(), "list": pa.list_(pa.int64())}[picked_type])
    expected = [None if at is None else plain[at] for at in positions_of(op, values, seen, frames)]

    def make():
        return ExtremeBy(op, array.type, evicts=evicts)

    check(make, frames, cuts, evicts, slices_of(picked, array), seen, expected)


@given(columns(), st.integers(1, 5), st.integers(1, 4), st.integers(0, 40))
def test_panes(case, size, width, cut):
    op, array, values, seen, _, _ = case
    edges = np.arange(0, len(values) + 1, size)
    panes = len(edges) - 1
    end = np.arange(1, panes + 1)
    start = np.maximum(end - width, 0)
    at = positions_of(op, values, seen, [(lo * size, up * size) for lo, up in zip(start, end, strict=True)])
    picked = pa.array(range(len(values)), pa.int64())
    cut = min(cut, panes)
    for level, column in (ExtremeBy, (picked, array)), (Extreme, array):
        partials = level(op, array.type, evicts=False).roll_partials(column, 0, edges[:-1], edges[1:], seen)
        kernel = ExtremeOfPartials(op, array.type)
        out = kernel.roll(partials, 0, start[:cut], end[:cut]).to_pylist()
        kernel = again(lambda: ExtremeOfPartials(op, array.type), kernel)
        base = int(start[cut - 1]) if cut else 0
        out += kernel.roll(tuple(part[base:] for part in partials), base, start[cut:], end[cut:]).to_pylist()
        if level is ExtremeBy:
            assert out == at
        else:
            wanted = [None if position is None else values[position] for position in at]
            assert all(compare(one, other) == 0 for one, other in zip(out, wanted, strict=True))


@given(columns(tuple(KINDS)), st.booleans())
def test_held_tuples_that_were_folded_already(case, evicts):
    """Other lanes may hold more than is needed."""
    op, array, values, seen, steps, cuts = case
    frames = frames_of(steps, evicts)
    kernel, results = Extreme(op, array.type, evicts=evicts), []
    for part, _, upto in calls_of(frames, cuts, held=True):
        mask = None if seen is None else seen[:upto]
        results += kernel.roll(array.slice(0, upto), 0, *bounds_of(frames[part]), mask).to_pylist()
    expected = [None if at is None else values[at] for at in positions_of(op, values, seen, frames)]
    assert all(compare(one, other) == 0 for one, other in zip(results, expected, strict=True))


POOLS = {
    "double": [0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, 1.0],
    "ulong": [0, 1, 2**63 - 1, 2**63, 2**64 - 1],
    "decimal": [Decimal(sign * (2**63 + more)) for sign in (1, -1) for more in range(-2, 3)] + [Decimal(0)],
    "string": ["", "a", "aa", "ab", "a\0", "prefixes", "prefixes1", "prefixes2", "prefix", "\U0001f600", "\uffff"],
    "large_binary": [b"", b"\0", b"\0" * 7, b"\0" * 8, b"\0" * 9, b"\x7f", b"\x80", b"\xff" * 8, b"\xff" * 9],
    "list": [[], [None], [0.0], [-0.0], [0.0, None], [math.nan], [math.inf, 1.0]],
    "struct": [{"a": a, "b": b} for a in (None, 0, 1) for b in (None, "", "x")],
}


@pytest.mark.parametrize("evicts", [True, False])
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("kind", POOLS)
def test_many_calls_over_values_that_are_nearly_equal(kind, op, evicts):
    """Few different values, so that almost every result is a tie; every call begins with a mask and a memory."""
    random = np.random.default_rng(0)
    rows = 400
    values = [([*POOLS[kind], None])[i] for i in random.integers(0, len(POOLS[kind]) + 1, rows)]
    array = pa.array(values, KINDS[kind][0])
    seen = (random.random(rows) < 0.6).astype(np.uint8)
    picked = pa.array(range(rows))
    end = np.arange(1, rows + 1)
    start = np.maximum(end - 12, 0) if evicts else (end - 1) // 30 * 30
    frames = list(zip(start.tolist(), end.tolist(), strict=True))

    def make():
        return ExtremeBy(op, array.type, evicts=evicts)

    expected = positions_of(op, values, seen, frames)
    compared = check(make, frames, range(5, rows, 7), evicts, slices_of(picked, array), seen, expected)
    assert compared > rows / 2


@pytest.mark.parametrize("window", [1, 7, 300])
@pytest.mark.parametrize("op", ["min", "max"])
def test_doubles_against_pandas_and_polars(op, window):
    values = np.random.default_rng(0).integers(-50, 50, 2000) / 4
    end = np.arange(1, 2001)
    bounds = np.maximum(end - window, 0), end
    ours = Extreme(op, pa.float64()).roll(pa.array(values), 0, *bounds).to_numpy()
    assert ours.tolist() == getattr(pd.Series(values).rolling(window, min_periods=1), op)().tolist()
    assert ours.tolist() == getattr(pl.Series(values), f"rolling_{op}")(window, min_samples=1).to_list()
    at = ExtremeAt(op).roll(pa.array(values), 0, *bounds).to_numpy()
    later = pd.Series(values).rolling(window, min_periods=1).apply(
        lambda part: len(part) - 1 - getattr(np, f"arg{op}")(part[::-1]), raw=True
    )  # fmt: skip
    assert at.tolist() == (bounds[0] + later.to_numpy()).astype(int).tolist()


@given(st.lists(LISTS | st.none(), max_size=6))
def test_keys_order_as_sparks_comparison_does(values):
    counted = [value for value in values if value is not None]
    assert [comparable(v) for v in sorted(counted, key=functools.cmp_to_key(compare))] == sorted(
        map(comparable, counted)
    )
    assert [comparable(value) is None for value in values] == [value is None for value in values]


class Odd:
    """Comparable until it is told not to be."""

    broken = True

    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        if Odd.broken and 3 in (self.rank, other.rank):
            raise ZeroDivisionError
        return self.rank < other.rank


@pytest.mark.parametrize("op", ["min", "max"])
def test_a_comparison_that_raises_leaves_the_kernel_usable(op):
    values = [Odd(rank) for rank in (2, 1, 2, 3, 0)]
    end = np.arange(1, 6)
    start = np.maximum(end - 3, 0)
    kernel = ObjectExtremeAt(op)
    Odd.broken = True
    with pytest.raises(ZeroDivisionError):
        kernel.roll(values, 0, start, end)
    with pytest.raises(ZeroDivisionError):
        kernel.absorb(values, 0, 1, 4)
    Odd.broken = False
    assert kernel.roll(values, 0, start[3:], end[3:]).to_pylist() == ([1, 4] if op == "min" else [3, 3])


@pytest.mark.parametrize("type_", [pa.float64(), pa.decimal128(9, 2), pa.string(), pa.large_binary()])
def test_no_values_and_no_frames(type_):
    empty = pa.array([], type_)
    nothing = np.zeros(0, np.int64)
    for evicts in True, False:
        kernel = Extreme("max", type_, evicts=evicts)
        assert len(kernel.roll(empty, 0, nothing, nothing)) == 0
        assert kernel.roll(empty, 5, np.array([5, 5]), np.array([5, 5])).to_pylist() == [None, None]
        kernel.absorb(empty, 5, 5, 5)


def test_a_deque_that_outgrows_its_block():
    rows = 5000
    newest = np.arange(rows)
    end = newest + 1
    oldest = np.maximum(end - 3000, 0)
    names = pa.array([f"{i:09}" for i in newest])
    assert ExtremeAt("min").roll(names, 0, oldest, end).to_pylist() == oldest.tolist()
    assert ExtremeAt("max").roll(names, 0, oldest, end).to_pylist() == newest.tolist()


def test_memory_is_one_row():
    values = pa.array([f"{i:09}" for i in range(10_000)])
    kernel = Extreme("min", pa.string(), evicts=False)
    kernel.absorb(values, 0, 0, 10_000)
    assert [column.to_pylist() for column in kernel.memory] == [["000000000"]]
    assert kernel.memory[0].nbytes < 100


def test_a_lower_end_that_moves_although_it_may_not():
    kernel = Extreme("min", pa.int64(), evicts=False)
    kernel.absorb(pa.array([1, 2]), 0, 0, 2)
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1 inside a frame"):
        kernel.roll(pa.array([3]), 2, np.array([1]), np.array([3]))


def test_an_unknown_op_and_type():
    for kind in ExtremeAt, ObjectExtremeAt:
        with pytest.raises(ValueError, match="op='sum': an extreme is 'min' or 'max'"):
            kind("sum")
    with pytest.raises(TypeError, match="there is no kernel that orders int32"):
        ExtremeAt("min").roll(pa.array([1], pa.int32()), 0, np.array([0]), np.array([1]))


@pytest.mark.parametrize("module", [_extremes_at, ordering])
def test_the_examples_in_the_docstrings(module):
    failed, attempted = doctest.testmod(module)
    assert attempted > 0
    assert failed == 0
