"""Reading a plain class on the driver: the text of its hooks, and what the names in them stand for.

Workers have no source of a class from a notebook; what is read here travels as text and numbers.
"""

import ast
import inspect
import math
import textwrap
from dataclasses import dataclass
from typing import Any

from inwindow.udaf.contract import PUNT, Aggregate
from inwindow.udaf.derive.source import is_code_of, is_private, outside
from inwindow.udaf.errors import UsageError

READ = ("initialize", "iterate", "expire", "terminate")
Number = bool | int | float
_KNOWN: list[Any] = [float, int, bool, abs, min, max, round, range, *filter(inspect.isbuiltin, vars(math).values())]


@dataclass(frozen=True)
class Function:
    """A function that a name stands for: of ``math``, or built in."""

    name: str  # "math.sqrt", "abs"


@dataclass(frozen=True)
class Refusal:
    """What a hook may return: PUNT."""


Meaning = Number | Function | Refusal


@dataclass(frozen=True)
class HookText:
    """A hook: its source, where that begins, and what its global names mean."""

    name: str
    text: str
    place: str
    line: int
    meanings: dict[str, Meaning]

    @property
    def tree(self) -> ast.FunctionDef:
        """Parsed."""
        (tree,) = ast.parse(self.text).body
        assert isinstance(tree, ast.FunctionDef)
        return tree

    @property
    def parameters(self) -> list[str]:
        """The names of what it takes; the first is what it calls self."""
        return _parameters(self.tree)


@dataclass(frozen=True)
class Reading:
    """All that compiling needs of an aggregate."""

    name: str
    hooks: dict[str, HookText]
    given: dict[str, Number]  # attributes of the object or its class, before the first tuple


_OWN_WAYS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")


def read(aggregate: Aggregate) -> Reading:
    """Read the hooks of a plain aggregate."""
    kind, traits = type(aggregate), aggregate._traits
    name = kind.__name__
    assert traits is not None
    for fails, what in (
        (not traits.has_terminate, "has no terminate, and compiled loops give a result per frame"),
        (traits.reads_inwindow, "reads inwindow, which compiled hooks do not have"),
        (traits.emits_many, "yields, and compiled hooks return"),
        (traits.arity in (0, None), "takes " + ("no columns" if traits.arity == 0 else "any number of columns")),
        (hasattr(kind, "_spoken"), "is a Spark Aggregator, whose buffers are objects"),
    ):
        if fails:
            raise refused(name, f"{name} {what}")
    for base in kind.__mro__[:-1]:
        way = next((one for one in _OWN_WAYS if one in vars(base)), None)
        if way is not None:
            raise refused(name, f"{base.__name__} has {way}, so that attributes are more than values")
    own = next((hook for hook in READ if hook in getattr(aggregate, "__dict__", {})), None)
    if own is not None:
        raise refused(name, f"{own} is an attribute of the object, not a method of its class")
    hooks = {hook: _hook(name, hook, getattr(kind, hook)) for hook in READ if hasattr(kind, hook)}
    given: dict[str, Number] = {}
    for hook in hooks.values():
        for attribute in attributes_of(hook.tree, hook.parameters[0]):
            of_class = next((vars(base)[attribute] for base in kind.__mro__ if attribute in vars(base)), None)
            if hasattr(type(of_class), "__set__") and type(of_class).__name__ != "member_descriptor":
                raise refused(name, f"self.{attribute} is a property, which is called when it is read or set")
            value = inspect.getattr_static(aggregate, attribute, None)
            if type(value) in (bool, float) or (type(value) is int and abs(value) < 1 << 63):
                given[attribute] = value
    return Reading(name, hooks, given)


def refused(name: str, why: str) -> UsageError:
    """The error for a class that cannot be compiled."""
    return UsageError(f"iw.compiled({name}()): {why}; without iw.compiled, {name} runs as it is")


def _hook(name: str, hook: str, function: Any) -> HookText:
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        raise refused(name, f"{hook} is decorated or no Python function")
    try:
        lines, first = inspect.getsourcelines(function)
        text = textwrap.dedent("".join(lines))
        (tree,) = ast.parse(text).body
    except (OSError, TypeError, SyntaxError, ValueError):
        raise refused(
            name,
            f"the source of {hook} cannot be read (it was typed at a prompt, or made by exec): put the class into a file",
        ) from None
    if not isinstance(tree, ast.FunctionDef) or tree.decorator_list or tree.name != hook:
        raise refused(name, f"{hook} is not written as `def {hook}(self, ...)`")
    if not is_code_of(tree, function):
        raise refused(name, f"the source of {hook} is not that of the code that runs: import the class anew")
    if any(is_private(node) for node in ast.walk(tree)):
        raise refused(name, f"{hook} has names that begin with `__`, to which Python adds the name of a class")
    if not _parameters(tree):
        raise refused(name, f"{hook} is not written as `def {hook}(self, ...)`")
    return HookText(hook, text, function.__code__.co_filename, first, _meanings(tree, function))


def _parameters(tree: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)]


def _meanings(tree: ast.FunctionDef, function: Any) -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            is_there, value = outside(function, node.id)
            if is_there:
                _note(found, node.id, value)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = outside(function, node.value.id)[1]
            if inspect.ismodule(value) and hasattr(value, node.attr):
                _note(found, f"{node.value.id}.{node.attr}", getattr(value, node.attr))
    return found


def _note(found: dict[str, Meaning], name: str, value: Any) -> None:
    if value is PUNT:
        found[name] = Refusal()
    if type(value) in (bool, int, float):
        found[name] = value
    for known in _KNOWN:
        if value is known:
            room = "math." if vars(math).get(known.__name__) is known else ""
            found[name] = Function(f"{room}{known.__name__}")


def attributes_of(tree: ast.FunctionDef, me: str) -> dict[str, bool]:
    """The attributes of ``self`` that a hook names, and whether it sets them."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == me:
            found[node.attr] = found.get(node.attr, False) or isinstance(node.ctx, ast.Store)
    return found
