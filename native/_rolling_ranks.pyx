# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The rank of the frame's newest value among the frame's values.

The keys of the frame are sorted, in blocks (sorted_keys.pxd, sorted_blocks.pxd). Where one tuple leaves and one comes, both are
looked up at once. A dense rank counts different values. Small frames are not sorted: rank_by_counting.pxd.

Keys are int64 as in _ranks.pyx, but every zero is one; turned around where the largest value is the first.

Invariants: _check() asserts them.
"""

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np
import pyarrow as pa

from inwindow.native.doubles cimport one_nan_one_zero, ranked
from inwindow.native.kernel cimport Kernel, is_seen, no_eviction, set_null, slice_of
from inwindow.native.rank_by_counting cimport (
    DENSE, LEAST, MEAN, MOST, PERCENT, SHARE, Rank, Source, are_few, as_doubles, as_result, fold_few, needs_less,
    needs_most, passes,
)
from inwindow.native.sorted_blocks cimport SIZE, SUMMED, Blocks, before, clear, close_blocks, open_blocks, size_of
from inwindow.native.sorted_keys cimport add, not_larger, remove, replace, smaller

cdef enum:
    MANY = 256           # frames of a call, from which on it is worth while to look for small ones
    PIECE = 4096         # frames whose values are made ready at a time

NAMES = {"min": LEAST, "max": MOST, "average": MEAN, "dense": DENSE, "percent": PERCENT, "share": SHARE}

cdef struct State:
    int64_t lo, hi               # the frame that is folded in: [lo, hi)
    int64_t newest               # where the newest tuple is that the filter passed
    int64_t key                  # its key
    bint known                   # it has one: its value is not NULL
    Rank rank
    Blocks blocks


cdef inline int64_t key_at(const State* state, const Source* source, int64_t p) noexcept nogil:
    cdef int64_t word = (<const int64_t*>source.values.data)[p]
    if state.rank.floating:
        word = ranked(one_nan_one_zero(word))
    return ~word if state.rank.turned else word


cdef inline void answer(const State* state, bint placed, int64_t b, int64_t at, int64_t* out) noexcept nogil:
    """The rank of the newest key, which lies at ``at`` of a block behind all equal ones, where it has been ``placed`` just now."""
    cdef int64_t less = 0, most = 0, ahead
    if placed:
        ahead = before(&state.blocks, b)
        most = ahead + at + 1
        if at and state.blocks.block[b].keys[at - 1] != state.key:
            less = ahead + at
        elif needs_less(state.rank.result):
            less = smaller(&state.blocks, state.key)
    else:
        if needs_less(state.rank.result):
            less = smaller(&state.blocks, state.key)
        if needs_most(state.rank.result):
            most = not_larger(&state.blocks, state.key)
    as_result(state.rank.result, less, most, state.blocks.n, out)


cdef int64_t fold_sorted(State* state, const Source* source, bint evicts, const int64_t* start, const int64_t* end,
                         int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """Fold the frames from i on; stop at the first NULL if there is no bitmap for it."""
    cdef int64_t old = 0, b = 0, at = 0, p
    cdef bint leaves, placed
    while i < n:
        if start[i] >= state.hi:
            clear(&state.blocks)
            state.lo = state.hi = start[i]
        elif start[i] > state.lo and not evicts:
            no_eviction(state.lo, start[i])
        leaves = placed = False
        for p in range(state.lo, start[i]):
            if passes(source, p) and is_seen(&source.values, p):
                if leaves:
                    remove(&state.blocks, old)
                old, leaves = key_at(state, source, p), True
        for p in range(state.hi, end[i]):
            if not passes(source, p):
                continue
            state.newest, state.known = p, is_seen(&source.values, p)
            if state.known:
                state.key = key_at(state, source, p)
                if leaves:
                    replace(&state.blocks, old, state.key, &b, &at)
                else:
                    add(&state.blocks, state.key, &b, &at)
                leaves, placed = False, True
        if leaves:
            remove(&state.blocks, old)
            placed = False
        state.lo, state.hi = start[i], max(state.hi, end[i])
        if state.newest >= state.lo and state.known:
            answer(state, placed, b, at, out + i)
        elif validity == NULL:
            break
        else:
            out[i] = 0
            set_null(validity, i)
        i += 1
    return i


cdef int64_t settle(State* state, const Source* source, const int64_t* start, const int64_t* end) except -1 nogil:
    """Sort a frame, behind small ones."""
    cdef int64_t unused
    clear(&state.blocks)
    state.lo = state.hi = start[0]
    return fold_sorted(state, source, True, start, end, 0, 1, &unused, NULL)


cdef int64_t fold_small(State* state, const Source* source, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                        int64_t* out, uint8_t* validity) except? -1 nogil:
    """Fold small frames, piece by piece, as far as there are any, and sort the last one.

    Where they stop at a NULL, the result is the complement of that frame's number.
    """
    cdef int64_t begin = i, until, first, done
    cdef double* values
    while i < n:
        until, first = min(i + PIECE, n), start[i]
        if not are_few(state.rank.result, start, end, i, until):
            break
        values = <double*>malloc((max(end[until - 1], first) - first + 1) * sizeof(double))
        if values == NULL:
            break
        if not as_doubles(&state.rank, source, first, end[until - 1], values):
            free(values)
            break
        done = fold_few(state.rank.result, source, values, first, start, end, i, until, out, validity)
        free(values)
        if done < until:
            settle(state, source, start + done, end + done)
            return ~done
        i = until
    if i > begin:
        settle(state, source, start + i - 1, end + i - 1)
    return i


cdef class RollingRank(Kernel):
    """The rank of the newest tuple's value, by name: "min" or "max" of equal values' places, "average" of both, "dense".

    And "percent": (min - 1) / (values - 1); "share": max / values. NULL is not ranked; a tuple with a filter's 0 is not there.

    >>> import numpy as np, pyarrow as pa
    >>> start, end = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 4, 5])
    >>> RollingRank("min", floating=True).roll(pa.array([5.0, 1.0, 5.0, None, 2.0]), 0, start, end, None).to_pylist()
    [1, 1, 2, None, 1]
    """

    cdef State frame
    cdef const uint8_t* seen
    cdef bint evicts

    def __cinit__(self, str result, bint floating, bint evicts=True, bint descending=False):
        memset(&self.frame, 0, sizeof(State))
        self.frame.rank = Rank(NAMES[result], floating, descending)
        self.frame.newest, self.evicts = -1, evicts
        self.type = pa.int64() if result in ("min", "max", "dense") else pa.float64()
        open_blocks(&self.frame.blocks, self.frame.rank.result == DENSE)

    def __dealloc__(self):
        close_blocks(&self.frame.blocks)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Source source = Source(slice_of(values, base, 8), self.seen, base)
        cdef int64_t done
        with nogil:
            if self.evicts and n - i >= MANY and not self.frame.blocks.differ:
                done = fold_small(&self.frame, &source, start, end, i, n, out, validity)
                if done < 0:  # stopped at a NULL
                    return ~done
                i = done
            return fold_sorted(&self.frame, &source, self.evicts, start, end, i, n, out, validity)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end, seen=None):
        """As of every kernel, and ``seen``: a byte per tuple, or None."""
        cdef const uint8_t[::1] bytes
        if seen is not None and len(seen):
            bytes = seen
            self.seen = &bytes[0]
        try:
            return Kernel.roll(self, values, base, start, end)
        finally:
            self.seen = NULL

    def absorb(self, values, int64_t base, int64_t start, int64_t end, seen=None):
        """The same without a result."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self):
        """What ``restore`` goes on from: positions, and the sorted keys."""
        cdef Blocks* blocks = &self.frame.blocks
        cdef int64_t total = before(blocks, blocks.width), at = 0, b
        keys, many = np.empty(total, np.int64), np.empty(total if blocks.differ else 0, np.int32)
        cdef int64_t* key = <int64_t*><uintptr_t>keys.ctypes.data
        cdef int32_t* number = <int32_t*><uintptr_t>many.ctypes.data
        for b in range(blocks.width):
            if blocks.counts[b]:
                memcpy(key + at, blocks.block[b].keys, blocks.counts[b] * sizeof(int64_t))
                if blocks.differ:
                    memcpy(number + at, blocks.block[b].many, blocks.counts[b] * sizeof(int32_t))
                at += blocks.counts[b]
        return self.frame.lo, self.frame.hi, self.frame.newest, self.frame.key, bool(self.frame.known), keys, many

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.frame.lo, self.frame.hi, self.frame.newest, self.frame.key, self.frame.known, keys, many = state
        cdef const int64_t[::1] sorted_keys = keys
        cdef const int32_t[::1] numbers = many
        cdef int64_t i, j, b, at
        clear(&self.frame.blocks)
        for i in range(sorted_keys.shape[0]):
            for j in range(numbers[i] if self.frame.blocks.differ else 1):
                add(&self.frame.blocks, sorted_keys[i], &b, &at)

    def __sizeof__(self):
        """Bytes, the blocks included."""
        return sizeof(State) + size_of(&self.frame.blocks)

    def _check(self):
        """Assert the invariants."""
        cdef Blocks* blocks = &self.frame.blocks
        cdef int64_t b, i
        found = []
        assert blocks.width <= blocks.room and blocks.floors[0] == INT64_MIN
        for b in range(blocks.width):
            its = [blocks.block[b].keys[i] for i in range(blocks.counts[b])]
            assert (blocks.block[b] == blocks.blank) == (not its)
            assert all(blocks.block[b].keys[i] == INT64_MAX for i in range(blocks.counts[b], SIZE))
            assert len(its) <= SIZE
            assert all(blocks.floors[b] <= key for key in its)
            assert b == blocks.width - 1 or all(key <= blocks.floors[b + 1] for key in its)
            assert b == 0 or blocks.floors[b - 1] <= blocks.floors[b]
            found += its
        assert found == sorted(found)
        assert sum(blocks.sums[i] for i in range((blocks.width - 1) // SUMMED + 1)) == len(found)
        if blocks.differ:
            assert len(set(found)) == len(found)
            assert blocks.n == sum(blocks.block[b].many[i] for b in range(blocks.width) for i in range(blocks.counts[b]))
        else:
            assert blocks.n == len(found)
