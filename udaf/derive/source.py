"""A hook's syntax tree, proven to be that of the code that runs; and what its names stand for.

A file may have changed since it was imported, a decorator may have put another function in the hook's place. So the tree that
was read is compiled again, and compared with the hook's bytecode: only then is it the hook's.
"""

import ast
import builtins
import copy
import inspect
import textwrap
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any


class Cannot(Exception):
    """Something cannot be derived; the message says why, in one line."""


@dataclass(frozen=True)
class Hook:
    """A hook, read."""

    name: str
    function: FunctionType
    tree: ast.FunctionDef
    me: str  # what it calls self
    parameters: tuple[str, ...]

    def known(self, name: str) -> tuple[bool, Any]:
        """Whether a name stands for something outside of the hook, and for what."""
        return outside(self.function, name)

    @property
    def locals(self) -> set[str]:
        """The names that are its own, in whatever function or comprehension within it."""
        return locals_of(self.function.__code__)


def outside(function: FunctionType, name: str) -> tuple[bool, Any]:
    """Whether a name in a function stands for something outside of it, and for what."""
    code = function.__code__
    if name in locals_of(code):
        return False, None  # set or not; in a part of it, at least
    if name in code.co_freevars:
        try:
            return True, function.__closure__[code.co_freevars.index(name)].cell_contents  # type: ignore[index]
        except ValueError:
            return False, None
    if name in function.__globals__:
        return True, function.__globals__[name]
    built_in: dict[str, Any] = getattr(function, "__builtins__", vars(builtins))
    return name in built_in, built_in.get(name)


def locals_of(code: CodeType) -> set[str]:
    """The variables of a function, and of those within it."""
    return {name for one in codes_of(code) for name in (*one.co_varnames, *one.co_cellvars)}


def read(kind: type, name: str) -> Hook:
    """The hook of a class by that name."""
    function = inspect.getattr_static(kind, name)
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        raise Cannot(f"{name} is not a plain function")
    if inspect.isgeneratorfunction(function):
        raise Cannot(f"{name} yields")
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        raise Cannot(f"the source of {name} cannot be read") from None
    if not isinstance(tree, ast.FunctionDef):
        raise Cannot(f"{name} is not written as a method")
    if tree.decorator_list:
        raise Cannot(f"{name} is decorated")
    if not is_code_of(tree, function):
        raise Cannot(f"the source of {name} is not that of the code that runs")
    if any(is_private(node) for node in ast.walk(tree)):
        raise Cannot(f"{name} has names that begin with `__`")
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree)):
        raise Cannot(f"{name} sets a variable outside of it")
    ast.increment_lineno(tree, first - 1)
    given = tree.args
    if given.vararg or given.kwarg or given.kwonlyargs or not (given.args or given.posonlyargs):
        raise Cannot(f"{name} takes any number of values")
    me, *parameters = (argument.arg for argument in [*given.posonlyargs, *given.args])
    return Hook(name, function, tree, me, tuple(parameters))


def is_private(node: ast.AST) -> bool:
    """A name that Python writes with the class's name before it; the derived hooks stand in another place."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.startswith("__")


def is_code_of(tree: ast.FunctionDef, function: FunctionType) -> bool:
    """Whether the tree, compiled where it stood, is the function's code: its class gives it mangled names, a function around
    it free ones."""
    code = function.__code__
    bare = copy.copy(tree)
    bare.returns = None
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    within = ast.ClassDef(owner if owner.isidentifier() else "_", [], [], [bare], [])
    cells = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in code.co_freevars]
    around = ast.parse("def around(): pass").body[0]
    assert isinstance(around, ast.FunctionDef)
    is_global = within.name not in code.co_freevars  # a class of a module names itself by a global
    around.body = [*cells, *([ast.Global([within.name])] if is_global else []), within]
    there = [name for name in code.co_names if name in function.__globals__]
    modules = [name for name in there if isinstance(function.__globals__[name], ModuleType)]
    for imported in ([], modules, there):  # Python compiles a call of what the same file imports in a way of its own
        imports: list[ast.stmt] = [ast.Import([ast.alias(name)]) for name in imported]
        module = ast.fix_missing_locations(ast.Module([*imports, around], []))
        try:
            compiled = compile(module, "<hook>", "exec", code.co_flags & _FUTURE, dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        if any(_same(found, code) for found in codes_of(compiled) if found.co_name == code.co_name):
            return True
    return False


_FUTURE = 0x1FF0000  # the flags of `from __future__ import ...`


def codes_of(code: CodeType) -> list[CodeType]:
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [code, *(found for one in inner for found in codes_of(one))]


def _same(one: CodeType, other: CodeType) -> bool:
    if (one.co_code, one.co_names, one.co_varnames, one.co_freevars, one.co_argcount) != (
        other.co_code, other.co_names, other.co_varnames, other.co_freevars, other.co_argcount,
    ):  # fmt: skip
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        _same(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else type(a) is type(b) and repr(a) == repr(b)
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )
