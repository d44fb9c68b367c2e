# The loop over frames of a kernel of numbers: text, as what it calls for every tuple is to be inlined. It needs from the file
# that includes it:
#
#   State                             a struct with `lo` and `hi`, the frame that is folded in: [lo, hi)
#   Source                            a struct: where the values are read
#   restart(State*, start)            nothing is folded in; the next frame starts there
#   enter(State*, const Source*, p)   the value at position p comes into the frame
#   leave(State*, const Source*, p)   it leaves again; the oldest first
#   answer(State*, int64_t* out)      the result of the frame; False where it is NULL

from libc.stdint cimport int64_t, uint8_t

from inwindow.native.kernel cimport no_eviction, set_null


cdef int64_t fold_frames(State* state, const Source* source, bint evicts, const int64_t* start, const int64_t* end,
                         int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """Fold the frames from i on; stop at the first NULL if there is no bitmap for it.

    The source is copied: nothing that is written can be in the copy, so it stays in registers.
    """
    cdef Source its = source[0]
    cdef int64_t lo = state.lo, hi = state.hi, position
    while i < n:
        if start[i] >= hi:
            restart(state, start[i])
            lo = hi = start[i]
        elif start[i] > lo and not evicts:
            no_eviction(lo, start[i])
        for position in range(lo, start[i]):
            leave(state, &its, position)
        for position in range(hi, end[i]):
            enter(state, &its, position)
        state.lo = lo = start[i]
        state.hi = hi = max(hi, end[i])
        if not answer(state, out + i):
            if validity == NULL:
                break
            out[i] = 0
            set_null(validity, i)
        i += 1
    return i
