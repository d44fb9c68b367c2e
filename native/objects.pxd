# The frames of kernels over Python objects: a kernel says what a value does that enters or leaves.

from libc.stdint cimport int64_t, uint8_t


cdef class ObjectKernel:
    cdef bint evicts
    cdef int64_t lo          # the frame that is folded in: [lo, hi)
    cdef int64_t hi
    cdef const int64_t* left # while it sweeps: the position of the k-th to leave; else NULL

    cdef int forget(self) except -1
    cdef int enter(self, object value) except -1
    cdef int leave(self, object value) except -1
    cdef int settle(self, list columns, int64_t base, const uint8_t* seen) except -1
    cdef object room(self, Py_ssize_t frames)
    cdef int answer(self, object results, Py_ssize_t frame) except -1
    cdef int fold(self, list columns, int64_t base, const uint8_t* seen, int64_t start, int64_t end) except -1


cdef object canonical(object value)
