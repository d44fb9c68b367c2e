"""Tables of a catalog that an aggregate reads: constants, which travel with its class."""

from collections.abc import Collection
from typing import Any

import pyarrow as pa

from inwindow.language.engines import EngineError, quoted
from inwindow.language.esl import kinds
from inwindow.language.esl.definition import Definition, Named
from inwindow.language.text import Span, StatementError, library, place_of

_MOST_ROWS = 1_000_000

Given = tuple[list[Named], list[Any]]  # columns, and rows


def given_tables(engine: Any, definition: Definition, streams: Collection[str]) -> dict[str, Given]:
    """The tables that an aggregate reads and does not declare itself, as they are now."""
    own = {table.name.casefold() for table in definition.tables} | {"inwindow", "return", *streams}
    read = {
        one.name.casefold(): one
        for block in definition.blocks
        for statement in block.statements
        for one in statement.tree.find_all(library().exp.Table)
    }
    return {
        name.casefold(): _given(engine, definition, name, read[name.casefold()])
        for name in engine.names()
        if name.casefold() in read and name.casefold() not in own
    }


def _given(engine: Any, definition: Definition, name: str, tree: Any) -> Given:
    try:
        table = engine.whole(engine.query(f"SELECT * FROM {quoted(name)}"), _MOST_ROWS + 1)
    except EngineError as error:
        failure = _error(definition, tree, f"{engine.name} says: {error.message}")
    else:
        if len(table) <= _MOST_ROWS:
            return _columns_of(table), _rows_of(table)
        failure = _error(
            definition,
            tree,
            f"{name} has more than {_MOST_ROWS:,} rows, and a table that an aggregate reads travels with it: join it to the "
            "stream, and give its columns as arguments",
        )
    raise failure


def _error(definition: Definition, tree: Any, message: str) -> StatementError:
    return definition.source.error(f"{definition.name}: {message}", place_of(tree, definition.span))


def _columns_of(table: pa.Table) -> list[Named]:
    return [
        Named(name, kinds.of_arrow(kind), Span(0, 0))
        for name, kind in zip(table.column_names, table.schema.types, strict=True)
    ]


def _rows_of(table: pa.Table) -> list[Any]:
    columns = [column.to_pylist() for column in table.columns]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
