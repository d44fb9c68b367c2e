# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Which distinct values come into a sliding frame, and which leave it: what is totalled over distinct values.

A hash table counts how often each value is in the frame. A value that was not there *comes*, and is given the next place; one
that is there no more *goes*::

    frame     3 5 3           came 3 5             gone
    evict     5 3             came 3 5             gone
    add 7     5 3 7           came 3 5 7           gone
    evict     3 7             came 3 5 7           gone 1 (5's place)

So the distinct values of frame i are came[: high[i]] without those at gone[: low[i]], in the order in which ``sweep`` of the
exact totals takes them. A call begins anew with the values that are there: what it costs and returns is of its own tuples and
of them. Cost: O(1) expected per tuple.
"""

from libc.stdint cimport int64_t

from inwindow.native.kernel cimport no_eviction


cdef struct Slot:
    int64_t key
    int64_t count            # 0: the slot is free
    int64_t place

include "table.pxi"


cdef struct Log:             # of a call
    int64_t* came
    int64_t* gone
    int64_t high, low


cdef void take_up(Table* table, Log* log) noexcept nogil:
    """The values that are there from the call before come first."""
    cdef uint64_t slot
    for slot in range(table.mask + 1):
        if table.slots[slot].count:
            table.slots[slot].place = log.high
            log.came[log.high] = table.slots[slot].key
            log.high += 1


cdef int let_all_go(Table* table, Log* log) except -1 nogil:
    cdef uint64_t slot
    for slot in range(table.mask + 1):
        if table.slots[slot].count:
            log.gone[log.low] = table.slots[slot].place
            log.low += 1
    return clear(table)


cdef inline int enter(Table* table, Log* log, int64_t key) except -1 nogil:
    cdef Slot* slot = &table.slots[slot_of(table, key)]
    if slot.count:
        slot.count += 1
        return 0
    slot.place = log.high
    log.came[log.high] = key
    log.high += 1
    return add(table, key, 1)


cdef inline int leave(Table* table, Log* log, int64_t key) except -1 nogil:
    cdef Slot* slot = &table.slots[slot_of(table, key)]
    if slot.count > 1:
        slot.count -= 1
        return 0
    log.gone[log.low] = slot.place
    log.low += 1
    return remove(table, key, 1)


cdef class Turnover:
    """The comings and goings among the 64-bit values of a column; -0.0 is 0.0, and all NaN are one.

    >>> start, end = np.array([0, 1, 2]), np.array([3, 3, 4])
    >>> [a.tolist() for a in Turnover(False).roll(pa.array([3, 5, 3, 7]), 0, start, end)]
    [[3, 5, 7], [1], [0, 0, 1], [2, 2, 3]]
    """

    cdef Table table
    cdef int64_t lo, hi
    cdef bint floating, evicts

    def __cinit__(self, bint floating, *, bint evicts=True):
        self.floating, self.evicts = floating, evicts
        self.table.mask = -1
        resize(&self.table, FEWEST)

    def __dealloc__(self):
        free(self.table.slots)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
             const int64_t[::1] leaving=None):
        """(came, gone, low, high) of the frames [start, end); ``values`` hold the positions from ``base`` on.

        With ``leaving`` frame i holds the positions before end[i] without leaving[: start[i]], which have been in a frame before.
        """
        cdef const int64_t* left = NULL if leaving is None else &leaving[0]
        cdef int64_t n = start.shape[0], i
        most = self.table.used + (max(0, end[n - 1] - max(self.hi, base)) if n else 0)
        came, gone, low, high = (np.empty(max(1, size), np.int64) for size in (most, most, n, n))
        cdef Log log = Log(<int64_t*><uintptr_t>came.ctypes.data, <int64_t*><uintptr_t>gone.ctypes.data, 0, 0)
        cdef int64_t* lows = <int64_t*><uintptr_t>low.ctypes.data
        cdef int64_t* highs = <int64_t*><uintptr_t>high.ctypes.data
        cdef Slice column = slice_of(values, base, 8)
        with nogil:
            take_up(&self.table, &log)
            for i in range(n):
                self.move(&column, &log, left, start[i], end[i])
                lows[i], highs[i] = log.low, log.high
        return came[: log.high], gone[: max(1, log.low)], low[:n], high[:n]

    cdef int move(self, const Slice* column, Log* log, const int64_t* left, int64_t start, int64_t end) except -1 nogil:
        cdef int64_t position, number
        if start >= self.hi:
            let_all_go(&self.table, log)
            self.lo = self.hi = start
        elif start > self.lo and not self.evicts:
            no_eviction(self.lo, start)
        for number in range(self.lo, start):
            position = number if left == NULL else left[number]
            if is_seen(column, position):
                leave(&self.table, log, key_at(column, position, self.floating))
        for position in range(self.hi, end):
            if is_seen(column, position):
                enter(&self.table, log, key_at(column, position, self.floating))
        self.lo, self.hi = start, max(self.hi, end)
        return 0

    def state(self):
        """(lo, hi, rows of key and count): what :meth:`restore` goes on from."""
        return self.lo, self.hi, rows_of(&self.table)

    def restore(self, state):
        """Go on from the state of a turnover that was made with the same arguments."""
        cdef Py_ssize_t row
        clear(&self.table)
        self.lo, self.hi, rows = state
        cdef const int64_t* words = memory_of(rows, 2)
        for row in range(len(rows)):
            add(&self.table, words[2 * row], words[2 * row + 1])
