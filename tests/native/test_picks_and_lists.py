"""Kernels that pick values or list them, and their cascades, against slices of Python lists; cut into calls anywhere."""

import doctest
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import sliding

from inwindow.native import _picks, lists
from inwindow.native._picks import Pick
from inwindow.native.list_partials import FirstFew, Flattened, ListOfPanes, SetOfPanes, TextOfPanes, TextOfPartials
from inwindow.native.lists import CollectList, CollectSet, Several, StringAgg

TEXTS = st.tuples(st.sampled_from([None, "a", "b", "", "ccc"]), st.booleans())
DASH = pa.scalar("-")


def nth(n):
    return lambda counted: counted[n - 1] if len(counted) >= n else None


def distinct(counted):
    return list(dict.fromkeys(counted))


# what it is of the values that count; the kernel; its cascade; whether NULL counts; whether it reads frames again
KERNELS = {
    "first": (nth(1), lambda: Pick(1), lambda: (Pick(1), Pick(1).of_panes()), True, False),
    "first that is": (nth(1), lambda: Pick(1), lambda: (Pick(1), Pick(1).of_panes()), False, False),
    "last": (
        lambda counted: counted[-1] if counted else None,
        lambda: Pick(-1),
        lambda: (Pick(-1), Pick(-1).of_panes()),
        True,
        False,
    ),
    "second": (nth(2), lambda: Pick(2), lambda: (FirstFew(2), Flattened(Pick(2), None)), True, False),
    "third that is": (nth(3), lambda: Pick(3), lambda: (FirstFew(3), Flattened(Pick(3), None)), False, False),
    "list": (list, CollectList, lambda: (ListOfPanes(), Flattened(CollectList(), None)), False, True),
    "set": (distinct, CollectSet, lambda: (SetOfPanes(), Flattened(CollectSet(), None)), False, True),
    "text": (
        lambda counted: "-".join(counted) if counted else None,
        lambda: StringAgg(DASH),
        lambda: (TextOfPanes(DASH), TextOfPartials(DASH)),
        False,
        True,
    ),
}


def mask(values, nulls):
    seen = np.array([counts and (nulls or value is not None) for value, counts in values], dtype=np.uint8)
    return None if seen.all() else seen


def counted(values, nulls, low, high):
    return [value for value, counts in values[low:high] if counts and (nulls or value is not None)]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("growing", [False, True])
@given(data=st.data())
def test_frames(name, growing, data):
    of, make, _, nulls, rereads = KERNELS[name]
    values, start, end, cuts = data.draw(sliding(TEXTS, growing=growing))
    kernel, found, base = make(), [], 0
    for low, high in zip(cuts, cuts[1:], strict=False):
        upto = end[high - 1] if high else 0  # values arrive as they are needed
        part = values[base:upto]
        array = pa.array([value for value, _ in part], pa.string())
        bounds = np.array(start[low:high], np.int64), np.array(end[low:high], np.int64)
        if data.draw(st.booleans()) and high > low:
            kernel.absorb(array, base, int(bounds[0][-1]), int(bounds[1][-1]), mask(part, nulls))
            found += [of(counted(values, nulls, s, e)) for s, e in zip(*bounds, strict=True)]
        else:
            result = kernel.roll(array, base, *bounds, mask(part, nulls))
            result.validate(full=True)
            found += result.to_pylist()
        state = pickle.loads(pickle.dumps(kernel.state()))
        kernel = make()
        kernel.restore(state)
        if high:
            base = upto if growing and not rereads else start[high - 1]
    assert found == [of(counted(values, nulls, s, e)) for s, e in zip(start, end, strict=True)]


