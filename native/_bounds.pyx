# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From order keys to bounds: two pointers that never move backwards.

A frame's edge is the first position whose key reaches a target ("current value - 5 minutes"). Keys ascend
inside a block (the tuples of one partition whose order value is a number; its NULLs and its NaNs are blocks
of their own), and targets ascend with the tuples, so one forward walk answers all of them::

    keys      10   11   15   15   21   22
    targets    5    6   10   10   16   17      RANGE 5 PRECEDING
    edge       0    0    0    0    4    4

Cost: O(tuples + targets) for a whole batch, whatever the frame's size. Keys are int64, double or, for wide
decimals, a 128-bit integer (two little-endian words a row).
"""

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t
from libc.string cimport memcpy

import numpy as np

from inwindow.native.int128 cimport int128_t
from inwindow.native.kernel import space

cdef extern from *:
    """
    #define INT128_MAX ((__int128)((~(unsigned __int128)0) >> 1))
    #define INT128_MIN (-INT128_MAX - 1)
    static inline __int128 int128_saturating_add(__int128 a, __int128 b) {
        __int128 sum;
        if (!__builtin_add_overflow(a, b, &sum)) return sum;
        return b > 0 ? INT128_MAX : INT128_MIN;
    }
    """
    int128_t int128_saturating_add(int128_t a, int128_t b) nogil

ctypedef fused key_t:
    int64_t
    double
    int128_t


cdef void _edges(
    const key_t* keys, int64_t base, const key_t* targets, const int64_t* low, const int64_t* high,
    int64_t* out, Py_ssize_t n, bint after,
) noexcept nogil:
    # Invariant: within a block no position before p can be the edge of this or any later target.
    cdef int64_t p = -1, middle, last
    cdef Py_ssize_t i
    for i in range(n):
        if p < low[i]:
            # A new block: its first edge may lie far behind its start, so halve; from there on walk.
            p, last = low[i], high[i]
            while p < last:
                middle = p + (last - p) // 2
                if keys[middle - base] < targets[i] or (after and keys[middle - base] == targets[i]):
                    p = middle + 1
                else:
                    last = middle
        elif after:
            while p < high[i] and keys[p - base] <= targets[i]:
                p += 1
        else:
            while p < high[i] and keys[p - base] < targets[i]:
                p += 1
        out[i] = p


def edges(keys, int64_t base, targets, const int64_t[::1] low, const int64_t[::1] high, bint after):
    """For each target the first position p in [low, high) with key[p] >= target (> target if ``after``).

    ``keys`` hold the positions from ``base`` on; where there is no such position the answer is ``high``.
    ``low`` and ``high`` are the ends of the block that the target belongs to; both never decrease.
    """
    cdef Py_ssize_t n = low.shape[0]
    result = space(n, np.int64)
    if n == 0:
        return result
    cdef int64_t[::1] out = result
    cdef const unsigned char[::1] key_bytes = _bytes(keys)
    cdef const unsigned char[::1] target_bytes = _bytes(targets)
    cdef const void* k = &key_bytes[0] if key_bytes.shape[0] else NULL
    cdef const void* t = &target_bytes[0]
    if keys.dtype == np.float64:
        with nogil:
            _edges[double](<const double*> k, base, <const double*> t, &low[0], &high[0], &out[0], n, after)
    elif keys.ndim == 2:
        with nogil:
            _edges[int128_t](<const int128_t*> k, base, <const int128_t*> t, &low[0], &high[0], &out[0], n, after)
    else:
        with nogil:
            _edges[int64_t](<const int64_t*> k, base, <const int64_t*> t, &low[0], &high[0], &out[0], n, after)
    return result


def row_frames(const int64_t[::1] at, const int64_t[::1] partition_starts, int64_t end, lower, upper):
    """ROWS BETWEEN lower AND upper for the tuples at ascending positions: (start, end), clamped to their partitions.

    ``partition_starts`` are ascending, the first at or before ``at[0]``; the last partition ends at ``end``. An offset
    of None is UNBOUNDED. One pass over ``at``; the pointer into the partitions never moves backwards.
    """
    cdef Py_ssize_t i, n = at.shape[0], k = 0, partitions = partition_starts.shape[0]
    starts, ends = space(n, np.int64), space(n, np.int64)
    cdef int64_t[::1] out_start = starts, out_end = ends
    cdef bint has_lower = lower is not None, has_upper = upper is not None
    # No offset beyond the number of tuples that could ever be held makes a difference.
    cdef int64_t low = max(-(2**61), min(2**61, lower)) if has_lower else 0
    cdef int64_t high = max(-(2**61), min(2**61, upper)) if has_upper else 0
    cdef int64_t first = partition_starts[0] if n else 0, last = first, position
    with nogil:
        for i in range(n):
            position = at[i]
            if position >= last:
                while k + 1 < partitions and partition_starts[k + 1] <= position:
                    k += 1
                first = partition_starts[k]
                last = partition_starts[k + 1] if k + 1 < partitions else end
            out_start[i] = min(max(position + low, first), last) if has_lower else first
            out_end[i] = min(max(position + high + 1, first), last) if has_upper else last
    return starts, ends


def shifted(keys, offset):
    """``keys + offset``, saturating at the ends of the type instead of wrapping around."""
    if keys.dtype == np.float64:
        return keys + float(offset)
    cdef const unsigned char[::1] key_bytes = _bytes(keys)
    cdef Py_ssize_t i, n = keys.shape[0]
    result = np.empty_like(keys)
    cdef unsigned char[::1] out_bytes = _bytes(result)
    if n == 0:
        return result
    cdef const int128_t* wide = <const int128_t*> &key_bytes[0]
    cdef int128_t* wide_out = <int128_t*> &out_bytes[0]
    cdef int128_t half, rest
    cdef const int64_t* narrow = <const int64_t*> &key_bytes[0]
    cdef int64_t* narrow_out = <int64_t*> &out_bytes[0]
    cdef int64_t step, limit
    if keys.ndim == 2:
        # Two keys may lie further apart than 128 bits can say, so the offset is added in two halves.
        clipped = max(2 - 2**128, min(2**128 - 2, int(offset)))
        half, rest = _int128(clipped >> 1), _int128(clipped - (clipped >> 1))
        with nogil:
            for i in range(n):
                wide_out[i] = int128_saturating_add(int128_saturating_add(wide[i], half), rest)
        return result
    if offset > INT64_MAX or offset < INT64_MIN:
        # Only Python's integers can hold such a distance; the answer saturates for most keys.
        exact = np.clip(keys.astype(object) + int(offset), INT64_MIN, INT64_MAX)
        return exact.astype(np.int64)
    step = offset
    with nogil:
        if step >= 0:
            limit = INT64_MAX - step
            for i in range(n):
                narrow_out[i] = narrow[i] + step if narrow[i] <= limit else INT64_MAX
        else:
            limit = INT64_MIN - step
            for i in range(n):
                narrow_out[i] = narrow[i] + step if narrow[i] >= limit else INT64_MIN
    return result


cdef int128_t _int128(value):
    cdef bytes words = value.to_bytes(16, "little", signed=True)
    cdef int128_t wide
    memcpy(&wide, <const char*> words, 16)
    return wide


cdef _bytes(array):
    # A flat byte view: the one form that carries all three kinds of key.
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
