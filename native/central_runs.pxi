# The runs of _central.pyx: n, the mean as seen from an origin, and sums of powers of deviations from it. How a value
# joins one (Welford 1962; Pebay 2008), and how two that adjoin are merged (Chan, Golub, LeVeque 1979; Pebay 2008).

# --- a value joins a run -------------------------------------------------------------------------------------


cdef inline void join_shape(Shaped* run, double y) noexcept nogil:
    """``y`` is the value as seen from the origin."""
    cdef double before = run.n, n = before + 1.0, delta = y - run.mean, step = delta * (1.0 / n)
    cdef double square = delta * step * before
    if Shaped is Kurtosis:
        run.m4 += step * (step * (square * (n * n - 3.0 * n + 3.0) + 6.0 * run.m2) - 4.0 * run.m3)
    run.m3 += step * (square * (n - 2.0) - 3.0 * run.m2)
    run.m2 += square
    run.mean += step
    run.n = n


cdef inline void join_pair(Paired* run, double x, double y) noexcept nogil:
    cdef double n = run.n + 1.0, inverse = 1.0 / n, dx = x - run.x, dy = y - run.y
    cdef double x_step = dx * inverse, share = run.n * inverse
    run.xy += dx * dy * share
    if Paired in Squared:
        run.xx += dx * dx * share
        run.yy += dy * dy * share
    run.x += x_step
    run.y += dy * inverse
    run.n = n


cdef inline bint is_finite(Run* kind, const Tuples* terms, int64_t position) noexcept nogil:
    if Run is Skewness or Run is Kurtosis:
        return isfinite(at(&terms.x, position))
    else:
        return isfinite(at(&terms.x, position)) and isfinite(at(&terms.y, position))


cdef inline void begin(Run* run, const Tuples* terms, int64_t position) noexcept nogil:
    """The value at ``position``, finite, is the first of the run: it is the origin."""
    empty(run)
    if Run is Skewness or Run is Kurtosis:
        run.origin = at(&terms.x, position)
    else:
        run.x_origin = at(&terms.x, position)
        run.y_origin = at(&terms.y, position)
    run.n = 1.0


cdef inline void join_finite(Run* run, const Tuples* terms, int64_t position) noexcept nogil:
    if Run is Skewness or Run is Kurtosis:
        join_shape(run, at(&terms.x, position) - run.origin)
    else:
        join_pair(run, at(&terms.x, position) - run.x_origin, at(&terms.y, position) - run.y_origin)


cdef inline void join(Run* run, const Tuples* terms, int64_t position) noexcept nogil:
    if not is_seen(&terms.x, position):
        return
    if Run in Paired:
        if not is_seen(&terms.y, position):
            return
    if is_finite(run, terms, position):
        if run.n == 0.0:
            begin(run, terms, position)
        else:
            join_finite(run, terms, position)


# --- two runs are merged -------------------------------------------------------------------------------------


cdef inline void put(Run* to, const Run* run) noexcept nogil:
    to.n = run.n
    if Run is Skewness or Run is Kurtosis:
        to.origin, to.mean, to.m2, to.m3 = run.origin, run.mean, run.m2, run.m3
        if Run is Kurtosis:
            to.m4 = run.m4
    else:
        to.x_origin, to.y_origin, to.x, to.y, to.xy = run.x_origin, run.y_origin, run.x, run.y, run.xy
        if Run in Squared:
            to.xx, to.yy = run.xx, run.yy


cdef inline void merge_some(Run* to, const Run* a, const Run* b, double inverse) noexcept nogil:
    """Both have values; ``inverse`` is 1 / n."""
    cdef double n = a.n + b.n, product = a.n * b.n, share = b.n * inverse, delta, step, weight, dx, dy
    to.n = n
    if Run is Skewness or Run is Kurtosis:
        delta = (b.origin - a.origin) + (b.mean - a.mean)
        step = delta * inverse
        weight = delta * step * product
        if Run is Kurtosis:
            to.m4 = (a.m4 + b.m4) + step * (
                step * (weight * (a.n * a.n - product + b.n * b.n) + 6.0 * (a.n * a.n * b.m2 + b.n * b.n * a.m2))
                + 4.0 * (a.n * b.m3 - b.n * a.m3)
            )
        to.m3 = (a.m3 + b.m3) + step * (weight * (a.n - b.n) + 3.0 * (a.n * b.m2 - b.n * a.m2))
        to.m2 = (a.m2 + b.m2) + weight
        to.origin = a.origin
        to.mean = a.mean + delta * share
    else:
        dx = (b.x_origin - a.x_origin) + (b.x - a.x)
        dy = (b.y_origin - a.y_origin) + (b.y - a.y)
        weight = product * inverse
        to.xy = (a.xy + b.xy) + dx * dy * weight
        if Run in Squared:
            to.xx = (a.xx + b.xx) + dx * dx * weight
            to.yy = (a.yy + b.yy) + dy * dy * weight
        to.x_origin, to.y_origin = a.x_origin, a.y_origin
        to.x = a.x + dx * share
        to.y = a.y + dy * share


