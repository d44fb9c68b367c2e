"""An expression of SQL as an expression of Python.

If nothing can be NULL, it is what one would write by hand. Otherwise SQL's rules for NULL are written out, or a helper of
``values`` follows them.
"""

import ast
from collections.abc import Callable
from typing import Any

from inwindow.language.esl import functions, subqueries, truth
from inwindow.language.esl.conversions import binary, converted, moment, strict
from inwindow.language.esl.kinds import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NUMBERS,
    STR,
    TIMEDELTA,
    Kind,
    joined,
    read_kind,
)  # fmt: skip
from inwindow.language.esl.scope import Scope, Value
from inwindow.language.esl.three_valued import as_value
from inwindow.language.esl.trees import (
    Node,
    call,
    choice,
    constant,
    is_constant,
    is_null,
    is_simple,
    name,
)  # fmt: skip
from inwindow.language.text import Source, library, tokens_of
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval

_OPERATORS: dict[str, tuple[type[ast.operator], str]] = {
    "Add": (ast.Add, "add"), "Sub": (ast.Sub, "sub"), "Mul": (ast.Mult, "mul"),
}  # fmt: skip
_DIGITS = 38  # of the longest decimal


def value(tree: Any, scope: Scope) -> Value:
    """The value of an expression in a scope."""
    if scope.grouping is not None:
        grouped = scope.grouping.value(tree)
        if grouped is not None:
            return grouped
    kind = type(tree).__name__
    if kind in _OPERATORS:
        return _arithmetic(tree, scope, *_OPERATORS[kind])
    written = _WRITTEN.get(kind)
    if written is not None:
        return written(tree, scope)
    if kind in truth.KINDS:
        return as_value(truth.truth(tree, scope))
    name_, arguments = functions.function_of(tree)
    if name_ is not None:
        return functions.call_of(tree, name_, arguments, scope)
    raise scope.context.error(f"{tree.sql('spark')} is not known in an aggregate", tree)


def _arithmetic(tree: Any, scope: Scope, sign: type[ast.operator], helper: str) -> Value:
    context = scope.context
    one, other = _numbers(value(tree.this, scope), value(tree.expression, scope))
    kind = _result(sign, one.kind, other.kind)
    if kind is None:
        raise context.error(f"{tree.sql('spark')}: {one.kind.ddl} and {other.kind.ddl} do not go together", tree)
    return binary(sign, helper, one, other, kind, context)


def _numbers(one: Value, other: Value) -> tuple[Value, Value]:
    """Read a literal with a decimal point as a decimal, if the other operand is one."""
    for a, b in ((one, other), (other, one)):
        if a.kind.python == "decimal" and b.kind is FLOAT and isinstance(b.node, ast.Constant):
            exact = Value(call("Decimal", constant(str(b.node.value))), a.kind, False)
            return (a, exact) if a is one else (exact, a)
    return one, other


def _result(sign: type[ast.operator], one: Kind, other: Kind) -> Kind | None:
    """The type of a sum, difference or product; None if it is not defined."""
    if not one or not other:
        return ANY
    pair = (one.python, other.python)
    if set(pair) <= set(NUMBERS):
        return joined(one, other)
    times = ("date", "datetime")
    if sign is ast.Sub and pair[0] in times and pair[0] == pair[1]:
        return TIMEDELTA
    if sign in (ast.Add, ast.Sub) and pair[0] in times and pair[1] == "timedelta":
        return one
    if sign is ast.Add and pair[1] in times and pair[0] == "timedelta":
        return other
    if sign in (ast.Add, ast.Sub) and pair == ("timedelta", "timedelta"):
        return TIMEDELTA
    if sign is ast.Mult and "timedelta" in pair and set(pair) & {"int", "float"}:
        return TIMEDELTA
    return None


def _divided(tree: Any, scope: Scope) -> Value:
    """``/`` is NULL over zero, as in Spark where ANSI mode is off, and in SQLite and DuckDB."""
    one, other = _numbers(value(tree.this, scope), value(tree.expression, scope))
    kind = FLOAT if {one.kind.python, other.kind.python} <= {"int", "float"} else joined(one.kind, other.kind)
    if one.kind and other.kind and not {one.kind.python, other.kind.python} <= set(NUMBERS):
        raise scope.context.error(f"{tree.sql('spark')}: {one.kind.ddl} cannot be divided by {other.kind.ddl}", tree)
    plain = ast.BinOp(one.node, ast.Div(), other.node)
    if not one.nullable and isinstance(other.node, ast.Constant) and other.node.value:
        return Value(plain, kind, False)
    if not one.nullable and is_simple(other.node):
        return Value(choice(other.node, plain, constant(None)), kind, True)
    return Value(call(scope.context.helper("divided"), one.node, other.node), kind, True)


def _by_helper(helper: str, kind: Kind | None = None) -> Callable[[Any, Scope], Value]:
    def write(tree: Any, scope: Scope) -> Value:
        one, other = value(tree.this, scope), value(tree.expression, scope)
        return Value(
            call(scope.context.helper(helper), one.node, other.node), kind or joined(one.kind, other.kind), True
        )

    return write


def _literal(tree: Any, scope: Scope) -> Value:
    text = str(tree.this)
    if tree.is_string:
        return Value(constant(text), STR, False)
    whole = text.isdigit()
    if len(text) > _DIGITS and whole:
        raise scope.context.error(f"{text[:20]}... is no number: SQL has {_DIGITS} digits", tree)
    if not whole:
        try:
            return Value(constant(float(text)), FLOAT, False)
        except ValueError:
            raise scope.context.error(f"{text} is no number", tree) from None
    return Value(constant(int(text)), INT, False)


