"""The value of a name in SQL: a column of the tables in scope, of surrounding scopes, or a parameter."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inwindow.language.esl.kinds import Kind
from inwindow.language.esl.names import Names
from inwindow.language.esl.trees import Node
from inwindow.language.text import Source, Span, StatementError, place_of
from inwindow.udaf.contract import Aggregate

if TYPE_CHECKING:
    from inwindow.language.esl.groups import Grouping
    from inwindow.language.esl.query import Query
    from inwindow.language.esl.tables import Stored


@dataclass(frozen=True)
class Value:
    """An expression of Python: its tree, its type, and whether it may be NULL."""

    node: Node
    kind: Kind
    nullable: bool


@dataclass(frozen=True)
class Readers:
    """The functions that read expressions, conditions and SELECTs. Each may contain the others, so they go through the scope."""

    value: "Callable[[Any, Scope], Value]"
    holds: "Callable[[Any, Scope], Node]"
    select: "Callable[[Any, Scope | None, Context], Query]"


@dataclass
class Context:
    """The block that is being compiled, and the names that it may use."""

    source: Source
    readers: Readers
    aggregate: str
    hook: str
    tables: Mapping[str, "Stored"]
    parameters: Mapping[str, Value]
    aggregates: Mapping[str, type[Aggregate]]
    names: Names
    span: Span
    called: Mapping[str, str] = field(default_factory=dict)  # the names of other aggregates' classes
    imports: set[tuple[str, str]] = field(default_factory=set)
    null_columns: set[tuple[str, str]] = field(default_factory=set)  # columns of local tables that got a NULL
    changed: set[str] = field(default_factory=set)  # tables that an INSERT of this block has put rows into

    def error(self, message: str, tree: Any = None) -> StatementError:
        span = tree if isinstance(tree, Span) else self.span if tree is None else place_of(tree, self.span)
        return self.source.error(f"{self.aggregate}: {message}", span)

    def helper(self, name: str) -> str:
        """The name of a helper, which the source will import."""
        self.imports.add(("inwindow.language.esl.values", name))
        return name

    def imported(self, module: str, name: str) -> str:
        """A name of another module, which the source will import."""
        self.imports.add((module, name))
        return name


@dataclass
class Scope:
    """The tables of a SELECT, UPDATE or DELETE, by alias; ``around`` is the scope of the statement around it."""

    context: Context
    around: "Scope | None" = None
    tables: dict[str, Mapping[str, Value]] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)  # columns of USING: one, though both tables have them
    grouping: "Grouping | None" = None
    named: Mapping[str, tuple[Any, "Scope"]] = field(default_factory=dict)  # queries of WITH, and where they are read

    def value(self, tree: Any) -> Value:
        """The value of an expression here."""
        return self.context.readers.value(tree, self)

    def holds(self, tree: Any) -> Node:
        """When a condition is TRUE here."""
        return self.context.readers.holds(tree, self)

    def select(self, tree: Any) -> "Query":
        """A SELECT inside of this one, read."""
        return self.context.readers.select(tree, self, self.context)

    def column(self, tree: Any) -> Value:
        """The value of a column by its name, or an error that says which there are."""
        name, table = tree.name.casefold(), tree.table.casefold()
        scope: Scope | None = self
        while scope is not None:
            found = scope._own(name, table, tree)
            if found is not None:
                return found
            scope = scope.around
        if not table and name in self.context.parameters:
            return self.context.parameters[name]
        raise self._unknown(tree, table)

    def query_named(self, name: str) -> "tuple[Any, Scope] | None":
        """A query of WITH, here or around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.named:
                return scope.named[name]
            scope = scope.around
        return None

    def _own(self, name: str, table: str, tree: Any) -> Value | None:
        if table:
            return self.tables.get(table, {}).get(name)
        found = [columns[name] for columns in self.tables.values() if name in columns]
        if len(found) > 1 and name not in self.merged:
            raise self.context.error(f"{tree.name} is a column of several tables: write the table before it", tree)
        return found[0] if found else None

    def has(self, tree: Any) -> bool:
        """Whether a column belongs to these tables, not to surrounding scopes."""
        return self._own(tree.name.casefold(), tree.table.casefold(), tree) is not None

    def _unknown(self, tree: Any, table: str) -> StatementError:
        known: dict[str, None] = {}
        scope: Scope | None = self
        while scope is not None:
            for alias, columns in scope.tables.items():
                known |= dict.fromkeys(columns if not table or alias == table else ())
            scope = scope.around
        if not table:
            known |= dict.fromkeys(self.context.parameters)
        hook, listed = self.context.hook, ", ".join(known) or "none"
        near = difflib.get_close_matches(tree.name.casefold(), known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        why = " (TERMINATE sees no tuple)" if hook == "TERMINATE" and not table else ""
        what = f"{tree.table}.{tree.name}" if table else tree.name
        return self.context.error(f"there is no column {what} here{why}; {hint}there are: {listed}", tree)
