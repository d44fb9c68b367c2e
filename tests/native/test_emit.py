"""Emit and ActiveExpiration: the paper's examples by hand, and every hook call against a naive driver.

The naive driver is semantics.md, section 2, word by word: expire what has left, insert, call initialize or
iterate.
"""

import doctest
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _emit
from inwindow.native._emit import ActiveExpiration, Emit
from inwindow.native._hooks import HookRaised

PUNT = object()


def rows(size, n):
    """The starts of ROWS size - 1 PRECEDING over one partition of n tuples."""
    return np.maximum(np.arange(n, dtype=np.int64) - size + 1, 0), np.zeros(n, dtype=np.int64)


def seconds(size, times):
    """The starts of RANGE size PRECEDING over one partition with these order values."""
    start = np.searchsorted(times, np.array(times) - size)
    return start.astype(np.int64), np.zeros(len(times), dtype=np.int64)


def emitted(driver, columns, start, partition):
    values, owners = driver.roll(columns, 0, None, 0, start, partition)
    return list(zip(owners.tolist(), values, strict=True))


# The examples of the ESL paper


class DecayedAverage:
    """Example 8."""

    def initialize(self, value):
        self.total, self.count = value, 1
        return value

    def iterate(self, value):
        self.total = 0.9 * self.total + 1.1 * value
        self.count += 1
        return self.total / self.count


class CumulativeAverage:
    """Example 10."""

    def initialize(self, value):
        self.total, self.count = value, 1
        return self.total / self.count

    def iterate(self, value):
        self.total += value
        self.count += 1
        return self.total / self.count


class NaiveAverage:
    """Example 11: no state, no expire; tuples leave inwindow all the same."""

    def iterate(self, value):
        return sum(record.value for record in self.inwindow) / len(self.inwindow)


class DeltaAverage(CumulativeAverage):
    """Example 12."""

    def expire(self, value):
        assert self.inwindow.oldest().value == value
        self.total -= value
        self.count -= 1


class Largest:
    """Example 13: what cannot be the maximum any more is deleted from inwindow."""

    def initialize(self, value):
        return value

    def iterate(self, value):
        self.inwindow.delete(lambda record: record.value <= value, keep_newest=True)
        return self.inwindow.oldest().value


class LargestOnExpiry:
    """Example 16."""

    def iterate(self, value):
        self.inwindow.delete(lambda record: record.value <= value, keep_newest=True)

    def expire(self, value):
        return self.inwindow.oldest().value


class Groups:
    """Example 17: a gap above the threshold begins a new group; two columns in, a pair out."""

    def __init__(self, threshold):
        self.threshold = threshold

    def initialize(self, product, time):
        self.group, self.last = 0, time
        return product, self.group

    def iterate(self, product, time):
        if time - self.last > self.threshold:
            self.group += 1
        self.last = time
        return product, self.group


class ItemAlarm:
    """Example 18: an item leaves the door's window and no authorised person was near."""

    def iterate(self, tag, kind, time):
        # The new tuple is in inwindow too, so an authorised person saves the items on both sides.
        if any(record.kind == "ap" for record in self.inwindow):
            self.inwindow.delete(lambda record: record.kind == "item")

    def expire(self, tag, kind, time):
        if kind == "item" and not any(record.kind == "ap" for record in self.inwindow):
            yield f"larceny alarm: {tag}"


@pytest.mark.parametrize(
    ("prototype", "size", "expected"),
    [
        (DecayedAverage(), 4, [10.0, (9 + 22) / 2, (0.9 * 31 + 33) / 3, (0.9 * 60.9 + 11) / 4]),
        (CumulativeAverage(), 4, [10.0, 15.0, 20.0, 17.5]),
        (NaiveAverage(), 2, [10.0, 15.0, 25.0, 20.0]),
        (DeltaAverage(), 2, [10.0, 15.0, 25.0, 20.0]),
        (Largest(), 2, [10.0, 20.0, 30.0, 30.0]),
    ],
)
def test_examples_8_to_13(prototype, size, expected):
    driver = Emit(prototype, record_fields=("value",))
    values, owners = driver.roll([[10.0, 20.0, 30.0, 10.0]], 0, None, 0, *rows(size, 4))
    assert values == pytest.approx(expected)
    assert owners.tolist() == [0, 1, 2, 3]


def test_example_16_emits_each_maximum_as_it_leaves():
    driver = ActiveExpiration(LargestOnExpiry(), record_fields=("value",))
    times = [0, 1, 2, 8, 9]
    assert emitted(driver, [[5.0, 3.0, 4.0, 1.0, 2.0]], *seconds(5, times)) == [(0, 5.0), (2, 4.0)]
    values, owners = driver.drain([[]], 5, None)
    assert (values, owners.tolist()) == ([2.0], [4])


