"""The columns that cross to Python: names, expressions and sort orders, as one flat list of plain columns.

A plan knows columns by name and Arrow type. Here everything that a user may write (``"price"``, ``"trade.price"``,
``F.col("a") * 2``) gets such a name, which stands for the Spark Column that computes it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from types import ModuleType
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import types as T

from inwindow.optimizer.columns import check_columns
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.spark.analysis import ask_quietly, ask_spark
from inwindow.runtime.spark.clustering import clustering_of
from inwindow.runtime.spark.column_functions import digest_of_functions
from inwindow.runtime.spark.session import Session, explained, is_connect, quoted
from inwindow.runtime.spark.types import Cast, Result, cast_of, leaves
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.errors import UsageError
from inwindow.udaf.kinds import is_ordered
from inwindow.windows.spec import Order, Window

# If no such column exists, Spark reads these names as functions: the key "user" would be the name of the person who runs the query.
_CONSTANTS = {
    *("current_date", "current_time", "current_timestamp", "current_user"),
    *("localtimestamp", "session_user", "user"),
}
_OF_MANY_ROWS = {
    *("explode", "explode_outer", "posexplode", "posexplode_outer"),
    *("inline", "inline_outer", "stack", "json_tuple"),
}
# Types whose values Spark cannot compare; and what to compare instead.
_WITHOUT_ORDER = {
    "VariantType": "F.variant_get({!r}, '$.name', 'string')",
    "GeometryType": "F.st_asbinary({!r})",
    "GeographyType": "F.st_asbinary({!r})",
}
_ASKED = f"{PREFIX}asked"


class Columns:
    """Spark columns by the name under which the plan knows them."""

    def __init__(self, df: Any, session: Session, schema: T.StructType | None = None) -> None:
        self.df = df  # with the computed columns
        self.session = session
        self._data = df
        self.fields: list[T.StructField] = (df.schema if schema is None else schema).fields
        self.names: list[str] = [field.name for field in self.fields]
        self.clustering = clustering_of(df)
        self._columns: dict[str, Any] = {}
        self._given: list[tuple[Any, str]] = []
        self._asked: dict[str, tuple[Any, str]] = {}  # for each name, what the user wrote, and where
        self._analysed: dict[str, T.StructField] = {}
        self._computed: dict[str, Any] = {}

    def name(self, column: Any, where: str) -> str:
        """The plan's name for a column name or a Column."""
        if isinstance(column, str):
            if column not in self._columns:
                self._columns[column] = named_column(self._data, self.names, column, where, self.session)
                self._asked[column] = column, where
                if is_plain(self.names, column):
                    self._analysed[column] = self.fields[self.names.index(column)]
            return column
        if type(column).__module__.startswith("pyarrow"):
            raise UsageError(
                f"{where}: {column} is an Arrow expression; on a DataFrame use a column name or a Spark column, as in "
                "F.col('a') * 2"
            )
        for given, name in self._given:
            if given is column:  # not by its text: two rand() are two
                return name
        return self._compute(column, where)

    def add(self, name: str, column: Any) -> None:
        self.df = self.df.withColumn(name, column)
        self._columns[name] = self.session.column(name)

    def _compute(self, column: Any, where: str) -> str:
        """Make an expression a column of the data, before the data are shuffled and sorted.

        Above the sort it would have other results: a window in it would move the rows, ``input_file_name()`` would be empty.
        """
        text = column_text(column)
        if text.partition("(")[0] in _OF_MANY_ROWS:
            raise UsageError(
                f"{where}: {text} makes any number of rows of one: make them a DataFrame first, as in "
                "df.select('*', F.explode('tags').alias('tag'))"
            )
        # Only states need this. On a batch it would cost a JVM call for each step of a classic Column.
        functions = digest_of_functions(column) if is_connect(column) or self.df.isStreaming else ""
        text = name = f"{text} {functions}" if functions else text
        while name in self._columns or name in self.names:
            name = f"{text} #{len(self._columns)}"
        self._computed[name] = f"{PREFIX}computed_{len(self._computed)}"
        self.df = ask_spark(lambda: self.df.withColumn(self._computed[name], column), where, column, self.names)
        self._columns[name] = self.session.column(self._computed[name])
        self._given.append((column, name))
        self._asked[name] = column, where
        return name

    def place(self, column: Any, where: str) -> str:
        """The plan's name for a key or an order column; equal expressions are one, so that windows over them share a pass."""
        if not isinstance(column, str):
            text = column_text(column)
            if self.names.count(text) == 1 and _is_column(column, text, self._data, self.session.F):
                column = text
            else:
                column = next((given for given, _ in self._given if _same(given, column)), column)
        return self.name(column, where)

    def applied(self, given: Mapping[str, Applied]) -> dict[str, Applied]:
        return {name: self._applied(one) for name, one in given.items()}

    def _applied(self, one: Applied) -> Applied:
        window = None if one.window is None else self._window(one.window, f"the window of {one.label}")
        return replace(
            one,
            columns=tuple(self.name(column, one.label) for column in one.columns),
            condition=None if one.condition is None else self.name(one.condition, f"the filter of {one.label}"),
            window=window,
            shown=one.label,
        )

    def _window(self, window: Window, where: str) -> Window:
        return replace(
            window,
            partition_by=tuple(self.place(key, where) for key in window.partition_by),
            order_by=self.orders(window.order_by, where),
        )

    def orders(self, orders: Iterable[Order], where: str) -> tuple[Order, ...]:
        return tuple(replace(order, column=self.place(order.column, where)) for order in orders)

    @cached_property
    def explained(self) -> str:
        """Spark's plan of the data, with its estimated sizes; requested after all columns have been named."""
        return explained(self.df, "cost")

    @property
    def kinds(self) -> list[T.DataType]:
        """The Spark types of the data's columns and of the computed columns."""
        return [*(field.dataType for field in self.fields), *map(self.kind, self._computed)]

    @property
    def computed(self) -> list[str]:
        """The columns that were added to the data, to be dropped at the end."""
        return list(self._computed.values())

    def column(self, name: str) -> Any:
        return self._columns[name]

    def is_named(self, name: str) -> bool:
        """Whether a name means a column of the data (or a path into one), not an expression."""
        return name in self._columns and all(name != given for _, given in self._given)

    def crossing(self, name: str) -> Any:
        """The Spark column in a type that can cross."""
        return self.cast(name).out(self._columns[name])

    def cast(self, name: str) -> Cast:
        return cast_of(self.kind(name), name, self.session.zone)[0]

    def schema(self) -> pa.Schema:
        """All columns as they arrive in Python."""
        kinds = {name: cast_of(self.kind(name), name, self.session.zone)[1] for name in self._columns}
        return pa.schema(kinds.items())

    def handed_through(self, name: str) -> Result:
        """A column that comes back as it was."""
        return Result.of(self.cast(name), self._field(name).nullable)

    def kind(self, name: str) -> T.DataType:
        return self._field(name).dataType

    def _field(self, name: str) -> T.StructField:
        if name not in self._analysed:
            unknown = [name for name in self._columns if name not in self._analysed]
            wanted = [self._columns[name].alias(f"_{i}") for i, name in enumerate(unknown)]
            try:
                analysed = ask_quietly(lambda: self.df.select(*wanted).schema)
            except AnalysisException:
                self._find_fault()
                raise
            self._analysed |= zip(unknown, analysed.fields, strict=True)
        return self._analysed[name]

    def _find_fault(self) -> None:
        """Find the wrong column: Connect reports errors only now, so ask about one column at a time."""
        for name, (written, where) in self._asked.items():
            column = self._columns[name] if isinstance(written, str) else written
            ask_spark(partial(self._schema_with, column), where, written, self.names)

    def _schema_with(self, column: Any) -> Any:
        return self._data.withColumn(_ASKED, column).schema

    def check_position_columns(self, names: Iterable[str], where: str) -> None:
        """Check that we compare keys and order columns as Spark does: by their bytes, and maps not at all."""
        for name in names:
            if not is_ordered(cast_of(self.kind(name), name, self.session.zone)[1]):
                raise UsageError(
                    f"{where}: {name!r} is of type {self.kind(name).simpleString()}, and maps have no order and no hash: use "
                    f"what is in it, or its entries in order, as in F.array_sort(F.map_entries({name!r}))"
                )
            self.check_compared(name, where)
            self.check_value(name, where)

    def check_compared(self, name: str, where: str) -> None:
        """Check that values are equal and ordered in inwindow as they are in Spark."""
        kind = self.kind(name)
        for leaf in leaves(kind):
            collation = getattr(leaf, "collation", "UTF8_BINARY")
            if collation != "UTF8_BINARY":
                raise UsageError(
                    f"{where}: {name!r} has the collation {collation}, in which different strings may be equal; inwindow "
                    f"compares bytes: use an expression that makes equal ones the same, such as F.lower({name!r}).collate("
                    "'UTF8_BINARY')"
                )
            if type(leaf).__name__ in _WITHOUT_ORDER:
                raise UsageError(
                    f"{where}: {name!r} is of type {kind.simpleString()}, in which Spark compares nothing: use what is in it, "
                    f"as in {_WITHOUT_ORDER[type(leaf).__name__].format(name)}"
                )

    def check_value(self, name: str, where: str) -> None:
        """Check that Python can work with the values of a column that does not just pass through."""
        if not self.cast(name).is_compared:
            kind = self.kind(name)
            its = (
                "is an interval"
                if isinstance(kind, T.CalendarIntervalType)
                else f"of type {kind.simpleString()} has intervals"
            )
            raise UsageError(
                f"{where}: the column {name!r} {its} of months, days and seconds, which has no order: use a day-time or a "
                "year-month interval"
            )


