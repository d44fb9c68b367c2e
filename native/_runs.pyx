# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Frames that are several runs of tuples, as one sequence of comings and goings.

A tuple that is in two runs, first in the one behind the hole and later in that before it, enters twice. Of those that enter at one frame the first to leave is the first::

    frames     {1}  {0 2}  {0 1 3}  {0 1 2}      ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW
    entered    1    2 0    3 1      2
    left            1      2        3            as numbers of entries: 0, 1, 3

Each run is walked once; ``until`` runs ahead of it, to the frame at which its next tuple leaves. Cost: O(1) per tuple and frame.
"""

from libc.stdint cimport INT64_MAX, int64_t

import numpy as np

cdef enum:
    MOST = 3


cdef struct Run:
    const int64_t* start
    const int64_t* end
    int64_t* number          # of the entry of the tuple p: number[p]
    int64_t lo, hi           # its tuples in the frame
    int64_t until            # the frame at which the next one to enter leaves
    int64_t stop             # the next one to enter is before this


cdef inline int64_t leaves_at(Run* run, int64_t frames) noexcept nogil:
    """The frame at which the tuple at ``hi`` leaves, if it enters now."""
    if run.hi >= run.stop:
        return INT64_MAX
    while run.until < frames and run.start[run.until] <= run.hi:
        run.until += 1
    return run.until


cdef int64_t enter(Run* runs, int count, int64_t frames, int64_t* entered, int64_t n) noexcept nogil:
    """Take in what comes, the first to leave first."""
    cdef int64_t least, until
    cdef int r, first
    while True:
        least, first = INT64_MAX, -1
        for r in range(count):
            until = leaves_at(&runs[r], frames)
            if until < least:
                least, first = until, r
        if first < 0:
            return n
        entered[n] = runs[first].hi
        runs[first].number[runs[first].hi] = n
        runs[first].hi += 1
        n += 1


cdef int64_t leave(Run* runs, int count, int64_t frame, int64_t* left, int64_t k) noexcept nogil:
    """Let go what is before the starts, in the order in which it came; at no frame (-1) all."""
    cdef int64_t least
    cdef int r, first
    while True:
        least, first = INT64_MAX, -1
        for r in range(count):
            if runs[r].lo < runs[r].hi and (frame < 0 or runs[r].lo < runs[r].start[frame]):
                if runs[r].number[runs[r].lo] < least:
                    least, first = runs[r].number[runs[r].lo], r
        if first < 0:
            return k
        left[k] = least
        runs[first].lo += 1
        k += 1


def swept(list starts, list ends):
    """(entered, left, start, end): frame i is entered[: end[i]] without those at left[: start[i]]; ``left`` is None if it is 0, 1, ...

    >>> at = np.arange(4)
    >>> [its.tolist() for its in swept([at * 0, at + 1], [at, np.minimum(at + 2, 4)])]
    [[1, 2, 0, 3, 1, 2], [0, 1, 3, 2, 4, 5], [0, 1, 2, 3], [1, 3, 5, 6]]
    """
    cdef Run[MOST] runs
    cdef int count = len(starts), r
    cdef int64_t frames = len(starts[0]), most = 0, n = 0, k = 0, i, begin
    cdef const int64_t[::1] start, end
    cdef int64_t[::1] number
    if count > MOST:
        raise ValueError(f"{count} runs: a frame with a hole has {MOST} at most")
    low, high = np.zeros(frames, np.int64), np.zeros(frames, np.int64)
    nothing = np.zeros(0, np.int64)
    if not frames:
        return nothing, None, low, high
    held = []
    for r in range(count):
        start, end = starts[r], ends[r]
        begin = start[0]
        number = np.empty(max(end[frames - 1] - begin, 0) + 1, np.int64)
        held.append((start, end, number))
        runs[r] = Run(&start[0], &end[0], &number[0] - begin, begin, begin, 0, begin)
        most += max(end[frames - 1] - begin, 0)
    entered, left = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    cdef int64_t[::1] lows = low, highs = high, came = entered, gone = left
    with nogil:
        for i in range(frames):
            k = leave(runs, count, i, &gone[0], k)
            lows[i] = k
            for r in range(count):
                if runs[r].hi < runs[r].start[i]:       # these are in no frame
                    runs[r].lo = runs[r].hi = runs[r].start[i]
                runs[r].stop = runs[r].end[i]
            n = enter(runs, count, frames, &came[0], n)
            highs[i] = n
        k = leave(runs, count, -1, &gone[0], k)
        for i in range(n):
            if gone[i] != i:
                break
        else:
            n = -n
    if n <= 0:
        return entered[:-n], None, low, high
    return entered[:n], left[:n], low, high
