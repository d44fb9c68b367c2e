# A hash table of how often each value is in a frame, and what is equal. Text that kernels include after
# they have defined a Slot, of at least
#
#     int64_t key
#     int64_t count            # 0: the slot is free
#
# Open addressing, linear probing. *Invariant*: a key lies at or behind its home slot, and no slot between the two is
# free. When a key is deleted, what comes behind it moves up to keep it so (Knuth, volume 3, algorithm 6.4R): there
# are no tombstones, and a table is as fast after a billion evictions as a new one. It is at most a quarter full,
# measured twice as fast as one half full where keys come and go at random.

from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

import numpy as np
import pyarrow as pa

from inwindow.native.kernel cimport Kernel, Slice, is_seen, memory_of, rows_from, slice_of
from inwindow.native.doubles cimport one_nan_one_zero, ranked

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15u    # Fibonacci hashing: 2 ** 64 divided by the golden ratio

cdef extern from *:
    void __builtin_prefetch(const void*) nogil

cdef enum:
    FEWEST = 64              # slots
    AHEAD = 12               # tuples between asking for a slot and using it

cdef struct Table:
    Slot* slots
    uint64_t mask            # the number of slots, a power of two, less one
    uint64_t used

cdef struct Source:
    Slice column
    bint floating
    const int64_t* times     # how often the value at a position counts; NULL: once
    const int64_t* left      # the position of the k-th to leave; NULL: k
    int64_t last_start       # of the frames of a call: what is behind is not read
    int64_t last_end


cdef inline int64_t key_at(const Slice* column, int64_t position, bint floating) noexcept nogil:
    """The bits of the value, the same for equal values."""
    cdef int64_t word = (<const int64_t*>column.data)[position]
    return one_nan_one_zero(word) if floating else word


cdef inline int64_t leaving(const Source* source, int64_t number) noexcept nogil:
    """The position of the value that leaves as the ``number``-th."""
    return number if source.left == NULL else source.left[number]


cdef inline uint64_t home_of(const Table* table, int64_t key) noexcept nogil:
    """The slot where a key would like to be, out of all its bits."""
    cdef uint64_t bits = <uint64_t>key
    bits = (bits ^ bits >> 32) * GOLDEN
    return (bits ^ bits >> 32) & table.mask


cdef inline void prefetch(const Table* table, int64_t key) noexcept nogil:
    """Have the memory fetch a slot that is needed a few tuples on: a large table is not in the cache."""
    __builtin_prefetch(&table.slots[home_of(table, key)])


cdef inline uint64_t slot_of(const Table* table, int64_t key) noexcept nogil:
    """The slot where the key is, or the free one where it belongs."""
    cdef uint64_t slot = home_of(table, key)
    while table.slots[slot].count and table.slots[slot].key != key:
        slot = (slot + 1) & table.mask
    return slot


cdef int resize(Table* table, uint64_t slots) except -1 nogil:
    cdef Table larger = Table(<Slot*>calloc(slots, sizeof(Slot)), slots - 1, table.used)
    cdef uint64_t slot
    if larger.slots == NULL:
        with gil:
            raise MemoryError(f"no room for a hash table of {slots} slots")
    for slot in range(table.mask + 1):
        if table.slots[slot].count:
            larger.slots[slot_of(&larger, table.slots[slot].key)] = table.slots[slot]
    free(table.slots)
    table[0] = larger
    return 0


cdef inline int add(Table* table, int64_t key, int64_t times) except -1 nogil:
    cdef Slot* slot = &table.slots[slot_of(table, key)]
    slot.key = key
    slot.count += times
    if slot.count == times:
        table.used += 1
        if 4 * table.used > table.mask:
            resize(table, 2 * (table.mask + 1))
    return 0


cdef inline int remove(Table* table, int64_t key, int64_t times) except -1 nogil:
    cdef uint64_t slot = slot_of(table, key)
    table.slots[slot].count -= times
    if table.slots[slot].count == 0:
        close(table, slot)
        table.used -= 1
        if 16 * table.used < table.mask and table.mask >= FEWEST:
            resize(table, (table.mask + 1) // 2)
    return 0


cdef void close(Table* table, uint64_t hole) noexcept nogil:
    """Move up what comes behind a slot that has become free, unless that would be before its home."""
    cdef uint64_t slot = hole
    while True:
        slot = (slot + 1) & table.mask
        if table.slots[slot].count == 0:
            break
        if ((slot - home_of(table, table.slots[slot].key)) & table.mask) >= ((slot - hole) & table.mask):
            table.slots[hole] = table.slots[slot]
            hole = slot
    table.slots[hole].count = 0


cdef int clear(Table* table) except -1 nogil:
    """Forget all keys, in the time that it took to add them: a table too large for that is given back."""
    if table.mask >= FEWEST and table.mask > 16 * table.used:
        free(table.slots)
        table.slots, table.mask, table.used = NULL, -1, 0
        return resize(table, FEWEST)
    memset(table.slots, 0, (table.mask + 1) * sizeof(Slot))
    table.used = 0
    return 0


cdef rows_of(const Table* table):
    """The keys and their counts, as rows."""
    cdef Rows rows = Rows(NULL, 0, 0)
    try:
        gather(&rows, table)
        return rows_from(rows.words, rows.length, 2)
    finally:
        free(rows.words)


cdef check_table(const Table* table):
    """Assert the invariant, and that the table is not crowded."""
    cdef uint64_t slot, step
    used = [slot for slot in range(table.mask + 1) if table.slots[slot].count]
    for slot in used:
        step = home_of(table, table.slots[slot].key)
        while step != slot:
            assert table.slots[step].count > 0
            step = (step + 1) & table.mask
    assert len({table.slots[slot].key for slot in used}) == len(used) == table.used
    assert all(table.slots[slot].count > 0 for slot in used)
    assert 4 * table.used <= table.mask


# --- Panes: a list of values for each ------------------------------------------------------------------------

cdef struct Rows:            # of key and count, of one table behind the other
    int64_t* words
    int64_t length
    int64_t capacity


cdef int gather(Rows* rows, const Table* table) except -1 nogil:
    """All that is in the table."""
    cdef int64_t length = rows.length + <int64_t>table.used
    cdef int64_t* words = rows.words
    cdef uint64_t slot
    if length > rows.capacity:
        words = <int64_t*>realloc(rows.words, 4 * length * sizeof(int64_t))
        if words == NULL:
            with gil:
                raise MemoryError(f"no room for {length} rows of keys and counts")
        rows.words, rows.capacity = words, 2 * length
    words += 2 * rows.length
    for slot in range(table.mask + 1):
        if table.slots[slot].count:
            words[0], words[1] = table.slots[slot].key, table.slots[slot].count
            words += 2
    rows.length = length
    return 0


cdef lists_of(edges, values, dtype):
    """An Arrow list array; the values of list i are those from edges[i] on."""
    return pa.ListArray.from_arrays(pa.array(edges, pa.int32()), pa.array(np.ascontiguousarray(values).view(dtype)))


cdef flat_bounds(lists, int64_t base, bounds):
    """The positions in ``lists.values`` where the panes begin that ``bounds`` name; ``base`` is the first pane.

    A pane before it, which is gone, has some position before all others.
    """
    panes = np.asarray(bounds) - base
    return lists.offsets.to_numpy().astype(np.int64)[np.maximum(panes, 0)] + np.minimum(panes, 0)
