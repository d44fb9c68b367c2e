"""How a built-in runs on arguments of given types: its kernel, the kernel's input, and the result type."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import pyarrow as pa

from inwindow.udaf.traits import Traits


class Kernel(Protocol):
    """The protocol of every kernel, in Cython or in Python: a loop over ``(values, start[], end[])``.

    ``values`` is an Arrow array, or a tuple of several, for the positions from ``base`` on; ``seen`` is passed if the kernel
    needs it. The bounds of frames never move backwards, also from call to call.
    """

    def roll(self, *values_base_start_end: Any, **more: Any) -> Any:
        """One result per frame [start, end)."""

    def absorb(self, *values_base_start_end: Any, **more: Any) -> None:
        """Fold the frame [start, end) without a result."""

    def state(self) -> Any:
        """The state for ``restore``; it can be pickled."""

    def restore(self, state: Any) -> None:
        """Continue from the state of a kernel that was made with the same arguments."""


def as_it_is(result: Any) -> Any:
    """The kernel's result needs no conversion."""
    return result


@dataclass(frozen=True)
class Cascade:
    """A built-in's two levels for panes: reduce a pane to partial columns, and evaluate a window over partial columns.

    ``reduce`` makes a kernel whose ``roll_partials(values, base, start, end)`` gives one or more arrays, ``window``
    one whose ``roll(partials, base, start, end)`` gives results.
    """

    reduce: Callable[[], Any]
    window: Callable[[], Any]
    grows: bool = False  # whether a partial grows with its tuples
    sliding: Callable[[bool], Any] | None = None  # evicts -> as ``reduce``, over frames that slide


def own_panes(kernel: Callable[[bool], Any], *, grows: bool = False) -> Cascade:
    """The cascade of a kernel that treats its own partials like tuples."""
    return Cascade(lambda: kernel(False), lambda: kernel(True).of_panes(), grows, kernel)


@dataclass(frozen=True)
class Joined:
    """How the results over several runs of tuples become the result over all of them: cheaper than partials, where results say all.

    ``parts`` are kernels over the same arguments; ``join`` gets for each part its results, an array per run, NULL where a run has
    none.
    """

    parts: tuple["Native", ...]
    join: Callable[[list[list[pa.Array]]], pa.Array]
    may_overflow: bool = False  # a run's result may, though that of all runs does not: then by partials


# What a kernel gets of the tuples:
#   values     the columns, NULL where a tuple does not count
#   counted    the columns, and the mask of the tuples that count: no argument is NULL, and the condition holds
#   all        the same, where a NULL argument counts, too
#   numbered   as counted; a last column has the tuples' numbers in their partition
#   marks      only which tuples count, of any number of columns
#   firsts     only which tuples are the first of their group of peers
#   objects    Python values, of any number of columns
Reads = Literal["values", "counted", "all", "numbered", "marks", "firsts", "objects"]
WITH_MASK: tuple[Reads, ...] = ("counted", "all", "numbered")


@dataclass(frozen=True)
class Native:
    """A kernel, ready to be made. A kernel of several columns is given a tuple of arrays."""

    result: pa.DataType
    kernel: Callable[[bool], Kernel]  # evicts -> kernel
    input: pa.DataType | tuple[pa.DataType, ...] | None = (
        None  # what arguments are cast to, all or each; None: as they are
    )
    finish: Callable[[Any], pa.Array] = as_it_is
    cascade: Cascade | None = None
    reads: Reads = "values"
    keeps: str | None = None  # what the kernel keeps of folded tuples, so that these need not be held
    rereads: bool = False  # reads the frame's tuples again for every result
    remembers: bool = False  # tuples that have left the frame still influence its results, within their error
    swept: Callable[[], Any] | None = None  # a kernel for tuples that leave in any order
    evicts_any: bool = False  # ``kernel`` has ``sweep``: what has been in a frame may leave in any order
    saved: Any = None  # for panes that are saved, or were: what makes the evaluator instead of a kernel
    gives: Literal["its own", "a value", "values"] = "its own"  # results are values (or lists of values) of argument 0
    joined: Joined | None = None

    def input_of(self, place: int) -> pa.DataType | None:
        """What an argument is cast to; None: as it is."""
        return self.input[place] if isinstance(self.input, tuple) else self.input


class Machine(Protocol):
    """Compiled hooks for known argument types: a loop for some strategies; the others call the plain hooks."""

    @property
    def runs(self) -> str:
        """What runs, for explain."""

    @property
    def runs_on_states(self) -> str:
        """What runs on a stream, where the aggregate of each key goes on from its state."""

    @property
    def inputs(self) -> tuple[pa.DataType, ...]:
        """What each argument is cast to."""

    @property
    def strategies(self) -> frozenset[str]:
        """The strategies for which it has a loop."""

    @property
    def preferred(self) -> frozenset[str]:
        """The strategies that are preferred to the table of rules; results may then differ by rounding."""


@dataclass(frozen=True)
class Implementation:
    """How an aggregate is evaluated for known argument types: by a kernel, or by hooks in Python that may also be compiled."""

    traits: Traits
    result: pa.DataType
    native: Native | None = None
    aggregate: Any = None  # an inwindow.Aggregate; the window version if hooks are derived
    derived: dict[str, str] = field(default_factory=dict)  # the text of the derived hooks, by name
    why_not: dict[str, str] = field(default_factory=dict)  # for hooks that are neither written nor derived
    machine: Machine | None = None  # compiled hooks, if there are any
    uncompiled: str = ""  # why hooks are not compiled by default
