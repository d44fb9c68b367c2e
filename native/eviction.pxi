# What a kernel says that was made for frames which no tuple leaves. Text that other texts include.

from libc.stdint cimport int64_t


cdef int no_eviction(int64_t lo, int64_t start) except -1 nogil:
    with gil:
        raise RuntimeError(f"evicts=False, but the lower end moved from {lo} to {start} inside a frame")
