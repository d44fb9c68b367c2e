"""INSERT, UPDATE and DELETE on the tables of an aggregate, as statements of Python."""

import ast
from collections.abc import Sequence
from typing import Any

from inwindow.language.esl import joins, query, scalar, select, truth
from inwindow.language.esl.conversions import stored
from inwindow.language.esl.definition import Statement
from inwindow.language.esl.kinds import ANY
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import (
    Given,
    Keyed,
    NotKeyed,
    OneRow,
    Rows,
    Scan,
    Stored,
    Window,
    key_of_guard,
    whole_rows,
    written_table,
)
from inwindow.language.esl.trees import (
    Node,
    attribute,
    call,
    choice,
    compare,
    constant,
    every,
    function_of_rows,
    instead,
    is_constant,
    item,
    listed,
    me,
    name,
    names_in,
    negated,
    row,
    same,
    single_target,
    target,
)  # fmt: skip
from inwindow.language.text import library


def change(statement: Statement, context: Context) -> list[ast.stmt]:
    """A statement that changes a local table."""
    exp, tree = library().exp, statement.tree
    context.span = statement.span
    if context.hook == "TERMINATE":
        raise context.error("TERMINATE gives the result and changes no table; do that in ITERATE or EXPIRE")
    for clause in ("order", "limit", "returning", "from_", "from", "using", "with_", "with"):
        if tree.args.get(clause):
            raise context.error(f"{clause.strip('_').upper()} is not known in {tree.key.upper()}", tree)
    table = joins.table_of(written_table(tree), context)
    if isinstance(table, Given):
        raise context.error(f"{table.name} is a table of the catalog, which an aggregate only reads", tree)
    if isinstance(tree, exp.Insert):
        made = _insert(statement, table, context)
        context.changed.add(table.name)
        return made
    write = _update if isinstance(tree, exp.Update) else _delete
    with query.names_of_its_own(context):
        return write(tree, table, context)


# --- INSERT -------------------------------------------------------------------------------------------------


def _insert(statement: Statement, table: Stored, context: Context) -> list[ast.stmt]:
    tree = statement.tree
    if isinstance(table, Window):
        raise context.error("tuples come into inwindow by themselves: drop this INSERT", tree)
    if tree.args.get("overwrite"):
        raise context.error("write INSERT INTO", tree)
    places = _places(tree, table, context)
    if isinstance(tree.expression, library().exp.Values):
        written = [
            [scalar.value(one, Scope(context)) for one in values_of(values)] for values in tree.expression.expressions
        ]
        trees = [values_of(values) for values in tree.expression.expressions]
        made = [_row(one, tree_, places, table, context) for one, tree_ in zip(written, trees, strict=True)]
        condition = constant(True) if statement.condition is None else truth.holds(statement.condition, Scope(context))
        return _when(condition, _add(made, table, statement, context))
    with query.names_of_its_own(context):
        found = select.read(tree.expression, None, context)
        made_ = _row(found.outputs, select.selected(tree.expression), places, table, context)
        if found.is_single and found.limit == (None, None):
            return _when(found.when, _add([made_], table, statement, context))
        found.outputs = made_
        return _extend(query.rows(found, context), table, context)


def values_of(tree: Any) -> list[Any]:
    """The expressions of one row behind VALUES."""
    exp = library().exp
    return (
        list(tree.expressions) if isinstance(tree, exp.Tuple) else [tree.this if isinstance(tree, exp.Paren) else tree]
    )


def _places(tree: Any, table: Stored, context: Context) -> list[int]:
    """Which column each value is for."""
    if not isinstance(tree.this, library().exp.Schema):
        return list(range(len(table.columns)))
    known = [column.name.casefold() for column in table.columns]
    places = []
    for column in tree.this.expressions:
        if column.name.casefold() not in known:
            raise context.error(f"{table.name} has no column {column.name}; there are: {', '.join(known)}", column)
        places.append(known.index(column.name.casefold()))
    return places


def _row(
    values: Sequence[Value], trees: Sequence[Any], places: list[int], table: Stored, context: Context
) -> list[Value]:
    if len(values) != len(places):
        columns = ", ".join(table.columns[at].name for at in places)
        raise context.error(f"{table.name} takes {len(places)} values ({columns}), and {len(values)} are given")
    made = [Value(constant(None), ANY, True) for _ in table.columns]
    for at, (one, place) in enumerate(zip(values, places, strict=True)):
        tree = trees[at] if len(trees) == len(values) else trees[0]
        column = table.columns[place]
        made[place] = stored(one, column.kind, context, tree.unalias(), f"{table.name}.{column.name}")
    for column, one in zip(table.columns, made, strict=True):
        _note_null(one, table, column.name, context)
    return made


def _note_null(one: Value, table: Stored, column: str, context: Context) -> None:
    if one.nullable:
        context.null_columns.add((table.name.casefold(), column.casefold()))


