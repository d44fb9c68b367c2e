"""State in the class body: all partitions, restarts and calls would share it.

::

    class Recent(iw.Aggregate):
        values = []                                            one list for all copies
        def iterate(self, value): self.values.append(value)    what one partition sees shows in the next

Copying an aggregate copies the object's attributes, not those of its class. So it is an error if hooks change a list of the class,
found when the class is defined. A table that they only read is allowed: we read all functions that hooks may call
(``only_read.py``), and refuse the class if one of them changes the table, or cannot be read.
"""

import ast
import dataclasses
import dis
import functools
import inspect
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from inwindow.udaf.constant import is_constant
from inwindow.udaf.errors import DefinitionError
from inwindow.udaf.only_read import OnlyRead
from inwindow.udaf.source.names import codes_of, locals_of, outside
from inwindow.udaf.source.reading import parameters_of, source_of
from inwindow.udaf.traits import HOOKS

_BY_NAME = {"getattr", "setattr", "vars", "__dict__", "__getattribute__", "attrgetter"}
_MAY_SEE_SELF = (isinstance, issubclass, type, id, repr, str, hash, super, len, bool, callable, hasattr)


def check_shared_state(
    cls: type, ours: tuple[type, ...], *, is_copy: bool = False, hooks: Sequence[str] = HOOKS
) -> None:
    """Raise if a hook may change an attribute of the class. ``is_copy``: the class was checked before, where it was written."""
    functions = list(_functions(cls, ours, hooks))
    for name, (owner, value) in _attributes(cls, ours).items():
        if _is_state(value) and not _is_hidden(cls, name, ours):
            for function in functions:
                _check(cls, owner, name, value, function, functions, is_copy=is_copy)
    for function in functions:
        _check_class_is_not_set(cls, function)
        _check_defaults(cls, function)


def _attributes(cls: type, ours: tuple[type, ...]) -> dict[str, tuple[type, Any]]:
    """What ``self.name`` is, if the object has none of its own, and where it is written."""
    found: dict[str, tuple[type, Any]] = {}
    for base in cls.__mro__:
        if base not in ours:
            for name, value in vars(base).items():
                found.setdefault(name, (base, value))
    return {name: its for name, its in found.items() if not (name.startswith("__") and name.endswith("__"))}


def _is_state(value: Any) -> bool:
    is_code = hasattr(type(value), "__get__") or isinstance(value, dataclasses.Field)
    return not is_code and type(value).__module__.partition(".")[0] not in ("attr", "_abc") and not is_constant(value)


# Which functions hooks may call


def _functions(cls: type, ours: tuple[type, ...], hooks: Sequence[str]) -> Iterator[FunctionType]:
    """Hooks, and the methods and properties that they name, and so on."""
    pending, known = list(hooks), set(hooks)
    bases = [base for base in cls.__mro__ if base not in ours]
    attributes = {name for base in bases for name in vars(base)}
    while pending:
        name = pending.pop(0)
        for base in bases:
            if name not in vars(base):
                continue
            names: set[str] = set()
            for function in written(vars(base)[name]):
                yield function
                names |= _names(function.__code__)
            pending += sorted((names & attributes) - known)
            known |= names & attributes
            if not names & {"super", name, *(kind.__name__ for kind in bases)}:
                break  # what it hides is not called


def written(value: Any) -> Iterator[FunctionType]:
    """The functions of a method, a property, a decorated one."""
    pending, known = [value], set()
    while pending:
        one = pending.pop()
        if id(one) in known:
            continue
        known.add(id(one))
        if isinstance(one, (staticmethod, classmethod)):
            pending.append(one.__func__)
        elif isinstance(one, property):
            pending += [one.fget, one.fset]
        elif isinstance(one, (functools.cached_property, functools.partialmethod, functools.partial)):
            pending.append(one.func)
        elif isinstance(one, FunctionType):
            yield one
            pending += [cell.cell_contents for cell in one.__closure__ or () if _holds_function(cell)]
        if hasattr(one, "__wrapped__"):
            pending.append(one.__wrapped__)


def _holds_function(cell: Any) -> bool:
    try:
        return isinstance(cell.cell_contents, FunctionType)
    except ValueError:
        return False


