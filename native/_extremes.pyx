# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Minimum and maximum over sliding frames, without a branch on a value: suffix minima in front, a running minimum behind.

::

    frame     [lo ........ mid) [mid ...... hi)
               front             back

    result    min(front[lo], back)      front[p] is the minimum of [p, mid), back that of [mid, hi)

When lo passes mid, the frame's tuples become the front: one loop from hi down to lo. So a tuple costs two minima, on any data.
(These are two stacks; van Herk, Gil and Werman have them for frames of one length. A monotone deque needs as few comparisons,
but on random data every other one is mispredicted: it took twice as long.)

Between calls only the tuples with nothing as small behind them are kept, a monotone deque: from head to tail positions and keys
ascend, and each key is the minimum of [its position, hi). It is the front of the next call, whose values begin there; nothing
that was folded in is read again. It is O(log w) entries in the mean on random data, w at most; the minimum alone where tuples
leave a frame all at once or not at all (``evicts=False``: the lower end stands still, or jumps to the upper one).

Cost: amortised O(1) per tuple. Memory in a call: 8 bytes for each tuple of the frame that came in this call.

The order is Spark's. A double is compared as the int64 of the same rank: every NaN is the largest, -0.0 is right
below 0.0, and no comparison of results can tell the two. The maximum is the minimum of the complements.
"""

from libc.stdint cimport INT64_MAX, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

import pyarrow as pa

from inwindow.native.deque cimport Deque, Entry, frozen, make_room, thaw
from inwindow.native.kernel cimport Kernel, Slice, is_seen, no_eviction, set_null, slice_of
from inwindow.native.doubles cimport one_nan, ranked


cdef struct Minima:          # of the front; a call's
    int64_t* minima
    int64_t capacity

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


cdef inline int64_t key_or_none(const Word* values, const Slice* column, int64_t position, int64_t flip) noexcept nogil:
    """Of NULL it is the largest: no minimum sees it."""
    return key_at(values, position, flip) if is_seen(column, position) else INT64_MAX


cdef int64_t slide(Deque* deque, Minima* front, const Word* values, const Slice column, int64_t flip, const int64_t* start,
                   const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """Fold the frames from i on; stop at the first NULL if there is no bitmap for it.

    What is before ``first`` was folded in by other calls: the deque has it, and is the front until lo passes ``first``.
    """
    cdef int64_t first = deque.hi, lo = deque.lo, hi = first, mid = first, head = deque.head, tail = deque.tail
    cdef int64_t last = deque.entries[tail - 1].position if head < tail else lo - 1      # the last that is not NULL
    cdef int64_t back = INT64_MAX, least, position
    cdef const int64_t* minima = NULL
    while i < n:
        if start[i] >= hi:
            mid = hi = start[i]
            head, back = tail, INT64_MAX
        elif start[i] > mid:
            reserve(front, hi - start[i])
            minima = front.minima - start[i]
            fill(front.minima, values, &column, flip, start[i], hi)
            mid, back = hi, INT64_MAX
        lo = start[i]
        for position in range(hi, end[i]):
            back = min(back, key_or_none(values, &column, position, flip))
            last = position if is_seen(&column, position) else last
        hi = max(hi, end[i])
        least = back
        if lo < first:
            while head < tail and deque.entries[head].position < lo:
                head += 1
            if head < tail:
                least = min(least, deque.entries[head].key)
        elif lo < mid:
            least = min(least, minima[lo])
        if last >= lo:
            out[i] = word_of(values, least, flip)
        elif validity != NULL:
            out[i] = 0
            set_null(validity, i)
        else:
            break
        i += 1
    deque.lo, deque.hi, deque.head = lo, hi, head if lo < first else tail
    if last >= max(lo, first):
        keep(deque, values, &column, flip, max(lo, first), last)
    return i


cdef inline int reserve(Minima* front, int64_t count) except -1 nogil:
    cdef void* larger
    if count > front.capacity:
        larger = realloc(front.minima, 2 * count * sizeof(int64_t))
        if larger == NULL:
            with gil:
                raise MemoryError(f"no room for the minima of {count} tuples")
        front.minima, front.capacity = <int64_t*>larger, 2 * count
    return 0


cdef inline void fill(int64_t* minima, const Word* values, const Slice* column, int64_t flip, int64_t lo, int64_t hi) noexcept nogil:
    """The minimum of [p, hi) for each p from lo on."""
    cdef int64_t least = INT64_MAX, position
    for position in range(hi - 1, lo - 1, -1):
        least = min(least, key_or_none(values, column, position, flip))
        minima[position - lo] = least


cdef inline int push(Deque* deque, int64_t key, int64_t position) except -1 nogil:
    if deque.tail == deque.capacity:
        make_room(deque, 16)
    deque.entries[deque.tail] = Entry(key, position)
    deque.tail += 1
    return 0


cdef int keep(Deque* deque, const Word* values, const Slice* column, int64_t flip, int64_t first, int64_t last) except -1 nogil:
    """Add the tuples from ``first`` to ``last``, which is not NULL, to the deque: from the newest on, then turned around."""
    cdef int64_t older = deque.tail - deque.head, least = key_at(values, last, flip), key, position
    cdef Entry* low
    cdef Entry* high
    push(deque, least, last)
    for position in range(last - 1, first - 1, -1):
        key = key_or_none(values, column, position, flip)
        if key < least:
            least = key
            push(deque, key, position)
    low, high = deque.entries + deque.head + older, deque.entries + deque.tail - 1
    while low < high:
        low[0], high[0] = high[0], low[0]
        low += 1
        high -= 1
    low = deque.entries + deque.head + older
    high = low
    while low > deque.entries + deque.head and (low - 1).key >= least:
        low -= 1
    memmove(low, high, (deque.tail - deque.head - older) * sizeof(Entry))
    deque.tail -= high - low
    return 0


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
                        const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1:
    cdef Minima front = Minima(NULL, 0)
    try:
        with nogil:
            if evicts:
                return slide(deque, &front, values, column, flip, start, end, i, n, out, validity)
            return grow(deque, values, column, flip, start, end, i, n, out, validity)
    finally:
        free(front.minima)


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
        cdef const double* doubles = <const double*>column.data
        cdef const int64_t* words = <const int64_t*>column.data
        if self.floating:
            return fold_words(&self.deque, doubles, column, self.evicts, self.flip, start, end, i, n, out, validity)
        return fold_words(&self.deque, words, column, self.evicts, self.flip, start, end, i, n, out, validity)

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