@pytest.mark.parametrize("name", KERNELS)
@given(data=st.data())
def test_cascades(name, data):
    of, _, make, nulls, _ = KERNELS[name]
    values = data.draw(st.lists(TEXTS, max_size=30))
    edges = sorted({0, len(values), *data.draw(st.lists(st.integers(0, len(values)), max_size=8))})
    panes = len(edges) - 1
    level_one, level_two = make()
    partials, done, seen_upto, first, found, frames = None, 0, 0, 0, [], []
    while done < panes:
        count = data.draw(st.integers(1, panes - done))
        starts, ends = np.array(edges[done : done + count]), np.array(edges[done + 1 : done + count + 1])
        split = data.draw(st.integers(seen_upto, edges[done + 1]))  # of the open pane so much comes before
        if split > edges[done]:
            call(level_one.absorb, values, nulls, seen_upto, edges[done], split)
            seen_upto = split
        fresh = call(level_one.roll_partials, values, nulls, seen_upto, starts, ends)
        partials = fresh if partials is None else tuple(map(joined, partials, fresh))
        done, seen_upto = done + count, int(ends[-1])
        low = data.draw(st.integers(first, done - 1))
        result = level_two.roll(partials, first, np.array([low, low]), np.array([done, done]))
        found += result.to_pylist()
        frames += [(edges[low], edges[done])] * 2
        partials, first = tuple(column[low - first :] for column in partials), low
        states = [pickle.loads(pickle.dumps(level.state())) for level in (level_one, level_two)]
        level_one, level_two = make()
        for level, state in zip((level_one, level_two), states, strict=True):
            level.restore(state)
    assert found == [of(counted(values, nulls, low, high)) for low, high in frames]


def call(method, values, nulls, base, start, end):
    upto = int(np.max(end))
    part = values[base:upto]
    return method(pa.array([value for value, _ in part], pa.string()), base, start, end, mask(part, nulls))


def joined(a, b):
    return pa.concat_arrays([a, b]) if isinstance(a, pa.Array) else np.concatenate([a, b])


def test_sets_of_what_is_equal_to_spark() -> None:
    start, end = np.array([0]), np.array([4])
    floats = pa.array([math.nan, -0.0, -math.nan, 0.0])
    assert str(CollectSet().roll(floats, 0, start, end, None).to_pylist()) == "[[nan, 0.0]]"
    nested = pa.array([[1], [1, None], [1], {}.get("none")], pa.list_(pa.int64()))
    seen = np.array([1, 1, 1, 0], np.uint8)
    assert CollectSet().roll(nested, 0, start, end, seen).to_pylist() == [[[1], [1, None]]]


def test_lists_of_no_frames() -> None:
    nothing = np.zeros(0, np.int64)
    for kernel in (CollectList(), CollectSet(), StringAgg(DASH), Pick(1), Pick(-1), Pick(2)):
        assert kernel.roll(pa.array(["a"]), 0, nothing, nothing, None).to_pylist() == []


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("between", ["", "é-"])
def test_texts_of_every_kind(kind, between):
    texts = ["gone", "é", "", "bc", "", "d"]
    delimiter = pa.scalar(between, pa.string()).cast(pa.binary()).cast(kind)
    values, start, end = pa.array(texts, pa.string()).cast(kind)[1:], np.array([0, 1, 1, 5]), np.array([1, 2, 5, 5])
    expected = [between.join(texts[1:][low:high]) if low < high else None for low, high in zip(start, end, strict=True)]
    result = StringAgg(delimiter).roll(values, 0, start, end, None)
    result.validate(full=True)
    assert result.cast(pa.binary()).to_pylist() == [text and text.encode() if text != "" else b"" for text in expected]


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.float64(), pa.timestamp("us", "UTC"), pa.decimal128(20, 0), pa.bool_()], ids=str
)
def test_lists_of_slices_of_every_width(kind):
    values = pa.array([9, 0, 1, 0, 1, 1]).cast(pa.int8() if kind == pa.int8() else pa.int64()).cast(kind)[1:]
    held, seen = values.to_pylist(), np.array([1, 1, 0, 1, 1], np.uint8)
    for mask in None, seen:
        result = CollectList().roll(values, 0, np.array([0, 2, 5]), np.array([3, 5, 5]), mask)
        result.validate(full=True)
        counts = [True] * 5 if mask is None else mask.astype(bool).tolist()
        assert result.to_pylist() == [
            [value for value, one in zip(held[low:high], counts[low:high], strict=True) if one]
            for low, high in [(0, 3), (2, 5), (5, 5)]
        ]


def test_several_side_by_side() -> None:
    class Shifted:
        def __init__(self, by):
            self.by = by

        def roll(self, values, base, start, end):
            return pa.array([None if s == e else int(s) + self.by for s, e in zip(start, end, strict=True)], pa.int64())

    result = Several([Shifted(0), Shifted(10)], lambda r: r).roll(None, 0, np.array([1, 2, 3]), np.array([2, 2, 5]))
    result.validate(full=True)
    assert result.to_pylist() == [[1, 11], None, [3, 13]]


def test_doctests() -> None:
    assert doctest.testmod(lists).failed == 0
    assert doctest.testmod(_picks).failed == 0
