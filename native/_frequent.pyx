# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The frequent items of sliding frames: counting in k hash tables (Jin et al., CIKM 2003; Stream Mill's
example of EXPIRE), which is a count-min sketch (Cormode, Muthukrishnan 2005), and a few candidates.

An item that arrives is counted up in one cell of each table, one that leaves is counted down. All that a cell counts
beside the item itself is too much, so the least of its k cells is the item's estimate::

    table 1   . 5 . . 2 . .        "a" has the cells 5, 7, 3: it is in the frame 3 times or less
    table 2   . . . 7 . . .
    table 3   3 . . . . 4 .

sketch.pxd says what an estimate promises, and why no frequent item is missing.

Cost: O(k) per tuple, amortised, and O(k) for each item of a result and for the candidates close to it. Making
anew: n tuples, after more than n have left. Space: k * width counters of 8 bytes, width < 2 * e / eps; not more
than max(4 / support + 64, twice those of estimate >= support * n / 2) candidates: if eps <= support / 4 at most
4 / support of those are not errors beyond eps * n. Tuples that leave, and the frame when candidates are made
anew, are read again; with ``evicts=False``, where tuples leave a frame all at once or not at all, they need not
be there.

Equal is what Spark takes for equal: any two NaN, and -0.0 and 0.0. NULL is not counted. An empty frame has an
empty list.
"""

import math
from datetime import datetime, timezone
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b

from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np
import pyarrow as pa

from inwindow.native.kernel import space

from inwindow.native.kernel cimport Slice, is_seen, no_eviction, slice_of
from inwindow.native.objects cimport ObjectKernel
from inwindow.native.doubles cimport one_nan_one_zero, ranked
from inwindow.native.sketch cimport (
    DEEPEST, Item, Sketch, Slot, arrive, begin, consider, estimate, forget_candidates, frequent, index_candidates, leave,
    multiplier_of,
)

cdef struct Column:
    Slice slice
    bint floating            # a key is an int64 that ranks as the value does


# The items of all frames so far.
cdef struct Found:
    Item* items
    int64_t length
    int64_t capacity


cdef inline int64_t key_at(const Column* column, int64_t position) noexcept nogil:
    cdef int64_t word = (<const int64_t*>column.slice.data)[position]
    return ranked(one_nan_one_zero(word)) if column.floating else word


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
    structs = pa.StructArray.from_arrays([items, counts], names=["item", "count"])
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

    def state(self):
        """Numbers, the cells that are not 0 (None: any may be), their counters, and the candidates."""
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

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
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
        cdef Column column = Column(slice_of(values, base, 8), self.floating)
        cdef Found found = Found(NULL, 0, 0)
        try:
            with nogil:
                fold(&self.sketch, &column, self.evicts, start, end, frames, &found, offsets)
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
            columns = space(2 * found.length, np.int64).reshape(2, -1)
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
        cdef Column column = Column(slice_of(values, base, 8), self.floating)
        with nogil:
            slide(&self.sketch, &column, self.evicts, start, end)

    def estimates(self, values):
        """Of each of an Arrow array's values, in the frame that was folded in last."""
        cdef Column column = Column(slice_of(values, 0, 8), self.floating)
        cdef int64_t index
        return np.array([estimate(&self.sketch, key_at(&column, index), 0) for index in range(len(values))], np.int64)


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


# --- Python objects, by their digests -------------------------------------------------------------------------


cdef bytes text_of(value):
    """The same for values that are equal, different for others, and the same in every process."""
    cdef list parts
    if isinstance(value, str):
        return b"s" + (<str>value).encode("utf-8", "surrogatepass")
    if isinstance(value, (bytes, bytearray)):
        return b"b" + bytes(value)
    if isinstance(value, (int, float, Decimal, Fraction)):
        if value != value:
            return b"nan"
        if value in (math.inf, -math.inf):
            return b"inf" if value > 0 else b"-inf"
        return b"n%x/%x" % value.as_integer_ratio()
    if isinstance(value, (tuple, list)):
        parts = [text_of(part) for part in value]
        return b"t" + b"".join([b"%d:%b" % (len(part), part) for part in parts])
    if isinstance(value, datetime) and value.tzinfo is not None:
        return b"z" + repr(value.astimezone(timezone.utc).replace(tzinfo=None, fold=0)).encode()
    return b"r" + repr(value).encode("utf-8", "surrogatepass")


