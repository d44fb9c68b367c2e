# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Sliding frames by ``merge`` alone: two stacks, over tuples or over the partials of panes.

An aggregate without an inverse cannot let a tuple go, but it can be built so that letting go is a pop::

    positions      lo            mid            hi
    front           [a+b+c+d                         the top; each entry is the merge of its tuple with
                       b+c+d                         all later ones before mid
                         c+d
                           d]
    back                            e+f+g+h          one aggregate, fed tuple by tuple
    frame            a+b+c+d   .merge(e+f+g+h)       on a copy of the top

When the start passes ``mid``, the tuples of the back are turned over into a new front (a *flip*). A tuple is
turned over at most once, so a tuple costs O(1) merges amortised, whatever the frame.

Invariant between frames: the top of ``front`` has folded the seen positions of [lo, mid) and ``back`` those
of [mid, hi); each is absent where there are none, so no merge ever has an empty side. ``merge(self, later)``
mutates only ``self``, always the earlier run; entries of the front are never mutated once they are pushed.
"""

from libc.stdint cimport int64_t, uint8_t

from inwindow.native._fresh import changed, fresh, resumed
from inwindow.native._results import column
from inwindow.native.significance import stored_names

from inwindow.native.driver cimport INITIALIZE, ITERATE, MERGE, NO_HOOK, TERMINATE, UNMERGE, Driver, Hook
from inwindow.native.driver cimport call as call_hook
from inwindow.native.significance cimport SOUND, _Watch

cdef extern from "Python.h":
    int PyGC_Disable()
    int PyGC_Enable()


cdef class _Stacks(Driver):
    """The two stacks, whatever it is that they hold: subclasses say how a position becomes an aggregate."""

    cdef list _front, _places
    cdef object _back
    cdef Py_ssize_t _lo, _mid, _hi, _newest
    cdef object _other       # the aggregate that is merged, or unmerged

    def state(self):
        """What the next call builds on. Shared with the live aggregates: pickle it before that call."""
        bounds = self._lo, self._mid, self._hi, self._newest
        return bounds, self._places, [changed(suffix, self._prototype) for suffix in self._front], changed(self._back, self._prototype)

    def restore(self, state):
        """Go on from ``state()`` of a driver with the same prototype."""
        (self._lo, self._mid, self._hi, self._newest), places, front, back = state
        self._places = list(places)
        self._front = [resumed(self._prototype, frozen) for frozen in front]
        self._back = None
        if back is not None:
            self._take_back(resumed(self._prototype, back))

    # What a subclass says of the slice at hand

    cdef bint _holds(self, Py_ssize_t p) except -1:
        """Whether there is anything to fold at p."""
        return False

    cdef object _lift(self, Py_ssize_t p):
        """A new aggregate that has folded p alone."""

    cdef int _feed(self, Py_ssize_t p) except -1:
        """Fold p into the back, which is there."""

    cdef int _take_back(self, aggregate) except -1:
        self._back = aggregate

    # The algorithm

    cdef int _clear(self, Py_ssize_t start) except -1:
        self._front, self._places, self._back = [], [], None
        self._lo = self._mid = self._hi = start
        self._newest = start - 1

    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if start >= self._hi:
            self._clear(start)
        elif start > self._lo:
            self._evict(start)
        if start < self._lo or end < self._hi:
            raise RuntimeError(
                f"internal error: the frame goes backwards, from [{self._lo}, {self._hi}) to [{start}, {end})"
            )
        self._extend(self._hi, end)
        self._lo, self._hi = start, end

    cdef int _extend(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Fold the positions [start, end) into the back."""
        cdef Py_ssize_t p
        for p in range(start, end):
            if not self._holds(p):
                continue
            if self._back is None:
                self._take_back(self._lift(p))
            else:
                self._feed(p)
            self._newest = p

    cdef int _evict(self, Py_ssize_t start) except -1:
        cdef list places = self._places
        while places and <Py_ssize_t>places[len(places) - 1] < start:
            places.pop()
            self._front.pop()
        if start > self._mid:
            self._flip(start)

    cdef int _flip(self, Py_ssize_t start) except -1:
        """The tuples of [start, hi) become the front, newest at the bottom; the back is empty.

        It makes as many objects as the frame has tuples, all of them to stay: while it does, the garbage collector
        rests, or it would look through them again and again (a third of the time at 100,000).
        """
        cdef int collects = PyGC_Disable()
        try:
            self._turn(start)
        finally:
            if collects:
                PyGC_Enable()

    cdef int _turn(self, Py_ssize_t start) except -1:
        cdef Py_ssize_t p
        cdef object suffix, later = None
        self._back = None
        for p in range(self._hi - 1, start - 1, -1):
            if not self._holds(p):
                continue
            suffix = self._lift(p)
            if later is not None:
                self._merge(suffix, later, p)
            self._front.append(suffix)
            self._places.append(p)
            later = suffix
        self._mid = self._hi

    cdef int _merge(self, earlier, later, Py_ssize_t p) except -1:
        self._position, self._other, self._running = p, later, MERGE
        returned = earlier.merge(later)
        if returned is not None and returned is not earlier:
            # A merge that makes a new state instead would silently lose what is later.
            raise TypeError(f"merge(self, later) must change self; what it returns, {returned!r}, is not used")
        self._other, self._running = None, NO_HOOK

    cdef object _whole(self, Py_ssize_t end):
        """The aggregate of the frame, not to be mutated; None where nothing was seen."""
        cdef object whole
        if not self._front:
            return self._back
        whole = self._front[len(self._front) - 1]
        if self._back is not None:
            whole = fresh(whole)
            self._merge(whole, self._back, end - 1)
        return whole

    # The frames

    cdef object _outcome(self, Py_ssize_t end):
        cdef object whole = self._whole(end)
        if self._result == "state":
            self._clear(end)  # the aggregate now belongs to the caller
            return whole
        if whole is None:
            return self._empty
        self._position, self._running = end - 1, TERMINATE
        whole = whole.terminate()
        self._running = NO_HOOK
        return whole if self._snapshot is None else self._snapshot(whole)

    cdef tuple _arguments(self):
        if self._running != MERGE and self._running != UNMERGE:
            return Driver._arguments(self)
        other, self._other = self._other, None
        return (other,)


