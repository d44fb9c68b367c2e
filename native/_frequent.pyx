# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The frequent items of sliding frames: counting in k hash tables (Jin et al., CIKM 2003; Stream Mill's
example of EXPIRE), which is a count-min sketch (Cormode, Muthukrishnan 2005), and a few candidates.

An item that arrives is counted up in one cell of each table, one that leaves is counted down. All that a cell counts
beside the item itself is too much, so the least of its k cells is the item's estimate::

    table 1   . 5 . . 2 . .        "a" has the cells 5, 7, 3: it is in the frame 3 times or less
    table 2   . . . 7 . . .
    table 3   3 . . . . 4 .

*Estimates.* Never below the truth. Above it by more than eps * n, n being the tuples that count in the frame,
with a probability of at most delta, for each item and frame: width >= e / eps, and the cells of two items are
the same with probability 1 / width (multiply-shift of 128 bits is pairwise independent: Dietzfelbinger 1996), so
the excess of one cell is at most n * eps / e in the mean and beyond eps * n in one of e cases; depth >= ln(1 /
delta) tables are independent. The probability is over the multipliers; these are fixed, so that a result is the
same everywhere.

*Candidates.* No frame is scanned for its frequent items. An item becomes a candidate when at its arrival its estimate
is support * n / 2 or more, and may be pruned only while it is less. When n has fallen below half of its ``peak``, the
greatest n since the candidates were last made, they are made anew of the frame's tuples. So every item with a
count f >= support * n is a candidate. Let t be its last arrival, and u any moment from t (or from the making, if
that came later) until now. All of its tuples that are in the frame now were so at u, as tuples leave in the order in
which they came: its estimate was f at least. And n at u was at most the peak, so 2 * n now:
f >= support * n >= support * (n at u) / 2. It was taken in, and never pruned. A frame that begins afresh (start >= hi)
begins with no tuple, no candidate and peak 0.
A product support * n that is an integer but for rounding is that integer: 7 of 100 have a support of 0.07.
An item with a count below support * n is shown if it is a candidate and its *estimate* is support * n or more; whether
it is one may depend on what slid before. Its estimate does not: the tables are linear in the frame's tuples. So what
is shown although it is rarer than (support - eps) * n is an error that delta bounds.

