# A column of doubles for kernels whose common loop keeps all in registers and is compiled for columns with NULLs and
# without.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t

from inwindow.native.kernel cimport Slice, slice_of


cdef struct Doubles:
    Slice slice
    int64_t base             # the first position that is held


# The validity bitmap of a slice, or none.
cdef struct NoBits:
    bint unused


cdef struct Bits:
    const uint8_t* seen


ctypedef fused Validity:
    NoBits
    Bits


cdef inline bint is_valid(Validity validity, int64_t bit) noexcept nogil:
    if Validity is NoBits:
        return True
    else:
        return validity.seen[bit >> 3] >> (bit & 7) & 1


cdef inline Doubles doubles_of(values, int64_t base):
    return Doubles(slice_of(values, base, 8), base)


cdef inline double at(const Doubles* values, int64_t position) noexcept nogil:
    return (<const double*>values.slice.data)[position]


# --- Doubles by their bits, as int64 that compare as the doubles do in Spark -----------------------------------

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
