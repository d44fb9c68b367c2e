"""From forms to functions: write the derived hooks as text, and compile it with the values of their names.

Statements keep the line number of the user's statement from which they are derived, so that an error shows that line.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from copy import deepcopy
from types import FunctionType
from typing import Any

from inwindow.native._exact import ExactSum
from inwindow.udaf.derive.form import Code
from inwindow.udaf.derive.hook import Hook
from inwindow.udaf.derive.updates import Branch, Local, Steps, Update

Emit = Callable[[Update], Sequence[ast.stmt]]


def parsed(lines: Code, me: str, at: ast.AST | None = None) -> list[ast.stmt]:
    """Lines of a form as statements; ``self`` gets the name that the hook uses."""
    body = ast.parse("\n".join(lines)).body
    for node in (inner for one in body for inner in ast.walk(one)):
        if isinstance(node, ast.Name) and node.id == "self":
            node.id = me
        if at is not None and hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return body


def plain(update: Update, me: str) -> list[ast.stmt]:
    """An update as its own statement, if it shared one with others."""
    x, value = f"self.{update.field}", ast.unparse(update.value)
    if update.does in _SIGNS:
        lines = [f"{x} {_SIGNS[update.does]}= {value}"]
    elif update.does[0] in "<>":
        lines = [f"if ({value}) {update.does} {x}:", f"    {x} = {value}"]
    else:
        lines = [f"{x} = {value}"]
    return parsed(lines, me, update.node)


_SIGNS = {"add": "+", "sub": "-", "mul": "*"}


def as_written() -> Emit:
    """Each statement as the user wrote it. A statement that sets two fields is two updates, but is emitted once."""
    last: ast.stmt | None = None

    def emit(update: Update) -> Sequence[ast.stmt]:
        nonlocal last
        is_new, last = update.node is not last, update.node
        return [update.node] if is_new else []

    return emit


def following(steps: Steps, emit: Emit) -> list[ast.stmt]:
    """What ``emit`` makes of each update, under the same conditions, with the locals that are needed."""
    return _needed(_following(steps, emit), set())


def _following(steps: Steps, emit: Emit) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for step in steps:
        if isinstance(step, Local):
            made = ast.Assign([ast.Name(step.name, ast.Store())], deepcopy(step.value))
            found.append(ast.fix_missing_locations(ast.copy_location(made, step.node)))
        elif isinstance(step, Branch):
            then, otherwise = _following(step.then, emit), _following(step.otherwise, emit)
            if then or otherwise:
                test = deepcopy(step.test)
                if not then:
                    then, otherwise, test = otherwise, [], _not(test)
                found.append(ast.fix_missing_locations(ast.copy_location(ast.If(test, then, otherwise), step.node)))
        else:
            found += emit(step)
    return found


def _not(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and len(test.ops) == 1:
        return ast.Compare(test.left, [ast.IsNot()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _needed(body: list[ast.stmt], wanted: set[str]) -> list[ast.stmt]:
    """Remove locals that nobody reads, and branches that become empty. ``wanted``: names that are read after the body."""
    kept: list[ast.stmt] = []
    for one in reversed(body):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id not in wanted:
            continue
        if isinstance(one, ast.If):
            one.body, one.orelse = _needed(one.body, set(wanted)), _needed(one.orelse, set(wanted))
            if not one.body and not one.orelse:
                continue
            if not one.body:
                one.body = [ast.copy_location(ast.Pass(), one)]
        wanted |= {node.id for node in ast.walk(one) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        kept.append(one)
    return kept[::-1]


def function(
    name: str, parameters: Sequence[str], body: list[ast.stmt], hook: Hook, names: dict[str, Any]
) -> tuple[FunctionType, str]:
    """A hook of this body, and its text."""
    from inwindow.udaf.contract import PUNT

    arguments = ast.arguments([], [ast.arg(parameter) for parameter in parameters], None, [], [], None, [])
    tree = ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None, None)
    ast.fix_missing_locations(ast.copy_location(tree, hook.tree))
    space = {
        **names,
        "PUNT": PUNT,
        "ExactSum": ExactSum,
        "__builtins__": builtins,
        "__name__": hook.function.__module__,
    }
    code = compile(ast.Module([tree], []), hook.function.__code__.co_filename, "exec", dont_inherit=True)
    exec(code, space)
    made: FunctionType = space.pop(name)
    made.__module__ = hook.function.__module__
    return made, ast.unparse(tree)
