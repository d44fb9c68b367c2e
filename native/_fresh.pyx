# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""New copies of an aggregate: what every partition, restart and fold begins with.

An aggregate is used as a *prototype*: the object the user configured (``TopK(k=10)``) never sees a tuple,
copies of it do. A driver may make one per frame, so a copy must cost little more than its attributes::

    TopK(k=10)            prototype.__dict__ = {"k": 10, "seen": []}
       |  fresh
       v
    cls.__new__(cls)      k shared (it cannot change), seen deep-copied (it can)

Invariant: no mutable object is reachable from both a copy and its original. ``inwindow`` belongs to the
driver and is never copied. Cost: O(attributes) for numbers, strings and dates; ``copy.deepcopy`` for what
can change.
"""

from copy import deepcopy
from datetime import date, datetime, timedelta
from decimal import Decimal

from cpython.object cimport PyObject, PyObject_GenericSetAttr


cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_basicsize
        Py_ssize_t tp_itemsize
        Py_ssize_t tp_dictoffset
        Py_ssize_t tp_weaklistoffset
    PyTypeObject* Py_TYPE(object)


class _Plain:
    """The layout of a class without ``__slots__`` and without a built-in base."""


cdef PyTypeObject* _plain = <PyTypeObject*><PyObject*>_Plain
cdef frozenset _IMMUTABLE = frozenset(
    {type(None), bool, int, float, str, bytes, Decimal, date, datetime, timedelta}
)


cdef inline bint _lives_in_dict(object aggregate):
    """Whether the object's ``__dict__`` is all there is of it, and copying it is left to us."""
    cdef PyTypeObject* kind = Py_TYPE(aggregate)
    return (
        kind.tp_basicsize == _plain.tp_basicsize
        and kind.tp_itemsize == 0
        and kind.tp_dictoffset == _plain.tp_dictoffset
        and kind.tp_weaklistoffset == _plain.tp_weaklistoffset
        and getattr(aggregate, "__deepcopy__", None) is None
    )


cdef bint _can_be_shared(object value):
    cdef object kind = type(value)
    if kind is float or kind is int or kind in _IMMUTABLE:
        return True
    if kind is tuple:
        for item in <tuple>value:
            if not _can_be_shared(item):
                return False
        return True
    return False


def fresh(prototype):
    """A new copy of an aggregate, independent of the original and without its ``inwindow``.

    >>> class Recent:
    ...     def __init__(self, size):
    ...         self.size, self.values = size, []
    >>> prototype = Recent(3)
    >>> copy = fresh(prototype)
    >>> copy.values.append(1.0)
    >>> copy.size, prototype.values
    (3, [])
    """
    if not _lives_in_dict(prototype):
        return _deep_copy(prototype)
    cdef object copy = type(prototype).__new__(type(prototype))
    cdef dict memo = None
    for name, value in (<dict>prototype.__dict__).items():
        if name == "inwindow":
            continue
        if not _can_be_shared(value):
            if memo is None:
                memo = {id(prototype): copy}  # an attribute may refer back: a bound method does
            value = deepcopy(value, memo)
        # Attribute by attribute: touching copy.__dict__ would cost CPython's fast attribute access.
        PyObject_GenericSetAttr(copy, name, value)
    return copy


cdef object _deep_copy(object prototype):
    cdef object window = getattr(prototype, "inwindow", None)
    cdef object copy = deepcopy(prototype, {id(window): window})
    if window is not None and getattr(copy, "inwindow", None) is window:
        del copy.inwindow
    return copy


def freeze(aggregate):
    """The state of an aggregate, to be pickled: its ``__dict__`` (the object itself if it has slots).

    What is mutable in it is shared with the aggregate, so pickle it before the next tuple comes.
    """
    if aggregate is None or not _lives_in_dict(aggregate):
        return aggregate
    return {name: value for name, value in (<dict>aggregate.__dict__).items() if name != "inwindow"}


def thaw(prototype, frozen):
    """The aggregate that :func:`freeze` was given; it takes ``frozen`` over."""
    if type(frozen) is not dict:
        return frozen
    cdef object aggregate = type(prototype).__new__(type(prototype))
    for name, value in (<dict>frozen).items():
        PyObject_GenericSetAttr(aggregate, name, value)
    return aggregate
