"""Join consecutive Python statements into one, where a person would have written one.

::

    self.t = {}; self.t[k] = 1                                     self.t = {k: 1}
    if k in self.t: A                if k in self.t: B             if k in self.t: A; B
    if k in self.t: self.t[k] += 1   if k not in self.t: ... = 1   self.t[k] = self.t.get(k, 0) + 1
    self.t[k] = value                return self.t.get(k)          self.t[k] = v = value; return v

Each rule takes two statements and returns one for both, or None.
"""

import ast
from collections.abc import Callable

from inwindow.language.esl.names import Names
from inwindow.language.esl.trees import (
    Node,
    attribute,
    call,
    choice,
    constant,
    instead,
    is_null,
    is_simple,
    name,
    same,
    target,
)

Rule = Callable[[ast.stmt, ast.stmt, Names], list[ast.stmt] | None]


def tidy(statements: list[ast.stmt], names: Names) -> list[ast.stmt]:
    """The statements of a block, each tried with the one before it."""
    done: list[ast.stmt] = []
    for one in statements:
        if isinstance(one, ast.If):
            one.body = tidy(one.body, names)
        pending = [one]
        while pending:
            after = pending.pop(0)
            made = _together(done[-1], after, names) if done else None
            if made is None:
                done.append(after)
            else:
                done.pop()
                pending = [*made, *pending]
    return done


def _together(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    return next((made for rule in RULES if (made := rule(before, after, names)) is not None), None)


def _begin_with_rows(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    """An empty table, and the first row."""
    if not (isinstance(before, ast.Assign) and isinstance(before.value, (ast.Dict, ast.List))):
        return None
    table, empty = before.targets[0], before.value
    if isinstance(empty, ast.Dict) and not empty.keys and isinstance(after, ast.Assign):
        place = after.targets[0]
        if isinstance(place, ast.Subscript) and same_place(place.value, table):
            return (
                None
                if _reads(table, place.slice, after.value)
                else _assign(table, ast.Dict([place.slice], [after.value]))
            )
    added = after.value if isinstance(empty, ast.List) and not empty.elts and isinstance(after, ast.Expr) else None
    if not (isinstance(added, ast.Call) and isinstance(added.func, ast.Attribute) and added.func.attr == "append"):
        return None
    if not same_place(added.func.value, table) or _reads(table, *added.args):
        return None
    return _assign(table, ast.List(added.args, ast.Load()))


def _reads(table: Node, *values: Node) -> bool:
    """Whether the new rows of a table depend on its old rows; then it must be emptied first."""
    return any(
        same_place(node, table) for value in values for node in ast.walk(value) if isinstance(node, ast.Attribute)
    )


def _assign(table: ast.expr, value: ast.expr) -> list[ast.stmt]:
    return [ast.Assign([table], value)]


def _one_test(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    """The same key is looked for twice."""
    one, other = _tested(before, ast.In), _tested(after, ast.In)
    if one is None or other is None or not same(one, other):
        return None
    assert isinstance(before, ast.If) and isinstance(after, ast.If)
    if before.orelse or after.orelse or not all(map(_only_sets_rows, before.body)):
        return None
    return [ast.If(before.test, tidy([*before.body, *after.body], names), [])]


def _only_sets_rows(statement: ast.stmt) -> bool:
    """Whether a statement changes rows, or names, and takes none away."""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Subscript)
    return isinstance(statement, ast.Assign) and all(
        isinstance(one, (ast.Subscript, ast.Name, ast.Tuple)) for one in statement.targets
    )


def _upsert(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    """A row is changed where it is there, and put there where it is not."""
    there, missing = _tested(before, ast.In), _tested(after, ast.NotIn)
    if there is None or missing is None or not same(there, missing) or not is_simple(there.left):
        return None
    assert isinstance(before, ast.If) and isinstance(after, ast.If)
    if before.orelse or after.orelse or len(before.body) != 1:
        return None
    changed, table, key = before.body[0], there.comparators[0], there.left
    place = changed.target if isinstance(changed, ast.AugAssign) else _assigned(changed)
    if not (isinstance(place, ast.Subscript) and same_place(place.value, table) and same(place.slice, key)):
        return None
    first = after.body[0]
    if not isinstance(changed, ast.AugAssign) or len(after.body) != 1 or not isinstance(first, ast.Assign):
        return [ast.If(before.test, before.body, after.body)]
    # What is added to is never NULL, so `get` tells whether the row is there.
    if _is_count(changed.value) and isinstance(changed.op, ast.Add) and same(changed.value, first.value):
        sum_ = ast.BinOp(call(attribute(table, "get"), key, constant(0)), ast.Add(), changed.value)
        return [ast.Assign([place], sum_)]
    if not isinstance(key, ast.Name):
        return [ast.If(before.test, before.body, after.body)]
    old = names.fresh("old")
    value = choice(is_null(name(old)), first.value, ast.BinOp(name(old), changed.op, changed.value))
    return [ast.Assign([target(name(old))], call(attribute(table, "get"), key)), ast.Assign([place], value)]


def _return_what_was_set(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    """Return the row that has just been set, without reading it again."""
    asked = after.value if isinstance(after, ast.Return) else None
    if not (isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute) and asked.func.attr == "get"):
        return None
    if len(asked.args) != 1 or not isinstance(before, ast.Assign) or len(before.targets) != 1:
        return None
    place = before.targets[0]
    if not (isinstance(place, ast.Subscript) and same_place(place.value, asked.func.value)):
        return None
    if not same(place.slice, asked.args[0]) or isinstance(before.value, ast.Tuple):
        return None
    new = name(names.fresh("new"))
    return [ast.Assign([place, target(new)], before.value), ast.Return(new)]


def _named_for_one_look(before: ast.stmt, after: ast.stmt, names: Names) -> list[ast.stmt] | None:
    """``n = self.t[k]``, if the next statement reads it once, in its condition."""
    if not (isinstance(before, ast.Assign) and isinstance(before.value, ast.Subscript) and isinstance(after, ast.If)):
        return None
    known = before.targets[0]
    if not isinstance(known, ast.Name):
        return None
    looks = [one for one in ast.walk(after) if isinstance(one, ast.Name) and one.id == known.id]
    if len(looks) != 1 or looks[0] not in list(ast.walk(after.test)):
        return None
    return [ast.If(instead(after.test, known, before.value), after.body, after.orelse)]


RULES: tuple[Rule, ...] = (_begin_with_rows, _one_test, _upsert, _return_what_was_set, _named_for_one_look)


def _tested(statement: ast.stmt, operator: type[ast.cmpop]) -> ast.Compare | None:
    """``key in table``, where a statement asks for nothing else; the same for ``not in``."""
    test = statement.test if isinstance(statement, ast.If) else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], operator):
        return ast.Compare(test.left, [ast.In()], test.comparators)
    return None


def _assigned(statement: ast.stmt) -> Node | None:
    return statement.targets[0] if isinstance(statement, ast.Assign) else None


def _is_count(node: Node) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def same_place(one: Node, other: Node) -> bool:
    """``self.t`` that is read, and ``self.t`` that is assigned to."""
    return same(target(one), target(other))
