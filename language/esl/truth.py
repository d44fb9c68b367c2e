"""A condition of SQL in three-valued logic, as conditions of Python.

A condition is TRUE, FALSE or unknown, so it is written twice: when it holds, and when it fails. WHERE needs only the first; NOT
swaps them. If nothing can be NULL, the second is the negation of the first.
"""

import ast
from collections.abc import Callable
from typing import Any

from inwindow.language.esl import subqueries
from inwindow.language.esl.conversions import stored
from inwindow.language.esl.kinds import can_meet
from inwindow.language.esl.scope import Scope, Value
from inwindow.language.esl.three_valued import Truth, certain, compared, conjunction
from inwindow.language.esl.trees import (
    Node,
    call,
    compare,
    constant,
    every,
    is_constant,
    is_null,
    name,
    some,
)  # fmt: skip
from inwindow.language.text import library


def holds(tree: Any, scope: Scope) -> Node:
    """When a condition is TRUE."""
    return truth(tree, scope).holds


def truth(tree: Any, scope: Scope) -> Truth:
    """A condition, written."""
    written = _WRITTEN.get(type(tree).__name__)
    if written is not None:
        return written(tree, scope)
    one = scope.value(tree)
    if one.kind and one.kind.python != "bool" and not is_constant(one.node, None):
        raise scope.context.error(
            f"{tree.sql('spark')} is {one.kind.ddl}, and a condition is wanted: write a comparison", tree
        )
    if is_constant(one.node, None):
        return Truth(constant(False), constant(False), False)
    if not one.nullable:
        return certain(one.node)
    return Truth(one.node, compare(one.node, ast.Is(), constant(False)), False)


_COMPARISONS: dict[str, tuple[type[ast.cmpop], str]] = {
    "EQ": (ast.Eq, "eq"), "NEQ": (ast.NotEq, "ne"), "LT": (ast.Lt, "lt"), "LTE": (ast.LtE, "le"), "GT": (ast.Gt, "gt"),
    "GTE": (ast.GtE, "ge"),
}  # fmt: skip


def _comparison(tree: Any, scope: Scope) -> Truth:
    one, other = meeting(tree, tree.this, tree.expression, scope)
    sign, helper = _COMPARISONS[type(tree).__name__]
    return compared(sign, helper, one, other, scope)


def meeting(tree: Any, left: Any, right: Any, scope: Scope) -> tuple[Value, Value]:
    """Both sides of a comparison, of types that can be compared."""
    one, other = scope.value(left), scope.value(right)
    moments = ("date", "datetime")
    if one.kind.python in moments and isinstance(other.node, ast.Constant) and other.kind.python == "str":
        other = stored(other, one.kind, scope.context, right, "it")
    elif other.kind.python in moments and isinstance(one.node, ast.Constant) and one.kind.python == "str":
        one = stored(one, other.kind, scope.context, left, "it")
    if not can_meet(one.kind, other.kind):
        raise scope.context.error(
            f"{tree.sql('spark')}: {one.kind.ddl} is not compared with {other.kind.ddl}: write a CAST", tree
        )
    return one, other


def _and(tree: Any, scope: Scope) -> Truth:
    return conjunction([truth(one, scope) for one in tree.flatten()])


def _or(tree: Any, scope: Scope) -> Truth:
    parts = [truth(one, scope) for one in tree.flatten()]
    if all(part.whole for part in parts):
        return certain(some(part.holds for part in parts))
    return Truth(some(part.holds for part in parts), every(part.fails for part in parts), False)


def _not(tree: Any, scope: Scope) -> Truth:
    one = truth(tree.this, scope)
    return certain(one.fails) if one.whole else Truth(one.fails, one.holds, False)


def _paren(tree: Any, scope: Scope) -> Truth:
    return truth(tree.this, scope)


def _between(tree: Any, scope: Scope) -> Truth:
    low, one = meeting(tree, tree.args["low"], tree.this, scope)
    _, high = meeting(tree, tree.this, tree.args["high"], scope)
    if not (low.nullable or one.nullable or high.nullable):
        return certain(ast.Compare(low.node, [ast.LtE(), ast.LtE()], [one.node, high.node]))
    return conjunction([compared(ast.LtE, "le", low, one, scope), compared(ast.LtE, "le", one, high, scope)])


def _is(tree: Any, scope: Scope) -> Truth:
    exp = library().exp
    if isinstance(tree.expression, exp.Null):
        one = scope.value(tree.this)
        return certain(is_null(one.node)) if one.nullable else certain(constant(False))
    if isinstance(tree.expression, exp.Boolean):
        one_ = truth(tree.this, scope)
        node = one_.holds if tree.expression.this else one_.fails
        return certain(call("bool", node) if not one_.whole else node)
    raise scope.context.error(f"{tree.sql('spark')}: write IS [NOT] NULL, TRUE or FALSE", tree)


def _same(tree: Any, scope: Scope) -> Truth:
    """``<=>``: NULL is equal to NULL."""
    one, other = meeting(tree, tree.this, tree.expression, scope)
    return certain(compare(one.node, ast.Eq(), other.node))


def _different(tree: Any, scope: Scope) -> Truth:
    known = _same(tree, scope)
    return certain(known.fails)


def _in(tree: Any, scope: Scope) -> Truth:
    if tree.args.get("query") is not None:
        return subqueries.membership(tree, scope)
    if not tree.expressions:
        raise scope.context.error(f"{tree.sql('spark')}: write IN (value, ...) or IN (SELECT ...)", tree)
    pairs = [meeting(tree, tree.this, one, scope) for one in tree.expressions]
    if not any(side.nullable for pair in pairs for side in pair):
        values = [other.node for _, other in pairs]
        if len(values) == 1:
            return certain(compare(pairs[0][0].node, ast.Eq(), values[0]))
        return certain(compare(pairs[0][0].node, ast.In(), ast.Tuple(values, ast.Load())))
    each = [compared(ast.Eq, "eq", one, other, scope) for one, other in pairs]
    return Truth(some(part.holds for part in each), every(part.fails for part in each), False)


def _like(tree: Any, scope: Scope) -> Truth:
    context = scope.context
    one, other = meeting(tree, tree.this, tree.expression, scope)
    function = context.helper("is_like")
    if not (one.nullable or other.nullable):
        return certain(call(function, one.node, other.node))
    made = call(context.helper("unless_null"), name(function), one.node, other.node)
    return Truth(made, compare(made, ast.Is(), constant(False)), False)


def _exists(tree: Any, scope: Scope) -> Truth:
    return certain(subqueries.exists(tree.this, scope))


_WRITTEN: dict[str, Callable[[Any, Scope], Truth]] = {
    **dict.fromkeys(_COMPARISONS, _comparison), "And": _and, "Or": _or, "Not": _not, "Paren": _paren, "Between": _between,
    "Is": _is, "In": _in, "Like": _like, "Exists": _exists, "NullSafeEQ": _same, "NullSafeNEQ": _different,
}  # fmt: skip
KINDS = frozenset(_WRITTEN) - {"Paren"}
