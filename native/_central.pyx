# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Skewness, kurtosis, covariance, correlation, regression: central moments that are merged, never subtracted (two stacks).

A moment that has been taken in cannot be taken out again without what rounding did to it staying behind. So ::

    positions    lo              mid             hi
    front        [p, mid) for each p     |   back = [mid, hi)      result = front[lo] + back
                 o <- <- <- <- <- <-  o  |  o -> -> ->             o: the origin of the run

Front and back are *runs*: n, the mean, and sums of powers of deviations from it. A value joins by Welford's update,
runs are merged by the formulas of Chan, Golub, LeVeque (1979) and Pebay (2008). When lo reaches mid, the front is
built anew from the values, which are held. The mean is in two doubles: ``origin``, the first value of the run, and
``mean``, what is to be added to it. As the origin is one of the run's values, |mean| <= sqrt(M2): its rounding is
small beside the spread, however far from 0 all of it is, and where all values are equal it is 0, as M2 is, exactly.

*Invariant*: the run at front[p - at] has folded the values of [p, mid), back those of [mid, hi): a result has seen
the roundings of its own tuples and nothing else. *Cost*: two updates and a merge per tuple; a run per tuple of the
window. A covariance rounds by some units of sqrt(Mxx * Myy): more than the sum of |dx * dy| has, where the means of
two parts of the frame cancel exactly. A mean is at best as fine as the subnormal numbers are: 5e-324 times the other
column's deviations is what a covariance may be off besides.

Whether all values are equal is known by positions: ``x_step`` is that of the last one which was followed by another
value. Where powers overflow or vanish although the values differ, the frame is folded once more from its values,
scaled by a power of two (O(window); deviations beyond 1e70 or below 1e-70, for a covariance beyond 1e150). Where the
values are gone (``evicts=False``, panes), it is what Spark's arithmetic gives: NaN, infinite or NULL.

