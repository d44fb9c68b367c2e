# cython: cdivision=True
# A column as words of 64 bits that compare as its values do, most significant first.
#
# Numbers are one word, decimals as many as they have, texts one for each eight bytes, and one for their length: words are filled up
# with zeros, so of "a" and "a\0" that alone tells which is the longer. Nothing is stored: words are made when they are asked for.

from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t,
)
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    int __builtin_clzll(unsigned long long) nogil
    int __builtin_ctzll(unsigned long long) nogil
    int __builtin_popcountll(unsigned long long) nogil
    uint64_t __builtin_bswap64(uint64_t) nogil

cdef enum:
    BLOCK = 1024             # rows whose words are made at a time: they stay in the first cache
    PARTS = 16               # of a word, at most: digits as ASCII vary in the low half of each byte

cdef enum Kind:
    SIGNED8, SIGNED16, SIGNED32, SIGNED64, UNSIGNED8, UNSIGNED16, UNSIGNED32, UNSIGNED64
    HALF, FLOAT, DOUBLE
    DECIMAL                  # several words, the least significant first in memory
    FIXED                    # bytes, all of one length
    TEXT32, TEXT64           # bytes, with offsets of 32 or 64 bits

cdef struct Range:           # which values of a word are there: the sum of the parts (word - low) >> shift & mask
    uint64_t low
    int bits                 # of the sum
    int parts
    int shifts[PARTS]
    uint64_t masks[PARTS]

cdef struct Column:
    Kind kind
    int64_t width            # bytes of a value (of DECIMAL, FIXED)
    const char* data         # values, or the offsets of texts
    const char* text
    const uint8_t* valid     # NULL where no value is NULL
    int64_t bit              # validity of row r is bit + r
    bint descending
    bint nulls_first
    bint measured            # what follows is known
    int null_bits
    int64_t skip             # so many bytes are the same in all texts
    int64_t first            # the first word that varies, and the last word; those between have 64 bits
    int64_t last
    Range head
    Range tail
    int64_t bits             # of all words, the bit for NULL included
    int64_t begin            # the column's place in the key


cdef inline int64_t blocks_of(int64_t n) noexcept nogil:
    return (n + BLOCK - 1) // BLOCK


cdef inline int bit_length(uint64_t x) noexcept nogil:
    return 64 - __builtin_clzll(x) if x else 0


ctypedef fused number_t:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef inline void read_numbers(
    const number_t* data, int64_t stride, uint64_t flip, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    cdef int64_t i
    if rows == NULL:
        data += first * stride
        for i in range(n):
            out[i] = <uint64_t>data[i * stride] ^ flip
    else:
        for i in range(n):
            out[i] = <uint64_t>data[rows[i] * stride] ^ flip


cdef inline void rank_floats(uint64_t* out, int64_t n, int bits, uint64_t infinity) noexcept nogil:
    """Bit patterns of floats as numbers that compare as they do; all NaNs are one, the largest; -0.0 is 0.0."""
    cdef uint64_t sign = 1ull << (bits - 1), every = sign | (sign - 1), word
    cdef int64_t i
    for i in range(n):
        word = out[i]
        word = infinity + 1 if (word & ~sign) > infinity else word
        word = 0 if word == sign else word
        out[i] = (~word if word & sign else word | sign) & every


cdef inline uint64_t bytes_at(const char* text, int64_t left) noexcept nogil:
    """Eight bytes as a number that compares as they do; zeros behind the end."""
    cdef uint64_t word = 0
    if left >= 8:
        memcpy(&word, text, 8)
    elif left > 0:
        memcpy(&word, text, <size_t>left)
    return __builtin_bswap64(word)


ctypedef fused offset_t:
    int32_t
    int64_t

cdef inline void read_texts(
    const Column* column, const offset_t* offsets, int64_t word, const int64_t* rows, int64_t first, int64_t n,
    uint64_t* out
) noexcept nogil:
    cdef int64_t i, row, at = column.skip + 8 * word
    cdef bint is_length = column.measured and word == column.last
    for i in range(n):
        row = first + i if rows == NULL else rows[i]
        if is_length:
            out[i] = <uint64_t>(offsets[row + 1] - offsets[row])
        else:
            out[i] = bytes_at(column.text + offsets[row] + at, offsets[row + 1] - offsets[row] - at)


cdef inline void read_bytes(
    const Column* column, int64_t word, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    cdef int64_t i, row, at = column.skip + 8 * word
    for i in range(n):
        row = first + i if rows == NULL else rows[i]
        out[i] = bytes_at(column.data + row * column.width + at, column.width - at)


cdef inline void read_words(
    const Column* column, int64_t word, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    """A word of some rows (``rows``, or those from ``first`` on), inverted for a descending order; any word for NULL."""
    cdef uint64_t sign = 1ull << 63
    cdef int64_t i, words = column.width // 8
    cdef Kind kind = column.kind
    cdef const char* data = column.data
    if kind == SIGNED64:
        read_numbers(<const int64_t*>data, 1, sign, rows, first, n, out)
    elif kind == SIGNED32:
        read_numbers(<const int32_t*>data, 1, sign, rows, first, n, out)
    elif kind == SIGNED16:
        read_numbers(<const int16_t*>data, 1, sign, rows, first, n, out)
    elif kind == SIGNED8:
        read_numbers(<const int8_t*>data, 1, sign, rows, first, n, out)
    elif kind == UNSIGNED64 or kind == DOUBLE:
        read_numbers(<const uint64_t*>data, 1, 0, rows, first, n, out)
    elif kind == UNSIGNED32 or kind == FLOAT:
        read_numbers(<const uint32_t*>data, 1, 0, rows, first, n, out)
    elif kind == UNSIGNED16 or kind == HALF:
        read_numbers(<const uint16_t*>data, 1, 0, rows, first, n, out)
    elif kind == UNSIGNED8:
        read_numbers(<const uint8_t*>data, 1, 0, rows, first, n, out)
    elif kind == DECIMAL:
        read_numbers(<const uint64_t*>data + (words - 1 - word), words, 0 if word else sign, rows, first, n, out)
    elif kind == FIXED:
        read_bytes(column, word, rows, first, n, out)
    elif kind == TEXT32:
        read_texts(column, <const int32_t*>data, word, rows, first, n, out)
    else:
        read_texts(column, <const int64_t*>data, word, rows, first, n, out)
    if kind == DOUBLE:
        rank_floats(out, n, 64, 0x7FF0000000000000u)
    elif kind == FLOAT:
        rank_floats(out, n, 32, 0x7F800000u)
    elif kind == HALF:
        rank_floats(out, n, 16, 0x7C00u)
    if column.descending:
        for i in range(n):
            out[i] = ~out[i]


cdef inline bint is_null(const Column* column, int64_t row) noexcept nogil:
    cdef int64_t bit = column.bit + row
    return column.valid != NULL and not column.valid[bit >> 3] >> (bit & 7) & 1


cdef inline int64_t text_of(const Column* column, int64_t row, const char** text) noexcept nogil:
    """The length of a text, and where it is."""
    cdef int64_t at, end
    if column.kind == FIXED:
        text[0] = column.data + row * column.width
        return column.width
    if column.kind == TEXT32:
        at, end = (<const int32_t*>column.data)[row], (<const int32_t*>column.data)[row + 1]
    else:
        at, end = (<const int64_t*>column.data)[row], (<const int64_t*>column.data)[row + 1]
    text[0] = column.text + at
    return end - at
