"""Truth against all() and any() of every frame, cut into calls anywhere."""

import doctest

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, bounds_of, filled, frames_of, rolled_in_calls, with_slices_of

from inwindow.native import _truth
from inwindow.native._truth import Truth


@given(st.lists(st.sampled_from([None, 0, 1]), min_size=1), st.sampled_from(["and", "or"]), STEPS, CUTS)
def test_truths(values, op, steps, cuts):
    frames = frames_of(steps)
    array = pa.array(filled(values, frames), pa.int64())
    fold = all if op == "and" else any
    seen = [[value for value in array.to_pylist()[start:end] if value is not None] for start, end in frames]
    expected = [int(fold(values)) if values else None for values in seen]

    whole = Truth(op).roll(array, 0, *bounds_of(frames))
    whole.validate(full=True)
    assert whole.to_pylist() == expected
    for part, result in rolled_in_calls(lambda: Truth(op), frames, cuts, False, with_slices_of(array)):
        assert result.to_pylist() == expected[part]


def test_an_unknown_op():
    with pytest.raises(ValueError, match="op='xor': what truths are folded with is 'and' or 'or'"):
        Truth("xor")


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_truth)
    assert attempted > 0
    assert failed == 0
