# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Aggregates whose hooks are C: the base classes of a user's ``cdef class``, and the loop that drives them.

The user's class is compiled against ``compiled.pxd``, which is shipped. Its hooks are entries of a C table, and the loop
(``compiled_frames.pxi``) calls them on the values of Arrow buffers: no Python object is made of a value, a result or a call.
What is not such a loop (panes, two stacks, laws) calls the same hooks from Python, by ``_call``.
"""

from copy import deepcopy

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uintptr_t

import numpy as np
import pyarrow as pa

from inwindow.native._fresh import changed, resumed
from inwindow.native._hooks import HookRaised

from inwindow.native.kernel cimport set_null, slice_of

cdef extern from "Python.h":
    ctypedef struct PyTypeObject
    ctypedef object (*newfunc)(PyTypeObject*, tuple, PyObject*)
    ctypedef struct PyTypeObject:
        newfunc tp_new

cdef tuple _TABLE = ("terminate", "terminate_int", "merge", "null", "initialize", "iterate", "expire")


cdef class Hooks:
    """What the base classes share; derive from one of those."""

    cdef double terminate(self) except? -1:
        raise TypeError(f"{type(self).__name__} has no terminate")

    cdef int64_t terminate_int(self) except? -1:
        raise TypeError(f"{type(self).__name__} has no terminate_int")

    cdef int merge(self, Hooks later) except -1:
        raise TypeError(f"{type(self).__name__} has no merge")

    cdef int null(self) noexcept:
        self.is_null = True
        return 0

    def __call__(self, *columns):
        """Apply the aggregate to columns: ``MyAvg()("price")``; give it a window with ``.over(...)``."""
        from inwindow.udaf.compiled.c_hooks import compiled_class

        return compiled_class(self)(*columns)

    def __deepcopy__(self, memo):
        cdef tuple reduced = _reduced(self)
        if not _cannot_change(reduced):
            reduced = (reduced[0], deepcopy(reduced[1], memo), deepcopy(reduced[2], memo))
        cdef Hooks made = reduced[0](*reduced[1])
        if reduced[2] is not None:
            made.__setstate__(reduced[2])
        return made

    @property
    def traits(self):
        """What the optimizer knows of it."""
        from inwindow.udaf.compiled.c_hooks import compiled_class

        return compiled_class(self).traits

    def __repr__(self):
        """The same in every process: a checkpoint is compared by it."""
        return f"{type(self).__name__}{_reduced(self)[1:]!r}"

    def _call(self, str hook, tuple values):
        """A hook, called from Python; whether it refuses."""
        raise TypeError(f"derive {type(self).__name__} from OneDouble, OneInt64 or Doubles")

    def _merge(self, Hooks later not None):
        self.merge(later)

    def _result(self, bint is_integer):
        cdef double value = 0
        cdef int64_t integer = 0
        self.is_null = False
        if is_integer:
            integer = self.terminate_int()
        else:
            value = self.terminate()
        if self.is_null:
            return None
        return integer if is_integer else value


cdef class OneDouble(Hooks):
    """Hooks over one column, as doubles."""

    cdef int initialize(self, double value) except -1:
        return self.iterate(value)

    cdef int iterate(self, double value) except -1:
        return self.initialize(value)

    cdef int expire(self, double value) except -1:
        raise TypeError(f"{type(self).__name__} has no expire")

    def _call(self, str hook, tuple values):
        cdef double value = values[0]
        if hook == "expire":
            return self.expire(value) == PUNT
        return (self.initialize(value) if hook == "initialize" else self.iterate(value)) == PUNT


cdef class OneInt64(Hooks):
    """Hooks over one column of integers."""

    cdef int initialize(self, int64_t value) except -1:
        return self.iterate(value)

    cdef int iterate(self, int64_t value) except -1:
        return self.initialize(value)

    cdef int expire(self, int64_t value) except -1:
        raise TypeError(f"{type(self).__name__} has no expire")

    def _call(self, str hook, tuple values):
        cdef int64_t value = values[0]
        if hook == "expire":
            return self.expire(value) == PUNT
        return (self.initialize(value) if hook == "initialize" else self.iterate(value)) == PUNT


cdef class Doubles(Hooks):
    """Hooks over several columns, as doubles."""

    cdef int initialize(self, const double* values) except -1:
        return self.iterate(values)

    cdef int iterate(self, const double* values) except -1:
        return self.initialize(values)

    cdef int expire(self, const double* values) except -1:
        raise TypeError(f"{type(self).__name__} has no expire")

    def _call(self, str hook, tuple values):
        cdef double row[MOST]
        cdef Py_ssize_t k
        for k in range(len(values)):
            row[k] = values[k]
        if hook == "expire":
            return self.expire(row) == PUNT
        return (self.initialize(row) if hook == "initialize" else self.iterate(row)) == PUNT


include "compiled_frames.pxi"


def written(Hooks one not None):
    """The names of the C hooks that the class of this object has written: those that are not of a base class above."""
    cdef type base = next((kind for kind in (OneDouble, OneInt64, Doubles) if isinstance(one, kind)), Hooks)
    cdef Hooks plain = base.__new__(base)
    cdef Py_ssize_t count = 4 if base is Hooks else 7
    return {_TABLE[i] for i in range(count) if _table(one)[i] != _table(plain)[i]}


cdef void** _table(Hooks one) noexcept:
    """The C hooks of an object: Cython keeps the address of its class's table behind the head of every object."""
    return (<void***>(<char*><PyObject*>one + sizeof(PyObject)))[0]


