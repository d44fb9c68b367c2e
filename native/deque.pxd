# A monotone deque's block of entries: for kernels that keep the tuples with nothing better behind them.

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from inwindow.native.kernel cimport memory_of, rows_from


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


cdef inline int make_room(Deque* deque, int64_t least) except -1 nogil:
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


cdef inline frozen(const Deque* deque):
    """(lo, hi, the deque as rows of key and position): what ``thaw`` makes a deque of again."""
    return deque.lo, deque.hi, rows_from(deque.entries + deque.head, deque.tail - deque.head, 2)


cdef inline int thaw(Deque* deque, state) except -1:
    cdef const int64_t* memory
    cdef int64_t length
    deque.head = deque.tail = 0
    deque.lo, deque.hi, rows = state
    memory, length = memory_of(rows, 2), len(rows)
    make_room(deque, length + 256)
    memcpy(deque.entries, memory, length * sizeof(Entry))
    deque.tail = length
    return 0
