"""GROUP BY and aggregates: a row for each group, or for all rows."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from inwindow.language.esl.functions import called
from inwindow.language.esl.kinds import ANY, FLOAT, INT
from inwindow.language.esl.query import Query, generator, length_of, loop_over
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import Scan, Window
from inwindow.language.esl.trees import Node, attribute, call, constant, is_known, name
from inwindow.language.esl.values import AGGREGATES, STATISTICS
from inwindow.language.text import library


@dataclass
class Grouping:
    """The scope after GROUP BY: an expression may use keys, aggregates, and the surrounding scopes."""

    inner: Scope
    keys: list[tuple[Any, Value]]
    loops: list[Scan]
    conditions: list[Node]

    def value(self, tree: Any) -> Value | None:
        """The value of a key or an aggregate; None for other expressions."""
        exp = library().exp
        for key, known in self.keys:
            if key == tree:
                return known
        context = self.inner.context
        if isinstance(tree, exp.Filter) and _is_aggregate(tree.this, context):
            kept = self.inner.holds(tree.expression.this)
            return replace(self, conditions=[*self.conditions, kept]).value(tree.this)
        if _is_aggregate(tree, context):
            return self._aggregate(tree)
        if isinstance(tree, exp.Column) and self.inner.has(tree):
            raise context.error(f"{tree.name} is neither in GROUP BY nor inside an aggregate", tree)
        return None

    def _aggregate(self, tree: Any) -> Value:
        """A call of an aggregate over the rows."""
        exp, context = library().exp, self.inner.context
        function, arguments = _called(tree, context)
        distinct = bool(arguments) and isinstance(arguments[0], exp.Distinct)
        if distinct:
            arguments = list(arguments[0].expressions)
        if function in context.aggregates:
            return self._user_aggregate(tree, function, arguments)
        if function == "count" and (not arguments or isinstance(arguments[0], exp.Star)):
            return Value(self._count(), INT, False)
        if len(arguments) != 1:
            raise context.error(f"{function}(...) takes one value", tree)
        one = self.inner.value(arguments[0])
        conditions = [*self.conditions, is_known(one.node)] if one.nullable else self.conditions
        if function == "count" and not distinct:
            return Value(
                call("sum", generator(constant(1), self.loops, conditions)) if conditions else self._count(), INT, False
            )
        values: Node = generator(one.node, self.loops, conditions, as_set=distinct)
        if function == "count":
            return Value(call("len", values), INT, False)
        if function in ("min", "max"):
            return Value(call(function, values, default=constant(None)), one.kind, True)
        if one.kind.python not in ("", "int", "float", "decimal"):
            raise context.error(
                f"{function}(...) is for numbers, and {arguments[0].sql('spark')} is {one.kind.ddl}", tree
            )
        if function in STATISTICS:
            return Value(call(context.helper("statistic"), constant(function), values), FLOAT, True)
        whole = not one.nullable and not distinct
        if function == "sum":
            helper = "real_sum" if whole and one.kind is FLOAT else "total"
            return Value(call(context.helper(helper), self._each(values)), one.kind, True)
        helper = "real_mean" if whole and one.kind in (FLOAT, INT) else "mean"
        kind = one.kind if one.kind.python == "decimal" else FLOAT
        return Value(call(context.helper(helper), self._each(values)), kind, True)

    @staticmethod
    def _each(values: Node) -> Node:
        """``x for x in rows`` is ``rows``."""
        if isinstance(values, ast.GeneratorExp) and len(values.generators) == 1 and not values.generators[0].ifs:
            loop = values.generators[0]
            return loop.iter if ast.unparse(values.elt) == ast.unparse(loop.target) else values
        return values

    def _count(self) -> Node:
        if len(self.loops) == 1 and not self.conditions and self.loops[0].key is None:
            return call("len", length_of(self.loops[0]))
        return call("sum", generator(constant(1), self.loops, self.conditions))

    def _user_aggregate(self, tree: Any, function: str, arguments: list[Any]) -> Value:
        context = self.inner.context
        kind = context.aggregates[function]
        traits = kind._traits
        assert traits is not None
        if not traits.has_terminate:
            raise context.error(f"{function} has no TERMINATE, so it gives no result for a table of rows", tree)
        if getattr(kind, "gives_rows", False):
            raise context.error(
                f"{function} returns many rows, and here one value is wanted: write LIMIT 1 in it", tree
            )
        if traits.arity not in (None, len(arguments)):
            raise context.error(f"{function} takes {traits.arity} values, and is given {len(arguments)}", tree)
        values = [self.inner.value(one).node for one in arguments]
        rows_ = generator(ast.Tuple(values, ast.Load()), self.loops, self.conditions)
        return Value(call(context.helper("fold"), name(context.called[function]), rows_), ANY, True)


def _called(tree: Any, context: Context) -> tuple[str, list[Any]]:
    return called(tree, {*AGGREGATES, *context.aggregates})


def _is_aggregate(tree: Any, context: Context) -> bool:
    return isinstance(tree, library().exp.Func) and bool(_called(tree, context)[0])


def aggregates_in(tree: Any, context: Context) -> bool:
    """Whether an aggregate is called in it, outside of subqueries."""
    exp = library().exp
    return any(
        _is_aggregate(one, context)
        for one in tree.walk(prune=lambda one: isinstance(one, exp.Query))
        if not isinstance(one, exp.Query)
    )


def group_keys(tree: Any) -> list[Any] | None:
    group = tree.args.get("group")
    if group is None:
        return None
    exp, keys = library().exp, []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and not key.is_string and 0 < int(key.this) <= len(tree.expressions):
            key = tree.expressions[int(key.this) - 1].unalias()
        keys.append(key)
    return keys


def group_rows(tree: Any, keys: Sequence[Any], scope: Scope, query: Query) -> None:
    """One row for each group, or for all rows where there is no GROUP BY."""
    context = scope.context
    inner = replace(scope, grouping=None)
    if tree.args.get("group") is None:
        query.is_one = True
        scope.grouping = Grouping(inner, [], query.loops, query.conditions)
        return
    values = [inner.value(key) for key in keys]
    row_ = ast.Tuple(
        [one.node for columns in scope.tables.values() for one in columns.values() if isinstance(one.node, ast.Name)],
        ast.Load(),
    )
    records = [scan.variables for scan in query.loops if isinstance(scan.table, Window) and scan.variables is not None]
    row_.elts += records
    pairs = generator(
        ast.Tuple([ast.Tuple([one.node for one in values], ast.Load()), row_], ast.Load()),
        query.loops,
        query.conditions,
    )
    groups = call(attribute(call(context.helper("grouped"), pairs), "items"))
    wishes = [key.name if key.name else f"key_{at}" for at, key in enumerate(keys)]
    known = [
        Value(name(context.names.fresh(wish)), one.kind, one.nullable) for wish, one in zip(wishes, values, strict=True)
    ]
    members = name(context.names.fresh("rows"))
    query.group = (ast.Tuple([ast.Tuple([one.node for one in known], ast.Load()), members], ast.Load()), groups)
    loop = loop_over(row_, members)
    scope.grouping = Grouping(inner, list(zip(keys, known, strict=True)), [loop], [])
