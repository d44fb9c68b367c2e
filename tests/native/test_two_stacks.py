"""Sliding by merge, over tuples and over panes, against folding every frame in plain Python."""

import copy
import doctest
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _two_stacks
from inwindow.native._hooks import HookRaised
from inwindow.native._two_stacks import MergePanes, TwoStacks

PUNT = object()


class Joined:
    """Concatenation: associative, not commutative. ``merge`` checks that both runs are there and adjoin."""

    merges = 0

    def initialize(self, *row):
        assert not hasattr(self, "rows")
        self.rows = [row]

    def iterate(self, *row):
        self.rows.append(row)

    def merge(self, later):
        Joined.merges += 1
        assert self.rows
        assert self.rows[-1] < later.rows[0]
        self.rows += later.rows

    def terminate(self):
        return tuple(self.rows)


class OnlyIterate(Joined):
    initialize = None

    def __init__(self):
        self.rows = []


class OnlyInitialize(OnlyIterate):
    iterate = None

    def initialize(self, *row):
        self.rows.append(row)


class Inverted(Joined):
    def unmerge(self, earlier):
        assert len(self.rows) > len(earlier.rows), "the last pane was unmerged"
        assert self.rows[: len(earlier.rows)] == earlier.rows, "not the oldest"
        del self.rows[: len(earlier.rows)]


class Punting(Inverted):
    def unmerge(self, earlier):
        if earlier.rows[0][0] % 3 == 0:
            self.rows = None
            return PUNT
        return super().unmerge(earlier)


@st.composite
def frames(draw):
    """``(n, start, end)``: frames over n positions, no bound ever moving backwards; some start afresh."""
    steps = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9)), max_size=30))
    start, end, bounds = 0, 0, []
    for forward, growth, restart in steps:
        start = end if restart == 0 else min(start + forward, end)
        end += growth
        bounds.append((start, end))
    starts, ends = zip(*bounds, strict=True) if bounds else ((), ())
    return end, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def calls(n, start, end, cut):
    """The frames in runs of ``cut``, each with the slice it may read: from the last start to its last end."""
    low = 0
    for i in range(0, len(start), cut or max(len(start), 1)):
        chunk = slice(i, i + (cut or len(start)))
        yield low, end[chunk][-1], start[chunk], end[chunk]
        low = start[chunk][-1]


def in_calls(make, bounds, cut, roll):
    """Every frame's result, with a new driver for each call that goes on from the pickled state."""
    results, state = [], None
    for low, high, start, end in calls(*bounds, cut):
        driver = make()
        if state is not None:
            driver.restore(pickle.loads(state))
        results += roll(driver, low, high, start, end)
        state = pickle.dumps(driver.state())
    return results


def folded(rows, bounds):
    """The definition: the rows of each frame, None standing for what no hook saw."""
    return [tuple(row for row in rows[s:e] if row) for s, e in zip(*bounds[1:], strict=True)]


masks = st.binary(min_size=130, max_size=130)  # a byte for each tuple or pane: what its lowest bits say
cuts = st.sampled_from([1, 7, None])


@pytest.mark.parametrize("kind", [Joined, OnlyIterate, OnlyInitialize])
@given(frames(), masks, cuts, st.integers(1, 3))
def test_two_stacks_equals_the_definition(kind, bounds, mask, cut, width):
    n = bounds[0]
    columns, seen = [list(range(n))] * width, np.array([byte % 4 != 3 for byte in mask[:n]], dtype=np.uint8)

    def roll(driver, low, high, start, end):
        return driver.roll([values[low:high] for values in columns], low, seen[low:high], start, end)

    expected = folded([(p,) * width if seen[p] else None for p in range(n)], bounds)
    assert in_calls(lambda: TwoStacks(kind(), empty=()), bounds, cut, roll) == expected


@given(frames(), st.data())
def test_two_stacks_may_absorb(bounds, data):
    n, start, end = bounds
    driver = TwoStacks(Joined(), empty=())
    for i, expected in enumerate(folded([(p,) for p in range(n)], bounds)):
        if data.draw(st.booleans()):
            driver.absorb([list(range(n))], 0, None, start[i], end[i])
        else:
            assert driver.roll([list(range(n))], 0, None, start[i : i + 1], end[i : i + 1]) == [expected]


