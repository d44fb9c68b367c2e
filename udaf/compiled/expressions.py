"""Compile an expression of a hook to text that gives Python's result in machine types, or refuse it.

Every expression has one type, which follows from the types of its parts: a double, a 64-bit integer, or a bool.
"""

import ast
import math
from collections.abc import Callable, Mapping

from inwindow.udaf.compiled.reading import Function, Meaning, Refusal

F, I, B = "float", "int", "bool"  # noqa: E741
Typed = tuple[str, str]  # text, type

_MATH_1 = {"sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
           "tanh", "asinh", "acosh", "atanh"}  # fmt: skip
_MATH_2 = {"atan2", "fmod", "pow"}
_ASKS = {"isnan", "isinf", "isfinite"}
_WHOLE = {"floor": "_ifloor", "ceil": "_iceil", "trunc": "_int"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FLOAT = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Div: "_div({}, {})",
          ast.FloorDiv: "_ffloordiv({}, {})", ast.Mod: "_fmod({}, {})", ast.Pow: "_pow({}, {} * _one)"}  # fmt: skip
_INT = {ast.Add: "_add", ast.Sub: "_sub", ast.Mult: "_mul", ast.FloorDiv: "_ifloordiv", ast.Mod: "_imod"}


class Refused(Exception):
    """An expression or statement cannot be compiled exactly."""

    def __init__(self, node: ast.AST, why: str) -> None:
        super().__init__(why)
        self.node, self.why = node, why


