# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Variance and standard deviation over frames that slide for ever, with a bound on their own error.

The problem: the textbook's sum of squares minus square of the sum cancels where the mean is large beside the
spread, and a float sum is never rid of what has left it. So x is seen from an ``origin`` inside the frame ::

    y      = scale * (x - origin)       scale: a power of two, so that no square overflows or vanishes
    first  = sum of y                   second = sum of y * y
    M2     = second - first**2 / n      the sum of squared deviations from the mean, in units of scale**2

and the kernel carries along what rounding may have done to M2 at worst (running error analysis: Higham, Accuracy
and Stability of Numerical Algorithms, 3.3). Only the rows that slide by one tuple are summed plainly, as
``first += new - old; second += (new - old) * (new + old)``; all else is compensated.

*Invariant*: the computed M2 is off by ``error`` at most, and error <= 1e-9 * M2 with the rounding of the result in it.
Where that would fail, the frame is refolded from its values: origin = the value next to the mean (so a constant frame
has M2 = 0 exactly), error = the rounding of one pass. Where its values are gone, the frame only grows, M2 never
shrinks, and it is enough to move n, mean and M2 to the mean as the new origin (Chan, Golub, LeVeque 1979).

*Cost*: O(1) amortised per tuple. A refold leaves error near 1e-15 * M2. To make that 1e-9 takes 330 * n plain rows
for n = 10, and 5 million for n >= 1600 (in larger frames than that a refold costs n / 5e6 values a row). Or M2
shrinks 100,000 times: then nearly all of the weight has left, and doubles have the range for 250 such steps before
larger values come. A trend costs nothing: when the mean is a quarter of a deviation off, the origin follows in O(1).

