# Sorted keys in blocks of up to SIZE, one behind the other: the blocks and their memory. A block's *floor* bounds it from below:
#
#     floors      -inf             7              12
#     blocks      [2 3 3 5 6]      [7 9 9]        [12 15]
#     counts       5                3              2             and sums of SUMMED of them
#
# A full block is cut in two; where blocks have become a quarter full in the mean, all are filled anew. So equal keys may lie in
# several blocks: an equal floor says so. A block is filled up with the largest key, so that all searches in one are of one length.
#
# Where only different keys are counted, the keys differ, and each has a number of tuples beside it.
#
# Memory: 10 to 40 bytes per key. sorted_keys.pxd finds, puts and takes keys; _rolling_ranks.pyx checks the invariants.

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

cdef enum:
    SIZE = 128           # keys of a block
    SUMMED = 64          # counts in a sum

cdef struct Block:
    int64_t keys[SIZE]
    int32_t many[SIZE]   # only where different keys are counted

cdef struct Blocks:
    bint differ          # different keys are counted
    int64_t n            # the tuples whose keys are in them
    int64_t width        # blocks
    int64_t room         # for so many
    Block** block        # `blank` where it is empty
    int64_t* floors
    int32_t* counts
    int64_t* sums
    Block* spare         # to be used next
    Block* blank         # without keys


cdef inline int open_blocks(Blocks* blocks, bint differ) except -1 nogil:
    """One empty block, in memory that is all zeros."""
    blocks.differ = differ
    blocks.blank = fresh(blocks)
    widen(blocks, 8)
    clear(blocks)
    return 0


cdef inline void close_blocks(Blocks* blocks) noexcept nogil:
    free_filled(blocks)
    free(blocks.blank)
    free(blocks.spare)
    free(blocks.block)
    free(blocks.floors)
    free(blocks.counts)
    free(blocks.sums)


cdef inline void clear(Blocks* blocks) noexcept nogil:
    """No keys: one empty block."""
    free_filled(blocks)
    blocks.n, blocks.width, blocks.counts[0], blocks.floors[0], blocks.block[0] = 0, 1, 0, INT64_MIN, blocks.blank
    blocks.sums[0] = 0


cdef inline void free_filled(Blocks* blocks) noexcept nogil:
    cdef int64_t b
    for b in range(blocks.width):
        if blocks.block[b] != blocks.blank:
            free(blocks.block[b])


cdef inline int64_t block_size(const Blocks* blocks) noexcept nogil:
    """Bytes."""
    return sizeof(Block) if blocks.differ else SIZE * sizeof(int64_t)


cdef inline int64_t size_of(const Blocks* blocks) noexcept nogil:
    """Bytes of all blocks, and of what is kept beside them."""
    cdef int64_t b, size = blocks.room * 20 + blocks.room // SUMMED * 8
    for b in range(blocks.width):
        if blocks.block[b] != blocks.blank:
            size += block_size(blocks)
    return size


cdef inline void fill_up(Block* block, int64_t first) noexcept nogil:
    """No keys from a place on."""
    cdef int64_t i
    for i in range(first, SIZE):
        block.keys[i] = INT64_MAX


cdef inline Block* fresh(Blocks* blocks) except NULL nogil:
    """A block without keys."""
    cdef Block* made = blocks.spare
    blocks.spare = NULL
    if made == NULL:
        made = <Block*>grown(NULL, block_size(blocks))
    fill_up(made, 0)
    return made


cdef inline void drop(Blocks* blocks, int64_t b) noexcept nogil:
    """The block has become empty."""
    free(blocks.spare)
    blocks.spare = blocks.block[b]
    blocks.block[b] = blocks.blank


cdef inline void* grown(void* memory, int64_t size) except NULL nogil:
    cdef void* moved = realloc(memory, size)
    if moved == NULL:
        with gil:
            raise MemoryError()
    return moved


