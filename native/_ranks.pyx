# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Exact quantiles over sliding frames: a sorted core between unsorted piles.

Only the tuples around the wanted rank, the *core*, are kept sorted. All others lie in *piles*: disjoint
ranges of the order, unsorted, each about as large as everything between it and the core, so there are O(log
w) of them::

    rank  0                                           wanted                                  n-1
          [      pile     ][  pile  ][pile]   < < <  core  < < <   [pile][  pile  ][      pile     ]
           farthest             nearest                              nearest            farthest

A new tuple goes onto its pile. A tuple that leaves is counted off its side; its entry stays, *stale*, until
that pile is looked through for another reason. When the wanted rank walks out of the core, the nearest BLOCK
of that side is parted from its pile as quicksort would do it, sorted, and *pulled* into the core; what the
core then has too much at its other end is *shed* there as a new pile. These are two quickheaps (Navarro and
Paredes, "On sorting, heaps, and minimum spanning trees", 2010) back to back, growing by whole blocks.

The order is that of (key, position): all entries differ, and ties are no special case. The key of an integer
is itself, that of a double the int64 that ranks as it does in Spark: every NaN is the largest, -0.0 is right
below 0.0. The low side is kept turned around, by the complements of keys and positions: on both sides "greater"
means "farther", and one form of the code serves both. The piles and what is done to them are in piles.pxd.

Invariants: _Quantile._check() asserts them.
Cost: amortised O(log w) per tuple for any data and frames, in the mean over random pivots (one step may cost
O(w)). Without a trend in the data the wanted rank is a random walk that seldom leaves the core, and a tuple
costs O(1).
Memory: 65 bits per position of the frame, 16 to 64 bytes per counted tuple.
"""

from libc.math cimport ceil, isfinite
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memcpy

import numpy as np
import pyarrow as pa

from inwindow.native.core cimport (
    HIGH, LOW, MISSING, RING, Ranks, add, clear, count_of, evict, is_counted, remember, replace, seek, sink,
)
from inwindow.native.piles cimport FULL, Entry, Pile, Side
from inwindow.native.kernel cimport Kernel, Slice, column_of, is_seen, set_null, slice_of
from inwindow.native.doubles cimport one_nan, ranked

cdef inline int64_t key_at(const Slice* column, int64_t position, bint floating) noexcept nogil:
    cdef int64_t word = (<const int64_t*>column.data)[position]
    return ranked(one_nan(word)) if floating else word


cdef inline int64_t word_of(int64_t key, bint floating) noexcept nogil:
    """The value's bits again."""
    return ranked(key) if floating else key


cdef inline int64_t between(int64_t lower, int64_t upper, double rest) noexcept nogil:
    """The bits of the double that is ``rest`` of the way from one key's double to the other's."""
    cdef double low, high
    cdef int64_t word
    lower, upper = ranked(lower), ranked(upper)
    memcpy(&low, &lower, sizeof(double))
    memcpy(&high, &upper, sizeof(double))
    # As Spark computes it; but an infinity, or a difference beyond all doubles, is no reason for NaN.
    low = low + (high - low) * rest if isfinite(high - low) else (1 - rest) * low + rest * high
    memcpy(&word, &low, sizeof(double))
    return word


cdef inline int64_t wanted_of(const Ranks* ranks, int64_t count, double* rest) noexcept nogil:
    """The wanted rank, and how much of the way to the next rank is to be gone (0: none)."""
    cdef double exact
    if not ranks.interpolates:
        rest[0] = 0
        return max(<int64_t>ceil(ranks.p * count) - 1, 0)
    exact = ranks.p * (count - 1)
    rest[0] = exact - <int64_t>exact
    return <int64_t>exact


cdef int move(Ranks* ranks, const Slice* column, const int64_t* left, int64_t start, int64_t end) except -1 nogil:
    """Go on to a frame whose tuples leave in any order: an entry's position is its number in that order."""
    cdef Entry new
    if start >= ranks.hi:
        clear(ranks, start)
    while ranks.lo < start:
        ranks.lo += 1
        if is_seen(column, left[ranks.lo - 1]):
            evict(ranks, Entry(key_at(column, left[ranks.lo - 1], ranks.floating), ranks.lo - 1))
    while ranks.hi < end:
        if is_seen(column, ranks.hi):
            new = Entry(key_at(column, ranks.hi, ranks.floating), ranks.rank[ranks.hi])
            add(ranks, new)
            sink(ranks, new)
        ranks.hi += 1
    return 0


