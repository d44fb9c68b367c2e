"""Whether a function only reads an attribute that all copies of an aggregate share.

We follow each use of the attribute outwards: a value from a table of constants is constant; a slice or a copy of a list of
lists still contains the same lists; a local variable is followed to every place that reads it.

::

    self.WEIGHTS[word] * 2          read
    table = self.WEIGHTS            read, if ``table`` is
    self.WEIGHTS[word] = 2          changed
    helper(self.WEIGHTS)            not known
"""

import ast
import bisect
import copy
import math
import statistics
from array import array
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

from inwindow.udaf.constant import is_constant, parts_of
from inwindow.udaf.source.names import called
from inwindow.udaf.source.reading import parents_in

_CONTAINERS = (
    list, tuple, dict, set, frozenset, deque, Counter, OrderedDict, bytearray, array, MappingProxyType, np.ndarray,
)  # fmt: skip
_READING = {
    "get", "keys", "values", "items", "index", "count", "copy", "most_common", "elements", "total", "union", "intersection",
    "difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset", "find", "decode", "startswith", "endswith",
    "hex", "sum", "mean", "min", "max", "std", "var", "prod", "dot", "any", "all", "argmin", "argmax", "argsort", "cumsum",
    "tolist", "astype", "item", "searchsorted", "round", "clip", "nonzero", "tobytes", "shape", "size", "ndim", "dtype",
    "__len__", "__contains__", "__getitem__",
}  # fmt: skip
_TAKING = {  # of another object, which takes what is in it
    "join", "format", "extend", "update", "union", "intersection", "difference", "issubset", "issuperset", "isdisjoint",
    "fromkeys", "debug", "info", "warning", "error",
}  # fmt: skip
_OF_NUMPY = (
    "array dot sum mean median std var min max interp searchsorted percentile quantile average cumsum digitize argmin argmax "
    "abs sqrt exp log isin unique sort argsort convolve polyval inner outer prod round"
)
_READERS: set[Any] = {
    len, sum, sorted, min, max, any, all, list, tuple, set, frozenset, dict, reversed, enumerate, zip, iter, next, bool, str,
    repr, bytes, isinstance, type, id, map, filter, Counter, deque, MappingProxyType, print, hash, copy.copy,
    bisect.bisect, bisect.bisect_left, bisect.bisect_right, *(its for its in vars(math).values() if callable(its)),
    *(getattr(statistics, name) for name in statistics.__all__), *(getattr(np, name) for name in _OF_NUMPY.split()),
}  # fmt: skip
_GIVING = {max, min, next, sum, dict}  # one of several arguments, or a new container of them