cdef inline int widen(Blocks* blocks, int64_t room) except -1 nogil:
    """Room for so many blocks."""
    blocks.block = <Block**>grown(blocks.block, room * sizeof(Block*))
    blocks.floors = <int64_t*>grown(blocks.floors, room * sizeof(int64_t))
    blocks.counts = <int32_t*>grown(blocks.counts, room * sizeof(int32_t))
    blocks.sums = <int64_t*>grown(blocks.sums, (room // SUMMED + 1) * sizeof(int64_t))
    blocks.room = room
    return 0


cdef inline void sum_up(Blocks* blocks, int64_t first) noexcept nogil:
    """The sums again, from that of a block on."""
    cdef int64_t b
    for b in range(first // SUMMED, (blocks.width - 1) // SUMMED + 1):
        blocks.sums[b] = 0
    for b in range(first // SUMMED * SUMMED, blocks.width):
        blocks.sums[b // SUMMED] += blocks.counts[b]


cdef inline int64_t before(const Blocks* blocks, int64_t b) noexcept nogil:
    """How many keys are in the blocks before one."""
    cdef int64_t total = 0, i, group = b // SUMMED
    cdef int32_t within_group = 0
    for i in range(group):
        total += blocks.sums[i]
    for i in range(group * SUMMED, b):
        within_group += blocks.counts[i]
    return total + within_group


cdef inline int cut(Blocks* blocks, int64_t b, int64_t kept) except -1 nogil:
    """Cut a full block: what is behind the first ``kept`` keys goes to a new block behind it, whose floor is still to be set."""
    cdef Block* made = fresh(blocks)
    cdef int64_t moved = SIZE - kept, behind = blocks.width - b - 1
    if blocks.width == blocks.room:
        widen(blocks, 2 * blocks.room)
    memmove(blocks.block + b + 2, blocks.block + b + 1, behind * sizeof(Block*))
    memmove(blocks.floors + b + 2, blocks.floors + b + 1, behind * sizeof(int64_t))
    memmove(blocks.counts + b + 2, blocks.counts + b + 1, behind * sizeof(int32_t))
    memcpy(made.keys, blocks.block[b].keys + kept, moved * sizeof(int64_t))
    fill_up(blocks.block[b], kept)
    if blocks.differ:
        memcpy(made.many, blocks.block[b].many + kept, moved * sizeof(int32_t))
    blocks.block[b + 1], blocks.counts[b], blocks.counts[b + 1] = made, kept, moved
    blocks.width += 1
    sum_up(blocks, b)
    return 0


cdef inline int fill_anew(Blocks* blocks) except -1 nogil:
    """All keys in blocks that are half full."""
    cdef int64_t total = before(blocks, blocks.width), at = 0, b, i, to, width = max((2 * total + SIZE - 1) // SIZE, 1)
    cdef Block** old = blocks.block
    cdef int32_t* counts = blocks.counts
    cdef int64_t olds = blocks.width, room = 2 * width + 8
    blocks.block, blocks.counts = NULL, NULL
    blocks.width = 0
    widen(blocks, room)
    blocks.floors[0] = INT64_MIN
    for b in range(olds):
        for i in range(counts[b]):
            to = at % (SIZE // 2)
            if not to:
                blocks.block[blocks.width] = fresh(blocks)
                if blocks.width:
                    blocks.floors[blocks.width] = old[b].keys[i]
                blocks.counts[blocks.width] = 0
                blocks.width += 1
            blocks.block[blocks.width - 1].keys[to] = old[b].keys[i]
            if blocks.differ:
                blocks.block[blocks.width - 1].many[to] = old[b].many[i]
            blocks.counts[blocks.width - 1] += 1
            at += 1
        if old[b] != blocks.blank:
            free(old[b])
    free(old)
    free(counts)
    if not blocks.width:
        blocks.width, blocks.counts[0], blocks.block[0] = 1, 0, blocks.blank
    sum_up(blocks, 0)
    return 0
