# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Minimum and maximum over sliding frames: the monotone deque.

A tuple with a smaller or equal one behind it can never be the minimum again. So the minimum is the head of a
deque that keeps only the tuples with nothing as small behind them::

    frame     5 3 8 4 6        deque, head first: 3 4 6
    add 4     5 3 8 4 6 4      6 and 4 are beaten: 3 4
    evict     8 4 6 4          the head 3 leaves:  4

Invariant: from head to tail the positions and the keys of the deque ascend; each key is the minimum of [its
position, hi), the head's of the whole frame [lo, hi).
Cost: amortised O(1) per tuple; O(log w) entries in the mean on random data, w at most. Keys are stored: a
tuple that was folded in is never read from ``values`` again. Where tuples leave a frame all at once or not at
all (``evicts=False``: the lower end stands still, or jumps to the upper one) the minimum alone is kept.

The order is Spark's. A double is compared as the int64 of the same rank: every NaN is the largest, -0.0 is
right below 0.0, and no comparison of results can tell the two. The maximum is the minimum of the complements.
"""

from libc.stdint cimport INT64_MAX, int64_t, uint8_t
from libc.stdlib cimport free

import pyarrow as pa

from inwindow.native.deque cimport Deque, Entry, frozen, make_room, thaw
from inwindow.native.kernel cimport Kernel, Slice, is_seen, no_eviction, set_null, slice_of
from inwindow.native.doubles cimport one_nan, ranked


ctypedef fused Word:
    int64_t
    double


cdef inline int64_t key_at(const Word* values, int64_t position, int64_t flip) noexcept nogil:
    """The int64 that ranks as the value does; ``flip`` is -1 for a maximum."""
    cdef int64_t word = (<const int64_t*>values)[position]
    return (ranked(one_nan(word)) if Word is double else word) ^ flip


cdef inline int64_t word_of(const Word* kind, int64_t key, int64_t flip) noexcept nogil:
    """The value's bits again."""
    return ranked(key ^ flip) if Word is double else key ^ flip


cdef int64_t slide(Deque* deque, const Word* values, const Slice column, int64_t flip, const int64_t* start, const int64_t* end,
                   int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """Fold the frames from i on; stop at the first NULL if there is no bitmap for it."""
    cdef Entry* entries = deque.entries
    cdef int64_t head = deque.head, tail = deque.tail, capacity = deque.capacity, hi = deque.hi, position, key
    while i < n:
        if start[i] >= hi:
            head = tail = 0
            hi = start[i]
        else:
            while head < tail and entries[head].position < start[i]:
                head += 1
        deque.lo = start[i]
        for position in range(hi, end[i]):
            if not is_seen(&column, position):
                continue
            key = key_at(values, position, flip)
            while head < tail and entries[tail - 1].key >= key:
                tail -= 1
            if tail == capacity:
                deque.head, deque.tail = head, tail
                make_room(deque, 256)
                entries, head, tail, capacity = deque.entries, deque.head, deque.tail, deque.capacity
            entries[tail].key = key
            entries[tail].position = position
            tail += 1
        hi = end[i]
        if head < tail:
            out[i] = word_of(values, entries[head].key, flip)
        elif validity != NULL:
            out[i] = 0
            set_null(validity, i)
        else:
            break
        i += 1
    deque.head, deque.tail, deque.hi = head, tail, hi
    return i


cdef int64_t grow(Deque* deque, const Word* values, const Slice column, int64_t flip, const int64_t* start, const int64_t* end,
                  int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """The same where tuples leave a frame all at once or not at all: the deque is the minimum alone."""
    cdef int64_t lo = deque.lo, hi = deque.hi, position, least
    cdef bint some = deque.head < deque.tail
    if deque.capacity == 0:
        make_room(deque, 1)
    least = deque.entries[deque.head].key if some else INT64_MAX
    while i < n:
        if start[i] >= hi:
            hi = start[i]
            some, least = False, INT64_MAX
        elif start[i] != lo:
            no_eviction(lo, start[i])
        lo = start[i]
        if column.seen == NULL:
            some |= hi < end[i]
            for position in range(hi, end[i]):
                least = min(least, key_at(values, position, flip))
        else:
            for position in range(hi, end[i]):
                if is_seen(&column, position):
                    some = True
                    least = min(least, key_at(values, position, flip))
        hi = end[i]
        if some:
            out[i] = word_of(values, least, flip)
        elif validity != NULL:
            out[i] = 0
            set_null(validity, i)
        else:
            break
        i += 1
    deque.entries[0] = Entry(least, lo)
    deque.head, deque.tail, deque.lo, deque.hi = 0, some, lo, hi
    return i


cdef int64_t fold_words(Deque* deque, const Word* values, const Slice column, bint evicts, int64_t flip, const int64_t* start,
                        const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    if evicts:
        return slide(deque, values, column, flip, start, end, i, n, out, validity)
    return grow(deque, values, column, flip, start, end, i, n, out, validity)


cdef class _Extreme(Kernel):
    """The running minimum or maximum of one column of 64-bit values."""

    cdef Deque deque
    cdef int64_t flip
    cdef bint floating
    cdef bint evicts

    def __cinit__(self, str op, *, bint evicts=True):
        if op not in ("min", "max"):
            raise ValueError(f"op={op!r}: an extreme is 'min' or 'max'")
        self.flip = -1 if op == "max" else 0
        self.evicts = evicts

    def __dealloc__(self):
        free(self.deque.entries)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Slice column = slice_of(values[0] if self.over_panes else values, base, 8)
        cdef Deque* deque = &self.deque
        cdef const double* doubles = <const double*>column.data
        cdef const int64_t* words = <const int64_t*>column.data
        with nogil:
            if self.floating:
                return fold_words(deque, doubles, column, self.evicts, self.flip, start, end, i, n, out, validity)
            return fold_words(deque, words, column, self.evicts, self.flip, start, end, i, n, out, validity)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: one column, the panes' results."""
        return (Kernel.roll(self, values, base, start, end),)

    def state(self):
        """(lo, hi, the deque as rows of key and position): what :meth:`restore` goes on from."""
        return frozen(&self.deque)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        thaw(&self.deque, state)


cdef class FloatExtreme(_Extreme):
    """The minimum or maximum (``op`` is "min" or "max") of float64.

    >>> import numpy as np
    >>> start, end = np.array([0, 0, 1, 2, 3]), np.array([1, 2, 3, 4, 5])
    >>> FloatExtreme("max").roll(pa.array([1.0, 3.0, None, 2.0, 0.5]), 0, start, end).to_pylist()
    [1.0, 3.0, 3.0, 2.0, 2.0]
    """

    def __cinit__(self, str op, *, bint evicts=True):
        self.floating = True
        self.type = pa.float64()


cdef class IntExtreme(_Extreme):
    """The minimum or maximum (``op`` is "min" or "max") of int64."""

    def __cinit__(self, str op, *, bint evicts=True):
        self.floating = False
        self.type = pa.int64()