cdef inline void merge(Run* to, const Run* a, const Run* b, double inverse) noexcept nogil:
    """``inverse`` is 1 / n, if there is any."""
    if a.n == 0.0:
        put(to, b)
    elif b.n == 0.0:
        put(to, a)
    else:
        merge_some(to, a, b, inverse)


cdef inline void whole_of(Run* to, const Run* front, const Run* back, Frame* frame, const Rule* rule) noexcept nogil:
    """Most frames have as many values as the one before: divisions are what costs most here."""
    cdef double n = front.n + back.n
    if n != frame.newest.n:
        frame.newest.n = n
        frame.newest.inverse = 1.0 / max(1.0, n)
        frame.newest.share = 1.0 / (n - rule.ddof)
    merge(to, front, back, frame.newest.inverse)


cdef inline void add(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run both
    if Terms is Tuples:
        join(run, terms, position)
    else:
        merge(&both, run, row_at(run, terms, position), 1.0 / max(1.0, run.n + row_at(run, terms, position).n))
        put(run, &both)


cdef inline void precede(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run both
    if Terms is Tuples:
        join(run, terms, position)
    else:
        merge(&both, row_at(run, terms, position), run, 1.0 / max(1.0, run.n + row_at(run, terms, position).n))
        put(run, &both)


# --- a frame once more, scaled -------------------------------------------------------------------------------
# A frame is folded once more from its values where powers of its deviations overflow or vanish although the
# values differ: each column is shifted by its first value and scaled by a power of two, so that the greatest deviation
# is about 1. Skewness, kurtosis and correlation are the same for what is scaled; a covariance is scaled back.

cdef struct Scale:
    double origin, half, factor
    int power                # y = (half * x - half * origin) * factor = (x - origin) * 2**power


cdef Scale scale_of(const Tuples* terms, const Slice* column, bint pairs, int64_t lo, int64_t hi) noexcept nogil:
    """The scale that makes the greatest deviation from the first value 1/2 <= |y| <= 1, as far as there is one."""
    cdef double reach = 0.0, origin = 0.0
    cdef bint first = True
    cdef int64_t position
    cdef int power
    for position in range(lo, hi):
        if is_seen(&terms.x, position) and (not pairs or is_seen(&terms.y, position)):
            if first:
                origin = at(column, position)
                first = False
            reach = max(reach, fabs(0.5 * at(column, position) - 0.5 * origin))
    frexp(reach, &power)
    power = 1000 if reach == 0.0 else max(-1020, min(1000, -power - 1))
    if power < -900:
        return Scale(origin, 0.5, ldexp(1.0, power + 1), power)
    return Scale(origin, 1.0, ldexp(1.0, power), power)


cdef inline double scaled(const Scale* scale, double x) noexcept nogil:
    return (scale.half * x - scale.half * scale.origin) * scale.factor


cdef void refold(Run* run, const Tuples* terms, int64_t lo, int64_t hi, Scale* x_scale, Scale* y_scale) noexcept nogil:
    """Fold the frame, all of it finite, scaled; of shapes there is no ``y_scale``."""
    cdef bint pairs = not (Run is Skewness or Run is Kurtosis)
    cdef int64_t position
    empty(run)
    x_scale[0] = scale_of(terms, &terms.x, pairs, lo, hi)
    if pairs:
        y_scale[0] = scale_of(terms, &terms.y, pairs, lo, hi)
    for position in range(lo, hi):
        if is_seen(&terms.x, position):
            if Run is Skewness or Run is Kurtosis:
                join_shape(run, scaled(x_scale, at(&terms.x, position)))
            elif is_seen(&terms.y, position):
                join_pair(
                    run, scaled(x_scale, at(&terms.x, position)), scaled(y_scale, at(&terms.y, position))
                )
