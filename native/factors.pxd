# cython: cdivision=True
# A product in two doubles and an exponent: how a factor joins it, and what its value is.

from libc.math cimport INFINITY, copysign, fabs, frexp, ldexp
from libc.stdint cimport int64_t
from libc.string cimport memcpy


cdef struct Factors:
    double high, low
    int64_t exponent


cdef inline void normalise(Factors* run, double high, double low) noexcept nogil:
    """high + low, of which low is the smaller, with 2**-400 <= high."""
    cdef double total = high + low
    low -= total - high
    while fabs(total) < 3.8725919148493183e-121:      # 2**-400
        total *= 2.5822498780869086e120     # 2**400
        low *= 2.5822498780869086e120
        run.exponent -= 400
    run.high, run.low = total, low


cdef inline double lost(double a, double b, double product) noexcept nogil:
    """What a * b rounded away: each factor is split into halves of 26 bits, whose products are exact."""
    cdef double part = 134217729.0 * a, a_high = part - (part - a), a_low = a - a_high, b_high, b_low
    part = 134217729.0 * b
    b_high = part - (part - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


cdef inline void multiply(Factors* run, double x) noexcept nogil:
    cdef int64_t bits, field
    cdef int exponent
    cdef double m, product
    memcpy(&bits, &x, 8)
    field = bits >> 52 & 0x7FF
    if field == 0 or field == 0x7FF:
        m = frexp(x, &exponent)
        if x == 0.0 or field:
            m = copysign(1.0, x)
            exponent = 0
        run.exponent += exponent
    else:
        run.exponent += field - 1022
        bits ^= (field ^ 1022) << 52
        memcpy(&m, &bits, 8)
    product = run.high * m
    normalise(run, product, lost(run.high, m, product) + run.low * m)


cdef inline double value_of(const Factors* run) noexcept nogil:
    """(high + low) * 2**exponent: high is the sum rounded, and rounds once more only where it becomes subnormal."""
    cdef int64_t bits = (run.exponent + 1023) << 52
    cdef double power
    if -400 < run.exponent < 1000:
        memcpy(&power, &bits, 8)
        return run.high * power
    if run.exponent > 1500 or run.exponent < -1100:
        return run.high * (INFINITY if run.exponent > 0 else 0.0)
    return ldexp(run.high, <int>run.exponent)
