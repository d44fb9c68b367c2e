# cython: cdivision=True
# A count-min sketch of a frame, and its candidates: what the kernels of _frequent.pyx have in common.
#
# *Estimates.* Never below the truth. Above it by more than eps * n, n being the tuples that count in the frame,
# with a probability of at most delta, for each item and frame: width >= e / eps, and the cells of two items are
# the same with probability 1 / width (multiply-shift of 128 bits is pairwise independent: Dietzfelbinger 1996), so
# the excess of one cell is at most n * eps / e in the mean and beyond eps * n in one of e cases; depth >= ln(1 /
# delta) tables are independent. The probability is over the multipliers; these are fixed, so that a result is the
# same everywhere.
#
# *Candidates.* No frame is scanned for its frequent items. An item becomes a candidate when at its arrival its estimate
# is support * n / 2 or more, and may be pruned only while it is less. When n has fallen below half of its ``peak``, the
# greatest n since the candidates were last made, they are made anew of the frame's tuples. So every item with a
# count f >= support * n is a candidate. Let t be its last arrival, and u any moment from t (or from the making, if
# that came later) until now. All of its tuples that are in the frame now were so at u, as tuples leave in the order in
# which they came: its estimate was f at least. And n at u was at most the peak, so 2 * n now:
# f >= support * n >= support * (n at u) / 2. It was taken in, and never pruned. A frame that begins afresh (start >= hi)
# begins with no tuple, no candidate and peak 0.
# A product support * n that is an integer but for rounding is that integer: 7 of 100 have a support of 0.07.
# An item with a count below support * n is shown if it is a candidate and its *estimate* is support * n or more; whether
# it is one may depend on what slid before. Its estimate does not: the tables are linear in the frame's tuples. So what
# is shown although it is rarer than (support - eps) * n is an error that delta bounds.

from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.stdlib cimport calloc, free, qsort, realloc
from libc.string cimport memset

cdef extern from *:
    """
    #define GOLDEN 0x9E3779B97F4A7C15u  /* Fibonacci hashing: 2 ** 64 divided by the golden ratio */
    typedef struct { unsigned __int128 factor, term; } Multiplier;
    static inline Multiplier multiplier_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
        Multiplier made = {(unsigned __int128)a << 64 | b, (unsigned __int128)c << 64 | d};
        return made;
    }
    /* the highest 64 - shift bits of factor * key + term, modulo 2 ** 128 */
    static inline uint64_t cell_in_row(const Multiplier *by, int64_t key, int shift) {
        return (uint64_t)((by->factor * (uint64_t)key + by->term) >> 64) >> shift;
    }
    """
    const uint64_t GOLDEN
    ctypedef struct Multiplier:
        pass
    Multiplier multiplier_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d) nogil
    uint64_t cell_in_row(const Multiplier* by, int64_t key, int shift) nogil

cdef enum:
    DEEPEST = 64             # tables

cdef struct Item:
    int64_t key
    int64_t count

cdef struct Slot:
    int64_t key
    int64_t used

# candidates[:used] are the candidates; those from `close` on cannot be frequent in the next `patience` moves,
# that is tuples that come or leave. `slots` says whether a key is among them: open addressing, linear probing,
# half full at most.
cdef struct Sketch:
    int64_t* counters        # depth rows of width
    Multiplier rows[DEEPEST]
    int64_t depth
    int64_t width            # a power of two
    int shift
    double support
    int64_t n                # the tuples of the frame that count
    int64_t peak             # the greatest n since the candidates were made
    int64_t lo               # the frame that is folded in: [lo, hi)
    int64_t hi
    Item* candidates
    int64_t used
    int64_t close
    int64_t limit            # more candidates than that are pruned
    int64_t least_limit
    int64_t patience         # below 0: the estimates of all candidates are needed again
    Slot* slots
    int64_t mask
    int64_t* journal         # the first keys since the counters were cleared, width / 4 at most
    int64_t journaled        # more than width / 4: not all of them are there

