"""What we need to know of a Spark session, classic or Connect: asked for once per call."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from inwindow.runtime.memory import OPTION, bytes_of
from inwindow.runtime.spark.interpreter import check_interpreter


def is_connect(thing: Any) -> bool:
    """Whether a DataFrame, a Column or a session is Spark Connect's."""
    return ".connect." in type(thing).__module__


@dataclass(frozen=True)
class Session:
    """The settings that decide on results, ANSI mode and the time zone; and PySpark's functions for this session."""

    ansi: bool
    zone: str
    F: ModuleType
    Window: Any
    memory: int | None  # bytes of tuples that a task may hold; None: the worker knows

    @classmethod
    def of(cls, df: Any) -> "Session":
        """The session of a DataFrame."""
        F, Window = _modules(df)
        if not is_connect(df):
            check_interpreter(df.sparkSession)
        conf = df.sparkSession.conf
        memory = conf.get(OPTION, None)
        return cls(
            conf.get("spark.sql.ansi.enabled").lower() == "true",
            conf.get("spark.sql.session.timeZone"),
            F,
            Window,
            None if memory is None else bytes_of(memory),
        )

    @property
    def planning(self) -> dict[str, Any]:
        """What a plan must know of the session."""
        return {"ansi": self.ansi, "zone": self.zone}

    @property
    def has_iterator_udf(self) -> bool:
        """Spark 4.1 brought Arrow UDFs; 4.0 has mapInArrow only."""
        return hasattr(self.F, "arrow_udf")


def _modules(df: Any) -> tuple[ModuleType, Any]:
    # Asked for by the kind of DataFrame: pyspark.sql's own choice is the process's, which may have both kinds.
    if is_connect(df):
        from pyspark.sql.connect import functions as connect_functions
        from pyspark.sql.connect.window import Window as ConnectWindow

        return connect_functions, ConnectWindow
    from pyspark.sql import Window, functions

    return functions, Window


def quoted(name: str) -> str:
    """A column's name as Spark's parser takes it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def sort_order(column: Any, *, ascending: bool, nulls_first: bool) -> Any:
    """A column as a Spark sort expression."""
    if ascending:
        return column.asc_nulls_first() if nulls_first else column.asc_nulls_last()
    return column.desc_nulls_first() if nulls_first else column.desc_nulls_last()


def functions_of(df: Any) -> ModuleType:
    """PySpark's functions for a DataFrame."""
    return _modules(df)[0]
