"""The meaning of a name in a function outside of it: a variable of an enclosing function, a global, a built-in."""

import ast
import builtins
from types import CodeType, FunctionType, ModuleType
from typing import Any


def outside(function: FunctionType, name: str) -> tuple[bool, Any]:
    """Whether a name in a function means something outside of it, and what."""
    code = function.__code__
    if name in locals_of(code):
        return False, None  # a local of the function, or of one inside it
    if name in code.co_freevars:
        try:
            return True, function.__closure__[code.co_freevars.index(name)].cell_contents  # type: ignore[index]
        except ValueError:
            return False, None
    if name in function.__globals__:
        return True, function.__globals__[name]
    built_in: dict[str, Any] = getattr(function, "__builtins__", vars(builtins))
    return name in built_in, built_in.get(name)


def called(function: FunctionType, it: ast.expr) -> Any:
    """The meaning of ``name`` or ``module.name`` in a call; None if it is unknown or has no hash."""
    found: Any = None
    if isinstance(it, ast.Name):
        found = outside(function, it.id)[1]
    elif isinstance(it, ast.Attribute) and isinstance(it.value, ast.Name):
        module = outside(function, it.value.id)[1]
        found = getattr(module, it.attr, None) if isinstance(module, ModuleType) else None
    return hashable(found)


def hashable(value: Any) -> Any:
    """The value, or None if it has no hash: so that it can be looked up in a set."""
    try:
        hash(value)
    except TypeError:
        return None
    return value


def locals_of(code: CodeType) -> set[str]:
    """The variables of a function, and of those inside it."""
    return {name for one in codes_of(code) for name in (*one.co_varnames, *one.co_cellvars)}


def codes_of(code: CodeType) -> list[CodeType]:
    """The code of a function, and of those inside it."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [code, *(found for one in inner for found in codes_of(one))]
