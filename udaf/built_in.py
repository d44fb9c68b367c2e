"""A built-in: the facts that hold for all types, and its kernel for given argument types."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.udaf.applied import Applied, apply, column_text
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.native import Implementation, Native
from inwindow.udaf.traits import KernelTraits, Traits

# (argument types, whether the session is ANSI) -> a kernel; None if the built-in is not defined for such arguments.
Resolve = Callable[[list[pa.DataType], bool], Native | None]

NUMBERS = "integers, floats and decimals"
_PLAIN = KernelTraits()


@dataclass(frozen=True)
class BuiltIn:
    """A built-in: what the optimizer knows without types, and how to get an implementation for types."""

    traits: Traits
    resolve: Resolve
    accepts: str

    def on(self, label: str, types: list[pa.DataType], ansi: bool) -> Implementation:
        """The implementation over arguments of these types."""
        native = self.resolve(types, ansi)
        if native is None:
            raise UsageError(
                f"{label}: {self.traits.name} is for {self.accepts}, not {', '.join(map(str, types))}: cast the column"
            )
        assert self.traits.kernel is not None
        merges, swept = native.cascade is not None, native.swept is not None
        grows = native.cascade is not None and native.cascade.grows
        slide = native.cascade is not None and native.cascade.sliding is not None and not grows
        traits = replace(
            self.traits,
            result=native.result,
            hooks=self.traits.hooks | ({"merge"} if merges else set()),
            promises=self.traits.promises | ({"expire_any_order"} if swept else set()),
            kernel=replace(
                self.traits.kernel,
                keeps=native.keeps,
                partials_grow=grows,
                partials_slide=slide,
                evicts_any=native.evicts_any,
            ),
        )
        return Implementation(traits, native.result, native=native)


def built_in(
    name: str, resolve: Resolve, accepts: str, *columns: Any, parameters: tuple[str, ...] | None = ("value",),
    options: tuple[Any, ...] = (), nulls: str = "skip", empty: Any = None, commutative: bool = False,
    kernel: KernelTraits = _PLAIN,
) -> Applied:  # fmt: skip
    """The built-in ``name`` applied to ``columns``; messages show ``options`` after them: ``percentile(price, 0.9)``."""
    arity = None if parameters is None else len(parameters)
    known = Traits(
        name,
        parameters or (),
        arity,
        None,
        hooks=frozenset({"iterate", "expire", "terminate"}),
        promises=frozenset({"rebase", "commutative"} if commutative else {"rebase"}),
        nulls=nulls,
        empty=empty,
        kernel=kernel,
        options=options,
    )
    applied = apply(BuiltIn(known, resolve, accepts), columns)
    if not options:
        return applied
    return replace(applied, shown=f"{name}({', '.join([*map(column_text, columns), *map(_text, options)])})")


def _text(option: Any) -> str:
    return "[" + ", ".join(map(_text, option)) + "]" if isinstance(option, (list, tuple)) else shown(option)


def check_flag(call: str, flag: Any, name: str) -> None:
    """Check an option that is True or False; ``call`` is the text before it in the message."""
    if not isinstance(flag, bool):
        raise UsageError(f"{call}, {shown(flag)}): {name} is True or False")
