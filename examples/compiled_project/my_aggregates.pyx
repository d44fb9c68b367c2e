# cython: language_level=3
"""Aggregates with C hooks: see docs/compiled.md. A class per base class, and what each can do."""

from libc.math cimport exp, isfinite
from libc.stdint cimport int64_t

from inwindow.native.compiled cimport Doubles, Hooks, OneDouble, OneInt64, PUNT


cdef class MyAvg(OneDouble):
    """The average of a column: in O(1) when frames slide, and cut into panes when they slide far."""

    commutative = True

    cdef double total
    cdef int64_t count

    cdef int initialize(self, double value) except -1:
        self.total, self.count = value, 1
        return 0

    cdef int iterate(self, double value) except -1:
        self.total += value
        self.count += 1
        return 0

    cdef int expire(self, double value) except -1:
        if not isfinite(self.total):                 # NaN and infinities cannot be subtracted: the frame is folded again
            return PUNT
        self.total -= value
        self.count -= 1
        return 0

    cdef double terminate(self) except? -1:
        return self.total / self.count

    cdef int merge(self, Hooks later) except -1:
        self.total += (<MyAvg>later).total
        self.count += (<MyAvg>later).count
        return 0


cdef class Decayed(OneDouble):
    """A sum in which each tuple halves, and halves again, every ``half_life`` tuples. No expire: each frame is folded afresh."""

    cdef double factor, total

    def __init__(self, double half_life):
        if half_life <= 0:
            raise ValueError(f"half_life={half_life}: a positive number of tuples")
        self.factor = exp(-0.6931471805599453 / half_life)

    cdef int iterate(self, double value) except -1:
        self.total = self.total * self.factor + value
        return 0

    cdef double terminate(self) except? -1:
        return self.total


cdef class Vwap(Doubles):
    """The average price, weighted by volume; NULL where nothing was sold."""

    parameters = ("price", "volume")

    cdef double paid, sold

    cdef int iterate(self, const double* values) except -1:
        if values[1] < 0:
            raise ValueError("a negative volume")
        self.paid += values[0] * values[1]
        self.sold += values[1]
        return 0

    cdef int expire(self, const double* values) except -1:
        self.paid -= values[0] * values[1]
        self.sold -= values[1]
        return 0

    cdef double terminate(self) except? -1:
        if self.sold == 0:
            return self.null()
        return self.paid / self.sold


cdef class Odd(OneInt64):
    """How many odd numbers."""

    empty = 0

    cdef int64_t count

    cdef int iterate(self, int64_t value) except -1:
        self.count += value & 1
        return 0

    cdef int expire(self, int64_t value) except -1:
        self.count -= value & 1
        return 0

    cdef int64_t terminate_int(self) except? -1:
        return self.count
