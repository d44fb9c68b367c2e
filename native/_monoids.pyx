# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Bits, products, decayed averages, and variances of panes: aggregates that are merged, never subtracted or divided out.

What cannot be undone need not be: the frame is in two parts, and a tuple leaves by being left out ::

    positions    lo            mid            hi
    front        a*b*c  b*c  c  |  d*e*f = back       result = front[lo] merged with back
                 built from c to a

When lo reaches mid, the front is built anew from the values of [lo, hi), which are held, and the back is empty.

*Invariant*: front[p - at] is the aggregate of [p, mid), back that of [mid, hi); nothing that has left is in either,
so there is no drift. *Cost*: two additions and one merge per tuple; one struct per tuple of the window.

That there is a NaN, an infinity, a zero, or any value at all in the frame is known by the position of the last one:
the structs hold finite values alone, and 1 with its sign in the place of a factor that is 0 or infinite.

A product is in two doubles and an exponent, (high + low) * 2**exponent, each factor as m * 2**e with 1/2 <= |m| < 1:
nothing overflows or vanishes on the way, and n factors round by 2**-100 * n (Dekker's product, 1971).
A variance over panes is a run of n, an origin, the mean as seen from it and M2; how two are merged is of Chan, Golub, LeVeque:
Updating formulae and a pairwise algorithm for computing sample variances, 1979. A NaN in it leaves with its pane.
A decayed average is the monoid (S, W, P) = (sum of d**age * x, sum of d**age, d**n): what comes later ages what was
there by its P. A weight below 1e-307 counts as 0.
"""

from libc.math cimport INFINITY, NAN, copysign, isfinite, isinf, isnan, sqrt
from libc.stdint cimport int64_t, uint8_t

import numpy as np
import pyarrow as pa

from inwindow.native.factors cimport Factors, lost, multiply, normalise, value_of
from inwindow.native.kernel cimport Slice, is_seen, set_null, slice_of

cdef enum:                   # the marks
    SEEN
    ODD                      # NaN
    ZERO
    INFINITE


cdef enum:                   # those of Decayed
    PLUS = 2                 # the infinities
    MINUS = 3


cdef struct Newest:
    bint unused


cdef struct Rule:
    bint evicts
    double decay
    int64_t ddof             # of Spread
    bint root


cdef struct And:
    int64_t word


cdef struct Or:
    int64_t word


cdef struct Xor:
    int64_t word


cdef struct Weighted:
    double sum, weight, power


cdef struct Spread:          # of panes alone: see _moments.pyx
    double n, origin, mean, m2


ctypedef fused Run:
    And
    Or
    Xor
    Factors
    Weighted
    Spread


cdef struct Tuples:
    Slice column


include "two_stacks.pxi"


cdef inline void put(Run* to, const Run* run) noexcept nogil:
    if Run is Factors:
        to.high, to.low, to.exponent = run.high, run.low, run.exponent
    elif Run is Weighted:
        to.sum, to.weight, to.power = run.sum, run.weight, run.power
    elif Run is Spread:
        to.n, to.origin, to.mean, to.m2 = run.n, run.origin, run.mean, run.m2
    else:
        to.word = run.word


cdef inline void empty(Run* run) noexcept nogil:
    if Run is Factors:
        run.high, run.low, run.exponent = 1.0, 0.0, 0
    elif Run is Weighted:
        run.sum, run.weight, run.power = 0.0, 0.0, 1.0
    elif Run is Spread:
        run.n = run.origin = run.mean = run.m2 = 0.0
    elif Run is And:
        run.word = -1
    else:
        run.word = 0


# --- a tuple or a pane joins ---------------------------------------------------------------------------------


cdef inline void merge(Run* to, const Run* a, const Run* b) noexcept nogil:
    cdef double product, delta
    if Run is Factors:
        to.exponent = a.exponent + b.exponent
        product = a.high * b.high
        normalise(to, product, lost(a.high, b.high, product) + (a.high * b.low + a.low * b.high))
    elif Run is Weighted:
        to.sum = b.sum + b.power * a.sum
        to.weight = b.weight + b.power * a.weight
        to.power = a.power * b.power
    elif Run is Spread:
        if a.n == 0.0:
            put(to, b)
        elif b.n == 0.0:
            put(to, a)
        else:
            delta = (b.origin - a.origin) + (b.mean - a.mean)
            to.n = a.n + b.n
            to.origin = a.origin
            to.mean = a.mean + delta * (b.n / to.n)
            to.m2 = a.m2 + b.m2 + delta * delta * (a.n * (b.n / to.n))
    elif Run is And:
        to.word = a.word & b.word
    elif Run is Or:
        to.word = a.word | b.word
    else:
        to.word = a.word ^ b.word


cdef inline void whole_of(Run* to, const Run* front, const Run* back, Frame* frame, const Rule* rule) noexcept nogil:
    merge(to, front, back)


cdef inline void join(Run* run, const Tuples* terms, int64_t position) noexcept nogil:
    cdef int64_t word
    cdef double x
    if not is_seen(&terms.column, position):
        return
    if Run is Factors:
        x = (<const double*>terms.column.data)[position]
        if x == x:
            multiply(run, x)
    elif Run is not Weighted and Run is not Spread:
        word = (<const int64_t*>terms.column.data)[position]
        if Run is And:
            run.word &= word
        elif Run is Or:
            run.word |= word
        else:
            run.word ^= word


cdef inline void add(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run both
    cdef double x
    if Terms is Panes:
        merge(&both, run, row_at(run, terms, position))
        put(run, &both)
    elif Run is Weighted:
        if is_seen(&terms.column, position):
            x = (<const double*>terms.column.data)[position]
            run.sum = rule.decay * run.sum + (x if isfinite(x) else 0.0)
            run.weight = rule.decay * run.weight + 1.0
            run.power *= rule.decay
            if run.power < 1e-307:
                run.power = 0.0
    else:
        join(run, terms, position)


cdef inline void precede(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run both
    cdef double x
    if Terms is Panes:
        merge(&both, row_at(run, terms, position), run)
        put(run, &both)
    elif Run is Weighted:
        if is_seen(&terms.column, position):
            x = (<const double*>terms.column.data)[position]
            run.sum += run.power * (x if isfinite(x) else 0.0)
            run.weight += run.power
            run.power *= rule.decay
            if run.power < 1e-307:
                run.power = 0.0
    else:
        join(run, terms, position)


cdef inline void note(Frame* frame, Run* kind, const Terms* terms, int64_t position) noexcept nogil:
    cdef double x
    if Terms is Panes:
        note_marks(frame, (<const int64_t*>(row_at(kind, terms, position) + 1))[0], position)
    elif is_seen(&terms.column, position):
        frame.last[SEEN] = position
        if Run is Factors or Run is Weighted:
            x = (<const double*>terms.column.data)[position]
            if Run is Factors:
                if x == 0.0:
                    frame.last[ZERO] = position
                elif not isfinite(x):
                    frame.last[INFINITE if isinf(x) else ODD] = position
            elif not isfinite(x):
                frame.last[ODD if isnan(x) else PLUS if x > 0.0 else MINUS] = position


cdef inline bint glides(const Frame* frame, Run* kind, const Terms* terms, const Rule* rule) noexcept nogil:
    return False


cdef inline int64_t glide(Frame* kept, Run* kind, const Terms* terms, const Rule* rule, const int64_t* start,
                          const int64_t* end, int64_t i, int64_t n, int64_t* out) noexcept nogil:
    return i


cdef inline bint answer(const Run* run, const Frame* frame, const Terms* terms, const Rule* rule,
                        int64_t* out) noexcept nogil:
    cdef double* result = <double*>out
    if Run is Spread:
        if run.n <= rule.ddof:
            return False
        result[0] = run.m2 / (run.n - rule.ddof)
        if rule.root:
            result[0] = sqrt(result[0])
        return True
    else:
        if not marked(frame, SEEN):
            return False
        if Run is Factors:
            if marked(frame, ODD) or marked(frame, ZERO) and marked(frame, INFINITE):
                result[0] = NAN
            elif marked(frame, ZERO):
                result[0] = copysign(0.0, run.high)
            elif marked(frame, INFINITE):
                result[0] = copysign(INFINITY, run.high)
            else:
                result[0] = value_of(run)
        elif Run is Weighted:
            if marked(frame, ODD) or marked(frame, PLUS) and marked(frame, MINUS):
                result[0] = NAN
            elif marked(frame, PLUS) or marked(frame, MINUS):
                result[0] = INFINITY if marked(frame, PLUS) else -INFINITY
            else:
                result[0] = run.sum / run.weight
        else:
            out[0] = run.word
        return True


# --- the kernels ---------------------------------------------------------------------------------------------

BITS = {"and": 0, "or": 1, "xor": 2}


cdef int64_t fold_any(int kind, Frame* frame, const Terms* terms, const Rule* rule, const int64_t* start,
                      const int64_t* end, int64_t i, int64_t n, Sink sink) except -1 nogil:
    if kind == 0:
        return fold(frame, <And*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 1:
        return fold(frame, <Or*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 2:
        return fold(frame, <Xor*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 3:
        return fold(frame, <Factors*>frame.block, terms, rule, start, end, i, n, sink)
    if kind == 4:
        return fold(frame, <Weighted*>frame.block, terms, rule, start, end, i, n, sink)
    return fold(frame, <Spread*>frame.block, terms, rule, start, end, i, n, sink)


cdef Tuples tuples_of(values, int64_t base):
    return Tuples(slice_of(values, base, 8))


cdef class BitAggregate(_TwoStacks):
    """The bitwise "and", "or" or "xor" of int64; NULL where there is no value.

    >>> start, end = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 4])
    >>> BitAggregate("or").roll(pa.array([1, 2, 4, None]), 0, start, end).to_pylist()
    [1, 3, 6, 4]
    """

    def __cinit__(self, str op, *, bint evicts=True):
        if op not in BITS:
            raise ValueError(f"op must be one of {', '.join(BITS)}, not {op!r}")
        self.begin(BITS[op], sizeof(And), evicts, pa.int64())


cdef class Product(_TwoStacks):
    """The product of float64, as if it were rounded once; zeros, infinities and NaN as in IEEE 754.

    >>> Product().roll(pa.array([1e200, 1e200, 1e-300]), 0, np.array([0, 0]), np.array([2, 3])).to_pylist()
    [inf, 1e+100]
    """

    def __cinit__(self, *, bint evicts=True):
        self.begin(3, sizeof(Factors), evicts, pa.float64())


cdef class Decayed(_TwoStacks):
    """The average of float64 where the newest value weighs 1 and each one before ``decay`` times the next.

    A NaN in the frame makes it NaN, an infinity infinite, those of both signs NaN; a NULL does not age the others.

    >>> Decayed(0.5).roll(pa.array([4.0, 1.0, None]), 0, np.array([0, 0, 1]), np.array([1, 2, 3])).to_pylist()
    [4.0, 2.0, 1.0]
    """

    def __cinit__(self, double decay, *, bint evicts=True):
        if not 0.0 < decay <= 1.0:
            raise ValueError(f"decay={decay!r} is not in (0, 1]")
        self.rule.decay = decay
        self.begin(4, sizeof(Weighted), evicts, pa.float64())


cdef class SpreadOfPanes(_TwoStacks):
    """M2 / (n - ddof), or its root, over panes: the second level of :class:`inwindow.native._moments.FloatMoments`."""

    def __cinit__(self, int64_t ddof, bint root):
        self.over_panes = True
        self.rule.ddof, self.rule.root = ddof, root
        self.begin(5, sizeof(Spread), True, pa.float64())
