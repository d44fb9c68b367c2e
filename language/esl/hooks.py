"""Blocks as methods: what a block returns, and its statements one after the other.

A hook that may give many rows yields them. TERMINATE gives one result for a frame, so its many rows are a list.
"""

import ast
from typing import Any

from inwindow.language.esl import query, scalar, truth
from inwindow.language.esl.changes import change, values_of
from inwindow.language.esl.definition import Block, Definition, Statement
from inwindow.language.esl.kinds import ANY
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import written_table
from inwindow.language.esl.trees import (
    Node,
    call,
    choice,
    constant,
    is_constant,
    is_simple,
    item,
    listed,
    method,
    name,
    row,
    same,
)
from inwindow.language.text import library


class Method:
    """A hook: its statements, and whether it returns a value, yields values, returns a list of them, or gives nothing."""

    def __init__(self, definition: Definition, block: Block, context: Context) -> None:
        self.definition = definition
        self.context = context
        returns = [one for one in block.statements if is_return(one)]
        gives_many = bool(returns) and not self._is_last_word(block, returns)
        self.lists = gives_many and context.hook == "TERMINATE"
        self.yields = gives_many and not self.lists
        self.answers = bool(returns)
        self.nullable = False
        self.body: list[ast.stmt] = []
        if self.lists:
            self.body = self._listed(block)
            return
        for statement in block.statements:
            made = self._answer(statement) if is_return(statement) else change(statement, context)
            self.body += made if not self.body else otherwise(self.body, made)

    def _is_last_word(self, block: Block, returns: list[Statement]) -> bool:
        """One RETURN at the end, of at most one row, is a return."""
        if len(returns) > 1 or block.statements[-1] is not returns[0]:
            return False
        tree = returns[0].tree.expression
        if isinstance(tree, library().exp.Values):
            return len(tree.expressions) == 1
        taken = {*self.context.names.taken}
        self.context.span = returns[0].span
        single = query.read(tree, None, self.context).gives_one_at_most
        self.context.names.taken = taken
        return single

    def _listed(self, block: Block) -> list[ast.stmt]:
        """All rows that TERMINATE returns, as one list."""
        for statement in block.statements:
            if not is_return(statement):
                change(statement, self.context)  # refuses: TERMINATE changes no table
        lists = [self._list_of(statement) for statement in block.statements]
        together = listed([ast.Starred(one, ast.Load()) for one in lists])
        return [ast.Return(lists[0] if len(lists) == 1 else together)]

    def _list_of(self, statement: Statement) -> Node:
        """The rows of one INSERT INTO RETURN."""
        tree, context = self._answered(statement), self.context
        if isinstance(tree, library().exp.Values):
            condition, rows = self._values(statement)
            return listed(rows) if is_constant(condition, True) else choice(condition, listed(rows), listed([]))
        with query.names_of_its_own(context):
            found = query.read(tree, None, context)
            return self._rows(found, self._stored(found.outputs, [one.unalias() for one in tree.expressions]))

    def _answered(self, statement: Statement) -> Any:
        """What stands behind INSERT INTO RETURN."""
        self.context.span = statement.span
        names = statement.tree.this
        if isinstance(names, library().exp.Schema):
            raise self.context.error("RETURN has the columns of the result: drop the names behind it", names)
        return statement.tree.expression

    def _values(self, statement: Statement) -> tuple[Node, list[Node]]:
        """VALUES (...), ... WHERE: when they are given, and the rows."""
        scope, rows = Scope(self.context), []
        condition = constant(True) if statement.condition is None else truth.holds(statement.condition, scope)
        for values in statement.tree.expression.expressions:
            trees = values_of(values)
            rows.append(self._record(self._stored([scalar.value(one, scope) for one in trees], trees)))
        return condition, rows

    def _answer(self, statement: Statement) -> list[ast.stmt]:
        """INSERT INTO RETURN, as a return or a yield."""
        tree, context = self._answered(statement), self.context
        if isinstance(tree, library().exp.Values):
            condition, results = self._values(statement)
            return [one for result in results for one in self._given(condition, result)]
        with query.names_of_its_own(context):
            found = query.read(tree, None, context)
            made = self._stored(found.outputs, [one.unalias() for one in tree.expressions])
            if found.is_single and found.limit == (None, None):
                return self._given(found.when, self._record(made))
            rows = self._rows(found, made)
            if self.yields:
                return [ast.Expr(ast.YieldFrom(rows))]
            self.nullable = True
            value = None if self.definition.is_record else query.value_of_key(found)
            return [ast.Return(value or call(context.helper("first_row"), rows))]

    def _given(self, condition: Node, result: Node) -> list[ast.stmt]:
        if is_constant(condition, False):
            return [] if self.yields else [ast.Return(constant(None))]
        always = is_constant(condition, True)
        if not self.yields:
            self.nullable = self.nullable or not always
            return [ast.Return(result if always else choice(condition, result, constant(None)))]
        emitted: ast.stmt = ast.Expr(ast.Yield(result))
        return [emitted] if always else [ast.If(condition, [emitted], [])]

    def _rows(self, found: query.Query, made: list[Value]) -> Node:
        """All rows; records are made of rows that are told apart first, for a dictionary has no hash."""
        context = self.context
        if not (found.distinct and self.definition.is_record):
            found.outputs = [Value(self._record(made), ANY, True)]
            return query.rows(found, context)
        found.outputs = made
        variables = [Value(name(context.names.fresh(one.name)), one.kind, True) for one in self.definition.results]
        loop = query.loop_over(row([one.node for one in variables]), query.rows(found, context))
        return query.generator(self._record(variables), [loop], [], as_list=True)

    def _stored(self, values: list[Value], trees: list[Any]) -> list[Value]:
        """The columns of a row, as the result's types keep them."""
        results, context = self.definition.results, self.context
        if len(values) != len(results):
            names = f" ({', '.join(one.name for one in results)})" if self.definition.is_record else ""
            raise context.error(
                f"the result has {len(results)} column{'s'[: len(results) != 1]}{names}, and {len(values)} are given"
            )
        made = []
        for at, (one, result) in enumerate(zip(values, results, strict=True)):
            tree = trees[at] if len(trees) == len(values) else trees[0]
            made.append(scalar.stored(one, result.kind, context, tree, "the result"))
        return made

    def _record(self, made: list[Value]) -> Node:
        if not self.definition.is_record:
            self.nullable = self.nullable or made[0].nullable
            return made[0].node
        return ast.Dict([constant(one.name) for one in self.definition.results], [one.node for one in made])

    def written(self, called: str, parameters: list[str], start: list[ast.stmt]) -> ast.stmt:
        """The method."""
        return method(called, parameters, [*start, *self.body] or [ast.Pass()], self._annotation())

    def _annotation(self) -> Node:
        kind = self.definition.results[0].kind.python
        if not self.answers:
            return constant(None)
        if self.definition.is_record or kind in ("decimal", "timedelta"):
            class_ = "dict" if self.definition.is_record else {"decimal": "Decimal", "timedelta": "timedelta"}[kind]
        else:
            class_ = kind
        if module := {"Decimal": "decimal", "timedelta": "datetime", "date": "datetime", "datetime": "datetime"}.get(
            class_
        ):
            self.context.imported(module, class_)
        one = name(class_)
        if self.nullable:
            one = ast.BinOp(one, ast.BitOr(), constant(None))
        if self.lists:
            return item(name("list"), one)
        return item(name(self.context.imported("collections.abc", "Iterator")), one) if self.yields else one


