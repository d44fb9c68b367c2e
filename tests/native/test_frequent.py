"""IntFrequent, FloatFrequent and ObjectFrequent against the true counts of every frame."""

import doctest
import math
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, bounds_of, filled, frames_of, rolled_in_calls, steps_of, with_slices_of

from inwindow.native import _frequent
from inwindow.native._frequent import FloatFrequent, IntFrequent, ObjectFrequent

INTS = st.none() | st.integers(-3, 3) | st.integers(0, 300) | st.sampled_from([-(2**63), 2**63 - 1])
FLOATS = st.sampled_from([None, math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0]) | st.floats()
STRINGS = st.none() | st.sampled_from(["", "a", "b", "ä"]) | st.integers(0, 300).map(str)
STEPS = steps_of(9, 60)
# support, eps, delta; with the last ones the tables are so small that most estimates are wrong
ARGUMENTS = st.sampled_from([(0.1, 0.01, 0.01), (0.5, 0.1, 0.1), (0.07, 0.06, 0.3), (0.34, 0.33, 0.9), (1.0, 0.9, 0.9)])


def canonical(value):
    return "NaN" if value != value else value


def check_frame(arguments, rows, values):
    """What the docstring promises of a result, except for the error, which is a matter of probability."""
    support = Fraction(str(arguments[0]))
    true = Counter(canonical(value) for value in values if value is not None)
    shown = {canonical(row["item"]): row["count"] for row in rows}
    assert len(shown) == len(rows)
    assert {item for item, count in true.items() if count >= support * true.total()} <= shown.keys()
    for item, count in shown.items():
        assert count >= max(true[item], support * true.total())
    assert bool(rows) or not true or max(true.values()) < support * true.total()
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)
    for one, other in zip(rows, rows[1:], strict=False):
        if one["count"] == other["count"]:
            assert one["item"] < other["item"] or other["item"] != other["item"]  # NaN is the greatest


def check(make, parameters, values, frames, cuts, evicts, call):
    whole = call(make().roll, 0, len(values), *bounds_of(frames))
    whole.validate(full=True)
    assert whole.null_count == 0
    expected = whole.to_pylist()
    for (start, end), rows in zip(frames, expected, strict=True):
        check_frame(parameters, rows, values[start:end])
    for part, result in rolled_in_calls(make, frames, cuts, evicts, call):
        assert repr(result.to_pylist()) == repr(expected[part])  # nan == nan


def check_column(kind, type_, parameters, values, frames, cuts, evicts):
    values = filled(values, frames)
    array = pa.array(values, type_)
    check(lambda: kind(*parameters, evicts=evicts), parameters, values, frames, cuts, evicts, with_slices_of(array))


@given(ARGUMENTS, st.lists(INTS, min_size=1), STEPS, CUTS, st.booleans())
def test_ints(parameters, values, steps, cuts, evicts):
    check_column(IntFrequent, pa.int64(), parameters, values, frames_of(steps, evicts), cuts, evicts)


@given(ARGUMENTS, st.lists(FLOATS, min_size=1), STEPS, CUTS, st.booleans())
def test_floats(parameters, values, steps, cuts, evicts):
    check_column(FloatFrequent, pa.float64(), parameters, values, frames_of(steps, evicts), cuts, evicts)


@given(ARGUMENTS, st.lists(STRINGS, min_size=1), STEPS, CUTS, st.booleans())
def test_objects(parameters, values, steps, cuts, evicts):
    frames = frames_of(steps, evicts)
    values = filled(values, frames)
    seen = np.array([p % 5 != 3 for p in range(len(values))], np.uint8)
    counted = [value if mark else None for value, mark in zip(values, seen, strict=True)]
    check(
        lambda: ObjectFrequent(*parameters, pa.string(), evicts=evicts),
        parameters, counted, frames, cuts, evicts,
        lambda method, base, end, *bounds: method([values[base:end]], base, seen[base:end], *bounds),
    )  # fmt: skip


@given(ARGUMENTS, st.integers(1, 5), st.integers(0, 2**32), st.booleans())
def test_small_frames_of_many_items(parameters, window, seed, objects):
    """Every item of a small frame becomes a candidate: they are pruned again and again."""
    random = np.random.default_rng(seed)
    values = random.integers(0, random.integers(2, 3000), 2000)
    end = np.arange(1, 2001)
    start = np.maximum(end - window, 0)
    if objects:
        kernel, array = ObjectFrequent(*parameters, pa.int64()), ([values.tolist()], 0, None)
    else:
        kernel, array = IntFrequent(*parameters), (pa.array(values), 0)
    for lo, hi, rows in zip(start, end, kernel.roll(*array, start, end).to_pylist(), strict=True):
        check_frame(parameters, rows, values[lo:hi].tolist())
    if parameters[1] > parameters[0] / 4:
        return  # candidates may be errors
    assert len(kernel) <= 4 / parameters[0] + 65
    if objects:
        assert len(kernel.state()[1]) <= 2 * (4 / parameters[0] + 66)


