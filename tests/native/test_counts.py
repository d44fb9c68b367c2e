"""Counts of arrays of any type against counting, whatever slides, however the calls are cut."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import again

from inwindow.native._totals import Count

TYPES = [pa.float64(), pa.int8(), pa.bool_(), pa.string(), pa.list_(pa.int64()), pa.struct([("x", pa.int64())])]
SAMPLES = {"bool": True, "string": "a", "list<item: int64>": [1], "struct<x: int64>": {"x": None}}


@st.composite
def sliding(draw):
    """(which positions are valid, start, end, cuts): frames whose ends never move back."""
    valid = draw(st.lists(st.booleans(), min_size=1, max_size=60))
    rows = draw(st.integers(1, 40))
    bound = st.lists(st.integers(0, len(valid)), min_size=rows, max_size=rows).map(sorted)
    end = draw(bound)
    start = [min(pair) for pair in zip(draw(bound), end, strict=True)]
    cuts = draw(st.lists(st.integers(0, rows), max_size=4).map(sorted))
    return valid, start, end, [0, *cuts, rows]


def results(kind, stream, column):
    """The results of all calls; a kernel is pickled between two."""
    kernel = kind()
    _, start, end, cuts = stream
    lo = 0
    for first, last in zip(cuts, cuts[1:], strict=False):
        if first == last:
            continue
        rows = np.array(start[first:last]), np.array(end[first:last])
        yield from kernel.roll(column(lo, end[last - 1]), lo, *rows).to_pylist()
        lo = start[last - 1]
        kernel = again(kind, kernel)


@pytest.mark.parametrize("type", TYPES, ids=str)
@given(stream=sliding())
def test_a_count_is_of_what_is_not_null(type, stream):
    valid, start, end, _ = stream
    sample = SAMPLES.get(str(type), 1)

    def column(base, end):
        values = [sample if x else None for x in valid[base:end]]
        return pa.array([None, *values, None], type)[1 : 1 + end - base]

    expected = [sum(valid[a:b]) for a, b in zip(start, end, strict=True)]
    assert list(results(Count, stream, column)) == expected


@given(st.lists(st.lists(st.booleans(), max_size=4), min_size=1, max_size=6))
def test_what_a_growing_frame_has_counted_need_not_be_held(batches):
    kernel, base, valid = Count(), 0, []
    for batch in batches:
        end = np.arange(base, base + len(batch) + 1)
        held = pa.array([1 if x else None for x in batch], pa.int64())
        valid += batch
        assert kernel.roll(held, base, end * 0, end).to_pylist() == [sum(valid[:position]) for position in end]
        kernel, base = again(Count, kernel), base + len(batch)


@given(sliding())
def test_without_values_all_tuples_count(stream):
    _, start, end, _ = stream
    expected = [b - a for a, b in zip(start, end, strict=True)]
    assert list(results(Count, stream, lambda base, end: None)) == expected
    assert list(results(Count, stream, lambda base, end: pa.nulls(end - base))) == [0] * len(start)


@given(sliding(), st.integers(1, 5))
def test_counts_cascade_over_panes(stream, pane):
    valid, start, end, cuts = stream
    edges = np.arange(0, len(valid) + pane, pane)
    values = pa.array([1 if x else None for x in valid], pa.int64())
    (counts,) = Count().roll_partials(values, 0, edges[:-1], np.minimum(edges[1:], len(valid)))
    start, end = [x // pane for x in start], [x // pane for x in end]
    expected = [sum(valid[a * pane : b * pane]) for a, b in zip(start, end, strict=True)]
    stream = valid, start, end, cuts
    assert list(results(lambda: Count().of_panes(), stream, lambda base, end: (counts[base:end],))) == expected


def test_an_empty_frame_counts_zero():
    got = Count().roll(pa.array([1, None]), 0, np.array([0, 1, 2]), np.array([0, 2, 2]))
    assert got.to_pylist() == [0, 0, 0]
    assert got.null_count == 0
    assert got.type == pa.int64()


def test_absorb_is_roll_without_a_result():
    kernel = Count()
    kernel.absorb(pa.array([1, None, 3]), 0, 0, 3)
    assert kernel.roll(pa.array([4, None]), 3, np.array([0]), np.array([5])).to_pylist() == [3]