def panes(kind, sizes):
    """A partial for each pane, None for one without tuples, and what it holds."""
    partials, position = [], 0
    for size in sizes:
        partial = kind() if size else None
        for k in range(size):
            (partial.iterate if k else partial.initialize)(position)
            position += 1
        partials.append(partial)
    return partials, [partial and list(partial.rows) for partial in partials]


@pytest.mark.parametrize("kind", [Joined, Inverted, Punting])
@given(frames(), masks, cuts)
def test_merge_panes_equals_the_definition(kind, bounds, mask, cut):
    partials, held = panes(kind, [byte % 3 for byte in mask[: bounds[0]]])
    before = copy.deepcopy(held)

    def roll(driver, low, high, start, end):
        return driver.roll(partials[low:high], low, start, end)

    expected = [tuple(row for rows in frame for row in rows) for frame in folded(held, bounds)]
    assert in_calls(lambda: MergePanes(kind(), empty=(), punt=PUNT), bounds, cut, roll) == expected
    assert [partial and partial.rows for partial in partials] == before


@given(frames(), st.data())
def test_merge_panes_may_absorb(bounds, data):
    n, start, end = bounds
    partials, _ = panes(Inverted, [1] * n)
    driver = MergePanes(Inverted(), empty=())
    for i, expected in enumerate(folded([(p,) for p in range(n)], bounds)):
        if data.draw(st.booleans()):
            driver.absorb(partials, 0, start[i], end[i])
        else:
            assert driver.roll(partials, 0, start[i : i + 1], end[i : i + 1]) == [expected]


def sliding(n, size):
    end = np.arange(1, n + 1, dtype=np.int64)
    return np.maximum(end - size, 0), end


@pytest.mark.parametrize("size", [2, 10, 1000])
def test_merges_are_amortised_constant(size):
    class Counting(Joined):
        def terminate(self):
            return None

        def merge(self, later):
            Joined.merges += 1

    n, Joined.merges = 20_000, 0
    start, end = sliding(n, size)
    TwoStacks(Counting()).roll([[0] * n], 0, None, start, end)
    assert Joined.merges <= 2 * n


def test_unmerge_holds_one_running_aggregate():
    partials, _ = panes(Inverted, [1] * 50)
    driver = MergePanes(Inverted())
    driver.roll(partials, 0, *sliding(50, 8))
    _, places, front, back = driver.state()
    assert (places, front, len(back["rows"])) == ([], [], 8)


@pytest.mark.parametrize("kind", [Joined, Inverted])
def test_state_hands_the_aggregates_over(kind):
    start, end = np.array([0, 2, 4, 4]), np.array([2, 4, 4, 6])
    expected = [((0,), (1,)), ((2,), (3,)), None, ((4,), (5,))]
    partials, held = panes(kind, [1] * 6)
    for states in (
        TwoStacks(kind(), result="state").roll([list(range(6))], 0, None, start, end),
        MergePanes(kind(), result="state").roll(partials, 0, start, end),
    ):
        assert [state and state.terminate() for state in states] == expected
        states[0].merge(states[1])
    assert [partial.rows for partial in partials] == held


def test_an_aggregate_is_handed_over_once():
    partials, _ = panes(Joined, [1] * 3)
    start, end = np.array([0, 1]), np.array([2, 3])
    for roll in (
        lambda: TwoStacks(Joined(), result="state").roll([[0, 1, 2]], 0, None, start, end),
        lambda: MergePanes(Joined(), result="state").roll(partials, 0, start, end),
    ):
        with pytest.raises(RuntimeError, match="goes backwards"):
            roll()


class Total:
    def __init__(self, poison=None):
        self.poison = poison

    def initialize(self, value):
        self.total = value
        self.check("initialize", value)

    def iterate(self, value):
        self.check("iterate", value)
        self.total += value

    def merge(self, later):
        self.check("merge", later.total)
        self.total += later.total

    def terminate(self):
        self.check("terminate", self.total)
        return self.total

    def check(self, hook, value):
        if (hook, value) == self.poison:
            raise ValueError(hook)


def test_results_are_columns():
    start, end = np.array([0, 0, 1, 3]), np.array([1, 2, 3, 3])
    totals = TwoStacks(Total(), result="int64").roll([[1, 2, 4]], 0, None, start, end)
    assert totals.to_pylist() == [1, 3, 6, None]


