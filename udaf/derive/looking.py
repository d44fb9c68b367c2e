"""Check terminate: it must not change the state, and must not show an order that undoing changes.

After keys have been removed from a dict or a set, the order of the others is not that of a fold. So terminate may use only what
does not depend on the order: the length, sums, the largest, a sorted list. A list has the order of the frame, so it may be read
freely.
"""

import ast
import math
from types import FunctionType
from typing import Any

import numpy as np

from inwindow.udaf.constant import is_constant, parts_of
from inwindow.udaf.derive.hook import Cannot, Hook
from inwindow.udaf.derive.pure import PURE, READERS, only_asks_for_none
from inwindow.udaf.source.names import hashable
from inwindow.udaf.source.reading import parents_in

_NEVER = ("eval", "exec", "locals", "vars", "super", "setattr", "delattr", "globals")
_ORDERLESS = {len, sum, min, max, any, all, sorted, bool}
_READING = ("index", "count", "copy", "get", "keys", "values", "items")
_NUMPY = {"mean", "median", "std", "var", "percentile", "quantile", "sum", "min", "max", "ptp", "corrcoef"}


def looks(hook: Hook, aggregate: Any, fields: dict[str, str]) -> None:
    """Raise :class:`Cannot` where terminate does more than to look; ``fields`` says what must not show of each:
    the "order" of a dict, that True has become 1 ("bool"); "contents" must not change."""
    above = parents_in(hook.tree)
    for node in ast.walk(hook.tree):
        if isinstance(node, ast.Name) and node.id in _NEVER:
            raise Cannot(f"terminate calls {node.id}")
        if isinstance(node, ast.Compare) and not only_asks_for_none(node):
            raise Cannot(f"terminate asks with `{ast.unparse(node)}` which object it is: the same value may be another")
        if isinstance(node, ast.Name) and node.id == hook.me:
            place = above[node]
            if not isinstance(place, ast.Attribute):
                raise Cannot("terminate passes self on")
            _looked_at(hook, aggregate, place, above, fields)


def _looked_at(
    hook: Hook, aggregate: Any, it: ast.Attribute, above: dict[ast.AST, ast.AST], fields: dict[str, str]
) -> None:
    name = it.attr
    if not isinstance(it.ctx, ast.Load):
        raise Cannot(f"terminate sets self.{name}")
    own = next((vars(base)[name] for base in type(aggregate).__mro__ if name in vars(base)), None)
    if isinstance(own, (FunctionType, property, classmethod, staticmethod)) or hasattr(own, "__get__"):
        raise Cannot(f"terminate calls self.{name}")
    if name.startswith("__"):
        raise Cannot(f"terminate reads self.{name}")
    if name not in fields:
        _is_parameter(hook, name, vars(aggregate).get(name, own), it, above)
    sees = fields.get(name)
    if sees == "bool" and not _counts(hook, it, above):
        raise Cannot(
            f"self.{name} is True or False over one tuple and an integer over more, which terminate may show: set it to int(...)"
        )
    if sees == "keys" and isinstance(above[it], ast.Subscript):
        raise Cannot(f"terminate may make a key of self.{name}, a defaultdict, by reading it")
    if sees in ("order", "keys") and not _is_orderless(hook, it, above):
        raise Cannot(
            f"terminate may show the order of self.{name}, which is not that of the frame once something has left"
        )
    if sees == "contents" and not _only_reads(hook, it, above):
        raise Cannot(f"terminate may change self.{name}, or keep it")


def _is_parameter(hook: Hook, name: str, value: Any, it: ast.Attribute, above: dict[ast.AST, ast.AST]) -> None:
    """Whether the attribute is a parameter, which no hook sets; terminate must not change it either."""
    if callable(value):
        if hashable(value) not in PURE:
            raise Cannot(f"terminate calls self.{name}")
    elif not is_constant(value):
        is_flat = type(value) in (list, dict, set, np.ndarray) and all(map(is_constant, parts_of(value)))
        if not is_flat or not _only_reads(hook, it, above):
            raise Cannot(f"terminate may change self.{name}, or keep it")


