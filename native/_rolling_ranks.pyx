# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""The rank of the frame's newest value among the frame's values.

The keys of the frame are sorted, in blocks of up to SIZE, one behind the other; a block's *floor* bounds it from below::

    floors      -inf             7              12
    blocks      [2 3 3 5 6]      [7 9 9]        [12 15]
    counts       5                3              2             and sums of 64 of them

A key is found by halving: among the floors, then in its block, where a move of half a block makes room. What is smaller is
the sum of the counts before the block, and the key's place in it. A full block is cut in two; where blocks have become a
quarter full in the mean, all are filled anew. So equal keys may lie in several blocks: an equal floor says so, and what is
smaller is looked up from the left, what is not larger from the right.

In most frames one tuple leaves and one comes. Both are looked up in one loop: neither search waits for the other, and
none has a branch to be mispredicted. A block is filled up with the largest key, so that all searches are of one length.

A dense rank counts different values: there the keys differ, and each has a number of tuples beside it.

Frames of up to FEW tuples are not sorted: their values are compared with the newest one by one, which is faster.

Keys are int64 as in _ranks.pyx, but every zero is one; turned around where the largest value is the first.

Invariants: _check() asserts them.
Cost: O(log w) to find a key, and O(SIZE + w / SIZE / 64) of the fastest kind: moves and sums of adjacent memory.
Memory: 10 to 40 bytes per tuple of the frame.
"""

from libc.math cimport NAN
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uintptr_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

import numpy as np
import pyarrow as pa

from inwindow.native.doubles cimport one_nan_one_zero, ranked
from inwindow.native.kernel cimport Kernel, Slice, is_seen, no_eviction, set_null, slice_of
from inwindow.native.piles cimport opaque

cdef enum:
    SIZE = 128           # keys of a block
    SUMMED = 64          # counts in a sum
    FEW = 112            # tuples that are compared one by one
    MANY = 256           # frames of a call, from which on that is worth while
    PIECE = 4096         # frames whose values are made ready at a time

cdef double EXACT = 9007199254740992.0      # integers up to this one are doubles, too

cdef enum Result:
    LEAST, MOST, MEAN, DENSE, PERCENT, SHARE

NAMES = {"min": LEAST, "max": MOST, "average": MEAN, "dense": DENSE, "percent": PERCENT, "share": SHARE}

cdef struct Block:
    int64_t keys[SIZE]
    int32_t many[SIZE]           # only of a dense rank

cdef struct Source:
    Slice values
    const uint8_t* seen          # a byte per tuple from `base` on: whether the filter passes it; NULL where all are passed
    int64_t base

cdef struct State:
    int64_t lo, hi               # the frame that is folded in: [lo, hi)
    int64_t n                    # the keys in it
    int64_t newest               # where the newest tuple is that the filter passed
    int64_t key                  # its key
    bint known                   # it has one: its value is not NULL
    int64_t width                # blocks
    int64_t room                 # for so many
    Block** blocks               # `blank` where it is empty
    int64_t* floors
    int32_t* counts
    int64_t* sums
    Block* spare                 # to be used next
    Block* blank                 # without keys
    Result result
    bint floating, turned


cdef inline int64_t key_at(const State* state, const Slice* values, int64_t p) noexcept nogil:
    cdef int64_t word = (<const int64_t*>values.data)[p]
    if state.floating:
        word = ranked(one_nan_one_zero(word))
    return ~word if state.turned else word


# --- where a key is ----------------------------------------------------------------------------------------------


cdef inline int64_t not_above(const int64_t* keys, int64_t n, int64_t key) noexcept nogil:
    """How many of n ascending keys are not above one."""
    cdef const int64_t* at = keys
    cdef int64_t half
    while n > 1:
        half = n >> 1
        at += half & opaque(-<int64_t>(at[half - 1] <= key))
        n -= half
    return (at - keys) + (n == 1 and at[0] <= key)


cdef inline int64_t not_above_of_block(const int64_t* keys, int64_t key) noexcept nogil:
    """The same of a whole block: how many eights, and how many of the next eight. No comparison waits for another one."""
    cdef int64_t eights = 0, rest = 0, i
    for i in range(SIZE // 8):
        eights += keys[8 * i + 7] <= key
    eights = 8 * min(eights, <int64_t>SIZE // 8 - 1)
    for i in range(8):
        rest += keys[eights + i] <= key
    return eights + rest


cdef inline int64_t below(const int64_t* keys, int64_t n, int64_t key) noexcept nogil:
    """How many of n ascending keys are below one."""
    return 0 if key == INT64_MIN else not_above(keys, n, key - 1)


cdef inline int64_t within(const State* state, int64_t b, int64_t key) noexcept nogil:
    """How many keys of a block are not above one."""
    return min(not_above_of_block(state.blocks[b].keys, key), <int64_t>state.counts[b])


cdef inline int64_t before(const State* state, int64_t block) noexcept nogil:
    """How many keys are in the blocks before one."""
    cdef int64_t total = 0, i, group = block // SUMMED
    cdef int32_t within_group = 0
    for i in range(group):
        total += state.sums[i]
    for i in range(group * SUMMED, block):
        within_group += state.counts[i]
    return total + within_group


cdef inline int64_t smaller(const State* state, int64_t key) noexcept nogil:
    """How many keys are below one."""
    cdef int64_t b = max(below(state.floors, state.width, key) - 1, 0)
    return before(state, b) + below(state.blocks[b].keys, SIZE, key)


cdef inline int64_t not_larger(const State* state, int64_t key) noexcept nogil:
    """How many keys are not above one."""
    cdef int64_t b = not_above(state.floors, state.width, key) - 1
    return before(state, b) + within(state, b, key)


# --- blocks ------------------------------------------------------------------------------------------------------


cdef Block* fresh(State* state) except NULL nogil:
    cdef Block* made = state.spare
    cdef int64_t i
    state.spare = NULL
    if made == NULL:
        made = <Block*>malloc(sizeof(Block) if state.result == DENSE else SIZE * sizeof(int64_t))
    if made == NULL:
        with gil:
            raise MemoryError()
    for i in range(SIZE):
        made.keys[i] = INT64_MAX
    return made


cdef inline void drop(State* state, int64_t b) noexcept nogil:
    """The block has become empty."""
    free(state.spare)
    state.spare = state.blocks[b]
    state.blocks[b] = state.blank


cdef int widen(State* state, int64_t room) except -1 nogil:
    """Room for so many blocks."""
    cdef void* blocks = realloc(state.blocks, room * sizeof(Block*))
    if blocks != NULL:
        state.blocks = <Block**>blocks
    cdef void* floors = realloc(state.floors, room * sizeof(int64_t))
    if floors != NULL:
        state.floors = <int64_t*>floors
    cdef void* counts = realloc(state.counts, room * sizeof(int32_t))
    if counts != NULL:
        state.counts = <int32_t*>counts
    cdef void* sums = realloc(state.sums, (room // SUMMED + 1) * sizeof(int64_t))
    if sums != NULL:
        state.sums = <int64_t*>sums
    if blocks == NULL or floors == NULL or counts == NULL or sums == NULL:
        with gil:
            raise MemoryError()
    state.room = room
    return 0


cdef void clear(State* state) noexcept nogil:
    """No keys: one empty block."""
    cdef int64_t i
    for i in range(state.width):
        if state.blocks[i] != state.blank:
            free(state.blocks[i])
    state.n, state.width, state.counts[0], state.floors[0], state.blocks[0] = 0, 1, 0, INT64_MIN, state.blank
    state.sums[0] = 0


cdef void sum_up(State* state, int64_t first) noexcept nogil:
    """The sums again, from that of a block on."""
    cdef int64_t i
    for i in range(first // SUMMED, (state.width - 1) // SUMMED + 1):
        state.sums[i] = 0
    for i in range(first // SUMMED * SUMMED, state.width):
        state.sums[i // SUMMED] += state.counts[i]


cdef int cut(State* state, int64_t b, int64_t kept) except -1 nogil:
    """Cut a full block: what is behind the first ``kept`` keys goes to a new block behind it, whose floor is still to be set."""
    cdef Block* made = fresh(state)
    cdef int64_t i, moved = SIZE - kept
    if state.width == state.room:
        widen(state, 2 * state.room)
    memmove(state.blocks + b + 2, state.blocks + b + 1, (state.width - b - 1) * sizeof(Block*))
    memmove(state.floors + b + 2, state.floors + b + 1, (state.width - b - 1) * sizeof(int64_t))
    memmove(state.counts + b + 2, state.counts + b + 1, (state.width - b - 1) * sizeof(int32_t))
    memcpy(made.keys, state.blocks[b].keys + kept, moved * sizeof(int64_t))
    for i in range(kept, SIZE):
        state.blocks[b].keys[i] = INT64_MAX
    if state.result == DENSE:
        memcpy(made.many, state.blocks[b].many + kept, moved * sizeof(int32_t))
    state.blocks[b + 1], state.counts[b], state.counts[b + 1] = made, kept, moved
    state.width += 1
    sum_up(state, b)
    return 0


cdef int fill_anew(State* state) except -1 nogil:
    """All keys in blocks that are half full."""
    cdef int64_t total = before(state, state.width), at = 0, b, i, width = max((2 * total + SIZE - 1) // SIZE, 1)
    cdef Block** old = state.blocks
    cdef int32_t* counts = state.counts
    cdef int64_t olds = state.width, room = 2 * width + 8
    state.blocks, state.counts = NULL, NULL
    state.width = 0
    widen(state, room)
    state.floors[0] = INT64_MIN
    for b in range(olds):
        for i in range(counts[b]):
            if at % (SIZE // 2) == 0:
                state.blocks[state.width] = fresh(state)
                if state.width:
                    state.floors[state.width] = old[b].keys[i]
                state.counts[state.width] = 0
                state.width += 1
            state.blocks[state.width - 1].keys[at % (SIZE // 2)] = old[b].keys[i]
            if state.result == DENSE:
                state.blocks[state.width - 1].many[at % (SIZE // 2)] = old[b].many[i]
            state.counts[state.width - 1] += 1
            at += 1
        if old[b] != state.blank:
            free(old[b])
    free(old)
    free(counts)
    if not state.width:
        state.width, state.counts[0], state.blocks[0] = 1, 0, state.blank
    sum_up(state, 0)
    return 0


cdef inline void open_at(Block* block, int64_t at, int64_t count, bint dense, int64_t key) noexcept nogil:
    """The key at a place of a block that is not full."""
    memmove(block.keys + at + 1, block.keys + at, (count - at) * sizeof(int64_t))
    block.keys[at] = key
    if dense:
        memmove(block.many + at + 1, block.many + at, (count - at) * sizeof(int32_t))
        block.many[at] = 1


cdef int put(State* state, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    """A key comes, behind all equal ones of its block, as which it belongs at[0] in block b[0]; both say afterwards where it is."""
    state.n += 1
    if state.result == DENSE and at[0] and state.blocks[b[0]].keys[at[0] - 1] == key:
        at[0] -= 1
        state.blocks[b[0]].many[at[0]] += 1
        return 0
    if state.counts[b[0]] == SIZE:
        if 4 * state.n < state.width * SIZE and state.width > 8:
            fill_anew(state)
        elif at[0] == SIZE and b[0] == state.width - 1:  # it is the largest, and the next ones may be as well
            cut(state, b[0], SIZE)
            state.floors[b[0] + 1] = key
        else:
            cut(state, b[0], SIZE // 2)
            state.floors[b[0] + 1] = state.blocks[b[0] + 1].keys[0]
        b[0] = not_above(state.floors, state.width, key) - 1
        at[0] = within(state, b[0], key)
    if state.blocks[b[0]] == state.blank:
        state.blocks[b[0]] = fresh(state)
    open_at(state.blocks[b[0]], at[0], state.counts[b[0]], state.result == DENSE, key)
    state.counts[b[0]] += 1
    state.sums[b[0] // SUMMED] += 1
    return 0


cdef void take(State* state, int64_t key, int64_t b, int64_t at) noexcept nogil:
    """A key leaves: the last that is not above it in block b is the one before ``at``, or lies in a block before."""
    cdef Block* block = state.blocks[b]
    at -= 1
    while at < 0 or block.keys[at] != key:  # an equal one is at the end of a block before
        b -= 1
        block = state.blocks[b]
        at = state.counts[b] - 1
    state.n -= 1
    if state.result == DENSE:
        block.many[at] -= 1
        if block.many[at]:
            return
        memmove(block.many + at, block.many + at + 1, (state.counts[b] - at - 1) * sizeof(int32_t))
    memmove(block.keys + at, block.keys + at + 1, (state.counts[b] - at - 1) * sizeof(int64_t))
    state.counts[b] -= 1
    block.keys[state.counts[b]] = INT64_MAX
    state.sums[b // SUMMED] -= 1
    if not state.counts[b]:
        drop(state, b)


cdef inline int add(State* state, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    b[0] = not_above(state.floors, state.width, key) - 1
    at[0] = within(state, b[0], key)
    return put(state, key, b, at)


cdef inline void remove(State* state, int64_t key) noexcept nogil:
    cdef int64_t b = not_above(state.floors, state.width, key) - 1
    take(state, key, b, within(state, b, key))


cdef inline int replace(State* state, int64_t old, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    """One key leaves, another one comes; ``b`` and ``at`` say where that is."""
    cdef const int64_t* its = state.floors
    cdef const int64_t* others = state.floors
    cdef int64_t n = state.width, half, from_b, from_at
    while n > 1:
        half = n >> 1
        its += half & opaque(-<int64_t>(its[half - 1] <= key))
        others += half & opaque(-<int64_t>(others[half - 1] <= old))
        n -= half
    b[0] = its - state.floors - (its[0] > key)
    from_b = others - state.floors - (others[0] > old)
    at[0] = within(state, b[0], key)
    from_at = within(state, from_b, old)
    if state.result == DENSE or from_b != b[0] or not from_at or state.blocks[from_b].keys[from_at - 1] != old:
        take(state, old, from_b, from_at)
        if state.result == DENSE or from_b <= b[0]:
            at[0] = within(state, b[0], key)
        return put(state, key, b, at)
    cdef int64_t* keys = state.blocks[from_b].keys
    from_at -= 1
    if from_at < at[0]:
        at[0] -= 1
        memmove(keys + from_at, keys + from_at + 1, (at[0] - from_at) * sizeof(int64_t))
    else:
        memmove(keys + at[0] + 1, keys + at[0], (from_at - at[0]) * sizeof(int64_t))
    keys[at[0]] = key
    return 0


# --- the loop over frames ------------------------------------------------------------------------------------------


cdef inline bint passes(const Source* source, int64_t p) noexcept nogil:
    return source.seen == NULL or source.seen[p - source.base]


cdef inline void as_result(const State* state, int64_t less, int64_t most, int64_t n, int64_t* out) noexcept nogil:
    """The result from how many values are below the newest, how many are not above it, and how many there are."""
    cdef double share
    if state.result == LEAST or state.result == DENSE:
        out[0] = less + 1
        return
    if state.result == MOST:
        out[0] = most
        return
    if state.result == SHARE:
        share = <double>most / n
    elif state.result == PERCENT:
        share = <double>less / max(n - 1, 1)
    else:
        share = <double>(less + 1 + most) / 2
    memcpy(out, &share, sizeof(double))


cdef inline void answer(const State* state, bint placed, int64_t b, int64_t at, int64_t* out) noexcept nogil:
    """The rank of the newest key, which lies at ``at`` of a block behind all equal ones, where it has been ``placed`` just now."""
    cdef int64_t less = 0, most = 0, ahead
    if placed:
        ahead = before(state, b)
        most = ahead + at + 1
        if at and state.blocks[b].keys[at - 1] != state.key:
            less = ahead + at
        elif state.result != MOST and state.result != SHARE:
            less = smaller(state, state.key)
    else:
        if state.result != MOST and state.result != SHARE:
            less = smaller(state, state.key)
        if state.result != LEAST and state.result != PERCENT and state.result != DENSE:
            most = not_larger(state, state.key)
    as_result(state, less, most, state.n, out)


cdef int64_t fold_sorted(State* state, const Source* source, bint evicts, const int64_t* start, const int64_t* end,
                         int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1 nogil:
    """Fold the frames from i on; stop at the first NULL if there is no bitmap for it."""
    cdef int64_t old = 0, b = 0, at = 0, p
    cdef bint leaves, placed
    while i < n:
        if start[i] >= state.hi:
            clear(state)
            state.lo = state.hi = start[i]
        elif start[i] > state.lo and not evicts:
            no_eviction(state.lo, start[i])
        leaves = placed = False
        for p in range(state.lo, start[i]):
            if passes(source, p) and is_seen(&source.values, p):
                if leaves:
                    remove(state, old)
                old, leaves = key_at(state, &source.values, p), True
        for p in range(state.hi, end[i]):
            if not passes(source, p):
                continue
            state.newest, state.known = p, is_seen(&source.values, p)
            if state.known:
                state.key = key_at(state, &source.values, p)
                if leaves:
                    replace(state, old, state.key, &b, &at)
                else:
                    add(state, state.key, &b, &at)
                leaves, placed = False, True
        if leaves:
            remove(state, old)
            placed = False
        state.lo, state.hi = start[i], max(state.hi, end[i])
        if state.newest >= state.lo and state.known:
            answer(state, placed, b, at, out + i)
        elif validity == NULL:
            break
        else:
            out[i] = 0
            set_null(validity, i)
        i += 1
    return i


# --- small frames --------------------------------------------------------------------------------------------------


cdef inline int64_t count_below(const double* values, int64_t n, double value) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] < value
    return total


cdef inline int64_t count_not_above(const double* values, int64_t n, double value) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] <= value
    return total


cdef inline int64_t count_known(const double* values, int64_t n) noexcept nogil:
    cdef int64_t total = 0, i
    for i in range(n):
        total += values[i] == values[i]
    return total


cdef bint are_few(const State* state, const int64_t* start, const int64_t* end, int64_t i, int64_t n) noexcept nogil:
    """Whether all frames are small; half as large, where values are counted twice."""
    cdef int64_t most = 0, at
    for at in range(i, n):
        most = max(most, end[at] - start[at])
    return most <= (FEW // 2 if state.result == MEAN else FEW)


cdef bint as_doubles(const State* state, const Source* source, int64_t first, int64_t last, double* to) noexcept nogil:
    """The values at [first, last) as doubles that compare as they do, NaN where there is none; False if that is not possible."""
    cdef int64_t p, word
    cdef double value
    for p in range(first, last):
        if not passes(source, p) or not is_seen(&source.values, p):
            to[p - first] = NAN
            continue
        if state.floating:
            value = (<const double*>source.values.data)[p]
            if value != value:
                return False
        else:
            word = (<const int64_t*>source.values.data)[p]
            value = <double>word
            if not -EXACT <= value <= EXACT:
                return False
        to[p - first] = -value if state.turned else value
    return True


cdef int64_t fold_few(State* state, const Source* source, const double* values, int64_t first, const int64_t* start,
                      const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) noexcept nogil:
    """The same for small frames, of values from the position ``first`` on."""
    cdef int64_t p, size, less, most, known
    cdef bint gaps = source.seen != NULL or source.values.seen != NULL
    cdef bint counts = state.result == PERCENT or state.result == SHARE
    cdef const double* its
    while i < n:
        p, size, its = end[i] - 1, end[i] - start[i], values + (start[i] - first)
        while p >= start[i] and not passes(source, p):
            p -= 1
        if p >= start[i] and is_seen(&source.values, p):
            less = most = 0
            known = size
            if state.result != MOST and state.result != SHARE:
                less = count_below(its, size, values[p - first])
            if state.result != LEAST and state.result != PERCENT:
                most = count_not_above(its, size, values[p - first])
            if counts and gaps:
                known = count_known(its, size)
            as_result(state, less, most, known, out + i)
        elif validity == NULL:
            break
        else:
            out[i] = 0
            set_null(validity, i)
        i += 1
    return i


cdef int settle(State* state, const Source* source, int64_t start, int64_t end) except -1 nogil:
    """Sort a frame, behind small ones."""
    cdef int64_t b, at, p
    clear(state)
    for p in range(start, end):
        if passes(source, p):
            state.newest, state.known = p, is_seen(&source.values, p)
            if state.known:
                state.key = key_at(state, &source.values, p)
                add(state, state.key, &b, &at)
    state.lo, state.hi = start, max(start, end)
    return 0


cdef int64_t fold_small(State* state, const Source* source, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                        int64_t* out, uint8_t* validity) except? -1 nogil:
    """Fold small frames, piece by piece, as far as there are any, and sort the last one.

    Where they stop at a NULL, the result is the complement of that frame's number.
    """
    cdef int64_t begin = i, until, first, done
    cdef double* values
    while i < n:
        until, first = min(i + PIECE, n), start[i]
        if not are_few(state, start, end, i, until):
            break
        values = <double*>malloc((max(end[until - 1], first) - first + 1) * sizeof(double))
        if values == NULL:
            break
        if not as_doubles(state, source, first, end[until - 1], values):
            free(values)
            break
        done = fold_few(state, source, values, first, start, end, i, until, out, validity)
        free(values)
        if done < until:
            settle(state, source, start[done], end[done])
            return ~done
        i = until
    if i > begin:
        settle(state, source, start[i - 1], end[i - 1])
    return i


cdef class RollingRank(Kernel):
    """The rank of the newest tuple's value, by name: "min" or "max" of equal values' places, "average" of both, "dense".

    And "percent": (min - 1) / (values - 1); "share": max / values. NULL is not ranked; a tuple with a filter's 0 is not there.

    >>> import numpy as np, pyarrow as pa
    >>> start, end = np.array([0, 0, 0, 1, 2]), np.array([1, 2, 3, 4, 5])
    >>> RollingRank("min", floating=True).roll(pa.array([5.0, 1.0, 5.0, None, 2.0]), 0, start, end, None).to_pylist()
    [1, 1, 2, None, 1]
    """

    cdef State frame
    cdef const uint8_t* seen
    cdef bint evicts

    def __cinit__(self, str result, bint floating, bint evicts=True, bint descending=False):
        memset(&self.frame, 0, sizeof(State))
        self.frame.result = NAMES[result]
        self.frame.floating, self.frame.turned, self.evicts = floating, descending, evicts
        self.frame.newest = -1
        self.type = pa.int64() if result in ("min", "max", "dense") else pa.float64()
        self.frame.blank = fresh(&self.frame)
        widen(&self.frame, 8)
        clear(&self.frame)

    def __dealloc__(self):
        if self.frame.blocks != NULL:
            clear(&self.frame)
        free(self.frame.blank)
        free(self.frame.spare)
        free(self.frame.blocks)
        free(self.frame.floors)
        free(self.frame.counts)
        free(self.frame.sums)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Source source = Source(slice_of(values, base, 8), self.seen, base)
        cdef int64_t done
        with nogil:
            if self.evicts and n - i >= MANY and self.frame.result != DENSE:
                done = fold_small(&self.frame, &source, start, end, i, n, out, validity)
                if done < 0:  # stopped at a NULL
                    return ~done
                i = done
            return fold_sorted(&self.frame, &source, self.evicts, start, end, i, n, out, validity)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end, seen=None):
        """As of every kernel, and ``seen``: a byte per tuple, or None."""
        cdef const uint8_t[::1] bytes
        if seen is not None and len(seen):
            bytes = seen
            self.seen = &bytes[0]
        try:
            return Kernel.roll(self, values, base, start, end)
        finally:
            self.seen = NULL

    def absorb(self, values, int64_t base, int64_t start, int64_t end, seen=None):
        """The same without a result."""
        self.roll(values, base, np.array([start]), np.array([end]), seen)

    def state(self):
        """What ``restore`` goes on from: positions, and the sorted keys."""
        cdef State* state = &self.frame
        cdef int64_t total = before(state, state.width), at = 0, b
        keys, many = np.empty(total, np.int64), np.empty(total if state.result == DENSE else 0, np.int32)
        cdef int64_t* key = <int64_t*><uintptr_t>keys.ctypes.data
        cdef int32_t* number = <int32_t*><uintptr_t>many.ctypes.data
        for b in range(state.width):
            if state.counts[b]:
                memcpy(key + at, state.blocks[b].keys, state.counts[b] * sizeof(int64_t))
                if state.result == DENSE:
                    memcpy(number + at, state.blocks[b].many, state.counts[b] * sizeof(int32_t))
                at += state.counts[b]
        return state.lo, state.hi, state.newest, state.key, bool(state.known), keys, many

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.frame.lo, self.frame.hi, self.frame.newest, self.frame.key, self.frame.known, keys, many = state
        cdef const int64_t[::1] sorted_keys = keys
        cdef const int32_t[::1] numbers = many
        cdef int64_t i, j, b, at
        clear(&self.frame)
        for i in range(sorted_keys.shape[0]):
            for j in range(numbers[i] if self.frame.result == DENSE else 1):
                add(&self.frame, sorted_keys[i], &b, &at)

    def __sizeof__(self):
        """Bytes, the blocks included."""
        cdef int64_t b, size = sizeof(State) + self.frame.room * 20 + self.frame.room // SUMMED * 8
        for b in range(self.frame.width):
            if self.frame.blocks[b] != self.frame.blank:
                size += sizeof(Block) if self.frame.result == DENSE else SIZE * sizeof(int64_t)
        return size

    def _check(self):
        """Assert the invariants."""
        cdef State* state = &self.frame
        cdef int64_t b, i
        found = []
        assert state.width <= state.room and state.floors[0] == INT64_MIN
        for b in range(state.width):
            its = [state.blocks[b].keys[i] for i in range(state.counts[b])]
            assert (state.blocks[b] == state.blank) == (not its)
            assert all(state.blocks[b].keys[i] == INT64_MAX for i in range(state.counts[b], SIZE))
            assert len(its) <= SIZE
            assert all(state.floors[b] <= key for key in its)
            assert b == state.width - 1 or all(key <= state.floors[b + 1] for key in its)
            assert b == 0 or state.floors[b - 1] <= state.floors[b]
            found += its
        assert found == sorted(found)
        assert sum(state.sums[i] for i in range((state.width - 1) // SUMMED + 1)) == len(found)
        if state.result == DENSE:
            assert len(set(found)) == len(found)
            assert state.n == sum(state.blocks[b].many[i] for b in range(state.width) for i in range(state.counts[b]))
        else:
            assert state.n == len(found)