def test_example_17_numbers_the_groups():
    products, times = ["a", "b", "c", "d"], [0, 2, 7, 8]
    driver = Emit(Groups(threshold=2))
    assert emitted(driver, [products, times], *rows(1, 4)) == [
        (0, ("a", 0)), (1, ("b", 0)), (2, ("c", 1)), (3, ("d", 1)),
    ]  # fmt: skip


def test_example_18_raises_the_alarm():
    #  time     0      3      10     20     24     40
    #           item   ap     item   item   item   item        RANGE 5 SECONDS
    #           [...........]                                  saved by the ap at 3
    #                         [...........]                    alarm at 15
    tags = ["i0", "ann", "i10", "i20", "i24", "i40"]
    kinds = ["item", "ap", "item", "item", "item", "item"]
    times = [0, 3, 10, 20, 24, 40]
    driver = ActiveExpiration(ItemAlarm(), record_fields=("tag", "kind", "time"))
    assert emitted(driver, [tags, kinds, times], *seconds(5, times)) == [
        (2, "larceny alarm: i10"), (3, "larceny alarm: i20"), (4, "larceny alarm: i24"),
    ]  # fmt: skip
    values, owners = driver.drain([[], [], []], 6, None)
    assert (values, owners.tolist()) == (["larceny alarm: i40"], [5])


# Every hook call, against the naive driver


class Traced:
    """Emits every call that it gets, with its arguments, how many it has had, and what is in the window."""

    def __init__(self, deleting=0, punting=0, has_window=False):
        self.deleting, self.punting, self.has_window, self.calls = deleting, punting, has_window, 0

    def note(self, hook, row):
        self.calls += 1
        window = tuple(tuple(record) for record in self.inwindow) if self.has_window else None
        return (hook, row, self.calls, window)

    def initialize(self, *row):
        return self.note("initialize", row)

    def iterate(self, *row):
        note = self.note("iterate", row)
        if self.has_window and self.deleting:
            self.inwindow.delete(lambda record: record[0] % self.deleting == row[0] % self.deleting)
        return note

    def expire(self, *row):
        if self.punting and row[0] % self.punting == 0:
            return PUNT
        return self.note("expire", row)


class Yielding(Traced):
    """The same, yielded twice over, with some nothing in between."""

    def initialize(self, *row):
        yield from (super().initialize(*row), None, "again")

    def iterate(self, *row):
        note = super().iterate(*row)
        yield None
        yield note

    def expire(self, *row):
        answer = super().expire(*row)
        if answer is PUNT:
            return PUNT
        yield answer


class OnlyIterate(Traced):
    initialize = None


class OnlyInitialize(Traced):
    iterate = None

    def initialize(self, *row):
        return self.note("initialize", row)


class NoExpire(Traced):
    expire = None


class Blocking(Traced):
    """With a terminate, which only ActiveExpiration knows what to do with."""

    def terminate(self):
        raise AssertionError("terminate was called")


class NaiveWindow(list):
    def delete(self, predicate):
        self[:] = [record for record in self if not predicate(record)]


class Naive:
    """Section 2 of semantics.md in plain Python; ``active`` is section 6."""

    def __init__(self, prototype, active):
        self.prototype, self.active = prototype, active
        self.emissions = []

    def begin(self):
        p = self.prototype
        self.aggregate = type(p)(p.deleting, p.punting, p.has_window)
        self.aggregate.inwindow = NaiveWindow()
        self.waiting, self.is_new = [], True

    def answers(self, hook, row):
        answer = hook(*row)
        if hasattr(answer, "send"):
            values = []
            while True:
                try:
                    values.append(next(answer))
                except StopIteration as stop:
                    return [*values, stop.value] if stop.value is PUNT else values
        return [answer]

    def take(self, answers, position):
        emitted = [answer for answer in answers if answer is not None and answer is not PUNT]
        self.emissions += [(position, answer) for answer in emitted]

    def insert(self, position, row, emits):
        self.waiting.append((position, row))
        self.aggregate.inwindow.append(row)
        first, later = self.aggregate.initialize, self.aggregate.iterate
        hook = (first or later) if self.is_new else (later or first)
        self.is_new = False
        answers = self.answers(hook, row)
        if emits:
            self.take(answers, position)

    def expire_before(self, start):
        while self.waiting and self.waiting[0][0] < start:
            position, row = self.waiting[0]
            live = not self.prototype.has_window or row in self.aggregate.inwindow
            if not live or self.aggregate.expire is None:
                answers = []
            else:
                answers = self.answers(self.aggregate.expire, row)
                if self.active:
                    self.take(answers, position)
            self.waiting.pop(0)
            if row in self.aggregate.inwindow:
                self.aggregate.inwindow.remove(row)
            if PUNT in answers:
                self.refold(position + 1 if self.active else start)
            remaining = self.aggregate.inwindow if self.prototype.has_window else self.waiting
            if live and self.active and hasattr(self.prototype, "terminate") and not remaining:
                self.begin()

    def refold(self, start):
        window, kept = self.aggregate.inwindow, [entry for entry in self.waiting if entry[0] >= start]
        if self.prototype.has_window:
            kept = [(position, row) for position, row in kept if row in window]
        self.begin()
        for position, row in kept:
            self.insert(position, row, False)

    def run(self, columns, seen, start, partition, restart):
        before = None
        for p in range(len(start)):
            if before is None or partition[p] != before[0]:
                if before is not None and self.active:
                    self.expire_before(p)
                self.begin()
            elif restart is not None and restart[p] != before[1]:
                self.begin()
            before = partition[p], restart[p] if restart is not None else None
            self.expire_before(start[p])
            if seen[p]:
                self.insert(p, tuple(values[p] for values in columns), not self.active)
        if before is not None and self.active:
            self.expire_before(len(start))
        return self.emissions


