# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The number of distinct values in sliding frames: a hash table of how often each value is in the frame.

A value that enters is counted up, one that leaves is counted down, and the result is the number of keys in
the table::

    frame     3 5 3            3: 2, 5: 1           2 distinct
    add 7     3 5 3 7          3: 2, 5: 1, 7: 1     3 distinct
    evict     5 3 7            3: 1, 5: 1, 7: 1     3 distinct
    evict     3 7              3: 1, 7: 1           2 distinct

FloatDistinct and IntDistinct have a table of their own for 64-bit keys, in table.pxi, with its invariant.
Cost: O(1) expected per tuple, 64 to 256 bytes per distinct value in the frame. Values that leave are read
again from ``values``; with ``evicts=False``, where tuples leave a frame all at once or not at all, they need
not be there. A pane's partial is the list of its distinct values; the panes of a frame, one behind the other,
are a frame of values again.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. NULL is not counted. No result is NULL.
"""

include "slices.pxi"

cdef struct Slot:
    int64_t key
    int64_t count            # 0: the slot is free

include "table.pxi"


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
            no_eviction(table.lo, start[frame])
        for position in range(table.lo, start[frame]):
            if position + AHEAD < last_start:
                prefetch(table, key_at(column, position + AHEAD, floating))
            if is_seen(column, position):
                remove(table, key_at(column, position, floating), 1)
        for position in range(table.hi, end[frame]):
            if position + AHEAD < last_end:
                prefetch(table, key_at(column, position + AHEAD, floating))
            if is_seen(column, position):
                add(table, key_at(column, position, floating), 1)
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
        cdef Slice column = slice_of(values, base, 8)
        cdef Py_ssize_t frames = start.shape[0]
        cdef int64_t[::1] out = space(frames, np.int64)
        with nogil:
            fold(&self.table, &column, self.floating, self.evicts, &start[0], &end[0], frames, &out[0])
        return column_of(pa.int64(), out, None)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: ``(lists,)``, each pane's distinct values."""
        panes = []
        for first, last in zip(start, end, strict=True):
            self.absorb(values, base, first, last)
            panes.append(rows_of(&self.table)[:, 0])
        return (lists_of(panes, np.float64 if self.floating else np.int64),)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        cdef Slice column = slice_of(values, base, 8)
        cdef int64_t count
        with nogil:
            fold(&self.table, &column, self.floating, self.evicts, &start, &end, 1, &count)

    def state(self):
        """(lo, hi, rows of key and count): what :meth:`restore` goes on from."""
        return self.table.lo, self.table.hi, rows_of(&self.table)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef const int64_t[:, ::1] rows
        cdef Py_ssize_t row
        clear(&self.table)
        self.table.lo, self.table.hi, rows = state
        for row in range(rows.shape[0]):
            add(&self.table, rows[row, 0], rows[row, 1])

    def __sizeof__(self):
        """Bytes, the hash table included."""
        return sizeof(Table) + (self.table.mask + 1) * sizeof(Slot)

    def _check(self):
        """Assert the invariants."""
        check_table(&self.table)


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
            no_eviction(self.lo, start)
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
        return column_of(pa.int64(), out, None)

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