cdef inline int64_t estimate(const Sketch* sketch, int64_t key, double needed) noexcept nogil:
    """The estimate, or something less than what is needed if the estimate is."""
    cdef int64_t least = INT64_MAX, row
    for row in range(sketch.depth):
        least = min(least, sketch.counters[row * sketch.width + cell_in_row(&sketch.rows[row], key, sketch.shift)])
        if least < needed:
            break
    return least


cdef inline uint64_t slot_of(const Sketch* sketch, int64_t key) noexcept nogil:
    """The slot where the key is, or the free one where it belongs."""
    cdef uint64_t bits = <uint64_t>key, slot
    bits = (bits ^ bits >> 32) * GOLDEN
    slot = (bits ^ bits >> 32) & sketch.mask
    while sketch.slots[slot].used and sketch.slots[slot].key != key:
        slot = (slot + 1) & sketch.mask
    return slot


cdef inline int index_candidates(Sketch* sketch) except -1 nogil:
    """Make room for 1 + limit candidates, and the slots anew of those that there are."""
    cdef int64_t slots = 64, index
    cdef uint64_t slot
    cdef Item* candidates = <Item*>realloc(sketch.candidates, (sketch.limit + 1) * sizeof(Item))
    cdef Slot* larger
    while slots < 2 * (sketch.limit + 1):
        slots *= 2
    larger = <Slot*>realloc(sketch.slots, slots * sizeof(Slot))
    if candidates != NULL:
        sketch.candidates = candidates
    if larger != NULL:
        sketch.slots = larger
    if candidates == NULL or larger == NULL:
        with gil:
            raise MemoryError(f"no room for {sketch.limit} candidates")
    sketch.mask = slots - 1
    memset(sketch.slots, 0, slots * sizeof(Slot))
    for index in range(sketch.used):
        slot = slot_of(sketch, sketch.candidates[index].key)
        sketch.slots[slot] = Slot(sketch.candidates[index].key, 1)
    return 0


cdef inline int forget_candidates(Sketch* sketch) except -1 nogil:
    if sketch.used or sketch.limit != sketch.least_limit:
        sketch.used = sketch.close = 0
        sketch.limit = sketch.least_limit
        index_candidates(sketch)
    sketch.peak = sketch.n
    return 0


cdef inline int64_t weigh(Sketch* sketch) noexcept nogil:
    """Estimate all candidates; how many may be pruned."""
    cdef int64_t index, count, light = 0
    cdef double needed = 0.5 * sketch.support * sketch.n
    for index in range(sketch.used):
        count = estimate(sketch, sketch.candidates[index].key, needed)
        sketch.candidates[index].count = count
        light += count < needed
    return light


cdef inline int prune(Sketch* sketch) except -1 nogil:
    """Forget the candidates that were found too light."""
    cdef int64_t index, kept = 0
    for index in range(sketch.used):
        if sketch.candidates[index].count >= 0.5 * sketch.support * sketch.n:
            sketch.candidates[kept] = sketch.candidates[index]
            kept += 1
    sketch.used = kept
    sketch.close = 0
    sketch.patience = -1
    sketch.limit = max(sketch.least_limit, 2 * kept)
    return index_candidates(sketch)


cdef inline bint consider(Sketch* sketch, int64_t key, int64_t count) except -1 nogil:
    """Whether an item with this estimate is a candidate; it becomes one if it may."""
    cdef uint64_t slot
    if count < 0.5 * sketch.support * sketch.n:
        return False
    slot = slot_of(sketch, key)
    if not sketch.slots[slot].used:
        sketch.slots[slot] = Slot(key, 1)
        sketch.candidates[sketch.used] = sketch.candidates[sketch.close]
        sketch.candidates[sketch.close] = Item(key, count)
        sketch.used += 1
        sketch.close += 1
        if sketch.used > sketch.limit:
            weigh(sketch)
            prune(sketch)
    return True


