# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The drivers that call a user's hooks, frame by frame: delta and recompute.

An aggregate with ``terminate`` is a function of its frame. Frame i sees the positions [start[i], end[i]), and
neither bound moves backwards, so the aggregate of one frame becomes that of the next::

    positions     lo          start        hi          end
    frame i-1      [-----------------------)
    frame i                    [-----------------------)
    hooks          expire ...               iterate ...  terminate      (Delta)
    hooks                      initialize, iterate ...   terminate      (Recompute)

A tuple may be in the frame but unseen (``seen[p] == 0``: a NULL that is skipped, or filtered out): no hook
gets it. The *live* aggregate exists while its frame holds a seen tuple. When the last one leaves, the
aggregate is dropped and not expired: nothing is ever inverted down to nothing, so no drift outlives a frame.

The loop is C; a tuple costs its hook calls (ESL, section 4: O(1) with ``expire``) and little else.
"""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.genobject cimport PyGen_CheckExact
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t

from inwindow.native._fresh import changed, fresh, resumed
from inwindow.native._inwindow import InWindow, enter, leave, leaving
from inwindow.native._results import Misfit, column
from inwindow.native.driver import HookRaised
from inwindow.native.significance import float_fields, is_lost, stored_names

from inwindow.native.driver cimport EXPIRE, NO_HOOK, TERMINATE, Driver, call
from inwindow.native.significance cimport CANCELLED, POISONED, _Watch

__all__ = ["Delta", "HookRaised", "InWindow", "Misfit", "Recompute", "float_fields", "fresh", "is_lost", "stored_names"]


cdef bint _refuses(object answer, object punt) except -1:
    """Whether a hook answered PUNT. One that yields runs only while it is read: it is read to its end."""
    cdef bint refused = answer is punt
    if PyGen_CheckExact(answer):
        try:
            while True:
                if next(answer) is punt:
                    refused = True
        except StopIteration as stop:
            if stop.value is not None and stop.value is punt:
                refused = True
    return refused


cdef class _Driver(Driver):
    """What Delta and Recompute share: one live aggregate."""

    cdef inline int _arrive(self, Py_ssize_t p) except -1:
        """A seen tuple comes in: initialize on an aggregate that is new, else iterate."""
        cdef object answer
        if self._aggregate is None:
            self._begin()
            if self._window is not None:
                enter(self._window, p, self._values(p))
            self._position, self._running = p, self._first
            answer = call(self._initialize, self._columns, p - self._base)
        else:
            if self._window is not None:
                enter(self._window, p, self._values(p))
            self._position, self._running = p, self._next
            answer = call(self._iterate, self._columns, p - self._base)
        if answer is not None:
            _refuses(answer, None)
        self._running = NO_HOOK

    # The frames

    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Make the live aggregate that of the frame [start, end): by definition, afresh."""
        cdef Py_ssize_t p
        self._drop()
        for p in range(start, end):
            if self._sees(p):
                self._arrive(p)

    cdef int _hand_over(self) except -1:
        """The live aggregate now belongs to the caller (result="state")."""
        self._drop()

    cdef object _outcome(self, Py_ssize_t end):
        cdef object answer
        if self._result == "state":
            answer = self._aggregate
            self._hand_over()
            return answer
        if self._aggregate is None:
            return self._empty
        self._position, self._running = end - 1, TERMINATE
        answer = self._terminate()
        self._running = NO_HOOK
        return answer if self._snapshot is None else self._snapshot(answer)


