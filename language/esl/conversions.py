"""Convert values to the type of a column or a CAST; calls and operators that give NULL if an argument is NULL."""

import ast
from datetime import date, datetime
from typing import Any

from inwindow.language.esl.kinds import NUMBERS, Kind
from inwindow.language.esl.scope import Context, Value
from inwindow.language.esl.trees import Node, attribute, call, choice, constant, is_null, is_simple, name, some


def stored(given: Value, kind: Kind, context: Context, tree: Any, what: str) -> Value:
    """The value as stored in a column of a type: a Real in an Int column is cut to its whole part."""
    its = given.kind
    if not kind or not its or its.python == kind.python:
        return given
    if isinstance(given.node, ast.Constant) and isinstance(given.node.value, int) and kind.python == "float":
        return Value(constant(float(given.node.value)), kind, False)
    if isinstance(given.node, ast.Constant) and its.python == "str" and kind.python in ("date", "datetime"):
        return moment(str(given.node.value), kind, context, tree)
    if not {its.python, kind.python} <= set(NUMBERS) and (its.python, kind.python) != ("bool", "int"):
        raise context.error(
            f"{what} is {kind.ddl}, and {tree.sql('spark')} is {its.ddl}: write CAST(... AS {kind.ddl})", tree
        )
    return converted(given, kind, context)


def converted(given: Value, kind: Kind, context: Context) -> Value:
    """The value by the constructor of another type."""
    function = name(context.imported("decimal", "Decimal") if kind.python == "decimal" else kind.python)
    return strict(function, [given], kind, context)


def moment(text: str, kind: Kind, context: Context, tree: Any) -> Value:
    """A date or a time that is written as text."""
    try:
        parsed = date.fromisoformat(text) if kind.python == "date" else datetime.fromisoformat(text)
    except ValueError:
        raise context.error(
            f"'{text}' is no {kind.ddl}: write it as '2006-11-05" + ("'" if kind.python == "date" else " 09:00:00'"),
            tree,
        ) from None
    class_ = name(context.imported("datetime", kind.python))
    return Value(call(attribute(class_, "fromisoformat"), constant(parsed.isoformat())), kind, False)


def strict(function: Node, arguments: list[Value], kind: Kind, context: Context) -> Value:
    """A call that gives NULL where an argument is NULL."""
    nodes = [one.node for one in arguments]
    nullable = [one.node for one in arguments if one.nullable]
    if not nullable:
        return Value(call(function, *nodes), kind, False)
    if all(map(is_simple, nullable)):
        return Value(choice(some(map(is_null, nullable)), constant(None), call(function, *nodes)), kind, True)
    return Value(call(context.helper("unless_null"), function, *nodes), kind, True)


def binary(sign: type[ast.operator], helper: str, one: Value, other: Value, kind: Kind, context: Context) -> Value:
    """An operator of two values."""
    node = ast.BinOp(one.node, sign(), other.node)
    nullable = [side.node for side in (one, other) if side.nullable]
    if not nullable:
        return Value(node, kind, False)
    if all(map(is_simple, nullable)):
        return Value(choice(some(map(is_null, nullable)), constant(None), node), kind, True)
    function = name(context.imported("operator", helper))
    return Value(call(context.helper("unless_null"), function, one.node, other.node), kind, True)
