"""A function's source: its text, and a syntax tree that is proven to belong to the code that runs; or why there is none."""

import ast
import copy
import inspect
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from inwindow.udaf.source.proof import is_code_of


class Unreadable(Exception):
    """A hook's source cannot be read: ``why``, in one line, and ``advice``, how that sentence goes on."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why + advice)
        self.why = why


@dataclass(frozen=True)
class Source:
    """The source of one function."""

    text: str  # its lines, indented as if it stood alone
    line: int  # of its file, where the text begins

    @property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree. All who ask get the same one: do not change it. Line 1 is the text's first."""
        return parsed(self.text)

    @property
    def tree_in_file(self) -> ast.FunctionDef:
        """A copy of the tree, with the line numbers of the file: it may be changed."""
        tree = copy.deepcopy(self.tree)
        ast.increment_lineno(tree, self.line - 1)
        return tree


@lru_cache(maxsize=1024)
def parsed(text: str) -> ast.FunctionDef:
    """The tree of a text that is one function."""
    tree = ast.parse(text).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"this is a {type(tree).__name__}, not a function")
    return tree


def source_of(function: FunctionType) -> Source | None:
    """The source of any function; None where it cannot be read."""
    found = _read(function, function.__code__)
    return found if isinstance(found, Source) else None


def hook_source(name: str, function: Any) -> Source:
    """The source of a hook that is a plain method without decorators and private names; an :class:`Unreadable` says why not."""
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        raise Unreadable(f"{name} is not a plain function", ": it is decorated, or not written in Python")
    found = _read(function, function.__code__)
    if not isinstance(found, Source):
        why, advice = found
        raise Unreadable(why.format(name), advice.format(name))
    tree = found.tree
    if tree.decorator_list:
        raise Unreadable(f"{name} is decorated")
    if any(_is_private(node) for node in ast.walk(tree)):
        raise Unreadable(f"{name} has names that begin with `__`", ", to which Python adds the name of a class")
    return found


def parameters_of(tree: ast.FunctionDef) -> list[str]:
    """The names of the positional parameters; the first parameter of a method is its self."""
    return [argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)]


def parents_in(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """The parent of each node."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


@lru_cache(maxsize=1024)
def _read(function: FunctionType, code: CodeType) -> Source | tuple[str, str]:
    """Kept for each function and its code, which may be another one later. (A weak dictionary could not be pickled by value.)"""
    try:
        lines, first = inspect.getsourcelines(function)
        source = Source(textwrap.dedent("".join(lines)), first)
        whole = ast.parse(source.text).body
    except (OSError, TypeError, SyntaxError, ValueError):
        whole = []
    if not whole:
        return (
            "the source of {} cannot be read",
            " (it was typed at a prompt, or made by exec): put the class into a file",
        )
    if not isinstance(whole[0], ast.FunctionDef):
        return "{} is not written as a method", ": write `def {}(self, ...)`"
    if not is_code_of(source.tree, function):
        return "the source of {} is not that of the code that runs", ": import the class anew"
    return source


def _is_private(node: ast.AST) -> bool:
    """A name to which Python adds the name of the class around it: compiled and derived hooks stand elsewhere."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.startswith("__")
