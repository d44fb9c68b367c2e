# Doubles by their bits, as int64 that compare as the doubles do in Spark.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

cdef extern from *:
    """
    #define INFINITY_BITS 0x7FF0000000000000LL     /* what is above, without the sign, is NaN */
    #define NAN_BITS 0x7FF8000000000000LL
    """
    const int64_t INFINITY_BITS
    const int64_t NAN_BITS


cdef inline int64_t one_nan(int64_t word) noexcept nogil:
    """The bits of the double, but of every NaN the same."""
    return NAN_BITS if word & INT64_MAX > INFINITY_BITS else word


cdef inline int64_t one_nan_one_zero(int64_t word) noexcept nogil:
    """The same bits for equal doubles: any two NaN are, and -0.0 and 0.0."""
    if word & INT64_MAX > INFINITY_BITS:
        return NAN_BITS
    return 0 if word == INT64_MIN else word


cdef inline int64_t ranked(int64_t word) noexcept nogil:
    """The int64 that ranks as the double of these bits does, -0.0 right below 0.0; and the bits of a rank."""
    return word ^ ((word >> 63) & INT64_MAX)
