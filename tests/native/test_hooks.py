"""Delta and Recompute against the definition: fold every frame afresh, in plain Python.

Frames are cut into calls of 1, 7 or all positions, each call sees only the slice it may read, and between the
calls the driver's state goes through pickle.
"""

import doctest
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.frame_log import Log

from inwindow.native import _hooks
from inwindow.native._hooks import Delta, Recompute

PUNT = object()


class PuntingLog(Log):
    """Cannot undo a multiple of three, and is broken once it has been asked to."""

    def expire(self, *row):
        if row[0] % 3 == 0:
            self.rows = None
            return PUNT
        return super().expire(*row)


class YieldingLog(Log):
    """Hooks that are generators: their bodies must run, and what ``expire`` returns at last may be PUNT."""

    def iterate(self, *row):
        yield "ignored"
        super().iterate(*row)

    def expire(self, *row):
        yield "ignored"
        if row[0] % 3 == 0:
            self.rows = None
            return PUNT
        super().expire(*row)


class SlottedLog(Log):
    __slots__ = ("extra",)

    def iterate(self, *row):
        self.extra = row
        super().iterate(*row)


class OnlyIterate:
    def __init__(self, rows=()):
        self.rows = list(rows)

    def iterate(self, *row):
        self.rows.append(row)

    def expire(self, *row):
        assert self.rows.pop(0) == row

    def terminate(self):
        return tuple(self.rows)


class OnlyInitialize(OnlyIterate):
    iterate = None

    def initialize(self, *row):
        self.rows.append(row)


LOGS = [Log, PuntingLog, YieldingLog, SlottedLog, OnlyIterate, OnlyInitialize]


@st.composite
def frames(draw, moving=True):
    """``(n, start, end)``: frames over n positions, no bound ever moving backwards; some start afresh."""
    steps = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 9)), max_size=30))
    start, end, bounds = 0, 0, []
    for forward, growth, restart in steps:
        if restart == 0:
            start = end
        elif moving:
            start = min(start + forward, end)
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


def rolled(make, columns, seen, bounds, cut):
    """Every frame's result, with a new driver for each call that goes on from the pickled state."""
    results, state = [], None
    for low, high, start, end in calls(*bounds, cut):
        driver = make()
        if state is not None:
            driver.restore(pickle.loads(state))
        mask = None if seen is None else seen[low:high]
        results += driver.roll([values[low:high] for values in columns], low, mask, start, end)
        state = pickle.dumps(driver.state())
    return results


def folded(columns, seen, bounds, empty=()):
    """The definition: what a Log must return for each frame."""
    _, start, end = bounds
    rows = list(zip(*columns, strict=True))
    visible = [row if seen is None or seen[p] else None for p, row in enumerate(rows)]
    return [tuple(filter(None, visible[s:e])) or empty for s, e in zip(start, end, strict=True)]


masks = st.one_of(st.none(), st.binary(min_size=130, max_size=130))
cuts = st.sampled_from([1, 7, None])


def columns_and_mask(n, width, mask):
    """Columns whose values tell the position, and which of their tuples are seen: three in four, or all."""
    columns = [[10**k * p for p in range(n)] for k in range(width)]
    return columns, None if mask is None else np.array([byte % 4 != 3 for byte in mask[:n]], dtype=np.uint8)


@pytest.mark.parametrize("kind", LOGS)
@given(frames(), masks, cuts, st.integers(1, 3))
def test_delta_equals_the_definition(kind, bounds, mask, cut, width):
    columns, seen = columns_and_mask(bounds[0], width, mask)
    expected = folded(columns, seen, bounds)
    assert rolled(lambda: Delta(kind(), empty=(), punt=PUNT), columns, seen, bounds, cut) == expected


@given(frames(moving=False), masks, cuts)
def test_delta_needs_no_expire_where_the_start_does_not_move(bounds, mask, cut):
    class NoExpire(Log):
        expire = None

    columns, seen = columns_and_mask(bounds[0], 1, mask)
    expected = folded(columns, seen, bounds)
    assert rolled(lambda: Delta(NoExpire(), empty=()), columns, seen, bounds, cut) == expected


@pytest.mark.parametrize("kind", [Log, SlottedLog, OnlyIterate, OnlyInitialize])
@given(frames(), masks, st.integers(1, 3))
def test_recompute_equals_the_definition(kind, bounds, mask, width):
    columns, seen = columns_and_mask(bounds[0], width, mask)
    got = Recompute(kind(), empty=()).roll(columns, 0, seen, *bounds[1:])
    assert got == folded(columns, seen, bounds)


@given(frames(), masks, st.data())
def test_absorbing_some_frames_leaves_the_others_as_they_are(bounds, mask, data):
    n, start, end = bounds
    columns, seen = columns_and_mask(n, 1, mask)
    driver = Delta(Log(), empty=())
    for i, expected in enumerate(folded(columns, seen, bounds)):
        if data.draw(st.booleans()):
            driver.absorb(columns, 0, seen, start[i], end[i])
        else:
            assert driver.roll(columns, 0, seen, start[i : i + 1], end[i : i + 1]) == [expected]


class Unreachable(Log):
    """Its terminate may see a record only through inwindow."""

    def terminate(self):
        return tuple((record.left, record.right) for record in self.inwindow)


class Largest:
    """ESL, example 13, with a terminate: the window holds what may still be the maximum."""

    def iterate(self, left, right):
        self.inwindow.delete(lambda record: record.left <= left, keep_newest=True)

    def expire(self, left, right):
        assert self.inwindow.oldest() == (left, right)

    def terminate(self):
        return self.inwindow.oldest().left


