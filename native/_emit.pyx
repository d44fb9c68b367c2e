# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The drivers of non-blocking aggregates: what hooks return or yield, tuple by tuple.

A class without ``terminate`` answers from ``initialize`` and ``iterate`` as each tuple arrives (ESL, examples
8, 10, 11, 13); under active expiration it answers from ``expire`` as each tuple leaves (examples 16 and 18)::

    arrivals      a1     a2          a3                     frame of a3: [start, a3]
    window        [------------)                            a1 and a2 have left it
    Emit          i(a1)  i(a2)       e(a1) e(a2) i(a3)      emits what i returns, owner: the arriving tuple
    Active...     i(a1)  i(a2)       e(a1) e(a2) i(a3)      emits what e returns, owner: the expiring tuple

An answer of ``None`` emits nothing; a hook that yields emits each value it yields.

Invariant between tuples: the aggregate has seen every seen tuple of its partition in order, and the tuples
still to expire are the records of its ``inwindow`` or, for a class that does not read it, the seen positions
of [lo, hi). The aggregate's state outlives an empty window; only a partition or a tumble restarts it. Cost:
the hook calls, O(1) for each tuple that comes and each that goes.
"""

from cpython cimport array
from cpython.genobject cimport PyGen_CheckExact
from libc.stdint cimport int64_t, uint8_t

import numpy as np

from inwindow.native._fresh import changed, resumed
from inwindow.native._inwindow import enter, leave, leaving, positions

from inwindow.native.driver cimport EXPIRE, INITIALIZE, NO_HOOK, Driver, Hook, call


cdef class Emit(Driver):
    """A non-blocking aggregate, tuple by tuple, over any frame that ends at the current tuple.

    needs      a class without ``terminate``
    time       O(1) hook calls a tuple
    space      the aggregate, and ``inwindow`` if the class reads it
    first in   ESL, sections 3 and 5.4

    With ``record_fields`` the window's tuples are in ``inwindow``, and no position before ``first`` is read.
    Without, those that are still to expire must be in the slice.

    >>> import numpy as np
    >>> class Largest:                                      # ESL, example 13
    ...     def iterate(self, value):
    ...         self.inwindow.delete(lambda record: record.value <= value, keep_newest=True)
    ...         return self.inwindow.oldest().value
    >>> start, partition = np.array([0, 0, 1, 2]), np.zeros(4, dtype=np.int64)
    >>> driver = Emit(Largest(), record_fields=("value",))
    >>> driver.roll([[3.0, 5.0, 4.0, 1.0]], 0, None, 0, start, partition)
    ([3.0, 5.0, 5.0, 4.0], array([0, 1, 2, 3]))
    """

    cdef bint _is_new
    cdef Py_ssize_t _lo, _hi, _waiting
    cdef int64_t _partition, _restart
    cdef list _emitted
    cdef array.array _owners
    cdef object _given       # the values that the hook which runs was called with; None: the row's

    def __init__(self, prototype, *, punt=None, record_fields=None, snapshot=None):
        self._configure(prototype, "object", None, punt, record_fields, snapshot)
        self._drop()

    def roll(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, Py_ssize_t first,
             const int64_t[::1] start, const int64_t[::1] partition, const int64_t[::1] restart=None):
        """What the tuples at first, first + 1, ... emit: the values, and the positions that own them.

        ``start[i]`` is where the frame of tuple i begins and ``partition[i]`` where its partition does. A
        change in ``restart[i]`` (the slot of a tumble) restarts the aggregate as a new partition does.
        """
        self._open(columns, base, seen)
        try:
            self._arrivals(first, start, partition, restart)
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns = None
        return self._emissions()

    def absorb(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, Py_ssize_t first,
               const int64_t[::1] start, const int64_t[::1] partition, const int64_t[::1] restart=None):
        """``roll`` without its emissions."""
        self.roll(columns, base, seen, first, start, partition, restart)

    def state(self):
        """What the next call builds on. Shared with the live aggregate: pickle it before that call."""
        here = self._lo, self._hi, self._waiting, self._partition, self._restart, self._is_new
        return here, changed(self._aggregate, self._prototype), self._records()

    def restore(self, state):
        """Go on from ``state()`` of a driver with the same prototype."""
        here, frozen, (rows, places) = state
        self._drop()
        if frozen is not None:
            self._adopt(resumed(self._prototype, frozen), rows, places)
        self._lo, self._hi, self._waiting, self._partition, self._restart, self._is_new = here

    def resume(self, list columns, const uint8_t[::1] seen, const int64_t[::1] low, const int64_t[::1] last,
               const int64_t[::1] until, const int64_t[::1] shift, const int64_t[::1] start, list states):
        """Go on with many aggregates, each from a state of its own (None: afresh), in positions of its own.

        Aggregate k takes the tuples [low[k], last[k]); then, where until[k] >= 0, those before it leave. Its tuple p
        is row p + shift[k] of the columns, and of ``start``, which says in rows where frames begin. What is emitted
        is owned by rows. The new states take the place of the old ones.
        """
        cdef Py_ssize_t k, p
        self._open(columns, 0, seen)
        try:
            for k in range(low.shape[0]):
                if states[k] is None:
                    self._drop()
                else:
                    self.restore(states[k])
                self._shift, self._base = shift[k], -shift[k]
                for p in range(low[k], last[k]):
                    if self._aggregate is None:
                        self._begin()
                        self._lo = p
                    self._expire_before(start[p + self._shift] - self._shift)
                    self._hi = p + 1
                    if self._sees(p):
                        self._arrived(self._arrive(p, None if self._window is None else self._values(p)))
                        self._running = NO_HOOK
                if until[k] >= 0:
                    self._expire_before(until[k])
                states[k] = self.state()
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns, self._shift = None, 0
        return self._emissions()

    cdef int _open(self, list columns, Py_ssize_t base, const uint8_t[::1] seen) except -1:
        Driver._open(self, columns, base, seen)
        self._emitted, self._owners = [], array.array("q")

    cdef int _drop(self) except -1:
        Driver._drop(self)
        self._lo = self._hi = self._waiting = self._partition = 0

    cdef int _adopt(self, object aggregate, object rows, object places) except -1:
        Driver._adopt(self, aggregate, rows, places)
        self._is_new, self._waiting = True, 0

    # The loop

    cdef int _arrivals(self, Py_ssize_t first, const int64_t[::1] start, const int64_t[::1] partition,
                       const int64_t[::1] restart) except -1:
        cdef Py_ssize_t i, p, n = start.shape[0]
        if partition.shape[0] != n or (restart is not None and restart.shape[0] != n):
            raise ValueError(f"start, partition and restart must all have {n} entries")
        for i in range(n):
            p = first + i
            if self._aggregate is None or partition[i] != self._partition:
                self._end_partition()
                self._begin()
                self._lo = p
            elif restart is not None and restart[i] != self._restart:
                self._begin()
                self._lo = p
            self._partition = partition[i]
            if restart is not None:
                self._restart = restart[i]
            self._expire_before(start[i])
            self._hi = p + 1
            if self._sees(p):
                self._arrived(self._arrive(p, None if self._window is None else self._values(p)))
                self._running = NO_HOOK

    cdef int _end_partition(self) except -1:
        """The tuples that are left are forgotten."""

    cdef object _arrive(self, Py_ssize_t p, values):
        """The answer of initialize or iterate to the tuple at p; ``values`` if there is an inwindow."""
        if self._window is not None:
            enter(self._window, p, values)
        self._waiting += 1
        if self._is_new:
            self._is_new = False
            return self._ask(self._initialize, self._first, p, values)
        return self._ask(self._iterate, self._next, p, values)

    cdef int _expire_before(self, Py_ssize_t start) except -1:
        """Expire what the window still has before start, oldest first and down to the last."""
        cdef Py_ssize_t p
        if self._window is not None:
            p = leaving(self._window, start)
            while p >= 0:
                self._expire_one(p, start)
                p = leaving(self._window, start)
        elif self._expire is not None:
            while self._lo < start and self._lo < self._hi:
                p = self._lo
                self._lo += 1
                if self._sees(p):
                    self._expire_one(p, start)

    cdef int _expire_one(self, Py_ssize_t p, Py_ssize_t start) except -1:
        cdef bint refused = False
        cdef object values = None if self._window is None else self._window.oldest()
        if self._expire is not None:
            refused = self._expired(self._ask(self._expire, EXPIRE, p, values))
            self._running = NO_HOOK
        if self._window is not None:
            leave(self._window, p)
        self._waiting -= 1
        if refused:
            self._refold(self._first_kept(p, start))

    cdef int _refold(self, Py_ssize_t start) except -1:
        """After a PUNT: a fresh aggregate that has seen what the window holds from start on."""
        cdef Py_ssize_t p
        cdef object window = self._window
        self._begin()
        if window is not None:
            for p, values in zip(positions(window), window):
                if p >= start:
                    self._take(self._arrive(p, tuple(values)), False)
        else:
            self._lo = min(start, self._hi)
            for p in range(start, self._hi):
                if self._sees(p):
                    self._take(self._arrive(p, None), False)
        self._running = NO_HOOK

    cdef inline object _ask(self, hook, Hook which, Py_ssize_t p, values):
        self._position, self._running, self._given = p, which, values
        if values is not None:
            return hook(*values)
        return call(hook, self._columns, p - self._base)

    # The answers; a hook that yields runs while it is read, so it is always read to its end

    cdef int _arrived(self, answer) except -1:
        self._take(answer, True)

    cdef bint _expired(self, answer) except -1:
        return self._take(answer, False)

    cdef Py_ssize_t _first_kept(self, Py_ssize_t p, Py_ssize_t start):
        """Where a refold begins when the tuple at p refuses to leave: all before start go at once."""
        return start

    cdef bint _take(self, answer, bint emits) except -1:
        """Emit an answer, or drop it; True if it is PUNT."""
        cdef bint refused = False
        if answer is None:
            return False
        if not PyGen_CheckExact(answer):
            return self._take_value(answer, emits)
        try:
            while True:
                refused |= self._take_value(next(answer), emits)
        except StopIteration as stop:
            return refused or self._take_value(stop.value, False)

    cdef bint _take_value(self, value, bint emits) except -1:
        cdef Py_ssize_t n
        if value is None:
            return False
        if value is self._punt and self._running == EXPIRE:
            return True
        if emits:
            n = len(self._owners)
            array.resize_smart(self._owners, n + 1)
            self._owners.data.as_longlongs[n] = self._position + self._shift
            self._emitted.append(value if self._snapshot is None else self._snapshot(value))
        return False

    cdef tuple _emissions(self):
        cdef list values = self._emitted
        owners = np.asarray(self._owners).view(np.int64)
        self._emitted = self._owners = None
        return values, owners

    cdef tuple _arguments(self):
        given, self._given = self._given, None
        return self._values(self._position) if given is None else tuple(given)


cdef class ActiveExpiration(Emit):
    """Arrivals emit nothing; what ``expire`` returns or yields is emitted, owned by the expiring tuple.

    needs      ``expire``; ``terminate`` is not called, but a class that has one starts afresh when its window
               has become empty
    time       O(1) hook calls for each tuple that comes and each that leaves
    space      the aggregate, and ``inwindow`` if the class reads it
    first in   ESL, section 5.2

    Tuples leave before the first arrival whose frame they are not in; those that are left when a partition
    ends leave then, those of the last partition in :meth:`drain`. Without ``record_fields`` they must be in
    the slice. A PUNT costs a refold for each tuple that refuses, since each that leaves emits.
    """

    cdef bint _is_blocking

    def __init__(self, prototype, *, punt=None, record_fields=None, snapshot=None):
        Emit.__init__(self, prototype, punt=punt, record_fields=record_fields, snapshot=snapshot)
        self._is_blocking = getattr(prototype, "terminate", None) is not None

    def drain(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, until=None):
        """What the tuples that are left emit, expired in order; only those before ``until``, if given."""
        self._open(columns, base, seen)
        try:
            self._expire_before(self._hi if until is None else until)
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns = None
        return self._emissions()

    cdef int _end_partition(self) except -1:
        self._expire_before(self._hi)

    cdef int _expire_one(self, Py_ssize_t p, Py_ssize_t start) except -1:
        Emit._expire_one(self, p, start)
        if self._is_blocking and (self._waiting == 0 if self._window is None else not self._window):
            self._begin()

    cdef int _arrived(self, answer) except -1:
        self._take(answer, False)

    cdef bint _expired(self, answer) except -1:
        return self._take(answer, True)

    cdef Py_ssize_t _first_kept(self, Py_ssize_t p, Py_ssize_t start):
        return p + 1
