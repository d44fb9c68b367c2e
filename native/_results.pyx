# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From what hooks return to a column: one Arrow array, or the plain list.

The drivers collect what ``terminate`` returned, one object per frame; this is where Python's types meet the
declared result type. Conversion is strict, since a silent cast would hide a bug in a hook:

======== ============================== =============================
mode     accepts                        gives
======== ============================== =============================
double   float, int (not bool),         pyarrow float64 array
         Decimal, None
int64    int (not bool, 64 bits), None  pyarrow int64 array
object   anything                       the list itself
state    aggregates, None               the list itself
======== ============================== =============================

``None`` is NULL. Cost: one pass, no copy of the values; a validity bitmap only if there is a NULL.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t

from decimal import Decimal

import numpy as np
import pyarrow as pa

cdef extern from "Python.h":
    double PyLong_AsDouble(object) except? -1
    long long PyLong_AsLongLongAndOverflow(object, int* overflow) except? -1

MODES = frozenset({"double", "int64", "object", "state"})


class Misfit(Exception):
    """A result does not fit the declared type: ``value``, of the call's frame number ``index``."""

    def __init__(self, index, value):
        super().__init__(index, value)
        self.index, self.value = index, value

    def __str__(self):
        return f"frame {self.index}: {self.value!r} does not fit the result type"


cdef object _NUMPY_NUMBER = (np.integer, np.floating), _NUMPY_INTEGER = np.integer
cdef object _DECIMAL = Decimal
cdef object _NUMPY_SPAN = np.timedelta64  # to NumPy an integer, too


cdef inline bint _put(double* out, object value):
    """Store a float, an int, Python's or NumPy's, or a Decimal; False for others, and for what is too large for a double."""
    if isinstance(value, float):
        out[0] = <double>value
        return True
    if not isinstance(value, int) or isinstance(value, bool):
        if isinstance(value, _NUMPY_NUMBER) and not isinstance(value, _NUMPY_SPAN):
            out[0] = float(value)
            return True
        if isinstance(value, _DECIMAL) and value.is_finite():  # a class for floats also runs over decimals
            out[0] = float(value)
            return isfinite(out[0])
        return False
    try:
        out[0] = PyLong_AsDouble(value)
    except OverflowError:
        return False
    return True


cdef inline bint _put_integer(int64_t* out, object value):
    cdef int overflow = 0
    if not isinstance(value, int) or isinstance(value, bool):
        if not isinstance(value, _NUMPY_INTEGER) or isinstance(value, _NUMPY_SPAN):
            return False
        value = int(value)
    out[0] = PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0


def column(list values not None, str mode not None):
    """The results of one call as a column; :class:`Misfit` names the first value that does not fit.

    >>> column([1.5, None, 2], "double").to_pylist()
    [1.5, None, 2.0]
    """
    if mode == "object" or mode == "state":
        return values
    cdef Py_ssize_t i, n = len(values), nulls = 0
    cdef bint integers = mode == "int64"
    cdef object data = np.zeros(n, dtype=np.int64 if integers else np.float64)
    cdef object validity = None
    cdef uint8_t[::1] cells = data.view(np.uint8)
    cdef uint8_t[::1] bits
    cdef double* doubles = <double*>&cells[0] if n else NULL
    cdef int64_t* longs = <int64_t*>doubles
    cdef bint fits
    for i in range(n):
        value = values[i]
        if value is None:
            if validity is None:
                validity = np.full((n + 7) // 8, 0xFF, dtype=np.uint8)
                bits = validity
            bits[i >> 3] &= ~(1 << (i & 7))
            nulls += 1
            continue
        fits = _put_integer(longs + i, value) if integers else _put(doubles + i, value)
        if not fits:
            raise Misfit(i, value)
    return pa.Array.from_buffers(
        pa.int64() if integers else pa.float64(),
        n,
        [None if validity is None else pa.py_buffer(validity), pa.py_buffer(data)],
        nulls,
    )