@pytest.mark.parametrize("driver", [Delta, Recompute])
@given(frames(), masks, cuts, st.randoms(use_true_random=False))
def test_inwindow_holds_the_frame(driver, bounds, mask, cut, random):
    columns, seen = columns_and_mask(bounds[0], 2, mask)
    random.shuffle(columns[0])

    def make(kind, empty):
        return lambda: driver(kind(), empty=empty, record_fields=("left", "right"))

    if driver is Recompute:
        cut = None  # it keeps nothing, so a frame must be within its slice
    expected = folded(columns, seen, bounds)
    assert rolled(make(Unreachable, ()), columns, seen, bounds, cut) == expected
    largest = [max((left for left, _ in frame), default=None) for frame in expected]
    assert rolled(make(Largest, None), columns, seen, bounds, cut) == largest


class Traced:
    """Writes down every call, and deletes what it is told to: not a function of its frame, on purpose."""

    calls: list[tuple] = []

    def __init__(self, deleting, punting):
        self.deleting, self.punting = deleting, punting

    def note(self, hook, value):
        self.calls.append((hook, value, tuple(record.value for record in self.inwindow)))

    def initialize(self, value):
        self.note("initialize", value)

    def iterate(self, value):
        self.note("iterate", value)
        self.inwindow.delete(lambda record: record.value % self.deleting == value % self.deleting)

    def expire(self, value):
        self.note("expire", value)
        return PUNT if value % self.punting == 0 else None

    def terminate(self):
        return tuple(record.value for record in self.inwindow)


class NaiveWindow(list):
    def delete(self, predicate):
        self[:] = [record for record in self if not predicate(record)]


class NaiveRecord:
    def __init__(self, value):
        self.value = value


def naive_delta(prototype, n, seen, bounds):
    """The rule of Delta in plain Python: expire what left, but never the last; PUNT refolds the frame."""
    low = high = 0
    live = None
    results = []

    def arrive(p):
        nonlocal live
        is_new = live is None
        if is_new:
            live = Traced(prototype.deleting, prototype.punting)
            live.inwindow = NaiveWindow()
        live.inwindow.append(NaiveRecord(p))
        (live.initialize if is_new else live.iterate)(p)

    for start, end in zip(*bounds[1:], strict=True):
        if start >= high:
            live, low, high = None, start, start
        while low < start:
            p, low = low, low + 1
            if not any(seen[low:high]):
                live = None
            if live is None or not seen[p] or all(record.value != p for record in live.inwindow):
                continue
            assert live.inwindow[0].value == p
            if live.expire(p) is PUNT:
                live, low = None, start
                for q in range(start, high):
                    if seen[q]:
                        arrive(q)
            else:
                live.inwindow[:] = [record for record in live.inwindow if record.value != p]
        for p in range(high, end):
            if seen[p]:
                arrive(p)
        high = end
        results.append(live.terminate() if live else "empty")
    return results


@given(frames(), masks, st.integers(1, 4), st.integers(2, 5))
def test_delta_calls_the_hooks_one_by_one_as_the_rule_says(bounds, mask, deleting, punting):
    n, start, end = bounds
    columns, seen = columns_and_mask(n, 1, mask or bytes(n))
    prototype = Traced(deleting, punting)
    Traced.calls = expected_calls = []
    expected = naive_delta(prototype, n, seen, bounds)
    Traced.calls = []
    driver = Delta(prototype, empty="empty", punt=PUNT, record_fields=("value",))
    assert driver.roll(columns, 0, seen, start, end) == expected
    assert Traced.calls == expected_calls


@pytest.mark.parametrize("driver", [Delta, Recompute])
@given(st.lists(st.integers(0, 4), max_size=20), masks)
def test_state_hands_the_aggregates_over(driver, sizes, mask):
    end = np.cumsum([0, *sizes])[1:].astype(np.int64)
    start = end - np.array(sizes, dtype=np.int64)
    columns, seen = columns_and_mask(int(end[-1]) if sizes else 0, 1, mask)
    states = driver(Log(), result="state").roll(columns, 0, seen, start, end)
    expected = folded(columns, seen, (0, start, end), empty=None)
    assert [state and state.terminate() for state in states] == expected
    assert len({id(state) for state in states if state}) == sum(state is not None for state in states)


@pytest.mark.parametrize("end", [2, 3])
def test_an_aggregate_is_handed_over_once(end):
    with pytest.raises(RuntimeError, match="start goes backwards"):
        Delta(Log(), result="state").roll([[0, 1, 2]], 0, None, np.array([0, 0]), np.array([2, end]))


def test_a_pane_may_be_absorbed_before_it_is_handed_over():
    driver = Delta(Log(), result="state")
    driver.absorb([[0, 1]], 0, None, 0, 2)
    [pane, after] = driver.roll([[2, 3]], 2, None, np.array([0, 3]), np.array([3, 4]))
    assert (pane.terminate(), after.terminate()) == (((0,), (1,), (2,)), ((3,),))


def test_a_prototype_is_never_touched():
    prototype = OnlyIterate([("before",)])
    driver = Delta(prototype)
    assert driver.roll([[1, 2]], 0, None, np.array([0, 1]), np.array([1, 2])) == [
        (("before",), (1,)),
        (("before",), (2,)),
    ]
    assert prototype.rows == [("before",)]


def test_docstrings():
    assert doctest.testmod(_hooks) == (0, 6)
