"""Expressions of the arguments only: prove that they are pure, and find their types if possible.

An expression that is evaluated when a tuple comes, and again when it leaves, must give the same value both times and have no
effects. So we allow only operators and functions from a list, over arguments, locals, constants and parameters of the
aggregate.
"""

import ast
import math
import statistics
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any

import pyarrow as pa

from inwindow.udaf.derive.hook import Cannot, Hook
from inwindow.udaf.source.names import hashable

Kind = type | None  # None: unknown
NUMBERS = (int, bool, float)
ORDERED = (int, bool, str, bytes, date, datetime, Decimal)  # with a total order: a maximum is independent of the order
KEYS = (int, bool, str, bytes, date)  # equal values are identical


def _is_float(column: pa.DataType) -> bool:
    """Whether Python gets a float; half floats come as numpy's type."""
    return bool(pa.types.is_float32(column) or pa.types.is_float64(column))


_KINDS: list[tuple[Callable[[pa.DataType], bool], type]] = [
    (pa.types.is_boolean, bool), (pa.types.is_integer, int), (_is_float, float), (pa.types.is_string, str),
    (pa.types.is_large_string, str), (pa.types.is_binary, bytes), (pa.types.is_date, date), (pa.types.is_timestamp, datetime),
    (pa.types.is_decimal, Decimal),
]  # fmt: skip


def kind_of_type(column: pa.DataType) -> Kind:
    """The Python type that hooks get for a column."""
    return next((kind for holds, kind in _KINDS if holds(column)), None)


# The allowed functions and their result types; "its" is the type of the argument.
_MATH: dict[Any, Any] = {
    function: float
    for name, function in vars(math).items()
    if callable(function) and name not in ("floor", "ceil", "trunc", "gcd", "lcm", "comb", "perm", "isqrt", "factorial",
                                          "isnan", "isinf", "isfinite", "isclose", "frexp", "modf", "prod", "fsum", "dist",
                                          "hypot", "sumprod")
    and not name.startswith("_")
}  # fmt: skip
PURE: dict[Any, Any] = {
    **_MATH,
    **dict.fromkeys((math.floor, math.ceil, math.trunc, math.gcd, math.isqrt, math.comb, math.factorial, len, ord), int),
    **dict.fromkeys((math.isnan, math.isinf, math.isfinite, bool), bool),
    math.hypot: float,
    float: float, int: int, str: str, chr: str, abs: "its", max: "its", min: "its", round: "round",
}  # fmt: skip
_METHODS = {  # of texts
    **dict.fromkeys(
        ("lower", "upper", "strip", "lstrip", "rstrip", "casefold", "title", "replace", "removeprefix"), str
    ),
    **dict.fromkeys(("removesuffix",), str),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isupper", "islower", "isnumeric"), bool),
    **dict.fromkeys(("find", "count"), int),
}
_MOMENTS = {**dict.fromkeys(("year", "month", "day", "hour", "minute", "second", "microsecond"), int)}
_DAYS = {"weekday": int, "isoweekday": int, "toordinal": int}
READERS = {len, sum, sorted, min, max, any, all, list, tuple, set, frozenset, reversed, enumerate, zip, math.fsum} | {
    function for name, function in vars(statistics).items() if name in statistics.__all__ and callable(function)
}  # of a container, and nothing else
_CONSTANTS = (int, float, str, bytes, bool, type(None))