Cost: O(k) per tuple, amortised, and O(k) for each item of a result and for the candidates close to it. Making
anew: n tuples, after more than n have left. Space: k * width counters of 8 bytes, width < 2 * e / eps; not more
than max(4 / support + 64, twice those of estimate >= support * n / 2) candidates: if eps <= support / 4 at most
4 / support of those are not errors beyond eps * n. Tuples that leave, and the frame when candidates are made
anew, are read again; with ``evicts=False``, where tuples leave a frame all at once or not at all, they need not
be there.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. NULL is not counted. An empty frame has an
empty list.
"""

from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np
import pyarrow as pa

from inwindow.native.kernel cimport Slice, is_seen, no_eviction, slice_of
from inwindow.native.objects cimport ObjectKernel
from inwindow.native.ranked cimport one_nan_one_zero, ranked

include "sketch.pxi"

import math
from hashlib import blake2b

# A column of numbers, by type. A key is an int64 that ranks as the value does.
cdef struct Ints:
    Slice slice
cdef struct Floats:
    Slice slice
ctypedef fused Column:
    Ints
    Floats

# The items of all frames so far.
cdef struct Found:
    Item* items
    int64_t length
    int64_t capacity


cdef inline int64_t key_at(const Column* column, int64_t position) noexcept nogil:
    cdef int64_t word = (<const int64_t*>column.slice.data)[position]
    if Column is Floats:
        return ranked(one_nan_one_zero(word))
    else:
        return word


cdef int slide(
    Sketch* sketch, const Column* column, bint evicts, int64_t start, int64_t end
) except -1 nogil:
    """Go on to the frame [start, end)."""
    cdef int64_t position, key
    if start >= sketch.hi:
        begin(sketch, start)
    elif start > sketch.lo and not evicts:
        no_eviction(sketch.lo, start)
    for position in range(sketch.lo, start):
        if is_seen(&column.slice, position):
            leave(sketch, key_at(column, position))
    for position in range(sketch.hi, end):
        if is_seen(&column.slice, position):
            arrive(sketch, key_at(column, position))
    sketch.lo, sketch.hi = start, max(sketch.hi, end)
    if 2 * sketch.n < sketch.peak:
        forget_candidates(sketch)
        for position in range(sketch.lo, sketch.hi):
            if is_seen(&column.slice, position):
                key = key_at(column, position)
                consider(sketch, key, estimate(sketch, key, 0.5 * sketch.support * sketch.n))
    return 0


cdef int gather(Found* found, const Item* items, int64_t length) except -1 nogil:
    cdef int64_t capacity
    cdef Item* larger
    if found.length + length > found.capacity:
        capacity = max(1024, 2 * (found.length + length))
        larger = <Item*>realloc(found.items, capacity * sizeof(Item))
        if larger == NULL:
            with gil:
                raise MemoryError(f"no room for {capacity} frequent items")
        found.items, found.capacity = larger, capacity
    if length:
        memcpy(found.items + found.length, items, length * sizeof(Item))
    found.length += length
    return 0


cdef int fold(
    Sketch* sketch, const Column* column, bint evicts, const int64_t* start, const int64_t* end, Py_ssize_t frames,
    Found* found, int64_t* offsets,
) except -1 nogil:
    cdef Py_ssize_t frame
    for frame in range(frames):
        slide(sketch, column, evicts, start[frame], end[frame])
        gather(found, sketch.candidates, frequent(sketch))
        offsets[frame + 1] = found.length
    return 0


cdef lists_of(offsets, items, counts):
    """Lists of struct<item, count>."""
    fields = [pa.field("item", items.type), pa.field("count", pa.int64())]
    structs = pa.StructArray.from_arrays([items, counts], fields=fields)
    type = pa.list_(pa.field("element", structs.type))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs, type=type)


cdef class _Frequent:
    """What the kernels of all types have in common: the sketch, made for ``support``, ``eps`` and ``delta``."""

    cdef Sketch sketch
    cdef bint evicts

    def __cinit__(self, double support, double eps, double delta, *arguments, bint evicts=True):
        cdef Sketch* sketch = &self.sketch
        cdef int64_t row
        if not 0 < eps < support <= 1:
            raise ValueError(f"support={support!r}, eps={eps!r}: 0 < eps < support <= 1, or every item may be frequent")
        if not 0 < delta < 1:
            raise ValueError(f"delta={delta!r}: a probability of errors is between 0 and 1")
        self.evicts = evicts
        bits = max(math.ceil(math.log2(math.e) - math.log2(eps)), 2)
        sketch.depth = max(math.ceil(-math.log(delta)), 1)
        if bits > 36 or sketch.depth > DEEPEST:
            raise ValueError(f"eps={eps!r}, delta={delta!r}: the tables would be too large")
        sketch.width = 1LL << <int>bits
        sketch.shift = 64 - <int>bits
        sketch.support = support * (1 - 1e-15)
        draw = iter(np.frombuffer(b"".join([blake2b(b"%d" % row).digest() for row in range(DEEPEST)]), "<u8").tolist())
        for row in range(DEEPEST):
            sketch.rows[row] = multiplier_of(next(draw), next(draw), next(draw), next(draw))
        sketch.counters = <int64_t*>calloc(sketch.depth * sketch.width, sizeof(int64_t))
        sketch.journal = <int64_t*>calloc(sketch.width // 4 + 1, sizeof(int64_t))
        if sketch.counters == NULL or sketch.journal == NULL:
            raise MemoryError(f"no room for {sketch.depth} tables of {sketch.width} counters")
        sketch.mask = -1
        sketch.limit = sketch.least_limit = min(math.ceil(4 / support) + 64, 2**40)
        index_candidates(sketch)

    def __dealloc__(self):
        free(self.sketch.counters)
        free(self.sketch.journal)
        free(self.sketch.candidates)
        free(self.sketch.slots)

    def _state(self):
        cdef Sketch* sketch = &self.sketch
        cdef int64_t size = sketch.depth * sketch.width
        counters = np.empty(size, np.int64)
        cdef int64_t[::1] words = counters
        memcpy(&words[0], sketch.counters, size * sizeof(int64_t))
        cells = np.flatnonzero(counters)
        candidates = np.array([sketch.candidates[index].key for index in range(sketch.used)], np.int64)
        if 2 * len(cells) < size:
            counters = counters[cells]
        else:
            cells = None
        numbers = sketch.lo, sketch.hi, sketch.n, sketch.peak, sketch.limit, sketch.close, sketch.patience
        return numbers, cells, counters, candidates

    def _restore(self, state):
        cdef Sketch* sketch = &self.sketch
        cdef int64_t size = sketch.depth * sketch.width, index
        cdef const int64_t[::1] words
        numbers, cells, counters, candidates = state
        sketch.lo, sketch.hi, sketch.n, sketch.peak, sketch.limit, close, sketch.patience = numbers
        if cells is not None:
            dense = np.zeros(size, np.int64)
            dense[cells] = counters
            counters = dense
        words = counters
        memcpy(sketch.counters, &words[0], size * sizeof(int64_t))
        sketch.journaled = sketch.width
        sketch.used = 0
        index_candidates(sketch)
        for index in range(len(candidates)):
            sketch.candidates[index] = Item(candidates[index], 0)
        sketch.used, sketch.close = len(candidates), close
        index_candidates(sketch)

    def __len__(self):
        """How many candidates there are."""
        return self.sketch.used

    def __sizeof__(self):
        """Bytes, the tables and the candidates included."""
        cdef Sketch* sketch = &self.sketch
        return (
            sizeof(Sketch) + (sketch.depth * sketch.width + sketch.width // 4 + 1) * sizeof(int64_t)
            + (sketch.limit + 1) * sizeof(Item) + (sketch.mask + 1) * sizeof(Slot)
        )


cdef class _FrequentNumbers(_Frequent):
    """The frequent ones of one column of 64-bit values."""

    cdef bint floating

    cdef Found fold(
        self, values, int64_t base, const int64_t* start, const int64_t* end, Py_ssize_t frames, int64_t* offsets
    ) except *:
        cdef Slice column = slice_of(values, base, sizeof(int64_t))
        cdef Ints ints = Ints(column)
        cdef Floats floats = Floats(column)
        cdef Found found = Found(NULL, 0, 0)
        try:
            with nogil:
                if self.floating:
                    fold(&self.sketch, &floats, self.evicts, start, end, frames, &found, offsets)
                else:
                    fold(&self.sketch, &ints, self.evicts, start, end, frames, &found, offsets)
        except BaseException:
            free(found.items)
            raise
        return found

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """For each frame [start, end) a list of its frequent items and their counts, the most frequent first."""
        cdef Py_ssize_t frames = start.shape[0]
        offsets = np.zeros(frames + 1, np.int64)
        cdef Found found = self.fold(
            values, base, &start[0], &end[0], frames, <int64_t*><uintptr_t>offsets.ctypes.data
        )
        cdef int64_t[:, ::1] columns
        cdef int64_t index, word
        try:
            columns = np.empty((2, found.length), np.int64)
            for index in range(found.length):
                word = found.items[index].key
                columns[0, index] = ranked(word) if self.floating else word
                columns[1, index] = found.items[index].count
        finally:
            free(found.items)
        items, counts = columns.base
        return lists_of(offsets, pa.array(items.view(np.float64) if self.floating else items), pa.array(counts))

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        cdef Slice column = slice_of(values, base, sizeof(int64_t))
        cdef Ints ints = Ints(column)
        cdef Floats floats = Floats(column)
        with nogil:
            if self.floating:
                slide(&self.sketch, &floats, self.evicts, start, end)
            else:
                slide(&self.sketch, &ints, self.evicts, start, end)

    def estimates(self, values):
        """The estimate of the count of each of an Arrow array's values, in the frame that was folded in last."""
        cdef Slice column = slice_of(values, 0, sizeof(int64_t))
        cdef Ints ints = Ints(column)
        cdef Floats floats = Floats(column)
        cdef int64_t[::1] out = np.empty(len(values), np.int64)
        cdef Py_ssize_t index
        for index in range(out.shape[0]):
            out[index] = estimate(&self.sketch, key_at(&floats, index) if self.floating else key_at(&ints, index), 0)
        return out.base

    def state(self):
        """Numbers, the cells that are not 0 (None: any may be), their counters, and the candidates."""
        return self._state()

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self._restore(state)


cdef class FloatFrequent(_FrequentNumbers):
    """The frequent items of float64."""

    def __cinit__(self, double support, double eps, double delta, *, bint evicts=True):
        self.floating = True


cdef class IntFrequent(_FrequentNumbers):
    """The frequent items of int64.

    >>> start, end = np.array([0, 1]), np.array([4, 5])
    >>> IntFrequent(0.5, 0.05, 0.01).roll(pa.array([7, 8, None, 7, 8]), 0, start, end).to_pylist()
    [[{'item': 7, 'count': 2}], [{'item': 8, 'count': 2}]]
    """

    def __cinit__(self, double support, double eps, double delta, *, bint evicts=True):
        self.floating = False


include "frequent_objects.pxi"
