# What all that calls a user's hooks has in common: driver.pyx.

cimport cython
from libc.stdint cimport int64_t, uint8_t


cdef enum Hook:
    NO_HOOK, INITIALIZE, ITERATE, EXPIRE, MERGE, UNMERGE, TERMINATE


cdef inline object call(object hook, list columns, Py_ssize_t i):
    """``hook(*row i)``; the two usual widths make no tuple."""
    cdef Py_ssize_t width = len(columns)
    if width == 1:
        return hook((<list>columns[0])[i])
    if width == 2:
        return hook((<list>columns[0])[i], (<list>columns[1])[i])
    return hook(*[(<list>values)[i] for values in columns])


cdef class Driver:
    cdef object _prototype, _empty, _punt, _fields, _snapshot
    cdef str _result
    cdef object _aggregate, _initialize, _iterate, _expire, _terminate, _window
    cdef Hook _first, _next
    cdef list _columns
    cdef const uint8_t* _seen
    cdef Py_ssize_t _base, _length
    cdef Hook _running       # while a hook runs, or has raised
    cdef Py_ssize_t _position, _frame, _shift

    cdef int _configure(self, object prototype, str result, object empty, object punt, object record_fields,
                        object snapshot) except -1
    cdef int _open(self, list columns, Py_ssize_t base, const uint8_t[::1] seen) except -1
    cdef tuple _values(self, Py_ssize_t p)
    cdef int _begin(self) except -1
    cdef int _adopt(self, object aggregate, object rows, object places) except -1
    cdef int _drop(self) except -1
    cdef tuple _records(self)
    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef object _outcome(self, Py_ssize_t end)
    cdef int _absorb(self, Py_ssize_t start, Py_ssize_t end) except -1
    cdef list _frames(self, const int64_t[::1] start, const int64_t[::1] end)
    cdef tuple _arguments(self)
    cdef int _reraise(self, object error) except -1

    @cython.final
    cdef inline bint _sees(self, Py_ssize_t p) except -1:
        """Whether a hook gets the tuple at p."""
        cdef Py_ssize_t i = p - self._base
        if i < 0 or i >= self._length:
            raise RuntimeError(f"internal error: position {p} is not in the slice from {self._base} on")
        return self._seen == NULL or self._seen[i]
