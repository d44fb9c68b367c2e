"""How tables are stored: a single row as attributes of ``self``, rows with a key as a dictionary, other rows as a list.

::

    TABLE state(total Real, n Int)                self.total, self.n           one row, put there by INITIALIZE
    TABLE counts(item String PRIMARY KEY, n Int)  self.counts[item] = n        also where INSERT looks first whether it is there
    TABLE seen(item String, at Timestamp)         self.seen = [(item, at), ...]
    TABLE inwindow(price Real)                    self.inwindow                the framework's buffer of the window
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inwindow.language.esl.definition import Definition, Named, Statement, Table
from inwindow.language.esl.names import Names
from inwindow.language.esl.scope import Context, Value
from inwindow.language.esl.trees import Node, attribute, call, constant, item, me, name, replaced, row, target
from inwindow.language.text import library

Nullable = frozenset[tuple[str, str]]  # the columns, by table and name, that may hold a NULL


@dataclass(frozen=True)
class Scan:
    """The rows of a table in a SELECT: the loop's variables and rows, and the columns in terms of these."""

    table: "Stored"
    columns: Mapping[str, Value]
    variables: Node | None = None  # None: there is one row, and no loop
    rows: Node | None = None
    key: Node | None = None  # the one key that is looked up

    @property
    def is_loop(self) -> bool:
        return self.rows is not None

    def loop(self, *conditions: Node) -> ast.comprehension:
        """``for variables in rows if conditions``."""
        assert self.variables is not None and self.rows is not None
        return ast.comprehension(target(self.variables), self.rows, list(conditions), 0)


@dataclass(frozen=True)
class Stored:
    """A table and where its rows are."""

    name: str
    columns: tuple[Named, ...]
    nullable: Nullable = frozenset()

    def value(self, column: Named, node: Node) -> Value:
        return Value(node, column.kind, (self.name.casefold(), column.name.casefold()) in self.nullable)

    def scan(self, context: Context) -> Scan:
        """The table, as a SELECT reads it."""
        raise NotImplementedError

    def start(self) -> ast.stmt | None:
        """How the empty table is made."""
        return None

    @property
    def told(self) -> str:
        """Its line in the docstring of the class."""
        raise NotImplementedError

    def _variables(self, context: Context) -> tuple[list[Node], dict[str, Value]]:
        nodes = [name(context.names.fresh(column.name)) for column in self.columns]
        values = zip(self.columns, nodes, strict=True)
        return nodes, {column.name.casefold(): self.value(column, node) for column, node in values}


@dataclass(frozen=True)
class WholeRows:
    """A loop over whole rows of a list, so that unchanged rows are not built again."""

    scan: Scan
    fields: Mapping[str, Node]

    def of(self, node: Node) -> Node:
        """An expression over columns, over the fields of a row."""
        return replaced(node, self.fields)


def whole_rows(scan: Scan, context: Context) -> WholeRows:
    """The same loop, over rows."""
    if not isinstance(scan.variables, ast.Tuple):
        return WholeRows(scan, {})
    one = name(context.names.fresh("row"))
    return WholeRows(replace(scan, variables=one), fields_of(scan.variables, one))


def fields_of(variables: Node, of: Node) -> dict[str, Node]:
    """Variables that are unpacked of a row, as its fields."""
    if isinstance(variables, ast.Name):
        return {variables.id: of}
    assert isinstance(variables, ast.Tuple)
    found: dict[str, Node] = {}
    for at, one in enumerate(variables.elts):
        found |= fields_of(one, item(of, constant(at)))
    return found


class NotKeyed(Exception):
    """A key may be NULL, so the table must be a list."""


@dataclass(frozen=True)
class OneRow(Stored):
    """One row, always: attributes."""

    attributes: tuple[str, ...] = ()

    def scan(self, context: Context) -> Scan:
        return Scan(
            self, {c.name.casefold(): self.value(c, me(a)) for c, a in zip(self.columns, self.attributes, strict=True)}
        )

    @property
    def told(self) -> str:
        return f"one row: {', '.join(f'self.{one}' for one in self.attributes)}"


@dataclass(frozen=True)
class Rows(Stored):
    """Any rows: a list of tuples, or of values where there is one column."""

    attribute: str = ""

    def scan(self, context: Context) -> Scan:
        nodes, columns = self._variables(context)
        return Scan(self, columns, row(nodes), me(self.attribute))

    def start(self) -> ast.stmt:
        return ast.Assign([me(self.attribute)], ast.List([], ast.Load()))

    @property
    def told(self) -> str:
        return f"rows: the list self.{self.attribute}; a statement looks at all of them"


