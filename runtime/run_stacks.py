"""Two stacks for each run of a frame with a hole, for classes with ``merge``: as :class:`inwindow.native._two_stacks.TwoStacks`.

::

    run            before the hole                      behind it
    stacks         front [a+b+c, b+c, c]  back d+e      front [g+h, h]  back i
    result         a+b+c  .merge(d+e)  .merge(g+h)  .merge(i)

A tuple costs about two merges in each run, and a result one for each stack. ``merge`` may take over what is mutable in the later
aggregate: so what is used again is copied, unless it is merged last.
"""

import gc
from typing import Any

from inwindow.native._fresh import changed, fresh, resumed
from inwindow.native._hooks import HookRaised

Columns = list[list[Any]]


class RunStacks:
    """The two stacks of one run. Positions are those of the operator; ``feed`` says which values are held."""

    def __init__(self, prototype: Any) -> None:
        self.prototype = prototype
        names = ("initialize", "iterate")
        self.first, self.next = (
            next(one for one in order if hasattr(prototype, one)) for order in (names, names[::-1])
        )
        self._clear(0)

    def _clear(self, start: int) -> None:
        self.front: list[Any] = []  # the newest suffix first: the last one is the whole front
        self.places: list[int] = []
        self.back: Any = None
        self.lo = self.mid = self.hi = start

    def state(self) -> Any:
        """As of the driver in Cython."""
        front = [changed(suffix, self.prototype) for suffix in self.front]
        return (self.lo, self.mid, self.hi), self.places, front, changed(self.back, self.prototype)

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        (self.lo, self.mid, self.hi), places, front, back = state
        self.places, self.front = list(places), [resumed(self.prototype, one) for one in front]
        self.back = None if back is None else resumed(self.prototype, back)

    def move(self, start: int, end: int, feed: "Feed") -> None:
        """Go on to the run [start, end)."""
        if start >= self.hi:
            self._clear(start)
        elif start > self.lo:
            places = self.places
            while places and places[-1] < start:
                places.pop()
                self.front.pop()
            if start > self.mid:
                self._flip(start, feed)
        if end > self.hi:
            self._extend(end, feed)
        self.lo, self.hi = start, end

    def _extend(self, end: int, feed: "Feed") -> None:
        base, seen, values = feed.base, feed.seen, feed.values
        p, name = self.hi, self.next
        hook = None if self.back is None else getattr(self.back, name)
        try:
            for p in range(self.hi, end):
                if seen is not None and not seen[p - base]:
                    continue
                if hook is not None:
                    hook(*values[p - base])
                else:
                    self.back, name = fresh(self.prototype), self.first
                    getattr(self.back, name)(*values[p - base])
                    hook, name = getattr(self.back, self.next), self.next
        except Exception as error:
            raise HookRaised(name, p, values[p - base], error) from error

    def _flip(self, start: int, feed: "Feed") -> None:
        """The tuples of [start, hi) become the front; the garbage collector rests, for all of them stay."""
        collects = gc.isenabled()
        gc.disable()
        try:
            self._turn(start, feed)
        finally:
            if collects:
                gc.enable()

    def _turn(self, start: int, feed: "Feed") -> None:
        base, seen, values, prototype = feed.base, feed.seen, feed.values, self.prototype
        front, places, first = self.front, self.places, self.first
        self.back, later, p, name = None, None, start, first
        try:
            for p in range(self.hi - 1, start - 1, -1):
                if seen is not None and not seen[p - base]:
                    continue
                suffix, name = fresh(prototype), first
                getattr(suffix, first)(*values[p - base])
                if later is not None:
                    name = "merge"
                    if (returned := suffix.merge(later)) is not None:
                        check_merged(suffix, returned)
                front.append(suffix)
                places.append(p)
                later = suffix
        except Exception as error:
            raise HookRaised(name, p, (later,) if name == "merge" else values[p - base], error) from error
        self.mid = self.hi


class Feed:
    """The held values of one call: a tuple of arguments for each position from ``base`` on."""

    def __init__(self, columns: Columns, base: int, seen: Any) -> None:
        self.base, self.seen = base, None if seen is None else seen.tolist()
        self.values: Any = list(zip(*columns, strict=True)) if columns else _Nothing()


class _Nothing:
    def __getitem__(self, at: int) -> tuple[()]:
        return ()


def check_merged(earlier: Any, returned: Any) -> None:
    """A merge that makes a new state instead would silently lose what is later."""
    if returned is not earlier:
        raise TypeError(f"merge(self, later) must change self; what it returns, {returned!r}, is not used")


def whole(stacks: list[RunStacks], position: int) -> Any:
    """The aggregate of a frame, not to be changed; None if its hooks saw nothing."""
    found: Any = None
    later: Any = None
    try:
        for run in stacks:
            for part in (run.front[-1] if run.front else None, run.back):
                if part is None:
                    continue
                if found is None:
                    found = part
                    continue
                if later is None:
                    found = fresh(found)
                else:
                    later = fresh(later)  # it is used again
                    if (returned := found.merge(later)) is not None:
                        check_merged(found, returned)
                later = part
        if later is not None and (returned := found.merge(later)) is not None:
            check_merged(found, returned)
    except Exception as error:
        raise HookRaised("merge", position, (later,), error) from error
    return found