cdef tuple _reduced(Hooks one):
    """What a copy is made of: (how, with which arguments, and then with which state)."""
    cdef tuple reduced = one.__reduce_ex__(2)
    return (*reduced, None) if len(reduced) == 2 else reduced[:3]


cdef bint _cannot_change(value):
    """Whether copies may share it; what is callable is how a copy is made, or a class."""
    if type(value) is tuple:
        return all([_cannot_change(item) for item in value])
    return value is None or type(value) in (bool, int, float, str, bytes) or isinstance(value, type) or callable(value)


class _Parts:
    """What an object is made of, as attributes: a0, a1 are arguments, s0, s1 the state's items, or s the state."""


def _parts(tuple arguments, state):
    """Each item by itself, so that each is compared with the prototype's."""
    made = _Parts()
    made.__dict__.update({f"a{i}": value for i, value in enumerate(arguments)})
    if type(state) is tuple:
        made.__dict__.update({f"s{i}": value for i, value in enumerate(state)})
    elif state is not None:
        made.s = state
    return made


cdef class _Copies:
    """Fresh copies of a prototype: a blank object where it holds nothing, else what ``copy`` would make."""

    cdef Hooks prototype
    cdef type kind
    cdef bint is_blank, can_share
    cdef object how, arguments, state

    def __cinit__(self, Hooks prototype not None):
        self.prototype, self.kind = prototype, type(prototype)
        self.how, self.arguments, self.state = _reduced(prototype)
        self.can_share = _cannot_change(self.arguments) and _cannot_change(self.state)
        try:
            self.is_blank = _reduced(self.kind.__new__(self.kind)) == (self.how, self.arguments, self.state)
        except TypeError:                        # its __cinit__ has parameters
            self.is_blank = False

    cdef changed(self, Hooks one):
        """What hooks have set since it was a copy, as plain values if they are; the object itself where a copy is made in another way."""
        how, arguments, state = _reduced(one)
        if type(one) is not self.kind or how != self.how or len(arguments) != len(self.arguments):
            return one
        return changed(_parts(arguments, state), _parts(self.arguments, self.state))

    cdef Hooks resumed(self, frozen):
        """The aggregate that ``changed`` was given."""
        cdef Hooks made
        if type(frozen) is not dict:
            return frozen
        parts = vars(resumed(_parts(self.arguments, self.state), frozen))
        made = self.how(*[parts[f"a{i}"] for i in range(len(self.arguments))])
        if "s" in parts:
            made.__setstate__(parts["s"])
        elif "s0" in parts:
            made.__setstate__(tuple([parts[f"s{i}"] for i in range(sum([name[0] == "s" for name in parts]))]))
        return made

    cdef Hooks fresh(self):
        cdef Hooks made
        if self.is_blank:
            return <Hooks>(<PyTypeObject*><PyObject*>self.kind).tp_new(<PyTypeObject*><PyObject*>self.kind, (), NULL)
        if not self.can_share:
            return deepcopy(self.prototype)
        made = self.how(*self.arguments)
        if self.state is not None:
            made.__setstate__(self.state)
        return made


