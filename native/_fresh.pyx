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

What is stored of a copy, to go on with it later, is what hooks have *changed*: the rest comes from the prototype again::

    copy                  k = 10, seen = [3.0, 1.0], table = 10,000 numbers, equal to the prototype's
       |  changed
       v
    {"seen": [3.0, 1.0]}  a name that hooks have deleted is under None
       |  resumed         beside the same prototype, maybe in another process
       v
    copy                  the same again
"""

import pickle
from collections import deque
from copy import deepcopy
from datetime import date, datetime, timedelta
from decimal import Decimal
from gc import get_referents
from types import BuiltinFunctionType, FunctionType, ModuleType

from libc.string cimport memcmp

import numpy as np

from cpython.object cimport PyObject_GenericSetAttr

from inwindow.native.blank cimport attributes_of, blank, lives_in_dict

cdef frozenset _IMMUTABLE = frozenset(
    {type(None), bool, int, float, str, bytes, Decimal, date, datetime, timedelta}
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
    if not lives_in_dict(prototype):
        return _deep_copy(prototype)
    cdef object copy = blank(prototype)
    cdef dict memo = None
    for name, value in (<dict>prototype.__dict__).items():
        if name == "inwindow":
            continue
        if not _can_be_shared(value):
            if memo is None:
                memo = {id(prototype): copy}  # an attribute may refer back: a bound method does
            value = _copied(value, memo)
        # Attribute by attribute: touching copy.__dict__ would cost CPython's fast attribute access.
        PyObject_GenericSetAttr(copy, name, value)
    return copy


cdef object _copied(object value, dict memo):
    """A deep copy; of a list, dict or set of what can be shared, as of most states, without deepcopy's detours."""
    cdef object kind = type(value), copy
    if (kind is list or kind is set) and id(value) not in memo:
        for item in value:
            if not _can_be_shared(item):
                break
        else:
            memo[id(value)] = copy = (<list>value)[:] if kind is list else set(value)
            return copy
    elif kind is dict and id(value) not in memo:
        for name, item in (<dict>value).items():
            if not (_can_be_shared(name) and _can_be_shared(item)):
                break
        else:
            memo[id(value)] = copy = (<dict>value).copy()
            return copy
    return deepcopy(value, memo)


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
    if aggregate is None or not lives_in_dict(aggregate):
        return aggregate
    cdef dict attributes = (<dict>aggregate.__dict__).copy()
    attributes.pop("inwindow", None)
    return attributes


def thaw(prototype, frozen):
    """The aggregate that :func:`freeze` was given; it takes ``frozen`` over."""
    if type(frozen) is not dict:
        return frozen
    cdef object aggregate = blank(prototype)
    for name, value in (<dict>frozen).items():
        PyObject_GenericSetAttr(aggregate, name, value)
    return aggregate


def changed(aggregate, prototype):
    """What hooks have set of an aggregate since it was a copy of the prototype; the object itself if it is more than attributes.

    What is mutable in it is shared with the aggregate, so store it before the next tuple comes.

    >>> class Recent:
    ...     def __init__(self, size):
    ...         self.size, self.values = size, []
    >>> prototype = Recent(3)
    >>> copy = fresh(prototype)
    >>> changed(copy, prototype)
    {}
    >>> copy.values.append(1.0)
    >>> changed(copy, prototype), vars(resumed(prototype, {"values": [1.0]}))
    ({'values': [1.0]}, {'size': 3, 'values': [1.0]})
    """
    if aggregate is None:
        return None
    cdef dict its = attributes_of(aggregate), given = attributes_of(prototype), differing = {}
    cdef _Pairs pairs = None
    cdef Py_ssize_t kept = 0
    cdef bint changeable = False
    if its is None or given is None:
        return aggregate
    for name, value in its.items():
        if name == "inwindow":
            continue
        if name in given:
            kept += 1
            start = given[name]
            if value is start:
                continue
            if not _can_be_shared(value):
                if pairs is None:
                    pairs = _Pairs()
                if pairs.same_attribute(value, start):
                    continue
        changeable = changeable or not _can_be_shared(value)
        differing[name] = value
    if pairs is not None and changeable and pairs.are_in(list(differing.values())):
        # What is stored refers to what would come from the prototype, and would no longer after it: all is stored.
        differing = {name: value for name, value in its.items() if name != "inwindow"}
    if kept < len(given) - ("inwindow" in given):
        differing[None] = tuple([name for name in given if name not in its and name != "inwindow"])
    return differing


