# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Sums and averages over frames that slide for ever, and do not drift.

The problem: ``sum += new; sum -= old`` rounds twice a row and never forgets, loses the 1 beside 1e16, and is
poisoned for good by one NaN. Here a sum is two doubles, ``high + low``, split by Rump's ExtractScalar
(Rump, Ogita, Oishi: Accurate floating-point summation, 2008): a big fixed ``sigma`` rounds x to a grid ::

    sigma              = 1.5 * 2**54              its neighbours are 4 apart
    x                  = 3.14159265358979
    (x + sigma) - sigma = 4                       high += 4            exact: few multiples of 4
    x - 4              = -0.85840734641021        low += x - 4         rounds, but 53 bits further down

So ``high`` is exact whatever comes and goes, and ``low`` rounds by u**2 of the sum, as in a double-double; but
the split is off the critical path, and needs five additions where two-sum needs seven.

*Invariant*: high is exact, |high| <= limit, and until position ``horizon`` low errs by less than
1e-12 * floor. The values of the frame weigh (absolute sum) ``floor`` at least: the sum itself does, or those
from position ``witness`` on do, which is in the frame. If neither, the frame is refolded on a finer grid.
So the error stays below 1e-12 of the absolute sum, for ever: 1e300 may come and go beside 1e-300.

*Cost*: O(1) amortised per tuple. A refold before the horizon makes the grid 2**15 times finer, and a double
has 2,100 powers of two to give; the search for a witness reads a position once per grid.

