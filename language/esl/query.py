"""SELECT over the tables of an aggregate: loops over their rows, as comprehensions."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from inwindow.language.esl import scalar, truth
from inwindow.language.esl.kinds import ANY, FLOAT, INT
from inwindow.language.esl.scope import Context, Scope, Value
from inwindow.language.esl.tables import Keyed, Rows, Scan, Stored, Window, source_of
from inwindow.language.esl.trees import (
    Node,
    attribute,
    call,
    choice,
    compare,
    constant,
    every,
    is_constant,
    is_known,
    item,
    listed,
    me,
    name,
    names_in,
    row,
    same,
    target,
)  # fmt: skip
from inwindow.language.esl.values import STATISTICS
from inwindow.language.text import library

AGGREGATES = frozenset({"count", "sum", "avg", "mean", "min", "max", *STATISTICS})
_CLAUSES = {
    "windows",
    "qualify",
    "connect",
    "match",
    "laterals",
    "pivots",
    "with_",
    "with",
    "into",
    "sort",
    "cluster",
    "distribute",
}


@dataclass
class Query:
    """A SELECT, read: its loops, its conditions, its columns."""

    scans: list[Scan]
    conditions: list[Node]
    outputs: list[Value] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    group: tuple[Node, Node] | None = None  # the loop over groups: its variables, and what it runs over
    group_conditions: list[Node] = field(default_factory=list)
    is_one: bool = False  # an aggregate without GROUP BY
    order: list[tuple[Node, bool, bool]] = field(default_factory=list)
    distinct: bool = False
    limit: tuple[Node | None, Node | None] = (None, None)

    @property
    def loops(self) -> list[Scan]:
        return [scan for scan in self.scans if scan.is_loop]

    @property
    def is_single(self) -> bool:
        """Whether there is at most one row, without any loop."""
        return self.is_one or (not self.loops and self.group is None)

    @property
    def gives_one_at_most(self) -> bool:
        limit = self.limit[0]
        keyed = self.group is None and all(scan.key is not None for scan in self.loops)
        return self.is_single or keyed or limit is not None and is_constant_one(limit)

    @property
    def when(self) -> Node:
        """When the single row is there."""
        return every(self.group_conditions if self.is_one else self.conditions)


def is_constant_one(node: Node) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 1)


@contextmanager
def names_of_its_own(context: Context) -> Iterator[None]:
    """The variables of a comprehension are free again behind it."""
    taken = {*context.names.taken}
    try:
        yield
    finally:
        context.names.taken = taken


# --- Reading ------------------------------------------------------------------------------------------------


def read(tree: Any, around: Scope | None, context: Context) -> Query:
    """Read a SELECT."""
    exp = library().exp
    tree = tree.unnest() if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    if not isinstance(tree, exp.Select):
        raise context.error(
            f"{type(tree).__name__.upper()} is not known in an aggregate: write SELECT ... FROM its tables", tree
        )
    for clause in _CLAUSES:
        if tree.args.get(clause):
            raise context.error(f"{clause.strip('_').upper()} is not known in an aggregate", tree)
    scope = Scope(context, around)
    query = Query([], [])
    _from(tree, scope, query)
    if (where := tree.args.get("where")) is not None:
        add_conditions(where.this, scope, query)
    _outputs(tree, scope, query)
    _limits(tree, scope, query)
    return query


def _from(tree: Any, scope: Scope, query: Query) -> None:
    exp = library().exp
    source = source_of(tree)
    if source is None:
        return
    _add(source, scope, query)
    joins = [*(source.args.get("joins") or ()), *(tree.args.get("joins") or ())]
    for join in joins:
        side, kind, method = (str(join.args.get(key) or "").upper() for key in ("side", "kind", "method"))
        if side not in ("", "LEFT") or kind not in ("", "INNER", "CROSS", "OUTER") or method:
            words = " ".join(word for word in (method, side, kind) if word)
            raise scope.context.error(f"{words} JOIN is not known in an aggregate: write JOIN or LEFT JOIN", join)
        if side == "LEFT":
            _left_join(join, scope, query)
            continue
        before = dict(scope.tables)
        _add(join.this, scope, query)
        conditions = [join.args["on"]] if join.args.get("on") is not None else []
        conditions += _using(join, scope, before, exp)
        for condition in conditions:
            add_conditions(condition, scope, query)


def _using(join: Any, scope: Scope, before: Mapping[str, Mapping[str, Value]], exp: Any) -> list[Any]:
    made = []
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
        inner = read(source.this, scope.around, context)
        variables = [name(context.names.fresh(one)) for one in inner.names]
        columns = {
            key.casefold(): replace(one, node=node)
            for key, one, node in zip(inner.names, inner.outputs, variables, strict=True)
        }
        return Scan(Stored(_alias(source), ()), columns, row(variables), rows(inner, context))
    if not isinstance(source, exp.Table):
        raise context.error(f"{source.sql('spark')} is no table", source)
    return table_of(source, context).scan(context)


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
    inner = Scope(context, scope)
    right = Query([], [])
    scan = _add(join.this, inner, right)
    conditions = [join.args["on"]] if join.args.get("on") is not None else []
    before = dict(scope.tables)
    scope.tables[_alias(join.this)] = scan.columns
    conditions += _using(join, scope, before, library().exp)
    for condition in conditions:
        add_conditions(condition, scope, right)
    matching = generator(row([one.node for one in scan.columns.values()]), right.loops, right.conditions, as_list=True)
    none = row([constant(None)] * len(scan.columns))
    variables = {key: name(context.names.fresh(key)) for key in scan.columns}
    columns = {key: Value(variables[key], one.kind, True) for key, one in scan.columns.items()}
    some_rows = ast.BoolOp(ast.Or(), [matching, listed([none])])
    query.scans.append(Scan(scan.table, columns, row([*variables.values()]), some_rows))
    scope.tables[_alias(join.this)] = columns


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


def _outputs(tree: Any, scope: Scope, query: Query) -> None:
    exp = library().exp
    keys = _group_keys(tree)
    called = [*tree.expressions, *filter(None, [tree.args.get("having"), tree.args.get("order")])]
    of_groups = keys is not None or any(_aggregates_in(one, scope.context) for one in called)
    if of_groups:
        _grouped(tree, keys or [], scope, query)
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
    """Behind GROUP BY, columns are those of groups."""
    assert scope.grouping is not None
    return Scope(scope.context, scope.around, grouping=scope.grouping)


def _sort_key(key: Any, tree: Any, scope: Scope, query: Query) -> tuple[Node, bool, bool]:
    exp = library().exp
    one = key.this
    up = not key.args.get("desc")
    first = key.args.get("nulls_first")
    nulls_first = up if first is None else bool(first)
    aliases = {column.alias.casefold(): at for at, column in enumerate(tree.expressions) if column.alias}
    if isinstance(one, exp.Literal) and not one.is_string:
        at = int(one.this) - 1
        if not 0 <= at < len(query.outputs):
            raise scope.context.error(f"ORDER BY {one.this}: there are {len(query.outputs)} columns", tree)
        return query.outputs[at].node, up, nulls_first
    if isinstance(one, exp.Column) and not one.table and one.name.casefold() in aliases:
        return query.outputs[aliases[one.name.casefold()]].node, up, nulls_first
    return scalar.value(one, scope).node, up, nulls_first


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


# --- Aggregates ---------------------------------------------------------------------------------------------


@dataclass
class Grouping:
    """What an expression behind GROUP BY may be: a key, an aggregate, or of what is around."""

    inner: Scope
    keys: list[tuple[Any, Value]]
    loops: list[Scan]
    conditions: list[Node]

    def value(self, tree: Any) -> Value | None:
        """The value of a key or an aggregate; None for what is made of them."""
        exp = library().exp
        for key, known in self.keys:
            if key == tree:
                return known
        context = self.inner.context
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
        one = scalar.value(arguments[0], self.inner)
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
        traits = kind._traits  # type: ignore[attr-defined]
        if not traits.has_terminate:
            raise context.error(f"{function} has no TERMINATE, so it gives no result for a table of rows", tree)
        if getattr(kind, "gives_rows", False):
            raise context.error(
                f"{function} returns many rows, and here one value is wanted: write LIMIT 1 in it", tree
            )
        if traits.arity not in (None, len(arguments)):
            raise context.error(f"{function} takes {traits.arity} values, and is given {len(arguments)}", tree)
        values = [scalar.value(one, self.inner).node for one in arguments]
        rows_ = generator(ast.Tuple(values, ast.Load()), self.loops, self.conditions)
        return Value(call(context.helper("fold"), name(context.called[function]), rows_), ANY, True)


def _called(tree: Any, context: Context) -> tuple[str, list[Any]]:
    function, arguments = scalar.function_of(tree)
    names = [function or "", *(one.casefold() for one in getattr(tree, "sql_names", list)())]
    return next((one for one in names if one in AGGREGATES or one in context.aggregates), ""), arguments


def _is_aggregate(tree: Any, context: Context) -> bool:
    return isinstance(tree, library().exp.Func) and bool(_called(tree, context)[0])


def _aggregates_in(tree: Any, context: Context) -> bool:
    """Whether an aggregate is called in it, outside of subqueries."""
    exp = library().exp
    return any(
        _is_aggregate(one, context)
        for one in tree.walk(prune=lambda one: isinstance(one, exp.Query))
        if not isinstance(one, exp.Query)
    )


def _group_keys(tree: Any) -> list[Any] | None:
    group = tree.args.get("group")
    if group is None:
        return None
    exp, keys = library().exp, []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and not key.is_string and 0 < int(key.this) <= len(tree.expressions):
            key = tree.expressions[int(key.this) - 1].unalias()
        keys.append(key)
    return keys


def _grouped(tree: Any, keys: Sequence[Any], scope: Scope, query: Query) -> None:
    """One row for each group, or for all rows where there is no GROUP BY."""
    context = scope.context
    inner = replace(scope, grouping=None)
    if tree.args.get("group") is None:
        query.is_one = True
        scope.grouping = Grouping(inner, [], query.loops, query.conditions)
        return
    values = [scalar.value(key, inner) for key in keys]
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


# --- Writing ------------------------------------------------------------------------------------------------


def generator(
    element: Node, loops: Sequence[Scan], conditions: Sequence[Node], as_list: bool = False, as_set: bool = False
) -> Node:
    """``element for ... in ... if ...``, each condition behind the first loop that knows all that it reads."""
    made = [
        ast.comprehension(target(scan.variables), scan.rows, [], 0)
        for scan in loops
        if scan.variables and scan.rows is not None
    ]
    if not made:
        made = [ast.comprehension(ast.Name("_", ast.Store()), ast.Tuple([constant(None)], ast.Load()), [], 0)]
    bound = [names_in(one.target) for one in made]
    for condition in conditions:
        read_ = names_in(condition)
        at = max((at for at, names in enumerate(bound) if names & read_), default=0)
        made[at].ifs.append(condition)
    kind = ast.ListComp if as_list else ast.SetComp if as_set else ast.GeneratorExp
    if as_list and len(made) == 1 and not made[0].ifs and ast.unparse(element) == ast.unparse(made[0].target):
        return call("list", made[0].iter)
    return kind(element, made)


def loop_over(variables: Node, rows_: Node) -> Scan:
    """A loop over rows that are at hand."""
    return Scan(Rows("rows", ()), {}, variables, rows_)


def length_of(scan: Scan) -> Node:
    """What ``len`` is asked of."""
    return (
        me(scan.table.attribute)
        if isinstance(scan.table, (Rows, Keyed)) and scan.table.name != "rows"
        else scan.rows or me("inwindow")
    )


def rows(query: Query, context: Context) -> Node:
    """All rows, as a list of tuples, or of values where there is one column."""
    element = row([one.node for one in query.outputs])
    keys = ast.Tuple([node for node, _, _ in query.order], ast.Load())
    if query.order:
        element = ast.Tuple([element, keys], ast.Load())
    made: Node
    if query.is_one:
        made = listed([element]) if is_constant(query.when, True) else choice(query.when, listed([element]), listed([]))
    elif query.group is not None:
        variables, groups = query.group
        made = generator(element, [loop_over(variables, groups)], query.group_conditions, as_list=True)
    elif not query.loops:
        made = listed([element]) if is_constant(query.when, True) else choice(query.when, listed([element]), listed([]))
    else:
        made = generator(element, query.loops, query.conditions, as_list=True)
    if query.distinct:
        made = call("list", call(attribute(name("dict"), "fromkeys"), made))
    if query.order:
        directions = [ast.Tuple([constant(up), constant(first)], ast.Load()) for _, up, first in query.order]
        made = call(context.helper("ordered"), made, *directions)
    limit, offset = query.limit
    if limit is not None or offset is not None:
        end = limit if offset is None or limit is None else ast.BinOp(offset, ast.Add(), limit)
        made = item(made, ast.Slice(offset, end))
    return made


def exists(tree: Any, around: Scope) -> Node:
    """``EXISTS``."""
    context = around.context
    with names_of_its_own(context):
        query = read(tree, around, context)
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


def membership(tree: Any, around: Scope) -> "truth.Truth":
    """``IN (SELECT ...)``."""
    context = around.context
    one = scalar.value(tree.this, around)
    with names_of_its_own(context):
        query = read(tree.args["query"], around, context)
        if len(query.outputs) != 1:
            raise context.error(
                f"IN (SELECT ...): the SELECT gives {len(query.outputs)} columns, and one is wanted", tree
            )
        other = query.outputs[0]
        if not one.nullable and not other.nullable:
            return truth.certain(compare(one.node, ast.In(), _members(query, other, context)))
        known = call(context.helper("is_in"), one.node, rows(query, context))
        return truth.Truth(known, compare(known, ast.Is(), constant(False)), False)


def _members(query: Query, output: Value, context: Context) -> Node:
    """What ``in`` looks through: a dictionary by its key, a list as it is."""
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
    """A SELECT that stands for a value."""
    context = around.context
    with names_of_its_own(context):
        query = read(tree, around, context)
        if len(query.outputs) != 1:
            raise context.error(f"a SELECT that is a value gives one column, and this gives {len(query.outputs)}", tree)
        one = query.outputs[0]
        if query.is_single and query.limit == (None, None):
            if is_constant(query.when, True):
                return one
            return replace(one, node=choice(query.when, one.node, constant(None)), nullable=True)
        found = value_of_key(query)
        return Value(found or call(context.helper("only"), rows(query, context)), one.kind, True)


def value_of_key(query: Query) -> Node | None:
    """``table.get(key)``, where a SELECT asks for the other column of a table with a key."""
    if (
        len(query.loops) != 1
        or len(query.outputs) != 1
        or query.conditions
        or query.group
        or query.is_one
        or query.order
    ):
        return None
    (scan,) = query.loops
    table = scan.table
    if scan.key is None or not isinstance(table, Keyed) or query.limit != (None, None) or len(table.columns) != 2:
        return None
    is_value = scan.variables is not None and same(scan.variables, query.outputs[0].node)
    return call(attribute(me(table.attribute), "get"), scan.key) if is_value else None


def oldest(context: Context, column: str | None, tree: Any) -> Value:
    """``oldest()``: in EXPIRE, the tuple that leaves; elsewhere the oldest of the window."""
    window = context.tables.get("inwindow")
    if not isinstance(window, Window):
        raise context.error("oldest() is of a window: write CREATE WINDOW AGGREGATE", tree)
    names = [one.name.casefold() for one in window.columns]
    if column is None and len(names) > 1:
        raise context.error(f"oldest() has {len(names)} columns: write oldest().{names[0]}", tree)
    if column is not None and column.casefold() not in names:
        raise context.error(f"oldest() has no column {column}; there are: {', '.join(names)}", tree)
    at = 0 if column is None else names.index(column.casefold())
    if context.hook == "EXPIRE" and not window.loses_in_expire:
        return list(context.parameters.values())[at]
    node = attribute(call(attribute(me("inwindow"), "oldest")), window.fields[at])
    kind = window.columns[at].kind
    if window.may_be_empty:
        return Value(choice(me("inwindow"), node, constant(None)), kind, True)
    return Value(node, kind, window.takes_nulls)
