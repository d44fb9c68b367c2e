# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The value of the n-th tuple that counts in each frame, or of the last one, on any type.

The loop finds positions; the values are taken at the end, so a string costs no more than its copy. ``seen`` says which tuples
count, by a byte for each that is not 0. A frame without such a tuple has NULL.

Invariant: ``have`` tuples, n at most, count at the positions [lo, hi), and hi is at most the frame's end; where ``have`` is n, the
wanted one is at hi - 1. For the last one, ``lo`` is its position. Where nothing leaves a frame, its tuples are let go: then the
value at the position that was found is in ``memory``.
Cost: O(1) per tuple.
"""

from libc.stdint cimport int64_t, uint8_t

import numpy as np
import pyarrow as pa

from inwindow.native.instants import under
from inwindow.native.kernel cimport Kernel, counting, set_null


cdef struct State:
    int64_t lo, hi, have


cdef inline bint counts(const uint8_t* seen, int64_t position) noexcept nogil:
    return seen == NULL or seen[position] != 0


cdef inline int64_t nth(State* state, const uint8_t* seen, int64_t base, int64_t place, int64_t start, int64_t end) noexcept nogil:
    """The position of the ``place``-th that counts in the frame; -1 where there are not so many."""
    if start >= state.hi or (start > state.lo and state.lo < base):     # what has left is not held: count afresh
        state.lo = state.hi = start
        state.have = 0
    while state.lo < start:
        state.have -= counts(seen, state.lo)
        state.lo += 1
    while state.have < place and state.hi < end:
        state.have += counts(seen, state.hi)
        state.hi += 1
    return state.hi - 1 if state.have == place else -1


cdef inline int64_t last(State* state, const uint8_t* seen, int64_t start, int64_t end) noexcept nogil:
    cdef int64_t position
    for position in range(max(state.hi, start), end):
        state.lo = position if counts(seen, position) else state.lo
    state.hi = max(state.hi, end)
    return state.lo if state.lo >= start else -1


cdef class Pick(Kernel):
    """The value of the ``place``-th tuple that counts, from 1 on; of the last one where ``place`` is -1.

    A pane's partial is the value, and whether there is a tuple that counts: a NULL may be a value.

    >>> values, start, end = pa.array(["a", "b", None]), np.array([0, 0, 1]), np.array([1, 2, 3])
    >>> Pick(1).roll(values, 0, start, end, None).to_pylist()
    ['a', 'a', 'b']
    >>> Pick(-1).roll(values, 0, start, end, np.array([1, 1, 0], np.uint8)).to_pylist()
    ['a', 'b', 'b']
    """

    cdef State frame
    cdef const uint8_t* counted         # of the call: which tuples count
    cdef int64_t place
    cdef object memory                  # the value that was picked last, an array of one; None: there was none

    def __cinit__(self, int64_t place):
        self.type, self.place = pa.int64(), place
        self.frame.lo = -1
        self.keep(&self.frame, sizeof(State))

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef State state = self.frame
        cdef const uint8_t* seen = self.counted
        cdef int64_t place = self.place, size = len(values), found
        with nogil:
            while i < n:
                found = last(&state, seen, start[i], end[i]) if place < 0 else nth(&state, seen, base, place, start[i], end[i])
                if found >= 0:
                    out[i] = found - base if found >= base else size    # behind the values comes the memory
                elif validity != NULL:
                    out[i] = 0
                    set_null(validity, i)
                else:
                    break
                i += 1
        self.frame = state
        return i

    cdef int remember(self, values, int64_t base) except -1:
        cdef int64_t found = self.frame.lo
        if self.place > 0:
            found = self.frame.hi - 1 if self.frame.have == self.place else -1
        if found < 0:
            self.memory = None
        elif found >= base:
            self.memory = values.take(pa.array([found - base]))

    def pick(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end, const uint8_t[::1] seen):
        """The values, and where they are: NULL for a frame without such a tuple."""
        self.counted = counting(seen, base)
        index = Kernel.roll(self, values, base, start, end)
        source = values
        if self.memory is not None and len(index) and index[0].as_py() == len(values):
            source = pa.concat_arrays([values, under(self.memory, values.type)])
        result = source.take(index)
        self.remember(values, base)
        return result, index

    def roll(self, values, int64_t base, start, end, seen=None):
        """One value per frame; over panes of those that have one."""
        if self.over_panes:
            values, seen = values
        return self.pick(values, base, start, end, seen)[0]

    def roll_partials(self, values, int64_t base, start, end, seen):
        """The first level of a cascade: values, and a mask."""
        picked, index = self.pick(values, base, start, end, seen)
        return picked, index.is_valid().to_numpy(zero_copy_only=False).astype(np.uint8)

    def absorb(self, values, int64_t base, int64_t start, int64_t end, const uint8_t[::1] seen=None):
        """Fold the frame [start, end) in without a result."""
        self.counted = counting(seen, base)
        Kernel.absorb(self, values, base, start, end)
        self.remember(values, base)

    def state(self):
        """What ``restore`` goes on from."""
        return Kernel.state(self), self.memory

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        frame, self.memory = state
        Kernel.restore(self, frame)
