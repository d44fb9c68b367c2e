"""Ends of intervals in order: against numpy's stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native._ends import ordered
from inwindow.runtime.intervals import Ordered

LEAST, MOST = -(2**63), 2**63 - 1
near = st.integers(-5, 5)
far = st.integers(LEAST, MOST)
null = st.sampled_from([LEAST, MOST])


@given(
    st.lists(st.tuples(st.integers(-2, 3), near | null), max_size=40)
    | st.lists(st.tuples(near, far | null), max_size=40)
)
def test_both_ways_are_stable(rows: list[tuple[int, int]]) -> None:
    group, time = (np.array([row[at] for row in rows], dtype=np.int64) for at in (0, 1))
    wanted = np.lexsort((time, group))
    found = Ordered.of(group, time)
    order = np.arange(len(rows)) if found.rows is None else found.rows
    assert (found.rows is None) == bool((wanted[1:] > wanted[:-1]).all())
    assert order.tolist() == wanted.tolist()
    assert found.group.tolist() == group[wanted].tolist()
    assert found.time.tolist() == time[wanted].tolist()


@pytest.mark.parametrize(("bits", "fits"), [(57, True), (62, False)])
def test_what_does_not_fit_into_a_word_says_so(bits: int, fits: bool) -> None:
    group, time = np.zeros(40, np.int64), np.arange(40)[::-1] * 2**bits // 40
    assert (ordered(group, time) is not None) == fits
