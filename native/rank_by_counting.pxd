# The rank of a frame's newest value from how many values are below it and not above it; and these numbers of small frames, whose
# values are compared with the newest one by one. Up to FEW tuples that is faster than to keep them sorted.

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from inwindow.native.kernel cimport Slice, is_seen, set_null

cdef enum:
    FEW = 112            # tuples that are compared one by one

cdef enum Result:
    LEAST, MOST, MEAN, DENSE, PERCENT, SHARE

cdef struct Rank:
    Result result
    bint floating, turned        # the values are doubles; the largest value is the first

cdef struct Source:
    Slice values
    const uint8_t* seen          # a byte per tuple from `base` on: whether the filter passes it; NULL where all are passed
    int64_t base


cdef inline bint passes(const Source* source, int64_t p) noexcept nogil:
    return source.seen == NULL or source.seen[p - source.base]


cdef inline void as_result(Result result, int64_t less, int64_t most, int64_t n, int64_t* out) noexcept nogil:
    """The result from how many values are below the newest, how many are not above it, and how many there are."""
    cdef double share
    if result == LEAST or result == DENSE:
        out[0] = less + 1
        return
    if result == MOST:
        out[0] = most
        return
    if result == SHARE:
        share = <double>most / n
    elif result == PERCENT:
        share = <double>less / max(n - 1, 1)
    else:
        share = <double>(less + 1 + most) / 2
    memcpy(out, &share, sizeof(double))


cdef inline bint needs_less(Result result) noexcept nogil:
    return result != MOST and result != SHARE


cdef inline bint needs_most(Result result) noexcept nogil:
    return result == MOST or result == SHARE or result == MEAN


cdef inline int64_t count_below(const double* values, int64_t n, double value) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] < value
    return total


cdef inline int64_t count_not_above(const double* values, int64_t n, double value) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] <= value
    return total


cdef inline int64_t count_known(const double* values, int64_t n) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] == values[i]
    return total


cdef inline bint are_few(Result result, const int64_t* start, const int64_t* end, int64_t i, int64_t n) noexcept nogil:
    """Whether all frames are small; half as large, where values are counted twice."""
    cdef int64_t most = 0, at
    for at in range(i, n):
        most = max(most, end[at] - start[at])
    return most <= (FEW // 2 if result == MEAN else FEW)


cdef inline bint as_doubles(const Rank* rank, const Source* source, int64_t first, int64_t last, double* to) noexcept nogil:
    """The values at [first, last) as doubles that compare as they do, NaN where there is none; False if that is not possible."""
    cdef int64_t p, word
    cdef double value, exact = 9007199254740992.0  # integers up to this one are doubles, too
    for p in range(first, last):
        if not passes(source, p) or not is_seen(&source.values, p):
            to[p - first] = NAN
            continue
        if rank.floating:
            value = (<const double*>source.values.data)[p]
            if value != value:
                return False
        else:
            word = (<const int64_t*>source.values.data)[p]
            value = <double>word
            if not -exact <= value <= exact:
                return False
        to[p - first] = -value if rank.turned else value
    return True


cdef inline int64_t fold_few(Result result, const Source* source, const double* values, int64_t first, const int64_t* start,
                             const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) noexcept nogil:
    """Fold small frames, of values from the position ``first`` on; stop at the first NULL if there is no bitmap for it."""
    cdef int64_t p, size, less, most, known
    cdef bint gaps = source.seen != NULL or source.values.seen != NULL
    cdef bint counts = result == PERCENT or result == SHARE
    cdef const double* its
    while i < n:
        p, size, its = end[i] - 1, end[i] - start[i], values + (start[i] - first)
        while p >= start[i] and not passes(source, p):
            p -= 1
        if p >= start[i] and is_seen(&source.values, p):
            less = most = 0
            known = size
            if needs_less(result):
                less = count_below(its, size, values[p - first])
            if needs_most(result):
                most = count_not_above(its, size, values[p - first])
            if counts and gaps:
                known = count_known(its, size)
            as_result(result, less, most, known, out + i)
        elif validity == NULL:
            break
        else:
            out[i] = 0
            set_null(validity, i)
        i += 1
    return i
