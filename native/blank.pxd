# Objects that are all in their __dict__ and slots: which they are, and new ones without the class's __new__.

from cpython.object cimport PyObject


cdef extern from "Python.h":
    ctypedef struct PyTypeObject
    ctypedef object (*newfunc)(PyTypeObject*, tuple, PyObject*)
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_basicsize
        Py_ssize_t tp_itemsize
        Py_ssize_t tp_dictoffset
        Py_ssize_t tp_weaklistoffset
        newfunc tp_new
    PyTypeObject PyBaseObject_Type
    PyTypeObject* Py_TYPE(object)


cdef bint has_slots(object aggregate, Py_ssize_t count)
cdef bint lives_in_dict(object aggregate)
cdef dict attributes_of(object aggregate)
cdef tuple slots_of(object kind)


cdef inline object blank(object prototype):
    """An object of the prototype's class without its ``__new__``, which may be Python: all that it sets is in the dict."""
    return PyBaseObject_Type.tp_new(Py_TYPE(prototype), (), NULL)
