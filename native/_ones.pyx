# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""How many tuples of a frame are not 0, within a relative error, in logarithmic space: the exponential histogram
of Datar, Gionis, Indyk and Motwani (SODA 2002).

The ones (the values that are neither 0 nor NULL) lie in *buckets* whose sizes are powers of two, the older the larger.
Of a bucket nothing is remembered but the position of the newest one in it. When there are too many buckets of one
size, the two oldest of them become one of twice the size::

    position  0 1 2 3 4 5 6 7 8 9 10 11     buckets, oldest first: size, newest position
    ones      1 . 1 . 1 1 . 1 . 1 1  1      4 at 5    2 at 9    1 at 10    1 at 11
    start           ^                       of the oldest bucket 1 to 4 are in the frame: 8 - 4/2 = 6

A bucket whose newest one has left the frame has *expired* and is forgotten. Only the oldest of the others may
reach beyond the frame's lower end, so half of it is counted -- but all of it where it is known to lie inside:
where the bucket before it ended just before the frame, or where nothing has left the frame since it began
(growing and tumbling frames are exact).

Invariant, for k = ceil(1 / eps) and h = ceil(k / 2): of size 1 there are k or k + 1 buckets, of every larger size
h or h + 1, of the largest h + 1 at most; the expired are counted with them (as a number per size, without positions).
So buckets are made as if nothing ever expired, and a result depends on the ones since the frame last began afresh
(start >= hi) and on the frame, not on which frames were asked for in between.

Error. Let 2**j be the size of the oldest bucket, c of its ones in the frame, 1 <= c <= 2**j. What is counted is
2**(j-1) in place of c. The newer buckets hold B >= k + h * (2**j - 2) ones, all in the frame, if j > 0 (if j = 0
the count is exact). Too low by 2**(j-1) at most, and then c = 2**j: 2**(j-1) * k <= h * 2**j <= 2**j + B as
2 * h <= k + 1. Too high by 2**(j-1) - 1 at most, and then c = 1: (2**(j-1) - 1) * k <= h * (2**j - 2) <= 1 + B. Either
is at most 1/k <= eps of the true count c + B. (With as few buckets of size 1 as of the others this would not hold:
for k = 6 the buckets 2 1 1 1 may hold 5 and count 4.)

