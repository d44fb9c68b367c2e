"""Make methods of blocks: the statements of a block, and how it returns its result.

A hook that may give many rows yields them. TERMINATE gives one result per frame, so it returns many rows as a list.
"""

import ast
from typing import Any

from inwindow.language.esl import query, scalar, select, truth
from inwindow.language.esl.changes import change, values_of
from inwindow.language.esl.conversions import stored
from inwindow.language.esl.costs import cost_of
from inwindow.language.esl.definition import Block, Definition, Statement
from inwindow.language.esl.kinds import ANY
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import fields_of, written_table
from inwindow.language.esl.tidy import tidy
from inwindow.language.esl.trees import (
    Node,
    call,
    choice,
    constant,
    is_constant,
    is_null,
    item,
    listed,
    method,
    name,
    replaced,
    row,
    target,
)
from inwindow.language.text import library


class Method:
    """A hook: its statements, and whether it returns a value, yields values, returns a list, or gives nothing."""

    def __init__(self, definition: Definition, block: Block, context: Context) -> None:
        self.definition = definition
        self.context = context
        self.block = block
        returns = [one for one in block.statements if is_return(one)]
        gives_many = bool(returns) and not self._is_last_word(block, returns)
        self.lists = gives_many and context.hook == "TERMINATE"
        self.yields = gives_many and not self.lists
        self.answers = bool(returns)
        self.nullable = False
        self.costs: list[tuple[Statement, str]] = []
        self.body: list[ast.stmt] = []
        if self.lists:
            self.body = self._listed(block)
            return
        for statement in block.statements:
            made = self._answer(statement) if is_return(statement) else change(statement, context)
            self.costs.append((statement, cost_of(made, context.tables)))
            self.body += made

    def _is_last_word(self, block: Block, returns: list[Statement]) -> bool:
        """Whether there is one RETURN, at the end and with at most one row: then it becomes a return."""
        if len(returns) > 1 or block.statements[-1] is not returns[0]:
            return False
        tree = returns[0].tree.expression
        if isinstance(tree, library().exp.Values):
            return len(tree.expressions) == 1
        taken = {*self.context.names.taken}
        self.context.span = returns[0].span
        single = select.read(tree, None, self.context).gives_one_at_most
        self.context.names.taken = taken
        return single

    def _listed(self, block: Block) -> list[ast.stmt]:
        """All rows that TERMINATE returns, as one list."""
        for statement in block.statements:
            if not is_return(statement):
                change(statement, self.context)  # refuses: TERMINATE changes no table
        lists = [self._list_of(statement) for statement in block.statements]
        self.costs = [
            (one, cost_of([made], self.context.tables)) for one, made in zip(block.statements, lists, strict=True)
        ]
        together = listed([ast.Starred(one, ast.Load()) for one in lists])
        return [ast.Return(lists[0] if len(lists) == 1 else together)]

    def _list_of(self, statement: Statement) -> Node:
        """The rows of one INSERT INTO RETURN."""
        tree, context = self._answered(statement), self.context
        if isinstance(tree, library().exp.Values):
            condition, rows = self._values(statement)
            return listed(rows) if is_constant(condition, True) else choice(condition, listed(rows), listed([]))
        with query.names_of_its_own(context):
            found = select.read(tree, None, context)
            return self._rows(found, self._stored(found.outputs, select.selected(tree)))

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
            found = select.read(tree, None, context)
            made = self._stored(found.outputs, select.selected(tree))
            if found.is_single and found.limit == (None, None):
                return self._given(found.when, self._record(made))
            rows = self._rows(found, made)
            if self.yields:
                return [ast.Expr(ast.YieldFrom(rows))]
            self.nullable = True
            value = None if self.definition.is_record else query.value_of_key(found)
            return [ast.Return(value)] if value is not None else self._first(found, made, rows)

    def _first(self, found: query.Query, made: list[Value], rows: Node) -> list[ast.stmt]:
        """The first of the rows, or NULL."""
        order = query.first_of_rows(found, self.context)
        if order is None:
            return [ast.Return(call(self.context.helper("first_row"), rows))]
        best = name(self.context.names.fresh("first"))
        least = call("min", *order.rows, **order.key, default=constant(None))
        result = replaced(self._record(made), fields_of(order.variables, best))
        return [
            ast.Assign([target(best)], least),
            ast.Return(choice(is_null(best), constant(None), result)),
        ]

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
        """All rows; with DISTINCT, rows are made distinct before they become records, because a dict has no hash."""
        context = self.context
        if not (found.distinct and self.definition.is_record):
            found.outputs = [Value(self._record(made), ANY, True)]
            return query.rows(found, context)
        found.outputs = made
        variables = [Value(name(context.names.fresh(one.name)), one.kind, True) for one in self.definition.results]
        loop = query.loop_over(row([one.node for one in variables]), query.rows(found, context))
        return query.generator(self._record(variables), [loop], [], as_list=True)

    def _stored(self, values: list[Value], trees: list[Any]) -> list[Value]:
        """The columns of a row, converted to the result's types."""
        results, context = self.definition.results, self.context
        if len(values) != len(results):
            names = f" ({', '.join(one.name for one in results)})" if self.definition.is_record else ""
            raise context.error(
                f"the result has {len(results)} column{'s'[: len(results) != 1]}{names}, and {len(values)} are given"
            )
        made = []
        for at, (one, result) in enumerate(zip(values, results, strict=True)):
            tree = trees[at] if len(trees) == len(values) else trees[0]
            made.append(stored(one, result.kind, context, tree, "the result"))
        return made

    def _record(self, made: list[Value]) -> Node:
        if not self.definition.is_record:
            self.nullable = self.nullable or made[0].nullable
            return made[0].node
        return ast.Dict([constant(one.name) for one in self.definition.results], [one.node for one in made])

    def written(self, called: str, parameters: list[str], start: list[ast.stmt]) -> ast.stmt:
        """The method as a syntax tree, with the lines of ``start`` first."""
        body = tidy([*start, *self.body], self.context.names)
        return method(called, parameters, body or [ast.Pass()], self._annotation())

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


def is_return(statement: Statement) -> bool:
    """``INSERT INTO RETURN``."""
    return (
        isinstance(statement.tree, library().exp.Insert) and written_table(statement.tree).name.casefold() == "return"
    )
