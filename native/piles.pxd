# cython: cdivision=True
# One side of the order, outward from the core: piles of unsorted entries, none below its bound, the sizes growing
# geometrically. A quickheap (Navarro and Paredes, "On sorting, heaps, and minimum spanning trees", 2010) that
# parts whole blocks. _ranks.pyx says what it is for and checks what it promises.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

cdef extern from *:
    """
    /* A compiler that knows x as a | b makes two branches of `if x`, each mispredicted every other time. */
    #ifdef __GNUC__
    static inline int64_t opaque(int64_t x) { __asm__("" : "+r"(x)); return x; }
    #else
    static inline int64_t opaque(int64_t x) { return x; }
    #endif
    """
    int64_t opaque(int64_t x) noexcept nogil

cdef enum:
    BLOCK = 24           # measured: 16 is faster in windows of 100, 64 on sorted data, 24 nowhere far behind
    FULL = 2 * BLOCK     # the core's size at which it sheds
    MOST = 128           # piles on a side: gather() leaves about 2 log2(w)

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
    int64_t bounds[MOST]     # their bounds' keys, as of the last gather(); behind them INT64_MIN, up to a multiple of 8


cdef inline bint reaches(Entry entry, Entry bound) noexcept nogil:
    """entry >= bound, without a branch."""
    return (entry.key > bound.key) | ((entry.key == bound.key) & (entry.position >= bound.position))


cdef inline Entry turned(Entry entry, int64_t mirror) noexcept nogil:
    return Entry(entry.key ^ mirror, entry.position ^ mirror)


cdef inline void* claim(int64_t size) except NULL nogil:
    cdef void* block = malloc(size)
    if block == NULL:
        with gil:
            raise MemoryError(f"a quantile's frame needs a block of {size} bytes")
    return block


cdef inline int64_t keep_live(Entry* entries, int64_t length, int64_t mirror, int64_t lo) noexcept nogil:
    """Move the live ones of the entries to the front; return their number."""
    cdef int64_t i, live = 0
    cdef Entry entry
    for i in range(length):
        entry = entries[i]
        entries[live] = entry
        live += (entry.position ^ mirror) >= lo
    return live


cdef inline int resize(Pile* pile, int64_t capacity) except -1 nogil:
    cdef Entry* block = <Entry*>claim(capacity * sizeof(Entry))
    memcpy(block, pile.entries, pile.length * sizeof(Entry))
    free(pile.block)
    pile.block = pile.entries = block
    pile.capacity = capacity
    return 0


cdef inline int drop_stale(Side* side, int64_t lo) except -1 nogil:
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


cdef inline int merge(Side* side, int64_t i, int64_t lo) except -1 nogil:
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


cdef inline int gather(Side* side, int64_t lo) except -1 nogil:
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
    for i in range((side.depth + 7) & ~7):
        side.bounds[i] = side.piles[i].bound.key if i < side.depth else INT64_MIN
    if side.depth:
        side.near = side.piles[side.depth - 1].bound
    else:
        side.near = Entry(INT64_MAX, INT64_MAX)
    return 0


cdef inline Pile* push(Side* side, Entry bound, int64_t capacity, int64_t lo) except NULL nogil:
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


cdef inline bint is_ascending(const Entry* entries, int64_t length) noexcept nogil:
    cdef int64_t i
    for i in range(1, length):
        if not reaches(entries[i], entries[i - 1]):
            return False
    return True


cdef inline int split(Side* side, uint64_t* seed, int64_t lo) except -1 nogil:
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


cdef inline int64_t is_less(int64_t one, int64_t other) noexcept nogil:
    return one < other


cdef inline Pile* pile_of(Side* side, Entry entry) noexcept nogil:
    """The nearest pile that reaches to the entry. Eight at a time, as both sides are equally likely: so the loop ends alike."""
    cdef int64_t nearer = 0, key = entry.key
    cdef const int64_t* bounds = side.bounds
    cdef const int64_t* last = bounds + side.depth
    while bounds < last:
        nearer += is_less(key, bounds[0]) + is_less(key, bounds[1]) + is_less(key, bounds[2]) + is_less(key, bounds[3])
        nearer += is_less(key, bounds[4]) + is_less(key, bounds[5]) + is_less(key, bounds[6]) + is_less(key, bounds[7])
        bounds += 8
    cdef Pile* pile = &side.piles[nearer]
    while entry.key == pile.bound.key and entry.position < pile.bound.position:
        pile += 1
    return pile


cdef inline void sort(Entry* entries, int64_t length) noexcept nogil:
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
