# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The number of distinct values in sliding frames: a hash table of how often each value is in the frame.

A value that enters is counted up, one that leaves is counted down, and the result is the number of keys in
the table::

    frame     3 5 3            3: 2, 5: 1           2 distinct
    add 7     3 5 3 7          3: 2, 5: 1, 7: 1     3 distinct
    evict     5 3 7            3: 1, 5: 1, 7: 1     3 distinct
    evict     3 7              3: 1, 7: 1           2 distinct

FloatDistinct and IntDistinct have a table of their own for 64-bit keys, in table.pxi, with its invariant.
Cost: O(1) expected per tuple, 64 to 256 bytes per distinct value in the frame. Values that leave are read
again from ``values``, in any order (``sweep``); with ``evicts=False``, where tuples leave a frame all at once or not at all, they need
not be there. A pane's partial is the list of its distinct values; the panes of a frame, one behind the other,
are a frame of values again.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. NULL is not counted. No result is NULL.
"""

from libc.stdint cimport int64_t

from inwindow.native.objects cimport ObjectKernel, canonical

cdef struct Slot:
    int64_t key
    int64_t count            # 0: the slot is free

include "table.pxi"


cdef struct State:
    Table table
    int64_t lo, hi


cdef inline int restart(State* state, int64_t start) except -1 nogil:
    return clear(&state.table)


cdef inline int leave(State* state, const Source* source, int64_t number) except -1 nogil:
    cdef int64_t position = leaving(source, number)
    if number + AHEAD < source.last_start:
        prefetch(&state.table, key_at(&source.column, leaving(source, number + AHEAD), source.floating))
    if is_seen(&source.column, position):
        remove(&state.table, key_at(&source.column, position, source.floating), 1)
    return 0


cdef inline int enter(State* state, const Source* source, int64_t position) except -1 nogil:
    if position + AHEAD < source.last_end:
        prefetch(&state.table, key_at(&source.column, position + AHEAD, source.floating))
    if is_seen(&source.column, position):
        add(&state.table, key_at(&source.column, position, source.floating), 1)
    return 0


cdef inline bint answer(State* state, int64_t* out) noexcept nogil:
    out[0] = state.table.used
    return True


include "frames.pxi"


cdef class _Distinct(Kernel):
    """How many distinct ones there are of one column of 64-bit values."""

    cdef State frame
    cdef bint floating
    cdef bint evicts

    def __cinit__(self, *, bint evicts=True):
        self.type, self.evicts = pa.int64(), evicts
        self.frame.table.mask = -1
        resize(&self.frame.table, FEWEST)

    def __dealloc__(self):
        free(self.frame.table.slots)

    cdef Source source_of(self, object values, int64_t base, int64_t last_start, int64_t last_end):
        return Source(slice_of(values, base, 8), self.floating, NULL, self.left, last_start, last_end)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Source source = self.source_of(values, base, start[n - 1] if n else 0, end[n - 1] if n else 0)
        with nogil:
            return fold_frames(&self.frame, &source, self.evicts, start, end, i, n, out, validity)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: ``(lists,)``, each pane's distinct values."""
        cdef int64_t n = start.shape[0], i, distinct
        cdef Source source = self.source_of(values, base, start[n - 1] if n else 0, end[n - 1] if n else 0)
        cdef Rows rows = Rows(NULL, 0, 0)
        cdef int64_t[::1] edges = np.zeros(n + 1, np.int64)
        try:
            with nogil:
                for i in range(n):
                    fold_frames(&self.frame, &source, self.evicts, &start[0], &end[0], i, i + 1, &distinct - i, NULL)
                    gather(&rows, &self.frame.table)
                    edges[i + 1] = rows.length
            keys = rows_from(rows.words, rows.length, 2)[:, 0]
        finally:
            free(rows.words)
        return (lists_of(edges.base, keys, np.float64 if self.floating else np.int64),)

    def state(self):
        """(lo, hi, rows of key and count): what :meth:`restore` goes on from."""
        return self.frame.lo, self.frame.hi, rows_of(&self.frame.table)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef Py_ssize_t row
        clear(&self.frame.table)
        self.frame.lo, self.frame.hi, rows = state
        cdef const int64_t* words = memory_of(rows, 2)
        for row in range(len(rows)):
            add(&self.frame.table, words[2 * row], words[2 * row + 1])

    def __sizeof__(self):
        """Bytes, the hash table included."""
        return sizeof(State) + (self.frame.table.mask + 1) * sizeof(Slot)

    def _check(self):
        """Assert the invariants."""
        check_table(&self.frame.table)


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

cdef class ObjectDistinct(ObjectKernel):
    """The number of distinct tuples of hashable Python objects. A tuple with a NULL (None) is not counted.

    >>> start, end = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
    >>> ObjectDistinct().roll([["a", "b", None, "b"], [1, 1, 1, 2]], 0, None, start, end).to_pylist()
    [1, 2, 2, 2]
    """

    cdef dict counts
    cdef int64_t* results    # of a call

    def __cinit__(self, *, bint evicts=True):
        self.counts, self.evicts = {}, evicts

    cdef int forget(self) except -1:
        self.counts.clear()
        return 0

    cdef int enter(self, object value) except -1:
        cdef dict counts = self.counts
        value = canonical(value)
        counts[value] = counts.get(value, 0) + 1
        return 0

    cdef int leave(self, object value) except -1:
        cdef dict counts = self.counts
        value = canonical(value)
        if counts[value] > 1:
            counts[value] -= 1
        else:
            del counts[value]
        return 0

    cdef object room(self, Py_ssize_t frames):
        results = np.empty(frames, np.int64)
        self.results = <int64_t*><uintptr_t>results.ctypes.data
        return results

    cdef int answer(self, object results, Py_ssize_t frame) except -1:
        self.results[frame] = len(self.counts)
        return 0

    def column(self, results):
        """Counts, int64."""
        return pa.array(results)

    def state(self):
        """(lo, hi, the keys, their counts): what :meth:`restore` goes on from."""
        return self.lo, self.hi, list(self.counts), list(self.counts.values())

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.lo, self.hi, keys, counts = state
        self.counts = {canonical(key): count for key, count in zip(keys, counts, strict=True)}