def _add(made: list[list[Value]], table: Stored, statement: Statement, context: Context) -> list[ast.stmt]:
    nodes = [[one.node for one in values] for values in made]
    if isinstance(table, OneRow):
        return [_assign([me(one) for one in table.attributes], nodes[0])]
    if isinstance(table, Keyed):
        guarded = key_of_guard(statement, table) == table.key
        for values in made:
            if values[table.key].nullable and table.inferred:
                raise NotKeyed(table.name)
        first = context.hook == "INITIALIZE" and table.name not in context.changed and len(made) == 1
        is_new = guarded or first and not made[0][table.key].nullable
        return [_put(table, one, context, is_new) for one in nodes]
    assert isinstance(table, Rows)
    if len(nodes) == 1:
        return [ast.Expr(call(attribute(me(table.attribute), "append"), row(nodes[0])))]
    return _extend(listed([row(one) for one in nodes]), table, context)


def _put(table: Keyed, values: list[Node], context: Context, is_new: bool) -> ast.stmt:
    key, others = values[table.key], table.others(values)
    value = row(others) if others else constant(None)
    if is_new:
        return ast.Assign([target(item(me(table.attribute), key))], value)
    return ast.Expr(call(context.helper("insert_once"), me(table.attribute), key, value))


def _extend(rows: Node, table: Stored, context: Context) -> list[ast.stmt]:
    if isinstance(table, Rows):
        return [ast.AugAssign(single_target(me(table.attribute)), ast.Add(), rows)]
    assert isinstance(table, Keyed)
    if table.inferred:
        raise NotKeyed(table.name)
    names = [name(context.names.fresh(column.name)) for column in table.columns]
    return [ast.For(target(row(names)), rows, [_put(table, names, context, False)], [])]


# --- UPDATE -------------------------------------------------------------------------------------------------


def _update(tree: Any, table: Stored, context: Context) -> list[ast.stmt]:
    if isinstance(table, Window):
        raise context.error(
            "tuples of inwindow cannot be changed, only deleted: keep what changes in a table of its own", tree
        )
    scan, conditions, scope = _matching(tree, table, context)
    new = {key: one.node for key, one in scan.columns.items()}
    columns = {column.name.casefold(): column for column in table.columns}
    assigned = []
    for part in tree.expressions:
        if not isinstance(part, library().exp.EQ):
            raise context.error(f"{part.sql('spark')}: write SET column = value", part)
        key = part.this.name.casefold()
        if key not in columns:
            raise context.error(
                f"{table.name} has no column {part.this.name}; there are: {', '.join(columns)}", part.this
            )
        if isinstance(table, Keyed) and table.columns[table.key].name.casefold() == key:
            raise context.error(f"{part.this.name} is the key of {table.name}: delete the row and insert another", part)
        value = scalar.value(part.expression, scope)
        value = stored(value, columns[key].kind, context, part.expression, f"{table.name}.{columns[key].name}")
        _note_null(value, table, key, context)
        new[key] = value.node
        assigned.append(key)
    if isinstance(table, OneRow):
        old = [scan.columns[key].node for key in assigned]
        return _when(every(conditions), _together(old, [new[key] for key in assigned]))
    values = [new[column.name.casefold()] for column in table.columns]
    if isinstance(table, Keyed) and scan.key is not None:
        return _update_key(table, scan, values, conditions, context)
    return _update_all(table, scan, values, every(conditions), context)


def _update_key(
    table: Keyed, scan: Scan, values: list[Node], conditions: list[Node], context: Context
) -> list[ast.stmt]:
    assert scan.key is not None and scan.variables is not None
    place = item(me(table.attribute), scan.key)
    there = compare(scan.key, ast.In(), me(table.attribute))
    others = table.others(values)
    if table.always_has(scan.key, context):
        there = constant(True)
    if len(others) == 1:
        old = scan.variables
        made = _together([place], [instead(others[0], old, place)])
        return _when(every([there, *(instead(one, old, place) for one in conditions)]), made)
    unpacked = ast.Assign([target(scan.variables)], place)
    changed = _when(every(conditions), [ast.Assign([target(place)], row(others))])
    return _when(there, [unpacked, *changed])


def _update_all(table: Stored, scan: Scan, values: list[Node], condition: Node, context: Context) -> list[ast.stmt]:
    old = [one.node for one in scan.columns.values()]
    is_all = is_constant(condition, True)
    if isinstance(table, Keyed):
        new_row, old_row = row(table.others(values)), row(table.others(old))
        value = new_row if is_all else choice(condition, new_row, old_row)
        return [ast.Assign([target(me(table.attribute))], ast.DictComp(old[table.key], value, [scan.loop()]))]
    assert isinstance(table, Rows)
    if is_all:
        new_rows = query.generator(row(values), [scan], [], as_list=True)
    else:
        one = whole_rows(scan, context)
        assert one.scan.variables is not None
        value = choice(one.of(condition), one.of(row(values)), one.scan.variables)
        new_rows = query.generator(value, [one.scan], [], as_list=True)
    return [ast.Assign([target(me(table.attribute))], new_rows)]


