"""The contract of an aggregate: the hooks that a user writes (ESL, sections 3 and 4).

::

    tuple arrives:   expire(*oldest) for each tuple that left the frame
                     initialize(*values)   the first tuple of a sequence
                     iterate(*values)      every further tuple
                     terminate()           the result for this tuple

If only one of ``initialize`` and ``iterate`` is written, it is used for both. A class without ``terminate`` is non-blocking: its
results are the values that its hooks return or yield.
"""

from types import MemberDescriptorType
from typing import Any, ClassVar, Literal, Never, Self

from inwindow.udaf.applied import Applied, apply
from inwindow.udaf.definition import read_traits
from inwindow.udaf.errors import DefinitionError, NotAppliedError, UsageError, shown
from inwindow.udaf.shared_state import check_shared_state
from inwindow.udaf.traits import Declared, Traits


class Punt:
    """``iw.PUNT``: what an ``expire`` returns when it cannot undo a tuple; the frame is then folded afresh.

    >>> import math
    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> class Product(iw.WindowAggregate):
    ...     def initialize(self, v): self.logs = [math.log(v) if v > 0 else -math.inf]
    ...     def iterate(self, v): self.logs[0] += math.log(v) if v > 0 else -math.inf
    ...     def expire(self, v):
    ...         if v <= 0: return iw.PUNT             # an infinity cannot be subtracted
    ...         self.logs[0] -= math.log(v)
    ...     def terminate(self) -> float: return math.exp(self.logs[0])
    >>> table = pa.table({"v": [1.0, 0.0, 2.0, 4.0]})
    >>> [round(x, 3) for x in iw.with_columns(table, t=Product()("v").over(iw.rows(2)))["t"].to_pylist()]
    [1.0, 0.0, 0.0, 8.0]
    """

    def __repr__(self) -> str:
        return "iw.PUNT"

    def __reduce__(self) -> str:
        return "PUNT"


PUNT = Punt()
"""Return this from ``expire`` when it cannot undo a tuple: the frame is then folded afresh."""


class _Over:
    """``over`` of an aggregate that is not applied to columns yet: an error, unless a class has its own."""

    def __get__(self, aggregate: Any, kind: type) -> Any:
        made = f"{kind.__name__}({'...' if '__init__' in vars(kind) else ''})"
        given, missing = (kind.__name__, "is a class") if aggregate is None else (made, "is not applied to columns yet")
        raise NotAppliedError(f"{given}.over(...): {given} {missing}: write {made}('price').over(window)")


class Aggregate:
    """A base aggregate: hooks ``initialize``, ``iterate``, ``terminate`` and, to be cut into panes, ``merge``.

    - ``initialize(self, *values)``: the first tuple; ``iterate(self, *values)``: each further one.
    - ``terminate(self) -> type``: the result of the frame; it must not change the state. Without it, the values that the other
      two return or yield are the results of each tuple.
    - ``merge(self, later)``: fold the state of a later run of tuples into self; ``unmerge(self, earlier)`` undoes it.

    Class keywords: ``returns=`` (DDL or Spark type; default the return annotation), ``nulls="skip"|"pass"``,
    ``empty=`` (the result without tuples), ``algebraic=True``, ``commutative=True``, ``derive=False`` (do not derive ``expire``
    and ``merge``), ``rebase=False`` (do not fold a frame again when a float in the state has lost digits or is NaN),
    ``compile=False`` (do not compile the hooks with numba after a million tuples), ``expire_any_order=True`` (``expire`` undoes
    any tuple of the frame, not only the oldest: rows that hold for a while leave in the order of their ends).

    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> class Spread(iw.Aggregate):
    ...     def initialize(self, value): self.low = self.high = value
    ...     def iterate(self, value): self.low, self.high = min(self.low, value), max(self.high, value)
    ...     def merge(self, later): self.low, self.high = min(self.low, later.low), max(self.high, later.high)
    ...     def terminate(self) -> float: return self.high - self.low
    >>> table = pa.table({"price": [3.0, 5.0, 4.0, 9.0]})
    >>> iw.with_columns(table, spread=Spread()("price").over(iw.rows(3)))["spread"].to_pylist()
    [0.0, 2.0, 2.0, 5.0]
    """

    _declared: ClassVar[Declared] = Declared()
    _traits: ClassVar[Traits | None] = None
    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __init_subclass__(
        cls,
        *,
        returns: Any = None,
        nulls: Literal["skip", "pass"] | None = None,
        empty: Any = None,
        base: Any = None,
        algebraic: bool | None = None,
        commutative: bool | None = None,
        derive: bool | None = None,
        rebase: bool | None = None,
        expire_any_order: bool | None = None,
        compile: bool | None = None,
        abstract: bool = False,
        **unknown: Never,
    ) -> None:
        super().__init_subclass__()
        if unknown:
            raise DefinitionError(
                f"{cls.__name__}: unknown class keyword {', '.join(map(repr, unknown))}: known are returns, nulls, "
                "empty, algebraic, commutative, derive, rebase, compile and, for a WindowAggregate, base and expire_any_order"
            )
        above, above_has_hooks = cls._declared, cls._traits is not None
        cls._declared = Declared(
            returns=above.returns if returns is None else returns,
            nulls=above.nulls if nulls is None else nulls,
            empty=above.empty if empty is None else empty,
            algebraic=above.algebraic if algebraic is None else algebraic,
            commutative=above.commutative if commutative is None else commutative,
            derive=above.derive if derive is None else derive,
            base=above.base if base is None else base,
            rebase=above.rebase if rebase is None else rebase,
            expire_any_order=above.expire_any_order if expire_any_order is None else expire_any_order,
            compile=above.compile if compile is None else compile,
        )
        if abstract or (not above_has_hooks and _is_bare(cls)):
            return
        cls._traits = read_traits(cls, cls._declared)
        if not {"_written", "_answers", "_spoken"} & vars(cls).keys():  # these were made of one that was looked at
            check_shared_state(cls, (Aggregate, WindowAggregate, object), is_copy=_is_bare(cls))
        _check_kind(cls, cls._traits)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls._traits is None:
            raise DefinitionError(
                f"{cls.__name__} has no hooks: derive a class from it, with `def iterate(self, value)`, and instantiate that"
            )
        if (args or kwargs) and cls.__init__ is object.__init__:
            given = ", ".join([*map(shown, args), *(f"{name}={shown(value)}" for name, value in kwargs.items())])
            applied = f"; to apply it to columns, make one first: {cls.__name__}()({', '.join(map(shown, args))})"
            raise UsageError(
                f"{cls.__name__}({given}): {cls.__name__} has no __init__ to configure it{applied if args else ''}"
            )
        self = super().__new__(cls)
        if isinstance(cls._declared.base, type):  # it will be configured in the same way, see base_of
            self._arguments = (args, kwargs)
        return self

    over: Any = _Over()

    def __call__(self, *columns: Any) -> Applied:
        """Apply the aggregate to columns: ``MyAvg()("price")``; give it a window with ``.over(...)``."""
        return apply(self, columns)


