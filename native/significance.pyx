# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""What the float fields of a live aggregate have lost by going up and down again: when to fold its frame afresh.

`self.total -= value` undoes a number up to rounding, and rounding is as large as the total ever was. So a total that has
been 1e16 and is 1 knows nothing of the 1; one that has been NaN stays NaN. A class with `terminate` is a function of its
frame, so that the frame may be folded afresh at any time: here is said at which.

  field       | peak of a field since its last fold                 lost: |now| < peak / 2**20
              |      ____                                           precise: only once the last tuple that moved the
              |_____/    \____ now                                           field by peak / 2**20 has left the frame

The rule looks at nothing but the aggregate and the positions of its frame, so it is the same however the input is cut.
"""

import types
from functools import lru_cache

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from libc.math cimport INFINITY, fabs, isfinite

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef double _LOST = 2.0**-20  # what is left has 33 bits: nine digits
cdef Py_ssize_t _OFTEN = 1 << 16  # expirations after which rounding has added up enough; and 16 frames at least

cdef Py_ssize_t _SHORT = 8  # items of a tuple that are looked at

def stored_names(prototype):
    """The names of attributes that an aggregate's own code sets, or that it has from the start: where its state is."""
    names = dict.fromkeys(getattr(prototype, "__dict__", ()))
    for kind in type(prototype).__mro__:
        if kind is object:
            continue
        for name, value in vars(kind).items():
            if isinstance(value, types.FunctionType):
                names.update(dict.fromkeys(_stored_by(value.__code__)))
            elif isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                names[name] = None  # __slots__, and public attributes of a cdef class
    return tuple(name for name in names if not (name.startswith("__") or name in ("inwindow", "_arguments")))


