# Columns of anything that _extremes_at.pyx orders: the abbreviated key of a value, and how two values with equal keys
# compare.

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy

from inwindow.native.int128 cimport int128_t
from inwindow.native.kernel cimport Slice
from inwindow.native.doubles cimport one_nan_one_zero, ranked

cdef extern from *:
    uint64_t __builtin_bswap64(uint64_t) nogil


cdef struct Longs:
    Slice slice

cdef struct Doubles:
    Slice slice

cdef struct Wides:
    Slice slice                         # decimal128

cdef struct Texts:                      # string, binary
    Slice slice                         # offsets of 32 bits
    const char* chars
    const char* chars_end

cdef struct LargeTexts:
    Slice slice                         # offsets of 64 bits
    const char* chars
    const char* chars_end

ctypedef fused Column:
    Longs
    Doubles
    Wides
    Texts
    LargeTexts

ctypedef fused Strings:
    Texts
    LargeTexts

cdef struct Text:
    const char* chars
    int64_t length


cdef inline Text text_at(const Strings* column, int64_t position) noexcept nogil:
    cdef int64_t begin, end
    if Strings is Texts:
        begin = (<const int32_t*>column.slice.data)[position]
        end = (<const int32_t*>column.slice.data)[position + 1]
    else:
        begin = (<const int64_t*>column.slice.data)[position]
        end = (<const int64_t*>column.slice.data)[position + 1]
    return Text(column.chars + begin, end - begin)


cdef inline int128_t wide_at(const Slice* slice, int64_t position) noexcept nogil:
    cdef const int64_t* words = <const int64_t*>slice.data + 2 * position
    return (<int128_t>words[1] << 64) + <int128_t><uint64_t>words[0]


cdef inline int64_t key_at(const Column* column, int64_t position) noexcept nogil:
    """Where one value is less than another, its key is less or equal."""
    cdef uint64_t prefix = 0
    cdef int128_t wide
    cdef Text text
    if Column is Longs:
        return (<const int64_t*>column.slice.data)[position]
    elif Column is Doubles:
        return ranked(one_nan_one_zero((<const int64_t*>column.slice.data)[position]))
    elif Column is Wides:
        wide = wide_at(&column.slice, position)
        if wide == <int128_t><int64_t>wide:
            return <int64_t>wide
        return INT64_MIN if wide < 0 else INT64_MAX
    else:
        text = text_at(column, position)
        if text.length > 0:
            if column.chars_end - text.chars >= 8:
                memcpy(&prefix, text.chars, 8)
            else:
                memcpy(&prefix, text.chars, text.length)
            prefix = __builtin_bswap64(prefix)
            if text.length < 8:
                prefix &= ~(<uint64_t>-1 >> (8 * text.length))
        return <int64_t>prefix ^ INT64_MIN


cdef inline int compared(const Column* column, int64_t one, int64_t other) noexcept nogil:
    """Below, at or above 0 as the value at ``one`` is less than, equal to or greater than that at ``other``.

    For two positions with equal keys.
    """
    cdef int order
    cdef int128_t wide, another
    cdef Text text, longer
    if Column is Wides:
        wide, another = wide_at(&column.slice, one), wide_at(&column.slice, other)
        return (wide > another) - (wide < another)
    elif Column is Texts or Column is LargeTexts:
        text, longer = text_at(column, one), text_at(column, other)
        order = memcmp(text.chars, longer.chars, min(text.length, longer.length))
        return order if order else (text.length > longer.length) - (text.length < longer.length)
    else:
        return 0
