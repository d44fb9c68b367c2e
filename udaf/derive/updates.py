"""The updates of a hook: how it changes the fields of self, in known forms, under conditions on the arguments only.

::

    def iterate(self, price, volume):            Local(worth = price * volume)
        worth = price * volume                   Branch(worth > limit)
        if worth > self.limit:                       Update(large += 1)
            self.large += 1                      Update(total += worth)
        self.total += worth
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from inwindow.udaf.derive.hook import Cannot, Hook
from inwindow.udaf.derive.pure import Kind, Pure


@dataclass(frozen=True)
class Update:
    """A change of one field: an operation with a pure value, and with a pure key if the field is a dict."""

    field: str
    does: str  # add, sub, mul, >, >=, <, <=, set, count, append, put, empty
    value: ast.expr
    kind: Kind
    node: ast.stmt
    key: ast.expr | None = None
    key_kind: Kind = None
    from_none: bool = False  # an extreme that starts as None
    keeps_first: bool = True  # an extreme that ignores each NaN after the first value
    is_new: bool = False  # the container is created here
    leaves: frozenset[Kind] = frozenset()  # the possible types of the value, if there are several


@dataclass(frozen=True)
class Local:
    """A local variable, of a pure value."""

    name: str
    value: ast.expr
    node: ast.stmt


@dataclass(frozen=True)
class Branch:
    """One of two ways, by a pure test."""

    test: ast.expr
    then: "Steps"
    otherwise: "Steps"
    node: ast.stmt


Steps = Sequence[Update | Local | Branch]
_SIGNS = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_OPERATIONS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


def fields_of(hook: Hook) -> set[str]:
    """The attributes of self that a hook may change: all that it uses, except those that it only reads like parameters."""
    found = set()
    for node in ast.walk(hook.tree):
        if isinstance(node, ast.Attribute) and _is_me(node.value, hook):
            if not isinstance(node.ctx, ast.Load):
                found.add(node.attr)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found |= _mine(node.value, hook)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute):
                found |= _mine(called.value, hook)
    return found


def _mine(it: ast.expr, hook: Hook) -> set[str]:
    return {it.attr} if isinstance(it, ast.Attribute) and _is_me(it.value, hook) else set()


def _is_me(it: ast.expr, hook: Hook) -> bool:
    return isinstance(it, ast.Name) and it.id == hook.me


@dataclass
class Reader:
    """Reads the body of a hook."""

    hook: Hook
    pure: Pure
    step: "Reader | None" = None  # the reader of iterate, for `self.iterate(value)` in initialize

    def body(self) -> Steps:
        """The whole hook."""
        return self.read(self.hook.tree.body, outermost=True)

    def read(self, statements: Sequence[ast.stmt], *, outermost: bool = False) -> list[Update | Local | Branch]:
        """Read statements in order. A return ends the hook; it is understood only at the top level or inside one `if`."""
        steps: list[Update | Local | Branch] = []
        for number, statement in enumerate(statements):
            if isinstance(statement, ast.Pass) or _is_text(statement):
                continue
            if outermost and isinstance(statement, ast.If) and _leaves(statement.body) and not statement.orelse:
                self.pure.kind(statement.test)
                then = self.read(statement.body[:-1])
                rest = self.read(statements[number + 1 :], outermost=True)
                steps.append(Branch(statement.test, then, rest, statement))
                return steps
            if outermost and isinstance(statement, ast.Return) and statement.value is None:
                return steps
            steps += self._statement(statement)
        return steps

    def _statement(self, it: ast.stmt) -> list[Update | Local | Branch]:
        if isinstance(it, ast.If):
            return self._if(it)
        if isinstance(it, ast.Assign):
            if len(it.targets) > 1 and not _is_number(it.value):
                raise Cannot(f"`{ast.unparse(it)}` may make two names of one object")
            steps = [step for target in it.targets for step in self._assign(target, it.value, it)]
            fields = [step.field for step in steps if isinstance(step, Update)]
            if len({*fields}) < len(fields):
                raise Cannot(f"`{ast.unparse(it)}` in {self.hook.name} sets a field twice")
            return steps
        if isinstance(it, ast.AnnAssign) and it.value is not None:
            return self._assign(it.target, it.value, it)
        if isinstance(it, ast.AugAssign):
            return self._changed(it)
        if isinstance(it, ast.Expr) and isinstance(it.value, ast.Call):
            return self._called(it.value, it)
        raise self._unknown(it)

    def _unknown(self, it: ast.AST) -> Cannot:
        read = [node.attr for node in ast.walk(it) if isinstance(node, ast.Attribute) and _is_me(node.value, self.hook)]
        if isinstance(it, (ast.For, ast.While, ast.Try, ast.With, ast.FunctionDef, ast.Match)):
            return Cannot(f"{self.hook.name} has a `{type(it).__name__.lower().replace('functiondef', 'def')}`")
        shown = ast.unparse(it).splitlines()[0]
        what = f", with self.{read[0]} in it" if read else ""
        return Cannot(f"`{shown}` in {self.hook.name} is an update of no known form{what}")

    # self.x = ..., x = ..., self.x, self.y = ..., ...

    def _assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> list[Update | Local | Branch]:
        if isinstance(target, ast.Tuple):
            if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
                raise self._unknown(node)
            if not all(_mine(one, self.hook) for one in target.elts):
                raise self._unknown(node)
            return [
                step for one, its in zip(target.elts, value.elts, strict=True) for step in self._assign(one, its, node)
            ]
        if isinstance(target, ast.Name):
            return [self._local(target.id, value, node)]
        name = self._field(target)
        if name is not None:
            return [self._set(name, value, node)]
        if isinstance(target, ast.Subscript):
            return [self._counted(target, value, node)]
        raise self._unknown(node)

    def _local(self, name: str, value: ast.expr, node: ast.stmt) -> Local:
        if name in self.hook.parameters or name == self.hook.me:
            raise Cannot(f"{self.hook.name} sets its argument {name} anew")
        kind = self.pure.kind(value)
        known = self.pure.kinds
        known[name] = kind if name not in known or known[name] is kind else None
        return Local(name, value, node)

    def _field(self, it: ast.expr) -> str | None:
        return it.attr if isinstance(it, ast.Attribute) and _is_me(it.value, self.hook) else None

    def _is_field(self, it: ast.expr, name: str) -> bool:
        return self._field(it) == name

    def _update(self, name: str, does: str, value: ast.expr, node: ast.stmt, **more: Any) -> Update:
        kind, leaves = self.pure.kind(value), frozenset(map(self.pure.kind, ways_of(value)))
        return Update(name, does, value, kind, node, leaves=leaves, **more)

    def _set(self, name: str, value: ast.expr, node: ast.stmt) -> Update:
        if isinstance(value, ast.BinOp) and type(value.op) in _OPERATIONS:
            does = _OPERATIONS[type(value.op)]
            if self._is_field(value.left, name):
                return self._update(name, does, value.right, node)
            if self._is_field(value.right, name) and does != "sub":
                return self._update(name, does, value.left, node)
        extreme = self._extreme(name, value)
        if extreme is not None:
            sign, its, keeps_first = extreme
            return self._update(name, sign, its, node, keeps_first=keeps_first)
        found = self._container(name, value, node)
        return found if found is not None else self._update(name, "set", value, node)

    def _extreme(self, name: str, it: ast.expr) -> tuple[str, ast.expr, bool] | None:
        """``max(self.x, v)`` keeps the first of equals, ``max(v, self.x)`` the last; as ``v > self.x``, ``v >= self.x``."""
        if not (isinstance(it, ast.Call) and isinstance(it.func, ast.Name) and len(it.args) == 2 and not it.keywords):
            return None
        function = self.hook.known(it.func.id)[1] if it.func.id not in self.pure.kinds else None
        if function is not max and function is not min:
            return None
        self.pure.names[it.func.id] = function
        sign = ">" if function is max else "<"
        if self._is_field(it.args[0], name):
            return sign, it.args[1], True
        return (sign + "=", it.args[0], False) if self._is_field(it.args[1], name) else None

    def _container(self, name: str, it: ast.expr, node: ast.stmt) -> Update | None:
        """A new dict, list or set, empty or of one thing."""
        kind, text = self._empty(it), ast.unparse(it)
        if kind is not None:
            return Update(name, "empty", it, kind, node)
        if isinstance(it, ast.Dict) and len(it.keys) == 1 and it.keys[0] is not None:
            key = it.keys[0]
            return self._update(name, "count", it.values[0], node, key=key, key_kind=self.pure.kind(key), is_new=True)
        if isinstance(it, (ast.List, ast.Set)) and len(it.elts) == 1 and text[0] in "[{":
            return self._update(name, "append" if isinstance(it, ast.List) else "put", it.elts[0], node, is_new=True)
        return None

    def _empty(self, it: ast.expr) -> type | None:
        if isinstance(it, (ast.List, ast.Dict)) and ast.unparse(it) in ("[]", "{}"):
            return list if isinstance(it, ast.List) else dict
        if isinstance(it, ast.Call) and isinstance(it.func, (ast.Name, ast.Attribute)) and not it.keywords:
            function = self.pure.called(it.func)
            if not it.args:
                return next((kind for kind in (set, dict, list, Counter) if kind is function), None)
            if function is defaultdict and len(it.args) == 1 and self.pure.called(it.args[0]) is int:
                return defaultdict
        return None

    # self.x += ..., self.x[key] += ...

    def _changed(self, it: ast.AugAssign) -> list[Update | Local | Branch]:
        does = _OPERATIONS.get(type(it.op))
        if isinstance(it.target, ast.Name) and does is not None:
            here = ast.Name(it.target.id, ast.Load())
            return [self._local(it.target.id, ast.copy_location(ast.BinOp(here, it.op, it.value), it), it)]
        name = self._field(it.target)
        if does is None:
            raise self._unknown(it)
        if name is not None:
            return [self._update(name, does, it.value, it)]
        if isinstance(it.target, ast.Subscript) and does == "add":
            name = self._field(it.target.value)
            if name is not None:
                return [self._count(name, it.target.slice, it.value, it)]
        raise self._unknown(it)

    def _count(self, name: str, key: ast.expr, value: ast.expr, node: ast.stmt) -> Update:
        return self._update(name, "count", value, node, key=key, key_kind=self.pure.kind(key))

    def _counted(self, target: ast.Subscript, value: ast.expr, node: ast.stmt) -> Update:
        """``self.x[key] = self.x.get(key, 0) + 1``"""
        name = self._field(target.value)
        if name is not None and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            got = f"{ast.unparse(target.value)}.get({ast.unparse(target.slice)}, 0)"
            for one, other in ((value.left, value.right), (value.right, value.left)):
                if ast.unparse(one) == got:
                    return self._count(name, target.slice, other, node)
        raise self._unknown(node)

    # self.x.append(...), self.x.add(...), self.iterate(...)

    def _called(self, it: ast.Call, node: ast.stmt) -> list[Update | Local | Branch]:
        if isinstance(it.func, ast.Attribute) and not it.keywords:
            name = self._field(it.func.value)
            if name is not None and len(it.args) == 1 and it.func.attr in ("append", "add"):
                return [self._update(name, "append" if it.func.attr == "append" else "put", it.args[0], node)]
            step, given = self.step, [ast.unparse(argument) for argument in it.args]
            if step is not None and self._field(it.func) == step.hook.name and given == list(self.hook.parameters):
                return list(renamed(step.body(), step.hook, self.hook))
        raise self._unknown(node)

    # if ...

    def _if(self, it: ast.If) -> list[Update | Local | Branch]:
        for found in (self._if_beyond(it), self._if_known(it)):
            if found is not None:
                return [found]
        self.pure.kind(it.test)
        return [Branch(it.test, self.read(it.body), self.read(it.orelse), it)]

    def _if_beyond(self, it: ast.If) -> Update | None:
        """``if v > self.x: self.x = v``, ``if self.x is None or v > self.x: self.x = v``"""
        body, test, from_none = it.body, it.test, False
        if it.orelse or len(body) != 1 or not isinstance(body[0], ast.Assign) or len(body[0].targets) != 1:
            return None
        name, value = self._field(body[0].targets[0]), body[0].value
        if name is None:
            return None
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) and len(test.values) == 2:
            if ast.unparse(test.values[0]) != f"{self.hook.me}.{name} is None":
                return None
            test, from_none = test.values[1], True
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _SIGNS):
            return None
        sign, shown = _SIGNS[type(test.ops[0])], ast.unparse(value)
        if self._is_field(test.comparators[0], name) and ast.unparse(test.left) == shown:
            return self._update(name, sign, value, it, from_none=from_none)
        if self._is_field(test.left, name) and ast.unparse(test.comparators[0]) == shown:
            return self._update(name, _TURNED[sign], value, it, from_none=from_none)
        return None

    def _if_known(self, it: ast.If) -> Update | None:
        """``if key in self.x: self.x[key] += 1``, ``else: self.x[key] = 1``"""
        if len(it.body) != 1 or len(it.orelse) != 1 or not isinstance(it.test, ast.Compare) or len(it.test.ops) != 1:
            return None
        there, new = it.body[0], it.orelse[0]
        if isinstance(it.test.ops[0], ast.NotIn):
            there, new = new, there
        elif not isinstance(it.test.ops[0], ast.In):
            return None
        name, key = self._field(it.test.comparators[0]), ast.unparse(it.test.left)
        if name is None or not isinstance(there, ast.AugAssign) or not isinstance(there.op, ast.Add):
            return None
        place = f"{self.hook.me}.{name}[{key}]"
        if ast.unparse(there.target) == place and ast.unparse(new) == f"{place} = {ast.unparse(there.value)}":
            return self._count(name, it.test.left, there.value, it)
        return None


def ways_of(it: ast.expr) -> list[ast.expr]:
    """The values of which an expression may have one."""
    if isinstance(it, ast.IfExp):
        return [*ways_of(it.body), *ways_of(it.orelse)]
    if isinstance(it, ast.BoolOp):
        return [way for value in it.values for way in ways_of(value)]
    return [it]


def _is_number(it: ast.expr) -> bool:
    """Whether it cannot be a container: constants, names, and arithmetic of such."""
    return all(
        isinstance(node, (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context))
        for node in ast.walk(it)
    )


def _is_text(it: ast.stmt) -> bool:
    return isinstance(it, ast.Expr) and isinstance(it.value, ast.Constant)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    last = body[-1]
    return isinstance(last, ast.Return) and (last.value is None or ast.unparse(last.value) == "None")


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, it: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(it.id, it.id), it.ctx), it)


def renamed(steps: Steps, hook: Hook, other: Hook) -> Steps:
    """The steps of one hook with the parameter names of another."""
    names = dict(zip((hook.me, *hook.parameters), (other.me, *other.parameters), strict=True))
    if all(name == new for name, new in names.items()):
        return steps
    taken = set(other.parameters) - set(hook.parameters)
    if any(isinstance(step, Local) and step.name in taken for step in every(steps)):
        raise Cannot(f"{hook.name} has a local of the name of an argument of {other.name}")
    made: dict[int, Any] = {}  # one statement stays one, though it is of several steps

    def again(it: Any) -> Any:
        if id(it) not in made:
            made[id(it)] = None if it is None else _Renamed(names).visit(deepcopy(it))
        return made[id(it)]

    def with_names(step: Update | Local | Branch) -> Update | Local | Branch:
        if isinstance(step, Update):
            return replace(step, value=again(step.value), key=again(step.key), node=again(step.node))
        if isinstance(step, Local):
            return replace(step, value=again(step.value), node=again(step.node))
        then, otherwise = ([with_names(one) for one in steps] for steps in (step.then, step.otherwise))
        return replace(step, test=again(step.test), then=then, otherwise=otherwise)

    return [with_names(step) for step in steps]


def every(steps: Steps) -> list[Update | Local | Branch]:
    """All steps, those in branches too."""
    found: list[Update | Local | Branch] = []
    for step in steps:
        found.append(step)
        if isinstance(step, Branch):
            found += every(step.then) + every(step.otherwise)
    return found
