# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Plain values as bytes, and back, many in one call: what a stream keeps of each key between micro-batches.

A state of a key is a small tuple of counts and attributes. Pickled one by one, a million of them cost as much as the hooks do; to write these
bytes takes less than half of that (to read them, as long). Each value is a letter and what follows it, numbers in the order of x86's bytes::

    (0, {"total": 7.5})     \\1 ( 2 c 0 { 1 s 5 total d ........

    n t f      None, True, False            s S y Y    text and bytes; a length of one byte, or of four
    c q        int of 8 and of 64 bits      ( [ {      tuple, list, dict; a length of four bytes
    d          float                        x          of a type that was made :func:`known`: its letter, then plain values
    =          a list, dict or other changeable object that came before: its number

Invariant: what comes back is equal in value *and type* to what was given, and shares the lists and dicts that were shared before. A value
with anything else in it (an object of a user's class, a subclass, a list within itself by way of another type) is None here, for the
caller to pickle. The first byte is no pickle's. To read bytes runs no code but that of the known types: whoever made them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int* overflow) except? -1
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t* size) except NULL
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)

cdef dict _LOWER = {}  # type -> (letter, whether it can change, value -> plain value)
cdef dict _LIFT = {}  # letter -> (whether it can change, plain value -> value)


def known(kind, bytes letter not None, lower, lift, *, bint changes):
    """From now on values of exactly this type are plain: ``lower`` makes a plain value of one, ``lift`` makes it again.

    ``lower`` gives None for a value that is to be pickled after all. Where objects can change, one that is in two places is one again.
    """
    _LOWER[kind] = (letter, changes, lower)
    _LIFT[letter] = (changes, lift)


cdef class Writer:
    """A buffer that grows, and the changeable objects that are in it."""

    def __cinit__(self):
        self.room = 1 << 10
        self.numbers, self.halfway, self.alive = {}, {}, []
        self.buffer = <char*>PyMem_Malloc(self.room)
        if self.buffer == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.buffer)

    cdef char* more(self, Py_ssize_t size) except NULL:
        """Room for so many bytes."""
        cdef char* larger
        if self.size + size > self.room:
            larger = <char*>PyMem_Realloc(self.buffer, 2 * (self.size + size))
            if larger == NULL:
                raise MemoryError
            self.buffer, self.room = larger, 2 * (self.size + size)
        self.size += size
        return self.buffer + self.size - size

    cdef int letter(self, char kind) except -1:
        self.more(1)[0] = kind
        return 0

    cdef int counted(self, char kind, Py_ssize_t count) except -1:
        cdef uint32_t its = <uint32_t>count
        cdef char* at = self.more(5)
        at[0] = kind
        memcpy(at + 1, &its, 4)
        return 0

    cdef bint text(self, char short, char long, const char* content, Py_ssize_t size) except -1:
        """Put a text or bytes; False if it is too long for its length."""
        cdef char* at
        if size >= <Py_ssize_t>1 << 32:
            return False
        if size < 256:
            at = self.more(2)
            at[0], at[1] = short, <char><uint8_t>size
        else:
            self.counted(long, size)
        memcpy(self.more(size), content, size)
        return True

    cdef bint put(self, object value) except -1:
        """Put a value; False if it is not plain."""
        cdef object kind = type(value)
        cdef int overflow = 0
        cdef int64_t number
        cdef double real
        cdef char* at
        cdef Py_ssize_t size
        cdef const char* content
        if kind is float:
            real = value
            at = self.more(9)
            at[0] = b"d"
            memcpy(at + 1, &real, 8)
            return True
        if kind is int:
            number = PyLong_AsLongLongAndOverflow(value, &overflow)
            if overflow:
                return self._put_items(value, kind)
            if -128 <= number < 128:
                at = self.more(2)
                at[0], at[1] = b"c", <char><int8_t>number
            else:
                at = self.more(9)
                at[0] = b"q"
                memcpy(at + 1, &number, 8)
            return True
        if value is None:
            self.letter(b"n")
            return True
        if kind is bool:
            self.letter(b"t" if value else b"f")
            return True
        if kind is str:
            try:
                content = PyUnicode_AsUTF8AndSize(value, &size)
            except UnicodeEncodeError:
                return False
            return self.text(b"s", b"S", content, size)
        if kind is bytes:
            return self.text(b"y", b"Y", PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))
        return self._put_items(value, kind)

    cdef int start(self) except -1:
        """A new value."""
        self.size = self.count = self.depth = 0
        if self.numbers:
            self.numbers.clear()
        if self.halfway:
            self.halfway.clear()
        if self.alive:
            self.alive.clear()
        return self.letter(FIRST)

    cdef bytes written(self):
        return PyBytes_FromStringAndSize(self.buffer, self.size)

    cdef Py_ssize_t _number_of(self, object value) except -2:
        """The number of a changeable object that has been met before; -1 for a new one, which has the next number."""
        cdef int i
        if self.count <= FEW:
            for i in range(self.count):
                if self.few[i] == <void*>value:
                    return i
        else:
            found = self.numbers.get(id(value))
            if found is not None:
                return found
        if self.count < FEW:
            self.few[self.count] = <void*>value
        elif self.count == FEW:
            for i in range(FEW):
                self.numbers[<size_t>self.few[i]] = i
        if self.count >= FEW:
            self.numbers[id(value)] = self.count
        self.count += 1
        return -1

    cdef bint _put_items(self, object value, object kind) except -1:
        cdef Py_ssize_t number
        cdef tuple how = None
        cdef object lowered
        cdef bint fits
        if kind is not tuple and kind is not list and kind is not dict:
            how = <tuple>_LOWER.get(kind)
            if how is None:
                return False
        elif len(value) >= <Py_ssize_t>1 << 32:
            return False
        if self.depth == DEEPEST:
            return False
        if kind is not tuple and (how is None or how[1]):
            number = self._number_of(value)
            if number >= 0:
                self.counted(b"=", number)
                return how is None or number not in self.halfway  # an object within itself has no beginning
        self.depth += 1
        if how is not None:
            fits = self._put_known(value, how)
        elif kind is dict:
            self.counted(b"{", len(value))
            fits = True
            for name, item in (<dict>value).items():
                if not self.put(name) or not self.put(item):
                    fits = False
                    break
        else:
            self.counted(b"(" if kind is tuple else b"[", len(value))
            fits = True
            for item in value:
                if not self.put(item):
                    fits = False
                    break
        self.depth -= 1
        return fits

    cdef bint _put_known(self, object value, tuple how) except -1:
        cdef object lowered = how[2](value)
        cdef object number = self.count - 1
        cdef char* at
        if lowered is None:
            return False
        self.alive.append(lowered)  # else another object might come to its address
        at = self.more(2)
        at[0], at[1] = b"x", PyBytes_AS_STRING(how[0])[0]
        if not how[1]:
            return self.put(lowered)
        self.halfway[number] = True
        if not self.put(lowered):
            return False
        del self.halfway[number]
        return True


def as_bytes(list values not None):
    """Of each value its bytes; None of one that is not plain.

    >>> as_bytes([(1, "a"), object()])
    [b'\\x01(\\x02\\x00\\x00\\x00c\\x01s\\x01a', None]
    """
    cdef Writer writer = Writer()
    cdef list made = []
    for value in values:
        writer.start()
        made.append(writer.written() if writer.put(value) else None)
    return made


def are_plain(bytes content not None):
    """Whether bytes are those of a plain value, and not of a pickle.

    >>> are_plain(as_bytes([1.5])[0]), are_plain(b"\\x80")
    (True, False)
    """
    return PyBytes_GET_SIZE(content) > 0 and PyBytes_AS_STRING(content)[0] == FIRST


cdef class Reader:
    """Bytes, read one value after another."""

    cdef int open(self, bytes content) except -1:
        """Begin to read these bytes."""
        self.at = PyBytes_AS_STRING(content)
        self.end = self.at + PyBytes_GET_SIZE(content)
        if self.take(1)[0] != FIRST:
            raise ValueError(f"these are not the bytes of a plain value: {content[:8]!r}")
        self.met, self.depth = [], 0

    cdef int close(self) except -1:
        """All has been read."""
        if self.at != self.end:
            raise ValueError("the bytes of a state go on behind their value")

    cdef const char* take(self, Py_ssize_t size) except NULL:
        """The next bytes, so many."""
        if size > self.end - self.at:
            raise ValueError("the bytes of a state have been cut off")
        self.at += size
        return self.at - size

    cdef Py_ssize_t length(self) except -1:
        cdef uint32_t its
        memcpy(&its, self.take(4), 4)
        return its

    cdef object value(self):
        """The next value."""
        cdef char kind = self.take(1)[0]
        cdef int64_t number
        cdef double real
        cdef Py_ssize_t size
        if kind == b"d":
            memcpy(&real, self.take(8), 8)
            return real
        if kind == b"c":
            return <int8_t>self.take(1)[0]
        if kind == b"q":
            memcpy(&number, self.take(8), 8)
            return number
        if kind == b"n":
            return None
        if kind == b"t" or kind == b"f":
            return kind == b"t"
        if kind == b"s" or kind == b"S":
            size = <uint8_t>self.take(1)[0] if kind == b"s" else self.length()
            return PyUnicode_DecodeUTF8(self.take(size), size, NULL)
        if kind == b"y" or kind == b"Y":
            size = <uint8_t>self.take(1)[0] if kind == b"y" else self.length()
            return PyBytes_FromStringAndSize(self.take(size), size)
        if self.depth == DEEPEST:
            raise ValueError("the bytes of a state have values too deep within values")
        self.depth += 1
        made = self._items(kind)
        self.depth -= 1
        return made

    cdef object _items(self, char kind):
        cdef Py_ssize_t number
        cdef list items
        cdef dict mapped
        if kind == b"{":
            mapped = {}
            self.met.append(mapped)
            for _ in range(self.length()):
                name = self.value()
                mapped[name] = self.value()
            return mapped
        if kind == b"[" or kind == b"(":
            items = []
            if kind == b"[":
                self.met.append(items)
            for _ in range(self.length()):
                items.append(self.value())
            return tuple(items) if kind == b"(" else items
        if kind == b"=":
            number = self.length()
            if number >= len(self.met) or self.met[number] is None:
                raise ValueError("the bytes of a state name an object that has not come")
            return self.met[number]
        if kind != b"x":
            raise ValueError(f"the bytes of a state have a value of the unknown kind {kind}")
        how = <tuple>_LIFT.get(PyBytes_FromStringAndSize(self.take(1), 1))
        if how is None:
            raise ValueError("the bytes of a state have a value of an unknown type")
        if not how[0]:
            return how[1](self.value())
        number = len(self.met)
        self.met.append(None)
        made = self.met[number] = how[1](self.value())
        return made


def from_bytes(list contents not None):
    """The values of these bytes. The inverse of :func:`as_bytes`.

    >>> from_bytes(as_bytes([(1, "a"), [None, 2.5]]))
    [(1, 'a'), [None, 2.5]]
    """
    cdef Reader reader = Reader()
    cdef list made = []
    cdef bytes content
    for content in contents:
        reader.open(content)
        made.append(reader.value())
        reader.close()
    return made
