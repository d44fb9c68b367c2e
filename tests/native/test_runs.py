"""Runs of tuples as one sequence of comings and goings: against the tuples of each frame."""

import doctest
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _runs
from inwindow.native._runs import swept


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[Any, Any]]:
    """Up to three runs, whose ends never move backwards."""
    frames = draw(st.integers(1, 10))
    edges = st.lists(st.integers(0, 12), min_size=frames, max_size=frames).map(lambda edges: np.array(sorted(edges)))
    return [(start, np.maximum(start, draw(edges))) for start in (draw(edges) for _ in range(draw(st.integers(1, 3))))]


@given(runs())
def test_frames_are_what_came_without_what_left(its: list[tuple[Any, Any]]) -> None:
    entered, left, low, high = swept([start for start, _ in its], [end for _, end in its])
    order = np.arange(len(entered)) if left is None else left
    assert sorted(order) == list(range(len(entered)))
    assert left is None or not (np.diff(left) > 0).all()
    before = 0
    for i in range(len(low)):
        assert set(order[: low[i]]) <= set(range(before))  # what leaves has been in a frame
        inside = Counter(entered[sorted({*range(high[i])} - {*order[: low[i]]})].tolist())
        assert inside == Counter(p for start, end in its for p in range(start[i], end[i]))
        before = high[i]


def test_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    entered, left, low, high = swept([nothing], [nothing])
    assert left is None and len(entered) == len(low) == len(high) == 0


def test_four_runs() -> None:
    with pytest.raises(ValueError, match="4 runs"):
        swept([np.array([0])] * 4, [np.array([1])] * 4)


def test_the_examples_in_the_docstrings() -> None:
    failed, attempted = doctest.testmod(_runs)
    assert attempted and not failed
