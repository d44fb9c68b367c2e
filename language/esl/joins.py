"""FROM and WHERE: joined tables become nested loops."""

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inwindow.language.esl import truth
from inwindow.language.esl.query import Query, generator, rows
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import Keyed, Rows, Scan, Stored, source_of
from inwindow.language.esl.trees import (
    Node,
    call,
    constant,
    function_of_rows,
    item,
    listed,
    name,
    names_in,
    row,
    same,
)
from inwindow.language.text import library


def add_from(tree: Any, scope: Scope, query: Query) -> None:
    """The tables of FROM."""
    source = source_of(tree)
    if source is None:
        return
    _add(source, scope, query)
    for join in [*(source.args.get("joins") or ()), *(tree.args.get("joins") or ())]:
        side, kind, method = (str(join.args.get(key) or "").upper() for key in ("side", "kind", "method"))
        if kind not in ("", "INNER", "CROSS", "OUTER") or method:
            words = " ".join(word for word in (method, side, kind) if word)
            raise scope.context.error(f"{words} JOIN is not known in an aggregate: write JOIN ... ON", join)
        if side == "LEFT":
            _left_join(join, scope, query)
        elif side in ("RIGHT", "FULL"):
            _outer_join(join, scope, query, side)
        else:
            before = dict(scope.tables)
            _add(join.this, scope, query)
            for condition in _conditions(join, scope, before):
                add_conditions(condition, scope, query)


def _conditions(join: Any, scope: Scope, before: Mapping[str, Mapping[str, Value]]) -> list[Any]:
    """ON and USING."""
    exp = library().exp
    made = [join.args["on"]] if join.args.get("on") is not None else []
    for column in join.args.get("using") or ():
        key, alias = column.name.casefold(), join.this.alias_or_name
        left = next((table for table, columns in before.items() if key in columns), None)
        if left is None:
            raise scope.context.error(f"USING ({column.name}): no table before it has this column", column)
        scope.merged.add(key)
        made.append(exp.EQ(this=exp.column(column.name, table=left), expression=exp.column(column.name, table=alias)))
    return made


def _add(source: Any, scope: Scope, query: Query) -> Scan:
    scan = _scan(source, scope)
    alias = _alias(source)
    if alias in scope.tables:
        raise scope.context.error(f"{alias} is there twice: give one of them another name, with AS", source)
    scope.tables[alias] = scan.columns
    query.scans.append(scan)
    return scan


def _alias(source: Any) -> str:
    return str(source.alias_or_name).casefold()


def _scan(source: Any, scope: Scope) -> Scan:
    exp, context = library().exp, scope.context
    if isinstance(source, exp.Subquery):
        return _of_select(source.this, Scope(context, scope.around, named=scope.named), source)
    if not isinstance(source, exp.Table):
        raise context.error(f"{source.sql('spark')} is no table", source)
    found = scope.query_named(source.name.casefold())
    if found is not None:
        tree, definer = found
        return _of_select(tree.this, definer, tree)
    return table_of(source, context).scan(context)


def _of_select(tree: Any, around: Scope, named: Any) -> Scan:
    """The rows of a SELECT in FROM or WITH; ``named`` may give its columns other names."""
    context = around.context
    inner = around.select(tree)
    alias = named.args.get("alias")
    names = [one.name for one in (alias.args.get("columns") or ())] if alias is not None else []
    names = names or inner.names
    if len(names) != len(inner.outputs):
        raise context.error(f"{_alias(named)} has {len(names)} names, and its SELECT gives {len(inner.outputs)}", named)
    variables = [name(context.names.fresh(one)) for one in names]
    columns = zip(names, inner.outputs, variables, strict=True)
    made = {key.casefold(): replace(one, node=node) for key, one, node in columns}
    return Scan(Stored(_alias(named), ()), made, row(variables), rows(inner, context))


def table_of(source: Any, context: Context) -> Stored:
    """The table of a name."""
    found = context.tables.get(source.name.casefold())
    if found is None:
        known = ", ".join(table.name for table in context.tables.values()) or "none is declared"
        raise context.error(f"there is no table {source.name}; there are: {known}", source)
    return found