def _interval(tree: Any, scope: Scope) -> Value:
    unit, size = tree.args.get("unit"), tree.this
    written = f"{size.this if size is not None else ''} {unit.name if unit is not None else ''}".strip()
    try:
        interval = Interval.parse(written)
    except UsageError as error:
        raise scope.context.error(f"{tree.sql('spark')}: {error}", tree) from None
    if interval.months:
        raise scope.context.error(f"{tree.sql('spark')}: a month has no fixed length; write days", tree)
    seconds, rest = divmod(interval.microseconds, 1_000_000)
    keywords = {"seconds": constant(seconds)} | ({"microseconds": constant(rest)} if rest else {})
    return Value(call(scope.context.imported("datetime", "timedelta"), **keywords), TIMEDELTA, False)


def _negated(tree: Any, scope: Scope) -> Value:
    one = value(tree.this, scope)
    if isinstance(one.node, ast.Constant) and isinstance(one.node.value, (int, float)):
        return Value(constant(-one.node.value), one.kind, False)
    node = ast.UnaryOp(ast.USub(), one.node)
    if not one.nullable:
        return Value(node, one.kind, False)
    if is_simple(one.node):
        return Value(choice(is_null(one.node), constant(None), node), one.kind, True)
    return strict(name(scope.context.imported("operator", "neg")), [one], one.kind, scope.context)


def _case(tree: Any, scope: Scope) -> Value:
    """``CASE`` as ``a if c else b``."""
    exp = library().exp
    branches = []
    for one in tree.args["ifs"]:
        condition = one.this if tree.this is None else exp.EQ(this=tree.this.copy(), expression=one.this.copy())
        branches.append((truth.holds(condition, scope), value(one.args["true"], scope)))
    default = tree.args.get("default")
    return _chosen(branches, value(default, scope) if default is not None else NULL)


def _if(tree: Any, scope: Scope) -> Value:
    otherwise = tree.args.get("false")
    branch = (truth.holds(tree.this, scope), value(tree.args["true"], scope))
    return _chosen([branch], value(otherwise, scope) if otherwise is not None else NULL)


def _chosen(branches: list[tuple[Node, Value]], last: Value) -> Value:
    node, kind, nullable = last.node, last.kind, last.nullable
    for condition, one in reversed(branches):
        node = choice(condition, one.node, node)
        kind = one.kind if is_constant(last.node, None) and not kind else joined(kind, one.kind)
        nullable = nullable or one.nullable
    return Value(node, kind, nullable)


def _cast(tree: Any, scope: Scope) -> Value:
    context, one = scope.context, value(tree.this, scope)
    to = Source(tree.args["to"].sql("spark"), context.source.speaker)
    try:
        kind = read_kind(to, tokens_of(to))
    except UsageError:
        raise context.error(
            f"CAST(... AS {to.text}): write Int, Real, String, Boolean, Decimal(p, s), Date or Timestamp", tree
        ) from None
    if kind.python == one.kind.python:
        return Value(one.node, kind, one.nullable)
    if isinstance(one.node, ast.Constant) and kind.python in ("date", "datetime") and one.kind is STR:
        return moment(str(one.node.value), kind, context, tree)
    if kind.python in ("int", "float", "decimal") and (not one.kind or one.kind.python in (*NUMBERS, "str", "bool")):
        return converted(one, kind, context)
    if kind.python == "str" and (not one.kind or one.kind.python in ("int", "str", "date")):
        return strict(name("str"), [one], kind, context)
    raise context.error(f"{tree.sql('spark')}: {one.kind.ddl} cannot be cast to {kind.ddl} in an aggregate", tree)


def _column(tree: Any, scope: Scope) -> Value:
    exp = library().exp
    if isinstance(tree.this, exp.Star):
        raise scope.context.error("a star stands alone in a select list", tree)
    return scope.column(tree)


def _null(tree: Any, scope: Scope) -> Value:
    return NULL


def _boolean(tree: Any, scope: Scope) -> Value:
    return Value(constant(bool(tree.this)), BOOL, False)


def _paren(tree: Any, scope: Scope) -> Value:
    return value(tree.this, scope)


def _subquery(tree: Any, scope: Scope) -> Value:
    return subqueries.single_value(tree.this, scope)


def _dot(tree: Any, scope: Scope) -> Value:
    """``oldest().column``."""
    exp = library().exp
    if (
        isinstance(tree.this, exp.Anonymous)
        and str(tree.this.this).casefold() == "oldest"
        and not tree.this.expressions
    ):
        return functions.oldest(scope.context, tree.expression.name, tree)
    raise scope.context.error(f"{tree.sql('spark')} is not known: write oldest().column, or table.column", tree)


def _pipe(tree: Any, scope: Scope) -> Value:
    return functions.concatenated([value(tree.this, scope), value(tree.expression, scope)], scope.context)


NULL = Value(constant(None), ANY, True)
_WRITTEN: dict[str, Callable[[Any, Scope], Value]] = {
    "Column": _column, "Literal": _literal, "Null": _null, "Boolean": _boolean, "Paren": _paren, "Neg": _negated,
    "Div": _divided, "Mod": _by_helper("remainder"), "IntDiv": _by_helper("whole_division", INT), "Case": _case, "If": _if,
    "Cast": _cast, "TryCast": _cast, "Interval": _interval, "Subquery": _subquery, "Dot": _dot, "DPipe": _pipe,
}  # fmt: skip