def otherwise(before: list[ast.stmt], after: list[ast.stmt]) -> list[ast.stmt]:
    """``if key in t: t[key] += 1``, then ``if key not in t: ...``: one if with an else, for the keys stay as they are."""
    last, first = before[-1], after[0] if after else None
    if not (isinstance(last, ast.If) and isinstance(first, ast.If) and not last.orelse and not first.orelse):
        return after
    tests = (last.test, first.test)
    if not all(isinstance(test, ast.Compare) and len(test.ops) == 1 for test in tests):
        return after
    one, other = tests
    assert isinstance(one, ast.Compare) and isinstance(other, ast.Compare)
    opposite = isinstance(one.ops[0], ast.In) and isinstance(other.ops[0], ast.NotIn)
    same_key = same(one.left, other.left) and same(one.comparators[0], other.comparators[0])
    if not (opposite and same_key and is_simple(one.left) and len(last.body) == 1):
        return after
    changed = last.body[0]
    place = (
        changed.targets[0]
        if isinstance(changed, ast.Assign)
        else changed.target
        if isinstance(changed, ast.AugAssign)
        else None
    )
    if not (isinstance(place, ast.Subscript) and same(place.value, one.comparators[0]) and same(place.slice, one.left)):
        return after
    last.orelse = first.body
    return after[1:]


def is_return(statement: Statement) -> bool:
    """``INSERT INTO RETURN``."""
    return (
        isinstance(statement.tree, library().exp.Insert) and written_table(statement.tree).name.casefold() == "return"
    )