class Expressions:
    """Expressions of one hook; ``look_up`` knows its variables and the attributes of ``self``."""

    def __init__(
        self, this: str, meanings: Mapping[str, Meaning], look_up: Callable[[ast.AST, str, bool], Typed | None]
    ) -> None:
        self.this, self.meanings, self.look_up = this, meanings, look_up

    def of(self, node: ast.expr) -> Typed:
        """The text and the type of an expression."""
        make = getattr(self, f"_{type(node).__name__.lower()}", None)
        if make is None:
            raise Refused(node, f"{_SAID.get(type(node), 'this')} is not compiled; hooks may use numbers and math")
        typed: Typed = make(node)
        return typed

    def test(self, node: ast.expr) -> str:
        """The text of whether an expression is true."""
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            return f"({word.join(map(self.test, node.values))})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"(not {self.test(node.operand)})"
        text, kind = self.of(node)
        return text if kind == B else f"({text} != {'0' if kind == I else '0.0'})"

    def as_float(self, node: ast.expr, typed: Typed) -> str:
        """The expression as a float, as in Python's arithmetic."""
        return typed[0] if typed[1] == F else f"float({typed[0]})"

    # Leaves

    def _constant(self, node: ast.Constant) -> Typed:
        return self._number(node, node.value)

    def _number(self, node: ast.expr, value: object) -> Typed:
        if type(value) is bool:
            return repr(value), B
        if type(value) is int:
            if not -(2**63) < value < 2**63:
                raise Refused(node, f"{value} does not fit 64 bits")
            return f"({value})" if value < 0 else repr(value), I
        if type(value) is float:
            if math.isnan(value) or math.isinf(value):
                return ("_nan" if math.isnan(value) else "_inf" if value > 0 else "(-_inf)"), F
            return f"({value!r})", F
        what = "None" if value is None else f"a {type(value).__name__}"
        raise Refused(node, f"{what} is not a number; hooks may use numbers and math")

    def _name(self, node: ast.Name) -> Typed:
        known = self.look_up(node, node.id, False)
        if known is not None:
            return known
        meaning = self.meanings.get(node.id)
        if isinstance(meaning, (bool, int, float)):
            return self._number(node, meaning)
        raise Refused(node, f"{node.id} is not a number that is known here")

    def _attribute(self, node: ast.Attribute) -> Typed:
        if isinstance(node.value, ast.Name):
            if node.value.id == self.this:
                known = self.look_up(node, node.attr, True)
                assert known is not None
                return known
            meaning = self.meanings.get(f"{node.value.id}.{node.attr}")
            if isinstance(meaning, (bool, int, float)):
                return self._number(node, meaning)
        raise Refused(node, f"{ast.unparse(node)} is not a number that is known here")

    # Arithmetic

    def _binop(self, node: ast.BinOp) -> Typed:
        left, right = self.of(node.left), self.of(node.right)
        return self.combined(node, node.op, left, right, node.right)

    def combined(self, node: ast.AST, op: ast.operator, left: Typed, right: Typed, exponent: ast.expr) -> Typed:
        """``left op right``, as Python has it."""
        if type(op) not in _FLOAT:
            raise Refused(
                node, f"{type(op).__name__} works on bits, which Python's integers have any number of: not compiled"
            )
        a, b = (f"int({text})" if kind == B else text for text, kind in (left, right))
        if F in (left[1], right[1]):
            a, b = (text if kind == F else f"float({text})" for text, (_, kind) in ((a, left), (b, right)))
            return _FLOAT[type(op)].format(a, b), F
        if isinstance(op, ast.Div):
            return f"_div(_same({a}), _same({b}))", F
        if isinstance(op, ast.Pow):
            if not (isinstance(exponent, ast.Constant) and type(exponent.value) is int and 1 <= exponent.value <= 4):
                raise Refused(
                    node, "a power of an integer is compiled for the exponents 1 to 4 alone: write float(...)"
                )
            power = a
            for _ in range(exponent.value - 1):
                power = f"_mul({power}, {a})"
            return power, I
        return f"{_INT[type(op)]}({a}, {b})", I

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return self.test(node), B
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if type(value) in (int, float):
                return self._number(node, -value)  # type: ignore[operator]
        text, kind = self.of(node.operand)
        text, kind = (f"int({text})", I) if kind == B else (text, kind)
        if isinstance(node.op, ast.USub):
            return (f"(-{text})", F) if kind == F else (f"_neg({text})", I)
        if isinstance(node.op, ast.UAdd):
            return text, kind
        raise Refused(node, "~ works on bits: not compiled")

    def _compare(self, node: ast.Compare) -> Typed:
        if any(type(op) not in _COMPARE for op in node.ops):
            raise Refused(node, "`is` and `in` are for objects: compiled hooks have numbers, and never None")
        items = [self.of(item) for item in (node.left, *node.comparators)]
        parts = []
        for op, left, right in zip(node.ops, items, items[1:], strict=False):
            (a, one), (b, other) = left, right
            if (one == F) != (other == F):  # Python compares an integer and a float exactly
                a, b = (text if kind == F else f"_same(int({text}))" for text, kind in (left, right))
            parts.append(f"({a} {_COMPARE[type(op)]} {b})")
        return f"({' and '.join(parts)})", B

    def _boolop(self, node: ast.BoolOp) -> Typed:
        typed = [self.of(value) for value in node.values]
        if any(kind != B for _, kind in typed):
            raise Refused(node, "`and` and `or` of numbers give one of them: write `x if x else y`")
        return self.test(node), B

    def _ifexp(self, node: ast.IfExp) -> Typed:
        (a, one), (b, other) = self.of(node.body), self.of(node.orelse)
        if one != other:
            raise Refused(node, f"this is {_an(one)} or {_an(other)}: make both the same")
        return f"({a} if {self.test(node.test)} else {b})", one

    # Calls

    def _call(self, node: ast.Call) -> Typed:
        name = ast.unparse(node.func)
        if name.startswith(f"{self.this}."):
            raise Refused(node, f"{name} is a method: write what it does into the hook")
        meaning = self.meanings.get(name)
        if not isinstance(meaning, Function) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Refused(node, "this call is not compiled; hooks may use numbers and math")
        typed = [self.of(argument) for argument in node.args]
        room, _, function = meaning.name.rpartition(".")
        return self._of_math(node, function, typed) if room else self._of_builtins(node, function, typed)

    def _of_math(self, node: ast.Call, name: str, typed: list[Typed]) -> Typed:
        given = [self.as_float(node, one) for one in typed]
        if len(typed) == 1:
            (x,) = given
            if name in _MATH_1:
                return f"_checked(math.{name}({x}), {x})", F
            if name == "fabs":
                return f"math.fabs({x})", F
            if name in _ASKS:
                return f"math.{name}({x})", B
            if name in _WHOLE and typed[0][1] == F:
                return f"{_WHOLE[name]}({x})", I
        if len(typed) == 2 and name in _MATH_2:
            room = "np" if name == "fmod" else "math"  # numba has it there
            return f"_checked2({room}.{name}({given[0]}, {given[1]} * _one), {given[0]}, {given[1]})", F
        if len(typed) == 2 and name == "copysign":
            return f"math.copysign({given[0]}, {given[1]})", F
        raise Refused(
            node, f"math.{name} is not compiled as it is called here: it would not give Python's result to the last bit"
        )

    def _of_builtins(self, node: ast.Call, name: str, typed: list[Typed]) -> Typed:
        if len(typed) == 1:
            ((x, kind),) = typed
            if name == "bool":
                return self.test(node.args[0]), B
            if name == "float":
                return self.as_float(node, typed[0]), F
            if name == "int":
                return (f"_int({x})" if kind == F else f"int({x})"), I
            if name == "abs" and kind != B:
                return (f"math.fabs({x})", F) if kind == F else (f"_iabs({x})", I)
        if name in ("min", "max") and len(typed) > 1:
            if len({kind for _, kind in typed}) > 1:
                raise Refused(node, f"{name} of an int and a float gives either: make all the same")
            text = typed[0][0]
            for other, _ in typed[1:]:
                text = f"_{name}({text}, {other})"
            return text, typed[0][1]
        raise Refused(
            node, f"{name} is not compiled as it is called here: it would not give Python's result to the last bit"
        )

    def is_punt(self, node: ast.expr) -> bool:
        """Whether it is ``iw.PUNT``."""
        return isinstance(self.meanings.get(ast.unparse(node)), Refusal)


def _an(kind: str) -> str:
    return "an int" if kind == I else f"a {kind}"


_SAID: dict[type, str] = {
    ast.List: "a list", ast.Tuple: "a tuple", ast.Dict: "a dict", ast.Set: "a set", ast.ListComp: "a list",
    ast.DictComp: "a dict", ast.SetComp: "a set", ast.GeneratorExp: "a generator", ast.Subscript: "an item of a container",
    ast.JoinedStr: "a string", ast.Lambda: "a lambda", ast.NamedExpr: "`:=`", ast.Await: "await", ast.Yield: "yield",
    ast.YieldFrom: "yield",
}  # fmt: skip
