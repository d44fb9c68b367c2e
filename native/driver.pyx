# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""What all that calls a user's hooks has in common: the columns of a call, the live aggregate, the loop over frames, errors.

A *driver* keeps one aggregate (or, of two stacks, many), and says in ``_fold`` which hooks make it that of the next frame::

    Delta, Recompute      _hooks.pyx         one aggregate, frame by frame
    TwoStacks, MergePanes _two_stacks.pyx    merges alone
    Emit, ActiveExp...    _emit.pyx          answers tuple by tuple, no frames

Which hook runs, and on which tuple, is noted before it is called: so an error can name it.
"""

from inwindow.native._fresh import fresh
from inwindow.native._inwindow import InWindow, positions
from inwindow.native._results import MODES, column

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef tuple _NAMES = ("", "initialize", "iterate", "expire", "merge", "unmerge", "terminate")


class HookRaised(Exception):
    """A hook raised ``error`` (also the ``__cause__``, with its own traceback) on the tuple at ``position``.

    ``hook`` is its name and ``arguments`` the values it was called with. For ``terminate`` the position is
    that of the frame's last tuple. ``frame`` is the number of the call's frame that was to be evaluated, -1 for
    none; ``place`` may be said by who knows better where that is than the position tells.
    """

    frame, place = -1, None

    def __init__(self, hook, position, arguments, error):
        super().__init__(hook, position, arguments, error)
        self.hook, self.position, self.arguments, self.error = hook, position, arguments, error

    def __str__(self):
        arguments = ", ".join(map(repr, self.arguments))
        raised = f"{type(self.error).__name__}: {self.error}"
        return f"{self.hook}({arguments}) raised {raised} (position {self.position})"


cdef class Driver:
    """What calls hooks. A subclass says in ``_fold`` and ``_outcome`` how; ``state`` and ``restore`` are its own, too."""

    def roll(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, const int64_t[::1] start,
             const int64_t[::1] end):
        """The result of each frame [start[i], end[i]), as a column in the result mode."""
        self._open(columns, base, seen)
        return column(self._frames(start, end), self._result)

    def absorb(self, list columns, Py_ssize_t base, const uint8_t[::1] seen, Py_ssize_t start, Py_ssize_t end):
        """Fold one frame without a result."""
        self._open(columns, base, seen)
        self._absorb(start, end)

    cdef int _configure(self, object prototype, str result, object empty, object punt, object record_fields,
                        object snapshot) except -1:
        if result not in MODES:
            raise ValueError(f"result={result!r} is not one of {sorted(MODES)}")
        self._prototype, self._result = prototype, result
        self._empty, self._punt, self._fields = empty, punt, record_fields
        self._snapshot = snapshot  # taken of an answer at once: the aggregate may go on to change what it gave
        self._frame = -1

    # The slice: columns[..][p - base] for p in [base, base + length)

    cdef int _open(self, list columns, Py_ssize_t base, const uint8_t[::1] seen) except -1:
        cdef Py_ssize_t length = len(<list>columns[0]) if columns else (0 if seen is None else seen.shape[0])
        for values in columns:
            if len(<list?>values) != length:
                raise ValueError("the columns of one call have different lengths")
        if seen is not None and seen.shape[0] != length:
            raise ValueError(f"seen covers {seen.shape[0]} positions, the columns {length}")
        self._columns, self._base = columns, base
        self._length = length if columns or seen is not None else PY_SSIZE_T_MAX
        self._seen = NULL
        if seen is not None and length:
            self._seen = &seen[0]

    cdef tuple _values(self, Py_ssize_t p):
        cdef Py_ssize_t i = p - self._base
        return tuple([(<list>values)[i] for values in self._columns])

    # The live aggregate

    cdef int _begin(self) except -1:
        self._adopt(fresh(self._prototype), (), None)

    cdef int _adopt(self, object aggregate, object rows, object places) except -1:
        """Take an aggregate's hooks; initialize and iterate stand in for one another."""
        self._initialize = getattr(aggregate, "initialize", None)
        self._iterate = getattr(aggregate, "iterate", None)
        self._expire = getattr(aggregate, "expire", None)
        self._terminate = getattr(aggregate, "terminate", None)
        self._first, self._next = INITIALIZE, ITERATE
        if self._initialize is None:
            self._initialize, self._first = self._iterate, ITERATE
        elif self._iterate is None:
            self._iterate, self._next = self._initialize, INITIALIZE
        if self._fields is not None:
            self._window = aggregate.inwindow = InWindow(self._fields, rows, places)
        self._aggregate = aggregate

    cdef int _drop(self) except -1:
        self._aggregate = self._window = None
        self._initialize = self._iterate = self._expire = self._terminate = None

    cdef tuple _records(self):
        """What is in ``inwindow``, and at which positions: for a state."""
        if self._window is None:
            return (), None
        return [tuple(record) for record in self._window], positions(self._window)

    # The frames

    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Go on to the frame [start, end)."""
        raise NotImplementedError

    cdef object _outcome(self, Py_ssize_t end):
        """The result of the frame that ends there."""
        raise NotImplementedError

    cdef int _absorb(self, Py_ssize_t start, Py_ssize_t end) except -1:
        try:
            self._fold(start, end)
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns = None

    cdef list _frames(self, const int64_t[::1] start, const int64_t[::1] end):
        cdef Py_ssize_t i, n = start.shape[0]
        cdef bint shares = self._result != "state"
        cdef list outcomes = []
        cdef object outcome = None
        if end.shape[0] != n:
            raise ValueError(f"{n} starts but {end.shape[0]} ends")
        try:
            for i in range(n):
                self._frame = i
                # Peers have one frame, and terminate runs once for it.
                if i == 0 or not shares or start[i] != start[i - 1] or end[i] != end[i - 1]:
                    self._fold(start[i], end[i])
                    outcome = self._outcome(end[i])
                outcomes.append(outcome)
        except Exception as error:
            self._reraise(error)
        finally:
            self._columns = None
            self._frame = -1
        return outcomes

    # Errors

    cdef tuple _arguments(self):
        """Those of the hook that has raised."""
        return () if self._running == TERMINATE else self._values(self._position)

    cdef int _reraise(self, object error) except -1:
        """Raise what a hook has raised, with its name and arguments; what is ours as it is."""
        cdef Hook running = self._running
        if running == NO_HOOK:
            raise error
        raised = HookRaised(_NAMES[running], self._position + self._shift, self._arguments(), error)
        raised.frame = self._frame
        self._running = NO_HOOK
        raise raised from error
