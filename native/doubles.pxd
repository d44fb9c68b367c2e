# A column of doubles for kernels whose common loop keeps all in registers and is compiled for columns with NULLs and
# without.

from libc.stdint cimport int64_t, uint8_t

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