def _counts(hook: Hook, it: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether the value is only used in arithmetic, in which True is 1."""
    place = above[it]
    if isinstance(place, ast.Call):
        return it in place.args and hook.called(place.func) in _NUMBERS
    if isinstance(place, ast.Compare):
        return not any(isinstance(sign, (ast.Is, ast.IsNot)) for sign in place.ops)
    if isinstance(place, (ast.If, ast.While, ast.IfExp)):
        return place.test is it
    if isinstance(place, ast.BinOp):
        is_text = isinstance(place.op, ast.Mod) and place.right is it  # "%s" % self.x
        return isinstance(place.op, ast.Div) or (not is_text and _counts(hook, place, above))
    return isinstance(place, ast.UnaryOp) and (isinstance(place.op, ast.Not) or _counts(hook, place, above))


_NUMBERS = {int, float, bool, abs, round, range, *(its for its in PURE if its in vars(math).values())}


def _is_orderless(hook: Hook, it: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    place = above[it]
    if isinstance(place, ast.Call) and it in place.args:
        return _orderless_call(hook, place)
    if isinstance(place, ast.Compare):  # key in self.x
        return it is not place.left and all(isinstance(sign, (ast.In, ast.NotIn)) for sign in place.ops)
    if isinstance(place, ast.Subscript):
        return place.value is it and isinstance(place.ctx, ast.Load)
    if isinstance(place, (ast.If, ast.IfExp)):
        return place.test is it
    if isinstance(place, ast.UnaryOp):
        return isinstance(place.op, ast.Not)
    if isinstance(place, ast.Attribute) and isinstance(above[place], ast.Call):
        call = above[place]
        assert isinstance(call, ast.Call)
        if place.attr == "get":
            return call.func is place
        return (
            place.attr in ("keys", "values", "items") and call.func is place and _is_orderless_view(hook, call, above)
        )
    return isinstance(place, ast.comprehension) and _is_orderless_view(hook, it, above)


def _is_orderless_view(hook: Hook, it: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    """``sum(self.x.values())``, ``sum(n * n for n in self.x.values())``"""
    place: ast.AST = above[it]
    if isinstance(place, ast.comprehension):
        made = above[place]
        if not isinstance(made, (ast.GeneratorExp, ast.ListComp)) or place.iter is not it:
            return False
        if not _notes_nothing(hook, made, place):
            return False
        call = above[made]
        return isinstance(call, ast.Call) and _orderless_call(hook, call) and hook.called(call.func) in (sum, any, all)
    return isinstance(place, ast.Call) and it in place.args and _orderless_call(hook, place)


def _notes_nothing(hook: Hook, made: ast.GeneratorExp | ast.ListComp, over: ast.comprehension) -> bool:
    """Whether what is done with each member, and asked of it, cannot note the order in which they come."""
    parts = [made.elt, *(test for one in made.generators for test in one.ifs)]
    parts += [one.iter for one in made.generators if one is not over]
    targets = [node for one in made.generators for node in ast.walk(one.target)]
    members = {node.id for node in targets if isinstance(node, ast.Name)}
    if any(isinstance(node, (ast.Attribute, ast.Subscript)) for node in targets):
        return False
    for node in (node for part in parts for node in ast.walk(part)):
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(node, ast.Call):
            its = node.func
            is_method = isinstance(its, ast.Attribute) and isinstance(its.value, ast.Name) and its.value.id in members
            is_member = isinstance(its, ast.Name) and its.id in members
            if is_member or not (is_method or hook.called(its) in PURE):
                return False
    return True


def _orderless_call(hook: Hook, call: ast.Call) -> bool:
    """Of one argument, and without a ``key=``, by which the first of equals would win."""
    return len(call.args) == 1 and not call.keywords and hook.called(call.func) in _ORDERLESS


def _only_reads(hook: Hook, it: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    place = above[it]
    if isinstance(place, ast.Call) and it in place.args:
        function = hook.called(place.func)
        return function in READERS or _is_of_numpy(function)
    if isinstance(place, ast.Subscript):
        return place.value is it and isinstance(place.ctx, ast.Load)
    if isinstance(place, (ast.comprehension, ast.For)):
        return place.iter is it
    if isinstance(place, (ast.If, ast.IfExp)):
        return place.test is it
    if isinstance(place, ast.Attribute):
        call = above[place]
        return isinstance(call, ast.Call) and call.func is place and place.attr in _READING
    return isinstance(place, (ast.Compare, ast.Return, ast.UnaryOp))


def _is_of_numpy(function: Any) -> bool:
    return getattr(function, "__module__", None) == "numpy" and getattr(function, "__name__", "") in _NUMPY
