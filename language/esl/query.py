"""A SELECT after reading, and its rows as a Python expression: loops over tables become comprehensions."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from inwindow.language.esl.kinds import NUMBERS
from inwindow.language.esl.scope import Context, Value
from inwindow.language.esl.tables import Keyed, Rows, Scan, fields_of
from inwindow.language.esl.trees import (
    Node,
    attribute,
    call,
    choice,
    constant,
    every,
    function_of_rows,
    is_call,
    is_constant,
    item,
    listed,
    me,
    name,
    names_in,
    replaced,
    row,
    same,
)


@dataclass(frozen=True)
class SortKey:
    """A key of ORDER BY."""

    value: Value
    ascending: bool
    nulls_first: bool

    @property
    def number(self) -> Node | None:
        """An expression whose ascending order is this key's order; None if there is none."""
        if self.value.nullable:
            return None
        if self.ascending:
            return self.value.node
        return ast.UnaryOp(ast.USub(), self.value.node) if self.value.kind.python in NUMBERS else None


@dataclass
class Query:
    """A SELECT after reading: its loops, its conditions, its columns."""

    scans: list[Scan]
    conditions: list[Node]
    outputs: list[Value] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    group: tuple[Node, Node] | None = None  # the loop over groups: its variables, and what it runs over
    group_conditions: list[Node] = field(default_factory=list)
    is_one: bool = False  # an aggregate without GROUP BY
    order: list[SortKey] = field(default_factory=list)
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
        """The condition under which the single row exists."""
        return every(self.group_conditions if self.is_one else self.conditions)


def is_constant_one(node: Node) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 1)


@contextmanager
def names_of_its_own(context: Context) -> Iterator[None]:
    """Free the variables of a comprehension after it."""
    taken = {*context.names.taken}
    try:
        yield
    finally:
        context.names.taken = taken


def generator(
    element: Node, loops: Sequence[Scan], conditions: Sequence[Node], as_list: bool = False, as_set: bool = False
) -> Node:
    """``element for ... in ... if ...``, with each condition after the first loop that has all its variables."""
    made = [scan.loop() for scan in loops if scan.variables and scan.rows is not None]
    if not made:
        made = [ast.comprehension(ast.Name("_", ast.Store()), ast.Tuple([constant(None)], ast.Load()), [], 0)]
    bound = [names_in(one.target) for one in made]
    for condition in conditions:
        read_ = names_in(condition)
        at = max((at for at, names in enumerate(bound) if names & read_), default=0)
        made[at].ifs.append(condition)
    kind = ast.ListComp if as_list else ast.SetComp if as_set else ast.GeneratorExp
    if as_list and len(made) == 1 and not made[0].ifs and ast.unparse(element) == ast.unparse(made[0].target):
        rows_ = made[0].iter
        is_list = isinstance(rows_, (ast.List, ast.ListComp)) or is_call(rows_, "list") or is_call(rows_, "sorted")
        return rows_ if is_list else call("list", rows_)
    return kind(element, made)


def loop_over(variables: Node, rows_: Node) -> Scan:
    """A loop over the rows of an expression."""
    return Scan(Rows("rows", ()), {}, variables, rows_)


def length_of(scan: Scan) -> Node:
    """The expression whose ``len`` is the number of rows."""
    return (
        me(scan.table.attribute)
        if isinstance(scan.table, (Rows, Keyed)) and scan.table.name != "rows"
        else scan.rows or me("inwindow")
    )


def rows(query: Query, context: Context) -> Node:
    """All rows, as a list of tuples, or of values if there is only one column."""
    by_rows = sorted_rows(query, context)
    if by_rows is not None:
        (loop,) = query.loops
        element = row([one.node for one in query.outputs])
        return generator(element, [replace(loop, rows=cut(by_rows, query))], [], as_list=True)
    element = row([one.node for one in query.outputs])
    if query.order:
        element = ast.Tuple([element, ast.Tuple([one.value.node for one in query.order], ast.Load())], ast.Load())
    made: Node
    if query.is_one or query.group is None and not query.loops:
        made = listed([element]) if is_constant(query.when, True) else choice(query.when, listed([element]), listed([]))
    elif query.group is not None:
        variables, groups = query.group
        made = generator(element, [loop_over(variables, groups)], query.group_conditions, as_list=True)
    else:
        made = generator(element, query.loops, query.conditions, as_list=True)
    if query.distinct:
        made = call("list", call(attribute(name("dict"), "fromkeys"), made))
    if query.order:
        directions = [
            ast.Tuple([constant(one.ascending), constant(one.nulls_first)], ast.Load()) for one in query.order
        ]
        made = call(context.helper("ordered"), made, *directions)
    return cut(made, query)


def cut(made: Node, query: Query) -> Node:
    """LIMIT and OFFSET of a list."""
    limit, offset = query.limit
    if limit is None and offset is None:
        return made
    end = limit if offset is None or limit is None else ast.BinOp(offset, ast.Add(), limit)
    return item(made, ast.Slice(offset, end))


def sorted_rows(query: Query, context: Context) -> Node | None:
    """The rows of a single table, sorted before columns are computed; possible if all keys are numbers, or none is DESC."""
    order = order_of_rows(query, context)
    return None if order is None else call("sorted", *order.rows, **order.key)


@dataclass(frozen=True)
class OrderOfRows:
    """The rows of a table, and the key by which ``sorted``, ``min`` and ``max`` compare them."""

    rows: tuple[Node]
    key: dict[str, Node]
    variables: Node


def order_of_rows(query: Query, context: Context) -> OrderOfRows | None:
    """The rows and their key, if ORDER BY is possible with one key over the rows of one table."""
    numbers = [one.number for one in query.order]
    if not query.order or query.group is not None or query.is_one or query.distinct or len(query.loops) != 1:
        return None
    (scan,) = query.loops
    if scan.key is not None or isinstance(scan.rows, ast.BoolOp) or None in numbers:
        return None
    assert scan.variables is not None and scan.rows is not None
    rows_ = scan.rows if not query.conditions else generator(scan.variables, [scan], query.conditions)
    keys = row([one for one in numbers if one is not None])
    if same(keys, scan.variables):
        return OrderOfRows((rows_,), {}, scan.variables)
    one = "row" if not isinstance(scan.variables, ast.Name) else scan.variables.id
    taken = names_in(keys) | context.names.taken
    while one in taken and not isinstance(scan.variables, ast.Name):
        one += "_"
    key = function_of_rows([one], replaced(keys, fields_of(scan.variables, name(one))))
    return OrderOfRows((rows_,), {"key": key}, scan.variables)


def first_of_rows(query: Query, context: Context) -> OrderOfRows | None:
    """ORDER BY ... LIMIT 1, which is the smallest row."""
    limit, offset = query.limit
    is_first = limit is not None and isinstance(limit, ast.Constant) and limit.value == 1 and offset is None
    return order_of_rows(query, context) if is_first else None


def value_of_key(query: Query) -> Node | None:
    """``table.get(key)``, if a SELECT reads the other column of a table with a key."""
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