@given(ARGUMENTS, st.integers(0, 2**32), st.lists(st.integers(0, 300), min_size=1, max_size=30))
def test_frames_that_grow_and_shrink(parameters, seed, ends):
    """By time: an item that was rare is frequent when others have left, without having arrived again."""
    random = np.random.default_rng(seed)
    values = random.zipf(1.3, 300) % 1000
    ends = sorted(ends)
    frames, lower = [], 0
    for end in ends:
        lower = max(lower, end - int(random.integers(0, 300)), 0)
        frames.append((lower, end))
    frames += [(int(at), 300) for at in np.sort(random.integers(lower, 301, 20))]
    kernel = IntFrequent(*parameters)
    results = kernel.roll(pa.array(values), 0, *bounds_of(frames)).to_pylist()
    for (start, end), rows in zip(frames, results, strict=True):
        check_frame(parameters, rows, values[start:end].tolist())


@pytest.mark.parametrize("window", [1000, 4000])
def test_a_frequent_item_among_candidates_that_are_errors(window):
    """In 8 cells: what shares the frequent item's cell is a candidate, and pruning frees no room for more."""
    values = np.where(np.arange(4000) % 5 < 3, 7, np.arange(4000) + 1000)
    end = np.arange(1, 4001)
    kernel = IntFrequent(0.5, 0.49, 0.9)
    for rows in kernel.roll(pa.array(values), 0, np.maximum(end - window, 0), end).to_pylist():
        assert 7 in [row["item"] for row in rows]
    assert len(kernel) > 100


def test_an_item_that_becomes_frequent_as_others_leave():
    values = [7] * 3 + list(range(1000, 2000)) + [8] * 3
    lower = np.arange(0, 1007)
    results = IntFrequent(0.3, 0.01, 0.01).roll(pa.array(values), 0, lower, np.full(1007, 1006)).to_pylist()
    assert [rows[0]["item"] if rows else None for rows in results[-13:]] == [None] * 2 + [8] * 10 + [None]


