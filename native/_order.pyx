# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows in the order of some columns: stable, by radix, for keys of any length.

A row's key is a string of bits (key_bits.pxi). As many of its first bits as fit go into one word, above the number of
the row, and the words are sorted (radix.pxi): nothing is moved but 8 bytes a row, and equal keys stay in the order in
which they came. Rows whose words are equal are then told apart by the next bits of their keys, and so on::

    k  t (59 bits)     1,000,000 rows: 20 bits of row, 44 of k and t; the other 15 only where these are equal
    long strings       the first 44 bits; then 64 less the bits of the largest group of ties, over and over

Cost: two passes for a million rows whose words are spread evenly, three or four for more, or where they are not;
16 bytes a row (24 where regrouped), and as much as the largest group of ties again.
"""

from libc.stdlib cimport calloc, free, malloc

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

include "key_bits.pxi"
include "radix.pxi"

cdef extern from *:
    void __builtin_prefetch(const void*) nogil

cdef enum:
    AHEAD = 12               # rows between asking for a slot of a table and using it


cdef const char* NOTHING = b""  # the bytes of texts that are all empty


cdef class Levels:
    """What to sort by, the most significant first: (array, ascending, nulls_first) each.

    Arrays are of numbers, times, decimals, or bytes; all of one length.

    >>> levels = Levels([(pa.array([2, 1, 2, None]), True, True), (pa.array(["b", "c", "a", "d"]), False, True)])
    >>> levels.ascend(0), levels.sorted(0, 2).tolist(), levels.sorted(0, 1).tolist()
    (False, [3, 1, 0, 2], [3, 1, 0, 2])
    >>> levels.numbers()[0].tolist()
    [0, 1, 2, 3]
    """

    cdef Column* columns
    cdef list arrays         # so that they stay
    cdef readonly int count
    cdef readonly int64_t rows

    def __cinit__(self, levels):
        self.arrays = [array for array, _, _ in levels]
        self.count = len(self.arrays)
        self.rows = len(self.arrays[0])
        self.columns = <Column*>calloc(self.count, sizeof(Column))
        if self.columns == NULL:
            raise MemoryError(f"no room for {self.count} levels")
        for index, (array, ascending, nulls_first) in enumerate(levels):
            if len(array) != self.rows:
                raise ValueError(f"levels of {self.rows} and {len(array)} rows")
            read_column(&self.columns[index], array)
            self.columns[index].descending = not ascending
            self.columns[index].nulls_first = nulls_first

    def __dealloc__(self):
        free(self.columns)

    @property
    def bits(self):
        """How long a key is."""
        cdef Key key
        with nogil:
            key = key_of(self.columns, self.count, self.rows)
        return key.bits

    def ascend(self, int first):
        """Whether the rows are in the order of the levels from this one on."""
        cdef bint ascends
        with nogil:
            ascends = all_ascend(&self.columns[first], self.count - first, self.rows)
        return ascends

    def sorted(self, int first, int last):
        """The rows in the order of the levels [first, last)."""
        return self._sorted(first, last, None)

    def groups(self):
        """The rows in the order of all levels, None if they are in it; and where in it each group of equal levels begins."""
        cdef uint8_t[::1] begins = np.zeros(self.rows, dtype=np.uint8)
        cdef Key key
        order = None if self.ascend(0) else self._sorted(0, self.count, begins)
        if order is None and self.rows:
            with nogil:
                key = key_of(self.columns, self.count, self.rows)
                mark_changes(&key, self.rows, &begins[0])
        return order, np.flatnonzero(begins)

    def ranks(self):
        """A number per row that compares as its levels do, from 0 on; equal levels, equal number. And how many there are."""
        cdef int64_t i, rank = -1, n = self.rows
        cdef uint8_t[::1] begins = np.zeros(n, dtype=np.uint8)
        cdef int64_t[::1] order = self._sorted(0, self.count, begins)
        ranked = space(n, np.int64)
        cdef int64_t[::1] out = ranked
        with nogil:
            for i in range(n):
                rank += begins[i]
                out[order[i]] = rank
        return ranked, rank + 1

    def numbers(self):
        """A number per row, in the order of first appearance; equal levels, equal number. And how many there are."""
        cdef int64_t n = self.rows, count = 1
        numbers = space(n, np.int64)
        cdef int64_t[::1] out = numbers
        cdef Key key
        cdef int64_t since = 0
        cdef int width
        with nogil:
            key = key_of(self.columns, self.count, n)
            memset(&out[0], 0, n * sizeof(int64_t))
            while since < key.bits:
                width = <int>min(64 - bit_length(<uint64_t>(count - 1)), key.bits - since)
                count = number(&key, since, width, bit_length(<uint64_t>(count - 1)), n, <uint64_t*>&out[0])
                since += width
        return numbers, count if n else 0

    cdef _sorted(self, int first, int last, uint8_t[::1] begins):
        """The rows in the order of some levels; ``begins``, zeros or None, is to say which differ from the row before."""
        cdef int64_t n = self.rows
        cdef Key key
        order, room = space(n, np.int64), space(n, np.uint64)
        cdef int64_t[::1] rows = order
        cdef uint64_t[::1] words = room
        if n:
            with nogil:
                key = key_of(&self.columns[first], last - first, n)
                sort_rows(&key, n, &rows[0], &words[0], NULL if begins is None else &begins[0])
        return order


cdef read_column(Column* column, array):
    """How the kernel reads an array."""
    kind = array.type
    buffers = array.buffers()
    at = [0 if buffer is None else buffer.address for buffer in buffers]
    column.kind, column.width = kind_of(kind)
    cdef int64_t offset = array.offset
    cdef int64_t step = 4 if column.kind == TEXT32 else 8 if column.kind == TEXT64 else column.width
    cdef uintptr_t data = at[1], text = at[2] if len(at) > 2 else 0, valid = at[0] if array.null_count else 0
    column.data = <const char*>data + offset * step
    column.text = <const char*>text if text else NOTHING
    column.valid = <const uint8_t*>valid
    column.bit = offset


cdef kind_of(kind):
    """The kind, and the bytes of a value."""
    is_ = pa.types
    if is_.is_string(kind) or is_.is_binary(kind):
        return TEXT32, 0
    if is_.is_large_string(kind) or is_.is_large_binary(kind):
        return TEXT64, 0
    if not (is_.is_primitive(kind) or is_.is_decimal(kind) or is_.is_fixed_size_binary(kind)) or is_.is_boolean(kind):
        raise TypeError(f"no order of {kind}")
    cdef int width = kind.bit_width // 8
    if is_.is_fixed_size_binary(kind):
        return FIXED, width
    if is_.is_decimal(kind) and width > 8:
        return DECIMAL, width
    if is_.is_floating(kind):
        return {2: HALF, 4: FLOAT, 8: DOUBLE}[width], width
    if is_.is_unsigned_integer(kind):
        return {1: UNSIGNED8, 2: UNSIGNED16, 4: UNSIGNED32, 8: UNSIGNED64}[width], width
    if is_.is_integer(kind) or is_.is_temporal(kind) and width <= 8 or is_.is_decimal(kind):
        return {1: SIGNED8, 2: SIGNED16, 4: SIGNED32, 8: SIGNED64}[width], width
    raise TypeError(f"no order of {kind}")


# --- One look ------------------------------------------------------------------------------------------------------

cdef bint all_ascend(Column* columns, int count, int64_t n) noexcept nogil:
    """Whether no row sorts before the one in front of it; ends at the first block with such a row."""
    cdef uint64_t words[BLOCK + 1]
    cdef uint8_t undecided[BLOCK]
    cdef int64_t block, first, i, m
    cdef int c
    cdef bint wrong
    for block in range(blocks_of(n - 1)):
        first = block * BLOCK
        m = min(<int64_t>BLOCK, n - 1 - first)
        memset(undecided, 1, m)
        wrong = False
        for c in range(count):
            read_words(&columns[c], 0, NULL, first, m + 1 if m < BLOCK else BLOCK, words)
            if m == BLOCK:
                read_words(&columns[c], 0, NULL, first + BLOCK, 1, &words[BLOCK])
            if columns[c].valid != NULL or columns[c].kind >= DECIMAL:
                wrong = descends_slowly(&columns[c], first, m, words, undecided)
            else:
                for i in range(m):
                    wrong |= undecided[i] & (words[i + 1] < words[i])
                    undecided[i] &= words[i + 1] == words[i]
            if wrong:
                return False
    return True


cdef bint descends_slowly(
    const Column* column, int64_t first, int64_t m, const uint64_t* words, uint8_t* undecided
) noexcept nogil:
    """As the loop above, for NULLs, and values of several words."""
    cdef int64_t i
    cdef int sign
    for i in range(m):
        if undecided[i]:
            sign = is_null(column, first + i) - is_null(column, first + i + 1)
            if sign:
                sign = sign if column.nulls_first else -sign
            elif not is_null(column, first + i):
                sign = (words[i + 1] > words[i]) - (words[i + 1] < words[i])
                if sign == 0 and column.kind >= DECIMAL:
                    sign = compared(column, first + i)
            if sign < 0:
                return True
            undecided[i] = sign == 0
    return False


cdef int compared(const Column* column, int64_t row) noexcept nogil:
    """How the row behind compares with a row whose first word is the same: -1, 0, 1."""
    cdef uint64_t a, b
    cdef int64_t word, length, other
    cdef const char* text = NULL
    cdef const char* behind = NULL
    cdef int sign
    if column.kind == DECIMAL:
        for word in range(1, column.width // 8):
            read_words(column, word, NULL, row, 1, &a)
            read_words(column, word, NULL, row + 1, 1, &b)
            if a != b:
                return 1 if b > a else -1
        return 0
    length, other = text_of(column, row, &text), text_of(column, row + 1, &behind)
    sign = memcmp(behind, text, <size_t>min(length, other))
    if sign == 0:
        sign = (other > length) - (other < length)
    return -sign if column.descending else sign


# --- Sorting -------------------------------------------------------------------------------------------------------

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


cdef void settle(
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


cdef int sort_rows(const Key* key, int64_t n, int64_t* rows, uint64_t* words, uint8_t* begins) except -1 nogil:
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


cdef int64_t refine(
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


cdef void mark_changes(const Key* key, int64_t n, uint8_t* begins) noexcept nogil:
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


# --- Numbers in the order of first appearance -----------------------------------------------------------------------

cdef struct Slot:
    uint64_t key
    int64_t number           # from 1 on; 0: the slot is free


cdef int64_t number(const Key* key, int64_t since, int width, int known, int64_t n, uint64_t* numbers) except -1 nogil:
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


cdef int64_t number_block(
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


cdef Slot* enlarged(Slot* slots, uint64_t* mask) except NULL nogil:
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
