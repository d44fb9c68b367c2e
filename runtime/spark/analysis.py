"""Ask Spark about a user's columns. If Spark refuses, the user gets our error, and no trace on stderr.

A column may be misspelt, belong to another DataFrame, or have the wrong type for an expression. Spark notices this when it
analyses a plan: classic Spark at each call, Connect when a schema is first requested.
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


# PySpark logs each such exception, with the whole trace of its JVM, before anybody can catch it. We turn that off for the
# questions of this thread only; errors of other threads, and of the user's own calls, are still logged.
for _name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
    PySparkLogger.getLogger(_name).addFilter(_is_not_our_question)


def ask_quietly(ask: Callable[[], Answer]) -> Answer:
    """Ask without logging; exceptions are raised as usual."""
    before, _this.asks = _this.asks, True
    try:
        return ask()
    finally:
        _this.asks = before


def ask_spark(ask: Callable[[], Answer], where: str, column: Any, names: list[str]) -> Answer:
    """Ask about a column of data with these ``names``; if Spark refuses, raise an error that names the column."""
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
