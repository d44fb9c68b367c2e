# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Objects that are all in their ``__dict__`` and slots: which they are, and what they are made of."""

from types import MemberDescriptorType


class _Plain:
    """The layout of a class without ``__slots__`` and without a built-in base."""


cdef PyTypeObject* _plain = <PyTypeObject*><PyObject*>_Plain


cdef bint has_slots(object aggregate, Py_ssize_t count):
    """Whether these slots and its ``__dict__`` are all there is of an object."""
    cdef PyTypeObject* kind = Py_TYPE(aggregate)
    return (
        kind.tp_basicsize == _plain.tp_basicsize + count * <Py_ssize_t>sizeof(void*)
        and kind.tp_itemsize == 0
        and kind.tp_dictoffset == _plain.tp_dictoffset
        and kind.tp_weaklistoffset == _plain.tp_weaklistoffset
    )


cdef bint lives_in_dict(object aggregate):
    """Whether the object's ``__dict__`` is all there is of it, and copying it is left to us."""
    return has_slots(aggregate, 0) and getattr(aggregate, "__deepcopy__", None) is None


cdef enum:
    MOST_CLASSES = 1000  # whose slots are remembered


cdef dict attributes_of(object aggregate):
    """What an aggregate is made of; None where its class has more than attributes and slots."""
    if lives_in_dict(aggregate):
        return aggregate.__dict__
    cdef tuple slots = slots_of(type(aggregate))
    if slots is None or not has_slots(aggregate, len(slots)):
        return None
    cdef dict attributes = dict(getattr(aggregate, "__dict__", ()))
    for name in slots:
        try:
            attributes[name] = getattr(aggregate, name)
        except AttributeError:
            pass
    return attributes


cdef dict _slots_of = {}


cdef tuple slots_of(object kind):
    """The names of a class's slots; None if it has its own way of being pickled or copied."""
    if kind in _slots_of:
        return _slots_of[kind]
    cdef object names = None
    usual = kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__
    if usual and not any(hasattr(kind, own) for own in ("__setstate__", "__deepcopy__", "__getnewargs__")):
        if getattr(kind, "__getstate__", None) is getattr(object, "__getstate__", None):
            names = tuple(
                name for its in kind.__mro__ for name, value in vars(its).items()
                if type(value) is MemberDescriptorType
            )
            if len(set(names)) < len(names):
                names = None  # one hides another
    if len(_slots_of) > MOST_CLASSES:
        _slots_of.clear()
    _slots_of[kind] = names
    return names
