# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Whether all, or some, of the frame's truths hold: two positions tell it, that of the last false (for "or": true) value and
that of the last value at all. What leaves the frame is not read again. Cost: O(1) per tuple, and no branch on a value."""

import pyarrow as pa

from libc.stdint cimport int64_t, uint8_t

from inwindow.native.kernel cimport Kernel, Slice, is_seen, slice_of


ctypedef Slice Source


cdef struct State:
    int64_t lo, hi           # the frame that is folded in
    int64_t last             # position of the last value
    int64_t decided          # position of the last decisive value
    int64_t decisive         # 0 for "and", 1 for "or": one such value decides


cdef inline int restart(State* state, int64_t start) noexcept nogil:
    return 0


cdef inline int enter(State* state, const Source* source, int64_t p) noexcept nogil:
    cdef int64_t seen = is_seen(source, p), decides = (<const int64_t*>source.data)[p] == state.decisive
    state.last ^= (state.last ^ p) & -seen
    state.decided ^= (state.decided ^ p) & -(seen & decides)
    return 0


cdef inline int leave(State* state, const Source* source, int64_t p) noexcept nogil:
    return 0


cdef inline bint answer(State* state, int64_t* out) noexcept nogil:
    out[0] = state.decisive ^ (state.decided < state.lo)
    return state.last >= state.lo


include "frames.pxi"


cdef class Truth(Kernel):
    """Whether all ("and") or some ("or") of int64 that are 0 or 1 are 1; NULL where there is no value.

    >>> import numpy as np
    >>> start, end = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    >>> Truth("and").roll(pa.array([1, 0, None]), 0, start, end).to_pylist()
    [1, 0, 0, None]
    """

    cdef State frame

    def __cinit__(self, str op):
        if op not in ("and", "or"):
            raise ValueError(f"op={op!r}: what truths are folded with is 'and' or 'or'")
        self.frame.decisive = op == "or"
        self.frame.last = self.frame.decided = -1
        self.type = pa.int64()
        self.keep(&self.frame, sizeof(State))

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Source source = slice_of(values[0] if self.over_panes else values, base, 8)
        cdef State frame = self.frame            # in registers
        with nogil:
            i = fold_frames(&frame, &source, True, start, end, i, n, out, validity)
        self.frame = frame
        return i

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: one column, the panes' results."""
        return (Kernel.roll(self, values, base, start, end),)