cdef inline bint arrive(Sketch* sketch, int64_t key) except -1 nogil:
    """Count an item up; whether it is a candidate now."""
    cdef int64_t least = INT64_MAX, row
    cdef int64_t* counter
    for row in range(sketch.depth):
        counter = &sketch.counters[row * sketch.width + cell_in_row(&sketch.rows[row], key, sketch.shift)]
        counter[0] += 1
        least = min(least, counter[0])
    if 4 * sketch.journaled < sketch.width:
        sketch.journal[sketch.journaled] = key
    if 4 * sketch.journaled <= sketch.width:
        sketch.journaled += 1
    sketch.patience -= 1
    sketch.n += 1
    sketch.peak = max(sketch.peak, sketch.n)
    return consider(sketch, key, least)


cdef inline void leave(Sketch* sketch, int64_t key) noexcept nogil:
    cdef int64_t row
    for row in range(sketch.depth):
        sketch.counters[row * sketch.width + cell_in_row(&sketch.rows[row], key, sketch.shift)] -= 1
    sketch.patience -= 1
    sketch.n -= 1


cdef inline int begin(Sketch* sketch, int64_t start) except -1 nogil:
    """Begin with an empty frame, in the time that it took to fill the last one if that was small."""
    cdef int64_t index, row
    if sketch.n and 4 * sketch.journaled > sketch.width:
        memset(sketch.counters, 0, sketch.depth * sketch.width * sizeof(int64_t))
    elif sketch.n:
        for index in range(sketch.journaled):
            for row in range(sketch.depth):
                sketch.counters[
                    row * sketch.width + cell_in_row(&sketch.rows[row], sketch.journal[index], sketch.shift)
                ] = 0
    sketch.journaled = 0
    sketch.n = 0
    sketch.lo = sketch.hi = start
    return forget_candidates(sketch)


cdef inline int look_at_all(Sketch* sketch) except -1 nogil:
    """Put those candidates first that can be frequent at some time in the next moves; prune if it is worth it."""
    cdef int64_t moves = max(1, <int64_t>(0.25 * sketch.support * sketch.n)), index
    cdef int64_t light = weigh(sketch)
    cdef Item item
    if light > 16 and 2 * light > sketch.used:
        prune(sketch)
    sketch.close = 0
    sketch.patience = moves
    for index in range(sketch.used):
        item = sketch.candidates[index]
        if item.count + moves >= sketch.support * (sketch.n - moves):
            sketch.candidates[index] = sketch.candidates[sketch.close]
            sketch.candidates[sketch.close] = item
            sketch.close += 1
    return 0


cdef inline int64_t frequent(Sketch* sketch) except -1 nogil:
    """Put the frequent items first among the candidates, with their counts, in order; how many there are.

    Those of the frame before come in the order that they had, which is nearly right.
    """
    cdef int64_t index, count, found = 0
    cdef double needed = sketch.support * sketch.n
    cdef Item item
    if sketch.n == 0:
        return 0
    if sketch.patience < 0:
        look_at_all(sketch)
    for index in range(sketch.close):
        count = estimate(sketch, sketch.candidates[index].key, needed)
        if count >= needed:
            item = sketch.candidates[index]
            sketch.candidates[index] = sketch.candidates[found]
            sketch.candidates[found] = Item(item.key, count)
            found += 1
    sort(sketch.candidates, found)
    return found


cdef inline bint precedes(const Item* one, const Item* other) noexcept nogil:
    return one.count > other.count or one.count == other.count and one.key < other.key


cdef inline int compare(const void* one, const void* other) noexcept nogil:
    return precedes(<const Item*>other, <const Item*>one) - precedes(<const Item*>one, <const Item*>other)


cdef inline void sort(Item* items, int64_t length) noexcept nogil:
    """By insertion, unless that takes too long."""
    cdef int64_t index, at, budget = 16 * length
    cdef Item item
    for index in range(1, length):
        item = items[index]
        at = index
        while at > 0 and precedes(&item, &items[at - 1]):
            items[at] = items[at - 1]
            at -= 1
        items[at] = item
        budget -= index - at
        if budget < 0:
            qsort(items, length, sizeof(Item), compare)
            return
