"""SELECTs inside of expressions: EXISTS, IN, and SELECTs with a single value."""

import ast
from dataclasses import replace
from typing import Any

from inwindow.language.esl.query import Query, generator, length_of, names_of_its_own, rows, value_of_key
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import Keyed, Rows
from inwindow.language.esl.three_valued import Truth, certain
from inwindow.language.esl.trees import Node, call, choice, compare, constant, every, is_constant, me, names_in, same


def exists(tree: Any, around: Scope) -> Node:
    """``EXISTS``."""
    context = around.context
    with names_of_its_own(context):
        query = around.select(tree)
        if query.limit != (None, None) or query.group is not None:
            return compare(call("len", rows(query, context)), ast.Gt(), constant(0))
        if query.is_single:
            return query.when
        bound = {one for scan in query.loops for one in names_in(scan.variables or constant(None))}
        guards = [one for one in query.conditions if not names_in(one) & bound]
        inner = [one for one in query.conditions if names_in(one) & bound]
        first = query.loops[0]
        if len(query.loops) == 1 and not inner:
            if first.key is not None:
                return every([*guards, compare(first.key, ast.In(), length_of(first))])
            return every([*guards, compare(call("len", length_of(first)), ast.Gt(), constant(0))])
        last = names_in(query.loops[-1].variables or constant(None))
        tests = [one for one in inner if names_in(one) & last]
        others = [one for one in inner if not names_in(one) & last]
        return every([*guards, call("any", generator(every(tests), query.loops, others))])


def membership(tree: Any, around: Scope) -> Truth:
    """``IN (SELECT ...)``."""
    context = around.context
    one = around.value(tree.this)
    with names_of_its_own(context):
        query = around.select(tree.args["query"])
        if len(query.outputs) != 1:
            raise context.error(
                f"IN (SELECT ...): the SELECT gives {len(query.outputs)} columns, and one is wanted", tree
            )
        other = query.outputs[0]
        if not one.nullable and not other.nullable:
            return certain(compare(one.node, ast.In(), _members(query, other, context)))
        known = call(context.helper("is_in"), one.node, rows(query, context))
        return Truth(known, compare(known, ast.Is(), constant(False)), False)


def _members(query: Query, output: Value, context: Context) -> Node:
    """The collection for ``in``: a dictionary for its keys, or a list."""
    plain = not query.conditions and query.group is None and query.limit == (None, None) and len(query.loops) == 1
    if plain and query.loops[0].key is None:
        table = query.loops[0].table
        if isinstance(table, Keyed):
            key = query.loops[0].columns[table.columns[table.key].name.casefold()]
            if same(key.node, output.node):
                return me(table.attribute)
        if isinstance(table, Rows) and len(table.columns) == 1:
            return me(table.attribute)
    return rows(query, context)


def single_value(tree: Any, around: Scope) -> Value:
    """A SELECT with a single value."""
    context = around.context
    with names_of_its_own(context):
        query = around.select(tree)
        if len(query.outputs) != 1:
            raise context.error(f"a SELECT that is a value gives one column, and this gives {len(query.outputs)}", tree)
        one = query.outputs[0]
        if query.is_single and query.limit == (None, None):
            if is_constant(query.when, True):
                return one
            return replace(one, node=choice(query.when, one.node, constant(None)), nullable=True)
        found = value_of_key(query)
        return Value(found or call(context.helper("only"), rows(query, context)), one.kind, True)
