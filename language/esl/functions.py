"""Functions of SQL, as functions of Python or helpers of ``values``."""

import ast
from collections.abc import Callable, Container
from typing import Any

from inwindow.language.esl.conversions import binary, strict
from inwindow.language.esl.kinds import FLOAT, INT, STR, Kind, can_meet, joined
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import Window
from inwindow.language.esl.trees import attribute, call, choice, constant, is_known, is_simple, me, name
from inwindow.language.esl.values import AGGREGATES
from inwindow.language.text import library


def function_of(tree: Any) -> tuple[str | None, list[Any]]:
    """The name and the arguments of a call, whatever class sqlglot has for it."""
    exp = library().exp
    if isinstance(tree, exp.Anonymous):
        return str(tree.this).casefold(), list(tree.expressions)
    if not isinstance(tree, exp.Func):
        return None, []
    arguments: list[Any] = []
    for key in tree.arg_types:
        one = tree.args.get(key)
        arguments += one if isinstance(one, list) else [one] if isinstance(one, exp.Expression) else []
    return tree.sql_names()[0].casefold(), arguments


def called(tree: Any, known: Container[str]) -> tuple[str, list[Any]]:
    """Which of the known functions is called, by any of its names (none: an empty text), and the arguments."""
    function, arguments = function_of(tree)
    names = [function or "", *(one.casefold() for one in getattr(tree, "sql_names", list)())]
    return next((one for one in names if one and one in known), ""), arguments


def call_of(tree: Any, function: str, arguments: list[Any], scope: Scope) -> Value:
    context = scope.context
    if function == "oldest" and not arguments:
        return oldest(context, None, tree)
    if function in AGGREGATES or function in context.aggregates:
        raise context.error(f"{function}(...) is an aggregate: write (SELECT {function}(...) FROM table)", tree)
    if function == context.aggregate.casefold():
        raise context.error(
            f"{function}(...) calls itself, which no aggregate can: keep its earlier results in a table", tree
        )
    if function not in FUNCTIONS:
        known = ", ".join(sorted(FUNCTIONS))
        raise context.error(
            f"{function}(...) is not known in an aggregate; an aggregate of yours is created before this one; there are: {known}",
            tree,
        )
    least_, most, write = FUNCTIONS[function]
    if not least_ <= len(arguments) <= most:
        raise context.error(f"{function}(...) takes {least_ if least_ == most else f'{least_} to {most}'} values", tree)
    return write([scope.value(one) for one in arguments], context)


_Write = Callable[[list[Value], Context], Value]


def _plain(function: str, kind: Kind | None = None) -> _Write:
    """A function of Python's own, by its name."""

    def write(values: list[Value], context: Context) -> Value:
        return strict(name(function), values, kind or values[0].kind, context)

    return write


def _method(method: str, kind: Kind | None = None) -> _Write:
    """A method of text, called on the class where NULL must be looked for."""

    def write(values: list[Value], context: Context) -> Value:
        first = values[0]
        if not first.nullable:
            return Value(
                call(attribute(first.node, method), *[one.node for one in values[1:]]), kind or first.kind, False
            )
        return strict(attribute(name("str"), method), values, kind or first.kind, context)

    return write


def _helped(helper: str, kind: Kind | None = None) -> _Write:
    """A helper of ``values``, which takes NULL as it comes."""

    def write(values: list[Value], context: Context) -> Value:
        known = kind or values[0].kind
        return Value(
            call(context.helper(helper), *[one.node for one in values]), known, any(one.nullable for one in values)
        )

    return write


def _real(function: str) -> _Write:
    def write(values: list[Value], context: Context) -> Value:
        made = name(context.imported("math", function))
        return Value(call(context.helper("real_function"), made, *[one.node for one in values]), FLOAT, True)

    return write


def _whole(function: str) -> _Write:
    def write(values: list[Value], context: Context) -> Value:
        return strict(name(context.imported("math", function)), values, INT, context)

    return write