class OnlyRead:
    """One function, read: ``tree`` is its definition; ``is_shared`` says of an expression whether it is self, or its class."""

    def __init__(
        self, function: FunctionType, tree: ast.FunctionDef, is_shared: Callable[[ast.expr], bool], gives: bool
    ) -> None:
        self.function, self.tree, self.is_shared, self.gives = function, tree, is_shared, gives
        self.above = parents_in(tree)

    def exception(self, names: set[str], value: Any) -> ast.AST | None:
        """The first place that may change the attribute of these names, or keep it; None where it is only read."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and node.attr in names and self.is_shared(node.value):
                found = self._beyond(node, [value])
                if found is not None:
                    return found
        return None

    def default(self, name: str, value: Any) -> ast.AST | None:
        """The same for an argument's default, which all calls share."""
        return None if is_constant(value) else self._named(name, [value], frozenset())

    def _beyond(self, it: ast.expr, values: list[Any], seen: frozenset[str] = frozenset()) -> ast.AST | None:
        """Where what an expression gives, one of ``values`` or a part of one, may be changed."""
        values = [value for value in values if not is_constant(value)]
        if not values:
            return None
        place = self.above[it]
        if any(hasattr(type(value), "__next__") for value in values):
            return place  # who looks at an iterator moves it
        parts = [part for value in values for part in parts_of(value)]
        context = getattr(it, "ctx", None)
        if isinstance(context, (ast.Store, ast.Del)):  # `self.x = ...` hides it by an attribute of the object's own
            return place if isinstance(place, ast.AugAssign) else None
        if isinstance(place, ast.Subscript):
            return None if place.slice is it else self._item(place, values, parts, seen)
        if isinstance(place, ast.Attribute):
            return self._attribute(place, values, parts, seen)
        if isinstance(place, ast.Call):
            return self._given_to(place, it, values, parts, seen)
        if isinstance(place, ast.keyword):
            call = self.above[place]
            if not isinstance(call, ast.Call) or place.arg == "out":
                return call
            takes = called(self.function, call.func)
            kept = [*_new(values), *_new(parts)] if takes in _GIVING else parts
            return self._beyond(call, kept, seen) if takes in _READERS else call
        if isinstance(place, (ast.Compare, ast.FormattedValue, ast.Expr, ast.Slice)):
            return None
        if isinstance(place, (ast.If, ast.While, ast.IfExp, ast.Assert)) and place.test is it:
            return None
        if isinstance(place, (ast.BoolOp, ast.IfExp, ast.NamedExpr)):
            named = self._named(place.target.id, values, seen) if isinstance(place, ast.NamedExpr) else None
            return named or self._beyond(place, values, seen)
        if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.Not):
            return None
        if isinstance(place, ast.AugAssign):
            return None if all(map(is_constant, parts)) else place
        if isinstance(place, ast.Dict) and any(
            key is None and its is it for key, its in zip(place.keys, place.values, strict=True)
        ):  # {**self.x}
            return self._beyond(place, _new(parts), seen)
        if isinstance(place, (ast.BinOp, ast.UnaryOp, ast.Starred)):
            return self._beyond(place, _new(parts), seen)
        if isinstance(place, (ast.Assign, ast.AnnAssign)):
            return self._assigned(place, values, parts, seen)
        if isinstance(place, (ast.For, ast.comprehension)) and place.iter is it and all(map(is_constant, parts)):
            return None
        if isinstance(place, (ast.Return, ast.Yield, ast.YieldFrom)) and self.gives:
            return None
        return place

    def _given_to(
        self, place: ast.Call, it: ast.expr, values: list[Any], parts: list[Any], seen: frozenset[str]
    ) -> ast.AST | None:
        if it not in place.args:
            return place
        takes = called(self.function, place.func)
        if takes is copy.deepcopy:
            return None
        takes_parts = (
            isinstance(place.func, ast.Attribute) and place.func.attr in _TAKING and all(map(is_constant, parts))
        )
        if isinstance(takes, np.ufunc) and place.args.index(it) >= takes.nin:
            return place  # where it writes to
        own = values if takes in _GIVING and len(place.args) > 1 else []
        return self._beyond(place, [*own, *_new(parts)], seen) if takes in _READERS or takes_parts else place

    def _item(self, place: ast.Subscript, values: list[Any], parts: list[Any], seen: frozenset[str]) -> ast.AST | None:
        if not isinstance(place.ctx, ast.Load) or any(hasattr(value, "default_factory") for value in values):
            return place  # reading a defaultdict makes a key
        if not all(isinstance(value, _CONTAINERS) for value in values):
            return place
        views = [
            value
            for value in values
            if isinstance(value, np.ndarray) and value.ndim > 1 - isinstance(place.slice, ast.Slice)
        ]
        return self._beyond(place, [*parts, *views], seen)

    def _attribute(
        self, place: ast.Attribute, values: list[Any], parts: list[Any], seen: frozenset[str]
    ) -> ast.AST | None:
        if not isinstance(place.ctx, ast.Load):
            return self.above[place]
        if all(type(value) in _CONTAINERS or hasattr(value, "default_factory") for value in values):
            if place.attr not in _READING:
                return self.above[place]
            call = self.above[place]
            return self._beyond(call, _new(parts), seen) if isinstance(call, ast.Call) and call.func is place else None
        its = [vars(value).get(place.attr) if hasattr(value, "__dict__") else None for value in values]
        return self.above[place] if None in its else self._beyond(place, its, seen)

    def _assigned(
        self, place: ast.Assign | ast.AnnAssign, values: list[Any], parts: list[Any], seen: frozenset[str]
    ) -> ast.AST | None:
        for target in place.targets if isinstance(place, ast.Assign) else [place.target]:
            if isinstance(target, ast.Name):
                found = self._named(target.id, values, seen)
            else:
                is_unpacked = isinstance(target, (ast.Tuple, ast.List)) and all(map(is_constant, parts))
                found = None if is_unpacked else place
            if found is not None:
                return found
        return None

    def _named(self, name: str, values: list[Any], seen: frozenset[str]) -> ast.AST | None:
        """Follow a local variable that may hold the value to each place that reads it."""
        if name in seen:
            return None
        if any(isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names for node in ast.walk(self.tree)):
            return self.tree
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == name:
                place = self.above[node]
                changes = isinstance(place, ast.AugAssign) and place.target is node
                found = place if changes else None
                if isinstance(node.ctx, ast.Load):
                    found = self._beyond(node, values, seen | {name})
                if found is not None:
                    return found
        return None

    def statement(self, node: ast.AST) -> ast.AST:
        """The statement in which a node stands; of a block, its first line."""
        while not isinstance(node, ast.stmt) and node in self.above:
            node = self.above[node]
        return node


def _new(parts: list[Any]) -> list[Any]:
    """What a function makes of a container: one of its parts, or a new container of them."""
    return [tuple(parts), *parts]
