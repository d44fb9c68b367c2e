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

include "blank.pxi"

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
    if not _lives_in_dict(prototype):
        return _deep_copy(prototype)
    cdef object copy = _blank(prototype)
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
    if aggregate is None or not _lives_in_dict(aggregate):
        return aggregate
    cdef dict attributes = (<dict>aggregate.__dict__).copy()
    attributes.pop("inwindow", None)
    return attributes


def thaw(prototype, frozen):
    """The aggregate that :func:`freeze` was given; it takes ``frozen`` over."""
    if type(frozen) is not dict:
        return frozen
    cdef object aggregate = _blank(prototype)
    for name, value in (<dict>frozen).items():
        PyObject_GenericSetAttr(aggregate, name, value)
    return aggregate
