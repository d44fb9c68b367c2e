# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counts over sliding frames: ``count(x)`` of an array of any type, and ``count(*)``.

The problem: only the validity bitmap says what is counted, one bit per value, LSB first from the array's offset ::

    values      7   NULL   5    9   NULL        count(x) of [1, 4)  =  bits 1 ... 3  =  2
    validity    1    0     1    1    0          count(*) of [1, 4)  =  4 - 1         =  3

*Invariant*: count is the number of valid positions in [lo, hi). An empty frame counts 0, never NULL.

*Cost*: O(1) amortised per tuple: each bit is read once when it enters and once when it leaves. Without a bitmap a
count is the length of its frame, and nothing is read at all.
"""

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

from libc.stdint cimport int64_t, uint8_t, uintptr_t


# What is valid at the positions [base, ...): all of them, none, or those whose bit at position + shift is set.
cdef struct Validity:
    bint all, none
    const uint8_t* bits
    int64_t shift


cdef Validity read_validity(array, int64_t base):
    cdef Validity values = Validity(True, False, NULL, 0)
    if array is None or array.null_count == 0:
        return values
    bitmap = array.buffers()[0]
    if bitmap is None:                  # an array of type null has no buffers
        return Validity(False, True, NULL, 0)
    return Validity(False, False, <const uint8_t*><uintptr_t>bitmap.address, array.offset - base)


cdef inline int64_t valid(const Validity* values, int64_t start, int64_t end) noexcept nogil:
    """How many positions of [start, end) are valid."""
    cdef int64_t count = 0, index
    if values.all or values.none:
        return end - start if values.all else 0
    for index in range(start + values.shift, end + values.shift):
        count += (values.bits[index >> 3] >> (index & 7)) & 1
    return count


cdef struct Frame:
    int64_t lo, hi
    int64_t count


cdef inline void move(Frame* frame, const Validity* values, int64_t start, int64_t end) noexcept nogil:
    if start >= frame.hi:
        frame[0] = Frame(start, start, 0)
    frame.count -= valid(values, frame.lo, start)
    frame.count += valid(values, frame.hi, end)
    frame.lo, frame.hi = start, end


cdef column(counts):
    return pa.Array.from_buffers(pa.int64(), len(counts), [None, pa.py_buffer(counts)])


cdef class Count:
    """The number of values in the frame that are not NULL; of all tuples, where the values are None."""

    cdef Frame frame

    cdef counts(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        cdef Validity validity = read_validity(values, base)
        cdef int64_t n = start.shape[0], i
        cdef int64_t[::1] out = space(n, np.int64)
        cdef Frame frame = self.frame
        with nogil:
            for i in range(n):
                move(&frame, &validity, start[i], end[i])
                out[i] = frame.count
        self.frame = frame
        return out.base

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame, int64."""
        return column(self.counts(values, base, start, end))

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: one array, ``(count,)``, one pane per frame."""
        return (self.counts(values, base, start, end),)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Validity validity = read_validity(values, base)
        move(&self.frame, &validity, start, end)

    def state(self):
        return (self.frame,)

    def restore(self, state):
        self.frame, = state


cdef class CountOfPartials:
    """The second level: the sum of the panes' counts, given by :meth:`Count.roll_partials`."""

    cdef Frame frame

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes, int64."""
        cdef const int64_t[::1] count = partials[0]
        cdef int64_t n = start.shape[0], i, pane
        cdef int64_t[::1] out = np.empty(n, dtype=np.int64)
        cdef Frame frame = self.frame
        with nogil:
            for i in range(n):
                if start[i] >= frame.hi:
                    frame = Frame(start[i], start[i], 0)
                for pane in range(frame.lo, start[i]):
                    frame.count -= count[pane - base]
                for pane in range(frame.hi, end[i]):
                    frame.count += count[pane - base]
                frame.lo, frame.hi = start[i], end[i]
                out[i] = frame.count
        self.frame = frame
        return column(out.base)

    def state(self):
        return (self.frame,)

    def restore(self, state):
        self.frame, = state