cdef class TwoStacks(_Stacks):
    """Sliding frames of tuples for a class with ``merge`` and no ``expire``.

    needs      ``terminate`` and ``merge(self, later)``, associative; order is kept
    time       amortised O(1) merges a tuple, O(frame) at a flip
    space      at most one aggregate for each tuple of the frame
    first in   Tangwongsan, Hirzel, Schneider: Low-Latency Sliding-Window Aggregation in Worst-Case Constant
               Time, DEBS 2017 (the amortised two-stacks algorithm it starts from)

    ``merge`` must not change ``later``. It may keep a reference to something mutable in it: neither entries of the front
    nor a frame's merge with the back ever grow again.

    >>> import numpy as np
    >>> class Longest:
    ...     def iterate(self, word): self.word = max(getattr(self, "word", ""), word, key=len)
    ...     def merge(self, later): self.word = max(self.word, later.word, key=len)
    ...     def terminate(self): return self.word
    >>> start, end = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 4])
    >>> TwoStacks(Longest()).roll([["pane", "a", "be", "c"]], 0, None, start, end)
    ['pane', 'pane', 'be', 'be']
    """

    cdef object _feeds       # the hook of the back
    cdef str _lifts, _goes_on

    def __init__(self, prototype, *, str result="object", empty=None, snapshot=None):
        self._configure(prototype, result, empty, None, None, snapshot)
        self._clear(0)
        self._lifts = "initialize" if getattr(prototype, "initialize", None) is not None else "iterate"
        self._goes_on = "iterate" if getattr(prototype, "iterate", None) is not None else "initialize"

    cdef bint _holds(self, Py_ssize_t p) except -1:
        return self._sees(p)

    cdef object _lift(self, Py_ssize_t p):
        cdef object aggregate = fresh(self._prototype)
        self._call(getattr(aggregate, self._lifts), INITIALIZE if self._lifts == "initialize" else ITERATE, p)
        return aggregate

    cdef int _feed(self, Py_ssize_t p) except -1:
        self._call(self._feeds, ITERATE if self._goes_on == "iterate" else INITIALIZE, p)

    cdef int _take_back(self, aggregate) except -1:
        self._back, self._feeds = aggregate, getattr(aggregate, self._goes_on)

    cdef inline int _call(self, hook, Hook which, Py_ssize_t p) except -1:
        self._position, self._running = p, which
        call_hook(hook, self._columns, p - self._base)
        self._running = NO_HOOK