NaN and infinities are counted, not added: any in the frame makes the result NaN, and is forgotten when it leaves.
"""

from libc.math cimport NAN, fabs, sqrt

from libc.stdint cimport int64_t, uint8_t

import pyarrow as pa

from inwindow.native._monoids import SpreadOfPanes
from inwindow.native.doubles cimport Bits, Doubles, NoBits, Validity, doubles_of, is_valid
from inwindow.native.kernel cimport Kernel, set_null
from inwindow.native.moments cimport ROUNDOFF, Moments, add, move, plain_rows, recentre, refold, restart, squares


# What is made of n values and M2: M2 / (n - ddof), or its root. The common loop is compiled for either.
cdef struct Variance:
    int64_t ddof


cdef struct Deviation:
    int64_t ddof


ctypedef fused Op:
    Variance
    Deviation


cdef inline double in_units(Op op, double variance, double unit) noexcept nogil:
    if Op is Variance:
        return variance * unit * unit
    else:
        return sqrt(variance) * unit


OPS = {"var_pop": (0, False), "var_samp": (1, False), "stddev_pop": (0, True), "stddev_samp": (1, True)}


cdef read_op(op):
    if op not in OPS:
        raise ValueError(f"op must be one of {', '.join(OPS)}, not {op!r}")
    return OPS[op]


# --- frames ---------------------------------------------------------------------------------------------------


cdef int64_t glide(Moments* m, const Doubles* values, Validity validity, Op op, const int64_t* start,
                   const int64_t* end, int64_t i, int64_t n, double* out) noexcept nogil:
    """The common case, in registers and summed plainly: frames that move by one tuple."""
    cdef int64_t lo = m.lo, hi = m.hi, finite = m.finite, entering, leaving
    cdef double scale, unit, origin, first, anchor, change = 0.0, new, old, next_first, next_change
    cdef double theta, mass, most, least, inverse, share
    cdef const double* x_at = <const double*>values.slice.data
    if finite < 2 or m.odd or i == n or end[i] != hi + 1 or start[i] != lo + 1:
        return i
    theta = max(0.0625, 100.0 / finite)
    if not plain_rows(m, theta) >= 1.0:
        refold(m, values)
    if 16.0 * (m.second - squares(m)) > squares(m):
        recentre(m)                     # the mean is more than a quarter of a deviation off
    if plain_rows(m, theta) < n - i:
        n = i + <int64_t>plain_rows(m, theta)
    mass = squares(m)
    most = theta * mass
    least = mass / (1.0 + theta)
    scale = m.scale
    unit = m.unit
    origin = scale * m.origin
    first = m.first
    anchor = m.second + m.second_low
    inverse = 1.0 / finite
    share = 1.0 / (finite - op.ddof)
    while i < n and end[i] == hi + 1 and start[i] == lo + 1:
        entering = is_valid(validity, hi + values.slice.bit)
        leaving = is_valid(validity, lo + values.slice.bit)
        if entering != leaving:
            if finite + entering - leaving < 2:
                break
            inverse = 1.0 / (finite + entering - leaving)
            share = 1.0 / (finite + entering - leaving - op.ddof)
        new = scale * x_at[hi] - origin if entering else 0.0
        old = scale * x_at[lo] - origin if leaving else 0.0
        next_first = first + (new - old)
        next_change = change + (new - old) * (new + old)
        mass = anchor + next_change - next_first * next_first * inverse
        if not (fabs(next_change) <= most and mass >= least):
            break
        first = next_first
        change = next_change
        finite += entering - leaving
        lo += 1
        hi += 1
        out[i] = in_units(op, mass * share, unit)
        i += 1
    m.error += (lo - m.lo) * 25.0 * ROUNDOFF * most
    m.lo = lo
    m.hi = hi
    m.finite = finite
    m.first = first
    add(&m.second, &m.second_low, change)
    return i


cdef int64_t fill(Moments* m, const Doubles* values, Op op, const int64_t* start, const int64_t* end, int64_t i,
                  int64_t n, double* out, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
    cdef int64_t count
    while i < n:
        if values.slice.seen == NULL:
            i = glide(m, values, NoBits(False), op, start, end, i, n, out)
        else:
            i = glide(m, values, Bits(values.slice.seen), op, start, end, i, n, out)
        if i == n:
            break
        move(m, values, start[i], end[i])
        count = m.finite + m.odd
        if count > op.ddof:
            out[i] = NAN if m.odd else in_units(op, m.mass / (count - op.ddof), m.unit)
        elif validity == NULL:
            break
        else:
            out[i] = 0.0
            set_null(validity, i)
        i += 1
    return i


cdef struct Partial:                    # of a pane: as `Spread` in _monoids.pyx
    double n
    double origin                       # a value of the pane
    double mean                         # as seen from the origin: far from 0, one double would not hold the sum of both
    double m2                           # NaN, as the mean, where a NaN or an infinity is in the pane
    int64_t marks                       # none


cdef class FloatMoments(Kernel):
    """var_pop, var_samp, stddev_pop or stddev_samp of float64 values.

    NULL where nothing is counted, and for the sample forms of a single value.

    >>> import numpy as np
    >>> FloatMoments("var_samp").roll(pa.array([1.0, 3.0, 5.0]), 0, np.array([0, 0, 1]), np.array([1, 2, 3])).to_pylist()
    [None, 2.0, 2.0]
    """

    cdef Moments moments
    cdef int64_t ddof
    cdef bint root, goes_on             # goes_on: from the states of many keys, whose folded values are not held

    def __cinit__(self, op):
        self.type, self.partial = pa.float64(), sizeof(Partial) // 8
        self.ddof, self.root = read_op(op)
        restart(&self.moments, 0)
        self.keep(&self.moments, sizeof(Moments))

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Doubles doubles = self.held(values, base)
        with nogil:
            if self.root:
                return fill(&self.moments, &doubles, Deviation(self.ddof), start, end, i, n, <double*>out, validity)
            return fill(&self.moments, &doubles, Variance(self.ddof), start, end, i, n, <double*>out, validity)

    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1:
        cdef Doubles doubles = doubles_of(values, base)
        cdef Partial* rows = <Partial*>out
        cdef Moments* m = &self.moments
        cdef int64_t i
        with nogil:
            for i in range(n):
                move(m, &doubles, start[i], end[i])
                rows[i] = Partial(m.finite + m.odd, 0.0, 0.0, 0.0, 0)
                if m.odd:
                    rows[i].mean = rows[i].m2 = NAN
                elif m.finite:
                    rows[i].origin = m.origin
                    rows[i].mean = (m.first + m.first_low) / m.finite * m.unit
                    rows[i].m2 = m.mass * m.unit * m.unit

    def of_panes(self):
        """The second level: runs are merged, on two stacks."""
        return SpreadOfPanes(self.ddof, self.root)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Doubles doubles = self.held(values, base)
        with nogil:
            move(&self.moments, &doubles, start, end)

    def resume(self, values, first, end, folded, grown, shift, list states):
        """As of all kernels; a frame must not be refolded then: before a key's new values stand those of another key."""
        self.goes_on = True
        return Kernel.resume(self, values, first, end, folded, grown, shift, states)

    cdef Doubles held(self, object values, int64_t base):
        """The values, and the first position that is held."""
        cdef Doubles doubles = doubles_of(values, base)
        if self.goes_on:
            doubles.base = max(doubles.base, self.moments.hi)
        return doubles