@st.composite
def streams(draw):
    """``(start, partition, restart)``: frames that end at each tuple, a few partitions, perhaps tumbling."""
    starts, partitions = [], []
    for size in draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)):
        first = start = len(starts)
        for p in range(first, first + size):
            start = min(p, start + draw(st.integers(0, 3)))
            starts.append(start)
            partitions.append(first)
    restart = draw(st.one_of(st.none(), st.integers(1, 5)))
    slots = None if restart is None else np.arange(len(starts), dtype=np.int64) // restart
    return np.array(starts, dtype=np.int64), np.array(partitions, dtype=np.int64), slots


settings = {
    "stream": streams(),
    "mask": st.binary(min_size=60, max_size=60),
    "cut": st.sampled_from([1, 7, None]),
    "width": st.integers(1, 3),
    "deleting": st.integers(0, 3),
    "punting": st.integers(0, 4),
}


def tuples(n, width, mask):
    """Columns whose values tell the position, and which of their tuples are seen: three in four."""
    columns = [[10**k * p for p in range(n)] for k in range(width)]
    return columns, np.array([byte % 4 != 3 for byte in mask[:n]], dtype=np.uint8)


def in_calls(make, columns, seen, stream, cut, has_window):
    """All emissions, with a new driver for each call that goes on from the pickled state.

    A driver with an inwindow gets no position before the call's first; one without, what may still expire.
    """
    start, partition, restart = stream
    n, emissions, state, low = len(start), [], None, 0
    for first in range(0, n, cut or max(n, 1)):
        driver, stop = make(), min(n, first + (cut or n))
        if state is not None:
            driver.restore(pickle.loads(state))
        low = first if has_window else low
        values, owners = driver.roll(
            [column[low:stop] for column in columns], low, seen[low:stop], first, start[first:stop],
            partition[first:stop], *([] if restart is None else [restart[first:stop]]),
        )  # fmt: skip
        emissions += zip(owners.tolist(), values, strict=True)
        state, low = pickle.dumps(driver.state()), start[stop - 1]
    if state is not None and isinstance(driver, ActiveExpiration):
        low = n if has_window else low
        values, owners = driver.drain([column[low:n] for column in columns], low, seen[low:n])
        emissions += zip(owners.tolist(), values, strict=True)
    return emissions


@pytest.mark.parametrize("has_window", [False, True])
@pytest.mark.parametrize("kind", [Traced, Yielding, OnlyIterate, OnlyInitialize, NoExpire])
@given(**settings)
def test_emit_calls_the_hooks_as_semantics_say(kind, has_window, stream, mask, cut, width, deleting, punting):
    columns, seen = tuples(len(stream[0]), width, mask)
    prototype = kind(deleting, punting, has_window)
    fields = tuple("abc"[:width]) if has_window else None
    expected = Naive(prototype, active=False).run(columns, seen, *stream)

    def make():
        return Emit(prototype, punt=PUNT, record_fields=fields)

    assert in_calls(make, columns, seen, stream, cut, has_window) == expected


