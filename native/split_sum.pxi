# The sum of _sums.pyx over one frame, in two doubles: the grid that splits them, how terms are added and removed, and
# what keeps the error below its bound.
# Text of _sums.pyx: as inline functions of a .pxd the same makes its common loop a tenth slower (measured).

from libc.math cimport fabs, fmax, fmin, frexp, isfinite, isnan, ldexp
from libc.stdint cimport int64_t

from inwindow.native.doubles cimport Doubles, at
from inwindow.native.kernel cimport is_seen

cdef extern from *:
    """
    #define REACH (1 << 20)             /* positions from a refold to the horizon, where the frame is not larger */
    #define FINEST 0x1p-1012            /* the limit of the finest grid, on which low is exact, too */
    """
    const int64_t REACH
    const double FINEST


cdef struct Sum:
    int64_t lo, hi                      # the frame: positions [lo, hi)
    int64_t finite, nans, ups, downs    # its values, counted: finite, NaN, inf, -inf
    double high, low                    # scale * the sum of the finite ones
    double scale
    double sigma, limit                 # the grid, and the greatest sum it is for
    double floor, doubt                 # floor = doubt * limit
    int64_t horizon, witness, searched
    int64_t tuples                      # of panes: in all of them


cdef struct Partial:
    double high, low         # the sum of a pane is high + low
    double special           # or this, if it is not 0: NaN, inf or -inf, because of the values or as the pane overflows
    int64_t count


# Panes in the place of values. Each is two terms, at twice its position: high (or special), and low; NULL if it is empty.
cdef struct Panes:
    const Partial* rows      # of pane p: rows[p]
    int64_t base             # the first position that is held


ctypedef fused Terms:
    Doubles
    Panes


cdef inline bint is_there(const Terms* terms, int64_t position) noexcept nogil:
    if Terms is Doubles:
        return is_seen(&terms.slice, position)
    else:
        return terms.rows[position >> 1].count > 0


cdef inline double term_at(const Terms* terms, int64_t position) noexcept nogil:
    cdef const Partial* pane
    if Terms is Doubles:
        return at(terms, position)
    else:
        pane = &terms.rows[position >> 1]
        if position & 1:
            return pane.low
        return pane.high if pane.special == 0.0 else pane.special


cdef void begin(Sum* sum) noexcept nogil:
    sum.scale = 1.0
    sum.doubt = ldexp(1.0, -21)
    restart(sum, 0)
    set_grid(sum, FINEST)


cdef void restart(Sum* sum, int64_t position) noexcept nogil:
    """An empty frame; the grid stays, as the next values are likely to be of the same size."""
    sum.lo = sum.hi = position
    sum.finite = sum.nans = sum.ups = sum.downs = 0
    zero(sum)


cdef void zero(Sum* sum) noexcept nogil:
    sum.high = sum.low = 0.0
    sum.horizon = sum.hi + REACH


cdef void set_grid(Sum* sum, double limit) noexcept nogil:
    """Move to the grid for sums up to ``limit``, a power of two. What high cannot hold there goes to low."""
    cdef double head
    sum.limit = limit
    sum.sigma = 6.0 * limit             # so the terms, up to 2 * limit, leave it within a factor of two
    sum.floor = sum.doubt * limit if limit > FINEST else 0.0
    head = (sum.high + sum.sigma) - sum.sigma
    sum.low += sum.high - head
    sum.high = head
    sum.witness = -1
    sum.searched = sum.lo


cdef void coarsen(Sum* sum, double magnitude) noexcept nogil:
    """Make room for sums of eight times ``magnitude``."""
    cdef int exponent
    frexp(magnitude, &exponent)
    if exponent > 960:
        sum.scale = ldexp(sum.scale, -128)
        sum.high = ldexp(sum.high, -128)
        sum.low = ldexp(sum.low, -128)
        exponent -= 128
    set_grid(sum, fmax(ldexp(1.0, exponent + 4), 2.0 * FINEST))


cdef void fold(Sum* sum, const Terms* terms, int64_t start, int64_t end, int64_t sign) noexcept nogil:
    """Add (sign = 1) or remove (sign = -1) the terms at [start, end)."""
    cdef double high = sum.high, low = sum.low, x, head, next_high
    cdef int64_t position = start
    while position < end:
        if is_there(terms, position):
            x = sign * sum.scale * term_at(terms, position)
            head = (x + sum.sigma) - sum.sigma
            next_high = high + head
            if fabs(next_high) <= sum.limit:
                high = next_high
                low += x - head
                sum.finite += sign
            elif isfinite(x):
                sum.high = high
                sum.low = low
                coarsen(sum, fmax(fabs(high), fabs(x)))
                high = sum.high
                low = sum.low
                continue                # with the same value, on the new grid
            elif isnan(x):
                sum.nans += sign
            elif term_at(terms, position) > 0:
                sum.ups += sign
            else:
                sum.downs += sign
        position += 1
    sum.high = high
    sum.low = low


cdef bint find_witness(Sum* sum, const Terms* terms) noexcept nogil:
    """Look among the values that came since the last search, newest first."""
    cdef int64_t position = sum.hi
    cdef double weight = 0.0
    while weight < sum.floor and position > sum.searched and position > sum.lo:
        position -= 1
        if is_there(terms, position) and isfinite(term_at(terms, position)):
            weight += fabs(sum.scale * term_at(terms, position))
    sum.searched = sum.hi
    if weight >= sum.floor:
        sum.witness = position
    return weight >= sum.floor


cdef void refold(Sum* sum, const Terms* terms) noexcept nogil:
    cdef int64_t hi = sum.hi
    cdef double reach = fmax(REACH, 4.0 * (hi - sum.lo))
    # No step changes high by more than 2 * limit, so 1.25 * reach values (the frame, and all that enter up to the
    # horizon) weigh 2.5 * reach * limit at most, and their tails, 2**-53 * (|x| + sigma) each, 10 * 2**-53 * reach *
    # limit. Each of 2.5 * reach steps rounds low by 2**-53 of that: together by less than 2**-101 * reach**2 * limit,
    # which is 2**-40 * floor if floor = 2**-61 * reach**2 * limit. (A frame of more than 2**25 tuples would need
    # floor > limit / 64. There the bound is not proven any more; it takes all roundings on one side to reach it.)
    sum.doubt = fmin(ldexp(reach * reach, -61), ldexp(1.0, -6))
    sum.scale = 1.0
    restart(sum, sum.lo)
    set_grid(sum, FINEST)
    fold(sum, terms, sum.lo, hi, 1)
    sum.hi = hi
    sum.horizon = hi + <int64_t>reach
    find_witness(sum, terms)


cdef inline void audit(Sum* sum, const Terms* terms) noexcept nogil:
    """Restore the invariant."""
    if sum.hi <= sum.horizon and fabs(sum.high + sum.low) >= sum.floor:
        return
    if terms.base > sum.lo:           # a frame that only grows: what has made its error is still in it
        sum.horizon = sum.hi + REACH
    elif sum.hi > sum.horizon or not (sum.lo <= sum.witness or find_witness(sum, terms)):
        refold(sum, terms)


cdef void move(Sum* sum, const Terms* terms, int64_t start, int64_t end) noexcept nogil:
    """Move to the frame [start, end)."""
    if start >= sum.hi:
        restart(sum, start)
    elif start > sum.lo:
        fold(sum, terms, sum.lo, start, -1)
        sum.lo = start
        if sum.finite == 0:
            zero(sum)
    if end > sum.hi:
        fold(sum, terms, sum.hi, end, 1)
        sum.hi = end
    audit(sum, terms)