def _names(code: CodeType) -> set[str]:
    return {name for one in codes_of(code) for name in (*one.co_names, *one.co_freevars)}


def _texts(code: CodeType) -> set[str]:
    return {text for one in codes_of(code) for text in one.co_consts if isinstance(text, str)}


# What they do


def _check(
    cls: type,
    owner: type,
    name: str,
    value: Any,
    function: FunctionType,
    functions: list[FunctionType],
    *,
    is_copy: bool,
) -> None:
    code = function.__code__
    is_named = name in _names(code)
    is_meant = name in _texts(code) and bool(_names(code) & _BY_NAME)
    tree = _tree(function)
    if tree is None or is_meant:
        if is_meant or (is_named and not is_copy):
            what = "by a text" if is_meant else "and its source cannot be read"
            raise DefinitionError(
                f"{_said(cls, owner, name, value)}, and `{function.__name__}` names it, {what}: {_way_out(value)}"
            )
        return
    reading = OnlyRead(function, tree, lambda it: _is_shared(it, cls, function, tree), function.__name__ in HOOKS)
    bare = name.removeprefix(f"_{owner.__name__.lstrip('_')}") if name.startswith("_") else name
    found = reading.exception({name, bare}, value) if is_named else None
    if not isinstance(inspect.getattr_static(cls, function.__name__, None), staticmethod):
        found = found or _passes_self_on(reading, function, tree, functions)
    if found is not None:
        shown = ast.unparse(reading.statement(found)).splitlines()[0]
        raise DefinitionError(
            f"{_said(cls, owner, name, value)}, and `{function.__name__}` changes it, or may, in `{shown}`: {_way_out(value)}"
        )


def _said(cls: type, owner: type, name: str, value: Any) -> str:
    where = "" if owner is cls else f"{cls.__name__}: "
    return f"{where}{owner.__name__}.{name} is a {type(value).__name__} in the class body, which all partitions and calls share"


def _way_out(value: Any) -> str:
    return f"make it in `initialize`, on self; or, if it is a constant, {_constant_kind(value)}"


def _constant_kind(value: Any) -> str:
    kinds: list[tuple[type, str]] = [
        (dict, "make it a types.MappingProxyType"), (set, "make it a frozenset"), (bytearray, "make it bytes"),
        (list, "make it a tuple"), (np.ndarray, "say so with setflags(write=False)"),
    ]  # fmt: skip
    return next((said for kind, said in kinds if isinstance(value, kind)), "give it to `__init__`")


def _tree(function: FunctionType) -> ast.FunctionDef | None:
    """The function's definition, if it can be read, and is that of the code."""
    source = source_of(function)
    return None if source is None else source.tree


def _is_shared(it: ast.expr, cls: type, function: FunctionType, tree: ast.FunctionDef) -> bool:
    """Whether an expression is an aggregate, or its class."""
    if isinstance(it, ast.Call) and isinstance(it.func, ast.Name):
        return it.func.id == "super" or (
            it.func.id == "type" and bool(it.args) and _is_shared(it.args[0], cls, function, tree)
        )
    if isinstance(it, ast.Attribute):
        return it.attr == "__class__"
    if not isinstance(it, ast.Name):
        return False
    given = parameters_of(tree)
    own = given if tree.name in ("merge", "unmerge") else given[:1]
    if it.id in own:
        return True
    return it.id in {kind.__name__ for kind in cls.__mro__} and it.id not in locals_of(function.__code__)


