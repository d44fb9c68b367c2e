# cython: cdivision=True
# The sort key of a row as a string of bits that compares as the row sorts.
#
# A column is one or several words of 64 bits, most significant first. Only what varies is part of the key: of a word
# either the distance to the smallest one, without the low bits that all rows share, or the bits in which rows differ,
# whichever is less; and a bit for NULLs where some but not all are::
#
#     k  int64, 0 to 9               bits 0..3
#     t  timestamps, 1 h, seconds    bits 4..15         microseconds are all zero: 6 bits less
#     s  strings "item 4711"         bits 16..31        without "item "; digits as ASCII differ in four bits
#
# fetch() reads any 64 bits of the keys of any rows, block by block: nothing is stored.

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from inwindow.native.words cimport (
    BLOCK, FIXED, PARTS, Column, Range, __builtin_ctzll, __builtin_popcountll, bit_length, blocks_of, is_null, read_words,
    text_of,
)


cdef inline void read_values(
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


cdef inline void narrow(const Range* its, int64_t n, uint64_t* words) noexcept nogil:
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


cdef inline void read_nulls(
    const Column* column, const int64_t* rows, int64_t first, int64_t n, uint64_t* out
) noexcept nogil:
    """1 for the values on the far side of NULLs, or for NULLs where they come last."""
    cdef int64_t i
    for i in range(n):
        out[i] = is_null(column, first + i if rows == NULL else rows[i]) != column.nulls_first


# --- Measuring -----------------------------------------------------------------------------------------------------

cdef inline Range range_of(const Column* column, int64_t word, int64_t n) noexcept nogil:
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


cdef inline Range narrowed(uint64_t low, uint64_t high, uint64_t differ) noexcept nogil:
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


cdef inline void measure_texts(Column* column, int64_t n) noexcept nogil:
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


cdef inline void measure(Column* column, int64_t n) noexcept nogil:
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


cdef inline Key key_of(Column* columns, int count, int64_t n) noexcept nogil:
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


cdef inline void fetch(
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
