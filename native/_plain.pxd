# Plain values as bytes, for who has values of a form of its own to write: _plain.pyx has the format.

cdef enum:
    FIRST = 1  # a pickle begins with 0x80
    FEW = 16  # changeable objects of one value: so many are looked for one by one
    DEEPEST = 64  # values within values


cdef class Writer:
    cdef char* buffer
    cdef Py_ssize_t size, room
    cdef (void*)[FEW] few
    cdef dict numbers, halfway
    cdef list alive
    cdef int count, depth

    cdef char* more(self, Py_ssize_t size) except NULL
    cdef int letter(self, char kind) except -1
    cdef int counted(self, char kind, Py_ssize_t count) except -1
    cdef bint text(self, char short, char long, const char* content, Py_ssize_t size) except -1
    cdef bint put(self, object value) except -1
    cdef int start(self) except -1
    cdef bytes written(self)
    cdef Py_ssize_t _number_of(self, object value) except -2
    cdef bint _put_items(self, object value, object kind) except -1
    cdef bint _put_known(self, object value, tuple how) except -1


cdef class Reader:
    cdef const char* at
    cdef const char* end
    cdef list met  # the changeable objects, by number
    cdef int depth

    cdef int open(self, bytes content) except -1
    cdef int close(self) except -1
    cdef const char* take(self, Py_ssize_t size) except NULL
    cdef Py_ssize_t length(self) except -1
    cdef object value(self)
    cdef object _items(self, char kind)