@pytest.mark.parametrize("has_window", [False, True])
@pytest.mark.parametrize("kind", [Traced, Yielding, OnlyIterate, OnlyInitialize, Blocking])
@given(**settings)
def test_active_expiration_calls_the_hooks_as_semantics_say(
    kind, has_window, stream, mask, cut, width, deleting, punting
):
    stream = (*stream[:2], None)
    columns, seen = tuples(len(stream[0]), width, mask)
    prototype = kind(deleting, punting, has_window)
    fields = tuple("abc"[:width]) if has_window else None
    expected = Naive(prototype, active=True).run(columns, seen, *stream)

    def make():
        return ActiveExpiration(prototype, punt=PUNT, record_fields=fields)

    assert in_calls(make, columns, seen, stream, cut, has_window) == expected


# What the traces do not show


def test_state_survives_an_empty_frame():
    class Surviving(DeltaAverage):
        def iterate(self, value):
            self.total += value
            self.count += 1
            return self.count, self.total

    driver = Emit(Surviving(), record_fields=("value",))
    assert emitted(driver, [[1.0, 2.0, 4.0]], *rows(1, 3)) == [(0, 1.0), (1, (1, 2.0)), (2, (1, 4.0))]


def test_absorb_drops_the_emissions_only():
    driver = Emit(CumulativeAverage())
    start, partition = rows(9, 4)
    driver.absorb([[1.0, 3.0]], 0, None, 0, start[:2], partition[:2])
    assert driver.roll([[5.0, 7.0]], 2, None, 2, start[2:], partition[2:])[0] == [3.0, 4.0]


def test_a_drain_may_stop_before_the_end():
    class Leaving:
        def iterate(self, value):
            return "never seen"

        def expire(self, value):
            return value

    driver = ActiveExpiration(Leaving())
    columns, (start, partition) = [["a", "b", "c"]], rows(9, 3)
    assert emitted(driver, columns, start, partition) == []
    assert driver.drain(columns, 0, None, until=2)[0] == ["a", "b"]
    assert driver.drain(columns, 0, None)[0] == ["c"]
    assert driver.drain(columns, 0, None)[0] == []


def test_a_driver_that_saw_nothing_drains_nothing():
    values, owners = ActiveExpiration(Traced()).drain([], 0, None)
    assert (values, owners.tolist(), owners.dtype) == ([], [], np.int64)


class Fragile(Traced):
    def check(self, hook, value):
        if (hook, value) == ("initialize", 1) and self.deleting == 1 or (hook, value) == (self.deleting, 3):
            raise ValueError(f"no {hook}")

    def initialize(self, value, letter):
        self.check("initialize", value)

    def iterate(self, value, letter):
        self.check("iterate", value)
        yield "something first"
        self.check("later", value)

    def expire(self, value, letter):
        self.check("expire", value)


@pytest.mark.parametrize(
    ("point", "hook", "position"),
    [(1, "initialize", 10), ("iterate", "iterate", 12), ("later", "iterate", 12), ("expire", "expire", 12)],
)
@pytest.mark.parametrize("fields", [None, ("value", "letter")])
def test_a_hook_that_raises_is_named(point, hook, position, fields):
    columns, start = [[1, 2, 3, 4, 5], list("abcde")], np.array([10, 11, 12, 13, 14])
    driver = Emit(Fragile(deleting=point), record_fields=fields)
    with pytest.raises(HookRaised, match="no ") as caught:
        driver.roll(columns, 10, None, 10, start, np.full(5, 10))
    raised = caught.value
    assert (raised.hook, raised.position) == (hook, position)
    assert raised.arguments == (columns[0][position - 10], columns[1][position - 10])
    assert raised.__cause__ is raised.error


def test_a_drain_that_raises_is_named():
    driver = ActiveExpiration(Fragile(deleting="expire"), record_fields=("value", "letter"))
    driver.roll([[3], ["c"]], 7, None, 7, np.array([7]), np.array([7]))
    with pytest.raises(HookRaised) as caught:
        driver.drain([[], []], 8, None)
    assert (caught.value.hook, caught.value.position, caught.value.arguments) == ("expire", 7, (3, "c"))


def test_positions_outside_of_the_slice_are_internal_errors():
    with pytest.raises(RuntimeError, match="position 3 is not in the slice"):
        Emit(CumulativeAverage()).roll([[1.0]], 4, None, 3, np.array([3]), np.array([3]))


@pytest.mark.parametrize("others", [([0],), ([0, 0], [0])])
def test_every_tuple_has_a_frame_and_a_partition(others):
    with pytest.raises(ValueError, match="must all have 2 entries"):
        Emit(CumulativeAverage()).roll([[1.0, 2.0]], 0, None, 0, np.array([0, 0]), *map(np.array, others))


def test_docstrings():
    assert doctest.testmod(_emit) == (0, 5)