Cost: amortised O(1) per one. A frame with n ones keeps at most k + 1 + (h + 1) * max(log2(n / h), 0) buckets of
8 bytes: n >= 1 + B gives n / h >= 2**j. A value is read once, when the frame reaches it.
"""

from libc.stdint cimport INT64_MIN, int64_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np
import pyarrow as pa

from inwindow.native.kernel cimport Kernel, Slice, is_seen, slice_of

ctypedef Slice Source

cdef enum:
    SIZES = 64               # 2 ** 0, ..., 2 ** 63

# The buckets of one size. newest[(head + i) & (capacity - 1)] is the newest position of the i-th one that is kept.
cdef struct Size:
    int64_t* newest
    int64_t capacity         # a power of two, or 0
    int64_t head
    int64_t kept
    int64_t buckets          # with the expired ones, which are older than the kept

cdef struct State:
    int64_t lo, hi           # the frame: what has been read are the positions before hi
    Size sizes[SIZES]
    int64_t most             # buckets of size 1
    int64_t most_larger      # buckets of any other size
    int largest              # no larger bucket is kept
    int64_t total            # the sizes of all that are kept
    int64_t edge             # no one of the oldest kept bucket is at or before it; INT64_MIN: not known


cdef int push(Size* size, int64_t position) except -1 nogil:
    cdef int64_t capacity, index
    cdef int64_t* newest
    if size.kept == size.capacity:
        capacity = max(4, 2 * size.capacity)
        newest = <int64_t*>malloc(capacity * sizeof(int64_t))
        if newest == NULL:
            with gil:
                raise MemoryError(f"no room for {capacity} buckets of an exponential histogram")
        for index in range(size.kept):
            newest[index] = size.newest[(size.head + index) & (size.capacity - 1)]
        free(size.newest)
        size.newest, size.capacity, size.head = newest, capacity, 0
    size.newest[(size.head + size.kept) & (size.capacity - 1)] = position
    size.kept += 1
    return 0


cdef inline int64_t pop(Size* size) noexcept nogil:
    cdef int64_t position = size.newest[size.head]
    size.head = (size.head + 1) & (size.capacity - 1)
    size.kept -= 1
    return position


cdef inline int add(State* histogram, int64_t position) except -1 nogil:
    """A one at the next position."""
    cdef Size* size = &histogram.sizes[0]
    push(size, position)
    size.buckets += 1
    histogram.total += 1
    if size.buckets > histogram.most:
        merge(histogram)
    return 0


cdef int merge(State* histogram) except -1 nogil:
    """Let the two oldest buckets of size 1 become one of size 2, and so on where those are too many now."""
    cdef int power = 0
    cdef int64_t most = histogram.most, expired
    cdef Size* size
    while histogram.sizes[power].buckets > most:
        size = &histogram.sizes[power]
        expired = size.buckets - size.kept
        size.buckets -= 2
        size[1].buckets += 1
        if expired == 0:
            pop(size)
        elif expired == 1:                       # what is forgotten comes back as the older half of a bucket
            histogram.total += 1LL << power
            histogram.edge = INT64_MIN
        if expired <= 1:
            push(size + 1, pop(size))
            histogram.largest = max(histogram.largest, power + 1)
        power += 1
        most = histogram.most_larger
    return 0


cdef int restart(State* histogram, int64_t start) noexcept nogil:
    cdef int power
    for power in range(SIZES):
        histogram.sizes[power].head = histogram.sizes[power].kept = histogram.sizes[power].buckets = 0
    histogram.largest = 0
    histogram.total = 0
    histogram.edge = start - 1
    return 0


cdef inline int64_t count_from(State* histogram, int64_t start) noexcept nogil:
    """Forget what lies before ``start``; how many ones are left."""
    cdef Size* size
    while histogram.total:
        size = &histogram.sizes[histogram.largest]
        if size.kept == 0:
            histogram.largest -= 1
        elif size.newest[size.head] < start:
            histogram.edge = pop(size)
            histogram.total -= 1LL << histogram.largest
        else:
            break
    if histogram.total and histogram.edge < start - 1:
        return histogram.total - ((1LL << histogram.largest) >> 1)
    return histogram.total


cdef inline int leave(State* histogram, const Source* column, int64_t position) noexcept nogil:
    return 0                 # `answer` forgets what lies before the frame


cdef inline int enter(State* histogram, const Source* column, int64_t position) except -1 nogil:
    if (<const int64_t*>column.data)[position] and is_seen(column, position):
        add(histogram, position)
    return 0


cdef inline bint answer(State* histogram, int64_t* out) noexcept nogil:
    out[0] = count_from(histogram, histogram.lo)
    return True


include "frames.pxi"


cdef class OnesInWindow(Kernel):
    """The number of int64 values that are not 0, with a relative error of at most ``eps``. No result is NULL.

    >>> start, end = np.array([0, 0, 1, 4]), np.array([1, 4, 5, 5])
    >>> OnesInWindow(0.1).roll(pa.array([1, 0, None, 7, 0]), 0, start, end).to_pylist()
    [1, 2, 1, 0]
    """

    cdef State histogram

    def __cinit__(self, double eps):
        if not 0 < eps <= 1:
            raise ValueError(f"eps={eps!r}: a relative error is in (0, 1]")
        numerator, denominator = eps.as_integer_ratio()
        cdef int64_t k = min(-(-denominator // numerator), 2**60)
        self.histogram.most = k + 1
        self.histogram.most_larger = (k + 1) // 2 + 1
        self.type = pa.int64()
        restart(&self.histogram, 0)

    def __dealloc__(self):
        cdef int power
        for power in range(SIZES):
            free(self.histogram.sizes[power].newest)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Slice column = slice_of(values, base, 8)
        with nogil:
            return fold_frames(&self.histogram, &column, True, start, end, i, n, out, validity)

    def state(self):
        """(hi, edge, (buckets, kept) of each size, the newest positions): what :meth:`restore` goes on from."""
        cdef Size* size
        cdef int power
        cdef int64_t index
        numbers, newest = [], []
        for power in range(SIZES):
            size = &self.histogram.sizes[power]
            numbers.append((size.buckets, size.kept))
            for index in range(size.kept):
                newest.append(size.newest[(size.head + index) & (size.capacity - 1)])
        return self.histogram.hi, self.histogram.edge, np.array(numbers, np.int64), np.array(newest, np.int64)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef int power
        cdef Py_ssize_t at = 0
        hi, edge, numbers, newest = state
        if numbers.shape != (SIZES, 2):
            raise ValueError("a state of a histogram has other sizes than its own")
        restart(&self.histogram, 0)
        self.histogram.hi, self.histogram.edge = hi, edge
        for power, (buckets, kept) in enumerate(numbers.tolist()):
            self.histogram.sizes[power].buckets = buckets
            self.histogram.total += kept << power
            if kept:
                self.histogram.largest = power
            for position in newest[at : at + kept].tolist():
                push(&self.histogram.sizes[power], position)
            at += kept

    def __len__(self):
        """How many buckets are kept."""
        cdef int power
        return sum([self.histogram.sizes[power].kept for power in range(SIZES)])

    def __sizeof__(self):
        """Bytes, the buckets included."""
        cdef int power
        return sizeof(State) + 8 * sum([self.histogram.sizes[power].capacity for power in range(SIZES)])
