# cython: language_level=3, cdivision=True
"""The classes of compiled_hooks.py as cdef classes."""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int64_t

from inwindow.native.compiled cimport OneDouble


cdef class CAvg(OneDouble):
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
        self.total -= value
        self.count -= 1
        return 0

    cdef double terminate(self) except? -1:
        return self.total / self.count


cdef class CSpread(OneDouble):
    cdef double total, squares
    cdef int64_t count

    cdef int initialize(self, double value) except -1:
        self.total, self.squares, self.count = value, value * value, 1
        return 0

    cdef int iterate(self, double value) except -1:
        self.total += value
        self.squares += value * value
        self.count += 1
        return 0

    cdef int expire(self, double value) except -1:
        self.total -= value
        self.squares -= value * value
        self.count -= 1
        return 0

    cdef double terminate(self) except? -1:
        cdef double rest = self.squares - self.total * self.total / self.count
        if self.count < 2:
            return self.null()
        return sqrt(rest / (self.count - 1)) if rest > 0 else 0.0


cdef class CDecayed(OneDouble):
    cdef double factor, log_factor, total, weight
    cdef int64_t count

    def __init__(self, double factor):
        self.factor, self.log_factor = factor, log(factor)

    cdef int initialize(self, double value) except -1:
        self.total, self.weight, self.count = value, 1.0, 1
        return 0

    cdef int iterate(self, double value) except -1:
        self.total = self.total * self.factor + value
        self.weight = self.weight * self.factor + 1.0
        self.count += 1
        return 0

    cdef int expire(self, double value) except -1:
        cdef double its
        self.count -= 1
        its = exp(self.log_factor * self.count)
        self.total -= value * its
        self.weight -= its
        return 0

    cdef double terminate(self) except? -1:
        return self.total / self.weight
