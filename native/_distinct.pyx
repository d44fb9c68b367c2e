# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The number of distinct values in sliding frames: a hash table of how often each value is in the frame.

A value that enters is counted up, one that leaves is counted down, and the result is the number of keys in
the table::

    frame     3 5 3            3: 2, 5: 1           2 distinct
    add 7     3 5 3 7          3: 2, 5: 1, 7: 1     3 distinct
    evict     5 3 7            3: 1, 5: 1, 7: 1     3 distinct
    evict     3 7              3: 1, 7: 1           2 distinct

FloatDistinct and IntDistinct have a table of their own for 64-bit keys: open addressing, linear probing.
Invariant: a key lies at or behind its home slot, and no slot between the two is free. When a key is deleted,
what comes behind it moves up to keep it so (Knuth, volume 3, algorithm 6.4R): there are no tombstones, and a
table is as fast after a billion evictions as a new one.
Cost: O(1) expected per tuple, 64 to 256 bytes per distinct value in the frame: a table is at most a quarter
full, measured twice as fast as one half full where keys come and go at random. Values that leave are read
again from ``values``; with ``evicts=False``, where tuples leave a frame all at once or not at all, they need
not be there.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. NULL is not counted. No result is NULL.
"""

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import math

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

cdef int64_t INFINITE = 0x7FF0000000000000    # the bits of a double: what is above, without the sign, is NaN
cdef int64_t NAN = 0x7FF8000000000000
cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15u    # Fibonacci hashing: 2 ** 64 divided by the golden ratio

cdef extern from *:
    void __builtin_prefetch(const void*) nogil

cdef enum:
    FEWEST = 64              # slots
    AHEAD = 12               # tuples between asking for a slot and using it

cdef struct Slice:
    const int64_t* words     # the value at position p is words[p], 64 bits whatever their type
    const uint8_t* seen      # its validity is bit `bit + p` of seen; NULL where all are valid
    int64_t bit

cdef struct Slot:
    int64_t key
    int64_t count            # 0: the slot is free

cdef struct Table:
    Slot* slots
    uint64_t mask            # the number of slots, a power of two, less one
    uint64_t used
    int64_t lo               # the frame that is folded in: [lo, hi)
    int64_t hi


cdef Slice slice_of(values, int64_t base):
    cdef int64_t offset = values.offset
    bitmap, data = values.buffers()
    cdef const int64_t* words = <const int64_t*><uintptr_t>(0 if data is None else data.address)
    cdef const uint8_t* seen = <const uint8_t*><uintptr_t>(bitmap.address if values.null_count else 0)
    return Slice(words + offset - base, seen, offset - base)


cdef inline bint is_seen(const Slice* column, int64_t position) noexcept nogil:
    cdef int64_t bit = column.bit + position
    return column.seen == NULL or column.seen[bit >> 3] >> (bit & 7) & 1


cdef inline int64_t key_at(const Slice* column, int64_t position, bint floating) noexcept nogil:
    """The bits of the value, the same for equal values."""
    cdef int64_t word = column.words[position]
    if floating:
        if word & INT64_MAX > INFINITE:
            word = NAN
        elif word == INT64_MIN:
            word = 0
    return word


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
    cdef Table larger = Table(<Slot*>calloc(slots, sizeof(Slot)), slots - 1, table.used, table.lo, table.hi)
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


cdef inline int add(Table* table, int64_t key) except -1 nogil:
    cdef Slot* slot = &table.slots[slot_of(table, key)]
    slot.key = key
    slot.count += 1
    if slot.count == 1:
        table.used += 1
        if 4 * table.used > table.mask:
            resize(table, 2 * (table.mask + 1))
    return 0


cdef inline int remove(Table* table, int64_t key) except -1 nogil:
    cdef uint64_t slot = slot_of(table, key)
    table.slots[slot].count -= 1
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


cdef int fold(
    Table* table, const Slice* column, bint floating, bint evicts, const int64_t* start, const int64_t* end,
    Py_ssize_t frames, int64_t* out,
) except -1 nogil:
    cdef int64_t position
    cdef Py_ssize_t frame
    cdef int64_t last_start = start[frames - 1] if frames else 0, last_end = end[frames - 1] if frames else 0
    for frame in range(frames):
        if start[frame] >= table.hi:
            clear(table)
            table.lo = table.hi = start[frame]
        elif start[frame] > table.lo and not evicts:
            with gil:
                raise RuntimeError(
                    f"evicts=False, but the lower end moved from {table.lo} to {start[frame]} inside a frame"
                )
        for position in range(table.lo, start[frame]):
            if position + AHEAD < last_start:
                prefetch(table, key_at(column, position + AHEAD, floating))
            if is_seen(column, position):
                remove(table, key_at(column, position, floating))
        for position in range(table.hi, end[frame]):
            if position + AHEAD < last_end:
                prefetch(table, key_at(column, position + AHEAD, floating))
            if is_seen(column, position):
                add(table, key_at(column, position, floating))
        table.lo, table.hi = start[frame], end[frame]
        out[frame] = table.used
    return 0


cdef class _Distinct:
    """The distinct ones of one column of 64-bit values."""

    cdef Table table
    cdef bint floating
    cdef bint evicts

    def __cinit__(self, *, bint evicts=True):
        self.evicts = evicts
        self.table.mask = -1
        resize(&self.table, FEWEST)

    def __dealloc__(self):
        free(self.table.slots)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """How many distinct values each frame [start, end) holds: 0 where it holds none."""
        cdef Slice column = slice_of(values, base)
        cdef Py_ssize_t frames = start.shape[0]
        cdef int64_t[::1] out = space(frames, np.int64)
        with nogil:
            fold(&self.table, &column, self.floating, self.evicts, &start[0], &end[0], frames, &out[0])
        return pa.Array.from_buffers(pa.int64(), frames, [None, pa.py_buffer(out)], 0)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        cdef Slice column = slice_of(values, base)
        cdef int64_t count
        with nogil:
            fold(&self.table, &column, self.floating, self.evicts, &start, &end, 1, &count)

    def state(self):
        """(lo, hi, rows of key and count): what :meth:`restore` goes on from."""
        cdef uint64_t slot
        cdef Py_ssize_t row = 0
        entries = np.empty((self.table.used, 2), np.int64)
        cdef int64_t[:, ::1] rows = entries
        for slot in range(self.table.mask + 1):
            if self.table.slots[slot].count:
                rows[row, 0], rows[row, 1] = self.table.slots[slot].key, self.table.slots[slot].count
                row += 1
        return self.table.lo, self.table.hi, entries

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef const int64_t[:, ::1] rows
        cdef Py_ssize_t row
        clear(&self.table)
        self.table.lo, self.table.hi, rows = state
        for row in range(rows.shape[0]):
            add(&self.table, rows[row, 0])
            self.table.slots[slot_of(&self.table, rows[row, 0])].count = rows[row, 1]

    def __sizeof__(self):
        """Bytes, the hash table included."""
        return sizeof(Table) + (self.table.mask + 1) * sizeof(Slot)

    def _check(self):
        """Assert the invariant, and that the table is not crowded."""
        cdef const Table* table = &self.table
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


cdef class FloatDistinct(_Distinct):
    """The number of distinct values of float64.

    >>> start, end = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
    >>> FloatDistinct().roll(pa.array([0.5, None, 0.5, 1.5]), 0, start, end).to_pylist()
    [1, 1, 1, 2]
    """

    def __cinit__(self, *, bint evicts=True):
        self.floating = True


cdef class IntDistinct(_Distinct):
    """The number of distinct values of int64."""

    def __cinit__(self, *, bint evicts=True):
        self.floating = False


# --- Python objects ------------------------------------------------------------------------------------------

cdef object NOT_A_NUMBER = math.nan    # stands for every NaN: to a dict the same object is the same key


cdef object canonical(value):
    """The same for values that are the same."""
    if isinstance(value, float) and value != value:
        return NOT_A_NUMBER
    if isinstance(value, tuple):
        return tuple([canonical(part) for part in value])
    return value


cdef class ObjectDistinct:
    """The number of distinct tuples of hashable Python objects. A tuple with a NULL (None) is not counted.

    >>> start, end = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
    >>> ObjectDistinct().roll([["a", "b", None, "b"], [1, 1, 1, 2]], 0, None, start, end).to_pylist()
    [1, 2, 2, 2]
    """

    cdef dict counts
    cdef bint evicts
    cdef int64_t lo
    cdef int64_t hi

    def __cinit__(self, *, bint evicts=True):
        self.counts = {}
        self.evicts = evicts

    cdef object key_at(self, list columns, const uint8_t[::1] seen, Py_ssize_t offset):
        """The value or the tuple of values at ``offset``; None if it is not counted."""
        cdef list values = []
        if seen is not None and not seen[offset]:
            return None
        for column in columns:
            value = (<list>column)[offset]
            if value is None:
                return None
            values.append(value)
        return canonical(values[0] if len(values) == 1 else tuple(values))

    cdef int fold(
        self, list columns, int64_t base, const uint8_t[::1] seen, int64_t start, int64_t end
    ) except -1:
        cdef dict counts = self.counts
        cdef int64_t position
        if start >= self.hi:
            counts.clear()
            self.lo = self.hi = start
        elif start > self.lo and not self.evicts:
            raise RuntimeError(
                f"evicts=False, but the lower end moved from {self.lo} to {start} inside a frame"
            )
        for position in range(self.lo, start):
            key = self.key_at(columns, seen, position - base)
            if key is not None:
                if counts[key] > 1:
                    counts[key] -= 1
                else:
                    del counts[key]
        for position in range(self.hi, end):
            key = self.key_at(columns, seen, position - base)
            if key is not None:
                counts[key] = counts.get(key, 0) + 1
        self.lo, self.hi = start, end
        return 0

    def roll(
        self, list columns, int64_t base, const uint8_t[::1] seen, const int64_t[::1] start,
        const int64_t[::1] end,
    ):
        """How many distinct tuples each frame [start, end) holds, of those whose ``seen`` is not 0."""
        cdef Py_ssize_t frames = start.shape[0], frame
        cdef int64_t[::1] out = np.empty(frames, np.int64)
        for frame in range(frames):
            self.fold(columns, base, seen, start[frame], end[frame])
            out[frame] = len(self.counts)
        return pa.Array.from_buffers(pa.int64(), frames, [None, pa.py_buffer(out)], 0)

    def absorb(self, list columns, int64_t base, const uint8_t[::1] seen, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        self.fold(columns, base, seen, start, end)

    def state(self):
        """(lo, hi, the keys, their counts): what :meth:`restore` goes on from."""
        return self.lo, self.hi, list(self.counts), list(self.counts.values())

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.lo, self.hi, keys, counts = state
        self.counts = {canonical(key): count for key, count in zip(keys, counts, strict=True)}
