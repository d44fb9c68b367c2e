"""SQL's three-valued logic: when a condition is TRUE, when it is FALSE, and how conditions are combined."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from inwindow.language.esl.kinds import BOOL
from inwindow.language.esl.scope import Scope, Value
from inwindow.language.esl.trees import (
    Node,
    call,
    choice,
    compare,
    constant,
    every,
    is_constant,
    is_known,
    is_simple,
    name,
    negated,
    some,
)  # fmt: skip


@dataclass(frozen=True)
class Truth:
    """When a condition is TRUE, and when it is FALSE; ``whole``: always one of them."""

    holds: Node
    fails: Node
    whole: bool


def certain(node: Node) -> Truth:
    """A condition that is never unknown."""
    return Truth(node, negated(node), True)


def as_value(known: Truth) -> Value:
    """A condition as a value: True, False or None."""
    if known.whole:
        return Value(known.holds, BOOL, False)
    unknown = choice(known.fails, constant(False), constant(None))
    return Value(choice(known.holds, constant(True), unknown), BOOL, True)


def compared(sign: type[ast.cmpop], helper: str, one: Value, other: Value, scope: Scope) -> Truth:
    """A comparison of two values."""
    if is_constant(one.node, None) or is_constant(other.node, None):
        return Truth(constant(False), constant(False), False)
    node = compare(one.node, sign(), other.node)
    nullable = [side.node for side in (one, other) if side.nullable]
    if not nullable:
        return certain(node)
    if sign is ast.Eq and len(nullable) == 1 and is_simple(nullable[0]):
        return Truth(node, every([is_known(nullable[0]), negated(node)]), False)
    if all(map(is_simple, nullable)):
        known = [is_known(side) for side in nullable]
        return Truth(every([*known, node]), every([*known, negated(node)]), False)
    context = scope.context
    made = call(context.helper("unless_null"), name(context.imported("operator", helper)), one.node, other.node)
    return Truth(made, compare(made, ast.Is(), constant(False)), False)


def conjunction(parts: Iterable[Truth]) -> Truth:
    """``AND``: a single FALSE makes it FALSE."""
    listed_ = list(parts)
    if all(part.whole for part in listed_):
        return certain(every(part.holds for part in listed_))
    return Truth(every(part.holds for part in listed_), some(part.fails for part in listed_), False)
