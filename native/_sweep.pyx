# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Loops over intervals [since, until) in the order of their ends: what holds when, in one pass.

Times are 64-bit integers; NEVER_BEGAN and FOR_EVER stand for an end that is NULL. Intervals come with the number of their group,
sorted by group and time, and none is empty::

    group 0     a [1 ------- 5)            entered, by since    a b c        left, by until    b a c
                b    [2 -- 4)
                c          [4 ------ 8)
    pieces        [1,2) [2,4) [4,5) [5,8)  between neighbouring ends
    end            1     2     3     3     so many have entered
    start          0     0     1     2     so many have left:    what holds is entered[:end] without left[:start]

Neither bound ever moves backwards, within a group or from one to the next (all have left when the next one begins): they are
the bounds that every other kernel knows, but for what leaves.
"""

import numpy as np

from inwindow.native.kernel import space

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t

NEVER_BEGAN = INT64_MIN
FOR_EVER = INT64_MAX


def pieces(const int64_t[::1] group, const int64_t[::1] since, const int64_t[::1] until):
    """(begin, finish, start, end) of all pieces of time in which something holds.

    ``since`` is in the order of (group, since), ``until`` in that of (group, until).

    >>> import numpy as np
    >>> given = pieces(np.zeros(3, np.int64), np.array([1, 2, 4]), np.array([4, 5, 8]))
    >>> [column.tolist() for column in given]
    [[1, 2, 4, 5], [2, 4, 5, 8], [0, 0, 1, 2], [1, 2, 3, 3]]
    """
    cdef int64_t n = group.shape[0], i = 0, j = 0, last, now, next_time, k = 0
    cdef int64_t[::1] begin = space(2 * n, np.int64), finish = space(2 * n, np.int64)
    cdef int64_t[::1] start = space(2 * n, np.int64), end = space(2 * n, np.int64)
    with nogil:
        while j < n:
            last = i + 1
            while last < n and group[last] == group[i]:
                last += 1
            now = since[i]
            while j < last:
                while i < last and since[i] == now:
                    i += 1
                while j < last and until[j] == now:
                    j += 1
                if j == last:
                    break
                next_time = until[j]
                if i < last and since[i] < next_time:
                    next_time = since[i]
                if i > j:
                    begin[k] = now
                    finish[k] = next_time
                    start[k] = j
                    end[k] = i
                    k += 1
                now = next_time
                if now == INT64_MAX:    # what is left holds for ever
                    j = last
    return begin.base[:k], finish.base[:k], start.base[:k], end.base[:k]


def news(const int64_t[::1] group, const int64_t[::1] begin, const int64_t[::1] finish, const int64_t[::1] end):
    """1 for pieces that go on from nothing: in another group than the one before, or after a time in which nothing holds.

    >>> import numpy as np
    >>> news(np.zeros(9, np.int64), np.array([1, 2, 9]), np.array([2, 4, 10]), np.array([7, 8, 9])).tolist()
    [1, 0, 1]
    """
    cdef int64_t n = begin.shape[0], i
    new = np.empty(n, dtype=np.uint8)
    cdef uint8_t[::1] out = new
    with nogil:
        for i in range(n):
            out[i] = i == 0 or begin[i] != finish[i - 1] or group[end[i] - 1] != group[end[i - 1] - 1]
    return new


ctypedef fused number_t:
    int64_t
    double


def mark_changes(const number_t[::1] values, uint8_t[::1] new):
    """A 1 in ``new`` also where a value is another than the one before; NaN is NaN, and -0.0 is 0.0.

    >>> import numpy as np
    >>> new = np.zeros(4, np.uint8)
    >>> mark_changes(np.array([1.0, 1.0, 2.0, 2.0]), new)
    >>> new.tolist()
    [0, 0, 1, 0]
    """
    cdef int64_t i
    with nogil:
        for i in range(1, values.shape[0]):
            if number_t is double:
                new[i] |= values[i] != values[i - 1] and (values[i] == values[i] or values[i - 1] == values[i - 1])
            else:
                new[i] |= values[i] != values[i - 1]


def joined(const uint8_t[::1] new, int64_t[::1] begin, int64_t[::1] finish, int64_t[::1] end):
    """(begin, finish, end) of pieces, each with those behind it that are nothing new; in the memory that they had.

    >>> import numpy as np
    >>> given = joined(np.array([1, 0, 1], np.uint8), np.array([1, 2, 4]), np.array([2, 4, 9]), np.array([7, 8, 9]))
    >>> [column.tolist() for column in given]
    [[1, 4], [4, 9], [7, 9]]
    """
    cdef int64_t n = begin.shape[0], i, k = -1
    with nogil:
        for i in range(n):              # without a branch: what is nothing new is written over
            k += new[i]
            finish[k] = finish[i]
            begin[k] = begin[i] if new[i] else begin[k]
            end[k] = end[i] if new[i] else end[k]
    return begin.base[:k + 1], finish.base[:k + 1], end.base[:k + 1]


def frames_at(const int64_t[::1] group, const int64_t[::1] since, const int64_t[::1] until,
              const int64_t[::1] at_group, const int64_t[::1] at):
    """(start, end) of what holds at points (group, time), which come in that order.

    >>> import numpy as np
    >>> zeros = np.zeros(3, np.int64)
    >>> frames = frames_at(zeros, np.array([1, 2, 4]), np.array([4, 5, 8]), zeros, np.array([0, 4, 9]))
    >>> [column.tolist() for column in frames]
    [[0, 1, 3], [0, 3, 3]]
    """
    cdef int64_t n = group.shape[0], m = at.shape[0], i = 0, j = 0, k
    cdef int64_t[::1] start = space(m, np.int64), end = space(m, np.int64)
    with nogil:
        for k in range(m):
            while i < n and (group[i] < at_group[k] or (group[i] == at_group[k] and since[i] <= at[k])):
                i += 1
            # A group is as long in both orders. What holds for ever has not left at the last time that there is.
            while j < n and (group[j] < at_group[k]
                             or (group[j] == at_group[k] and until[j] <= at[k] and until[j] != INT64_MAX)):
                j += 1
            start[k] = j
            end[k] = i
    return start.base[:m], end.base[:m]


def runs(const int64_t[::1] group, const int64_t[::1] since, const int64_t[::1] until):
    """Maximal runs of intervals that overlap or meet: (position of each run's first interval, the run's end).

    In the order of (group, since), but ``until`` is each interval's own. An interval may hold others: what counts is the latest end.

    >>> import numpy as np
    >>> given = runs(np.zeros(4, np.int64), np.array([1, 2, 4, 9]), np.array([7, 3, 5, 10]))
    >>> [column.tolist() for column in given]
    [[0, 3], [7, 10]]
    """
    cdef int64_t n = group.shape[0], i, k = -1
    cdef int64_t[::1] first = space(n, np.int64), end = space(n, np.int64)
    with nogil:
        for i in range(n):
            if i == 0 or group[i] != group[i - 1] or since[i] > end[k]:
                k += 1
                first[k] = i
                end[k] = until[i]
            elif until[i] > end[k]:
                end[k] = until[i]
    return first.base[:k + 1], end.base[:k + 1]


def left_over(const int64_t[::1] since, const int64_t[::1] until, const int64_t[::1] owner,
              const int64_t[::1] part_since, const int64_t[::1] part_until):
    """What is left of intervals without their parts: (number of the interval, since, until) of each fragment.

    Part k lies within interval ``owner[k]``; parts are in the order of (owner, since).

    >>> import numpy as np
    >>> given = left_over(np.array([0, 5]), np.array([9, 6]), np.array([0, 0]), np.array([1, 2]), np.array([4, 3]))
    >>> [column.tolist() for column in given]
    [[0, 0, 1], [0, 4, 5], [1, 9, 6]]
    """
    cdef int64_t n = since.shape[0], m = owner.shape[0], i, p = 0, k = 0, reached
    cdef int64_t[::1] whose = space(n + m, np.int64), begin = space(n + m, np.int64), finish = space(n + m, np.int64)
    with nogil:
        for i in range(n):
            reached = since[i]
            while p < m and owner[p] == i:
                if part_since[p] > reached:
                    whose[k] = i
                    begin[k] = reached
                    finish[k] = part_since[p]
                    k += 1
                if part_until[p] > reached:
                    reached = part_until[p]
                p += 1
            if reached < until[i]:
                whose[k] = i
                begin[k] = reached
                finish[k] = until[i]
                k += 1
    return whose.base[:k], begin.base[:k], finish.base[:k]


cdef class Pairs:
    """All pairs of intervals of two sides, of one group, that have an instant in common; a piece at a time.

    Each side is in the order of (group, since). Whichever begins first looks ahead on the other side until its own end: every
    interval that it meets there is a pair, and no pair is met twice. So the cost is that of the intervals and the pairs.
    (The forward scan of Brinkhoff and others, 1993, as in Bouros and Mamoulis, VLDB 2017: it needs no set of what is active.)

    >>> import numpy as np
    >>> zero = np.zeros(2, np.int64)
    >>> pairs = Pairs(zero, np.array([1, 4]), np.array([5, 6]), zero, np.array([0, 5]), np.array([2, 9]))
    >>> [column.tolist() for column in pairs.take(10)]
    [[0, 1], [0, 1]]
    """

    cdef const int64_t[::1] group_a, since_a, until_a, group_b, since_b, until_b
    cdef int64_t i, j, k            # k: where the scan of the interval whose turn it is has stopped; -1: not begun

    def __init__(self, group_a, since_a, until_a, group_b, since_b, until_b):
        self.group_a, self.since_a, self.until_a = group_a, since_a, until_a
        self.group_b, self.since_b, self.until_b = group_b, since_b, until_b
        self.i = self.j = 0
        self.k = -1

    def take(self, int64_t most):
        """The next pairs, ``most`` at most, as positions on both sides; none when all have been given."""
        cdef int64_t n = self.group_a.shape[0], m = self.group_b.shape[0], i = self.i, j = self.j, k = self.k, count = 0
        cdef int64_t group, until
        cdef int64_t[::1] a = space(most, np.int64), b = space(most, np.int64)
        with nogil:
            while i < n and j < m and count < most:
                if self.group_a[i] != self.group_b[j]:
                    if self.group_a[i] < self.group_b[j]:
                        i += 1
                    else:
                        j += 1
                elif self.since_a[i] <= self.since_b[j]:
                    group, until = self.group_a[i], self.until_a[i]
                    k = j if k < 0 else k
                    while k < m and self.group_b[k] == group and self.since_b[k] < until and count < most:
                        a[count] = i
                        b[count] = k
                        count += 1
                        k += 1
                    if k < m and self.group_b[k] == group and self.since_b[k] < until:
                        break
                    i += 1
                    k = -1
                else:
                    group, until = self.group_b[j], self.until_b[j]
                    k = i if k < 0 else k
                    while k < n and self.group_a[k] == group and self.since_a[k] < until and count < most:
                        a[count] = k
                        b[count] = j
                        count += 1
                        k += 1
                    if k < n and self.group_a[k] == group and self.since_a[k] < until:
                        break
                    j += 1
                    k = -1
        self.i, self.j, self.k = i, j, k
        return a.base[:count], b.base[:count]


def steps(const int64_t[::1] group, const int64_t[::1] time, const int64_t[::1] change_a, const int64_t[::1] change_b):
    """How many hold on two sides: (position, begin, finish, a, b) of each piece between changes, where there is any.

    Changes are in the order of (group, time): at a time the numbers grow by them. ``position`` is the first of the group's.

    >>> import numpy as np
    >>> time, a, b = np.array([1, 3, 5, 9]), np.array([1, 0, 0, -1]), np.array([0, 2, -2, 0])
    >>> [column.tolist() for column in steps(np.zeros(4, np.int64), time, a, b)]
    [[0, 0, 0], [1, 3, 5], [3, 5, 9], [1, 1, 1], [0, 2, 0]]
    """
    cdef int64_t n = group.shape[0], i = 0, first = 0, k = 0, a = 0, b = 0, now
    cdef int64_t[::1] whose = space(n, np.int64), begin = space(n, np.int64), finish = space(n, np.int64)
    cdef int64_t[::1] in_a = space(n, np.int64), in_b = space(n, np.int64)
    with nogil:
        while i < n:
            if i == 0 or group[i] != group[i - 1]:
                first = i
                a = b = 0
            now = time[i]
            while i < n and group[i] == group[first] and time[i] == now:
                a += change_a[i]
                b += change_b[i]
                i += 1
            if i == n or group[i] != group[first] or (a == 0 and b == 0):
                continue
            if k and whose[k - 1] == first and finish[k - 1] == now and in_a[k - 1] == a and in_b[k - 1] == b:
                finish[k - 1] = time[i]     # as many as before
                continue
            whose[k] = first
            begin[k] = now
            finish[k] = time[i]
            in_a[k] = a
            in_b[k] = b
            k += 1
    return whose.base[:k], begin.base[:k], finish.base[:k], in_a.base[:k], in_b.base[:k]


cdef class Members:
    """The positions of what holds in each frame, in the order in which they entered; a piece of the frames at a time.

    ``left[k]`` is the position of the k-th to leave. What holds is a list with links: to enter and to leave costs O(1).

    >>> import numpy as np
    >>> members = Members(np.array([1, 0, 2]), np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3]))
    >>> [column.tolist() for column in members.take(100)]
    [[0, 0, 1, 0, 2, 2], [0, 1, 3, 5, 6]]
    """

    cdef const int64_t[::1] left, start, end
    cdef int64_t[::1] before, behind
    cdef uint8_t[::1] gone              # left before it entered: both between one frame and the next
    cdef int64_t frame, lo, hi, first, last, count

    def __init__(self, left, start, end):
        self.left, self.start, self.end = left, start, end
        self.before, self.behind = np.empty(len(left), np.int64), np.empty(len(left), np.int64)
        self.gone = np.zeros(len(left), np.uint8)
        self.frame = self.lo = self.hi = self.count = 0
        self.first = self.last = -1

    def take(self, int64_t most):
        """Positions of the next frames, and where each frame's begin: ``most`` positions at most, but one frame at least."""
        cdef int64_t frames = self.start.shape[0], at = self.frame, size = 0, p, k = 0, f
        cdef int64_t[::1] positions = space(most, np.int64), offsets = space(frames - at + 1, np.int64)
        offsets[0] = 0
        for f in range(at, frames):
            with nogil:
                self.move(f)
            if size + self.count > most:
                if f > at:
                    break
                positions = space(self.count, np.int64)
            with nogil:
                p = self.first
                while p >= 0:
                    positions[size] = p
                    size += 1
                    p = self.behind[p]
            k += 1
            offsets[k] = size
        self.frame = at + k
        return positions.base[:size], offsets.base[:k + 1]

    cdef void move(self, int64_t frame) noexcept nogil:
        cdef int64_t p
        while self.lo < self.start[frame]:
            p = self.left[self.lo]
            self.lo += 1
            if p >= self.hi:
                self.gone[p] = 1
                continue
            if self.before[p] >= 0:
                self.behind[self.before[p]] = self.behind[p]
            else:
                self.first = self.behind[p]
            if self.behind[p] >= 0:
                self.before[self.behind[p]] = self.before[p]
            else:
                self.last = self.before[p]
            self.count -= 1
        while self.hi < self.end[frame]:
            p = self.hi
            self.hi += 1
            if self.gone[p]:
                continue
            self.before[p] = self.last
            self.behind[p] = -1
            if self.last >= 0:
                self.behind[self.last] = p
            else:
                self.first = p
            self.last = p
            self.count += 1