@dataclass(frozen=True)
class Keyed(Stored):
    """Rows with a key: a dictionary of the other columns by the key."""

    attribute: str = ""
    key: int = 0
    inferred: bool = False
    kept: frozenset[str] = frozenset()  # parameters whose values of all tuples of the window are keys

    def always_has(self, key: Node, context: Context) -> bool:
        """Whether a key certainly exists: each tuple inserts its own, none is deleted, and the tuple has not left yet."""
        return context.hook == "EXPIRE" and isinstance(key, ast.Name) and key.id in self.kept

    def scan(self, context: Context) -> Scan:
        nodes, columns = self._variables(context)
        others = self.others(nodes)
        if not others:
            return Scan(self, columns, nodes[self.key], me(self.attribute))
        pair = ast.Tuple([nodes[self.key], row(others)], ast.Load())
        return Scan(self, columns, pair, call(attribute(me(self.attribute), "items")))

    def lookup(self, scan: Scan, key: Node, context: Context) -> Scan:
        """The row of one key."""
        if not self.others(self.columns):
            rows: Node = call(context.helper("found"), me(self.attribute), key)
            return replace(scan, variables=name("_"), rows=rows, key=key)
        assert isinstance(scan.variables, ast.Tuple)
        rows = call(context.helper("found"), me(self.attribute), key)
        columns = dict(scan.columns)
        column = self.columns[self.key].name.casefold()
        columns[column] = replace(columns[column], node=key)
        return replace(scan, columns=columns, variables=scan.variables.elts[1], rows=rows, key=key)

    def others(self, values: Sequence[Any]) -> list[Any]:
        """The values of a row without its key."""
        return [one for at, one in enumerate(values) if at != self.key]

    def start(self) -> ast.stmt:
        return ast.Assign([me(self.attribute)], ast.Dict([], []))

    @property
    def told(self) -> str:
        return f"rows by {self.columns[self.key].name}: the dictionary self.{self.attribute}; a key is found in O(1)"


@dataclass(frozen=True)
class Window(Stored):
    """The window's tuples: the framework's buffer, whose records have the parameters' names."""

    fields: tuple[str, ...] = ()
    may_be_empty: bool = False  # a DELETE may take the new tuple, too
    loses_in_expire: bool = False
    spares: bool = False  # each new tuple would meet the condition of a DELETE, so that one is spared

    def scan(self, context: Context) -> Scan:
        record = name(context.names.fresh("record"))
        columns = zip(self.columns, self.fields, strict=True)
        return Scan(
            self,
            {c.name.casefold(): Value(attribute(record, f), c.kind, self.takes_nulls) for c, f in columns},
            record,
            me("inwindow"),
        )

    @property
    def takes_nulls(self) -> bool:
        return bool(self.nullable)

    @property
    def told(self) -> str:
        spared = "; DELETE spares the new tuple" if self.spares else ""
        return f"the window's tuples: self.inwindow; a statement looks at all of them{spared}"


@dataclass(frozen=True)
class Given(Stored):
    """A table of the catalog: a constant, which travels with the class."""

    constant: str = ""

    def scan(self, context: Context) -> Scan:
        nodes, columns = self._variables(context)
        return Scan(
            self, {key: replace(one, nullable=True) for key, one in columns.items()}, row(nodes), name(self.constant)
        )

    @property
    def told(self) -> str:
        return f"a table of the catalog, as it is now: the constant {self.constant}"


def stored_tables(
    definition: Definition, nullable: Nullable, as_lists: Iterable[str], names: Names
) -> dict[str, Stored]:
    """Where each local table of an aggregate is."""
    found: dict[str, Stored] = {}
    for table in definition.tables:
        known = table.name.casefold()
        if known == "inwindow":
            continue
        if _has_one_row(definition, table):
            attributes = tuple(names.fresh(column.name) for column in table.columns)
            found[known] = OneRow(table.name, table.columns, nullable, attributes)
            continue
        declared = next((at for at, column in enumerate(table.columns) if column.is_key), None)
        key = declared if declared is not None or known in as_lists else _guarded_key(definition, table)
        attribute_ = names.fresh(table.name)
        if key is None:
            found[known] = Rows(table.name, table.columns, nullable, attribute_)
        else:
            found[known] = Keyed(table.name, table.columns, nullable, attribute_, key, declared is None)
    return found


def mentions(tree: Any, table: str) -> bool:
    """Whether a statement reads or writes a table."""
    return any(one.name.casefold() == table.casefold() for one in tree.find_all(library().exp.Table))


def written_table(tree: Any) -> Any:
    """The table that a statement changes."""
    exp = library().exp
    return tree.this.this if isinstance(tree.this, exp.Schema) else tree.this


def _changes(definition: Definition, table: Table | Stored) -> Iterable[tuple[tuple[str, ...], Statement]]:
    for block in definition.blocks:
        for statement in block.statements:
            if written_table(statement.tree).name.casefold() == table.name.casefold():
                yield block.hooks, statement


def _is_one_new_row(statement: Statement) -> bool:
    values = statement.tree.expression
    return isinstance(values, library().exp.Values) and len(values.expressions) == 1 and statement.condition is None


