"""Engines that run the ordinary SQL around our windows: Spark, or DuckDB over Arrow tables.

An engine knows tables by name, runs queries in Spark's dialect, and applies the steps of a SELECT that come after windows.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.language.esl.kinds import Kind, of_arrow
from inwindow.language.text import Span, Tokens, library, quiet
from inwindow.udaf.errors import UsageError, shown

_ROWS = "__inwindow_rows"  # what the steps read; no table of a user has the name
SortedBy = tuple[str, bool, bool]  # an expression, ascending, NULLs first


class EngineError(Exception):
    """An engine's error for a query: its message, and the place in the query's text, if known."""

    def __init__(
        self,
        message: str,
        start: int | None = None,
        length: int = 1,
        missing: str = "",
        fragment: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message, self.start, self.length = message + hint, start, length
        self.missing = missing  # the column that it did not find
        self.fragment = fragment
        self.is_unread = False  # the text was not even read by the engine
        found = re.findall(r'"(\w+)"|[Nn]ame (\w+)|`(\w+)`', message)
        self.named = {name.casefold() for names in found for name in names if name}

    def place(self, tokens: Tokens) -> Span | None:
        """Where the text has a name that the engine speaks of."""
        return next((token.span for token in tokens if token.text.casefold() in self.named), None)


class Engine(Protocol):
    """Runs queries, and the steps after windows."""

    name: str

    def query(self, text: str) -> Any:
        """A SELECT as a frame; its columns are known, or an :class:`EngineError`."""

    def register(self, name: str, table: Any) -> None:
        """A frame under a name."""

    def columns(self, frame: Any) -> list[str]:
        """The names of a frame's columns."""

    def renamed(self, frame: Any, names: Sequence[str], dropped: Sequence[str]) -> Any:
        """The frame under other names, without some of them."""

    def project(self, frame: Any, items: Sequence[tuple[str, str | None]]) -> Any:
        """Expressions under names; ``("*", None)`` is all columns."""

    def where(self, frame: Any, condition: str) -> Any:
        """The rows for which a condition holds."""

    def distinct(self, frame: Any) -> Any:
        """Each row once."""

    def ordered(self, frame: Any, keys: Sequence[SortedBy]) -> Any:
        """The rows in order."""

    def cut(self, frame: Any, limit: int | None, offset: int | None) -> Any:
        """Some of the rows."""

    def is_stream(self, frame: Any) -> bool:
        """Whether rows still come."""

    def whole(self, frame: Any, most: int) -> pa.Table:
        """At most that many rows of a frame, as an Arrow table."""

    def a_row_each(self, frame: Any, column: str) -> Any:
        """A row for each value in the lists of a column; none for an empty list."""

    def steps(self, make: Callable[[], Any]) -> Any:
        """The result of some steps, or an :class:`EngineError` if they fail."""


def quoted(name: str) -> str:
    """A name in Spark's quotation marks."""
    return f"`{name.replace('`', '``')}`"