cdef class Frames:
    """The driver: delta, unbounded and tumble, as one loop over bounds; ``afresh`` folds every frame on its own.

    needs      C hooks; ``expire`` where frames move, unless ``afresh``
    time       O(1) C calls a tuple (``afresh``: O(frame))
    space      the aggregate

    Invariant between frames, as of ``_hooks.Delta``: ``one`` has folded exactly the ``count`` seen tuples of [lo, hi).
    """

    cdef Hooks one
    cdef _Copies copies
    cdef int64_t lo, hi, count
    cdef bint afresh, is_integer
    cdef object empty
    cdef set names
    cdef Call call

    def __init__(self, Hooks prototype not None, *, bint afresh=False, bint is_integer=False, empty=None):
        self.copies, self.names = _Copies(prototype), written(prototype)
        self.afresh, self.is_integer, self.empty = afresh, is_integer, empty

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end, seen):
        """The result of each frame [start[i], end[i]): an Arrow array of doubles or of int64."""
        cdef int64_t n = start.shape[0]
        if end.shape[0] != n:
            raise ValueError(f"{n} starts but {end.shape[0]} ends")
        results, bits = pa.allocate_buffer(8 * max(n, 1)), np.full(n // 8 + 1, 255, np.uint8)
        cdef uint8_t[::1] validity = bits
        if n:
            self.run(values, base, seen, &start[0], &end[0], n, <double*><uintptr_t>results.address, &validity[0])
        return pa.Array.from_buffers(pa.int64() if self.is_integer else pa.float64(), n,
                                     [pa.py_buffer(bits) if self.call.nulls else None, results])

    def absorb(self, values, int64_t base, int64_t start, int64_t end, seen):
        """Fold one frame without a result."""
        self.run(values, base, seen, &start, &end, 1, NULL, NULL)

    cdef int run(self, values, int64_t base, seen, const int64_t* start, const int64_t* end, int64_t n, double* out,
                 uint8_t* validity) except -1:
        cdef tuple columns = values if isinstance(values, tuple) else (values,)
        cdef const uint8_t[::1] mask = seen
        cdef Py_ssize_t k
        cdef Hooks one = self.copies.prototype
        self.call.base, self.call.end, self.call.width = base, base + len(columns[0]), len(columns)
        self.call.running, self.call.position, self.call.frame, self.call.nulls = NO_HOOK, base, -1, 0
        self.call.seen = NULL
        if seen is not None and len(columns[0]):
            self.call.seen = &mask[0] - base
        for k in range(self.call.width):
            self.call.columns[k] = slice_of(columns[k], base, 8).data
        try:
            if isinstance(one, OneDouble):
                roll_frames[OneDouble](self, <OneDouble>one, start, end, n, out, validity)
            elif isinstance(one, OneInt64):
                roll_frames[OneInt64](self, <OneInt64>one, start, end, n, out, validity)
            else:
                roll_frames[Doubles](self, <Doubles>one, start, end, n, out, validity)
        except Exception as error:
            self.raise_from(columns, error)

    cdef int raise_from(self, columns, error) except -1:
        """Say which hook raised, on which tuple."""
        if self.call.running == NO_HOOK:
            raise error
        name = _HOOKS[<int>self.call.running]
        if name == "terminate":
            arguments = ()
        else:
            arguments = tuple([column[self.call.position - self.call.base].as_py() for column in columns])
            if name not in self.names:           # one stands in for the other
                name = "iterate" if name == "initialize" else "initialize"
        raised = HookRaised(name, self.call.position, arguments, error)
        raised.frame = self.call.frame
        raise raised from error

    def state(self):
        """What the next call builds on. Shared with the live aggregate: store it before that call."""
        return self.lo, self.hi, self.count, self.copies.changed(self.one) if self.count else None

    def restore(self, state):
        """Go on from ``state()`` of a driver with the same prototype."""
        self.lo, self.hi, self.count, frozen = state
        self.one = self.copies.resumed(frozen) if self.count else None