def _has_one_row(definition: Definition, table: Table) -> bool:
    """Whether INITIALIZE inserts one row as the first statement, and nothing else adds or deletes rows."""
    exp = library().exp
    others = [(hooks, one) for hooks, one in _changes(definition, table) if not isinstance(one.tree, exp.Update)]
    if len(others) != 1 or others[0][0] != ("INITIALIZE",) or not isinstance(others[0][1].tree, exp.Insert):
        return False
    insert = others[0][1]
    block = definition.block("INITIALIZE")
    assert block is not None
    before = block.statements[: block.statements.index(insert)]
    return _is_one_new_row(insert) and not any(mentions(one.tree, table.name) for one in before)


def _guarded_key(definition: Definition, table: Table) -> int | None:
    """The column that each INSERT checks first for an existing row."""
    exp = library().exp
    keys: set[int | None] = set()
    updated: set[int | None] = set()
    first = True
    for hooks, statement in _changes(definition, table):
        if isinstance(statement.tree, exp.Insert):
            if not (first and hooks == ("INITIALIZE",) and _is_one_new_row(statement)):
                keys.add(key_of_guard(statement, table))
            first = False
        elif isinstance(statement.tree, exp.Update):
            updated |= {_position(table, one.this.name) for one in statement.tree.expressions}
    return keys.pop() if len(keys) == 1 and not keys & updated else None


def key_of_guard(statement: Statement, table: "Table | Stored") -> int | None:
    """``INSERT INTO t SELECT k, ... WHERE NOT EXISTS (SELECT ... FROM t WHERE key = k)``."""
    exp = library().exp
    given, condition = statement.tree.expression, statement.condition
    if isinstance(statement.tree.this, exp.Schema):
        return None
    if isinstance(given, exp.Select):
        if source_of(given) is not None or given.args.get("where") is None:
            return None
        condition, values = given.args["where"].this, given.expressions
    elif isinstance(given, exp.Values) and len(given.expressions) == 1:
        values = given.expressions[0].expressions
    else:
        return None
    if not (isinstance(condition, exp.Not) and isinstance(condition.this.unnest(), exp.Exists)):
        return None
    inner = condition.this.unnest().this
    source, where = source_of(inner), inner.args.get("where")
    if source is None or source.name.casefold() != table.name.casefold() or inner.args.get("joins") or where is None:
        return None
    test = where.this.unnest()
    if not isinstance(test, exp.EQ):
        return None
    for column, key in ((test.this, test.expression), (test.expression, test.this)):
        at = _position(table, column.name) if isinstance(column, exp.Column) else None
        if at is not None and at < len(values) and values[at].sql() == key.sql() and _is_free(key, table):
            return at
    return None


def kept_keys(definition: Definition, table: "Stored", key: int) -> set[str]:
    """The parameters that every tuple inserts as a key of the table, if no statement deletes rows."""
    exp, column = library().exp, table.columns[key]
    if any(isinstance(one.tree, exp.Delete) for _, one in _changes(definition, table)):
        return set()
    found = []
    for hook in ("INITIALIZE", "ITERATE"):
        inserts = [
            one for hooks, one in _changes(definition, table) if hook in hooks and isinstance(one.tree, exp.Insert)
        ]
        keys = [value for one in inserts if (value := _inserted_key(one, table, key)) is not None]
        found.append({one.name.casefold() for one in keys if isinstance(one, exp.Column) and not one.table})
    kinds = {one.name.casefold(): one.kind for one in definition.parameters}
    same_kind = {
        name for name, kind in kinds.items() if not kind or not column.kind or kind.python == column.kind.python
    }
    return found[0] & found[1] & same_kind


def _inserted_key(statement: Statement, table: "Stored", key: int) -> Any:
    """The key of the single row that a statement inserts, unless it exists already."""
    exp, given = library().exp, statement.tree.expression
    if isinstance(statement.tree.this, exp.Schema):
        return None
    if key_of_guard(statement, table) == key:
        values = given.expressions if isinstance(given, exp.Select) else given.expressions[0].expressions
        return values[key]
    if not _is_one_new_row(statement):
        return None
    row_ = given.expressions[0]
    return row_.expressions[key] if isinstance(row_, exp.Tuple) else row_.this


def _is_free(tree: Any, table: "Table | Stored") -> bool:
    return not any(_position(table, one.name) is not None for one in tree.find_all(library().exp.Column))


def _position(table: "Table | Stored", column: str) -> int | None:
    names = [one.name.casefold() for one in table.columns]
    return names.index(column.casefold()) if column.casefold() in names else None


def source_of(select: Any) -> Any:
    """The table or subquery of FROM; sqlglot has changed the name of this part."""
    part = select.args.get("from_") or select.args.get("from")
    return None if part is None else part.this
