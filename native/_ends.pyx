# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One end of intervals, in order: the group, the time and the number of a row in one word of 64 bits, and the words sorted.

::

    group    time - first time + 1       row           0 and the largest time stand for ends that are NULL
    [ 3 | 000000000000010111011110 | 0000000101 ]

What a sweep reads is in the sorted words, one behind the other. Rows sorted by their number alone would have to be looked up, all
over memory: 20 ns a row for five million. Where the three do not fit into a word, :func:`ordered` says so.
"""

import numpy as np

from inwindow.native.kernel import space

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.stdlib cimport free, malloc

from inwindow.native.radix cimport COUNTERS, sort_words
from inwindow.native.words cimport bit_length

cdef struct Span:
    int64_t low, high                   # of the times that are not NULL
    int64_t first, last                 # of the groups
    bint ascends                        # the rows are in order already


cdef Span span_of(const int64_t* group, const int64_t* time, int64_t n) noexcept nogil:
    cdef Span span = Span(INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, True)
    cdef int64_t i
    cdef bint descends = False
    for i in range(n):
        if time[i] != INT64_MIN and time[i] != INT64_MAX:
            span.low = min(span.low, time[i])
            span.high = max(span.high, time[i])
        span.first = min(span.first, group[i])
        span.last = max(span.last, group[i])
    for i in range(1, n):
        if group[i] < group[i - 1] or (group[i] == group[i - 1] and time[i] < time[i - 1]):
            span.ascends = False
            break
    if span.low > span.high:            # all are NULL
        span.low = span.high = 0
    return span


def ordered(const int64_t[::1] group, const int64_t[::1] time):
    """(rows, groups, times) in the order of (group, time), of equals in that of the rows; rows is None where they are in it.

    Groups are None where there is one alone. The whole is None where a group, a time and a row's number take more than 64 bits.

    >>> import numpy as np
    >>> [column.tolist() for column in ordered(np.array([1, 0, 1]), np.array([5, 9, 2]))]
    [[1, 2, 0], [0, 1, 1], [9, 2, 5]]
    """
    cdef int64_t n = time.shape[0], i
    cdef Span span
    cdef int of_row, of_time, of_group
    cdef uint64_t low, word, in_row, in_time
    cdef int64_t* counters
    if n == 0:
        return None, group.base, time.base
    with nogil:
        span = span_of(&group[0], &time[0], n)
    if span.ascends:
        return None, group.base, time.base
    low = <uint64_t>span.low - 1        # the time that stands for NULL; the difference to it has no sign
    of_row = bit_length(<uint64_t>(n - 1))
    of_time = bit_length(<uint64_t>span.high - low + 1)
    of_group = bit_length(<uint64_t>span.last - <uint64_t>span.first)
    if of_row + of_time + of_group > 64:
        return None
    rows, times = space(n, np.int64), space(n, np.int64)
    groups = space(n, np.int64) if of_group else None
    cdef int64_t[::1] row = rows, at = times
    cdef int64_t[::1] whose = times if groups is None else groups
    cdef uint64_t[::1] words = space(n, np.uint64)
    in_row, in_time = (1ull << of_row) - 1, (1ull << of_time) - 1  # of_row is 1 at least
    counters = <int64_t*>malloc(COUNTERS * sizeof(int64_t))
    if counters == NULL:
        raise MemoryError(f"no room to order {n} rows")
    with nogil:
        for i in range(n):
            word = <uint64_t>time[i] - low
            if time[i] == INT64_MIN:
                word = 0
            elif time[i] == INT64_MAX:
                word = <uint64_t>span.high - low + 1
            if of_group:
                word |= (<uint64_t>group[i] - <uint64_t>span.first) << of_time
            words[i] = word << of_row | <uint64_t>i
        sort_words(&words[0], <uint64_t*>&row[0], n, of_row, counters)
        free(counters)
        for i in range(n):
            word = words[i]
            row[i] = <int64_t>(word & in_row)
            word >>= of_row
            at[i] = <int64_t>((word & in_time) + low)
            if word & in_time == 0:
                at[i] = INT64_MIN
            elif word & in_time == <uint64_t>span.high - low + 1:
                at[i] = INT64_MAX
            if of_group:
                whose[i] = <int64_t>((word >> of_time) + <uint64_t>span.first)
    return rows, groups, times
