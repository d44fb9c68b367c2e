# cython: cdivision=True
# Rows in the order of their keys, however long these are.
#
# Groups of rows that are equal so far are kept where they stand, in room that is no longer needed: a list is threaded through the
# words that they have been read from. All groups are told apart by the same bits, those that stay equal by the next ones.

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from inwindow.native.key_bits cimport Key, fetch
from inwindow.native.radix cimport COUNTERS, sort_words
from inwindow.native.words cimport BLOCK, bit_length, blocks_of

cdef struct Ties:            # groups of rows that are equal so far: places[lo] = hi, places[lo + 1] = the next lo or -1
    uint64_t* places
    int64_t head
    int64_t tail
    int64_t largest


cdef inline void tie(Ties* ties, int64_t lo, int64_t hi) noexcept nogil:
    if ties.tail < 0:
        ties.head = lo
    else:
        ties.places[ties.tail + 1] = <uint64_t>lo
    ties.tail = lo
    ties.places[lo] = <uint64_t>hi
    ties.places[lo + 1] = <uint64_t>-1
    ties.largest = max(ties.largest, hi - lo)


cdef inline void settle(
    const uint64_t* words, int64_t n, int numbered, int64_t lo, Ties* ties, uint8_t* begins
) noexcept nogil:
    """Which of the sorted words at the places from ``lo`` on are equal but for the ``numbered`` low bits."""
    cdef int64_t i, since = 0
    for i in range(1, n):
        if (words[i] ^ words[i - 1]) >> numbered:
            if i - since > 1 and ties != NULL:
                tie(ties, lo + since, lo + i)
            since = i
            if begins != NULL:
                begins[lo + i] = 1
    if n - since > 1 and ties != NULL:
        tie(ties, lo + since, lo + n)


cdef inline int sort_rows(const Key* key, int64_t n, int64_t* rows, uint64_t* words, uint8_t* begins) except -1 nogil:
    """The row numbers in the order of their keys; ``words`` is room for n."""
    cdef int numbered = bit_length(<uint64_t>(n - 1))
    cdef int width = <int>min(64 - numbered, key.bits)
    cdef uint64_t mask = (1ull << numbered) - 1
    cdef int64_t block, first, i, m, since = width
    cdef int64_t* counters = <int64_t*>malloc(COUNTERS * sizeof(int64_t))
    cdef Ties ties = Ties(words, -1, -1, 0)
    if counters == NULL:
        with gil:
            raise MemoryError(f"no room to order {n} rows")
    try:
        for block in range(blocks_of(n)):
            first = block * BLOCK
            m = min(<int64_t>BLOCK, n - first)
            fetch(key, 0, width, NULL, first, m, words + first)
            for i in range(first, first + m):
                words[i] = words[i] << numbered | <uint64_t>i
        sort_words(words, <uint64_t*>rows, n, numbered, counters)
        for i in range(n):
            rows[i] = <int64_t>(words[i] & mask)
        if begins != NULL:
            begins[0] = 1
        if begins != NULL or since < key.bits:  # the places of ties are written where words have been read
            settle(words, n, numbered, 0, &ties if since < key.bits else NULL, begins)
        while ties.head >= 0:
            since = refine(key, since, &ties, rows, begins, counters)
    finally:
        free(counters)
    return 0


cdef inline int64_t refine(
    const Key* key, int64_t since, Ties* ties, int64_t* rows, uint8_t* begins, int64_t* counters
) except -1 nogil:
    """Sort each group of ties by the next bits of the keys, and say up to which bit; ``ties`` are those that are left."""
    cdef int numbered = bit_length(<uint64_t>(ties.largest - 1))
    cdef int width = <int>min(64 - numbered, key.bits - since)
    cdef int64_t until = since + width
    cdef int64_t size = max(<int64_t>BLOCK, ties.largest)
    cdef uint64_t mask = (1ull << numbered) - 1
    cdef uint64_t* words = <uint64_t*>malloc(3 * size * sizeof(uint64_t))
    cdef uint64_t* other = words + size
    cdef int64_t* its = <int64_t*>(words + 2 * size)
    cdef int64_t lo = ties.head, hi, block, first, i, m, group, count
    cdef int64_t groups[BLOCK]
    cdef Ties left = Ties(ties.places, -1, -1, 0)
    if words == NULL:
        with gil:
            raise MemoryError(f"no room to order {ties.largest} rows")
    while lo >= 0:
        # Small groups are read together: at least one, then as many as fit into a block.
        m = count = 0
        while lo >= 0 and (m == 0 or m + <int64_t>ties.places[lo] - lo <= BLOCK):
            hi = <int64_t>ties.places[lo]
            memcpy(its + m, rows + lo, (hi - lo) * sizeof(int64_t))
            m += hi - lo
            groups[count] = lo
            count += 1
            lo = <int64_t>ties.places[lo + 1]
        for block in range(blocks_of(m)):
            first = block * BLOCK
            fetch(key, since, width, its + first, 0, min(<int64_t>BLOCK, m - first), words + first)
        m = 0
        for group in range(count):
            first = groups[group]
            hi = <int64_t>ties.places[first]
            for i in range(hi - first):
                words[m + i] = words[m + i] << numbered | <uint64_t>i
            sort_words(words + m, other + m, hi - first, numbered, counters)
            for i in range(hi - first):
                rows[first + i] = its[m + <int64_t>(words[m + i] & mask)]
            settle(words + m, hi - first, numbered, first, &left if until < key.bits else NULL, begins)
            m += hi - first
    free(words)
    ties[0] = left
    return until


cdef inline void mark_changes(const Key* key, int64_t n, uint8_t* begins) noexcept nogil:
    """Of rows that are in order: which differ from the row before."""
    cdef uint64_t words[BLOCK]
    cdef int64_t first = 0, since, i, m
    begins[0] = 1
    while first < n:
        m = min(<int64_t>BLOCK, n - first)
        since = 0
        while since < key.bits:
            fetch(key, since, <int>min(64, key.bits - since), NULL, first, m, words)
            for i in range(1, m):
                begins[first + i] |= words[i] != words[i - 1]
            since += 64
        first += BLOCK - 1  # the last row is the first of the next block