class WindowAggregate(Aggregate, abstract=True):
    """An aggregate with ``expire(self, *values)``: each tuple that leaves the frame is undone in O(1).

    Its hooks are those of :class:`Aggregate` and ``expire(self, *values)``, which gets the oldest tuple when it leaves, and may
    return ``iw.PUNT`` if it cannot undo it. A class that annotates ``inwindow: iw.InWindow`` gets the live buffer of the window's
    tuples. ``base=`` names the base version, which is used for unbounded windows and tumbles, because nothing expires there (ESL,
    figure 2).

    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> class MyAvg(iw.WindowAggregate):
    ...     def initialize(self, value): self.total, self.count = value, 1
    ...     def iterate(self, value): self.total += value; self.count += 1
    ...     def expire(self, value): self.total -= value; self.count -= 1
    ...     def terminate(self) -> float: return self.total / self.count
    >>> my_avg = MyAvg()
    >>> table = pa.table({"price": [1.0, 2.0, 6.0, 4.0]})
    >>> iw.with_columns(table, avg2=my_avg("price").over(iw.rows(2)))["avg2"].to_pylist()
    [1.0, 1.5, 4.0, 5.0]
    """


_GIVEN_BY_PYTHON = {
    "__module__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__firstlineno__",
    "__static_attributes__",
    "__orig_bases__",
    "__parameters__",
    "__slots__",
    "_declared",
}


def _is_bare(cls: type) -> bool:
    """Whether a class has no body: cloudpickle first creates such a class, and then fills it in, if it sends a class by value."""
    slots = (name for name, value in vars(cls).items() if isinstance(value, MemberDescriptorType))
    return set(vars(cls)) <= _GIVEN_BY_PYTHON.union(slots)


def _check_kind(cls: type[Aggregate], traits: Traits) -> None:
    if issubclass(cls, WindowAggregate):
        _check_base(cls)
        return
    for present, what in ((traits.has_expire, "an `expire` hook"), (traits.reads_inwindow, "`inwindow`")):
        if present:
            raise DefinitionError(
                f"{cls.__name__} has {what}, which only a window aggregate has: derive it from iw.WindowAggregate"
            )
    if cls._declared.base is not None:
        raise DefinitionError(f"{cls.__name__}: base= is for an iw.WindowAggregate; this class is a base aggregate")


def _check_base(cls: type[Aggregate]) -> None:
    base = cls._declared.base
    if base is None:
        return
    kind = base if isinstance(base, type) else type(base)
    if not issubclass(kind, Aggregate) or kind._traits is None or cls._traits is None:
        raise DefinitionError(f"{cls.__name__}: base={shown(base)} must be an aggregate class (or an instance of one)")
    mine, its = cls._traits, kind._traits
    if None not in (mine.arity, its.arity) and mine.arity != its.arity:
        raise DefinitionError(
            f"{cls.__name__} takes {mine.arity} argument(s) but its base {kind.__name__} takes {its.arity}: "
            "the base version must take the same arguments"
        )
    if mine.result != its.result:
        raise DefinitionError(
            f"{cls.__name__} returns {mine.result} but its base {kind.__name__} returns {its.result}: "
            "the base version must return the same type"
        )
    if mine.has_terminate and not its.has_terminate:
        raise DefinitionError(
            f"{cls.__name__} has a terminate but its base {kind.__name__} has none: the base version gives a frame's "
            "result too, so write `def terminate(self)` in it"
        )


def base_of(aggregate: Aggregate) -> Aggregate:
    """The base version of an aggregate, configured like it; the aggregate itself if it has none."""
    base = aggregate._declared.base
    if base is None:
        return aggregate
    if isinstance(base, Aggregate):
        return base
    arguments, keywords = aggregate._arguments
    try:
        result: Aggregate = base(*arguments, **keywords)
    except TypeError as error:
        name = type(aggregate).__name__
        raise DefinitionError(
            f"{name}: its base {base.__name__} cannot be configured as {name} was ({error}): give both the same parameters "
            f"of `__init__`, or write base={base.__name__}(...)"
        ) from error
    return result
