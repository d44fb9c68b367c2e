# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Counts and sums of what holds, where values leave in another order than they came: nothing of them may stay behind.

Frame i holds the values at the positions [0, end[i]) without those at left[0 : start[i]]: see _sweep.pyx. A running sum of doubles
would keep the rounding of every value that has left, and there is no run of values to fold afresh. So sums are exact::

    x = mantissa * 2**e      added as an integer, at bit e + 1074 of one long fixed-point number (Kulisch's accumulator)

                 limb 35     limb 34     limb 33      limbs of 32 bits, each in a 64-bit integer, so that carries can wait:
    1e16      ...      23     86F2 6FC1   0000 0000     they are settled where a result is read, or after 2**29 values
    1.0                                   0000 0001
    their sum          23     86F2 6FC1   0000 0001     and without 1e16 again just 1.0

NaN and infinities are counted beside it. Where 128 bits hold all bits of the values and of their sums, as they mostly do, the number
is one integer of 128 bits. So are sums of integers.

*Cost*: O(1) per value; a result of limbs reads those between the smallest and the largest value that the group has had, about six.
"""

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

from libc.math cimport INFINITY, NAN, ldexp
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    typedef __int128 int128_t;
    typedef unsigned __int128 uint128_t;
    #define DIGIT 0xFFFFFFFFLL
    #define FRACTION 0xFFFFFFFFFFFFFULL
    """
    ctypedef long long int128_t         # Cython needs a name and a rank; the C compiler knows the size
    ctypedef unsigned long long uint128_t
    const int64_t DIGIT
    const uint64_t FRACTION

cdef enum:
    LIMBS = 70                          # 2098 bits, and room for carries
    OFTEN = 1 << 29


cdef struct Wide:
    int64_t limb[LIMBS]
    int low, high                       # the limbs that are not 0 are among [low, high]
    int64_t added                       # since carries were settled
    int64_t finite, nans, ups, downs


cdef inline void clear(Wide* sum) noexcept nogil:
    if sum.low <= sum.high:
        memset(&sum.limb[sum.low], 0, (sum.high - sum.low + 1) * sizeof(int64_t))
    sum.low, sum.high, sum.added = LIMBS, -1, 0
    sum.finite = sum.nans = sum.ups = sum.downs = 0


cdef inline void settle(Wide* sum) noexcept nogil:
    """Every limb but the last in 32 bits."""
    cdef int64_t carry = 0, value
    cdef int i
    for i in range(sum.low, sum.high + 1):
        value = sum.limb[i] + carry
        sum.limb[i] = value & DIGIT
        carry = value >> 32
    if carry:
        sum.high += 1
        sum.limb[sum.high] = carry
    sum.added = 0


cdef inline void fold(Wide* sum, double x, int64_t sign) noexcept nogil:
    """Put a value in (sign 1), or take it out (-1)."""
    cdef uint64_t bits
    cdef int exponent, i
    cdef uint128_t part
    memcpy(&bits, &x, 8)
    exponent = <int>(bits >> 52) & 0x7FF
    if exponent == 0x7FF:
        if x != x:
            sum.nans += sign
        elif x > 0:
            sum.ups += sign
        else:
            sum.downs += sign
        return
    sum.finite += sign
    part = bits & FRACTION
    if exponent:
        part |= <uint128_t>1 << 52
        exponent -= 1
    i = exponent >> 5
    part <<= exponent & 31
    if bits >> 63:
        sign = -sign
    sum.limb[i] += sign * <int64_t>(part & DIGIT)
    sum.limb[i + 1] += sign * <int64_t>((part >> 32) & DIGIT)
    sum.limb[i + 2] += sign * <int64_t>(part >> 64)
    if i < sum.low:
        sum.low = i
    if i + 2 > sum.high:
        sum.high = i + 2
    sum.added += 1
    if sum.added == OFTEN:
        settle(sum)


cdef inline double total(const Wide* sum) noexcept nogil:
    """The sum, rounded once."""
    cdef int64_t digits[LIMBS + 1]
    cdef int64_t carry = 0, value
    cdef int i, top, k
    cdef bint negative, rest = False
    cdef uint128_t head = 0
    if sum.nans or (sum.ups and sum.downs):
        return NAN
    if sum.ups or sum.downs:
        return INFINITY if sum.ups else -INFINITY
    for i in range(sum.low, sum.high + 1):
        value = sum.limb[i] + carry
        digits[i] = value & DIGIT
        carry = value >> 32
    negative = carry < 0
    if negative:                        # the digits of the negated number
        value = 1
        for i in range(sum.low, sum.high + 1):
            value += digits[i] ^ DIGIT
            digits[i] = value & DIGIT
            value >>= 32
        carry = ~carry + value
    top = sum.high + 1
    digits[top] = carry
    while top >= sum.low and digits[top] == 0:
        top -= 1
    if top < sum.low:
        return 0.0
    k = max(top - 2, sum.low)
    for i in range(top, k - 1, -1):
        head = head << 32 | <uint128_t>digits[i]
    for i in range(sum.low, k):
        rest = rest or digits[i] != 0
    if rest:
        head |= 1                       # so that what is cut off rounds the right way
    return (-1 if negative else 1) * ldexp(<double>head, 32 * k - 1074)


# The values of a column in the order in which they enter, and which of them count.
cdef struct Column:
    const int64_t* integers
    const double* doubles
    const uint8_t* validity
    int64_t offset


cdef Column column_of(values):
    cdef const void* data = NULL
    cdef const uint8_t* validity = NULL
    if not pa.types.is_null(values.type) and len(values.buffers()) > 1 and values.buffers()[1] is not None:
        data = <const void*><uintptr_t>values.buffers()[1].address
    if values.null_count:
        validity = <const uint8_t*><uintptr_t>values.buffers()[0].address
    return Column(<const int64_t*>data, <const double*>data, validity, values.offset)


cdef inline bint counts(const Column* column, int64_t p) noexcept nogil:
    p += column.offset
    return column.validity == NULL or (column.validity[p >> 3] >> (p & 7)) & 1


cdef struct Span:
    int low, high                       # the exponents of the lowest bit of any value, and of the highest
    bint special                        # there are NaN or infinities


cdef Span span_of(const Column* column, int64_t n) noexcept nogil:
    """Which bits the values have."""
    cdef Span span = Span(4096, -1, False)
    cdef int64_t p
    cdef uint64_t bits
    cdef int exponent
    for p in range(n):
        if counts(column, p):
            memcpy(&bits, &column.doubles[p + column.offset], 8)
            exponent = <int>(bits >> 52) & 0x7FF
            if exponent == 0x7FF:
                span.special = True
            elif bits << 1:
                exponent = max(exponent, 1)
                span.low = min(span.low, exponent)
                span.high = max(span.high, exponent)
    return span


cdef inline int128_t fixed(double x, int low) noexcept nogil:
    """A value in units of its lowest bit, 2**(low - 1075)."""
    cdef uint64_t bits
    cdef int exponent
    cdef int128_t part
    memcpy(&bits, &x, 8)
    exponent = <int>(bits >> 52) & 0x7FF
    part = bits & FRACTION
    if exponent:
        part |= <int128_t>1 << 52
    part <<= max(exponent, 1) - low if bits << 1 else 0
    return -part if bits >> 63 else part


cdef made(kind, values, uint8_t[::1] is_null, bint nulls):
    return pa.array(values, kind, mask=np.asarray(is_null).view(np.bool_)) if nulls else pa.array(values, kind)


cdef class SweptCount:
    """How many values that are not NULL hold; all tuples, where there is no NULL."""

    def roll(self, values, const int64_t[::1] left, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame."""
        cdef int64_t n = start.shape[0], i, lo = 0, hi = 0, count = 0
        cdef int64_t[::1] out = space(n, np.int64)
        cdef Column column
        if not values.null_count:
            return pa.array(np.subtract(end, start))
        if pa.types.is_null(values.type):
            return pa.array(np.zeros(n, np.int64))
        column = column_of(values)
        with nogil:
            for i in range(n):
                while hi < end[i]:
                    count += counts(&column, hi)
                    hi += 1
                while lo < start[i]:
                    count -= counts(&column, left[lo])
                    lo += 1
                out[i] = count
        return pa.array(out.base[:n])


cdef class SweptDoubles:
    """``sum`` or ``avg`` of doubles."""

    cdef bint average

    def __init__(self, op):
        self.average = op == "avg"

    def roll(self, values, const int64_t[::1] left, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame; NULL where no value holds."""
        cdef int64_t n = start.shape[0], i, lo = 0, hi = 0, count
        cdef double[::1] out = space(n, np.float64)
        cdef uint8_t[::1] is_null = np.zeros(n, np.uint8)
        cdef bint nulls = False
        cdef Column column = column_of(values)
        cdef Wide sum
        cdef Span span = span_of(&column, len(values))
        cdef int64_t most = len(values), bits = 0
        while most:
            most >>= 1
            bits += 1
        # 2**-1000 and 2**1000 are far from where a double has fewer digits, or none.
        if not span.special and 75 < span.low and span.high < 2000 and span.high - span.low + 53 + bits < 127:
            nulls = self.narrow(&column, span.low, left, start, end, out, is_null)
            return made(pa.float64(), out.base[:n], is_null, nulls)
        memset(&sum, 0, sizeof(Wide))
        sum.low, sum.high = LIMBS, -1
        with nogil:
            for i in range(n):
                if start[i] >= hi and start[i] > lo:
                    clear(&sum)
                    lo = hi = start[i]  # all that came before have left
                while hi < end[i]:
                    if counts(&column, hi):
                        fold(&sum, column.doubles[hi + column.offset], 1)
                    hi += 1
                while lo < start[i]:
                    if counts(&column, left[lo]):
                        fold(&sum, column.doubles[left[lo] + column.offset], -1)
                    lo += 1
                count = sum.finite + sum.nans + sum.ups + sum.downs
                if count == 0:
                    clear(&sum)
                    out[i] = 0.0
                    is_null[i] = nulls = True
                else:
                    out[i] = total(&sum) / (count if self.average else 1)
        return made(pa.float64(), out.base[:n], is_null, nulls)


    cdef bint narrow(self, const Column* column, int low, const int64_t[::1] left, const int64_t[::1] start,
                     const int64_t[::1] end, double[::1] out, uint8_t[::1] is_null):
        """The same in 128 bits; whether there is a NULL."""
        cdef int64_t n = start.shape[0], i, lo = 0, hi = 0, count = 0
        cdef int128_t amount = 0
        cdef double unit = ldexp(1.0, low - 1075)
        cdef bint nulls = False, average = self.average
        with nogil:
            for i in range(n):
                while hi < end[i]:
                    if counts(column, hi):
                        amount += fixed(column.doubles[hi + column.offset], low)
                        count += 1
                    hi += 1
                while lo < start[i]:
                    if counts(column, left[lo]):
                        amount -= fixed(column.doubles[left[lo] + column.offset], low)
                        count -= 1
                    lo += 1
                if count == 0:
                    out[i] = 0.0
                    is_null[i] = nulls = True
                else:
                    out[i] = <double>amount * unit / (count if average else 1)
        return nulls


cdef class SweptIntegers:
    """``sum`` or ``avg`` of 64-bit integers; a sum beyond them is an error (``ansi``), or wraps around."""

    cdef bint average, ansi

    def __init__(self, op, bint ansi=True):
        self.average, self.ansi = op == "avg", ansi

    def roll(self, values, const int64_t[::1] left, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame; NULL where no value holds."""
        cdef int64_t n = start.shape[0], i, lo = 0, hi = 0, count = 0
        cdef int128_t amount = 0
        cdef int64_t[::1] out = space(n, np.int64)
        cdef double[::1] averages = space(n if self.average else 0, np.float64)
        cdef uint8_t[::1] is_null = np.zeros(n, np.uint8)
        cdef bint nulls = False, over = False
        cdef Column column = column_of(values)
        with nogil:
            for i in range(n):
                while hi < end[i]:
                    if counts(&column, hi):
                        amount += column.integers[hi + column.offset]
                        count += 1
                    hi += 1
                while lo < start[i]:
                    if counts(&column, left[lo]):
                        amount -= column.integers[left[lo] + column.offset]
                        count -= 1
                    lo += 1
                if count == 0:
                    is_null[i] = nulls = True
                    out[i] = 0
                    if self.average:
                        averages[i] = 0.0
                elif self.average:
                    averages[i] = <double>amount / count
                else:
                    over = over or amount > INT64_MAX or amount < INT64_MIN
                    out[i] = <int64_t>amount
        if over and self.ansi:
            raise OverflowError
        if self.average:
            return made(pa.float64(), averages.base[:n], is_null, nulls)
        return made(pa.int64(), out.base[:n], is_null, nulls)