@given(st.lists(INTS, max_size=50), st.lists(INTS, max_size=50), ARGUMENTS)
def test_estimates_are_a_function_of_the_frame(left, stayed, parameters):
    """The tables are linear: what has left leaves no trace."""
    values = pa.array([*left, *stayed], pa.int64())
    slid, afresh = IntFrequent(*parameters), IntFrequent(*parameters)
    for at in range(len(left) + 1):
        slid.absorb(values, 0, at, max(at, len(values) // 2))
    slid.absorb(values, 0, len(left), len(values))
    afresh.absorb(pa.array(stayed, pa.int64()), 0, 0, len(stayed))
    asked = pa.array(range(-3, 300))
    assert slid.estimates(asked).tolist() == afresh.estimates(asked).tolist()


@pytest.mark.parametrize(("eps", "delta"), [(0.1, 0.5), (0.1, 0.1), (0.02, 0.3), (0.02, 0.01), (0.005, 0.05)])
def test_the_share_of_estimates_beyond_the_error(eps, delta):
    """Over many streams, skewed and not, slid to a later frame, of items in the frame and of others."""
    beyond = total = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        values = random.zipf(1.1 + seed % 5 / 5, 4000) if seed % 2 else random.integers(0, 50 * 2 ** (seed // 2), 4000)
        values = values % 2**62 * (1 if seed % 3 else 2**40)  # also such as differ in their high bits alone
        kernel = IntFrequent(0.9, eps, delta)
        kernel.absorb(pa.array(values), 0, 0, 2000)
        kernel.absorb(pa.array(values), 0, 1500, 3500)
        items = np.unique(values)
        true = Counter(values[1500:3500].tolist())
        excess = kernel.estimates(pa.array(items)) - np.array([true[item] for item in items.tolist()])
        assert excess.min() >= 0
        beyond += (excess > eps * 2000).sum()
        total += len(items)
    assert beyond <= delta * total


@pytest.mark.parametrize(("support", "eps", "delta"), [(0.1, 0.025, 0.01), (0.02, 0.002, 0.05), (0.01, 0.0025, 0.001)])
def test_memory(support, eps, delta):
    """Tables within twice e / eps * ln(1 / delta), and candidates in O(1 / support), whatever the frame."""
    random = np.random.default_rng(1)
    values = random.zipf(1.2, 60_000) % 2**40
    width, depth = 2 * math.e / eps, math.ceil(-math.log(delta))
    kernel = IntFrequent(support, eps, delta)
    for begin in range(0, 60_000, 10_000):
        end = np.arange(begin + 1, begin + 10_001, 37)
        kernel.roll(pa.array(values[: begin + 10_000]), 0, np.maximum(end - 20_000, 0), end)
        assert len(kernel) <= 4 / support + 65
    assert sys.getsizeof(kernel) < 8 * width * (depth + 0.25) + 100 * (4 / support + 65) + 4000


def test_tumbling_frames():
    """Counters are cleared one by one or all at once."""
    for length in [3, 20, 500]:
        values = np.arange(4000) % 7 * (np.arange(4000) % 2)
        start = np.arange(0, 4000 - length, length)
        kernel = IntFrequent(0.2, 0.05, 0.01, evicts=False)
        rolled = kernel.roll(pa.array(values), 0, start, start + length).to_pylist()
        for at, rows in zip(start, rolled, strict=True):
            check_frame((0.2, 0.05, 0.01), rows, values[at : at + length].tolist())
        kernel.absorb(pa.array([5]), 4000, 4000, 4001)
        assert kernel.estimates(pa.array(range(10))).sum() == 1


def test_a_product_that_is_an_integer_but_for_rounding():
    assert 0.07 * 100 > 7
    values = pa.array([1] * 7 + list(range(100, 193)))
    rows = IntFrequent(0.07, 0.001, 0.01).roll(values, 0, np.array([0]), np.array([100])).to_pylist()[0]
    assert rows == [{"item": 1, "count": 7}]


def test_equal_objects_count_as_one():
    kernel = ObjectFrequent(0.5, 0.01, 0.01, pa.float64())
    rows = kernel.roll([[1.0, 1, True, Decimal("1.00"), math.nan, -math.nan]], 0, None, np.array([0]), np.array([6]))
    assert rows.to_pylist() == [[{"item": 1.0, "count": 4}]]
    berlin = timezone(timedelta(hours=1))
    times = [
        datetime(2000, 1, 1, 1, tzinfo=berlin),
        datetime(2000, 1, 1, 0, tzinfo=UTC),
        datetime(2000, 1, 1, tzinfo=berlin),
    ]
    kernel = ObjectFrequent(0.5, 0.01, 0.01, pa.timestamp("us", "UTC"))
    assert kernel.roll([times], 0, None, np.array([0]), np.array([3])).to_pylist()[0][0]["count"] == 2


@pytest.mark.parametrize(
    ("items", "type_"),
    [
        ([b"a", b"b"], pa.binary()),
        ([date(2000, 1, 1), date(2000, 1, 2)], pa.date32()),
        ([Decimal("1.10"), Decimal("1.20")], pa.decimal128(38, 2)),
        ([False, True], pa.bool_()),
        ([("a", 1), ("a", 2)], pa.struct({"x": pa.string(), "y": pa.int64()})),
        ([("a", 1), ("b", None)], pa.struct({"x": pa.string(), "y": pa.int64()})),
    ],
)
def test_objects_of_other_types(items, type_):
    rolled = ObjectFrequent(0.5, 0.01, 0.01, type_).roll([items * 2], 0, None, np.array([0, 1]), np.array([3, 4]))
    expected = pa.array([[(items[0], 2), (items[1], 1)], [(items[1], 2), (items[0], 1)]],
                        pa.list_(pa.struct({"item": type_, "count": pa.int64()})))  # fmt: skip
    assert [rows[:1] for rows in rolled.to_pylist()] == [rows[:1] for rows in expected.to_pylist()]


def test_cells_are_the_same_in_every_process():
    """Whatever PYTHONHASHSEED is."""
    kernel = ObjectFrequent(0.5, 0.1, 0.05, pa.string())
    kernel.absorb([["a", "ä"]], 0, None, 0, 2)
    assert kernel.state()[0][1].tolist() == [9, 25, 57, 60, 80, 88]
    numbers = IntFrequent(0.5, 0.1, 0.05)
    numbers.absorb(pa.array([1, -1]), 0, 0, 2)
    assert numbers.state()[1].tolist() == [12, 15, 49, 62, 86, 93]


def test_items_without_an_order():
    kernel = ObjectFrequent(0.2, 0.01, 0.01, pa.struct({"x": pa.string(), "y": pa.int64()}))
    rows = kernel.roll([[("a", None), ("a", 1)]], 0, None, np.array([0]), np.array([2])).to_pylist()[0]
    assert sorted(row["count"] for row in rows) == [1, 1]


def test_a_lower_end_that_moves_although_it_may_not():
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        IntFrequent(0.5, 0.1, 0.1, evicts=False).roll(pa.array([1, 2]), 0, np.array([0, 1]), np.array([2, 2]))
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        ObjectFrequent(0.5, 0.1, 0.1, pa.int64(), evicts=False).roll(
            [[1, 2]], 0, None, np.array([0, 1]), np.array([2, 2])
        )


@pytest.mark.parametrize(
    "arguments", [(0, 0.1, 0.1), (0.1, 0.1, 0.1), (1.1, 0.1, 0.1), (0.5, 0, 0.1), (0.5, 0.1, 0), (0.5, 0.1, 1.0),
                  (0.5, 1e-15, 0.1), (0.5, 0.1, 1e-300), (math.nan, 0.1, 0.1)]
)  # fmt: skip
def test_arguments_that_cannot_be(arguments):
    with pytest.raises(ValueError, match="eps=|delta="):
        IntFrequent(*arguments)


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_frequent)
    assert attempted > 0
    assert failed == 0
