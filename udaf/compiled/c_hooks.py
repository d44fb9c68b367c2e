"""A Cython ``cdef class`` as an aggregate: its traits, its Python face, and its machine."""

import types
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa

from inwindow.native.compiled import Doubles, Frames, Hooks, OneDouble, OneInt64, written
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.contract import PUNT, Aggregate, WindowAggregate
from inwindow.udaf.errors import DefinitionError, UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_int
from inwindow.udaf.traits import HOOKS
from inwindow.udaf.types import arrow_type

_WORDS = ("returns", "nulls", "empty", "commutative", "parameters")  # class attributes that say what keywords say


def compiled_class(it: Hooks) -> CompiledAggregate:
    """The aggregate that an object of a ``cdef class`` is."""
    return CompiledAggregate(with_hooks(it), CHooks())


def with_hooks(it: Hooks) -> Aggregate:
    """The same object under Python hooks, which call the C hooks: for whatever is not the compiled loop."""
    kind: Any = type(it)
    made: Aggregate = _face(kind, frozenset(written(it)))(it)
    return made


@dataclass(frozen=True)
class CHooks:
    """The hooks are compiled already; only the types are left to check."""

    def machine(self, plain: Aggregate, label: str, types: list[pa.DataType]) -> "CMachine":
        """The loop over the C hooks."""
        it = plain.it  # type: ignore[attr-defined]
        name, traits = type(it).__name__, plain._traits
        assert traits is not None
        wanted, what = (
            (INT, "integers of at most 64 bits") if isinstance(it, OneInt64) else (DOUBLE, "floats and integers")
        )
        for kind in types:
            if not (is_int(kind) or (wanted == DOUBLE and is_float(kind))):
                raise UsageError(f"{label}: the C hooks of {name} take {what}, not {kind}: cast the column")
        return CMachine(name, traits.result, traits.empty, (wanted,) * len(types))


@dataclass(frozen=True)
class CMachine:
    """The loop of ``native/compiled.pyx``."""

    name: str
    result: Any
    empty: Any
    inputs: tuple[pa.DataType, ...]
    strategies: frozenset[str] = field(default=frozenset({"unbounded", "tumble", "delta", "recompute"}))

    @property
    def preferred(self) -> frozenset[str]:
        """The strategies with a loop. Panes and stacks call C hooks from Python, which costs more than Python hooks."""
        return self.strategies - {"recompute"}

    @property
    def runs(self) -> str:
        """The line of explain."""
        return f"compiled: C hooks of {self.name}, a cdef class"

    @property
    def runs_on_states(self) -> str:
        """The same: their states are their own."""
        return self.runs

    def driver(self, plain: Any, *, afresh: bool) -> Any:
        """A new driver of the loop."""
        return Frames(plain.it, afresh=afresh, is_integer=self.result == INT, empty=self.empty)


# The Python face


@cache
def _face(kind: type, hooks: frozenset[str]) -> type:
    """A Python class with the hooks that the ``cdef class`` has written."""
    name = kind.__name__
    _check(kind, name, hooks)
    words = {word: getattr(kind, word) for word in _WORDS if hasattr(kind, word)}
    is_integer = "terminate_int" in hooks
    result = arrow_type(words.setdefault("returns", "bigint" if is_integer else "double"))
    if result != (INT if is_integer else DOUBLE):
        given = shown(words["returns"])
        raise DefinitionError(
            f"{name}: returns = {given}, but its result is that of `{'terminate_int' if is_integer else 'terminate'}`: "
            f"{'bigint' if is_integer else 'double; write terminate_int for bigint'}"
        )
    named = words.pop("parameters", None)
    if named is None:
        named = ("*values",) if issubclass(kind, Doubles) else ("value",)
    methods: dict[str, Any] = {
        "__init__": _init,
        "__reduce__": _reduce,
        "__deepcopy__": _deepcopy,
        "terminate": _terminate,
    }
    methods |= {"_is_integer": is_integer, "__module__": kind.__module__}
    for hook in ("initialize", "iterate", "expire"):
        if hook in hooks:
            methods[hook] = _calling(hook, tuple(named), int if issubclass(kind, OneInt64) else float)
    if "merge" in hooks:
        methods["merge"] = _merge
    base = WindowAggregate if "expire" in hooks else Aggregate
    made: type = types.new_class(name, (base,), words, lambda namespace: namespace.update(methods))
    return made


def _check(kind: Any, name: str, hooks: frozenset[str]) -> None:
    if not issubclass(kind, (OneDouble, OneInt64, Doubles)):
        raise DefinitionError(f"{name}: derive it from OneDouble, OneInt64 or Doubles, which say what its hooks take")
    for hook in (*HOOKS, "terminate_int"):
        if any(hook in vars(base) for base in kind.__mro__):
            raise DefinitionError(
                f"{name}.{hook} is a Python method, which the compiled loop would not call: write `cdef ... {hook}(self, ...)` "
                "in the .pyx; a Python subclass of a cdef class cannot change its hooks"
            )
    if not hooks & {"initialize", "iterate"}:
        raise DefinitionError(f"{name} has neither `iterate` nor `initialize`, so it would never see a tuple")
    results = hooks & {"terminate", "terminate_int"}
    if len(results) != 1:
        raise DefinitionError(
            f"{name} has {'both `terminate` and `terminate_int`' if results else 'no terminate'}: write "
            "`cdef double terminate(self) except? -1`, or `cdef int64_t terminate_int(self) except? -1` for integers; hooks that "
            "answer tuple by tuple are for Python classes"
        )
    if getattr(kind, "nulls", "skip") != "skip":
        raise DefinitionError(
            f"{name}: nulls = {shown(kind.nulls)}: C hooks take numbers alone, so a NULL is always skipped"
        )


def _init(self: Any, it: Hooks) -> None:
    self.it = it


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    made = object.__new__(type(self))
    made.it = deepcopy(self.it, memo)
    return made


def _reduce(self: Any) -> Any:
    return with_hooks, (self.it,)


def _calling(hook: str, parameters: tuple[str, ...], takes: type) -> Any:
    """A hook with these parameters, so that laws and messages know their names and types."""
    given = f"({', '.join(parameters)},)"
    scope = {"PUNT": PUNT}
    exec(  # noqa: S102 - the names are a class attribute, checked by being parameters
        f"def {hook}(self, {', '.join(parameters)}): return PUNT if self.it._call({hook!r}, {given}) else None", scope
    )
    made: Any = scope[hook]
    made.__annotations__ = {parameter.lstrip("*"): takes for parameter in parameters}
    return made


def _merge(self: Any, later: Any) -> None:
    self.it._merge(later.it)


def _terminate(self: Any) -> Any:
    return self.it._result(self._is_integer)
