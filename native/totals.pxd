# cython: cdivision=True
# Totals of counts and of integers in two parts: the terms that are added to them, and subtracted again. _totals.pyx says why no
# carry is needed.

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from inwindow.native.int128 cimport int128_t
from inwindow.native.kernel cimport Slice


cdef extern from *:
    bint unlikely(bint) nogil

cdef enum:
    MANY = 12                           # bits: as many are faster counted as a word than one by one

# What is added up, at a position of the endless sequence.
cdef struct Marks:                      # what is valid counts, whatever its type
    const uint8_t* bits                 # that of position p is bit p + shift; NULL where all are alike
    int64_t shift
    int64_t each                        # what a position counts then: 1 or 0

cdef struct Longs:
    Slice slice                         # int64

cdef struct Wides:
    Slice slice                         # decimal128: low word, high word

cdef struct Counts:                     # of panes
    const int64_t* counts               # that of position p is counts[p]

cdef struct Row:
    int64_t count, low, middle, high

cdef struct Panes:                      # of decimals
    const Row* rows                     # that of position p is rows[p]

cdef struct LongPanes:                  # of integers: their totals have no high word
    const Row* rows

ctypedef fused Terms:
    Marks
    Longs
    Wides
    Counts
    Panes
    LongPanes

ctypedef fused Values:
    Longs
    Wides

cdef struct Total:
    int64_t lo, hi
    int64_t count
    int128_t high, low

# In which order terms leave: that in which they came, or another one.
cdef struct InOrder:
    bint unused

cdef struct ByEnd:
    const int64_t* left                 # the position of the k-th to leave is left[k]

ctypedef fused Leaving:
    InOrder
    ByEnd


cdef inline void add(Total* total, int64_t count, int128_t high, int128_t low, int64_t sign) noexcept nogil:
    if sign > 0:
        total.count += count
        total.high += high
        total.low += low
    else:
        total.count -= count
        total.high -= high
        total.low -= low


cdef inline void add_value(Total* total, const Values* values, int64_t position, int64_t mask, int64_t sign) noexcept nogil:
    """``mask`` is 0 for a NULL, else -1: no branch can be mispredicted."""
    cdef const int64_t* words
    if Values is Wides:
        words = <const int64_t*>values.slice.data + 2 * position
        add(total, -mask, <int128_t>(words[1] & mask), <int128_t><uint64_t>(words[0] & mask), sign)
    else:
        add(total, -mask, 0, <int128_t>((<const int64_t*>values.slice.data)[position] & mask), sign)


cdef inline int64_t ones_in_word(const uint8_t* bits, int64_t first, int64_t length) noexcept nogil:
    """How many of the bits [first, first + length) are set; they are in 8 bytes."""
    cdef int64_t bytes = ((first & 7) + length + 7) >> 3, k
    cdef uint64_t word = 0
    if bytes == 8:
        memcpy(&word, bits + (first >> 3), 8)
    else:
        for k in range(bytes):
            word |= <uint64_t>bits[(first >> 3) + k] << (8 * k)
    word = word >> (first & 7) & <uint64_t>-1 >> (64 - length)
    word -= word >> 1 & 0x5555555555555555ULL                # of each two bits, four, eight, and all
    word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL)
    word = word + (word >> 4) & 0x0F0F0F0F0F0F0F0FULL
    return <int64_t>(word * 0x0101010101010101ULL >> 56)


cdef inline int64_t ones(const uint8_t* bits, int64_t first, int64_t last) noexcept nogil:
    """How many of the bits [first, last) are set."""
    cdef int64_t count = 0, length
    while first < last:
        length = min(last - first, 64 - (first & 7))
        count += ones_in_word(bits, first, length)
        first += length
    return count


cdef inline void fold_terms(Total* total, const Terms* terms, int64_t first, int64_t last, int64_t sign) noexcept nogil:
    """Add (sign = 1) or remove (sign = -1) the terms at [first, last); a NULL adds nothing."""
    cdef int64_t position, bit
    cdef const Row* row
    if Terms is Marks:
        for position in range(first + terms.shift, last + terms.shift):
            total.count += sign * (terms.bits[position >> 3] >> (position & 7) & 1)
    elif Terms is Counts:
        for position in range(first, last):
            total.count += sign * terms.counts[position]
    elif Terms is LongPanes:
        for position in range(first, last):
            row = terms.rows + position
            add(total, row.count, 0, (<int128_t>row.middle << 64) + <int128_t><uint64_t>row.low, sign)
    elif Terms is Panes:
        for position in range(first, last):
            row = terms.rows + position
            add(total, row.count, (<int128_t>row.high << 64) + <int128_t><uint64_t>row.middle,
                <int128_t><uint64_t>row.low, sign)
    elif terms.slice.seen == NULL:
        for position in range(first, last):
            add_value(total, terms, position, -1, sign)
    else:
        for position in range(first, last):
            bit = terms.slice.bit + position
            add_value(total, terms, position, -<int64_t>(terms.slice.seen[bit >> 3] >> (bit & 7) & 1), sign)


cdef inline void shift_to(Total* total, const Terms* terms, Leaving leaving, int64_t start, int64_t end) noexcept nogil:
    """Go on to the frame [start, end): of what came before ``end`` the first ``start`` to leave have left."""
    cdef int64_t position
    if Leaving is ByEnd:
        if start >= end:
            total[0] = Total(start, start, 0, 0, 0)
        fold_terms(total, terms, total.hi, end, 1)  # first: some may leave before the next frame that they would be in
        while total.lo < start:
            position = leaving.left[total.lo]
            fold_terms(total, terms, position, position + 1, -1)
            total.lo += 1
    else:
        if start >= total.hi:
            total[0] = Total(start, start, 0, 0, 0)
        if Terms is Marks:
            if unlikely(start - total.lo + end - total.hi >= MANY):
                total.count += ones(terms.bits, total.hi + terms.shift, end + terms.shift)
                total.count -= ones(terms.bits, total.lo + terms.shift, start + terms.shift)
                total.lo, total.hi = start, end
                return
        fold_terms(total, terms, total.lo, start, -1)
        fold_terms(total, terms, total.hi, end, 1)
    total.lo, total.hi = start, end
