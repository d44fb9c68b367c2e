# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
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

The order is that of (key, position): all entries differ, and ties are no special case. The key of a double is
the int64 that ranks as it does in Spark: every NaN is the largest, -0.0 is right below 0.0. The low side is
kept turned around, by the complements of keys and positions: on both sides "greater" means "farther", and one
form of the code serves both.

Invariants: Quantile._check() asserts them.
Cost: amortised O(log w) per tuple for any data and frames, in the mean over random pivots (one step may cost
O(w)). Without a trend in the data the wanted rank is a random walk that seldom leaves the core, and a tuple
costs O(1).
Memory: 8 bytes per position of the frame, 16 to 64 bytes per counted tuple.
"""

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

cdef int64_t INFINITE = 0x7FF0000000000000    # the bits of a double: what is above, without the sign, is NaN
cdef int64_t NAN = 0x7FF8000000000000
cdef int64_t MISSING = INT64_MIN              # stands for NULL: no double has this key

cdef enum:
    LOW = 0
    HIGH = 1
    BLOCK = 24           # measured: 16 is faster in windows of 100, 64 on sorted data, 24 nowhere far behind
    FULL = 2 * BLOCK     # the core's size at which it sheds
    MOST = 128           # piles on a side: gather() leaves about 2 log2(w)

cdef struct Slice:
    const int64_t* words     # the bits of the value at position p are words[p]
    const uint8_t* seen      # its validity is bit `bit + p` of seen; NULL where all are valid
    int64_t bit

cdef struct Entry:
    int64_t key
    int64_t position

cdef struct Pile:
    Entry bound              # no entry of this pile is below it; all entries nearer to the core are
    Entry* entries
    int64_t length           # live and stale
    int64_t capacity         # from entries on
    bint ascending           # the entries are known to be sorted
    Entry* block             # what malloc() gave

cdef struct Side:
    Entry near               # the nearest pile's bound; above all entries where there is no pile
    int64_t stored           # the sum of the piles' lengths
    int64_t mirror           # -1 on the low side: x ^ mirror turns a key or a position around
    int64_t live             # how many of the stored entries are in the frame
    int64_t depth
    Pile piles[MOST]         # the farthest comes first

cdef struct Ranks:
    Side sides[2]
    Entry core[FULL + BLOCK]     # ascending
    int64_t width                # of the core
    int64_t* ring                # the key of position p is ring[p & mask]
    int64_t mask
    int64_t lo                   # the frame that is folded in: [lo, hi)
    int64_t hi
    double p
    uint64_t seed


cdef Slice slice_of(values, int64_t base):
    cdef int64_t offset = values.offset
    bitmap, data = values.buffers()
    cdef const int64_t* words = <const int64_t*><uintptr_t>(0 if data is None else data.address)
    cdef const uint8_t* seen = <const uint8_t*><uintptr_t>(bitmap.address if values.null_count else 0)
    return Slice(words + offset - base, seen, offset - base)


cdef inline int64_t key_at(const Slice* column, int64_t position) noexcept nogil:
    cdef int64_t bit = column.bit + position, word
    if column.seen != NULL and not column.seen[bit >> 3] >> (bit & 7) & 1:
        return MISSING
    word = column.words[position]
    if word & INT64_MAX > INFINITE:
        word = NAN
    return word ^ ((word >> 63) & INT64_MAX)


cdef inline double value_of(int64_t key) noexcept nogil:
    cdef double value
    key ^= (key >> 63) & INT64_MAX
    memcpy(&value, &key, sizeof(double))
    return value


cdef inline bint reaches(Entry entry, Entry bound) noexcept nogil:
    """entry >= bound, without a branch."""
    return (entry.key > bound.key) | ((entry.key == bound.key) & (entry.position >= bound.position))


cdef inline Entry turned(Entry entry, int64_t mirror) noexcept nogil:
    return Entry(entry.key ^ mirror, entry.position ^ mirror)


cdef void* claim(int64_t size) except NULL nogil:
    cdef void* block = malloc(size)
    if block == NULL:
        with gil:
            raise MemoryError(f"a quantile's frame needs a block of {size} bytes")
    return block


# --- Piles ---------------------------------------------------------------------------------------------------

cdef int64_t keep_live(Entry* entries, int64_t length, int64_t mirror, int64_t lo) noexcept nogil:
    """Move the live ones of the entries to the front; return their number."""
    cdef int64_t i, live = 0
    cdef Entry entry
    for i in range(length):
        entry = entries[i]
        entries[live] = entry
        live += (entry.position ^ mirror) >= lo
    return live


cdef int resize(Pile* pile, int64_t capacity) except -1 nogil:
    cdef Entry* block = <Entry*>claim(capacity * sizeof(Entry))
    memcpy(block, pile.entries, pile.length * sizeof(Entry))
    free(pile.block)
    pile.block = pile.entries = block
    pile.capacity = capacity
    return 0


cdef int drop_stale(Side* side, int64_t lo) except -1 nogil:
    """Look through all piles, if most entries are stale: it was as much work to evict them."""
    cdef Pile* pile
    cdef int64_t i
    if side.stored <= 2 * side.live + FULL:
        return 0
    side.stored = 0
    for i in range(side.depth):
        pile = &side.piles[i]
        pile.length = keep_live(pile.entries, pile.length, side.mirror, lo)
        side.stored += pile.length
        if pile.capacity > 4 * pile.length + FULL:
            resize(pile, 2 * pile.length + FULL)
    return 0


cdef inline int append(Side* side, Pile* pile, Entry entry, int64_t lo) except -1 nogil:
    if pile.length == pile.capacity:
        drop_stale(side, lo)
        if 2 * pile.length > pile.capacity:
            resize(pile, 2 * pile.length + FULL)
    if pile.ascending and pile.length:
        pile.ascending = reaches(entry, pile.entries[pile.length - 1])
    pile.entries[pile.length] = entry
    pile.length += 1
    side.stored += 1
    return 0


cdef int merge(Side* side, int64_t i, int64_t lo) except -1 nogil:
    """Make one pile of piles i - 1 and i: the smaller one is copied."""
    cdef Pile* larger = &side.piles[i - 1]
    cdef Pile smaller = side.piles[i]
    cdef Entry bound = smaller.bound
    cdef int64_t live
    if larger.length < smaller.length:
        larger[0], smaller = smaller, larger[0]
    side.depth -= 1
    memmove(&side.piles[i], &side.piles[i + 1], (side.depth - i) * sizeof(Pile))
    if larger.length + smaller.length > larger.capacity:
        resize(larger, 2 * (larger.length + smaller.length))
    memcpy(larger.entries + larger.length, smaller.entries, smaller.length * sizeof(Entry))
    live = keep_live(larger.entries + larger.length, smaller.length, side.mirror, lo)
    free(smaller.block)
    larger.bound, larger.ascending = bound, False
    larger.length += live
    side.stored += live - smaller.length
    return 0


cdef int gather(Side* side, int64_t lo) except -1 nogil:
    """Merge neighbours that together are not larger than what lies between them and the core.

    So the sizes grow geometrically; and before a merged pile can be split again, the wanted rank has to walk
    over as many tuples as were merged: neither can happen often.
    """
    cdef int64_t i, between = 0
    drop_stale(side, lo)
    for i in range(side.depth - 1, 0, -1):
        if side.piles[i - 1].length + side.piles[i].length > between:
            between += side.piles[i].length
        else:
            merge(side, i, lo)
    if side.depth:
        side.near = side.piles[side.depth - 1].bound
    else:
        side.near = Entry(INT64_MAX, INT64_MAX)
    return 0


cdef Pile* push(Side* side, Entry bound, int64_t capacity, int64_t lo) except NULL nogil:
    """A new nearest pile."""
    cdef Entry* block
    if side.depth == MOST:
        merge(side, 1, lo)
    block = <Entry*>claim(capacity * sizeof(Entry))
    side.piles[side.depth] = Pile(bound, block, 0, capacity, True, block)
    side.depth += 1
    return &side.piles[side.depth - 1]


cdef inline Entry any_of(const Pile* pile, uint64_t* seed) noexcept nogil:
    seed[0] = seed[0] * 6364136223846793005u + 1442695040888963407u
    return pile.entries[((seed[0] >> 32) * <uint64_t>pile.length) >> 32]


cdef bint is_ascending(const Entry* entries, int64_t length) noexcept nogil:
    cdef int64_t i
    for i in range(1, length):
        if not reaches(entries[i], entries[i - 1]):
            return False
    return True


cdef int split(Side* side, uint64_t* seed, int64_t lo) except -1 nogil:
    """Part the nearest pile at a median of three: what is below the pivot becomes the nearest pile."""
    cdef Pile* far = &side.piles[side.depth - 1]
    cdef Entry smallest = any_of(far, seed), pivot = any_of(far, seed), largest = any_of(far, seed), entry
    if reaches(smallest, largest):
        smallest, largest = largest, smallest
    if reaches(smallest, pivot):
        pivot = smallest
    elif reaches(pivot, largest):
        pivot = largest
    cdef Pile* near = push(side, far.bound, far.length, lo)
    far = near - 1
    cdef Entry* below = near.entries
    cdef Entry* others = far.entries
    cdef int64_t i, belows = 0, rest = 0, is_live, is_below, mirror = side.mirror, length = far.length
    for i in range(length):
        entry = others[i]
        is_live = (entry.position ^ mirror) >= lo
        is_below = not reaches(entry, pivot)
        below[belows] = entry
        others[rest] = entry
        belows += is_live & is_below
        rest += is_live & ~is_below
    near.length, near.ascending = belows, is_ascending(below, belows)
    far.length, far.ascending, far.bound = rest, is_ascending(others, rest), pivot
    side.stored -= length - belows - rest
    return 0


cdef void sort(Entry* entries, int64_t length) noexcept nogil:
    """Insertion sort, for at most a BLOCK."""
    cdef int64_t i, j
    cdef Entry entry
    for i in range(1, length):
        entry = entries[i]
        j = i
        while j > 0 and not reaches(entry, entries[j - 1]):
            entries[j] = entries[j - 1]
            j -= 1
        entries[j] = entry


# --- The core ------------------------------------------------------------------------------------------------

cdef int shed(Ranks* ranks, int which, int64_t length) except -1 nogil:
    """Turn one end of the core into the nearest pile of that side."""
    cdef Side* side = &ranks.sides[which]
    cdef int64_t first = ranks.width - length if which == HIGH else length - 1
    cdef int64_t outward = 1 if which == HIGH else -1, i
    cdef Pile* pile = push(side, turned(ranks.core[first], side.mirror), FULL, ranks.lo)
    for i in range(length):
        append(side, pile, turned(ranks.core[first + outward * i], side.mirror), ranks.lo)
    ranks.width -= length
    side.live += length
    if which == LOW:
        memmove(ranks.core, ranks.core + length, ranks.width * sizeof(Entry))
    return gather(side, ranks.lo)


cdef inline int64_t count_of(const Ranks* ranks) noexcept nogil:
    return ranks.sides[LOW].live + ranks.width + ranks.sides[HIGH].live


cdef int trim(Ranks* ranks) except -1 nogil:
    """Shed what a full core has too much below or above the wanted rank: half a BLOCK at least."""
    cdef int64_t wanted = <int64_t>(ranks.p * (count_of(ranks) - 1)) - ranks.sides[LOW].live
    cdef int64_t below = min(wanted - BLOCK // 2, ranks.width)
    cdef int64_t above = min(ranks.width - wanted - BLOCK // 2, ranks.width)
    if above >= BLOCK // 4:
        shed(ranks, HIGH, above)
    if below >= BLOCK // 4:
        shed(ranks, LOW, below)
    return 0


cdef int pull(Ranks* ranks, int which) except -1 nogil:
    """Bring the nearest tuples of a side, at most a BLOCK, into the core."""
    cdef Side* side = &ranks.sides[which]
    while side.piles[side.depth - 1].length > BLOCK and not side.piles[side.depth - 1].ascending:
        split(side, &ranks.seed, ranks.lo)
    cdef Pile* pile = &side.piles[side.depth - 1]
    cdef int64_t taken = min(pile.length, BLOCK), live, first, outward = 1 if which == HIGH else -1, i
    if not pile.ascending:
        sort(pile.entries, taken)
    live = keep_live(pile.entries, taken, side.mirror, ranks.lo)
    if which == LOW:
        memmove(ranks.core + live, ranks.core, ranks.width * sizeof(Entry))
    first = ranks.width if which == HIGH else live - 1
    for i in range(live):
        ranks.core[first + outward * i] = turned(pile.entries[i], side.mirror)
    ranks.width += live
    side.live -= live

    side.stored -= taken
    pile.entries += taken
    pile.length -= taken
    pile.capacity -= taken
    if pile.length:
        pile.bound = pile.entries[0]
    else:
        free(pile.block)
        side.depth -= 1
    gather(side, ranks.lo)
    return trim(ranks) if ranks.width >= FULL else 0


cdef inline int seek(Ranks* ranks, int64_t rank, int64_t last) except -1 nogil:
    """Move the core to where it holds the ranks [rank, last]."""
    while rank < ranks.sides[LOW].live:
        pull(ranks, LOW)
    while last >= ranks.sides[LOW].live + ranks.width:
        pull(ranks, HIGH)
    return 0


cdef inline int64_t count_below(const Entry* core, int64_t length, int64_t key) noexcept nogil:
    """How many keys of the core are smaller: by halving, then counting, without a branch on the keys."""
    cdef int64_t below = 0, half, i
    while length > 8:
        half = length >> 1
        below += half & -<int64_t>(core[below + half - 1].key < key)
        length -= half
    length += below
    for i in range(below, length):
        below += core[i].key < key
    return below


# --- Tuples --------------------------------------------------------------------------------------------------
# `above` and `below` say whether a tuple is on a side; if on neither, the core has it. They are sums, not
# branches, wherever they can be: on random data such a branch is mispredicted every other time.

cdef inline int64_t is_above(const Ranks* ranks, Entry entry) noexcept nogil:
    return reaches(entry, ranks.sides[HIGH].near)


cdef inline int64_t is_below(const Ranks* ranks, Entry entry) noexcept nogil:
    return reaches(turned(entry, -1), ranks.sides[LOW].near)


cdef inline void take(Ranks* ranks, Entry old, int64_t above, int64_t below) noexcept nogil:
    """Remove the oldest tuple: the first of its key."""
    cdef int64_t i
    ranks.sides[HIGH].live -= above
    ranks.sides[LOW].live -= below
    if not (above | below):
        ranks.width -= 1
        for i in range(count_below(ranks.core, ranks.width + 1, old.key), ranks.width):
            ranks.core[i] = ranks.core[i + 1]


cdef inline int put(Ranks* ranks, Entry new, int64_t above, int64_t below) except -1 nogil:
    """Add the newest tuple: the last of its key."""
    cdef Side* side
    cdef Pile* pile
    cdef int64_t i, nearer = 0
    ranks.sides[HIGH].live += above
    ranks.sides[LOW].live += below
    if above | below:
        side = &ranks.sides[above]
        new = turned(new, above - 1)
        for i in range(side.depth):
            nearer += new.key < side.piles[i].bound.key
        pile = &side.piles[nearer]
        while new.key == pile.bound.key and new.position < pile.bound.position:
            pile += 1
        return append(side, pile, new, ranks.lo)
    i = ranks.width
    while i > 0 and ranks.core[i - 1].key > new.key:
        ranks.core[i] = ranks.core[i - 1]
        i -= 1
    ranks.core[i] = new
    ranks.width += 1
    return 0


cdef void evict(Ranks* ranks, Entry old) noexcept nogil:
    """The tuple at lo - 1 leaves the frame."""
    take(ranks, old, is_above(ranks, old), is_below(ranks, old))


cdef int add(Ranks* ranks, Entry new) except -1 nogil:
    """The tuple at hi comes into the frame."""
    if ranks.width == FULL:
        trim(ranks)
    return put(ranks, new, is_above(ranks, new), is_below(ranks, new))


cdef inline int replace(Ranks* ranks, Entry old, Entry new) except -1 nogil:
    """``evict`` and ``add``; where the core has both, only what is between them moves."""
    cdef Entry* core = ranks.core
    cdef int64_t old_above, old_below, above, below, i
    if ranks.width == FULL:
        trim(ranks)
    old_above, old_below = is_above(ranks, old), is_below(ranks, old)
    above, below = new.key >= ranks.sides[HIGH].near.key, ~new.key > ranks.sides[LOW].near.key
    if old_above | old_below | above | below:
        take(ranks, old, old_above, old_below)
        return put(ranks, new, above, below)
    i = count_below(core, ranks.width, old.key)
    if new.key >= old.key:
        while i + 1 < ranks.width and core[i + 1].key <= new.key:
            core[i] = core[i + 1]
            i += 1
    else:
        while i > 0 and core[i - 1].key > new.key:
            core[i] = core[i - 1]
            i -= 1
    core[i] = new
    return 0


cdef inline int remember(Ranks* ranks, int64_t key) except -1 nogil:
    """Note the key of position hi in the ring, which doubles when the frame has filled it."""
    cdef int64_t capacity, position
    cdef int64_t* ring
    if ranks.hi - ranks.lo > ranks.mask:
        capacity = max(64, 2 * (ranks.mask + 1))
        ring = <int64_t*>claim(capacity * sizeof(int64_t))
        for position in range(ranks.lo, ranks.hi):
            ring[position & (capacity - 1)] = ranks.ring[position & ranks.mask]
        free(ranks.ring)
        ranks.ring, ranks.mask = ring, capacity - 1
    ranks.ring[ranks.hi & ranks.mask] = key
    return 0


cdef int clear(Ranks* ranks, int64_t start) except -1 nogil:
    """Start afresh with the empty frame [start, start)."""
    cdef Side* side
    cdef int which
    for which in range(2):
        side = &ranks.sides[which]
        while side.depth:
            side.depth -= 1
            free(side.piles[side.depth].block)
        side.stored = side.live = 0
        gather(side, start)
    ranks.width = 0
    ranks.lo = ranks.hi = start
    return 0


cdef Py_ssize_t fold(
    Ranks* ranks, const Slice* column, const int64_t* start, const int64_t* end, Py_ssize_t frame,
    Py_ssize_t frames, double* out, uint8_t* valid,
) except -1 nogil:
    """Fold the frames from ``frame`` on; stop at the first NULL if there is no bitmap ``valid`` to note it."""
    cdef Entry old, new
    cdef int64_t count, counted = 0, rank = 0, at
    cdef double exact = 0, value
    cdef bint between = False
    while frame < frames:
        if start[frame] >= ranks.hi:
            clear(ranks, start[frame])

        # In most frames one tuple leaves and one comes: the last and the first of them change in one step.
        old.key = MISSING
        while ranks.lo < start[frame]:
            if old.key != MISSING:
                evict(ranks, old)
            old = Entry(ranks.ring[ranks.lo & ranks.mask], ranks.lo)
            ranks.lo += 1
        while ranks.hi < end[frame]:
            new = Entry(key_at(column, ranks.hi), ranks.hi)
            remember(ranks, new.key)
            if old.key != MISSING and new.key != MISSING:
                replace(ranks, old, new)
                old.key = MISSING
            elif new.key != MISSING:
                add(ranks, new)
            ranks.hi += 1
        if old.key != MISSING:
            evict(ranks, old)

        count = count_of(ranks)
        if count:
            if count != counted:
                counted = count
                exact = ranks.p * (count - 1)
                rank = <int64_t>exact
                between = rank < exact
            seek(ranks, rank, rank + between)
            at = rank - ranks.sides[LOW].live
            value = value_of(ranks.core[at].key)
            if between and ranks.core[at].key != ranks.core[at + 1].key:
                value = (rank + 1 - exact) * value + (exact - rank) * value_of(ranks.core[at + 1].key)
            out[frame] = value
        elif valid != NULL:
            out[frame] = 0
            valid[frame >> 3] &= ~(1 << (frame & 7))
        else:
            break
        frame += 1
    return frame


cdef class Quantile:
    """The exact quantile ``p`` (0.5: the median) of float64, interpolated between the two closest ranks.

    As Spark's ``percentile``: the rank is p * (n - 1), NaN is larger than everything, NULL is skipped.

    >>> start, end = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 4, 5])
    >>> Quantile(0.5).roll(pa.array([5.0, 1.0, 3.0, None, 2.0]), 0, start, end).to_pylist()
    [5.0, 3.0, 3.0, 2.0, 2.5]
    """

    cdef Ranks ranks

    def __cinit__(self, double p):
        if not 0 <= p <= 1:
            raise ValueError(f"p={p!r}: a quantile is between 0 and 1; the median is 0.5")
        self.ranks.p = p
        self.ranks.mask = -1
        self.ranks.sides[LOW].mirror = -1
        clear(&self.ranks, 0)

    def __dealloc__(self):
        clear(&self.ranks, 0)
        free(self.ranks.ring)

    cdef Py_ssize_t fold(
        self, values, int64_t base, const int64_t* start, const int64_t* end, Py_ssize_t frame,
        Py_ssize_t frames, double* out, uint8_t* valid,
    ) except -1:
        cdef Slice column = slice_of(values, base)
        with nogil:
            return fold(&self.ranks, &column, start, end, frame, frames, out, valid)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The quantile of each frame [start, end): NULL where it holds no value."""
        cdef Py_ssize_t frames = start.shape[0]
        cdef double[::1] out = space(frames, np.float64)
        cdef uint8_t[::1] valid
        cdef Py_ssize_t done = self.fold(values, base, &start[0], &end[0], 0, frames, &out[0], NULL)
        if done == frames:
            return pa.Array.from_buffers(pa.float64(), frames, [None, pa.py_buffer(out)], 0)
        valid = np.full((frames + 7) // 8, 255, np.uint8)
        self.fold(values, base, &start[0], &end[0], done, frames, &out[0], &valid[0])
        return pa.Array.from_buffers(pa.float64(), frames, [pa.py_buffer(valid), pa.py_buffer(out)])

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        cdef double value
        self.fold(values, base, &start, &end, 0, 1, &value, NULL)

    def state(self):
        """(lo, hi, the key of each position in [lo, hi)): what :meth:`restore` goes on from."""
        cdef int64_t position
        keys = np.empty(self.ranks.hi - self.ranks.lo, np.int64)
        cdef int64_t[::1] key = keys
        for position in range(self.ranks.lo, self.ranks.hi):
            key[position - self.ranks.lo] = self.ranks.ring[position & self.ranks.mask]
        return self.ranks.lo, self.ranks.hi, keys

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same ``p``."""
        cdef const int64_t[::1] keys
        cdef int64_t lo, hi, i
        lo, hi, keys = state
        with nogil:
            clear(&self.ranks, lo)
            for i in range(hi - lo):
                remember(&self.ranks, keys[i])
                if keys[i] != MISSING:
                    add(&self.ranks, Entry(keys[i], self.ranks.hi))
                self.ranks.hi += 1

    def __sizeof__(self):
        """Bytes, the blocks of the piles and the ring included."""
        cdef int64_t size = sizeof(Ranks) + (self.ranks.mask + 1) * sizeof(int64_t), i
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

        # What is not stale is the frame, each counted tuple once.
        frame = [(ranks.ring[i & ranks.mask], i) for i in range(ranks.lo, ranks.hi)]
        assert sorted(found) == sorted((key, at) for key, at in frame if key != MISSING)
