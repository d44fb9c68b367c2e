# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""At which position the extreme of each sliding frame is, over anything that can be ordered: the monotone deque.

As in ``_extremes``: a tuple with another behind it that is as extreme can never be the extreme again. So the deque
keeps only those with nothing as extreme behind them, and its head is the extreme; of equal tuples the latest stays::

    frame, max     pear fig plum plum        deque, head first: plum (the second)
    add kiwi       pear fig plum plum kiwi   nothing here is beaten: plum kiwi
    evict          kiwi                      plum has left: kiwi

An entry is a position and a *key* of 64 bits, which ranks as the value does as far as it goes (an abbreviated key:
the first 8 bytes of a text, big-endian; a 128-bit integer clamped to 64). Only where two keys are equal are the values
themselves read again, from the held array; of doubles and int64 the key is the whole value, and nothing is.

Invariant: from head to tail positions ascend, and each value is strictly more extreme than all between it and hi; the
head's is the extreme of [lo, hi). All positions in the deque are >= lo, and so are held.
Cost: amortised O(1) comparisons a tuple; O(log w) entries in the mean on random data, w at most.

The order is Spark's: NaN is the largest double and equal to NaN, -0.0 is equal to 0.0; texts are compared as unsigned
bytes, the shorter first where one begins the other (UTF8_BINARY).
"""

from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free

import numpy as np
import pyarrow as pa

from inwindow.native.abbreviated cimport Column, Doubles, LargeTexts, Longs, Texts, Wides, compared, key_at
from inwindow.native.deque cimport Deque, Entry, frozen, make_room, thaw
from inwindow.native.kernel cimport Kernel, counting, is_seen, set_null, slice_of


cdef inline bint stays(
    const Column* column, const Entry* entry, int64_t key, int64_t position, int64_t flip
) noexcept nogil:
    """Whether the entry is more extreme than the tuple that has come. Keys are those of a minimum: flipped."""
    cdef int order
    if entry.key != key:
        return entry.key < key
    if Column is Longs or Column is Doubles:
        return False
    else:
        order = compared(column, entry.position, position)
        return order > 0 if flip else order < 0


cdef Py_ssize_t fold(
    Deque* deque, const Column* column, const uint8_t* counts, int64_t flip, const int64_t* start,
    const int64_t* end, Py_ssize_t frame, Py_ssize_t frames, int64_t* out, uint8_t* valid,
) except -1 nogil:
    """Fold the frames from ``frame`` on; stop at the first NULL if there is no bitmap ``valid`` to note it.

    The tuple at a position counts if its byte in ``counts`` is not 0, and it is not NULL.
    """
    cdef Entry* entries = deque.entries
    cdef int64_t head = deque.head, tail = deque.tail, capacity = deque.capacity, hi = deque.hi
    cdef int64_t position, key
    while frame < frames:
        if start[frame] >= hi:
            head = tail = 0
            hi = start[frame]
        else:
            while head < tail and entries[head].position < start[frame]:
                head += 1

        for position in range(hi, end[frame]):
            if not is_seen(&column.slice, position) or counts != NULL and not counts[position]:
                continue
            key = key_at(column, position) ^ flip
            while head < tail and not stays(column, &entries[tail - 1], key, position, flip):
                tail -= 1
            if tail == capacity:
                deque.head, deque.tail = head, tail
                make_room(deque, 256)
                entries, head, tail, capacity = deque.entries, deque.head, deque.tail, deque.capacity
            entries[tail] = Entry(key, position)
            tail += 1
        hi = end[frame]
        deque.lo = start[frame]

        if head < tail:
            out[frame] = entries[head].position
        elif valid != NULL:
            out[frame] = 0
            set_null(valid, frame)
        else:
            break
        frame += 1
    deque.head, deque.tail, deque.hi = head, tail, hi
    return frame


cdef int64_t flip_of(str op) except 1:
    """What makes a maximum of a minimum: the complements of its keys."""
    if op not in ("min", "max"):
        raise ValueError(f"op={op!r}: an extreme is 'min' or 'max'")
    return -1 if op == "max" else 0


cdef class ExtremeAt(Kernel):
    """The position of the minimum or maximum (``op`` is "min" or "max"): of equal ones the latest.

    The values are int64 or what has 64 bits of the same order (timestamps, durations, times), double, decimal128,
    (large) string or (large) binary. ``seen`` may name the tuples that count, by a byte for each that is not 0. Of
    values of 64 bits the ones before hi need not be held.

    >>> values, start, end = pa.array(["b", "a", None, "b"]), np.array([0, 0, 0, 2]), np.array([1, 2, 4, 4])
    >>> ExtremeAt("max").roll(values, 0, start, end).to_pylist()
    [0, 0, 3, 3]
    >>> ExtremeAt("max").roll(values, 0, start, end, np.array([0, 1, 1, 0], np.uint8)).to_pylist()
    [None, 1, 1, None]
    """

    cdef Deque deque
    cdef const uint8_t* counts   # of the call: which tuples do
    cdef int64_t flip

    def __cinit__(self, str op):
        self.type, self.flip = pa.int64(), flip_of(op)

    def __dealloc__(self):
        free(self.deque.entries)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        type = values.type
        cdef Doubles doubles
        cdef Longs longs
        cdef Wides wides
        cdef Texts texts
        cdef LargeTexts large
        cdef const char* chars
        cdef int64_t size
        if pa.types.is_float64(type):
            doubles = Doubles(slice_of(values, base, 8))
            with nogil:
                return fold(&self.deque, &doubles, self.counts, self.flip, start, end, i, n, out, validity)
        if pa.types.is_int64(type) or pa.types.is_temporal(type) and type.bit_width == 64:
            longs = Longs(slice_of(values, base, 8))
            with nogil:
                return fold(&self.deque, &longs, self.counts, self.flip, start, end, i, n, out, validity)
        if pa.types.is_decimal128(type):
            wides = Wides(slice_of(values, base, 16))
            with nogil:
                return fold(&self.deque, &wides, self.counts, self.flip, start, end, i, n, out, validity)
        if not is_text(type):
            raise TypeError(f"there is no kernel that orders {type}")
        data = values.buffers()[2]
        chars = <const char*><uintptr_t>(0 if data is None else data.address)
        size = 0 if data is None else data.size
        if type.id in (pa.string().id, pa.binary().id):
            texts = Texts(slice_of(values, base, 4), chars, chars + size)
            with nogil:
                return fold(&self.deque, &texts, self.counts, self.flip, start, end, i, n, out, validity)
        large = LargeTexts(slice_of(values, base, 8), chars, chars + size)
        with nogil:
            return fold(&self.deque, &large, self.counts, self.flip, start, end, i, n, out, validity)

    def roll(
        self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end, const uint8_t[::1] seen=None
    ):
        """The position of the extreme of each frame [start, end): NULL where no tuple counts."""
        self.counts = counting(seen, base)
        return Kernel.roll(self, values, base, start, end)

    def absorb(self, values, int64_t base, int64_t start, int64_t end, const uint8_t[::1] seen=None):
        """Fold the frame [start, end) in without a result."""
        self.counts = counting(seen, base)
        Kernel.absorb(self, values, base, start, end)

    def state(self):
        """(lo, hi, the deque as rows of key and position): what :meth:`restore` goes on from."""
        return frozen(&self.deque)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        thaw(&self.deque, state)

    @property
    def hi(self):
        """The end of the frame that is folded in."""
        return self.deque.hi


cdef bint is_text(type) except -1:
    return type.id in (pa.string().id, pa.binary().id, pa.large_string().id, pa.large_binary().id)


# --- Python objects ------------------------------------------------------------------------------------------


cdef class ObjectExtremeAt:
    """As :class:`ExtremeAt`, over a list of Python objects that ``<`` orders; None is NULL.

    Its keys are the objects themselves: none is read again. What a comparison raises leaves the kernel at the tuple
    before: the frame can be rolled again.

    >>> start, end = np.array([0, 0, 0, 2]), np.array([1, 2, 4, 4])
    >>> ObjectExtremeAt("min").roll([(2, 1), (1, 2), None, (1, 2)], 0, start, end).to_pylist()
    [0, 1, 3, 3]
    """

    cdef bint largest
    cdef list keys
    cdef list positions
    cdef Py_ssize_t head     # keys[head:], at positions[head:], are the deque
    cdef int64_t lo
    cdef readonly int64_t hi

    def __cinit__(self, str op):
        self.largest = flip_of(op) != 0
        self.keys, self.positions = [], []

    cdef int push(self, key, int64_t position) except -1:
        cdef Py_ssize_t tail = len(self.keys)
        while tail > self.head:
            if (key < self.keys[tail - 1]) if self.largest else (self.keys[tail - 1] < key):
                break
            tail -= 1
        del self.keys[tail:], self.positions[tail:]
        self.keys.append(key)
        self.positions.append(position)
        return 0

    cdef int fold(self, list values, int64_t base, const uint8_t* counts, int64_t start, int64_t end) except -1:
        cdef int64_t position
        cdef Py_ssize_t entries = len(self.keys)
        if start >= self.hi:
            self.head = entries
            self.hi = start
        while self.head < entries and <int64_t>self.positions[self.head] < start:
            self.head += 1
        if 2 * self.head >= entries:
            del self.keys[: self.head], self.positions[: self.head]
            self.head = 0
        self.lo = start
        for position in range(self.hi, end):
            key = values[position - base]
            if key is not None and (counts == NULL or counts[position]):
                self.push(key, position)
            self.hi = position + 1
        self.hi = end
        return 0

    def roll(
        self, list values, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
        const uint8_t[::1] seen=None,
    ):
        """The position of the extreme of each frame [start, end): NULL where no tuple counts."""
        cdef Py_ssize_t frames = start.shape[0], frame
        cdef const uint8_t* counts = counting(seen, base)
        cdef list found = []
        for frame in range(frames):
            self.fold(values, base, counts, start[frame], end[frame])
            found.append(self.positions[self.head] if self.head < len(self.keys) else None)
        return pa.array(found, pa.int64())

    def absorb(self, list values, int64_t base, int64_t start, int64_t end, const uint8_t[::1] seen=None):
        """Fold the frame [start, end) in without a result."""
        self.fold(values, base, counting(seen, base), start, end)

    def state(self):
        """(lo, hi, the deque's keys, its positions): what :meth:`restore` goes on from."""
        return self.lo, self.hi, self.keys[self.head :], self.positions[self.head :]

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.lo, self.hi, keys, positions = state
        self.keys, self.positions, self.head = list(keys), list(positions), 0
