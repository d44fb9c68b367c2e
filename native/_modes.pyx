# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The most frequent value of sliding frames: counts in a hash table, and a lazy heap of upper bounds.

The heap's root is the most frequent value, of several the smallest. An entry says how often a value is in the
frame *at most*. So a value that leaves touches no entry, unless it is the root's, and one that enters pushes a
new entry only when it is more frequent than its bound says::

    frame    3 5 3 5 5 7       heap    5: 3   3: 2   7: 1
    evict 3    5 3 5 5 7               5: 3   3: 2   7: 1      3 is there once: less than its bound
    evict 5      3 5 5 7               5: 3   3: 2   7: 1      the root's: it is lowered to 2, and sinks,
                                       3: 2   5: 2   7: 1      then 3 is the root, and is lowered to 1:
                                       5: 2   3: 1   7: 1      a root that is true beats all others

Invariant: each value of the frame has an entry with its bound, which is not below its count; the root, unless
it is *doubtful*, is true. Entries that are not some value's bound are stale: they are dropped when they become
the root, or when the heap is full and is built anew, with room for four times as many entries as values.
Cost: amortised O(log w) per tuple: every entry that sinks was lowered by a tuple that had left. In the mean
nearer to O(1): a steady count seldom passes its bound. 160 to 640 bytes per distinct value in the frame.
With ``evicts=False`` the heap is the root alone.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. Smaller, too: NaN is the largest. NULL is
not counted; a frame without a value has NULL. A pane's partial is its values and how often it has each.
"""

from heapq import heapify, heappop, heappush, heapreplace

from libc.stdint cimport INT64_MAX, int64_t

from inwindow.native.objects cimport ObjectKernel, canonical

cdef struct Slot:
    int64_t key
    int64_t count            # 0: the slot is free
    int64_t bound            # not below the count; there is an entry of the heap that says so

include "table.pxi"
include "lazy_heap.pxi"


cdef inline int64_t in_order(int64_t word, bint floating) noexcept nogil:
    """The int64 that ranks as the value of these bits does, and back."""
    return ranked(word) if floating else word


cdef inline int64_t ranked_at(const Source* source, int64_t position) noexcept nogil:
    return in_order(key_at(&source.column, position, source.floating), source.floating)


cdef inline int leave(State* modes, const Source* source, int64_t number) except -1 nogil:
    cdef int64_t position = leaving(source, number)
    if number + AHEAD < source.last_start:
        prefetch(&modes.table, ranked_at(source, leaving(source, number + AHEAD)))
    if is_seen(&source.column, position):
        count_down(modes, ranked_at(source, position), 1 if source.times == NULL else source.times[position])
    return 0


cdef inline int enter(State* modes, const Source* source, int64_t position) except -1 nogil:
    if position + AHEAD < source.last_end:
        prefetch(&modes.table, ranked_at(source, position + AHEAD))
    if is_seen(&source.column, position):
        count_up(modes, ranked_at(source, position), 1 if source.times == NULL else source.times[position])
    return 0


cdef inline bint answer(State* modes, int64_t* out) noexcept nogil:
    if modes.doubtful:
        settle(modes)
    if not modes.table.used:
        return False
    out[0] = in_order(modes.heap.key, modes.floating)
    return True


include "frames.pxi"


cdef class _Mode(Kernel):
    """The most frequent value of one column of 64-bit values, of several the smallest; of panes, that of their lists."""

    cdef State modes
    cdef object times        # of a call over panes: how often each value counts
    cdef int64_t lo          # the frame that is folded in, as panes
    cdef int64_t hi

    def __cinit__(self, *, bint evicts=True):
        self.type = pa.int64()
        self.modes.evicts = evicts
        self.modes.table.mask = -1
        resize(&self.modes.table, FEWEST)
        build(&self.modes)

    def __dealloc__(self):
        free(self.modes.table.slots)
        free(self.modes.heap)

    cdef Source source_of(self, object values, int64_t base, int64_t last_start, int64_t last_end):
        return Source(slice_of(values, base, 8), self.modes.floating, NULL, self.left, last_start, last_end)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Source source = self.source_of(values, base, start[n - 1] if n else 0, end[n - 1] if n else 0)
        if self.over_panes:
            source.times = <const int64_t*>slice_of(self.times, base, 8).data
        with nogil:
            return fold_frames(&self.modes, &source, self.modes.evicts, start, end, i, n, out, validity)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame; the lists of panes, one behind the other, are a frame of values again."""
        if not self.over_panes:
            return Kernel.roll(self, values, base, start, end)
        lists, counts = values
        cdef int64_t first = lists.offsets[0].as_py()
        self.modes.lo, self.modes.hi = flat_bounds(lists, base, [self.lo, self.hi])
        if start.shape[0]:
            self.lo, self.hi = start[start.shape[0] - 1], end[start.shape[0] - 1]
        self.times = counts.values.slice(counts.offsets[0].as_py())
        bounds = flat_bounds(lists, base, start), flat_bounds(lists, base, end)
        return Kernel.roll(self, lists.values.slice(first), first, *bounds)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: two list arrays, each pane's distinct values and their counts."""
        cdef int64_t n = start.shape[0], i, mode
        cdef Source source = self.source_of(values, base, start[n - 1] if n else 0, end[n - 1] if n else 0)
        cdef Rows rows = Rows(NULL, 0, 0)
        cdef int64_t[::1] edges = np.zeros(n + 1, np.int64)
        try:
            with nogil:
                for i in range(n):
                    fold_frames(&self.modes, &source, self.modes.evicts, &start[0], &end[0], i, i + 1, &mode - i, NULL)
                    gather(&rows, &self.modes.table)
                    edges[i + 1] = rows.length
            keys, counts = rows_from(rows.words, rows.length, 2).T
        finally:
            free(rows.words)
        if self.modes.floating:
            keys = keys ^ (keys >> 63) & INT64_MAX
        return (
            lists_of(edges.base, keys, np.float64 if self.modes.floating else np.int64),
            lists_of(edges.base, counts, np.int64),
        )

    def state(self):
        """(lo, hi, rows of key and count): what ``restore`` goes on from."""
        rows = rows_of(&self.modes.table)
        if self.over_panes:
            return self.lo, self.hi, rows
        return self.modes.lo, self.modes.hi, rows

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef Py_ssize_t row
        restart(&self.modes)
        self.lo, self.hi, rows = state
        self.modes.lo, self.modes.hi = self.lo, self.hi
        cdef const int64_t* words = memory_of(rows, 2)
        for row in range(len(rows)):
            count_up(&self.modes, words[2 * row], words[2 * row + 1])

    def __sizeof__(self):
        """Bytes, the hash table and the heap included."""
        return sizeof(State) + (self.modes.table.mask + 1) * sizeof(Slot) + self.modes.capacity * sizeof(Entry)

    def _check(self):
        """Assert the invariants."""
        cdef State* modes = &self.modes
        cdef Table* table = &modes.table
        cdef uint64_t slot
        cdef int64_t i
        check_table(table)
        heap = [(-modes.heap[i].count, modes.heap[i].key) for i in range(modes.length)]
        assert all(heap[(i - 1) // 2] <= heap[i] for i in range(1, len(heap)))
        rows = [table.slots[slot] for slot in range(table.mask + 1) if table.slots[slot].count]
        if rows:
            assert heap[0] == min((-row["count"], row["key"]) for row in rows)
        if modes.evicts:
            assert {(-row["bound"], row["key"]) for row in rows} <= set(heap)
            assert all(row["count"] <= row["bound"] for row in rows)


cdef class FloatMode(_Mode):
    """The most frequent value of float64.

    >>> start, end = np.array([0, 0, 0, 1, 5]), np.array([1, 2, 4, 5, 5])
    >>> FloatMode().roll(pa.array([2.5, None, 0.5, 2.5, 0.5]), 0, start, end).to_pylist()
    [2.5, 2.5, 2.5, 0.5, None]
    """

    def __cinit__(self, *, bint evicts=True):
        self.type, self.modes.floating = pa.float64(), True


cdef class IntMode(_Mode):
    """The most frequent value of int64.

    >>> values, start, end = pa.array([3, 3, 2, 2, 2, 1]), np.array([0, 2, 4]), np.array([2, 4, 6])
    >>> panes = IntMode().roll_partials(values, 0, start, end)
    >>> IntMode().of_panes().roll(panes, 0, np.array([0, 0, 1]), np.array([1, 2, 3])).to_pylist()
    [3, 2, 2]
    """


# --- Python objects ------------------------------------------------------------------------------------------

cdef class Held:
    """A value in the frame."""

    cdef object value
    cdef object rank         # key(value)
    cdef int64_t count
    cdef int64_t bound


cdef class Bound:
    """An entry of the heap of Python objects: there are at most so many of this value."""

    cdef Held held
    cdef int64_t count

    def __lt__(self, Bound other):
        if self.count != other.count:
            return self.count > other.count
        one, two = self.held.rank, other.held.rank
        if one is two or one != one:
            return False
        return two != two or one < two


cdef Bound bound_of(Held held):
    cdef Bound bound = Bound.__new__(Bound)
    held.bound = bound.count = held.count
    bound.held = held
    return bound


cdef class ObjectMode(ObjectKernel):
    """The most frequent of hashable Python objects. NULL (None) is not counted.

    Of several the one whose ``key(value)``, or who itself, is the smallest by ``<``; a NaN is the largest. Objects
    that ``<`` does not compare need a key: that is an error, for a tie must not be decided by what has left.

    >>> start, end = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
    >>> ObjectMode().roll([["b", "a", None, "a"]], 0, None, start, end)
    ['b', 'a', 'a', 'a']
    """

    cdef dict held           # by its value
    cdef list heap
    cdef object key

    def __cinit__(self, *, key=None, bint evicts=True):
        self.held, self.heap = {}, []
        self.key = key
        self.evicts = evicts

    cdef int forget(self) except -1:
        self.held.clear()
        self.heap.clear()
        return 0

    cdef int enter(self, object value) except -1:
        return self.enter_often(value, 1)

    cdef int enter_often(self, value, int64_t times) except -1:
        cdef object name = canonical(value)
        cdef Held held = self.held.get(name)
        cdef Bound root
        if held is None:
            held = Held.__new__(Held)
            held.value = name if isinstance(value, float) else value
            held.rank = value if self.key is None else self.key(value)
            self.held[name] = held
        held.count += times
        if held.count <= held.bound:
            return 0
        root = self.heap[0] if self.heap else None
        if root is not None and root.held is held and root.count == held.bound:
            root.count = held.bound = held.count
        elif not self.evicts:
            bound = bound_of(held)
            if root is None or bound < root:
                self.heap = [bound]
        elif len(self.heap) > 4 * len(self.held) + FEWEST:
            self.heap = [bound_of(one) for one in self.held.values()]
            heapify(self.heap)
        else:
            heappush(self.heap, bound_of(held))
        return 0

    cdef int leave(self, object value) except -1:
        cdef object name = canonical(value)
        cdef Held held = self.held[name]
        held.count -= 1
        if held.count == 0:
            del self.held[name]
        return 0

    cdef object mode(self):
        cdef Bound root
        while self.heap:
            root = self.heap[0]
            if root.count == root.held.count:
                return root.held.value
            if root.held.count and root.count == root.held.bound:
                heapreplace(self.heap, bound_of(root.held))
            else:
                heappop(self.heap)
        return None

    cdef int answer(self, object results, Py_ssize_t frame) except -1:
        (<list>results).append(self.mode())
        return 0

    def state(self):
        """(lo, hi, the values, their counts): what :meth:`restore` goes on from."""
        held = self.held.values()
        return self.lo, self.hi, [(<Held>one).value for one in held], [(<Held>one).count for one in held]

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.forget()
        self.lo, self.hi, values, counts = state
        for value, count in zip(values, counts, strict=True):
            self.enter_often(value, count)
