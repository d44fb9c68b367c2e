"""A hook as a function over the scalars of the state: `self.total` becomes a variable that goes in and comes out.

::

    def iterate(self, value):            def iterate(s_total, s_count, _one, c_alpha, v_value):
        self.total += value                  s_total = (s_total + v_value)
        self.count += 1                      s_count = _add(s_count, 1)
                                             return s_total, s_count, False
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from inwindow.udaf.compiled.expressions import B, Expressions, F, I, Refused, Typed, _an
from inwindow.udaf.compiled.reading import Function, HookText


@dataclass
class State:
    """The attributes of ``self``: their types, and which of them hooks change."""

    types: dict[str, str]
    changing: list[str]
    born: set[str] = field(default_factory=set)  # have a value before a hook runs
    first: dict[str, str] = field(default_factory=dict)  # which hook gave them their type

    @property
    def constant(self) -> list[str]:
        """The attributes that no hook changes."""
        return [name for name in self.types if name not in self.changing]


class Statements:
    """Writes one hook."""

    def __init__(self, hook: HookText, state: State, kinds: list[str], result: str) -> None:
        self.hook, self.state, self.result = hook, state, result
        self.tree = hook.tree
        arguments = self.tree.args
        if arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.defaults:
            raise Refused(self.tree, "hooks with *, ** or default values are not compiled")
        self.this, *self.parameters = hook.parameters
        self.locals: dict[str, str] = dict(zip(self.parameters, kinds, strict=True)) if hook.name != "terminate" else {}
        self.known = set(self.locals)  # variables that have a value here
        self.has = set(state.born)  # attributes that have one
        self.ends: list[set[str]] = []  # `has` wherever the hook returns
        self.temporaries = 0
        self.expressions = Expressions(self.this, hook.meanings, self._look_up)

    def written(self) -> list[str]:
        """The lines of the body."""
        lines, ended = self._block(self.tree.body)
        return lines if ended else [*lines, *self._return(None, self.tree)]

    # Names

    def _look_up(self, node: ast.AST, name: str, of_self: bool) -> Typed | None:
        if not of_self:
            if name in self.locals and name not in self.known:
                raise Refused(node, f"{name} may have no value here")
            return (f"v_{name}", self.locals[name]) if name in self.locals else None
        if name not in self.has:
            raise Refused(
                node,
                f"{self.this}.{name} is no number of 64 bits, or may have no value yet: set it in `initialize` or "
                "`__init__`, to a number",
            )
        return f"{'s' if name in self.state.changing else 'c'}_{name}", self.state.types[name]

    def _assign(self, target: ast.expr, typed: Typed) -> str:
        text, kind = typed
        if isinstance(target, ast.Name):
            if target.id == self.this:
                raise Refused(target, f"{target.id} is the aggregate, and is not set to a number")
            before = self.locals.setdefault(target.id, kind)
            if before != kind:
                raise Refused(target, f"{target.id} is {_an(before)} and then {_an(kind)}: give it one type")
            self.known.add(target.id)
            return f"v_{target.id} = {text}"
        if not (
            isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == self.this
        ):
            raise Refused(
                target, f"setting {ast.unparse(target)} is not compiled; hooks may set variables and attributes of self"
            )
        name = target.attr
        if self.hook.name == "terminate":
            raise Refused(target, f"terminate sets {self.this}.{name}, but must not change the state")
        if name not in self.state.types:
            if self.hook.name != "initialize":
                raise Refused(
                    target, f"{self.this}.{name} is set here and not before: set it in `initialize` or `__init__`"
                )
            self.state.types[name] = kind
        before = self.state.types[name]
        where = self.state.first.setdefault(name, self.hook.name)
        if before != kind:
            there = f"in {where}" if where != self.hook.name else "before"
            raise Refused(
                target,
                f"{self.this}.{name} is {_an(before)} {there} and {_an(kind)} here, and compiled code has one type for it: "
                f"write {'0.0 for 0, float(...)' if {before, kind} == {I, F} else 'the same'} everywhere",
            )
        self.has.add(name)
        return f"s_{name} = {text}"

    # Statements

    def _block(self, body: list[ast.stmt]) -> tuple[list[str], bool]:
        """The lines, and whether the hook ends in them."""
        lines: list[str] = []
        for statement in body:
            make = getattr(self, f"do_{type(statement).__name__.lower()}", None)
            if make is None:
                raise Refused(
                    statement,
                    "this statement is not compiled; hooks may use assignments, if, for, while, return, raise and assert",
                )
            made, ended = make(statement)
            lines += made
            if ended:
                return lines, True
        return lines or ["pass"], False

    def do_pass(self, node: ast.Pass) -> tuple[list[str], bool]:
        return ["pass"], False

    def do_expr(self, node: ast.Expr) -> tuple[list[str], bool]:
        if isinstance(node.value, ast.Constant):
            return ["pass"], False
        raise Refused(node, "this is not compiled; hooks may use numbers and math")

    def _assign_values(self, target: ast.expr, value: ast.expr) -> list[str]:
        if not isinstance(target, (ast.Tuple, ast.List)):
            return [self._assign(target, self.expressions.of(value))]
        if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
            raise Refused(value, "this is no tuple of as many values as names")
        given = [self.expressions.of(item) for item in value.elts]
        self.temporaries += 1
        names = [f"t{self.temporaries}_{index}" for index in range(len(given))]
        lines = [f"{name} = {text}" for name, (text, _) in zip(names, given, strict=True)]
        return lines + [
            self._assign(one, (name, kind)) for one, name, (_, kind) in zip(target.elts, names, given, strict=True)
        ]

    def do_assign(self, node: ast.Assign) -> tuple[list[str], bool]:
        if len(node.targets) == 1:
            return self._assign_values(node.targets[0], node.value), False
        text, kind = self.expressions.of(node.value)
        self.temporaries += 1
        kept = f"t{self.temporaries}"
        return [f"{kept} = {text}", *(self._assign(one, (kept, kind)) for one in node.targets)], False

    def do_annassign(self, node: ast.AnnAssign) -> tuple[list[str], bool]:
        return ([] if node.value is None else self._assign_values(node.target, node.value)), False

    def do_augassign(self, node: ast.AugAssign) -> tuple[list[str], bool]:
        left = self.expressions.of(node.target)
        made = self.expressions.combined(node, node.op, left, self.expressions.of(node.value), node.value)
        return [self._assign(node.target, made)], False

    def do_if(self, node: ast.If) -> tuple[list[str], bool]:
        test = self.expressions.test(node.test)
        known, has = set(self.known), set(self.has)
        yes, yes_ended = self._block(node.body)
        after = self.known, self.has
        self.known, self.has = known, has
        no, no_ended = self._block(node.orelse)
        if no_ended:
            self.known, self.has = after
        elif not yes_ended:
            self.known, self.has = self.known & after[0], self.has & after[1]
        lines = [f"if {test}:", *_indented(yes)]
        return lines + (["else:", *_indented(no)] if node.orelse else []), yes_ended and no_ended

    def do_while(self, node: ast.While) -> tuple[list[str], bool]:
        return self._loop(node, lambda: f"while {self.expressions.test(node.test)}:"), False

    def do_for(self, node: ast.For) -> tuple[list[str], bool]:
        called = node.iter
        meaning = self.hook.meanings.get("range") if isinstance(called, ast.Call) else None
        if (
            not isinstance(called, ast.Call)
            or not isinstance(node.target, ast.Name)
            or ast.unparse(called.func) != "range"
            or meaning != Function("range")
            or called.keywords
            or len(called.args) not in (1, 2)
        ):
            raise Refused(node.iter, "loops are compiled over range(n) and range(first, last) alone")
        typed = [self.expressions.of(argument) for argument in called.args]
        if any(kind != I for _, kind in typed):
            raise Refused(node.iter, "the bounds of a range are ints")
        name = node.target.id
        if self.locals.setdefault(name, I) != I:
            raise Refused(node.target, f"{name} is {_an(self.locals[name])} and then an int: give it one type")
        head = f"for v_{name} in range({', '.join(text for text, _ in typed)}):"
        return self._loop(node, lambda: head, name), False

    def _loop(self, node: ast.While | ast.For, head: Callable[[], str], *names: str) -> list[str]:
        """After the loop, and in its next round, a variable of the body may have no value: the body may not have run."""
        if node.orelse:
            raise Refused(node.orelse[0], "the `else` of a loop is not compiled")
        known, has = set(self.known), set(self.has)
        first = head()
        self.known |= set(names)
        body, _ = self._block(node.body)
        self.known, self.has = known, has
        return [first, *_indented(body)]

    def do_break(self, node: ast.Break) -> tuple[list[str], bool]:
        return ["break"], True

    def do_continue(self, node: ast.Continue) -> tuple[list[str], bool]:
        return ["continue"], True

    def do_raise(self, node: ast.Raise) -> tuple[list[str], bool]:
        return ["raise Bail"], True  # the plain hooks will raise it

    def do_assert(self, node: ast.Assert) -> tuple[list[str], bool]:
        return [f"if not {self.expressions.test(node.test)}:", "    raise Bail"], False

    def do_return(self, node: ast.Return) -> tuple[list[str], bool]:
        return self._return(node.value, node), True

    def _return(self, value: ast.expr | None, node: ast.AST) -> list[str]:
        nothing = value is None or _is_none(value)
        if self.hook.name == "terminate":
            if isinstance(value, ast.IfExp) and any(map(_is_none, (value.body, value.orelse))):
                branches = [[f"    {line}" for line in self._return(one, node)] for one in (value.body, value.orelse)]
                return [f"if {self.expressions.test(value.test)}:", *branches[0], "else:", *branches[1]]
            zero = "0.0" if self.result == F else "0"
            if nothing or value is None:
                return [f"return {zero}, True"]
            text, kind = self.expressions.of(value)
            if kind == B or (kind == F and self.result == I):
                raise Refused(node, f"terminate gives {_an(kind)}, which the result type does not take")
            return [f"return {self.expressions.as_float(value, (text, kind)) if self.result == F else text}, False"]
        self.ends.append(set(self.has))
        punts = value is not None and self.hook.name == "expire" and self.expressions.is_punt(value)
        if not nothing and not punts:
            raise Refused(node, f"{self.hook.name} returns a value, which nobody reads, as the class has a terminate")
        if punts:
            # The state is thrown away: attributes that are not set yet have any value.
            return [f"return ({self.out()}True,)"]
        return [f"return ({self.out()}False,)"]

    def out(self) -> str:
        """The state, as it is returned."""
        return "".join(f"s_{name}, " for name in self.state.changing)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
