"""``iw.Catalog``: names for streams, tables and aggregates, and scripts of statements about them.

::

    CREATE [ALGEBRAIC] [WINDOW] AGGREGATE name(...) : type { ... }
    CREATE STREAM name (column type, ...) [ORDER BY column] [SOURCE 'name or path']
    CREATE STREAM | TABLE | VIEW name [(column, ...)] AS SELECT ...
    CREATE TABLE name (column type, ...) ; INSERT INTO name ...
    SELECT ... ;  DROP ... name ;  SHOW STREAMS | TABLES | AGGREGATES ;  DESCRIBE name
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from inwindow.language.base_calls import has_base_call, run_base_calls
from inwindow.language.cql.marks import is_cql
from inwindow.language.cql.query import Answer, run_cql
from inwindow.language.declared import name_at, read_stream
from inwindow.language.dialects import translated
from inwindow.language.engines import Duck, EngineError, quoted
from inwindow.language.esl.definition import Definition, begins_definition, read_definition
from inwindow.language.esl.kinds import Kind
from inwindow.language.esl.written import Outside, made_class
from inwindow.language.given_tables import given_tables
from inwindow.language.script import statements
from inwindow.language.spark_engine import Spark
from inwindow.language.sql.nested import flattened
from inwindow.language.sql.run import kept, run
from inwindow.language.sql.statement import read
from inwindow.language.sql.windows import BUILT_IN
from inwindow.language.text import (
    Source,
    Span,
    Token,
    Tokens,
    alone,
    close_of,
    depths,
    in_order_of,
    not_too_deep,
    parsed,
    span_of,
    split,
    tokens_of,
)
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown

_SPEAKER = "Catalog.run"
_READERS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".orc": "orc"}


class Catalog:
    """Streams, tables and aggregates by name, and ESL scripts that create and query them.

    ``Catalog(spark)`` works on a session's tables and views. ``Catalog({"bids": table})`` works on Arrow tables (also pandas,
    Polars and DuckDB), and DuckDB runs the ordinary SQL around the windows. Keywords are further tables.

    >>> import pyarrow as pa, inwindow as iw
    >>> catalog = iw.Catalog({"bids": pa.table({"item": ["a", "b", "a"], "t": [1, 2, 3], "price": [1.0, 5.0, 3.0]})})
    >>> catalog.run('''
    ...     CREATE STREAM bid(item char(10), t Int, price Real) ORDER BY t SOURCE 'bids';
    ...     SELECT item, avg(price) OVER (PARTITION BY item ROWS 1 PRECEDING) AS a FROM bid;
    ... ''').to_pydict()
    {'item': ['a', 'b', 'a'], 'a': [1.0, 5.0, 2.0]}
    """

    def __init__(self, place: Any = None, /, **tables: Any) -> None:
        self.engine: Any
        if place is None or isinstance(place, Mapping):
            self.engine = Duck({**(place or {}), **tables})
        elif type(place).__name__ == "SparkSession" and type(place).__module__.startswith("pyspark."):
            self.engine = Spark(place)
        else:
            raise UsageError(f"Catalog({shown(place)}): give a SparkSession, or a dict of Arrow tables")
        self.sources: dict[str, Any] = tables if isinstance(self.engine, Spark) else {}
        self.orders: dict[str, str | None] = {}  # the timestamp of each stream; None: the order of arrival
        self.base: dict[str, type[Aggregate]] = {}
        self.window: dict[str, type[Aggregate]] = {}

    def run(self, script: str, *, dialect: str | None = None) -> Any:
        """Run a script; return the result of its last SELECT, SHOW or DESCRIBE (or None). Its definitions stay in the catalog.

        ``dialect``: the script is SQL of ``"postgres"``, ``"sqlite"``, ``"duckdb"`` or another database that sqlglot knows.
        """
        if not isinstance(script, str) or not script.strip():
            raise UsageError(
                f"Catalog.run({shown(script)}): a script is a text of statements, as in 'SELECT ...; SELECT ...;'"
            )
        script = script if dialect is None else translated(script, dialect, _SPEAKER)
        whole, result = Source(script, _SPEAKER), None
        for tokens in statements(whole):
            with not_too_deep(alone(whole, tokens)):
                result = self._statement(whole, tokens)
        return result

    def aggregate(self, name: str) -> type[Aggregate]:
        """The class of an aggregate: the window version, if it has two."""
        found = self.window.get(name.casefold()) or self.base.get(name.casefold())
        if found is None:
            known = ", ".join(sorted({*self.base, *self.window})) or "none"
            raise UsageError(f"Catalog.aggregate({name!r}): there is no such aggregate; there are: {known}")
        return found

    def add_file(self, name: str, path: str) -> None:
        """Give a file a name: Parquet, CSV or JSON."""
        if Path(path).suffix not in _READERS:
            raise UsageError(f"{path}: the ending says how it is read; known are {', '.join(_READERS)}")
        if not Path(path).exists() and not set(path) & set("*?[:"):
            raise UsageError(f"{path}: there is no such file")
        whole = Source(path, "Catalog.add_file")
        self.engine.register(name, self._source(whole, path, Token("STRING", path, Span(0, len(path)))))

    # --- Statements -----------------------------------------------------------------------------------------

    def _statement(self, whole: Source, tokens: Tokens) -> Any:
        first, second = tokens[0], tokens[1] if len(tokens) > 1 else tokens[0]
        if begins_definition(tokens):
            return self._create_aggregate(read_definition(alone(whole, tokens), tokens))
        if first.says("CREATE") and second.says("STREAM"):
            return self._create_stream(whole, tokens)
        if first.says("CREATE") and _as_at(tokens, 1) is not None:
            made = _create_as_without_options(tokens)
            if made is not None:
                return self._create_as(whole, made, is_stream=False)
        if first.says("DROP") and len(tokens) == 3 and second.says("STREAM", "TABLE", "VIEW", "AGGREGATE"):
            return self._drop(whole, tokens[1:])
        words = whole[span_of(tokens)].upper().split()  # sqlglot takes what is behind SHOW as one text
        if len(words) == 2 and words[0] == "SHOW" and words[1] in ("STREAMS", "TABLES", "AGGREGATES"):
            return self._show(words[1])
        if first.says("DESCRIBE", "DESC") and len(tokens) == 2:
            return self._describe(whole, second)
        if first.says("SELECT", "WITH", "FROM", "VALUES") or first.kind == "L_PAREN":
            return self._select(whole, tokens)
        if first.says("CREATE", "INSERT", "DROP", "UPDATE", "DELETE"):
            return self._pass_on(whole, tokens)
        raise whole.error(
            f"{_SPEAKER}: {first.text.upper()} is no statement of a catalog: write CREATE, SELECT, INSERT, DROP, SHOW or DESCRIBE",
            first.span,
        )

    def _create_aggregate(self, definition: Definition) -> None:
        key = definition.name.casefold()
        is_window = definition.is_window or definition.block("EXPIRE") is not None
        others = {**self.window, **self.base}
        tables = given_tables(self.engine, definition, self.orders)
        outside = Outside(others, tables, self._base_of(definition) if is_window else None)
        made = made_class(definition, outside)
        (self.window if is_window else self.base)[key] = made

    def _base_of(self, definition: Definition) -> type[Aggregate] | None:
        """The base version of a window aggregate, if it can stand in for it (figure 2)."""
        base = self.base.get(definition.name.casefold())
        if base is None or definition.is_record:
            return None
        blocks = definition.block("TERMINATE")
        has_terminate = blocks is not None and bool(blocks.statements)
        traits = base._traits
        fits = (
            traits is not None
            and traits.arity == len(definition.parameters)
            and (traits.has_terminate or not has_terminate)
        )
        return base if fits else None

    def _create_stream(self, whole: Source, tokens: Tokens) -> None:
        if _as_at(tokens, 2) is not None:
            return self._create_as(whole, tokens, is_stream=True)
        its = read_stream(whole, tokens)
        frame = self._source(whole, its.name if its.source is None else its.source.text, its.source or tokens[2])
        known = {column.casefold(): column for column in self.engine.columns(frame)}
        for column in its.columns:
            if column.name.casefold() not in known and column.name.casefold() != "current_time":
                raise whole.error(
                    f"{_SPEAKER}: the source of {its.name} has no column {column.name}; it has: {', '.join(known.values())}",
                    column.span,
                )
        items = [(self._cast(frame, known.get(one.name.casefold()), one.kind), one.name) for one in its.columns]
        made = self._asked(lambda: self.engine.project(frame, items), whole, tokens)
        self._keep(its.name, made, its.order_by, is_stream=True)
        return None

    def _cast(self, frame: Any, column: str | None, kind: Kind) -> str:
        """A column of a source as the type that the stream declares; without one it is the time of arrival."""
        if column is None:
            return "current_timestamp()"
        if self.engine.is_of(frame, column, kind):  # a cast would cost a streaming DataFrame its watermark
            return quoted(column)
        return f"CAST({quoted(column)} AS {kind.ddl})"

    def _source(self, whole: Source, name: str, at: Token) -> Any:
        """A table that was given, one of the engine's, or a file."""
        found = {key.casefold(): table for key, table in self.sources.items()}.get(name.casefold())
        if found is not None:
            return found
        suffix = Path(name).suffix
        if suffix in _READERS:
            kind = _READERS[suffix]
            if isinstance(self.engine, Spark):
                reader = self.engine.session.read.format(kind)
                return (reader.option("header", True) if kind == "csv" else reader).load(name)
            return self._asked(lambda: self.engine.file(name, kind), whole, [at])
        return self._asked(lambda: self.engine.query(f"SELECT * FROM {quoted(name)}"), whole, [at])

    def _create_as(self, whole: Source, tokens: Tokens, *, is_stream: bool) -> None:
        name, at = name_at(whole, tokens, 2)
        begin = _as_at(tokens, 2)
        assert begin is not None
        listed = split(tokens[at + 1 : begin - 1]) if tokens[at].kind == "L_PAREN" else []
        if not all(listed):
            raise whole.error(f"{_SPEAKER}: a name is missing between the commas", tokens[at].span)
        names = [column[0].text for column in listed] or None
        inside = tokens[begin + 1 :]
        if inside and inside[0].kind == "L_PAREN" and close_of(inside, 0) == len(inside) - 1:
            inside = inside[1:-1]
        if not inside:
            raise whole.error(f"{_SPEAKER}: a SELECT is missing behind AS", tokens[begin].span)
        frame = self._select(whole, inside)
        columns = self.engine.columns(frame)
        if names is not None and len(names) != len(columns):
            raise whole.error(
                f"{_SPEAKER}: {name} has {len(names)} columns, and the SELECT gives {len(columns)}", tokens[at].span
            )
        order = self._order_of_result(inside, columns) if is_stream else None
        if names is not None:
            order = None if order is None else names[columns.index(order)]
            frame = self.engine.renamed(frame, names, [])
        if is_stream and order is not None and any(token.says("UNION", "UNION ALL") for token in inside):
            frame = self.engine.merged(frame, order)
        self._keep(name, frame, order, is_stream=is_stream)

    def _keep(self, name: str, frame: Any, order: str | None, *, is_stream: bool) -> None:
        self.engine.register(name, frame)
        self.orders.pop(name.casefold(), None)
        if is_stream:
            self.orders[name.casefold()] = order

    # --- SELECT ---------------------------------------------------------------------------------------------

    def _select(self, whole: Source, tokens: Tokens) -> Any:
        if is_cql(tokens):
            return self._cql(whole, tokens).frame
        tables: list[str] = []

        def named(inner: Source, its: Tokens) -> str | None:
            frame = self._windows(inner, its)
            if frame is None:
                return None
            tables.append(kept(self.engine, frame))
            self.orders[tables[-1]] = self._order_of_result(its, self.engine.columns(frame))
            return tables[-1]

        try:
            source = flattened(alone(whole, tokens), named)
            return self._flat(source, tokens_of(source) if tables else tokens)
        finally:
            for name in tables:
                self.engine.forget(name)
                del self.orders[name]

    def _flat(self, source: Source, tokens: Tokens) -> Any:
        """A SELECT without windows in inner queries."""
        bases = {name: kind() for name, kind in {**self.window, **self.base}.items()}
        if has_base_call(tokens, bases):
            return run_base_calls(self.engine, source, tokens, bases, self._order_of(tokens))
        frame = self._windows(source, tokens)
        if frame is not None:
            return frame
        return self._asked(lambda: self.engine.query(source[span_of(tokens)]), source, tokens)

    def _windows(self, source: Source, tokens: Tokens) -> Any:
        """The rows of one SELECT with windows; None where it has none."""
        aggregates = {name: kind() for name, kind in {**self.base, **self.window}.items()}
        order = self._order_of(tokens)
        ordered = source if order is None else in_order_of(source, quoted(order))
        statement = read(ordered, aggregates.keys(), BUILT_IN.keys(), is_all=True)
        return None if statement is None else run(self.engine, statement, aggregates)

    def cql(self, text: str) -> Any:
        """One query of CQL: a stream with its time in ``at``, or a relation with ``since`` and ``until``.

        ``run`` takes a statement for CQL where it has a window in brackets, or ISTREAM, DSTREAM, RSTREAM.
        """
        return self._cql(*_one_statement(text, "Catalog.cql")).frame

    def explain_cql(self, text: str) -> list[str]:
        """What a query of CQL says by default, and how it is rewritten."""
        return list(self._cql(*_one_statement(text, "Catalog.explain_cql")).notes)

    def _cql(self, whole: Source, tokens: Tokens) -> Answer:
        aggregates = {name: kind() for name, kind in {**self.window, **self.base}.items()}
        source = alone(whole, tokens)
        with not_too_deep(source):
            return run_cql(self.engine, source, tokens, self.orders, aggregates)

    def _order_of(self, tokens: Tokens) -> str | None:
        """The timestamp of the stream in FROM."""
        for at, token in enumerate(tokens[:-1]):
            order = self.orders.get(tokens[at + 1].text.casefold()) if token.says("FROM") else None
            if order is not None:
                return order
        return None

    def _order_of_result(self, tokens: Tokens, columns: list[str]) -> str | None:
        """Which column of a result is the timestamp of the stream that it comes from."""
        order = self._order_of(tokens)
        if order is None:
            return None
        by_name = next((column for column in columns if column.casefold() == order.casefold()), None)
        if by_name is not None:
            return by_name
        begin = next((at for at, token in enumerate(tokens) if token.says("SELECT")), 0)
        end = next((at for at, token in enumerate(tokens) if token.says("FROM")), len(tokens))
        items = split(tokens[begin + 1 : end])
        at = next(
            (
                at
                for at, item in enumerate(items)
                if any(token.text.casefold() == order.casefold() for token in item[:3])
            ),
            None,
        )
        return columns[at] if at is not None and len(items) == len(columns) else None

    def _asked(self, ask: Any, source: Source, tokens: Tokens) -> Any:
        try:
            return ask()
        except EngineError as error:
            failure = error
        if failure.is_unread:
            parsed(source, tokens)  # an error that says what, and where
        raise source.error(
            f"{_SPEAKER}: {self.engine.name} says: {failure.message}", failure.place(tokens) or span_of(tokens)
        )

    # --- Other statements -----------------------------------------------------------------------------------

    def _pass_on(self, whole: Source, tokens: Tokens) -> None:
        """Pass a statement about plain tables to the engine; a SELECT of an INSERT may have windows of ours."""
        text, name = whole[span_of(tokens)], ""
        begin = next((at for at, token in enumerate(tokens) if token.says("SELECT", "WITH")), None)
        if tokens[0].says("INSERT") and begin is not None and any(token.kind == "OVER" for token in tokens[begin:]):
            name = kept(self.engine, self._select(whole, tokens[begin:]))
            text = f"{whole[span_of(tokens[:begin])]} SELECT * FROM {name}"
        try:
            self._asked(lambda: self.engine.run(text), whole, tokens)
        finally:
            if name:
                self.engine.forget(name)

    def _drop(self, whole: Source, tokens: Tokens) -> None:
        what, name = tokens
        key = name.text.casefold()
        if what.says("AGGREGATE"):
            if self.base.pop(key, None) is None and self.window.pop(key, None) is None:
                raise whole.error(f"{_SPEAKER}: there is no aggregate {name.text}", name.span)
            self.window.pop(key, None)
            return
        self._asked(lambda: self.engine.drop(name.text), whole, [name])
        self.orders.pop(key, None)

    def _names(self) -> list[str]:
        return list(self.engine.names())

    def _show(self, what: str) -> pa.Table:
        if what == "AGGREGATES":
            kinds = {**self.base, **self.window}
            return pa.table(
                {"name": list(kinds), "version": ["window" if name in self.window else "base" for name in kinds]}
            )
        if what == "STREAMS":
            return pa.table({"name": list(self.orders), "order_by": pa.array(list(self.orders.values()), pa.string())})
        return pa.table(
            {"name": pa.array([name for name in self._names() if name.casefold() not in self.orders], pa.string())}
        )

    def _describe(self, whole: Source, name: Token) -> pa.Table:
        key = name.text.casefold()
        if key in self.window or key in self.base:
            kind = self.aggregate(key)
            traits = kind._traits
            assert traits is not None
            return pa.table(
                {
                    "column": [*traits.parameters, "result"],
                    "type": [*["argument"] * len(traits.parameters), str(traits.result)],
                }
            )
        frame = self._asked(lambda: self.engine.query(f"SELECT * FROM {quoted(name.text)}"), whole, [name])
        return pa.table({"column": self.engine.columns(frame), "type": self.engine.types(frame)})


def _one_statement(text: str, speaker: str) -> tuple[Source, Tokens]:
    if not isinstance(text, str):
        raise UsageError(f"{speaker}({shown(text)}): a query is a text, as in 'SELECT * FROM Bid [NOW]'")
    whole = Source(text, speaker)
    found = statements(whole)
    if len(found) != 1:
        raise UsageError(f"{speaker} takes one query, and this text has {len(found)}: Catalog.run takes many")
    return whole, found[0]


def _create_as_without_options(tokens: Tokens) -> Tokens | None:
    """``CREATE TABLE`` or ``VIEW`` without OR REPLACE and TEMPORARY, which say nothing here: a name is always made anew."""
    at = 1
    while at < len(tokens) and tokens[at].says("OR", "REPLACE", "TEMP", "TEMPORARY"):
        at += 1
    return [tokens[0], *tokens[at:]] if tokens[at].says("TABLE", "VIEW") else None


def _as_at(tokens: Tokens, start: int) -> int | None:
    """Where AS stands at the top, before the SELECT."""
    levels = depths(tokens)
    for at in range(start, len(tokens)):
        if not levels[at] and tokens[at].says("AS"):
            return at
        if tokens[at].says("SELECT"):
            return None
    return None
