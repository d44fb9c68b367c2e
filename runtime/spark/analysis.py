"""Questions to Spark about a user's columns. What it cannot answer is an error in our words, and nothing is on stderr above it.

A column may be misspelt, of another DataFrame, or of a type with which an expression does nothing. Spark knows when it analyses
a plan: classic at each call, Connect when it is first asked for a schema.
"""

import re
import threading
from collections.abc import Callable
from logging import LogRecord
from typing import Any, TypeVar

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.logger import PySparkLogger

from inwindow.optimizer.columns import check_columns, instead
from inwindow.runtime.spark.messages import message_of, unquoted
from inwindow.udaf.applied import column_text
from inwindow.udaf.errors import UnknownColumnError, UsageError

Answer = TypeVar("Answer")


class _Thread(threading.local):
    asks = False


_this = _Thread()


def _is_not_our_question(record: LogRecord) -> bool:
    return not _this.asks


# PySpark logs each such exception, with the whole trace of its JVM, before anybody can catch it. What a thread asks here
# is not logged; errors of other threads, and of the user's own calls, still are.
for _name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
    PySparkLogger.getLogger(_name).addFilter(_is_not_our_question)


def ask_quietly(ask: Callable[[], Answer]) -> Answer:
    """What Spark answers; its exceptions come back, and are not logged."""
    before, _this.asks = _this.asks, True
    try:
        return ask()
    finally:
        _this.asks = before


def ask_spark(ask: Callable[[], Answer], where: str, column: Any, names: list[str]) -> Answer:
    """What Spark answers to a question about a column, in data that have these ``names``; or an error that names it."""
    try:
        return ask_quietly(ask)
    except AnalysisException as error:
        raise _refusal(error, where, column, names) from None


def _refusal(error: AnalysisException, where: str, column: Any, names: list[str]) -> UsageError:
    condition, given = error.getCondition() or "", error.getMessageParameters() or {}
    text = repr(column) if isinstance(column, str) else column_text(column)
    if condition.startswith("UNRESOLVED_COLUMN"):
        name = column if isinstance(column, str) else unquoted(given["objectName"])
        return _unknown(where, name, names)
    if condition == "FIELD_NOT_FOUND":
        name, fields = unquoted(given["fieldName"]), [unquoted(one) for one in given["fields"].split(", ")]
        return UnknownColumnError(f"{where}: there is no field {name!r} in {text}; {instead(name, fields)}")
    if condition.startswith(("MISSING_ATTRIBUTES", "CANNOT_RESOLVE_DATAFRAME_COLUMN")):
        name = unquoted(given.get("missingAttributes", given.get("name", "")))
        here = f"write F.col({name!r}) for the one here" if name in names else "join the two first"
        return UnknownColumnError(f"{where}: the column {name!r} is of another DataFrame; {here}")
    if condition == "AMBIGUOUS_REFERENCE":
        name, meant = unquoted(given["name"]), unquoted(given["referenceNames"].strip("[]"))
        times = [one.casefold() for one in names].count(name.casefold())
        if times > 1 and set(meant.split(", ")) <= set(names):
            return UnknownColumnError(f"{where}: the column {name!r} is there {times} times; rename them apart")
        return UnknownColumnError(f"{where}: the column {name!r} may be any of {meant}: write which")
    if condition == "MISSING_GROUP_BY":
        return UsageError(
            f"{where}: {text} is an aggregate of Spark's own, and here a column has a value for each row: add it as a column "
            "first, by a join or a window"
        )
    said = re.sub(r"^\[.*?\] ", "", message_of(error))  # without its code
    return UsageError(f"{where}: Spark cannot make {text} of the columns: {said}")


def _unknown(where: str, name: str, names: list[str]) -> UsageError:
    try:
        check_columns(pa.schema([pa.field(one, pa.null()) for one in names]), [name], where)
    except UsageError as unknown:
        return unknown
    return UnknownColumnError(
        f"{where}: F.col({name!r}) is a field in a struct, to Spark; the column of this name is F.col('`{name}`')"
    )
