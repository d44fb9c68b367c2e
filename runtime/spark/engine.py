"""The name of the engine behind a session: Spark, or another engine with the Spark Connect protocol, such as Sail."""

from functools import lru_cache
from typing import Any

from inwindow.runtime.spark.session import Session


def engine_of(session: Session, spark: Any) -> str:
    """The name in lower case, for explain: ``spark``, ``sail 0.7.2``."""
    return "spark" if session.is_spark else _other(spark)


@lru_cache(maxsize=4)
def _other(spark: Any) -> str:
    """The name of another engine: its session reports a Spark version, but SQL's ``version()`` gives its own."""
    version, catalog = spark.sql("SELECT version(), current_catalog()").head()
    return f"{'sail' if catalog == 'sail' else 'an engine that speaks Spark Connect,'} {version}"
