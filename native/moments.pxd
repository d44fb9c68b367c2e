# cython: cdivision=True
# The two sums of _moments.pyx over one frame, compensated, with the bound of their error: how values are added and
# removed, how the frame is seen from another origin or folded afresh, and whether M2 may be trusted.

from libc.math cimport INFINITY, fabs, frexp, isfinite, ldexp
from libc.stdint cimport int64_t

from inwindow.native.doubles cimport Doubles, at
from inwindow.native.kernel cimport is_seen

cdef extern from *:
    """
    #define ROUNDOFF 0x1p-53            /* what one operation rounds by, at most */
    #define TOLERANCE 1e-9              /* the greatest relative error of M2 */
    #define TOO_LARGE 0x1p400           /* beyond it a square might overflow */
    #define TOO_SMALL 0x1p-900          /* below it squares may have vanished */
    """
    const double ROUNDOFF
    const double TOLERANCE
    const double TOO_LARGE
    const double TOO_SMALL


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


cdef inline void restart(Moments* m, int64_t position) noexcept nogil:
    m.lo = m.hi = position
    m.finite = m.odd = 0
    zero(m)


cdef inline void zero(Moments* m) noexcept nogil:
    m.first = m.first_low = m.second = m.second_low = m.error = 0.0
    m.power = 0
    m.scale = m.unit = 1.0
    m.flat = False


cdef inline int power_for(double origin, double half) noexcept nogil:
    """The scale, a power of two, that makes a deviation of 2 * half 1 <= |y| < 2 (2 * half itself may overflow)."""
    cdef int exponent
    if half == 0.0:
        frexp(origin, &exponent)
        return min(900, 900 - exponent)  # as fine as it can be while scale * origin is finite
    frexp(half, &exponent)
    return max(-1020, min(900, -exponent))


cdef inline void rescale(Moments* m, int power) noexcept nogil:
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
    if not fabs(y) <= TOO_LARGE or (m.second == 0.0 and 0.0 < fabs(y) < 1.0 / TOO_LARGE):
        rescale(m, power_for(m.origin, 0.5 * x - 0.5 * m.origin))
        y = m.scale * x - m.scale * m.origin
    add(&m.first, &m.first_low, sign * y)
    add(&m.second, &m.second_low, sign * (y * y))
    m.error += 8.0 * ROUNDOFF * (y * y)
    m.flat = m.flat and y == 0.0


cdef inline void fold(Moments* m, const Doubles* values, int64_t start, int64_t end, int64_t sign) noexcept nogil:
    """Add (sign = 1) or remove (sign = -1) the values at [start, end)."""
    cdef int64_t position
    for position in range(start, end):
        if not is_seen(&values.slice, position):
            continue
        if not isfinite(at(values, position)):
            m.odd += sign
            continue
        if m.finite == 0:
            m.origin = at(values, position)
            zero(m)
        m.finite += sign
        take(m, at(values, position), sign)


cdef inline double squares(const Moments* m) noexcept nogil:
    """M2, the sum of squared deviations from the mean, times scale**2."""
    cdef double first = m.first + m.first_low
    return max(0.0, m.second + m.second_low - first * first / m.finite)


cdef inline bint counts(const Doubles* values, int64_t position) noexcept nogil:
    return is_seen(&values.slice, position) and isfinite(at(values, position))


cdef inline void refold(Moments* m, const Doubles* values) noexcept nogil:
    """Fold the frame afresh, as seen from the value next to its mean."""
    cdef double mean = 0.0, least = INFINITY, greatest = -INFINITY, origin, y
    cdef double first = 0.0, first_low = 0.0, second = 0.0, second_low = 0.0
    cdef int64_t position
    for position in range(m.lo, m.hi):
        if counts(values, position):
            mean += at(values, position) / m.finite
            least = min(least, at(values, position))
            greatest = max(greatest, at(values, position))
    origin = least
    for position in range(m.lo, m.hi):
        if counts(values, position) and fabs(0.5 * at(values, position) - 0.5 * mean) < fabs(0.5 * origin - 0.5 * mean):
            origin = at(values, position)
    zero(m)
    m.origin = origin
    rescale(m, power_for(origin, max(0.5 * greatest - 0.5 * origin, 0.5 * origin - 0.5 * least)))
    m.flat = least == greatest
    for position in range(m.lo, m.hi):
        if counts(values, position):
            y = m.scale * at(values, position) - m.scale * origin
            add(&first, &first_low, y)
            add(&second, &second_low, y * y)
    m.first, m.first_low, m.second, m.second_low = first, first_low, second, second_low
    m.error = 8.0 * ROUNDOFF * second


cdef inline void recentre(Moments* m) noexcept nogil:
    """Take the mean as the origin; M2 stays what it is, but for the rounding."""
    cdef double mean = (m.first + m.first_low) / m.finite, mass = squares(m), origin = m.origin
    m.error += 8.0 * ROUNDOFF * m.second
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
    return m.mass > TOO_SMALL and m.error + 8.0 * ROUNDOFF * m.second <= TOLERANCE * m.mass


cdef inline void move(Moments* m, const Doubles* values, int64_t start, int64_t end) noexcept nogil:
    """Move to the frame [start, end)."""
    if start >= m.hi:
        restart(m, start)
    if start > m.lo:
        fold(m, values, m.lo, start, -1)
    fold(m, values, m.hi, end, 1)
    m.lo, m.hi = start, end
    m.mass = squares(m) if m.finite > 1 else 0.0
    if not trusted(m):
        if values.base > m.lo:
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
    cdef double rounding = 8.0 * ROUNDOFF * mass * (1.0 + 2.0 * theta)
    if m.flat:
        return INFINITY
    return (TOLERANCE * mass / (1.0 + theta) - m.error - rounding) / (25.0 * ROUNDOFF * theta * mass)