cdef int64_t digest_of(value) except? -1:
    return int.from_bytes(blake2b(text_of(value), digest_size=8).digest(), "little", signed=True)


cdef class ObjectFrequent(ObjectKernel):
    """The frequent ones of hashable Python objects, of the Arrow type ``type``. None is not counted.

    What is counted is a digest of 64 bits. Two items of D have the same one with a probability below D * D /
    2**65; then they count as one.

    >>> start, end = np.array([0, 1]), np.array([4, 5])
    >>> ObjectFrequent(0.5, 0.05, 0.01, pa.string()).roll([["a", "b", None, "a", "b"]], 0, None, start, end).to_pylist()
    [[{'item': 'a', 'count': 2}], [{'item': 'b', 'count': 2}]]
    """

    cdef _Frequent frequent
    cdef dict objects        # of the candidates, by digest; also of some that were pruned
    cdef object type

    def __cinit__(self, double support, double eps, double delta, type, *, bint evicts=True):
        self.frequent = _Frequent(support, eps, delta)
        self.objects, self.type, self.evicts = {}, type, evicts

    cdef int forget(self) except -1:
        begin(&self.frequent.sketch, self.lo)
        self.objects.clear()
        return 0

    cdef int enter(self, object value) except -1:
        cdef int64_t digest = digest_of(value)
        return self.remember(digest, value) if arrive(&self.frequent.sketch, digest) else 0

    cdef int leave(self, object value) except -1:
        leave(&self.frequent.sketch, digest_of(value))
        return 0

    cdef int settle(self, list columns, int64_t base, const uint8_t* seen) except -1:
        cdef Sketch* sketch = &self.frequent.sketch
        cdef int64_t position, digest
        sketch.lo, sketch.hi = self.lo, self.hi
        if 2 * sketch.n >= sketch.peak:
            return 0
        forget_candidates(sketch)
        self.objects.clear()
        for position in range(self.lo, self.hi):
            value = (<list>columns[0])[position - base]
            if value is not None and (seen == NULL or seen[position]):
                digest = digest_of(value)
                if consider(sketch, digest, estimate(sketch, digest, 0)):
                    self.remember(digest, value)
        return 0

    cdef int remember(self, int64_t digest, value) except -1:
        """Keep the object of a candidate; now and then forget those of items that are none any more."""
        cdef Sketch* sketch = &self.frequent.sketch
        self.objects.setdefault(digest, value)
        if len(self.objects) > 2 * (sketch.limit + 1):
            self.objects = {sketch.candidates[index].key: self.objects[sketch.candidates[index].key]
                            for index in range(sketch.used)}
        return 0

    cdef object room(self, Py_ssize_t frames):
        """Items, their counts, and where each frame's begin; apart, as tuples of both are looked through by the garbage collector."""
        return [], [], [0]

    cdef int answer(self, object results, Py_ssize_t frame) except -1:
        """The frequent items and their counts, the most frequent first."""
        cdef Sketch* sketch = &self.frequent.sketch
        cdef int64_t index
        found = [(-sketch.candidates[index].count, self.objects[sketch.candidates[index].key])
                 for index in range(frequent(sketch))]
        try:
            found.sort()
        except TypeError:                    # of items that have no order
            found.sort(key=lambda row: (row[0], text_of(row[1])))
        items, counts, offsets = results
        items += [item for _, item in found]
        counts += [-count for count, _ in found]
        offsets.append(len(items))
        return 0

    def column(self, results):
        """Lists of struct<item, count>."""
        items, counts, offsets = results
        return lists_of(offsets, pa.array(items, self.type), pa.array(counts, pa.int64()))

    def __len__(self):
        """How many candidates there are."""
        return len(self.frequent)

    def __sizeof__(self):
        """Bytes, the tables and the candidates included."""
        return self.frequent.__sizeof__()

    def state(self):
        """The state of the sketch, and the candidates' objects."""
        return self.frequent.state(), dict(self.objects)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        sketch, objects = state
        self.frequent.restore(sketch)
        self.lo, self.hi = self.frequent.sketch.lo, self.frequent.sketch.hi
        self.objects = dict(objects)
