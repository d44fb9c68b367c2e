"""Small syntax trees of Python. The code of a class consists only of these: text of the user is never pasted into it."""

import ast
import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Node = ast.expr


def name(text: str) -> Node:
    return ast.Name(text, ast.Load())


def target(node: Node) -> Node:
    """The same, to be assigned to."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([target(one) for one in node.elts], ast.Store())
    return single_target(node)


def single_target(node: Node) -> ast.Name | ast.Attribute | ast.Subscript:
    """The same, to be assigned to, where it is not a tuple: what ``+=`` takes."""
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Store())
    assert isinstance(node, (ast.Attribute, ast.Subscript))
    made = type(node)(**{field: getattr(node, field) for field in node._fields})
    made.ctx = ast.Store()
    return made


def attribute(of: Node, text: str) -> Node:
    return ast.Attribute(of, text, ast.Load())


def me(text: str) -> Node:
    """``self.text``."""
    return attribute(name("self"), text)


def item(of: Node, key: Node) -> Node:
    return ast.Subscript(of, key, ast.Load())


def constant(value: Any) -> Node:
    return ast.Constant(value)


def call(function: str | Node, *arguments: Node, **keywords: Node) -> Node:
    made = name(function) if isinstance(function, str) else function
    return ast.Call(made, list(arguments), [ast.keyword(key, value) for key, value in keywords.items()])


def row(values: Sequence[Node]) -> Node:
    """A tuple; the value itself where there is one."""
    return values[0] if len(values) == 1 else ast.Tuple(list(values), ast.Load())


def listed(values: Iterable[Node]) -> Node:
    return ast.List(list(values), ast.Load())


def is_call(node: Node, function: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function


def compare(one: Node, operator: ast.cmpop, other: Node) -> Node:
    return ast.Compare(one, [operator], [other])


def is_null(node: Node) -> Node:
    return compare(node, ast.Is(), constant(None))


def is_known(node: Node) -> Node:
    return compare(node, ast.IsNot(), constant(None))


def choice(condition: Node, one: Node, other: Node) -> Node:
    """``one if condition else other``."""
    return ast.IfExp(condition, one, other)


def every(parts: Iterable[Node]) -> Node:
    """All of them, without those that are always true."""
    return _joined(ast.And(), parts, True)


def some(parts: Iterable[Node]) -> Node:
    """One of them, without those that are never true."""
    return _joined(ast.Or(), parts, False)


def _joined(operator: ast.boolop, parts: Iterable[Node], neutral: bool) -> Node:
    flat: list[Node] = []
    for part in parts:
        if isinstance(part, ast.BoolOp) and type(part.op) is type(operator):
            flat.extend(part.values)
        elif not is_constant(part, neutral):
            flat.append(part)
    if any(is_constant(part, not neutral) for part in flat):
        return constant(not neutral)
    return constant(neutral) if not flat else flat[0] if len(flat) == 1 else ast.BoolOp(operator, flat)


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def negated(node: Node) -> Node:
    """``not``; the negation of ``<`` is not ``>=``, because of NaN."""
    if isinstance(node, ast.Constant):
        return constant(not node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
        return ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def is_constant(node: Node, value: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def is_simple(node: Node) -> bool:
    """Whether it may be written twice: a name, a field, a constant."""
    return isinstance(node, (ast.Name, ast.Constant)) or isinstance(node, ast.Attribute) and is_simple(node.value)


def names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def method(called: str, parameters: Sequence[str], body: list[ast.stmt], returns: Node) -> ast.stmt:
    """``def called(self, ...) -> returns``."""
    arguments = ast.arguments([], [ast.arg("self"), *map(ast.arg, parameters)], None, [], [], None, [])
    return untyped(ast.FunctionDef(called, arguments, body, [], returns))


def function_of_rows(parameters: Sequence[str], result: Node) -> Node:
    """``lambda one, other: result``."""
    return ast.Lambda(ast.arguments([], [ast.arg(one) for one in parameters], None, [], [], None, []), result)


def untyped(node: ast.stmt) -> ast.stmt:
    """Set empty type parameters, which Python 3.12 and later need."""
    vars(node).setdefault("type_params", [])
    return node


class _Replacing(ast.NodeTransformer):
    def __init__(self, new: Mapping[str, Node]) -> None:
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.new.get(node.id, node)


def replaced(node: Node, new: Mapping[str, Node]) -> Node:
    """A copy in which names are replaced by expressions."""
    made = _Replacing(new).visit(copy.deepcopy(node))
    assert isinstance(made, ast.expr)
    return made


def instead(node: Node, old: Node, new: Node) -> Node:
    """A copy in which a name is replaced by an expression."""
    assert isinstance(old, ast.Name)
    return replaced(node, {old.id: new})