class Pure:
    """The facts at one point of a hook: the types of arguments and locals, and which fields of self change."""

    def __init__(self, hook: Hook, aggregate: Any, kinds: Mapping[str, Kind], changing: frozenset[str]) -> None:
        self.hook, self.aggregate, self.changing = hook, aggregate, changing
        self.kinds: dict[str, Kind] = dict(kinds)  # of parameters and locals
        self.names: dict[str, Any] = {}  # names with a meaning outside, and their values

    def kind(self, it: ast.expr) -> Kind:
        """The type of a pure expression; raises :class:`Cannot` for any other."""
        method = getattr(self, f"_{type(it).__name__}", None)
        if method is None:
            raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} is not proven pure")
        found: Kind = method(it)
        return found

    def _Constant(self, it: ast.Constant) -> Kind:
        return type(it.value)

    def _Name(self, it: ast.Name) -> Kind:
        if it.id in self.kinds:
            return self.kinds[it.id]
        if it.id == self.hook.me:
            raise Cannot(f"{self.hook.name} passes self on")
        value = self._outside(it.id)
        if type(value) not in _CONSTANTS:
            raise Cannot(f"{self.hook.name} reads {it.id}, which is no constant")
        return type(value)

    def called(self, function: ast.expr) -> Any:
        """What a function's name, or that of one in a module, stands for; None where that is not known."""
        if isinstance(function, ast.Name) and function.id not in self.kinds:
            return self._outside(function.id)
        if isinstance(function, ast.Attribute) and self._is_module(function.value):
            assert isinstance(function.value, ast.Name)
            return getattr(self._outside(function.value.id), function.attr, None)
        return None

    def _outside(self, name: str) -> Any:
        there, value = self.hook.known(name)
        if not there or name in ("PUNT", "ExactSum", "_left", "self"):
            raise Cannot(f"{self.hook.name} reads {name}, which may not be there")
        if (
            name in ("int", "float") and value is not {"int": int, "float": float}[name]
        ):  # `terms.py` reads these as they are written
            raise Cannot(f"{name} in {self.hook.name} is not Python's {name}")
        self.names[name] = value
        return value

    def _Attribute(self, it: ast.Attribute) -> Kind:
        if isinstance(it.value, ast.Name) and it.value.id == self.hook.me:
            return self._parameter(it.attr)
        if isinstance(it.value, ast.Name) and it.value.id not in self.kinds:
            module = self._outside(it.value.id)
            if module is math and type(getattr(math, it.attr, None)) is float:
                return float
        elif self.kind(it.value) in (date, datetime) and it.attr in _MOMENTS:
            return int
        raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} is not proven pure")

    def _parameter(self, name: str) -> Kind:
        """A parameter of the aggregate: set once, in ``__init__``, or in the class."""
        if name in self.changing:
            raise Cannot(f"{self.hook.name} reads self.{name}, which changes")
        value = value_of(self.aggregate, name)
        if type(value) not in _CONSTANTS:
            raise Cannot(f"{self.hook.name} reads self.{name}, which is no plain value")
        return type(value)

    def _Call(self, it: ast.Call) -> Kind:
        if it.keywords:
            raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} is not proven pure")
        function = it.func
        if isinstance(function, ast.Attribute) and not self._is_module(function.value):
            if isinstance(function.value, ast.Name) and function.value.id == self.hook.me:
                raise Cannot(f"{self.hook.name} calls {ast.unparse(function)}, which is not proven pure")
            owner, kinds = self.kind(function.value), self._kinds(it)
            if owner is str and function.attr in _METHODS:
                return _METHODS[function.attr]
            if owner in (date, datetime) and function.attr in _DAYS and not kinds:
                return int
            raise Cannot(f"{self.hook.name} calls {ast.unparse(function)}, which is not proven pure")
        called = self.called(function)
        gives = PURE.get(hashable(called))
        if gives is None:
            raise Cannot(f"{self.hook.name} calls {ast.unparse(function)}, which is not proven pure")
        kinds = self._kinds(it)
        if gives == "round":
            return int if len(kinds) == 1 or kinds[0] is bool else kinds[0] if kinds[1:] == [int] else None
        if gives == "its":
            return _joined([int if kind is bool and called is abs else kind for kind in kinds])
        kind: Kind = gives
        return kind

    def _kinds(self, it: ast.Call) -> list[Kind]:
        return [self.kind(argument) for argument in it.args]

    def _is_module(self, it: ast.expr) -> bool:
        return (
            isinstance(it, ast.Name) and it.id not in self.kinds and isinstance(self.hook.known(it.id)[1], ModuleType)
        )

    def _BinOp(self, it: ast.BinOp) -> Kind:
        left, right = self.kind(it.left), self.kind(it.right)
        if left in NUMBERS and right in NUMBERS:
            if isinstance(it.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)):
                return float if float in (left, right) else int
            if isinstance(it.op, ast.Div):
                return float
            if isinstance(it.op, ast.Pow) and isinstance(it.right, ast.Constant) and type(it.right.value) is int:
                return float if left is float or it.right.value < 0 else int
            if float not in (left, right):
                is_bool = left is right is bool and isinstance(it.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
                return None if isinstance(it.op, ast.Pow) else bool if is_bool else int
        if left is str and isinstance(it.op, ast.Add) and right is str:
            return str
        if None in (left, right) or isinstance(it.op, ast.Pow):
            raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} is of a type that is not known")
        return None

    def _UnaryOp(self, it: ast.UnaryOp) -> Kind:
        kind = self.kind(it.operand)
        if isinstance(it.op, ast.Not):
            return bool
        return int if kind is bool else kind

    def _Compare(self, it: ast.Compare) -> Kind:
        for one in (it.left, *it.comparators):
            self.kind(one)
        if not only_asks_for_none(it):
            raise Cannot(
                f"`{ast.unparse(it)}` in {self.hook.name} asks which object it is: the same value may be another"
            )
        return bool

    def _BoolOp(self, it: ast.BoolOp) -> Kind:
        return _joined([self.kind(value) for value in it.values])

    def _IfExp(self, it: ast.IfExp) -> Kind:
        self.kind(it.test)
        return _joined([self.kind(it.body), self.kind(it.orelse)])

    def _Tuple(self, it: ast.Tuple) -> Kind:
        kinds = [self.kind(item) for item in it.elts]
        if all(kind in KEYS for kind in kinds):
            return tuple
        return None if None in kinds else object  # that cannot change, at least

    def _Subscript(self, it: ast.Subscript) -> Kind:
        kind = self.kind(it.value)
        if not isinstance(it.slice, ast.Slice):
            self.kind(it.slice)
        else:
            for bound in (it.slice.lower, it.slice.upper, it.slice.step):
                if bound is not None:
                    self.kind(bound)
        return kind if kind is str else None

    def _JoinedStr(self, it: ast.JoinedStr) -> Kind:
        for value in it.values:
            if isinstance(value, ast.FormattedValue):
                kind = self.kind(value.value)
                if kind not in (*KEYS, float) or value.format_spec is not None:
                    raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} is not proven pure")
        return str


def value_of(aggregate: Any, name: str) -> Any:
    """An attribute that is plainly there: in the object, or a constant of its class."""
    kind = type(aggregate)
    for base in kind.__mro__:
        if name in vars(base):
            value = vars(base)[name]
            if type(value) not in _CONSTANTS:
                raise Cannot(f"self.{name} is no plain attribute")
            return vars(aggregate).get(name, value)
    if name not in vars(aggregate):
        raise Cannot(f"self.{name} is not there before the first tuple")
    return vars(aggregate)[name]


def only_asks_for_none(it: ast.Compare) -> bool:
    """Whether each ``is`` has None, True or False on one of its sides: of any other value there may be copies."""
    sides = [it.left, *it.comparators]
    return all(
        not isinstance(sign, (ast.Is, ast.IsNot)) or any(_is_single(side) for side in sides[at : at + 2])
        for at, sign in enumerate(it.ops)
    )


def _is_single(it: ast.expr) -> bool:
    return isinstance(it, ast.Constant) and (it.value is None or type(it.value) is bool)


def _joined(kinds: list[Kind]) -> Kind:
    """The common type of several values; None if they differ."""
    first = kinds[0] if kinds else None
    return first if all(kind is first for kind in kinds) else None
