# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The live window buffer: ESL's ``inwindow`` table, kept by the driver and read by the hooks.

::

    positions   3    4    7    9            9 is the newest, 3 the next to expire
    records    (a)  (b)  (c)  (d)           5, 6 and 8 were deleted by a hook, or never seen
                ^ head

Invariant: ``records[head:]`` are the live tuples, oldest first, and ``positions[head:]`` their strictly
increasing positions. Tuples enter at the end and leave at the head, both in amortised O(1); only
``delete(predicate)`` looks at all of them.

Hooks see the methods of :class:`InWindow`. Entering and leaving are functions of this module, not methods,
since a user may delete tuples but never insert them (ESL, section 4).
"""

from collections import namedtuple
from functools import lru_cache

from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject*, PyObject*, PyObject*)
    PyTypeObject PyTuple_Type


@lru_cache(maxsize=256)
def _record_type(fields):
    return namedtuple("Record", fields, rename=True)


cdef class InWindow:
    """The tuples that are in the window now, oldest first: ``self.inwindow`` in a window aggregate.

    A class that annotates ``inwindow: iw.InWindow`` is given one. Its records are named tuples with the
    parameter names of ``iterate`` as fields. The framework inserts each new tuple before it calls ``iterate``
    and removes each expired one after ``expire``; hooks may read and delete.

    To try a hook by hand, build one: ``InWindow(fields, rows)``.

    >>> window = InWindow(("item", "price"), [("a", 3.0), ("b", 9.0), ("c", 4.0)])
    >>> len(window), window.oldest(), window.newest().price
    (3, Record(item='a', price=3.0), 4.0)
    >>> window.delete(lambda record: record.price <= 4.0, keep_newest=True)
    1
    >>> [record.item for record in window]
    ['b', 'c']

    Iteration is over the tuples that were there when it began, so deleting meanwhile is safe.
    """

    cdef tuple _fields
    cdef object _type
    cdef list _records
    cdef int64_t* _positions
    cdef Py_ssize_t _head, _capacity

    def __init__(self, fields, rows=(), positions=None):
        self._fields = tuple(fields)
        self._type = _record_type(self._fields)
        self._records = []
        self._head = 0
        rows = list(rows)
        for position, values in zip(range(len(rows)) if positions is None else positions, rows, strict=True):
            enter(self, position, tuple(values))

    def __dealloc__(self):
        free(self._positions)

    def __reduce__(self):
        return InWindow, (self._fields, [tuple(record) for record in self], positions(self))

    def __repr__(self):
        return f"InWindow({list(self)})"

    def __len__(self):
        return len(self._records) - self._head

    def __iter__(self):
        return iter(self._records[self._head:])

    def oldest(self):
        """The tuple that has been in the window longest; in ``expire``, the expiring tuple."""
        if self._head == len(self._records):
            raise LookupError(_empty("oldest"))
        return self._records[self._head]

    def newest(self):
        """The tuple that came last; in ``iterate``, the new tuple (unless a hook has deleted it)."""
        if self._head == len(self._records):
            raise LookupError(_empty("newest"))
        return self._records[len(self._records) - 1]

    def delete(self, predicate, bint keep_newest=False):
        """Delete the tuples for which ``predicate(record)`` is true and return how many.

        Deleted tuples never expire. ``keep_newest=True`` spares the newest: in ``iterate``, the new tuple.
        """
        cdef Py_ssize_t i, j = 0, n = len(self)
        cdef list live = self._records[self._head:]
        # All predicates come first, so that one that raises has deleted nothing.
        cdef list doomed = [bool(predicate(record)) for record in live[: n - keep_newest if n else 0]]
        if len(self) != n:
            raise RuntimeError("the predicate of inwindow.delete() has itself deleted tuples from inwindow")
        if keep_newest and n:
            doomed.append(False)
        cdef list survivors = []
        for i in range(n):
            if not doomed[i]:
                self._positions[j] = self._positions[self._head + i]
                survivors.append(live[i])
                j += 1
        self._records = survivors
        self._head = 0
        return n - j


cdef str _empty(str which):
    return (
        f"inwindow.{which}(): no tuple is in the window, since all of them have expired or were deleted by a "
        "hook; ask `if self.inwindow:` first, or spare the new tuple with delete(predicate, keep_newest=True)"
    )


def enter(InWindow window not None, int64_t position, tuple values not None):
    """The tuple at ``position`` comes into the window as its newest."""
    cdef Py_ssize_t end = len(window._records), capacity
    cdef int64_t* grown
    if end == window._capacity:
        capacity = 2 * end + 16
        grown = <int64_t*>realloc(window._positions, capacity * sizeof(int64_t))
        if grown == NULL:
            raise MemoryError
        window._positions, window._capacity = grown, capacity
    cdef tuple arguments = (values,)
    # What namedtuple's _make does, without its Python call.
    window._records.append(
        PyTuple_Type.tp_new(<PyTypeObject*><PyObject*>window._type, <PyObject*>arguments, NULL)
    )
    window._positions[end] = position


def leaving(InWindow window not None, int64_t start):
    """The oldest tuple's position if it lies before ``start``, else -1."""
    if window._head == len(window._records) or window._positions[window._head] >= start:
        return -1
    return window._positions[window._head]


def leave(InWindow window not None, int64_t position):
    """The oldest tuple leaves, if it is the one at ``position``: a hook may have deleted that one already."""
    cdef Py_ssize_t head = window._head, end = len(window._records)
    if head == end or window._positions[head] != position:
        return
    window._records[head] = None
    head += 1
    if head >= 32 and 2 * head >= end:  # what was moved is paid for by as many departures
        del window._records[:head]
        memmove(window._positions, window._positions + head, (end - head) * sizeof(int64_t))
        head = 0
    window._head = head


def positions(InWindow window not None):
    """The positions of the live tuples, oldest first."""
    return [window._positions[i] for i in range(window._head, len(window._records))]
