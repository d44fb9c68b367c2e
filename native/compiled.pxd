# Base classes of aggregates that are written in Cython: what a `cdef class` of yours is derived from (docs/compiled.md).
#
#     from inwindow.native.compiled cimport OneDouble
#
#     cdef class MyAvg(OneDouble):
#         cdef double total
#         cdef long count
#         cdef int iterate(self, double value) except -1: ...
#
# The order of the methods is read in compiled.pyx, to find out which of them a class has written.

from libc.stdint cimport int64_t

cdef enum:
    PUNT = 1                                   # what an `expire` returns that cannot undo a tuple


cdef class Hooks:
    cdef bint is_null
    cdef double terminate(self) except? -1     # the result of the frame
    cdef int64_t terminate_int(self) except? -1  # the same, of a class with `returns = "bigint"`
    cdef int merge(self, Hooks later) except -1
    cdef int null(self) noexcept               # `return self.null()`: the result is NULL


cdef class OneDouble(Hooks):
    """Of one column, as doubles."""
    cdef int initialize(self, double value) except -1
    cdef int iterate(self, double value) except -1
    cdef int expire(self, double value) except -1


cdef class OneInt64(Hooks):
    """Of one column of integers."""
    cdef int initialize(self, int64_t value) except -1
    cdef int iterate(self, int64_t value) except -1
    cdef int expire(self, int64_t value) except -1


cdef class Doubles(Hooks):
    """Of several columns, as doubles: values[0], values[1], ..."""
    cdef int initialize(self, const double* values) except -1
    cdef int iterate(self, const double* values) except -1
    cdef int expire(self, const double* values) except -1