def _together(targets: list[Node], values: list[Node]) -> list[ast.stmt]:
    """Assignments that all read what was before."""
    changed = [(one, value) for one, value in zip(targets, values, strict=True) if not same(one, value)]
    for at, (one, _) in enumerate(changed):
        if any(_reads(value, one) for _, value in changed[at + 1 :]):
            return [_assign([one for one, _ in changed], [value for _, value in changed])]
    return [_assign_one(one, value) for one, value in changed]


def _reads(node: Node, place: Node) -> bool:
    return any(same(one, place) for one in ast.walk(node) if isinstance(one, ast.expr))


def _assign(targets: list[Node], values: list[Node]) -> ast.stmt:
    if len(targets) == 1:
        return _assign_one(targets[0], values[0])
    return ast.Assign([target(row(targets))], row(values))


def _assign_one(one: Node, value: Node) -> ast.stmt:
    """``x += y`` where that is what it is."""
    if isinstance(value, ast.BinOp) and same(value.left, one) and isinstance(value.op, (ast.Add, ast.Sub, ast.Mult)):
        return ast.AugAssign(single_target(one), value.op, value.right)
    return ast.Assign([target(one)], value)


# --- DELETE -------------------------------------------------------------------------------------------------


def _matching(tree: Any, table: Stored, context: Context) -> tuple[Scan, list[Node], Scope]:
    """The rows that a statement is about: the loop over them, the conditions, and their scope."""
    found = query.Query([table.scan(context)], [])
    scope = Scope(context, None, {str(written_table(tree).alias_or_name).casefold(): found.scans[0].columns})
    where = tree.args.get("where")
    if where is not None:
        joins.add_conditions(where.this, scope, found)
    return found.scans[0], found.conditions, scope


def _delete(tree: Any, table: Stored, context: Context) -> list[ast.stmt]:
    scan, found, _ = _matching(tree, table, context)
    bound = names_in(scan.variables or constant(None))
    guards = [one for one in found if not names_in(one) & bound]
    conditions = [one for one in found if names_in(one) & bound]
    doomed = every(conditions)
    if isinstance(table, Window):
        return _when(every(guards), [_delete_tuples(tree, table, scan, doomed, context)])
    if isinstance(table, Keyed) and scan.key is not None:
        return _when(every(guards), _delete_key(table, scan, conditions))
    assert isinstance(table, (Rows, Keyed))
    if is_constant(doomed, True):
        empty = table.start()
        assert empty is not None
        return _when(every(guards), [empty])
    kept = negated(doomed)
    if isinstance(table, Rows):
        one = whole_rows(scan, context)
        assert one.scan.variables is not None
        left: Node = query.generator(one.scan.variables, [one.scan], [one.of(kept)], as_list=True)
    else:
        old = [one.node for one in scan.columns.values()]
        others = table.others(old)
        left = ast.DictComp(old[table.key], row(others) if others else constant(None), [scan.loop(kept)])
    return _when(every(guards), [ast.Assign([target(me(table.attribute))], left)])


def _delete_key(table: Keyed, scan: Scan, conditions: list[Node]) -> list[ast.stmt]:
    assert scan.key is not None and scan.variables is not None
    if not conditions:
        return [ast.Expr(call(attribute(me(table.attribute), "pop"), scan.key, constant(None)))]
    place = item(me(table.attribute), scan.key)
    there = compare(scan.key, ast.In(), me(table.attribute))
    gone = ast.Delete([ast.Subscript(me(table.attribute), scan.key, ast.Del())])
    unpacked = ast.Assign([target(scan.variables)], place)
    return _when(there, [unpacked, *_when(every(conditions), [gone])])


def _delete_tuples(tree: Any, table: Window, scan: Scan, doomed: Node, context: Context) -> ast.stmt:
    assert isinstance(scan.variables, ast.Name)
    spared = {"keep_newest": constant(True)} if spares_newest(tree, table, context) else {}
    return ast.Expr(call(attribute(me("inwindow"), "delete"), function_of_rows([scan.variables.id], doomed), **spared))


def spares_newest(tree: Any, table: Window, context: Context) -> bool:
    """Whether every new tuple meets the condition: then the DELETE spares it (semantics.md, section 11)."""
    exp = library().exp
    where = tree.args.get("where")
    if where is None or context.hook == "EXPIRE":
        return False
    columns = [one.name.casefold() for one in table.columns]
    parameters = list(context.parameters)
    for part in where.this.unnest().flatten() if isinstance(where.this.unnest(), exp.And) else [where.this.unnest()]:
        part = part.unnest()
        if not isinstance(part, (exp.LTE, exp.GTE, exp.EQ)):
            return False
        sides = [side.name.casefold() if isinstance(side, exp.Column) else "" for side in (part.this, part.expression)]
        places = [
            (columns.index(a), parameters.index(b)) for a, b in (sides, sides[::-1]) if a in columns and b in parameters
        ]
        if not any(a == b for a, b in places):
            return False
    return True


def _when(condition: Node, statements: list[ast.stmt]) -> list[ast.stmt]:
    if is_constant(condition, True):
        return statements
    return [] if is_constant(condition, False) or not statements else [ast.If(condition, statements, [])]
