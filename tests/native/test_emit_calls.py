"""Emit and ActiveExpiration: every hook call against a naive driver.

The naive driver is semantics.md, section 2, word by word: expire what has left, insert, call initialize or
iterate.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native._emit import ActiveExpiration, Emit

PUNT = object()


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
