# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
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

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

from libc.math cimport INFINITY, NAN, fabs, frexp, isfinite, ldexp, sqrt
from libc.stdint cimport int64_t, uint8_t, uintptr_t

cdef double U = ldexp(1.0, -53)         # what one operation rounds by, at most
cdef double TOLERANCE = 1e-9            # the greatest relative error of M2
cdef double HUGE = ldexp(1.0, 400)      # beyond it a square might overflow
cdef double TINY = ldexp(1.0, -900)     # below it squares may have vanished


# --- arrays in and out ---------------------------------------------------------------------------------------


# A slice of the endless sequence, as an Arrow array has it: position + shift = index into both buffers.
cdef struct Doubles:
    const double* data
    const uint8_t* validity
    int64_t first
    int64_t shift


cdef inline bint valid(const uint8_t* validity, int64_t index) noexcept nogil:
    return validity == NULL or (validity[index >> 3] >> (index & 7)) & 1


# A validity bitmap, or none: the common loop is compiled for either.
cdef struct NoBits:
    bint unused


cdef struct Bits:
    const uint8_t* at


ctypedef fused Validity:
    NoBits
    Bits


cdef inline bint is_valid(Validity validity, int64_t index) noexcept nogil:
    if Validity is NoBits:
        return True
    else:
        return valid(validity.at, index)


cdef Doubles read_doubles(array, int64_t base):
    validity, data = array.buffers()
    return Doubles(
        <const double*><uintptr_t>data.address,
        <const uint8_t*><uintptr_t>(validity.address if array.null_count else 0),
        base,
        array.offset - base,
    )


