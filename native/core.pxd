# cython: cdivision=True
# The sorted core of _ranks.pyx between the piles of both sides (piles.pxd), and how tuples come into the frame and leave
# it. The keys of the frame are in a ring: a tuple is not read again when it leaves.

from libc.stdint cimport INT64_MIN, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memmove

from inwindow.native.piles cimport (
    BLOCK, FULL, Entry, Pile, Side, append, claim, gather, keep_live, opaque, pile_of, push, reaches, sort, split, turned,
)

cdef extern from *:
    """
    #define MISSING INT64_MIN           /* stands for NULL: no double has this key, one integer has */
    """
    const int64_t MISSING

cdef enum:
    LOW = 0
    HIGH = 1
    RING = 65            # bits per position

cdef struct Ranks:
    Side sides[2]
    Entry core[FULL + BLOCK]     # ascending
    int64_t width                # of the core
    int64_t* ring                # the key of position p is ring[p & mask]
    uint8_t* counted             # a bit for each, true to the facts where the key is MISSING
    int64_t mask
    int64_t lo                   # the frame that is folded in: [lo, hi)
    int64_t hi
    double p
    bint floating                # the values are doubles; a flag, as two copies of `fold` would not be inlined:
    bint interpolates            # they took 10 ns more per tuple
    uint64_t seed
    const int64_t* rank          # while it sweeps: position p leaves as the rank[p]-th; else NULL


cdef inline int shed(Ranks* ranks, int which, int64_t length) except -1 nogil:
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


cdef inline int trim(Ranks* ranks) except -1 nogil:
    """Shed what a full core has too much below or above the wanted rank: half a BLOCK at least."""
    cdef int64_t wanted = <int64_t>(ranks.p * (count_of(ranks) - 1)) - ranks.sides[LOW].live
    cdef int64_t below = min(wanted - BLOCK // 2, ranks.width)
    cdef int64_t above = min(ranks.width - wanted - BLOCK // 2, ranks.width)
    if above >= BLOCK // 4:
        shed(ranks, HIGH, above)
    if below >= BLOCK // 4:
        shed(ranks, LOW, below)
    return 0


cdef inline int pull(Ranks* ranks, int which) except -1 nogil:
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
    cdef int64_t i
    ranks.sides[HIGH].live += above
    ranks.sides[LOW].live += below
    if opaque(above | below):
        side = &ranks.sides[above]
        new = turned(new, above - 1)
        return append(side, pile_of(side, new), new, ranks.lo)
    i = ranks.width
    while i > 0 and ranks.core[i - 1].key > new.key:
        ranks.core[i] = ranks.core[i - 1]
        i -= 1
    ranks.core[i] = new
    ranks.width += 1
    return 0


cdef inline void evict(Ranks* ranks, Entry old) noexcept nogil:
    """The tuple at lo - 1 leaves the frame."""
    take(ranks, old, is_above(ranks, old), is_below(ranks, old))


cdef inline int add(Ranks* ranks, Entry new) except -1 nogil:
    """The tuple at hi comes into the frame."""
    if ranks.width == FULL:
        trim(ranks)
    return put(ranks, new, is_above(ranks, new), is_below(ranks, new))


cdef inline void sink(Ranks* ranks, Entry new) noexcept nogil:
    """If the core has taken up the newest tuple, move it before those of its key that leave later."""
    cdef Entry* core = ranks.core
    cdef int64_t i = ranks.width - 1
    while i > 0 and core[i].key > new.key:
        i -= 1
    if i >= 0 and core[i].key == new.key and core[i].position == new.position:
        while i > 0 and core[i - 1].key == new.key and core[i - 1].position > new.position:
            core[i], core[i - 1] = core[i - 1], core[i]
            i -= 1


cdef inline int replace(Ranks* ranks, Entry old, Entry new) except -1 nogil:
    """``evict`` and ``add``; where the core has both, only what is between them moves."""
    cdef Entry* core = ranks.core
    cdef int64_t old_above, old_below, above, below, i
    if ranks.width == FULL:
        trim(ranks)
    old_above, old_below = is_above(ranks, old), is_below(ranks, old)
    above, below = is_above(ranks, new), ~new.key > ranks.sides[LOW].near.key
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


cdef inline bint is_counted(const Ranks* ranks, int64_t position) noexcept nogil:
    """Whether the position holds a value. The bit is read only where the key does not say it all."""
    cdef int64_t at = position & ranks.mask
    return ranks.ring[at] != MISSING or ranks.counted[at >> 3] >> (at & 7) & 1


cdef inline void note(Ranks* ranks, int64_t position, int64_t key, bint counted) noexcept nogil:
    cdef int64_t at = position & ranks.mask
    ranks.ring[at] = key
    if key == MISSING:
        ranks.counted[at >> 3] = ranks.counted[at >> 3] & ~(1 << (at & 7)) | counted << (at & 7)


cdef inline int remember(Ranks* ranks, int64_t key, bint counted) except -1 nogil:
    """Note the key of position hi in the ring, which doubles when the frame has filled it."""
    cdef int64_t capacity, position
    cdef Ranks larger
    if ranks.hi - ranks.lo > ranks.mask:
        capacity = max(64, 2 * (ranks.mask + 1))
        larger.ring = <int64_t*>claim(RING * capacity // 8)
        larger.counted = <uint8_t*>(larger.ring + capacity)
        larger.mask = capacity - 1
        for position in range(ranks.lo, ranks.hi):
            note(&larger, position, ranks.ring[position & ranks.mask], is_counted(ranks, position))
        free(ranks.ring)
        ranks.ring, ranks.counted, ranks.mask = larger.ring, larger.counted, larger.mask
    note(ranks, ranks.hi, key, counted)
    return 0


cdef inline int clear(Ranks* ranks, int64_t start) except -1 nogil:
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