ctypedef int (*Move)(Ranks*, const Slice*, const int64_t*, int64_t, int64_t) except -1 nogil
cdef Move apart = move       # by a pointer it is not inlined into `fold`, whose loop it would slow down by 5 % in small frames


cdef Py_ssize_t fold(
    Ranks* ranks, const Slice* column, const int64_t* start, const int64_t* end, Py_ssize_t frame,
    Py_ssize_t frames, int64_t* out, uint8_t* valid,
) except -1 nogil:
    """Fold the frames from ``frame`` on; stop at the first NULL if there is no bitmap ``valid`` to note it."""
    cdef Entry old, new
    cdef int64_t count, counted = 0, rank = 0, at
    cdef double rest = 0
    cdef bint leaves, comes, floating = ranks.floating
    while frame < frames:
        if start[frame] >= ranks.hi:
            clear(ranks, start[frame])

        # In most frames one tuple leaves and one comes: the last and the first of them change in one step.
        leaves = False
        while ranks.lo < start[frame]:
            if leaves:
                evict(ranks, old)
            old = Entry(ranks.ring[ranks.lo & ranks.mask], ranks.lo)
            leaves = is_counted(ranks, ranks.lo)
            ranks.lo += 1
        while ranks.hi < end[frame]:
            comes = is_seen(column, ranks.hi)
            new = Entry(key_at(column, ranks.hi, floating) if comes else MISSING, ranks.hi)
            remember(ranks, new.key, comes)
            if leaves and comes:
                replace(ranks, old, new)
                leaves = False
            elif comes:
                add(ranks, new)
            ranks.hi += 1
        if leaves:
            evict(ranks, old)

        count = count_of(ranks)
        if count:
            if count != counted:
                counted = count
                rank = wanted_of(ranks, count, &rest)
            seek(ranks, rank, rank + (rest > 0))
            at = rank - ranks.sides[LOW].live
            if rest > 0 and ranks.core[at].key != ranks.core[at + 1].key:
                out[frame] = between(ranks.core[at].key, ranks.core[at + 1].key, rest)
            else:
                out[frame] = word_of(ranks.core[at].key, floating)
        elif valid != NULL:
            out[frame] = 0
            set_null(valid, frame)
        else:
            break
        frame += 1
    return frame


