"""A hook from which others are derived: its function, its syntax tree, its parameter names."""

import ast
import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from inwindow.udaf.source.names import called, locals_of, outside
from inwindow.udaf.source.reading import Unreadable, hook_source, parameters_of


class Cannot(Exception):
    """Something cannot be derived; the message says why, in one line."""


@dataclass(frozen=True)
class Hook:
    """A hook of a class, with its syntax tree."""

    name: str
    function: FunctionType
    tree: ast.FunctionDef
    me: str  # its name for self
    parameters: tuple[str, ...]

    def known(self, name: str) -> tuple[bool, Any]:
        """Whether a name means something outside of the hook, and what."""
        return outside(self.function, name)

    def called(self, it: ast.expr) -> Any:
        """The function that ``name`` or ``module.name`` means."""
        return called(self.function, it)

    @property
    def locals(self) -> set[str]:
        """The hook's own names, including those in inner functions and comprehensions."""
        return locals_of(self.function.__code__)


def read(kind: type, name: str) -> Hook:
    """The hook of a class by that name."""
    function = inspect.getattr_static(kind, name)
    if inspect.isgeneratorfunction(function):
        raise Cannot(f"{name} yields")
    try:
        tree = hook_source(name, function).tree_in_file
    except Unreadable as unreadable:
        raise Cannot(unreadable.why) from None
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree)):
        raise Cannot(f"{name} sets a variable outside of it")
    if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs or not parameters_of(tree):
        raise Cannot(f"{name} takes any number of values")
    me, *parameters = parameters_of(tree)
    return Hook(name, function, tree, me, tuple(parameters))