Frames that move by one tuple each *glide*: without NULLs and NaNs the counts are known by positions, and the marks
are made up for at the end. It is the same arithmetic in the same order: the same bits, however the calls are cut.
"""

from libc.math cimport INFINITY, NAN, fabs, frexp, isfinite, ldexp, sqrt

from libc.stdint cimport int64_t, uint8_t

import numpy as np
import pyarrow as pa

from inwindow.native.kernel cimport Slice, is_seen, set_null, slice_of


cdef enum:
    ODD                      # the mark of a tuple that has a NaN or an infinity
    MANY                     # the mark of a tuple that is followed by another


cdef struct Newest:
    int64_t at               # the position of the newest tuple that counts
    double x, y              # its values
    int64_t x_step, y_step   # the last position whose value was followed by a different one
    double n                 # of the last frame
    double inverse, share    # 1 / n and 1 / (n - ddof)


cdef struct Rule:
    bint evicts
    int64_t ddof
    int64_t gives            # of a regression, what its result is


cdef enum:
    SQUARES                  # of the deviations of the first column
    PRODUCTS
    SLOPE
    INTERCEPT
    R2


cdef struct Skewness:
    double n, origin, mean, m2, m3


cdef struct Kurtosis:
    double n, origin, mean, m2, m3, m4


cdef struct Covariance:
    double n, x_origin, y_origin, x, y, xy


cdef struct Correlation:
    double n, x_origin, y_origin, x, y, xy, xx, yy


cdef struct Regression:      # of the first column, x, by the second, y
    double n, x_origin, y_origin, x, y, xy, xx, yy


ctypedef fused Run:
    Skewness
    Kurtosis
    Covariance
    Correlation
    Regression


ctypedef fused Shaped:
    Skewness
    Kurtosis


ctypedef fused Paired:
    Covariance
    Correlation
    Regression


ctypedef fused Squared:
    Correlation
    Regression


cdef struct Tuples:
    Slice x, y
    int64_t base


cdef inline double at(const Slice* column, int64_t position) noexcept nogil:
    return (<const double*>column.data)[position]


cdef inline void empty(Run* run) noexcept nogil:
    run.n = 0.0
    if Run is Skewness or Run is Kurtosis:
        run.origin = run.mean = run.m2 = run.m3 = 0.0
        if Run is Kurtosis:
            run.m4 = 0.0
    else:
        run.x_origin = run.y_origin = run.x = run.y = run.xy = 0.0
        if Run in Squared:
            run.xx = run.yy = 0.0


include "two_stacks.pxi"


include "central_runs.pxi"


# --- what is known of a frame by positions -------------------------------------------------------------------


cdef inline void note(Frame* frame, Run* kind, const Terms* terms, int64_t position) noexcept nogil:
    cdef double x, y = 0.0
    cdef int64_t bits
    if Terms is Panes:
        bits = (<const int64_t*>(row_at(kind, terms, position) + 1))[0]
        if row_at(kind, terms, position).n == 0.0 and not bits:
            return
        frame.last[MANY] = frame.newest.at
        note_marks(frame, bits, position)
    else:
        if not is_seen(&terms.x, position):
            return
        x = at(&terms.x, position)
        if Run in Paired:
            if not is_seen(&terms.y, position):
                return
            y = at(&terms.y, position)
            if y != frame.newest.y:
                frame.newest.y_step = frame.newest.at
                frame.newest.y = y
        if x != frame.newest.x:
            frame.newest.x_step = frame.newest.at
            frame.newest.x = x
        if not (isfinite(x) and isfinite(y)):
            frame.last[ODD] = position
        frame.last[MANY] = frame.newest.at
    frame.newest.at = position


# --- results -------------------------------------------------------------------------------------------------


cdef inline bint fair(double m2) noexcept nogil:
    """No power of a deviation has overflowed or vanished."""
    return 1e-140 < m2 < 1e140


cdef inline double quotient(const Run* run, double share, const Rule* rule) noexcept nogil:
    cdef double r
    if Run is Regression:
        fitted(run, rule, &r)
        return r
    elif Run is Covariance:
        return run.xy * share
    elif Run is Correlation:
        if fair(run.xx) and fair(run.yy):
            r = run.xy / sqrt(run.xx * run.yy)
        else:
            r = run.xy / sqrt(run.xx) / sqrt(run.yy)
        return 1.0 if r > 1.0 else -1.0 if r < -1.0 else r
    elif Run is Skewness:
        return sqrt(run.n * run.m2) * run.m3 / (run.m2 * run.m2)
    else:
        return run.n * run.m4 / (run.m2 * run.m2) - 3.0


cdef inline bint fitted(const Regression* run, const Rule* rule, double* out) noexcept nogil:
    """What is asked of a regression; False where y is the same everywhere, and a line has no slope."""
    if rule.gives == SQUARES:
        out[0] = run.xx
    elif rule.gives == PRODUCTS:
        out[0] = run.xy
    elif run.yy == 0.0:
        return False
    elif rule.gives == SLOPE:
        out[0] = run.xy / run.yy
    elif rule.gives == INTERCEPT:
        out[0] = (run.x_origin + run.x) - run.xy / run.yy * (run.y_origin + run.y)
    else:
        out[0] = min(1.0, run.xy / run.xx * (run.xy / run.yy)) if run.xx else 1.0
    return True


cdef inline bint result(const Run* run, double share, const Rule* rule, double* out) noexcept nogil:
    """False where all values are equal."""
    if Run is Regression:
        return fitted(run, rule, out)
    elif Run is Correlation:
        if run.xx == 0.0 or run.yy == 0.0:
            return False
    elif not (Run is Covariance):
        if run.m2 == 0.0:
            return False
    out[0] = quotient(run, share, rule)
    return True


cdef bint result_refolded(const Run* kind, const Tuples* terms, const Rule* rule, int64_t lo, int64_t hi,
                          double* out) noexcept nogil:
    """The result of a frame, all of it finite, whose powers overflow or vanish."""
    cdef Run run
    cdef Scale x_scale, y_scale
    refold(&run, terms, lo, hi, &x_scale, &y_scale)
    if not result(&run, 1.0 / (run.n - rule.ddof), rule, out):
        return False
    if Run is Covariance:
        out[0] = ldexp(out[0], -x_scale.power - y_scale.power)
    elif Run is Regression:
        out[0] = unscaled(&run, rule, &x_scale, &y_scale, out[0])
    return True


cdef double unscaled(const Regression* run, const Rule* rule, const Scale* x, const Scale* y, double fit) noexcept nogil:
    """``fit``, which is of values scaled by powers of two, in their own units."""
    if rule.gives == SQUARES:
        return ldexp(fit, -2 * x.power)
    if rule.gives == PRODUCTS:
        return ldexp(fit, -x.power - y.power)
    if rule.gives == SLOPE:
        return ldexp(fit, y.power - x.power)
    if rule.gives == INTERCEPT:
        fit = run.xy / run.yy * (ldexp(y.origin, y.power) + run.y)
        return (x.origin + ldexp(run.x, -x.power)) - ldexp(fit, -x.power)
    return fit


cdef inline bint is_fair(const Run* run) noexcept nogil:
    if Run is Covariance:
        return isfinite(run.xy)
    elif Run in Squared:
        return fair(run.xx) and fair(run.yy)
    else:
        return fair(run.m2)


cdef inline bint answer(const Run* run, const Frame* frame, const Terms* terms, const Rule* rule,
                        int64_t* out) noexcept nogil:
    cdef bint odd = marked(frame, ODD)
    if run.n == 0.0 and not odd or rule.ddof and not marked(frame, MANY):
        return False
    if odd:
        (<double*>out)[0] = NAN
        return True
    if Terms is Tuples:
        if Run is Regression:
            if terms.base <= frame.lo and not (
                (fair(run.xx) or frame.newest.x_step < frame.lo) and (fair(run.yy) or frame.newest.y_step < frame.lo)
            ):
                return result_refolded(<Run*>NULL, terms, rule, frame.lo, frame.hi, <double*>out)
            return fitted(run, rule, <double*>out)
        if not (Run is Covariance) and frame.newest.x_step < frame.lo:
            return False
        if Run is Correlation:
            if frame.newest.y_step < frame.lo:
                return False
        if not is_fair(run) and terms.base <= frame.lo:
            return result_refolded(<Run*>NULL, terms, rule, frame.lo, frame.hi, <double*>out)
    return result(run, frame.newest.share, rule, <double*>out)


include "central_glide.pxi"


# --- the kernels ---------------------------------------------------------------------------------------------

KINDS = {
    "skewness": (0, sizeof(Skewness), 0),
    "kurtosis": (1, sizeof(Kurtosis), 0),
    "covar_pop": (2, sizeof(Covariance), 0),
    "covar_samp": (2, sizeof(Covariance), 1),
    "corr": (3, sizeof(Correlation), 1),
    "squares": (4, sizeof(Regression), 0),
    "products": (4, sizeof(Regression), 0),
    "slope": (4, sizeof(Regression), 0),
    "intercept": (4, sizeof(Regression), 0),
    "r2": (4, sizeof(Regression), 0),
}
SHAPES = "skewness", "kurtosis"
PAIRS = "covar_pop", "covar_samp", "corr"
FITS = {"squares": SQUARES, "products": PRODUCTS, "slope": SLOPE, "intercept": INTERCEPT, "r2": R2}


cdef int64_t fold_any(int kind, Frame* frame, const Terms* terms, const Rule* rule, const int64_t* start,
                      const int64_t* end, int64_t i, int64_t n, Sink sink) except -1 nogil:
    if kind == 0:
        return fold(frame, <Skewness*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 1:
        return fold(frame, <Kurtosis*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 2:
        return fold(frame, <Covariance*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 3:
        return fold(frame, <Correlation*>frame.block, terms, rule, start, end, i, n, sink)
    return fold(frame, <Regression*>frame.block, terms, rule, start, end, i, n, sink)


cdef Tuples tuples_of(values, int64_t base):
    x, y = values if isinstance(values, tuple) else (values, values)
    return Tuples(slice_of(x, base, 8), slice_of(y, base, 8), base)


cdef int start_as(_TwoStacks kernel, op, ops, bint evicts) except -1:
    if op not in ops:
        raise ValueError(f"op must be one of {', '.join(ops)}, not {op!r}")
    kind, width, kernel.rule.ddof = KINDS[op]
    kernel.frame.newest.at = kernel.frame.newest.x_step = kernel.frame.newest.y_step = INT64_MIN
    kernel.begin(kind, width, evicts, pa.float64())


cdef class Shape(_TwoStacks):
    """``op``: the population skewness sqrt(n) M3 / M2**1.5, or the excess "kurtosis" n M4 / M2**2 - 3, of float64.

    NULL where nothing is counted and where all values are equal. NaN while a NaN or an infinity is in the frame.
    With ``evicts=False`` values beyond 1e70 or below 1e-70 may give NaN or NULL, as in Spark: they are not scaled.

    >>> start, end = np.array([0, 0, 0, 2]), np.array([1, 2, 4, 4])
    >>> Shape("skewness").roll(pa.array([0.0, 0.0, 0.0, 4.0]), 0, start, end).to_pylist()
    [None, None, 1.1547005383792515, 0.0]
    """

    def __cinit__(self, str op, *, bint evicts=True):
        start_as(self, op, SHAPES, evicts)


cdef class Pair(_TwoStacks):
    """``op``: "covar_pop", "covar_samp" or "corr" of a tuple of two columns of float64; a NULL in either is skipped.

    NULL where nothing is counted, for covar_samp and corr of one tuple, and for corr where a column is constant.

    >>> x, y = pa.array([1.0, 2.0, None, 4.0]), pa.array([3.0, 5.0, 6.0, 1.0])
    >>> Pair("covar_samp").roll((x, y), 0, np.array([0, 0, 1]), np.array([1, 2, 4])).to_pylist()
    [None, 1.0, -4.0]
    """

    def __cinit__(self, str op, *, bint evicts=True):
        start_as(self, op, PAIRS, evicts)


cdef class Fit(_TwoStacks):
    """``op``: the "slope", "intercept" or "r2" of the line that fits y by x, or "products" of deviations, of a tuple of (y, x).

    NULL where nothing is counted; the first three also where x is constant. The r2 of a constant y is 1. The "squares" of
    deviations are of a single column.

    >>> y, x = pa.array([1.0, 3.0, None, 9.0]), pa.array([1.0, 2.0, 6.0, 4.0])
    >>> Fit("slope").roll((y, x), 0, np.array([0, 0, 1]), np.array([1, 2, 4])).to_pylist()
    [None, 2.0, 3.0]
    """

    def __cinit__(self, str op, *, bint evicts=True):
        start_as(self, op, FITS, evicts)
        self.rule.gives = FITS[op]