def _left_join(join: Any, scope: Scope, query: Query) -> None:
    """All rows of the right side that match, or one of NULLs."""
    context = scope.context
    inner = Scope(context, scope, named=scope.named)
    right = Query([], [])
    scan = _add(join.this, inner, right)
    before = dict(scope.tables)
    scope.tables[_alias(join.this)] = scan.columns
    for condition in _conditions(join, scope, before):
        add_conditions(condition, scope, right)
    scan = replace(right.scans[0], columns=scope.tables[_alias(join.this)])
    matching = generator(row([one.node for one in scan.columns.values()]), right.loops, right.conditions, as_list=True)
    none = row([constant(None)] * len(scan.columns))
    variables = {key: name(context.names.fresh(key)) for key in scan.columns}
    columns = {key: Value(variables[key], one.kind, True) for key, one in scan.columns.items()}
    some_rows = ast.BoolOp(ast.Or(), [matching, listed([none])])
    query.scans.append(Scan(scan.table, columns, row([*variables.values()]), some_rows))
    scope.tables[_alias(join.this)] = columns


def _outer_join(join: Any, scope: Scope, query: Query, side: str) -> None:
    """RIGHT and FULL JOIN: make the rows of both sides first; a function of two rows says which match."""
    context = scope.context
    if join.args.get("using"):
        raise context.error(f"{side} JOIN ... USING is not known in an aggregate: write ON", join)
    condition = join.args.get("on") or library().exp.true()
    left_columns = {alias: dict(columns) for alias, columns in scope.tables.items()}
    right_scope, right = Scope(context, scope.around, named=scope.named), Query([], [])
    _add(join.this, right_scope, right)
    sides = []
    for columns, its in ((left_columns, query), (right_scope.tables, right)):
        fields = ast.Tuple([one.node for table in columns.values() for one in table.values()], ast.Load())
        sides.append(generator(fields, its.loops, its.conditions, as_list=True))
    one, other = (context.names.fresh(wish) for wish in ("left", "right"))
    pairs = Scope(context, scope.around, named=scope.named)
    pairs.tables = _fields(left_columns, name(one)) | _fields(right_scope.tables, name(other))
    matches = function_of_rows([one, other], truth.holds(condition, pairs))
    tables = dict(pairs.tables)
    variables = {(alias, key): name(context.names.fresh(key)) for alias, columns in tables.items() for key in columns}
    widths = [constant(sum(map(len, columns.values()))) for columns in (left_columns, right_scope.tables)]
    joined = call(context.helper("outer_joined"), *sides, matches, *widths, constant(side == "FULL"))
    query.scans = [Scan(Rows("rows", ()), {}, ast.Tuple([*variables.values()], ast.Load()), joined)]
    query.conditions = []
    for alias, own in tables.items():
        scope.tables[alias] = {key: Value(variables[alias, key], value.kind, True) for key, value in own.items()}


def _fields(tables: Mapping[str, Mapping[str, Value]], of: Node) -> dict[str, Mapping[str, Value]]:
    """The columns of tables, as fields of one row."""
    found: dict[str, Mapping[str, Value]] = {}
    at = 0
    for alias, columns in tables.items():
        found[alias] = {
            key: replace(value, node=item(of, constant(at + number)))
            for number, (key, value) in enumerate(columns.items())
        }
        at += len(columns)
    return found


def add_conditions(tree: Any, scope: Scope, query: Query) -> None:
    """Add conditions; ``key = value`` finds the row of a table with a key."""
    exp = library().exp
    for part in tree.unnest().flatten() if isinstance(tree.unnest(), exp.And) else [tree]:
        if not _looked_up(part.unnest(), scope, query):
            condition = truth.holds(part, scope)
            query.conditions += (
                condition.values
                if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And)
                else [condition]
            )


def _looked_up(part: Any, scope: Scope, query: Query) -> bool:
    exp = library().exp
    if not isinstance(part, exp.EQ):
        return False
    for at, scan in enumerate(query.scans):
        if not isinstance(scan.table, Keyed) or scan.key is not None or isinstance(scan.rows, ast.BoolOp):
            continue
        key = scan.columns[scan.table.columns[scan.table.key].name.casefold()]
        later = names_in(
            ast.Tuple([one.node for other in query.scans[at:] for one in other.columns.values()], ast.Load())
        ) - {"self"}
        for column, value in ((part.this, part.expression), (part.expression, part.this)):
            if (
                not isinstance(column, exp.Column)
                or not scope.has(column)
                or not same(scope.column(column).node, key.node)
            ):
                continue
            _, given = truth.meeting(part, column, value, scope)
            if not given.nullable and not names_in(given.node) & later and not _uses(query, key):
                found = scan.table.lookup(scan, given.node, scope.context)
                query.scans[at] = found
                alias = next(alias for alias, columns in scope.tables.items() if columns is scan.columns)
                scope.tables[alias] = found.columns
                return True
    return False


def _uses(query: Query, key: Value) -> bool:
    names = names_in(key.node)
    return any(names & names_in(condition) for condition in query.conditions)
