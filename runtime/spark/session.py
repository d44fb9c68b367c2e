"""The facts about a Spark session that we need, classic or Connect: read once per call, in one request."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from inwindow.runtime.memory_budget import OPTION, bytes_of
from inwindow.runtime.spark.interpreter import check_interpreter

_ANSI, _ZONE = "spark.sql.ansi.enabled", "spark.sql.session.timeZone"
_SPARKS_OWN = "spark.app.id"  # every session of Spark has this setting, no session of Sail has it


def is_connect(thing: Any) -> bool:
    """Whether a DataFrame, a Column or a session is Spark Connect's."""
    return ".connect." in type(thing).__module__


@dataclass(frozen=True)
class Session:
    """The settings that change results (ANSI mode, the time zone), and PySpark's functions for this session."""

    ansi: bool
    zone: str
    F: ModuleType
    Window: Any
    memory: int | None  # bytes of tuples that a task may hold; None: the worker decides
    expr: Callable[[str], Any]  # a Spark column of SQL text
    is_spark: bool = True  # or another engine that speaks Spark Connect

    @classmethod
    def of(cls, df: Any) -> "Session":
        F, Window = _modules(df)
        spark = df.sparkSession
        if not is_connect(df):
            check_interpreter(spark)
        ansi, zone, memory, *own = _settings(spark, _ANSI, _ZONE, OPTION, *([_SPARKS_OWN] if is_connect(df) else []))
        return cls(
            str(ansi).lower() == "true",
            str(zone),
            F,
            Window,
            None if memory is None else bytes_of(memory),
            F.expr if is_connect(df) else _of_jvm(spark.sparkContext).column,
            is_spark=own != [None],
        )

    @property
    def planning(self) -> dict[str, Any]:
        """The facts about the session that a plan depends on."""
        return {"ansi": self.ansi, "zone": self.zone}

    def column(self, name: str) -> Any:
        """The column of a name, on Connect without a request."""
        return self.F.col(quoted(name)) if ".connect." in self.F.__name__ else self.expr(quoted(name))

    @property
    def has_iterator_udf(self) -> bool:
        """Whether an Arrow UDF can add results to rows; otherwise all columns go through ``mapInArrow``."""
        return not self.why_no_udf

    @property
    def why_no_udf(self) -> str:
        """Why not, in words. Sail moves a filter below any UDF, even a non-deterministic one: frames would lose tuples."""
        if not self.is_spark:
            return "here a filter would move below an Arrow UDF"
        return "" if hasattr(self.F, "arrow_udf") else "no Arrow UDFs in 4.0"


def _settings(spark: Any, *names: str) -> list[str | None]:
    """The values of settings; None for one that is not set and has no default."""
    if not is_connect(spark):
        return [spark.conf.get(name, None) if name == OPTION else spark.conf.get(name) for name in names]
    from pyspark.sql.connect.proto import ConfigRequest

    request = ConfigRequest.Operation(get_option=ConfigRequest.GetOption(keys=names))
    found = {key: value or None for key, value in spark.client.config(request).pairs}
    return [found.get(name) for name in names]


class _Jvm:
    """Two JVM functions, looked up once. PySpark's own functions look them up at each call, and record the caller's line."""

    def __init__(self, context: Any) -> None:
        from pyspark.sql.classic.column import Column

        self._column = Column
        self._expr = context._jvm.functions.expr
        self.explain = context._jvm.PythonSQLUtils.explainString

    def column(self, text: str) -> Any:
        """A Spark column from SQL text: one JVM call, however long the text is."""
        return self._column(self._expr(text))


@lru_cache(maxsize=1)
def _of_jvm(context: Any) -> _Jvm:
    return _Jvm(context)


def aliased(column: Any, name: str) -> Any:
    """A Spark column with an alias, in one JVM call (see :class:`_Jvm`)."""
    return column.alias(name) if is_connect(column) else type(column)(column._jc.alias(name))


def explained(df: Any, mode: str) -> str:
    """Spark's plan of a DataFrame as text, as ``df.explain(mode)`` prints it."""
    if is_connect(df):
        return str(df._explain_string(mode=mode))
    return str(_of_jvm(df._sc).explain(df._jdf.queryExecution(), mode))


def _modules(df: Any) -> tuple[ModuleType, Any]:
    # Chosen by the kind of this DataFrame: pyspark.sql chooses once for the process, which may have both kinds.
    if is_connect(df):
        from pyspark.sql.connect import functions as connect_functions
        from pyspark.sql.connect.window import Window as ConnectWindow

        return connect_functions, ConnectWindow
    from pyspark.sql import Window, functions

    return functions, Window


def quoted(name: str) -> str:
    """A column's name quoted for Spark's parser; it may contain dots."""
    return "`" + name.replace("`", "``") + "`"


def sort_order(column: Any, *, ascending: bool, nulls_first: bool) -> Any:
    if ascending:
        return column.asc_nulls_first() if nulls_first else column.asc_nulls_last()
    return column.desc_nulls_first() if nulls_first else column.desc_nulls_last()


def functions_of(df: Any) -> ModuleType:
    return _modules(df)[0]
