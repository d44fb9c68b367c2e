"""The names in a SELECT of CQL: which columns of the joined frame they mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inwindow.language.cql.sources import ENDS, Asked
from inwindow.language.engines import quoted
from inwindow.language.text import library


@dataclass
class Scope:
    """FROM, joined so far: the columns of each table, by alias."""

    frame: Any
    tables: dict[str, Mapping[str, str]]
    grows: bool
    is_now: bool
    replaced: dict[Any, str] = field(default_factory=dict)  # keys and aggregates, after GROUP BY


def column_of(asked: Asked, tree: Any, scope: Scope) -> str | None:
    name, table = tree.name.casefold(), tree.table.casefold()
    found = [
        column for alias, columns in scope.tables.items() if table in ("", alias) for known, column in columns.items()
        if known.casefold() == name
    ]  # fmt: skip
    if len(found) > 1:
        raise asked.error(f"{tree.name} is a column of several tables: write the table before it", tree)
    return found[0] if found else None


def text_of(asked: Asked, tree: Any, scope: Scope) -> str:
    """An expression over the columns that names of CQL have become."""
    exp = library().exp

    def change(node: Any) -> Any:
        for known, column in scope.replaced.items():
            if node == known:
                return exp.column(column, quoted=True)
        if isinstance(node, exp.Column):
            own = column_of(asked, node, scope)
            if own is None:
                listed = ", ".join(name for columns in scope.tables.values() for name in columns)
                raise asked.error(f"there is no column {node.sql('spark')}; there are: {listed}", node)
            return exp.column(own, quoted=True)
        return node

    return str(tree.copy().transform(change).sql("spark"))


def ends() -> list[tuple[str, str]]:
    return [(quoted(name), name) for name in ENDS]


def conjuncts_of(tree: Any) -> list[Any]:
    exp, tree = library().exp, tree.unnest()
    return [part for side in tree.flatten() for part in conjuncts_of(side)] if isinstance(tree, exp.And) else [tree]


def aliases_in(tree: Any) -> set[str]:
    return {one.table.casefold() for one in tree.find_all(library().exp.Column)}