def _coalesce(values: list[Value], context: Context) -> Value:
    result = values[-1]
    for one in reversed(values[:-1]):
        if not one.nullable:
            result = one
        elif is_simple(one.node):
            node = choice(is_known(one.node), one.node, result.node)
            result = Value(node, joined(one.kind, result.kind), result.nullable)
        else:
            first = call(context.helper("first_known"), one.node, result.node)
            result = Value(first, joined(one.kind, result.kind), result.nullable)
    return result


def _nullif(values: list[Value], context: Context) -> Value:
    one, other = values
    if not is_simple(one.node):
        return Value(call(context.helper("null_if"), one.node, other.node), one.kind, True)
    equal = ast.Compare(one.node, [ast.Eq()], [other.node])
    return Value(choice(equal, constant(None), one.node), one.kind, True)


def _extreme(helper: str, function: str) -> _Write:
    def write(values: list[Value], context: Context) -> Value:
        kind = values[0].kind
        for one in values[1:]:
            kind = joined(kind, one.kind)
        nodes = [one.node for one in values]
        if any(one.nullable for one in values):
            return Value(call(context.helper(helper), *nodes), kind, all(one.nullable for one in values))
        return Value(call(function, *nodes), kind, False)

    return write


def concatenated(values: list[Value], context: Context) -> Value:
    result = values[0]
    for one in values[1:]:
        for side in (result, one):
            if not can_meet(side.kind, STR):
                raise context.error(f"|| and concat join text, and {side.kind.ddl} is none: write CAST(... AS String)")
        result = binary(ast.Add, "add", result, one, STR, context)
    return result


FUNCTIONS: dict[str, tuple[int, int, _Write]] = {
    "abs": (1, 1, _plain("abs")), "length": (1, 1, _plain("len", INT)), "char_length": (1, 1, _plain("len", INT)),
    "round": (1, 2, _helped("rounded")), "upper": (1, 1, _method("upper", STR)), "lower": (1, 1, _method("lower", STR)),
    "trim": (1, 1, _method("strip", STR)), "substring": (2, 3, _helped("substring", STR)),
    "substr": (2, 3, _helped("substring", STR)),
    "coalesce": (1, 99, _coalesce), "ifnull": (2, 2, _coalesce), "nvl": (2, 2, _coalesce), "nullif": (2, 2, _nullif),
    "greatest": (2, 99, _extreme("greatest", "max")), "least": (2, 99, _extreme("least", "min")),
    "sqrt": (1, 1, _real("sqrt")), "ln": (1, 1, _real("log")), "exp": (1, 1, _real("exp")), "power": (2, 2, _real("pow")),
    "pow": (2, 2, _real("pow")), "floor": (1, 1, _whole("floor")), "ceil": (1, 1, _whole("ceil")), "concat": (1, 99, concatenated),
}  # fmt: skip


def oldest(context: Context, column: str | None, tree: Any) -> Value:
    """``oldest()``: in EXPIRE, the tuple that leaves; elsewhere the oldest of the window."""
    window = context.tables.get("inwindow")
    if not isinstance(window, Window):
        raise context.error("oldest() is of a window: write CREATE WINDOW AGGREGATE", tree)
    names = [one.name.casefold() for one in window.columns]
    if column is None and len(names) > 1:
        raise context.error(f"oldest() has {len(names)} columns: write oldest().{names[0]}", tree)
    if column is not None and column.casefold() not in names:
        raise context.error(f"oldest() has no column {column}; there are: {', '.join(names)}", tree)
    at = 0 if column is None else names.index(column.casefold())
    if context.hook == "EXPIRE" and not window.loses_in_expire:
        return list(context.parameters.values())[at]
    node = attribute(call(attribute(me("inwindow"), "oldest")), window.fields[at])
    kind = window.columns[at].kind
    if window.may_be_empty:
        return Value(choice(me("inwindow"), node, constant(None)), kind, True)
    return Value(node, kind, window.takes_nulls)
