# A frame of _central.pyx once more, from its values, where powers of its deviations overflow or vanish although the
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


cdef int refold(Run* run, const Tuples* terms, int64_t lo, int64_t hi) noexcept nogil:
    """Fold the frame, all of it finite, scaled: the power of two that its covariance is to be divided by."""
    cdef bint pairs = Run is Covariance or Run is Correlation
    cdef Scale x_scale = scale_of(terms, &terms.x, pairs, lo, hi), y_scale
    cdef int64_t position
    empty(run)
    if Run is Covariance or Run is Correlation:
        y_scale = scale_of(terms, &terms.y, pairs, lo, hi)
    for position in range(lo, hi):
        if is_seen(&terms.x, position):
            if Run is Skewness or Run is Kurtosis:
                join_shape(run, scaled(&x_scale, at(&terms.x, position)))
            elif is_seen(&terms.y, position):
                join_pair(
                    run, scaled(&x_scale, at(&terms.x, position)), scaled(&y_scale, at(&terms.y, position))
                )
    if Run is Covariance or Run is Correlation:
        return x_scale.power + y_scale.power
    else:
        return 0
