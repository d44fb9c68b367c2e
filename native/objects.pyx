# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The frames of kernels over Python objects, of any number of columns: which values enter, and which leave.

A frame that starts at or behind the end of the one before begins afresh; else what is before its start leaves, oldest first,
and what is behind the old end enters. NULL (None) does not count, nor does a tuple whose ``seen`` is 0.
"""

import math

from inwindow.native.kernel cimport counting, no_eviction

cdef object NOT_A_NUMBER = math.nan    # stands for every NaN: to a dict the same object is the same key


cdef object canonical(object value):
    """A key for the value, the same for values that are the same; lists and structs by their contents."""
    if isinstance(value, float):
        return NOT_A_NUMBER if value != value else value or 0.0
    if isinstance(value, (tuple, list)):
        return tuple([canonical(part) for part in value])
    if isinstance(value, dict):
        return tuple([(name, canonical(part)) for name, part in value.items()])
    return value


cdef tuple tuple_at(list columns, Py_ssize_t row):
    """The values of a row; None where one of them is None."""
    cdef list values = [(<list>column)[row] for column in columns]
    for value in values:
        if value is None:
            return None
    return tuple(values)


cdef class ObjectKernel:
    """A subclass defines ``forget``, ``enter``, ``leave`` and ``answer``; and ``state`` and ``restore``."""

    cdef int forget(self) except -1:
        """Start with an empty frame."""
        raise NotImplementedError

    cdef int enter(self, object value) except -1:
        raise NotImplementedError

    cdef int leave(self, object value) except -1:
        raise NotImplementedError

    cdef int settle(self, list columns, int64_t base, const uint8_t* seen) except -1:
        """The frame is [lo, hi) now; a kernel may read it again."""
        return 0

    cdef object room(self, Py_ssize_t frames):
        """Where the results of so many frames are put."""
        return []

    cdef int answer(self, object results, Py_ssize_t frame) except -1:
        """Put the result of the frame, the next one, there."""
        raise NotImplementedError

    def column(self, results):
        """What ``roll`` returns, made of all results."""
        return results

    cdef int fold(self, list columns, int64_t base, const uint8_t* seen, int64_t start, int64_t end) except -1:
        cdef int64_t position, number
        cdef list values = <list>columns[0] if len(columns) == 1 else None
        cdef object value
        if start >= self.hi:
            self.forget()
            self.lo = self.hi = start
        elif start > self.lo and not self.evicts:
            no_eviction(self.lo, start)
        for number in range(self.lo, start):
            position = number if self.left == NULL else self.left[number]
            if seen == NULL or seen[position]:
                value = tuple_at(columns, position - base) if values is None else values[position - base]
                if value is not None:
                    self.leave(value)
        for position in range(self.hi, end):
            if seen == NULL or seen[position]:
                value = tuple_at(columns, position - base) if values is None else values[position - base]
                if value is not None:
                    self.enter(value)
        self.lo, self.hi = start, max(self.hi, end)
        return self.settle(columns, base, seen)

    def roll(self, list columns, int64_t base, const uint8_t[::1] seen, const int64_t[::1] start, const int64_t[::1] end):
        """The results of the frames [start, end); ``columns`` and ``seen`` hold the positions from ``base`` on."""
        cdef const uint8_t* counted = counting(seen, base)
        cdef Py_ssize_t frame
        cdef object results = self.room(start.shape[0])
        for frame in range(start.shape[0]):
            self.fold(columns, base, counted, start[frame], end[frame])
            self.answer(results, frame)
        return self.column(results)

    def sweep(self, list columns, const uint8_t[::1] seen, const int64_t[::1] left, const int64_t[::1] start,
              const int64_t[::1] end):
        """As ``roll``, but frame i holds the positions before end[i] without left[: start[i]], which have been in a frame before."""
        self.left = &left[0]
        try:
            return self.roll(columns, 0, seen, start, end)
        finally:
            self.left = NULL

    def absorb(self, list columns, int64_t base, const uint8_t[::1] seen, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        self.fold(columns, base, counting(seen, base), start, end)