cdef class _Quantile(Kernel):
    """The exact quantile ``p`` (0.5: the median) of one column of 64-bit values. NULL is skipped."""

    cdef Ranks ranks

    def __cinit__(self, double p):
        if not 0 <= p <= 1:
            raise ValueError(f"p={p!r}: a quantile is between 0 and 1; the median is 0.5")
        self.type = pa.float64()
        self.ranks.floating = True
        self.ranks.p = p
        self.ranks.mask = -1
        self.ranks.sides[LOW].mirror = -1
        clear(&self.ranks, 0)

    def __dealloc__(self):
        clear(&self.ranks, 0)
        free(self.ranks.ring)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Slice column = slice_of(values, base, 8)
        cdef int64_t last = n
        with nogil:     # the loop of `fold` knows nothing of sweeps: it goes on from a frame that `move` has gone to
            while i < n:
                if self.left != NULL:
                    apart(&self.ranks, &column, self.left, start[i], end[i])
                    last = i + 1
                i = fold(&self.ranks, &column, start, end, i, last, out, validity)
                if i < last:
                    break
        return i

    def sweep(self, values, const int64_t[::1] left, const int64_t[::1] start, const int64_t[::1] end):
        """As ``roll``, but frame i holds the positions before end[i] without left[: start[i]], which have been in a frame before.

        ``left`` has each position once.
        """
        numbers = np.empty(left.shape[0], np.int64)
        numbers[np.asarray(left)] = np.arange(left.shape[0])
        cdef const int64_t[::1] rank = numbers
        self.ranks.rank = &rank[0]
        return Kernel.sweep(self, values, left, start, end)

    def state(self):
        """(lo, hi, the values at [lo, hi)): what ``restore`` goes on from."""
        cdef int64_t lo = self.ranks.lo, count = self.ranks.hi - lo, i
        words, valid = np.empty(count, np.int64), np.full((count + 7) // 8, 255, np.uint8)
        cdef int64_t* word = <int64_t*><uintptr_t>words.ctypes.data
        cdef uint8_t* bits = <uint8_t*><uintptr_t>valid.ctypes.data
        for i in range(count):
            word[i] = word_of(self.ranks.ring[(lo + i) & self.ranks.mask], self.ranks.floating)
            if not is_counted(&self.ranks, lo + i):
                set_null(bits, i)
        return lo, lo + count, column_of(self.type, count, pa.py_buffer(words), pa.py_buffer(valid))

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same ``p``."""
        lo, hi, values = state
        clear(&self.ranks, lo)
        self.absorb(values, lo, lo, hi)

    def __sizeof__(self):
        """Bytes, the blocks of the piles and the ring included."""
        cdef int64_t size = sizeof(Ranks) + RING * (self.ranks.mask + 1) // 8, i
        cdef Pile* pile
        cdef int which
        for which in range(2):
            for i in range(self.ranks.sides[which].depth):
                pile = &self.ranks.sides[which].piles[i]
                size += (pile.entries - pile.block + pile.capacity) * <int64_t>sizeof(Entry)
        return size

    def _check(self):
        """Assert the invariants."""
        cdef Ranks* ranks = &self.ranks
        cdef Side* side
        cdef Pile* pile
        cdef int64_t i, j
        cdef int which
        core = [(ranks.core[i].key, ranks.core[i].position) for i in range(ranks.width)]
        found = list(core)

        # The core is sorted and not overfull.
        assert core == sorted(core)
        assert ranks.width <= FULL

        for which in range(2):
            side = &ranks.sides[which]
            live, stored, behind = [], 0, (INT64_MAX, INT64_MAX)
            for i in range(side.depth):
                pile = &side.piles[i]
                entries = [(pile.entries[j].key, pile.entries[j].position) for j in range(pile.length)]
                bound = pile.bound.key, pile.bound.position

                # Each pile lies between its own bound and that of the pile behind it.
                assert bound <= behind
                assert all(bound <= entry < behind for entry in entries)
                assert pile.length <= pile.capacity
                assert not pile.ascending or entries == sorted(entries)
                entries = [(key ^ side.mirror, at ^ side.mirror) for key, at in entries]
                live += [(key, at) for key, at in entries if at >= ranks.lo]
                stored += pile.length
                behind = bound

            # The core is nearer than the nearest pile, and all is counted.
            assert (side.near.key, side.near.position) == behind
            assert all((key ^ side.mirror, at ^ side.mirror) < behind for key, at in core)
            assert side.live == len(live)
            assert side.stored == stored
            found += live

        # What is not stale is the frame, each counted tuple once; after a sweep the ring does not have it.
        if ranks.rank != NULL:
            return
        counted = [i for i in range(ranks.lo, ranks.hi) if is_counted(ranks, i)]
        assert sorted(found) == sorted((ranks.ring[i & ranks.mask], i) for i in counted)


cdef class Quantile(_Quantile):
    """The quantile of float64, interpolated between the two closest ranks: Spark's ``percentile``.

    The rank is p * (n - 1). NaN is larger than everything.

    >>> start, end = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 4, 5])
    >>> Quantile(0.5).roll(pa.array([5.0, 1.0, 3.0, None, 2.0]), 0, start, end).to_pylist()
    [5.0, 3.0, 3.0, 2.0, 2.5]
    """

    def __cinit__(self, double p):
        self.ranks.interpolates = True


cdef class DiscreteFloatQuantile(_Quantile):
    """The quantile of float64 that is one of the values: that of the rank ceil(p * n) - 1, at least 0."""


cdef class DiscreteIntQuantile(_Quantile):
    """The quantile of int64, exact: the value of the rank ceil(p * n) - 1, at least 0.

    >>> start, end = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 4, 5])
    >>> DiscreteIntQuantile(0.5).roll(pa.array([5, 1, 3, None, 2]), 0, start, end).to_pylist()
    [5, 1, 3, 1, 2]
    """

    def __cinit__(self, double p):
        self.type = pa.int64()
        self.ranks.floating = False
