"""The definition of a run of hooks: one copy of an aggregate and its live window, one tuple at a time.

Part of :mod:`inwindow.windows.reference`; section 2 of the semantics::

    leave(before=3)      expire(*values) for each tuple of inwindow before position 3, oldest first
    arrive(7, values)    into inwindow; then initialize(*values) if it is the first, else iterate(*values)
"""

import collections
import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

namedtuple: Any = collections.namedtuple


class Yielded(list[Any]):
    """What a generator hook yielded, which is not a list that a hook returned."""


class InWindow:
    """The live window: the tuples that hooks have seen, neither expired nor deleted, oldest to newest."""

    def __init__(self) -> None:
        self.tuples: list[tuple[int, Any]] = []  # position in the partition, record

    def __len__(self) -> int:
        return len(self.tuples)

    def __iter__(self) -> Iterator[Any]:
        return iter([record for _, record in self.tuples])

    def oldest(self) -> Any:
        return self.tuples[0][1]

    def newest(self) -> Any:
        return self.tuples[-1][1]

    def delete(self, predicate: Callable[[Any], object], keep_newest: bool = False) -> int:
        before, spared = len(self.tuples), self.tuples[-1:] if keep_newest else []
        others = self.tuples[:-1] if keep_newest else self.tuples
        self.tuples = [entry for entry in others if not predicate(entry[1])] + spared
        return before - len(self.tuples)


class Run:
    """A fresh copy of an aggregate, and its window."""

    def __init__(self, prototype: Any) -> None:
        self.prototype = prototype
        self.restart()

    def restart(self) -> None:
        self.aggregate = copy.deepcopy(self.prototype)
        self.inwindow = InWindow()
        self.has_begun = False
        if any("inwindow" in vars(kind).get("__annotations__", {}) for kind in type(self.prototype).__mro__):
            self.aggregate.inwindow = self.inwindow

    def arrive(self, position: int, values: tuple[Any, ...]) -> Any:
        """A tuple that hooks see arrives; gives back what its hook returned or yielded."""
        self.inwindow.tuples.append((position, record(self.aggregate, values)))
        names = ("iterate", "initialize") if self.has_begun else ("initialize", "iterate")
        self.has_begun = True
        return call(self.aggregate, next(name for name in names if hasattr(self.aggregate, name)), values)

    def oldest(self) -> int | None:
        """The position of the oldest tuple of the window."""
        return self.inwindow.tuples[0][0] if self.inwindow.tuples else None

    def leave(self, before: int) -> Any:
        """The tuples before a position expire; gives back what the last expire returned or yielded."""
        back = None
        while (position := self.oldest()) is not None and position < before:
            values = tuple(self.inwindow.oldest())
            back = call(self.aggregate, "expire", values) if hasattr(self.aggregate, "expire") else None
            self.inwindow.tuples = [entry for entry in self.inwindow.tuples if entry[0] != position]
            if repr(back) == "iw.PUNT":
                self.refold([entry for entry in self.inwindow.tuples if entry[0] >= before])
                return None
        return back

    def refold(self, kept: list[tuple[int, Any]]) -> None:
        """A fresh copy sees what is left of the window."""
        self.restart()
        for position, values in kept:
            self.arrive(position, tuple(values))


def takes(prototype: Any, values: tuple[Any, ...]) -> bool:
    """Whether hooks take a tuple, as the first or a later one; if not, ``on_error=`` leaves it out, as FILTER would.

    This is for classes that keep the promise: a hook raises for the values of its tuple, whatever came before.
    """
    try:
        run = Run(prototype)
        run.arrive(0, values)
        run.arrive(1, values)
    except Exception:
        return False
    return True


def call(aggregate: Any, hook: str, values: tuple[Any, ...]) -> Any:
    """Call a hook; a generator runs to its end."""
    back = getattr(aggregate, hook)(*values)
    return Yielded(back) if inspect.isgenerator(back) else back


def record(aggregate: Any, values: tuple[Any, ...]) -> Any:
    """A tuple as ``inwindow`` shows it: its fields are named as the hook's parameters."""
    hook = aggregate.iterate if hasattr(aggregate, "iterate") else aggregate.initialize
    names = [*inspect.signature(hook).parameters][: len(values)]
    names += [""] * (len(values) - len(names))  # for *values: nameless fields are called _1, _2, ...
    return namedtuple("Record", names, rename=True)(*values)