def _passes_self_on(
    reading: OnlyRead, function: FunctionType, tree: ast.FunctionDef, functions: list[FunctionType]
) -> ast.AST | None:
    """The place that passes self to a function that is not read here, and may change its attributes."""
    me = parameters_of(tree)[:1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id not in me:
            continue
        place = reading.above[node]
        if isinstance(place, (ast.Attribute, ast.Compare)):
            continue
        called = place.func if isinstance(place, ast.Call) and node in place.args else None
        its = outside(function, called.id)[1] if isinstance(called, ast.Name) else None
        others = place.args[1:2] if isinstance(place, ast.Call) else []
        if its in (getattr, setattr, delattr) and others and isinstance(others[0], ast.Constant):
            continue  # of another name: of this one it would have been refused
        is_hook = isinstance(called, ast.Attribute) and called.attr in HOOKS  # Base.iterate(self, value)
        if not is_hook and its not in _MAY_SEE_SELF and its not in functions:
            return node
    return None


def _is_hidden(cls: type, name: str, ours: tuple[type, ...]) -> bool:
    """Whether each object has an attribute of its own by that name, before a hook reads it."""
    for base in cls.__mro__:
        begin = vars(base).get("__init__")
        if isinstance(begin, FunctionType) and base not in ours:
            if _sets_first(begin, name):
                return True
            if "super" not in _names(begin.__code__):
                break
    first = inspect.getattr_static(cls, "initialize", None)
    return isinstance(first, FunctionType) and _sets_first(first, name)


def _sets_first(function: FunctionType, name: str) -> bool:
    """Whether a function always sets the attribute on self, and calls nothing of self before that."""
    tree = _tree(function)
    if tree is None or not tree.args.args:
        return False
    me = tree.args.args[0].arg
    for statement in tree.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) or statement.value is None:
            return False
        if any(_asks(node, me, name) for node in ast.walk(statement.value)):
            return False
        if not isinstance(statement, ast.Expr) and any(_is_own(node, me, name) for node in ast.walk(statement)):
            return True
    return False


def _is_own(node: ast.AST, me: str, name: str) -> bool:
    return (
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name) and node.value.id == me
    )  # fmt: skip


def _asks(node: ast.AST, me: str, name: str) -> bool:
    """Whether an expression may read the attribute: by its name, or in what it calls."""
    if isinstance(node, ast.Call):
        return any(isinstance(one, ast.Name) and one.id in (me, "super") for one in ast.walk(node))
    return isinstance(node, ast.Attribute) and node.attr == name


def _check_class_is_not_set(cls: type, function: FunctionType) -> None:
    """``type(self).count += 1`` changes shared state, even of a number."""
    inner = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, type)}
    names, kinds = _names(function.__code__), {kind.__name__ for kind in cls.__mro__}
    if not (_stores(function.__code__) or "setattr" in names) or not names & {"type", "__class__", *kinds, *inner}:
        return
    tree = _tree(function)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            its: ast.expr = node.value
        elif isinstance(node, ast.Call) and _is_setattr(node, function):
            its = node.args[0]
        else:
            continue
        if tree is not None and _is_class(its, cls, inner, function, tree):
            raise DefinitionError(
                f"{cls.__name__}.{function.__name__} sets {ast.unparse(node)}, an attribute of the class, which all partitions "
                "and calls share: keep state on self"
            )


def _is_setattr(call: ast.Call, function: FunctionType) -> bool:
    return isinstance(call.func, ast.Name) and bool(call.args) and outside(function, call.func.id)[1] is setattr


def _is_class(it: ast.expr, cls: type, inner: set[str], function: FunctionType, tree: ast.FunctionDef) -> bool:
    """Whether an expression is the class, or a class within it (``self.Held``)."""
    if isinstance(it, ast.Name) and it.id not in {kind.__name__ for kind in cls.__mro__} - locals_of(function.__code__):
        return False
    is_inner = isinstance(it, ast.Attribute) and it.attr in inner and _is_shared(it.value, cls, function, tree)
    return is_inner or _is_shared(it, cls, function, tree)


def _check_defaults(cls: type, function: FunctionType) -> None:
    """``def keep(self, value, seen=[])`` has one list for all calls."""
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    tree = None if all(map(is_constant, defaults)) else _tree(function)
    if tree is None:
        return
    reading = OnlyRead(function, tree, lambda it: _is_shared(it, cls, function, tree), gives=True)
    for name, parameter in inspect.signature(function).parameters.items():
        found = None if parameter.default is parameter.empty else reading.default(name, parameter.default)
        if found is not None:
            shown = ast.unparse(reading.statement(found)).splitlines()[0]
            raise DefinitionError(
                f"{cls.__name__}.{function.__name__} has a {type(parameter.default).__name__} as the default of {name}, which all "
                f"partitions and calls share, and changes it, or may, in `{shown}`: make it in `initialize`, on self"
            )


def _stores(code: CodeType) -> bool:
    return any(step.opname == "STORE_ATTR" for one in codes_of(code) for step in dis.get_instructions(one))