class Duck:
    """DuckDB over Arrow tables, in this process: it joins, filters and groups around the windows."""

    name = "DuckDB"

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.connection = _connected()
        self.connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        self.tables: dict[str, pa.Table] = {}
        for name, table in tables.items():
            self.register(name, arrow_of(name, table))

    def register(self, name: str, table: pa.Table) -> None:
        """A table under a name."""
        self.tables[name] = table
        self.connection.register(name, table)

    def drop(self, name: str) -> None:
        """Forget a table."""
        known = {one.casefold(): one for one in self.tables}.get(name.casefold())
        if known is None:
            self.run(f"DROP TABLE {quoted(name)}")
            return
        self.connection.unregister(known)
        del self.tables[known]

    def forget(self, name: str) -> None:
        """Forget the rows of an inner query; what was made of them is a table of its own."""
        self.drop(name)

    def run(self, text: str) -> Any:
        """Any statement."""
        duckdb = _duckdb()
        try:
            return self.connection.sql(self._spoken(text))
        except duckdb.Error as error:
            failure = _of_duckdb(error, self.names())
        raise failure

    def query(self, text: str) -> pa.Table:
        return self._table(self.run(text))

    def file(self, path: str, kind: str) -> pa.Table:
        """A file as a table: by a connection of its own, for statements reach no files."""
        duckdb, connection = _duckdb(), _connected()
        read = {"parquet": connection.read_parquet, "csv": connection.read_csv, "json": connection.read_json}
        if kind not in read:
            raise EngineError(f"{path}: files of {kind} are read by Spark only")
        try:
            return read[kind](path).to_arrow_table()
        except duckdb.Error as error:
            failure = _of_duckdb(error)
        raise failure

    def is_of(self, frame: pa.Table, column: str, kind: Kind) -> bool:
        """Whether a column has a type already."""
        return of_arrow(frame.schema.field(column).type) == kind

    def column(self, frame: pa.Table, name: str) -> pa.DataType:
        """What a column is, for :meth:`with_nulls`."""
        return frame.schema.field(name).type

    def with_nulls(self, frame: pa.Table, names: Sequence[str], like: pa.DataType) -> pa.Table:
        """More columns, of NULLs."""
        for name in names:
            frame = frame.append_column(name, pa.nulls(len(frame), like))
        return frame

    def names(self) -> list[str]:
        """All tables and views."""
        return [
            row[0]
            for row in self.connection.execute("SELECT DISTINCT table_name FROM information_schema.tables").fetchall()
        ]

    def types(self, frame: pa.Table) -> list[str]:
        return [str(kind) for kind in frame.schema.types]

    def merged(self, frame: pa.Table, order_by: str) -> pa.Table:
        """Several streams in the order of time; ties are in the order of the arguments."""
        return self.ordered(frame, [(quoted(order_by), True, True)])

    def columns(self, frame: pa.Table) -> list[str]:
        return list(frame.column_names)

    def renamed(self, frame: pa.Table, names: Sequence[str], dropped: Sequence[str]) -> pa.Table:
        return frame.rename_columns(list(names)).drop_columns(list(dropped))

    def project(self, frame: pa.Table, items: Sequence[tuple[str, str | None]]) -> pa.Table:
        names: list[str] = []
        for _, name in items:
            names += frame.column_names if name is None else [name]
        texts = [
            "*" if name is None else f"({self._expression(text)}) AS c{at}" for at, (text, name) in enumerate(items)
        ]
        return self._table(self._over(frame, f"SELECT {', '.join(texts)} FROM {_ROWS}")).rename_columns(names)

    def where(self, frame: pa.Table, condition: str) -> pa.Table:
        return self._table(self._over(frame, f"SELECT * FROM {_ROWS} WHERE {self._expression(condition)}"))

    def distinct(self, frame: pa.Table) -> pa.Table:
        return self._table(self._over(frame, f"SELECT DISTINCT * FROM {_ROWS}"))

    def ordered(self, frame: pa.Table, keys: Sequence[SortedBy]) -> pa.Table:
        written = (
            f"{self._expression(text)} {'ASC' if up else 'DESC'} NULLS {'FIRST' if first else 'LAST'}"
            for text, up, first in keys
        )
        return self._table(self._over(frame, f"SELECT * FROM {_ROWS} ORDER BY {', '.join(written)}"))

    def cut(self, frame: pa.Table, limit: int | None, offset: int | None) -> pa.Table:
        return frame.slice(offset or 0, limit)

    def is_stream(self, frame: pa.Table) -> bool:
        return False

    def whole(self, frame: pa.Table, most: int) -> pa.Table:
        return frame.slice(0, most)

    def a_row_each(self, frame: pa.Table, column: str) -> pa.Table:
        at = frame.column_names.index(column)
        lists = frame[column].combine_chunks()
        rows = frame.take(pc.list_parent_indices(lists))
        return rows.set_column(at, column, pc.list_flatten(lists))

    def steps(self, make: Callable[[], Any]) -> pa.Table:
        return make()

    def _over(self, frame: pa.Table, text: str) -> Any:
        duckdb = _duckdb()
        try:
            return self.connection.from_arrow(frame).query(_ROWS, text)
        except duckdb.Error as error:
            failure = _of_duckdb(error)
        raise failure

    def _table(self, relation: Any) -> pa.Table:
        duckdb = _duckdb()
        try:
            found = relation.to_arrow_table()
        except duckdb.Error as error:
            failure = _of_duckdb(error)
        else:
            return _with_spark_integers(found, relation.types)
        raise failure

    def _spoken(self, text: str) -> str:
        sqlglot = library()
        try:
            with quiet():
                tree = sqlglot.parse(text, read="spark")[0]
                for percentile in tree.find_all(
                    sqlglot.exp.Quantile
                ):  # Spark's interpolates, DuckDB's quantile does not
                    values = percentile.this, percentile.args["quantile"]
                    percentile.replace(sqlglot.exp.Anonymous(this="quantile_cont", expressions=[*values]))
                return str(tree.sql("duckdb"))
        except sqlglot.errors.SqlglotError as error:
            failure = _of_duckdb(error)
            failure.is_unread = True
        raise failure

    def _expression(self, text: str) -> str:
        return self._spoken(f"SELECT {text}").removeprefix("SELECT ")


