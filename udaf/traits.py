"""The traits of an aggregate, for the optimizer: its hooks, their results and promises.

A capability follows from what is defined, never from a separate flag: a class with ``expire`` is invertible, a class with ``merge``
can be cut into panes. ``definition.py`` reads the traits from a class.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

HOOKS = ("initialize", "iterate", "expire", "terminate", "merge", "unmerge")
PROMISES = ("algebraic", "commutative", "rebase", "expire_any_order")

OwnFrame = tuple[
    Literal["rows", "groups"], int | None, int | None
]  # what its bounds count, and they; None is UNBOUNDED


@dataclass(frozen=True)
class Declared:
    """The class keywords: ``class A(iw.Aggregate, returns="double", nulls="pass")``."""

    returns: Any = None
    nulls: str = "skip"
    empty: Any = None
    algebraic: bool = False
    commutative: bool = False
    derive: bool = True
    base: Any = None
    rebase: bool = True
    expire_any_order: bool = False
    compile: bool = True


@dataclass(frozen=True)
class KernelTraits:
    """What is known of the kernel of a built-in."""

    order_statistics: bool = False  # O(log window) per tuple
    in_order: bool = False  # the result depends on the order of the frame's tuples, whatever is promised of partials
    refolds: bool = False  # a frame that a tuple has left is folded again from its tuples
    online: bool = False  # gives a result per tuple without a window, though it has a terminate
    keeps: str | None = None  # what it keeps of a frame's tuples, if it needs nothing else of them
    partials_grow: bool = False  # partials are lists of all folded values
    partials_slide: bool = False  # those of frames that slide take O(1) per tuple
    evicts_any: bool = False  # what has been in a frame may leave in any order
    frame: OwnFrame | None = None  # of a function that takes of a window only partitions and order: lag, row_number


@dataclass(frozen=True)
class Traits:
    """The facts about an aggregate that the optimizer uses."""

    name: str
    parameters: tuple[str, ...]  # of iterate; the fields of inwindow's records
    arity: int | None  # None: any number of arguments
    result: pa.DataType | None  # None: depends on the argument types (built-ins)
    hooks: frozenset[str] = frozenset({"iterate", "terminate"})  # of a class; of a built-in, what its kernel can do
    derived: frozenset[str] = frozenset()  # of these, the derived hooks
    yielding: frozenset[str] = frozenset()  # of initialize, iterate and expire: the generators
    silent: frozenset[str] = frozenset()  # of the same: those that certainly return nothing
    promises: frozenset[str] = frozenset({"rebase"})  # the PROMISES that hold
    reads_inwindow: bool = False
    base: Any = None  # the version for frames that no tuple leaves
    nulls: str = "skip"
    empty: Any = None
    kernel: KernelTraits | None = None  # for a built-in
    options: tuple[Any, ...] = field(default_factory=tuple)  # a built-in's arguments besides columns

    @property
    def has_terminate(self) -> bool:
        return "terminate" in self.hooks

    @property
    def has_expire(self) -> bool:
        return "expire" in self.hooks

    @property
    def has_merge(self) -> bool:
        return "merge" in self.hooks

    @property
    def has_base(self) -> bool:
        return self.base is not None

    @property
    def emits_many(self) -> bool:
        """Whether a tuple may have any number of results."""
        return bool(self.yielding)

    @property
    def never_expires_a_value(self) -> bool:
        """Whether ``expire`` certainly returns nothing: active expiration would give no row."""
        return "expire" in self.silent

    @property
    def never_answers(self) -> bool:
        """Whether no hook ever gives a result."""
        return not self.hooks & {"terminate", "merge"} and self.hooks <= self.silent

    @property
    def algebraic(self) -> bool:
        """Whether the result of a pane may be folded like a tuple."""
        return "algebraic" in self.promises

    @property
    def commutative(self) -> bool:
        """Whether tuples and partials may come in any order."""
        return "commutative" in self.promises

    @property
    def rebase(self) -> bool:
        """Whether a frame may be folded again when its float fields have lost digits."""
        return "rebase" in self.promises

    @property
    def expire_any_order(self) -> bool:
        """Whether ``expire`` undoes any tuple of the frame, not just the oldest."""
        return "expire_any_order" in self.promises

    @property
    def native(self) -> bool:
        """Whether it has kernels of its own."""
        return self.kernel is not None

    @property
    def order_statistics(self) -> bool:
        """Whether its kernel takes O(log window) per tuple."""
        return self.kernel is not None and self.kernel.order_statistics

    @property
    def any_order(self) -> bool:
        """Whether the result is the same if the frame's tuples come in another order."""
        kernel = self.kernel
        if kernel is None:
            return self.commutative
        return not kernel.in_order and (self.commutative or kernel.order_statistics)

    @property
    def online(self) -> bool:
        """Whether its kernel gives a result per tuple without a window."""
        return self.kernel is not None and self.kernel.online

    @property
    def frame(self) -> OwnFrame | None:
        """The frame that it has of its own, whatever the window says."""
        return None if self.kernel is None else self.kernel.frame

    @property
    def keeps(self) -> str | None:
        """What its kernel keeps of a frame's tuples, if it needs nothing else of them."""
        return None if self.kernel is None else self.kernel.keeps

    @property
    def evicts_any(self) -> bool:
        """Whether its kernel lets what has been in a frame leave in any order."""
        return self.kernel is not None and self.kernel.evicts_any

    @property
    def partials_slide(self) -> bool:
        """Whether its kernel gives the partials of frames that slide, by O(1) per tuple."""
        return self.kernel is not None and self.kernel.partials_slide

    @property
    def partials_grow(self) -> bool:
        """Whether its kernel's partials are lists of all folded values."""
        return self.kernel is not None and self.kernel.partials_grow
