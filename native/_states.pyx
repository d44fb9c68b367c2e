# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The attributes of aggregates as bytes, and aggregates of these: what is sent to another process.

The bytes are those of a plain value (``_plain.pyx``): a letter and a count, then names and values by turns::

    Mean(total=7.5, count=3)     \\1 a 2 s 5 total d ........ s 5 count c \\3

Invariant: attributes come back equal in value *and type*, and share what they shared. An aggregate with an attribute that is not plain
is for the caller to pickle.

Cost: one pass over the values. States of one class mostly have the same names in the same order, so a name is compared with the one
that stood there before, and seldom made anew: half of the time of a state of two numbers.
"""

from sys import intern

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject_GenericSetAttr
from libc.string cimport memcmp

from inwindow.native._plain cimport FIRST, Reader, Writer
from inwindow.native.blank cimport attributes_of, blank


def packed(list aggregates not None, otherwise):
    """Of each aggregate its bytes, of None None; of one that is not plain what ``otherwise`` makes of it.

    >>> class Mean:
    ...     def __init__(self, total, count): self.total, self.count = total, count
    >>> content, none, other = packed([Mean(7.5, 3), None, Mean(object(), 1)], lambda mean: b"pickled")
    >>> content, none, other
    (b'\\x01a\\x02\\x00\\x00\\x00s\\x05totald\\x00\\x00\\x00\\x00\\x00\\x00\\x1e@s\\x05countc\\x03', None, b'pickled')
    >>> vars(unpacked(Mean(0, 0), [content], None)[0])
    {'total': 7.5, 'count': 3}
    """
    cdef Writer writer = Writer()
    cdef list made = []
    for aggregate in aggregates:
        if aggregate is None:
            made.append(None)
        elif put_attributes(writer, aggregate):
            made.append(writer.written())
        else:
            made.append(otherwise(aggregate))
    return made


cdef bint put_attributes(Writer writer, object aggregate) except -1:
    """False if there is anything else to it, or an attribute that is not plain."""
    cdef dict attributes = attributes_of(aggregate)
    if attributes is None:
        return False
    writer.start()
    writer.counted(b"a", len(attributes))
    for name, value in attributes.items():
        if type(name) is not str or not writer.put(name) or not writer.put(value):
            return False
    return True


cdef class _Names(Reader):
    """A reader that remembers the names of the state before, by their places."""

    cdef list names, contents

    cdef object name(self, Py_ssize_t place):
        cdef Py_ssize_t size
        cdef bytes content
        cdef const char* begin = self.at
        if place < len(self.names):
            content = <bytes>self.contents[place]
            size = PyBytes_GET_SIZE(content)
            if size <= self.end - begin and memcmp(begin, PyBytes_AS_STRING(content), size) == 0:
                self.at += size
                return self.names[place]
        name = intern(self.value())
        content = PyBytes_FromStringAndSize(begin, self.at - begin)
        self.names[place:], self.contents[place:] = [name], [content]
        return name


def unpacked(prototype, list contents not None, otherwise):
    """The aggregates again, of the prototype's class: the inverse of :func:`packed`."""
    cdef _Names reader = _Names()
    cdef list made = []
    cdef object aggregate
    cdef Py_ssize_t place
    cdef bytes content
    reader.names, reader.contents = [], []
    for content in contents:
        if content is None:
            made.append(None)
            continue
        if not content or content[0] != FIRST:
            made.append(otherwise(content))
            continue
        reader.open(content)
        if reader.take(1)[0] != b"a":
            raise ValueError("these are not the bytes of an aggregate")
        aggregate = blank(prototype)
        for place in range(reader.length()):
            name = reader.name(place)
            PyObject_GenericSetAttr(aggregate, name, reader.value())
        reader.close()
        made.append(aggregate)
    return made