def _with_spark_integers(table: pa.Table, types: Sequence[Any]) -> pa.Table:
    """Sums of integers are HUGEINT in DuckDB, which Arrow has as a decimal; Spark's are bigint."""
    for at, kind in enumerate(types):
        if str(kind) == "HUGEINT":
            try:
                table = table.set_column(at, table.field(at).name, table.column(at).cast(pa.int64()))
            except pa.ArrowInvalid:  # it does not fit
                continue
    return table


def _of_duckdb(error: Exception, tables: Sequence[str] = ()) -> EngineError:
    """What DuckDB says in its first line, what it would have known, and what to do where a table is missing.

    >>> _of_duckdb(Exception('Referenced column "prise" not found!\\nCandidate bindings: "price"')).message
    'Referenced column "prise" not found! There are: "price"'
    """
    said, _, more = str(error).partition("\n")
    missing = re.search(r"Table with name (.+?) does not exist", said)
    if missing is not None:
        near = difflib.get_close_matches(missing[1], tables, 1)
        hint = (
            f"Did you mean {near[0]}?"
            if near
            else "Give it: --tables name=file.parquet in a shell, or Catalog(name=table)"
        )
        return EngineError(said, hint=f" {hint}")
    column = re.search(r'Referenced column "(.+?)" not found', said)
    lost = column[1] if column is not None else ""
    more = more.split("\n")[0].strip()
    if said.startswith("Permission Error"):
        return EngineError(
            said, hint=". A statement reads tables: name the file, by SOURCE or --tables, and select from that"
        )
    if more.startswith(("Did you mean", "Candidate bindings:", "Candidate tables:")):
        return EngineError(said, missing=lost, hint=f" {re.sub(r'^Candidate [a-z]+:', 'There are:', more)}")
    return EngineError(said, missing=lost)


def _connected() -> Any:
    """A connection that sees no variables of Python."""
    connection = _duckdb().connect()
    connection.execute("SET python_enable_replacements = false; SET TimeZone = 'UTC'")
    return connection


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise UsageError("SQL over Arrow tables is run by DuckDB, which is not installed: pip install duckdb") from None
    return duckdb


def arrow_of(name: str, table: Any) -> pa.Table:
    """An Arrow table of an Arrow table, or of anything that gives an Arrow stream (pandas, Polars, DuckDB, datasets)."""
    if isinstance(table, pa.Table):
        return table
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    if isinstance(table, pa.RecordBatchReader):
        return table.read_all()
    raise UsageError(
        f"the table {name!r} is {shown(table)}: give an Arrow table, or what becomes one (pandas, Polars, DuckDB)"
    )