NaN and infinities are counted, not added. A sum beyond 2**960 goes on in units of 2**128, so that it overflows
in the result only, and comes back.
"""

from libc.math cimport INFINITY, NAN, fabs, isfinite

from libc.stdint cimport int64_t, uint8_t

import pyarrow as pa

from inwindow.native.doubles cimport Bits, Doubles, NoBits, Validity, doubles_of, is_valid
from inwindow.native.kernel cimport Kernel, memory_of, set_null

include "split_sum.pxi"


cdef bint is_average(op) except -1:
    if op not in ("sum", "avg"):
        raise ValueError(f"op must be 'sum' or 'avg', not {op!r}")
    return op == "avg"


cdef int64_t glide(Sum* sum, const Doubles* values, Validity validity, const int64_t* start, const int64_t* end,
                   int64_t i, int64_t n, bint average, double* out) noexcept nogil:
    """The common case, in registers: frames that gain a tuple and lose at most one, while no audit is due."""
    cdef int64_t lo = sum.lo, hi = sum.hi, finite = sum.finite, entering, leaving
    cdef double high = sum.high, low = sum.low, sigma = sum.sigma, limit = sum.limit, floor = sum.floor
    cdef double scale = sum.scale, unit = 1.0 / sum.scale, divisor = finite if average else 1.0
    cdef double new, old, new_head, old_head, next_high, next_low
    cdef const double* x_at = <const double*>values.slice.data
    if sum.nans or sum.ups or sum.downs:
        return i
    n = min(n, i + sum.horizon - hi)
    if lo < sum.witness:
        n = min(n, i + sum.witness - lo)
        floor = 0.0
    while i < n and end[i] == hi + 1 and start[i] <= lo + 1 and start[i] < hi:
        entering = is_valid(validity, hi + values.slice.bit)
        leaving = start[i] > lo and is_valid(validity, lo + values.slice.bit)
        if finite == leaving:
            break
        new = scale * x_at[hi] if entering else 0.0
        old = scale * x_at[lo] if leaving else 0.0
        new_head = (new + sigma) - sigma
        old_head = (old + sigma) - sigma
        next_high = high + (new_head - old_head)
        next_low = low + ((new - new_head) - (old - old_head))
        if not floor <= fabs(next_high + next_low) <= limit:
            break
        high = next_high
        low = next_low
        lo = start[i]
        hi += 1
        if entering != leaving:
            finite += entering - leaving
            divisor = finite if average else 1.0
        out[i] = (high + low) * unit / divisor
        i += 1
    sum.lo = lo
    sum.hi = hi
    sum.finite = finite
    sum.high = high
    sum.low = low
    return i


cdef inline int64_t counted(const Sum* sum) noexcept nogil:
    return sum.finite + sum.nans + sum.ups + sum.downs


cdef inline double total(const Sum* sum) noexcept nogil:
    if sum.nans or (sum.ups and sum.downs):
        return NAN
    if sum.ups or sum.downs:
        return INFINITY if sum.ups else -INFINITY
    return (sum.high + sum.low) / sum.scale


cdef inline double remainder(const Sum* sum) noexcept nogil:
    """What the total leaves out by rounding (two-sum)."""
    cdef double rounded = sum.high + sum.low, low = rounded - sum.high
    return ((sum.high - (rounded - low)) + (sum.low - low)) / sum.scale


cdef inline void count_tuples(Sum* sum, const Panes* panes, int64_t start, int64_t end) noexcept nogil:
    """As many as there are in the panes [start, end)."""
    cdef int64_t lo = sum.lo >> 1, hi = sum.hi >> 1
    if start >= hi:
        sum.tuples, lo, hi = 0, start, start
    while lo < start:
        sum.tuples -= panes.rows[lo].count
        lo += 1
    while hi < end:
        sum.tuples += panes.rows[hi].count
        hi += 1


cdef inline void go_to(Sum* sum, const Terms* terms, int64_t start, int64_t end) noexcept nogil:
    """Move to the frame [start, end), of values or of panes."""
    if Terms is Panes:
        count_tuples(sum, terms, start, end)
        move(sum, terms, 2 * start, 2 * end)
    else:
        move(sum, terms, start, end)


cdef int64_t fill(Sum* sum, const Terms* terms, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                  bint average, double* out, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
    cdef int64_t count
    while i < n:
        if Terms is Doubles:
            if terms.slice.seen == NULL:
                i = glide(sum, terms, NoBits(False), start, end, i, n, average, out)
            else:
                i = glide(sum, terms, Bits(terms.slice.seen), start, end, i, n, average, out)
            if i == n:
                break
        go_to(sum, terms, start[i], end[i])
        count = counted(sum)
        if count > 0:
            if Terms is Panes:
                count = sum.tuples
            out[i] = total(sum) / (count if average else 1)
        elif validity == NULL:
            break
        else:
            out[i] = 0.0
            set_null(validity, i)
        i += 1
    return i


cdef inline void write_partials(Sum* sum, const Doubles* values, const int64_t* start, const int64_t* end, int64_t n,
                                Partial* out) noexcept nogil:
    cdef int64_t i
    cdef double rounded
    for i in range(n):
        move(sum, values, start[i], end[i])
        rounded = total(sum)
        if isfinite(rounded):
            out[i] = Partial(rounded, remainder(sum), 0.0, counted(sum))
        else:
            out[i] = Partial(0.0, 0.0, rounded, counted(sum))


cdef int check_frames(const Sum* sum, int64_t unit, int64_t base, int64_t held, const int64_t* start, const int64_t* end,
                      int64_t i, int64_t n) except -1:
    """That all to be read is among the positions [base, held), whatever a state says that somebody made.

    A pane is two positions: its unit is 2.
    """
    cdef bint ours = True
    if i == n:
        return 0
    if unit * start[i] < sum.hi:                          # goes on from the frame that is folded in
        ours = sum.lo <= sum.hi and unit * base <= sum.hi <= unit * held
        if ours and sum.lo < unit * base and unit * start[n - 1] != sum.lo:  # it only grew, so a later one is behind it
            while i < n and unit * start[i] <= sum.lo:
                i += 1
            ours = i == n or unit * start[i] >= sum.hi
    elif start[i] < end[i]:
        ours = start[i] >= base
    if not ours or end[n - 1] > held:
        raise ValueError(f"frames from {start[0]} to {end[n - 1]}, and a sum of [{sum.lo}, {sum.hi}), of {base} to {held}")
    return 0


cdef class FloatSum(Kernel):
    """``sum`` or ``avg`` of float64 values. The average of a sum that overflows is infinite, as in Spark.

    Over panes this is the same sum, of twice as many terms, with the same guarantee.

    >>> import numpy as np
    >>> FloatSum("sum").roll(pa.array([1.0, None, 2.5]), 0, np.array([0, 0, 1]), np.array([1, 3, 3])).to_pylist()
    [1.0, 3.5, 2.5]
    """

    cdef Sum sum
    cdef bint average

    def __cinit__(self, op):
        self.type, self.partial = pa.float64(), sizeof(Partial) // 8
        self.average = is_average(op)
        begin(&self.sum)
        self.keep(&self.sum, sizeof(Sum))

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Doubles doubles
        cdef Panes panes
        cdef int64_t held = base + len(values[0] if self.over_panes else values)
        check_frames(&self.sum, 2 if self.over_panes else 1, base, held, start, end, i, n)
        if self.over_panes:
            panes = Panes(<const Partial*>memory_of(values[0], self.partial) - base, 2 * base)
            with nogil:
                return fill(&self.sum, &panes, start, end, i, n, self.average, <double*>out, validity)
        doubles = doubles_of(values, base)
        with nogil:
            return fill(&self.sum, &doubles, start, end, i, n, self.average, <double*>out, validity)

    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1:
        cdef Doubles doubles = doubles_of(values, base)
        check_frames(&self.sum, 1, base, base + len(values), start, end, 0, n)
        with nogil:
            write_partials(&self.sum, &doubles, start, end, n, <Partial*>out)
