# A monotone deque's block of entries: for kernels that keep the tuples with nothing better behind them.

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

include "eviction.pxi"


cdef struct Entry:
    int64_t key
    int64_t position

cdef struct Deque:
    Entry* entries           # entries[head:tail] are the deque, in a block of `capacity`
    int64_t head
    int64_t tail
    int64_t capacity
    int64_t lo               # the frame that is folded in: [lo, hi)
    int64_t hi


cdef int make_room(Deque* deque, int64_t least) except -1 nogil:
    """Move the deque to the beginning of a block of ``least`` entries or, if more, of twice its length."""
    cdef int64_t length = deque.tail - deque.head, capacity = max(least, 2 * length)
    cdef Entry* entries = <Entry*>malloc(capacity * sizeof(Entry))
    if entries == NULL:
        with gil:
            raise MemoryError(f"no room for {capacity} entries of a monotone deque")
    if length:
        memcpy(entries, deque.entries + deque.head, length * sizeof(Entry))
    free(deque.entries)
    deque[0] = Deque(entries, 0, length, capacity, deque.lo, deque.hi)
    return 0


cdef frozen(const Deque* deque):
    """(lo, hi, the deque as rows of key and position): what :func:`thaw` makes a deque of again."""
    cdef int64_t length = deque.tail - deque.head
    entries = np.empty((length, 2), np.int64)
    cdef int64_t[:, ::1] rows = entries
    if length:
        memcpy(&rows[0, 0], deque.entries + deque.head, length * sizeof(Entry))
    return deque.lo, deque.hi, entries


cdef int thaw(Deque* deque, state) except -1:
    cdef const int64_t[:, ::1] rows
    deque.head = deque.tail = 0
    deque.lo, deque.hi, rows = state
    if rows.shape[1] * sizeof(int64_t) != sizeof(Entry):
        raise ValueError("a state of a deque has other entries than its own")
    make_room(deque, rows.shape[0] + 256)
    if rows.shape[0]:
        memcpy(deque.entries, &rows[0, 0], rows.shape[0] * sizeof(Entry))
        deque.tail = rows.shape[0]
    return 0
