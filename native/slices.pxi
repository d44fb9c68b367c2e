# Reading a slice of the endless sequence, as an Arrow array has it, and giving results back. Text that kernels include:
# a kernel cannot cimport another, as Cython looks for `inwindow.native` where there is only `native/`.

from libc.stdint cimport int64_t, uint8_t, uintptr_t

import numpy as np
import pyarrow as pa

from inwindow.native.space import space


cdef struct Slice:
    const char* data         # the value at position p begins at data + p * (its width in bytes)
    const uint8_t* seen      # its validity is bit `bit + p` of seen; NULL where all are valid
    int64_t bit


cdef Slice slice_of(values, int64_t base, int64_t width):
    """``values`` holds the positions from ``base`` on."""
    cdef int64_t offset = values.offset
    bitmap, data = values.buffers()[:2]
    cdef const char* at = <const char*><uintptr_t>(0 if data is None else data.address)
    cdef const uint8_t* seen = <const uint8_t*><uintptr_t>(bitmap.address if values.null_count else 0)
    return Slice(at + (offset - base) * width, seen, offset - base)


cdef inline bint is_seen(const Slice* column, int64_t position) noexcept nogil:
    cdef int64_t bit = column.bit + position
    return column.seen == NULL or column.seen[bit >> 3] >> (bit & 7) & 1


cdef all_valid(int64_t count):
    """A validity bitmap to be cleared by :func:`set_null`."""
    return np.full((count + 7) // 8, 255, dtype=np.uint8)


cdef inline void set_null(uint8_t* validity, int64_t index) noexcept nogil:
    validity[index >> 3] &= ~(1 << (index & 7))


cdef column_of(type, values, validity):
    """The results as an Arrow array; ``validity`` is None where none of them is NULL."""
    buffers = [None if validity is None else pa.py_buffer(validity), pa.py_buffer(values)]
    return pa.Array.from_buffers(type, len(values), buffers)