def resumed(prototype, differing):
    """The aggregate that :func:`changed` was given; it takes ``differing`` over."""
    if type(differing) is not dict:
        return differing
    cdef object aggregate = blank(prototype)
    cdef dict given = attributes_of(prototype), memo = None
    cdef tuple gone = (<dict>differing).get(None, ())
    for name, value in given.items():
        if name in <dict>differing:
            value = (<dict>differing)[name]
        elif name == "inwindow" or name in gone:
            continue
        elif not _can_be_shared(value):
            if memo is None:
                memo = {id(prototype): aggregate}
            value = _copied(value, memo)
        PyObject_GenericSetAttr(aggregate, name, value)
    for name, value in (<dict>differing).items():
        if name is not None and name not in given:
            PyObject_GenericSetAttr(aggregate, name, value)
    return aggregate


cdef object _MISSING = object()
cdef frozenset _BY_VALUE = frozenset({bool, int, str, bytes})


cdef class _Pairs:
    """The mutable objects of a copy that are as they were, each with the prototype's that it is a copy of."""

    cdef dict origins, copies  # the addresses: of a copy its original, and the other way round

    def __init__(self):
        self.origins, self.copies = {}, {}

    cdef bint same_attribute(self, value, start) except -1:
        """Whether an attribute is as it was; its pairs are remembered only then."""
        cdef Py_ssize_t before = len(self.origins)
        if self.same(value, start):
            return True
        while len(self.origins) > before:
            _, origin = self.origins.popitem()
            del self.copies[origin]
        return False

    cdef bint same(self, value, start) except -1:
        """Whether two values are equal, in type, too, and share what they share; in doubt they are not."""
        cdef object kind = type(value)
        cdef double one, other
        cdef Py_ssize_t i
        if value is start:
            return True
        if kind is not type(start):
            return False
        if kind is float:
            one, other = value, start
            return memcmp(&one, &other, sizeof(double)) == 0
        if kind in _IMMUTABLE:
            if value != start:
                return False
            return kind in _BY_VALUE or repr(value) == repr(start)  # Decimal("1.0") is not Decimal("1.00")
        if kind is tuple:
            return self.same_items(value, start)
        origin = self.origins.get(id(value))
        if origin is not None:
            return origin == id(start)
        if id(start) in self.copies:
            return False  # one object has become two
        self.origins[id(value)], self.copies[id(start)] = id(start), id(value)
        if kind is list or kind is deque:
            return (kind is list or value.maxlen == start.maxlen) and self.same_items(value, start)
        if kind is dict:
            return self.same_items((<dict>value).keys(), (<dict>start).keys()) and self.same_items(
                (<dict>value).values(), (<dict>start).values()
            )
        if kind is set or kind is frozenset:
            return self.same_set(value, start)
        if kind is bytearray:
            return value == start
        if kind is np.ndarray:
            alike = value.dtype == start.dtype and value.shape == start.shape and not value.dtype.hasobject
            return alike and value.tobytes() == start.tobytes()
        its, given = attributes_of(value), attributes_of(start)
        if its is not None and given is not None:
            return self.same_items((<dict>its).keys(), (<dict>given).keys()) and self.same_items(
                (<dict>its).values(), (<dict>given).values()
            )
        try:
            return pickle.dumps(value, -1) == pickle.dumps(start, -1)
        except Exception:
            return False

    cdef bint same_items(self, values, starts) except -1:
        if len(values) != len(starts):
            return False
        for value, start in zip(values, starts):
            if value is not start and not self.same(value, start):
                return False
        return True

    cdef bint same_set(self, values, starts) except -1:
        cdef dict known
        if len(values) != len(starts):
            return False
        known = {start: start for start in starts}
        for value in values:
            start = known.get(value, _MISSING)
            if start is _MISSING or not self.same(value, start):
                return False
        return True

    cdef bint are_in(self, list waiting) except -1:
        """Whether one of the copies can be reached from these objects."""
        cdef set met = set()
        while waiting:
            one = waiting.pop()
            if _can_be_shared(one):
                continue
            if id(one) in self.origins:
                return True
            if id(one) in met or isinstance(one, (type, ModuleType, FunctionType, BuiltinFunctionType)):
                continue
            met.add(id(one))
            for other in get_referents(one):
                if not _can_be_shared(other):
                    waiting.append(other)
        return False
