# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
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

from libc.math cimport INFINITY, NAN, fabs, fmax, fmin, frexp, isfinite, isnan, ldexp

include "slices.pxi"
include "doubles.pxi"
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


cdef int64_t fill(Sum* sum, const Doubles* values, const int64_t[::1] start, const int64_t[::1] end, int64_t i,
                  bint average, double* out, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
    cdef int64_t n = start.shape[0]
    while i < n:
        if values.slice.seen == NULL:
            i = glide(sum, values, NoBits(False), &start[0], &end[0], i, n, average, out)
        else:
            i = glide(sum, values, Bits(values.slice.seen), &start[0], &end[0], i, n, average, out)
        if i == n:
            break
        move(sum, values, start[i], end[i])
        if counted(sum) > 0:
            out[i] = total(sum) / (counted(sum) if average else 1)
        elif validity == NULL:
            break
        else:
            out[i] = 0.0
            set_null(validity, i)
        i += 1
    return i


cdef float_rows(Sum* sum, const Doubles* values, const int64_t[::1] start, const int64_t[::1] end, bint average):
    """All rows, as a numpy array and its validity bitmap, or None."""
    cdef int64_t n = start.shape[0], done
    cdef double[::1] out = space(n, np.float64)
    cdef uint8_t[::1] bits
    with nogil:
        done = fill(sum, values, start, end, 0, average, &out[0], NULL)
    if done == n:
        return out.base, None
    bits = all_valid(n)
    with nogil:
        fill(sum, values, start, end, done, average, &out[0], &bits[0])
    return out.base, bits.base


cdef class FloatSum:
    """``sum`` or ``avg`` of float64 values. The average of a sum that overflows is infinite, as in Spark."""

    cdef Sum sum
    cdef bint average

    def __cinit__(self, op):
        self.average = is_average(op)
        begin(&self.sum)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame, float64."""
        cdef Doubles doubles = doubles_of(values, base)
        averages, validity = float_rows(&self.sum, &doubles, start, end, self.average)
        return column_of(pa.float64(), averages, validity)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: arrays ``(high, low, special, count)``, one pane per frame.

        The sum of a pane is high + low where special is 0.0. Else special is NaN, inf or -inf, because of the
        values or because a single pane overflows; high and low are 0.0 there.
        """
        cdef Doubles doubles = doubles_of(values, base)
        cdef int64_t n = start.shape[0], i
        cdef double[::1] high = np.zeros(n), low = np.zeros(n), special = np.zeros(n)
        cdef int64_t[::1] count = np.empty(n, dtype=np.int64)
        cdef double rounded
        with nogil:
            for i in range(n):
                move(&self.sum, &doubles, start[i], end[i])
                count[i] = counted(&self.sum)
                rounded = total(&self.sum)
                if isfinite(rounded):
                    high[i] = rounded
                    low[i] = remainder(&self.sum)
                else:
                    special[i] = rounded
        return high.base, low.base, special.base, count.base

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Doubles doubles = doubles_of(values, base)
        with nogil:
            move(&self.sum, &doubles, start, end)

    def state(self):
        return (self.sum,)

    def restore(self, state):
        self.sum, = state


cdef class FloatSumOfPartials:
    """The second level: ``sum`` or ``avg`` over panes, given by :meth:`FloatSum.roll_partials`.

    A pane is two terms, high (or special) and low; an empty pane is two NULLs. On the doubled positions this
    is level one again, with the same guarantee. Only the divisor of the average is summed beside it.
    """

    cdef Sum sum
    cdef int64_t tuples
    cdef bint average

    def __cinit__(self, op):
        self.average = is_average(op)
        begin(&self.sum)

    cdef count_tuples(self, const int64_t[::1] count, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        cdef int64_t n = start.shape[0], lo = self.sum.lo // 2, hi = self.sum.hi // 2, i, pane
        cdef int64_t[::1] tuples = np.empty(n, dtype=np.int64)
        with nogil:
            for i in range(n):
                if start[i] >= hi:
                    lo = hi = start[i]
                    self.tuples = 0
                for pane in range(lo, start[i]):
                    self.tuples -= count[pane - base]
                for pane in range(hi, end[i]):
                    self.tuples += count[pane - base]
                lo, hi = start[i], end[i]
                tuples[i] = self.tuples
        return tuples.base

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes, float64."""
        high, low, special, count = partials
        cdef double[:, ::1] terms = np.stack((np.where(special == 0, high, special), low), axis=1)
        cdef uint8_t[::1] bits = np.packbits(np.repeat(count > 0, 2), bitorder="little")
        cdef Doubles doubles = Doubles(Slice(<const char*>(&terms[0, 0] - 2 * base), &bits[0], -2 * base), 2 * base)
        tuples = self.count_tuples(count, base, start, end)
        sums, validity = float_rows(&self.sum, &doubles, 2 * np.asarray(start), 2 * np.asarray(end), False)
        if self.average:
            sums /= np.maximum(tuples, 1)
        return column_of(pa.float64(), sums, validity)

    def state(self):
        return self.sum, self.tuples

    def restore(self, state):
        self.sum, self.tuples = state
