# The sort key of a row as a string of bits that compares as the row sorts. Text that _order.pyx includes.
#
# A column is one or several words of 64 bits, most significant first. Only what varies is part of the key: a word is
# taken from its smallest value on, without the low bits that all rows share, and a bit for NULLs is there where some
# but not all are::
#
#     k  int64, 0 to 9               bits 0..3
#     t  timestamps, 1 h, seconds    bits 4..15         microseconds are all zero: 6 bits less
#     s  strings "item 4711"         bits 16..41        without "item ", eight bytes a word; the length at the end
#
# fetch() reads any 64 bits of the keys of any rows, block by block: nothing is stored.

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


# --- Words ---------------------------------------------------------------------------------------------------------

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


cdef void read_words(
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


cdef void read_values(
    const Column* column, int64_t word, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    """As :func:`read_words`, in the word's range; 0 for NULL."""
    cdef int64_t i
    read_words(column, word, rows, first, n, out)
    if word == column.first:
        narrow(&column.head, n, out)
    elif word == column.last:
        narrow(&column.tail, n, out)
    if column.valid != NULL:
        for i in range(n):
            if is_null(column, first + i if rows == NULL else rows[i]):
                out[i] = 0


cdef void narrow(const Range* its, int64_t n, uint64_t* words) noexcept nogil:
    """Words without what is the same in all."""
    cdef uint64_t sums[BLOCK]
    cdef int64_t i
    cdef int part
    if its.parts == 1:
        for i in range(n):
            words[i] = (words[i] - its.low) >> its.shifts[0]
        return
    memset(sums, 0, n * sizeof(uint64_t))
    for part in range(its.parts):
        for i in range(n):
            sums[i] |= words[i] >> its.shifts[part] & its.masks[part]
    memcpy(words, sums, n * sizeof(uint64_t))


cdef void read_nulls(
    const Column* column, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    """1 for the values on the far side of NULLs, or for NULLs where they come last."""
    cdef int64_t i
    for i in range(n):
        out[i] = is_null(column, first + i if rows == NULL else rows[i]) != column.nulls_first


# --- Measuring -----------------------------------------------------------------------------------------------------

cdef Range range_of(const Column* column, int64_t word, int64_t n) noexcept nogil:
    """The range of a word over all rows but NULLs."""
    cdef uint64_t words[BLOCK]
    cdef uint64_t low = <uint64_t>-1, high = 0, differ = 0, some = 0
    cdef int64_t block, first, i, m
    cdef bint any_yet = False
    for block in range(blocks_of(n)):
        first = block * BLOCK
        m = min(<int64_t>BLOCK, n - first)
        read_words(column, word, NULL, first, m, words)
        if column.valid != NULL:
            for i in range(m):  # a NULL's word is whatever the memory holds
                if not is_null(column, first + i):
                    some = words[i]
                    any_yet = True
                    break
            if not any_yet:
                continue
            for i in range(m):
                words[i] = some if is_null(column, first + i) else words[i]
        elif first == 0:
            some = words[0]
        for i in range(m):
            low = min(low, words[i])
            high = max(high, words[i])
            differ |= words[i] ^ some
    return narrowed(low, high, differ)


cdef Range narrowed(uint64_t low, uint64_t high, uint64_t differ) noexcept nogil:
    """The fewer of two kinds of bits: of the distance to the lowest word, and those in which some words differ."""
    cdef Range its
    cdef int end, start, bits = 0
    memset(&its, 0, sizeof(Range))
    its.parts = 1
    if differ == 0:
        return its
    its.low, its.shifts[0] = low, __builtin_ctzll(differ)
    its.bits = bit_length((high - low) >> its.shifts[0])
    if __builtin_popcountll(differ) + 4 > its.bits or __builtin_popcountll(differ & ~(differ << 1)) > PARTS:
        return its
    its.low = its.parts = 0
    while differ:  # a part for each run of ones, the lowest first: what is between two of them goes
        start = __builtin_ctzll(differ)
        end = start + __builtin_ctzll(~(differ >> start))
        its.shifts[its.parts] = start - bits
        its.masks[its.parts] = ((1ull << (end - start)) - 1) << bits
        its.parts += 1
        bits += end - start
        differ &= ~(((1ull << (end - start)) - 1) << start)
    its.bits = bits
    return its


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


cdef void measure_texts(Column* column, int64_t n) noexcept nogil:
    """How texts begin and how long they are."""
    cdef const char* model = NULL
    cdef const char* text = NULL
    cdef int64_t row, length, same, shortest = 0, longest = 0
    for row in range(n):
        if is_null(column, row):
            continue
        length = text_of(column, row, &text)
        if model == NULL:
            model, shortest, longest, column.skip = text, length, length, length
        shortest, longest = min(shortest, length), max(longest, length)
        column.skip = min(column.skip, length)
        if memcmp(model, text, <size_t>column.skip):
            same = 0
            while model[same] == text[same]:
                same += 1
            column.skip = same
    column.last = (longest - column.skip + 7) // 8
    column.measured = True  # the last word is the length
    cdef uint64_t low = <uint64_t>(~longest if column.descending else shortest)
    column.tail = narrowed(low, low + <uint64_t>(longest - shortest), <uint64_t>-1 if longest > shortest else 0)
    if column.last:
        column.head = range_of(column, 0, n)


cdef void measure(Column* column, int64_t n) noexcept nogil:
    """Find what varies, once; of several words, the first that does."""
    cdef int64_t row, nulls = 0
    if column.measured:
        return
    if column.valid != NULL:
        for row in range(n):
            nulls += is_null(column, row)
    column.null_bits = 0 < nulls < n
    column.first = column.skip = 0
    column.last = (column.width + 7) // 8 - 1
    column.head = column.tail = narrowed(0, 0, 0)
    if nulls < n:
        if column.kind >= FIXED:
            measure_texts(column, n)
        else:
            column.head = range_of(column, 0, n)
            while column.head.bits == 0 and column.first < column.last:
                column.first += 1
                column.head = range_of(column, column.first, n)
            if column.first < column.last:
                column.tail = range_of(column, column.last, n)
    else:
        column.last = 0
    column.bits = column.null_bits + column.head.bits
    if column.first < column.last:
        column.bits += 64 * (column.last - column.first - 1) + column.tail.bits
    column.measured = True


# --- The key -------------------------------------------------------------------------------------------------------

cdef struct Key:
    Column* columns
    int count
    int64_t bits


cdef Key key_of(Column* columns, int count, int64_t n) noexcept nogil:
    """The columns one behind the other."""
    cdef int64_t bits = 0
    cdef int i
    for i in range(count):
        measure(&columns[i], n)
        columns[i].begin = bits
        bits += columns[i].bits
    return Key(columns, count, bits)


cdef inline void put(
    const uint64_t* values, int64_t n, int64_t begin, int64_t end, int64_t since, int64_t until, uint64_t* out
) noexcept nogil:
    """Values that are the bits [begin, end) of keys, into ``out``, which holds [since, until)."""
    cdef uint64_t mask = <uint64_t>-1
    cdef int64_t i, shift = until - end
    if begin < since:
        mask = (1ull << (end - since)) - 1  # fewer than the value's bits, so fewer than 64
    if shift >= 0:
        for i in range(n):
            out[i] |= (values[i] & mask) << shift
    else:
        for i in range(n):
            out[i] |= (values[i] & mask) >> -shift


cdef void fetch(
    const Key* key, int64_t since, int width, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    """The bits [since, since + width) of the keys of some rows, at most BLOCK."""
    cdef uint64_t words[BLOCK]
    cdef const Column* column
    cdef int64_t begin, end, word, until = since + width
    cdef int i
    memset(out, 0, n * sizeof(uint64_t))
    for i in range(key.count):
        column = &key.columns[i]
        begin = column.begin
        if begin + column.bits <= since or column.bits == 0:
            continue
        if begin >= until:
            return
        if column.null_bits:
            if begin >= since:
                read_nulls(column, rows, first, n, words)
                put(words, n, begin, begin + 1, since, until, out)
            begin += 1
        end = begin + column.head.bits
        if begin < end and since < end and begin < until:
            read_values(column, column.first, rows, first, n, words)
            put(words, n, begin, end, since, until, out)
        word = column.first + 1
        if since - end >= 64:  # words that lie before what is asked for
            word += min((since - end) // 64, column.last - word)
        begin = end + 64 * (word - column.first - 1)
        while word <= column.last and begin < until:
            end = begin + (64 if word < column.last else column.tail.bits)
            if begin < end and since < end:
                read_values(column, word, rows, first, n, words)
                put(words, n, begin, end, since, until, out)
            begin = end
            word += 1
