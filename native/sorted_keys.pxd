# Keys in sorted blocks (sorted_blocks.pxd): how many are not above one, and a key that comes, leaves, or replaces another.
#
# A key is found by halving among the floors, then by comparisons with its whole block; a move of half a block makes room for it.
# What is smaller is the sum of the counts before its block, and its place there.
#
# In most frames one tuple leaves and one comes. Both are looked up in one loop: neither search waits for the other, and none
# has a branch to be mispredicted.
#
# Cost: O(log w) to find a key, and O(SIZE + w / SIZE / SUMMED) of the fastest kind: moves and sums of adjacent memory.

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t
from libc.string cimport memmove

from inwindow.native.piles cimport opaque
from inwindow.native.sorted_blocks cimport SIZE, SUMMED, Block, Blocks, before, cut, drop, fill_anew, fresh


# --- where a key is ----------------------------------------------------------------------------------------------


cdef inline int64_t not_above(const int64_t* keys, int64_t n, int64_t key) noexcept nogil:
    """How many of n ascending keys are not above one, by halving."""
    cdef const int64_t* at = keys
    cdef int64_t half
    while n > 1:
        half = n >> 1
        at += half & opaque(-<int64_t>(at[half - 1] <= key))
        n -= half
    return at - keys + (at[0] <= key)


cdef inline int64_t block_of(const Blocks* blocks, int64_t key) noexcept nogil:
    """The last block whose floor is not above a key."""
    return not_above(blocks.floors, blocks.width, key) - 1


cdef inline int64_t within(const Blocks* blocks, int64_t b, int64_t key) noexcept nogil:
    """How many keys of a block are not above one.

    How many eights, and how many of the next eight: no comparison waits for another one.
    """
    cdef const int64_t* keys = blocks.block[b].keys
    cdef int64_t eights = 0, rest = 0, i
    for i in range(SIZE // 8):
        eights += keys[8 * i + 7] <= key
    eights = 8 * min(eights, <int64_t>SIZE // 8 - 1)
    for i in range(8):
        rest += keys[eights + i] <= key
    return min(eights + rest, <int64_t>blocks.counts[b])


cdef inline void find(const Blocks* blocks, int64_t key, int64_t* b, int64_t* at) noexcept nogil:
    """The block where a key belongs, and the place in it, behind all that are not above it."""
    b[0] = block_of(blocks, key)
    at[0] = within(blocks, b[0], key)


cdef inline int64_t not_larger(const Blocks* blocks, int64_t key) noexcept nogil:
    """How many keys are not above one."""
    cdef int64_t b, at
    find(blocks, key, &b, &at)
    return before(blocks, b) + at


cdef inline int64_t smaller(const Blocks* blocks, int64_t key) noexcept nogil:
    """How many keys are below one. Where many are equal, halving the block is faster than what ``within`` does."""
    cdef int64_t b
    if key == INT64_MIN:
        return 0
    b = block_of(blocks, key - 1)
    return before(blocks, b) + not_above(blocks.block[b].keys, SIZE, key - 1)


# --- keys come and leave -----------------------------------------------------------------------------------------


cdef inline void open_at(Block* block, int64_t at, int64_t count, bint differ, int64_t key) noexcept nogil:
    """The key at a place of a block that is not full."""
    memmove(block.keys + at + 1, block.keys + at, (count - at) * sizeof(int64_t))
    block.keys[at] = key
    if differ:
        memmove(block.many + at + 1, block.many + at, (count - at) * sizeof(int32_t))
        block.many[at] = 1


cdef inline int put(Blocks* blocks, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    """A key comes that ``find`` has found the place of; ``b`` and ``at`` say afterwards where it is."""
    blocks.n += 1
    if blocks.differ and at[0] and blocks.block[b[0]].keys[at[0] - 1] == key:
        at[0] -= 1
        blocks.block[b[0]].many[at[0]] += 1
        return 0
    if blocks.counts[b[0]] == SIZE:
        if 4 * blocks.n < blocks.width * SIZE and blocks.width > 8:
            fill_anew(blocks)
        elif at[0] == SIZE and b[0] == blocks.width - 1:  # it is the largest, and the next ones may be as well
            cut(blocks, b[0], SIZE)
            blocks.floors[b[0] + 1] = key
        else:
            cut(blocks, b[0], SIZE // 2)
            blocks.floors[b[0] + 1] = blocks.block[b[0] + 1].keys[0]
        find(blocks, key, b, at)
    if blocks.block[b[0]] == blocks.blank:
        blocks.block[b[0]] = fresh(blocks)
    open_at(blocks.block[b[0]], at[0], blocks.counts[b[0]], blocks.differ, key)
    blocks.counts[b[0]] += 1
    blocks.sums[b[0] // SUMMED] += 1
    return 0


cdef inline void take(Blocks* blocks, int64_t key, int64_t b, int64_t at) noexcept nogil:
    """A key leaves that ``find`` has found the place of: the last equal one is before it, or at the end of a block before."""
    cdef Block* block = blocks.block[b]
    at -= 1
    while at < 0 or block.keys[at] != key:
        b -= 1
        block = blocks.block[b]
        at = blocks.counts[b] - 1
    blocks.n -= 1
    if blocks.differ:
        block.many[at] -= 1
        if block.many[at]:
            return
        memmove(block.many + at, block.many + at + 1, (blocks.counts[b] - at - 1) * sizeof(int32_t))
    memmove(block.keys + at, block.keys + at + 1, (blocks.counts[b] - at - 1) * sizeof(int64_t))
    blocks.counts[b] -= 1
    block.keys[blocks.counts[b]] = INT64_MAX
    blocks.sums[b // SUMMED] -= 1
    if not blocks.counts[b]:
        drop(blocks, b)


cdef inline int add(Blocks* blocks, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    find(blocks, key, b, at)
    return put(blocks, key, b, at)


cdef inline void remove(Blocks* blocks, int64_t key) noexcept nogil:
    cdef int64_t b, at
    find(blocks, key, &b, &at)
    take(blocks, key, b, at)


cdef inline int replace(Blocks* blocks, int64_t old, int64_t key, int64_t* b, int64_t* at) except -1 nogil:
    """One key leaves, another one comes; ``b`` and ``at`` say where that is."""
    cdef const int64_t* its = blocks.floors
    cdef const int64_t* others = blocks.floors
    cdef int64_t n = blocks.width, half, from_b, from_at
    while n > 1:
        half = n >> 1
        its += half & opaque(-<int64_t>(its[half - 1] <= key))
        others += half & opaque(-<int64_t>(others[half - 1] <= old))
        n -= half
    b[0] = its - blocks.floors - (its[0] > key)
    from_b = others - blocks.floors - (others[0] > old)
    at[0] = within(blocks, b[0], key)
    from_at = within(blocks, from_b, old)
    if blocks.differ or from_b != b[0] or not from_at or blocks.block[from_b].keys[from_at - 1] != old:
        take(blocks, old, from_b, from_at)
        if blocks.differ or from_b <= b[0]:
            at[0] = within(blocks, b[0], key)
        return put(blocks, key, b, at)
    cdef int64_t* keys = blocks.block[b[0]].keys
    from_at -= 1
    if from_at < at[0]:
        at[0] -= 1
        memmove(keys + from_at, keys + from_at + 1, (at[0] - from_at) * sizeof(int64_t))
    else:
        memmove(keys + at[0] + 1, keys + at[0], (from_at - at[0]) * sizeof(int64_t))
    keys[at[0]] = key
    return 0
