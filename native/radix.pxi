# Sorting 64-bit words. Text that _order.pyx includes.
#
# Most significant digit first: a pass cuts the words into up to 2048 parts, each of which is then sorted in the same
# way, until a part is small enough to be sorted by insertion. Two passes do for a million words that are spread evenly; the
# second one works in the cache. A digit is as wide as pays for so many words, and begins at the highest bit that
# varies among them, so bits that are constant cost nothing.

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    FEW = 24                 # words that are sorted by insertion
    DIGIT = 11               # bits of a digit, at most
    COUNTERS = 7 * 2048      # for all digits of one word: below 11 bits, digits have fewer counters than bits save


cdef void sort_few(uint64_t* words, int64_t n) noexcept nogil:
    cdef int64_t i, j
    cdef uint64_t word
    for i in range(1, n):
        word = words[i]
        j = i
        while j > 0 and words[j - 1] > word:
            words[j] = words[j - 1]
            j -= 1
        words[j] = word


cdef void sort_words(
    uint64_t* words, uint64_t* other, int64_t n, int low, bint into_other, int64_t* counters
) noexcept nogil:
    """Sort; bits below ``low`` ascend already in words that are equal otherwise.

    The result is in ``words`` or in ``other``, which has the same length.
    """
    cdef int64_t i, at, count, start
    cdef int digit, shift, high
    cdef uint64_t mask, differ = 0
    if n <= FEW:
        sort_few(words, n)
        if into_other:
            memcpy(other, words, n * sizeof(uint64_t))
        return
    for i in range(1, n):
        differ |= words[i] ^ words[0]
    high = bit_length(differ)
    if high <= low:
        if into_other:
            memcpy(other, words, n * sizeof(uint64_t))
        return
    digit = min(<int>DIGIT, max(bit_length(<uint64_t>n) - 3, 1), high - low)
    shift = high - digit
    mask = (1ull << digit) - 1
    memset(counters, 0, (1 << digit) * sizeof(int64_t))
    for i in range(n):
        counters[words[i] >> shift & mask] += 1
    start = 0
    for i in range(1 << digit):
        count = counters[i]
        counters[i] = start
        start += count
    for i in range(n):
        at = words[i] >> shift & mask
        other[counters[at]] = words[i]
        counters[at] += 1
    if shift <= low:
        if not into_other:
            memcpy(words, other, n * sizeof(uint64_t))
        return
    start = 0
    for i in range(1 << digit):
        count = counters[i] - start
        if count == 1:
            if not into_other:
                words[start] = other[start]
        elif count:
            sort_words(other + start, words + start, count, low, not into_other, counters + (1 << digit))
        start += count
