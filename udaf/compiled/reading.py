"""Read a plain class on the driver: the text of its hooks, and the values of the names in them.

Workers have no source of a class from a notebook, so this is read on the driver, and travels as text and numbers.
"""

import ast
import hashlib
import inspect
import math
from dataclasses import dataclass
from types import CodeType
from typing import Any

from inwindow.udaf.contract import PUNT, Aggregate
from inwindow.udaf.source.names import outside
from inwindow.udaf.source.reading import Unreadable, hook_source, parameters_of, parsed

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
    """A hook: its source, on which line of its file that begins, and what its global names mean."""

    name: str
    text: str
    line: int
    meanings: dict[str, Meaning]
    code: str  # a digest of what it was compiled to

    @property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree, parsed once in a process."""
        return parsed(self.text)

    @property
    def parameters(self) -> list[str]:
        """The names of what it takes; the first is what it calls self."""
        return parameters_of(self.tree)


@dataclass(frozen=True)
class Reading:
    """Everything that the compiler needs to know of an aggregate."""

    name: str
    hooks: dict[str, HookText]
    attributes: tuple[str, ...]  # the attributes that hooks use
    given: dict[str, Number]  # of these, the attributes that the object or its class has before the first tuple


class NotCompiled(Exception):
    """A class cannot be compiled; the message is for a caller of iw.compiled, ``why`` is the reason alone."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


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
    hooks = {hook: _hook(name, hook, getattr(kind, hook)) for hook in READ if hasattr(kind, hook)}
    attributes = tuple(
        dict.fromkeys(one for hook in hooks.values() for one in attributes_of(hook.tree, hook.parameters[0]))
    )
    return Reading(name, hooks, attributes, given_of(aggregate, attributes))


def given_of(aggregate: Aggregate, attributes: tuple[str, ...]) -> dict[str, Number]:
    """The attributes that are numbers before the first tuple."""
    kind, its = type(aggregate), getattr(aggregate, "__dict__", {})
    own = next((hook for hook in READ if hook in its), None)
    if own is not None:
        raise refused(kind.__name__, f"{own} is an attribute of the object, not a method of its class")
    given: dict[str, Number] = {}
    for attribute in attributes:
        of_class = next((vars(base)[attribute] for base in kind.__mro__ if attribute in vars(base)), None)
        if hasattr(type(of_class), "__set__") and type(of_class).__name__ != "member_descriptor":
            raise refused(kind.__name__, f"self.{attribute} is a property, which is called when it is read or set")
        value = inspect.getattr_static(aggregate, attribute, None)
        if type(value) in (bool, float) or (type(value) is int and abs(value) < 1 << 63):
            given[attribute] = value
    return given


def is_still(reading: Reading, kind: type) -> bool:
    """Whether a class still has the hooks that were read, and their names still have the same values."""
    return all(_is_hook(getattr(kind, name, None), reading.hooks.get(name)) for name in READ)


def _is_hook(function: Any, hook: HookText | None) -> bool:
    if hook is None or not inspect.isfunction(function):
        return hook is function
    if _digest(function.__code__) != hook.code:
        return False
    return all(repr(_meaning(function, word)) == repr(meaning) for word, meaning in hook.meanings.items())


def refused(name: str, why: str) -> NotCompiled:
    """The error for a class that cannot be compiled."""
    return NotCompiled(f"iw.compiled({name}()): {why}; without iw.compiled, {name} runs as it is", why)


def _hook(name: str, hook: str, function: Any) -> HookText:
    try:
        source = hook_source(hook, function)
    except Unreadable as unreadable:
        raise refused(name, str(unreadable)) from None
    tree = source.tree
    if tree.name != hook or not parameters_of(tree):
        raise refused(name, f"{hook} is not written as a method: write `def {hook}(self, ...)`")
    return HookText(hook, source.text, source.line, _meanings(tree, function), _digest(function.__code__))


def _digest(code: CodeType) -> str:
    """A digest of code; it does not depend on the file or the line."""
    parts = code.co_code, code.co_names, code.co_varnames, code.co_consts
    return hashlib.sha1(repr(parts).encode(), usedforsecurity=False).hexdigest()


def _meanings(tree: ast.FunctionDef, function: Any) -> dict[str, Meaning]:
    words: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            words[node.id] = None
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            words[f"{node.value.id}.{node.attr}"] = None
    found = {word: _meaning(function, word) for word in words}
    return {word: meaning for word, meaning in found.items() if meaning is not None}


def _meaning(function: Any, word: str) -> Meaning | None:
    """What a name, or an attribute of a module, stands for in a function; None if it is not known."""
    name, _, attribute = word.partition(".")
    is_there, value = outside(function, name)
    if attribute:
        value = getattr(value, attribute, None) if inspect.ismodule(value) else None
    if not is_there:
        return None
    if value is PUNT:
        return Refusal()
    if type(value) in (bool, int, float):
        number: Number = value
        return number
    for known in _KNOWN:
        if value is known:
            room = "math." if vars(math).get(known.__name__) is known else ""
            return Function(f"{room}{known.__name__}")
    return None


def attributes_of(tree: ast.FunctionDef, me: str) -> dict[str, bool]:
    """The attributes of ``self`` that a hook names, and whether it sets them."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == me:
            found[node.attr] = found.get(node.attr, False) or isinstance(node.ctx, ast.Store)
    return found