cdef class Delta(_Driver):
    """One aggregate that moves with the frame: ``expire`` for what leaves, ``iterate`` for what comes.

    needs      ``terminate``; ``expire`` too, unless each frame begins where the last began or after it ended
    time       O(1) hook calls a tuple, whatever the frame
    space      the aggregate, and ``inwindow`` if the class reads it
    first in   Bai, Thakkar, Luo, Wang, Zaniolo: A Data Stream Language and System Designed for Power and
               Extensibility, CIKM 2006 (the EXPIRE construct)

    Invariant between frames: the live aggregate has folded exactly the ``count`` seen tuples of [lo, hi).

    >>> import numpy as np
    >>> class Total:
    ...     def iterate(self, value): self.sum = getattr(self, "sum", 0.0) + value
    ...     def expire(self, value): self.sum -= value
    ...     def terminate(self): return self.sum
    >>> start, end = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 4])
    >>> Delta(Total(), result="double").roll([[1.0, 2.0, 4.0, 8.0]], 0, None, start, end).to_pylist()
    [1.0, 3.0, 6.0, 12.0]

    With ``rebase=True`` a frame is folded afresh where a float field of the aggregate has lost what it should hold, to
    cancellation, to drift, or to a NaN or an infinity that has left (``significance.pyx``).

    >>> driver = Delta(Total(), result="double", rebase=True)
    >>> driver.roll([[1.0, 1e100, 2.0, 3.0]], 0, None, start, end).to_pylist(), driver.rebased
    ([1.0, 1e+100, 1e+100, 5.0], 1)
    """

    cdef Py_ssize_t _lo, _hi, _count
    cdef _Watch _watch
    cdef const int64_t[::1] _left, _rank  # the k-th to leave, and as which a position leaves; None: in the order of arrival
    cdef Py_ssize_t _oldest
    cdef readonly int64_t punts, rebased  # frames folded afresh since the driver was made: by the hook's wish, and by ours

    def __init__(self, prototype, *, str result="object", empty=None, punt=None, record_fields=None, snapshot=None,
                 bint rebase=False):
        self._configure(prototype, result, empty, punt, record_fields, snapshot)
        names = stored_names(prototype) if rebase and getattr(prototype, "expire", None) is not None else ()
        self._watch = _Watch(names) if names else None
        self._left = self._rank = None

    def leave_by(self, const int64_t[::1] left, const int64_t[::1] rank):
        """From now on a frame [start, end) holds the positions before ``end`` without left[:start]; ``rank`` is left's inverse.

        For classes whose ``expire`` is right in any order, and that do not read ``inwindow``.
        """
        self._left, self._rank, self._oldest = left, rank, 0

    cdef inline bint _holds(self, Py_ssize_t p, Py_ssize_t start):
        """Whether a position that has entered is still in."""
        return self._rank is None or self._rank[p] >= start

    cdef inline Py_ssize_t _until(self, Py_ssize_t p):
        """While ``start`` is not behind this, the position is in the frame."""
        return p if self._rank is None else self._rank[p]

    cdef Py_ssize_t _lowest(self, Py_ssize_t start):
        """The first position that may be in the frame."""
        if self._rank is None:
            return start
        while self._oldest < self._hi and self._rank[self._oldest] < start:
            self._oldest += 1
        return self._oldest

    def resume(self, list columns, const uint8_t[::1] seen, const int64_t[::1] first, const int64_t[::1] end,
               const int64_t[::1] grown, const int64_t[::1] shift, list states):
        """Go on with many aggregates over frames that only grow, each from a state of its own (None: afresh).

        Aggregate k has the frames first[k] .. first[k + 1], which end before the rows end[i], and then folds all before
        row grown[k]. Its tuple p is row p + shift[k] of the columns. The new states take the place of the old ones.
        """
        cdef Py_ssize_t k, i
        cdef list outcomes = []
        cdef object outcome = None
        self._open(columns, 0, seen)
        try:
            for k in range(shift.shape[0]):
                if states[k] is None:
                    self._drop()
                    self._lo = self._hi = self._count = 0
                else:
                    self.restore(states[k])
                self._shift, self._base = shift[k], -shift[k]
                for i in range(first[k], first[k + 1]):
                    if i == first[k] or end[i] != end[i - 1]:
                        self._fold(0, end[i] - self._shift)
                        outcome = self._outcome(end[i] - self._shift)
                    outcomes.append(outcome)
                self._fold(0, max(self._hi, grown[k] - self._shift))
                states[k] = self.state()
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns, self._shift = None, 0
        return column(outcomes, self._result)

    def state(self):
        """What the next call builds on. Shared with the live aggregate: pickle it before that call."""
        here = self._lo, self._hi, self._count, changed(self._aggregate, self._prototype), self._records()
        return (*here, self._watch.state()) if self._watch is not None and self._watch.is_awake() else here

    def restore(self, state):
        """Go on from ``state()`` of a driver with the same prototype."""
        self._lo, self._hi, self._count, frozen, (rows, places) = state[:5]
        self._drop()
        if self._watch is not None:
            self._watch.reset()
            if len(state) > 5:
                self._watch.restore(state[5])
        if self._count:
            self._adopt(resumed(self._prototype, frozen), rows, places)

    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        cdef Py_ssize_t p
        cdef int found
        cdef bint is_read
        if start >= (self._hi if self._rank is None else end):
            self._forget()
            self._count, self._lo, self._hi = 0, start, start
            self._oldest = max(self._oldest, start)
        elif start != self._lo:
            self._move_start(start)
        if end < self._hi:
            raise RuntimeError(f"internal error: the end goes backwards, from {self._hi} to {end}")
        is_read = self._watch is not None and self._watch._precise and self._hi < end
        if is_read:
            self._extend_precisely(start, end)
        else:
            for p in range(self._hi, end):
                if self._sees(p) and self._holds(p, start):
                    self._arrive(p)
                    self._count += 1
        self._hi = end
        if self._watch is not None and self._watch._watches and self._aggregate is not None:
            found = self._watch.find(self._aggregate, start, self._count, is_read)
            if found & POISONED:
                self._cleanse(start, found & CANCELLED)
            elif found:
                self._rebase(start)

    cdef int _forget(self) except -1:
        """Nothing of the aggregate's frame is left."""
        self._drop()
        if self._watch is not None:
            self._watch.reset()

    cdef int _extend_precisely(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Tuples arrive, and each is weighed."""
        cdef Py_ssize_t p
        if self._aggregate is not None:
            self._watch.look(self._aggregate)
        for p in range(self._hi, end):
            if self._sees(p) and self._holds(p, start):
                self._arrive(p)
                self._watch.arrived(self._aggregate, self._until(p))
                self._count += 1

    cdef int _move_start(self, Py_ssize_t start) except -1:
        cdef Py_ssize_t p, k
        cdef bint is_next = False
        if start < self._lo:
            raise RuntimeError(f"internal error: the start goes backwards, from {self._lo} to {start}")
        if self._aggregate is not None and self._expire is None:
            raise RuntimeError("internal error: the start moves, but the aggregate has no expire")
        for k in range(self._lo, start):
            p = k if self._left is None else self._left[k]
            if p >= self._hi or not self._sees(p):  # it leaves before it comes, or unseen
                continue
            self._count -= 1
            if self._count == 0:
                self._forget()
                break
            if self._watch is not None:
                self._watch.leaving(self._aggregate, is_next)
                is_next = True
            if not self._leave(p):
                self.punts += 1
                self._refold(start)
                break
        self._lo = start

    cdef inline bint _leave(self, Py_ssize_t p) except -1:
        """Expire one tuple that is not the last; False if the aggregate refuses."""
        cdef object answer
        cdef bint undone
        if self._window is not None and leaving(self._window, p + 1) < 0:
            return True  # a hook has deleted it from inwindow
        self._position, self._running = p, EXPIRE
        answer = call(self._expire, self._columns, p - self._base)
        undone = answer is None or not _refuses(answer, self._punt)
        self._running = NO_HOOK
        if self._window is not None:
            leave(self._window, p)
        return undone

    cdef int _refold(self, Py_ssize_t start) except -1:
        """The frame [start, hi) from its tuples; noted is what each float field comes to, and by which of them."""
        cdef Py_ssize_t p, last = self._hi
        cdef list before = None if self._watch is None else self._watch.begin_fold()
        self._drop()
        self._count = 0
        for p in range(self._lowest(start), self._hi):
            if self._sees(p) and self._holds(p, start):
                self._arrive(p)
                self._count += 1
                last = max(last, self._until(p) + 1)
                if before is not None:
                    self._watch.arrived(self._aggregate, self._until(p))
        if before is not None:
            self._watch.end_fold(before, start, last)

    # Folding afresh unasked: what significance.pyx says

    cdef int _rebase(self, Py_ssize_t start) except -1:
        """A field has lost what it should hold."""
        self.rebased += 1
        self._refold(start)

    cdef int _cleanse(self, Py_ssize_t start, bint is_cancelled) except -1:
        """A field is NaN or infinite: by right, or by a tuple that has left.

        The frame is folded afresh; where that is poisoned, too, the fold begins anew behind the tuple that did it. If the last
        one to do so makes a NaN, any fold that holds it is NaN: till it leaves, the aggregate may stay as it is.
        """
        cdef Py_ssize_t p, first = -1
        cdef bint is_new
        live = self._aggregate, self._initialize, self._iterate, self._expire, self._terminate, self._window
        self._watch.begin_probe()
        self._drop()
        for p in range(self._lowest(start), self._hi):
            if self._sees(p) and self._holds(p, start):
                is_new = self._aggregate is None
                self._arrive(p)
                if self._watch.probed(self._aggregate, self._until(p), is_new and self._is_finite(p)):
                    first = self._until(p) if first < 0 else min(first, self._until(p))
                    self._drop()
        self._aggregate, self._initialize, self._iterate, self._expire, self._terminate, self._window = live
        if first >= 0:
            self._watch._guard = self._watch.guards(self._aggregate)
            if self._watch._guard >= start:
                if is_cancelled:  # another field has lost its digits
                    self._rebase(start)
                return 0
        self._rebase(start)
        self._watch._guard = first  # an infinity, or NaN for another reason: as it is in the frame, till this one leaves

    cdef bint _is_finite(self, Py_ssize_t p) except -1:
        """Whether no value of the tuple is a NaN or an infinity."""
        for values in self._columns:
            value = (<list>values)[p - self._base]
            if PyFloat_Check(value) and not isfinite(PyFloat_AS_DOUBLE(value)):
                return False
        return True

    cdef int _hand_over(self) except -1:
        self._forget()
        self._count, self._lo = 0, self._hi


cdef class Recompute(_Driver):
    """Each frame folded afresh: what every other strategy must equal.

    needs      ``terminate``
    time       O(frame) hook calls a tuple
    space      one aggregate; the caller keeps the frame's tuples
    first in   ESL, example 11, "a naive version"

    Nothing is kept between frames: ``absorb`` has nothing to do, and the tuples of a frame must all be in
    the slice of the call that rolls it.
    """

    def __init__(self, prototype, *, str result="object", empty=None, record_fields=None, snapshot=None):
        self._configure(prototype, result, empty, None, record_fields, snapshot)

    def absorb(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, Py_ssize_t start, Py_ssize_t end):
        """Nothing: the frame is folded when it is rolled."""

    def state(self):
        """Always empty."""
        return ()

    def restore(self, state):
        """Nothing to go on from."""