def _same(a: Any, b: Any) -> bool:
    """Whether two Columns are the same expression, for example from one WindowSpec that is read twice. If unsure, False."""
    if a is b:
        return True
    if is_connect(a):
        return a._expr is b._expr
    return bool(a._jc.node().normalized().equals(b._jc.node().normalized()))


def _is_column(column: Any, name: str, df: Any, F: ModuleType) -> bool:
    """Whether a Column is exactly that column, not an expression with the same text."""
    if is_connect(column):
        its = column._expr
        plain = getattr(its, "_plan_id", 0) is None
        return plain and its._unparsed_identifier in (quoted(name), name if name.isidentifier() else None)
    return _same(column, F.col(quoted(name))) or _same(column, df[quoted(name)])


def is_plain(names: list[str], name: str) -> bool:
    """Whether exactly one column has this name, ignoring case."""
    return names.count(name) == 1 and sum(one.casefold() == name.casefold() for one in names) == 1


def named_column(df: Any, names: list[str], name: str, where: str, session: Session) -> Any:
    """The column of a name: one of the data's ``names``, even with dots in it; otherwise a path (``"trade.price"``)."""
    if is_plain(names, name):
        return session.column(name)
    F = session.F
    if sum(one.casefold() == name.casefold() for one in names) > 1:  # Spark may ignore case
        ask_spark(lambda: df.select(F.col(quoted(name))).columns, where, name, names)
    if names.count(name) == 1:
        return F.col(quoted(name))
    constant = name.casefold() in _CONSTANTS and name.casefold() not in map(str.casefold, names)
    if constant:
        check_columns(pa.schema([pa.field(column, pa.null()) for column in names]), [name], where)
    # A field of a struct, a column of an aliased DataFrame, another case. Connect asks only for the columns.
    ask_spark(lambda: df.select(F.col(name)).columns, where, name, names)
    return F.col(name)