@pytest.mark.parametrize(
    ("poison", "position", "arguments"),
    [
        (("initialize", 2), 11, (2,)),
        (("iterate", 4), 12, (4,)),
        (("terminate", 7), 12, ()),
        (("merge", 4), 11, None),  # at the flip: tuple 11 is merged with the suffix of tuple 12
        (("merge", 8), 13, None),  # at the query: the front's top is merged with the back
    ],
)
def test_a_hook_that_raises_is_named(poison, position, arguments):
    start, end = np.array([10, 11, 11]), np.array([13, 13, 14])
    if poison[0] == "initialize":
        start, end = np.array([11]), np.array([12])
    with pytest.raises(HookRaised) as caught:
        TwoStacks(Total(poison)).roll([[1, 2, 4, 8]], 10, None, start, end)
    raised = caught.value
    assert (raised.hook, raised.position) == (poison[0], position)
    if arguments is None:
        assert raised.arguments[0].total == poison[1]
    else:
        assert raised.arguments == arguments
    assert raised.__cause__ is raised.error


def test_an_unmerge_that_raises_is_named():
    class Failing(Inverted):
        def unmerge(self, earlier):
            raise ValueError("no")

    partials, _ = panes(Failing, [1, 1])
    with pytest.raises(HookRaised) as caught:
        MergePanes(Failing()).roll(partials, 0, np.array([0, 1]), np.array([2, 2]))
    raised = caught.value
    assert (raised.hook, raised.position, raised.arguments) == ("unmerge", 0, (partials[0],))


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ([1, 0], [2, 3], "goes backwards"),
        ([0, 0], [3, 2], "goes backwards"),
        ([0, 0], [2, 9], "not in the slice"),
    ],
)
def test_frames_that_break_the_protocol_are_internal_errors(start, end, message):
    partials, _ = panes(Joined, [1] * 3)
    with pytest.raises(RuntimeError, match=message):
        TwoStacks(Joined()).roll([[1, 2, 3]], 0, None, np.array(start), np.array(end))
    with pytest.raises(RuntimeError, match=message):
        MergePanes(Joined()).roll(partials, 0, np.array(start), np.array(end))


def test_every_start_has_an_end():
    with pytest.raises(ValueError, match="2 starts but 1 ends"):
        TwoStacks(Joined()).roll([[1, 2]], 0, None, np.array([0, 0]), np.array([1]))


def test_docstrings():
    assert doctest.testmod(_two_stacks) == (0, 4)


def test_a_merge_that_returns_the_new_state_instead_is_refused():
    class Sum:
        def initialize(self, value):
            self.sum = value

        iterate = initialize

        def merge(self, later):
            return self.sum + later.sum

        def terminate(self):
            return self.sum

    start = np.array([0, 1], dtype=np.int64)
    with pytest.raises(HookRaised, match="merge.self, later. must change self; what it returns, [0-9]+, is not used"):
        TwoStacks(Sum()).roll([[1, 2, 3]], 0, None, start, start + 2)


class Grouped:
    """A natural ``merge`` that takes over what is mutable in ``later``: lists by their key."""

    def iterate(self, value):
        if not hasattr(self, "groups"):
            self.groups = {}
        self.groups.setdefault(value % 3, []).append(value)

    def merge(self, later):
        for key, values in later.groups.items():
            if key in self.groups:
                self.groups[key] += values
            else:
                self.groups[key] = values

    def terminate(self):
        return sorted(value for values in self.groups.values() for value in values)


@given(frames(), masks, cuts)
def test_a_merge_may_take_over_what_is_mutable(bounds, mask, cut):
    n = bounds[0]
    values = [byte >> 2 for byte in mask[:n]]
    expected = [sorted(values[s:e]) for s, e in zip(*bounds[1:], strict=True)]

    def tuples(driver, low, high, start, end):
        return driver.roll([values[low:high]], low, None, start, end)

    assert in_calls(lambda: TwoStacks(Grouped(), empty=[]), bounds, cut, tuples) == expected
    partials = [Grouped() for _ in values]
    for partial, value in zip(partials, values, strict=True):
        partial.iterate(value)

    def panes(driver, low, high, start, end):
        return driver.roll(partials[low:high], low, start, end)

    assert in_calls(lambda: MergePanes(Grouped(), empty=[]), bounds, cut, panes) == expected
