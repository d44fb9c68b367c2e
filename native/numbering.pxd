# cython: cdivision=True
# Numbers of keys in the order of their first appearance.
#
# Keys of few bits are looked up in a table that has a place for each; others in a hash table, open addressing with linear probing, at
# most half full. What is longer than a word is numbered by its first word, then by (that number, the next bits), and so on.

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from inwindow.native.key_bits cimport Key, fetch
from inwindow.native.words cimport BLOCK, bit_length, blocks_of

cdef extern from *:
    void __builtin_prefetch(const void*) nogil

cdef enum:
    AHEAD = 12               # rows between asking for a slot of a table and using it

cdef struct Slot:
    uint64_t key
    int64_t number           # from 1 on; 0: the slot is free


cdef inline int64_t number(const Key* key, int64_t since, int width, int known, int64_t n, uint64_t* numbers) except -1 nogil:
    """Number rows by a number of ``known`` bits and the next bits of their keys; the count of numbers."""
    cdef int64_t block, first, i, m, count = 0
    cdef int bits = known + width
    cdef bint direct = bits <= bit_length(<uint64_t>n) + 1
    cdef int64_t* table = NULL
    cdef Slot* slots = NULL
    cdef uint64_t mask = 255
    cdef uint64_t words[BLOCK]
    if direct:
        table = <int64_t*>calloc(1ull << bits, sizeof(int64_t))
    else:
        slots = <Slot*>calloc(mask + 1, sizeof(Slot))
    try:
        if table == NULL and slots == NULL:
            with gil:
                raise MemoryError("no room for a table of numbers")
        for block in range(blocks_of(n)):
            first = block * BLOCK
            m = min(<int64_t>BLOCK, n - first)
            fetch(key, since, width, NULL, first, m, words)
            if known:
                for i in range(m):
                    words[i] |= numbers[first + i] << width
            if direct:
                for i in range(m):
                    if table[words[i]] == 0:
                        count += 1
                        table[words[i]] = count
                    numbers[first + i] = <uint64_t>table[words[i]] - 1
            else:
                while <uint64_t>(count + m) * 2 > mask:
                    slots = enlarged(slots, &mask)
                count = number_block(slots, mask, words, m, count, numbers + first)
    finally:
        free(table)
        free(slots)
    return count


cdef inline uint64_t home_of(uint64_t key, uint64_t mask) noexcept nogil:
    key = (key ^ key >> 32) * 0x9E3779B97F4A7C15u  # Fibonacci hashing: 2 ** 64 divided by the golden ratio
    return (key ^ key >> 32) & mask


cdef inline uint64_t slot_of(const Slot* slots, uint64_t mask, uint64_t key) noexcept nogil:
    """The slot of the key, or the free one where it belongs."""
    cdef uint64_t slot = home_of(key, mask)
    while slots[slot].number and slots[slot].key != key:
        slot = (slot + 1) & mask
    return slot


cdef inline int64_t number_block(
    Slot* slots, uint64_t mask, const uint64_t* words, int64_t m, int64_t count, uint64_t* numbers
) noexcept nogil:
    cdef int64_t i
    cdef Slot* slot
    for i in range(m):
        if i + AHEAD < m:  # a large table is not in the cache
            __builtin_prefetch(&slots[home_of(words[i + AHEAD], mask)])
        slot = &slots[slot_of(slots, mask, words[i])]
        if slot.number == 0:
            count += 1
            slot[0] = Slot(words[i], count)
        numbers[i] = <uint64_t>slot.number - 1
    return count


cdef inline Slot* enlarged(Slot* slots, uint64_t* mask) except NULL nogil:
    """A table with four times the slots; the old one is freed."""
    cdef uint64_t slot, larger = 4 * mask[0] + 3
    cdef Slot* made = <Slot*>calloc(larger + 1, sizeof(Slot))
    if made == NULL:
        with gil:
            raise MemoryError(f"no room for a table of {larger + 1} numbers")
    for slot in range(mask[0] + 1):
        if slots[slot].number:
            made[slot_of(made, larger, slots[slot].key)] = slots[slot]
    free(slots)
    mask[0] = larger
    return made
