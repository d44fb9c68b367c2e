"""A SELECT over the tables of an aggregate, read."""

import ast
from typing import Any

from inwindow.language.esl import groups, joins, scalar, truth
from inwindow.language.esl.conversions import stored
from inwindow.language.esl.kinds import INT, can_meet, joined
from inwindow.language.esl.query import Query, SortKey, loop_over, rows
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.trees import Node, attribute, call, name, row
from inwindow.language.text import library

_CLAUSES = ("windows", "qualify", "connect", "match", "laterals", "pivots", "into", "sort", "cluster", "distribute")


def read(tree: Any, around: Scope | None, context: Context) -> Query:
    """Read a SELECT, or several that are put together."""
    exp = library().exp
    tree = tree.unnest() if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    scope = Scope(context, around)
    _add_named(tree, scope)
    if isinstance(tree, exp.SetOperation):
        return _read_together(tree, scope)
    if not isinstance(tree, exp.Select):
        raise context.error(
            f"{type(tree).__name__.upper()} is not known in an aggregate: write SELECT ... FROM its tables", tree
        )
    _check_windows(tree, context)
    for clause in _CLAUSES:
        if tree.args.get(clause):
            raise context.error(f"{clause.strip('_').upper()} is not known in an aggregate", tree)
    query = Query([], [])
    joins.add_from(tree, scope, query)
    if (where := tree.args.get("where")) is not None:
        joins.add_conditions(where.this, scope, query)
    _outputs(tree, scope, query)
    _limits(tree, scope, query)
    return query


def _check_windows(tree: Any, context: Context) -> None:
    """A window function says over the rows of a table what a subquery says as well."""
    exp = library().exp
    own = tree.walk(prune=lambda one: isinstance(one, exp.Query) and one is not tree)
    window = next((one for one in own if isinstance(one, exp.Window)), None)
    if window is not None:
        raise context.error(
            f"{window.this.sql('spark')} OVER (...): a window inside of an aggregate is a subquery over the rows before, as in "
            "(SELECT count(*) FROM t AS earlier WHERE earlier.a <= t.a)",
            window,
        )


def selected(tree: Any) -> list[Any]:
    """The expressions of a select list; those of the first SELECT where several are put together."""
    return [one.unalias() for one in tree.selects] or [tree]


def _add_named(tree: Any, scope: Scope) -> None:
    """WITH: each query may use those before it, and is read again at each place that names it."""
    clause = tree.args.get("with_") or tree.args.get("with")
    if clause is None:
        return
    if clause.args.get("recursive"):
        raise scope.context.error(
            "WITH RECURSIVE is not known in an aggregate: keep rows in a table, over the tuples", tree
        )
    for one in clause.expressions:
        scope.named = {
            **scope.named,
            one.alias.casefold(): (one, Scope(scope.context, scope.around, named=scope.named)),
        }


def _read_together(tree: Any, scope: Scope) -> Query:
    """UNION, EXCEPT, INTERSECT: the rows of both sides as one list."""
    exp, context = library().exp, scope.context
    is_set = bool(tree.args.get("distinct"))
    around = Scope(context, scope.around, named=scope.named)
    left, right = (read(one, around, context) for one in (tree.this, tree.expression))
    if len(left.outputs) != len(right.outputs):
        raise context.error(f"{tree.key.upper()}: {len(left.outputs)} columns, and {len(right.outputs)}", tree)
    for one, other in zip(left.outputs, right.outputs, strict=True):
        if not can_meet(one.kind, other.kind):
            raise context.error(
                f"{tree.key.upper()} puts {one.kind.ddl} and {other.kind.ddl} into one column: write CAST(... AS String)",
                tree,
            )
    kinds = [joined(one.kind, other.kind) for one, other in zip(left.outputs, right.outputs, strict=True)]
    nullable = [one.nullable or other.nullable for one, other in zip(left.outputs, right.outputs, strict=True)]
    for its, side in ((left, tree.this), (right, tree.expression)):
        its.outputs = [
            stored(one, kind, context, side, "the column") for one, kind in zip(its.outputs, kinds, strict=True)
        ]
    sides = [rows(its, context) for its in (left, right)]
    if isinstance(tree, exp.Union):
        made: Node = ast.BinOp(sides[0], ast.Add(), sides[1])
        made = call("list", call(attribute(name("dict"), "fromkeys"), made)) if is_set else made
    else:
        what = "without" if isinstance(tree, exp.Except) else "in_both"
        made = call(context.helper(f"{'rows' if is_set else 'copies'}_{what}"), *sides)
    variables = [name(context.names.fresh(one)) for one in left.names]
    values = [Value(*one) for one in zip(variables, kinds, nullable, strict=True)]
    query = Query([loop_over(row([*variables]), made)], [], values, left.names)
    scope.tables = {"": dict(zip((one.casefold() for one in left.names), values, strict=True))}
    for key in tree.args["order"].expressions if tree.args.get("order") is not None else ():
        query.order.append(_sort_key(key, tree, scope, query))
    _limits(tree, scope, query)
    return query


