# Upper bounds of the counts of a hash table, the best of them first. Text of _modes.pyx, which says how it works and
# checks what it promises; comes after table.pxi.

from libc.stdlib cimport realloc

cdef struct Entry:
    int64_t count
    int64_t key

cdef struct State:
    Table table
    int64_t lo, hi           # the frame that is folded in
    Entry* heap              # each entry is better than its two children, 2 i + 1 and 2 i + 2
    int64_t length
    int64_t capacity
    bint doubtful            # the root's value has left since it was found true
    bint floating
    bint evicts


cdef inline bint better(Entry one, Entry other) noexcept nogil:
    return (one.count > other.count) | ((one.count == other.count) & (one.key < other.key))


cdef inline void sink(State* modes, int64_t at) noexcept nogil:
    cdef Entry* heap = modes.heap
    cdef Entry entry = heap[at]
    cdef int64_t child = 2 * at + 1
    while child < modes.length:
        if child + 1 < modes.length:
            child += better(heap[child + 1], heap[child])
        if not better(heap[child], entry):
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = entry


cdef int build(State* modes) except -1 nogil:
    """The heap of all counts as they are."""
    cdef Table* table = &modes.table
    cdef int64_t room = 4 * <int64_t>table.used + FEWEST, i
    cdef uint64_t slot
    cdef Entry* heap
    if room > modes.capacity or 4 * room < modes.capacity:
        heap = <Entry*>realloc(modes.heap, room * sizeof(Entry))
        if heap == NULL:
            with gil:
                raise MemoryError(f"no room for {room} entries of a heap")
        modes.heap, modes.capacity = heap, room
    modes.length = 0
    modes.doubtful = False
    for slot in range(table.mask + 1):
        if table.slots[slot].count:
            table.slots[slot].bound = table.slots[slot].count
            modes.heap[modes.length] = Entry(table.slots[slot].count, table.slots[slot].key)
            modes.length += 1
    for i in range(modes.length // 2 - 1, -1, -1):
        sink(modes, i)
    return 0


cdef inline int push(State* modes, Entry entry) except -1 nogil:
    cdef int64_t at = modes.length, parent
    if at == modes.capacity or modes.capacity > 16 * <int64_t>modes.table.used + 8 * FEWEST:
        return build(modes)
    modes.length += 1
    while at > 0:
        parent = (at - 1) >> 1
        if not better(entry, modes.heap[parent]):
            break
        modes.heap[at] = modes.heap[parent]
        at = parent
    modes.heap[at] = entry
    return 0


cdef inline void settle(State* modes) noexcept nogil:
    """Lower the roots that are not true, drop those that are stale."""
    cdef Entry* root = modes.heap
    cdef Slot* slot
    while modes.length:
        slot = &modes.table.slots[slot_of(&modes.table, root.key)]
        if slot.count == root.count:
            break
        if slot.count and slot.bound == root.count:
            root.count = slot.bound = slot.count
        else:
            modes.length -= 1
            root[0] = modes.heap[modes.length]
        sink(modes, 0)
    modes.doubtful = False


cdef inline int count_up(State* modes, int64_t key, int64_t times) except -1 nogil:
    add(&modes.table, key, times)
    cdef Slot* slot = &modes.table.slots[slot_of(&modes.table, key)]
    cdef Entry entry = Entry(slot.count, key)
    if slot.count == times:
        slot.bound = 0
    if slot.count <= slot.bound:
        return 0
    slot.bound = slot.count
    if modes.length and modes.heap.key == key and modes.heap.count == slot.count - times:
        modes.heap.count = slot.count
    elif modes.evicts:
        return push(modes, entry)
    elif modes.length == 0 or better(entry, modes.heap[0]):
        modes.heap[0], modes.length = entry, 1
    return 0


cdef inline int count_down(State* modes, int64_t key, int64_t times) except -1 nogil:
    modes.doubtful |= key == modes.heap.key
    return remove(&modes.table, key, times)


cdef int restart(State* modes, int64_t start=0) except -1 nogil:
    clear(&modes.table)
    if modes.capacity > 8 * FEWEST:
        return build(modes)
    modes.length = 0
    modes.doubtful = False
    return 0