@lru_cache(maxsize=512)
def _stored_by(code):
    import dis

    names = [step.argval for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names += _stored_by(inner)
    return tuple(names)


def _floats(aggregate, names):
    """Where the aggregate has floats: attributes, and items of those that are short tuples."""
    for name in names:
        value = getattr(aggregate, name, None)
        if PyFloat_Check(value):
            yield name, -1
        elif isinstance(value, tuple) and len(value) <= _SHORT:
            for index, item in enumerate(value):
                if PyFloat_Check(item):
                    yield name, index


def float_fields(aggregate, prototype):
    """The floats in the fields of an aggregate that are watched, by where they are; the prototype is what it is a copy of."""
    found = {}
    for name, index in _floats(aggregate, stored_names(prototype)):
        value = getattr(aggregate, name)
        found[name, index] = value if index < 0 else value[index]
    return found


def is_lost(double now, double peak):
    """Whether a field is so small against what it has been that its digits are not to be trusted."""
    return fabs(now) < peak * _LOST


cdef class _Field:
    """A float field: its value when last looked at, and what it has been since its last fold."""

    cdef object name
    cdef Py_ssize_t index  # in the tuple that the attribute is; -1 if it is the float itself
    cdef double now, peak
    cdef bint is_float
    cdef bint precise  # a fold afresh was in vain: tuples that are as large are still in the frame
    cdef Py_ssize_t large  # if precise: the last position that moved the field by a part of its peak that counts
    cdef bint has_marker
    cdef double marker  # an infinity by intent: what a fold of one tuple with finite values left in it
    cdef Py_ssize_t poisoner  # the last position that made a fold NaN

    def __init__(self, name, Py_ssize_t index=-1):
        self.name, self.index, self.large, self.poisoner = name, index, -1, -1

    cdef inline object value(self, object aggregate):
        cdef object value = getattr(aggregate, self.name, None)
        if self.index < 0:
            return value
        return (<tuple>value)[self.index] if isinstance(value, tuple) and len(<tuple>value) > self.index else None

    cdef inline bint poisoned(self):
        """NaN or infinite, and not because the class wants it so."""
        if not self.is_float or isfinite(self.now):
            return False
        return not (self.has_marker and self.now == self.marker)

    cdef inline bint lost(self, Py_ssize_t start):
        """Small against what it has been, and what made it large is gone."""
        return self.is_float and fabs(self.now) < self.peak * _LOST and (not self.precise or self.large < start)

    cdef inline int read(self, object aggregate) except -1:
        cdef object value = self.value(aggregate)
        self.is_float = PyFloat_Check(value)
        self.now = PyFloat_AS_DOUBLE(value) if self.is_float else 0.0
        if fabs(self.now) > self.peak and fabs(self.now) < INFINITY:
            self.peak = fabs(self.now)

    cdef inline int arrived(self, aggregate, Py_ssize_t p) except -1:
        """Read, and note whether the tuple at p has moved the field by a part that counts."""
        cdef double before = self.now
        self.read(aggregate)
        if fabs(self.now - before) > self.peak * _LOST:
            self.large = max(self.large, p)


cdef class _Watch:
    """The float fields of the live aggregate, and whether its frame is to be folded afresh."""

    def __init__(self, tuple names):
        self._names = names
        self.reset()

    cdef int reset(self) except -1:
        """For an aggregate that is new, of which nothing has left."""
        self._fields, self._left, self._due, self._since, self._guard = [], 0, 1, 0, -1
        self._watches = self._precise = False

    cdef int _seek(self, object aggregate) except -1:
        """Find fields that have become floats: as the first tuple leaves, the second, the fourth ..."""
        cdef _Field field
        self._due *= 2
        known = {(field.name, field.index) for field in self._fields}
        for place in _floats(aggregate, self._names):
            if place not in known:
                field = _Field(*place)
                field.read(aggregate)
                self._fields.append(field)
        self._watches = len(self._fields) > 0

    cdef int find(self, object aggregate, Py_ssize_t start, Py_ssize_t count, bint is_read) except -1:
        """What there is to be found in an aggregate whose ``count`` tuples begin at ``start``; ``is_read``: as it was read last."""
        cdef _Field field
        cdef int found = SOUND
        cdef object value
        cdef double size
        cdef Py_ssize_t i
        for i in range(len(self._fields)):
            field = <_Field>self._fields[i]
            if not is_read:
                value = field.value(aggregate)
                field.is_float = PyFloat_Check(value)
                if field.is_float:
                    field.now = PyFloat_AS_DOUBLE(value)
            if not field.is_float:
                continue
            size = fabs(field.now)
            if size < field.peak:
                if size < field.peak * _LOST and field.lost(start):
                    found |= CANCELLED
            elif size < INFINITY:
                field.peak = size
            elif start > self._guard and field.poisoned():
                found |= POISONED
        if self._since >= _OFTEN and self._since >= 16 * count:
            found |= CANCELLED
        return found

    cdef int look(self, object aggregate) except -1:
        """Read all fields, before tuples arrive one by one."""
        cdef _Field field
        for field in self._fields:
            field.read(aggregate)

    cdef int arrived(self, object aggregate, Py_ssize_t p) except -1:
        """The tuple at p has arrived, and it is to be known how much it counted."""
        cdef _Field field
        for field in self._fields:
            field.arrived(aggregate, p)

    # A fold afresh

    cdef list begin_fold(self):
        """Fields begin at nothing; what they were is given back, for :meth:`end_fold`."""
        cdef _Field field
        before = [(field.now, field.peak, field.is_float) for field in self._fields]
        for field in self._fields:
            field.now = field.peak = 0.0
            field.large = -1
        self._since = 0
        return before

    cdef int end_fold(self, list before, Py_ssize_t start, Py_ssize_t end) except -1:
        """Whether it helped: not if a field came out the same, or is as small against what is in the frame now."""
        cdef _Field field
        cdef double now, peak
        for field, (now, peak, was_float) in zip(self._fields, before):
            if was_float and field.is_float and fabs(now) < peak * _LOST:
                field.precise = field.now == now or 4 * field.peak >= peak
                if field.precise and field.large < start:
                    field.large = end - 1  # a million tuples, none of which counts: all must leave
        self._precise = any([field.precise for field in self._fields])

    # NaN and infinities

    cdef int begin_probe(self) except -1:
        cdef _Field field
        for field in self._fields:
            field.poisoner = -1

    cdef bint probed(self, object aggregate, Py_ssize_t p, bint may_be_marker) except -1:
        """Whether the tuple at p has poisoned a fold."""
        cdef _Field field
        cdef bint any_poisoned = False
        cdef double now
        for field in self._fields:
            now = field.now
            field.read(aggregate)
            if field.is_float and not isfinite(field.now):
                if may_be_marker and field.now == field.now:
                    field.has_marker, field.marker = True, field.now
                if field.poisoned():
                    any_poisoned = True
                    if field.now != field.now:
                        field.poisoner = p  # NaN in any fold that holds p
            field.now = now
        return any_poisoned

    cdef Py_ssize_t guards(self, object aggregate) except? -2:
        """Till which position leaves all that is poisoned is NaN by right; -1 if something is infinite, or NaN without right."""
        cdef _Field field
        cdef Py_ssize_t first = PY_SSIZE_T_MAX
        for field in self._fields:
            field.read(aggregate)
            if field.poisoned():
                if field.now == field.now:
                    return -1
                first = min(first, field.poisoner)
        return first

    cdef bint is_poisoned(self):
        """As the fields were last read."""
        cdef _Field field
        for field in self._fields:
            if field.poisoned():
                return True
        return False

    # State

    cdef tuple state(self):
        cdef _Field f
        fields = [(f.name, f.index, f.now, f.peak, f.is_float, f.precise, f.large, f.has_marker, f.marker) for f in self._fields]
        return self._left, self._due, self._since, self._guard, fields

    cdef int restore(self, object state) except -1:
        cdef _Field f
        self._left, self._due, self._since, self._guard, fields = state
        self._fields = []
        for name, index, now, peak, is_float, precise, large, has_marker, marker in fields:
            f = _Field(name, index)
            f.now, f.peak, f.is_float, f.precise = now, peak, is_float, precise
            f.large, f.has_marker, f.marker = large, has_marker, marker
            self._fields.append(f)
        self._watches = len(self._fields) > 0
        self._precise = any([f.precise for f in self._fields])
