# When a live aggregate's frame is to be folded afresh: significance.pyx says what is looked at.

cimport cython

cdef enum Finding:
    SOUND = 0
    CANCELLED = 1
    POISONED = 2


cdef class _Watch:
    cdef tuple _names
    cdef list _fields
    cdef Py_ssize_t _left, _due  # tuples that have left; when to look for fields again
    cdef Py_ssize_t _since  # tuples that have left since the last fold
    cdef Py_ssize_t _guard  # while this position is in the frame, a field is NaN in any fold of it
    cdef bint _watches, _precise  # whether there is a float field at all, and one that is weighed

    cdef int reset(self) except -1
    cdef int _seek(self, object aggregate) except -1
    cdef int find(self, object aggregate, Py_ssize_t start, Py_ssize_t count, bint is_read) except -1
    cdef int look(self, object aggregate) except -1
    cdef int arrived(self, object aggregate, Py_ssize_t p) except -1
    cdef list begin_fold(self)
    cdef int end_fold(self, list before, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int begin_probe(self) except -1
    cdef bint probed(self, object aggregate, Py_ssize_t p, bint may_be_marker) except -1
    cdef Py_ssize_t guards(self, object aggregate) except? -2
    cdef bint is_poisoned(self)
    cdef tuple state(self)
    cdef int restore(self, object state) except -1

    @cython.final
    cdef inline bint is_awake(self):
        """Whether something has left."""
        return self._left > 0

    @cython.final
    cdef inline int leaving(self, object aggregate, bint is_next) except -1:
        """A tuple is about to leave; ``is_next``: another one has left just now, and nobody has looked since."""
        self._left += 1
        self._since += 1
        if self._left == self._due:
            self._seek(aggregate)
        if is_next and self._watches:
            self.look(aggregate)