def _outputs(tree: Any, scope: Scope, query: Query) -> None:
    exp = library().exp
    keys = groups.group_keys(tree)
    called = [*tree.expressions, *filter(None, [tree.args.get("having"), tree.args.get("order")])]
    of_groups = keys is not None or any(groups.aggregates_in(one, scope.context) for one in called)
    if of_groups:
        groups.group_rows(tree, keys or [], scope, query)
        scope = query_scope(scope, query)
    for one in tree.expressions:
        if isinstance(one, exp.Star) or isinstance(one, exp.Column) and isinstance(one.this, exp.Star):
            if of_groups:
                raise scope.context.error(
                    "a star does not go with an aggregate: write count(*), or name the columns", tree
                )
            table = one.table.casefold() if isinstance(one, exp.Column) else ""
            for alias, columns in scope.tables.items():
                if not table or alias == table:
                    query.outputs += columns.values()
                    query.names += columns
            continue
        query.outputs.append(scalar.value(one.unalias(), scope))
        query.names.append(one.alias_or_name or f"c{len(query.names)}")
    if (having := tree.args.get("having")) is not None:
        if not of_groups:
            raise scope.context.error("HAVING needs GROUP BY or an aggregate: write WHERE", having)
        query.group_conditions.append(truth.holds(having.this, scope))
    query.distinct = tree.args.get("distinct") is not None
    for key in tree.args["order"].expressions if tree.args.get("order") is not None else ():
        query.order.append(_sort_key(key, tree, scope, query))


def query_scope(scope: Scope, query: Query) -> Scope:
    """The scope after GROUP BY, in which columns are those of groups."""
    assert scope.grouping is not None
    return Scope(scope.context, scope.around, grouping=scope.grouping)


def _sort_key(key: Any, tree: Any, scope: Scope, query: Query) -> SortKey:
    exp = library().exp
    one = key.this
    up = not key.args.get("desc")
    first = key.args.get("nulls_first")
    nulls_first = up if first is None else bool(first)
    listed = tree.expressions if isinstance(tree, exp.Select) else []
    aliases = {column.alias.casefold(): at for at, column in enumerate(listed) if column.alias}
    if isinstance(one, exp.Literal) and not one.is_string:
        at = int(one.this) - 1
        if not 0 <= at < len(query.outputs):
            raise scope.context.error(f"ORDER BY {one.this}: there are {len(query.outputs)} columns", tree)
        return SortKey(query.outputs[at], up, nulls_first)
    if isinstance(one, exp.Column) and not one.table and one.name.casefold() in aliases:
        return SortKey(query.outputs[aliases[one.name.casefold()]], up, nulls_first)
    return SortKey(scalar.value(one, scope), up, nulls_first)


def _limits(tree: Any, scope: Scope, query: Query) -> None:
    found: list[Node | None] = []
    for clause in ("limit", "offset"):
        part = tree.args.get(clause)
        if part is None:
            found.append(None)
            continue
        value = scalar.value(part.expression, Scope(scope.context))
        if value.kind is not INT or value.nullable:
            raise scope.context.error(f"{clause.upper()} is a whole number: write {clause.upper()} 10", part)
        found.append(value.node)
    query.limit = (found[0], found[1])
