# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bytes of many values put one behind the other, row by row, and taken apart again."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uintptr_t
from libc.string cimport memcpy

import numpy as np
import pyarrow as pa


def joined(list parts):
    """A binary value per row: the row's bytes of each part. A part is its bytes, and where those of each row begin and end.

    >>> letters, digits = (np.frombuffer(text, dtype=np.uint8) for text in (b"abc", b"1234"))
    >>> joined([(letters, np.array([0, 1, 3])), (digits, np.array([0, 0, 4]))]).to_pylist()
    [b'a', b'bc1234']
    """
    cdef const uint8_t[::1] data
    cdef const int64_t[::1] edges
    cdef int64_t row, size, rows = len(parts[0][1]) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    for _, its in parts:
        offsets += its - its[0]
    if offsets[rows] > np.iinfo(np.int32).max:
        raise OverflowError(f"{offsets[rows]:,} bytes of partials in a batch are more than Arrow's binary values may have")
    text = pa.allocate_buffer(max(<int64_t>offsets[rows], 1))
    cdef uintptr_t address = text.address
    cdef uint8_t* out = <uint8_t*>address
    filled = offsets[:rows].copy()
    cdef int64_t[::1] at = filled
    for data, edges in parts:
        if data.shape[0] == 0:
            continue
        with nogil:
            for row in range(rows):
                size = edges[row + 1] - edges[row]
                memcpy(out + at[row], &data[0] + edges[row], size)
                at[row] += size
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets.astype(np.int32)), text])


def copied(data, const int64_t[::1] first, const int64_t[::1] size):
    """Pieces of a buffer, one behind the other: of size[i] bytes, from first[i] on.

    >>> copied(pa.py_buffer(b"abc"), np.array([0, 1]), np.array([2, 2])).to_pybytes()
    b'abbc'
    """
    cdef int64_t i, total = 0, n = first.shape[0]
    cdef uintptr_t address = 0 if data is None else data.address
    for i in range(n):
        total += size[i]
    made = pa.allocate_buffer(total)
    cdef uintptr_t to = made.address
    with nogil:
        for i in range(n):
            memcpy(<void*>to, <const void*>(address + first[i]), size[i])
            to += size[i]
    return made


cdef class Parting:
    """Binary values, taken apart from their fronts on.

    >>> parting = Parting(pa.array([b"a", b"bc1234"]))
    >>> parting.take(np.array([1, 2])).to_pybytes(), parting.take(np.array([0, 4])).to_pybytes()
    (b'abc', b'1234')
    """

    cdef object values  # so that they stay
    cdef const uint8_t* data
    cdef int64_t[::1] at
    cdef int64_t[::1] ends

    def __cinit__(self, values):
        _, offsets, data = values.buffers()
        cdef uintptr_t address = 0 if data is None else data.address
        self.values, self.data = values, <const uint8_t*>address
        edges = np.frombuffer(offsets, dtype=np.int32, count=len(values) + 1, offset=4 * values.offset).astype(np.int64)
        self.at, self.ends = edges[: len(values)].copy(), edges[1:].copy()

    def take(self, const int64_t[::1] sizes):
        """The next bytes of each value, one behind the other."""
        cdef int64_t row, total = 0, rows = self.at.shape[0]
        for row in range(rows):
            if sizes[row] < 0 or self.at[row] + sizes[row] > self.ends[row]:
                raise ValueError(f"value {row} has {self.ends[row] - self.at[row]} bytes left, not {sizes[row]}")
            total += sizes[row]
        taken = pa.allocate_buffer(total)
        cdef uintptr_t address = taken.address
        cdef uint8_t* out = <uint8_t*>address
        with nogil:
            for row in range(rows):
                memcpy(out, self.data + self.at[row], sizes[row])
                out += sizes[row]
                self.at[row] += sizes[row]
        return taken
