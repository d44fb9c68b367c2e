# Doubles by their bits, as int64 that compare as the doubles do in Spark. Text that kernels include.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

cdef int64_t INFINITE = 0x7FF0000000000000    # the bits of a double: what is above, without the sign, is NaN
cdef int64_t NAN = 0x7FF8000000000000


cdef inline int64_t one_nan(int64_t word) noexcept nogil:
    """The bits of the double, but of every NaN the same."""
    return NAN if word & INT64_MAX > INFINITE else word


cdef inline int64_t one_nan_one_zero(int64_t word) noexcept nogil:
    """The same bits for equal doubles: any two NaN are, and -0.0 and 0.0."""
    if word & INT64_MAX > INFINITE:
        return NAN
    return 0 if word == INT64_MIN else word


cdef inline int64_t ranked(int64_t word) noexcept nogil:
    """The int64 that ranks as the double of these bits does, -0.0 right below 0.0; and the bits of a rank."""
    return word ^ ((word >> 63) & INT64_MAX)
