"""The name of the engine behind a session: Spark, or another one that speaks Spark Connect, as Sail does."""

from functools import lru_cache
from typing import Any

from inwindow.runtime.spark.session import Session


def engine_of(session: Session, spark: Any) -> str:
    """The name, in small letters as explain has it: ``spark``, ``sail 0.7.2``."""
    return "spark" if session.is_spark else _other(spark)


@lru_cache(maxsize=4)
def _other(spark: Any) -> str:
    """Its server says that it is some version of Spark; ``version()`` is its own."""
    version, catalog = spark.sql("SELECT version(), current_catalog()").head()
    return f"{'sail' if catalog == 'sail' else 'an engine that speaks Spark Connect,'} {version}"