cdef all_valid(int64_t n):
    return np.full((n + 7) // 8, 255, dtype=np.uint8)


cdef inline void set_null(uint8_t* validity, int64_t i) noexcept nogil:
    validity[i >> 3] &= ~(1 << (i & 7))


cdef column(values, validity):
    buffers = [None if validity is None else pa.py_buffer(validity), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.float64(), len(values), buffers)


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


# --- the sums ------------------------------------------------------------------------------------------------


cdef struct Moments:
    int64_t lo, hi                      # the frame: positions [lo, hi)
    int64_t finite, odd                 # its values, counted: finite, and NaN or infinite
    double origin
    int power
    double scale, unit                  # y = scale * (x - origin), scale = 2**power = 1 / unit
    double first, first_low             # the sum of y
    double second, second_low           # the sum of y * y
    double mass                         # M2 as computed by the last move
    double error                        # bounds its error
    bint flat                           # all values are known to be equal


cdef void restart(Moments* m, int64_t position) noexcept nogil:
    m.lo = m.hi = position
    m.finite = m.odd = 0
    zero(m)


cdef void zero(Moments* m) noexcept nogil:
    m.first = m.first_low = m.second = m.second_low = m.error = 0.0
    m.power = 0
    m.scale = m.unit = 1.0
    m.flat = False


cdef int power_for(double origin, double half) noexcept nogil:
    """The scale, a power of two, that makes a deviation of 2 * half 1 <= |y| < 2 (2 * half itself may overflow)."""
    cdef int exponent
    if half == 0.0:
        frexp(origin, &exponent)
        return min(900, 900 - exponent)  # as fine as it can be while scale * origin is finite
    frexp(half, &exponent)
    return max(-1020, min(900, -exponent))


cdef void rescale(Moments* m, int power) noexcept nogil:
    cdef int change = power - m.power
    m.power = power
    m.scale = ldexp(1.0, power)
    m.unit = ldexp(1.0, -power)
    m.first = ldexp(m.first, change)
    m.first_low = ldexp(m.first_low, change)
    m.second = ldexp(m.second, 2 * change)
    m.second_low = ldexp(m.second_low, 2 * change)
    m.error = ldexp(m.error, 2 * change)


cdef inline void add(double* high, double* low, double x) noexcept nogil:
    """Two-sum (Knuth): high + low grows by x; only low rounds."""
    cdef double next_high = high[0] + x, part = next_high - high[0]
    low[0] += (high[0] - (next_high - part)) + (x - part)
    high[0] = next_high


cdef inline void take(Moments* m, double x, double sign) noexcept nogil:
    """Add (sign = 1) or remove (sign = -1) a value."""
    cdef double y = m.scale * x - m.scale * m.origin
    if not fabs(y) <= HUGE or (m.second == 0.0 and 0.0 < fabs(y) < 1.0 / HUGE):
        rescale(m, power_for(m.origin, 0.5 * x - 0.5 * m.origin))
        y = m.scale * x - m.scale * m.origin
    add(&m.first, &m.first_low, sign * y)
    add(&m.second, &m.second_low, sign * (y * y))
    m.error += 8.0 * U * (y * y)
    m.flat = m.flat and y == 0.0


cdef void fold(Moments* m, const Doubles* values, int64_t start, int64_t end, int64_t sign) noexcept nogil:
    """Add (sign = 1) or remove (sign = -1) the values at [start, end)."""
    cdef int64_t position, index
    for position in range(start, end):
        index = position + values.shift
        if not valid(values.validity, index):
            continue
        if not isfinite(values.data[index]):
            m.odd += sign
            continue
        if m.finite == 0:
            m.origin = values.data[index]
            zero(m)
        m.finite += sign
        take(m, values.data[index], sign)


cdef inline double squares(const Moments* m) noexcept nogil:
    """M2, the sum of squared deviations from the mean, times scale**2."""
    cdef double first = m.first + m.first_low
    return max(0.0, m.second + m.second_low - first * first / m.finite)


cdef inline bint counts(const Doubles* values, int64_t position) noexcept nogil:
    cdef int64_t index = position + values.shift
    return valid(values.validity, index) and isfinite(values.data[index])


cdef void refold(Moments* m, const Doubles* values) noexcept nogil:
    """Fold the frame afresh, as seen from the value next to its mean."""
    cdef const double* at = values.data + values.shift
    cdef double mean = 0.0, least = INFINITY, greatest = -INFINITY, origin, y
    cdef double first = 0.0, first_low = 0.0, second = 0.0, second_low = 0.0
    cdef int64_t position
    for position in range(m.lo, m.hi):
        if counts(values, position):
            mean += at[position] / m.finite
            least = min(least, at[position])
            greatest = max(greatest, at[position])
    origin = least
    for position in range(m.lo, m.hi):
        if counts(values, position) and fabs(0.5 * at[position] - 0.5 * mean) < fabs(0.5 * origin - 0.5 * mean):
            origin = at[position]
    zero(m)
    m.origin = origin
    rescale(m, power_for(origin, max(0.5 * greatest - 0.5 * origin, 0.5 * origin - 0.5 * least)))
    m.flat = least == greatest
    for position in range(m.lo, m.hi):
        if counts(values, position):
            y = m.scale * at[position] - m.scale * origin
            add(&first, &first_low, y)
            add(&second, &second_low, y * y)
    m.first, m.first_low, m.second, m.second_low = first, first_low, second, second_low
    m.error = 8.0 * U * second


cdef void recentre(Moments* m) noexcept nogil:
    """Take the mean as the origin; M2 stays what it is, but for the rounding."""
    cdef double mean = (m.first + m.first_low) / m.finite, mass = squares(m), origin = m.origin
    m.error += 8.0 * U * m.second
    m.origin += mean * m.unit
    mean -= m.scale * (m.origin - origin)
    m.first = mean * m.finite
    m.second = mass + mean * mean * m.finite
    m.first_low = m.second_low = 0.0


cdef inline bint trusted(const Moments* m) noexcept nogil:
    if m.flat or m.finite == 0:
        return True
    if m.finite == 1:
        return m.second == 0.0          # the value is the origin: its mean is exact, too
    return m.mass > TINY and m.error + 8.0 * U * m.second <= TOLERANCE * m.mass


cdef void move(Moments* m, const Doubles* values, int64_t start, int64_t end) noexcept nogil:
    """Move to the frame [start, end)."""
    if start >= m.hi:
        restart(m, start)
    if start > m.lo:
        fold(m, values, m.lo, start, -1)
    fold(m, values, m.hi, end, 1)
    m.lo, m.hi = start, end
    m.mass = squares(m) if m.finite > 1 else 0.0
    if not trusted(m):
        if values.first > m.lo:
            recentre(m)
        else:
            refold(m, values)
        m.mass = squares(m)


cdef inline double plain_rows(const Moments* m, double theta) noexcept nogil:
    """How many rows may be summed plainly while second changes by theta * M2, and M2 shrinks 1 + theta times, at most.

    A plain row rounds second by 7 u theta M2; and first by 3 u of its greatest size F, which is 6 u F**2 / n in M2,
    where F**2 / n <= (1/16 + 2 theta) M2. Together that is 25 u theta M2 at most, as theta >= 1/16.
    """
    cdef double mass = squares(m)
    cdef double rounding = 8.0 * U * mass * (1.0 + 2.0 * theta)
    if m.flat:
        return INFINITY
    return (TOLERANCE * mass / (1.0 + theta) - m.error - rounding) / (25.0 * U * theta * mass)


cdef int64_t glide(Moments* m, const Doubles* values, Validity validity, Op op, const int64_t* start,
                   const int64_t* end, int64_t i, int64_t n, double* out) noexcept nogil:
    """The common case, in registers and summed plainly: frames that move by one tuple."""
    cdef int64_t lo = m.lo, hi = m.hi, finite = m.finite, entering, leaving
    cdef double scale, unit, origin, first, anchor, change = 0.0, new, old, next_first, next_change
    cdef double theta, mass, most, least, inverse, share
    cdef const double* at = values.data + values.shift
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
        entering = is_valid(validity, hi + values.shift)
        leaving = is_valid(validity, lo + values.shift)
        if entering != leaving:
            if finite + entering - leaving < 2:
                break
            inverse = 1.0 / (finite + entering - leaving)
            share = 1.0 / (finite + entering - leaving - op.ddof)
        new = scale * at[hi] - origin if entering else 0.0
        old = scale * at[lo] - origin if leaving else 0.0
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
    m.error += (lo - m.lo) * 25.0 * U * most
    m.lo = lo
    m.hi = hi
    m.finite = finite
    m.first = first
    add(&m.second, &m.second_low, change)
    return i


cdef int64_t fill(Moments* m, const Doubles* values, Op op, const int64_t[::1] start, const int64_t[::1] end,
                  int64_t i, double* out, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
    cdef int64_t n = start.shape[0], count
    while i < n:
        if values.validity == NULL:
            i = glide(m, values, NoBits(False), op, &start[0], &end[0], i, n, out)
        else:
            i = glide(m, values, Bits(values.validity), op, &start[0], &end[0], i, n, out)
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


cdef all_rows(Moments* m, const Doubles* values, Op op, const int64_t[::1] start, const int64_t[::1] end):
    cdef int64_t n = start.shape[0], done
    cdef double[::1] out = space(n, np.float64)
    cdef uint8_t[::1] bits
    with nogil:
        done = fill(m, values, op, start, end, 0, &out[0], NULL)
    if done == n:
        return column(out.base, None)
    bits = all_valid(n)
    with nogil:
        fill(m, values, op, start, end, done, &out[0], &bits[0])
    return column(out.base, bits.base)


cdef class FloatMoments:
    """var_pop, var_samp, stddev_pop or stddev_samp of float64 values.

    NULL where nothing is counted, and for the sample forms of a single value.
    """

    cdef Moments moments
    cdef int64_t ddof
    cdef bint root

    def __cinit__(self, op):
        self.ddof, self.root = read_op(op)
        restart(&self.moments, 0)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame, float64."""
        cdef Doubles doubles = read_doubles(values, base)
        if self.root:
            return all_rows(&self.moments, &doubles, Deviation(self.ddof), start, end)
        return all_rows(&self.moments, &doubles, Variance(self.ddof), start, end)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: arrays ``(n, mean, M2)``, one pane per frame; n is int64.

        Where a NaN or an infinity is in the pane, mean and M2 are NaN.
        """
        cdef Doubles doubles = read_doubles(values, base)
        cdef int64_t rows = start.shape[0], i
        cdef int64_t[::1] n = np.empty(rows, dtype=np.int64)
        cdef double[::1] mean = np.zeros(rows), m2 = np.zeros(rows)
        cdef Moments* m = &self.moments
        with nogil:
            for i in range(rows):
                move(m, &doubles, start[i], end[i])
                n[i] = m.finite + m.odd
                if m.odd:
                    mean[i] = m2[i] = NAN
                elif m.finite:
                    mean[i] = m.origin + (m.first + m.first_low) / m.finite * m.unit
                    m2[i] = m.mass * m.unit * m.unit
        return n.base, mean.base, m2.base

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Doubles doubles = read_doubles(values, base)
        with nogil:
            move(&self.moments, &doubles, start, end)

    def state(self):
        return (self.moments,)

    def restore(self, state):
        self.moments, = state


# --- panes ---------------------------------------------------------------------------------------------------


cdef struct Part:
    double n, mean, m2


cdef inline Part merge(Part a, Part b) noexcept nogil:
    """Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979."""
    cdef double n = a.n + b.n, delta = b.mean - a.mean
    if a.n == 0:
        return b
    if b.n == 0:
        return a
    return Part(n, a.mean + delta * (b.n / n), a.m2 + b.m2 + delta * delta * (a.n * (b.n / n)))


cdef class MomentsOfPartials:
    """The second level: the same four over panes, given by :meth:`FloatMoments.roll_partials`, by two stacks.

    There is no subtraction, so a NaN is forgotten with its pane ::

        panes    lo ... middle-1 | middle ... hi-1
        front[p] = merge of panes p ... middle-1     back = merge of panes middle ... hi-1

    When the frame's lower end passes the middle, the stacks flip: front is built anew over the whole frame, from
    its end, and middle = hi. Each pane is merged at most three times: O(1) amortised; O(panes) memory.
    """

    cdef int64_t lo, middle, hi
    cdef Part back
    cdef double[:, ::1] front           # row p - origin for pane p in [lo, middle)
    cdef int64_t origin
    cdef int64_t ddof
    cdef bint root

    def __cinit__(self, op):
        self.ddof, self.root = read_op(op)
        self.front = np.empty((0, 3))

    cdef Part top(self, int64_t pane) noexcept nogil:
        cdef int64_t row = pane - self.origin
        if pane >= self.middle:
            return Part(0.0, 0.0, 0.0)
        return Part(self.front[row, 0], self.front[row, 1], self.front[row, 2])

    cdef void move(self, const int64_t[::1] n, const double[::1] mean, const double[::1] m2, int64_t base,
                   int64_t start, int64_t end) noexcept nogil:
        cdef int64_t pane
        cdef Part suffix = Part(0.0, 0.0, 0.0)
        if start >= self.hi:
            self.middle = self.hi = start
            self.back = suffix
        elif start > self.lo and start >= self.middle:
            for pane in range(self.hi - 1, start - 1, -1):
                suffix = merge(Part(n[pane - base], mean[pane - base], m2[pane - base]), suffix)
                self.front[pane - start, 0] = suffix.n
                self.front[pane - start, 1] = suffix.mean
                self.front[pane - start, 2] = suffix.m2
            self.origin = start
            self.middle = self.hi
            self.back = Part(0.0, 0.0, 0.0)
        for pane in range(self.hi, end):
            self.back = merge(self.back, Part(n[pane - base], mean[pane - base], m2[pane - base]))
        self.lo, self.hi = start, end

    cdef int64_t fill(self, const int64_t[::1] n, const double[::1] mean, const double[::1] m2, int64_t base,
                      const int64_t[::1] start, const int64_t[::1] end, int64_t i, double* out,
                      uint8_t* validity) noexcept nogil:
        """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
        cdef Part whole
        cdef double variance
        while i < start.shape[0]:
            self.move(n, mean, m2, base, start[i], end[i])
            whole = merge(self.top(start[i]), self.back)
            if whole.n > self.ddof:
                variance = whole.m2 / (whole.n - self.ddof)
                out[i] = sqrt(variance) if self.root else variance
            elif validity == NULL:
                break
            else:
                out[i] = 0.0
                set_null(validity, i)
            i += 1
        return i

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes, float64."""
        cdef const int64_t[::1] n
        cdef const double[::1] mean, m2
        n, mean, m2 = partials
        cdef int64_t rows = start.shape[0], done
        cdef double[::1] out = np.empty(rows)
        cdef uint8_t[::1] bits
        longest = np.subtract(end, start).max(initial=0)
        if longest > self.front.shape[0]:
            self.front = np.vstack((self.front, np.empty((longest, 3))))
        with nogil:
            done = self.fill(n, mean, m2, base, start, end, 0, &out[0], NULL)
        if done == rows:
            return column(out.base, None)
        bits = all_valid(rows)
        with nogil:
            self.fill(n, mean, m2, base, start, end, done, &out[0], &bits[0])
        return column(out.base, bits.base)

    def state(self):
        live = np.array(self.front[self.lo - self.origin : self.middle - self.origin])
        return self.lo, self.middle, self.hi, self.back, live

    def restore(self, state):
        self.lo, self.middle, self.hi, self.back, live = state
        self.front = live
        self.origin = self.lo
