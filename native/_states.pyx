# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""States of aggregates as numbers and texts in a row, and back: what is sent instead of pickled objects.

A state is *laid out*: what it is made of becomes a text, and its leaves go, each to the column of its type, in the order in which they stand.
States of one class mostly have one layout, but nothing relies on that: every state says its own::

    Mean.total = 7.5          layout      "total:d count:q last:[s"
        .count = 3            doubles     7.5
        .last = ["a", "b"]    integers    3, 2          (2 is the length of the list)
                              texts       "a", "b"

====== ================================ ======================================
kind   value, of exactly this type      its leaves
====== ================================ ======================================
d      float                            a double
q      int of 64 bits                   an integer
b      bool                             an integer
n      None                             none
s      str                              a text
(..)   tuple                            those of its items, each of any kind
[x     list of scalars of one kind      its length, then theirs
]      empty list                       none
{xy    dict, scalars of one kind each   its length, then a key, a value, a key ...
}      empty dict                       none
====== ================================ ======================================

Invariant: what comes back is equal in value *and type* to what was sent. So a state with anything else in it (an int of more bits, a NumPy
scalar, a subclass, a list that two attributes share, a text that is not Unicode) has no layout, and stays an object for the caller to pickle.
Cost: one pass over the leaves.
"""

import numpy as np

from libc.stdint cimport int32_t

from cpython.object cimport PyObject_GenericSetAttr

from inwindow.native.blank cimport attributes_of, blank

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int* overflow) except? -1
    bint PyUnicode_IS_ASCII(object)

cdef enum:
    MOST_KINDS = 256  # characters of a layout, names apart
    MOST_LAYOUTS = 1000  # of one call: where data became names, the rest is pickled


cdef class _Leaves:
    """The leaves of some states, and the kinds of the one at hand."""

    cdef list doubles, integers, texts, shared
    cdef char kinds[MOST_KINDS]
    cdef int length

    def __init__(self):
        self.doubles, self.integers, self.texts = [], [], []

    cdef inline bint _says(self, char kind):
        if self.length == MOST_KINDS:
            return False
        self.kinds[self.length] = kind
        self.length += 1
        return True

    cdef char _scalar(self, object value) except 0:
        """Put a scalar to the leaves; its kind, or '?' for another value."""
        cdef int overflow = 0
        cdef object kind = type(value)
        if kind is float:
            self.doubles.append(value)
            return b"d"
        if kind is int:
            PyLong_AsLongLongAndOverflow(value, &overflow)
            if overflow:
                return b"?"
            self.integers.append(value)
            return b"q"
        if kind is str:
            if not PyUnicode_IS_ASCII(value):
                try:
                    value.encode()
                except UnicodeEncodeError:
                    return b"?"
            self.texts.append(value)
            return b"s"
        if kind is bool:
            self.integers.append(1 if value else 0)  # pyarrow 26.0.1 takes no bool for an integer
            return b"b"
        return b"n" if value is None else b"?"

    cdef bint put(self, object value) except -1:
        """Put a value to the leaves, and its kind to the layout; False if it has none."""
        cdef char kind = self._scalar(value)
        if kind != b"?":
            return self._says(kind)
        if type(value) is tuple:
            if not self._says(b"("):
                return False
            for item in <tuple>value:
                if not self.put(item):
                    return False
            return self._says(b")")
        if type(value) is not list and type(value) is not dict:
            return False
        for other in self.shared:
            if other is value:
                return False  # two attributes that change together
        self.shared.append(value)
        if type(value) is list:
            return self._says(b"[") and self._put_list(value) if value else self._says(b"]")
        return self._says(b"{") and self._put_dict(value) if value else self._says(b"}")

    cdef bint _put_list(self, list items) except -1:
        cdef char kind = 0, its
        self.integers.append(len(items))
        for item in items:
            its = self._scalar(item)
            if its == b"?" or (kind != 0 and its != kind):
                return False
            kind = its
        return self._says(kind)

    cdef bint _put_dict(self, dict items) except -1:
        cdef char kinds[2]
        cdef char its, other
        kinds[0] = kinds[1] = 0
        self.integers.append(len(items))
        for name, item in items.items():
            its, other = self._scalar(name), self._scalar(item)
            if its == b"?" or other == b"?" or (kinds[0] != 0 and (its != kinds[0] or other != kinds[1])):
                return False
            kinds[0], kinds[1] = its, other
        return self._says(kinds[0]) and self._says(kinds[1])


def laid_out(list aggregates not None):
    """(layouts, which layout, doubles, their offsets, integers, their offsets, texts, their offsets, the others).

    ``which`` is -1 for None and for the others: objects without a layout, in a list as long as the input, None elsewhere.

    >>> class Mean:
    ...     def __init__(self, total, count): self.total, self.count = total, count
    >>> layouts, which, doubles, _, integers, *_, others = laid_out([Mean(7.5, 3), None, Mean(1 << 70, 1)])
    >>> layouts, which.tolist(), doubles, integers, [type(one).__name__ for one in others]
    (['total:d count:q'], [0, -1, -1], [7.5], [3], ['NoneType', 'NoneType', 'Mean'])
    """
    cdef Py_ssize_t i, n = len(aggregates)
    cdef _Leaves leaves = _Leaves()
    cdef list layouts = [], others = [None] * n
    cdef dict known = {}
    which = np.full(n, -1, np.int32)
    offsets = np.zeros((3, n + 1), np.int32)
    cdef int32_t[::1] code = which
    cdef int32_t[:, ::1] offset = offsets
    cdef list names = []
    cdef bytes kinds = b""
    cdef int newest = -1, at, started
    cdef bint fits, same
    cdef dict attributes
    cdef object aggregate
    for i in range(n):
        aggregate = aggregates[i]
        if aggregate is not None:
            leaves.length, leaves.shared = 0, []
            attributes = attributes_of(aggregate)
            fits, same, at = attributes is not None, newest >= 0, 0
            if fits:
                for name, value in attributes.items():
                    if same and (at >= len(names) or names[at] is not name):
                        same = False
                    at += 1
                    started = leaves.length
                    if not leaves.put(value):
                        fits = False
                        break
                    # A kind may be of several characters: a space between attributes keeps layouts apart.
                    if not leaves._says(b" "):
                        fits = False
                        break
            if fits and not (same and at == len(names) and leaves.kinds[:leaves.length] == kinds):
                kinds, names = leaves.kinds[:leaves.length], list(attributes)
                newest = _layout_of(names, kinds, known, layouts)
                fits = newest >= 0
            if fits:
                code[i] = newest
            else:
                others[i] = aggregate
                del leaves.doubles[offset[0, i]:], leaves.integers[offset[1, i]:], leaves.texts[offset[2, i]:]
        offset[0, i + 1] = len(leaves.doubles)
        offset[1, i + 1] = len(leaves.integers)
        offset[2, i + 1] = len(leaves.texts)
    return (layouts, which, leaves.doubles, offsets[0], leaves.integers, offsets[1], leaves.texts, offsets[2], others)


cdef int _layout_of(list names, bytes kinds, dict known, list layouts) except -2:
    """The number of a layout; -1 if there are too many, or names that no text can hold."""
    cdef object key = (*names, kinds)
    number = known.get(key)
    if number is None:
        number = -1
        if len(layouts) < MOST_LAYOUTS and all(type(name) is str and name.isidentifier() for name in names):
            number = len(layouts)
            pairs = zip(names, kinds.decode().split(" "), strict=False)
            layouts.append(" ".join([f"{name}:{kind}" for name, kind in pairs]))
        if len(known) < MOST_LAYOUTS:
            known[key] = number
    return number


cdef class _Taken:
    """Leaves, taken one after another."""

    cdef list doubles, integers, texts
    cdef Py_ssize_t next_double, next_integer, next_text

    cdef object _scalar(self, Py_UCS4 kind):
        if kind == u"d":
            self.next_double += 1
            return self.doubles[self.next_double - 1]
        if kind == u"q" or kind == u"b":
            self.next_integer += 1
            value = self.integers[self.next_integer - 1]
            return value if kind == u"q" else value != 0
        if kind == u"s":
            self.next_text += 1
            return self.texts[self.next_text - 1]
        return None

    cdef object take(self, str kinds, int* at):
        """The value whose kind stands at ``at``, which moves on behind it."""
        cdef Py_UCS4 kind = kinds[at[0]]
        cdef Py_ssize_t count
        cdef list items
        cdef dict mapped
        at[0] += 1
        if kind == u"(":
            items = []
            while kinds[at[0]] != u")":
                items.append(self.take(kinds, at))
            at[0] += 1
            return tuple(items)
        if kind == u"[":
            items = []
            for _ in range(<Py_ssize_t>self._scalar(u"q")):
                items.append(self._scalar(kinds[at[0]]))
            at[0] += 1
            return items
        if kind == u"{":
            mapped = {}
            for _ in range(<Py_ssize_t>self._scalar(u"q")):
                name = self._scalar(kinds[at[0]])
                mapped[name] = self._scalar(kinds[at[0] + 1])
            at[0] += 2
            return mapped
        if kind == u"]":
            return []
        return {} if kind == u"}" else self._scalar(kind)


def rebuilt(prototype, list layouts not None, const int32_t[::1] which, list doubles not None, list integers not None,
            list texts not None):
    """The aggregates of these layouts and leaves; None where ``which`` is -1. The inverse of :func:`laid_out`."""
    cdef Py_ssize_t i
    cdef int at
    cdef _Taken leaves = _Taken()
    cdef list made = [None] * which.shape[0]
    cdef list parsed = [[tuple(one.split(":")) for one in layout.split(" ")] if layout else [] for layout in layouts]
    cdef str kinds
    leaves.doubles, leaves.integers, leaves.texts = doubles, integers, texts
    for i in range(which.shape[0]):
        if which[i] < 0:
            continue
        aggregate = blank(prototype)
        for name, kinds in <list>parsed[which[i]]:
            at = 0
            value = leaves._scalar(kinds[0]) if len(kinds) == 1 and kinds[0] in u"dqbns" else leaves.take(kinds, &at)
            PyObject_GenericSetAttr(aggregate, name, value)
        made[i] = aggregate
    return made