cdef class MergePanes(_Stacks):
    """Sliding frames of panes: level two of a pane-cascade, over the partial aggregates of level one.

    needs      ``terminate`` and ``merge(self, later)``; ``unmerge(self, earlier)`` undoes the oldest pane
    time       O(1) merges a pane (amortised, without ``unmerge``)
    space      one running aggregate with ``unmerge``, else at most one for each pane of the frame
    first in   Li, Maier, Tufte, Papadimos, Tucker: No Pane, No Gain, SIGMOD Record 2005; ESL, example 15

    Positions count panes, and ``partials[p - base]`` is an aggregate, or None for a pane where no hook saw a
    tuple. The partials are never changed. With ``unmerge`` the back alone holds the whole frame: a pane that
    leaves is unmerged from it, unless it is the last, and a PUNT from ``unmerge`` folds the frame afresh. So does, with
    ``rebase=True``, a float field that has lost what it should hold (``significance.pyx``).
    """

    cdef bint _inverts
    cdef _Watch _watch
    cdef readonly int64_t punts, rebased  # frames folded afresh since the driver was made: by the hook's wish, and by ours
    cdef list _partials

    def __init__(self, prototype, *, str result="object", empty=None, punt=None, snapshot=None, bint rebase=False):
        self._configure(prototype, result, empty, punt, None, snapshot)
        self._clear(0)
        self._inverts = getattr(prototype, "unmerge", None) is not None
        names = stored_names(prototype) if rebase and self._inverts else ()
        self._watch = _Watch(names) if names else None

    def state(self):
        """With what is known of the fields."""
        here = _Stacks.state(self)
        return (*here, self._watch.state()) if self._watch is not None and self._watch.is_awake() else here

    def restore(self, state):
        """The inverse of :meth:`state`."""
        _Stacks.restore(self, state[:4])
        if self._watch is not None:
            self._watch.reset()
            if len(state) > 4:
                self._watch.restore(state[4])

    def roll(self, list partials, Py_ssize_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The result of each frame of panes [start[i], end[i]), as a column in the result mode."""
        self._partials, self._base = partials, base
        try:
            return column(self._frames(start, end), self._result)
        finally:
            self._partials = None

    def absorb(self, list partials, Py_ssize_t base, Py_ssize_t start, Py_ssize_t end):
        """Fold one frame of panes without a result."""
        self._partials, self._base = partials, base
        try:
            self._absorb(start, end)
        finally:
            self._partials = None

    cdef bint _holds(self, Py_ssize_t p) except -1:
        cdef Py_ssize_t i = p - self._base
        if i < 0 or i >= len(self._partials):
            raise RuntimeError(f"internal error: pane {p} is not in the slice that starts at {self._base}")
        return self._partials[i] is not None

    cdef object _lift(self, Py_ssize_t p):
        return fresh(self._partials[p - self._base])

    cdef int _feed(self, Py_ssize_t p) except -1:
        # A copy: a merge may take over what is mutable in it, the back goes on to grow, and the partial is used again.
        self._merge(self._back, fresh(self._partials[p - self._base]), p)

    cdef int _evict(self, Py_ssize_t start) except -1:
        cdef Py_ssize_t p
        cdef bint is_next = False
        if not self._inverts:
            _Stacks._evict(self, start)
            return 0
        if self._newest < start:
            self._back = None  # nothing is left: the last pane is never unmerged
            if self._watch is not None:
                self._watch.reset()
            return 0
        for p in range(self._lo, start):
            if not self._holds(p):
                continue
            if self._watch is not None:
                self._watch.leaving(self._back, is_next)
                is_next = True
            if not self._unmerge(p):
                self.punts += 1
                self._refold(start, self._hi)
                break

    cdef int _clear(self, Py_ssize_t start) except -1:
        _Stacks._clear(self, start)
        if self._watch is not None:
            self._watch.reset()

    cdef int _fold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        _Stacks._fold(self, start, end)
        if self._watch is None or not self._watch._watches or self._back is None:
            return 0
        if self._watch.find(self._back, start, end - start, False) != SOUND:
            self.rebased += 1
            self._refold(start, end)

    cdef int _extend(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if self._watch is None or not self._watch._precise or self._back is None:
            _Stacks._extend(self, start, end)
            return 0
        cdef Py_ssize_t p
        self._watch.look(self._back)
        for p in range(start, end):
            if self._holds(p):
                _Stacks._extend(self, p, p + 1)
                self._watch.arrived(self._back, p)

    cdef int _refold(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """Fold the panes [start, end) afresh; if that is poisoned, too, it stays so till the first that did it leaves."""
        cdef Py_ssize_t p, first = -1
        cdef list before
        self._back = None
        if self._watch is None:
            _Stacks._extend(self, start, end)
            return 0
        before = self._watch.begin_fold()
        for p in range(start, end):
            if self._holds(p):
                _Stacks._extend(self, p, p + 1)
                self._watch.arrived(self._back, p)
                if first < 0 and self._watch.is_poisoned():
                    first = p
        self._watch.end_fold(before, start, end)
        self._watch._guard = first

    cdef bint _unmerge(self, Py_ssize_t p) except -1:
        """Undo the earliest pane; False if the aggregate refuses."""
        cdef object answer
        self._position, self._other, self._running = p, self._partials[p - self._base], UNMERGE
        answer = self._back.unmerge(self._other)
        self._other, self._running = None, NO_HOOK
        return answer is None or answer is not self._punt
