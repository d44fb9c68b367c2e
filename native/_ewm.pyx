# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Exponentially weighted averages, by tuple or by time: pandas' ``ewm(...).mean()`` and Polars' ``ewm_mean_by``, over any frame.

A value fades by ``2 ** (-rate * gap)`` over the gap between it and the next one. A gap is 1 (``BY_NUMBER``), or 1 and the NULLs
between (``BY_PLACE``: they age what is before them), or a difference of times. Two averages are made of it::

    adjusted     sum of fade(age) * x / sum of fade(age)
    recursive    y' = (fade * y + new * x) / (fade + new)      from the first value on; new is alpha, by time 1 - fade

Both merge, so nothing is ever taken out again and the frame slides on two stacks. The recursion is affine in its first value x0:
a run keeps ``y = slope * x0 + offset``, and a later run that adjoins is one step with its x0, and then its own map ::

    earlier       gap       later
    slope offset   |fade|   x0  slope offset

*Invariant*: a run has ``first`` and ``last``, the times of its first and last value, or by place the numbers of NULLs before the
first value (all, if there is none) and behind the last; and, if adjusted, ``power``, the fade between the two. *Cost*: a few multiplications per tuple where a gap is 1, else an exp2; by time two or three exp2.

NaN and infinities are marked, not added: a NaN in the frame gives NaN, an infinity itself.
"""

from libc.math cimport INFINITY, NAN, exp2, isfinite, isnan, log2
from libc.stdint cimport int64_t, uint8_t

import numpy as np
import pyarrow as pa

from inwindow.native.kernel cimport Slice, is_seen, set_null, slice_of


cdef enum:
    SEEN                     # marks: a value that is not NULL
    ODD                      # NaN
    PLUS
    MINUS


cdef enum Gap:
    BY_PLACE
    BY_NUMBER
    BY_TIME


cdef struct Newest:          # of the merge of two stacks: their gap is the same for many frames
    double gap, fade


cdef struct Rule:
    bint evicts
    Gap gap
    double rate, once        # the fade over 1 is once = 2 ** -rate
    double alpha, keep, take # of the recursion over 1: y' = keep * y + take * x
    bint whole               # times are int64, not doubles


cdef struct Adjusted:
    double n, first, last, power, sum, weight


cdef struct Recursive:
    double n, first, last, start, slope, offset


ctypedef fused Run:
    Adjusted
    Recursive


cdef struct Tuples:
    Slice x, t               # t: times; by place, what is NULL where a tuple does not count
    bint two


include "two_stacks.pxi"


cdef inline void put(Run* to, const Run* run) noexcept nogil:
    to.n, to.first, to.last = run.n, run.first, run.last
    if Run is Adjusted:
        to.power, to.sum, to.weight = run.power, run.sum, run.weight
    else:
        to.start, to.slope, to.offset = run.start, run.slope, run.offset


cdef inline void empty(Run* run) noexcept nogil:
    run.n = run.first = run.last = 0.0
    if Run is Adjusted:
        run.power, run.sum, run.weight = 1.0, 0.0, 0.0
    else:
        run.start, run.slope, run.offset = 0.0, 1.0, 0.0


cdef inline double gap_between(const Run* earlier, const Run* later, const Rule* rule) noexcept nogil:
    if rule.gap == BY_TIME:
        return later.first - earlier.last
    return 1.0 + earlier.last + later.first


cdef inline double fade_over(double gap, const Rule* rule) noexcept nogil:
    if gap == 1.0:
        return rule.once
    return exp2(-rule.rate * gap) if gap else 1.0


cdef inline double kept(double fade, const Rule* rule) noexcept nogil:
    """The share of what was before in the recursion; the new value has the rest."""
    if rule.gap == BY_TIME:
        return fade
    return rule.keep if fade == rule.once else fade / (fade + rule.alpha)


cdef inline void merge_some(Run* to, const Run* a, const Run* b, double fade, const Rule* rule) noexcept nogil:
    """Both have values."""
    cdef double keep, share
    to.n, to.first, to.last = a.n + b.n, a.first, b.last
    if Run is Adjusted:
        fade *= b.power
        to.sum = b.sum + fade * a.sum
        to.weight = b.weight + fade * a.weight
        to.power = a.power * fade
        if to.power < 1e-307:
            to.power = 0.0
    else:
        keep = kept(fade, rule)
        share = b.slope * keep
        to.start = a.start
        to.offset = share * a.offset + (b.slope * (1.0 - keep) * b.start + b.offset)
        to.slope = share * a.slope
        if to.slope < 1e-307:           # subnormal numbers take ten times as long
            to.slope = 0.0


cdef inline void merge_none(Run* to, const Run* a, const Run* b, const Rule* rule) noexcept nogil:
    """One has no values, or both."""
    put(to, b if b.n else a)
    if rule.gap == BY_PLACE:
        if a.n:
            to.last += b.first
        else:
            to.first = a.first + b.first


cdef inline void merge(Run* to, const Run* a, const Run* b, const Rule* rule) noexcept nogil:
    if a.n and b.n:
        merge_some(to, a, b, fade_over(gap_between(a, b, rule), rule), rule)
    else:
        merge_none(to, a, b, rule)


cdef inline void whole_of(Run* to, const Run* front, const Run* back, Frame* frame, const Rule* rule) noexcept nogil:
    cdef double gap
    if not (front.n and back.n):
        merge_none(to, front, back, rule)
    else:
        gap = gap_between(front, back, rule)
        if gap != frame.newest.gap:
            frame.newest = Newest(gap, fade_over(gap, rule))
        merge_some(to, front, back, frame.newest.fade, rule)


# --- a tuple or a pane joins ---------------------------------------------------------------------------------


cdef inline bint read(Run* one, const Tuples* terms, const Rule* rule, int64_t position) noexcept nogil:
    """The run of a single tuple; False where there is none."""
    cdef double x
    if terms.two and not is_seen(&terms.t, position):
        return False
    empty(one)
    if not is_seen(&terms.x, position):
        one.first = 1.0
        return rule.gap == BY_PLACE
    one.n = 1.0
    if rule.gap == BY_TIME:
        if rule.whole:
            one.first = (<const int64_t*>terms.t.data)[position]
        else:
            one.first = (<const double*>terms.t.data)[position]
    one.last = one.first
    x = (<const double*>terms.x.data)[position]
    x = x if isfinite(x) else 0.0
    if Run is Adjusted:
        one.power, one.sum, one.weight = 1.0, x, 1.0
    else:
        one.start, one.slope, one.offset = x, 1.0, 0.0
    return True


cdef inline bint is_next(const Tuples* terms, const Rule* rule, int64_t position) noexcept nogil:
    """There is a value, and nothing about it but the value need be read."""
    return is_seen(&terms.x, position) and rule.gap != BY_TIME and not terms.two


cdef inline void follow(Run* run, double x, const Rule* rule) noexcept nogil:
    """A value joins a run over a gap of 1: what `merge` does, without copies."""
    x = x if isfinite(x) else 0.0
    run.n += 1.0
    if Run is Adjusted:
        run.sum = rule.once * run.sum + x
        run.weight = rule.once * run.weight + 1.0
        run.power *= rule.once
        if run.power < 1e-307:
            run.power = 0.0
    else:
        run.offset = rule.keep * run.offset + rule.take * x
        run.slope *= rule.keep
        if run.slope < 1e-307:
            run.slope = 0.0


cdef inline void add(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run one, both
    if Terms is Panes:
        merge(&both, run, row_at(run, terms, position), rule)
        put(run, &both)
    elif run.n and run.last == 0.0 and is_next(terms, rule, position):
        follow(run, (<const double*>terms.x.data)[position], rule)
    elif read(&one, terms, rule, position):
        merge(&both, run, &one, rule)
        put(run, &both)


cdef inline void precede(Run* run, const Terms* terms, const Rule* rule, int64_t position) noexcept nogil:
    cdef Run one, both
    if Terms is Panes:
        merge(&both, row_at(run, terms, position), run, rule)
        put(run, &both)
    elif read(&one, terms, rule, position):
        merge(&both, &one, run, rule)
        put(run, &both)


cdef inline void note(Frame* frame, Run* kind, const Terms* terms, int64_t position) noexcept nogil:
    cdef double x
    if Terms is Panes:
        note_marks(frame, (<const int64_t*>(row_at(kind, terms, position) + 1))[0], position)
    elif is_seen(&terms.x, position) and not (terms.two and not is_seen(&terms.t, position)):
        frame.last[SEEN] = position
        x = (<const double*>terms.x.data)[position]
        if not isfinite(x):
            frame.last[ODD if isnan(x) else PLUS if x > 0.0 else MINUS] = position


cdef inline bint glides(const Frame* frame, Run* kind, const Terms* terms, const Rule* rule) noexcept nogil:
    return False


cdef inline int64_t glide(Frame* kept, Run* kind, const Terms* terms, const Rule* rule, const int64_t* start,
                          const int64_t* end, int64_t i, int64_t n, int64_t* out) noexcept nogil:
    return i


cdef inline bint answer(const Run* run, const Frame* frame, const Terms* terms, const Rule* rule,
                        int64_t* out) noexcept nogil:
    cdef double* result = <double*>out
    if not marked(frame, SEEN):
        return False
    if marked(frame, ODD) or marked(frame, PLUS) and marked(frame, MINUS):
        result[0] = NAN
    elif marked(frame, PLUS) or marked(frame, MINUS):
        result[0] = INFINITY if marked(frame, PLUS) else -INFINITY
    elif Run is Adjusted:
        result[0] = run.sum / run.weight
    else:
        result[0] = run.slope * run.start + run.offset
    return True


# --- the kernel ----------------------------------------------------------------------------------------------


cdef int64_t fold_any(int kind, Frame* frame, const Terms* terms, const Rule* rule, const int64_t* start,
                      const int64_t* end, int64_t i, int64_t n, Sink sink) except -1 nogil:
    if kind == 0:
        return fold(frame, <Adjusted*>frame.block, terms, rule, start, end, i, n, sink)
    return fold(frame, <Recursive*>frame.block, terms, rule, start, end, i, n, sink)


cdef Tuples tuples_of(values, int64_t base):
    two = isinstance(values, tuple)
    x, t = values if two else (values, values)
    return Tuples(slice_of(x, base, 8), slice_of(t, base, 8), two)


cdef class Ewm(_TwoStacks):
    """The average of float64 values that fade by ``1 - alpha`` from one to the next; ``gap`` says what lies between two.

    ``gap="place"``: NULLs count, unless they are NULL in a second column, too; ``"number"``: they do not; ``"time"``: a second
    column, int64 if ``whole`` or else float64, over 1 of which a value fades by ``2 ** -rate``.

    >>> start, end = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4])
    >>> Ewm(0.5).roll(pa.array([4.0, 1.0, None, 1.0]), 0, start, end).to_pylist()
    [4.0, 2.0, 2.0, 1.0]
    """

    def __cinit__(self, double alpha, str gap="place", *, bint adjust=True, bint whole=False, double rate=-1.0,
                  bint evicts=True):
        self.rule.gap = {"place": BY_PLACE, "number": BY_NUMBER, "time": BY_TIME}[gap]
        self.rule.alpha, self.rule.whole = alpha, whole
        self.rule.rate = rate if rate >= 0.0 else INFINITY if alpha == 1.0 else -log2(1.0 - alpha)
        self.rule.once = exp2(-self.rule.rate) if rate >= 0.0 else 1.0 - alpha
        self.rule.keep = self.rule.once / (self.rule.once + alpha)
        self.rule.take = 1.0 - self.rule.keep
        self.frame.newest = Newest(0.0, 1.0)
        if adjust:
            self.begin(0, sizeof(Adjusted), evicts, pa.float64())
        else:
            self.begin(1, sizeof(Recursive), evicts, pa.float64())
